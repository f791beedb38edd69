//! Meshes of containers: cups, funnels, hourglasses, drums, boxes without a lid.
//!
//! All lengths are those of the room inside; a thick wall stands outside of it. Round containers turn about the z axis. Faces look
//! away from the wall: on its inner side, and for a sheet altogether, into the container. Their corners lie on the circle, so
//! that the room inside is a little smaller than the round one: by a share of `1 - sin(a)/a` with `a = 2π / segments`.
//!
//! ```
//! use drystone_scene::generate::{Wall, cup};
//!
//! let mesh = cup(0.05, 0.2, 64, Wall::Thick(0.002))?;
//! assert!(mesh.solid()?.closed());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::f64::consts::TAU;

use glam::{DVec2, DVec3};

use crate::mesh_file::MeshData;

/// What a container's wall is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wall {
    /// A single sheet without thickness; open meshes cannot be solids.
    Sheet,
    /// A solid wall of a thickness, m, outside of the room.
    Thick(f64),
}

/// Why a container cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// A number is out of its range.
    #[error("{what} is {value}, expected {expected}")]
    Value {
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it should be.
        expected: &'static str,
    },
    /// A point of a profile.
    #[error("profile: point {point} (radius {radius} m, height {height} m): {what}")]
    Profile {
        /// Which point, from 0.
        point: usize,
        /// Its distance from the axis, m.
        radius: f64,
        /// Its height, m.
        height: f64,
        /// What is wrong.
        what: &'static str,
    },
}

/// Profiles that turn by more than about 130 degrees at a point have no wall there.
const SHARPEST_TURN: f64 = 0.35;

/// An open-topped cylinder that stands on the origin.
pub fn cup(
    radius: f64,
    height: f64,
    segments: usize,
    wall: Wall,
) -> Result<MeshData, GenerateError> {
    positive("radius of the cup", radius)?;
    positive("height of the cup", height)?;
    let profile = [[0.0, 0.0], [radius, 0.0], [radius, height]];
    revolve(&profile.map(DVec2::from), segments, wall)
}

/// A cone with an outlet around the origin, `cone_height` high, with an upright wall of `rim_height` m on it, 0 for none.
pub fn funnel(
    outlet_radius: f64,
    radius: f64,
    cone_height: f64,
    rim_height: f64,
    segments: usize,
    wall: Wall,
) -> Result<MeshData, GenerateError> {
    positive("outlet radius of the funnel", outlet_radius)?;
    positive("radius of the funnel", radius)?;
    positive("cone height of the funnel", cone_height)?;
    not_negative("rim height of the funnel", rim_height)?;
    let mut profile = vec![
        DVec2::new(outlet_radius, 0.0),
        DVec2::new(radius, cone_height),
    ];
    if rim_height > 0.0 {
        profile.push(DVec2::new(radius, cone_height + rim_height));
    }
    revolve(&profile, segments, wall)
}

/// Measures of an hourglass, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hourglass {
    /// Radius of the bulbs.
    pub radius: f64,
    /// Radius of the neck.
    pub neck_radius: f64,
    /// Height of the neck.
    pub neck_height: f64,
    /// Height of each cone between a bulb and the neck.
    pub cone_height: f64,
    /// Height of each bulb's upright part, 0 for none.
    pub bulb_height: f64,
}

/// A closed hourglass around the origin, with a thick wall.
pub fn hourglass(
    shape: &Hourglass,
    segments: usize,
    thickness: f64,
) -> Result<MeshData, GenerateError> {
    let &Hourglass {
        radius,
        neck_radius,
        neck_height,
        cone_height,
        bulb_height,
    } = shape;
    positive("radius of the hourglass", radius)?;
    positive("neck radius of the hourglass", neck_radius)?;
    positive("neck height of the hourglass", neck_height)?;
    positive("cone height of the hourglass", cone_height)?;
    not_negative("bulb height of the hourglass", bulb_height)?;
    let neck = 0.5 * neck_height;
    let shoulder = neck + cone_height;
    let end = shoulder + bulb_height;
    // From the neck to the top; mirrored for the lower half.
    let mut upper = vec![DVec2::new(neck_radius, neck), DVec2::new(radius, shoulder)];
    if bulb_height > 0.0 {
        upper.push(DVec2::new(radius, end));
    }
    upper.push(DVec2::new(0.0, end));
    let lower = upper.iter().rev().map(|p| DVec2::new(p.x, -p.y));
    let profile: Vec<DVec2> = lower.chain(upper.iter().copied()).collect();
    revolve(&profile, segments, Wall::Thick(thickness))
}

/// A closed drum around the origin, its axis along z, with flat ends and a thick wall.
pub fn drum(
    radius: f64,
    length: f64,
    segments: usize,
    thickness: f64,
) -> Result<MeshData, GenerateError> {
    positive("radius of the drum", radius)?;
    positive("length of the drum", length)?;
    let end = 0.5 * length;
    let profile = [[0.0, -end], [radius, -end], [radius, end], [0.0, end]];
    revolve(&profile.map(DVec2::from), segments, Wall::Thick(thickness))
}

/// A box without a lid that stands on the origin, `size` m inside.
pub fn open_box(size: impl Into<DVec3>, wall: Wall) -> Result<MeshData, GenerateError> {
    let size = size.into();
    positive("length of the box along x", size.x)?;
    positive("length of the box along y", size.y)?;
    positive("height of the box", size.z)?;
    let ring = |margin: f64, z: f64| {
        let half = 0.5 * size.truncate() + margin;
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let corner = |c: [f64; 2]| (half * DVec2::from(c)).extend(z);
        Ring::Around(corners.map(corner).to_vec())
    };
    let mut rings = vec![Ring::Point(DVec3::ZERO), ring(0.0, 0.0), ring(0.0, size.z)];
    if let Wall::Thick(thickness) = wall {
        positive("thickness of the wall", thickness)?;
        rings.push(ring(thickness, size.z));
        rings.push(ring(thickness, -thickness));
        rings.push(Ring::Point(DVec3::new(0.0, 0.0, -thickness)));
    }
    Ok(loft(&rings, false))
}

/// The surface that a profile of (radius, height) points, m, makes when it turns about the z axis. The profile runs from the
/// bottom of the container to its top, with the room on its left and the axis to be reached at its ends only. Ends on the
/// axis are closed; at others a thick wall has a rim. A sheet that is closed at both ends looks inwards, so it is no solid.
pub fn revolve(profile: &[DVec2], segments: usize, wall: Wall) -> Result<MeshData, GenerateError> {
    if !(3..=10_000).contains(&segments) {
        return Err(GenerateError::Value {
            what: "number of segments",
            value: segments as f64,
            expected: "3 to 10000",
        });
    }
    check_profile(profile)?;
    let mut contour = profile.to_vec();
    if let Wall::Thick(thickness) = wall {
        positive("thickness of the wall", thickness)?;
        // Inside upwards, outside downwards: the wall is on the right all the way.
        let outside = (0..profile.len()).map(|k| outer(profile, k, thickness));
        let outside = outside.collect::<Result<Vec<_>, _>>()?;
        for k in 1..profile.len() {
            let along = profile[k] - profile[k - 1];
            if along.dot(outside[k] - outside[k - 1]) <= 0.0 {
                let what = "expected a thinner wall: the outside of this one crosses itself";
                return Err(fault(profile, k, what));
            }
        }
        contour.extend(outside.into_iter().rev());
    }
    let ring = |p: &DVec2| {
        if p.x == 0.0 {
            return Ring::Point(DVec3::new(0.0, 0.0, p.y));
        }
        let at = |k: usize| {
            let (sin, cos) = (TAU * k as f64 / segments as f64).sin_cos();
            DVec3::new(p.x * cos, p.x * sin, p.y)
        };
        Ring::Around((0..segments).map(at).collect())
    };
    let rings: Vec<Ring> = contour.iter().map(ring).collect();
    Ok(loft(&rings, matches!(wall, Wall::Thick(_))))
}

fn fault(profile: &[DVec2], point: usize, what: &'static str) -> GenerateError {
    GenerateError::Profile {
        point,
        radius: profile[point].x,
        height: profile[point].y,
        what,
    }
}

fn check_profile(profile: &[DVec2]) -> Result<(), GenerateError> {
    if profile.len() < 2 {
        return Err(GenerateError::Value {
            what: "number of points of the profile",
            value: profile.len() as f64,
            expected: "at least 2",
        });
    }
    let last = profile.len() - 1;
    for (k, p) in profile.iter().enumerate() {
        if !p.is_finite() || p.x < 0.0 {
            return Err(fault(
                profile,
                k,
                "expected finite numbers and a radius >= 0",
            ));
        }
        if p.x == 0.0 && k > 0 && k < last {
            return Err(fault(
                profile,
                k,
                "is on the axis, expected so at the ends only",
            ));
        }
        if k > 0 && *p == profile[k - 1] {
            return Err(fault(
                profile,
                k,
                "expected another place than that of the point before",
            ));
        }
    }
    if last == 1 && profile[0].x == 0.0 && profile[1].x == 0.0 {
        return Err(fault(profile, 1, "expected a profile off the axis"));
    }
    Ok(())
}

/// The point outside of the `k`-th at the wall's thickness: where the outsides of both its segments meet.
fn outer(profile: &[DVec2], k: usize, thickness: f64) -> Result<DVec2, GenerateError> {
    // Unit vector to the right of the segment that begins at a point.
    let right = |k: usize| {
        let along = profile[k + 1] - profile[k];
        DVec2::new(along.y, -along.x).normalize()
    };
    let before = if k > 0 { right(k - 1) } else { right(k) };
    let after = if k + 1 < profile.len() {
        right(k)
    } else {
        before
    };
    let p = profile[k];
    if p.x == 0.0 {
        // Along the axis, as far as the outside's slope demands.
        if after.y.abs() < SHARPEST_TURN {
            return Err(fault(
                profile,
                k,
                "expected a blunter tip: a thick wall has no room at this one",
            ));
        }
        return Ok(DVec2::new(0.0, p.y + thickness / after.y));
    }
    let both = 1.0 + before.dot(after);
    if both < SHARPEST_TURN {
        return Err(fault(
            profile,
            k,
            "expected a blunter turn: a thick wall has no room at this one",
        ));
    }
    let outside = p + thickness / both * (before + after);
    if outside.x <= 0.0 {
        return Err(fault(
            profile,
            k,
            "expected a thinner wall: this one reaches the axis",
        ));
    }
    Ok(outside)
}

/// One place of a contour, all the way around.
enum Ring {
    /// On the axis.
    Point(DVec3),
    /// Counter-clockwise from above; all of a contour have as many points.
    Around(Vec<DVec3>),
}

/// The surface through rings one after the other; it looks to the left of the way from ring to ring.
fn loft(rings: &[Ring], closed: bool) -> MeshData {
    let mut mesh = MeshData::default();
    // Index of each ring's first vertex.
    let mut firsts = Vec::with_capacity(rings.len());
    for ring in rings {
        firsts.push(mesh.vertices.len() as u32);
        match ring {
            Ring::Point(point) => mesh.vertices.push(*point),
            Ring::Around(points) => mesh.vertices.extend(points),
        }
    }
    let pairs = if closed { rings.len() } else { rings.len() - 1 };
    for k in 0..pairs {
        let next = (k + 1) % rings.len();
        let (a, b) = (firsts[k], firsts[next]);
        match (&rings[k], &rings[next]) {
            // Along the axis there is no surface.
            (Ring::Point(_), Ring::Point(_)) => {}
            (Ring::Point(_), Ring::Around(points)) => {
                let count = points.len() as u32;
                let fan = (0..count).map(|i| [a, b + i, b + (i + 1) % count]);
                mesh.faces.extend(fan);
            }
            (Ring::Around(points), Ring::Point(_)) => {
                let count = points.len() as u32;
                let fan = (0..count).map(|i| [a + i, b, a + (i + 1) % count]);
                mesh.faces.extend(fan);
            }
            (Ring::Around(points), Ring::Around(_)) => {
                let count = points.len() as u32;
                for i in 0..count {
                    let j = (i + 1) % count;
                    mesh.faces.push([a + i, b + i, a + j]);
                    mesh.faces.push([b + i, b + j, a + j]);
                }
            }
        }
    }
    mesh
}

fn positive(what: &'static str, value: f64) -> Result<(), GenerateError> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(GenerateError::Value {
        what,
        value,
        expected: "a finite number > 0",
    })
}

fn not_negative(what: &'static str, value: f64) -> Result<(), GenerateError> {
    if value.is_finite() && value >= 0.0 {
        return Ok(());
    }
    Err(GenerateError::Value {
        what,
        value,
        expected: "a finite number >= 0",
    })
}

#[cfg(test)]
mod tests;
