//! Many grains at once: packings by pure geometry, the same for the same seed.
//!
//! [`fill`] draws grains, each a shape of a [`Template`] at a size of its [`Sizes`], and arranges
//! them in a [`Region`] so that no two overlap. Overlap is judged by bounding balls: exact for
//! spheres, on the safe side for all other shapes.
//!
//! ```
//! use drystone::Shape;
//! use drystone_scene::packing::{Amount, Arrangement, FillSpec, Region, Sizes, Template, fill};
//!
//! // A cylinder of 10 cm x 20 cm, a quarter full of balls between 4 and 6 mm.
//! let sizes = Sizes::Uniform { min: 0.004, max: 0.006 };
//! let spec = FillSpec {
//!     region: Region::cylinder([0.0, 0.0, 0.0], 0.05, 0.2),
//!     arrangement: Arrangement::Random,
//!     amount: Amount::SolidFraction { fraction: 0.25 },
//!     templates: vec![Template::new(Shape::sphere(1.0)?, sizes)],
//!     obstacles: vec![],
//!     seed: 1,
//! };
//! let grains = fill(&spec)?;
//! assert!(grains.iter().all(|grain| spec.region.contains_ball(grain.center, grain.radius)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Purposes (which template, which size, where, which way) draw from random streams of their own,
//! so that changing one, say the arrangement, leaves the others as they were.

mod draw;
mod error;
mod grid;
mod lattice;
mod random;
mod region;
mod sizes;
mod space;
mod streams;
mod template;

use drystone::{Aabb, Pose, Shape, ShapeError};
use glam::DVec3;

pub use error::FillError;
pub use lattice::Lattice;
pub use region::Region;
pub use sizes::{SieveRow, Sizes};
pub use template::{Orientation, Template, scaled};

use draw::Drawn;
use grid::Obstacles;
use streams::{Purpose, stream};

/// The most grains that one call makes.
pub const MOST_GRAINS: usize = 20_000_000;

/// What to fill, with what, how.
#[derive(Clone, Debug, PartialEq)]
pub struct FillSpec {
    /// Where the grains go.
    pub region: Region,
    /// How they lie.
    pub arrangement: Arrangement,
    /// How many.
    pub amount: Amount,
    /// What they look like: at least one.
    pub templates: Vec<Template>,
    /// What they must not overlap, besides each other.
    pub obstacles: Vec<Obstacle>,
    /// Seed of all random choices.
    pub seed: u64,
}

/// How grains lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arrangement {
    /// On the points of a lattice, layer after layer from the region's bottom. The largest grain
    /// decides the spacing.
    Lattice {
        /// Which lattice.
        kind: Lattice,
        /// Distance of neighbouring points in diameters of the largest grain's bounding ball, at
        /// least 1.
        spacing: f64,
        /// How far grains are moved off the points at random: a share from 0 to 1 of the gap that
        /// their neighbours leave them, so that none overlap even at 1.
        jitter: f64,
    },
    /// At random places, the largest grains first. Reaches about a third of the region's volume,
    /// more with a wide range of sizes.
    Random,
    /// At random places in a column that stands on the region's bottom and is as high as it takes,
    /// higher than the region if need be: to be settled by gravity along -z. For upright regions
    /// only: boxes, and cylinders and frusta along +z.
    Rain,
}

/// How many grains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// This many.
    Count(usize),
    /// As many as take up this share of the region's volume, to the nearest grain.
    SolidFraction {
        /// Volume of the grains over that of the region, greater than 0, less than 1 except for
        /// [`Arrangement::Rain`].
        fraction: f64,
    },
    /// As many as have this mass together, to the nearest grain.
    Mass {
        /// Their mass, kg.
        mass: f64,
        /// Density of the solid, kg/m³.
        density: f64,
    },
}

/// What grains must not overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Obstacle {
    /// A ball.
    Ball {
        /// Its centre, m.
        center: DVec3,
        /// Its radius, m.
        radius: f64,
    },
    /// A box along the axes.
    Box(Aabb),
}

/// One grain of a packing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grain {
    /// Which template it is made from.
    pub template: usize,
    /// Diameter of the sphere of the same volume, m.
    pub size: f64,
    /// Its lengths over those of the template's shape.
    pub scale: f64,
    /// Where the shape's frame lies.
    pub pose: Pose,
    /// Centre of its bounding ball, m.
    pub center: DVec3,
    /// Radius of its bounding ball, m.
    pub radius: f64,
}

impl Grain {
    /// The grain's shape at its size.
    pub fn shape(&self, templates: &[Template]) -> Result<Shape, ShapeError> {
        scaled(&templates[self.template].shape, self.scale)
    }
}

/// Makes a packing. Grains come in the order in which they were drawn, whatever the arrangement.
pub fn fill(spec: &FillSpec) -> Result<Vec<Grain>, FillError> {
    fill_where(spec, &|_, _| true)
}

/// Makes a packing of grains whose bounding balls, given by centre and radius in m, are all free in
/// the eyes of `is_free`.
pub fn fill_where(
    spec: &FillSpec,
    is_free: &dyn Fn(DVec3, f64) -> bool,
) -> Result<Vec<Grain>, FillError> {
    spec.region.check()?;
    check_obstacles(&spec.obstacles)?;
    let bounds = template::measure_all(&spec.templates)?;
    let drawn = draw::draw(spec, &bounds)?;
    if drawn.is_empty() {
        return Ok(Vec::new()); // nothing tells the distance of neighbours
    }
    check_resolution(spec, &drawn)?;
    let obstacles = Obstacles::new(&spec.obstacles, is_free);
    let centers = match spec.arrangement {
        Arrangement::Lattice {
            kind,
            spacing,
            jitter,
        } => lattice::arrange(spec, kind, spacing, jitter, &drawn, &obstacles)?,
        Arrangement::Random => random::scatter(spec, &drawn, &obstacles)?,
        Arrangement::Rain => random::rain(spec, &drawn, &obstacles)?,
    };
    let mut turns = stream(spec.seed, Purpose::Orientation);
    let place = |(grain, center): (&Drawn, DVec3)| {
        let rotation = spec.templates[grain.template].orientation.draw(&mut turns);
        let offset = rotation * (grain.scale * bounds[grain.template].center);
        Grain {
            template: grain.template,
            size: grain.size,
            scale: grain.scale,
            pose: Pose {
                position: center - offset,
                rotation,
            },
            center,
            radius: grain.radius,
        }
    };
    Ok(drawn.iter().zip(centers).map(place).collect())
}

/// Coordinates may be this many times the radius of the smallest grain: then rounding is 1e-4 of
/// that radius, and cells are far from overflow.
const MOST_RADII: f64 = 1e12;

/// Checks that coordinates tell grains apart.
fn check_resolution(spec: &FillSpec, drawn: &[Drawn]) -> Result<(), FillError> {
    let radius = drawn.iter().map(|grain| grain.radius);
    let radius = radius.fold(f64::INFINITY, f64::min);
    let reach = spec.region.reach();
    if radius > 0.0 && reach <= MOST_RADII * radius {
        return Ok(());
    }
    Err(FillError::Rounding { radius, reach })
}

/// How many grains a packing has at least, without placing any; 0 where that cannot be told.
pub fn least_count(spec: &FillSpec) -> u64 {
    match spec.amount {
        Amount::Count(count) => count as u64,
        Amount::SolidFraction { .. } | Amount::Mass { .. } => {
            let bounds = template::measure_all(&spec.templates);
            bounds.map_or(0, |bounds| draw::least_count(spec, &bounds))
        }
    }
}

fn check_obstacles(obstacles: &[Obstacle]) -> Result<(), FillError> {
    for (index, obstacle) in obstacles.iter().enumerate() {
        let fine = match obstacle {
            Obstacle::Ball { center, radius } => {
                center.is_finite() && radius.is_finite() && *radius >= 0.0
            }
            // Infinite boxes are walls.
            Obstacle::Box(b) => !b.min.is_nan() && !b.max.is_nan(),
        };
        if !fine {
            return Err(FillError::Obstacle { index });
        }
    }
    Ok(())
}
