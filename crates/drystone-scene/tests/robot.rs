//! Robots from URDF files: kinematics, bodies, scenes, and files that are wrong.
#![allow(clippy::unwrap_used)]

mod bodies;
mod files;
mod kinematics;
mod mimic;
mod scenes;

use std::fs;

use drystone::{BodyId, JointId, World};
use drystone_scene::{Scene, SceneOptions, Simulation};

/// The robot that ships.
const ARM: &str = include_str!("../../../scenes/robots/arm.urdf");

/// Mass and inertia of a link without any symmetry.
const INERTIAL: &str = r#"<inertial><origin xyz="0.02 -0.01 0.03"/><mass value="2"/>
    <inertia ixx="0.02" iyy="0.03" izz="0.025" ixy="0.002" ixz="-0.001" iyz="0.003"/></inertial>"#;

/// A simulation of one robot, with more lines of its entry and after it.
fn simulate(urdf: &str, entry: &str, rest: &str) -> Simulation {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("robot.urdf"), urdf).unwrap();
    let text = format!(
        "[settings]\nduration = 10\ntime_step = 0.001\ntolerance = 1e-10\n\n[[robot]]\nfile = \"robot.urdf\"\n{entry}\n{rest}"
    );
    let path = folder.path().join("scene.toml");
    fs::write(&path, text).unwrap();
    let scene = Scene::load(&path, &SceneOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    Simulation::new(&scene).unwrap_or_else(|e| panic!("{e}"))
}

fn body(world: &World, name: &str) -> BodyId {
    let group = world.group(name);
    assert_eq!(group.len(), 1, "{name}");
    group[0]
}

fn joint(world: &World, name: &str) -> JointId {
    let mut joints = world.joints();
    joints.find(|j| world.joint_name(*j) == name).unwrap()
}

fn coordinate(world: &World, name: &str) -> f64 {
    world.joint_coordinate(joint(world, name)).unwrap()[0]
}
