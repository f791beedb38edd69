//! The tree of links: one root, no cycles.

use super::error::Fault;
use super::{Link, RobotJoint};

/// The joints so that each comes after the one that carries it, and the root.
pub(super) struct Tree {
    pub joints: Vec<RobotJoint>,
    pub root: usize,
}

pub(super) fn sort(links: &[Link], joints: Vec<RobotJoint>) -> Result<Tree, Fault> {
    // The joint that carries each link, and those that each link carries.
    let mut carrier: Vec<Option<usize>> = vec![None; links.len()];
    let mut carried: Vec<Vec<usize>> = vec![Vec::new(); links.len()];
    for (index, joint) in joints.iter().enumerate() {
        if let Some(other) = carrier[joint.child] {
            let (link, other) = (&links[joint.child].name, &joints[other].name);
            let words = format!("its child {link} is already the child of joint {other}");
            return Err(fault(joint, &words));
        }
        carrier[joint.child] = Some(index);
        carried[joint.parent].push(index);
    }
    let roots: Vec<usize> = (0..links.len()).filter(|l| carrier[*l].is_none()).collect();
    let root = match roots[..] {
        [root] => root,
        [] => {
            return Err(match joints.first() {
                None => Fault::new(0, "the robot has no link"),
                Some(joint) => fault(joint, "the joints form a cycle: no link is the root"),
            });
        }
        [first, second, ..] => {
            let [first, second] = [&links[first].name, &links[second].name];
            let at = links[roots[1]].at;
            let words = format!(
                "links {first} and {second} are both without a joint to a parent, expected one root"
            );
            return Err(Fault::new(at, words));
        }
    };
    let mut order: Vec<usize> = carried[root].clone();
    let mut next = 0;
    while let Some(&joint) = order.get(next) {
        order.extend(&carried[joints[joint].child]);
        next += 1;
    }
    let mut reached = vec![false; joints.len()];
    order.iter().for_each(|joint| reached[*joint] = true);
    if let Some(lost) = reached.iter().position(|reached| !reached) {
        return Err(fault(&joints[lost], "it is part of a cycle of joints"));
    }
    let mut joints: Vec<_> = joints.into_iter().map(Some).collect();
    let joints = order.into_iter().filter_map(|j| joints[j].take()).collect();
    Ok(Tree { joints, root })
}

fn fault(joint: &RobotJoint, words: &str) -> Fault {
    Fault::new(joint.at, format!("joint {}: {words}", joint.name))
}
