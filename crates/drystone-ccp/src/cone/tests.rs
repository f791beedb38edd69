//! What makes a projection a projection, for every kind of cone.

use proptest::prelude::*;

use super::*;
use crate::testing::close;

/// A cone of any kind: no friction, no cohesion and infinite ends included.
fn any_cone() -> impl Strategy<Value = Cone> {
    let mu = || prop_oneof![Just(0.0), 0.01..2.0_f64];
    let cohesion = || prop_oneof![Just(0.0), 0.01..1.0_f64];
    let end = || prop_oneof![Just(f64::INFINITY), 0.0..2.0_f64];
    prop_oneof![
        (1..=MAX_ROWS).prop_map(|rows| Cone::Free { rows }),
        Just(Cone::NonNegative),
        (end(), end()).prop_map(|(a, b)| Cone::Interval {
            lower: -a,
            upper: b
        }),
        (mu(), cohesion()).prop_map(|(friction, cohesion)| Cone::Friction { friction, cohesion }),
        (mu(), mu(), cohesion()).prop_map(|(friction, rolling, cohesion)| Cone::Rolling {
            friction,
            rolling,
            cohesion
        }),
        (mu(), mu(), mu(), cohesion()).prop_map(|(friction, rolling, spinning, cohesion)| {
            Cone::RollingSpinning {
                friction,
                rolling,
                spinning,
                cohesion,
            }
        }),
    ]
}

/// Points with zeros among their entries: bodies that fall straight have no slip at all.
fn point() -> impl Strategy<Value = [f64; MAX_ROWS]> {
    prop::array::uniform6(prop_oneof![3 => -3.0..3.0_f64, 1 => Just(0.0)])
}

fn projected(cone: &Cone, metric: &Metric, y: &[f64; MAX_ROWS]) -> [f64; MAX_ROWS] {
    let mut p = *y;
    p[cone.rows()..].fill(0.0);
    cone.project_in(metric, &mut p[..cone.rows()]);
    p
}

fn euclidean(cone: &Cone, y: &[f64; MAX_ROWS]) -> [f64; MAX_ROWS] {
    projected(cone, &Metric::EUCLIDEAN, y)
}

/// The metric's weight of each row.
fn weights(cone: &Cone, metric: &Metric) -> [f64; MAX_ROWS] {
    let mut w = [metric.normal; MAX_ROWS];
    for (k, part) in cone.parts().as_slice().iter().enumerate() {
        w[part.start..part.start + part.len].fill(metric.parts[k]);
    }
    w
}

/// `⟨y − p, z − p⟩` in the metric.
fn angle(cone: &Cone, metric: &Metric, y: &[f64], p: &[f64], z: &[f64]) -> f64 {
    let w = weights(cone, metric);
    (0..cone.rows())
        .map(|i| w[i] * (y[i] - p[i]) * (z[i] - p[i]))
        .sum()
}

/// Whether `x` lies in the set, straight from the definition.
fn contains(cone: &Cone, x: &[f64], slack: f64) -> bool {
    match *cone {
        Cone::Free { .. } => true,
        Cone::Interval { lower, upper } => lower - slack <= x[0] && x[0] <= upper + slack,
        Cone::NonNegative
        | Cone::Friction { .. }
        | Cone::Rolling { .. }
        | Cone::RollingSpinning { .. } => {
            let height = x[0] + cone.cohesion();
            let within = |p: &Part| length(&x[p.start..p.start + p.len]) <= p.mu * height + slack;
            height >= -slack && cone.parts().as_slice().iter().all(within)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn projections_are_feasible_and_idempotent(cone in any_cone(), y in point()) {
        let p = euclidean(&cone, &y);
        prop_assert!(contains(&cone, &p, close(1e-12)));
        let again = euclidean(&cone, &p);
        for i in 0..cone.rows() {
            prop_assert!((again[i] - p[i]).abs() <= close(1e-12));
        }
        prop_assert!(cone.distance(&p[..cone.rows()]) <= close(1e-12));
    }

    #[test]
    fn projections_do_not_expand(cone in any_cone(), y in point(), z in point()) {
        let d = cone.rows();
        let apart = |a: &[f64], b: &[f64]| (0..d).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt();
        let (p, q) = (euclidean(&cone, &y), euclidean(&cone, &z));
        prop_assert!(apart(&p, &q) <= apart(&y, &z) * (1.0 + close(1e-12)) + close(1e-12));
    }

    #[test]
    fn no_feasible_point_lies_nearer_in_the_metric(
        cone in any_cone(), y in point(), z in point(),
        normal in 0.1..10.0_f64, parts in prop::array::uniform3(0.1..10.0_f64),
    ) {
        // The characterisation of a projection: y − p makes no acute angle with any way into the
        // set.
        for metric in [Metric::EUCLIDEAN, Metric { normal, parts }] {
            let p = projected(&cone, &metric, &y);
            prop_assert!(contains(&cone, &p, close(1e-12)));
            let inside = euclidean(&cone, &z);
            prop_assert!(angle(&cone, &metric, &y, &p, &inside) <= close(1e-10));
        }
    }

    #[test]
    fn moreau_splits_a_point_into_orthogonal_parts(cone in any_cone(), y in point()) {
        // For a cone with its tip at zero: y = Π(y) + (y − Π(y)), orthogonal, the second part
        // polar.
        let cone = match cone {
            Cone::Interval { .. } => Cone::NonNegative,
            other => other.without_cohesion(),
        };
        let p = euclidean(&cone, &y);
        let d = cone.rows();
        let rest: Vec<f64> = (0..d).map(|i| y[i] - p[i]).collect();
        let product: f64 = (0..d).map(|i| p[i] * rest[i]).sum();
        prop_assert!(product.abs() <= close(1e-10));
        let (gap, outside) = cone.gap(&p[..d], &rest.iter().map(|r| -r).collect::<Vec<_>>());
        prop_assert!(gap.abs() <= close(1e-10) && outside <= close(1e-10));
    }

    #[test]
    fn jacobian_matches_differences(cone in any_cone(), y in point()) {
        let d = cone.rows();
        let mut jacobian = [0.0; MAX_ROWS * MAX_ROWS];
        cone.projection_jacobian(&y[..d], &mut jacobian);
        let h = 1e-6;
        for j in 0..d {
            let (mut right, mut left) = (y, y);
            right[j] += h;
            left[j] -= h;
            let (mut jr, mut jl) = (jacobian, jacobian);
            cone.projection_jacobian(&right[..d], &mut jr);
            cone.projection_jacobian(&left[..d], &mut jl);
            // Across a kink the difference quotient is neither side's derivative.
            let kink = (0..d * d).any(|k| (jr[k] - jl[k]).abs() > 1e-3);
            let (pr, pl) = (euclidean(&cone, &right), euclidean(&cone, &left));
            for i in (0..d).filter(|_| !kink) {
                let quotient = (pr[i] - pl[i]) / (2.0 * h);
                prop_assert!(
                    (quotient - jacobian[i * d + j]).abs() <= close(1e-4),
                    "{:?} row {} column {}: {} against {}", cone, i, j, quotient, jacobian[i * d + j]
                );
            }
        }
    }

    #[test]
    fn a_search_over_heights_finds_nothing_nearer(cone in any_cone(), y in point()) {
        // For a fixed height the nearest point cuts each part to its bound; scan the heights.
        let parts = cone.parts();
        if parts.as_slice().is_empty() {
            return Ok(());
        }
        let d = cone.rows();
        let square = |height: f64| {
            let normal = (y[0] + cone.cohesion() - height).powi(2);
            let over = |p: &Part| (length(&y[p.start..p.start + p.len]) - p.mu * height).max(0.0).powi(2);
            normal + parts.as_slice().iter().map(over).sum::<f64>()
        };
        let p = euclidean(&cone, &y);
        let found: f64 = (0..d).map(|i| (y[i] - p[i]).powi(2)).sum();
        let best = (0..=40_000).map(|k| square(k as f64 * 5e-4)).fold(f64::INFINITY, f64::min);
        prop_assert!(found <= best + close(1e-12), "{} against {}", found, best);
        prop_assert!(found >= best - close(1e-2), "{} against {}", found, best);
    }
}

#[test]
fn a_point_by_hand() {
    // mu = 1, y = (0, 2, 0): the nearest point of the ray (1, 1, 0)/√2 is (1, 1, 0).
    let mut y = [0.0, 2.0, 0.0];
    Cone::friction(1.0).project(&mut y);
    assert_eq!(y, [1.0, 1.0, 0.0]);
    // With cohesion 1 the point is (1, 2, 0) above the tip: height (1 + 2)/2 = 1.5, so (0.5, 1.5,
    // 0).
    let mut y = [0.0, 2.0, 0.0];
    Cone::Friction {
        friction: 1.0,
        cohesion: 1.0,
    }
    .project(&mut y);
    assert_eq!(y, [0.5, 1.5, 0.0]);
    // Two parts: mu = 1 and 1, y = (0, 3, 0, 3, 0): height (0 + 3 + 3)/3 = 2.
    let mut y = [0.0, 3.0, 0.0, 3.0, 0.0];
    Cone::Rolling {
        friction: 1.0,
        rolling: 1.0,
        cohesion: 0.0,
    }
    .project(&mut y);
    assert_eq!(y, [2.0, 2.0, 0.0, 2.0, 0.0]);
}
