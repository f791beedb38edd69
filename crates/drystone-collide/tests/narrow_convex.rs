//! Pairs of convex shapes: the gap and the normal against a search over all directions, and what
//! must not change them.

#![allow(clippy::unwrap_used)]

use crate::common::{self, KINDS, convex, deepest, placed, points, rotation, searched, separation};
use drystone_collide::Pose;
use glam::{DQuat, DVec3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// The deepest gap is the greatest separation over all directions, whether the shapes are apart or
/// overlap.
#[test]
fn gap_is_the_greatest_separation() {
    let mut rng = Pcg64::seed_from_u64(1);
    for i in 0..KINDS {
        for j in 0..KINDS {
            let (a, b) = (convex(i, 1.0), convex(j, 0.7));
            for k in 0..6 {
                let gap = [0.2, 0.02, 1e-7, -1e-7, -0.02, -0.08][k];
                let (pa, pb) = placed(&a, &b, gap, &mut rng);
                let (best, n) = searched((&a, &pa), (&b, &pb), &mut rng);
                let found = points((&a, &pa), (&b, &pb), 0.5);
                let case = format!("{} {} {gap} {pa:?} {pb:?}", a.kind(), b.kind());
                let p = deepest(&found).unwrap_or_else(|| panic!("no contact: {case}"));
                assert!(
                    p.gap > best - 1e-8,
                    "{case}: {p:?}, but the search found {best} along {n}"
                );
                let along = separation((&a, &pa), (&b, &pb), p.normal);
                assert!(
                    (p.gap - along).abs() < 2e-6,
                    "{case}: {p:?}, but along that normal {along}"
                );
                assert!((p.normal.length() - 1.0).abs() < 1e-12);
            }
        }
    }
}

/// Every point lies midway between the surfaces: half a gap along the normal leads into both
/// shapes.
#[test]
fn points_lie_between_the_shapes() {
    let mut rng = Pcg64::seed_from_u64(2);
    for i in 0..KINDS {
        for j in 0..KINDS {
            let (a, b) = (convex(i, 1.0), convex(j, 0.7));
            for gap in [0.05, 1e-3, -1e-3, -0.03] {
                let (pa, pb) = placed(&a, &b, gap, &mut rng);
                let found = points((&a, &pa), (&b, &pb), 0.1);
                assert!(!found.is_empty(), "{} {} {gap}", a.kind(), b.kind());
                for p in found {
                    let (on_a, on_b) = (
                        p.point - p.normal * (0.5 * p.gap),
                        p.point + p.normal * (0.5 * p.gap),
                    );
                    // A point of a convex shape lies behind its support plane in every direction.
                    for _ in 0..300 {
                        let d = common::direction(&mut rng);
                        let above_a = d.dot(on_a - common::support(&a, &pa, d));
                        let above_b = d.dot(on_b - common::support(&b, &pb, d));
                        let case = format!("{} {} {gap} {p:?}", a.kind(), b.kind());
                        assert!(above_a < 3e-6, "{case}: {above_a} outside the first");
                        assert!(above_b < 3e-6, "{case}: {above_b} outside the second");
                    }
                }
            }
        }
    }
}

#[test]
fn swapping_turns_the_normals_round() {
    let mut rng = Pcg64::seed_from_u64(3);
    for i in 0..KINDS {
        for j in 0..KINDS {
            let (a, b) = (convex(i, 1.0), convex(j, 0.7));
            for gap in [0.02, -0.02] {
                let (pa, pb) = placed(&a, &b, gap, &mut rng);
                let forth = points((&a, &pa), (&b, &pb), 0.05);
                let back = points((&b, &pb), (&a, &pa), 0.05);
                let case = format!("{} {} {gap} {pa:?} {pb:?}", a.kind(), b.kind());
                assert!(!forth.is_empty(), "{case}");
                assert_eq!(forth.len(), back.len(), "{case}\n{forth:?}\n{back:?}");
                for p in &forth {
                    let same = back.iter().any(|q| {
                        (p.point - q.point).length() < 1e-5
                            && (p.normal + q.normal).length() < 1e-6
                            && (p.gap - q.gap).abs() < 1e-6
                    });
                    assert!(same, "{case}: {p:?} is not in {back:?}");
                }
            }
        }
    }
}

/// Moving and turning both shapes moves and turns the contacts; so does changing the unit of
/// length.
#[test]
fn contacts_move_with_the_shapes_and_scale() {
    let mut rng = Pcg64::seed_from_u64(4);
    for i in 0..KINDS {
        for j in i..KINDS {
            let (a, b) = (convex(i, 1.0), convex(j, 0.7));
            let (pa, pb) = placed(&a, &b, -0.01, &mut rng);
            let plain = points((&a, &pa), (&b, &pb), 0.02);
            assert!(!plain.is_empty(), "{} {}", a.kind(), b.kind());
            for scale in [1e-4, 1.0, 10.0f64] {
                let motion = Pose {
                    position: DVec3::new(100.0, -80.0, 50.0),
                    rotation: rotation(&mut rng),
                };
                let (sa, sb) = (convex(i, scale), convex(j, 0.7 * scale));
                let moved = |p: Pose| {
                    motion.compose(&Pose {
                        position: p.position * scale,
                        ..p
                    })
                };
                let found = points((&sa, &moved(pa)), (&sb, &moved(pb)), 0.02 * scale);
                let case = format!("{} {} {scale}\n{plain:?}\n{found:?}", a.kind(), b.kind());
                assert_eq!(found.len(), plain.len(), "{case}");
                for (p, q) in plain.iter().zip(&found) {
                    if scale == 1.0 {
                        assert_eq!(p.feature, q.feature, "{case}");
                    }
                    let point = motion.point(p.point * scale);
                    assert!((point - q.point).length() < 1e-6 * scale + 1e-12, "{case}");
                    let turned = motion.direction(p.normal) - q.normal;
                    assert!(turned.length() < 1e-7, "{case} {turned}");
                    assert!(
                        (p.gap * scale - q.gap).abs() < 1e-8 * scale + 1e-12,
                        "{case}"
                    );
                }
            }
        }
    }
}

/// Moving the second shape along the normal of a pair that is apart changes the gap by as much.
#[test]
fn gap_follows_motion_along_the_normal() {
    let mut rng = Pcg64::seed_from_u64(6);
    for i in 0..KINDS {
        for j in 0..KINDS {
            let (a, b) = (convex(i, 1.0), convex(j, 0.7));
            let (pa, pb) = placed(&a, &b, 0.01, &mut rng);
            let before = deepest(&points((&a, &pa), (&b, &pb), 0.1)).unwrap();
            let d = rng.random_range(1e-6..0.02);
            let away = Pose {
                position: pb.position + before.normal * d,
                ..pb
            };
            let after = deepest(&points((&a, &pa), (&b, &away), 0.1)).unwrap();
            let case = format!("{} {}: {before:?} {after:?}", a.kind(), b.kind());
            assert!((after.gap - before.gap - d).abs() < 1e-6, "{case}");
            assert!((after.normal - before.normal).length() < 1e-6, "{case}");
        }
    }
}

/// Touching in any way that makes algorithms divide by zero gives finite numbers.
#[test]
fn degenerate_poses_give_finite_contacts() {
    for i in 0..KINDS {
        for j in 0..KINDS {
            let (a, b) = (convex(i, 1.0), convex(j, 1.0));
            for shift in [
                DVec3::ZERO,
                DVec3::X * 1e-300,
                DVec3::Z * 1e-17,
                DVec3::Z * 0.3,
            ] {
                let found = points((&a, &Pose::IDENTITY), (&b, &Pose::at(shift)), 0.1);
                let case = format!("{} {} {shift}", a.kind(), b.kind());
                assert!(!found.is_empty(), "{case}");
                for p in found {
                    assert!(p.point.is_finite() && p.gap.is_finite(), "{case} {p:?}");
                    assert!((p.normal.length() - 1.0).abs() < 1e-9, "{case} {p:?}");
                }
            }
            let lost = Pose::at([f64::NAN, 0.0, 0.0]);
            assert!(points((&a, &lost), (&b, &Pose::IDENTITY), 0.1).is_empty());
        }
    }
}

/// Directions in which a shape turns a face, an edge, a side or a corner.
fn special(kind: usize, rng: &mut Pcg64) -> DVec3 {
    let any = common::direction(rng);
    let around_z = any.with_z(0.0).normalize();
    let list = match kind {
        1 => vec![
            DVec3::Z,
            -DVec3::X,
            DVec3::Y,
            around_z,
            any.with_x(0.0).normalize(),
        ],
        3 | 4 => vec![DVec3::Z, -DVec3::Z, around_z],
        // The cone of the tests: slope 0.6 over 1.4.
        5 => vec![
            -DVec3::Z,
            DVec3::Z,
            (around_z * 1.4).with_z(0.6).normalize(),
        ],
        6 => vec![DVec3::Z, -DVec3::Z, DVec3::X, around_z, {
            let angle = std::f64::consts::PI / 6.0;
            DVec3::new(angle.cos(), angle.sin(), 0.0)
        }],
        7 => match convex(7, 1.0) {
            drystone_collide::Shape::Hull(hull) => {
                (0..hull.face_count()).map(|f| hull.face(f).0).collect()
            }
            other => panic!("{}", other.kind()),
        },
        _ => vec![any],
    };
    let pick = rng.random_range(0..=list.len());
    list.get(pick).copied().unwrap_or(any)
}

/// Faces on faces, edges on faces, edges on edges, at gaps where rounding could hide everything:
/// the separation along z is `gap`, and whatever is found must be at least as good.
#[test]
fn touching_features_are_found_at_any_gap() {
    let mut rng = Pcg64::seed_from_u64(7);
    let rounds = 4;
    let (mut cases, mut along_z) = (0, 0);
    for i in 0..KINDS {
        for j in 0..KINDS {
            let (a, b) = (convex(i, 1.0), convex(j, 0.7));
            for _ in 0..rounds {
                for gap in [1e-3, 1e-6, 1e-9, 1e-13, 0.0, -1e-13, -1e-9, -1e-6, -1e-3] {
                    let spin = |rng: &mut Pcg64| DQuat::from_rotation_z(rng.random_range(0.0..4.0));
                    let up = special(i, &mut rng);
                    let down = special(j, &mut rng);
                    let pa = Pose {
                        position: DVec3::ZERO,
                        rotation: spin(&mut rng) * DQuat::from_rotation_arc(up, DVec3::Z),
                    };
                    let mut pb = Pose {
                        position: DVec3::new(
                            rng.random_range(-0.2..0.2),
                            rng.random_range(-0.2..0.2),
                            0.0,
                        ),
                        rotation: spin(&mut rng) * DQuat::from_rotation_arc(down, -DVec3::Z),
                    };
                    pb.position.z += gap - separation((&a, &pa), (&b, &pb), DVec3::Z);
                    let found = points((&a, &pa), (&b, &pb), 2.0);
                    let case = format!("{} {} {gap} {pa:?} {pb:?}\n{found:?}", a.kind(), b.kind());
                    let p = deepest(&found).unwrap_or_else(|| panic!("{case}"));
                    assert!(p.gap > gap - 1e-10, "{case}");
                    let along = separation((&a, &pa), (&b, &pb), p.normal);
                    assert!((p.gap - along).abs() < 2e-6, "{case} {along}");
                    cases += 1;
                    // Where z is the answer, its digits are right.
                    if p.gap < gap + 1e-14 {
                        along_z += 1;
                        assert!((p.normal - DVec3::Z).length() < 1e-7, "{case}");
                    }
                }
            }
        }
    }
    // Elsewhere another direction is better: an edge over the border of a face, say.
    assert!(3 * along_z > cases, "{along_z} of {cases}");
}
