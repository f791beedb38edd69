//! Keys of bodies and containers.

use super::motion::MOTION;
use super::shape::SHAPE;
use crate::scene::key::{Form, Table, Variants, optional, required};
use crate::scene::units::Quantity::{
    Angle, AngularSpeed, Density, Force, Inertia, Length, Mass, Number, Speed, Torque,
};

pub(crate) static BODY: Table = Table {
    name: "a body",
    doc: "A body, or with `repeat` a regular array of them. Numbers may then use the indices `i`, `j`, `k` along x, y, z and the \
          running number `index`, all from 0.",
    keys: &[
        optional(
            "name",
            Form::Text,
            "\"body\"",
            "By which the rest of the scene refers to it. Bodies of one name form a group: `wall[17]`.",
        ),
        optional(
            "kind",
            Form::Choice(kinds),
            "\"dynamic\"; \"prescribed\" with a motion; \"fixed\" for planes and height fields",
            "What may move it: nothing, its motion alone, or forces.",
        ),
        required("shape", Form::Variants(&SHAPE), "What it looks like."),
        optional(
            "mass",
            Form::Number(Mass),
            "from the density",
            "Mass, spread evenly over the shape.",
        ),
        optional(
            "density",
            Form::Number(Density),
            "the material's",
            "Density; not together with `mass`.",
        ),
        optional(
            "inertia",
            Form::List(&Form::Number(Inertia)),
            "from the shape",
            "Moments of inertia about the shape's axes through the centre of mass: [xx, yy, zz] or [xx, yy, zz, xy, xz, yz]. Needs `mass`.",
        ),
        optional(
            "center",
            Form::Vector(Length),
            "the shape's",
            "Centre of mass in the shape's frame. Needs `mass` and `inertia`.",
        ),
        optional(
            "material",
            Form::Text,
            "\"default\"",
            "Name of its material.",
        ),
        optional(
            "position",
            Form::Vector(Length),
            "[0, 0, 0]",
            "Where the origin of the shape's frame lies.",
        ),
        optional("rotation", ROTATION, "none", "How the shape is turned."),
        optional(
            "velocity",
            Form::Vector(Speed),
            "[0, 0, 0]",
            "Velocity of the centre of mass at the start.",
        ),
        optional(
            "angular_velocity",
            Form::Vector(AngularSpeed),
            "[0, 0, 0]",
            "Angular velocity at the start, world axes.",
        ),
        optional(
            "motion",
            Form::Variants(&MOTION),
            "none",
            "How a prescribed body moves.",
        ),
        optional(
            "load",
            Form::Table(&LOAD),
            "none",
            "A constant force and torque.",
        ),
        optional("look", Form::Choice(looks), "\"solid\"", "How it is drawn."),
        optional("color", Form::Color, "the material's", "Colour."),
        optional(
            "repeat",
            Form::Table(&REPEAT),
            "one body",
            "Makes a regular array of it.",
        ),
    ],
};

/// Angles about x, y and z, an axis with an angle, or a quaternion.
pub(super) const ROTATION: Form = Form::Either(&[
    Form::Vector(Angle),
    Form::Table(&AXIS_ANGLE),
    Form::Table(&QUATERNION),
]);

pub(crate) static AXIS_ANGLE: Table = Table {
    name: "a rotation by axis and angle",
    doc: "A rotation as three angles is about the world's x axis first, then y, then z. This is one about any axis.",
    keys: &[
        required("axis", Form::Vector(Number), "The axis, of any length."),
        required(
            "angle",
            Form::Number(Angle),
            "The angle, counter-clockwise seen against the axis.",
        ),
    ],
};

pub(crate) static QUATERNION: Table = Table {
    name: "a rotation by quaternion",
    doc: "A rotation as other programs write it.",
    keys: &[required(
        "quaternion",
        Form::List(&Form::Number(Number)),
        "[w, x, y, z], of any length.",
    )],
};

pub(crate) static LOAD: Table = Table {
    name: "a load",
    doc: "A constant force and torque on a body, world axes.",
    keys: &[
        optional(
            "force",
            Form::Vector(Force),
            "[0, 0, 0]",
            "Force at the centre of mass.",
        ),
        optional("torque", Form::Vector(Torque), "[0, 0, 0]", "Torque."),
    ],
};

pub(crate) static REPEAT: Table = Table {
    name: "repeat",
    doc: "A regular array of a body; the first is at its `position`.",
    keys: &[
        required(
            "count",
            Form::List(&Form::Integer),
            "How many along x, y and z.",
        ),
        optional(
            "spacing",
            Form::Vector(Length),
            "[0, 0, 0]",
            "Distance from one to the next along x, y and z.",
        ),
        optional(
            "shift",
            Form::Vector(Length),
            "[0, 0, 0]",
            "Every second layer along z is moved by this: half a brick for masonry.",
        ),
        optional(
            "center",
            Form::Flag,
            "false",
            "Whether `position` is the middle of the array along x and y, instead of its corner.",
        ),
    ],
};

pub(crate) static CONTAINER: Table = Table {
    name: "a container",
    doc: "Fixed walls around an empty inside. Its frame has the centre of the inside's bottom at the origin and the way up along z. \
          All its walls carry its name.",
    keys: &[
        required(
            "name",
            Form::Text,
            "By which the rest of the scene refers to it.",
        ),
        required(
            "shape",
            Form::Variants(&CONTAINER_SHAPE),
            "What its inside looks like.",
        ),
        optional(
            "thickness",
            Form::Number(Length),
            "a tenth of the inside's smallest extent",
            "Thickness of the walls.",
        ),
        optional(
            "segments",
            Form::Integer,
            "32",
            "Flat walls that a round container is made of.",
        ),
        optional(
            "open",
            Form::List(&Form::Choice(sides)),
            "[\"top\"]",
            "Sides without a wall; round containers have only \"top\" and \"bottom\".",
        ),
        optional(
            "material",
            Form::Text,
            "\"default\"",
            "Name of its material.",
        ),
        optional(
            "position",
            Form::Vector(Length),
            "[0, 0, 0]",
            "Where the centre of the inside's bottom lies.",
        ),
        optional("rotation", ROTATION, "none", "How it is turned."),
        optional(
            "motion",
            Form::Variants(&MOTION),
            "none: it is fixed",
            "How it moves.",
        ),
        optional("look", Form::Choice(looks), "\"glass\"", "How it is drawn."),
        optional("color", Form::Color, "the material's", "Colour."),
    ],
};

pub(crate) static CONTAINER_SHAPE: Variants = Variants {
    name: "the inside of a container",
    doc: "What the inside of a container looks like.",
    types: &[
        Table {
            name: "box",
            doc: "A box.",
            keys: &[required(
                "size",
                Form::Vector(Length),
                "Inner edge lengths.",
            )],
        },
        Table {
            name: "cylinder",
            doc: "An upright cylinder; its walls touch the round inside from without.",
            keys: &[
                required("radius", Form::Number(Length), "Inner radius."),
                required("height", Form::Number(Length), "Inner height."),
            ],
        },
        Table {
            name: "funnel",
            doc: "A cone without its tip.",
            keys: &[
                required(
                    "bottom",
                    Form::Number(Length),
                    "Inner radius at the bottom.",
                ),
                required("top", Form::Number(Length), "Inner radius at the top."),
                required("height", Form::Number(Length), "Inner height."),
            ],
        },
        Table {
            name: "revolved",
            doc: "A curve turned about the z axis: hourglasses, silos, vases.",
            keys: &[required(
                "profile",
                Form::List(&Form::List(&Form::Number(Length))),
                "Points [radius, z] of the inside, from the bottom up.",
            )],
        },
    ],
};

fn kinds() -> Vec<&'static str> {
    vec!["fixed", "prescribed", "dynamic"]
}

pub(super) fn looks() -> Vec<&'static str> {
    vec!["solid", "glass", "hidden"]
}

fn sides() -> Vec<&'static str> {
    vec!["top", "bottom", "+x", "-x", "+y", "-y"]
}
