//! Whether other programs kept the machine busy while times were taken.
//!
//! Linux counts, thread by thread, the time on a core and the time of waiting for one. Where a
//! program has no more threads than there are cores, waiting means that others were at work.

use std::fs;

/// Share of the time that threads may have waited for a core before times count as disturbed. A
/// quiet machine shows less than a hundredth.
const DISTURBED: f64 = 0.1;

/// What the threads of this program have had so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct CoreTime {
    /// On a core, ns.
    running: f64,
    /// Waiting for one, ns.
    waiting: f64,
}

impl CoreTime {
    /// Until now; nothing where the system does not tell.
    pub fn now() -> Self {
        let mut sum = Self::default();
        let Ok(tasks) = fs::read_dir("/proc/self/task") else {
            return sum;
        };
        for task in tasks.flatten() {
            let Ok(text) = fs::read_to_string(task.path().join("schedstat")) else {
                continue; // the thread has ended
            };
            let mut numbers = text.split_whitespace().map(|n| n.parse().unwrap_or(0.0));
            sum.running += numbers.next().unwrap_or(0.0);
            sum.waiting += numbers.next().unwrap_or(0.0);
        }
        sum
    }

    /// How the machine was kept busy since then, in words; none if it was not, or if the system does
    /// not tell.
    pub fn busy_since(self) -> Option<String> {
        let now = Self::now();
        let waiting = (now.waiting - self.waiting).max(0.0);
        let share = waiting / (waiting + (now.running - self.running).max(0.0));
        (share > DISTURBED).then(|| {
            let percent = 100.0 * share;
            format!("for {percent:.0} % of the time this program's threads waited for a core")
        })
    }
}
