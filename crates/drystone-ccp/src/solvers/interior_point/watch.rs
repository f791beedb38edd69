//! When to give up: our own rule; the sources end at their limit of iterations.

/// Notices that neither the best residual nor the barrier parameter falls any more.
pub(super) struct StallWatch {
    best: f64,
    mu: f64,
    since: usize,
}

impl StallWatch {
    /// Has seen nothing yet.
    pub fn new() -> Self {
        Self {
            best: f64::INFINITY,
            mu: f64::INFINITY,
            since: 0,
        }
    }

    /// Whether `patience` iterations brought neither below [`GAIN`] of its value.
    pub fn stalled(&mut self, best: f64, mu: f64, iteration: usize, patience: usize) -> bool {
        if best < GAIN * self.best || mu < GAIN * self.mu {
            self.best = self.best.min(best);
            self.mu = self.mu.min(mu);
            self.since = iteration;
        }
        iteration >= self.since + patience
    }
}

/// A fall by a tenth counts as progress; less in so many iterations would never reach a tolerance.
const GAIN: f64 = 0.9;
