//! One time step, whole or in its two halves.
//!
//! The scheme is the half-implicit symplectic Euler scheme of Mazhar 2015, eqs. 5 to 8:
//!
//! `M (v⁺ − v) = h f + D gamma` and `q⁺ = q + h L(q) v⁺`.
//!
//! `gamma` solves the cone problem of the contacts found at `q`. [`World::step`] does all of it.
//! Who wants another solver opens the step:
//!
//! 1. [`World::begin`] finds free velocities, contacts and rows, and hands out an [`OpenStep`]: the
//!    cone problem, its warm start, and what it takes to read an answer.
//! 2. Any solver answers the problem. [`OpenStep::solve`] is the world's own.
//! 3. [`OpenStep::finish`] takes the answer. Either the step is done ([`Finish::Done`]), or it must
//!    be solved again with more contacts or better joint rows ([`Finish::Again`]).
//!
//! Nothing of the world changes before a step is done. So a step that fails, that is cancelled or
//! whose [`OpenStep`] is dropped leaves the world as it was.

mod begin;
mod finish;
mod missed;
mod open;
mod problem;
mod turn;

use drystone_ccp::Watch;
use drystone_collide::Contact;

pub use open::{Finish, OpenStep, StepAnswer, WatchedStep};
pub use problem::StepProblem;
pub(crate) use turn::Sags;

use missed::Surroundings;

use crate::assembly::Assembler;
use crate::body::BodyId;
use crate::error::StepError;
use crate::mechanism::JointSettings;
use crate::motion::{Velocity, out_of_range};
use crate::report::StepReport;
use crate::search::Search;
use crate::sleep::SleepRecords;
use crate::solver::StepSolver;
use crate::warm_start::ContactImpulses;
use crate::world::World;

/// Bodies that one task works on. One body takes tens of nanoseconds and a task costs about a
/// microsecond, so it takes hundreds of bodies to pay. No result depends on the number.
const CHUNK: usize = 256;

/// Work memory of the steps.
#[derive(Default)]
pub(crate) struct Stepper {
    search: Search,
    assembler: Assembler,
    solver: StepSolver,
    /// Who sleeps. The world's own record changes only when the step is done.
    rest: SleepRecords,
    /// Velocities without contacts and joints, one for each body.
    free: Vec<Velocity>,
    /// Velocities with them.
    velocities: Vec<Velocity>,
    contacts: Vec<Contact>,
    /// Impulses of `contacts`: to start from, then solved for.
    impulses: ContactImpulses,
    /// The same along the rows of the problem: where a solver starts.
    warm_start: Vec<f64>,
    /// What the impulses change the velocities of the unknown bodies by, six figures for each:
    /// `M⁻¹ D gamma`.
    change: Vec<f64>,
    /// Contacts that a step's own collisions open, and where they are looked for.
    missed: Vec<Contact>,
    around: Surroundings,
    /// Of contacts whose bodies turn far.
    sags: Sags,
}

impl World {
    /// Makes one step.
    ///
    /// Not reaching the tolerance is an outcome that the report tells, not an error.
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        let step = self.step_watched(&mut Watch::default())?;
        Ok(step.report)
    }

    /// Makes one step whose solves are watched from outside. They can be cancelled and observed,
    /// leave a history, have a deadline, and take their sums over several processes.
    ///
    /// A cancelled step fails with [`StepError::Cancelled`] and changes nothing. A deadline ends
    /// the solve with the best answer so far. The result then depends on the clock, and
    /// [`StepReport::timed_out`] says so.
    ///
    /// ```
    /// use drystone::{Body, Settings, Shape, Watch, World};
    ///
    /// let mut world = World::new(Settings::default())?;
    /// world.add(Body::fixed(Shape::plane()))?;
    /// world.add(Body::dynamic(Shape::sphere(0.5)?).at([0.0, 0.0, 0.5]))?;
    /// let mut watch = Watch { history: 100, ..Watch::default() };
    /// let step = world.step_watched(&mut watch)?;
    /// let rows = &step.solves[0].history;
    /// assert!(rows[rows.len() - 1].residual <= 1e-4);
    /// assert!(!step.report.timed_out);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn step_watched(&mut self, watch: &mut Watch<'_>) -> Result<WatchedStep, StepError> {
        let mut solves = Vec::new();
        let mut open = self.begin()?;
        loop {
            let mut answer = open.solve(watch)?;
            solves.append(&mut answer.solves);
            open = match open.finish(&answer.gamma, answer.summary)? {
                Finish::Done(report) => return Ok(WatchedStep { report, solves }),
                Finish::Again(open) => open,
            };
        }
    }

    /// The cone problem that the next step would solve first, to keep or to solve by other means.
    ///
    /// Changes nothing: it is [`World::begin`] and [`OpenStep::into_problem`].
    pub fn next_problem(&mut self) -> Result<StepProblem, StepError> {
        Ok(self.begin()?.into_problem())
    }
}

/// What joints need of the step at hand.
fn joint_settings(world: &World) -> JointSettings {
    let time_step = world.settings.time_step;
    JointSettings {
        time_step,
        time: world.time + time_step,
    }
}

/// The error of a body whose `values` are not all finite and in range.
fn not_finite(world: &World, body: usize, what: &'static str, values: &[f64]) -> StepError {
    let bad = out_of_range(values);
    StepError::NotFinite {
        step: world.steps + 1,
        body: world.name(BodyId(body as u32)),
        what,
        value: bad.unwrap_or(f64::NAN),
    }
}
