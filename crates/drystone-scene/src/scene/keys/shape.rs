//! Keys of shapes.

use crate::named::named;
use crate::scene::key::{Form, Key, Table, TableType, optional, required};
use crate::scene::keys::body::ROTATION;
use crate::scene::units::Quantity::{Length, Number};

named! {
    /// The type of a shape.
    pub(crate) enum ShapeType {
        Sphere = "sphere",
        Box = "box",
        Ellipsoid = "ellipsoid",
        Cylinder = "cylinder",
        Capsule = "capsule",
        Cone = "cone",
        Plane = "plane",
        Hull = "hull",
        Mesh = "mesh",
        HeightField = "height_field",
        Compound = "compound",
    }
}

impl TableType for ShapeType {
    const NAME: &'static str = "a shape";
    const DOC: &'static str =
        "The shape of a body in its own frame: around the origin, with the long axis along z.";

    fn description(self) -> (&'static str, &'static [Key]) {
        match self {
            Self::Sphere => (
                "A ball.",
                const { &[required("radius", Form::Number(Length), "Radius.")] },
            ),
            Self::Box => (
                "A box.",
                const { &[required("size", Form::Vector(Length), "Edge lengths.")] },
            ),
            Self::Ellipsoid => (
                "An ellipsoid.",
                const { &[required("semi_axes", Form::Vector(Length), "Semi-axes.")] },
            ),
            Self::Cylinder => (
                "A cylinder along z.",
                const {
                    &[
                        required("radius", Form::Number(Length), "Radius."),
                        required("height", Form::Number(Length), "Height."),
                    ]
                },
            ),
            Self::Capsule => (
                "A cylinder along z with half a ball at each end.",
                const {
                    &[
                        required("radius", Form::Number(Length), "Radius."),
                        required(
                            "height",
                            Form::Number(Length),
                            "Distance from the centre of one half ball to that of the other.",
                        ),
                    ]
                },
            ),
            Self::Cone => (
                "A cone along z with its tip up. The origin is at half the height.",
                const {
                    &[
                        required("radius", Form::Number(Length), "Radius of the base."),
                        required("height", Form::Number(Length), "Height."),
                    ]
                },
            ),
            Self::Plane => (
                "Everything below z = 0 is solid. Not for dynamic bodies.",
                &[],
            ),
            Self::Hull => (
                "The convex hull of points.",
                const {
                    &[
                        optional(
                            "points",
                            Form::List(&Form::Vector(Length)),
                            "read from `file`",
                            "At least four points.",
                        ),
                        optional(
                            "file",
                            Form::File,
                            "`points` are given",
                            "A mesh (.stl, .obj, .glb, .gltf or .dae) whose vertices are the points.",
                        ),
                        optional(
                            "scale",
                            Form::Number(Number),
                            "1",
                            "Factor on all lengths: 0.001 for a file in mm.",
                        ),
                        optional(
                            "object",
                            Form::Text,
                            "everything",
                            "The object or group of an .obj file to take, or the node or mesh of a .glb, .gltf or .dae file.",
                        ),
                    ]
                },
            ),
            Self::Mesh => (
                "Triangles from a file: a solid where they close, a thin sheet where they do not.",
                const {
                    &[
                        required(
                            "file",
                            Form::File,
                            "The mesh: .stl, .obj, .glb, .gltf or .dae.",
                        ),
                        optional(
                            "scale",
                            Form::Number(Number),
                            "1",
                            "Factor on all lengths: 0.001 for a file in mm.",
                        ),
                        optional(
                            "object",
                            Form::Text,
                            "everything",
                            "The object or group of an .obj file to take, or the node or mesh of a .glb, .gltf or .dae file.",
                        ),
                        optional(
                            "decompose",
                            Form::Flag,
                            "false",
                            "Cuts the solid into convex pieces, which collide faster and more \
                             surely than triangles. Details below 1/64 of its size are lost.",
                        ),
                        optional(
                            "pieces",
                            Form::Integer,
                            "32",
                            "Most pieces of a solid that is cut.",
                        ),
                    ]
                },
            ),
            Self::HeightField => (
                "Heights over a rectangle around the z axis; everything below them is solid. Not \
                 for dynamic bodies.",
                const {
                    &[
                        required(
                            "size",
                            Form::List(&Form::Number(Length)),
                            "Extent along x and y.",
                        ),
                        optional(
                            "heights",
                            Form::List(&Form::List(&Form::Number(Length))),
                            "from `height`",
                            "Rows of heights. The row with the lowest y comes first, within a \
                             row the lowest x.",
                        ),
                        optional(
                            "height",
                            Form::Function(Length, &["x", "y"]),
                            "`heights` are given",
                            "The height as an expression of `x` and `y`, all in m.",
                        ),
                        optional(
                            "points",
                            Form::List(&Form::Integer),
                            "[65, 65]",
                            "At how many points along x and y `height` is evaluated.",
                        ),
                    ]
                },
            ),
            Self::Compound => (
                "Several convex shapes that move as one body.",
                const {
                    &[required(
                        "parts",
                        Form::List(&PART_FORM),
                        "The shapes, with their places.",
                    )]
                },
            ),
        }
    }
}

static PART_FORM: Form = Form::Table(&PART);

pub(crate) static PART: Table = Table {
    name: "a part",
    doc: "One shape of a compound.",
    keys: &[
        required(
            "shape",
            Form::Variants(ShapeType::VARIANTS),
            "A convex shape.",
        ),
        optional(
            "position",
            Form::Vector(Length),
            "[0, 0, 0]",
            "Where the part's origin lies in the compound's frame.",
        ),
        optional(
            "rotation",
            ROTATION,
            "none",
            "Rotation of the part in the compound's frame.",
        ),
    ],
};
