//! What a world keeps of its bodies: one vector for each quantity, by index.

use std::collections::BTreeMap;

use drystone_ccp::BodyInertia;
use drystone_collide::{MassProperties, Pose, Shape};
use glam::{DMat3, DQuat, DVec3};

use crate::body::{Body, BodyKind, Touch};
use crate::material::MaterialId;
use crate::state::BodyState;

/// All bodies of a world.
#[derive(Default)]
pub(crate) struct Bodies {
    pub kinds: Vec<BodyKind>,
    pub enabled: Vec<bool>,
    pub shapes: Vec<Shape>,
    pub inertias: Vec<MassAndInertia>,
    pub states: Vec<BodyState>,
    pub materials: Vec<MaterialId>,
    /// Of the bodies that do not touch everything: mostly there are none.
    touches: BTreeMap<u32, Touch>,
    /// Index of the group and number within it.
    pub names: Vec<[u32; 2]>,
}

/// Mass properties, ready for stepping.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MassAndInertia {
    /// kg; zero for bodies that no force moves.
    pub mass: f64,
    /// Centre of mass in the shape's frame, m.
    pub center: DVec3,
    /// Inertia about the centre of mass.
    pub tensor: Tensor,
}

/// An inertia tensor in the shape's axes, kg m².
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tensor {
    /// The same about every axis, and so in every frame.
    Isotropic(f64),
    /// Any other: the tensor and its inverse, boxed because grains are mostly spheres and many.
    General(Box<[DMat3; 2]>),
}

impl MassAndInertia {
    /// Of a body that no force moves.
    pub fn immovable() -> Self {
        Self {
            mass: 0.0,
            center: DVec3::ZERO,
            tensor: Tensor::Isotropic(0.0),
        }
    }

    /// `None` if the tensor is not symmetric, positive definite and finite.
    pub fn new(properties: &MassProperties) -> Option<Self> {
        let m = properties.inertia;
        let [a, b, c] = [m.x_axis, m.y_axis, m.z_axis];
        let size = a.x.max(b.y).max(c.z);
        let skew = (a.y - b.x)
            .abs()
            .max((a.z - c.x).abs())
            .max((b.z - c.y).abs());
        let minor = a.x * b.y - a.y * b.x;
        let definite = a.x > 0.0 && minor > 0.0 && m.determinant() > 0.0;
        // Tensors come from files and from sums over triangles: some digits of skewness are
        // rounding.
        if !(m.is_finite() && definite && skew <= 1e-9 * size && properties.center.is_finite()) {
            return None;
        }
        // What differs only by rounding is isotropic: such bodies turn without a fixed point.
        let off = a.y.abs().max(a.z.abs()).max(b.z.abs());
        let spread = size - a.x.min(b.y).min(c.z);
        let tensor = if off <= 1e-12 * size && spread <= 1e-12 * size {
            Tensor::Isotropic(a.x)
        } else {
            // Beyond 1e102 kg m² the determinant overflows and leaves no inverse.
            let inverse = Some(m.inverse()).filter(DMat3::is_finite)?;
            Tensor::General(Box::new([m, inverse]))
        };
        Some(Self {
            mass: properties.mass,
            center: properties.center,
            tensor,
        })
    }

    /// The inertia about the centre of mass in the shape's axes, kg m².
    pub fn tensor(&self) -> DMat3 {
        match &self.tensor {
            Tensor::Isotropic(i) => DMat3::from_diagonal(DVec3::splat(*i)),
            Tensor::General(m) => m[0],
        }
    }

    /// Angular momentum at an orientation and an angular velocity, world axes.
    pub fn angular_momentum(&self, rotation: DQuat, angular_velocity: DVec3) -> DVec3 {
        match &self.tensor {
            Tensor::Isotropic(i) => *i * angular_velocity,
            Tensor::General(m) => turned(&m[0], rotation, angular_velocity),
        }
    }

    /// Angular velocity at an orientation and an angular momentum, world axes.
    pub fn angular_velocity(&self, rotation: DQuat, momentum: DVec3) -> DVec3 {
        match &self.tensor {
            Tensor::Isotropic(i) => momentum / *i,
            Tensor::General(m) => turned(&m[1], rotation, momentum),
        }
    }

    /// Mean moment of inertia about the centre of mass, kg m².
    pub fn mean_moment(&self) -> f64 {
        let m = self.tensor();
        (m.x_axis.x + m.y_axis.y + m.z_axis.z) / 3.0
    }

    /// As the cone problem wants it, in world axes.
    pub fn inverse_at(&self, rotation: DQuat) -> BodyInertia {
        let inverse_mass = 1.0 / self.mass;
        match &self.tensor {
            Tensor::Isotropic(i) => BodyInertia::diagonal(inverse_mass, [1.0 / i; 3]),
            Tensor::General(m) => {
                let r = DMat3::from_quat(rotation);
                let world = r * m[1] * r.transpose();
                // Rounding must not leave it skew.
                let [x, y, z] = [world.x_axis, world.y_axis, world.z_axis];
                let (xy, xz, yz) = (0.5 * (x.y + y.x), 0.5 * (x.z + z.x), 0.5 * (y.z + z.y));
                BodyInertia {
                    inverse_mass,
                    inverse_inertia: [[x.x, xy, xz], [xy, y.y, yz], [xz, yz, z.z]],
                }
            }
        }
    }
}

/// A tensor of the body's axes, applied to a world vector.
fn turned(tensor: &DMat3, rotation: DQuat, vector: DVec3) -> DVec3 {
    rotation * (*tensor * (rotation.inverse() * vector))
}

impl Bodies {
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    pub fn push(&mut self, body: &Body, inertia: MassAndInertia, name: [u32; 2]) {
        if body.touch != Touch::All {
            self.touches.insert(self.len() as u32, body.touch);
        }
        self.kinds.push(body.kind);
        self.enabled.push(true);
        self.shapes.push(body.shape.clone());
        self.states.push(BodyState {
            position: body.pose.point(inertia.center),
            rotation: body.pose.rotation.normalize(),
            velocity: body.velocity,
            angular_velocity: body.angular_velocity,
        });
        self.inertias.push(inertia);
        self.materials.push(body.material);
        self.names.push(name);
    }

    /// What a body may touch.
    pub fn touch(&self, body: usize) -> Touch {
        let touch = self.touches.get(&(body as u32));
        touch.copied().unwrap_or_default()
    }

    /// Whether nothing about two bodies themselves keeps them from touching each other.
    pub fn may_touch(&self, a: u32, b: u32) -> bool {
        if self.touches.is_empty() {
            return true;
        }
        match [a, b].map(|body| self.touch(body as usize)) {
            [Touch::Nothing, _] | [_, Touch::Nothing] => false,
            [Touch::OutsideFamily(a), Touch::OutsideFamily(b)] => a != b,
            [Touch::All, _] | [_, Touch::All] => true,
        }
    }

    /// Whether forces move the body.
    pub fn is_free(&self, body: usize) -> bool {
        self.kinds[body] == BodyKind::Dynamic && self.enabled[body]
    }

    /// Where the frame of the shape lies.
    pub fn pose(&self, body: usize) -> Pose {
        self.pose_in(body, &self.states[body])
    }

    /// The same in another state.
    pub fn pose_in(&self, body: usize, state: &BodyState) -> Pose {
        let BodyState {
            position, rotation, ..
        } = *state;
        Pose {
            position: position - rotation * self.inertias[body].center,
            rotation,
        }
    }

    pub fn set_pose(&mut self, body: usize, pose: &Pose) {
        let center = self.inertias[body].center;
        let state = &mut self.states[body];
        state.position = pose.point(center);
        state.rotation = pose.rotation.normalize();
    }

    /// Kinetic and potential energy, J, summed in order.
    pub fn energy(&self, gravity: DVec3) -> [f64; 2] {
        let [mut kinetic, mut potential] = [0.0; 2];
        for body in (0..self.len()).filter(|&b| self.is_free(b)) {
            let (inertia, state) = (&self.inertias[body], &self.states[body]);
            let momentum = inertia.angular_momentum(state.rotation, state.angular_velocity);
            kinetic += 0.5
                * (inertia.mass * state.velocity.length_squared()
                    + momentum.dot(state.angular_velocity));
            potential -= inertia.mass * gravity.dot(state.position);
        }
        [kinetic, potential]
    }
}
