//! The one measure that judges every solver, the certificate that every result carries, and the
//! measures of the papers for their tables.

mod careful;

use crate::cone::{Cone, MAX_ROWS};
use crate::norm::{is_sound, largest, nan_max, squares_in};
use crate::operator::Operator;
use crate::problem::{Ccp, Law};
use crate::reduce::{CHUNK, Reduce, ordered_fold};

/// The natural-map residual of a point.
///
/// `rho(gamma) = w ‖gamma − Π(gamma − u/w)‖₂` with `u = N gamma + r` (De Saxcé's `û` for the exact
/// law) and [`Units`] that make every row a speed. Zero exactly at a solution, and in m/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Residual {
    /// `rho(gamma) / rho(0)`: what `tolerance` means everywhere. No unit. Where `rho(0)` is zero
    /// there is nothing to divide by, and it is `rho(gamma)` in m/s.
    pub relative: f64,
    /// Largest share of one block in `rho`, m/s.
    pub largest: f64,
}

/// What the residuals of a problem are measured by. A solve takes it once, since in a distributed
/// run it costs messages between processes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResidualScale {
    /// What makes speeds of impulses and of rows that turn.
    pub units: Units,
    /// `rho(0)`, m/s: what residuals are divided by. Zero when nothing presses: then `gamma = 0`
    /// solves, and residuals are taken as they are, in m/s.
    pub at_zero: f64,
    arithmetic: Arithmetic,
}

impl ResidualScale {
    /// Whether the formula as it stands is good enough for this problem's numbers.
    pub(crate) fn is_plain(&self) -> bool {
        self.arithmetic == Arithmetic::Plain
    }

    /// The relative residual of a sum of squares over all blocks, (m/s)².
    pub(crate) fn relative(&self, squares: f64) -> f64 {
        self.relative_of(squares.sqrt())
    }

    /// The residual of the squares of all blocks.
    pub(crate) fn residual(&self, squares: Squares) -> Residual {
        Residual {
            relative: self.relative(squares.sum),
            largest: squares.largest.sqrt(),
        }
    }

    fn relative_of(&self, rho: f64) -> f64 {
        if !(self.units.w.is_finite() && self.at_zero.is_finite()) {
            f64::NAN // a quotient by infinity would pass for a solution
        } else if self.at_zero > 0.0 {
            rho / self.at_zero
        } else {
            rho
        }
    }
}

/// What makes speeds of a problem's other quantities, from the diagonal of N.
///
/// Rolling and spinning rows are angular speeds, rad/s. Taken as they are, a residual of 1 cm balls
/// would ask for a hundred times more of them than of the sliding rows, and more still of smaller
/// ones. So they count as the speed at the distance `length` from the axis, and their moments as
/// the impulse there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Units {
    /// The mean diagonal of N over all processes, 1/kg for contacts, with turning rows in the unit
    /// of the others.
    pub w: f64,
    /// Where turning rows have the mean diagonal of the other rows of their blocks, m: about a
    /// ball's radius. 1 where no row turns.
    pub length: f64,
}

/// How shares are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arithmetic {
    /// By the formula as it stands.
    Plain,
    /// As in file `careful`: the plain formula loses this problem's numbers.
    Careful,
}

/// Plain and careful residuals at zero that differ by more than this share of them do not differ by
/// rounding: the plain formula has lost its figures. Far below what a residual is read to, far
/// above what sums of thousands of terms round by.
const AGREEMENT: f64 = 1e-6;

/// A careful residual that exceeds the plain one by this factor, and [`NOT_ROUNDING`] too, shows
/// that the plain one is wrong: a digit is more than two ways of rounding differ by.
const EXCESS: f64 = 10.0;

/// Below this relative residual the two may differ by the rounding of large impulses alone.
const NOT_ROUNDING: f64 = 1e-9;

/// What a result is worth, from the point alone: nothing of it depends on the method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certificate {
    /// [`Residual::relative`] under the law that was asked for.
    pub residual: f64,
    /// [`Residual::largest`] under that law, m/s.
    pub residual_velocity: f64,
    /// `½ gammaᵀ N gamma + rᵀ gamma`, J. Under the exact law or a not symmetric N it is only a
    /// figure.
    pub objective: f64,
    /// Largest distance of a block's impulse from its cone, N s.
    pub cone_violation: f64,
    /// Largest distance of a block's velocity from its dual cone, m/s.
    pub dual_violation: f64,
    /// Duality gap, J, at the nearest velocities inside the dual cones. Only for the relaxed law
    /// and a symmetric N.
    pub duality_gap: Option<f64>,
}

impl Certificate {
    /// The residual in it.
    pub(crate) fn reached(&self) -> Residual {
        Residual {
            relative: self.residual,
            largest: self.residual_velocity,
        }
    }
}

/// What shares of blocks in the residual come to, (m/s)².
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Squares {
    /// All of them together.
    pub sum: f64,
    /// The largest.
    pub largest: f64,
}

impl Squares {
    /// Both lists of blocks together.
    pub fn join(self, other: Self) -> Self {
        Self {
            sum: self.sum + other.sum,
            largest: nan_max(self.largest, other.largest),
        }
    }

    /// With those of all processes.
    pub fn reduced(self, reduce: &dyn Reduce) -> Self {
        Self {
            sum: reduce.sum(self.sum),
            largest: reduce.max(self.largest),
        }
    }
}

/// The measures by which the papers judge convergence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaperMeasures {
    /// Mazhar 2015, eq. 25, with `g_d = 1e-6`, at the projected point.
    pub apgd_residual: f64,
    /// Heyn 2013, eq. 24, and Tasora 2013: `‖ε‖₂` with `tau_g = 1e-6`, at the projected point.
    pub spectral_residual: f64,
    /// Largest entry of the projected gradient (Heyn 2013, eq. 14), taken along the projection arc
    /// for friction cones.
    pub projected_gradient: f64,
    /// `gammaᵀ (N gamma + r)`.
    pub complementarity: f64,
    /// Blocks at their tip: the active set of Heyn 2013.
    pub active_set: usize,
}

/// The step of the papers' residuals.
const PAPER_STEP: f64 = 1e-6;

impl<N: Operator> Ccp<N> {
    /// What [`Self::residual`] measures by.
    pub fn residual_scale(&self, law: Law, reduce: &dyn Reduce) -> ResidualScale {
        let zero = [0.0; MAX_ROWS];
        let units = self.units(reduce);
        let at = |i: usize| {
            let rows = self.cones().block(i).rows();
            (&zero[..rows.len()], &self.r()[rows])
        };
        let (squares, _) = self.plain_squares(law, units, at, reduce);
        let plain = squares.sqrt();
        let (careful, _) = self.careful_rho(law, units, at, reduce);
        let (at_zero, arithmetic) = if (plain - careful).abs() <= AGREEMENT * careful {
            (plain, Arithmetic::Plain)
        } else {
            (careful, Arithmetic::Careful)
        };
        ResidualScale {
            units,
            at_zero,
            arithmetic,
        }
    }

    /// The residual at `gamma` with `velocity = N gamma + r`; `scale` is [`Self::residual_scale`].
    /// NaN where a number is, or where none is large enough.
    pub fn residual(
        &self,
        law: Law,
        gamma: &[f64],
        velocity: &[f64],
        scale: ResidualScale,
        reduce: &dyn Reduce,
    ) -> Residual {
        let units = scale.units;
        let at = |i: usize| {
            let rows = self.cones().block(i).rows();
            (&gamma[rows.clone()], &velocity[rows])
        };
        let (rho, largest) = match scale.arithmetic {
            Arithmetic::Plain => {
                let (squares, largest) = self.plain_squares(law, units, at, reduce);
                // All processes see the same sum, and so take the same way.
                if is_sound(squares) || self.plain_is_zero(law, units, at, reduce, squares) {
                    (squares.sqrt(), largest.sqrt())
                } else {
                    self.careful_rho(law, units, at, reduce)
                }
            }
            Arithmetic::Careful => self.careful_rho(law, units, at, reduce),
        };
        Residual {
            relative: scale.relative_of(rho),
            largest,
        }
    }

    /// `rho²` and the largest share of a block in it by the plain formula. `at(i)` are impulse and
    /// velocity of block `i`.
    fn plain_squares<'v>(
        &self,
        law: Law,
        units: Units,
        at: impl Fn(usize) -> (&'v [f64], &'v [f64]) + Sync,
        reduce: &dyn Reduce,
    ) -> (f64, f64) {
        let (sum, largest) = self.fold_blocks(|i| {
            let (gamma, velocity) = at(i);
            block_residual(&self.cones().as_slice()[i], law, units, gamma, velocity)
        });
        (reduce.sum(sum), reduce.max(largest))
    }

    /// Whether a vanishing sum of squares comes from shares that are zero themselves.
    fn plain_is_zero<'v>(
        &self,
        law: Law,
        units: Units,
        at: impl Fn(usize) -> (&'v [f64], &'v [f64]) + Sync,
        reduce: &dyn Reduce,
        squares: f64,
    ) -> bool {
        if squares != 0.0 {
            return false;
        }
        let (_, unit) = self.fold_blocks(|i| {
            let (gamma, velocity) = at(i);
            let mut out = [0.0; MAX_ROWS];
            let cone = &self.cones().as_slice()[i];
            plain_shares(
                cone,
                law,
                units,
                gamma,
                velocity,
                &mut out[..velocity.len()],
            );
            largest(&out)
        });
        reduce.max(unit) == 0.0
    }

    /// `rho` and the largest share of a block in it, without squares that leave the range of a
    /// double.
    fn careful_rho<'v>(
        &self,
        law: Law,
        units: Units,
        at: impl Fn(usize) -> (&'v [f64], &'v [f64]) + Sync,
        reduce: &dyn Reduce,
    ) -> (f64, f64) {
        let block = |i: usize| {
            let (gamma, velocity) = at(i);
            let mut out = [0.0; MAX_ROWS];
            let cone = &self.cones().as_slice()[i];
            careful::shares(
                cone,
                law,
                units,
                gamma,
                velocity,
                &mut out[..velocity.len()],
            );
            out
        };
        let (_, unit) = self.fold_blocks(|i| largest(&block(i)));
        let unit = reduce.max(unit);
        if !(unit > 0.0 && unit.is_finite()) {
            return (unit, unit); // zero, infinite or NaN
        }
        let (sum, largest) = self.fold_blocks(|i| squares_in(unit, &block(i)));
        let (sum, largest) = (reduce.sum(sum), reduce.max(largest));
        (unit * sum.sqrt(), unit * largest.sqrt())
    }

    /// The share of one block in `rho`, m/s.
    pub(crate) fn block_residual(
        &self,
        law: Law,
        units: Units,
        block: usize,
        gamma: &[f64],
        velocity: &[f64],
    ) -> f64 {
        let rows = self.cones().block(block).rows();
        let cone = &self.cones().as_slice()[block];
        block_residual(cone, law, units, &gamma[rows.clone()], &velocity[rows]).sqrt()
    }

    /// Everything that can be said about a point.
    pub fn certificate(
        &self,
        law: Law,
        gamma: &[f64],
        velocity: &[f64],
        reduce: &dyn Reduce,
    ) -> Certificate {
        let residual = self.final_residual(law, gamma, velocity, reduce);
        let cones = self.cones();
        let per_chunk = CHUNK / 8;
        let join =
            |a: [f64; 3], b: [f64; 3]| [a[0] + b[0], nan_max(a[1], b[1]), nan_max(a[2], b[2])];
        let chunk = |c: usize| {
            let mut u = [0.0; MAX_ROWS];
            let range = c * per_chunk..cones.len().min((c + 1) * per_chunk);
            range.fold([0.0; 3], |sums, index| {
                let (rows, cone) = (cones.block(index).rows(), &cones.as_slice()[index]);
                let u = &mut u[..rows.len()];
                law_velocity(cone, law, &velocity[rows.clone()], u);
                let (gap, outside) = cone.gap(&gamma[rows.clone()], u);
                join(sums, [gap, cone.distance(&gamma[rows]), outside])
            })
        };
        let chunks = cones.len().div_ceil(per_chunk);
        let [gap, cone_violation, dual_violation] =
            ordered_fold(chunks, 12 * self.dim(), [0.0; 3], chunk, join);
        let convex = law == Law::Relaxed && self.is_symmetric(reduce);
        Certificate {
            residual: residual.relative,
            residual_velocity: residual.largest,
            objective: self.objective_with(gamma, velocity, reduce),
            cone_violation: reduce.max(cone_violation),
            dual_violation: reduce.max(dual_violation),
            duality_gap: convex.then(|| reduce.sum(gap)),
        }
    }

    /// The residual, or the careful one where that shows that the plain one is wrong.
    fn final_residual(
        &self,
        law: Law,
        gamma: &[f64],
        velocity: &[f64],
        reduce: &dyn Reduce,
    ) -> Residual {
        let scale = self.residual_scale(law, reduce);
        let plain = self.residual(law, gamma, velocity, scale, reduce);
        let arithmetic = Arithmetic::Careful;
        let scale = ResidualScale {
            arithmetic,
            ..scale
        };
        let careful = self.residual(law, gamma, velocity, scale, reduce);
        let exceeds = careful.relative > EXCESS * plain.relative;
        if exceeds && careful.relative > NOT_ROUNDING {
            careful
        } else {
            plain
        }
    }

    /// The papers' measures, at the projection of `gamma`: eq. 25 amplifies what lies outside the
    /// cones by `1/g_d`.
    pub fn paper_measures(
        &self,
        gamma: &[f64],
        velocity: &[f64],
        reduce: &dyn Reduce,
    ) -> PaperMeasures {
        let mut squares = 0.0;
        let mut largest: f64 = 0.0;
        let mut active_set = 0;
        for (block, cone) in self.cones().iter() {
            let (gamma, u) = (&gamma[block.rows()], &velocity[block.rows()]);
            let mut gamma_in = [0.0; MAX_ROWS];
            gamma_in[..block.len()].copy_from_slice(gamma);
            cone.project(&mut gamma_in[..block.len()]);
            let gamma = &gamma_in[..block.len()];
            let mut y = [0.0; MAX_ROWS];
            for (k, y) in y[..block.len()].iter_mut().enumerate() {
                *y = gamma[k] - PAPER_STEP * u[k];
            }
            cone.project(&mut y[..block.len()]);
            for (k, y) in y[..block.len()].iter().enumerate() {
                let epsilon = (gamma[k] - y) / PAPER_STEP;
                squares += epsilon * epsilon;
                largest = nan_max(largest, epsilon.abs());
            }
            active_set += usize::from(cone.is_contact() && gamma[0] <= -cone.cohesion());
        }
        let spectral_residual = reduce.sum(squares).sqrt();
        PaperMeasures {
            apgd_residual: spectral_residual / (reduce.sum(self.dim() as f64)).max(1.0),
            spectral_residual,
            projected_gradient: reduce.max(largest),
            complementarity: reduce.dot(gamma, velocity),
            active_set: reduce.sum(active_set as f64) as usize,
        }
    }

    /// Sum and largest of a figure over the blocks.
    fn fold_blocks(&self, f: impl Fn(usize) -> f64 + Sync) -> (f64, f64) {
        let blocks = self.cones().len();
        let per_chunk = CHUNK / 8;
        let join = |(s, m): (f64, f64), (t, n): (f64, f64)| (s + t, nan_max(m, n));
        let chunk = |c: usize| {
            let range = c * per_chunk..blocks.min((c + 1) * per_chunk);
            range
                .map(|i| {
                    let value = f(i);
                    (value, value)
                })
                .fold((0.0, 0.0), join)
        };
        ordered_fold(
            blocks.div_ceil(per_chunk),
            4 * self.dim(),
            (0.0, 0.0),
            chunk,
            join,
        )
    }
}

/// `u` for the relaxed law, De Saxcé's `û` for the exact one.
pub(crate) fn law_velocity(cone: &Cone, law: Law, velocity: &[f64], out: &mut [f64]) {
    out.copy_from_slice(velocity);
    match law {
        Law::Relaxed => {}
        Law::Exact => out[0] += cone.de_saxce_shift(velocity),
    }
}

/// Squared share of one block in the residual, (m/s)².
pub(crate) fn block_residual(
    cone: &Cone,
    law: Law,
    units: Units,
    gamma: &[f64],
    velocity: &[f64],
) -> f64 {
    let mut shares = [0.0; MAX_ROWS];
    let shares = &mut shares[..velocity.len()];
    plain_shares(cone, law, units, gamma, velocity, shares);
    shares.iter().map(|share| share * share).sum()
}

/// What each row of a block adds to the residual, m/s.
fn plain_shares(
    cone: &Cone,
    law: Law,
    units: Units,
    gamma: &[f64],
    velocity: &[f64],
    out: &mut [f64],
) {
    let (d, w) = (velocity.len(), units.w);
    let AtDistance { cone, gamma, u } = AtDistance::new(cone, units.length, gamma, velocity);
    let mut shifted = [0.0; MAX_ROWS];
    law_velocity(&cone, law, &u[..d], &mut shifted[..d]);
    let u = shifted;
    let mut y = [0.0; MAX_ROWS];
    for k in 0..d {
        y[k] = gamma[k] - u[k] / w;
    }
    let before = y;
    cone.project(&mut y[..d]);
    for k in 0..d {
        // w (gamma − Π(y)) = u + w (y − Π(y)): of the two, the form whose terms are the smaller. In
        // the other a large impulse swallows the velocity, and anything would pass for a solution.
        out[k] = if w * gamma[k].abs() > u[k].abs() {
            u[k] + w * (before[k] - y[k])
        } else {
            w * (gamma[k] - y[k])
        };
    }
}

/// A block whose turning rows are speeds and impulses at a distance from the axis.
struct AtDistance {
    cone: Cone,
    gamma: [f64; MAX_ROWS],
    u: [f64; MAX_ROWS],
}

impl AtDistance {
    fn new(cone: &Cone, length: f64, gamma: &[f64], u: &[f64]) -> Self {
        let mut block = Self {
            cone: *cone,
            gamma: [0.0; MAX_ROWS],
            u: [0.0; MAX_ROWS],
        };
        block.gamma[..gamma.len()].copy_from_slice(gamma);
        block.u[..u.len()].copy_from_slice(u);
        match &mut block.cone {
            Cone::Free { .. }
            | Cone::NonNegative
            | Cone::Interval { .. }
            | Cone::Friction { .. } => return block,
            Cone::Rolling { rolling, .. } => *rolling /= length,
            Cone::RollingSpinning {
                rolling, spinning, ..
            } => {
                *rolling /= length;
                *spinning /= length;
            }
        }
        for k in cone.turning_rows() {
            block.gamma[k] /= length;
            block.u[k] *= length;
        }
        block
    }
}
