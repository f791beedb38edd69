//! Gravity, time step, tolerance, method.

use drystone_ccp::{Law, Method, MethodSettings};
use glam::DVec3;

use crate::error::WorldError;
use crate::periodic::Periodic;

/// How a world is stepped. The defaults suit bodies from a centimetre to a few metres.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Acceleration of gravity, m/s².
    pub gravity: DVec3,
    /// Length of a time step h, s, > 0.
    pub time_step: f64,
    /// Surfaces closer than this are in the contact set even at rest, m, > 0: the δ of Mazhar 2015,
    /// section 2.1. `None`: a fiftieth of the smallest half-thickness of a moving body.
    pub envelope: Option<f64>,
    /// Fastest speed at which overlap is pushed apart, m/s, > 0. `None`: a fifth of the speed
    /// gained by falling the smallest half-thickness of a moving body at 9.81 m/s².
    pub recovery_speed: Option<f64>,
    /// Overlap that is left as it is, m, >= 0. `None`: what a solve may leave in 32 steps, since it
    /// would only be pushed to and fro, and at most a thousandth of the smallest half-thickness of a
    /// moving body. A step leaves the tolerance's share of the speed that gravity adds in it, or
    /// the velocity tolerance.
    pub rest_depth: Option<f64>,
    /// Error of joints, m or rad, > 0, beyond what they yield, above which a step is solved again
    /// with joints expanded anew. `None`: the smallest half-thickness of a moving body times
    /// ten times the tolerance (a share of at least 1e-5, at most 1e-3; 1e-5 under the exact law,
    /// which is for small scenes).
    pub joint_error: Option<f64>,
    /// Relative natural-map residual at which a step counts as solved, > 0.
    pub tolerance: f64,
    /// Residual velocity at which a step counts as solved too, m/s, > 0: no contact or joint is off
    /// by more. `None`: only [`Self::tolerance`] counts.
    pub velocity_tolerance: Option<f64>,
    /// Most iterations of one solve. A step takes more than one where it must be solved again, or
    /// where the laws are compared.
    pub max_iterations: usize,
    /// Most work of a step, in sweeps, > 0: all its solves by any method together, a factorisation
    /// counted as the sweeps that take as long. A step that needs more ends with the best answer so
    /// far, and its report says so. `None`: 20 000, or as many as take about a second if that is
    /// more.
    pub max_work: Option<f64>,
    /// Longest time for the solves of a step, s, > 0. With one, results depend on the clock.
    pub time_limit: Option<f64>,
    /// The method and its options. Options of `auto` that are at their defaults are replaced by
    /// values that suit time steps.
    pub method: MethodSettings,
    /// The friction law.
    pub law: Law,
    /// Under the exact law: whether each step is first solved under the relaxed law, so that the
    /// report can say what the relaxation would have changed. That answer also is a start for the
    /// exact solve. Without it the step starts from the last impulses alone, and
    /// [`crate::StepReport::relaxed`] is all zero.
    pub compare_laws: bool,
    /// Compliance of contacts as a share of each contact's own inverse mass, >= 0: keeps redundant
    /// contacts solvable. At the default of 1e-9 a contact under a million times its own weight
    /// yields at a thousandth of the speed that gravity gives it in a step.
    pub compliance: f64,
    /// Speed of approach below which surfaces do not bounce, m/s, >= 0. `None`: what gravity adds
    /// in two steps, so that what lies still does not bounce.
    pub bounce_threshold: Option<f64>,
    /// Whether a step starts from the impulses of the last one. Without it every step starts from
    /// zero, as papers on solvers often do.
    pub warm_start: bool,
    /// A domain that repeats itself.
    pub periodic: Periodic,
    /// Whether resting bodies are taken out of the problem until something touches them.
    pub sleeping: Option<Sleeping>,
}

/// Rows that a step may sweep by default, all its sweeps together: about a second of work.
const MOST_ROWS_SWEPT: f64 = 1.5e8;

/// Sweeps that a step may take by default, however large its problem: what hard steps of thousands
/// of contacts need.
const LEAST_WORK_LIMIT: f64 = 20_000.0;

/// When bodies fall asleep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sleeping {
    /// A body slower than this everywhere on its surface may sleep, m/s, > 0.
    pub speed: f64,
    /// For how long all bodies that touch each other must have been slow, s, > 0.
    pub after: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            gravity: DVec3::new(0.0, 0.0, -9.81),
            time_step: 0.005,
            envelope: None,
            recovery_speed: None,
            rest_depth: None,
            joint_error: None,
            tolerance: 1e-4,
            velocity_tolerance: None,
            max_iterations: 5000,
            max_work: None,
            time_limit: None,
            method: MethodSettings::new(Method::Auto),
            law: Law::Relaxed,
            compare_laws: true,
            compliance: 1e-9,
            bounce_threshold: None,
            warm_start: true,
            periodic: Periodic::NONE,
            sleeping: None,
        }
    }
}

impl Settings {
    /// Most work of a step whose problem has so many rows, in sweeps.
    pub(crate) fn work_limit(&self, rows: f64) -> f64 {
        let default = || (MOST_ROWS_SWEPT / rows).max(LEAST_WORK_LIMIT);
        self.max_work.unwrap_or_else(default)
    }

    /// Says which number is out of range, if any.
    pub fn check(&self) -> Result<(), WorldError> {
        let positive = [
            ("time step", Some(self.time_step)),
            ("envelope", self.envelope),
            ("recovery speed", self.recovery_speed),
            ("joint error", self.joint_error),
            ("tolerance", Some(self.tolerance)),
            ("velocity tolerance", self.velocity_tolerance),
            ("work limit", self.max_work),
            ("time limit", self.time_limit),
            ("sleeping speed", self.sleeping.map(|s| s.speed)),
            ("sleeping delay", self.sleeping.map(|s| s.after)),
        ];
        for (what, value) in positive {
            if let Some(value) = value.filter(|v| !(v.is_finite() && *v > 0.0)) {
                return Err(WorldError::Setting {
                    what,
                    value,
                    expected: "a finite number > 0",
                });
            }
        }
        self.periodic.check()?;
        self.method.check()?;
        let not_negative = [
            ("compliance", self.compliance),
            ("bounce threshold", self.bounce_threshold.unwrap_or(0.0)),
            ("rest depth", self.rest_depth.unwrap_or(0.0)),
        ];
        for (what, value) in not_negative {
            if !(value.is_finite() && value >= 0.0) {
                return Err(WorldError::Setting {
                    what,
                    value,
                    expected: "a finite number >= 0",
                });
            }
        }
        for value in self.gravity.to_array() {
            if !value.is_finite() {
                return Err(WorldError::Setting {
                    what: "gravity",
                    value,
                    expected: "finite",
                });
            }
        }
        Ok(())
    }
}
