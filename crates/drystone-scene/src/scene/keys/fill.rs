//! Keys of fills.

use super::body::ROTATION;
use super::shape::ShapeType;
use crate::named::{Named, named};
use crate::packing::Lattice;
use crate::scene::key::{Form, Key, Table, TableType, optional, required};
use crate::scene::model::Opacity;
use crate::scene::units::Quantity::{AngularSpeed, Density, Length, Mass, Number, Speed};

pub(crate) static FILL: Table = Table {
    name: "a fill",
    doc: "Many grains in a region, without overlap. Each grain keeps a whole ball around itself \
          free, so grains that are far from round lie loosely at first.",
    keys: &[
        optional(
            "name",
            Form::Text,
            "\"grains\"",
            "Name by which the rest of the scene refers to the grains.",
        ),
        optional(
            "shape",
            Form::Variants(ShapeType::VARIANTS),
            "from `mix`",
            "The shape of a grain.",
        ),
        optional(
            "mix",
            Form::List(&Form::Table(&MIXED)),
            "from `shape`",
            "Several kinds of grains, chosen at random by their shares.",
        ),
        optional(
            "sizes",
            Form::Variants(SizesType::VARIANTS),
            "as shaped",
            "Diameters of the grains. For other shapes than spheres: the diameter of the sphere \
             of the same volume. The shape then gives the proportions only.",
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
            "Fills in as many grains as take up this share of the region's volume.",
        ),
        optional(
            "total_mass",
            Form::Number(Mass),
            "from `count`",
            "Fills in as many grains as have this mass together.",
        ),
        optional(
            "region",
            Form::Variants(RegionType::VARIANTS),
            "from `container`",
            "Where the grains go.",
        ),
        optional(
            "container",
            Form::Text,
            "from `region`",
            "Name of the container whose inside the grains go to.",
        ),
        optional(
            "arrangement",
            Form::Choice(ArrangementName::names),
            "\"lattice\"",
            "How the grains lie: on a lattice from the bottom up; at random; or as rain, at \
             random in a column as high as needed, from which they fall and settle.",
        ),
        optional(
            "lattice",
            Form::Choice(Lattice::names),
            "\"cubic\"",
            "The lattice: cubes, or the densest packing of equal spheres.",
        ),
        optional(
            "spacing",
            Form::Number(Number),
            "1.02",
            "Distance of neighbours on the lattice, in diameters of the largest grain.",
        ),
        optional(
            "jitter",
            Form::Number(Number),
            "0",
            "How far grains are moved at random, as a share of the gap between neighbours, from \
             0 to 1.",
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
            "Name of the grains' material.",
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
            "Density of the grains.",
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
            Form::Choice(Opacity::names),
            "\"solid\"",
            "How the grains are drawn: in full, as glass that shows what is behind it, or not at \
             all.",
        ),
        optional("color", Form::Color, "the material's", "Colour."),
    ],
};

const ORIENTATION: Form = Form::Either(&[Form::Choice(OrientationName::names), ROTATION]);

pub(crate) static MIXED: Table = Table {
    name: "a kind of grain",
    doc: "One of several kinds of grains.",
    keys: &[
        required(
            "shape",
            Form::Variants(ShapeType::VARIANTS),
            "The shape of a grain of this kind.",
        ),
        optional(
            "sizes",
            Form::Variants(SizesType::VARIANTS),
            "the fill's",
            "Diameters of the grains of this kind.",
        ),
        optional(
            "share",
            Form::Number(Number),
            "1",
            "How many grains are of this kind, relative to the other kinds.",
        ),
    ],
};

named! {
    /// The type of a distribution of diameters.
    pub(crate) enum SizesType {
        Fixed = "fixed",
        Uniform = "uniform",
        Normal = "normal",
        LogNormal = "log_normal",
        PowerLaw = "power_law",
        Weibull = "weibull",
        RosinRammler = "rosin_rammler",
        Sieve = "sieve",
    }
}

impl TableType for SizesType {
    const NAME: &'static str = "sizes";
    const DOC: &'static str =
        "A distribution of diameters: by number of grains, unless its type says by mass.";

    fn description(self) -> (&'static str, &'static [Key]) {
        match self {
            Self::Fixed => (
                "All grains have the same diameter.",
                const { &[required("size", Form::Number(Length), "Diameter.")] },
            ),
            Self::Uniform => (
                "All diameters of a range are equally likely.",
                const {
                    &[
                        required("min", Form::Number(Length), "Least diameter."),
                        required("max", Form::Number(Length), "Greatest diameter."),
                    ]
                },
            ),
            Self::Normal => (
                "The diameter is normally distributed, cut on both sides.",
                const {
                    &[
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
                            "Where it is cut: so many deviations from the mean.",
                        ),
                    ]
                },
            ),
            Self::LogNormal => (
                "The logarithm of the diameter is normally distributed, cut on both sides.",
                const {
                    &[
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
                            "Where it is cut: so many deviations from the median, in the \
                             logarithm.",
                        ),
                    ]
                },
            ),
            Self::PowerLaw => (
                "A fractal distribution: the number of grains larger than d is proportional to \
                 d^-dimension.",
                const {
                    &[
                        required("min", Form::Number(Length), "Least diameter."),
                        required("max", Form::Number(Length), "Greatest diameter."),
                        required(
                            "dimension",
                            Form::Number(Number),
                            "Fractal dimension; about 2.5 for crushed rock.",
                        ),
                    ]
                },
            ),
            Self::Weibull => (
                "By number: a share of 1 - exp(-(d/scale)^exponent) of the grains is smaller \
                 than d. Cut to a range.",
                const {
                    &[
                        required(
                            "scale",
                            Form::Number(Length),
                            "Diameter below which 63.2 % of the grains lie, before the cut.",
                        ),
                        required(
                            "exponent",
                            Form::Number(Number),
                            "The greater it is, the narrower is the distribution.",
                        ),
                        required("min", Form::Number(Length), "Least diameter."),
                        required("max", Form::Number(Length), "Greatest diameter."),
                    ]
                },
            ),
            Self::RosinRammler => (
                "By mass: a share of 1 - exp(-(d/scale)^exponent) of the mass passes a sieve of \
                 d. Cut to a range.",
                const {
                    &[
                        required(
                            "scale",
                            Form::Number(Length),
                            "Diameter of the sieve that 63.2 % of the mass pass, before the cut.",
                        ),
                        required(
                            "exponent",
                            Form::Number(Number),
                            "The greater it is, the narrower is the distribution.",
                        ),
                        required("min", Form::Number(Length), "Least diameter."),
                        required("max", Form::Number(Length), "Greatest diameter."),
                    ]
                },
            ),
            Self::Sieve => (
                "A grading curve by mass. Between two rows it is straight over the logarithm of \
                 the size.",
                const {
                    &[required(
                        "rows",
                        Form::List(&SIEVE_ROW_FORM),
                        "Sieves from fine to coarse; the first passes 0 %, the last 100 %.",
                    )]
                },
            ),
        }
    }
}

static SIEVE_ROW_FORM: Form = Form::Table(&SIEVE_ROW);

pub(crate) static SIEVE_ROW: Table = Table {
    name: "a sieve",
    doc: "One row of a grading curve.",
    keys: &[
        required("size", Form::Number(Length), "Opening of the sieve."),
        required(
            "passing",
            Form::Number(Number),
            "Share of the mass that passes the sieve, %.",
        ),
    ],
};

named! {
    /// The type of a region.
    pub(crate) enum RegionType {
        Box = "box",
        Cylinder = "cylinder",
        Sphere = "sphere",
        Funnel = "funnel",
    }
}

impl TableType for RegionType {
    const NAME: &'static str = "a region";
    const DOC: &'static str = "A part of space, in world coordinates.";

    fn description(self) -> (&'static str, &'static [Key]) {
        match self {
            Self::Box => (
                "A box along the axes.",
                const {
                    &[
                        required("min", Form::Vector(Length), "Lower corner."),
                        required("max", Form::Vector(Length), "Upper corner."),
                    ]
                },
            ),
            Self::Cylinder => (
                "A cylinder.",
                const {
                    &[
                        required("base", Form::Vector(Length), "Centre of its bottom."),
                        required("radius", Form::Number(Length), "Radius."),
                        required("height", Form::Number(Length), "Height along the axis."),
                        optional(
                            "axis",
                            Form::Vector(Number),
                            "[0, 0, 1]",
                            "From the bottom to the top, of any length.",
                        ),
                    ]
                },
            ),
            Self::Sphere => (
                "A ball.",
                const {
                    &[
                        required("center", Form::Vector(Length), "Centre."),
                        required("radius", Form::Number(Length), "Radius."),
                    ]
                },
            ),
            Self::Funnel => (
                "A cone without its tip.",
                const {
                    &[
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
                    ]
                },
            ),
        }
    }
}

named! {
    /// How the grains of a fill lie.
    pub(crate) enum ArrangementName {
        Lattice = "lattice",
        Random = "random",
        Rain = "rain",
    }
}

named! {
    impl Lattice {
        SimpleCubic = "cubic",
        FaceCentred = "face_centred",
    }
}

named! {
    /// A word in place of a rotation.
    pub(crate) enum OrientationName {
        Random = "random",
    }
}

named! {
    /// The keys that say how many grains there are: one of them is given.
    pub(crate) enum AmountKey {
        Count = "count",
        Fraction = "fraction",
        TotalMass = "total_mass",
    }
}
