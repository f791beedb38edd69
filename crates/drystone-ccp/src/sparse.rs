//! A plain compressed-row matrix: what problem files hold, and what assembly makes.

use crate::ProblemError;
use crate::norm::{is_sound, largest};

/// Compressed sparse rows, columns ascending within a row, no duplicates.
#[derive(Clone, Debug, PartialEq)]
pub struct Csr {
    rows: usize,
    columns: usize,
    pointers: Vec<usize>,
    indices: Vec<usize>,
    values: Vec<f64>,
}

impl Csr {
    /// From `(row, column, value)` entries in any order; entries at the same place are added.
    pub fn from_triplets(
        rows: usize,
        columns: usize,
        entries: impl IntoIterator<Item = (usize, usize, f64)>,
    ) -> Result<Self, ProblemError> {
        let entries: Vec<(usize, usize, f64)> = entries.into_iter().collect();
        for &(row, column, value) in &entries {
            if row >= rows || column >= columns {
                return Err(ProblemError::EntryOutside {
                    row,
                    column,
                    rows,
                    columns,
                });
            }
            if !value.is_finite() {
                return Err(ProblemError::NotFinite {
                    what: "matrix, row",
                    index: row,
                    value,
                });
            }
        }
        let this = Self::assembled(rows, columns, entries);
        // Entries at the same place may have added up to more than a double holds.
        let overflown = this.entries().find(|(_, _, value)| !value.is_finite());
        match overflown {
            None => Ok(this),
            Some((row, _, value)) => Err(ProblemError::NotFinite {
                what: "matrix, row",
                index: row,
                value,
            }),
        }
    }

    /// The same from entries that are known to lie inside, and may not be finite.
    pub(crate) fn assembled(
        rows: usize,
        columns: usize,
        mut entries: Vec<(usize, usize, f64)>,
    ) -> Self {
        entries.sort_by_key(|&(row, column, _)| (row, column)); // stable: duplicates add in file order
        let mut pointers = vec![0; rows + 1];
        let mut indices: Vec<usize> = Vec::with_capacity(entries.len());
        let mut values: Vec<f64> = Vec::with_capacity(entries.len());
        let mut last = None;
        for (row, column, value) in entries {
            if last == Some((row, column))
                && let Some(before) = values.last_mut()
            {
                *before += value;
                continue;
            }
            last = Some((row, column));
            indices.push(column);
            values.push(value);
            pointers[row + 1] += 1;
        }
        for row in 0..rows {
            pointers[row + 1] += pointers[row];
        }
        Self {
            rows,
            columns,
            pointers,
            indices,
            values,
        }
    }

    /// From a dense row-major matrix; zeros are dropped.
    pub fn from_dense(rows: usize, columns: usize, values: &[f64]) -> Result<Self, ProblemError> {
        if values.len() != rows * columns {
            return Err(ProblemError::Length {
                what: "dense matrix",
                found: values.len(),
                expected: rows * columns,
            });
        }
        let entries = values.iter().enumerate().filter(|(_, v)| **v != 0.0);
        Self::from_triplets(
            rows,
            columns,
            entries.map(|(k, &v)| (k / columns, k % columns, v)),
        )
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Number of stored entries.
    pub fn nonzeros(&self) -> usize {
        self.values.len()
    }

    /// Column indices and values of one row.
    pub fn row(&self, row: usize) -> (&[usize], &[f64]) {
        let range = self.pointers[row]..self.pointers[row + 1];
        (&self.indices[range.clone()], &self.values[range])
    }

    /// All entries as `(row, column, value)`, row after row.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        (0..self.rows).flat_map(move |i| {
            let (columns, values) = self.row(i);
            columns.iter().zip(values).map(move |(&j, &v)| (i, j, v))
        })
    }

    /// The entry at a place, zero where none is stored.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        let (columns, values) = self.row(row);
        columns.binary_search(&column).map_or(0.0, |k| values[k])
    }

    /// `(A x)_row`.
    pub fn row_times(&self, row: usize, x: &[f64]) -> f64 {
        let (columns, values) = self.row(row);
        columns.iter().zip(values).map(|(&j, &v)| v * x[j]).sum()
    }

    /// The transpose.
    pub fn transpose(&self) -> Self {
        let mut pointers = vec![0; self.columns + 1];
        for &j in &self.indices {
            pointers[j + 1] += 1;
        }
        for j in 0..self.columns {
            pointers[j + 1] += pointers[j];
        }
        let mut next = pointers.clone();
        let mut indices = vec![0; self.values.len()];
        let mut values = vec![0.0; self.values.len()];
        for (i, j, v) in self.entries() {
            indices[next[j]] = i;
            values[next[j]] = v;
            next[j] += 1;
        }
        Self {
            rows: self.columns,
            columns: self.rows,
            pointers,
            indices,
            values,
        }
    }

    /// `‖A − Aᵀ‖_F / ‖A‖_F`, zero for an empty matrix.
    pub fn asymmetry(&self) -> f64 {
        let (difference, size) = self.squares_in(1.0);
        if is_sound(size) && difference.is_finite() {
            return (difference / size).sqrt();
        }
        // Squares that overflow or vanish, or zeros alone.
        let unit = largest(&self.values);
        if unit == 0.0 {
            return 0.0;
        }
        let (difference, size) = self.squares_in(unit);
        (difference / size).sqrt()
    }

    /// Whether it is its own transpose, to the bit.
    pub(crate) fn is_own_transpose(&self) -> bool {
        self.entries().all(|(i, j, v)| v == self.get(j, i))
    }

    /// `‖A − Aᵀ‖_F²` and `‖A‖_F²` of the matrix over `unit`.
    fn squares_in(&self, unit: f64) -> (f64, f64) {
        let mut difference = 0.0;
        let mut size = 0.0;
        for (i, j, v) in self.entries() {
            let (v, mirror) = (v / unit, self.get(j, i) / unit);
            // A one-sided entry is met once only, a pair twice.
            let weight = if mirror == 0.0 { 2.0 } else { 1.0 };
            difference += weight * (v - mirror).powi(2);
            size += v * v;
        }
        (difference, size)
    }
}
