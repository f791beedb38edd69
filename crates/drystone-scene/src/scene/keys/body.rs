//! Keys of bodies and containers.

use drystone::BodyKind;

use super::motion::MotionType;
use super::shape::ShapeType;
use crate::named::{Named, named};
use crate::scene::key::{Form, Key, Table, TableType, optional, required};
use crate::scene::model::Opacity;
use crate::scene::units::Quantity::{
    Angle, AngularSpeed, Density, Force, Inertia, Length, Mass, Number, Speed, Torque,
};

pub(crate) static BODY: Table = Table {
    name: "a body",
    doc: "A body, or with `repeat` a regular array of bodies. In an array, numbers may use the \
          indices `i`, `j`, `k` along x, y, z and the running number `index`, all from 0.",
    keys: &[
        optional(
            "name",
            Form::Text,
            "\"body\"",
            "Name by which the rest of the scene refers to the body. Bodies of one name form a \
             group; one of them is `wall[17]`.",
        ),
        optional(
            "kind",
            Form::Choice(BodyKind::names),
            "\"dynamic\"; \"prescribed\" with a motion; \"fixed\" for planes and height fields",
            "What may move the body: nothing (\"fixed\"), its motion alone (\"prescribed\"), or \
             forces (\"dynamic\").",
        ),
        required(
            "shape",
            Form::Variants(ShapeType::VARIANTS),
            "What it looks like.",
        ),
        optional(
            "mass",
            Form::Number(Mass),
            "from the density",
            "Mass, spread evenly over the shape's volume.",
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
            "Moments of inertia about the shape's axes through the centre of mass: [xx, yy, zz] \
             or [xx, yy, zz, xy, xz, yz]. Needs `mass`.",
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
        optional("rotation", ROTATION, "none", "Rotation of the shape."),
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
            Form::Variants(MotionType::VARIANTS),
            "none",
            "How a prescribed body moves.",
        ),
        optional(
            "load",
            Form::Table(&LOAD),
            "none",
            "A constant force and torque on the body.",
        ),
        optional(
            "look",
            Form::Choice(Opacity::names),
            "\"solid\"",
            "How the body is drawn: in full, as glass that shows what is behind it, or not at all.",
        ),
        optional("color", Form::Color, "the material's", "Colour."),
        optional(
            "repeat",
            Form::Table(&REPEAT),
            "one body",
            "Makes a regular array of the body.",
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
    doc: "A rotation about any axis. (A rotation given as three angles turns about the world's x \
          axis first, then y, then z.)",
    keys: &[
        required("axis", Form::Vector(Number), "The axis, of any length."),
        required(
            "angle",
            Form::Number(Angle),
            "The angle, counter-clockwise when the axis points at the eye.",
        ),
    ],
};

pub(crate) static QUATERNION: Table = Table {
    name: "a rotation by quaternion",
    doc: "A rotation given by a quaternion, as other programs write it.",
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
    doc: "A regular array of bodies; the first one is at `position`.",
    keys: &[
        required(
            "count",
            Form::List(&Form::Integer),
            "How many bodies along x, y and z.",
        ),
        optional(
            "spacing",
            Form::Vector(Length),
            "[0, 0, 0]",
            "Distance from one body to the next along x, y and z.",
        ),
        optional(
            "shift",
            Form::Vector(Length),
            "[0, 0, 0]",
            "Displacement of every second layer along z: half a brick for masonry.",
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
    doc: "Fixed walls around an empty inside. The origin of the container's frame is the centre \
          of the inside's bottom; z points up. All walls carry the container's name.",
    keys: &[
        required(
            "name",
            Form::Text,
            "Name by which the rest of the scene refers to the container.",
        ),
        required(
            "shape",
            Form::Variants(ContainerType::VARIANTS),
            "The shape of the inside.",
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
            "Number of flat walls that a round container is made of.",
        ),
        optional(
            "open",
            Form::List(&Form::Choice(Side::names)),
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
        optional("rotation", ROTATION, "none", "Rotation of the container."),
        optional(
            "motion",
            Form::Variants(MotionType::VARIANTS),
            "none: it is fixed",
            "How the container moves.",
        ),
        optional(
            "look",
            Form::Choice(Opacity::names),
            "\"glass\"",
            "How the body is drawn: in full, as glass that shows what is behind it, or not at all.",
        ),
        optional("color", Form::Color, "the material's", "Colour."),
    ],
};

named! {
    /// The type of the inside of a container.
    pub(crate) enum ContainerType {
        Box = "box",
        Cylinder = "cylinder",
        Funnel = "funnel",
        Revolved = "revolved",
    }
}

impl TableType for ContainerType {
    const NAME: &'static str = "the inside of a container";
    const DOC: &'static str = "The shape of the inside of a container.";

    fn description(self) -> (&'static str, &'static [Key]) {
        match self {
            Self::Box => (
                "A box.",
                const {
                    &[required(
                        "size",
                        Form::Vector(Length),
                        "Inner edge lengths.",
                    )]
                },
            ),
            Self::Cylinder => (
                "An upright cylinder. The flat walls touch the round inside from outside.",
                const {
                    &[
                        required("radius", Form::Number(Length), "Inner radius."),
                        required("height", Form::Number(Length), "Inner height."),
                    ]
                },
            ),
            Self::Funnel => (
                "A cone without its tip.",
                const {
                    &[
                        required(
                            "bottom",
                            Form::Number(Length),
                            "Inner radius at the bottom.",
                        ),
                        required("top", Form::Number(Length), "Inner radius at the top."),
                        required("height", Form::Number(Length), "Inner height."),
                    ]
                },
            ),
            Self::Revolved => (
                "A curve turned about the z axis, for hourglasses, silos and vases.",
                const {
                    &[required(
                        "profile",
                        Form::List(&Form::List(&Form::Number(Length))),
                        "Points [radius, z] of the inside, from the bottom up.",
                    )]
                },
            ),
        }
    }
}

named! {
    impl BodyKind {
        Fixed = "fixed",
        Prescribed = "prescribed",
        Dynamic = "dynamic",
    }
}

named! {
    impl Opacity {
        Solid = "solid",
        Glass = "glass",
        Hidden = "hidden",
    }
}

named! {
    /// A side of a container.
    pub(crate) enum Side {
        Top = "top",
        Bottom = "bottom",
        PlusX = "+x",
        MinusX = "-x",
        PlusY = "+y",
        MinusY = "-y",
    }
}
