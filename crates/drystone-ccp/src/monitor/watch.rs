//! What a caller wants watched, as one plain value that makes any number of monitors.

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::{Limits, Monitor};
use crate::outcome::Progress;
use crate::problem::Law;
use crate::reduce::{Local, Reduce};

/// What a caller wants watched: cancellation, an observer, a history, a time budget, and the sums
/// of a distributed run.
///
/// One time step may take several solves. Whoever does them gets a `&mut Watch` and makes one
/// [`Monitor`] for each, so that a flag or a deadline holds for all of them together.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use std::time::Duration;
/// use drystone_ccp::{Law, Limits, Progress, Watch};
///
/// let cancel = AtomicBool::new(false);
/// let mut seen = 0;
/// let mut observer = |_: &Progress| seen += 1;
/// let mut watch = Watch {
///     cancel: Some(&cancel),
///     observer: Some(&mut observer),
///     history: 100,
///     ..Watch::default()
/// };
/// watch.set_time_limit(Duration::from_secs(1));
/// let monitor = watch.monitor(Limits::default(), Law::Relaxed);
/// # drop(monitor);
/// let another = watch.monitor(Limits::default(), Law::Exact);
/// assert!(another.seconds_left().unwrap() <= 1.0);
/// ```
pub struct Watch<'a> {
    /// Solves stop as soon as this flag is set.
    pub cancel: Option<&'a AtomicBool>,
    /// Told of every check.
    pub observer: Option<&'a mut (dyn FnMut(&Progress) + 'a)>,
    /// Most history rows to keep of each solve; 0 for none.
    pub history: usize,
    /// When all solves must have ended. With one, results depend on the clock.
    pub deadline: Option<Instant>,
    /// Sums and maxima over all processes.
    pub reduce: &'a dyn Reduce,
}

impl Default for Watch<'_> {
    /// Nothing is watched, and there is one process.
    fn default() -> Self {
        Self {
            cancel: None,
            observer: None,
            history: 0,
            deadline: None,
            reduce: &Local,
        }
    }
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch")
            .field("cancel", &self.cancel)
            .field("observer", &self.observer.is_some())
            .field("history", &self.history)
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}

impl<'a> Watch<'a> {
    /// Sets the deadline to `limit` from now, or leaves an earlier one. A limit beyond what the
    /// clock can count is none.
    pub fn set_time_limit(&mut self, limit: Duration) {
        let deadline = Instant::now().checked_add(limit);
        self.deadline = match (self.deadline, deadline) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }

    /// A monitor for one solve. Its clock starts now.
    pub fn monitor(&mut self, limits: Limits, law: Law) -> Monitor<'_> {
        Monitor::of(self.reborrow(), limits, law)
    }

    /// The same wishes for a shorter time; they can be changed without changing these.
    pub fn reborrow<'b>(&'b mut self) -> Watch<'b>
    where
        'a: 'b,
    {
        Watch {
            cancel: self.cancel,
            observer: match &mut self.observer {
                Some(observer) => Some(&mut **observer),
                None => None,
            },
            history: self.history,
            deadline: self.deadline,
            reduce: self.reduce,
        }
    }
}
