//! GPMINRES, Kučera's method, the interior point and Newton's method.

use std::ops::Bound::Excluded;

use super::super::value::Field;
use super::super::{OptionInfo, OptionKind};
use super::*;

const ETA1: OptionInfo = option!(
    "eta1",
    SHARE,
    gpminres.eta1,
    "A gradient step that gains less than this share of the best before it ends the phase."
);
const ETA2: OptionInfo = option!(
    "eta2",
    SHARE,
    gpminres.eta2,
    "A MINRES step that gains less than this share of the best before it ends the phase."
);
const DECREASE: OptionInfo = option!(
    "decrease",
    number(Excluded(0.0), Excluded(0.5)),
    gpminres.decrease,
    "Share of the predicted decrease that a line search asks for."
);
const GRADIENT_STEPS: OptionInfo = option!(
    "gradient-steps",
    at_least(1),
    gpminres.gradient_steps,
    "Most gradient steps of one phase."
);
const KRYLOV_STEPS: OptionInfo = option!(
    "krylov-steps",
    at_least(1),
    gpminres.krylov_steps,
    "Most MINRES steps of one phase."
);

pub(super) const GPMINRES: &[OptionInfo] = &[
    ETA1,
    ETA2,
    DECREASE,
    GRADIENT_STEPS,
    KRYLOV_STEPS,
    GPMINRES_TRESCA[0],
    GPMINRES_TRESCA[1],
    GPMINRES_TRESCA[2],
    GPMINRES_TRESCA[3],
    GPMINRES_TRESCA[4],
];

pub(super) const GPMINRES_PRECONDITIONED: &[OptionInfo] = &[
    ETA1,
    ETA2,
    DECREASE,
    GRADIENT_STEPS,
    KRYLOV_STEPS,
    option!(
        "shift",
        POSITIVE,
        gpminres.shift,
        "First shift of the factor, relative to the mean diagonal of N."
    ),
    GPMINRES_TRESCA[0],
    GPMINRES_TRESCA[1],
    GPMINRES_TRESCA[2],
    GPMINRES_TRESCA[3],
    GPMINRES_TRESCA[4],
];

pub(super) const KUCERA: &[OptionInfo] = &[
    option!(
        "release",
        POSITIVE,
        kucera.release,
        "How readily bounds are released: the paper's capital gamma."
    ),
    option!(
        "step",
        UP_TO_ONE,
        kucera.step,
        "Length of the projected steps, relative to 1/‖N‖."
    ),
    option!(
        "power-iterations",
        at_least(1),
        kucera.power_iterations,
        "Products spent on the estimate of ‖N‖."
    ),
    KUCERA_TRESCA[0],
    KUCERA_TRESCA[1],
    KUCERA_TRESCA[2],
    KUCERA_TRESCA[3],
    KUCERA_TRESCA[4],
];

pub(super) const INTERIOR_POINT: &[OptionInfo] = &[
    option!(
        "form",
        FORMULATION,
        interior_point.formulation,
        "The unknowns of the linear systems."
    ),
    option!(
        "linear-solver",
        LINEAR_SOLVER,
        interior_point.linear_solver,
        "How the linear systems are solved."
    ),
    option!(
        "factor-bytes",
        at_least(0),
        interior_point.factor_bytes,
        "Largest factor that linear-solver = auto accepts, bytes."
    ),
    option!(
        "boundary",
        SHARE,
        interior_point.boundary,
        "Share of the way to the boundary that a step may go."
    ),
    option!(
        "regularisation",
        POSITIVE,
        interior_point.regularisation,
        "Proximal term of the linear systems, relative to the diagonal of N."
    ),
    option!(
        "refinements",
        at_least(1),
        interior_point.refinements,
        "Most conjugate-gradient steps with a factor as preconditioner."
    ),
    option!(
        "inner-iterations",
        at_least(1),
        interior_point.inner_iterations,
        "Most conjugate-gradient steps without a factor."
    ),
    option!(
        "patience",
        at_least(1),
        interior_point.patience,
        "Iterations without a better residual after which the solve counts as stalled."
    ),
    FIXED_POINT_DAMPING,
    FIXED_POINT_MIN_DAMPING,
    FIXED_POINT_INNER_SHARE,
    FIXED_POINT_INNER_ITERATIONS,
    FIXED_POINT_PATIENCE,
];

pub(super) const NEWTON: &[OptionInfo] = &[
    option!(
        "damping",
        POSITIVE,
        newton.damping,
        "Damping at the start, as a multiple of the natural map's norm."
    ),
    option!(
        "acceptance",
        SHARE,
        newton.acceptance,
        "Share of the predicted decrease that a step must bring."
    ),
    option!(
        "first-iterations",
        at_least(0),
        newton.first_iterations,
        "Most iterations of the first stage; 0 goes straight to the others."
    ),
    option!(
        "continuation",
        OptionKind::YesNo,
        newton.continuation,
        "Follow the smoothed problem where the first stage stalls."
    ),
    option!(
        "epsilon",
        POSITIVE,
        newton.epsilon,
        "Smoothing at the start of a continuation, relative to the size of the problem."
    ),
    option!(
        "epsilon-factor",
        SHARE,
        newton.epsilon_factor,
        "What the smoothing is multiplied by from one point of the path to the next."
    ),
    option!(
        "smallest-epsilon",
        POSITIVE,
        newton.smallest_epsilon,
        "Smoothing at which the continuation ends."
    ),
    option!(
        "rescues",
        at_least(0),
        newton.rescues,
        "Most rescue rounds, exact law only."
    ),
    option!(
        "factor-bytes",
        at_least(0),
        newton.factor_bytes,
        "Largest factor, bytes; a problem with a larger one is given up."
    ),
];

/// The options of Tresca's fixed point in the settings of the method around it.
macro_rules! tresca {
    ($method:ident) => {
        [
            option!(
                "fixed-point-damping",
                UP_TO_ONE,
                $method.tresca.damping,
                "Friction: first damping of Tresca's bounds."
            ),
            option!(
                "fixed-point-min-damping",
                UP_TO_ONE,
                $method.tresca.min_damping,
                "Friction: smallest damping of Tresca's bounds."
            ),
            option!(
                "fixed-point-inner-share",
                SHARE,
                $method.tresca.inner_share,
                "Friction: share of the residual that an inner solve must reach."
            ),
            option!(
                "fixed-point-inner-iterations",
                at_least(1),
                $method.tresca.inner_iterations,
                "Friction: most iterations on one set of bounds."
            ),
            option!(
                "fixed-point-patience",
                at_least(1),
                $method.tresca.patience,
                "Friction: rounds without a gain of a tenth after which the solve is stalled."
            ),
        ]
    };
}

const GPMINRES_TRESCA: [OptionInfo; 5] = tresca!(gpminres);
const KUCERA_TRESCA: [OptionInfo; 5] = tresca!(kucera);
