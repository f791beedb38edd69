//! Every key of a scene.

mod body;
mod fill;
mod joint;
mod motion;
mod output;
mod phase;
mod robot;
mod shape;
mod start;
mod track;

pub(crate) use body::{AXIS_ANGLE, ContainerType, QUATERNION, Side};
use body::{BODY, CONTAINER};
use fill::FILL;
pub(crate) use fill::{AmountKey, ArrangementName, OrientationName, RegionType, SizesType};
pub(crate) use joint::{JointType, PushingMotor, TurningMotor};
pub(crate) use motion::MotionType;
use output::{RECORDING, VIEW};
use phase::PHASE;
pub(crate) use phase::{ADD, ActionKey};
use robot::ROBOT;
pub(crate) use shape::ShapeType;
use start::START;
use track::TRACK;

use drystone::{Law, Method};

use super::key::{Form, Key, Table, TableType, optional, required};
use super::units::Quantity;
use crate::named::{Named, named};

/// The whole file.
pub(crate) static SCENE: Table = Table {
    name: "the scene",
    doc: "Keys at the top of the file, before the first table.",
    keys: &[
        optional(
            "title",
            Form::Text,
            "the file's name",
            "What the scene is called, in one line.",
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
            "start",
            Form::Table(&START),
            "as the scene places its bodies",
            "Another run whose state the scene starts from.",
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
            "What bodies are made of: friction, density, colour.",
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
            "Many grains at once, in a region.",
        ),
        optional(
            "robot",
            Form::List(&Form::Table(&ROBOT)),
            "none",
            "Robots and vehicles from URDF files.",
        ),
        optional(
            "joint",
            Form::List(&Form::Variants(JointType::VARIANTS)),
            "none",
            "Joints that hold bodies together, with their motors and springs.",
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
            "Parts of the run that follow each other.",
        ),
        optional(
            "recording",
            Form::Table(&RECORDING),
            "all defaults",
            "What a run writes to its files.",
        ),
        optional(
            "view",
            Form::Table(&VIEW),
            "all defaults",
            "How pictures of the scene are made.",
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
            "the last phase ends the run",
            "Simulated time after which the run ends, in whatever phase it is.",
        ),
        optional(
            "time_step",
            Form::Number(Quantity::Time),
            "0.005",
            "Simulated time that one step covers.",
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
            "Relative residual of the cone problem at which a step counts as solved.",
        ),
        optional(
            "max_iterations",
            Form::Integer,
            "5000",
            "Largest number of iterations of one solve.",
        ),
        optional(
            "velocity_tolerance",
            Form::Number(Quantity::Speed),
            "none",
            "A step also counts as solved where no contact or joint is off by more than this speed, \
             however small the relative residual would have to be.",
        ),
        optional(
            "max_work",
            Form::Number(Quantity::Number),
            "20000, or 1.5e8 over the rows of the problem if that is more: about a second",
            "Most work of a step, in sweeps over its contacts: all its solves by any method, a \
             factorisation counted as the sweeps that take as long. The step then ends with the best \
             answer so far, and the run says so.",
        ),
        optional(
            "time_limit",
            Form::Number(Quantity::Time),
            "none",
            "Longest wall time for the solves of a step. With one, results depend on the clock.",
        ),
        optional(
            "method",
            Form::Either(&METHOD_FORMS),
            "\"auto\"",
            "The solver of the cone problem: its name, or a table with its name and its options.",
        ),
        optional(
            "law",
            Form::Choice(Law::names),
            "\"exact\" up to 200 bodies that move and 20 joints, \"relaxed\" beyond",
            "The friction law: \"exact\" is Coulomb's law as it stands, \"relaxed\" its convex \
             relaxation, which is cheaper in large piles and lifts what slides.",
        ),
        optional(
            "compare_laws",
            Form::Flag,
            "true",
            "Under the exact law: whether each step is solved under the relaxed law too, so that its \
             report can say what the relaxation would have changed. `false` saves that solve.",
        ),
        optional(
            "envelope",
            Form::Number(Quantity::Length),
            "1/50 of the smallest half-thickness of a body",
            "Two surfaces closer than this have a contact, even at rest.",
        ),
        optional(
            "recovery_speed",
            Form::Number(Quantity::Speed),
            "1/5 of the speed after a fall from the height of the smallest half-thickness",
            "Largest speed at which bodies that overlap are pushed apart.",
        ),
        optional(
            "rest_depth",
            Form::Number(Quantity::Length),
            "what the tolerance may leave in 32 steps",
            "Overlap that is left as it is.",
        ),
        optional(
            "joint_error",
            Form::Number(Quantity::Length),
            "the smallest half-thickness times ten times the tolerance (a share of at least 1e-5, at \
             most 1e-3; 1e-5 under the exact law)",
            "A step is solved again while a joint would be off by more, beyond what it yields. The \
             number holds for angles too, in rad.",
        ),
        optional(
            "compliance",
            Form::Number(Quantity::Number),
            "1e-9",
            "Compliance of all contacts, as a share of each contact's own inverse mass. A little \
             of it makes the contact forces unique.",
        ),
        optional(
            "bounce_threshold",
            Form::Number(Quantity::Speed),
            "the speed that gravity adds in two steps",
            "Surfaces that approach each other more slowly than this do not bounce.",
        ),
        optional(
            "warm_start",
            Form::Flag,
            "true",
            "Whether the solver of a step starts from the impulses of the step before, or from \
             zero.",
        ),
        optional(
            "periodic",
            Form::Table(&PERIODIC),
            "nothing repeats",
            "Directions in which the scene repeats itself: a body that leaves on one side enters \
             on the other.",
        ),
        optional(
            "sleeping",
            Form::Either(&[Form::Flag, Form::Table(&SLEEPING)]),
            "false",
            "Whether bodies at rest are taken out of the problem until something touches them. \
             `true` uses the default limits, a table sets them.",
        ),
    ],
};

static METHOD_FORMS: [Form; 2] = [METHOD_NAME, Form::MethodOptions];

/// A method by its name alone.
pub(crate) const METHOD_NAME: Form = Form::Choice(Method::names);

pub(crate) static PERIODIC: Table = Table {
    name: "periodic",
    doc: "Where the scene repeats itself. A body that spans half of the domain or more has no \
          images: let floors, walls and lids reach across the whole domain. A dynamic body must do \
          so, or be smaller than half of it.",
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
            "A body may sleep when none of its points is faster than this.",
        ),
        optional(
            "after",
            Form::Number(Quantity::Time),
            "0.5",
            "How long all bodies that touch each other must have been slow before they sleep.",
        ),
    ],
};

pub(crate) static MATERIAL: Table = Table {
    name: "a material",
    doc: "What bodies are made of: how their surfaces act on others, and defaults for density \
          and colour. A material called `default` is that of all bodies that name none.",
    keys: &[
        required(
            "name",
            Form::Text,
            "Name by which bodies and pairs refer to it.",
        ),
        optional(
            "friction",
            Form::Number(Quantity::Number),
            "0.5",
            "Coefficient of sliding friction, from 0 to 1e6. Between two materials the smaller one \
             counts, unless a pair says otherwise.",
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
            "Density of those of its bodies that give neither `mass` nor `density`.",
        ),
        optional(
            "color",
            Form::Color,
            "chosen by the picture",
            "Colour of those of its bodies that give none.",
        ),
    ],
};

pub(crate) static PAIR: Table = Table {
    name: "a pair",
    doc: "How two materials act on each other. A key that is left out follows from the two \
          materials.",
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
            "Coefficient of sliding friction between them, from 0 to 1e6.",
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
    "0; for a pair the smaller of the two",
    "Largest torque that resists rolling, for each newton of normal force.",
);
const SPINNING_FRICTION: Key = optional(
    "spinning_friction",
    Form::Number(Quantity::Length),
    "0; for a pair the smaller of the two",
    "Largest torque that resists spinning about the normal, for each newton of normal force.",
);
const COHESION: Key = optional(
    "cohesion",
    Form::Number(Quantity::Force),
    "0; for a pair the smaller of the two",
    "Largest force with which the surfaces pull each other together, at each contact point.",
);
const COHESION_RANGE: Key = optional(
    "cohesion_range",
    Form::Number(Quantity::Length),
    "the envelope; for a pair the smaller of the two",
    "Largest gap across which cohesion acts.",
);
const COMPLIANCE: Key = optional(
    "compliance",
    Form::Number(Quantity::Compliance),
    "0; for a pair the sum of the two",
    "How far a contact gives way along its normal for each newton of force.",
);
const RESTITUTION: Key = optional(
    "restitution",
    Form::Number(Quantity::Number),
    "0; for a pair the smaller of the two",
    "Speed of parting after a collision over the speed of approach, from 0 to 1.",
);

impl Named for Method {
    const ALL: &'static [Self] = &Method::ALL;

    fn name(self) -> &'static str {
        Method::name(self)
    }
}

named! {
    impl Law {
        Relaxed = "relaxed",
        Exact = "exact",
    }
}
