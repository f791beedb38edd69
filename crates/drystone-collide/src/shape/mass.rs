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

/// How far a moment of inertia may exceed the sum of the two others, over itself. A thin plate has
/// equality, and files round to two or three digits.
const TRIANGLE_SLACK: f64 = 0.01;

impl MassProperties {
    /// Principal moments of inertia, kg m², ascending.
    ///
    /// In closed form (Smith 1961, Eigenvalues of a symmetric 3 x 3 matrix); good to about 1e-8 of
    /// the greatest. Of the tensor only one triangle is read.
    pub fn principal_moments(&self) -> [f64; 3] {
        let m = self.inertia;
        let entries = m.to_cols_array();
        let size = entries.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        if size == 0.0 || !m.is_finite() {
            return [m.x_axis.x, m.y_axis.y, m.z_axis.z];
        }
        // In units of the largest entry: squares neither overflow nor vanish.
        let entry = |column: usize, row: usize| entries[3 * column + row] / size;
        let diagonal = DVec3::new(entry(0, 0), entry(1, 1), entry(2, 2));
        let off = DVec3::new(entry(0, 1), entry(0, 2), entry(1, 2));
        let mean = diagonal.element_sum() / 3.0;
        let spread = (diagonal - mean).length_squared() + 2.0 * off.length_squared();
        let radius = (spread / 6.0).sqrt();
        let mut moments = if off == DVec3::ZERO {
            diagonal.to_array()
        } else {
            let d = (diagonal - mean) / radius;
            let o = off / radius;
            let determinant = d.x * (d.y * d.z - o.z * o.z) - o.x * (o.x * d.z - o.z * o.y)
                + o.y * (o.x * o.z - d.y * o.y);
            let angle = (0.5 * determinant).clamp(-1.0, 1.0).acos() / 3.0;
            let greatest = mean + 2.0 * radius * angle.cos();
            let third = std::f64::consts::TAU / 3.0;
            let least = mean + 2.0 * radius * (angle + third).cos();
            [least, 3.0 * mean - greatest - least, greatest]
        };
        moments.sort_by(f64::total_cmp);
        moments.map(|moment| moment * size)
    }

    /// Whether some solid can have this inertia: no principal moment exceeds the sum of the two
    /// others (each is a sum over mass times squared distances in two of three directions). A
    /// little more is taken for rounding.
    pub fn is_of_a_solid(&self) -> bool {
        let [least, middle, greatest] = self.principal_moments();
        // Halves: the sum of two moments may overflow.
        0.5 * greatest * (1.0 - TRIANGLE_SLACK) <= 0.5 * least + 0.5 * middle
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    fn with(inertia: DMat3) -> MassProperties {
        MassProperties {
            mass: 1.0,
            center: DVec3::ZERO,
            inertia,
        }
    }

    #[test]
    fn principal_moments_do_not_depend_on_the_axes() {
        let own = DVec3::new(3.0, 1.0, 2.0);
        for k in 0..50 {
            let k = f64::from(k);
            let turn = DQuat::from_euler(glam::EulerRot::XYZ, 0.7 * k, 0.3 * k, 1.1 * k);
            let r = DMat3::from_quat(turn);
            for scale in [1.0, 1e-150, 1e150] {
                let tensor = r * DMat3::from_diagonal(own * scale) * r.transpose();
                let moments = with(tensor).principal_moments();
                for (found, expected) in moments.iter().zip([1.0, 2.0, 3.0]) {
                    assert!((found / scale - expected).abs() < 1e-7, "{moments:?}");
                }
            }
        }
        let ball = with(DMat3::from_diagonal(DVec3::splat(0.4)));
        assert_eq!(ball.principal_moments(), [0.4; 3]);
    }

    #[test]
    fn a_moment_is_at_most_the_sum_of_the_others() {
        let solid = |x, y, z| with(DMat3::from_diagonal(DVec3::new(x, y, z))).is_of_a_solid();
        assert!(solid(1.0, 1.0, 1.0));
        assert!(solid(1.0, 1.0, 2.0)); // a plate
        assert!(solid(0.0333, 0.0333, 0.0667)); // the same, rounded
        assert!(solid(1e-9, 1.0, 1.0)); // a rod
        assert!(!solid(1.0, 1.0, 2.1));
        assert!(!solid(1e-9, 1.0, 2.0));
        assert!(!solid(1e307, 1e307, 1.7e308));
        // Off the axes: moments 1, 1 and 3 about axes in between.
        let turn = DMat3::from_quat(DQuat::from_rotation_x(0.5) * DQuat::from_rotation_y(1.0));
        let tensor = turn * DMat3::from_diagonal(DVec3::new(1.0, 3.0, 1.0)) * turn.transpose();
        assert!(!with(tensor).is_of_a_solid());
    }
}
