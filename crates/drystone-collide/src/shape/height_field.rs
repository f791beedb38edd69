//! Heights over a grid.

use glam::DVec3;

use super::ShapeError;
use super::bounds::farthest;
use super::error::length;
use super::mesh::NO_FACE;
use crate::aabb::Aabb;

/// Heights over a regular grid in the x-y plane, centred about the z axis; solid below.
///
/// Each cell is cut into two triangles along the diagonal from its corner of lowest x and y to that
/// of highest.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    columns: usize,
    rows: usize,
    spacing: [f64; 2],
    heights: Vec<f64>,
    lowest: f64,
    highest: f64,
    /// Greatest distance of a point of the surface from the frame's origin, m.
    radius: f64,
}

impl HeightField {
    /// `columns` points along x and `rows` along y, `spacing` m apart. The height of column `i` in
    /// row `j` is `heights[j * columns + i]` m.
    pub fn new(
        columns: usize,
        rows: usize,
        spacing: [f64; 2],
        heights: Vec<f64>,
    ) -> Result<Self, ShapeError> {
        if columns < 2 || rows < 2 || columns.checked_mul(rows) != Some(heights.len()) {
            return Err(ShapeError::Grid {
                columns,
                rows,
                heights: heights.len(),
            });
        }
        length("height field", "spacing along x", spacing[0])?;
        length("height field", "spacing along y", spacing[1])?;
        if let Some((index, &value)) = heights.iter().enumerate().find(|(_, h)| !h.is_finite()) {
            return Err(ShapeError::NotFinite {
                shape: "height field",
                what: "height",
                index,
                value,
            });
        }
        let mut field = Self {
            columns,
            rows,
            spacing,
            lowest: heights.iter().copied().fold(f64::INFINITY, f64::min),
            highest: heights.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            heights,
            radius: 0.0,
        };
        field.radius = farthest(field.points());
        Ok(field)
    }

    /// Points along x.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Points along y.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Distances of neighbouring points along x and y, m.
    pub fn spacing(&self) -> [f64; 2] {
        self.spacing
    }

    /// Heights, m, row after row.
    pub fn heights(&self) -> &[f64] {
        &self.heights
    }

    /// How far below its lowest point the field still counts as solid, m: its greater horizontal
    /// extent. A body that falls through in one step is then still found and pushed up.
    pub fn depth(&self) -> f64 {
        let [x, y] = self.half_extents();
        2.0 * x.max(y)
    }

    /// The point of column `i` in row `j`.
    pub fn point(&self, i: usize, j: usize) -> DVec3 {
        let [x, y] = self.half_extents();
        DVec3::new(
            i as f64 * self.spacing[0] - x,
            j as f64 * self.spacing[1] - y,
            self.heights[j * self.columns + i],
        )
    }

    /// All points, row after row, in the order of the heights.
    pub fn points(&self) -> impl Iterator<Item = DVec3> {
        (0..self.rows).flat_map(move |j| (0..self.columns).map(move |i| self.point(i, j)))
    }

    /// Number of triangles.
    pub fn triangle_count(&self) -> usize {
        2 * (self.columns - 1) * (self.rows - 1)
    }

    /// All triangles, each three indices into the points, counter-clockwise seen from above.
    ///
    /// Triangles `2c` and `2c + 1` are the lower right and the upper left half of cell `c`. Cells
    /// are counted row after row.
    pub fn triangles(&self) -> impl Iterator<Item = [u32; 3]> {
        (0..self.triangle_count()).map(|t| self.triangle_indices(t))
    }

    /// The corners of triangle `t`; see [`HeightField::triangles`].
    pub fn triangle(&self, t: usize) -> [DVec3; 3] {
        self.triangle_indices(t)
            .map(|k| self.point(k as usize % self.columns, k as usize / self.columns))
    }

    /// The indices, into the points, of the corners of triangle `t`.
    pub(crate) fn triangle_indices(&self, t: usize) -> [u32; 3] {
        let cell = t / 2;
        let (i, j) = (cell % (self.columns - 1), cell / (self.columns - 1));
        let at = |i: usize, j: usize| (j * self.columns + i) as u32;
        if t.is_multiple_of(2) {
            [at(i, j), at(i + 1, j), at(i + 1, j + 1)]
        } else {
            [at(i, j), at(i + 1, j + 1), at(i, j + 1)]
        }
    }

    /// The triangles across the edges 01, 12, 20 of triangle `t`; [`NO_FACE`] at the border.
    pub(crate) fn neighbours(&self, t: u32) -> [u32; 3] {
        let (cell, width) = (t as usize / 2, self.columns - 1);
        let (i, j) = (cell % width, cell / width);
        let when = |inside: bool, other: usize| if inside { other as u32 } else { NO_FACE };
        if t.is_multiple_of(2) {
            [
                when(j > 0, (2 * cell + 1).wrapping_sub(2 * width)),
                when(i + 1 < width, 2 * (cell + 1) + 1),
                t + 1,
            ]
        } else {
            [
                t - 1,
                when(j + 2 < self.rows, 2 * (cell + width)),
                when(i > 0, (2 * cell).wrapping_sub(2)),
            ]
        }
    }

    /// Calls `f` with the triangles of all cells whose columns and rows `region` touches, whatever
    /// their height.
    pub(crate) fn triangles_over(&self, region: &Aabb, mut f: impl FnMut(usize)) {
        let [x, y] = self.half_extents();
        let cells = |low: f64, high: f64, half: f64, spacing: f64, count: usize| {
            // Casts saturate: a region far outside gives an empty range at one end.
            let first = ((low + half) / spacing).floor().max(0.0) as usize;
            let last = ((high + half) / spacing).floor();
            let last = if last < 0.0 { 0 } else { last as usize + 1 };
            first..last.min(count - 1)
        };
        let columns = cells(region.min.x, region.max.x, x, self.spacing[0], self.columns);
        for j in cells(region.min.y, region.max.y, y, self.spacing[1], self.rows) {
            for i in columns.clone() {
                let cell = j * (self.columns - 1) + i;
                f(2 * cell);
                f(2 * cell + 1);
            }
        }
    }

    /// The box that contains the field as far as it counts as solid.
    pub(crate) fn bounds(&self) -> Aabb {
        let [x, y] = self.half_extents();
        Aabb {
            min: DVec3::new(-x, -y, self.lowest - self.depth()),
            max: DVec3::new(x, y, self.highest),
        }
    }

    /// Greatest distance of a point of the surface from the frame's origin, m.
    pub(super) fn radius(&self) -> f64 {
        self.radius
    }

    fn half_extents(&self) -> [f64; 2] {
        [
            0.5 * (self.columns - 1) as f64 * self.spacing[0],
            0.5 * (self.rows - 1) as f64 * self.spacing[1],
        ]
    }
}
