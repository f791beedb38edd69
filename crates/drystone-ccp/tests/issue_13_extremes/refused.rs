//! What is refused, and in which words.

use drystone_ccp::cone::LARGEST_FRICTION;
use drystone_ccp::{
    BodyInertia, Ccp, Cone, Cones, Csr, NO_BODY, ProblemError, Sparse, TwoBody, TwoBodyBlock,
};

#[test]
fn friction_beyond_the_bound_is_refused_with_the_reason() {
    assert!(Cones::friction(&[LARGEST_FRICTION]).is_ok());
    for wrong in [
        1.1 * LARGEST_FRICTION,
        1e15,
        1e155,
        f64::INFINITY,
        f64::NAN,
        -0.1,
    ] {
        let cones = [
            Cone::friction(wrong),
            Cone::Rolling {
                friction: 0.5,
                rolling: wrong,
                cohesion: 0.0,
            },
            Cone::RollingSpinning {
                friction: 0.5,
                rolling: 0.1,
                spinning: wrong,
                cohesion: 0.0,
            },
        ];
        for cone in cones {
            let error = Cones::new(vec![Cone::friction(0.5), cone]).unwrap_err();
            let text = error.to_string();
            assert!(
                text.starts_with("contact 1: ") && text.len() < 160,
                "{text}"
            );
            let too_large = wrong.is_finite() && wrong > 0.0;
            let expected = match too_large {
                true => "a number from 0 to 1e6 (with more, rounding would hide",
                false => "a finite number >= 0",
            };
            assert!(text.contains(expected), "{text}");
        }
    }
}

#[test]
fn inertias_and_jacobians_that_overflow_together_are_refused() {
    let block = |size: f64| TwoBodyBlock {
        bodies: [0, NO_BODY],
        rows: vec![[size; 12]; 3],
        compliance: vec![],
    };
    let problem = |mass: f64, size: f64| {
        let bodies = vec![BodyInertia::diagonal(mass, [mass; 3])];
        let operator = TwoBody::new(bodies, &[block(1.0), block(size)]).unwrap();
        Ccp::new(operator, vec![-1.0; 6], Cones::friction(&[0.5; 2]).unwrap())
    };
    assert!(problem(1e300, 1.0).is_ok() && problem(1.0, 1e150).is_ok());
    let error = problem(1e300, 1e100).unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("block 1: entry (0, 0) of its part of N is inf"),
        "{text}"
    );
    assert!(text.contains("too large together"), "{text}");
}

#[test]
fn entries_that_overflow_where_they_are_added_are_refused() {
    let twice = [(0, 0, 1.7e308), (0, 0, 1.7e308)];
    let error = Csr::from_triplets(1, 1, twice).unwrap_err();
    assert_eq!(error.to_string(), "matrix, row 0: inf is not finite");
    let diagonal = [(0, 0, 1.7e308), (1, 1, 1.7e308)];
    let matrix = Csr::from_triplets(2, 2, diagonal).unwrap();
    let cones = Cones::new(vec![Cone::NonNegative; 2]).unwrap();
    let error = Ccp::new(Sparse::new(matrix).unwrap(), vec![-1.0; 2], cones).unwrap_err();
    assert!(
        matches!(error, ProblemError::TraceOverflow { .. }),
        "{error}"
    );
}

#[test]
fn symmetry_does_not_depend_on_the_unit() {
    for unit in [5e-324, 1e-200, 1.0, 1e200, 8e307] {
        let of = |corner: f64| {
            let entries = [unit, corner * unit, 0.0, 2.0 * unit];
            Csr::from_dense(2, 2, &entries).unwrap().asymmetry()
        };
        assert_eq!(of(0.0), 0.0, "{unit:e}");
        // ‖A − Aᵀ‖² = 2 and ‖A‖² = 1 + 1 + 4, in units of the unit.
        assert!(
            (of(1.0) - (2.0_f64 / 6.0).sqrt()).abs() < 1e-12,
            "{unit:e}: {}",
            of(1.0)
        );
    }
}
