//! A scene of ours in Rapier.

use std::collections::BTreeSet;
use std::time::Instant;

use drystone::{BodyId, BodyKind, Pose, Shape, World};
use rapier3d_f64::prelude::{
    CoefficientCombineRule, ColliderBuilder, IntegrationParameters, PhysicsWorld,
    Pose as RapierPose, RigidBodyBuilder, RigidBodyHandle, SharedShape, SpringCoefficients, Vector,
};

/// How Rapier is run.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Solver iterations, which it makes as substeps; 4 by default.
    pub iterations: usize,
    /// Natural frequencies of contacts, as a multiple of the defaults of 30 and 60 Hz.
    pub stiffness: f64,
}

impl Effort {
    /// As it comes.
    pub const DEFAULT: Self = Self {
        iterations: 4,
        stiffness: 1.0,
    };

    /// Twice the iterations, and contacts twice as stiff: stiffer ones need shorter substeps.
    pub fn doubled(self) -> Self {
        Self {
            iterations: 2 * self.iterations,
            stiffness: 2.0 * self.stiffness,
        }
    }

    /// For tables.
    pub fn words(self) -> String {
        match self.iterations == Self::DEFAULT.iterations {
            true => "default".to_owned(),
            false => format!(
                "{} iterations, contacts x{}",
                self.iterations, self.stiffness
            ),
        }
    }
}

/// A world of ours in Rapier.
pub struct Copied {
    world: PhysicsWorld,
    /// Which body of ours each moving one is.
    moving: Vec<(BodyId, RigidBodyHandle)>,
    /// Bodies on joints, which were left out.
    pub left_out: usize,
}

impl Copied {
    /// Bodies, poses, velocities, masses, friction, gravity and time step of a world. What hangs on
    /// joints is left out.
    pub fn new(ours: &World, effort: Effort) -> Result<Self, String> {
        let settings = ours.settings();
        let defaults = IntegrationParameters::default();
        let stiffer = |softness: SpringCoefficients<f64>| SpringCoefficients {
            natural_frequency: effort.stiffness * softness.natural_frequency,
            ..softness
        };
        let mut world = PhysicsWorld::new();
        world.gravity = settings.gravity;
        world.integration_parameters = IntegrationParameters {
            dt: settings.time_step,
            num_solver_iterations: effort.iterations,
            contact_softness: stiffer(defaults.contact_softness),
            static_contact_softness: stiffer(defaults.static_contact_softness),
            ..defaults
        };
        let jointed: BTreeSet<BodyId> = ours
            .joints()
            .flat_map(|joint| ours.joint_bodies(joint))
            .flatten()
            .filter(|body| ours.kind(*body) == BodyKind::Dynamic)
            .collect();
        let mut moving = Vec::new();
        for body in ours.ids() {
            if !ours.is_enabled(body) || jointed.contains(&body) {
                continue;
            }
            let (pose, state) = (ours.pose(body), ours.body_state(body));
            let builder = match ours.kind(body) {
                // Asleep it would take no time, and neither do ours when they sleep.
                BodyKind::Dynamic => RigidBodyBuilder::dynamic()
                    .linvel(state.velocity)
                    .angvel(state.angular_velocity)
                    .can_sleep(false),
                BodyKind::Fixed | BodyKind::Prescribed => RigidBodyBuilder::fixed(),
            };
            let handle = world.insert_body(builder.pose(theirs(&pose)));
            let material = ours.material(body);
            let surface = ours.surface_between(material, material);
            let collider = ColliderBuilder::new(shape(ours.shape(body))?)
                .friction(surface.friction)
                .friction_combine_rule(CoefficientCombineRule::Min);
            let collider = match ours.kind(body) {
                BodyKind::Dynamic => {
                    moving.push((body, handle));
                    collider.mass(ours.mass(body))
                }
                BodyKind::Fixed | BodyKind::Prescribed => collider,
            };
            world.insert_collider(collider, Some(handle));
        }
        Ok(Self {
            world,
            moving,
            left_out: jointed.len(),
        })
    }

    /// Makes a step; its time in s.
    pub fn step(&mut self) -> f64 {
        let start = Instant::now();
        self.world.step();
        start.elapsed().as_secs_f64()
    }

    /// Where the moving bodies are: centre of mass and how each is turned.
    pub fn poses(&self) -> impl Iterator<Item = (BodyId, Pose)> {
        self.moving.iter().map(|(body, handle)| {
            let pose = self.world.bodies[*handle].position();
            let ours = Pose {
                position: pose.translation,
                rotation: pose.rotation,
            };
            (*body, ours)
        })
    }
}

fn theirs(pose: &Pose) -> RapierPose {
    RapierPose::from_parts(pose.position, pose.rotation)
}

/// The shapes of the scenes that are compared. In all of them the centre of mass is the origin.
fn shape(shape: &Shape) -> Result<SharedShape, String> {
    match shape {
        Shape::Sphere { radius } => Ok(SharedShape::ball(*radius)),
        Shape::Box { half } => Ok(SharedShape::cuboid(half.x, half.y, half.z)),
        Shape::Plane => Ok(SharedShape::halfspace(Vector::Z)),
        other => Err(format!("a {} has no counterpart here", other.kind())),
    }
}
