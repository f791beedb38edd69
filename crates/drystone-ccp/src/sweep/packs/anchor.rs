//! Anchors: a nearer problem in place of one whose bodies carry far more than their own weight.
//!
//! Under a slab, or deep in a pile, a grain is light beside what it passes on. A small error in
//! those impulses throws it far, and the number of sweeps grows with the root of that ratio. So
//! each body `b` is weighed as `(1 + omega_b) m_b`, with `omega_b` by what it carries, and held
//! back by an anchor, its own velocity some sweeps ago: a step of the proximal point method
//! (Rockafellar 1976) on the velocities,
//!
//! `min ½ ‖v − v_free‖²_M + ½ Σ omega_b ‖v_b − a_b‖²_(M_b)` under the constraints of the contacts.
//!
//! Its dual is a cone problem of the same form: `M` becomes `(1 + omega) M`, and `r` becomes
//! `r + Dᵀ z` with the shifts `z_b = omega_b / (1 + omega_b) (a_b − v_free,b)`. Where the anchors
//! no longer move, its solution is that of the problem itself.

use super::PackSweeps;
use super::lanes::LANES;
use super::rows::Problem;
use super::share::{Share, for_each_group};
use super::source::{Source, Weights};
use crate::operator::{BodyInertia, Operator};
use crate::residual::ResidualScale;

/// First `omega` of a body with the mean load, over the root of how much heavier than the others the
/// heaviest is. A guess: the method says later how much heavier it wants them.
const OMEGA: f64 = 0.5;

/// A body counts as carrying at least and at most so many times the mean load.
const LEAST_LOAD: f64 = 1e-3;
const MOST_LOAD: f64 = 10.0;

/// Mean diagonal of N times the mass, where all bodies are spheres of that mass.
const SPHERES: f64 = 5.0;

/// The nearer problem.
#[derive(Debug, Default)]
pub(super) struct Anchor {
    on: bool,
    /// How heavy bodies are made, as a share of the first guess.
    heaviness: f64,
    /// `omega` of each body.
    omegas: Vec<f64>,
    /// `z`: six figures for each body.
    shifts: Vec<f64>,
    inertias: Vec<BodyInertia>,
    r: Vec<f64>,
    /// Impulses of no size, one for each row.
    zero: Vec<f64>,
    /// What each body carries, N s, and its contacts.
    loads: Vec<(f64, u32)>,
}

impl Anchor {
    /// Makes room, so that none is asked for later. Forgets the last problem.
    pub fn reserve(&mut self, problem: &Problem<'_>) {
        let bodies = problem.bodies.len();
        self.forget();
        self.loads.clear();
        self.loads.reserve(bodies);
        self.inertias.clear();
        self.inertias.reserve(bodies);
        for (list, len) in [
            (&mut self.omegas, bodies),
            (&mut self.shifts, 6 * bodies),
            (&mut self.r, problem.r.len()),
            (&mut self.zero, problem.r.len()),
        ] {
            list.clear();
            list.reserve(len);
        }
    }

    /// Forgets the last problem.
    pub fn forget(&mut self) {
        self.on = false;
    }

    /// A problem as it is swept.
    pub fn nearer<'a>(&'a self, problem: Problem<'a>) -> Problem<'a> {
        if !self.on {
            return problem;
        }
        Problem {
            bodies: &self.inertias,
            r: &self.r,
            ..problem
        }
    }

    fn begin(&mut self, problem: &Problem<'_>) {
        let bodies = problem.bodies.len();
        self.on = true;
        self.heaviness = 1.0;
        self.omegas.resize(bodies, 0.0);
        self.shifts.resize(6 * bodies, 0.0);
        self.r.resize(problem.r.len(), 0.0);
        self.zero.resize(problem.r.len(), 0.0);
        self.inertias.extend_from_slice(problem.bodies);
    }

    /// Puts the anchors where the bodies are now: their velocities without the free ones.
    fn take_velocities(&mut self, sweeps: &PackSweeps) {
        let shifts = self.shifts.chunks_exact_mut(6);
        for (shifts, body) in shifts.zip(&sweeps.bodies) {
            for (shift, velocity) in shifts.iter_mut().zip(body.velocity()) {
                *shift += velocity;
            }
        }
    }

    /// Weighs the bodies by what they carry.
    fn weigh(&mut self, problem: &Problem<'_>, sweeps: &PackSweeps, scale: &ResidualScale) {
        self.loads.clear();
        self.loads.resize(problem.bodies.len(), (0.0, 0));
        let mut total = (0.0, 0);
        sweeps.for_each_contact(|bodies, load| {
            let mut moves = false;
            for body in bodies {
                if let Some(carried) = self.loads.get_mut(body as usize) {
                    *carried = (carried.0 + load, carried.1 + 1);
                    moves = true;
                }
            }
            if moves {
                total = (total.0 + load, total.1 + 1);
            }
        });
        let mean = total.0 / f64::from(total.1).max(1.0);
        let w = scale.units.w;
        let lightness = |body: &BodyInertia| SPHERES * body.inverse_mass / w;
        let bodies = problem.bodies.iter().zip(&self.loads);
        let touched = bodies.filter(|(_, load)| load.1 > 0);
        let least = touched.fold(1.0, |least, (body, _)| match lightness(body) {
            0.0 => least,
            light => light.min(least),
        });
        let omega_of_mean = self.heaviness * OMEGA / f64::sqrt(least);
        let lists = self.omegas.iter_mut().zip(&mut self.inertias);
        let bodies = problem.bodies.iter().zip(&self.loads);
        for ((omega, inertia), (own, &(load, contacts))) in lists.zip(bodies) {
            let load = load / (f64::from(contacts).max(1.0) * mean);
            *omega = omega_of_mean * lightness(own) * load.clamp(LEAST_LOAD, MOST_LOAD);
            if !omega.is_finite() {
                *omega = 0.0; // nothing is carried
            }
            *inertia = own.scaled(1.0 / (1.0 + *omega));
        }
    }

    /// The anchors' part in `r`.
    fn pull(&mut self, problem: &Problem<'_>) {
        for (shifts, omega) in self.shifts.chunks_exact_mut(6).zip(&self.omegas) {
            let kept = omega / (1.0 + omega);
            shifts.iter_mut().for_each(|shift| *shift *= kept);
        }
        let operator = problem.operator;
        operator.row_velocities(&self.zero, &self.shifts, &mut self.r);
        for (nearer, r) in self.r.iter_mut().zip(problem.r) {
            *nearer += r;
        }
    }
}

impl PackSweeps {
    /// Runs `f` on the problem as it is swept.
    pub(super) fn as_swept<N: Operator, T>(
        &mut self,
        problem: &crate::problem::Ccp<N>,
        f: impl FnOnce(&mut Self, Problem<'_>) -> T,
    ) -> T {
        let anchor = self.anchor.take();
        let problem = super::two_body(problem);
        let nearer = match &anchor {
            Some(anchor) => anchor.nearer(problem),
            None => problem,
        };
        let found = f(self, nearer);
        self.anchor = anchor;
        found
    }

    /// Puts anchors where the bodies are now.
    pub(super) fn move_anchors(
        &mut self,
        problem: Problem<'_>,
        scale: &ResidualScale,
        heavier: Option<f64>,
    ) -> bool {
        let Some(mut anchor) = self.anchor.take() else {
            return false;
        };
        if !anchor.on {
            anchor.begin(&problem);
        }
        anchor.take_velocities(self);
        if let Some(heavier) = heavier {
            anchor.heaviness *= heavier;
            anchor.weigh(&problem, self, scale);
        }
        anchor.pull(&problem);
        let nearer = anchor.nearer(problem);
        let sound = if heavier.is_some() {
            self.take_bodies(nearer.bodies) && self.fill(nearer, Weights::Metric, None)
        } else {
            self.fill_r(&nearer);
            true
        };
        self.anchor = Some(anchor);
        if !sound {
            self.release_anchors(problem);
        }
        sound
    }

    /// Sweeps the problem itself again.
    pub(super) fn release_anchors(&mut self, problem: Problem<'_>) {
        if let Some(anchor) = &mut self.anchor {
            anchor.reserve(&problem);
        }
        // It was sound when it was laid out.
        self.take_bodies(problem.bodies);
        self.fill(problem, Weights::Metric, None);
    }

    /// Fills in another `r`.
    fn fill_r(&mut self, problem: &Problem<'_>) {
        let picks = &self.picks;
        let share = Share {
            spheres: &mut self.spheres,
            points: &mut self.points,
            rolls: &mut self.rolls,
            rows: &mut self.rows,
            sums: &mut self.sums,
        };
        let all = 0..self.spans.len();
        for_each_group(
            std::slice::from_ref(&all),
            &self.spans,
            share,
            |group, share| {
                let picks = &picks[group];
                let source = Source {
                    problem,
                    weights: Weights::Metric,
                    gamma: None,
                    world: 0,
                };
                for (pack, blocks) in share.spheres.iter_mut().zip(&picks.spheres) {
                    source.fill_r(pack, blocks);
                }
                for (pack, blocks) in share.points.iter_mut().zip(&picks.points) {
                    source.fill_r(pack, blocks);
                }
                for (pack, blocks) in share.rolls.iter_mut().zip(&picks.rolls) {
                    source.fill_rolling_r(pack, blocks);
                }
            },
        );
    }

    /// Calls `f` with the bodies and the impulse, N s, of every contact in packs.
    fn for_each_contact(&self, mut f: impl FnMut([u32; 2], f64)) {
        let spheres = self.spheres.iter().map(|pack| (&pack.bodies, &pack.x));
        let points = self.points.iter().map(|pack| (&pack.bodies, &pack.x));
        let rolls = self.rolls.iter().map(|p| (&p.point.bodies, &p.point.x));
        for (bodies, x) in spheres.chain(points).chain(rolls) {
            for lane in 0..LANES {
                let [a, b, c] = x.0.map(|lanes| lanes.0[lane]);
                let load = (a * a + b * b + c * c).sqrt();
                f([bodies[0][lane], bodies[1][lane]], load);
            }
        }
    }
}
