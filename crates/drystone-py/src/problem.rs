//! Cone problems and their solutions.

mod cones;

use std::path::PathBuf;
use std::time::Duration;

use drystone_ccp::reduce::Local;
use drystone_ccp::{
    Ccp, Certificate, Csr, HistoryRow, Law, Limits, Method, MethodSettings, Monitor, Operator,
    SolveInfo, Sparse, TwoBody,
};
use drystone_problems::{Problem as AnyProblem, ProblemFile};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays;
use crate::error::{problem_file_error, value_error};
use crate::pool::quietly;
use cones::{cone_of, words_of};

/// Columns of a history: see `HISTORY` in `solvers.py`.
const HISTORY_COLUMNS: usize = 11;

/// A cone problem.
#[pyclass(frozen, module = "drystone._core")]
pub struct Problem(ProblemFile);

/// Names of the methods with their options: name, default, values, documentation.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "taken apart at once, in Python")]
pub fn methods() -> Vec<(
    &'static str,
    Vec<(&'static str, String, String, &'static str)>,
)> {
    let option = |o: &drystone_ccp::OptionInfo| {
        let (default, kind) = (o.default_value().to_string(), o.kind.to_string());
        (o.name, default, kind, o.documentation)
    };
    Method::ALL
        .iter()
        .map(|method| (method.name(), method.options().iter().map(option).collect()))
        .collect()
}

/// Reads a problem from a file: FCLIB, Siconos, `.npz` or `.ccp`.
#[pyfunction]
pub fn read_problem(py: Python<'_>, path: PathBuf) -> PyResult<Problem> {
    let read = py.detach(|| drystone_problems::read_problem(&path));
    Ok(Problem(read.map_err(|e| problem_file_error(&e))?))
}

impl Problem {
    /// Of a step of a world, with the impulses to start from.
    pub fn of_step(problem: Ccp<TwoBody>, start: Vec<f64>) -> Self {
        Self(ProblemFile {
            title: "step".to_owned(),
            problem: AnyProblem::TwoBody(problem),
            guess: Some(start),
            solution: None,
        })
    }

    fn r(&self) -> &[f64] {
        match &self.0.problem {
            AnyProblem::Sparse(problem) => problem.r(),
            AnyProblem::TwoBody(problem) => problem.r(),
        }
    }

    /// Impulses that somebody gave, one for each row.
    fn impulses(&self, what: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
        let gamma = arrays::list(what, given)?;
        let dim = self.0.problem.dim();
        if gamma.len() != dim {
            return Err(value_error(format!(
                "{what} has {} impulses, the problem has {dim} rows",
                gamma.len()
            )));
        }
        match gamma.iter().find(|g| !g.is_finite()) {
            Some(bad) => Err(value_error(format!("{what}: {bad} is not a finite number"))),
            None => Ok(gamma),
        }
    }
}

fn law_of(name: &str) -> PyResult<Law> {
    match name {
        "relaxed" => Ok(Law::Relaxed),
        "exact" => Ok(Law::Exact),
        other => Err(value_error(format!(
            "law: {other:?} is neither \"relaxed\" nor \"exact\""
        ))),
    }
}

fn method_of(name: &str, options: &[(String, String)]) -> PyResult<MethodSettings> {
    let method: Method = name.parse().map_err(value_error)?;
    let mut settings = MethodSettings::new(method);
    for (key, value) in options {
        let set = settings.set(key, value.as_str());
        set.map_err(value_error)?;
    }
    settings.check().map_err(value_error)?;
    Ok(settings)
}

#[pymethods]
impl Problem {
    /// From the entries of N, the vector r and the cones.
    #[new]
    fn new(
        rows: &Bound<'_, PyAny>,
        columns: &Bound<'_, PyAny>,
        values: &Bound<'_, PyAny>,
        size: [usize; 2],
        r: &Bound<'_, PyAny>,
        cones: Vec<(String, Vec<f64>)>,
    ) -> PyResult<Self> {
        let [rows, columns] = [rows, columns].map(|list| arrays::list("N", list));
        let values = arrays::list("N", values)?;
        let places = rows?.into_iter().zip(columns?);
        let entries = places
            .zip(values)
            .map(|((i, j), v)| (i as usize, j as usize, v));
        let cones = cones
            .iter()
            .enumerate()
            .map(|(block, cone)| cone_of(block, cone));
        let cones = cones.collect::<PyResult<Vec<_>>>()?;
        let r = arrays::list("r", r)?;
        let problem = Csr::from_triplets(size[0], size[1], entries)
            .and_then(Sparse::new)
            .and_then(|operator| {
                let cones = drystone_ccp::Cones::new(cones)?;
                Ccp::new(operator, r, cones)
            });
        Ok(Self(ProblemFile {
            title: String::new(),
            problem: AnyProblem::Sparse(problem.map_err(value_error)?),
            guess: None,
            solution: None,
        }))
    }

    /// Title.
    #[getter]
    fn title(&self) -> String {
        self.0.title.clone()
    }

    /// Number of rows.
    #[getter]
    fn dim(&self) -> usize {
        self.0.problem.dim()
    }

    /// Number of contacts.
    #[getter]
    fn contacts(&self) -> usize {
        self.0.problem.contacts()
    }

    /// Whether N is symmetric.
    #[getter]
    fn is_symmetric(&self) -> bool {
        self.0.problem.is_symmetric()
    }

    /// The velocity that each row would have without any impulse.
    #[getter(r)]
    fn free_velocity<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.r())
    }

    /// Impulses to start from, where they are known.
    #[getter]
    fn warm_start<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.0
            .guess
            .as_ref()
            .map(|gamma| PyArray1::from_slice(py, gamma))
    }

    /// Impulses that somebody found to solve it.
    #[getter]
    fn solution<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.0
            .solution
            .as_ref()
            .map(|gamma| PyArray1::from_slice(py, gamma))
    }

    /// The cones: their kinds and figures.
    fn cones(&self) -> Vec<(&'static str, Vec<f64>)> {
        self.0
            .problem
            .cones()
            .as_slice()
            .iter()
            .map(words_of)
            .collect()
    }

    /// N as compressed rows: pointers, columns, values.
    #[expect(clippy::type_complexity, reason = "taken apart at once, in Python")]
    fn matrix<'py>(
        &self,
        py: Python<'py>,
    ) -> (
        Bound<'py, PyArray1<i64>>,
        Bound<'py, PyArray1<i64>>,
        Bound<'py, PyArray1<f64>>,
    ) {
        let csr = py.detach(|| match &self.0.problem {
            AnyProblem::Sparse(problem) => problem.operator().to_csr(),
            AnyProblem::TwoBody(problem) => problem.operator().to_csr(),
        });
        let (mut pointers, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in 0..csr.rows() {
            let (indices, entries) = csr.row(row);
            columns.extend(indices.iter().map(|j| *j as i64));
            values.extend_from_slice(entries);
            pointers.push(columns.len() as i64);
        }
        (
            PyArray1::from_vec(py, pointers),
            PyArray1::from_vec(py, columns),
            PyArray1::from_vec(py, values),
        )
    }

    /// `N gamma + r`.
    fn velocity<'py>(
        &self,
        py: Python<'py>,
        gamma: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let gamma = self.impulses("gamma", gamma)?;
        Ok(PyArray1::from_vec(py, self.0.problem.velocity(&gamma)))
    }

    /// The nearest impulses in the cones.
    fn project<'py>(
        &self,
        py: Python<'py>,
        gamma: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let mut gamma = self.impulses("gamma", gamma)?;
        self.0.problem.cones().project(&mut gamma);
        Ok(PyArray1::from_vec(py, gamma))
    }

    /// What impulses are worth.
    fn certificate<'py>(
        &self,
        py: Python<'py>,
        gamma: &Bound<'py, PyAny>,
        law: &str,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (law, gamma) = (law_of(law)?, self.impulses("gamma", gamma)?);
        let velocity = self.0.problem.velocity(&gamma);
        let certificate = match &self.0.problem {
            AnyProblem::Sparse(problem) => problem.certificate(law, &gamma, &velocity, &Local),
            AnyProblem::TwoBody(problem) => problem.certificate(law, &gamma, &velocity, &Local),
        };
        let out = PyDict::new(py);
        put_certificate(&out, &certificate)?;
        Ok(out)
    }

    /// Solves the problem. Returns impulses, velocities, a dictionary, and the history.
    #[expect(clippy::too_many_arguments, reason = "called from one place, by name")]
    #[expect(clippy::type_complexity, reason = "taken apart at once, in Python")]
    fn solve<'py>(
        &self,
        py: Python<'py>,
        method: &str,
        options: Vec<(String, String)>,
        law: &str,
        tolerance: f64,
        max_iterations: usize,
        time_limit: Option<f64>,
        warm_start: Option<Bound<'py, PyAny>>,
        history: bool,
    ) -> PyResult<(
        Bound<'py, PyArray1<f64>>,
        Bound<'py, PyArray1<f64>>,
        Bound<'py, PyDict>,
        Bound<'py, PyArray2<f64>>,
    )> {
        let settings = method_of(method, &options)?;
        let law = law_of(law)?;
        if !(tolerance.is_finite() && tolerance > 0.0) {
            let words = format!("tolerance: {tolerance} is not a finite number > 0");
            return Err(value_error(words));
        }
        let time_limit = time_limit.map(Duration::try_from_secs_f64).transpose();
        let limits = Limits {
            tolerance,
            max_iterations,
            time_limit: time_limit.map_err(|e| value_error(format!("time_limit: {e}")))?,
            ..Limits::default()
        };
        let mut gamma = match warm_start {
            Some(given) => self.impulses("warm_start", &given)?,
            None => vec![0.0; self.0.problem.dim()],
        };
        let info = quietly(py, |cancel| {
            let mut monitor = Monitor::new(limits, law).cancelled_by(cancel);
            if history {
                monitor = monitor.with_history();
            }
            self.0
                .problem
                .solve_with(&settings, &mut gamma, &mut monitor)
        })?;
        let info = info.map_err(value_error)?;
        let velocity = self.0.problem.velocity(&gamma);
        Ok((
            PyArray1::from_vec(py, gamma),
            PyArray1::from_vec(py, velocity),
            told(py, &info)?,
            arrays::of_rows(
                py,
                info.history.iter().flat_map(row).collect(),
                HISTORY_COLUMNS,
            )?,
        ))
    }

    /// Writes the problem: `.ccp`, `.hdf5` or `.h5`.
    #[pyo3(signature = (path, title=None, solution=None))]
    fn write(
        &self,
        path: PathBuf,
        title: Option<String>,
        solution: Option<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let mut file = self.0.clone();
        file.title = title.unwrap_or(file.title);
        if let Some(given) = solution {
            file.solution = Some(self.impulses("solution", &given)?);
        }
        let written = drystone_problems::write_problem(path, &file);
        written.map_err(|e| problem_file_error(&e))
    }
}

/// What came of a solve.
fn told<'py>(py: Python<'py>, info: &SolveInfo) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("method", info.method)?;
    out.set_item("law", info.law.name())?;
    out.set_item("termination", info.termination.name())?;
    out.set_item("converged", info.converged())?;
    out.set_item("iterations", info.iterations)?;
    out.set_item("products", info.products)?;
    out.set_item("seconds", info.seconds)?;
    put_certificate(&out, &info.certificate)?;
    let attempts: Vec<String> = info.attempts.iter().map(ToString::to_string).collect();
    out.set_item("attempts", attempts)?;
    Ok(out)
}

fn put_certificate(out: &Bound<'_, PyDict>, certificate: &Certificate) -> PyResult<()> {
    out.set_item("residual", certificate.residual)?;
    out.set_item("residual_velocity", certificate.residual_velocity)?;
    out.set_item("objective", certificate.objective)?;
    out.set_item("cone_violation", certificate.cone_violation)?;
    out.set_item("dual_violation", certificate.dual_violation)?;
    out.set_item("duality_gap", certificate.duality_gap)
}

fn row(check: &HistoryRow) -> [f64; HISTORY_COLUMNS] {
    [
        check.iteration as f64,
        check.products as f64,
        check.seconds,
        check.residual,
        check.residual_velocity,
        check.objective,
        check.measures.apgd_residual,
        check.measures.spectral_residual,
        check.measures.projected_gradient,
        check.measures.complementarity,
        check.measures.active_set as f64,
    ]
}
