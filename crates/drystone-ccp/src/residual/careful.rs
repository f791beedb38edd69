//! The residual of a block for numbers that the plain formula loses: far from one, or with a slip
//! so fast that De Saxcé's term swallows the normal velocity.
//!
//! The same natural map, `w (gamma − Π(gamma − û/w))`, in velocities: with `p = w gamma` and
//! `v = p − u` nothing is divided by `w`, which may lead out of the range of a double, and `Π` is
//! the projection onto the set scaled by `w`. Under the exact law the height that a point with the
//! parts `B` outside is projected to,
//!
//! ```text
//! a = (p_n + w c − u_n − Σ mu_k ‖u_k‖ + Σ_B mu_k ‖v_k‖) / (1 + Σ_B mu_k²),
//! ```
//!
//! has the terms `mu_k (‖v_k‖ − ‖u_k‖)`. They are taken as `mu_k p_k · (v_k − u_k) / (‖v_k‖ +
//! ‖u_k‖)`, so that `u_n` is not added to large numbers that cancel.
//!
//! Letters: `c` the cohesion, `h = p_n + w c`, `share` what the block adds to the residual, row by
//! row.

use super::{AtDistance, Units};
use crate::cone::{Cone, MAX_ROWS, Part};
use crate::norm::length;
use crate::problem::Law;

/// Shares of the rows of one block, m/s. NaN where a number is.
pub(super) fn shares(
    cone: &Cone,
    law: Law,
    units: Units,
    gamma: &[f64],
    u: &[f64],
    out: &mut [f64],
) {
    let (d, w) = (u.len(), units.w);
    let AtDistance { cone, gamma, u } = AtDistance::new(cone, units.length, gamma, u);
    let u = &u[..d];
    match cone {
        Cone::Free { .. } => out.copy_from_slice(u),
        Cone::NonNegative => out[0] = bounded(w * gamma[0], u[0], 0.0, f64::INFINITY),
        Cone::Interval { lower, upper } => {
            out[0] = bounded(w * gamma[0], u[0], w * lower, w * upper);
        }
        Cone::Friction { .. } | Cone::Rolling { .. } | Cone::RollingSpinning { .. } => {
            let mut p = [0.0; MAX_ROWS];
            p.iter_mut().zip(gamma).for_each(|(p, g)| *p = w * g);
            let parts = cone.parts();
            let h = p[0] + w * cone.cohesion();
            friction(parts.as_slice(), law, h, &p[..d], u, out);
        }
    }
}

/// One row between two bounds.
fn bounded(p: f64, u: f64, lower: f64, upper: f64) -> f64 {
    let v = p - u;
    if v < lower {
        p - lower
    } else if v > upper {
        p - upper
    } else if v.is_nan() {
        v
    } else {
        u
    }
}

/// A block with friction parts.
fn friction(parts: &[Part], law: Law, h: f64, p: &[f64], u: &[f64], out: &mut [f64]) {
    let of: [PartVelocity; 3] = std::array::from_fn(|k| match parts.get(k) {
        Some(part) => PartVelocity::new(part, law, p, u),
        None => PartVelocity::default(),
    });
    let mut binds = [false; 3];
    let (height, normal) = loop {
        let (height, normal) = height(parts, &of, &binds, h, u[0]);
        // Of the parts that lie outside at this height, the one furthest out.
        let outside = (0..parts.len())
            .filter(|&k| !binds[k] && of[k].v > parts[k].mu * height)
            .max_by(|&i, &j| (of[i].v * parts[j].mu).total_cmp(&(of[j].v * parts[i].mu)));
        match outside {
            Some(k) => binds[k] = true,
            None => break (height, normal),
        }
    };
    if height <= 0.0 {
        // The tip.
        out.copy_from_slice(p);
        out[0] = h;
        return;
    }
    out[0] = normal;
    for (k, part) in parts.iter().enumerate() {
        let kept = part.mu * height / of[k].v;
        for i in part.start..part.start + part.len {
            out[i] = if binds[k] {
                p[i] - kept * (p[i] - u[i])
            } else {
                // NaN stays NaN: a part that nothing can be said of is never outside.
                u[i] + 0.0 * of[k].v
            };
        }
    }
}

/// Lengths of one part.
#[derive(Clone, Copy, Default)]
struct PartVelocity {
    /// `‖v_k‖`.
    v: f64,
    /// De Saxcé's `mu_k ‖u_k‖`; zero under the relaxed law.
    shift: f64,
    /// `mu_k ‖v_k‖ − shift`, without cancellation.
    gain: f64,
}

impl PartVelocity {
    fn new(part: &Part, law: Law, p: &[f64], u: &[f64]) -> Self {
        let rows = part.start..part.start + part.len;
        let (p, u) = (&p[rows.clone()], &u[rows]);
        let mut v = [0.0; 2];
        let v = &mut v[..part.len];
        (0..part.len).for_each(|i| v[i] = p[i] - u[i]);
        let v_length = length(v);
        match law {
            Law::Relaxed => Self {
                v: v_length,
                shift: 0.0,
                gain: part.mu * v_length,
            },
            Law::Exact => {
                let u_length = length(u);
                // Halved, so that the sum of the two stays in range.
                let both = 0.5 * v_length + 0.5 * u_length;
                let difference = (0..part.len)
                    .map(|i| p[i] * ((0.5 * v[i] - 0.5 * u[i]) / both))
                    .sum::<f64>();
                Self {
                    v: v_length,
                    shift: part.mu * u_length,
                    gain: if both > 0.0 {
                        part.mu * difference
                    } else {
                        0.0
                    },
                }
            }
        }
    }
}

/// The height that the point is projected to with these parts outside, and the share of the normal
/// row there: `h` less the height.
fn height(
    parts: &[Part],
    of: &[PartVelocity; 3],
    binds: &[bool; 3],
    h: f64,
    u_n: f64,
) -> (f64, f64) {
    let (mut squares, mut gains, mut shifts) = (0.0, 0.0, 0.0);
    for (k, part) in parts.iter().enumerate() {
        if binds[k] {
            squares += part.mu * part.mu;
            gains += of[k].gain;
        } else {
            shifts += of[k].shift;
        }
    }
    let weight = 1.0 + squares;
    let height = ((h - u_n) - shifts + gains) / weight;
    let normal = (squares * h + (u_n + (shifts - gains))) / weight;
    (
        height,
        if normal.is_finite() {
            normal
        } else {
            h - height
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::residual::plain_shares;
    use crate::testing::Random;

    fn units(w: f64) -> Units {
        Units { w, length: 0.1 }
    }

    fn cones(random: &mut Random) -> [Cone; 6] {
        let (friction, rolling) = (random.between(0.0, 1.5), random.between(0.0, 0.3));
        let (spinning, cohesion) = (random.between(0.0, 0.2), random.between(0.0, 0.5));
        [
            Cone::Free { rows: 4 },
            Cone::NonNegative,
            Cone::Interval {
                lower: -0.3,
                upper: 0.2,
            },
            Cone::Friction { friction, cohesion },
            Cone::Rolling {
                friction,
                rolling,
                cohesion,
            },
            Cone::RollingSpinning {
                friction,
                rolling,
                spinning,
                cohesion,
            },
        ]
    }

    #[test]
    fn ordinary_numbers_have_the_residual_of_the_plain_formula() {
        let mut random = Random::new(5);
        for _ in 0..2000 {
            for cone in cones(&mut random) {
                let d = cone.rows();
                let gamma: Vec<f64> = (0..d).map(|_| random.between(-0.3, 1.0)).collect();
                let u: Vec<f64> = (0..d).map(|_| random.between(-1.0, 1.0)).collect();
                for law in [Law::Relaxed, Law::Exact] {
                    let (mut plain, mut careful) = ([0.0; MAX_ROWS], [0.0; MAX_ROWS]);
                    plain_shares(&cone, law, units(0.7), &gamma, &u, &mut plain[..d]);
                    shares(&cone, law, units(0.7), &gamma, &u, &mut careful[..d]);
                    for k in 0..d {
                        let error = (plain[k] - careful[k]).abs();
                        assert!(
                            error < 1e-13,
                            "{cone:?} {law:?} row {k}: {plain:?} {careful:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_fast_slip_does_not_hide_the_normal_velocity() {
        // At rest in its cone's tip with u = (−0.1, s, 0), mu = 1, w = 1: Π(−û) has the height
        // 0.1/2 and the friction 0.1/2, however large the slip s.
        for slip in [1.0, 1e10, 1e20, 1e300] {
            let mut out = [0.0; 3];
            let u = [-0.1, slip, 0.0];
            shares(
                &Cone::friction(1.0),
                Law::Exact,
                units(1.0),
                &[0.0; 3],
                &u,
                &mut out,
            );
            for (found, wanted) in out.iter().zip([-0.05, 0.05, 0.0]) {
                assert!((found - wanted).abs() < 1e-15, "{slip:e}: {out:?}");
            }
        }
    }

    #[test]
    fn what_is_not_a_number_stays_so() {
        let mut random = Random::new(6);
        for cone in cones(&mut random) {
            for law in [Law::Relaxed, Law::Exact] {
                for row in 0..2 * cone.rows() {
                    let d = cone.rows();
                    let mut gamma = vec![0.2; d];
                    let mut u = vec![-0.3; d];
                    let at = if row < d {
                        &mut gamma[row]
                    } else {
                        &mut u[row - d]
                    };
                    *at = f64::NAN;
                    if matches!(cone, Cone::Free { .. }) && row < d {
                        continue; // whatever the impulse, the velocity must vanish
                    }
                    let mut out = [0.0; MAX_ROWS];
                    shares(&cone, law, units(1.0), &gamma, &u, &mut out[..d]);
                    let lost = out[..d].iter().all(|v| v.is_finite());
                    assert!(!lost, "{cone:?} {law:?} row {row}: {out:?}");
                }
            }
        }
    }
}
