//! What every experiment works with: its size and methods, settled scenes, runs of methods, signs of life.

use std::time::Duration;

use drystone_ccp::{
    Ccp, HistoryRow, Law, Limits, Method, Monitor, Progress, SolveInfo, SolverError, Termination,
    TwoBody, solve,
};
use drystone_scene::recording::{Frame, RunHeader};
use drystone_scene::settled::{ENGINE, SettleError};
use drystone_scene::{Scene, SceneOptions, Settled, SettledStates, Simulation};
use serde_json::{Value, json};

use super::trial::{Trial, row_at};
use crate::failure::Failure;
use crate::picture::{Wishes, draw};
use crate::plot::Look;
use crate::progress::Reporter;
use crate::run::{CANCELLED, cancelled};
use crate::scene_source::failure;
use crate::table::short_number;

/// Why an experiment ended early.
pub enum Halt {
    /// The user stopped it.
    Cancelled,
    /// It could not go on.
    Failed(Failure),
}

impl From<Failure> for Halt {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// Most rows of a history: enough for a smooth curve over a million iterations.
const HISTORY_ROWS: usize = 20_000;

/// How far a run goes, and what it writes down.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Relative residual that it may end at.
    pub tolerance: f64,
    /// Products with N: one an iteration for most methods, some tens a round for GPMINRES.
    pub products: usize,
    /// Wall time, s.
    pub seconds: f64,
    /// Whether to keep a history.
    pub history: bool,
}

/// What an experiment works with.
pub struct Bench<'a> {
    /// The experiment.
    pub id: &'static str,
    /// Size against the paper's, > 0.
    pub scale: f64,
    /// Methods that the user asked for; all that belong to the experiment where none.
    pub methods: &'a [Method],
    /// Threads used.
    pub threads: usize,
    /// Where settled states are kept.
    pub store: &'a SettledStates,
    /// Make settled states anew and compare their bits.
    pub rebuild: bool,
    /// Show no progress.
    pub quiet: bool,
    /// What was settled.
    states: Vec<Value>,
}

impl<'a> Bench<'a> {
    /// A bench for an experiment.
    pub fn new(
        id: &'static str,
        scale: f64,
        methods: &'a [Method],
        threads: usize,
        store: &'a SettledStates,
    ) -> Self {
        Self {
            id,
            scale,
            methods,
            threads,
            store,
            rebuild: false,
            quiet: false,
            states: Vec::new(),
        }
    }

    /// A number of things at the paper's size, scaled; at least `least`.
    pub fn count(&self, full: usize, least: usize) -> usize {
        ((full as f64 * self.scale).round() as usize).max(least)
    }

    /// The methods to run: those of the experiment that the user did not leave out, then what else was asked for.
    pub fn methods(&self, own: &[Method]) -> Vec<Method> {
        if self.methods.is_empty() {
            return own.to_vec();
        }
        let wanted = |m: &Method| self.methods.contains(m);
        let others = self.methods.iter().filter(|m| !own.contains(m));
        own.iter()
            .copied()
            .filter(wanted)
            .chain(others.copied())
            .collect()
    }

    /// A built-in scene with other values.
    pub fn scene(&self, name: &str, values: &[(&str, String)]) -> Result<Scene, Failure> {
        let set = values.iter().map(|(k, v)| ((*k).to_owned(), v.clone()));
        let options = SceneOptions {
            set: set.collect(),
            allow_outside: false,
        };
        Scene::builtin(name, &options).map_err(|e| failure(&e))
    }

    /// A scene at the end of its first `phases` phases: kept from before, or made now.
    pub fn settle(&mut self, scene: &Scene, phases: usize) -> Result<Simulation, Halt> {
        let mut settled = self.go(scene, phases)?;
        let key = settled.key.to_string();
        if self.states.iter().any(|state| state["key"] == key) {
            return Ok(settled.simulation); // asked for before
        }
        let mut same_bits = None;
        if self.rebuild {
            self.store.forget(settled.key).map_err(settle_failure)?;
            let again = self.go(scene, phases)?;
            same_bits = Some(again.digest == settled.digest);
            settled = again;
        }
        if same_bits == Some(false) {
            let words = format!(
                "{}: the settled state of scene {} came out with other bits than before",
                self.id,
                scene.origin()
            );
            return Err(Failure::Input(words).into());
        }
        self.states.push(json!({
            "scene": scene.origin(),
            "phases": phases,
            "engine": ENGINE,
            "key": key,
            "digest": settled.digest.to_string(),
            "kept": settled.kept,
            "rebuilt_with_same_bits": same_bits,
            "seconds": settled.seconds,
        }));
        Ok(settled.simulation)
    }

    fn go(&self, scene: &Scene, phases: usize) -> Result<Settled, Halt> {
        let label = format!("{}: settling {}", self.id, scene.origin());
        let mut reporter = Reporter::start(self.quiet, &label, "");
        let result = self.store.settle(scene, phases, &mut |simulation, report| {
            reporter.show(|| {
                let end = simulation.end_time().map_or(String::new(), |end| {
                    format!(" of at most {}", short_number(end))
                });
                format!(
                    "{} s{end}, {} contacts, residual {:.1e}",
                    short_number(report.time),
                    report.contacts,
                    report.residual
                )
            });
            !cancelled()
        });
        reporter.finish(None);
        match result {
            Ok(settled) => Ok(settled),
            Err(SettleError::Stopped { .. }) => Err(Halt::Cancelled),
            Err(error) => Err(settle_failure(error).into()),
        }
    }

    /// Runs a method from zero impulses and keeps its history.
    pub fn run(
        &self,
        problem: &Ccp<TwoBody>,
        what: &str,
        method: Method,
        limits: Limits,
    ) -> Result<Trial, Halt> {
        let mut gamma = vec![0.0; problem.dim()];
        let info = self.solve(
            problem,
            what,
            (method, limits, Some(HISTORY_ROWS)),
            &mut gamma,
        )?;
        Ok(Trial::of_method(method, info, gamma))
    }

    /// Runs a method from zero impulses without a history, for its time, s.
    pub fn time(
        &self,
        problem: &Ccp<TwoBody>,
        what: &str,
        method: Method,
        limits: Limits,
    ) -> Result<f64, Halt> {
        let mut gamma = vec![0.0; problem.dim()];
        let info = self.solve(problem, what, (method, limits, None), &mut gamma)?;
        Ok(info.seconds)
    }

    /// Runs a method from zero impulses without a history but for the point that it ends at: its time is that of the method alone.
    pub fn answer(
        &self,
        problem: &Ccp<TwoBody>,
        what: &str,
        method: Method,
        limits: Limits,
    ) -> Result<Trial, Halt> {
        let mut gamma = vec![0.0; problem.dim()];
        let mut info = self.solve(problem, what, (method, limits, None), &mut gamma)?;
        let end = row_at(problem, &gamma, info.iterations, info.seconds);
        info.history.push(end);
        Ok(Trial::of_method(method, info, gamma))
    }

    /// Runs a method once, from zero impulses, and takes the first point below each of the residuals: what runs to those tolerances
    /// would end with. Last comes the point that it ended at.
    pub fn answers(
        &self,
        problem: &Ccp<TwoBody>,
        what: &str,
        (method, limits): (Method, Limits),
        residuals: &[f64],
    ) -> Result<Vec<Trial>, Halt> {
        let mut gamma = vec![0.0; problem.dim()];
        let mut taken = Vec::new();
        let info = self.watch(what, method.name(), (Law::Relaxed, limits), |monitor| {
            let mut monitor = monitor.with_snapshots(residuals);
            let info = solve(problem, method, &mut gamma, &mut monitor);
            taken = monitor.take_snapshots();
            info
        })?;
        let trial = |termination, iterations, seconds, gamma: Vec<f64>| Trial {
            name: method.name().to_owned(),
            look: Look::method(method),
            termination,
            iterations,
            seconds,
            history: vec![row_at(problem, &gamma, iterations, seconds)],
            gamma,
        };
        let mut trials: Vec<Trial> = taken
            .into_iter()
            .map(|s| {
                let mut gamma = s.gamma;
                problem.cones().project(&mut gamma);
                trial(Termination::Converged.name(), s.iteration, s.seconds, gamma)
            })
            .collect();
        let end = info.termination.name();
        trials.push(trial(end, info.iterations, info.seconds, gamma));
        Ok(trials)
    }

    /// Runs a method under a law from zero impulses without a history.
    pub fn run_under(
        &self,
        law: Law,
        problem: &Ccp<TwoBody>,
        what: &str,
        method: Method,
        limits: Limits,
    ) -> Result<SolveInfo, Halt> {
        let mut gamma = vec![0.0; problem.dim()];
        self.solve_under(law, problem, what, (method, limits, None), &mut gamma)
    }

    fn solve(
        &self,
        problem: &Ccp<TwoBody>,
        what: &str,
        run: (Method, Limits, Option<usize>),
        gamma: &mut [f64],
    ) -> Result<SolveInfo, Halt> {
        self.solve_under(Law::Relaxed, problem, what, run, gamma)
    }

    fn solve_under(
        &self,
        law: Law,
        problem: &Ccp<TwoBody>,
        what: &str,
        (method, limits, history): (Method, Limits, Option<usize>),
        gamma: &mut [f64],
    ) -> Result<SolveInfo, Halt> {
        self.watch(what, method.name(), (law, limits), |mut monitor| {
            if let Some(rows) = history {
                monitor = monitor.with_history_limit(rows);
            }
            solve(problem, method, gamma, &mut monitor)
        })
    }

    /// Runs a method until it has taken so many products with N or `seconds` have gone by, from zero impulses. Without a history, which costs
    /// time, it has a row for its end only.
    pub fn spend(
        &self,
        problem: &Ccp<TwoBody>,
        what: &str,
        method: Method,
        budget: &Budget,
    ) -> Result<Trial, Halt> {
        let run =
            |gamma: &mut [f64], monitor: &mut Monitor<'_>| solve(problem, method, gamma, monitor);
        self.spend_by(
            problem,
            what,
            (method.name(), Look::method(method)),
            budget,
            run,
        )
    }

    /// The same by a solver with settings of its own.
    pub fn spend_by(
        &self,
        problem: &Ccp<TwoBody>,
        what: &str,
        (name, look): (&'static str, Look),
        budget: &Budget,
        run: impl FnOnce(&mut [f64], &mut Monitor<'_>) -> Result<SolveInfo, SolverError>,
    ) -> Result<Trial, Halt> {
        let limits = Limits {
            tolerance: budget.tolerance,
            max_iterations: budget.products,
            time_limit: Some(Duration::from_secs_f64(budget.seconds)),
        };
        let mut gamma = vec![0.0; problem.dim()];
        let info = self.watch(what, name, (Law::Relaxed, limits), |monitor| {
            let mut monitor = monitor.with_product_limit(budget.products);
            if budget.history {
                monitor = monitor.with_history_limit(HISTORY_ROWS);
            }
            run(&mut gamma, &mut monitor)
        })?;
        let products = info.products;
        let mut trial = Trial {
            name: name.to_owned(),
            look,
            ..Trial::of_method(Method::Auto, info, gamma)
        };
        if trial.history.is_empty() {
            let end = row_at(problem, &trial.gamma, trial.iterations, trial.seconds);
            trial.history.push(HistoryRow { products, ..end });
        }
        Ok(trial)
    }

    /// Shows signs of life of a solve and lets the user stop it.
    fn watch(
        &self,
        what: &str,
        name: &'static str,
        (law, limits): (Law, Limits),
        run: impl FnOnce(Monitor<'_>) -> Result<SolveInfo, SolverError>,
    ) -> Result<SolveInfo, Halt> {
        let label = format!("{}: {what}", self.id);
        let mut reporter = Reporter::start(self.quiet, &label, name);
        let mut observer = |p: &Progress| reporter.update(p);
        let monitor = Monitor::new(limits, law)
            .cancelled_by(&CANCELLED)
            .observed_by(&mut observer);
        let outcome = run(monitor);
        reporter.finish(None);
        if cancelled() {
            return Err(Halt::Cancelled);
        }
        outcome.map_err(|error| Failure::Input(format!("{label}: {error}")).into())
    }

    /// A picture of a scene as it is.
    pub fn picture(&self, scene: &Scene, simulation: &Simulation) -> Option<Vec<u8>> {
        let header = RunHeader::of_simulation(scene.title(), simulation);
        let mut frame = Frame::default();
        frame.set_from(simulation.world(), true); // a scene may be coloured by forces
        let wishes = Wishes {
            // A small run is for a quick look, and drawing would be most of it.
            size: if self.scale < 0.5 {
                [480, 300]
            } else {
                [960, 600]
            },
            ..Wishes::of_scene(simulation.view()).ok()?
        };
        draw(&header, &frame, &wishes).ok()
    }

    /// What was settled, for `results.json`.
    pub fn into_states(self) -> Vec<Value> {
        self.states
    }
}

fn settle_failure(error: SettleError) -> Failure {
    match error {
        SettleError::Scene(error) => failure(&error),
        SettleError::Checkpoint(error) => error.into(),
        SettleError::Folder(error) => error.into(),
        SettleError::Step(_) | SettleError::Stopped { .. } => Failure::Input(error.to_string()),
    }
}
