//! Keys of phases.

use super::SETTINGS;
use super::joint::{PushingMotor, TurningMotor};
use super::motion::MotionType;
use crate::named::{Named, named};
use crate::scene::key::{Form, Key, Table, TableType, optional, required};
use crate::scene::units::Quantity::{AngularSpeed, Force, Length, Speed, Time, Torque};

pub(crate) static PHASE: Table = Table {
    name: "a phase",
    doc: "A part of the run. Phases follow each other in the order of the file.",
    keys: &[
        optional(
            "name",
            Form::Text,
            "its number",
            "Name of the phase in messages and charts.",
        ),
        optional(
            "until",
            Form::Table(&UNTIL),
            "the end of the run",
            "When the phase ends: as soon as one of the conditions holds.",
        ),
        optional(
            "at_start",
            Form::List(&Form::Table(&ACTION)),
            "nothing",
            "What happens when the phase begins, in the order of the list.",
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
        optional(
            "for",
            Form::Number(Time),
            "0",
            "How long they must have been so slow without a break.",
        ),
    ],
};

named! {
    /// What happens when a phase begins: one key for each action, in the order in which the
    /// actions of one table take effect.
    pub(crate) enum ActionKey {
        Remove = "remove",
        Add = "add",
        Stop = "stop",
        Motion = "motion",
        Load = "load",
        Velocity = "velocity",
        Release = "release",
        Hold = "hold",
        Motor = "motor",
        Settings = "settings",
    }
}

impl ActionKey {
    const fn key(self) -> Key {
        match self {
            Self::Remove => optional(
                "remove",
                Form::Text,
                "",
                "Takes the bodies of this name out of the scene.",
            ),
            Self::Add => optional(
                "add",
                Form::Either(&ADD_FORMS),
                "",
                "Puts in bodies that are not there before.",
            ),
            Self::Stop => optional(
                "stop",
                Form::Text,
                "",
                "Ends the motion of bodies: they stay where they are.",
            ),
            Self::Motion => optional(
                "motion",
                Form::Table(&BODY_MOTION),
                "",
                "Gives fixed or prescribed bodies a motion that begins where they are.",
            ),
            Self::Load => optional(
                "load",
                Form::Table(&BODY_LOAD),
                "",
                "Sets a constant load on each of the bodies. Without force and torque the load \
                 ends.",
            ),
            Self::Velocity => optional(
                "velocity",
                Form::Table(&BODY_VELOCITY),
                "",
                "Sets the velocity of dynamic bodies.",
            ),
            Self::Release => optional(
                "release",
                Form::Text,
                "",
                "Releases the joints of this name: they hold no longer.",
            ),
            Self::Hold => optional(
                "hold",
                Form::Text,
                "",
                "Makes the joints of this name hold again, as before their release.",
            ),
            Self::Motor => optional(
                "motor",
                Form::Table(&JOINT_MOTOR),
                "",
                "Gives joints another motor, or takes their motor away.",
            ),
            Self::Settings => optional(
                "settings",
                Form::Table(&SETTINGS),
                "",
                "Changes settings from this phase on: all but `duration`.",
            ),
        }
    }
}

const ACTIONS: usize = ActionKey::ALL.len();

const ACTION_KEYS: [Key; ACTIONS] = {
    let mut keys = [ActionKey::Remove.key(); ACTIONS];
    let mut next = 0;
    while next < ACTIONS {
        keys[next] = ActionKey::ALL[next].key();
        next += 1;
    }
    keys
};

pub(crate) static ACTION: Table = Table {
    name: "an action",
    doc: "What happens when a phase begins. A name means all bodies, or all joints, that have \
          it. Where one table holds several actions, they take effect in the order of this list.",
    keys: &ACTION_KEYS,
};

pub(crate) static JOINT_MOTOR: Table = Table {
    name: "a motor of joints",
    doc: "Gives joints another motor, whose time begins with the phase.",
    keys: &[
        required("joint", Form::Text, "Name of the joints."),
        optional(
            "motor",
            Form::Either(&[
                Form::Variants(TurningMotor::VARIANTS),
                Form::Variants(PushingMotor::VARIANTS),
            ]),
            "none: the motor stops",
            "The motor: one that turns for revolute joints, one that pushes for all others.",
        ),
    ],
};

static ADD_FORMS: [Form; 2] = [Form::Text, Form::Table(&ADD)];

pub(crate) static ADD: Table = Table {
    name: "add",
    doc: "Puts bodies in, if wanted on top of others.",
    keys: &[
        required("body", Form::Text, "Name of the bodies."),
        optional(
            "above",
            Form::Text,
            "where the scene says",
            "Name of other bodies. The new ones are moved along z until their lowest point is \
             above the highest point of these.",
        ),
        optional("gap", Form::Number(Length), "0", "Gap between the two."),
    ],
};

pub(crate) static BODY_MOTION: Table = Table {
    name: "a motion of bodies",
    doc: "Gives fixed or prescribed bodies a motion.",
    keys: &[
        required("body", Form::Text, "Name of the bodies."),
        required(
            "motion",
            Form::Variants(MotionType::VARIANTS),
            "How the bodies move, from where they are.",
        ),
    ],
};

pub(crate) static BODY_LOAD: Table = Table {
    name: "a load on bodies",
    doc: "Sets a constant load on bodies.",
    keys: &[
        required("body", Form::Text, "Name of the bodies."),
        optional(
            "force",
            Form::Vector(Force),
            "[0, 0, 0]",
            "Force on each of the bodies, at its centre of mass.",
        ),
        optional(
            "torque",
            Form::Vector(Torque),
            "[0, 0, 0]",
            "Torque on each of the bodies.",
        ),
    ],
};

pub(crate) static BODY_VELOCITY: Table = Table {
    name: "a velocity of bodies",
    doc: "Sets the velocity of dynamic bodies.",
    keys: &[
        required("body", Form::Text, "Name of the bodies."),
        optional(
            "velocity",
            Form::Vector(Speed),
            "[0, 0, 0]",
            "Velocity of the centre of mass of each, in world axes.",
        ),
        optional(
            "angular_velocity",
            Form::Vector(AngularSpeed),
            "[0, 0, 0]",
            "Angular velocity of each, in world axes.",
        ),
    ],
};
