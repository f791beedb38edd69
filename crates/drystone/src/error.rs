//! What can be wrong with a world, and what can go wrong in a step.

use drystone_ccp::{OptionError, ProblemError, SolverError};
use drystone_collide::ShapeError;
use drystone_collide::number::Number;

/// A world, body or setting that cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// A setting is out of range.
    #[error("{what} {} is not {expected}", Number(*value))]
    Setting {
        /// Which setting.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it should be.
        expected: &'static str,
    },
    /// The options of the method do not go together.
    #[error(transparent)]
    Method(#[from] OptionError),
    /// A figure of a material is out of range.
    #[error("material {material}: {what} {} is not {expected}", Number(*value))]
    Material {
        /// The material or pair.
        material: String,
        /// Which figure.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it should be.
        expected: &'static str,
    },
    /// A joint that cannot be.
    #[error("joint {joint}: {what}")]
    Joint {
        /// Its name.
        joint: String,
        /// What is wrong.
        what: String,
    },
    /// A number of a body is out of range.
    #[error("body {body}: {what} {} is not {expected}", Number(*value))]
    Body {
        /// Name of the body.
        body: String,
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it should be.
        expected: &'static str,
    },
    /// An inertia that no solid has: not symmetric, not positive, or a moment greater than the sum
    /// of the others.
    #[error(
        "body {body}: the principal moments of inertia {}, {} and {} kg m² are not those of a \
         solid: expected a symmetric tensor, moments > 0 and none greater than the sum of the \
         other two", Number(moments[0]), Number(moments[1]), Number(moments[2])
    )]
    Inertia {
        /// Name of the body.
        body: String,
        /// Its principal moments, kg m², ascending.
        moments: [f64; 3],
    },
    /// A material that the world does not have: an id of another world.
    #[error("there is no material {index}, only {count}")]
    NoSuchMaterial {
        /// Its index.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A body's shape has no mass, or the shape is wrong.
    #[error("body {body}: {source}")]
    Shape {
        /// Name of the body.
        body: String,
        /// What is wrong.
        source: ShapeError,
    },
    /// A dynamic body has a shape without volume.
    #[error("body {body}: a {shape} cannot be dynamic; make the body fixed or prescribed")]
    CannotMove {
        /// Name of the body.
        body: String,
        /// Kind of shape.
        shape: &'static str,
    },
    /// More than a world can number.
    #[error("a world holds at most {most} {what}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// The limit.
        most: usize,
    },
    /// A saved state does not fit the world.
    #[error("the state has {found} {what}, the world has {expected}")]
    State {
        /// Of what.
        what: &'static str,
        /// In the state.
        found: usize,
        /// In the world.
        expected: usize,
    },
}

/// Why a step could not be made. The world is as it was before the step.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// A body's state or a force on it is not a number, or beyond all that can be kept.
    #[error("step {step}, body {body}: {what} {} is not a number up to 1e38 in size", Number(*value))]
    NotFinite {
        /// The step that failed.
        step: u64,
        /// Name of the body.
        body: String,
        /// Which quantity.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A motor or a joint gives a number that is not finite.
    #[error("step {step}, joint {joint}: {what} {} is not finite", Number(*value))]
    Joint {
        /// The step that failed.
        step: u64,
        /// Name of the joint.
        joint: String,
        /// Which quantity.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// The cone problem is not well formed.
    #[error("step {step}: {source}")]
    Problem {
        /// The step that failed.
        step: u64,
        /// What is wrong.
        source: ProblemError,
    },
    /// An answer does not fit the problem of the step.
    #[error("step {step}: the answer has {found} impulses, the problem has {expected} rows")]
    Answer {
        /// The step that failed.
        step: u64,
        /// Length of the answer.
        found: usize,
        /// Rows of the problem.
        expected: usize,
    },
    /// The answer of the solver cannot be judged: its residual is infinite or not a number.
    #[error(
        "step {step}: the residual of the answer of {method} is {value}, not a finite number; \
         masses, speeds, forces or the time step are too large or too small to be computed with"
    )]
    Residual {
        /// The step that failed.
        step: u64,
        /// The method.
        method: &'static str,
        /// The residual.
        value: f64,
    },
    /// The caller cancelled while the step was solved.
    #[error("step {step} was cancelled; the world is as it was before it")]
    Cancelled {
        /// The step that was not made.
        step: u64,
    },
    /// The method cannot solve this problem.
    #[error("step {step}: {source}")]
    Solver {
        /// The step that failed.
        step: u64,
        /// Why.
        source: SolverError,
    },
}
