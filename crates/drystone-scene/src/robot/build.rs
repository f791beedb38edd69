//! From a robot's links and joints to bodies and joints of a world.
//!
//! A link without mass that is fixed to another becomes part of that one's body, and what hangs on
//! it hangs on that body. Every other link is a body whose frame is the link's.

use std::collections::BTreeMap;

use drystone::{Body, Joint, JointKind, Pose, Shape, Spring, Touch};
use glam::{DMat3, DQuat, DVec3};

use super::error::{Fault, RobotError};
use super::mimic::BuiltCoupling;
use super::notes::Notes;
use super::{Geometry, Robot, RobotJoint, RobotJointKind, geometry};

/// Radius of the ball that stands for an immovable body without geometry, m: nothing touches it.
const DOT: f64 = 0.01;

/// The note of a link without a body of its own.
const MERGED: &str = "links without mass become part of the link that they are fixed to";

/// Whether a robot stands or can go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Base {
    /// The root link never moves.
    #[default]
    Fixed,
    /// The root link moves as forces will.
    Free,
}

/// How a robot is put into a world.
#[derive(Clone, Debug, Default)]
pub struct Placement {
    /// Where the root link's frame is.
    pub pose: Pose,
    /// Whether the root link moves.
    pub base: Base,
    /// Coordinates of joints at the start, m or rad, by their names. Others start at 0, or at the
    /// limit nearest to it.
    pub positions: BTreeMap<String, f64>,
    /// What its bodies may touch; those without geometry touch nothing.
    pub touch: Touch,
    /// Whether meshes are cut into convex pieces.
    pub decompose: bool,
}

/// Bodies and joints of a robot, in its own names.
#[derive(Clone)]
pub struct BuiltRobot {
    /// Bodies.
    pub bodies: Vec<BuiltLink>,
    /// Joints between them. A planar joint is there three times: as three points that stay on the
    /// plane.
    pub joints: Vec<BuiltJoint>,
    /// Couplings between them.
    pub couplings: Vec<BuiltCoupling>,
    /// What was taken for something else in building, a line for each kind.
    pub notes: Vec<String>,
}

/// A body of a robot.
#[derive(Clone)]
pub struct BuiltLink {
    /// Name of the link.
    pub name: String,
    /// The body, where it starts; its frame is the link's.
    pub body: Body,
    /// Whether it has a geometry.
    pub is_seen: bool,
}

/// A joint of a robot.
#[derive(Clone)]
pub struct BuiltJoint {
    /// Name of the joint.
    pub name: String,
    /// The joint, without its bodies.
    pub joint: Joint,
    /// Indices of the robot's bodies that it holds.
    pub bodies: [usize; 2],
    /// Coordinate at which it starts, m or rad; none for kinds without one.
    pub position: Option<f64>,
    /// Largest force or torque of a motor on it, N or N m.
    pub effort: Option<f64>,
}

/// The body that a link belongs to, and the link's frame in the body's.
#[derive(Clone, Copy)]
struct Seat {
    body: usize,
    pose: Pose,
}

impl Robot {
    /// Positions are those of joints that have one.
    fn check_positions(&self, placement: &Placement) -> Result<(), RobotError> {
        for name in placement.positions.keys() {
            let words = match self.joints.iter().find(|joint| joint.name == *name) {
                Some(joint) if joint.kind.has_coordinate() => continue,
                Some(joint) => format!("a {} joint has no position", joint.kind.name()),
                None => "there is no such joint to give a position".to_owned(),
            };
            let words = format!("joint {name}: {words}");
            return Err(RobotError::whole(&self.file, words));
        }
        Ok(())
    }

    /// The coordinate at which a joint starts, m or rad.
    pub(super) fn position(&self, joint: &RobotJoint, placement: &Placement) -> Result<f64, Fault> {
        let wrong = |what: String| Fault::new(joint.at, format!("joint {}: {what}", joint.name));
        let given = placement.positions.get(&joint.name).copied();
        if joint.mimic.is_some() {
            return self.followed(joint, given, placement);
        }
        let Some([lower, upper]) = joint.limits else {
            return Ok(given.unwrap_or(0.0));
        };
        let Some(position) = given else {
            return Ok(0.0_f64.clamp(lower, upper));
        };
        if (lower..=upper).contains(&position) {
            return Ok(position);
        }
        let words = format!("position {position} is outside its limits {lower} and {upper}");
        Err(wrong(words))
    }

    /// Poses of all links by the coordinates of the joints.
    fn link_poses(&self, placement: &Placement) -> Result<Vec<Pose>, Fault> {
        let mut poses = vec![placement.pose; self.links.len()];
        for joint in &self.joints {
            let position = self.position(joint, placement)?;
            let motion = match joint.kind {
                RobotJointKind::Revolute | RobotJointKind::Continuous => Pose {
                    position: DVec3::ZERO,
                    rotation: DQuat::from_axis_angle(joint.axis, position),
                },
                RobotJointKind::Prismatic => Pose::at(position * joint.axis),
                RobotJointKind::Fixed | RobotJointKind::Planar | RobotJointKind::Floating => {
                    Pose::IDENTITY
                }
            };
            let mut pose = poses[joint.parent].compose(&joint.origin).compose(&motion);
            pose.rotation = pose.rotation.normalize();
            poses[joint.child] = pose;
        }
        Ok(poses)
    }

    /// Makes bodies and joints of it.
    pub fn build(&self, placement: &Placement) -> Result<BuiltRobot, RobotError> {
        let wrong = |fault: Fault| fault.of(&self.file, &self.text);
        self.check_positions(placement)?;
        let mut notes = Notes::default();
        let poses = self.link_poses(placement).map_err(wrong)?;
        let (owners, seats) = self.seats(placement.base, &mut notes).map_err(wrong)?;
        let mut bodies = Vec::with_capacity(owners.len());
        for (index, &link) in owners.iter().enumerate() {
            let mut parts: Vec<(Pose, Geometry)> = Vec::new();
            for (other, seat) in seats.iter().enumerate().filter(|(_, s)| s.body == index) {
                let own = self.links[other].geometry.iter();
                parts.extend(own.map(|(pose, g)| (seat.pose.compose(pose), g.clone())));
            }
            let built = self.body(link, &parts, poses[link], placement, &mut notes);
            bodies.push(built.map_err(wrong)?);
        }
        let mut joints = Vec::new();
        for joint in &self.joints {
            let position = self.position(joint, placement).map_err(wrong)?;
            let ends = [seats[joint.parent], seats[joint.child]];
            if ends[0].body != ends[1].body {
                self.add_joint(joint, position, ends, &mut joints);
            }
        }
        Ok(BuiltRobot {
            bodies,
            couplings: self.couplings(&joints),
            joints,
            notes: notes.lines(),
        })
    }

    /// The links that are bodies of their own, and where every link sits.
    fn seats(&self, base: Base, notes: &mut Notes) -> Result<(Vec<usize>, Vec<Seat>), Fault> {
        let pose = Pose::IDENTITY;
        let mut seats = vec![Seat { body: 0, pose }; self.links.len()];
        let first = match base {
            Base::Fixed => self.root,
            Base::Free => {
                let (heir, pose) = self.heir()?;
                seats[self.root].pose = pose;
                if heir != self.root {
                    notes.add(MERGED, &self.links[self.root].name);
                }
                heir
            }
        };
        let mut owners = vec![first];
        for joint in &self.joints {
            let link = &self.links[joint.child];
            let fixed = joint.kind == RobotJointKind::Fixed;
            if joint.child == first {
                continue;
            }
            if link.inertial.is_some() {
                seats[joint.child].body = owners.len();
                owners.push(joint.child);
            } else if fixed {
                let Seat { body, pose } = seats[joint.parent];
                let pose = pose.compose(&joint.origin);
                seats[joint.child] = Seat { body, pose };
                notes.add(MERGED, &link.name);
            } else {
                let (link, kind, name) = (&link.name, joint.kind.name(), &joint.name);
                let words = format!(
                    "link {link}: no mass, expected <inertial> with a mass > 0: the {kind} joint \
                     {name} moves it"
                );
                return Err(Fault::new(self.links[joint.child].at, words));
            }
        }
        Ok((owners, seats))
    }

    /// The link whose body the root of a free robot belongs to, and the root's frame in that
    /// link's: the root itself if it has mass, else the first link with mass that is fixed to it.
    fn heir(&self) -> Result<(usize, Pose), Fault> {
        let root = &self.links[self.root];
        if root.inertial.is_some() {
            return Ok((self.root, Pose::IDENTITY));
        }
        let mut rigid: BTreeMap<usize, Pose> = [(self.root, Pose::IDENTITY)].into();
        let fixed = |joint: &&RobotJoint| joint.kind == RobotJointKind::Fixed;
        for joint in self.joints.iter().filter(fixed) {
            let Some(pose) = rigid.get(&joint.parent) else {
                continue;
            };
            let pose = pose.compose(&joint.origin);
            if self.links[joint.child].inertial.is_some() {
                return Ok((joint.child, pose.inverse()));
            }
            rigid.insert(joint.child, pose);
        }
        let words = format!(
            "link {}: no mass, expected <inertial> with a mass > 0: it is the root of a robot \
             with a free base",
            root.name
        );
        Err(Fault::new(root.at, words))
    }

    fn body(
        &self,
        index: usize,
        parts: &[(Pose, Geometry)],
        pose: Pose,
        placement: &Placement,
        notes: &mut Notes,
    ) -> Result<BuiltLink, Fault> {
        let link = &self.links[index];
        let wrong = |what: String| Fault::new(link.at, format!("link {}: {what}", link.name));
        let moves = index != self.root || placement.base == Base::Free;
        let inertial = link.inertial.filter(|_| moves);
        let (shape, touch) = if parts.is_empty() {
            // The ball of the same mass and inertia.
            let radius = inertial.map(|i| {
                let [x, y, z] = [i.inertia.x_axis.x, i.inertia.y_axis.y, i.inertia.z_axis.z];
                (2.5 * (x + y + z) / (3.0 * i.mass)).sqrt()
            });
            let radius = radius.unwrap_or(DOT);
            (Shape::sphere(radius), Touch::Nothing)
        } else {
            let shape = geometry::shape(parts, placement.decompose).map(|(shape, hulls)| {
                if hulls {
                    let what = "meshes beside other geometry are taken as convex hulls";
                    notes.add(what, &link.name);
                }
                shape
            });
            (shape, placement.touch)
        };
        let shape = shape.map_err(|error| wrong(error.to_string()))?;
        let body = match inertial {
            Some(inertial) => Body::dynamic(shape).mass_properties(inertial),
            None => Body::fixed(shape),
        };
        Ok(BuiltLink {
            name: link.name.clone(),
            body: body.posed(pose).touching(touch),
            is_seen: !parts.is_empty(),
        })
    }

    fn add_joint(
        &self,
        joint: &RobotJoint,
        position: f64,
        [parent, child]: [Seat; 2],
        out: &mut Vec<BuiltJoint>,
    ) {
        let turn = Pose {
            position: DVec3::ZERO,
            rotation: along(joint.axis),
        };
        // The joint's frame on each body, z along the axis.
        let first = parent.pose.compose(&joint.origin).compose(&turn);
        let second = child.pose.compose(&turn);
        let mut add = |kind: JointKind, second: Pose| {
            let mut built = Joint::new(kind, None, None).frames(first, second);
            let coordinate = joint.kind.has_coordinate();
            if coordinate {
                if let Some([lower, upper]) = joint.limits {
                    built = built.limits(lower, upper);
                }
                if joint.damping > 0.0 {
                    built = built.spring(Spring::new(0.0).damping(joint.damping));
                }
                if joint.kind.turns() {
                    built = built.turned(position);
                }
            }
            out.push(BuiltJoint {
                name: joint.name.clone(),
                joint: built,
                bodies: [parent.body, child.body],
                position: coordinate.then_some(position),
                effort: joint.effort,
            });
        };
        match joint.kind {
            RobotJointKind::Revolute | RobotJointKind::Continuous => {
                add(JointKind::Revolute, second);
            }
            RobotJointKind::Prismatic => add(JointKind::Prismatic, second),
            RobotJointKind::Fixed => add(JointKind::Fixed, second),
            RobotJointKind::Planar => {
                // Three points of the child stay on the plane: far apart for a body that is hard to
                // turn.
                let inertial = self.links[joint.child].inertial;
                let arm = inertial.map_or(1.0, |i| (i.inertia.x_axis.x / i.mass).sqrt());
                for point in [DVec3::ZERO, arm * DVec3::X, arm * DVec3::Y] {
                    add(JointKind::PointOnPlane, second.compose(&Pose::at(point)));
                }
            }
            RobotJointKind::Floating => {}
        }
    }
}

/// The rotation that takes z to an axis of unit length.
fn along(axis: DVec3) -> DQuat {
    let x = axis.any_orthonormal_vector();
    DQuat::from_mat3(&DMat3::from_cols(x, axis.cross(x), axis)).normalize()
}
