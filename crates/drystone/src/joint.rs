//! Joints: what holds two bodies together, and what drives them.
//!
//! A joint has a frame on each of its two bodies; its axis is the frames' z. Either end may be the
//! world. The joint's *coordinate* is the angle of a revolute joint, the displacement along the
//! axis of a prismatic or cylindrical one, the distance of a link's ends. Limits, motors and
//! springs act on it. Forces are what the joint exerts on its second body.

mod coupling;
mod drive;
mod frame;
mod rows;

use drystone_collide::Pose;
use glam::{DQuat, DVec3};

pub(crate) use coupling::{CoupledRow, MOST_SIDES, law_of};
pub use drive::{Drive, Motor, Signal, Spring};
pub(crate) use frame::place;
pub(crate) use rows::{Coordinate, JointEnds, JointRows, angles, coordinate, hard, turns};

use crate::body::BodyId;

/// A joint of a world, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JointId(pub(crate) u32);

impl JointId {
    /// The joint with this index: joints count from 0 in the order in which they were added.
    pub fn new(index: usize) -> Self {
        Self(index as u32)
    }

    /// Its index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a joint lets its bodies do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// Turn about a point. 3 rows.
    Spherical,
    /// Turn about the axis. 5 rows.
    Revolute,
    /// Slide along the axis. 5 rows.
    Prismatic,
    /// Slide along the axis and turn about it. 4 rows.
    Cylindrical,
    /// Turn about the first body's z axis and the second one's x axis, which stay perpendicular.
    /// 4 rows.
    Universal,
    /// Nothing. 6 rows.
    Fixed,
    /// Keep the distance of two points, m. If none is given: as it is when the joint is added. 1
    /// row.
    Distance(Option<f64>),
    /// Everything: only what acts on the distance of the two points holds them. No row of its own.
    Link,
    /// Keep the second body's point on the axis, which the first carries. 2 rows.
    PointOnLine,
    /// Keep the second body's point on the plane across the axis, which the first carries. 1 row.
    PointOnPlane,
    /// Turn together, each about its own axis: the second turns `ratio` times as fast as the first.
    /// Angles are against the world, so the bearings of both must not turn. 1 row.
    Gear {
        /// Angle of the second body for each radian of the first; negative for wheels that mesh
        /// from outside.
        ratio: f64,
    },
    /// The second body moves along its x axis by `radius` for each radian that the first turns
    /// about its z axis, against the world as for gears. 1 row.
    Rack {
        /// m.
        radius: f64,
    },
    /// Let the coordinates of two other joints move together: `second = ratio · first + offset`.
    /// The force acts on the bodies of both, so that bearings may move. 1 row.
    Coupling {
        /// The two joints, of any kind that has a coordinate.
        joints: [JointId; 2],
        /// What the second coordinate changes by for each m or rad of the first.
        ratio: f64,
        /// The second coordinate where the first is 0, m or rad. If none is given: as they are
        /// when the coupling is added.
        offset: Option<f64>,
    },
}

impl JointKind {
    /// Its name in scenes and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Spherical => "spherical",
            Self::Revolute => "revolute",
            Self::Prismatic => "prismatic",
            Self::Cylindrical => "cylindrical",
            Self::Universal => "universal",
            Self::Fixed => "fixed",
            Self::Distance(_) => "distance",
            Self::Link => "link",
            Self::PointOnLine => "point-on-line",
            Self::PointOnPlane => "point-on-plane",
            Self::Gear { .. } => "gear",
            Self::Rack { .. } => "rack",
            Self::Coupling { .. } => "coupling",
        }
    }

    /// Whether it has a coordinate for limits, motors and springs.
    pub fn has_coordinate(self) -> bool {
        match self {
            Self::Revolute | Self::Prismatic | Self::Cylindrical | Self::Link => true,
            Self::Spherical
            | Self::Universal
            | Self::Fixed
            | Self::Distance(_)
            | Self::PointOnLine
            | Self::PointOnPlane
            | Self::Gear { .. }
            | Self::Rack { .. }
            | Self::Coupling { .. } => false,
        }
    }

    /// What it holds: two points at a distance, two frames to each other, or two joints.
    pub fn holds(self) -> JointHold {
        match self {
            Self::Distance(_) | Self::Link => JointHold::Distance,
            Self::Spherical
            | Self::Revolute
            | Self::Prismatic
            | Self::Cylindrical
            | Self::Universal
            | Self::Fixed
            | Self::PointOnLine
            | Self::PointOnPlane
            | Self::Gear { .. }
            | Self::Rack { .. } => JointHold::Frames,
            Self::Coupling { .. } => JointHold::Joints,
        }
    }
}

/// What a joint holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointHold {
    /// The distance of two points: springs, ropes and rods.
    Distance,
    /// A frame of one body to one of the other.
    Frames,
    /// The coordinates of two other joints.
    Joints,
}

/// Where the frames of a joint lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum JointFrames {
    /// In the world, as the bodies are when the joint is added.
    World {
        points: [DVec3; 2],
        axis: DVec3,
        second_axis: Option<DVec3>,
    },
    /// In the frame of each body's shape; for the world's end, in the world.
    Bodies([Pose; 2]),
}

/// A joint to be added to a world.
#[derive(Clone)]
pub struct Joint {
    pub(crate) kind: JointKind,
    pub(crate) bodies: [Option<BodyId>; 2],
    pub(crate) name: Option<String>,
    pub(crate) frames: JointFrames,
    pub(crate) limits: Option<[f64; 2]>,
    pub(crate) motor: Option<Motor>,
    pub(crate) spring: Option<Spring>,
    pub(crate) collide: bool,
    pub(crate) turned: f64,
    pub(crate) compliance: f64,
}

impl Joint {
    /// A joint of any kind between two bodies; `None` is the world.
    pub fn new(
        kind: JointKind,
        first: impl Into<Option<BodyId>>,
        second: impl Into<Option<BodyId>>,
    ) -> Self {
        Self {
            kind,
            bodies: [first.into(), second.into()],
            name: None,
            frames: JointFrames::World {
                points: [DVec3::ZERO; 2],
                axis: DVec3::Z,
                second_axis: None,
            },
            limits: None,
            motor: None,
            spring: None,
            collide: false,
            turned: 0.0,
            compliance: 0.0,
        }
    }

    /// Turns about the axis.
    pub fn revolute(a: impl Into<Option<BodyId>>, b: impl Into<Option<BodyId>>) -> Self {
        Self::new(JointKind::Revolute, a, b)
    }

    /// Slides along the axis.
    pub fn prismatic(a: impl Into<Option<BodyId>>, b: impl Into<Option<BodyId>>) -> Self {
        Self::new(JointKind::Prismatic, a, b)
    }

    /// Turns about a point.
    pub fn spherical(a: impl Into<Option<BodyId>>, b: impl Into<Option<BodyId>>) -> Self {
        Self::new(JointKind::Spherical, a, b)
    }

    /// Holds two bodies as one.
    pub fn fixed(a: impl Into<Option<BodyId>>, b: impl Into<Option<BodyId>>) -> Self {
        Self::new(JointKind::Fixed, a, b)
    }

    /// Keeps the distance of two points: a massless rod.
    pub fn distance(a: impl Into<Option<BodyId>>, b: impl Into<Option<BodyId>>) -> Self {
        Self::new(JointKind::Distance(None), a, b)
    }

    /// Holds nothing by itself: for springs, ropes and cylinders between two points.
    pub fn link(a: impl Into<Option<BodyId>>, b: impl Into<Option<BodyId>>) -> Self {
        Self::new(JointKind::Link, a, b)
    }

    /// Lets the coordinates of two other joints move together: the second changes by `ratio` for
    /// each m or rad of the first, from where both are.
    pub fn coupling(first: JointId, second: JointId, ratio: f64) -> Self {
        let kind = JointKind::Coupling {
            joints: [first, second],
            ratio,
            offset: None,
        };
        Self::new(kind, None, None).collide(true)
    }

    /// What kind it is.
    pub fn kind(&self) -> JointKind {
        self.kind
    }

    /// The same between other bodies.
    pub fn on(
        mut self,
        first: impl Into<Option<BodyId>>,
        second: impl Into<Option<BodyId>>,
    ) -> Self {
        self.bodies = [first.into(), second.into()];
        self
    }

    /// Names it.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Puts both frames at a world point, m.
    pub fn at(self, point: impl Into<DVec3>) -> Self {
        let point = point.into();
        self.between(point, point)
    }

    /// Puts the frames at two world points, m.
    pub fn between(mut self, first: impl Into<DVec3>, second: impl Into<DVec3>) -> Self {
        let (axis, second_axis) = self.axes();
        self.frames = JointFrames::World {
            points: [first.into(), second.into()],
            axis,
            second_axis,
        };
        self
    }

    /// Sets the axis, a world direction of any length.
    pub fn axis(mut self, axis: impl Into<DVec3>) -> Self {
        let (_, second_axis) = self.axes();
        self.frames = JointFrames::World {
            points: self.points(),
            axis: axis.into(),
            second_axis,
        };
        self
    }

    /// Sets the second axis, a world direction: of a universal joint's second body, of a gear's
    /// second wheel, of a rack.
    pub fn second_axis(mut self, second_axis: impl Into<DVec3>) -> Self {
        let (axis, _) = self.axes();
        self.frames = JointFrames::World {
            points: self.points(),
            axis,
            second_axis: Some(second_axis.into()),
        };
        self
    }

    /// Sets the frames in the frames of the bodies' shapes; for the world's end, in the world.
    pub fn frames(mut self, first: Pose, second: Pose) -> Self {
        self.frames = JointFrames::Bodies([first, second]);
        self
    }

    /// Limits the coordinate, m or rad.
    pub fn limits(mut self, lower: f64, upper: f64) -> Self {
        self.limits = Some([lower, upper]);
        self
    }

    /// Drives the coordinate.
    pub fn motor(mut self, motor: Motor) -> Self {
        self.motor = Some(motor);
        self
    }

    /// Puts a spring on the coordinate.
    pub fn spring(mut self, spring: Spring) -> Self {
        self.spring = Some(spring);
        self
    }

    /// Whether its two bodies collide with each other. They do not unless this is set.
    pub fn collide(mut self, collide: bool) -> Self {
        self.collide = collide;
        self
    }

    /// Says by about what angle a revolute joint is turned when it is added, rad. Its frames tell
    /// the angle but for whole turns, and this gives their number. Without it the angle lies within
    /// half a turn of 0.
    pub fn turned(mut self, angle: f64) -> Self {
        self.turned = angle;
        self
    }

    /// How far it gives way under its forces, m/N, and rad/(N m) where it keeps bodies from
    /// turning. Joints that hold each other, as the pins of a closed band do, need a little: errors
    /// that no motion can remove would load them without bound.
    pub fn compliance(mut self, compliance: f64) -> Self {
        self.compliance = compliance;
        self
    }

    fn points(&self) -> [DVec3; 2] {
        match self.frames {
            JointFrames::World { points, .. } => points,
            JointFrames::Bodies(poses) => poses.map(|p| p.position),
        }
    }

    fn axes(&self) -> (DVec3, Option<DVec3>) {
        match self.frames {
            JointFrames::World {
                axis, second_axis, ..
            } => (axis, second_axis),
            JointFrames::Bodies(_) => (DVec3::Z, None),
        }
    }
}

/// A joint of a world: checked, and placed on its bodies.
pub(crate) struct StoredJoint {
    pub name: String,
    pub kind: JointKind,
    /// `None` is the world.
    pub bodies: [Option<u32>; 2],
    /// In the frame of each body's shape.
    pub frames: [Pose; 2],
    /// Of a distance joint, m.
    pub length: f64,
    /// The frames in the world when the joint was added: what gears and racks count from.
    pub start: [Pose; 2],
    pub limits: Option<[f64; 2]>,
    pub motor: Option<Motor>,
    /// With its rest filled in.
    pub spring: Option<Spring>,
    pub collide: bool,
    /// m/N or rad/(N m).
    pub compliance: f64,
}

/// Angle by which a frame has turned about its own z axis since `start`, rad, within half a turn of
/// `last`. A frame tells its angle but for whole turns; a body is taken to turn by less than half a
/// turn within a step.
pub(crate) fn turned_about_z(start: DQuat, now: DQuat, last: f64) -> f64 {
    let axis = start * DVec3::Z;
    let turn = now * start.inverse();
    let angle = 2.0 * DVec3::new(turn.x, turn.y, turn.z).dot(axis).atan2(turn.w);
    near(angle, last)
}

/// The angle that differs from `angle` by whole turns and lies within half a turn of `last`.
pub(crate) fn near(angle: f64, last: f64) -> f64 {
    use std::f64::consts::TAU;
    angle + TAU * ((last - angle) / TAU).round()
}
