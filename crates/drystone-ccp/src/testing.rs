//! For tests only: one place for their tolerances, random numbers that are the same everywhere,
//! small dense problems.
#![allow(clippy::unwrap_used)] // only functions marked as tests are exempt by themselves

use crate::cone::{Cone, Cones};
use crate::monitor::{Limits, Monitor};
use crate::operator::Sparse;
use crate::outcome::SolveInfo;
use crate::problem::{Ccp, Law};
use crate::solvers::SolverError;
use crate::sparse::Csr;

/// `tolerance` times `DRYSTONE_TEST_TOLERANCE_SCALE` (1 if unset): lets a slower or odder machine
/// pass with wider bounds.
pub(crate) fn close(tolerance: f64) -> f64 {
    let scale = std::env::var("DRYSTONE_TEST_TOLERANCE_SCALE")
        .ok()
        .and_then(|s| s.parse::<f64>().ok())
        .unwrap_or(1.0);
    tolerance * scale
}

/// SplitMix64: small, and good enough to pick test problems.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        low + (high - low) * (z >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A problem from a dense row-major N.
pub(crate) fn dense_problem(n: &[f64], r: &[f64], cones: &[Cone]) -> Ccp<Sparse> {
    let matrix = Csr::from_dense(r.len(), r.len(), n).unwrap();
    let cones = Cones::new(cones.to_vec()).unwrap();
    Ccp::new(Sparse::new(matrix).unwrap(), r.to_vec(), cones).unwrap()
}

/// One contact that slides: N = I, r = (−1, −1, 0), mu = 0.5.
///
/// Relaxed, gamma is the projection of −r = (1, 1, 0): height (1 + 0.5)/(1 + 0.25) = 1.2, so (1.2,
/// 0.6, 0). Exact, `u_n = 0` gives n = 1 and friction 0.5 against the slip −0.5: (1, 0.5, 0).
pub(crate) fn sliding_contact() -> Ccp<Sparse> {
    let identity = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    dense_problem(&identity, &[-1.0, -1.0, 0.0], &[Cone::friction(0.5)])
}

/// Solves from zero to 1e-11 and compares with what was found by hand.
pub(crate) fn expect(
    problem: &Ccp<Sparse>,
    law: Law,
    by_hand: &[f64],
    solve: impl FnOnce(&mut [f64], &mut Monitor<'_>) -> Result<SolveInfo, SolverError>,
) {
    let limits = Limits {
        tolerance: 1e-11,
        max_iterations: 100_000,
        time_limit: None,
        ..Limits::default()
    };
    let mut gamma = vec![0.0; problem.dim()];
    let info = solve(&mut gamma, &mut Monitor::new(limits, law)).unwrap();
    assert!(info.converged(), "{info:?}");
    for (found, wanted) in gamma.iter().zip(by_hand) {
        assert!(
            (found - wanted).abs() <= close(1e-9),
            "{gamma:?} {by_hand:?}"
        );
    }
}
