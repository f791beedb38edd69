//! Keys of robots.

use super::body::{ROTATION, looks};
use crate::scene::key::{Form, Table, optional, required};
use crate::scene::units::Quantity::Length;

pub(crate) static ROBOT: Table = Table {
    name: "a robot",
    doc: "A robot or vehicle from a URDF file; what is read of it is on the page on robots. The rest of the scene refers to its links and \
          joints as `NAME/LINK` and `NAME/JOINT`.",
    keys: &[
        required("file", Form::File, "The URDF file, relative to the scene."),
        optional(
            "name",
            Form::Text,
            "the robot's name in the file",
            "What the names of its bodies and joints begin with.",
        ),
        optional(
            "position",
            Form::Vector(Length),
            "[0, 0, 0]",
            "Where the origin of the root link's frame lies.",
        ),
        optional("rotation", ROTATION, "none", "How the root link is turned."),
        optional(
            "base",
            Form::Choice(bases),
            "\"fixed\"",
            "Whether the root link stays where it is or moves as forces will.",
        ),
        optional(
            "joints",
            Form::Parameters,
            "all at 0, or at the limit nearest to it",
            "Positions of joints at the start by their names in the file: angles of revolute and continuous joints (without a unit in \
             deg), displacements of prismatic ones (in m).",
        ),
        optional(
            "hold",
            Form::Flag,
            "false",
            "Whether motors keep the joints where they start, with the file's effort at most.",
        ),
        optional(
            "self_collisions",
            Form::Flag,
            "false",
            "Whether its links collide with each other; those that a joint connects never do.",
        ),
        optional(
            "material",
            Form::Text,
            "\"default\"",
            "Name of its material.",
        ),
        optional("look", Form::Choice(looks), "\"solid\"", "How it is drawn."),
        optional("color", Form::Color, "the material's", "Colour."),
    ],
};

fn bases() -> Vec<&'static str> {
    vec!["fixed", "free"]
}
