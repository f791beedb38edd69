//! How long work is watched and stopped: one small value that the caller hands in.

use std::sync::atomic::{AtomicBool, Ordering};

use drystone::StepReport;
use drystone_ccp::Progress;
use drystone_scene::Simulation;

/// Something that long work tells whoever watches it.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A piece of work begins. The text names it for people.
    Begin(&'a str),
    /// A step of a simulation has been made.
    Step(&'a Simulation, &'a StepReport),
    /// A solve has checked its residual.
    Solve(&'a Progress),
    /// The piece of work has ended, with a line on how it went where there is something to say.
    End(Option<&'a str>),
    /// The work is over, for whatever reason, and its last results are being written.
    Saving,
    /// Something went wrong that does not stop the work.
    Warning(&'a str),
}

/// What the caller of long work hands in: a flag that stops it, and a place to report to.
///
/// The flag may be set at any time and from any thread, for instance by a signal handler. Nothing
/// in this crate keeps such a flag of its own.
#[derive(Clone, Copy)]
pub struct Control<'a> {
    cancel: &'a AtomicBool,
    report: &'a (dyn Fn(Event<'_>) + Sync),
}

impl<'a> Control<'a> {
    /// Stops the work once `cancel` is set, and tells `report` of every event.
    pub fn new(cancel: &'a AtomicBool, report: &'a (dyn Fn(Event<'_>) + Sync)) -> Self {
        Self { cancel, report }
    }

    /// The flag itself, for solvers and renderers, which look at it in the middle of their work.
    pub fn flag(self) -> &'a AtomicBool {
        self.cancel
    }

    /// Whether the caller asked to stop.
    pub fn is_cancelled(self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// Tells the caller.
    pub fn tell(self, event: Event<'_>) {
        (self.report)(event);
    }
}

impl Control<'static> {
    /// Is never cancelled and tells nobody: for tests and for short work.
    pub fn none() -> Self {
        static NEVER: AtomicBool = AtomicBool::new(false);
        Self::new(&NEVER, &|_| {})
    }
}
