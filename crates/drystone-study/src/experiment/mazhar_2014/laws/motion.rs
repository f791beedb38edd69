//! What the runs of a case tell: how far methods and laws are apart, and how smooth the way is.

use drystone::worse;
use drystone_ccp::Law;

use super::{LawRun, LawRuns, MotionSample};

impl LawRuns {
    /// The runs under a law.
    pub fn of(&self, law: Law) -> impl Iterator<Item = &LawRun> + Clone {
        self.runs.iter().filter(move |run| run.law == law)
    }

    /// Largest value over all runs under a law.
    pub fn largest(&self, law: Law, of: fn(&MotionSample) -> f64) -> f64 {
        self.of(law).map(|run| run.largest(of)).fold(0.0, worse)
    }

    /// The same of the run in which it is least.
    pub fn least(&self, law: Law, of: fn(&MotionSample) -> f64) -> f64 {
        let values = self.of(law).map(|run| run.largest(of));
        values.fold(f64::INFINITY, f64::min)
    }

    /// The largest rise of the speed above a lower one before it, in the run in which it is least.
    pub fn least_rise(&self, law: Law) -> f64 {
        let rises = self
            .of(law)
            .map(|run| rise(run.samples.iter().map(|s| s.total)));
        rises.fold(f64::INFINITY, f64::min)
    }

    /// The measure's value furthest from what is expected, among the runs under a law.
    pub fn furthest(&self, law: Law) -> f64 {
        let expected = self.case.expected();
        let values = self.of(law).map(|run| run.measure(self.case.measure));
        let further = |a: f64, b: f64| match (b - expected).abs() <= (a - expected).abs() {
            true => a,
            false => b, // also where there is none
        };
        values.fold(expected, further)
    }

    /// Largest distance between the paths of two methods under a law, m.
    pub fn apart(&self, law: Law) -> f64 {
        let runs: Vec<&LawRun> = self.of(law).collect();
        let Some((first, others)) = runs.split_first() else {
            return f64::NAN;
        };
        let ways = others
            .iter()
            .flat_map(|run| run.samples.iter().zip(&first.samples));
        ways.map(|(a, b)| (a.way - b.way).abs()).fold(0.0, worse)
    }

    /// Largest difference of a quantity between the laws, by the same method, over its range.
    pub fn between_laws(&self, of: fn(&MotionSample) -> f64) -> f64 {
        let mut off: f64 = 0.0;
        for exact in self.of(Law::Exact) {
            let same = |run: &&LawRun| run.method == exact.method;
            let Some(relaxed) = self.of(Law::Relaxed).find(same) else {
                return f64::NAN;
            };
            let values = || exact.samples.iter().map(of);
            let range = values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min);
            let pairs = exact.samples.iter().zip(&relaxed.samples);
            let differences = pairs.map(|(a, b)| (of(a) - of(b)).abs());
            off = worse(off, differences.fold(0.0, worse) / range);
        }
        off
    }

    /// Most turns of the speed from falling to rising or back among the runs under a law, until the
    /// body rolls or rests. Changes below a thousandth of the first speed are no turns.
    pub fn turns(&self, law: Law) -> f64 {
        let least = 1e-3 * self.case.speed;
        let turns = self
            .of(law)
            .map(|run| turns(run.samples.iter().map(|s| s.total), least));
        turns.max().map_or(f64::NAN, |n| n as f64)
    }
}

/// The most by which a series rises above an earlier value.
fn rise(values: impl Iterator<Item = f64>) -> f64 {
    let (mut low, mut most) = (f64::INFINITY, 0.0);
    for value in values {
        low = f64::min(low, value);
        most = f64::max(most, value - low);
    }
    most
}

/// How often a series turns, by more than `least` each time.
fn turns(values: impl Iterator<Item = f64>, least: f64) -> usize {
    let (mut turns, mut direction, mut extreme) = (0, 0.0, f64::NAN);
    for value in values {
        if extreme.is_nan() || (value - extreme) * direction > 0.0 {
            extreme = value; // the first, or further on the same way
        } else if (value - extreme).abs() > least {
            let new = (value - extreme).signum();
            if direction != 0.0 {
                turns += 1;
            }
            (direction, extreme) = (new, value);
        }
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rise_is_from_the_lowest_value_before() {
        let of = |values: &[f64]| rise(values.iter().copied());
        assert_eq!(of(&[2.0, 1.5, 1.75, 0.5]), 0.25);
        assert_eq!(of(&[2.0, 1.5, 1.0]), 0.0);
    }

    #[test]
    fn turns_are_counted_and_noise_is_not() {
        let of = |values: &[f64]| turns(values.iter().copied(), 0.1);
        assert_eq!(of(&[2.0, 1.5, 1.0, 0.5]), 0);
        assert_eq!(of(&[2.0, 2.5, 1.0, 0.5]), 1);
        assert_eq!(of(&[2.0, 1.0, 2.0, 1.0, 2.0]), 3);
        assert_eq!(of(&[2.0, 1.95, 2.0, 1.95, 2.0]), 0);
    }
}
