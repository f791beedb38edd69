//! The open step: a step between its two halves.

use std::time::{Duration, Instant};

use drystone_ccp::reduce::Local;
use drystone_ccp::{Ccp, Limits, SolveInfo, Termination, TwoBody, Watch};

use super::problem::contact_forces;
use super::{StepProblem, Stepper};
use crate::bodies::Bodies;
use crate::error::StepError;
use crate::force::ContactForce;
use crate::law::LawSolver;
use crate::mechanism::Misfit;
use crate::report::{SolveSummary, StepReport, StepTimes, worse};
use crate::state::BodyState;
use crate::world::World;

/// Most times that a step is solved again, with contacts that its own collisions opened or with
/// joints expanded anew. Each time follows the motion one collision further. What is left then, the
/// next step finds as an overlap and removes.
const ROUNDS: usize = 4;
/// Most times that it is solved again because bodies would overlap so far that it could be seen:
/// where grains rain onto others, one collision leads to the next more often than that.
const LAST_ROUND: usize = 16;
/// Overlap in shares of the envelope that is worth another solve at first. With less the next step
/// does as well: it has the contact anyway.
const WORTH: f64 = 0.05;
/// The same after [`ROUNDS`]: half a hundredth of the thinnest body.
const VISIBLE: f64 = 0.5;

/// Share of the work left that one solve may take: collisions that it opens must be solved as well,
/// or a small budget would leave them to overlap.
const SPENT_AT_ONCE: f64 = 0.5;
/// With less work left, in sweeps, a step is done.
const LEAST_WORK: f64 = 4.0;

/// A solve with joints expanded anew must at least halve their error, or it was the last. Each such
/// solve gains a factor of about the angle turned in the step. One that gains less is held up by
/// something that no expansion can mend, such as joints that contradict each other.
const JOINT_GAIN: f64 = 0.5;

/// A step whose cone problem is made and not yet answered.
///
/// It borrows the world, so nothing can change between the two halves. Dropping it gives the step
/// up and leaves the world as it was. See [`crate::step`] for the protocol and [`crate`] for an
/// example with an own solver.
pub struct OpenStep<'w> {
    world: &'w mut World,
    stepper: Box<Stepper>,
    problem: Ccp<TwoBody>,
    tally: Tally,
}

/// What comes of [`OpenStep::finish`].
#[must_use]
#[expect(
    clippy::large_enum_variant,
    reason = "it is moved a few times per step; a box would only be one more name to read"
)]
pub enum Finish<'w> {
    /// The step is made.
    Done(StepReport),
    /// The step must be solved again: its own collisions opened contacts, or its joints are off.
    /// Here is the better problem. Its warm start is the answer just given.
    Again(OpenStep<'w>),
}

/// The world's own answer to an open step.
#[derive(Clone, Debug)]
pub struct StepAnswer {
    /// The impulses along the rows of the problem, N s; N m s for those that roll or spin.
    pub gamma: Vec<f64>,
    /// What [`OpenStep::finish`] wants to know of the solve.
    pub summary: SolveSummary,
    /// The solves behind it, with their histories where asked for. Under the exact law the relaxed
    /// solve for comparison comes first.
    pub solves: Vec<SolveInfo>,
}

/// A step that was watched from outside.
#[derive(Clone, Debug)]
pub struct WatchedStep {
    /// How the step went.
    pub report: StepReport,
    /// All its solves in order, with their histories where asked for. Empty where there was nothing
    /// to solve.
    pub solves: Vec<SolveInfo>,
}

/// What the report will tell, as far as it is known.
#[derive(Clone, Copy)]
struct Tally {
    began: Instant,
    /// When the problem at hand was handed out.
    opened: Instant,
    times: StepTimes,
    pairs: usize,
    /// Answers taken.
    answers: usize,
    misfit: Misfit,
    solves: usize,
    iterations: usize,
    work: f64,
    /// Of the world's own solver; infinite for any other.
    work_limit: f64,
    relaxed_iterations: usize,
    relaxed_seconds: f64,
    timed_out: bool,
}

impl World {
    /// Opens the next step: free velocities, contacts, rows, the cone problem.
    ///
    /// The world changes only when [`OpenStep::finish`] says that the step is done. Dropping the
    /// open step leaves the world as it was; only its work memory is taken anew by the next step.
    pub fn begin(&mut self) -> Result<OpenStep<'_>, StepError> {
        let mut tally = Tally::new();
        let mut stepper = self.stepper.take().unwrap_or_default();
        tally.pairs = stepper.prepare(self, &mut tally.times)?;
        OpenStep::new(self, stepper, tally)
    }
}

impl<'w> OpenStep<'w> {
    /// Makes the problem of the contacts and joint rows at hand.
    fn new(
        world: &'w mut World,
        mut stepper: Box<Stepper>,
        mut tally: Tally,
    ) -> Result<Self, StepError> {
        let start = Instant::now();
        let problem = stepper.assemble(world)?;
        tally.times.assembly += start.elapsed().as_secs_f64();
        tally.opened = Instant::now();
        Ok(Self {
            world,
            stepper,
            problem,
            tally,
        })
    }

    /// The world as it is before the step.
    pub fn world(&self) -> &World {
        self.world
    }

    /// The cone problem: contacts with sliding friction only, then those that resist rolling, then
    /// joints. It has no rows where nothing touches and nothing is held.
    pub fn problem(&self) -> &Ccp<TwoBody> {
        &self.problem
    }

    /// Where to start from along the rows of the problem, N s or N m s: the impulses of the last
    /// step, or zeros if the settings want no warm start. Where the step is solved again, the
    /// answer just given.
    pub fn warm_start(&self) -> &[f64] {
        &self.stepper.warm_start
    }

    /// The contacts, by identity, with the forces that the impulses `gamma` mean, one impulse for
    /// each row.
    pub fn contact_forces(&self, gamma: &[f64]) -> Vec<ContactForce> {
        contact_forces(
            &self.stepper.assembler,
            self.problem.operator(),
            &self.stepper.contacts,
            gamma,
            self.world.settings.time_step,
        )
    }

    /// Gives the step up and keeps its problem.
    pub fn into_problem(self) -> StepProblem {
        let stepper = *self.stepper;
        StepProblem {
            problem: self.problem,
            warm_start: stepper.warm_start,
            contacts: stepper.contacts,
            assembler: stepper.assembler,
            time_step: self.world.settings.time_step,
        }
    }

    /// Answers the problem by the method, law and limits of the world's settings.
    pub fn solve(&mut self, watch: &mut Watch<'_>) -> Result<StepAnswer, StepError> {
        let (world, problem) = (&*self.world, &self.problem);
        let step = world.steps + 1;
        let stepper = &mut *self.stepper;
        let mut gamma = stepper.warm_start.clone();
        let watch = &mut watch.reborrow();
        if let Some(limit) = world.settings.time_limit {
            let left = limit - self.tally.began.elapsed().as_secs_f64();
            // One that the clock cannot count is none.
            if let Ok(left) = Duration::try_from_secs_f64(left.max(0.0)) {
                watch.set_time_limit(left);
            }
        }
        // Asked of a monitor, so that the processes of a distributed run agree.
        let monitor = watch.monitor(Limits::default(), world.settings.law);
        if monitor.interrupted() == Some(Termination::Cancelled) {
            return Err(StepError::Cancelled { step });
        }
        drop(monitor);
        let rows = watch.reduce.sum(problem.dim() as f64);
        if rows == 0.0 {
            return Ok(StepAnswer {
                gamma,
                summary: SolveSummary::nothing(),
                solves: Vec::new(),
            });
        }
        let work_limit = world.settings.work_limit(rows);
        self.tally.work_limit = work_limit;
        let mut solver = LawSolver {
            solver: &mut stepper.solver,
            settings: &world.settings,
            work: SPENT_AT_ONCE * (work_limit - self.tally.work),
            watch,
        };
        let (summary, solves) = solver
            .solve(problem, &stepper.warm_start, &mut gamma)
            .map_err(|source| StepError::Solver { step, source })?;
        if summary.termination == Termination::Cancelled {
            return Err(StepError::Cancelled { step });
        }
        Ok(StepAnswer {
            gamma,
            summary,
            solves,
        })
    }

    /// Judges an answer, one impulse for each row: a summary for a solver that does not measure
    /// itself.
    ///
    /// The residual is the one that judges the world's own methods, under the law and by the
    /// tolerance of the settings. An answer short of the tolerance counts as one whose iterations
    /// ran out.
    pub fn judge(&self, method: &'static str, iterations: usize, gamma: &[f64]) -> SolveSummary {
        let settings = &self.world.settings;
        let mut velocity = vec![0.0; self.problem.dim()];
        self.problem.velocity(gamma, &mut velocity);
        let certificate = self
            .problem
            .certificate(settings.law, gamma, &velocity, &Local);
        let slow = |limit: f64| certificate.residual_velocity <= limit;
        let reached = certificate.residual <= settings.tolerance
            || settings.velocity_tolerance.is_some_and(slow);
        let termination = if reached {
            Termination::Converged
        } else if certificate.residual.is_finite() {
            Termination::IterationLimit
        } else {
            Termination::Broke
        };
        SolveSummary {
            method,
            termination,
            iterations,
            residual: certificate.residual,
            residual_velocity: certificate.residual_velocity,
            ..SolveSummary::nothing()
        }
    }

    /// Takes an answer: `gamma` along the rows of the problem, N s or N m s.
    ///
    /// The step is done, or it must be solved again. `gamma` is taken as it is; the `summary` goes
    /// into the report. After an answer that ran out of time the step is done in any case. One that
    /// was cancelled is refused with [`StepError::Cancelled`], one whose residual is not finite
    /// with [`StepError::Residual`].
    pub fn finish(
        self,
        gamma: &[f64],
        summary: impl Into<SolveSummary>,
    ) -> Result<Finish<'w>, StepError> {
        let Self {
            world,
            mut stepper,
            problem,
            mut tally,
        } = self;
        let (summary, step) = (summary.into(), world.steps + 1);
        if gamma.len() != problem.dim() {
            let (found, expected) = (gamma.len(), problem.dim());
            return Err(StepError::Answer {
                step,
                found,
                expected,
            });
        }
        if summary.termination == Termination::Cancelled {
            return Err(StepError::Cancelled { step });
        }
        let summary = match problem.dim() {
            0 => SolveSummary::nothing(),
            _ => summary,
        };
        tally.solves += usize::from(problem.dim() > 0);
        let summary = stepper.take_answer(world, problem, gamma, summary);
        tally.add(&summary);
        // Before anything is made of the answer: what is not finite would spread.
        stepper.check_moves(world)?;

        let last = std::mem::replace(&mut tally.misfit, stepper.expand_joints(world));
        let hopeless = tally.answers > 1 && tally.misfit.unsolved > JOINT_GAIN * last.unsolved;
        let holds = tally.misfit.unsolved <= world.joint_error_limit();
        let work_left = tally.work_limit - tally.work;
        let may_go_on = !tally.timed_out && work_left >= LEAST_WORK;
        if tally.answers <= LAST_ROUND && may_go_on {
            let first = tally.answers <= ROUNDS;
            let depth = if first { WORTH } else { VISIBLE } * world.envelope();
            let missed = stepper.add_missed_contacts(world, depth, &mut tally.times);
            let visible = VISIBLE * world.envelope();
            let sagged = !missed && stepper.sag_contacts(world, visible, &mut tally.times);
            let unfinished = summary.termination == Termination::WorkLimit;
            if missed || sagged || unfinished || (first && !(holds || hopeless)) {
                return Ok(Finish::Again(Self::new(world, stepper, tally)?));
            }
        }
        if !summary.residual.is_finite() {
            // Nobody can say what such an answer is worth: going on would hide it.
            return Err(StepError::Residual {
                step,
                method: summary.method,
                value: summary.residual,
            });
        }
        // At the start of the step: those of sleeping bodies are not looked for.
        let gaps = stepper.contacts.iter().map(|c| c.gap);
        let penetration = gaps.fold(0.0, |p, gap| worse(p, -gap));
        stepper.commit(world, summary.termination);
        world.stepper = Some(stepper);
        Ok(Finish::Done(tally.report(world, &summary, penetration)))
    }
}

impl Tally {
    fn new() -> Self {
        let now = Instant::now();
        Self {
            began: now,
            opened: now,
            times: StepTimes::default(),
            pairs: 0,
            answers: 0,
            misfit: Misfit::default(),
            solves: 0,
            iterations: 0,
            work: 0.0,
            work_limit: f64::INFINITY,
            relaxed_iterations: 0,
            relaxed_seconds: 0.0,
            timed_out: false,
        }
    }

    /// Counts the work of an answer that was just taken.
    fn add(&mut self, summary: &SolveSummary) {
        self.times.solve += self.opened.elapsed().as_secs_f64();
        self.answers += 1;
        self.iterations += summary.iterations;
        self.work += summary.work;
        self.relaxed_iterations += summary.relaxed.iterations;
        self.relaxed_seconds += summary.relaxed.seconds;
        self.timed_out |= summary.timed_out || summary.termination == Termination::TimeLimit;
    }

    /// The report of the step that was just made. Work is that of all answers, all else that of the
    /// last.
    fn report(mut self, world: &World, last: &SolveSummary, penetration: f64) -> StepReport {
        self.times.total = self.began.elapsed().as_secs_f64();
        let [kinetic_energy, potential_energy] = world.energy();
        let mut relaxed = last.relaxed;
        relaxed.iterations = self.relaxed_iterations;
        relaxed.seconds = self.relaxed_seconds;
        StepReport {
            step: world.steps,
            time: world.time,
            pairs: self.pairs,
            contacts: world.contacts.len(),
            joint_rows: world.mechanism.rows(),
            joint_error: self.misfit.error,
            asleep: world.rest.asleep(),
            method: last.method,
            termination: last.termination,
            timed_out: self.timed_out,
            solves: self.solves,
            iterations: self.iterations,
            work: self.work,
            residual: last.residual,
            residual_velocity: last.residual_velocity,
            relaxed,
            penetration,
            kinetic_energy,
            potential_energy,
            fastest: world.bodies.fastest(),
            times: self.times,
        }
    }
}

impl Bodies {
    /// Speed of the fastest centre of mass, m/s.
    fn fastest(&self) -> f64 {
        let squares = self.states.iter().map(|s| s.velocity.length_squared());
        let fastest = squares.fold(0.0, f64::max).sqrt();
        if fastest.is_finite() {
            return fastest;
        }
        // The square of a speed beyond 1e154 m/s is infinite.
        let speed = |s: &BodyState| s.velocity.x.hypot(s.velocity.y).hypot(s.velocity.z);
        self.states.iter().map(speed).fold(0.0, f64::max)
    }
}
