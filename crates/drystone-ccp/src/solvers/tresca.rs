//! Friction for methods that know bounds only: the fixed point of Tresca.
//!
//! ```text
//! given s_k:   min ½ gammaᵀ N gamma + rᵀ gamma   with  n ≥ −cohesion,  ‖x_k‖ ≤ s_k
//! then:        s_k = mu_k (n + cohesion)         and again, until s_k stays
//! ```
//!
//! The algorithm is that of J. Haslinger, R. Kučera and Z. Dostál (2004, An algorithm for the
//! numerical realization of 3D contact problems with Coulomb friction): a contact problem with
//! given friction defines a map from slip bounds to normal impulses, Coulomb's law holds at a fixed
//! point of that map, and successive approximations look for it. `solve` names its steps:
//!
//! 1. *Bounds* `s_k` from the normal impulses of the last round, damped (`Bounds::update`).
//! 2. *Problem with given friction*: intervals and discs (file `bounds` holds the set), solved by
//!    GPMINRES or Kučera's method to a share of the outer residual.
//! 3. *Test* with the new impulses, and back to 1.
//!
//! Left alone, the normal row reads `0 ≤ u_n ⟂ n + cohesion ≥ 0`, so the limit obeys *Coulomb's
//! exact law*. Heyn 2013 states GPMINRES and Kučera's method without friction; this file brings it
//! in.
//!
//! Where we depart, and why:
//! - For [`Law::Relaxed`] the normal row is shifted, `r_n − Σ mu_k ‖u_k‖` with the slip of the last
//!   round (the term of Heyn 2013, eq. 9): a sliding contact then separates with `u_n = mu ‖u_t‖`,
//!   as the cone problem has it.
//! - The bounds are damped. With friction the map is a contraction for small coefficients only; the
//!   damping is halved when the residual rises, which helps up to moderate ones.
//! - The first bounds come from the warm start and are far off from a cold one, so the first rounds
//!   are cut short.
//!
//! What converges: without friction there is nothing to iterate and the inner method's own
//! guarantee holds. With friction and the relaxed law all reference problems of full rank converge,
//! up to mu = 0.7. Hyperstatic ones with sliding contacts at mu = 0.7 or wedged bodies (Capsules,
//! OneObject) do not: the run then ends as [`Termination::Stalled`] with the best point seen. Under
//! the exact law, which needs no shift, the fixed point is the more robust: GPMINRES solves all but
//! one (OneObject-i1028-138) of the symmetric reference problems tried, to 1e-6.
//!
//! Letters: `s_k` the slip bounds, N s; `theta` the damping; `shift` what is added to the normal
//! row of `r`, m/s.

use super::SolverError;
use super::bounds::BoundSet;
use crate::monitor::Monitor;
use crate::operator::Operator;
use crate::outcome::{SolveInfo, Termination};
use crate::problem::{Ccp, Law};

/// Settings of the fixed point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrescaSettings {
    /// First damping of the bounds, in (0, 1].
    pub damping: f64,
    /// Smallest damping, in (0, `damping`].
    pub min_damping: f64,
    /// The inner problem is solved to this share of the outer residual, in (0, 1).
    pub inner_share: f64,
    /// Most iterations on one set of bounds, >= 1.
    pub inner_iterations: usize,
    /// Rounds without a gain of a tenth after which the run is stalled, >= 1.
    pub patience: usize,
}

impl Default for TrescaSettings {
    fn default() -> Self {
        Self {
            // Undamped as in the source; the rule below lowers it where that fails.
            damping: 1.0,
            // With less a round would hardly move the bounds, and patience would run out.
            min_damping: 0.1,
            // One digit more than the bounds are worth: an accurate inner solve would be wasted.
            inner_share: 0.1,
            // By trial on the outside problems.
            inner_iterations: 400,
            // By trial on the outside problems.
            patience: 50,
        }
    }
}

/// The inner problem `min ½ gammaᵀ N gamma + rᵀ gamma, gamma ∈ set`.
pub(crate) struct Bounded<'a, N> {
    pub operator: &'a N,
    pub r: &'a [f64],
    pub set: &'a BoundSet,
    /// Mean diagonal of N, the `w` of residuals.
    pub w: f64,
    /// The inner residual to reach, m/s.
    pub tolerance: f64,
    /// Iterations to spend.
    pub budget: usize,
}

impl<N: Operator> Bounded<'_, N> {
    /// `out = N gamma + r`.
    pub fn gradient(&self, gamma: &[f64], out: &mut [f64]) {
        self.operator.apply(gamma, out);
        out.iter_mut().zip(self.r).for_each(|(o, r)| *o += r);
    }

    /// Whether the inner residual at `gamma` with gradient `g` is small enough.
    pub fn solved(&self, gamma: &[f64], g: &[f64], outer: &OuterMonitor<'_, '_, N>) -> bool {
        let square = self.set.natural_residual(gamma, g, self.w);
        outer.monitor.reduce().sum(square).sqrt() <= self.tolerance
    }
}

/// Judges inner iterates by the problem that was posed.
pub(crate) struct OuterMonitor<'a, 'm, N> {
    problem: &'a Ccp<N>,
    pub monitor: &'a mut Monitor<'m>,
    shift: &'a [f64],
    velocity: &'a mut [f64],
    inside: &'a mut [f64],
    iteration: &'a mut usize,
}

impl<N: Operator> OuterMonitor<'_, '_, N> {
    /// One more iteration, at `gamma` with the inner gradient `g`. `Some` means stop everything.
    ///
    /// The velocity of the problem that was posed is `g` without the shift.
    pub fn check(&mut self, gamma: &[f64], g: &[f64]) -> Option<Termination> {
        self.velocity.copy_from_slice(g);
        for ((block, _), shift) in self.problem.cones().iter().zip(self.shift) {
            self.velocity[block.start] -= shift;
        }
        let iteration = *self.iteration;
        *self.iteration += 1;
        let residual = self.monitor.residual(self.problem, gamma, self.velocity);
        if residual > self.monitor.tolerance() {
            return self
                .monitor
                .check(self.problem, iteration, gamma, self.velocity);
        }
        // The discs are not the cones: what is claimed to be solved must be so within the cones.
        self.inside.copy_from_slice(gamma);
        self.problem.cones().project(self.inside);
        self.problem.velocity(self.inside, self.velocity);
        self.monitor.count_products(1);
        self.monitor
            .check(self.problem, iteration, self.inside, self.velocity)
    }
}

/// A method for bounds and discs.
pub(crate) trait BoundedMethod {
    /// Iterations to spend on the first set of bounds; doubled in each round.
    fn first_budget(&self) -> usize;

    /// Rounds before the relaxed law's shift sets in. From a cold start the first slips are far too
    /// large, and the shift, which presses contacts that slip, feeds on them.
    fn rounds_without_shift(&self) -> usize;

    /// Improves `gamma` until [`Bounded::solved`], the budget is spent or nothing is gained
    /// (`None`), or until `outer` says stop.
    fn run<N: Operator>(
        &mut self,
        inner: &Bounded<'_, N>,
        gamma: &mut [f64],
        outer: &mut OuterMonitor<'_, '_, N>,
    ) -> Option<Termination>;
}

/// Solves by rounds of `method`.
pub(crate) fn solve<N: Operator>(
    problem: &Ccp<N>,
    name: &'static str,
    settings: &TrescaSettings,
    method: &mut impl BoundedMethod,
    gamma: &mut [f64],
    monitor: &mut Monitor<'_>,
) -> Result<SolveInfo, SolverError> {
    SolverError::require_symmetry(name, problem, monitor.reduce())?;
    let law = monitor.law();
    problem.cones().project(gamma);
    let mut set = BoundSet::new(problem.cones());
    let reduce = monitor.reduce();
    let frictional = reduce.max(f64::from(set.has_friction())) > 0.0;
    let mut bounds = Bounds::new(problem);
    let mut velocity = vec![0.0; problem.dim()];
    let mut inside = velocity.clone();
    problem.velocity(gamma, &mut velocity);
    monitor.count_products(1);
    let scale = problem.residual_scale(law, reduce);
    let (mut theta, mut last, mut best, mut idle) =
        (settings.damping, f64::INFINITY, f64::INFINITY, 0);
    // The first bounds are far off: not worth a full solve.
    let mut budget = settings.inner_iterations.min(method.first_budget());
    let mut round = 0;
    let mut iteration = 0;
    let termination = loop {
        // Step 3: the residual of the last round decides on the damping and on giving up.
        let residual = problem
            .residual(law, gamma, &velocity, scale, reduce)
            .relative;
        if !residual.is_finite() {
            monitor.note_overflow(true);
            break Termination::Broke;
        }
        if residual > last {
            theta = (CUT * theta).max(settings.min_damping);
        } else if last.is_finite() {
            theta = (RECOVERY * theta).min(settings.damping);
        }
        last = residual;
        if residual < GAIN * best {
            (best, idle) = (residual, 0);
        } else {
            idle += 1;
        }
        if idle > settings.patience {
            break Termination::Stalled;
        }
        // Step 1: bounds and shift, undamped at first.
        let first = iteration == 0;
        let theta_now = if first { 1.0 } else { theta };
        let theta_shift = if round < method.rounds_without_shift() {
            0.0
        } else {
            theta_now
        };
        bounds.update(problem, law, gamma, &velocity, [theta_now, theta_shift]);
        set.set_friction_bounds(&bounds.s);
        set.project(gamma);
        // Step 2: the problem with given friction. Without friction it is the whole problem, and
        // only the monitor ends it.
        let share = (settings.inner_share * residual).max(INNER_FLOOR * monitor.tolerance());
        let inner = Bounded {
            operator: problem.operator(),
            r: &bounds.r,
            set: &set,
            w: scale.units.w,
            tolerance: if frictional {
                share * scale.at_zero
            } else {
                0.0
            },
            budget: if frictional {
                budget
            } else {
                settings.inner_iterations
            },
        };
        let mut outer = OuterMonitor {
            problem,
            monitor,
            shift: &bounds.shift,
            velocity: &mut velocity,
            inside: &mut inside,
            iteration: &mut iteration,
        };
        if let Some(stop) = method.run(&inner, gamma, &mut outer) {
            break stop;
        }
        problem.velocity(gamma, &mut velocity);
        monitor.count_products(1);
        round += 1;
        budget = (2 * budget).min(settings.inner_iterations);
    };
    Ok(monitor.finish(problem, name, termination, gamma))
}

/// The figures that the fixed point iterates on.
struct Bounds {
    /// One for each friction part, in order: `mu_k (gamma_n + cohesion)`, N s.
    s: Vec<f64>,
    /// One for each block: what is added to the normal row of r, m/s.
    shift: Vec<f64>,
    /// `r` with the shift, m/s.
    r: Vec<f64>,
}

impl Bounds {
    fn new<N: Operator>(problem: &Ccp<N>) -> Self {
        let parts = problem
            .cones()
            .as_slice()
            .iter()
            .map(|c| c.parts().as_slice().len())
            .sum();
        Self {
            s: vec![0.0; parts],
            shift: vec![0.0; problem.cones().len()],
            r: problem.r().to_vec(),
        }
    }

    /// Moves bounds and shift by `theta` and `theta_shift` of the way to what `gamma` and
    /// `velocity` make of them.
    fn update<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        law: Law,
        gamma: &[f64],
        velocity: &[f64],
        [theta, theta_shift]: [f64; 2],
    ) {
        let mut k = 0;
        for (block, cone) in problem.cones().iter() {
            let height = (gamma[block.start] + cone.cohesion()).max(0.0);
            for part in cone.parts().as_slice() {
                self.s[k] += theta * (part.mu * height - self.s[k]);
                k += 1;
            }
            let target = match law {
                Law::Relaxed => -cone.de_saxce_shift(&velocity[block.rows()]),
                Law::Exact => 0.0,
            };
            self.shift[block.index] += theta_shift * (target - self.shift[block.index]);
            self.r[block.start] = problem.r()[block.start] + self.shift[block.index];
        }
    }
}

/// What the damping is multiplied by when the residual rose: halving, as line searches do.
const CUT: f64 = 0.5;

/// What it is multiplied by when the residual fell. Slower than the cut, lest the two cycle.
const RECOVERY: f64 = 1.1;

/// A round that lowers the best residual by a tenth counts as progress.
const GAIN: f64 = 0.9;

/// The inner problem is never solved closer than to this share of the tolerance: a tenth of it
/// cannot decide whether the outer residual passes.
const INNER_FLOOR: f64 = 0.1;
