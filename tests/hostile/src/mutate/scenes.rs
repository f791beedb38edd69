//! Scenes and robots: what is still read is built and stepped.

use std::path::Path;
use std::time::Duration;

use drystone::Watch;
use drystone_run::inspect::overlaps;
use drystone_scene::robot::{Placement, parse_urdf};
use drystone_scene::{Scene, SceneOptions, Simulation};

use super::format::{Format, Sources};
use crate::bench::repository;
use crate::dice::Dice;
use crate::small_scenes;

/// Most bodies of a scene that is built. The program goes on to what the memory holds.
const MOST_BODIES: u64 = 300;

/// Steps of each.
const STEPS: usize = 3;

/// Longest that the solves of a step may take. A scene may ask for any number of iterations.
const STEP_TIME: Duration = Duration::from_millis(200);

/// Longest message that anybody reads, bytes.
const LONGEST_MESSAGE: usize = 20_000;

/// A scene or an error; a few steps of it.
pub fn step(bytes: &[u8], folder: &Path, dice: &mut Dice) -> Result<bool, String> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Ok(false);
    };
    let options = SceneOptions::default();
    let scene = match Scene::parse(text, "forged.toml", Some(folder), &options) {
        Ok(scene) => scene,
        Err(error) => return readable(&error.to_string()),
    };
    if scene.to_toml() != text.strip_prefix('\u{feff}').unwrap_or(text) {
        return Err("the text of the scene is another".to_owned());
    }
    if scene.least_bodies() > MOST_BODIES {
        return Ok(true);
    }
    let mut simulation = match Simulation::new(&scene) {
        Ok(simulation) => simulation,
        Err(error) => return readable(&error.to_string()),
    };
    if simulation.world().len() as u64 > MOST_BODIES {
        return Ok(true);
    }
    for _ in 0..STEPS {
        let mut watch = Watch::default();
        watch.set_time_limit(STEP_TIME);
        let report = match simulation.step_watched(&mut watch) {
            Ok(step) => step.report,
            Err(error) => return readable(&error.to_string()),
        };
        if report.converged() && !report.residual.is_finite() {
            return Err(format!("converged with residual {}", report.residual));
        }
        let world = simulation.world();
        for body in world.ids() {
            let (pose, state) = (world.pose(body), world.body_state(body));
            let finite = pose.position.is_finite()
                && pose.rotation.is_finite()
                && state.velocity.is_finite();
            if !finite {
                return Err(format!("{} is nowhere", world.name(body)));
            }
        }
    }
    let _ = overlaps(simulation.world());
    // A state taken and given back is the same world.
    if dice.one_in(4) {
        let state = simulation.state();
        let again = Simulation::new(&scene).and_then(|mut s| s.restore(&state));
        again.map_err(|e| format!("its own state is refused: {e}"))?;
    }
    Ok(true)
}

/// Errors are for people.
fn readable(message: &str) -> Result<bool, String> {
    match message.len() > LONGEST_MESSAGE {
        true => Err(format!("a message of {} bytes", message.len())),
        false => Ok(false),
    }
}

/// A robot or an error; its bodies and joints.
pub fn robot(bytes: &[u8], folder: &Path) -> Result<bool, String> {
    let file = folder.join("forged.urdf");
    let robot = match parse_urdf(bytes, &file, Some(folder)) {
        Ok(robot) => robot,
        Err(error) => return readable(&error.to_string()),
    };
    if let Err(error) = robot.build(&Placement::default()) {
        readable(&error.to_string())?;
    }
    Ok(true)
}

/// Files to begin from: all scenes that ship, made small, and some with what those do not have.
pub fn sources(sources: &mut Sources) -> Result<(), String> {
    for (name, set) in small_scenes::builtin() {
        let options = SceneOptions {
            set,
            ..SceneOptions::default()
        };
        let scene = Scene::builtin(name, &options).map_err(|e| e.to_string())?;
        sources.add(Format::Scene, &format!("{name}.toml"), scene.to_toml());
    }
    sources.add(
        Format::Scene,
        "starter.toml",
        drystone_scene::starter_scene(),
    );
    sources.add(Format::Scene, "balls.toml", small_scenes::balls(0.05));
    for (name, text) in EXTRA {
        sources.add(Format::Scene, name, text);
    }
    sources.add_file(Format::Scene, "scenes/robots/arm.toml")?;
    sources.add_file(Format::Urdf, "scenes/robots/arm.urdf")?;
    sources.add(Format::Urdf, "car.urdf", CAR);
    // What the scenes refer to.
    let arm = repository().join("scenes/robots/arm.urdf");
    let copied = std::fs::copy(&arm, sources.folder.join("arm.urdf"));
    copied.map_err(|e| format!("{}: {e}", arm.display()))?;
    let tetrahedron =
        "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::fs::write(sources.folder.join("stone.obj"), tetrahedron).map_err(|e| e.to_string())
}

/// Shapes, motions, joints and laws that the scenes that ship do not have.
const EXTRA: [(&str, &str); 3] = [
    (
        "shapes.toml",
        r#"
[settings]
duration = 0.1
law = "exact"
sleeping = { speed = "1 cm/s", after = "10 ms" }
periodic = { x = [-3, 3], y = [-3, 3] }

[[material]]
name = "clay"
friction = 0.5
cohesion = "1 N"
rolling_friction = "1 mm"
spinning_friction = "1 mm"
restitution = 0.3
compliance = 1e-6

[[body]]
name = "hills"
shape = { type = "height_field", size = [4, 4], height = "0.1*sin(x)*cos(y)", points = [9, 9] }

[[body]]
name = "stone"
shape = { type = "mesh", file = "stone.obj" }
position = [0, 0, 0.5]

[[body]]
name = "hull"
shape = { type = "hull", points = [[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.2]] }
position = [0.5, 0, 0.5]
material = "clay"

[[body]]
name = "cone"
shape = { type = "cone", radius = 0.1, height = 0.2 }
position = [0, 0.5, 0.3]

[[body]]
name = "capsule"
shape = { type = "capsule", radius = 0.05, height = 0.2 }
position = [0.5, 0.5, 0.3]
rotation = { axis = [1, 1, 0], angle = "30 deg" }

[[body]]
name = "egg"
shape = { type = "ellipsoid", semi_axes = [0.1, 0.05, 0.05] }
position = [-0.5, 0.5, 0.3]
rotation = { quaternion = [1, 0, 0, 1] }
angular_velocity = [0, 0, 5]
mass = 1
inertia = [0.01, 0.01, 0.01]
"#,
    ),
    (
        "joints.toml",
        r#"
[settings]
duration = 0.1

[[body]]
name = "a"
shape = { type = "box", size = [0.2, 0.1, 0.1] }
position = [0, 0, 1]
load = { force = [1, 0, 0], torque = [0, 0, 1] }

[[body]]
name = "b"
shape = { type = "box", size = [0.2, 0.1, 0.1] }
position = [0.3, 0, 1]

[[body]]
name = "wheel"
shape = { type = "cylinder", radius = 0.1, height = 0.05 }
position = [0.6, 0, 1]
motion = { type = "rotation", rate = "10 rpm", axis = [0, 1, 0], ramp = 0.1 }

[[joint]]
type = "prismatic"
bodies = ["world", "a"]
at = [0, 0, 1]
axis = [1, 0, 0]
limits = [-0.5, 0.5]
motor = { type = "position", value = "0.1*sin(t)" }

[[joint]]
type = "link"
bodies = ["a", "b"]
from = [0.1, 0, 1]
to = [0.2, 0, 1]
spring = { stiffness = 100, damping = 1 }

[[joint]]
type = "universal"
bodies = ["b", "world"]
at = [0.4, 0, 1]
axis = [1, 0, 0]
second_axis = [0, 1, 0]
"#,
    ),
    (
        "phases.toml",
        r#"
[[body]]
name = "floor"
shape = { type = "plane" }

[[body]]
name = "gate"
kind = "fixed"
shape = { type = "box", size = [0.1, 1, 1] }
position = [0.5, 0, 0.5]

[[body]]
name = "slab"
shape = { type = "box", size = [0.5, 0.5, 0.1] }
mass = 5

[[fill]]
name = "grains"
mix = [{ shape = { type = "sphere", radius = 1 }, share = 3 }, { shape = { type = "box", size = [1, 1, 2] } }]
sizes = { type = "sieve", rows = [{ size = "4 cm", passing = 0 }, { size = "8 cm", passing = 100 }] }
total_mass = "5 kg"
region = { type = "box", min = [-0.4, -0.4, 0], max = [0.4, 0.4, 0.8] }
seed = 3

[[phase]]
name = "settle"
until = { rest = { speed = "1 cm/s", for = "4 ms" }, steps = 1 }

[[phase]]
name = "press"
at_start = [
    { remove = "gate" },
    { add = { body = "slab", above = "grains", gap = "1 mm" } },
    { load = { body = "slab", force = [0, 0, "-1 kN"] } },
    { velocity = { body = "grains", velocity = [0, 0, 0] } },
    { settings = { tolerance = 1e-6 } },
]
until = { steps = 2 }
"#,
    ),
];

/// A robot with every kind of joint and geometry.
const CAR: &str = r#"<robot name="car">
  <link name="base"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="1 1 0.2"/></geometry></collision></link>
  <link name="a"><inertial><origin xyz="0 0 0.1" rpy="0.1 0 0"/><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0.1" ixz="0" iyz="0"/></inertial>
    <collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><mesh filename="stone.obj" scale="1 1 2"/></geometry></collision></link>
  <link name="c"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="d"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="p" type="planar"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/></joint>
  <joint name="f" type="floating"><parent link="a"/><child link="b"/><origin xyz="0 0 1"/></joint>
  <joint name="s" type="prismatic"><parent link="a"/><child link="c"/><axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="5" velocity="1"/><mimic joint="r" multiplier="0.5"/></joint>
  <joint name="r" type="revolute"><parent link="a"/><child link="d"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="5" velocity="1"/></joint>
  <transmission name="t"/><gazebo reference="a"/><material name="red"/>
</robot>
"#;
