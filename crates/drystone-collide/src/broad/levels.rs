//! Which boxes share a level, how large its cells are, and the sort key of a box.

use crate::aabb::Aabb;

/// Smallest size that is told apart, m: about a picometre, smaller than any body. Also the smallest
/// cell, in shares of a box's distance from the origin: a cell number then stays below 2⁴¹, and
/// rounding moves a box by less than [`MARGIN`] of a cell.
const SMALLEST: f64 = 1.0 / (1_u64 << 40) as f64;
/// Cells are larger than their largest box by this share: more than rounding can move a border
/// (2⁴¹ cells of 2⁻⁵² each make 2⁻¹¹), and too little to cost time.
const MARGIN: f64 = 1.0 / 512.0;
/// Size classes in an octave: the four leading bits of the mantissa tell them apart.
const CLASSES_PER_OCTAVE: usize = 16;
/// Octaves from [`SMALLEST`] on. Larger boxes, above 10²⁵ m, count as infinite.
const OCTAVES: usize = 127;
/// Number of size classes.
const CLASSES: usize = OCTAVES * CLASSES_PER_OCTAVE;
/// Class of an infinite box.
pub(super) const INFINITE: u16 = CLASSES as u16;
/// Class of a box that overlaps nothing: empty or not a number.
pub(super) const NOTHING: u16 = INFINITE + 1;
/// How many of the largest boxes are at most kept in a list instead of a grid: walls, floors,
/// tools. Finding so few in a grid would cost more than comparing them with everything.
const HANDFUL: usize = 16;
/// Boxes at least a quarter of an octave larger than a class with this many times more boxes do not
/// share its level: larger cells for the many would cost more than another level for the few.
const OUTSIZED: usize = 16;
/// Cells are this many times finer along x than along y and z. In a neighbouring row, a box is then
/// compared with those in nine quarters of a cell instead of three whole cells.
pub(super) const FINER_X: u64 = 4;
/// Fewest bits of a cell number along x, y, z. No two neighbours of a cell, up to [`FINER_X`] away
/// along x and one away along y and z, may become the same when numbers wrap around: 9 numbers need
/// four bits, 3 need two.
const FEWEST_BITS: [u32; 3] = [4, 2, 2];

/// Level of a size class that has no grid.
const NO_LEVEL: u16 = u16::MAX;

/// Size class of a box.
pub(super) fn class(b: &Aabb) -> u16 {
    if b.is_empty() {
        return NOTHING;
    }
    let far = b.min.abs().max(b.max.abs()).max_element();
    let size = b.extent().max_element().max(SMALLEST * far).max(SMALLEST);
    if size.is_finite() && size < upper_edge(CLASSES - 1) {
        (size.to_bits() >> 48) as u16 - first_class()
    } else {
        INFINITE
    }
}

/// Exponent and leading mantissa bits of [`SMALLEST`].
fn first_class() -> u16 {
    (SMALLEST.to_bits() >> 48) as u16
}

/// Size below which all boxes of the class lie, m.
fn upper_edge(class: usize) -> f64 {
    f64::from_bits((u64::from(first_class()) + class as u64 + 1) << 48)
}

/// The largest whole number not above `v`; saturates at the ends of the range of `i64`.
/// (`f64::floor` is a function call on plain x86-64, and this is asked three times for each box.)
pub(super) fn floor(v: f64) -> i64 {
    let t = v as i64;
    t.saturating_sub(i64::from(v < t as f64))
}

/// A grid: all boxes in it are smaller than its cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level {
    /// Edge of a cell along y and z, m.
    pub(super) cell: f64,
    /// 1 / `cell`.
    pub(super) inverse: f64,
    /// What is subtracted from cell numbers, so that those of a scene begin at zero and rarely
    /// wrap.
    origin: [i64; 3],
    /// Sorted positions of its boxes.
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Level {
    /// Cell numbers of a point along x, y, z, not wrapped.
    pub(super) fn cell_of(&self, point: [f64; 3]) -> [i64; 3] {
        [
            self.cell_x(point[0]),
            floor(point[1] * self.inverse),
            floor(point[2] * self.inverse),
        ]
    }

    /// Cell number along x, not wrapped.
    pub(super) fn cell_x(&self, x: f64) -> i64 {
        floor(x * self.inverse * FINER_X as f64)
    }
}

/// How a sort key is put together, from the highest bit: level, cell along z, along y, along x, the
/// box's index.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Layout {
    pub(super) index_bits: u32,
    /// Bits of a wrapped cell number along x, y, z.
    cell_bits: [u32; 3],
}

impl Layout {
    /// For boxes `0..count`, whose smallest corners lie within `bounds`; `cell` is the edge of the
    /// smallest cells, m.
    fn new(count: usize, levels: usize, bounds: &Aabb, cell: f64) -> Self {
        let index_bits = bits(count.saturating_sub(1) as u64);
        let available = u64::BITS - index_bits - bits(levels.saturating_sub(1) as u64);
        let extent = bounds.extent();
        let cells = [FINER_X as f64 * extent.x, extent.y, extent.z];
        // Room for both ends and one cell of distance beyond the border. The cast saturates.
        let mut cell_bits = cells.map(|e| bits(((e / cell) as u64).saturating_add(2)));
        for axis in 0..3 {
            cell_bits[axis] = cell_bits[axis].max(FEWEST_BITS[axis]);
        }
        // A scene with more cells than that wraps around along its longest side.
        while cell_bits.iter().sum::<u32>() > available {
            let longest = (0..3).max_by_key(|&a| cell_bits[a]).unwrap_or(0);
            cell_bits[longest] -= 1;
        }
        Self {
            index_bits,
            cell_bits,
        }
    }

    /// Bits below the row.
    pub(super) fn row_shift(&self) -> u32 {
        self.index_bits + self.cell_bits[0]
    }

    /// Largest wrapped cell number along an axis.
    pub(super) fn last_cell(&self, axis: usize) -> u64 {
        (1 << self.cell_bits[axis]) - 1
    }

    /// A cell number along an axis, relative to the level's origin, wrapped.
    pub(super) fn wrap(&self, level: &Level, axis: usize, cell: i64) -> u64 {
        cell.wrapping_sub(level.origin[axis]) as u64 & self.last_cell(axis)
    }

    /// The key's part above x: level and wrapped cells along z and y.
    pub(super) fn row(&self, level: usize, z: u64, y: u64) -> u64 {
        (((level as u64) << self.cell_bits[2] | z) << self.cell_bits[1]) | y
    }

    /// Level, wrapped cell along z, wrapped cell along y.
    pub(super) fn parts_of_row(&self, row: u64) -> (usize, u64, u64) {
        let zy = row >> self.cell_bits[1];
        (
            (zy >> self.cell_bits[2]) as usize,
            zy & self.last_cell(2),
            row & self.last_cell(1),
        )
    }

    /// Smallest key of a cell.
    pub(super) fn first_key(&self, row: u64, x: u64) -> u64 {
        (row << self.cell_bits[0] | x) << self.index_bits
    }

    /// Largest key of a cell.
    pub(super) fn last_key(&self, row: u64, x: u64) -> u64 {
        self.first_key(row, x) | ((1 << self.index_bits) - 1)
    }

    /// Wrapped cell along x.
    pub(super) fn x(&self, key: u64) -> u64 {
        key >> self.index_bits & self.last_cell(0)
    }

    /// The box's index.
    pub(super) fn index(&self, key: u64) -> u32 {
        (key & ((1 << self.index_bits) - 1)) as u32
    }
}

/// Bits needed to write `v`.
fn bits(v: u64) -> u32 {
    u64::BITS - v.leading_zeros()
}

/// All levels, the coarsest first.
#[derive(Debug, Default)]
pub(super) struct Levels {
    pub(super) levels: Vec<Level>,
    pub(super) layout: Layout,
    /// How many boxes are in a grid.
    pub(super) in_grid: usize,
    /// Whether any box is neither in a grid nor nothing.
    pub(super) any_large: bool,
    counts: Vec<u32>,
    level_of: Vec<u16>,
}

impl Levels {
    /// Groups the classes into levels, from the largest on, after a handful of boxes in no grid.
    ///
    /// Each level spans one octave, counted from its own largest class, so that bodies of nearly
    /// one size share a level whose cells fit them. A few somewhat larger ones get a level of their
    /// own: otherwise the cells would be too large for the many.
    pub(super) fn build(&mut self, classes: &[u16], bounds: &Aabb) {
        self.counts.clear();
        self.counts.resize(NOTHING as usize + 1, 0);
        for &c in classes {
            self.counts[c as usize] += 1;
        }
        self.level_of.clear();
        self.level_of.resize(NOTHING as usize + 1, NO_LEVEL);
        self.levels.clear();
        let mut handful = 0;
        let mut top = usize::MAX; // largest class of the open level
        let mut start = 0;
        for class in (0..CLASSES).rev() {
            let count = self.counts[class] as usize;
            if count == 0 {
                continue;
            }
            if self.levels.is_empty() && handful + count <= HANDFUL {
                handful += count;
                continue;
            }
            let held = self.levels.last().map_or(0, |l| l.end - l.start);
            let apart = top - class;
            if self.levels.is_empty()
                || apart >= CLASSES_PER_OCTAVE
                || (apart >= CLASSES_PER_OCTAVE / 4 && held * OUTSIZED < count)
            {
                top = class;
                self.levels.push(level(class, bounds, start));
            }
            start += count;
            let last = self.levels.len() - 1; // one was pushed before the first count
            self.levels[last].end = start;
            self.level_of[class] = last as u16;
        }
        self.in_grid = start;
        self.any_large = handful > 0 || self.counts[INFINITE as usize] > 0;
        let finest = self.levels.last().map_or(1.0, |l| l.cell);
        self.layout = Layout::new(classes.len(), self.levels.len(), bounds, finest);
    }

    /// Sort key of a box; `u64::MAX` for one in no grid.
    pub(super) fn key(&self, index: u32, class: u16, b: &Aabb) -> u64 {
        let n = self.level_of[class as usize];
        let Some(level) = self.levels.get(n as usize) else {
            return u64::MAX;
        };
        let [x, y, z] = level.cell_of(b.min.to_array());
        let layout = &self.layout;
        let row = layout.row(
            n as usize,
            layout.wrap(level, 2, z),
            layout.wrap(level, 1, y),
        );
        layout.first_key(row, layout.wrap(level, 0, x)) | u64::from(index)
    }

    /// Whether boxes of this class are compared with all others.
    pub(super) fn is_large(&self, class: u16) -> bool {
        class != NOTHING && self.level_of[class as usize] == NO_LEVEL
    }
}

/// The level whose largest boxes are of `class`.
fn level(class: usize, bounds: &Aabb, start: usize) -> Level {
    let cell = upper_edge(class) * (1.0 + MARGIN);
    let mut level = Level {
        cell,
        inverse: 1.0 / cell,
        origin: [0; 3],
        start,
        end: start,
    };
    level.origin = level.cell_of(bounds.min.to_array());
    level
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    #[test]
    fn floor_is_floor_and_saturates() {
        for v in [
            0.0,
            -0.0,
            0.5,
            -0.5,
            1.0,
            -1.0,
            -1.5,
            1e15 + 0.5,
            -3e12 - 0.25,
        ] {
            assert_eq!(floor(v), v.floor() as i64, "{v}");
        }
        assert_eq!(floor(1e300), i64::MAX);
        assert_eq!(floor(-1e300), i64::MIN);
    }

    #[test]
    fn a_class_holds_sizes_up_to_its_edge() {
        for size in [1e-4, 0.1, 1.0, 1.99, 2.0, 1e6, 1e25] {
            // Off the middle of the box the size could be rounded; a corner in the origin keeps it.
            let b = Aabb {
                min: DVec3::ZERO,
                max: DVec3::new(size, 0.5 * size, 0.0),
            };
            let edge = upper_edge(class(&b) as usize);
            assert!(size < edge && edge <= 1.0625 * size, "{size}: {edge}");
        }
        assert_eq!(class(&Aabb::EVERYTHING), INFINITE);
        assert_eq!(class(&Aabb::EMPTY), NOTHING);
        assert_eq!(
            class(&Aabb::around(DVec3::ZERO, DVec3::splat(1e30))),
            INFINITE
        );
        let point = Aabb::around(DVec3::ZERO, DVec3::ZERO);
        assert_eq!(class(&point), 0);
        // A grain 10¹⁵ m away: as if it were 10¹⁵ / 2⁴⁰ m large.
        let far = Aabb::around(DVec3::new(1e15, 0.0, 0.0), DVec3::splat(1e-4));
        assert!(upper_edge(class(&far) as usize) > 900.0);
    }

    /// Bodies of nearly one size share a level, wherever the powers of two lie.
    #[test]
    fn levels_begin_at_the_largest() {
        let classes: Vec<u16> = (0..300)
            .map(|k| {
                class(&Aabb::around(
                    DVec3::ZERO,
                    DVec3::splat(0.7 + 0.002 * f64::from(k)),
                ))
            })
            .collect();
        let mut levels = Levels::default();
        levels.build(&classes, &Aabb::around(DVec3::ZERO, DVec3::ONE));
        assert_eq!(levels.levels.len(), 1);
        assert!(levels.in_grid >= 300 - HANDFUL && levels.in_grid <= 300);
        let cell = levels.levels[0].cell;
        assert!(cell > 2.4 && cell < 2.8, "{cell}");
    }

    #[test]
    fn keys_give_back_what_was_put_in() {
        let bounds = Aabb::around(DVec3::ZERO, DVec3::new(1e3, 10.0, 1e9));
        let layout = Layout::new(1_000_000, 9, &bounds, 1e-4);
        let row = layout.row(7, 3, 2);
        assert_eq!(layout.parts_of_row(row), (7, 3, 2));
        let key = layout.first_key(row, 13) | 999_999;
        assert_eq!(layout.index(key), 999_999);
        assert_eq!(layout.x(key), 13);
        assert_eq!(key >> layout.row_shift(), row);
        assert!(layout.first_key(row, 13) <= key && key <= layout.last_key(row, 13));
        assert!(layout.last_key(row, 13) < layout.first_key(row, 14));
        // The coarsest level that there may be still fits above.
        assert_eq!(layout.parts_of_row(layout.row(8, 0, 0)).0, 8);
    }
}
