//! Volume, centre of mass and inertia.
//!
//! Exact for every solid: polyhedra by signed tetrahedra, compounds by the theorem of parallel
//! axes. Parts of a compound are taken as not overlapping.

use glam::{DMat3, DVec3};

use super::{Shape, ShapeError};
use crate::pose::Pose;

/// Mass, centre of mass and inertia of a solid shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass in the shape's frame, m.
    pub center: DVec3,
    /// Inertia about the centre of mass, axes of the shape's frame, kg m².
    pub inertia: DMat3,
}

impl MassProperties {
    /// A body with the diagonal `inertia` about its `center`.
    fn diagonal(mass: f64, center: DVec3, inertia: DVec3) -> Self {
        Self {
            mass,
            center,
            inertia: DMat3::from_diagonal(inertia),
        }
    }

    /// The same body seen from the frame in which its own lies at `pose`.
    fn placed(&self, pose: &Pose) -> Self {
        let r = DMat3::from_quat(pose.rotation);
        Self {
            mass: self.mass,
            center: pose.point(self.center),
            inertia: r * self.inertia * r.transpose(),
        }
    }

    /// All of `bodies` as one.
    fn sum(bodies: &[Self]) -> Self {
        let mass: f64 = bodies.iter().map(|b| b.mass).sum();
        let center = bodies
            .iter()
            .map(|b| b.center * (b.mass / mass))
            .fold(DVec3::ZERO, |a, b| a + b);
        let inertia = bodies
            .iter()
            .map(|b| b.inertia + b.mass * point_inertia(b.center - center))
            .fold(DMat3::ZERO, |a, b| a + b);
        Self {
            mass,
            center,
            inertia,
        }
    }
}

/// Inertia about the origin of a unit mass at `p`.
fn point_inertia(p: DVec3) -> DMat3 {
    DMat3::from_diagonal(DVec3::splat(p.length_squared())) - outer(p, p)
}

/// `a bᵀ`.
fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

impl Shape {
    /// Mass properties of the solid at `density` kg/m³. An error for shapes without volume (planes,
    /// height fields, open meshes) and for meshes that are inside out. Parts of a compound are
    /// taken as not overlapping.
    pub fn mass_properties(&self, density: f64) -> Result<MassProperties, ShapeError> {
        if !(density.is_finite() && density > 0.0) {
            return Err(ShapeError::Density {
                shape: self.kind(),
                value: density,
            });
        }
        match self {
            Self::Hull(hull) => Ok(polyhedron(hull.vertices(), hull.triangles(), density)),
            Self::Mesh(mesh) => {
                mesh.check_solid()?;
                let faces = mesh.faces().iter().copied();
                Ok(polyhedron(mesh.vertices(), faces, density))
            }
            Self::Compound(compound) => {
                let mut bodies = Vec::with_capacity(compound.parts().len());
                for (pose, shape) in compound.parts() {
                    bodies.push(shape.mass_properties(density)?.placed(pose));
                }
                Ok(MassProperties::sum(&bodies))
            }
            Self::Plane | Self::HeightField(_) => Err(ShapeError::NoVolume { shape: self.kind() }),
            Self::Sphere { .. }
            | Self::Box { .. }
            | Self::Ellipsoid { .. }
            | Self::Cylinder { .. }
            | Self::Capsule { .. }
            | Self::Cone { .. } => self.simple_mass_properties(density),
        }
    }

    /// Volume of the solid, m³; errors as those of [`Shape::mass_properties`].
    pub fn volume(&self) -> Result<f64, ShapeError> {
        Ok(self.mass_properties(1.0)?.mass)
    }

    /// The solids with a formula.
    fn simple_mass_properties(&self, density: f64) -> Result<MassProperties, ShapeError> {
        use std::f64::consts::PI;
        let pair = |across: f64, along: f64| DVec3::new(across, across, along);
        let (volume, center, inertia_per_mass) = match self {
            Self::Sphere { radius: r } => (
                4.0 / 3.0 * PI * r.powi(3),
                DVec3::ZERO,
                DVec3::splat(0.4 * r * r),
            ),
            Self::Box { half } => (
                8.0 * half.x * half.y * half.z,
                DVec3::ZERO,
                cross_squares(*half) / 3.0,
            ),
            Self::Ellipsoid { semi_axes: a } => (
                4.0 / 3.0 * PI * a.x * a.y * a.z,
                DVec3::ZERO,
                cross_squares(*a) / 5.0,
            ),
            Self::Cylinder {
                radius: r,
                half_height: h,
            } => (
                2.0 * PI * r * r * h,
                DVec3::ZERO,
                pair(r * r / 4.0 + h * h / 3.0, r * r / 2.0),
            ),
            Self::Cone {
                radius: r,
                half_height: h,
            } => (
                2.0 / 3.0 * PI * r * r * h,
                // A quarter of the height above the base.
                DVec3::new(0.0, 0.0, -0.5 * h),
                pair(0.15 * (r * r + h * h), 0.3 * r * r),
            ),
            Self::Capsule {
                radius: r,
                half_height: h,
            } => {
                let (tube, ends) = (2.0 * PI * r * r * h, 4.0 / 3.0 * PI * r.powi(3));
                // Each half ball's centre of mass lies 3/8 r above its base.
                let ends_across = ends * (0.4 * r * r + h * h + 0.75 * h * r);
                let across = tube * (r * r / 4.0 + h * h / 3.0) + ends_across;
                let along = tube * r * r / 2.0 + ends * 0.4 * r * r;
                let volume = tube + ends;
                (volume, DVec3::ZERO, pair(across, along) / volume)
            }
            Self::Plane
            | Self::Hull(_)
            | Self::Mesh(_)
            | Self::HeightField(_)
            | Self::Compound(_) => return Err(ShapeError::NoVolume { shape: self.kind() }),
        };
        let mass = density * volume;
        Ok(MassProperties::diagonal(
            mass,
            center,
            mass * inertia_per_mass,
        ))
    }
}

/// `(y² + z², z² + x², x² + y²)`.
fn cross_squares(v: DVec3) -> DVec3 {
    let s = v * v;
    DVec3::new(s.y + s.z, s.z + s.x, s.x + s.y)
}

/// Mass properties of the solid inside a closed surface of outward triangles.
fn polyhedron(
    vertices: &[DVec3],
    faces: impl Iterator<Item = [u32; 3]>,
    density: f64,
) -> MassProperties {
    // Tetrahedra from a point near the solid: far from the origin the products would cancel.
    let apex = vertices.iter().fold(DVec3::ZERO, |a, &b| a + b) / vertices.len() as f64;
    let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    for face in faces {
        let [a, b, c] = face.map(|k| vertices[k as usize] - apex);
        let v = a.dot(b.cross(c)) / 6.0;
        let sum = a + b + c;
        volume += v;
        first += sum * (v / 4.0);
        // ∫ x xᵀ over a tetrahedron with one vertex at the origin.
        second += (outer(a, a) + outer(b, b) + outer(c, c) + outer(sum, sum)) * (v / 20.0);
    }
    let center = first / volume;
    let second = second - outer(center, center) * volume;
    let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - second;
    MassProperties {
        mass: density * volume,
        center: apex + center,
        inertia: inertia * density,
    }
}

/// Signed volume inside a closed surface, > 0 when its triangles face outwards; 0 without any.
pub(super) fn signed_volume(vertices: &[DVec3], faces: &[[u32; 3]]) -> f64 {
    // Tetrahedra from a point of the surface: far from the origin the products would cancel.
    let Some(&[first, _, _]) = faces.first() else {
        return 0.0;
    };
    let apex = vertices[first as usize];
    let sixth = |f: &[u32; 3]| {
        let [a, b, c] = f.map(|k| vertices[k as usize] - apex);
        a.dot(b.cross(c))
    };
    faces.iter().map(sixth).sum::<f64>() / 6.0
}
