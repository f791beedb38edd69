//! What a body is made from.

use std::sync::Arc;

use drystone_collide::{MassProperties, Pose, Shape};
use glam::{DQuat, DVec3};

use crate::material::MaterialId;

/// A body of a world, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(pub(crate) u32);

impl BodyId {
    /// The body with this index: bodies count from 0 in the order in which they were added.
    pub fn new(index: usize) -> Self {
        Self(index as u32)
    }

    /// Its index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What may move a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// Nothing.
    Fixed,
    /// Its path alone; it pushes others and is not pushed.
    Prescribed,
    /// Forces and contacts.
    Dynamic,
}

/// What a body may touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Touch {
    /// Everything.
    #[default]
    All,
    /// Everything but bodies of the same family, by its number.
    OutsideFamily(u32),
    /// Nothing: the body takes part by its mass and its joints alone.
    Nothing,
}

/// Where a prescribed body's shape is at a time in s.
pub type Path = Arc<dyn Fn(f64) -> Pose + Send + Sync>;

/// A body to be added to a world.
#[derive(Clone)]
pub struct Body {
    pub(crate) shape: Shape,
    pub(crate) kind: BodyKind,
    pub(crate) path: Option<Path>,
    pub(crate) name: Option<String>,
    pub(crate) weight: Weight,
    pub(crate) material: MaterialId,
    pub(crate) touch: Touch,
    pub(crate) pose: Pose,
    pub(crate) velocity: DVec3,
    pub(crate) angular_velocity: DVec3,
}

/// How a body's mass is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Weight {
    /// kg/m³.
    Density(f64),
    /// kg, spread evenly over the shape.
    Mass(f64),
    /// All of it.
    Properties(MassProperties),
}

/// Density of a body that was given neither mass nor density, kg/m³: water's.
pub const DEFAULT_DENSITY: f64 = 1000.0;

impl Body {
    fn new(shape: Shape, kind: BodyKind) -> Self {
        Self {
            shape,
            kind,
            path: None,
            name: None,
            weight: Weight::Density(DEFAULT_DENSITY),
            material: MaterialId::default(),
            touch: Touch::All,
            pose: Pose::IDENTITY,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
        }
    }

    /// Its shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Its name, where it was given one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// What may move it.
    pub fn kind(&self) -> BodyKind {
        self.kind
    }

    /// Moved by forces and contacts.
    pub fn dynamic(shape: Shape) -> Self {
        Self::new(shape, BodyKind::Dynamic)
    }

    /// Never moves.
    pub fn fixed(shape: Shape) -> Self {
        Self::new(shape, BodyKind::Fixed)
    }

    /// Follows `path`, whatever is in the way. The path is a function of the time in s.
    pub fn prescribed(shape: Shape, path: impl Fn(f64) -> Pose + Send + Sync + 'static) -> Self {
        let mut body = Self::new(shape, BodyKind::Prescribed);
        body.pose = path(0.0);
        body.path = Some(Arc::new(path));
        body
    }

    /// Prescribed, but without a path yet: it stands still until
    /// [`World::set_path`](crate::World::set_path) gives it one.
    pub fn waiting(shape: Shape) -> Self {
        Self::new(shape, BodyKind::Prescribed)
    }

    /// The same with another shape. A mass that was given stays.
    pub fn shaped(mut self, shape: Shape) -> Self {
        self.shape = shape;
        self
    }

    /// Names it. Bodies of one name form a group and are told apart by a number: `grains[17]`.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the mass, kg, spread evenly over the shape.
    pub fn mass(mut self, mass: f64) -> Self {
        self.weight = Weight::Mass(mass);
        self
    }

    /// Sets the density, kg/m³.
    pub fn density(mut self, density: f64) -> Self {
        self.weight = Weight::Density(density);
        self
    }

    /// Sets mass, centre of mass and inertia.
    pub fn mass_properties(mut self, properties: MassProperties) -> Self {
        self.weight = Weight::Properties(properties);
        self
    }

    /// Sets the material.
    pub fn material(mut self, material: MaterialId) -> Self {
        self.material = material;
        self
    }

    /// Sets what it may touch.
    pub fn touching(mut self, touch: Touch) -> Self {
        self.touch = touch;
        self
    }

    /// Places the origin of the shape's frame, m.
    pub fn at(mut self, position: impl Into<DVec3>) -> Self {
        self.pose.position = position.into();
        self
    }

    /// Turns it by a unit quaternion.
    pub fn rotated(mut self, rotation: DQuat) -> Self {
        self.pose.rotation = rotation;
        self
    }

    /// Places the shape's frame.
    pub fn posed(mut self, pose: Pose) -> Self {
        self.pose = pose;
        self
    }

    /// Sets the velocity of the centre of mass, m/s.
    pub fn velocity(mut self, velocity: impl Into<DVec3>) -> Self {
        self.velocity = velocity.into();
        self
    }

    /// Sets the angular velocity in world axes, rad/s.
    pub fn angular_velocity(mut self, angular_velocity: impl Into<DVec3>) -> Self {
        self.angular_velocity = angular_velocity.into();
        self
    }
}
