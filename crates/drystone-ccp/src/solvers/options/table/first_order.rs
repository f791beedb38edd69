//! Jacobi, Gauss–Seidel, APGD, SPG and the accelerated sweeps.

use std::ops::Bound::{Excluded, Included, Unbounded};

use super::super::super::spg::MAX_WINDOW;
use super::super::value::Field;
use super::super::{OptionInfo, OptionKind};
use super::*;

pub(super) const JACOBI: &[OptionInfo] = &[
    option!(
        "omega",
        number(Excluded(0.0), Excluded(2.0)),
        jacobi.omega,
        "Step length relative to the block's own."
    ),
    option!(
        "lambda",
        UP_TO_ONE,
        jacobi.lambda,
        "Share of the new point in the next one."
    ),
    option!(
        "safeguard",
        OptionKind::YesNo,
        jacobi.safeguard,
        "Lower omega where a step shows that it is too long."
    ),
];

pub(super) const GAUSS_SEIDEL: &[OptionInfo] = &[
    option!(
        "omega",
        number(Excluded(0.0), Included(1.6)),
        gauss_seidel.omega,
        "Step length relative to the block's own; up to 1 a sweep always descends."
    ),
    option!(
        "lambda",
        UP_TO_ONE,
        gauss_seidel.lambda,
        "Share of the new point in the next one."
    ),
    option!(
        "step",
        BLOCK_STEP,
        gauss_seidel.step,
        "How one block is brought up to date."
    ),
    option!(
        "check-every",
        at_least(1),
        gauss_seidel.check_every,
        "Sweeps between two convergence checks."
    ),
    option!(
        "block-tolerance",
        POSITIVE,
        gauss_seidel.local.tolerance,
        "Accurate step: relative residual of a block to reach."
    ),
    option!(
        "block-iterations",
        at_least(1),
        gauss_seidel.local.max_iterations,
        "Accurate step: most iterations on one block."
    ),
];

pub(super) const APGD: &[OptionInfo] = &[
    option!(
        "step",
        STEP_STRATEGY,
        apgd.step,
        "How the step length follows the local curvature."
    ),
    option!(
        "increase",
        number(Excluded(1.0), Unbounded),
        apgd.increase,
        "What the curvature estimate is multiplied by where it is too low."
    ),
    option!(
        "decrease",
        UP_TO_ONE,
        apgd.decrease,
        "What the curvature estimate is multiplied by after an adaptive iteration."
    ),
    option!(
        "restart",
        OptionKind::YesNo,
        apgd.restart,
        "Drop the momentum where it points uphill."
    ),
    FIXED_POINT_DAMPING,
    FIXED_POINT_MIN_DAMPING,
    FIXED_POINT_INNER_SHARE,
    FIXED_POINT_INNER_ITERATIONS,
    FIXED_POINT_PATIENCE,
];

pub(super) const APGD_FUSED: &[OptionInfo] = &[
    option!(
        "increase",
        number(Excluded(1.0), Unbounded),
        apgd_fused.increase,
        "What the curvature estimate is multiplied by where it is too low."
    ),
    option!(
        "decrease",
        UP_TO_ONE,
        apgd_fused.decrease,
        "What the curvature estimate is multiplied by after each iteration."
    ),
    option!(
        "restart",
        OptionKind::YesNo,
        apgd_fused.restart,
        "Drop the momentum where it points uphill."
    ),
    option!(
        "check-every",
        at_least(1),
        apgd_fused.check_every,
        "Iterations between two convergence checks."
    ),
    FIXED_POINT_DAMPING,
    FIXED_POINT_MIN_DAMPING,
    FIXED_POINT_INNER_SHARE,
    FIXED_POINT_INNER_ITERATIONS,
    FIXED_POINT_PATIENCE,
];

pub(super) const SPG: &[OptionInfo] = &[
    option!(
        "step",
        SPECTRAL_STEP,
        spg.step,
        "Which spectral step comes next."
    ),
    option!(
        "window",
        OptionKind::Whole {
            least: 1,
            most: MAX_WINDOW
        },
        spg.window,
        "Iterates that the nonmonotone line search looks back on; 1 is monotone."
    ),
    option!(
        "armijo",
        number(Included(0.0), Excluded(1.0)),
        spg.armijo,
        "Share of the predicted decrease that a step must bring."
    ),
    option!(
        "sigma-min",
        SHARE,
        spg.sigma_min,
        "A rejected step is cut to no less than this share of itself."
    ),
    option!(
        "sigma-max",
        SHARE,
        spg.sigma_max,
        "A rejected step is cut to no more than this share of itself."
    ),
    option!(
        "alpha-min",
        POSITIVE,
        spg.alpha_min,
        "Shortest spectral step, relative to the preconditioner's."
    ),
    option!(
        "alpha-max",
        POSITIVE,
        spg.alpha_max,
        "Longest spectral step, relative to the preconditioner's."
    ),
    option!(
        "precondition",
        OptionKind::YesNo,
        spg.precondition,
        "Precondition by the mean diagonal of each block."
    ),
    FIXED_POINT_DAMPING,
    FIXED_POINT_MIN_DAMPING,
    FIXED_POINT_INNER_SHARE,
    FIXED_POINT_INNER_ITERATIONS,
    FIXED_POINT_PATIENCE,
];

pub(super) const NESTEROV_GS: &[OptionInfo] = &[
    option!(
        "check-every",
        at_least(1),
        nesterov_gs.check_every,
        "Sweeps between two convergence checks."
    ),
    option!(
        "restart",
        OptionKind::YesNo,
        nesterov_gs.restart,
        "Drop the momentum where it points uphill."
    ),
    option!(
        "patches",
        OptionKind::YesNo,
        nesterov_gs.patches,
        "Sweep the few contacts that hold most of the residual apart from the rest."
    ),
    option!(
        "anchors",
        OptionKind::YesNo,
        nesterov_gs.anchors,
        "Weigh bodies by what they carry, and anchor them, where a solve takes long."
    ),
    option!(
        "exact",
        EXACT_SWEEPS,
        exact_sweeps,
        "How the exact law is brought in."
    ),
    option!(
        "cycle",
        at_least(1),
        nesterov_gs.cycle,
        "Exact law by sweeps of Coulomb's law: sweeps between two restarts."
    ),
    FIXED_POINT_DAMPING,
    FIXED_POINT_MIN_DAMPING,
    FIXED_POINT_INNER_SHARE,
    FIXED_POINT_INNER_ITERATIONS,
    FIXED_POINT_PATIENCE,
];
