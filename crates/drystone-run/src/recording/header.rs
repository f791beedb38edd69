//! What is known of a run before its first step: bodies, shapes, materials.

use std::collections::HashMap;
use std::sync::Arc;

use drystone::{BodyId, BodyKind, Shape, World};
use drystone_scene::Simulation;
use drystone_scene::scene;
use serde::{Deserialize, Serialize};

use super::error::RecordingFault;
use super::stored::{StoredBodyKind, StoredOpacity};

/// How much of a body is seen: the scene's own type.
pub use drystone_scene::scene::Opacity;

/// The description of a run, at the beginning of its recording.
#[derive(Clone, Debug, PartialEq)]
pub struct RunHeader {
    /// What the run is called.
    pub title: String,
    /// Length of a time step, s.
    pub time_step: f64,
    /// How exactly positions are stored.
    pub positions: Precision,
    /// Materials; bodies name them by index.
    pub materials: Vec<MaterialRecord>,
    /// Names that bodies share.
    pub groups: Vec<GroupRecord>,
    /// Shapes, each stored once; bodies name them by index.
    pub shapes: Vec<Shape>,
    /// The bodies, in the order of the world.
    pub bodies: Vec<BodyRecord>,
}

/// How exactly a number is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Precision {
    /// 24 bits: seven digits, which one metre away from the origin is a tenth of a micrometre.
    #[default]
    Single,
    /// 53 bits: to the bit, for a quarter more bytes.
    Double,
}

/// A material's name and friction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MaterialRecord {
    /// Name.
    pub name: String,
    /// Coefficient of sliding friction.
    pub friction: f64,
}

/// A name that bodies share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupRecord {
    /// The name.
    pub name: String,
    /// How many bodies have it.
    pub members: u32,
}

/// What does not change about a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyRecord {
    /// Index of its group.
    pub group: u32,
    /// Number within the group, from 0.
    pub number: u32,
    /// Index of its shape.
    pub shape: u32,
    /// What may move it.
    #[serde(with = "StoredBodyKind")]
    pub kind: BodyKind,
    /// Index of its material.
    pub material: u16,
    /// Mass, kg; zero for bodies that no force moves.
    pub mass: f64,
    /// How it is drawn.
    pub appearance: Appearance,
}

/// How a body is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Appearance {
    /// Colour as it was given, sRGB; `None` leaves it to whoever draws.
    pub color: Option<[u8; 3]>,
    /// How much of it is seen.
    #[serde(with = "StoredOpacity")]
    pub opacity: Opacity,
}

impl BodyRecord {
    /// A body that forces move, with the shape of that index and a mass in kg. Group and number
    /// are set when it is added.
    pub fn dynamic(shape: u32, mass: f64) -> Self {
        Self {
            group: 0,
            number: 0,
            shape,
            kind: BodyKind::Dynamic,
            material: 0,
            mass,
            appearance: Appearance::default(),
        }
    }
}

impl RunHeader {
    /// Of a run without bodies. `time_step` in s.
    pub fn new(title: impl Into<String>, time_step: f64) -> Self {
        Self {
            title: title.into(),
            time_step,
            positions: Precision::default(),
            materials: vec![MaterialRecord {
                name: "default".to_owned(),
                friction: 0.5,
            }],
            groups: Vec::new(),
            shapes: Vec::new(),
            bodies: Vec::new(),
        }
    }

    /// Of a world; `appearance` says how each body is drawn.
    pub fn of_world(
        title: impl Into<String>,
        world: &World,
        appearance: impl Fn(BodyId) -> Appearance,
    ) -> Self {
        let mut header = Self::new(title, world.settings().time_step);
        let materials = world.materials().iter().map(|m| MaterialRecord {
            name: m.name.clone(),
            friction: m.surface.friction,
        });
        header.materials = materials.collect();
        let mut shapes = HashMap::new();
        let mut groups = HashMap::new();
        for id in world.ids() {
            let name = world.group_name(id);
            let group = *groups
                .entry(name)
                .or_insert_with(|| header.add_group(name.to_owned()));
            let shape = world.shape(id);
            let shape = *shapes
                .entry(identity(shape))
                .or_insert_with(|| header.add_shape(shape.clone()));
            let body = BodyRecord {
                kind: world.kind(id),
                material: world.material(id).index() as u16,
                appearance: appearance(id),
                ..BodyRecord::dynamic(shape, world.mass(id))
            };
            header.push(group, body);
        }
        header
    }

    /// Of a scene's run, as the scene wants it recorded and drawn.
    pub fn of_simulation(title: impl Into<String>, simulation: &Simulation) -> Self {
        let looks = simulation.looks();
        let appearance = |id: BodyId| {
            let look = looks.get(id.index()).copied().unwrap_or_default();
            Appearance {
                color: look.color,
                opacity: look.opacity,
            }
        };
        let header = Self::of_world(title, simulation.world(), appearance);
        Self {
            positions: match simulation.recording().precision {
                scene::Precision::Single => Precision::Single,
                scene::Precision::Double => Precision::Double,
            },
            ..header
        }
    }

    /// Adds a shape; the result is its index.
    pub fn add_shape(&mut self, shape: Shape) -> u32 {
        self.shapes.push(shape);
        self.shapes.len() as u32 - 1
    }

    /// Adds a body to the group `name`; sets its group and number.
    pub fn add_body(&mut self, name: &str, body: BodyRecord) {
        let group = self.groups.iter().position(|g| g.name == name);
        let group = group.map_or_else(|| self.add_group(name.to_owned()), |g| g as u32);
        self.push(group, body);
    }

    fn add_group(&mut self, name: String) -> u32 {
        self.groups.push(GroupRecord { name, members: 0 });
        self.groups.len() as u32 - 1
    }

    fn push(&mut self, group: u32, body: BodyRecord) {
        let members = &mut self.groups[group as usize].members;
        self.bodies.push(BodyRecord {
            group,
            number: *members,
            ..body
        });
        *members += 1;
    }

    /// A body's name: that of its group, with its number where the group has several members.
    pub fn body_name(&self, body: usize) -> String {
        let record = &self.bodies[body];
        let group = &self.groups[record.group as usize];
        if group.members == 1 {
            group.name.clone()
        } else {
            format!("{}[{}]", group.name, record.number)
        }
    }

    /// A body's shape.
    pub fn shape(&self, body: usize) -> &Shape {
        &self.shapes[self.bodies[body].shape as usize]
    }

    /// Says which shape cannot be or which index points nowhere, if any.
    pub(super) fn check(&self) -> Result<(), RecordingFault> {
        for (k, shape) in self.shapes.iter().enumerate() {
            // Scaled by 1 a shape is itself, if its lengths can be those of a shape at all.
            let named = |error| RecordingFault::header(format!("shape {k}: {error}"));
            shape.scaled(1.0).map_err(named)?;
        }
        for (k, body) in self.bodies.iter().enumerate() {
            let tables = [
                ("group", body.group as usize, self.groups.len()),
                ("shape", body.shape as usize, self.shapes.len()),
                ("material", body.material as usize, self.materials.len()),
            ];
            for (what, index, count) in tables {
                if index >= count {
                    let what = format!("body {k} names {what} {index} of {count}");
                    return Err(RecordingFault::header(what));
                }
            }
        }
        Ok(())
    }
}

/// Tells equal shapes: the kind with its numbers, or with the address of what is shared.
fn identity(shape: &Shape) -> [u64; 4] {
    let numbers = |kind: u64, numbers: [f64; 3]| {
        let [a, b, c] = numbers.map(f64::to_bits);
        [kind, a, b, c]
    };
    let shared = |kind: u64, address: usize| [kind, address as u64, 0, 0];
    match shape {
        Shape::Sphere { radius } => numbers(0, [*radius, 0.0, 0.0]),
        Shape::Box { half } => numbers(1, half.to_array()),
        Shape::Ellipsoid { semi_axes } => numbers(2, semi_axes.to_array()),
        &Shape::Cylinder {
            radius,
            half_height,
        } => numbers(3, [radius, half_height, 0.0]),
        &Shape::Capsule {
            radius,
            half_height,
        } => numbers(4, [radius, half_height, 0.0]),
        &Shape::Cone {
            radius,
            half_height,
        } => numbers(5, [radius, half_height, 0.0]),
        Shape::Plane => numbers(6, [0.0; 3]),
        Shape::Hull(hull) => shared(7, Arc::as_ptr(hull).addr()),
        Shape::Mesh(mesh) => shared(8, Arc::as_ptr(mesh).addr()),
        Shape::HeightField(field) => shared(9, Arc::as_ptr(field).addr()),
        Shape::Compound(compound) => shared(10, Arc::as_ptr(compound).addr()),
    }
}
