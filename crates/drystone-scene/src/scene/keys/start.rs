//! Keys of the start from another run.

use crate::scene::key::{Form, Table, optional, required};
use crate::scene::units::Quantity;

pub(crate) static START: Table = Table {
    name: "start",
    doc: "Another run that the scene starts from. Bodies of the same name and shape begin where \
          that run left them; bodies that only the scene has are added, those that only the run \
          has are dropped. A fill whose name the run knows takes its grains from there. Without \
          `time` and `phase`, the last state counts.",
    keys: &[
        required("from", Form::File, "Folder of the run, or its frames.dry."),
        optional(
            "time",
            Form::Number(Quantity::Time),
            "the last state",
            "Simulated time of that run: the recorded frame nearest to it counts.",
        ),
        optional(
            "phase",
            Form::Text,
            "the last state",
            "Name of a phase of that run: its end counts.",
        ),
        optional(
            "drop",
            Form::List(&Form::Text),
            "none",
            "Names of bodies that are not taken from the run. Where the scene has bodies of such a \
             name, they begin as the scene says.",
        ),
    ],
};
