//! Which objects may touch: all overlapping pairs among axis-aligned boxes.
//!
//! # Method
//!
//! A grid of several levels. A box belongs to the level of its size, which is its largest extent. A
//! level spans at most an octave (a factor of two), and its cells are as large as its largest box,
//! rounded up to a sixteenth of an octave. A box is stored in the cell of its smallest corner. So
//! two boxes of a level can only overlap when they are stored in neighbouring cells. Each pair is
//! found once: by its smaller box, or within a level by the one that comes first.
//!
//! 1. Each box gets a size class. The classes that occur are grouped into levels.
//! 2. Each box gets a key of 64 bits: level, cell along z, y and x, its index. The keys are sorted
//!    and the boxes brought into that order, so that neighbours in space are close in memory. Cells
//!    are four times finer along x than along y and z: within a row this is nearly a sweep along x.
//! 3. Each row of cells is compared with the rows next to it and, in small groups of boxes, with
//!    the rows of coarser levels that it can reach. There is no table of cells: in each of these
//!    rows a position moves along.
//! 4. The pairs are put in order by counting.
//!
//! Cell numbers that need too many bits wrap around: boxes far apart then share a cell. This costs
//! time and gives no wrong pairs, since the boxes of each pair are compared. A body that has flown
//! far away thus does not make the cells coarse for the others.
//!
//! Infinite boxes and the few largest ones are in no grid but in a list, and all others are
//! compared with them. Empty boxes, and those with a coordinate that is not a number, give no
//! pairs. A box so far out that cells of its size could not be numbered without rounding gets a
//! coarser level.
//!
//! # Cost
//!
//! Linear in the number of boxes and pairs, apart from the sort, as long as the boxes in a cell are
//! few. It is not when many boxes of very different extents along the axes crowd together (hundreds
//! of long thin rods along an axis in a cube of their length), nor with many infinite boxes. The
//! example `broad_phase` measures it. Work is divided into fixed portions and each pair is found in
//! one way only: the result does not depend on the number of threads.

mod levels;
mod order;
mod search;

use rayon::prelude::*;

use crate::aabb::Aabb;
use levels::{Levels, NOTHING};
pub(crate) use order::reserve;
use order::{BucketedPairs, PairOrder};
use search::{PairFinder, SortedBoxes};

/// Boxes that a thread classifies, numbers or copies at a time: enough that handing them to it
/// costs little.
const PORTION: usize = 4096;
/// Sorted boxes that are searched as one share. With a handful of pairs for each box, a share and
/// its pairs take some 20 kB and stay in a processor's nearest cache.
const SHARE: usize = 256;
/// Shares that are searched before their pairs are collected. Pairs stand in the shares and in the
/// list of all; this bounds the memory of the shares, whatever the number of boxes.
const SHARES_PER_ROUND: usize = 64;

/// Finds all pairs of overlapping boxes. It keeps its memory, and nothing else, from call to call.
#[derive(Debug, Default)]
pub struct BroadPhase {
    /// Size class of each box.
    classes: Vec<u16>,
    /// Of each portion: the box around the smallest corners of its boxes.
    bounds: Vec<Aabb>,
    levels: Levels,
    /// Sort keys of the boxes in a grid, ascending, with padding behind.
    keys: Vec<u64>,
    /// The boxes in the order of their keys.
    boxes: Vec<Aabb>,
    /// The boxes in no grid, with their indices.
    large: Vec<(Aabb, u32)>,
    /// Work memory of each share of a round.
    shares: Vec<(PairFinder, BucketedPairs)>,
    order: PairOrder,
}

impl BroadPhase {
    /// Replaces the content of `out` with all pairs `[i, j]`, `i < j`, whose boxes overlap and
    /// which `wanted` lets through, in ascending order.
    ///
    /// A box may be infinite (that of a plane) or empty (that of an object which takes no part: no
    /// pairs). `wanted` is asked once about each overlapping pair, the smaller index first. The
    /// result is the same on any number of threads.
    pub fn pairs(
        &mut self,
        boxes: &[Aabb],
        wanted: impl Fn(u32, u32) -> bool + Sync,
        out: &mut Vec<[u32; 2]>,
    ) {
        self.sort(boxes);
        self.order.begin(boxes.len());
        self.shares
            .resize_with(SHARES_PER_ROUND, <(PairFinder, BucketedPairs)>::default);
        let shift = self.order.shift;

        if !self.large.is_empty() {
            let (finder, parted) = &mut self.shares[0];
            finder.among_large(&self.large, &wanted);
            parted.part(&finder.found, shift);
            self.order.append(parted);
        }
        let grid = SortedBoxes {
            layout: self.levels.layout,
            levels: &self.levels.levels,
            keys: &self.keys,
            boxes: &self.boxes,
            large: &self.large,
        };
        let count = self.levels.in_grid;
        for round in (0..count).step_by(SHARE * SHARES_PER_ROUND) {
            let used = (count - round).div_ceil(SHARE).min(SHARES_PER_ROUND);
            let shares = &mut self.shares[..used];
            shares
                .par_iter_mut()
                .enumerate()
                .for_each(|(k, (finder, parted))| {
                    let start = round + k * SHARE;
                    finder.search(&grid, start..(start + SHARE).min(count), &wanted);
                    parted.part(&finder.found, shift);
                });
            for (_, parted) in shares {
                self.order.append(parted);
            }
        }
        self.order.finish(out);
    }

    /// Makes the levels, the sorted keys, the boxes in their order, and the list of boxes in no
    /// grid.
    fn sort(&mut self, boxes: &[Aabb]) {
        self.classes.resize(boxes.len(), NOTHING);
        self.bounds
            .resize(boxes.len().div_ceil(PORTION), Aabb::EMPTY);
        self.classes
            .par_chunks_mut(PORTION)
            .zip(boxes.par_chunks(PORTION))
            .zip(&mut self.bounds)
            .for_each(|((classes, boxes), bounds)| *bounds = classify(boxes, classes));
        let bounds = self
            .bounds
            .iter()
            .fold(Aabb::EMPTY, |all, part| all.union(part));
        self.levels.build(&self.classes, &bounds);

        let levels = &self.levels;
        self.large.clear();
        if levels.any_large {
            for (i, &class) in self.classes.iter().enumerate() {
                if levels.is_large(class) {
                    self.large.push((boxes[i], i as u32));
                }
            }
        }
        self.keys.resize(boxes.len(), 0);
        self.keys
            .par_iter_mut()
            .with_min_len(PORTION)
            .enumerate()
            .for_each(|(i, key)| *key = levels.key(i as u32, self.classes[i], &boxes[i]));
        self.keys.par_sort_unstable();
        // The keys of boxes in no grid are the largest.
        self.keys.truncate(levels.in_grid);
        self.boxes.truncate(levels.in_grid);
        let padded = levels.in_grid + search::PADDING;
        reserve(&mut self.keys, padded - levels.in_grid);
        self.keys.resize(padded, u64::MAX);
        self.boxes.resize(padded, Aabb::EMPTY);
        self.boxes[..levels.in_grid]
            .par_iter_mut()
            .with_min_len(PORTION)
            .zip(&self.keys)
            .for_each(|(b, &key)| *b = boxes[levels.layout.index(key) as usize]);
    }
}

/// Writes the size classes of boxes. Gives the box around the smallest corners of those that may go
/// into a grid.
fn classify(boxes: &[Aabb], classes: &mut [u16]) -> Aabb {
    let mut bounds = Aabb::EMPTY;
    for (b, class) in boxes.iter().zip(classes) {
        *class = levels::class(b);
        if *class < levels::INFINITE {
            bounds.min = bounds.min.min(b.min);
            bounds.max = bounds.max.max(b.min);
        }
    }
    bounds
}
