//! Grains at random places: one after the other, the largest first, each where it overlaps none
//! (random sequential addition).

use std::f64::consts::PI;

use glam::DVec3;
use rand_pcg::Pcg64;

use super::FillSpec;
use super::draw::Drawn;
use super::error::FillError;
use super::grid::{BallGrid, Obstacles};
use super::space::Space;
use super::streams::{Purpose, stream, unit};

/// Places tried for one grain before the region counts as full.
const TRIES: usize = 20_000;

/// Places tried for all grains together, on average.
const MEAN_TRIES: usize = 300;

/// Places tried for one grain before a column of rain grows.
const RAIN_TRIES: usize = 100;

/// Share of a column of rain that bounding balls take up at first: where places are still found
/// quickly. Spheres of one size jam at 0.38 and let the column grow until it is 0.2.
const RAIN_FRACTION: f64 = 0.25;

/// A column is never higher than this many times what it takes where the largest ball fits through
/// the top: above a funnel whose top is a point, no height would do.
const HIGHEST_COLUMN: f64 = 1e6;

/// The column grows by this share, and by the largest grain.
const RAIN_GROWTH: f64 = 0.02;

/// Bounding radius of the largest grain, 0 without grains.
pub(super) fn largest_of(grains: &[Drawn]) -> f64 {
    grains.iter().map(|grain| grain.radius).fold(0.0, f64::max)
}

/// Checks that the largest grain fits into the space.
pub(super) fn check_room(spec: &FillSpec, space: &Space, radius: f64) -> Result<(), FillError> {
    let room = space.room();
    if radius <= room * (1.0 + 1e-12) {
        return Ok(());
    }
    let region = spec.region.kind();
    Err(FillError::NoRoom {
        radius,
        room,
        region,
    })
}

/// The error that only the first `placed` grains, in the order of `order`, have a place.
pub(super) fn full(
    spec: &FillSpec,
    grains: &[Drawn],
    placed: usize,
    order: impl Fn(usize) -> usize,
    advice: &'static str,
) -> FillError {
    let balls: f64 = (0..placed).map(|k| ball(grains[order(k)].radius)).sum();
    FillError::Full {
        placed,
        wanted: grains.len(),
        region: spec.region.kind(),
        // Adding zero: no balls have a volume of -0.
        percent: 100.0 * (balls + 0.0) / spec.region.volume(),
        advice,
    }
}

fn ball(radius: f64) -> f64 {
    4.0 / 3.0 * PI * radius.powi(3)
}

/// Where each grain goes within the region, in world coordinates.
pub(super) fn scatter(
    spec: &FillSpec,
    grains: &[Drawn],
    obstacles: &Obstacles,
) -> Result<Vec<DVec3>, FillError> {
    let space = Space::of(&spec.region);
    check_room(spec, &space, largest_of(grains))?;
    let mut scatter = Scatter::new(spec, grains, obstacles);
    let mut budget = grains.len() * MEAN_TRIES + 5 * TRIES;
    for done in 0..grains.len() {
        let tries = scatter.place(&space, TRIES.min(budget));
        let Some(tries) = tries else {
            let advice = "make it larger, or choose lattice or rain";
            return Err(full(
                spec,
                grains,
                done,
                |k| scatter.order[k] as usize,
                advice,
            ));
        };
        budget -= tries;
    }
    Ok(scatter.centers)
}

/// Where each grain goes in a column on the region's bottom, in world coordinates.
pub(super) fn rain(
    spec: &FillSpec,
    grains: &[Drawn],
    obstacles: &Obstacles,
) -> Result<Vec<DVec3>, FillError> {
    let space = Space::of(&spec.region);
    if !space.is_open() {
        let region = spec.region.kind();
        return Err(FillError::NotUpright { region });
    }
    let largest = largest_of(grains);
    let balls: f64 = grains.iter().map(|grain| ball(grain.radius)).sum();
    let volume = balls / RAIN_FRACTION;
    // Where a ball fits through the top, a column of all of them is no higher than 6 radii each.
    let own = space.high.z - space.low.z;
    let limit = HIGHEST_COLUMN * (own + 6.0 * largest * grains.len() as f64);
    if !(limit.is_finite() && space.with_height(limit).volume() >= volume) {
        return Err(FillError::Column {
            region: spec.region.kind(),
            wanted: grains.len(),
            height: limit,
        });
    }
    let mut height = column_height(&space, volume).max(2.0 * largest);
    // However high the column, it does not get wider than its region.
    let tall = space.with_height(height + 2.0 * (space.high.z - space.low.z) + 2.0 * largest);
    check_room(spec, &tall, largest)?;
    // Obstacles over the whole column would let it grow for ever.
    let most = 1e3 * height + 10.0 * (space.high.z - space.low.z);
    let mut scatter = Scatter::new(spec, grains, obstacles);
    for done in 0..grains.len() {
        while scatter
            .place(&space.with_height(height), RAIN_TRIES)
            .is_none()
        {
            height += RAIN_GROWTH * height + 2.0 * largest;
            if height > most {
                let advice = "the obstacles leave no room above it";
                return Err(full(
                    spec,
                    grains,
                    done,
                    |k| scatter.order[k] as usize,
                    advice,
                ));
            }
        }
    }
    Ok(scatter.centers)
}

/// The height at which a column on the space's bottom has a volume.
fn column_height(space: &Space, volume: f64) -> f64 {
    let holds = |height: f64| space.with_height(height).volume() >= volume;
    let mut high = space.high.z - space.low.z;
    while !holds(high) && high < f64::MAX / 4.0 {
        high *= 2.0;
    }
    let mut low = 0.0;
    // To a thousandth: more would change nothing.
    while high - low > 1e-3 * high {
        let middle = 0.5 * (low + high);
        if holds(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

struct Scatter<'a> {
    grains: &'a [Drawn],
    obstacles: &'a Obstacles<'a>,
    /// Grains by falling radius.
    order: Vec<u32>,
    /// How many of them have a place.
    placed: usize,
    grid: BallGrid,
    /// Their places, in world coordinates.
    centers: Vec<DVec3>,
    rng: Pcg64,
}

impl<'a> Scatter<'a> {
    fn new(spec: &FillSpec, grains: &'a [Drawn], obstacles: &'a Obstacles<'a>) -> Self {
        let mut order: Vec<u32> = (0..grains.len() as u32).collect();
        let radius = |k: u32| grains[k as usize].radius;
        // Stable: equal ones in the order of drawing.
        order.sort_by(|&a, &b| radius(b).total_cmp(&radius(a)));
        Self {
            grains,
            obstacles,
            order,
            placed: 0,
            grid: BallGrid::new(grains.iter().map(|grain| grain.radius)),
            centers: vec![DVec3::ZERO; grains.len()],
            rng: stream(spec.seed, Purpose::Place),
        }
    }

    /// Finds a place for the next grain; after how many tries, if at all.
    fn place(&mut self, space: &Space, tries: usize) -> Option<usize> {
        let index = *self.order.get(self.placed)? as usize;
        let radius = self.grains[index].radius;
        let (low, span) = space.centers(radius);
        for tried in 1..=tries {
            let rng = &mut self.rng;
            let center = low + span * DVec3::new(unit(rng), unit(rng), unit(rng));
            if space.holds(center, radius)
                && self.grid.is_free(center, radius)
                && self.obstacles.spare(&space.frame, center, radius)
            {
                self.grid.insert(center, radius);
                self.centers[index] = space.frame.point(center);
                self.placed += 1;
                return Some(tried);
            }
        }
        None
    }
}
