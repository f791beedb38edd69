//! What grains look like.

use drystone::shape::{HeightField, TriangleMesh};
use drystone::{Pose, Shape, ShapeError};
use glam::{DQuat, DVec3};
use rand_pcg::Pcg64;

use super::error::{FillError, positive};
use super::sizes::{Sampler, Sizes};
use super::streams;

/// A shape that grains have, and their sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    /// The shape, at any size unless the sizes are [`Sizes::AsShaped`].
    pub shape: Shape,
    /// Sizes of its grains.
    pub sizes: Sizes,
    /// How many grains are made from it, relative to the other templates; greater than 0.
    pub weight: f64,
    /// Which way its grains are turned.
    pub orientation: Orientation,
}

impl Template {
    /// Weight 1, turned at random.
    pub fn new(shape: Shape, sizes: Sizes) -> Self {
        Self {
            shape,
            sizes,
            weight: 1.0,
            orientation: Orientation::Random,
        }
    }
}

/// Which way a grain is turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Orientation {
    /// All in the same way: the unit quaternion turns the shape's directions into the world's.
    Fixed(DQuat),
    /// Uniform among all rotations.
    Random,
}

impl Orientation {
    pub(super) fn draw(&self, rng: &mut Pcg64) -> DQuat {
        match self {
            Self::Fixed(rotation) => *rotation,
            Self::Random => streams::rotation(rng),
        }
    }
}

/// What is known of a template's shape.
pub(super) struct Bounds {
    /// Diameter of the sphere of the same volume, m.
    pub diameter: f64,
    /// Centre of its bounding ball in the shape's frame, m.
    pub center: DVec3,
    /// Radius of that ball, m.
    pub radius: f64,
    /// Its sizes.
    pub sampler: Sampler,
}

pub(super) fn measure_all(templates: &[Template]) -> Result<Vec<Bounds>, FillError> {
    if templates.is_empty() {
        return Err(FillError::NoTemplates);
    }
    let measured = |(index, template)| measure(template).map_err(|fault| fault.of_template(index));
    templates.iter().enumerate().map(measured).collect()
}

fn measure(template: &Template) -> Result<Bounds, FillError> {
    positive("weight", template.weight)?;
    if let Orientation::Fixed(rotation) = template.orientation
        && !(rotation.is_finite() && rotation.is_normalized())
    {
        let (what, expected) = ("length of the orientation's quaternion", "1");
        let value = rotation.length();
        return Err(FillError::Value {
            what,
            value,
            expected,
        });
    }
    let shape = &template.shape;
    let (center, radius) = match shape {
        Shape::Sphere { .. }
        | Shape::Box { .. }
        | Shape::Ellipsoid { .. }
        | Shape::Cylinder { .. }
        | Shape::Capsule { .. }
        | Shape::Cone { .. }
        | Shape::Compound(_) => (DVec3::ZERO, shape.radius_about_origin()),
        Shape::Hull(hull) => ball_around(hull.vertices()),
        Shape::Mesh(mesh) => ball_around(mesh.vertices()),
        Shape::Plane | Shape::HeightField(_) => {
            let kind = shape.kind();
            return Err(FillError::NotAGrain { kind });
        }
    };
    let volume = shape.mass_properties(1.0)?.mass;
    let diameter = diameter_of(volume);
    Ok(Bounds {
        diameter: positive("diameter of the shape", diameter)?,
        center,
        radius: positive("radius of the shape", radius)?,
        sampler: Sampler::new(&template.sizes, diameter)?,
    })
}

/// A ball around points, about the centre of their box.
fn ball_around(points: &[DVec3]) -> (DVec3, f64) {
    let center = drystone::Aabb::of_points(points.iter().copied()).center();
    let distances = points.iter().map(|p| p.distance_squared(center));
    (center, distances.fold(0.0, f64::max).sqrt())
}

/// Diameter of the sphere of a volume.
fn diameter_of(volume: f64) -> f64 {
    (6.0 / std::f64::consts::PI * volume).cbrt()
}

/// A shape with all its lengths multiplied by `factor`. A plane stays itself.
pub fn scaled(shape: &Shape, factor: f64) -> Result<Shape, ShapeError> {
    let all = |points: &[DVec3]| points.iter().map(|&p| p * factor).collect::<Vec<_>>();
    match shape {
        Shape::Sphere { radius } => Shape::sphere(radius * factor),
        Shape::Box { half } => Shape::box_of(*half * factor),
        Shape::Ellipsoid { semi_axes } => Shape::ellipsoid(*semi_axes * factor),
        Shape::Cylinder {
            radius,
            half_height,
        } => Shape::cylinder(radius * factor, half_height * factor),
        Shape::Capsule {
            radius,
            half_height,
        } => Shape::capsule(radius * factor, half_height * factor),
        Shape::Cone {
            radius,
            half_height,
        } => Shape::cone(radius * factor, half_height * factor),
        Shape::Plane => Ok(Shape::plane()),
        // The same bits for the same shape: a hull of scaled points need not have the same faces.
        Shape::Hull(_) | Shape::Mesh(_) | Shape::HeightField(_) | Shape::Compound(_)
            if factor == 1.0 =>
        {
            Ok(shape.clone())
        }
        Shape::Hull(hull) => Shape::hull(&all(hull.vertices())),
        Shape::Mesh(mesh) => {
            let mesh = TriangleMesh::new(all(mesh.vertices()), mesh.faces().to_vec())?;
            Ok(Shape::mesh(mesh))
        }
        Shape::HeightField(field) => {
            let heights = field.heights().iter().map(|h| h * factor).collect();
            let spacing = field.spacing().map(|s| s * factor);
            let field = HeightField::new(field.columns(), field.rows(), spacing, heights)?;
            Ok(Shape::height_field(field))
        }
        Shape::Compound(compound) => {
            let part = |(pose, shape): &(Pose, Shape)| {
                let position = pose.position * factor;
                Ok((Pose { position, ..*pose }, scaled(shape, factor)?))
            };
            let parts: Result<_, ShapeError> = compound.parts().iter().map(part).collect();
            Shape::compound(parts?)
        }
    }
}
