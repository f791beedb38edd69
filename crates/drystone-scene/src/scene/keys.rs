//! Every key of a scene.

mod body;
mod fill;
mod joint;
mod motion;
mod phase;
mod robot;
mod shape;
mod track;

pub(crate) use body::{AXIS_ANGLE, QUATERNION};
use body::{BODY, CONTAINER};
use fill::FILL;
use joint::JOINT;
pub(crate) use joint::{PUSHING_FORM, TURNING_FORM};
pub(crate) use phase::ADD;
use phase::PHASE;
use robot::ROBOT;
use track::TRACK;

use drystone::Method;

use super::key::{Form, Key, Table, optional, required};
use super::units::Quantity;

/// The whole file.
pub(crate) static SCENE: Table = Table {
    name: "the scene",
    doc: "Keys at the top of the file, before the first table.",
    keys: &[
        optional(
            "title",
            Form::Text,
            "the file's name",
            "One line, for lists.",
        ),
        optional(
            "description",
            Form::Text,
            "none",
            "What the scene shows, in a few lines.",
        ),
        optional(
            "parameters",
            Form::Parameters,
            "none",
            "Names for numbers, used in expressions. A parameter may use those above it.",
        ),
        optional(
            "settings",
            Form::Table(&SETTINGS),
            "all defaults",
            "Time, gravity, solver.",
        ),
        optional(
            "material",
            Form::List(&Form::Table(&MATERIAL)),
            "none",
            "Surfaces.",
        ),
        optional(
            "pair",
            Form::List(&Form::Table(&PAIR)),
            "none",
            "How two materials act on each other.",
        ),
        optional(
            "body",
            Form::List(&Form::Table(&BODY)),
            "none",
            "Single bodies and regular arrays of them.",
        ),
        optional(
            "container",
            Form::List(&Form::Table(&CONTAINER)),
            "none",
            "Boxes, cylinders and funnels made of walls.",
        ),
        optional(
            "fill",
            Form::List(&Form::Table(&FILL)),
            "none",
            "Many grains at once.",
        ),
        optional(
            "robot",
            Form::List(&Form::Table(&ROBOT)),
            "none",
            "Robots and vehicles from URDF files.",
        ),
        optional(
            "joint",
            Form::List(&Form::Variants(&JOINT)),
            "none",
            "What holds bodies together and drives them.",
        ),
        optional(
            "track",
            Form::List(&Form::Table(&TRACK)),
            "none",
            "Crawler tracks.",
        ),
        optional(
            "phase",
            Form::List(&Form::Table(&PHASE)),
            "one phase without changes",
            "What happens in which order.",
        ),
        optional(
            "recording",
            Form::Table(&RECORDING),
            "all defaults",
            "What is written down.",
        ),
        optional(
            "view",
            Form::Table(&VIEW),
            "all defaults",
            "How pictures of it are made.",
        ),
    ],
};

pub(crate) static SETTINGS: Table = Table {
    name: "settings",
    doc: "Time, gravity and the solver.",
    keys: &[
        optional(
            "duration",
            Form::Number(Quantity::Time),
            "the phases decide",
            "Simulated time after which the run ends, whatever the phases.",
        ),
        optional(
            "time_step",
            Form::Number(Quantity::Time),
            "0.005",
            "Length of a step.",
        ),
        optional(
            "gravity",
            Form::Vector(Quantity::Acceleration),
            "[0, 0, -9.81]",
            "Acceleration of gravity.",
        ),
        optional(
            "tolerance",
            Form::Number(Quantity::Number),
            "1e-4",
            "Relative residual at which a step counts as solved.",
        ),
        optional(
            "max_iterations",
            Form::Integer,
            "5000",
            "Most iterations of the solver in a step.",
        ),
        optional("method", Form::Choice(methods), "\"auto\"", "The solver."),
        optional(
            "law",
            Form::Choice(laws),
            "\"relaxed\"",
            "The friction law: the convex relaxation or exact Coulomb friction.",
        ),
        optional(
            "envelope",
            Form::Number(Quantity::Length),
            "a fiftieth of the smallest half-thickness",
            "Surfaces closer than this are in the contact set even at rest.",
        ),
        optional(
            "recovery_speed",
            Form::Number(Quantity::Speed),
            "a fifth of the speed after falling the smallest half-thickness",
            "Fastest speed at which overlap is pushed apart.",
        ),
        optional(
            "compliance",
            Form::Number(Quantity::Number),
            "1e-9",
            "Compliance of contacts, as a share of each contact's own inverse mass.",
        ),
        optional(
            "bounce_threshold",
            Form::Number(Quantity::Speed),
            "what gravity adds in two steps",
            "Speed of approach below which surfaces do not bounce.",
        ),
        optional(
            "warm_start",
            Form::Flag,
            "true",
            "Start each step from the impulses of the last one; `false` for zero.",
        ),
        optional(
            "periodic",
            Form::Table(&PERIODIC),
            "nothing repeats",
            "Directions in which the scene repeats itself: what leaves on one side is there again on the other.",
        ),
        optional(
            "sleeping",
            Form::Either(&[Form::Flag, Form::Table(&SLEEPING)]),
            "false",
            "Take resting bodies out of the problem until something touches them; `true` for the default limits.",
        ),
    ],
};

pub(crate) static PERIODIC: Table = Table {
    name: "periodic",
    doc: "Where the scene repeats itself. Bodies that reach over half the domain or more have no images there: let floors and walls \
          reach across it.",
    keys: &[
        optional(
            "x",
            Form::List(&Form::Number(Quantity::Length)),
            "does not repeat",
            "Lower and upper end along x.",
        ),
        optional(
            "y",
            Form::List(&Form::Number(Quantity::Length)),
            "does not repeat",
            "Lower and upper end along y.",
        ),
        optional(
            "z",
            Form::List(&Form::Number(Quantity::Length)),
            "does not repeat",
            "Lower and upper end along z.",
        ),
    ],
};

pub(crate) static SLEEPING: Table = Table {
    name: "sleeping",
    doc: "When bodies fall asleep.",
    keys: &[
        optional(
            "speed",
            Form::Number(Quantity::Speed),
            "0.01",
            "A body slower than this everywhere may sleep.",
        ),
        optional(
            "after",
            Form::Number(Quantity::Time),
            "0.5",
            "For how long all bodies that touch each other must have been slow.",
        ),
    ],
};

pub(crate) static MATERIAL: Table = Table {
    name: "a material",
    doc: "A surface, with defaults for the bodies that have it. A material called `default` is that of bodies without one.",
    keys: &[
        required("name", Form::Text, "By which bodies and pairs refer to it."),
        optional(
            "friction",
            Form::Number(Quantity::Number),
            "0.5",
            "Coefficient of sliding friction, >= 0. Between two materials the smaller one counts, unless a pair says otherwise.",
        ),
        ROLLING_FRICTION,
        SPINNING_FRICTION,
        COHESION,
        COHESION_RANGE,
        COMPLIANCE,
        RESTITUTION,
        optional(
            "density",
            Form::Number(Quantity::Density),
            "1000",
            "Density of its bodies that give neither `mass` nor `density`.",
        ),
        optional(
            "color",
            Form::Color,
            "chosen by the picture",
            "Colour of its bodies that give none.",
        ),
    ],
};

pub(crate) static PAIR: Table = Table {
    name: "a pair",
    doc: "How two materials act on each other. What is left out follows from their own figures.",
    keys: &[
        required(
            "materials",
            Form::List(&Form::Text),
            "Names of the two materials.",
        ),
        optional(
            "friction",
            Form::Number(Quantity::Number),
            "the smaller of the two",
            "Coefficient of sliding friction between them, >= 0.",
        ),
        ROLLING_FRICTION,
        SPINNING_FRICTION,
        COHESION,
        COHESION_RANGE,
        COMPLIANCE,
        RESTITUTION,
    ],
};

const ROLLING_FRICTION: Key = optional(
    "rolling_friction",
    Form::Number(Quantity::Length),
    "0; of a pair the smaller",
    "Largest torque against rolling for each newton of normal force.",
);
const SPINNING_FRICTION: Key = optional(
    "spinning_friction",
    Form::Number(Quantity::Length),
    "0; of a pair the smaller",
    "Largest torque about the normal for each newton of normal force.",
);
const COHESION: Key = optional(
    "cohesion",
    Form::Number(Quantity::Force),
    "0; of a pair the smaller",
    "Largest force that pulls surfaces together, at each contact point.",
);
const COHESION_RANGE: Key = optional(
    "cohesion_range",
    Form::Number(Quantity::Length),
    "the envelope; of a pair the smaller",
    "Gap up to which cohesion acts.",
);
const COMPLIANCE: Key = optional(
    "compliance",
    Form::Number(Quantity::Compliance),
    "0; of a pair the sum",
    "How far a contact gives way along its normal for each newton.",
);
const RESTITUTION: Key = optional(
    "restitution",
    Form::Number(Quantity::Number),
    "0; of a pair the smaller",
    "Share of the speed of approach with which surfaces part after a collision, from 0 to 1.",
);

pub(crate) static RECORDING: Table = Table {
    name: "recording",
    doc: "What is written down while the scene runs.",
    keys: &[
        optional(
            "every",
            Form::Number(Quantity::Time),
            "1/50",
            "Simulated time between frames.",
        ),
        optional(
            "frames_per_second",
            Form::Number(Quantity::Frequency),
            "50",
            "The same as a rate; not together with `every`.",
        ),
        optional(
            "contacts",
            Form::Flag,
            "false",
            "Whether contacts and their forces are in each frame.",
        ),
        optional(
            "precision",
            Form::Choice(precisions),
            "\"single\"",
            "Of positions in frames; checkpoints are exact in any case.",
        ),
        optional(
            "forces",
            Form::List(&Form::Table(&FORCE)),
            "none",
            "Forces between groups of bodies, a column each in the table of forces, every step.",
        ),
        optional(
            "joints",
            Form::List(&Form::Text),
            "none",
            "Names of joints whose coordinates, speeds and forces go to the table of joints, every step.",
        ),
    ],
};

pub(crate) static FORCE: Table = Table {
    name: "a force recorder",
    doc: "The sum of the contact forces that the bodies of one name exert on those of another.",
    keys: &[
        optional("name", Form::Text, "BY on ON", "Heading of its columns."),
        required("by", Form::Text, "Name of the bodies that push."),
        required("on", Form::Text, "Name of the bodies that are pushed."),
    ],
};

pub(crate) static VIEW: Table = Table {
    name: "view",
    doc: "Defaults for `drystone render` and the page; their flags go before.",
    keys: &[
        optional(
            "camera",
            Form::Text,
            "the whole scene from the front right",
            "The camera, as in `drystone render --camera`.",
        ),
        optional(
            "color_by",
            Form::Text,
            "the bodies' own colours",
            "Quantity shown by colour, as in `drystone render --color-by`.",
        ),
        optional(
            "clip",
            Form::Text,
            "none",
            "Plane that cuts the scene open, as in `drystone render --clip`.",
        ),
    ],
};

fn methods() -> Vec<&'static str> {
    Method::ALL.map(Method::name).to_vec()
}

fn laws() -> Vec<&'static str> {
    vec!["relaxed", "exact"]
}

fn precisions() -> Vec<&'static str> {
    vec!["single", "double"]
}
