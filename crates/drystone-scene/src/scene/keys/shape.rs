//! Keys of shapes.

use crate::scene::key::{Form, Table, Variants, optional, required};
use crate::scene::keys::body::ROTATION;
use crate::scene::units::Quantity::{Length, Number};

pub(crate) static SHAPE: Variants = Variants {
    name: "a shape",
    doc: "What a body looks like, in its own frame: around the origin, long axes along z.",
    types: &[
        Table {
            name: "sphere",
            doc: "A ball.",
            keys: &[required("radius", Form::Number(Length), "Radius.")],
        },
        Table {
            name: "box",
            doc: "A box.",
            keys: &[required("size", Form::Vector(Length), "Edge lengths.")],
        },
        Table {
            name: "ellipsoid",
            doc: "An ellipsoid.",
            keys: &[required("semi_axes", Form::Vector(Length), "Semi-axes.")],
        },
        Table {
            name: "cylinder",
            doc: "A cylinder along z.",
            keys: &[
                required("radius", Form::Number(Length), "Radius."),
                required("height", Form::Number(Length), "Height."),
            ],
        },
        Table {
            name: "capsule",
            doc: "A cylinder along z with half a ball at each end.",
            keys: &[
                required("radius", Form::Number(Length), "Radius."),
                required(
                    "height",
                    Form::Number(Length),
                    "From the centre of one half ball to that of the other.",
                ),
            ],
        },
        Table {
            name: "cone",
            doc: "A cone along z, its tip up, the origin at half its height.",
            keys: &[
                required("radius", Form::Number(Length), "Radius of the base."),
                required("height", Form::Number(Length), "Height."),
            ],
        },
        Table {
            name: "plane",
            doc: "All that is below z = 0. Not for dynamic bodies.",
            keys: &[],
        },
        Table {
            name: "hull",
            doc: "The convex hull of points.",
            keys: &[
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
                    "A mesh (.stl or .obj) whose vertices are the points.",
                ),
                optional(
                    "scale",
                    Form::Number(Number),
                    "1",
                    "The points are multiplied by it: 0.001 for a file in mm.",
                ),
                optional(
                    "object",
                    Form::Text,
                    "everything",
                    "The object or group of an .obj file to take.",
                ),
            ],
        },
        Table {
            name: "mesh",
            doc: "Triangles from a file: a solid where closed, a sheet where not.",
            keys: &[
                required("file", Form::File, "The mesh, .stl or .obj."),
                optional(
                    "scale",
                    Form::Number(Number),
                    "1",
                    "Lengths are multiplied by it: 0.001 for a file in mm.",
                ),
                optional(
                    "object",
                    Form::Text,
                    "everything",
                    "The object or group of an .obj file to take.",
                ),
            ],
        },
        Table {
            name: "height_field",
            doc: "Heights over a rectangle around the z axis, solid below. Not for dynamic bodies.",
            keys: &[
                required(
                    "size",
                    Form::List(&Form::Number(Length)),
                    "Extent along x and y.",
                ),
                optional(
                    "heights",
                    Form::List(&Form::List(&Form::Number(Length))),
                    "from `height`",
                    "Rows of heights, the row of lowest y first, within a row the lowest x first.",
                ),
                optional(
                    "height",
                    Form::Function(Length, &["x", "y"]),
                    "`heights` are given",
                    "The height as an expression of x and y, in m.",
                ),
                optional(
                    "points",
                    Form::List(&Form::Integer),
                    "[65, 65]",
                    "At how many points along x and y `height` is evaluated.",
                ),
            ],
        },
        Table {
            name: "compound",
            doc: "Several convex shapes that move as one.",
            keys: &[required(
                "parts",
                Form::List(&Form::Table(&PART)),
                "The shapes and where they are.",
            )],
        },
    ],
};

pub(crate) static PART: Table = Table {
    name: "a part",
    doc: "One shape of a compound.",
    keys: &[
        required("shape", Form::Variants(&SHAPE), "A convex shape."),
        optional(
            "position",
            Form::Vector(Length),
            "[0, 0, 0]",
            "Where its origin lies in the compound's frame.",
        ),
        optional(
            "rotation",
            ROTATION,
            "none",
            "How it is turned in the compound's frame.",
        ),
    ],
};
