//! Grains on the points of a lattice.

use glam::DVec3;

use super::FillSpec;
use super::draw::Drawn;
use super::error::FillError;
use super::grid::Obstacles;
use super::random::{check_room, full, largest_of};
use super::space::Space;
use super::streams::{Purpose, in_unit_ball, stream};

/// A lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lattice {
    /// Cubes: each point has 6 neighbours.
    SimpleCubic,
    /// The densest: face-centred cubic, standing on one of its hexagonal layers. Each point has 12
    /// neighbours.
    FaceCentred,
}

/// Points looked at beyond those that grains need, before the obstacles are said to leave no room.
const WASTED_POINTS: usize = 20_000_000;

/// Where each grain goes, in world coordinates.
pub(super) fn arrange(
    spec: &FillSpec,
    kind: Lattice,
    spacing: f64,
    jitter: f64,
    grains: &[Drawn],
    obstacles: &Obstacles,
) -> Result<Vec<DVec3>, FillError> {
    check(
        "lattice: spacing",
        spacing,
        1.0,
        f64::MAX,
        "a finite number >= 1",
    )?;
    check("lattice: jitter", jitter, 0.0, 1.0, "a number from 0 to 1")?;
    let space = Space::of(&spec.region);
    let largest = largest_of(grains);
    check_room(spec, &space, largest)?;
    // The largest grain at spacing 1 fills the half distance to the last bit, but not more.
    let half = spacing * largest;
    let mut rng = stream(spec.seed, Purpose::Place);
    let mut centers = Vec::with_capacity(grains.len());
    let mut wasted = 0;
    let mut points = Points::new(kind, 2.0 * half, largest, &space);
    while let Some(grain) = grains.get(centers.len()) {
        let fits = |center| {
            space.holds(center, grain.radius) && obstacles.spare(&space.frame, center, grain.radius)
        };
        let found = points
            .next()
            .filter(|_| wasted < WASTED_POINTS + 4 * grains.len());
        let Some(point) = found else {
            let advice = "make it larger, the spacing smaller or the arrangement face-centred";
            return Err(full(spec, grains, centers.len(), |k| k, advice));
        };
        let moved = point + jitter * (half - grain.radius) * in_unit_ball(&mut rng);
        // Where the wall is in the way, the point itself may still do.
        let center = [moved, point].into_iter().find(|&center| fits(center));
        match center {
            Some(center) => centers.push(space.frame.point(center)),
            None => wasted += 1,
        }
    }
    Ok(centers)
}

fn check(
    what: &'static str,
    value: f64,
    low: f64,
    high: f64,
    expected: &'static str,
) -> Result<(), FillError> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(FillError::Value {
        what,
        value,
        expected,
    })
}

/// The lattice's points in the box of a space, row after row, layer after layer.
struct Points {
    kind: Lattice,
    /// Distance of neighbours.
    distance: f64,
    /// The point of index 0, 0, 0.
    first: DVec3,
    /// Points along each axis.
    counts: [usize; 3],
    at: [usize; 3],
}

impl Points {
    fn new(kind: Lattice, distance: f64, radius: f64, space: &Space) -> Self {
        let steps = distance * steps(kind);
        let size = (space.high - space.low - 2.0 * radius).max(DVec3::ZERO);
        // As many as fit, to within rounding; in the middle, but on the ground.
        let fit = (size / steps + 1e-9).floor();
        let mut margin = 0.5 * (size - fit * steps).max(DVec3::ZERO);
        margin.z = 0.0;
        let shifted = match kind {
            Lattice::SimpleCubic => 0,
            // Shifted rows reach to the left of the first point.
            Lattice::FaceCentred => 1,
        };
        let first =
            space.low + radius + margin - steps * DVec3::new(shifted as f64, shifted as f64, 0.0);
        let [x, y, z] = fit.to_array().map(|n| n as usize + 1);
        Self {
            kind,
            distance,
            first,
            counts: [x + 2 * shifted, y + 2 * shifted, z],
            at: [0; 3],
        }
    }
}

/// Distances of points in a row, of rows, of layers, for neighbours at distance 1.
fn steps(kind: Lattice) -> DVec3 {
    match kind {
        Lattice::SimpleCubic => DVec3::ONE,
        Lattice::FaceCentred => DVec3::new(1.0, 0.75_f64.sqrt(), (2.0 / 3.0_f64).sqrt()),
    }
}

impl Iterator for Points {
    type Item = DVec3;

    fn next(&mut self) -> Option<DVec3> {
        let [i, j, k] = self.at;
        if k >= self.counts[2] {
            return None;
        }
        self.at = if i + 1 < self.counts[0] {
            [i + 1, j, k]
        } else if j + 1 < self.counts[1] {
            [0, j + 1, k]
        } else {
            [0, 0, k + 1]
        };
        let shift = match self.kind {
            Lattice::SimpleCubic => DVec3::ZERO,
            // Every second row moves by half a distance; layers follow each other in threes, each
            // in the hollows of the last.
            Lattice::FaceCentred => {
                let layer = k % 3;
                DVec3::new(0.5 * ((j + layer) % 2) as f64, layer as f64 / 3.0, 0.0)
            }
        };
        let index = DVec3::new(i as f64, j as f64, k as f64) + shift;
        Some(self.first + self.distance * (index * steps(self.kind)))
    }
}
