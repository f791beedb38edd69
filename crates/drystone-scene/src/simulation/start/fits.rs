//! Whether a body of a run has the shape that a scene gives it.

use drystone::{Pose, Shape};
use drystone_collide::number::Number;
use glam::DVec3;

use crate::packing::{SieveRow, Sizes, Template, scaled};
use crate::shape_sizes::ShapeSizes;

/// Share of a length by which two shapes may differ: expressions round in other ways when a scene
/// is written anew.
const ALIKE: f64 = 1e-9;

/// The same for sizes of grains, which are roots of volumes.
const SIZE: f64 = 1e-6;

/// How the shape of a run's body differs from the scene's, in words; `None` where it does not.
pub(super) fn differs(run: &Shape, scene: &Shape) -> Option<String> {
    match is_like(run, scene) {
        true => None,
        false => Some(format!(
            "{} in the run, {} in the scene",
            described(run),
            described(scene)
        )),
    }
}

/// A shape with its sizes, in a few words.
fn described(shape: &Shape) -> String {
    let n = |value: f64| Number(value).to_string();
    match shape {
        Shape::Sphere { radius } => format!("a sphere of radius {} m", n(*radius)),
        Shape::Box { half } => {
            let [x, y, z] = half.to_array().map(|h| n(2.0 * h));
            format!("a box of {x} x {y} x {z} m")
        }
        Shape::Ellipsoid { semi_axes } => {
            let [x, y, z] = semi_axes.to_array().map(n);
            format!("an ellipsoid of semi-axes {x}, {y}, {z} m")
        }
        Shape::Cylinder { .. } | Shape::Capsule { .. } | Shape::Cone { .. } => {
            let sizes = ShapeSizes::of(shape);
            let (kind, radius, height) = (shape.kind(), n(sizes.radius), n(sizes.height));
            format!("a {kind} of radius {radius} m and height {height} m")
        }
        Shape::Plane => "a plane".to_owned(),
        Shape::Hull(_) | Shape::Mesh(_) | Shape::HeightField(_) | Shape::Compound(_) => {
            let extent = shape.aabb(&Pose::IDENTITY).extent().to_array();
            let [x, y, z] = extent.map(n);
            format!("a {} of {x} x {y} x {z} m", shape.kind())
        }
    }
}

fn is_like(a: &Shape, b: &Shape) -> bool {
    let size = |shape: &Shape| match shape {
        Shape::Plane => 1.0,
        shape => shape.radius_about_origin(),
    };
    let near = ALIKE * size(a).max(size(b));
    let numbers = |a: &[f64], b: &[f64]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= near)
    };
    let points = |a: &[DVec3], b: &[DVec3]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.distance(*b) <= near)
    };
    match (a, b) {
        (Shape::Sphere { radius: a }, Shape::Sphere { radius: b }) => numbers(&[*a], &[*b]),
        (Shape::Box { half: a }, Shape::Box { half: b })
        | (Shape::Ellipsoid { semi_axes: a }, Shape::Ellipsoid { semi_axes: b }) => {
            points(&[*a], &[*b])
        }
        (Shape::Cylinder { .. }, Shape::Cylinder { .. })
        | (Shape::Capsule { .. }, Shape::Capsule { .. })
        | (Shape::Cone { .. }, Shape::Cone { .. }) => {
            let [a, b] = [a, b].map(ShapeSizes::of);
            numbers(&[a.radius, a.height], &[b.radius, b.height])
        }
        (Shape::Plane, Shape::Plane) => true,
        (Shape::Hull(a), Shape::Hull(b)) => points(a.vertices(), b.vertices()),
        (Shape::Mesh(a), Shape::Mesh(b)) => {
            a.faces() == b.faces() && points(a.vertices(), b.vertices())
        }
        (Shape::HeightField(a), Shape::HeightField(b)) => {
            a.columns() == b.columns()
                && numbers(&a.spacing(), &b.spacing())
                && numbers(a.heights(), b.heights())
        }
        (Shape::Compound(a), Shape::Compound(b)) => {
            let (a, b) = (a.parts(), b.parts());
            let like = |((pa, a), (pb, b)): (&(Pose, Shape), &(Pose, Shape))| {
                pa.position.distance(pb.position) <= near
                    && pa.rotation.angle_between(pb.rotation) <= SIZE
                    && is_like(a, b)
            };
            a.len() == b.len() && a.iter().zip(b).all(like)
        }
        _ => false,
    }
}

/// Whether a grain of a run can be one of a fill; if not, what was expected.
pub(super) fn fits_fill(run: &Shape, templates: &[Template]) -> Result<(), String> {
    if templates.iter().any(|template| fits(run, template)) {
        return Ok(());
    }
    let expected: Vec<String> = templates.iter().map(expectation).collect();
    Err(format!(
        "{} in the run, but the fill has {}",
        described(run),
        expected.join(" or ")
    ))
}

/// Diameter of the sphere of a shape's volume, m.
fn diameter(shape: &Shape) -> Option<f64> {
    let volume = shape.mass_properties(1.0).ok()?.mass;
    Some((6.0 / std::f64::consts::PI * volume).cbrt())
}

fn fits(run: &Shape, template: &Template) -> bool {
    let (Some(size), Some(own)) = (diameter(run), diameter(&template.shape)) else {
        return false;
    };
    let [low, high] = size_range(&template.sizes, own);
    let in_range = size >= low * (1.0 - SIZE) && size <= high * (1.0 + SIZE);
    let alike = || {
        // The run's, brought to the template's size.
        scaled(run, own / size).is_ok_and(|run| is_like_within(&run, &template.shape))
    };
    in_range && run.kind() == template.shape.kind() && alike()
}

/// Scaled shapes are alike to more rounding; hulls of scaled points may drop corners.
fn is_like_within(run: &Shape, template: &Shape) -> bool {
    let extent = |shape: &Shape| shape.aabb(&Pose::IDENTITY).extent();
    let (a, b) = (extent(run), extent(template));
    a.distance(b) <= SIZE * b.length()
}

fn expectation(template: &Template) -> String {
    let own = diameter(&template.shape).unwrap_or_default();
    let [low, high] = size_range(&template.sizes, own);
    let kind = template.shape.kind();
    match low == high && low == own {
        true => described(&template.shape),
        false => format!("a {kind} of diameter {} to {} m", Number(low), Number(high)),
    }
}

/// Least and greatest diameter of a distribution, m. `own` is that of the shape itself.
fn size_range(sizes: &Sizes, own: f64) -> [f64; 2] {
    match *sizes {
        Sizes::AsShaped => [own, own],
        Sizes::Fixed { size } => [size, size],
        Sizes::Uniform { min, max }
        | Sizes::PowerLaw { min, max, .. }
        | Sizes::Weibull { min, max, .. }
        | Sizes::RosinRammler { min, max, .. } => [min, max],
        Sizes::Normal {
            mean,
            deviation,
            cut,
        } => [mean - cut * deviation, mean + cut * deviation],
        Sizes::LogNormal {
            median,
            deviation,
            cut,
        } => [-1.0, 1.0].map(|side| median * (side * cut * deviation).exp()),
        Sizes::Sieve(ref rows) => {
            let size = |row: Option<&SieveRow>| row.map_or(own, |row| row.size);
            [size(rows.first()), size(rows.last())]
        }
    }
}
