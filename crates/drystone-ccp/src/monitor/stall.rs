//! When a stage of a composed method no longer gains enough.

/// A stage is stalled when `window` iterations did not cut the best residual by `factor`.
///
/// The rule knows nothing of the tolerance. So a looser tolerance cannot make it give up earlier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StallRule {
    /// Iterations to wait.
    pub window: usize,
    /// Factor, in (0, 1), that the best residual must fall by within the window.
    pub factor: f64,
}

impl StallRule {
    /// The rule where the iterations are limited: half of them must bring a gain.
    pub(crate) fn within(self, most: Option<usize>) -> Self {
        let half = most.map_or(usize::MAX, |most| most / 2);
        Self {
            window: self.window.min(half).max(1),
            ..self
        }
    }
}

/// A rule at work.
#[derive(Clone, Copy, Debug)]
pub(super) struct StallWatch {
    rule: StallRule,
    /// The iteration of the last sufficient gain, and the best residual then.
    iteration: usize,
    best: f64,
}

impl StallWatch {
    pub fn new(rule: StallRule) -> Self {
        Self {
            rule,
            iteration: 0,
            best: f64::INFINITY,
        }
    }

    /// Whether the stage is stalled at `iteration` with the `best` residual so far.
    pub fn is_stalled(&mut self, iteration: usize, best: f64) -> bool {
        if best < self.rule.factor * self.best {
            self.best = best;
            self.iteration = iteration;
        }
        iteration >= self.iteration + self.rule.window
    }
}
