//! Which objects may touch: all overlapping pairs among axis-aligned boxes.
//!
//! # Method
//!
//! A grid of several levels. A box belongs to the level of its size, which is its largest extent; a level spans at most an octave
//! and its cells are as large as its largest box, rounded up to a sixteenth of an octave. So a level's boxes can only overlap when
//! their smallest corners, by which they are stored, lie in neighbouring cells. Every pair is found by its smaller box, or in the
//! same level by the one that comes first.
//!
//! 1. Each box gets a size class; the classes that occur are grouped into levels.
//! 2. Each box gets a key of 64 bits: level, cell along z, y and x, its index. The keys are sorted and the boxes brought into
//!    that order, so that neighbours in space are close in memory. Cells are four times finer along x than along y and z: within a
//!    row this is nearly a sweep along x.
//! 3. Rows of cells are run through against the rows next to them, and, in small groups of boxes, against the rows of coarser
//!    levels that they can reach. There is no table of cells: each row searched has a position that moves along.
//! 4. The pairs are put in order by counting.
//!
//! Cell numbers that need too many bits wrap around: boxes far apart then share a cell, which costs time and gives no wrong pairs,
//! since each pair's boxes are compared. A body that has flown far away thus does not make the cells coarse for the others.
//!
//! Infinite boxes and the largest handful are in no grid but in a list, against which all others are tested. Empty boxes, and those
//! with a coordinate that is not a number, give no pairs. A box so far out that cells of its size could not be numbered without
//! rounding gets a coarser level.
//!
//! # Cost
//!
//! Linear in the number of boxes and pairs, apart from the sort, as long as the boxes in a cell are few. It is not when many boxes
//! of very different extents along the axes crowd together (long thin rods along an axis, hundreds in a cube of their length), nor
//! with many infinite boxes. Work is shared out in fixed portions and each pair is found in one way only: the result does not
//! depend on the number of threads.

mod levels;
mod order;
mod search;

use rayon::prelude::*;

use crate::aabb::Aabb;
use levels::{Levels, NOTHING};
pub(crate) use order::reserve;
use order::{BucketedPairs, PairOrder};
use search::{PairFinder, SortedBoxes};

/// Boxes whose classes are found as one portion.
const PORTION: usize = 4096;
/// Sorted boxes searched as one share.
const SHARE: usize = 256;
/// Shares searched before their pairs are collected: bounds the memory for pairs in two places.
const SHARES_A_ROUND: usize = 64;

/// Finds all pairs of overlapping boxes; keeps its memory from call to call.
#[derive(Debug, Default)]
pub struct BroadPhase {
    classes: Vec<u16>,
    bounds: Vec<Aabb>,
    levels: Levels,
    keys: Vec<u64>,
    boxes: Vec<Aabb>,
    large: Vec<(Aabb, u32)>,
    shares: Vec<(PairFinder, BucketedPairs)>,
    order: PairOrder,
}

impl BroadPhase {
    /// All pairs `[i, j]`, `i < j`, whose boxes overlap and which `wanted` lets through, in ascending order. A box may be infinite
    /// (a plane's) or empty (an object that is switched off: no pairs). The same on any number of threads. `wanted` is asked once
    /// about each overlapping pair, the smaller index first.
    pub fn pairs(
        &mut self,
        boxes: &[Aabb],
        wanted: impl Fn(u32, u32) -> bool + Sync,
        out: &mut Vec<[u32; 2]>,
    ) {
        self.sort(boxes);
        self.order.begin(boxes.len());
        self.shares
            .resize_with(SHARES_A_ROUND, <(PairFinder, BucketedPairs)>::default);
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
        for round in (0..count).step_by(SHARE * SHARES_A_ROUND) {
            let used = (count - round).div_ceil(SHARE).min(SHARES_A_ROUND);
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

    /// Levels, sorted keys, the boxes in their order, and the list of boxes without level.
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
        // Those without level came last.
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

/// Size classes of boxes, and the bounds of the smallest corners of those that may go into a grid.
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
