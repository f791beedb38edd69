//! The cone complementarity problem itself: plain data, checked once.

use std::ops::Range;

use crate::cone::{Cones, MAX_ROWS};
use crate::operator::{Operator, SYMMETRY_TOLERANCE};
use crate::reduce::{CHUNK, Local, Reduce, ordered_fold};
use crate::residual::Units;

/// Which friction law a solution is judged by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Law {
    /// The cone complementarity problem as it stands: convex where N is symmetric. A sliding
    /// contact separates with `u_n = mu ‖u_t‖`.
    #[default]
    Relaxed,
    /// Coulomb's law unrelaxed: the same complementarity with De Saxcé's velocity
    /// `û = u + mu ‖u_t‖ n` in place of `u`.
    Exact,
}

impl Law {
    /// Its name, as scenes and tables have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Relaxed => "relaxed",
            Self::Exact => "exact",
        }
    }
}

/// What is wrong with a problem's data.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// A number of a cone is out of range.
    #[error("contact {block}: {what} {} is not {expected}", readable(*value))]
    Cone {
        /// Index of the block.
        block: usize,
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it should be.
        expected: &'static str,
    },
    /// A vector has the wrong length.
    #[error("{what} has {found} entries, expected {expected}")]
    Length {
        /// Which vector.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length it should have.
        expected: usize,
    },
    /// A number is infinite or not a number.
    #[error("{what} {index}: {value} is not finite")]
    NotFinite {
        /// Which vector or matrix.
        what: &'static str,
        /// Row or index.
        index: usize,
        /// The value.
        value: f64,
    },
    /// An entry of N is infinite or NaN, though what it is made of is finite.
    #[error(
        "block {block}: entry ({row}, {column}) of its part of N is {value}, expected a finite \
         number: its Jacobian and the inverse inertias of its bodies are too large together"
    )]
    EntryOverflow {
        /// Index of the block.
        block: usize,
        /// Row within the block.
        row: usize,
        /// Column within the block.
        column: usize,
        /// The entry.
        value: f64,
    },
    /// The diagonal of N adds up to more than a double holds.
    #[error("the diagonal of N adds up to {value}, expected a finite number")]
    TraceOverflow {
        /// The sum.
        value: f64,
    },
    /// The matrix is not square.
    #[error("the matrix has {rows} rows and {columns} columns, expected a square one")]
    NotSquare {
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
    },
    /// A matrix entry lies outside the matrix.
    #[error("entry ({row}, {column}) lies outside a matrix of {rows} × {columns}")]
    EntryOutside {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        columns: usize,
    },
    /// A block's rows are too many or none.
    #[error("block {block} has {rows} rows, expected 1 to {MAX_ROWS}")]
    BlockRows {
        /// Index of the block.
        block: usize,
        /// Its rows.
        rows: usize,
    },
    /// The operator's blocks are not the cones' blocks.
    #[error("block {block} starts at row {found} in the operator, at row {expected} in the cones")]
    BlockLayout {
        /// Index of the block.
        block: usize,
        /// The operator's first row.
        found: usize,
        /// The cones' first row.
        expected: usize,
    },
    /// A block names a body that does not exist.
    #[error("block {block}: there is no body {body}, only {bodies}")]
    NoSuchBody {
        /// Index of the block.
        block: usize,
        /// The body named.
        body: usize,
        /// How many there are.
        bodies: usize,
    },
    /// A block joins a body with itself.
    #[error("block {block}: joins body {body} with itself")]
    SameBody {
        /// Index of the block.
        block: usize,
        /// The body.
        body: usize,
    },
    /// An inverse inertia is not symmetric and positive semidefinite.
    #[error(
        "body {body}: entry ({row}, {column}) of the inverse inertia is {}, expected a symmetric \
         positive semidefinite matrix",
        readable(*value)
    )]
    InertiaForm {
        /// Index of the body.
        body: usize,
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// The entry.
        value: f64,
    },
    /// An inverse mass or a diagonal entry of an inverse inertia is negative.
    #[error("body {body}: inverse mass or inertia {} is not a finite number >= 0", readable(*value))]
    Inertia {
        /// Index of the body.
        body: usize,
        /// The inverse mass.
        value: f64,
    },
}

/// A number for a message: not three hundred digits.
pub fn readable(value: f64) -> String {
    // From 1e7 on zeros have to be counted, and below 1e-5 too.
    let plain = value == 0.0 || !value.is_finite() || (1e-5..1e7).contains(&value.abs());
    if plain {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

/// `min ½ gammaᵀ N gamma + rᵀ gamma` over `gamma ∈ K`; where N is not symmetric, the variational
/// inequality `gamma ∈ K, N gamma + r ∈ −N_K(gamma)`.
#[derive(Clone, Debug)]
pub struct Ccp<N> {
    operator: N,
    r: Vec<f64>,
    cones: Cones,
    /// The diagonal of N added up, of this process's rows.
    trace: Trace,
}

impl<N: Operator> Ccp<N> {
    /// Checks that the parts fit together and that every number is finite.
    pub fn new(operator: N, r: Vec<f64>, cones: Cones) -> Result<Self, ProblemError> {
        let dim = cones.dim();
        if operator.dim() != dim {
            return Err(ProblemError::Length {
                what: "operator N",
                found: operator.dim(),
                expected: dim,
            });
        }
        if r.len() != dim {
            return Err(ProblemError::Length {
                what: "vector r",
                found: r.len(),
                expected: dim,
            });
        }
        if let Some((index, &value)) = r.iter().enumerate().find(|(_, v)| !v.is_finite()) {
            return Err(ProblemError::NotFinite {
                what: "vector r, row",
                index,
                value,
            });
        }
        if let Some(found) = operator.block_offsets() {
            let expected = cones.offsets();
            if let Some(block) =
                (0..found.len().max(expected.len())).find(|&i| found.get(i) != expected.get(i))
            {
                let at = |offsets: &[usize]| offsets.get(block).copied().unwrap_or(dim);
                return Err(ProblemError::BlockLayout {
                    block,
                    found: at(found),
                    expected: at(expected),
                });
            }
        }
        Ok(Self {
            trace: trace(&operator, &cones)?,
            operator,
            r,
            cones,
        })
    }

    /// Takes it apart, so that the next problem can use the memory of this one.
    pub fn into_parts(self) -> (N, Vec<f64>, Cones) {
        (self.operator, self.r, self.cones)
    }

    /// N.
    pub fn operator(&self) -> &N {
        &self.operator
    }

    /// The velocity that each row would have without any impulse, m/s: `r`.
    pub fn r(&self) -> &[f64] {
        &self.r
    }

    /// The feasible set.
    pub fn cones(&self) -> &Cones {
        &self.cones
    }

    /// Number of rows.
    pub fn dim(&self) -> usize {
        self.r.len()
    }

    /// Mean diagonal of N over all processes, 1/kg for contacts.
    pub fn mean_diagonal(&self, reduce: &dyn Reduce) -> f64 {
        let trace = reduce.sum(self.trace.all);
        mean(trace, reduce.sum(self.dim() as f64))
    }

    /// What the residual measures rows by.
    pub fn units(&self, reduce: &dyn Reduce) -> Units {
        let turning_rows = reduce.sum(self.trace.turning_rows);
        if turning_rows == 0.0 {
            return Units {
                w: self.mean_diagonal(reduce),
                length: 1.0,
            };
        }
        let turning = reduce.sum(self.trace.turning);
        let beside = mean(
            reduce.sum(self.trace.beside),
            reduce.sum(self.trace.beside_rows),
        );
        let length = (beside / mean(turning, turning_rows)).sqrt();
        let all = reduce.sum(self.trace.all - self.trace.turning) + turning_rows * beside;
        Units {
            w: mean(all, reduce.sum(self.dim() as f64)),
            // Between bodies that cannot turn, nothing depends on it.
            length: if length.is_finite() { length } else { 1.0 },
        }
    }

    /// Rows of all processes together.
    pub fn total_rows(&self, reduce: &dyn Reduce) -> usize {
        reduce.sum(self.dim() as f64) as usize
    }

    /// `‖N − Nᵀ‖ / ‖N‖`, the largest of all processes.
    pub fn asymmetry(&self, reduce: &dyn Reduce) -> f64 {
        reduce.max(self.operator.asymmetry())
    }

    /// Whether N may be taken as symmetric on all processes.
    pub fn is_symmetric(&self, reduce: &dyn Reduce) -> bool {
        self.asymmetry(reduce) <= SYMMETRY_TOLERANCE
    }

    /// `out = N gamma + r`: the gradient of the objective, which is the velocity at the contacts.
    pub fn velocity(&self, gamma: &[f64], out: &mut [f64]) {
        self.operator.apply(gamma, out);
        out.iter_mut().zip(&self.r).for_each(|(o, r)| *o += r);
    }

    /// The same from the operator's sweep state of `gamma`.
    pub(crate) fn velocity_from_state(&self, gamma: &[f64], state: &[f64], out: &mut [f64]) {
        self.operator.product_from_state(gamma, state, out);
        out.iter_mut().zip(&self.r).for_each(|(o, r)| *o += r);
    }

    /// `½ gammaᵀ N gamma + rᵀ gamma` from `velocity = N gamma + r`.
    pub fn objective(&self, gamma: &[f64], velocity: &[f64]) -> f64 {
        self.objective_with(gamma, velocity, &Local)
    }

    pub(crate) fn objective_with(
        &self,
        gamma: &[f64],
        velocity: &[f64],
        reduce: &dyn Reduce,
    ) -> f64 {
        0.5 * (reduce.dot(gamma, velocity) + reduce.dot(gamma, &self.r))
    }

    /// The same problem with another `r`, as fixed points around a convex solver need it.
    pub fn set_r(&mut self, r: &[f64]) {
        self.r.copy_from_slice(r);
    }
}

/// A mean of diagonal entries. An N without diagonal (only fixed bodies) leaves the scale open: any
/// positive one will do.
fn mean(sum: f64, rows: f64) -> f64 {
    if sum > 0.0 { sum / rows } else { 1.0 }
}

/// The diagonal of N added up.
#[derive(Clone, Copy, Debug, Default)]
struct Trace {
    all: f64,
    /// Of rolling and spinning rows.
    turning: f64,
    turning_rows: f64,
    /// Of the other rows of their blocks.
    beside: f64,
    beside_rows: f64,
}

impl Trace {
    fn join(self, other: Self) -> Self {
        Self {
            all: self.all + other.all,
            turning: self.turning + other.turning,
            turning_rows: self.turning_rows + other.turning_rows,
            beside: self.beside + other.beside,
            beside_rows: self.beside_rows + other.beside_rows,
        }
    }

    /// Adds the diagonal of one block; `turning` are the last rows of it.
    fn add(&mut self, diagonal: impl Iterator<Item = f64> + Clone, turning: Range<usize>) {
        self.all += diagonal.clone().sum::<f64>();
        if !turning.is_empty() {
            self.turning_rows += turning.len() as f64;
            self.turning += diagonal.clone().skip(turning.start).sum::<f64>();
            self.beside_rows += turning.start as f64;
            self.beside += diagonal.take(turning.start).sum::<f64>();
        }
    }
}

/// The sum of the diagonal. Refuses a block of N with a number that is not finite: no method could
/// do anything with it.
fn trace<N: Operator>(operator: &N, cones: &Cones) -> Result<Trace, ProblemError> {
    let per_chunk = CHUNK / 8;
    let part = |chunk: usize| {
        let mut dense = [0.0; MAX_ROWS * MAX_ROWS];
        let mut trace = Trace::default();
        for index in chunk * per_chunk..cones.len().min((chunk + 1) * per_chunk) {
            let block = cones.block(index);
            let d = block.len();
            operator.diagonal_block(block, &mut dense);
            if let Some(k) = dense[..d * d].iter().position(|v| !v.is_finite()) {
                return Err(Overflow {
                    block: index,
                    row: k / d,
                    column: k % d,
                    value: dense[k],
                });
            }
            let diagonal = (0..d).map(|k| dense[k * d + k]);
            trace.add(diagonal, cones.as_slice()[index].turning_rows());
        }
        Ok(trace)
    };
    let chunks = cones.len().div_ceil(per_chunk);
    let join = |a: Result<Trace, Overflow>, b: Result<Trace, Overflow>| Ok(a?.join(b?));
    match ordered_fold(chunks, 12 * cones.dim(), Ok(Trace::default()), part, join) {
        Ok(trace) if trace.all.is_finite() => Ok(trace),
        Ok(trace) => Err(ProblemError::TraceOverflow { value: trace.all }),
        Err(Overflow {
            block,
            row,
            column,
            value,
        }) => Err(ProblemError::EntryOverflow {
            block,
            row,
            column,
            value,
        }),
    }
}

/// An entry of N that is not finite.
#[derive(Clone, Copy)]
struct Overflow {
    block: usize,
    row: usize,
    column: usize,
    value: f64,
}
