//! Keys of what is recorded and how it is shown.

use crate::named::{Named, named};
use crate::scene::key::{Form, Table, optional, required};
use crate::scene::model::{Precision, ProblemFormat, ProblemWhen};
use crate::scene::units::Quantity;

pub(crate) static RECORDING: Table = Table {
    name: "recording",
    doc: "What a run writes to its files.",
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
            "Frames in one second of simulated time; not together with `every`.",
        ),
        optional(
            "contacts",
            Form::Flag,
            "false",
            "Whether contacts and their forces are in each frame.",
        ),
        optional(
            "precision",
            Form::Choice(Precision::names),
            "\"single\"",
            "Precision of the positions in frames. Checkpoints are always exact.",
        ),
        optional(
            "forces",
            Form::List(&Form::Table(&FORCE)),
            "none",
            "Forces between groups of bodies, written to the table of forces at every step.",
        ),
        optional(
            "joints",
            Form::List(&Form::Text),
            "none",
            "Names of joints whose coordinates, speeds and forces are written to the table of \
             joints at every step.",
        ),
        optional(
            "problems",
            Form::Table(&PROBLEMS),
            "none",
            "Cone problems of steps, written to the folder `problems` of the run: for `solve` and \
             `compare`.",
        ),
    ],
};

pub(crate) static PROBLEMS: Table = Table {
    name: "recorded problems",
    doc: "Which cone problems are kept, with the impulses that the step started from: those of \
          every so many steps, those of steps that did not converge, or both.",
    keys: &[
        optional(
            "every",
            Form::Integer,
            "none by number",
            "Those of the steps whose number is a multiple of this.",
        ),
        optional(
            "when",
            Form::Choice(ProblemWhen::names),
            "whether or not a step converges",
            "\"unconverged\": those of steps that did not reach the tolerance.",
        ),
        optional(
            "format",
            Form::Choice(ProblemFormat::names),
            "\"ccp\"",
            "\"ccp\" holds any problem to the bit; \"fclib\" is an HDF5 file that other codes read, \
             for problems of sliding friction, rolling friction and joints without limits.",
        ),
        optional(
            "most",
            Form::Integer,
            "100",
            "Largest number of files; further problems are counted, not written.",
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
    doc: "How pictures of the scene are made, unless whoever draws them asks for something else.",
    keys: &[
        optional(
            "camera",
            Form::Text,
            "the whole scene from the front right",
            "The camera: pieces with commas between, as in \"iso\" or \
             \"azimuth=30,elevation=20,zoom=1.2\". A piece is a view (front, side, back, top, \
             iso, default), the word orthographic, or KEY=VALUE with azimuth, elevation and fov \
             in degrees, distance in m, zoom, or target=X:Y:Z in m. Later pieces go before \
             earlier ones.",
        ),
        optional(
            "color_by",
            Form::Text,
            "the bodies' own colours",
            "What the colours of bodies show: speed, force, size or material.",
        ),
        optional(
            "clip",
            Form::Text,
            "none",
            "What is cut away: an axis, < or >, and a length in m, as in \"y>0\"; several with \
             commas between.",
        ),
    ],
};

named! {
    impl Precision {
        Single = "single",
        Double = "double",
    }
}

named! {
    impl ProblemWhen {
        Unconverged = "unconverged",
    }
}

named! {
    impl ProblemFormat {
        Ccp = "ccp",
        Fclib = "fclib",
    }
}
