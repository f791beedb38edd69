//! What links weigh, what they look like, what joints do to them.

use std::fs;

use drystone::{BodyKind, JointKind};
use drystone_scene::robot::{Geometry, read_urdf};
use glam::DVec3;

use super::{INERTIAL, body, coordinate, joint, simulate};

#[test]
fn an_inertia_is_turned_into_the_links_axes() {
    // Turned by a quarter about z: x' = y, y' = -x, so by hand xx and yy change places, xy' = -xy,
    // xz' = -yz, yz' = xz.
    let urdf = r#"<robot name="r"><link name="a"><inertial>
        <origin xyz="0.1 0.2 0.3" rpy="0 0 1.5707963267948966"/><mass value="3"/>
        <inertia ixx="0.2" iyy="0.3" izz="0.4" ixy="0.01" ixz="0.02" iyz="0.03"/></inertial></link></robot>"#;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.urdf");
    fs::write(&path, urdf).unwrap();
    let robot = read_urdf(&path, None).unwrap();
    let inertial = robot.links[0].inertial.unwrap();
    assert_eq!(inertial.mass, 3.0);
    assert_eq!(inertial.center, DVec3::new(0.1, 0.2, 0.3));
    let expected = [[0.3, -0.01, -0.03], [-0.01, 0.2, 0.02], [-0.03, 0.02, 0.4]];
    let found = inertial.inertia.to_cols_array_2d();
    for (a, b) in expected.as_flattened().iter().zip(found.as_flattened()) {
        assert!((a - b).abs() < 1e-15, "{found:?}");
    }
    // And that is what turns in the world: a torque changes the angular momentum by torque times
    // time.
    let rest = "[[phase]]\nat_start = [{ load = { body = \"r/a\", torque = [1, 2, 3] } }]\n";
    let mut simulation = simulate(urdf, "base = \"free\"", rest);
    let _ = simulation.step().unwrap();
    let world = simulation.world();
    let a = body(world, "r/a");
    let turning = inertial.inertia * world.body_state(a).angular_velocity;
    assert!(
        turning.distance(1e-3 * DVec3::new(1.0, 2.0, 3.0)) < 1e-7,
        "{turning}"
    );
    assert!((world.mass(a) - 3.0).abs() < 1e-15);
}

/// A tetrahedron with legs of 1 m: 1/6 m³.
const TETRAHEDRON: &str =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

#[test]
fn meshes_are_scaled_mirrored_and_found_in_packages() {
    let top = tempfile::tempdir().unwrap();
    let folder = top.path().join("arm_description");
    for made in ["urdf", "meshes"] {
        fs::create_dir_all(folder.join(made)).unwrap();
    }
    fs::create_dir_all(top.path().join("other/deep")).unwrap();
    fs::write(folder.join("meshes/t.obj"), TETRAHEDRON).unwrap();
    fs::write(top.path().join("other/deep/t.obj"), TETRAHEDRON).unwrap();
    let path = folder.join("urdf/arm.urdf");
    let write = |mesh: &str| {
        let mesh = format!(
            "<collision><geometry><mesh filename=\"{mesh}\" scale=\"2 -3 0.5\"/></geometry></collision>"
        );
        fs::write(
            &path,
            format!("<robot name=\"r\"><link name=\"a\">{mesh}</link></robot>"),
        )
        .unwrap();
    };
    let outside = format!("file://{}", top.path().join("other/deep/t.obj").display());
    let found = [
        "../meshes/t.obj",
        "package://arm_description/meshes/t.obj",
        "package://other/deep/t.obj",
        outside.as_str(),
    ];
    for mesh in found {
        write(mesh);
        let robot = read_urdf(&path, None).unwrap_or_else(|e| panic!("{e}"));
        let Geometry::Mesh(data) = &robot.links[0].geometry[0].1 else {
            panic!("{:?}", robot.links[0].geometry);
        };
        // Mirrored, and still not inside out.
        assert!((data.volume() - 0.5).abs() < 1e-12, "{}", data.volume());
        assert_eq!(data.bounds().min, DVec3::new(0.0, -3.0, 0.0));
        assert_eq!(data.bounds().max, DVec3::new(2.0, 0.0, 0.5));
    }
    // Inside a folder only what is in it.
    for (mesh, inside) in found.into_iter().zip([true, true, false, false]) {
        write(mesh);
        let result = read_urdf(&path, Some(&folder));
        assert_eq!(result.is_ok(), inside, "{mesh}");
        if let Err(error) = result {
            assert!(
                error.what.contains("leads out of the scene's folder"),
                "{error}"
            );
        }
    }
    write("package://nowhere/t.obj");
    let error = read_urdf(&path, None).unwrap_err();
    assert!(
        error.what.contains("looked for a folder nowhere"),
        "{error}"
    );
    // The package is there: what is missing is the file.
    write("package://arm_description/meshes/hand.obj");
    let error = read_urdf(&path, None).unwrap_err();
    assert!(
        error.what.contains("the package arm_description is")
            && error.what.contains("and has no file meshes/hand.obj"),
        "{error}"
    );
}

/// A pendulum of 1 kg that turns about the y axis at the origin, its centre `0.5 m` along x.
fn pendulum(joint: &str) -> String {
    format!(
        r#"<robot name="p"><link name="wall"/><link name="bob">
<inertial><origin xyz="0.5 0 0"/><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial></link>
<joint name="pin" type="revolute"><parent link="wall"/><child link="bob"/><axis xyz="0 1 0"/>{joint}</joint></robot>"#
    )
}

#[test]
fn limits_hold() {
    let mut simulation = simulate(&pendulum("<limit lower=\"-0.2\" upper=\"0.6\"/>"), "", "");
    let mut furthest = 0.0_f64;
    for _ in 0..1500 {
        let _ = simulation.step().unwrap();
        let angle = coordinate(simulation.world(), "p/pin");
        assert!((-0.2 - 1e-6..0.6 + 1e-6).contains(&angle), "{angle}");
        furthest = furthest.max(angle);
    }
    // Down is a positive turn about y.
    assert!(furthest > 0.6 - 1e-6, "{furthest}");
}

#[test]
fn effort_limits_motors_and_damping_slows() {
    // It takes 9.81 * 0.5 N m to hold the bob level.
    let strong = pendulum("<limit lower=\"-1\" upper=\"1\" effort=\"5\"/>");
    let weak = pendulum("<limit lower=\"-1\" upper=\"1\" effort=\"4\"/>");
    for (urdf, holds) in [(strong, true), (weak, false)] {
        let mut simulation = simulate(&urdf, "hold = true", "");
        for _ in 0..200 {
            let _ = simulation.step().unwrap();
        }
        let world = simulation.world();
        let motor = world.joint_force(joint(world, "p/pin")).motor;
        let (angle, torque) = (coordinate(world, "p/pin"), if holds { 4.905 } else { 4.0 });
        assert!((motor + torque).abs() < 1e-3, "{motor}");
        assert_eq!(angle.abs() < 1e-6, holds, "{angle}");
    }
    // Without gravity a damper takes the share h c / I of the speed in a step; I about the pin.
    let urdf = pendulum("<limit lower=\"-9\" upper=\"9\"/><dynamics damping=\"0.4\"/>");
    let rest = r#"
[[phase]]
at_start = [
    { settings = { gravity = [0, 0, 0] } },
    { velocity = { body = "p/bob", velocity = [0, 0, -0.5], angular_velocity = [0, 1, 0] } },
]
"#;
    let mut simulation = simulate(&urdf, "", rest);
    for _ in 0..500 {
        let _ = simulation.step().unwrap();
    }
    let world = simulation.world();
    let speed = world.joint_coordinate(joint(world, "p/pin")).unwrap()[1];
    let expected = (1.0 + 1e-3 * 0.4 / 0.26_f64).powi(-500);
    assert!(
        (speed - expected).abs() < 1e-3 * expected,
        "{speed} {expected}"
    );
}

#[test]
fn links_without_mass_are_part_of_others() {
    let urdf = format!(
        r#"<robot name="car"><link name="footprint"/>
<link name="chassis">{INERTIAL}<collision><geometry><box size="1 0.5 0.2"/></geometry></collision></link>
<link name="mast"><collision><origin xyz="0 0 0.5"/><geometry><cylinder radius="0.02" length="1"/></geometry></collision></link>
<link name="head">{INERTIAL}</link>
<joint name="up" type="fixed"><parent link="footprint"/><child link="chassis"/><origin xyz="0 0 0.3" rpy="0 0 1"/></joint>
<joint name="stands" type="fixed"><parent link="chassis"/><child link="mast"/><origin xyz="0.2 0 0.1"/></joint>
<joint name="nod" type="continuous"><parent link="mast"/><child link="head"/><origin xyz="0 0 1"/></joint></robot>"#
    );
    for (base, bodies) in [
        ("free", vec!["chassis", "head"]),
        ("fixed", vec!["footprint", "chassis", "head"]),
    ] {
        let simulation = simulate(
            &urdf,
            &format!("base = \"{base}\"\nposition = [5, 0, 0]"),
            "",
        );
        let world = simulation.world();
        let expected: Vec<_> = bodies.iter().map(|name| format!("car/{name}")).collect();
        let found: Vec<_> = world.ids().map(|body| world.name(body)).collect();
        assert_eq!(found, expected);
        let chassis = body(world, "car/chassis");
        assert_eq!(world.kind(chassis), BodyKind::Dynamic);
        assert!(
            world
                .pose(chassis)
                .position
                .distance(DVec3::new(5.0, 0.0, 0.3))
                < 1e-12
        );
        let (sin, cos) = 1.0_f64.sin_cos();
        let head = DVec3::new(5.0 + 0.2 * cos, 0.2 * sin, 1.4);
        assert!(world.pose(body(world, "car/head")).position.distance(head) < 1e-12);
        // The mast stands on the chassis and is part of its shape.
        let bounds = world.shape(chassis).aabb(&drystone::Pose::IDENTITY);
        assert!((bounds.max.z - 1.1).abs() < 1e-12, "{bounds:?}");
        for joint in world.joints() {
            assert!(world.joint_error(joint) < 1e-12);
        }
    }
}

#[test]
fn a_planar_joint_slides_and_turns_in_its_plane() {
    let urdf = format!(
        r#"<robot name="r"><link name="table"/><link name="puck">{INERTIAL}</link>
<joint name="on" type="planar"><parent link="table"/><child link="puck"/><origin xyz="0 0 1" rpy="0.3 0 0"/><axis xyz="0 0 1"/></joint></robot>"#
    );
    let rest = "[[phase]]\nat_start = [{ velocity = { body = \"r/puck\", velocity = [0.4, 0, 0], angular_velocity = [0, -0.3, 1] } }]\n";
    let mut simulation = simulate(&urdf, "", rest);
    assert_eq!(simulation.world().joints().len(), 3);
    let normal = DVec3::new(0.0, -0.3_f64.sin(), 0.3_f64.cos());
    for _ in 0..500 {
        let _ = simulation.step().unwrap();
        let world = simulation.world();
        let pose = world.pose(body(world, "r/puck"));
        let height = normal.dot(pose.position - DVec3::Z);
        assert!(
            height.abs() < 1e-6 && pose.direction(DVec3::Z).distance(normal) < 1e-6,
            "{pose:?}"
        );
    }
    let world = simulation.world();
    let puck = body(world, "r/puck");
    // It slid down the slope and turned meanwhile.
    assert!(world.pose(puck).position.y.abs() > 0.1);
    assert!(world.pose(puck).direction(DVec3::X).y.abs() > 0.1);
    assert!(
        world
            .joints()
            .all(|j| world.joint_kind(j) == JointKind::PointOnPlane)
    );
}
