//! All joints of a problem as one block.
//!
//! Block by block, a chain passes an impulse on by one joint a sweep, and a heavy body at its end
//! makes that worse. So after the contacts of a sweep all joints take one exact step together,
//! `x ← y − S⁻¹ s` with `S = Dᵀ M⁻¹ D + E` over their rows, by a sparse factor. Rows that follow
//! from others, as in a closed chain, stay as they are.

use pulp::NullaryFnOnce;

use super::body::{Body, Shared, Symmetric};
use super::rows::{RowBlock, RowContext, response};
use crate::cone::MAX_ROWS;
use crate::factor::blocks::{Analysis, BlockCholesky, Place};
use crate::sweep::SweepSums;

/// Share of its diagonal that is left of a row that follows from others: rounding, of sums of some
/// hundred terms.
const DEPENDENT: f64 = 1e-10;

/// A factor does not pay where the joints of one body make more pairs than this for each joint of
/// the problem: they fill it.
const MOST_NEIGHBOURS: usize = 64;

/// Largest factor, bytes. A solve reads all of it in each sweep.
const MOST_BYTES: usize = 64 << 20;

/// The joints of a problem.
#[derive(Debug, Default)]
pub(super) struct Joints {
    /// Where the rows of each joint begin, and pairs of joints at common bodies, the later one first:
    /// what was analysed last, whether its factor fits or not.
    offsets: Vec<usize>,
    graph: Vec<[usize; 2]>,
    /// Places of the pairs in the factor.
    places: Vec<Place>,
    factor: Option<Box<BlockCholesky>>,
    /// One over the root of the diagonal of S, row by row; zero where nothing moves.
    scale: Vec<f64>,
    /// Velocities of all rows, and the step.
    s: Vec<f64>,
    step: Vec<f64>,
    ready: bool,
}

impl Joints {
    /// Whether there is a factor to step with. Otherwise joints step one by one.
    pub fn are_ready(&self) -> bool {
        self.ready
    }

    /// Finds out how these joints hang together. What was found about the last ones is used again if
    /// they do so in the same way.
    pub fn take(&mut self, rows: &[RowBlock], bodies: &[Body], full: &[Symmetric]) {
        self.ready = false;
        if !rows.is_empty() {
            self.analyse(rows, bodies, full);
        }
    }

    /// Factors the matrix of the joints that were taken.
    pub fn fill(
        &mut self,
        context: &RowContext<'_>,
        rows: &[RowBlock],
        bodies: &[Body],
        full: &[Symmetric],
    ) {
        self.ready = false;
        if rows.is_empty() {
            return;
        }
        let Some(mut factor) = self.factor.take() else {
            return;
        };
        self.set_scale(context, rows, bodies, full, factor.offsets());
        factor.set_zero();
        for (&[i, j], &place) in self.graph.iter().zip(&self.places) {
            let mut dense = coupling(context, [&rows[i], &rows[j]], bodies, full);
            let (height, width) = (rows[i].block.len(), rows[j].block.len());
            let (top, left) = (factor.offsets()[i], factor.offsets()[j]);
            for r in 0..height {
                for c in 0..width {
                    dense[r * width + c] *= self.scale[top + r] * self.scale[left + c];
                }
                // A row that cannot move has no diagonal of its own.
                if i == j && self.scale[top + r] == 0.0 {
                    dense[r * width + r] = 1.0;
                }
            }
            factor.add(place, &dense[..height * width]);
        }
        self.ready = factor.factor_independent(DEPENDENT);
        if self.ready {
            factor.prepare_solves();
        }
        self.factor = Some(factor);
    }

    fn analyse(&mut self, rows: &[RowBlock], bodies: &[Body], full: &[Symmetric]) {
        let Some(graph) = neighbours(rows, bodies, full) else {
            self.factor = None;
            self.offsets.clear();
            return;
        };
        let mut offsets = vec![0];
        for row in rows {
            offsets.push(offsets[offsets.len() - 1] + row.block.len());
        }
        if offsets == self.offsets && graph == self.graph {
            return;
        }
        self.factor = match BlockCholesky::analyse(&offsets, &graph, MOST_BYTES) {
            Analysis::Fits(factor, places) => {
                self.places = places;
                Some(factor)
            }
            Analysis::TooLarge => None,
        };
        (self.offsets, self.graph) = (offsets, graph);
    }

    fn set_scale(
        &mut self,
        context: &RowContext<'_>,
        rows: &[RowBlock],
        bodies: &[Body],
        full: &[Symmetric],
        offsets: &[usize],
    ) {
        self.scale.clear();
        for row in rows {
            let own = coupling(context, [row, row], bodies, full);
            let d = row.block.len();
            self.scale.extend((0..d).map(|k| {
                let diagonal = own[k * d + k];
                if diagonal > 0.0 {
                    1.0 / diagonal.sqrt()
                } else {
                    0.0
                }
            }));
        }
        self.s.resize(offsets[rows.len()], 0.0);
        self.step.resize(offsets[rows.len()], 0.0);
    }

    /// Steps all joints from `y = x + beta (x − old)`, or from `old` if that is what `redo` says.
    ///
    /// # Safety
    ///
    /// No other thread uses the joints' bodies, and their places are in the list.
    #[expect(unsafe_code, reason = "see `Shared`")]
    pub unsafe fn step(
        &mut self,
        context: &RowContext<'_>,
        rows: &mut [RowBlock],
        bodies: (&Shared<'_, Body>, &[Symmetric]),
        momentum: (f64, bool),
        sums: &mut SweepSums,
    ) {
        pulp::Arch::new().dispatch(JointStep {
            joints: self,
            context,
            rows,
            bodies,
            momentum,
            sums,
        });
    }

    /// # Safety
    ///
    /// As [`Joints::step`].
    #[expect(unsafe_code, reason = "see `Shared`")]
    #[inline(always)]
    unsafe fn step_here(
        &mut self,
        context: &RowContext<'_>,
        rows: &mut [RowBlock],
        (bodies, full): (&Shared<'_, Body>, &[Symmetric]),
        (beta, redo): (f64, bool),
        sums: &mut SweepSums,
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            self.solve(context, rows, bodies, |_, row| {
                let x = if redo { row.old } else { row.x };
                [
                    x,
                    std::array::from_fn(|k| x[k] + beta * (x[k] - row.old[k])),
                ]
            });
        }
        let mut at = 0;
        for row in rows {
            let len = row.block.len();
            let (_, compliance) = context.problem.operator.block_rows(row.block.index);
            let r = &context.problem.r[row.block.rows()];
            let mut d = [0.0; MAX_ROWS];
            for k in 0..len {
                let (s, step) = self.found(at + k);
                d[k] = step;
                // The step is exact, so that the quadratic term is half of the linear one.
                sums.objective +=
                    0.5 * s * d[k] + (r[k] + 0.5 * compliance[k] * row.x[k]) * row.x[k];
                sums.moved += s * s;
                row.x[k] += d[k];
            }
            at += len;
            // SAFETY: the caller's promise.
            unsafe { row.push(context, bodies, full, &d[..len]) };
        }
    }

    /// Finds the exact step of all joints. `start` gives the point before and the one to step from
    /// of each: they go into `old` and `x`.
    ///
    /// # Safety
    ///
    /// No other thread writes to the joints' bodies, and their places are in the list.
    #[expect(unsafe_code, reason = "see `Shared`")]
    #[inline(always)]
    pub unsafe fn solve(
        &mut self,
        context: &RowContext<'_>,
        rows: &mut [RowBlock],
        bodies: &Shared<'_, Body>,
        start: impl Fn(usize, &RowBlock) -> [[f64; MAX_ROWS]; 2],
    ) {
        let factor = self.factor.as_mut().expect("a factor that is ready");
        let mut at = 0;
        for (joint, row) in rows.iter_mut().enumerate() {
            let [x, y] = start(joint, row);
            // SAFETY: the caller's promise.
            let s = unsafe { row.velocity(context, bodies, &y) };
            for s in &s[..row.block.len()] {
                self.s[at] = *s;
                self.step[at] = self.scale[at] * s;
                at += 1;
            }
            (row.old, row.x) = (x, y);
        }
        factor.solve(&mut self.step);
    }

    /// The velocity and the exact step of a row, counted through all joints.
    #[inline(always)]
    pub fn found(&self, row: usize) -> (f64, f64) {
        (self.s[row], -self.scale[row] * self.step[row])
    }
}

/// [`Joints::step`], to be compiled for the instructions of this machine. Made by it alone, so that
/// its caller's promise holds.
struct JointStep<'a, 'b> {
    joints: &'a mut Joints,
    context: &'a RowContext<'b>,
    rows: &'a mut [RowBlock],
    bodies: (&'a Shared<'b, Body>, &'a [Symmetric]),
    momentum: (f64, bool),
    sums: &'a mut SweepSums,
}

impl NullaryFnOnce for JointStep<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self {
            joints,
            context,
            rows,
            bodies,
            momentum,
            sums,
        } = self;
        // SAFETY: the promise of whoever called `step`.
        #[expect(unsafe_code, reason = "see `Shared`")]
        unsafe {
            joints.step_here(context, rows, bodies, momentum, sums);
        }
    }
}

/// Pairs of joints at common bodies, the later one first, by the earlier one; every joint with
/// itself too. `None` where they are too many.
fn neighbours(rows: &[RowBlock], bodies: &[Body], full: &[Symmetric]) -> Option<Vec<[usize; 2]>> {
    let mut at_body: Vec<(u32, usize)> = rows
        .iter()
        .enumerate()
        .flat_map(|(joint, row)| row.bodies.map(|body| (body, joint)))
        .filter(|&(body, _)| moves(&bodies[body as usize], full.get(body as usize)))
        .collect();
    at_body.sort_unstable();
    let mut graph: Vec<[usize; 2]> = (0..rows.len()).map(|joint| [joint; 2]).collect();
    for joints in at_body.chunk_by(|a, b| a.0 == b.0) {
        if joints.len() * joints.len() > MOST_NEIGHBOURS * rows.len() {
            return None;
        }
        for (k, &(_, j)) in joints.iter().enumerate() {
            graph.extend(joints[k + 1..].iter().map(|&(_, i)| [i.max(j), i.min(j)]));
        }
    }
    graph.sort_unstable_by_key(|&[i, j]| (j, i));
    graph.dedup();
    Some(graph)
}

fn moves(body: &Body, full: Option<&Symmetric>) -> bool {
    body.weights().iter().any(|w| *w > 0.0) || full.is_some_and(|i| *i != Symmetric::default())
}

/// The block of S that couples two joints, row-major.
fn coupling(
    context: &RowContext<'_>,
    [a, b]: [&RowBlock; 2],
    bodies: &[Body],
    full: &[Symmetric],
) -> [f64; MAX_ROWS * MAX_ROWS] {
    let mut dense = [0.0; MAX_ROWS * MAX_ROWS];
    let operator = context.problem.operator;
    let (rows, compliance) = operator.block_rows(a.block.index);
    let (columns, _) = operator.block_rows(b.block.index);
    let width = columns.len();
    for (side_b, &place) in b.bodies.iter().enumerate() {
        let Some(side_a) = a.bodies.iter().position(|&other| other == place) else {
            continue;
        };
        let body = &bodies[place as usize];
        for (c, column) in columns.iter().enumerate() {
            let half = std::array::from_fn(|k| column[6 * side_b + k]);
            let change = response(body, full.get(place as usize), &half);
            for (r, row) in rows.iter().enumerate() {
                let row = &row[6 * side_a..6 * side_a + 6];
                dense[r * width + c] += (0..6).map(|k| row[k] * change[k]).sum::<f64>();
            }
        }
    }
    if a.block.index == b.block.index {
        (0..width).for_each(|k| dense[k * width + k] += compliance[k]);
    }
    dense
}
