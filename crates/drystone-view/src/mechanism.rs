//! Joints, springs, phases and the periodic domain: what a recording does not hold, and the scene
//! in the run's folder does.

use std::path::Path;

use drystone::{JointHold, JointId, World};
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
            let list = match world.joint_kind(joint).holds() {
                JointHold::Distance => &mut mechanism.springs,
                JointHold::Frames => &mut mechanism.joints,
                // It has no points of its own.
                JointHold::Joints => continue,
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
        "coil": world.joint_spring(joint).is_some(),
    })
}

/// The phases of a run that have begun, where there are several.
#[derive(Default)]
pub struct Phases<'a> {
    scene: Option<&'a Scene>,
    /// When each began, s.
    begins: Vec<f64>,
}

impl<'a> Phases<'a> {
    /// Those of a run.
    pub fn of(scene: Option<&'a Scene>, folder: Option<&Path>) -> Self {
        let (Some(scene), Some(folder)) = (scene, folder) else {
            return Self::default();
        };
        let count = scene.phase_names().len();
        let ends = match count {
            0 | 1 => Vec::new(),
            _ => phase_ends(folder, LARGEST_STATE),
        };
        let begins = std::iter::once(0.0).chain(ends).take(count);
        Self {
            scene: Some(scene),
            begins: begins.collect(),
        }
    }

    /// Their names and when they began; none where there is only one.
    pub fn json(&self) -> Vec<Value> {
        let names = self.scene.filter(|scene| scene.phase_names().len() > 1);
        let names = names.into_iter().flat_map(Scene::phase_names);
        let phase = |(name, time): (&str, &f64)| json!({ "name": name, "time": time });
        names.zip(&self.begins).map(phase).collect()
    }

    /// Joints with the spans of time in which they do not hold, s, as `off`; the last may have no
    /// end.
    pub fn with_spans(&self, joints: &[Value]) -> Vec<Value> {
        let with = |joint: &Value| {
            let mut joint = joint.clone();
            let name = joint["name"].as_str().unwrap_or_default();
            joint["off"] = self.spans_off(name).into();
            joint
        };
        joints.iter().map(with).collect()
    }

    fn spans_off(&self, joint: &str) -> Vec<Value> {
        let switches = self.scene.map(|scene| scene.joint_switches(joint));
        let (mut spans, mut since) = (Vec::new(), None);
        for (phase, holds) in switches.unwrap_or_default() {
            let Some(&time) = self.begins.get(phase) else {
                break;
            };
            match (since, holds) {
                (None, false) => since = Some(time),
                (Some(from), true) => {
                    spans.push(json!([from, time]));
                    since = None;
                }
                (None, true) | (Some(_), false) => {}
            }
        }
        spans.extend(since.map(|from| json!([from, null])));
        spans
    }
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
