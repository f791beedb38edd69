//! The problems whose iterations are timed, by kind of rows, and solves of a given length on them.

use drystone_ccp::{
    Ccp, Law, Limits, Method, MethodSettings, Monitor, Operator, SolveInfo, Sparse, Termination,
    TwoBody,
};
use drystone_problems::{Problem, read_problem};
use drystone_run::Control;

use super::KernelSettings;
use crate::bench::cases::{Case, Motion, Stage};
use crate::error::StudyError;
use crate::job::problem_name;

/// The kind of contacts between spheres.
pub const SPHERES: &str = "spheres";

/// A problem of one kind of rows.
pub struct Specimen {
    /// Of its rows.
    pub kind: &'static str,
    /// In tables.
    pub name: String,
    /// Moving bodies; 0 where N is a matrix.
    pub bodies: usize,
    /// The problem.
    pub problem: Problem,
    /// Where every solve begins.
    start: Vec<f64>,
}

/// Makes a problem when its turn comes: large ones do not wait in memory.
pub type Make = Box<dyn Fn(&mut Stage<'_>, Control<'_>) -> Result<Specimen, StudyError>>;

/// The problems, by kind of rows.
pub fn specimens(settings: &KernelSettings) -> Vec<Make> {
    let scaled = |full: f64| (full * settings.scale).round().max(1.0) as usize;
    let mut all: Vec<Make> = Vec::new();
    let mut of_case = |kind: &'static str, case: Case, more: Vec<(&'static str, String)>| {
        all.push(Box::new(
            move |stage: &mut Stage<'_>, control: Control<'_>| {
                let problem = Problem::TwoBody(stage.problem(&case, &more)?);
                Specimen::new(kind, case.label(), problem, control)
            },
        ));
    };
    for &count in &settings.sizes {
        of_case(SPHERES, Case::pile(count, Motion::Settled), Vec::new());
    }
    let smallest = settings.sizes.iter().copied().min().unwrap_or(1000);
    // The smaller coefficient of a pair counts, so both materials get one.
    let rolling = [
        "material.sphere.rolling_friction",
        "material.wall.rolling_friction",
    ];
    let rolling = rolling.map(|key| (key, "5 mm".to_owned())).to_vec();
    of_case("rolling", Case::pile(smallest, Motion::Settled), rolling);
    of_case("convex", Case::grains(scaled(10_000.0)), Vec::new());
    of_case("joints", Case::mechanism(scaled(1000.0)), Vec::new());
    all.push(Box::new(move |stage, control| {
        // The same pile as a file would hold it: N as a plain matrix.
        let case = Case::pile(smallest.min(LARGEST_MATRIX), Motion::Settled);
        let problem = as_matrix(&stage.problem(&case, &[])?)?;
        Specimen::new("matrix", case.label(), problem, control)
    }));
    for file in &settings.files {
        let file = file.clone();
        all.push(Box::new(move |_, control| {
            let read = read_problem(&file).map_err(|e| StudyError::Refused(e.to_string()))?;
            Specimen::new("file", problem_name(&file), read.problem, control)
        }));
    }
    all
}

/// Spheres of the pile whose N is written out: the matrix takes four to five times the memory of
/// the contacts.
const LARGEST_MATRIX: usize = 4000;

fn as_matrix(problem: &Ccp<TwoBody>) -> Result<Problem, StudyError> {
    let build = || {
        let operator = Sparse::new(problem.operator().to_csr())?;
        Ccp::new(operator, problem.r().to_vec(), problem.cones().clone())
    };
    let refused = |e: drystone_ccp::ProblemError| StudyError::Refused(e.to_string());
    Ok(Problem::Sparse(build().map_err(refused)?))
}

/// Iterations of the accelerated sweeps that lead to the point where solves begin.
const START_ITERATIONS: usize = 60;

impl Specimen {
    fn new(
        kind: &'static str,
        name: String,
        problem: Problem,
        control: Control<'_>,
    ) -> Result<Self, StudyError> {
        let mut this = Self {
            kind,
            name,
            bodies: match &problem {
                Problem::TwoBody(problem) => problem.operator().bodies().len(),
                Problem::Sparse(_) => 0,
            },
            start: vec![0.0; problem.dim()],
            problem,
        };
        let mut start = this.start.clone();
        // A matrix that is not symmetric is refused; its solves begin at zero.
        if this
            .solve(Method::NesterovGs, START_ITERATIONS, &mut start, control)
            .is_ok()
        {
            this.start = start;
        }
        Ok(this)
    }

    fn solve(
        &self,
        method: Method,
        iterations: usize,
        gamma: &mut [f64],
        control: Control<'_>,
    ) -> Result<SolveInfo, String> {
        let limits = Limits {
            tolerance: f64::MIN_POSITIVE, // no residual is that small: all iterations are made
            max_iterations: iterations,
            time_limit: None,
            ..Limits::default()
        };
        let mut monitor = Monitor::new(limits, Law::Relaxed).cancelled_by(control.flag());
        let settings = MethodSettings::new(method);
        let outcome = self.problem.solve_with(&settings, gamma, &mut monitor);
        outcome.map_err(|e| e.to_string())
    }

    /// A solve of exactly so many iterations: its time and products, or why there is none.
    pub fn timed(
        &self,
        method: Method,
        iterations: usize,
        control: Control<'_>,
    ) -> Result<SolveInfo, String> {
        let mut gamma = self.start.clone();
        let info = self.solve(method, iterations, &mut gamma, control)?;
        match info.termination {
            Termination::IterationLimit => Ok(info),
            other => Err(format!(
                "{} after {} of {iterations} iterations",
                other.name(),
                info.iterations
            )),
        }
    }
}
