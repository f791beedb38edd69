//! Couplings, convex pieces and followers, as scenes use them.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use drystone::{Shape, World};
use drystone_scene::{Scene, SceneOptions, Simulation};

fn build(text: &str, folder: Option<&Path>) -> Result<Simulation, String> {
    let scene = Scene::parse(text, "test.toml", folder, &SceneOptions::default());
    let scene = scene.map_err(|e| e.to_string())?;
    Simulation::new(&scene).map_err(|e| e.to_string())
}

fn coordinate(world: &World, name: &str) -> f64 {
    let joint = world
        .joints()
        .find(|j| world.joint_name(*j) == name)
        .unwrap();
    world.joint_coordinate(joint).unwrap()[0]
}

/// A screw: a nut that a wheel drives along, on a cart that falls.
const SCREW: &str = r#"
[settings]
duration = 1
time_step = "1 ms"

[[body]]
name = "cart"
shape = { type = "box", size = [0.4, 0.1, 0.1] }

[[body]]
name = "wheel"
shape = { type = "cylinder", radius = 0.05, height = 0.02 }
position = [-0.3, 0, 0]

[[body]]
name = "nut"
shape = { type = "box", size = [0.05, 0.05, 0.05] }
position = [0, 0, 0.3]
repeat = { count = [2, 1, 1], spacing = [0.1, 0, 0] }

[[joint]]
name = "turn"
type = "revolute"
bodies = ["cart", "wheel"]
at = [-0.3, 0, 0]
axis = [1, 0, 0]
motor = { type = "speed", value = "20 rad/1 s" }

[[joint]]
name = "slide"
type = "prismatic"
bodies = ["cart", "nut[index]"]
axis = [1, 0, 0]
repeat = 2

[[joint]]
name = "screw"
type = "coupling"
joints = ["turn", "slide[index]"]
ratio = "0.002*(1 + index)"
repeat = 2
"#;

#[test]
fn a_screw_moves_its_nuts_while_all_falls() {
    let mut simulation = build(SCREW, None).unwrap();
    for _ in 0..200 {
        let report = simulation.step().unwrap();
        assert!(report.converged(), "{report:?}");
    }
    let world = simulation.world();
    let turned = coordinate(world, "turn");
    assert!((turned - 4.0).abs() < 1e-6, "{turned}");
    let joints: Vec<_> = world.joints().collect();
    let slide = |k: usize| world.joint_coordinate(joints[1 + k]).unwrap()[0];
    assert!((slide(0) - 0.002 * turned).abs() < 1e-7, "{}", slide(0));
    assert!((slide(1) - 0.004 * turned).abs() < 1e-7, "{}", slide(1));
}

#[test]
fn couplings_that_cannot_be_are_said_with_their_line() {
    let message = |old: &str, new: &str| {
        assert!(SCREW.contains(old));
        build(&SCREW.replace(old, new), None).err().unwrap()
    };
    for (old, new, expected) in [
        (
            "\"turn\", \"slide[index]\"",
            "\"turm\", \"slide[index]\"",
            "did you mean `turn`?",
        ),
        (
            "\"slide[index]\"]\nratio",
            "\"slide\"]\nratio",
            "there are 2 joints called slide",
        ),
        (
            "\"slide[index]\"]\nratio",
            "\"slide[index + 1]\"]\nratio",
            "there is no joint slide",
        ),
        ("ratio = \"0.002*(1 + index)\"", "ratio = 0", "ratio 0"),
        ("ratio = \"0.002*(1 + index)\"", "", "ratio"),
        (
            "joints = [\"turn\", \"slide[index]\"]",
            "bodies = [\"cart\", \"nut\"]",
            "bodies",
        ),
    ] {
        let words = message(old, new);
        assert!(words.contains(expected), "{words}\nexpected {expected}");
        assert!(words.contains("test.toml:"), "{words}");
    }
}

/// A bracket: an L of two arms, 3 long and 1 thick, 1 high.
const BRACKET: &str = "
v 0 0 0\nv 3 0 0\nv 3 1 0\nv 1 1 0\nv 1 3 0\nv 0 3 0
v 0 0 1\nv 3 0 1\nv 3 1 1\nv 1 1 1\nv 1 3 1\nv 0 3 1
f 1 4 3 2\nf 1 6 5 4\nf 7 8 9 10\nf 7 10 11 12
f 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12
";

#[test]
fn a_mesh_in_pieces_weighs_as_its_solid_and_collides_as_its_pieces() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("bracket.obj"), BRACKET).unwrap();
    let text = |more: &str| {
        format!(
            "[settings]\nduration = 1\n[[body]]\nname = \"l\"\ndensity = 100\n\
             shape = {{ type = \"mesh\", file = \"bracket.obj\", scale = 0.1{more} }}\n"
        )
    };
    let [whole, pieces] =
        ["", ", decompose = true"].map(|more| build(&text(more), Some(folder.path())).unwrap());
    let body = |simulation: &Simulation| {
        let world = simulation.world();
        let id = world.ids().next().unwrap();
        (
            world.shape(id).clone(),
            world.mass(id),
            world.body_state(id).position,
        )
    };
    let (mesh, mass, center) = body(&whole);
    let (shape, same_mass, same_center) = body(&pieces);
    assert!(matches!(mesh, Shape::Mesh(_)));
    // One for each arm, and what the cut through the corner leaves.
    assert!((2..=4).contains(&shape.parts().count()), "{}", shape.kind());
    // 5 cubes of 0.1 m.
    assert!((mass - 0.5).abs() < 1e-12, "{mass}");
    assert!((same_mass - mass).abs() < 1e-12, "{same_mass}");
    assert!((same_center - center).length() < 1e-12);
    let one = build(&text(", decompose = true, pieces = 1"), Some(folder.path())).unwrap();
    assert!(matches!(body(&one).0, Shape::Hull(_)));
    for (more, expected) in [
        (", pieces = 3", "`pieces` needs `decompose = true`"),
        (", decompose = true, pieces = 0", "1 to 1024"),
        (", decompose = 1", "decompose"),
    ] {
        let words = build(&text(more), Some(folder.path())).err().unwrap();
        assert!(words.contains(expected), "{words}");
    }
    // An L without its lid is no solid.
    let open = BRACKET.replace("f 7 8 9 10", "");
    std::fs::write(folder.path().join("bracket.obj"), open).unwrap();
    let words = build(&text(", decompose = true"), Some(folder.path()))
        .err()
        .unwrap();
    assert!(words.contains("not closed"), "{words}");
}

#[test]
fn a_robots_meshes_are_cut_into_pieces() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("bracket.obj"), BRACKET).unwrap();
    let urdf = r#"<robot name="r"><link name="a"><collision><geometry>
        <mesh filename="bracket.obj"/></geometry></collision>
        <collision><geometry><sphere radius="0.5"/></geometry></collision></link></robot>"#;
    std::fs::write(folder.path().join("r.urdf"), urdf).unwrap();
    let count = |more: &str| {
        let text = format!("[settings]\nduration = 1\n[[robot]]\nfile = \"r.urdf\"\n{more}");
        let simulation = build(&text, Some(folder.path())).unwrap();
        let world = simulation.world();
        let id = world.ids().next().unwrap();
        world.shape(id).parts().count()
    };
    // A hull and a ball; some pieces and a ball.
    assert_eq!(count(""), 2);
    assert!((3..=5).contains(&count("decompose = true")));
}

/// The gripper of the trials, in the usual style of ROS: one finger follows the other, and both hold
/// a box while the palm rises.
#[test]
fn the_gripper_of_the_trials_closes_by_one_motor() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/trials/grip/grasp.toml");
    if !file.exists() {
        assert!(
            std::env::var_os("DRYSTONE_REQUIRE_SHARED").is_none(),
            "{}",
            file.display()
        );
        println!("skipped: no folder shared");
        return;
    }
    let text = std::fs::read_to_string(&file).unwrap();
    // Without the motor of the finger that follows: one motor pushes for two.
    let text = text.replace("12 N", "24 N");
    let own = text
        .lines()
        .filter(|line| !line.contains("joint = \"g/right_joint\""));
    let text: String = own.map(|line| format!("{line}\n")).collect();
    let mut simulation = build(&text, file.parent()).unwrap();
    while !simulation.is_finished() {
        let _ = simulation.step().unwrap();
    }
    let world = simulation.world();
    let [left, right] = ["g/left_joint", "g/right_joint"].map(|j| coordinate(world, j));
    assert!((left - right).abs() < 1e-5, "{left} {right}");
    let held = world.group("box")[0];
    let rise = world.body_state(held).position.z - 0.04;
    assert!((rise - 0.1).abs() < 0.002, "{rise}");
}
