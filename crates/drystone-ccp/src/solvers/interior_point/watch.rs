//! When to give up.

/// Notices that neither the best residual nor the barrier parameter falls any more.
pub(super) struct Watch {
    best: f64,
    mu: f64,
    since: usize,
}

impl Watch {
    /// Has seen nothing yet.
    pub fn new() -> Self {
        Self {
            best: f64::INFINITY,
            mu: f64::INFINITY,
            since: 0,
        }
    }

    /// Whether `patience` iterations brought neither down by a tenth.
    pub fn stalled(&mut self, best: f64, mu: f64, iteration: usize, patience: usize) -> bool {
        if best < 0.9 * self.best || mu < 0.9 * self.mu {
            self.best = self.best.min(best);
            self.mu = self.mu.min(mu);
            self.since = iteration;
        }
        iteration >= self.since + patience
    }
}
