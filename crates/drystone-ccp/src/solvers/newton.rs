//! Globalised semismooth Newton on the natural map, for both laws and for matrices that are not symmetric.
//!
//! Solves `F(x) = x − Π(x − û(x)) = 0` with `û = N x + q + Σ mu_k ‖u_k‖ n` in equilibrated unknowns (see
//! [`scaled`]). The step minimises `‖J d + F‖² + lambda ‖d‖²` (Levenberg–Marquardt), through the quasi-definite system
//! `[ a I  J ; Jᵀ  −a I ]`, `a² = lambda`, which does not square the condition of `J`. The damping follows `‖F‖`, so
//! that hyperstatic problems, where `J` is singular at the solution, converge too.

mod scaled;
mod smoothing;

use scaled::{MapKind, MapPoint, Scaled};

use super::SolverError;
use crate::factor::SymmetricFactor;
use crate::monitor::{Monitor, SolveInfo, Termination};
use crate::operator::Operator;
use crate::problem::{Ccp, Law};

/// The method's name on the command line and in tables.
pub const NAME: &str = "newton";

/// Settings of [`Newton`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonSettings {
    /// Damping at the start, as a multiple of `‖F‖`, > 0.
    pub damping: f64,
    /// Share of the predicted decrease that a step must bring, in (0, 1).
    pub acceptance: f64,
}

impl Default for NewtonSettings {
    fn default() -> Self {
        Self {
            damping: 1.0,
            acceptance: 1e-4,
        }
    }
}

/// Work vectors of the method.
#[derive(Default)]
pub struct Newton {
    here: MapPoint,
    trial: MapPoint,
    gamma: Vec<f64>,
    velocity: Vec<f64>,
    rhs: Vec<f64>,
}
fn debug() -> bool {
    std::env::var("NDEBUG").is_ok()
}

impl Newton {
    /// Solves, starting from `gamma` and overwriting it with the best point.
    pub fn solve<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        settings: &NewtonSettings,
        gamma: &mut [f64],
        monitor: &mut Monitor<'_>,
    ) -> Result<SolveInfo, SolverError> {
        let n = problem.dim();
        let scaled = Scaled::new(problem);
        self.here.resize(n);
        self.trial.resize(n);
        self.gamma.clear();
        self.gamma.extend_from_slice(gamma);
        self.velocity.resize(n, 0.0);
        let mut system = StepSystem::new(&scaled);
        let slip = match monitor.law() {
            Law::Relaxed => 0.0,
            Law::Exact => 1.0,
        };
        match std::env::var("START").as_deref() {
            Ok("nsgs") => {
                let mut inner = monitor.nested(crate::Limits { max_iterations: std::env::var("SWEEPS").map_or(300, |v| v.parse().unwrap()), ..Default::default() }, monitor.law());
                let info = super::gauss_seidel::GaussSeidel::default().solve(problem, &Default::default(), gamma, &mut inner)?;
                if debug() { eprintln!("nsgs: {:.2e} {:.3}s", info.certificate.residual, info.seconds); }
            }
            Ok("relaxed") if monitor.law() == Law::Exact => {
                let mut inner = monitor.nested(crate::Limits::default(), Law::Relaxed);
                let info = Newton::default().solve(problem, &Default::default(), gamma, &mut inner)?;
                if debug() { eprintln!("relaxed: {:.2e} {:.3}s", info.certificate.residual, info.seconds); }
            }
            _ => {}
        }
        scaled.to_scaled(gamma, &mut self.here.x);
        let mut iteration = 0;
        let sharp = MapKind { slip, epsilon: 0.0 };
        let mut termination = self.descend(
            problem,
            &scaled,
            &mut system,
            sharp,
            0.0,
            1000,
            settings,
            &mut iteration,
            monitor,
        );
        if termination == Termination::Stalled && std::env::var("NOPATH").is_err() {
            scaled.to_scaled(gamma, &mut self.here.x);
            let mut epsilon = 0.1;
            while epsilon > 1e-10 && termination == Termination::Stalled {
                let kind = MapKind { slip, epsilon };
                let t = 0.1 * epsilon;
                termination = self.descend(
                    problem,
                    &scaled,
                    &mut system,
                    kind,
                    t,
                    40,
                    settings,
                    &mut iteration,
                    monitor,
                );
                if debug() {
                    eprintln!(
                        "  epsilon {epsilon:.1e}: it {iteration} F {:.2e} best {:.2e}",
                        self.here.norm,
                        monitor.best()
                    );
                }
                if termination == Termination::Stalled && epsilon < 1e-2 {
                    let path = self.here.x.clone();
                    termination = self.descend(
                        problem,
                        &scaled,
                        &mut system,
                        sharp,
                        0.0,
                        15,
                        settings,
                        &mut iteration,
                        monitor,
                    );
                    if debug() {
                        eprintln!(
                            "                sharp: it {iteration} F {:.2e} best {:.2e}",
                            self.here.norm,
                            monitor.best()
                        );
                    }
                    self.here.x.copy_from_slice(&path);
                }
                epsilon *= 0.3;
            }
            if termination == Termination::Stalled {
                termination = self.descend(
                    problem,
                    &scaled,
                    &mut system,
                    sharp,
                    0.0,
                    1000,
                    settings,
                    &mut iteration,
                    monitor,
                );
            }
        }
        Ok(monitor.finish(problem, NAME, termination, gamma))
    }

    #[allow(clippy::too_many_arguments)]
    fn descend<N: Operator>(
        &mut self,
        problem: &Ccp<N>,
        scaled: &Scaled,
        system: &mut StepSystem,
        kind: MapKind,
        target: f64,
        cap: usize,
        settings: &NewtonSettings,
        iteration: &mut usize,
        monitor: &mut Monitor<'_>,
    ) -> Termination {
        scaled.evaluate(kind, &mut self.here);
        let mut damping = settings.damping;
        let first = *iteration;
        loop {
            scaled.to_original(&self.here.x, &mut self.gamma);
            problem.cones().project(&mut self.gamma);
            problem.velocity(&self.gamma, &mut self.velocity);
            monitor.count_products(1);
            if let Some(stop) = monitor.check(problem, *iteration, &self.gamma, &self.velocity) {
                return stop;
            }
            if self.here.norm <= target || *iteration >= first + cap {
                return Termination::Stalled;
            }
            *iteration += 1;
            system.set_derivative(scaled, kind, &self.here);
            let mut accepted = false;
            for _ in 0..20 {
                let lambda = damping * self.here.norm;
                if let Err(_e) = system.factorise(lambda) {
                    damping *= 10.0;
                    continue;
                }
                system.step(&self.here.f, &mut self.rhs);
                let n = scaled.dim();
                let (model, step) = self.rhs.split_at(n);
                // The model's residual is J d + F = −a e.
                let a2 = lambda;
                let predicted_norm2 = a2 * model.iter().map(|e| e * e).sum::<f64>();
                for i in 0..n {
                    self.trial.x[i] = self.here.x[i] + step[i];
                }
                scaled.evaluate(kind, &mut self.trial);
                let before = self.here.norm * self.here.norm;
                let predicted = before - predicted_norm2;
                let actual = before - self.trial.norm * self.trial.norm;
                if actual > settings.acceptance * predicted && actual > 0.0 {
                    if actual > 0.75 * predicted {
                        damping = (damping / 8.0).max(1e-13);
                    } else if actual < 0.25 * predicted {
                        damping *= 4.0;
                    }
                    accepted = true;
                    break;
                }
                damping *= 4.0;
            }
            if !accepted {
                return Termination::Stalled;
            }
            std::mem::swap(&mut self.here, &mut self.trial);
            if debug() && kind.epsilon == 0.0 {
                eprintln!(
                    "   it {iteration} F {:.3e} damping {damping:.1e} best {:.2e}",
                    self.here.norm,
                    monitor.best()
                );
            }
        }
    }
}

/// The quasi-definite system of one step, its pattern analysed once.
struct StepSystem {
    n: usize,
    factor: SymmetricFactor,
    values: Vec<f64>,
    signs: Vec<i8>,
    /// Where row `i` of block row `b`, column k, goes in `values`.
    places: Vec<Vec<usize>>,
    starts: Vec<usize>,
    rows: Vec<usize>,
    diagonal: Vec<usize>,
    block: Vec<f64>,
    a: f64,
}

impl StepSystem {
    fn new(scaled: &Scaled) -> Self {
        let n = scaled.dim();
        // Lower triangle by columns: column j < n holds a at (j, j) and Jᵀ below: rows n + c for J's row j.
        let mut starts = vec![0];
        let mut rows = Vec::new();
        let mut places = Vec::new();
        let mut diagonal = Vec::new();
        for (i, (block, _)) in scaled.blocks.iter().enumerate() {
            let mut place = Vec::new();
            for row in block.rows() {
                diagonal.push(rows.len());
                rows.push(row);
                for &c in &scaled.columns[i] {
                    place.push(rows.len());
                    rows.push(n + c);
                }
                starts.push(rows.len());
            }
            places.push(place);
        }
        for j in 0..n {
            diagonal.push(rows.len());
            rows.push(n + j);
            starts.push(rows.len());
        }
        let values = vec![0.0; rows.len()];
        let signs = (0..2 * n).map(|i| if i < n { 1 } else { -1 }).collect();
        let factor = SymmetricFactor::new(starts.clone(), rows.clone()).expect("FIXME");
        Self {
            starts,
            rows,
            n,
            factor,
            values,
            signs,
            places,
            diagonal,
            block: Vec::new(),
            a: 0.0,
        }
    }

    fn set_derivative(&mut self, scaled: &Scaled, kind: MapKind, point: &MapPoint) {
        for (i, (block, _)) in scaled.blocks.iter().enumerate() {
            self.block
                .resize(block.len() * scaled.columns[i].len(), 0.0);
            scaled.derivative(i, kind, point, &mut self.block);
            for (&place, &v) in self.places[i].iter().zip(&self.block) {
                self.values[place] = v;
            }
        }
    }

    fn factorise(&mut self, lambda: f64) -> Result<(), crate::factor::FactorError> {
        self.a = lambda.sqrt();
        for (k, &place) in self.diagonal.iter().enumerate() {
            self.values[place] = if k < self.n { self.a } else { -self.a };
        }
        self.factor
            .factorise(&self.values, &self.signs, 1e-3 * self.a)
    }

    /// `[e; d]` into `out`.
    fn step(&mut self, f: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend(f.iter().map(|v| -v));
        out.resize(2 * self.n, 0.0);
        let rhs = out.clone();
        self.factor.solve(out);
        let mut r = rhs.clone();
        for _ in 0..std::env::var("REF").map_or(0, |v| v.parse().unwrap()) {
            r.copy_from_slice(&rhs);
            for j in 0..2 * self.n {
                for k in self.starts[j]..self.starts[j + 1] {
                    let i = self.rows[k];
                    r[i] -= self.values[k] * out[j];
                    if i != j {
                        r[j] -= self.values[k] * out[i];
                    }
                }
            }
            let nr = r.iter().map(|v| v * v).sum::<f64>().sqrt();
            if std::env::var("RDEBUG").is_ok() {
                eprintln!(
                    "     refine {nr:.2e} of {:.2e}",
                    rhs.iter().map(|v| v * v).sum::<f64>().sqrt()
                );
            }
            self.factor.solve(&mut r);
            for i in 0..2 * self.n {
                out[i] += r[i];
            }
        }
    }
}
