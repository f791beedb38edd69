//! The global problem, with the body velocities still in it:
//! `M v = f + H r + G l`, `u = Hᵀ v + w`, `0 = Gᵀ v + b`, with `u` and `r` in the friction law.
//!
//! Condensed: `N = [H G]ᵀ M⁻¹ [H G]`, `r = [H G]ᵀ M⁻¹ f + (w, b)`, the rows of G last and free.
//!
//! The factorisation runs on one thread: faer's parallel one rounds differently with each number of
//! threads.

use drystone_ccp::{Ccp, Csr, Sparse};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::lu::{LuRef, NumericLu, SymbolicLu, factorize_symbolic_lu};
use faer::sparse::{SparseColMat, Triplet};
use faer::{Conj, Mat, MatMut, Par};
use hdf5_pure::GroupBuilder;

use super::error::{Fault, expect_length};
use super::hdf5::{Tree, put_integers, put_reals};
use super::local::{FrictionVectors, cones, expect_size, put_title, rows_of};
use super::matrix::{Storage, Stored, put_matrix};

/// Right-hand sides solved at once: enough to keep the triangular solves busy.
const BATCH: usize = 64;

/// More condensed entries than this are refused: the global form should then be solved as it is.
const MOST_ENTRIES: usize = 1 << 25;

/// A global problem as plain data.
#[derive(Clone, Debug, PartialEq)]
pub struct GlobalProblem {
    /// Title.
    pub title: String,
    /// Mass (or iteration) matrix, square, symmetric or not.
    pub m: Csr,
    /// H: a row each velocity, a column each contact row.
    pub h: Csr,
    /// G: a row each velocity, a column each bilateral row; none if there are no such rows.
    pub g: Option<Csr>,
    /// Impulse of the known forces, a number each velocity.
    pub f: Vec<f64>,
    /// Prescribed velocities at the contacts, m/s.
    pub w: Vec<f64>,
    /// Prescribed velocities of the bilateral rows; empty without G.
    pub b: Vec<f64>,
    /// Coefficients of sliding friction, one a contact.
    pub mu: Vec<f64>,
    /// Coefficients of rolling friction, m, one a contact; there are then 5 rows a contact.
    pub mu_r: Option<Vec<f64>>,
}

impl GlobalProblem {
    /// Eliminates the velocities.
    pub fn condense(&self) -> Result<Ccp<Sparse>, Fault> {
        self.check()?;
        let dim = self.w.len() + self.b.len();
        let jacobian = self.jacobian()?;
        let factors = Factors::of(&self.m)?;
        let mut v = Mat::from_fn(self.f.len(), 1, |i, _| self.f[i]);
        factors.solve(v.as_mut())?;
        let mut r: Vec<f64> = self.w.iter().chain(&self.b).copied().collect();
        for (i, j, x) in jacobian.entries() {
            r[j] += x * v[(i, 0)];
        }
        let entries = self.delassus(&factors, &jacobian)?;
        let cones = cones(&self.mu, self.mu_r.as_deref(), self.b.len())?;
        // Finite parts may overflow in their product.
        Csr::from_triplets(dim, dim, entries)
            .and_then(|matrix| Ccp::new(Sparse::new(matrix)?, r, cones))
            .map_err(|error| Fault::malformed("the condensed problem", error.to_string()))
    }

    /// Rows that belong to contacts; bilateral rows follow.
    pub fn contact_rows(&self) -> usize {
        self.w.len()
    }

    /// `[H G]`.
    fn jacobian(&self) -> Result<Csr, Fault> {
        let offset = self.w.len();
        let g = self.g.iter().flat_map(|g| g.entries());
        let g = g.map(|(i, j, x)| (i, offset + j, x));
        let (rows, columns) = (self.f.len(), offset + self.b.len());
        Ok(Csr::from_triplets(
            rows,
            columns,
            self.h.entries().chain(g),
        )?)
    }

    /// The entries of `Jᵀ M⁻¹ J`, a batch of columns at a time. Where M is symmetric, one half is
    /// mirrored: rounding alone would make N asymmetric.
    fn delassus(&self, factors: &Factors, jacobian: &Csr) -> Result<Vec<Entry>, Fault> {
        let (n, dim) = (jacobian.rows(), jacobian.columns());
        let columns = jacobian.transpose();
        let symmetric = self.m.asymmetry() == 0.0;
        let mut entries = Vec::new();
        let mut sum = vec![0.0; dim];
        for start in (0..dim).step_by(BATCH) {
            let batch = start..(start + BATCH).min(dim);
            let mut x = Mat::<f64>::zeros(n, batch.len());
            for (k, j) in batch.clone().enumerate() {
                let (rows, values) = columns.row(j);
                rows.iter().zip(values).for_each(|(&i, &v)| x[(i, k)] = v);
            }
            factors.solve(x.as_mut())?;
            for (k, j) in batch.enumerate() {
                for row in (0..n).filter(|&row| x[(row, k)] != 0.0) {
                    let (indices, values) = jacobian.row(row);
                    let add = |(&i, &v): (&usize, &f64)| sum[i] += v * x[(row, k)];
                    indices.iter().zip(values).for_each(add);
                }
                let kept = sum.iter().enumerate().filter(|(_, s)| **s != 0.0);
                for (i, &s) in kept.take_while(|(i, _)| !symmetric || *i <= j) {
                    entries.push((i, j, s));
                    if symmetric && i < j {
                        entries.push((j, i, s));
                    }
                }
                sum.fill(0.0);
            }
            if entries.len() > MOST_ENTRIES {
                let what = format!("condenses to more than {MOST_ENTRIES} entries");
                return Err(Fault::unsupported("the global problem", what));
            }
        }
        Ok(entries)
    }

    pub(super) fn put(&self, group: &mut GroupBuilder, storage: Storage) -> Result<(), Fault> {
        let dim = rows_of(self.mu_r.is_some());
        put_integers(group, "spacedim", &[dim as i32]);
        put_matrix(group, "M", &self.m, storage)?;
        put_matrix(group, "H", &self.h, storage)?;
        let mut vectors = group.create_group("vectors");
        put_reals(&mut vectors, "f", &self.f);
        put_reals(&mut vectors, "w", &self.w);
        put_reals(&mut vectors, "mu", &self.mu);
        if let Some(mu_r) = &self.mu_r {
            put_reals(&mut vectors, "mu_r", mu_r);
        }
        if let Some(g) = &self.g {
            put_matrix(group, "G", g, storage)?;
            put_reals(&mut vectors, "b", &self.b);
        }
        group.add_group(vectors.finish());
        put_title(group, &self.title)
    }

    pub(super) fn read(tree: &Tree, root: &str) -> Result<Self, Fault> {
        let vectors = FrictionVectors::read(tree, root)?;
        let f = tree.reals(&format!("{root}/vectors/f"))?;
        let w = tree.reals(&format!("{root}/vectors/w"))?;
        let at_h = format!("{root}/H");
        let matrix_columns = || Stored::read(tree, &at_h).ok()?.columns.try_into().ok();
        vectors.expect_rows((root, "w"), w.len(), ("H", matrix_columns))?;
        let matrix = |name: &str, rows, columns| {
            let place = format!("{root}/{name}");
            Stored::read(tree, &place)?.to_csr(&place, rows, columns)
        };
        let (g, b) = match tree.has_group(&format!("{root}/G"))? {
            false => (None, Vec::new()),
            true => {
                let b = tree.reals(&format!("{root}/vectors/b"))?;
                (Some(matrix("G", f.len(), b.len())?), b)
            }
        };
        Ok(Self {
            title: tree.text(&format!("{root}/info/title")),
            m: matrix("M", f.len(), f.len())?,
            h: matrix("H", f.len(), w.len())?,
            g,
            f,
            w,
            b,
            mu: vectors.mu,
            mu_r: vectors.mu_r,
        })
    }

    /// Checks that all sizes agree.
    pub(super) fn check(&self) -> Result<(), Fault> {
        let n = self.f.len();
        expect_size("M", &self.m, n, n)?;
        expect_size("H", &self.h, n, self.w.len())?;
        match &self.g {
            Some(g) => expect_size("G", g, n, self.b.len())?,
            None => expect_length("b without G", self.b.len(), 0)?,
        }
        let rows = rows_of(self.mu_r.is_some());
        expect_length("w", self.w.len(), rows * self.mu.len())?;
        cones(&self.mu, self.mu_r.as_deref(), self.b.len()).map(|_| ())
    }
}

/// Row, column, value.
type Entry = (usize, usize, f64);

/// `M = L U` up to permutations.
struct Factors {
    symbolic: SymbolicLu<usize>,
    numeric: NumericLu<usize, f64>,
}

impl Factors {
    fn of(m: &Csr) -> Result<Self, Fault> {
        let entries: Vec<_> = m.entries().map(|(i, j, x)| Triplet::new(i, j, x)).collect();
        let matrix =
            SparseColMat::<usize, f64>::try_new_from_triplets(m.rows(), m.columns(), &entries)
                .map_err(not_invertible)?;
        let symbolic =
            factorize_symbolic_lu(matrix.symbolic(), Default::default()).map_err(not_invertible)?;
        let scratch = symbolic.factorize_numeric_lu_scratch::<f64>(Par::Seq, Default::default());
        let mut memory = MemBuffer::try_new(scratch).map_err(not_invertible)?;
        let mut numeric = NumericLu::new();
        symbolic
            .factorize_numeric_lu(
                &mut numeric,
                matrix.as_ref(),
                Par::Seq,
                MemStack::new(&mut memory),
                Default::default(),
            )
            .map_err(not_invertible)?;
        Ok(Self { symbolic, numeric })
    }

    /// `x := M⁻¹ x`, column by column.
    fn solve(&self, mut x: MatMut<'_, f64>) -> Result<(), Fault> {
        let scratch = self
            .symbolic
            .solve_in_place_scratch::<f64>(x.ncols(), Par::Seq);
        let mut memory = MemBuffer::try_new(scratch).map_err(not_invertible)?;
        LuRef::new_unchecked(&self.symbolic, &self.numeric).solve_in_place_with_conj(
            Conj::No,
            x.as_mut(),
            Par::Seq,
            MemStack::new(&mut memory),
        );
        if x.is_all_finite() {
            Ok(())
        } else {
            Err(Fault::malformed("M", "is singular to working precision"))
        }
    }
}

fn not_invertible(reason: impl std::fmt::Debug) -> Fault {
    Fault::malformed("M", format!("is not invertible: {reason:?}"))
}
