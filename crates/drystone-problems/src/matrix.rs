//! Sparse matrices as CSparse and FCLIB keep them: one struct for columns, rows and triplets.

use drystone_ccp::Csr;
use hdf5_pure::GroupBuilder;

use super::error::{Fault, expect_length};
use super::hdf5::{Tree, put_integers, put_reals};

/// How the entries of a stored matrix are laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Storage {
    /// Compressed columns; `nz` is −1.
    Columns,
    /// Compressed rows; `nz` is −2.
    #[default]
    Rows,
    /// Entries one by one; `nz` is their number.
    Triplets,
}

/// The arrays of a stored matrix, not checked yet.
pub(super) struct Stored {
    pub(super) rows: i64,
    pub(super) columns: i64,
    /// −1 compressed columns, −2 compressed rows, otherwise the number of triplets.
    pub(super) nz: i64,
    /// Column pointers, row pointers, or the column of each triplet.
    pub(super) p: Vec<i64>,
    /// Row indices, column indices, or the row of each triplet.
    pub(super) i: Vec<i64>,
    pub(super) x: Vec<f64>,
}

impl Stored {
    /// Reads the datasets of the group `place`.
    pub(super) fn read(tree: &Tree, place: &str) -> Result<Self, Fault> {
        let at = |name: &str| format!("{place}/{name}");
        Ok(Self {
            rows: tree.integer(&at("m"))?,
            columns: tree.integer(&at("n"))?,
            nz: tree.integer(&at("nz"))?,
            p: tree.integers(&at("p"))?,
            i: tree.integers(&at("i"))?,
            x: tree.reals(&at("x"))?,
        })
    }

    /// The same matrix as compressed rows; the size must be as expected, which also keeps a forged
    /// size from claiming memory.
    pub(super) fn to_csr(&self, place: &str, rows: usize, columns: usize) -> Result<Csr, Fault> {
        if self.rows != rows as i64 || self.columns != columns as i64 {
            let found = format!("{} × {}", self.rows, self.columns);
            let what = format!("is {found}, expected {rows} × {columns}");
            return Err(Fault::malformed(place, what));
        }
        let entries = match self.nz {
            -1 => self.compressed(place, columns, rows, "row")?,
            -2 => self.compressed(place, rows, columns, "column")?,
            count if count >= 0 => return self.triplets(place, rows, columns),
            other => {
                let what =
                    format!("is {other}, expected -1 (columns), -2 (rows) or a number of triplets");
                return Err(Fault::malformed(format!("{place}/nz"), what));
            }
        };
        let transposed = self.nz == -1;
        let entries = entries
            .into_iter()
            .map(|(outer, inner, v)| match transposed {
                true => (inner, outer, v),
                false => (outer, inner, v),
            });
        Ok(Csr::from_triplets(rows, columns, entries)?)
    }

    /// `(outer, inner, value)` of compressed storage; `inner_name` says what the inner index is.
    fn compressed(
        &self,
        place: &str,
        outer: usize,
        inner: usize,
        inner_name: &str,
    ) -> Result<Vec<(usize, usize, f64)>, Fault> {
        let at_p = format!("{place}/p");
        expect_length(&at_p, self.p.len(), outer + 1)?;
        // More entries may be stored (nzmax) than the pointers count, never fewer.
        let stored = self.i.len().min(self.x.len());
        for (k, &pointer) in self.p.iter().enumerate() {
            let previous = if k == 0 { 0 } else { self.p[k - 1] };
            if pointer < previous || pointer > stored as i64 || (k == 0 && pointer != 0) {
                let what = format!(
                    "entry {k} is {pointer}, expected {}",
                    match k {
                        0 => "0".to_owned(),
                        _ => format!("a number from {previous} to {stored}"),
                    }
                );
                return Err(Fault::malformed(at_p, what));
            }
        }
        let at_i = format!("{place}/i");
        let mut entries = Vec::with_capacity(stored);
        for (o, range) in self.p.windows(2).enumerate() {
            for k in range[0] as usize..range[1] as usize {
                let index = expect_index(&at_i, k, self.i[k], inner, inner_name)?;
                entries.push((o, index, self.x[k]));
            }
        }
        Ok(entries)
    }

    /// Row in `i`, column in `p`: as the files have it, whatever the C header says.
    fn triplets(&self, place: &str, rows: usize, columns: usize) -> Result<Csr, Fault> {
        let (at_i, at_p) = (format!("{place}/i"), format!("{place}/p"));
        let stored = self.i.len().min(self.p.len()).min(self.x.len());
        if self.nz > stored as i64 {
            let what = format!("is {}, but only {stored} entries are stored", self.nz);
            return Err(Fault::malformed(format!("{place}/nz"), what));
        }
        let mut entries = Vec::with_capacity(self.nz as usize);
        for k in 0..self.nz as usize {
            let row = expect_index(&at_i, k, self.i[k], rows, "row")?;
            let column = expect_index(&at_p, k, self.p[k], columns, "column")?;
            entries.push((row, column, self.x[k]));
        }
        Ok(Csr::from_triplets(rows, columns, entries)?)
    }
}

/// Writes a matrix as the group `name` of `parent`.
pub(super) fn put_matrix(
    parent: &mut GroupBuilder,
    name: &str,
    matrix: &Csr,
    storage: Storage,
) -> Result<(), Fault> {
    let int = |value: usize| {
        i32::try_from(value).map_err(|_| {
            let what = format!("holds the number {value}, but FCLIB's integers end at 2147483647");
            Fault::unsupported(name, what)
        })
    };
    // Compressed columns are the compressed rows of the transpose.
    let transposed = matches!(storage, Storage::Columns).then(|| matrix.transpose());
    let outer = transposed.as_ref().unwrap_or(matrix);
    let count = matrix.nonzeros();
    let (nz, p, i) = match storage {
        Storage::Columns | Storage::Rows => {
            let mut p = vec![0];
            for row in 0..outer.rows() {
                p.push(p[row] + outer.row(row).0.len());
            }
            let i: Vec<usize> = outer.entries().map(|e| e.1).collect();
            let nz = if storage == Storage::Columns { -1 } else { -2 };
            (nz, p, i)
        }
        Storage::Triplets => {
            let p: Vec<usize> = outer.entries().map(|e| e.1).collect();
            let i: Vec<usize> = outer.entries().map(|e| e.0).collect();
            (int(count)?, p, i)
        }
    };
    let ints = |values: Vec<usize>| values.into_iter().map(int).collect::<Result<Vec<i32>, _>>();
    let x: Vec<f64> = outer.entries().map(|e| e.2).collect();
    let mut group = parent.create_group(name);
    put_integers(&mut group, "nzmax", &[int(count)?]);
    put_integers(&mut group, "m", &[int(matrix.rows())?]);
    put_integers(&mut group, "n", &[int(matrix.columns())?]);
    put_integers(&mut group, "nz", &[nz]);
    put_integers(&mut group, "p", &ints(p)?);
    put_integers(&mut group, "i", &ints(i)?);
    put_reals(&mut group, "x", &x);
    parent.add_group(group.finish());
    Ok(())
}

fn expect_index(
    place: &str,
    k: usize,
    value: i64,
    limit: usize,
    name: &str,
) -> Result<usize, Fault> {
    match usize::try_from(value) {
        Ok(index) if index < limit => Ok(index),
        _ => Err(Fault::malformed(
            place,
            format!("entry {k} is {value}, expected a {name} below {limit}"),
        )),
    }
}
