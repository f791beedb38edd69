//! The part of a straight line that lies in a convex shape.
//!
//! Along the normal of a pair it says how far a corner of one shape is from the surface of the
//! other, in closed form for every shape.

use glam::{DVec2, DVec3};

use super::convex::Convex;
use crate::shape::Hull;

/// A line is parallel to a plane or an axis below this sine: the quotient would overflow or lose
/// all digits.
const PARALLEL: f64 = 1e-12;
/// How far outside its sides a point of a triangle may lie, in shares of its size: rounding.
const ROUNDING: f64 = 1e-12;

/// The parameters between which a line is inside: entry and exit.
pub(super) type Chord = [f64; 2];

impl Convex<'_> {
    /// Where the line `p + t d` lies in the shape, rounding included; nothing when it misses it.
    /// `d` is a unit vector.
    pub(super) fn chord(&self, p: DVec3, d: DVec3) -> Option<Chord> {
        match self {
            Self::Ball { radius } => in_ball(p, d, *radius),
            Self::Box { half } => in_slabs(p, d, *half),
            Self::Ellipsoid { semi_axes } => {
                let (p, d) = (p / *semi_axes, d / *semi_axes);
                quadratic(d.length_squared(), p.dot(d), p.length_squared() - 1.0)
            }
            Self::Cylinder {
                radius,
                half_height,
            } => in_tube(p, d, *radius, *half_height),
            Self::Capsule {
                radius,
                half_height,
            } => {
                let ends = [-half_height, *half_height];
                let caps = ends.map(|z| in_ball(p - DVec3::Z * z, d, *radius));
                // The shape is convex: what lies between its parts is inside too.
                let parts = [caps[0], caps[1], in_tube(p, d, *radius, *half_height)];
                parts
                    .into_iter()
                    .flatten()
                    .reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])])
            }
            Self::Cone {
                radius,
                half_height,
            } => in_cone(p, d, *radius, *half_height),
            Self::Hull(hull) => in_hull(hull, p, d),
            Self::Triangle(corners) => on_triangle(corners, p, d),
        }
    }
}

/// Where `a t² + 2 b t + c <= 0`, for `a > 0`.
fn quadratic(a: f64, b: f64, c: f64) -> Option<Chord> {
    let discriminant = b * b - a * c;
    if discriminant < 0.0 {
        return None;
    }
    // Without the difference of two nearly equal numbers.
    let q = -(b + discriminant.sqrt().copysign(b));
    if q == 0.0 {
        return Some([0.0; 2]);
    }
    let (x, y) = (q / a, c / q);
    Some([x.min(y), x.max(y)])
}

fn in_ball(p: DVec3, d: DVec3, radius: f64) -> Option<Chord> {
    quadratic(1.0, p.dot(d), p.length_squared() - radius * radius)
}

/// The common part of two chords.
fn meet(a: Chord, b: Chord) -> Option<Chord> {
    let (enter, leave) = (a[0].max(b[0]), a[1].min(b[1]));
    (enter <= leave).then_some([enter, leave])
}

/// Where a coordinate that starts at `p` and changes by `d` stays between `-half` and `half`.
fn in_slab(p: f64, d: f64, half: f64) -> Option<Chord> {
    if d.abs() < PARALLEL {
        return (p.abs() <= half).then_some([f64::NEG_INFINITY, f64::INFINITY]);
    }
    let (x, y) = ((-half - p) / d, (half - p) / d);
    Some([x.min(y), x.max(y)])
}

fn in_slabs(p: DVec3, d: DVec3, half: DVec3) -> Option<Chord> {
    let [x, y, z] = [0, 1, 2].map(|k| in_slab(p[k], d[k], half[k]));
    meet(meet(x?, y?)?, z?)
}

fn in_tube(p: DVec3, d: DVec3, radius: f64, half_height: f64) -> Option<Chord> {
    let slab = in_slab(p.z, d.z, half_height)?;
    let (across, along) = (p.truncate(), d.truncate());
    let square = along.length_squared();
    let outside = across.length_squared() - radius * radius;
    if square < PARALLEL * PARALLEL {
        return (outside <= 0.0).then_some(slab);
    }
    meet(slab, quadratic(square, across.dot(along), outside)?)
}

/// The cone is where the distance from the axis is at most `slope` times the way down from the
/// apex, `w >= 0`. Its square also holds in the mirrored cone above the apex, which is left out.
fn in_cone(p: DVec3, d: DVec3, radius: f64, half_height: f64) -> Option<Chord> {
    let slab = in_slab(p.z, d.z, half_height)?;
    let slope = 0.5 * radius / half_height;
    let w = half_height - p.z;
    let (across, along): (DVec2, DVec2) = (p.truncate(), d.truncate());
    let mut a = along.length_squared() - slope * slope * d.z * d.z;
    let b = across.dot(along) + slope * slope * w * d.z;
    let c = across.length_squared() - slope * slope * w * w;
    if a.abs() < PARALLEL {
        a = PARALLEL; // along the side: the second root is far away
    }
    if a > 0.0 {
        // Both roots are in the same one of the two cones.
        let roots = quadratic(a, b, c)?;
        let middle = w - d.z * (-b / a);
        return (middle >= 0.0).then_some(roots).and_then(|r| meet(slab, r));
    }
    // Steeper than the side: in one cone before the first root, in the other after the second.
    let root = (b * b - a * c).max(0.0).sqrt();
    let (x, y) = ((-b + root) / a, (-b - root) / a);
    let half_line = if d.z < 0.0 {
        [x.max(y), f64::INFINITY]
    } else {
        [f64::NEG_INFINITY, x.min(y)]
    };
    meet(slab, half_line)
}

fn in_hull(hull: &Hull, p: DVec3, d: DVec3) -> Option<Chord> {
    let mut chord = [f64::NEG_INFINITY, f64::INFINITY];
    for (normal, corners) in hull.faces() {
        let height = normal.dot(hull.vertices()[corners[0] as usize] - p);
        let rise = normal.dot(d);
        if rise > PARALLEL {
            chord[1] = chord[1].min(height / rise);
        } else if rise < -PARALLEL {
            chord[0] = chord[0].max(height / rise);
        } else if height < 0.0 {
            return None;
        }
    }
    (chord[0] <= chord[1]).then_some(chord)
}

fn on_triangle(corners: &[DVec3; 3], p: DVec3, d: DVec3) -> Option<Chord> {
    let [a, b, c] = *corners;
    let normal = (b - a).cross(c - a);
    let rise = normal.dot(d);
    if rise.abs() <= PARALLEL * normal.length() {
        return None;
    }
    let t = normal.dot(a - p) / rise;
    let q = p + d * t;
    let slack = ROUNDING * normal.length_squared();
    let inside = [(a, b), (b, c), (c, a)]
        .into_iter()
        .all(|(r, s)| (s - r).cross(q - r).dot(normal) >= -slack);
    inside.then_some([t, t])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// The ends of a chord lie on the surface: no direction has them outside, and in the nearest
    /// one of many they are hardly inside.
    #[test]
    fn chords_end_on_the_surface() {
        let corners: Vec<DVec3> = (0..8)
            .map(|k| DVec3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64) - 0.4)
            .collect();
        let hull = Hull::new(&corners).unwrap();
        let shapes = [
            Convex::Ball { radius: 0.7 },
            Convex::Box {
                half: DVec3::new(0.5, 0.8, 0.3),
            },
            Convex::Ellipsoid {
                semi_axes: DVec3::new(0.9, 0.5, 0.35),
            },
            Convex::Cylinder {
                radius: 0.5,
                half_height: 0.7,
            },
            Convex::Capsule {
                radius: 0.3,
                half_height: 0.6,
            },
            Convex::Cone {
                radius: 0.6,
                half_height: 0.7,
            },
            Convex::Hull(&hull),
        ];
        // Directions and starts that fill the sphere and the cube around the shapes.
        let spread = |k: usize, x: f64| 2.0 * (k as f64 * x).fract() - 1.0;
        let vector = |k: usize| {
            DVec3::new(
                spread(k, 0.754_877_666),
                spread(k, 0.569_840_291),
                spread(k, 0.438_557_9),
            )
        };
        for shape in &shapes {
            let height = |q: DVec3| {
                (1..20_000)
                    .map(|k| vector(k).normalize())
                    .chain(DVec3::AXES)
                    .chain(DVec3::AXES.map(|a| -a))
                    .map(|n| n.dot(q - shape.support(n)) - shape.rounding())
                    .fold(f64::NEG_INFINITY, f64::max)
            };
            let mut hits = 0;
            for k in 1..60 {
                let (p, d) = (vector(7 * k), vector(11 * k + 3).normalize());
                let Some(chord) = shape.chord(p, d) else {
                    continue;
                };
                hits += 1;
                for t in chord {
                    let on = height(p + d * t);
                    let case = format!("{shape:?} {p} {d} {chord:?}: {on}");
                    assert!((-6e-3..1e-9).contains(&on), "{case}");
                }
            }
            assert!(hits > 10, "{shape:?}: {hits}");
            // Through the middle of every shape; past all of them.
            assert!(shape.chord(DVec3::ZERO, DVec3::X).is_some(), "{shape:?}");
            assert!(shape.chord(DVec3::Y * 2.0, DVec3::X).is_none(), "{shape:?}");
        }
    }
}
