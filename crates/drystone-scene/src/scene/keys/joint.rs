//! Keys of joints, motors and springs.

use crate::named::named;
use crate::scene::key::{Form, Key, Table, TableType, optional, required};
use crate::scene::units::Quantity::{
    self, Angle, AngularDamping, AngularSpeed, AngularStiffness, Compliance, Damping, Force,
    Length, Number, Speed, Stiffness, Time, Torque,
};

const NAME: Key = optional(
    "name",
    Form::Text,
    "\"joint\"",
    "Name by which the rest of the scene refers to the joint. Several joints may have one name; \
     each then has a number.",
);
const BODIES: Key = required(
    "bodies",
    Form::List(&Form::Text),
    "The two bodies, by name. Where several bodies have the name, an index says which one: \
     \"link[3]\" or \"link[index + 1]\". \"world\" is the fixed world.",
);
const AT: Key = optional(
    "at",
    Form::Vector(Length),
    "[0, 0, 0]",
    "Where the joint is at the start, in world coordinates.",
);
const FROM: Key = required(
    "from",
    Form::Vector(Length),
    "The joint's point on the first body at the start, in world coordinates.",
);
const TO: Key = required(
    "to",
    Form::Vector(Length),
    "The joint's point on the second body at the start, in world coordinates.",
);
const AXIS: Key = optional(
    "axis",
    Form::Vector(Number),
    "[0, 0, 1]",
    "The joint's axis at the start, a direction in world axes.",
);
const SECOND_AXIS: Key = required(
    "second_axis",
    Form::Vector(Number),
    "The axis on the second body at the start, perpendicular to `axis`.",
);
const COLLIDE: Key = optional(
    "collide",
    Form::Flag,
    "false",
    "Whether the two bodies collide with each other.",
);
const COMPLIANCE: Key = optional(
    "compliance",
    Form::Number(Compliance),
    "0",
    "How far the joint gives way for each newton, and by how many rad for each N m. Joints in \
     closed loops need a little of it.",
);
const REPEAT: Key = optional(
    "repeat",
    Form::Integer,
    "1",
    "Makes this many joints. Numbers and indices may then use the running number `index`, from 0.",
);
const TURN_LIMITS: Key = optional(
    "limits",
    Form::List(&Form::Number(Angle)),
    "none",
    "Smallest and largest angle. The angle is 0 at the start.",
);
const WAY_LIMITS: Key = optional(
    "limits",
    Form::List(&Form::Number(Length)),
    "none",
    "Smallest and largest displacement along the axis. It is 0 at the start.",
);
const TURN_MOTOR: Key = optional(
    "motor",
    Form::Variants(TurningMotor::VARIANTS),
    "none",
    "The motor that turns the joint.",
);
const WAY_MOTOR: Key = optional(
    "motor",
    Form::Variants(PushingMotor::VARIANTS),
    "none",
    "The motor that moves the joint.",
);
const TURN_SPRING: Key = optional(
    "spring",
    Form::Table(&TURN_SPRING_TABLE),
    "none",
    "A spring and damper on the joint's angle.",
);
const WAY_SPRING: Key = optional(
    "spring",
    Form::Table(&WAY_SPRING_TABLE),
    "none",
    "A spring and damper on the joint's displacement or length.",
);

named! {
    /// The type of a joint.
    pub(crate) enum JointType {
        Spherical = "spherical",
        Revolute = "revolute",
        Prismatic = "prismatic",
        Cylindrical = "cylindrical",
        Universal = "universal",
        Fixed = "fixed",
        Distance = "distance",
        Link = "link",
        PointOnLine = "point-on-line",
        PointOnPlane = "point-on-plane",
        Gear = "gear",
        Rack = "rack",
        Coupling = "coupling",
    }
}

impl TableType for JointType {
    const NAME: &'static str = "a joint";
    const DOC: &'static str =
        "What holds two bodies together. The equations are on the page on joints.";

    fn description(self) -> (&'static str, &'static [Key]) {
        match self {
            Self::Spherical => (
                "The bodies turn about a point.",
                const { &[NAME, BODIES, AT, COMPLIANCE, COLLIDE, REPEAT] },
            ),
            Self::Revolute => (
                "The bodies turn about an axis.",
                const {
                    &[
                        NAME,
                        BODIES,
                        AT,
                        AXIS,
                        TURN_LIMITS,
                        TURN_MOTOR,
                        TURN_SPRING,
                        COMPLIANCE,
                        COLLIDE,
                        REPEAT,
                    ]
                },
            ),
            Self::Prismatic => (
                "The bodies slide along an axis and do not turn.",
                const {
                    &[
                        NAME, BODIES, AT, AXIS, WAY_LIMITS, WAY_MOTOR, WAY_SPRING, COMPLIANCE,
                        COLLIDE, REPEAT,
                    ]
                },
            ),
            Self::Cylindrical => (
                "The bodies slide along an axis and turn about it.",
                const {
                    &[
                        NAME, BODIES, AT, AXIS, WAY_LIMITS, WAY_MOTOR, WAY_SPRING, COMPLIANCE,
                        COLLIDE, REPEAT,
                    ]
                },
            ),
            Self::Universal => (
                "A Cardan joint: an axis of the first body and an axis of the second meet and \
                 stay perpendicular.",
                const {
                    &[
                        NAME,
                        BODIES,
                        AT,
                        AXIS,
                        SECOND_AXIS,
                        COMPLIANCE,
                        COLLIDE,
                        REPEAT,
                    ]
                },
            ),
            Self::Fixed => (
                "The bodies move as one.",
                const { &[NAME, BODIES, AT, COMPLIANCE, COLLIDE, REPEAT] },
            ),
            Self::Distance => (
                "Two points keep their distance, as if a rod without mass were between them.",
                const {
                    &[
                        NAME,
                        BODIES,
                        FROM,
                        TO,
                        optional(
                            "length",
                            Form::Number(Length),
                            "as at the start",
                            "The distance.",
                        ),
                        COMPLIANCE,
                        COLLIDE,
                        REPEAT,
                    ]
                },
            ),
            Self::Link => (
                "Holds nothing by itself. Limits, motor and spring act on the distance of two \
                 points: for ropes, springs and cylinders.",
                const {
                    &[
                        NAME,
                        BODIES,
                        FROM,
                        TO,
                        optional(
                            "limits",
                            Form::List(&Form::Number(Length)),
                            "none",
                            "Smallest and largest distance. A rope has only a largest one: [0, \
                             LENGTH].",
                        ),
                        WAY_MOTOR,
                        WAY_SPRING,
                        COMPLIANCE,
                        COLLIDE,
                        REPEAT,
                    ]
                },
            ),
            Self::PointOnLine => (
                "A point of the second body stays on a line of the first.",
                const { &[NAME, BODIES, AT, AXIS, COMPLIANCE, COLLIDE, REPEAT] },
            ),
            Self::PointOnPlane => (
                "A point of the second body stays on a plane of the first; `axis` is the plane's \
                 normal.",
                const { &[NAME, BODIES, AT, AXIS, COMPLIANCE, COLLIDE, REPEAT] },
            ),
            Self::Gear => (
                "Two bodies turn together, each about its own axis. The angles are measured \
                 against the world, so the bearings must not turn.",
                const {
                    &[
                        NAME,
                        BODIES,
                        AXIS,
                        optional(
                            "second_axis",
                            Form::Vector(Number),
                            "the first",
                            "Axis of the second body at the start, a direction in world axes.",
                        ),
                        required(
                            "ratio",
                            Form::Number(Number),
                            "Angle of the second body over that of the first; negative for \
                             wheels that mesh from outside.",
                        ),
                        COMPLIANCE,
                        COLLIDE,
                        REPEAT,
                    ]
                },
            ),
            Self::Rack => (
                "The second body moves along `second_axis` as the first turns about `axis`. Both \
                 are measured against the world.",
                const {
                    &[
                        NAME,
                        BODIES,
                        AT,
                        AXIS,
                        SECOND_AXIS,
                        required(
                            "radius",
                            Form::Number(Length),
                            "How far the second body moves for each radian of the first; may be \
                             negative.",
                        ),
                        COMPLIANCE,
                        COLLIDE,
                        REPEAT,
                    ]
                },
            ),
            Self::Coupling => (
                "The coordinates of two other joints move together, and their bearings may move: \
                 gears, a rack and its pinion, a screw, the fingers of a gripper.",
                const {
                    &[
                        NAME,
                        required(
                            "joints",
                            Form::List(&Form::Text),
                            "The two joints, by name; they must stand before the coupling and \
                             have an angle, a displacement or a distance. Where several joints \
                             have the name, an index says which one: \"hinge[3]\" or \
                             \"hinge[index + 1]\".",
                        ),
                        required(
                            "ratio",
                            Form::Number(Number),
                            "What the second coordinate changes by for each metre or radian of \
                             the first, in m or rad; not 0.",
                        ),
                        COMPLIANCE,
                        REPEAT,
                    ]
                },
            ),
        }
    }
}

named! {
    /// The type of a motor of a revolute joint.
    pub(crate) enum TurningMotor {
        Speed = "speed",
        Position = "position",
        Torque = "torque",
    }
}

impl TableType for TurningMotor {
    const NAME: &'static str = "a motor that turns";
    const DOC: &'static str =
        "Drives the angle of a revolute joint: the second body against the first.";

    fn description(self) -> (&'static str, &'static [Key]) {
        match self {
            Self::Speed => (
                "Keeps an angular speed.",
                const { &limited_motor(AngularSpeed, Torque) },
            ),
            Self::Position => ("Keeps an angle.", const { &limited_motor(Angle, Torque) }),
            Self::Torque => ("Exerts a torque.", const { &motor(Torque) }),
        }
    }
}

named! {
    /// The type of a motor of a joint whose coordinate is a length.
    pub(crate) enum PushingMotor {
        Speed = "speed",
        Position = "position",
        Force = "force",
    }
}

impl TableType for PushingMotor {
    const NAME: &'static str = "a motor that pushes";
    const DOC: &'static str =
        "Drives a displacement or a distance: the second body against the first.";

    fn description(self) -> (&'static str, &'static [Key]) {
        match self {
            Self::Speed => ("Keeps a speed.", const { &limited_motor(Speed, Force) }),
            Self::Position => (
                "Keeps a displacement or a distance.",
                const { &limited_motor(Length, Force) },
            ),
            Self::Force => ("Exerts a force.", const { &motor(Force) }),
        }
    }
}

/// Keys of a motor that keeps or exerts `value`.
const fn motor(value: Quantity) -> [Key; 3] {
    [
        optional(
            "value",
            Form::Function(value, &["t"]),
            "from `times` and `values`",
            "What the motor is to keep or exert: a number, or an expression of the time `t` in s \
             since the motor began.",
        ),
        optional(
            "times",
            Form::List(&Form::Number(Time)),
            "from `value`",
            "Times since the motor began, ascending, for a table in place of `value`.",
        ),
        optional(
            "values",
            Form::List(Form::number(value)),
            "from `value`",
            "What the motor is to keep or exert at each of the times. Between two times the \
             value changes evenly.",
        ),
    ]
}

/// The same with a largest force or torque, `limit`.
const fn limited_motor(value: Quantity, limit: Quantity) -> [Key; 4] {
    let [value, times, values] = motor(value);
    let max_force = optional(
        "max_force",
        Form::Number(limit),
        "no limit",
        "Largest force, or torque, that the motor exerts.",
    );
    [value, times, values, max_force]
}

const fn spring_keys(stiffness: Quantity, damping: Quantity, rest: Quantity) -> [Key; 3] {
    [
        optional(
            "stiffness",
            Form::Number(stiffness),
            "0",
            "Stiffness, >= 0.",
        ),
        optional("damping", Form::Number(damping), "0", "Damping, >= 0."),
        optional(
            "rest",
            Form::Number(rest),
            "as at the start",
            "Angle, displacement or length at which the spring exerts no force.",
        ),
    ]
}

pub(crate) static TURN_SPRING_TABLE: Table = Table {
    name: "a torsion spring",
    doc: "A spring and damper on an angle, integrated implicitly.",
    keys: &spring_keys(AngularStiffness, AngularDamping, Angle),
};

pub(crate) static WAY_SPRING_TABLE: Table = Table {
    name: "a spring",
    doc: "A spring and damper on a displacement or distance, integrated implicitly.",
    keys: &spring_keys(Stiffness, Damping, Length),
};
