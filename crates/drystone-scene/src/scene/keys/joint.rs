//! Keys of joints, motors and springs.

use crate::scene::key::{Form, Key, Table, Variants, optional, required};
use crate::scene::units::Quantity::{
    self, Angle, AngularDamping, AngularSpeed, AngularStiffness, Compliance, Damping, Force,
    Length, Number, Speed, Stiffness, Time, Torque,
};

const NAME: Key = optional(
    "name",
    Form::Text,
    "\"joint\"",
    "By which the rest of the scene refers to it. Joints of one name are told apart by a number.",
);
const BODIES: Key = required(
    "bodies",
    Form::List(&Form::Text),
    "The two bodies: names, with an index where the name is that of several, as in \"link[3]\" or \"link[index + 1]\"; or \"world\".",
);
const AT: Key = optional(
    "at",
    Form::Vector(Length),
    "[0, 0, 0]",
    "Where the joint is, world coordinates at the start.",
);
const FROM: Key = required(
    "from",
    Form::Vector(Length),
    "Its point on the first body, world coordinates at the start.",
);
const TO: Key = required("to", Form::Vector(Length), "Its point on the second body.");
const AXIS: Key = optional(
    "axis",
    Form::Vector(Number),
    "[0, 0, 1]",
    "Its axis, a world direction at the start.",
);
const SECOND_AXIS: Key = required(
    "second_axis",
    Form::Vector(Number),
    "Axis on the second body, perpendicular to `axis`.",
);
const COLLIDE: Key = optional(
    "collide",
    Form::Flag,
    "false",
    "Whether its two bodies collide with each other.",
);
const COMPLIANCE: Key = optional(
    "compliance",
    Form::Number(Compliance),
    "0",
    "How far it gives way under its forces, and by how many rad for each N m. Joints that hold each other need a little.",
);
const REPEAT: Key = optional(
    "repeat",
    Form::Integer,
    "1",
    "Makes so many of it. Numbers and indices may then use the running number `index`, from 0.",
);
const TURN_LIMITS: Key = optional(
    "limits",
    Form::List(&Form::Number(Angle)),
    "none",
    "Smallest and largest angle; it is 0 at the start.",
);
const WAY_LIMITS: Key = optional(
    "limits",
    Form::List(&Form::Number(Length)),
    "none",
    "Smallest and largest displacement along the axis; it is 0 at the start.",
);
const TURN_MOTOR: Key = optional("motor", Form::Variants(&TURNING), "none", "What turns it.");
const WAY_MOTOR: Key = optional("motor", Form::Variants(&PUSHING), "none", "What moves it.");
const TURN_SPRING: Key = optional(
    "spring",
    Form::Table(&TURN_SPRING_TABLE),
    "none",
    "A spring and damper on its angle.",
);
const WAY_SPRING: Key = optional(
    "spring",
    Form::Table(&WAY_SPRING_TABLE),
    "none",
    "A spring and damper on its displacement or length.",
);

pub(crate) static JOINT: Variants = Variants {
    name: "a joint",
    doc: "What holds two bodies together. Its equations are on the page on joints.",
    types: &[
        Table {
            name: "spherical",
            doc: "The bodies turn about a point.",
            keys: &[NAME, BODIES, AT, COMPLIANCE, COLLIDE, REPEAT],
        },
        Table {
            name: "revolute",
            doc: "The bodies turn about an axis.",
            keys: &[
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
            ],
        },
        Table {
            name: "prismatic",
            doc: "The bodies slide along an axis and do not turn.",
            keys: &[
                NAME, BODIES, AT, AXIS, WAY_LIMITS, WAY_MOTOR, WAY_SPRING, COMPLIANCE, COLLIDE,
                REPEAT,
            ],
        },
        Table {
            name: "cylindrical",
            doc: "The bodies slide along an axis and turn about it.",
            keys: &[
                NAME, BODIES, AT, AXIS, WAY_LIMITS, WAY_MOTOR, WAY_SPRING, COMPLIANCE, COLLIDE,
                REPEAT,
            ],
        },
        Table {
            name: "universal",
            doc: "The first body's axis and the second body's stay perpendicular and meet: a Cardan joint.",
            keys: &[
                NAME,
                BODIES,
                AT,
                AXIS,
                SECOND_AXIS,
                COMPLIANCE,
                COLLIDE,
                REPEAT,
            ],
        },
        Table {
            name: "fixed",
            doc: "The bodies move as one.",
            keys: &[NAME, BODIES, AT, COMPLIANCE, COLLIDE, REPEAT],
        },
        Table {
            name: "distance",
            doc: "Two points keep their distance: a rod without mass.",
            keys: &[
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
            ],
        },
        Table {
            name: "link",
            doc: "Holds nothing by itself; limits, motor and spring act on the distance of two points: ropes, springs, cylinders.",
            keys: &[
                NAME,
                BODIES,
                FROM,
                TO,
                optional(
                    "limits",
                    Form::List(&Form::Number(Length)),
                    "none",
                    "Smallest and largest distance: a rope has a largest one.",
                ),
                WAY_MOTOR,
                WAY_SPRING,
                COMPLIANCE,
                COLLIDE,
                REPEAT,
            ],
        },
        Table {
            name: "point-on-line",
            doc: "A point of the second body stays on a line of the first.",
            keys: &[NAME, BODIES, AT, AXIS, COMPLIANCE, COLLIDE, REPEAT],
        },
        Table {
            name: "point-on-plane",
            doc: "A point of the second body stays on a plane of the first; `axis` is its normal.",
            keys: &[NAME, BODIES, AT, AXIS, COMPLIANCE, COLLIDE, REPEAT],
        },
        Table {
            name: "gear",
            doc: "Two bodies turn together, each about its own axis. Angles are against the world, so their bearings must not turn.",
            keys: &[
                NAME,
                BODIES,
                AXIS,
                optional(
                    "second_axis",
                    Form::Vector(Number),
                    "the first",
                    "Axis of the second body, a world direction at the start.",
                ),
                required(
                    "ratio",
                    Form::Number(Number),
                    "Angle of the second body for each of the first; negative for wheels that mesh from outside.",
                ),
                COMPLIANCE,
                COLLIDE,
                REPEAT,
            ],
        },
        Table {
            name: "rack",
            doc: "The second body moves along `second_axis` as the first turns about `axis`, against the world.",
            keys: &[
                NAME,
                BODIES,
                AT,
                AXIS,
                SECOND_AXIS,
                required(
                    "radius",
                    Form::Number(Length),
                    "Way of the second body for each radian of the first; may be negative.",
                ),
                COMPLIANCE,
                COLLIDE,
                REPEAT,
            ],
        },
    ],
};

/// Keys of one kind of motor: what it is told, and for some the largest force to get there.
macro_rules! motor {
    ($name:literal, $doc:literal, $value:expr $(, $limit:expr)?) => {
        Table {
            name: $name,
            doc: $doc,
            keys: &[
                optional(
                    "value",
                    Form::Function($value, &["t"]),
                    "from `times` and `values`",
                    "What it is told: a number, or an expression of the time `t` in s since it began.",
                ),
                optional(
                    "times",
                    Form::List(&Form::Number(Time)),
                    "from `value`",
                    "Times since it began, ascending, for a table in place of `value`.",
                ),
                optional(
                    "values",
                    Form::List(&Form::Number($value)),
                    "from `value`",
                    "What it is told at each of the times; straight in between.",
                ),
                $(optional(
                    "max_force",
                    Form::Number($limit),
                    "any",
                    "Largest force, or torque, that it exerts to get there.",
                ),)?
            ],
        }
    };
}

pub(crate) static TURNING: Variants = Variants {
    name: "a motor that turns",
    doc: "Drives the angle of a revolute joint: the second body against the first.",
    types: &[
        motor!("speed", "Keeps an angular speed.", AngularSpeed, Torque),
        motor!("position", "Keeps an angle.", Angle, Torque),
        motor!("torque", "Exerts a torque.", Torque),
    ],
};

pub(crate) static PUSHING: Variants = Variants {
    name: "a motor that pushes",
    doc: "Drives a displacement or a distance: the second body against the first.",
    types: &[
        motor!("speed", "Keeps a speed.", Speed, Force),
        motor!(
            "position",
            "Keeps a displacement or a distance.",
            Length,
            Force
        ),
        motor!("force", "Exerts a force.", Force),
    ],
};

/// The forms of the two kinds.
pub(crate) static TURNING_FORM: Form = Form::Variants(&TURNING);
pub(crate) static PUSHING_FORM: Form = Form::Variants(&PUSHING);

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
            "Where it exerts no force.",
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
