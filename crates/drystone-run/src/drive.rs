//! The one loop that steps a simulation: for runs that leave a folder, for states that are to
//! settle, and for experiments that only look.

use drystone::{StepError, StepReport, Watch};
use drystone_ccp::Progress;
use drystone_scene::Simulation;

use crate::control::{Control, Event};

/// Where the loop stops, beside the end of the scene. Nothing set: at the end of the scene.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StopAt {
    /// Number of steps since the start of the simulation.
    pub steps: Option<u64>,
    /// Simulated time, s.
    pub time: Option<f64>,
    /// Number of phases that have ended.
    pub phases: Option<usize>,
    /// Goes on where the scene has ended. Its last phase then lasts on: some experiments look at
    /// what comes after a settled state.
    pub beyond_scene: bool,
}

impl StopAt {
    /// Whether nothing is left to do.
    pub fn is_over(&self, simulation: &Simulation) -> bool {
        (simulation.is_finished() && !self.beyond_scene) || self.reached(simulation)
    }

    fn reached(&self, simulation: &Simulation) -> bool {
        let world = simulation.world();
        // The time is a sum of steps, so it is a rounding error off.
        let half_step = 0.5 * world.settings().time_step;
        self.steps.is_some_and(|steps| world.steps() >= steps)
            || self.time.is_some_and(|end| world.time() >= end - half_step)
            || self
                .phases
                .is_some_and(|phases| simulation.phases_done() >= phases)
    }
}

/// How the loop ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// The scene was over.
    Finished,
    /// Where [`StopAt`] says.
    Limit,
    /// The caller cancelled.
    Cancelled,
    /// A step could not be made. The world is as it was before that step.
    Broke(StepError),
}

impl Ended {
    /// A word for files and tables.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Limit => "limit",
            Self::Cancelled => "interrupted",
            Self::Broke(_) => "broke",
        }
    }

    /// Whether the loop did what was asked for.
    pub fn as_asked(&self) -> bool {
        match self {
            Self::Finished | Self::Limit => true,
            Self::Cancelled | Self::Broke(_) => false,
        }
    }
}

/// A step that the loop has made.
#[derive(Clone, Copy, Debug)]
pub struct Made<'a> {
    /// Its report.
    pub report: &'a StepReport,
    /// Simulated time at which it began, s.
    pub began: f64,
    /// Whether it ended a phase.
    pub ended_phase: bool,
}

/// Steps `simulation` until the scene ends, `stop` is reached, the caller cancels or a step fails.
/// `after` sees every step, before the caller is told; its error ends the loop.
///
/// A cancellation takes effect within the step at hand, which then does not count.
pub fn drive<E>(
    simulation: &mut Simulation,
    stop: &StopAt,
    control: Control<'_>,
    after: impl FnMut(&Simulation, Made<'_>) -> Result<(), E>,
) -> Result<Ended, E> {
    let step = |simulation: &mut Simulation| {
        let mut observer = |progress: &Progress| control.tell(Event::Solve(progress));
        let mut watch = Watch {
            cancel: Some(control.flag()),
            observer: Some(&mut observer),
            ..Watch::default()
        };
        Ok(simulation.step_watched(&mut watch)?.report)
    };
    drive_by(simulation, stop, control, step, after)
}

/// The same with steps that the caller makes, for instance by
/// [`Simulation::step_by`] with an own solver.
pub fn drive_by<E>(
    simulation: &mut Simulation,
    stop: &StopAt,
    control: Control<'_>,
    mut step: impl FnMut(&mut Simulation) -> Result<StepReport, StepError>,
    mut after: impl FnMut(&Simulation, Made<'_>) -> Result<(), E>,
) -> Result<Ended, E> {
    loop {
        if simulation.is_finished() && !stop.beyond_scene {
            return Ok(Ended::Finished);
        }
        if stop.reached(simulation) {
            return Ok(Ended::Limit);
        }
        if control.is_cancelled() {
            return Ok(Ended::Cancelled);
        }
        let (began, phase) = (simulation.world().time(), simulation.phase().0);
        let report = match step(simulation) {
            Ok(report) => report,
            Err(StepError::Cancelled { .. }) => return Ok(Ended::Cancelled),
            Err(error) => return Ok(Ended::Broke(error)),
        };
        let made = Made {
            report: &report,
            began,
            ended_phase: simulation.phase().0 != phase,
        };
        after(simulation, made)?;
        control.tell(Event::Step(simulation, &report));
    }
}
