//! What can be wrong with a packing.

use drystone::ShapeError;
use drystone_collide::number::{Number, Numbers};

/// Why a packing cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FillError {
    /// A number is out of its range.
    #[error("{what} is {}, expected {expected}", Number(*value))]
    Value {
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it should be.
        expected: &'static str,
    },
    /// A point or direction is not finite, or a direction is zero.
    #[error("{what} is {}, expected {expected}", Numbers(value))]
    Vector {
        /// Which vector.
        what: &'static str,
        /// Its value.
        value: [f64; 3],
        /// What it should be.
        expected: &'static str,
    },
    /// A box whose lower corner is not below its upper one.
    #[error(
        "region: the box reaches from {} to {} along {axis}, expected finite numbers, the first \
         smaller", Number(*low), Number(*high)
    )]
    EmptyBox {
        /// The axis.
        axis: char,
        /// Lower end, m.
        low: f64,
        /// Upper end, m.
        high: f64,
    },
    /// Nothing to fill with.
    #[error("no templates, expected at least 1")]
    NoTemplates,
    /// Something about a template.
    #[error("template {index}: {fault}")]
    Template {
        /// Which template, from 0.
        index: usize,
        /// What is wrong.
        #[source]
        fault: Box<FillError>,
    },
    /// A shape without volume or bound.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A shape that cannot be a grain.
    #[error("a {kind} cannot be a grain, expected a shape with volume")]
    NotAGrain {
        /// Kind of shape.
        kind: &'static str,
    },
    /// The least size is not below the greatest.
    #[error(
        "{what}: sizes from {} m to {} m, expected finite numbers > 0, the second greater",
        Number(*min), Number(*max)
    )]
    Range {
        /// Which distribution.
        what: &'static str,
        /// Least size, m.
        min: f64,
        /// Greatest size, m.
        max: f64,
    },
    /// A row of a sieve table.
    #[error("sieve: row {row} ({} m, {} %): {expected}", Number(*size), Number(*passing))]
    Sieve {
        /// Which row, from 0.
        row: usize,
        /// Its size, m.
        size: f64,
        /// Its mass passing, %.
        passing: f64,
        /// What was expected.
        expected: &'static str,
    },
    /// A sieve table that is too short.
    #[error("sieve: {rows} rows, expected at least 2")]
    SieveRows {
        /// How many rows.
        rows: usize,
    },
    /// More grains than one call makes.
    #[error("more than {most} grains are wanted; use larger grains or fill a smaller part")]
    TooMany {
        /// The most.
        most: usize,
    },
    /// The amount rounds to no grain at all.
    #[error(
        "the amount, {} m³ of solid, is less than half a grain of {} m³",
        Number(*amount), Number(*grain)
    )]
    LessThanAGrain {
        /// Volume wanted, m³.
        amount: f64,
        /// Volume of the first grain drawn, m³.
        grain: f64,
    },
    /// The largest grain does not fit.
    #[error(
        "the largest grain needs a ball of radius {} m, but the {region} has room for one of {} m \
         at most; make it larger or the grains smaller", Number(*radius), Number(*room)
    )]
    NoRoom {
        /// Bounding radius of the largest grain, m.
        radius: f64,
        /// Radius of the largest ball that fits, m.
        room: f64,
        /// Kind of region.
        region: &'static str,
    },
    /// A column of rain that never holds all grains: the region narrows upwards.
    #[error(
        "a column over this {region} would not hold {wanted} grains even at a height of {} m; make \
         its top wider, or choose random or lattice", Number(*height)
    )]
    Column {
        /// Kind of region.
        region: &'static str,
        /// Grains wanted.
        wanted: usize,
        /// The greatest height looked at, m.
        height: f64,
    },
    /// Grains so small against the coordinates that rounding decides whether they overlap.
    #[error(
        "the smallest grain has a radius of {} m, but coordinates reach to {} m; expected no more \
         than 1e12 radii", Number(*radius), Number(*reach)
    )]
    Rounding {
        /// Bounding radius of the smallest grain, m.
        radius: f64,
        /// Greatest coordinate of the region, m.
        reach: f64,
    },
    /// Not all grains found a place.
    #[error(
        "placed {placed} of {wanted} grains: the {region} is {} % full of their bounding balls; \
         {advice}", Number((10.0 * percent).round() / 10.0)
    )]
    Full {
        /// Grains placed.
        placed: usize,
        /// Grains wanted.
        wanted: usize,
        /// Kind of region.
        region: &'static str,
        /// Volume of the bounding balls placed over that of the region, %.
        percent: f64,
        /// What would help.
        advice: &'static str,
    },
    /// Rain falls along -z and needs a region that is open upwards.
    #[error(
        "rain fills boxes, and cylinders and frusta whose axis is +z, from above, not this \
         {region}; choose random or lattice"
    )]
    NotUpright {
        /// Kind of region.
        region: &'static str,
    },
    /// An obstacle with figures that are not numbers.
    #[error("obstacle {index}: expected finite figures and a radius >= 0")]
    Obstacle {
        /// Which obstacle, from 0.
        index: usize,
    },
}

impl FillError {
    /// The same about a template.
    pub(super) fn of_template(self, index: usize) -> Self {
        Self::Template {
            index,
            fault: Box::new(self),
        }
    }
}

/// `value` if it is finite and positive.
pub(super) fn positive(what: &'static str, value: f64) -> Result<f64, FillError> {
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        let expected = "a finite number > 0";
        Err(FillError::Value {
            what,
            value,
            expected,
        })
    }
}
