//! Points that a monitor keeps on the way of a solve.

/// A point on the way of a solve.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The relative residual that it was to be below.
    pub below: f64,
    /// Its own relative residual.
    pub residual: f64,
    /// Iterations so far, of all stages together.
    pub iteration: usize,
    /// Seconds since the start.
    pub seconds: f64,
    /// The point, N s.
    pub gamma: Vec<f64>,
}

/// What is still to be taken, and what has been.
#[derive(Debug, Default)]
pub(super) struct Snapshots {
    /// Residuals to take a snapshot at, falling; those taken are gone.
    wanted: Vec<f64>,
    taken: Vec<Snapshot>,
}

impl Snapshots {
    pub fn new(residuals: &[f64]) -> Self {
        let mut wanted = residuals.to_vec();
        wanted.sort_by(|a, b| b.total_cmp(a));
        Self {
            wanted,
            taken: Vec::new(),
        }
    }

    /// Whether any is still to be taken.
    pub fn are_wanted(&self) -> bool {
        !self.wanted.is_empty()
    }

    /// Takes the point for every wanted residual that it is the first to reach.
    pub fn offer(&mut self, residual: f64, iteration: usize, seconds: f64, gamma: &[f64]) {
        while let Some(&below) = self.wanted.first()
            && residual <= below
        {
            self.wanted.remove(0);
            self.taken.push(Snapshot {
                below,
                residual,
                iteration,
                seconds,
                gamma: gamma.to_vec(),
            });
        }
    }

    /// Hands over what was taken, loosest first.
    pub fn take(&mut self) -> Vec<Snapshot> {
        std::mem::take(&mut self.taken)
    }
}
