//! The table of all options. The fields' own documentation says more.

use std::ops::Bound::{self, Excluded, Included, Unbounded};

use super::super::Method;
use super::super::apgd::StepStrategy;
use super::super::gauss_seidel::BlockStep;
use super::super::interior_point::{Formulation, LinearSolver};
use super::super::spg::SpectralStep;
use super::value::{Field, words};
use super::{ExactSweeps, OptionInfo, OptionKind, OptionValue};

/// One entry: name, kind, the field that it sets, and its documentation.
macro_rules! option {
    ($name:literal, $kind:expr, $($field:ident).+, $documentation:literal) => {
        OptionInfo {
            name: $name,
            kind: $kind,
            documentation: $documentation,
            get: |settings| Field::to_value(&settings.$($field).+),
            set: |settings, value| {
                let read = Field::from_value(value);
                read.map(|read| settings.$($field).+ = read).is_some()
            },
        }
    };
}

mod first_order;
mod higher_order;

const fn number(low: Bound<f64>, high: Bound<f64>) -> OptionKind {
    OptionKind::Number { low, high }
}

const fn at_least(least: usize) -> OptionKind {
    OptionKind::Whole {
        least,
        most: usize::MAX,
    }
}

const POSITIVE: OptionKind = number(Excluded(0.0), Unbounded);
/// A share that is neither nothing nor all.
const SHARE: OptionKind = number(Excluded(0.0), Excluded(1.0));
/// A share that may be all.
const UP_TO_ONE: OptionKind = number(Excluded(0.0), Included(1.0));

words!(StepStrategy, STEP_STRATEGY {
    Shrinking = "shrinking": "Steps only become shorter.",
    Adaptive = "adaptive": "Steps may grow again after each iteration.",
});

words!(BlockStep, BLOCK_STEP {
    ByLaw = "by-law": "Projected for the relaxed law, accurate for the exact one.",
    Projected = "projected": "One projected step on each block.",
    Accurate = "accurate": "Each block's own problem, solved to rounding.",
});

words!(SpectralStep, SPECTRAL_STEP {
    Alternating = "alternating": "Barzilai and Borwein's two steps in turn, as in the paper.",
    Adaptive = "adaptive": "The longer of them, or the shortest recent one if much shorter.",
    Bb1 = "bb1": "The longer of them always.",
    Bb2 = "bb2": "The shorter of them always.",
});

words!(Formulation, FORMULATION {
    Auto = "auto": "Velocities where the problem knows its bodies, impulses elsewhere.",
    Impulses = "impulses": "One unknown for each row: the dual model of Mazhar 2014.",
    Velocities = "velocities": "Six unknowns for each body: the primal model of Mazhar 2014.",
});

words!(LinearSolver, LINEAR_SOLVER {
    Auto = "auto": "A factor where it fits into factor-bytes, else matrix-free.",
    Factor = "factor": "Always a factor.",
    MatrixFree = "matrix-free": "Conjugate gradients with products only.",
});

words!(ExactSweeps, EXACT_SWEEPS {
    FixedPoint = "fixed-point": "De Saxcé's fixed point with whole solves inside.",
    Coulomb = "coulomb": "Sweeps of Coulomb's law itself.",
});

/// The options of a method.
pub(super) fn of(method: Method) -> &'static [OptionInfo] {
    match method {
        Method::Auto => AUTO,
        Method::Jacobi => first_order::JACOBI,
        Method::GaussSeidel => first_order::GAUSS_SEIDEL,
        Method::Apgd => first_order::APGD,
        Method::ApgdFused => first_order::APGD_FUSED,
        Method::Spg => first_order::SPG,
        Method::Gpminres => higher_order::GPMINRES,
        Method::GpminresPreconditioned => higher_order::GPMINRES_PRECONDITIONED,
        Method::Kucera => higher_order::KUCERA,
        Method::InteriorPoint => higher_order::INTERIOR_POINT,
        Method::NesterovGs => first_order::NESTEROV_GS,
        Method::Newton => higher_order::NEWTON,
    }
}

/// Pairs of options, wherever a method has both, of which the first must not be the larger.
pub(super) const ORDERED: &[(&str, &str)] = &[
    ("sigma-min", "sigma-max"),
    ("alpha-min", "alpha-max"),
    ("fixed-point-min-damping", "fixed-point-damping"),
    ("smallest-epsilon", "epsilon"),
];

const AUTO: &[OptionInfo] = &[
    option!(
        "small-rows",
        at_least(0),
        auto.small_rows,
        "Most rows of a problem that is factored after only a few sweeps."
    ),
    option!(
        "small-sweeps",
        at_least(0),
        auto.small_sweeps,
        "Sweeps that such a small problem gets before it is factored."
    ),
    option!(
        "joint-sweeps",
        at_least(0),
        auto.joint_sweeps,
        "The same where joints are many, if that is less."
    ),
    option!(
        "stall-window",
        at_least(1),
        auto.stall.window,
        "Sweeps on a large problem within which the residual must fall by stall-factor."
    ),
    option!(
        "stall-factor",
        SHARE,
        auto.stall.factor,
        "Factor that the residual must fall by within stall-window, or a stronger method follows."
    ),
    option!(
        "last-stall-window",
        at_least(1),
        auto.last_stall.window,
        "The same window for the last method, after which the solve ends as stalled."
    ),
    option!(
        "last-stall-factor",
        SHARE,
        auto.last_stall.factor,
        "The same factor for the last method."
    ),
    option!(
        "last-resort",
        OptionKind::YesNo,
        auto.last_resort,
        "Go on with APGD where all else stalled, relaxed law only."
    ),
    option!(
        "warm-sweeps-rows",
        at_least(0),
        auto.warm_sweeps_rows,
        "Exact law: problems with more rows try sweeps from the warm start before all else."
    ),
    option!(
        "sweeps-only-rows",
        at_least(0),
        auto.sweeps_only_rows,
        "Exact law: problems with more rows try nothing but those sweeps."
    ),
    option!(
        "newton-rows",
        at_least(0),
        auto.newton_rows,
        "Most rows for which Newton's method and its factor are tried."
    ),
];

const FIXED_POINT_DAMPING: OptionInfo = option!(
    "fixed-point-damping",
    UP_TO_ONE,
    fixed_point.damping,
    "Exact law: first damping of De Saxcé's shift."
);
const FIXED_POINT_MIN_DAMPING: OptionInfo = option!(
    "fixed-point-min-damping",
    UP_TO_ONE,
    fixed_point.min_damping,
    "Exact law: smallest damping of De Saxcé's shift."
);
const FIXED_POINT_INNER_SHARE: OptionInfo = option!(
    "fixed-point-inner-share",
    SHARE,
    fixed_point.inner_share,
    "Exact law: share of the residual that an inner solve must reach."
);
const FIXED_POINT_INNER_ITERATIONS: OptionInfo = option!(
    "fixed-point-inner-iterations",
    at_least(1),
    fixed_point.inner_iterations,
    "Exact law: most iterations of one inner solve."
);
const FIXED_POINT_PATIENCE: OptionInfo = option!(
    "fixed-point-patience",
    at_least(1),
    fixed_point.patience,
    "Exact law: rounds without a gain of a tenth after which the solve is stalled."
);
