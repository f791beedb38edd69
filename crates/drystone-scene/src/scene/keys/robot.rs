//! Keys of robots.

use super::body::ROTATION;
use crate::named::{Named, named};
use crate::robot::Base;
use crate::scene::key::{Form, Table, optional, required};
use crate::scene::model::Opacity;
use crate::scene::units::Quantity::Length;

pub(crate) static ROBOT: Table = Table {
    name: "a robot",
    doc: "A robot or vehicle from a URDF file. The page on robots says what is read of the file. \
          The rest of the scene refers to links and joints as `NAME/LINK` and `NAME/JOINT`.",
    keys: &[
        required("file", Form::File, "The URDF file, relative to the scene."),
        optional(
            "name",
            Form::Text,
            "the robot's name in the file",
            "Name of the robot: the names of its bodies and joints begin with it.",
        ),
        optional(
            "position",
            Form::Vector(Length),
            "[0, 0, 0]",
            "Where the origin of the root link's frame lies.",
        ),
        optional("rotation", ROTATION, "none", "Rotation of the root link."),
        optional(
            "base",
            Form::Choice(Base::names),
            "\"fixed\"",
            "Whether the root link stays where it is (\"fixed\") or moves under forces (\"free\").",
        ),
        optional(
            "joints",
            Form::Parameters,
            "all at 0, or at the limit nearest to it",
            "Positions of joints at the start, by their names in the file: angles of revolute \
             and continuous joints (in deg where no unit is given), displacements of prismatic \
             joints (in m).",
        ),
        optional(
            "hold",
            Form::Flag,
            "false",
            "Whether motors keep the joints where they start, with the effort of the file at most.",
        ),
        optional(
            "self_collisions",
            Form::Flag,
            "false",
            "Whether the robot's links collide with each other. Links that a joint connects \
             never do.",
        ),
        optional(
            "decompose",
            Form::Flag,
            "false",
            "Cuts the robot's meshes into convex pieces, up to 32 each. They must be closed.",
        ),
        optional(
            "material",
            Form::Text,
            "\"default\"",
            "Name of the robot's material.",
        ),
        optional(
            "materials",
            Form::Texts,
            "`material`",
            "Materials of single links, by the links' names in the file, as in \
             `{ pad = \"rubber\" }`.",
        ),
        optional(
            "look",
            Form::Choice(Opacity::names),
            "\"solid\"",
            "How the robot is drawn: in full, as glass that shows what is behind it, or not at \
             all.",
        ),
        optional("color", Form::Color, "the material's", "Colour."),
    ],
};

named! {
    impl Base {
        Fixed = "fixed",
        Free = "free",
    }
}
