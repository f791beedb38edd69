//! Keys of fills.

use super::body::{ROTATION, looks};
use super::shape::SHAPE;
use crate::scene::key::{Form, Table, Variants, optional, required};
use crate::scene::units::Quantity::{AngularSpeed, Density, Length, Mass, Number, Speed};

pub(crate) static FILL: Table = Table {
    name: "a fill",
    doc: "Many grains in a region, none overlapping another. They are told apart by balls around them, so grains far from round \
          lie loosely at first.",
    keys: &[
        optional(
            "name",
            Form::Text,
            "\"grains\"",
            "By which the rest of the scene refers to the grains.",
        ),
        optional(
            "shape",
            Form::Variants(&SHAPE),
            "from `mix`",
            "What a grain looks like.",
        ),
        optional(
            "mix",
            Form::List(&Form::Table(&MIXED)),
            "from `shape`",
            "Several kinds of grains, drawn at random by share.",
        ),
        optional(
            "sizes",
            Form::Variants(&SIZES),
            "as shaped",
            "Diameters of the grains; for other shapes those of spheres of the same volume. The shape then gives the proportions only.",
        ),
        optional(
            "count",
            Form::Integer,
            "from `fraction` or `total_mass`",
            "How many grains.",
        ),
        optional(
            "fraction",
            Form::Number(Number),
            "from `count`",
            "As many as take up this share of the region's volume.",
        ),
        optional(
            "total_mass",
            Form::Number(Mass),
            "from `count`",
            "As many as have this mass together.",
        ),
        optional(
            "region",
            Form::Variants(&REGION),
            "from `container`",
            "Where they go.",
        ),
        optional(
            "container",
            Form::Text,
            "from `region`",
            "Name of the container whose inside they go to.",
        ),
        optional(
            "arrangement",
            Form::Choice(arrangements),
            "\"lattice\"",
            "How they lie: on a lattice from the bottom up, at random, or `rain`: at random in a column as high as it takes, to be settled.",
        ),
        optional(
            "lattice",
            Form::Choice(lattices),
            "\"cubic\"",
            "Which lattice.",
        ),
        optional(
            "spacing",
            Form::Number(Number),
            "1.02",
            "Distance of neighbours on the lattice in diameters of the largest grain.",
        ),
        optional(
            "jitter",
            Form::Number(Number),
            "0",
            "Share, from 0 to 1, of the gap between neighbours by which grains are moved at random.",
        ),
        optional(
            "orientation",
            ORIENTATION,
            "\"random\"",
            "How the grains are turned: \"random\", or a rotation as for bodies.",
        ),
        optional(
            "seed",
            Form::Integer,
            "1",
            "Seed of all random choices of this fill.",
        ),
        optional(
            "material",
            Form::Text,
            "\"default\"",
            "Name of their material.",
        ),
        optional(
            "mass",
            Form::Number(Mass),
            "from the density",
            "Mass of each grain, whatever its size.",
        ),
        optional(
            "density",
            Form::Number(Density),
            "the material's",
            "Density.",
        ),
        optional(
            "velocity",
            Form::Vector(Speed),
            "[0, 0, 0]",
            "Velocity at the start.",
        ),
        optional(
            "angular_velocity",
            Form::Vector(AngularSpeed),
            "[0, 0, 0]",
            "Angular velocity at the start, world axes.",
        ),
        optional(
            "look",
            Form::Choice(looks),
            "\"solid\"",
            "How they are drawn.",
        ),
        optional("color", Form::Color, "the material's", "Colour."),
    ],
};

const ORIENTATION: Form = Form::Either(&[Form::Choice(orientations), ROTATION]);

pub(crate) static MIXED: Table = Table {
    name: "a kind of grain",
    doc: "One of several kinds of grains.",
    keys: &[
        required("shape", Form::Variants(&SHAPE), "What it looks like."),
        optional(
            "sizes",
            Form::Variants(&SIZES),
            "the fill's",
            "Diameters of its grains.",
        ),
        optional(
            "share",
            Form::Number(Number),
            "1",
            "How many there are of it, relative to the other kinds.",
        ),
    ],
};

pub(crate) static SIZES: Variants = Variants {
    name: "sizes",
    doc: "A distribution of diameters. By number, unless it says by mass.",
    types: &[
        Table {
            name: "fixed",
            doc: "All the same.",
            keys: &[required("size", Form::Number(Length), "Diameter.")],
        },
        Table {
            name: "uniform",
            doc: "Every diameter of a range alike.",
            keys: &[
                required("min", Form::Number(Length), "Least diameter."),
                required("max", Form::Number(Length), "Greatest diameter."),
            ],
        },
        Table {
            name: "normal",
            doc: "Gaussian, cut on both sides.",
            keys: &[
                required("mean", Form::Number(Length), "Mean diameter."),
                required(
                    "deviation",
                    Form::Number(Length),
                    "Standard deviation before the cut.",
                ),
                optional(
                    "cut",
                    Form::Number(Number),
                    "2.5",
                    "Deviations from the mean at which it is cut.",
                ),
            ],
        },
        Table {
            name: "log_normal",
            doc: "The logarithm is Gaussian, cut on both sides.",
            keys: &[
                required("median", Form::Number(Length), "Median diameter."),
                required(
                    "deviation",
                    Form::Number(Number),
                    "Standard deviation of the natural logarithm before the cut.",
                ),
                optional(
                    "cut",
                    Form::Number(Number),
                    "2.5",
                    "Deviations at which it is cut.",
                ),
            ],
        },
        Table {
            name: "power_law",
            doc: "Fractal: the number of grains larger than d goes with d^-dimension.",
            keys: &[
                required("min", Form::Number(Length), "Least diameter."),
                required("max", Form::Number(Length), "Greatest diameter."),
                required(
                    "dimension",
                    Form::Number(Number),
                    "Fractal dimension; about 2.5 for crushed rock.",
                ),
            ],
        },
        Table {
            name: "weibull",
            doc: "A share of 1 - exp(-(d/scale)^exponent) of the grains is smaller than d; cut to a range.",
            keys: &[
                required(
                    "scale",
                    Form::Number(Length),
                    "Diameter below which 63.2 % of the grains lie before the cut.",
                ),
                required(
                    "exponent",
                    Form::Number(Number),
                    "The greater, the narrower.",
                ),
                required("min", Form::Number(Length), "Least diameter."),
                required("max", Form::Number(Length), "Greatest diameter."),
            ],
        },
        Table {
            name: "rosin_rammler",
            doc: "A share of 1 - exp(-(d/scale)^exponent) of the mass passes a sieve of d; cut to a range.",
            keys: &[
                required(
                    "scale",
                    Form::Number(Length),
                    "Diameter that 63.2 % of the mass pass before the cut.",
                ),
                required(
                    "exponent",
                    Form::Number(Number),
                    "The greater, the narrower.",
                ),
                required("min", Form::Number(Length), "Least diameter."),
                required("max", Form::Number(Length), "Greatest diameter."),
            ],
        },
        Table {
            name: "sieve",
            doc: "A grading curve by mass, straight between rows over the logarithm of the size.",
            keys: &[required(
                "rows",
                Form::List(&Form::Table(&SIEVE_ROW)),
                "Sieves from fine to coarse; the first passes 0 %, the last 100 %.",
            )],
        },
    ],
};

pub(crate) static SIEVE_ROW: Table = Table {
    name: "a sieve",
    doc: "A row of a grading curve.",
    keys: &[
        required("size", Form::Number(Length), "Opening of the sieve."),
        required(
            "passing",
            Form::Number(Number),
            "Share of the mass that passes it, %.",
        ),
    ],
};

pub(crate) static REGION: Variants = Variants {
    name: "a region",
    doc: "A part of space, world coordinates.",
    types: &[
        Table {
            name: "box",
            doc: "A box along the axes.",
            keys: &[
                required("min", Form::Vector(Length), "Lower corner."),
                required("max", Form::Vector(Length), "Upper corner."),
            ],
        },
        Table {
            name: "cylinder",
            doc: "A cylinder.",
            keys: &[
                required("base", Form::Vector(Length), "Centre of its bottom."),
                required("radius", Form::Number(Length), "Radius."),
                required("height", Form::Number(Length), "Height along the axis."),
                optional(
                    "axis",
                    Form::Vector(Number),
                    "[0, 0, 1]",
                    "From the bottom to the top, of any length.",
                ),
            ],
        },
        Table {
            name: "sphere",
            doc: "A ball.",
            keys: &[
                required("center", Form::Vector(Length), "Centre."),
                required("radius", Form::Number(Length), "Radius."),
            ],
        },
        Table {
            name: "funnel",
            doc: "A cone without its tip.",
            keys: &[
                required("base", Form::Vector(Length), "Centre of its bottom."),
                required("bottom", Form::Number(Length), "Radius at the bottom."),
                required("top", Form::Number(Length), "Radius at the top."),
                required("height", Form::Number(Length), "Height along the axis."),
                optional(
                    "axis",
                    Form::Vector(Number),
                    "[0, 0, 1]",
                    "From the bottom to the top, of any length.",
                ),
            ],
        },
    ],
};

fn arrangements() -> Vec<&'static str> {
    vec!["lattice", "random", "rain"]
}

fn lattices() -> Vec<&'static str> {
    vec!["cubic", "face_centred"]
}

fn orientations() -> Vec<&'static str> {
    vec!["random"]
}
