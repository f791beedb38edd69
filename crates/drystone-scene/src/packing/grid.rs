//! Balls by place: whether a ball is free.
//!
//! Balls are kept in levels, each for radii within a factor of 2, each with a grid of cells as wide
//! as its balls. A level's cells are hashed into a table as large as its number of balls demands,
//! so memory does not depend on the volume. Two cells in one entry cost a comparison, nothing else:
//! whether balls overlap is decided by their distance alone.

use drystone::{Aabb, Pose};
use glam::DVec3;

use super::Obstacle;

const NONE: u32 = u32::MAX;

/// Radii below 2^-24 of the largest share the last level.
const MOST_LEVELS: usize = 24;

pub(super) struct BallGrid {
    levels: Vec<Level>,
    /// Largest radius.
    largest: f64,
}

struct Level {
    /// Largest radius of the level.
    radius: f64,
    cell: f64,
    /// First ball of each entry.
    heads: Vec<u32>,
    balls: Vec<Ball>,
}

struct Ball {
    center: DVec3,
    radius: f64,
    /// Next ball of the same entry.
    next: u32,
}

impl BallGrid {
    /// For balls of these radii, in any order.
    pub(super) fn new(radii: impl Iterator<Item = f64> + Clone) -> Self {
        let largest = radii.clone().fold(0.0, f64::max);
        let mut counts = [0_usize; MOST_LEVELS];
        for radius in radii {
            counts[level_of(radius, largest)] += 1;
        }
        let used = counts.iter().rposition(|&c| c > 0).map_or(0, |k| k + 1);
        let level = |(k, &count): (usize, &usize)| {
            let radius = largest * 0.5_f64.powi(k as i32);
            Level {
                radius,
                // A point obstacle has no size but needs a cell.
                cell: if radius > 0.0 { 2.0 * radius } else { 1.0 },
                heads: vec![NONE; (2 * count).next_power_of_two()],
                balls: Vec::with_capacity(count),
            }
        };
        Self {
            levels: counts[..used].iter().enumerate().map(level).collect(),
            largest,
        }
    }

    pub(super) fn insert(&mut self, center: DVec3, radius: f64) {
        let level = &mut self.levels[level_of(radius, self.largest)];
        let entry = level.entry(center.to_array().map(|x| level.cell_of(x)));
        let next = level.heads[entry];
        level.heads[entry] = level.balls.len() as u32;
        level.balls.push(Ball {
            center,
            radius,
            next,
        });
    }

    /// Whether a ball overlaps none. Balls that touch do not overlap.
    pub(super) fn is_free(&self, center: DVec3, radius: f64) -> bool {
        self.levels
            .iter()
            .all(|level| level.balls.is_empty() || level.is_free(center, radius))
    }
}

/// Level 0 holds radii above half the largest, level 1 those above a quarter, and so on.
fn level_of(radius: f64, largest: f64) -> usize {
    let mut bound = 0.5 * largest;
    let mut level = 0;
    while radius <= bound && level + 1 < MOST_LEVELS {
        bound *= 0.5;
        level += 1;
    }
    level
}

impl Level {
    fn cell_of(&self, x: f64) -> i64 {
        (x / self.cell).floor() as i64
    }

    /// Neighbours along x lie side by side in memory.
    fn entry(&self, cell: [i64; 3]) -> usize {
        let [x, y, z] = cell.map(|c| c as u64);
        let row = y.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ z.wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        let mixed = (row ^ (row >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed >> 32).wrapping_add(x) as usize & (self.heads.len() - 1)
    }

    fn is_free(&self, center: DVec3, radius: f64) -> bool {
        let reach = radius + self.radius;
        if reach <= self.cell {
            return self.is_free_near(center, radius, reach);
        }
        let low = (center - reach).to_array().map(|x| self.cell_of(x));
        let high = (center + reach).to_array().map(|x| self.cell_of(x));
        let cells: f64 = (0..3)
            .map(|k| high[k] as f64 - low[k] as f64 + 1.0)
            .product();
        // Few small obstacles around a large ball: looking at all of them is quicker than at all
        // its cells.
        if cells > self.balls.len() as f64 {
            return self.balls.iter().all(|ball| ball.spares(center, radius));
        }
        (low[2]..=high[2]).all(|z| {
            (low[1]..=high[1])
                .all(|y| (low[0]..=high[0]).all(|x| self.spares_cell([x, y, z], center, radius)))
        })
    }

    /// The same where the cell of the centre and its neighbours are all that matter. The nearer a
    /// cell, the likelier it holds a ball in the way, so these come first; in a crowded region most
    /// places are refused by the first few.
    fn is_free_near(&self, center: DVec3, radius: f64, reach: f64) -> bool {
        let cell = center.to_array().map(|x| self.cell_of(x));
        // Squared distances along each axis to the cell before, the own, the one behind.
        let gaps: [[f64; 3]; 3] = std::array::from_fn(|axis| {
            let before = center[axis] - cell[axis] as f64 * self.cell;
            let behind = self.cell - before;
            [before * before, 0.0, behind * behind]
        });
        NEAREST_FIRST.iter().all(|&[i, j, k]| {
            let gap = gaps[0][i] + gaps[1][j] + gaps[2][k];
            // Rounding may put a ball into the next cell: look a little further than the reach.
            if gap > reach * reach * (1.0 + 1e-9) {
                return true;
            }
            let next = [i, j, k].map(|step| step as i64 - 1);
            // Obstacles may lie so far out that their cells are the last that can be numbered.
            let at = [0, 1, 2].map(|axis| cell[axis].saturating_add(next[axis]));
            self.spares_cell(at, center, radius)
        })
    }

    /// Whether a ball overlaps none of those in a cell.
    fn spares_cell(&self, cell: [i64; 3], center: DVec3, radius: f64) -> bool {
        let mut k = self.heads[self.entry(cell)];
        while k != NONE {
            let ball = &self.balls[k as usize];
            if !ball.spares(center, radius) {
                return false;
            }
            k = ball.next;
        }
        true
    }
}

/// The 27 cells of a neighbourhood as steps from 0 to 2 along each axis, by distance: own, faces,
/// edges, corners.
const NEAREST_FIRST: [[usize; 3]; 27] = nearest_first();

const fn nearest_first() -> [[usize; 3]; 27] {
    let mut sorted = [[1; 3]; 27];
    let mut filled = 0;
    let mut away = 0;
    while away <= 3 {
        let mut k = 0;
        while k < 27 {
            let steps = [k % 3, k / 3 % 3, k / 9];
            let off =
                (steps[0] != 1) as usize + (steps[1] != 1) as usize + (steps[2] != 1) as usize;
            if off == away {
                sorted[filled] = steps;
                filled += 1;
            }
            k += 1;
        }
        away += 1;
    }
    sorted
}

impl Ball {
    fn spares(&self, center: DVec3, radius: f64) -> bool {
        let distance = self.radius + radius;
        self.center.distance_squared(center) >= distance * distance
    }
}

/// What grains must keep away from.
pub(super) struct Obstacles<'a> {
    balls: BallGrid,
    boxes: Vec<Aabb>,
    is_free: &'a dyn Fn(DVec3, f64) -> bool,
}

impl<'a> Obstacles<'a> {
    pub(super) fn new(obstacles: &[Obstacle], is_free: &'a dyn Fn(DVec3, f64) -> bool) -> Self {
        let balls = obstacles.iter().filter_map(|obstacle| match obstacle {
            Obstacle::Ball { center, radius } => Some((*center, *radius)),
            Obstacle::Box(_) => None,
        });
        let mut grid = BallGrid::new(balls.clone().map(|(_, radius)| radius));
        balls.for_each(|(center, radius)| grid.insert(center, radius));
        let boxes = obstacles.iter().filter_map(|obstacle| match obstacle {
            Obstacle::Ball { .. } => None,
            Obstacle::Box(b) => Some(*b),
        });
        Self {
            balls: grid,
            boxes: boxes.collect(),
            is_free,
        }
    }

    /// Whether a ball, in the coordinates of `frame`, is free.
    pub(super) fn spare(&self, frame: &Pose, center: DVec3, radius: f64) -> bool {
        let center = frame.point(center);
        let clear = |b: &Aabb| {
            let nearest = center.clamp(b.min, b.max);
            nearest.distance_squared(center) >= radius * radius && !b.contains(center)
        };
        self.boxes
            .iter()
            .all(|b| b.min.cmpgt(b.max).any() || clear(b))
            && self.balls.is_free(center, radius)
            && (self.is_free)(center, radius)
    }
}
