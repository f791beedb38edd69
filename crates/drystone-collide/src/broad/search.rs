//! Overlapping pairs of a share of the sorted boxes.
//!
//! Boxes of one level and one row (equal cells along y and z) are neighbours in memory, in
//! ascending order along x. A row is compared with the four rows after it in its own level, and
//! with the rows of coarser levels that it can reach. In each of these rows a position moves along;
//! no cell is ever looked up.

use std::ops::Range;

use super::levels::{FINER_X, Layout, Level};
use crate::aabb::Aabb;

/// Most boxes that ask the coarser levels together. Asking searches every row in reach, so
/// neighbours share the answer; but each box of a group is then compared with all that the group
/// found.
const GROUP: usize = 16;
/// Greatest distance along x of the boxes of a group, in the level's cells along y: a longer group
/// would find much that is near only a few of its boxes.
const GROUP_CELLS: f64 = 16.0;

/// Boxes that are compared at a time, without a branch between them. [`PADDING`] stands behind the
/// last box, so that no batch is short.
const BATCH: usize = 4;
/// Entries behind the last box: the largest key, and the empty box, which overlaps nothing.
pub(super) const PADDING: usize = BATCH;
/// Share of a cell by which a row may reach farther than its cells say. It covers the rounding of
/// cell borders, which is below 2⁻¹¹ of a cell.
const BORDER: f64 = 0.01;

/// The sorted boxes.
pub(super) struct SortedBoxes<'a> {
    pub(super) layout: Layout,
    /// The coarsest first.
    pub(super) levels: &'a [Level],
    /// Ascending, with [`PADDING`].
    pub(super) keys: &'a [u64],
    /// The box of each key.
    pub(super) boxes: &'a [Aabb],
    /// Boxes in no grid, with their indices.
    pub(super) large: &'a [(Aabb, u32)],
}

/// Work memory and result of one share.
#[derive(Debug, Default)]
pub(super) struct PairFinder {
    /// Pairs, the smaller index in the upper 32 bits.
    pub(super) found: Vec<u64>,
    /// Sorted positions of two boxes that overlap, found in the row at hand. Only the first `count`
    /// entries are valid.
    hits: Vec<u64>,
    count: usize,
    /// Where the four rows after the last one began.
    ahead: [usize; 4],
    /// The rows in reach, for each coarser level.
    reached: Vec<ReachedRows>,
    /// Boxes of coarser levels near a group, with their indices.
    near: Vec<(Aabb, u32)>,
}

/// The rows of a level that a finer row can reach.
#[derive(Debug, Default)]
struct ReachedRows {
    /// First and last cell along y and z, not wrapped.
    cells: Option<[i64; 4]>,
    rows: Vec<OccupiedRow>,
}

/// An occupied row.
#[derive(Clone, Copy, Debug)]
struct OccupiedRow {
    row: u64,
    /// Where the last search in it ended.
    position: usize,
}

impl PairFinder {
    /// Looks for the pairs of the boxes at sorted positions `range` with those after them in their
    /// level, and with all that are in coarser levels or in no grid.
    pub(super) fn search(
        &mut self,
        grid: &SortedBoxes<'_>,
        range: Range<usize>,
        wanted: &impl Fn(u32, u32) -> bool,
    ) {
        self.found.clear();
        self.ahead = [range.start; 4];
        self.reached
            .resize_with(grid.levels.len(), ReachedRows::default);
        for reached in &mut self.reached {
            reached.cells = None; // what is there belongs to another share
        }
        let shift = grid.layout.row_shift();
        let mut start = range.start;
        while start < range.end {
            let row = grid.keys[start] >> shift;
            let mut end = start + 1;
            while end < range.end && grid.keys[end] >> shift == row {
                end += 1;
            }
            self.same_row(grid, row, start..end);
            self.rows_ahead(grid, row, start..end);
            self.emit_hits(grid, wanted);
            let (level, _, _) = grid.layout.parts_of_row(row);
            if level > 0 || !grid.large.is_empty() {
                self.coarser(grid, level, start..end, wanted);
            }
            start = end;
        }
    }

    /// Turns the hits of a row into pairs.
    fn emit_hits(&mut self, grid: &SortedBoxes<'_>, wanted: &impl Fn(u32, u32) -> bool) {
        let index = |position: u64| grid.layout.index(grid.keys[position as usize]);
        let hits = std::mem::take(&mut self.hits);
        for &hit in &hits[..self.count] {
            self.emit(index(hit >> 32), index(hit & u64::from(u32::MAX)), wanted);
        }
        self.hits = hits;
        self.count = 0;
    }

    /// Pairs within a row.
    fn same_row(&mut self, grid: &SortedBoxes<'_>, row: u64, run: Range<usize>) {
        let layout = &grid.layout;
        let last = layout.last_cell(0);
        for p in run {
            let x = layout.x(grid.keys[p]);
            let limit = layout.last_key(row, (x + FINER_X).min(last));
            self.scan(grid, p, p + 1, limit);
            if x + FINER_X > last {
                self.wrapped(grid, p, row, 0..x + FINER_X - last);
            }
        }
    }

    /// Pairs with the next row along y and the three next along z. So each two neighbouring rows
    /// meet once.
    fn rows_ahead(&mut self, grid: &SortedBoxes<'_>, row: u64, run: Range<usize>) {
        let layout = &grid.layout;
        let last = layout.last_cell(0);
        let (level, z, y) = layout.parts_of_row(row);
        let up = (z + 1) & layout.last_cell(2);
        let right = (y + 1) & layout.last_cell(1);
        let left = y.wrapping_sub(1) & layout.last_cell(1);
        for (k, (z, y)) in [(z, right), (up, left), (up, y), (up, right)]
            .into_iter()
            .enumerate()
        {
            let row = layout.row(level, z, y);
            let mut position = seek(grid.keys, self.ahead[k], layout.first_key(row, 0));
            self.ahead[k] = position;
            if !occupied(grid, position, row) {
                continue;
            }
            for p in run.clone() {
                let x = layout.x(grid.keys[p]);
                let first = layout.first_key(row, x.saturating_sub(FINER_X));
                // Mostly one or two steps, which the processor cannot predict: these are taken
                // without branches. They end at the padding at the latest, whose keys are the
                // largest.
                position += usize::from(grid.keys[position] < first);
                position += usize::from(grid.keys[position] < first);
                while grid.keys[position] < first {
                    position += 1;
                }
                let limit = layout.last_key(row, (x + FINER_X).min(last));
                self.scan(grid, p, position, limit);
                if x < FINER_X {
                    self.wrapped(grid, p, row, last + 1 + x - FINER_X..last + 1);
                }
                if x + FINER_X > last {
                    self.wrapped(grid, p, row, 0..x + FINER_X - last);
                }
            }
        }
    }

    /// Compares box `p` with those from position `from` on whose keys are at most `limit`. The
    /// processor cannot predict which of them overlap: each is written down, and the next one
    /// overwrites it unless it does.
    #[inline(always)]
    fn scan(&mut self, grid: &SortedBoxes<'_>, p: usize, from: usize, limit: u64) {
        let b = grid.boxes[p];
        let mut q = from;
        while let (Some(keys), Some(boxes)) =
            (grid.keys.get(q..q + BATCH), grid.boxes.get(q..q + BATCH))
        {
            if keys[0] > limit {
                break;
            }
            if self.hits.len() < self.count + BATCH {
                self.more_hits();
            }
            let notes = &mut self.hits[self.count..self.count + BATCH];
            let mut n = 0;
            for k in 0..BATCH {
                notes[n % BATCH] = (p as u64) << 32 | (q + k) as u64;
                n += usize::from((keys[k] <= limit) & b.overlaps(&boxes[k]));
            }
            self.count += n;
            q += BATCH;
        }
    }

    #[cold]
    #[inline(never)]
    fn more_hits(&mut self) {
        self.hits.resize(2 * self.hits.len() + BATCH, 0);
    }

    /// Compares box `p` with the cells `x` of a row: those on the other side of the border at which
    /// cell numbers wrap around.
    #[cold]
    #[inline(never)]
    fn wrapped(&mut self, grid: &SortedBoxes<'_>, p: usize, row: u64, x: Range<u64>) {
        let from = seek(grid.keys, p, grid.layout.first_key(row, x.start));
        self.scan(grid, p, from, grid.layout.last_key(row, x.end - 1));
    }

    /// Pairs of a row with coarser levels and with boxes in no grid.
    fn coarser(
        &mut self,
        grid: &SortedBoxes<'_>,
        level: usize,
        run: Range<usize>,
        wanted: &impl Fn(u32, u32) -> bool,
    ) {
        let own = &grid.levels[level];
        let mut start = run.start;
        while start < run.end {
            let first = &grid.boxes[start];
            let cell = own.cell_of(first.min.to_array());
            let mut union = *first;
            let mut end = start + 1;
            while end < run.end && end - start < GROUP {
                let next = &grid.boxes[end];
                let [_, y, z] = own.cell_of(next.min.to_array());
                // Rows far apart may have the same wrapped numbers.
                if [y, z] != [cell[1], cell[2]]
                    || (next.min.x - first.min.x).abs() > GROUP_CELLS * own.cell
                {
                    break;
                }
                union = union.union(next);
                end += 1;
            }
            self.gather(grid, level, [cell[1], cell[2]], &union);
            self.test_group(grid, start..end, wanted);
            start = end;
        }
    }

    /// Collects the boxes of coarser levels, or in no grid, that overlap `union`, which holds boxes
    /// of `level` in the cells `cell` along y and z.
    fn gather(&mut self, grid: &SortedBoxes<'_>, level: usize, cell: [i64; 2], union: &Aabb) {
        self.near.clear();
        self.near
            .extend(grid.large.iter().filter(|(b, _)| b.overlaps(union)));
        let layout = &grid.layout;
        let own = &grid.levels[level];
        for n in 0..level {
            let coarse = &grid.levels[n];
            self.reached[n].reach(grid, n, cells_reached(own, coarse, cell));
            let (low, high) = (
                coarse.cell_x(union.min.x - coarse.cell),
                coarse.cell_x(union.max.x),
            );
            let last = layout.last_cell(0);
            // Cells from `low` to `high` after wrapping: one range, or two.
            let (a, b) = if (high.wrapping_sub(low) as u64) >= last {
                (0, last)
            } else {
                (layout.wrap(coarse, 0, low), layout.wrap(coarse, 0, high))
            };
            let ranges = if a <= b {
                [Some((a, b)), None]
            } else {
                [Some((0, b)), Some((a, last))]
            };
            for row in &mut self.reached[n].rows {
                for (a, b) in ranges.into_iter().flatten() {
                    let limit = layout.last_key(row.row, b);
                    row.position = seek(grid.keys, row.position, layout.first_key(row.row, a));
                    for q in row.position..coarse.end {
                        if grid.keys[q] > limit {
                            break;
                        }
                        if grid.boxes[q].overlaps(union) {
                            self.near.push((grid.boxes[q], layout.index(grid.keys[q])));
                        }
                    }
                }
            }
        }
    }

    /// Compares each box of a group with what was gathered near the group.
    fn test_group(
        &mut self,
        grid: &SortedBoxes<'_>,
        group: Range<usize>,
        wanted: &impl Fn(u32, u32) -> bool,
    ) {
        let near = std::mem::take(&mut self.near);
        for p in group {
            for (b, j) in &near {
                if b.overlaps(&grid.boxes[p]) {
                    self.emit(grid.layout.index(grid.keys[p]), *j, wanted);
                }
            }
        }
        self.near = near;
    }

    /// Pairs among the boxes in no grid.
    pub(super) fn among_large(
        &mut self,
        large: &[(Aabb, u32)],
        wanted: &impl Fn(u32, u32) -> bool,
    ) {
        self.found.clear();
        for (k, (a, i)) in large.iter().enumerate() {
            for (b, j) in &large[k + 1..] {
                if a.overlaps(b) {
                    self.emit(*i, *j, wanted);
                }
            }
        }
    }

    /// Adds a pair if it is wanted.
    #[inline]
    fn emit(&mut self, i: u32, j: u32, wanted: &impl Fn(u32, u32) -> bool) {
        let (i, j) = (i.min(j), i.max(j));
        if wanted(i, j) {
            self.found.push(u64::from(i) << 32 | u64::from(j));
        }
    }
}

impl ReachedRows {
    /// Finds the occupied rows of level `n` in the given cells, unless it has just done so.
    fn reach(&mut self, grid: &SortedBoxes<'_>, n: usize, cells: [i64; 4]) {
        if self.cells == Some(cells) {
            return;
        }
        self.cells = Some(cells);
        self.rows.clear();
        let layout = &grid.layout;
        let level = &grid.levels[n];
        let [y0, y1, z0, z1] = cells;
        let count = |a: i64, b: i64, axis| (b - a).min(layout.last_cell(axis) as i64);
        for z in z0..=z0 + count(z0, z1, 2) {
            for y in y0..=y0 + count(y0, y1, 1) {
                let row = layout.row(n, layout.wrap(level, 2, z), layout.wrap(level, 1, y));
                let first = layout.first_key(row, 0);
                let position = level.start
                    + grid.keys[level.start..level.end].partition_point(|&key| key < first);
                if occupied(grid, position, row) {
                    self.rows.push(OccupiedRow { row, position });
                }
            }
        }
    }
}

/// First and last cell along y and z of level `coarse` in which a box may be stored that overlaps
/// one of level `own` in cells `[y, z]`.
fn cells_reached(own: &Level, coarse: &Level, cell: [i64; 2]) -> [i64; 4] {
    // A box of `own` begins in its cell and ends in the next at the latest. One of `coarse` that
    // reaches it may begin a cell of `coarse` before.
    let low = cell.map(|c| (c as f64 - BORDER) * own.cell - coarse.cell);
    let high = cell.map(|c| (c as f64 + (2.0 + BORDER)) * own.cell);
    let [_, y0, z0] = coarse.cell_of([0.0, low[0], low[1]]);
    let [_, y1, z1] = coarse.cell_of([0.0, high[0], high[1]]);
    [y0, y1, z0, z1]
}

/// Whether the box at `position` lies in `row`.
fn occupied(grid: &SortedBoxes<'_>, position: usize, row: u64) -> bool {
    grid.keys
        .get(position)
        .is_some_and(|key| key >> grid.layout.row_shift() == row)
}

/// First position whose key is at least `key`. Quick when it is close to `hint`: it looks 1, 2, 4,
/// … positions away, then searches in between.
fn seek(keys: &[u64], hint: usize, key: u64) -> usize {
    let hint = hint.min(keys.len());
    let mut step = 1;
    if hint < keys.len() && keys[hint] < key {
        let mut low = hint; // its key is below
        while low + step < keys.len() && keys[low + step] < key {
            low += step;
            step *= 2;
        }
        let high = (low + step).min(keys.len());
        low + 1 + keys[low + 1..high].partition_point(|&k| k < key)
    } else {
        let mut high = hint; // its key is not below
        while high >= step && keys[high - step] >= key {
            high -= step;
            step *= 2;
        }
        let low = high.saturating_sub(step);
        low + keys[low..high].partition_point(|&k| k < key)
    }
}

#[cfg(test)]
mod tests {
    use super::seek;

    #[test]
    fn seek_from_anywhere() {
        let keys = [1, 3, 3, 3, 4, 8, 9, 9, 12];
        for hint in 0..12 {
            for key in 0..14 {
                let expected = keys.partition_point(|&k| k < key);
                assert_eq!(seek(&keys, hint, key), expected, "{key} from {hint}");
            }
        }
        assert_eq!(seek(&[], 3, 1), 0);
    }
}
