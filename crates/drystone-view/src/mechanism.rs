//! Joints, springs, phases and the periodic domain: what a recording does not hold, and the scene
//! in the run's folder does.

use std::path::Path;

use drystone::{JointId, JointKind, World};
use drystone_run::phase_ends;
use drystone_run::start::build;
use drystone_scene::Scene;
use serde_json::{Value, json};

/// Files with the states at the ends of phases are read up to this length, bytes: larger ones take
/// seconds, and tell only a time.
const LARGEST_STATE: u64 = 32 << 20;

/// What the page needs of a scene's joints.
#[derive(Default)]
pub struct Mechanism {
    /// For `run.json`.
    pub joints: Vec<Value>,
    /// Springs, and whatever else acts on the distance of two points.
    pub springs: Vec<Value>,
}

impl Mechanism {
    /// That of a scene; empty where it has no joints or does not fit the recording's bodies.
    pub fn of(scene: Option<&Scene>, folder: Option<&Path>, bodies: usize) -> Self {
        let built = scene
            .filter(|scene| scene.has_joints())
            .and_then(|scene| build(scene, folder).ok());
        match built {
            Some(built) if built.simulation.world().len() == bodies => {
                Self::of_world(built.simulation.world())
            }
            Some(_) | None => Self::default(),
        }
    }

    fn of_world(world: &World) -> Self {
        let mut mechanism = Self::default();
        for joint in world.joints() {
            let list = match world.joint_kind(joint) {
                JointKind::Link | JointKind::Distance(_) => &mut mechanism.springs,
                // It holds two joints, not two points.
                JointKind::Coupling { .. } => continue,
                JointKind::Spherical
                | JointKind::Revolute
                | JointKind::Prismatic
                | JointKind::Cylindrical
                | JointKind::Universal
                | JointKind::Fixed
                | JointKind::PointOnLine
                | JointKind::PointOnPlane
                | JointKind::Gear { .. }
                | JointKind::Rack { .. } => &mut mechanism.joints,
            };
            list.push(described(world, joint));
        }
        mechanism
    }
}

fn described(world: &World, joint: JointId) -> Value {
    let frames = world.joint_frames(joint);
    json!({
        "name": world.joint_name(joint),
        "kind": world.joint_kind(joint).name(),
        "bodies": world.joint_bodies(joint).map(|body| body.map(|b| b.index())),
        "points": frames.map(|frame| frame.position.to_array()),
        "axes": frames.map(|frame| (frame.rotation * glam::DVec3::Z).to_array()),
    })
}

/// Names of the phases that have begun and when they did, where there are several.
pub fn phases(scene: Option<&Scene>, folder: Option<&Path>) -> Vec<Value> {
    let (Some(scene), Some(folder)) = (scene, folder) else {
        return Vec::new();
    };
    let names = scene.phase_names();
    if names.len() < 2 {
        return Vec::new();
    }
    let begins = std::iter::once(0.0).chain(phase_ends(folder, LARGEST_STATE));
    let phase = |(name, time): (&str, f64)| json!({ "name": name, "time": time });
    names.zip(begins).map(phase).collect()
}

/// The periodic domain, or nothing.
pub fn periodic(scene: Option<&Scene>) -> Value {
    let Some(domain) = scene.map(Scene::periodic).filter(|domain| domain.is_on()) else {
        return Value::Null;
    };
    let end = |k: usize| domain.axes.map(|axis| axis.map_or(0.0, |ends| ends[k]));
    json!({
        "low": end(0),
        "high": end(1),
        "axes": domain.axes.map(|axis| axis.is_some()),
    })
}
