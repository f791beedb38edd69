//! Keys of phases.

use super::SETTINGS;
use super::motion::MOTION;
use crate::scene::key::{Form, Table, optional, required};
use crate::scene::units::Quantity::{AngularSpeed, Force, Length, Speed, Time, Torque};

pub(crate) static PHASE: Table = Table {
    name: "a phase",
    doc: "A part of the run. Phases follow each other in the order of the file.",
    keys: &[
        optional("name", Form::Text, "its number", "For messages and charts."),
        optional(
            "until",
            Form::Table(&UNTIL),
            "the end of the run",
            "When it ends: as soon as one of the conditions holds.",
        ),
        optional(
            "at_start",
            Form::List(&Form::Table(&ACTION)),
            "nothing",
            "What happens when it begins, in order.",
        ),
    ],
};

pub(crate) static UNTIL: Table = Table {
    name: "until",
    doc: "When a phase ends: as soon as one of these holds.",
    keys: &[
        optional(
            "time",
            Form::Number(Time),
            "never",
            "Simulated time since the phase began.",
        ),
        optional(
            "steps",
            Form::Integer,
            "never",
            "Steps since the phase began.",
        ),
        optional(
            "rest",
            Form::Table(&REST),
            "never",
            "All bodies are at rest.",
        ),
    ],
};

pub(crate) static REST: Table = Table {
    name: "rest",
    doc: "When bodies count as being at rest.",
    keys: &[
        required(
            "speed",
            Form::Number(Speed),
            "No centre of mass is faster than this.",
        ),
        optional("for", Form::Number(Time), "0", "For how long on end."),
    ],
};

pub(crate) static ACTION: Table = Table {
    name: "an action",
    doc: "What happens when a phase begins. Bodies are meant by name, all of a name at once.",
    keys: &[
        optional("remove", Form::Text, "", "Takes bodies out."),
        optional(
            "add",
            Form::Either(&[Form::Text, Form::Table(&ADD)]),
            "",
            "Puts bodies in that are not there before.",
        ),
        optional(
            "motion",
            Form::Table(&BODY_MOTION),
            "",
            "Gives fixed or prescribed bodies a motion, from where they are.",
        ),
        optional(
            "stop",
            Form::Text,
            "",
            "Ends a motion: the bodies stay where they are.",
        ),
        optional(
            "load",
            Form::Table(&BODY_LOAD),
            "",
            "Sets a constant load on each of the bodies; without force and torque it ends.",
        ),
        optional(
            "velocity",
            Form::Table(&BODY_VELOCITY),
            "",
            "Sets the velocity of dynamic bodies.",
        ),
        optional("release", Form::Text, "", "Lets joints go."),
        optional(
            "hold",
            Form::Text,
            "",
            "Has joints hold again, as they were.",
        ),
        optional(
            "motor",
            Form::Table(&JOINT_MOTOR),
            "",
            "Gives joints another motor, or none.",
        ),
        optional(
            "settings",
            Form::Table(&SETTINGS),
            "",
            "Changes settings; all but `duration`.",
        ),
    ],
};

pub(crate) static JOINT_MOTOR: Table = Table {
    name: "a motor of joints",
    doc: "Gives joints another motor, whose time begins now.",
    keys: &[
        required("joint", Form::Text, "Name of the joints."),
        optional(
            "motor",
            Form::Either(&[
                Form::Variants(&super::joint::TURNING),
                Form::Variants(&super::joint::PUSHING),
            ]),
            "none: it stops",
            "The motor: one that turns for revolute joints, else one that pushes.",
        ),
    ],
};

pub(crate) static ADD: Table = Table {
    name: "add",
    doc: "Puts bodies in, on top of others.",
    keys: &[
        required("body", Form::Text, "Name of the bodies."),
        optional(
            "above",
            Form::Text,
            "where the scene says",
            "Moves them along z until the lowest of them is above the highest of these bodies.",
        ),
        optional("gap", Form::Number(Length), "0", "By how much above."),
    ],
};

pub(crate) static BODY_MOTION: Table = Table {
    name: "a motion of bodies",
    doc: "Gives bodies a motion.",
    keys: &[
        required("body", Form::Text, "Name of the bodies."),
        required(
            "motion",
            Form::Variants(&MOTION),
            "How they move, from where they are.",
        ),
    ],
};

pub(crate) static BODY_LOAD: Table = Table {
    name: "a load on bodies",
    doc: "Sets a constant load.",
    keys: &[
        required("body", Form::Text, "Name of the bodies."),
        optional(
            "force",
            Form::Vector(Force),
            "[0, 0, 0]",
            "Force at the centre of mass of each.",
        ),
        optional(
            "torque",
            Form::Vector(Torque),
            "[0, 0, 0]",
            "Torque on each.",
        ),
    ],
};

pub(crate) static BODY_VELOCITY: Table = Table {
    name: "a velocity of bodies",
    doc: "Sets velocities.",
    keys: &[
        required("body", Form::Text, "Name of the bodies."),
        optional(
            "velocity",
            Form::Vector(Speed),
            "[0, 0, 0]",
            "Velocity of the centre of mass of each, world axes.",
        ),
        optional(
            "angular_velocity",
            Form::Vector(AngularSpeed),
            "[0, 0, 0]",
            "Angular velocity of each, world axes.",
        ),
    ],
};
