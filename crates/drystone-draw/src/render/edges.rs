//! The lines that outline convex shapes of glass.

use std::f64::consts::TAU;

use drystone::Shape;
use glam::DVec3;

/// Straight pieces of a drawn circle. They stay within a pixel of a circle of up to 1000 pixels.
const PIECES: usize = 72;

/// The edges of a convex shape in its own frame, each from one point to another. Round shapes have
/// none; triangles have theirs in [`super::topology::Topology`].
pub fn outline(shape: &Shape) -> Vec<[DVec3; 2]> {
    match shape {
        Shape::Box { half } => box_edges(*half),
        Shape::Cylinder {
            radius,
            half_height,
        } => {
            let mut edges = circle(*radius, -half_height);
            edges.extend(circle(*radius, *half_height));
            edges
        }
        Shape::Cone {
            radius,
            half_height,
        } => circle(*radius, -half_height),
        Shape::Sphere { .. }
        | Shape::Ellipsoid { .. }
        | Shape::Capsule { .. }
        | Shape::Plane
        | Shape::Hull(_)
        | Shape::Mesh(_)
        | Shape::HeightField(_)
        | Shape::Compound(_) => Vec::new(),
    }
}

fn box_edges(half: DVec3) -> Vec<[DVec3; 2]> {
    let mut edges = Vec::with_capacity(12);
    for axis in 0..3 {
        for signs in 0..4 {
            let sign = |bit: usize| if signs >> bit & 1 == 0 { -1.0 } else { 1.0 };
            let mut end = half;
            end[(axis + 1) % 3] *= sign(0);
            end[(axis + 2) % 3] *= sign(1);
            let mut start = end;
            start[axis] = -start[axis];
            edges.push([start, end]);
        }
    }
    edges
}

fn circle(radius: f64, z: f64) -> Vec<[DVec3; 2]> {
    let point = |k: usize| {
        let (sin, cos) = (TAU * k as f64 / PIECES as f64).sin_cos();
        DVec3::new(radius * cos, radius * sin, z)
    };
    (0..PIECES).map(|k| [point(k), point(k + 1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_has_twelve_edges_of_the_right_lengths() {
        let edges = outline(&Shape::box_of([1.0, 2.0, 3.0]).unwrap());
        assert_eq!(edges.len(), 12);
        let total: f64 = edges.iter().map(|[a, b]| a.distance(*b)).sum();
        assert!((total - 4.0 * (2.0 + 4.0 + 6.0)).abs() < 1e-12);
    }
}
