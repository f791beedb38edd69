//! Joints that follow others.

use super::build::{BuiltJoint, Placement};
use super::error::Fault;
use super::xml::Element;
use super::{Robot, RobotJoint};

/// What a joint follows: its coordinate is `multiplier · that of the other + offset`.
#[derive(Clone, Debug, PartialEq)]
pub struct Mimic {
    /// Name of the other joint.
    pub joint: String,
    /// m or rad for each m or rad of the other; not 0.
    pub multiplier: f64,
    /// m or rad.
    pub offset: f64,
}

/// Two joints of a robot that move together: the second follows the first.
#[derive(Clone, Debug, PartialEq)]
pub struct BuiltCoupling {
    /// Its name, after the joint that follows.
    pub name: String,
    /// Indices of the two joints.
    pub joints: [usize; 2],
    /// What the second coordinate changes by for each m or rad of the first.
    pub ratio: f64,
    /// The second coordinate where the first is 0, m or rad.
    pub offset: f64,
}

/// What the element of a joint says that it follows, if anything.
pub(super) fn read(element: &Element<'_>) -> Result<Option<Mimic>, Fault> {
    let Some(mimic) = element.child("mimic")? else {
        return Ok(None);
    };
    let multiplier = mimic.number("multiplier")?.unwrap_or(1.0);
    if multiplier == 0.0 {
        return Err(
            mimic.fault("<mimic> multiplier=0, expected a number different from 0".to_owned())
        );
    }
    Ok(Some(Mimic {
        joint: mimic.need_text("joint")?.to_owned(),
        multiplier,
        offset: mimic.number("offset")?.unwrap_or(0.0),
    }))
}

/// Joints follow joints that are there and move, and not themselves, also not in a circle.
pub(super) fn check(joints: &[RobotJoint]) -> Result<(), Fault> {
    let wrong = |joint: &RobotJoint, what: String| {
        Fault::new(joint.at, format!("joint {}: <mimic> {what}", joint.name))
    };
    for joint in joints.iter().filter(|joint| joint.mimic.is_some()) {
        if !joint.kind.has_coordinate() {
            let what = format!("on a {} joint, which has no position", joint.kind.name());
            return Err(wrong(joint, what));
        }
        let mut last = joint;
        for _ in 0..=joints.len() {
            let Some(mimic) = &last.mimic else { break };
            let name = &mimic.joint;
            last = match joints.iter().find(|other| other.name == *name) {
                Some(other) if other.kind.has_coordinate() => other,
                Some(other) => {
                    let kind = other.kind.name();
                    let what = format!("joint={name}, a {kind} joint, which has no position");
                    return Err(wrong(last, what));
                }
                None => {
                    let what = format!("joint={name}, but there is no such joint");
                    return Err(wrong(last, what));
                }
            };
        }
        if last.mimic.is_some() {
            return Err(wrong(joint, "follows itself".to_owned()));
        }
    }
    Ok(())
}

impl Robot {
    /// The joint that a joint follows in the end, itself where it follows none; and with which
    /// multiplier and offset.
    pub(super) fn leader<'r>(&'r self, joint: &'r RobotJoint) -> (&'r RobotJoint, [f64; 2]) {
        let (mut leader, mut multiplier, mut offset) = (joint, 1.0, 0.0);
        // There are no circles.
        while let Some(mimic) = &leader.mimic
            && let Some(next) = self.joints.iter().find(|other| other.name == mimic.joint)
        {
            offset += multiplier * mimic.offset;
            multiplier *= mimic.multiplier;
            leader = next;
        }
        (leader, [multiplier, offset])
    }

    /// The coordinate at which a joint starts that follows another, m or rad.
    pub(super) fn followed(
        &self,
        joint: &RobotJoint,
        given: Option<f64>,
        placement: &Placement,
    ) -> Result<f64, Fault> {
        let wrong = |what: String| Fault::new(joint.at, format!("joint {}: {what}", joint.name));
        let (leader, [multiplier, offset]) = self.leader(joint);
        let position = multiplier * self.position(leader, placement)? + offset;
        let name = &leader.name;
        if let Some(given) = given.filter(|given| (given - position).abs() > 1e-9) {
            return Err(wrong(format!(
                "position {given}, but it follows {name} to {position}"
            )));
        }
        let outside = |[lower, upper]: &[f64; 2]| !(*lower..=*upper).contains(&position);
        match joint.limits.filter(outside) {
            Some([lower, upper]) => Err(wrong(format!(
                "follows {name} to {position}, outside its limits {lower} and {upper}"
            ))),
            None => Ok(position),
        }
    }

    /// The couplings of joints that follow others.
    pub(super) fn couplings(&self, joints: &[BuiltJoint]) -> Vec<BuiltCoupling> {
        let index = |name: &str| joints.iter().position(|joint| joint.name == name);
        let follows = |joint: &RobotJoint| {
            joint.mimic.as_ref()?;
            // To the end of a chain: each follower hangs on one leader.
            let (leader, [ratio, offset]) = self.leader(joint);
            Some(BuiltCoupling {
                name: format!("{}/mimic", joint.name),
                joints: [index(&leader.name)?, index(&joint.name)?],
                ratio,
                offset,
            })
        };
        self.joints.iter().filter_map(follows).collect()
    }
}
