//! Files that are wrong: an error that says what and where, never a panic; and what is ignored is
//! listed.

use std::path::Path;

use drystone::{Joint, Settings, World};
use drystone_scene::robot::{Base, Placement, Robot, RobotError, parse_urdf};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use super::ARM;

pub const MASS: &str =
    r#"<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>"#;

fn parse(text: &str) -> Result<Robot, RobotError> {
    parse_urdf(text.as_bytes(), Path::new("folder/test.urdf"), None)
}

/// A robot with links `a` and `b` and the joint `j` of these words between.
fn two(a: &str, b: &str, kind: &str, joint: &str) -> String {
    format!(
        "<robot name=\"r\">\n<link name=\"a\">{a}</link>\n<link name=\"b\">{b}</link>\n<joint name=\"j\" type=\"{kind}\">\n\
         <parent link=\"a\"/><child link=\"b\"/>{joint}</joint>\n</robot>"
    )
}

#[test]
fn what_is_wrong_is_said_with_line_name_and_value() {
    let shape = |geometry: &str| {
        two(
            &format!("<collision><geometry>{geometry}</geometry></collision>"),
            "",
            "fixed",
            "",
        )
    };
    let joint = |words: &str| {
        two(
            "",
            MASS,
            "revolute",
            &format!("{words}<limit lower=\"0\" upper=\"1\"/>"),
        )
    };
    let inertial = |words: &str| two(&format!("<inertial>{words}</inertial>"), "", "fixed", "");
    let link = |name: &str| format!("<link name=\"{name}\"/>");
    let with = |more: &str| {
        format!(
            "<robot name=\"r\">\n{}\n{}\n{more}</robot>",
            link("a"),
            link("b")
        )
    };
    let between = |name: &str, parent: &str, child: &str| {
        format!(
            "<joint name=\"{name}\" type=\"fixed\"><parent link=\"{parent}\"/><child link=\"{child}\"/></joint>\n"
        )
    };
    let cases: Vec<(String, usize, &str)> = vec![
        ("<robot name='r'><link".to_owned(), 1, "not XML"),
        (
            "<!DOCTYPE r [<!ENTITY a 'b'>]><robot name='r'/>".to_owned(),
            1,
            "not XML",
        ),
        ("<sdf/>".to_owned(), 1, "found <sdf>, expected <robot>"),
        ("<robot/>".to_owned(), 1, "<robot> has no `name`"),
        ("<robot name='r'/>".to_owned(), 1, "the robot has no link"),
        (
            "<robot name='r'>\n<link/></robot>".to_owned(),
            2,
            "<link> has no `name`",
        ),
        (with(&link("a")), 4, "link a is there twice"),
        (
            with(""),
            3,
            "links a and b are both without a joint to a parent, expected one root",
        ),
        (
            with(&(between("j", "a", "b") + &between("j", "a", "b"))),
            5,
            "joint j is there twice",
        ),
        (
            with(&between("j", "a", "c")),
            4,
            "joint j: <child> link=\"c\", but there is no such link",
        ),
        (
            with(&(between("j", "a", "b") + &between("k", "b", "a"))),
            4,
            "joint j: the joints form a cycle: no link is the root",
        ),
        (
            with(&(link("c") + &between("j", "a", "b") + &between("k", "b", "a"))),
            4,
            "joint j: it is part of a cycle of joints",
        ),
        (
            with(&(link("c") + &between("j", "a", "c") + &between("k", "b", "c"))),
            5,
            "joint k: its child c is already the child of joint j",
        ),
        (
            with("<joint name='j' type='fixed'><parent link='a'/></joint>"),
            4,
            "joint j: <child> is missing in <joint>, expected the name of a link",
        ),
        (
            two("", "", "hinge", ""),
            4,
            "joint j: type \"hinge\", expected one of revolute, continuous",
        ),
        (
            two("", MASS, "prismatic", ""),
            4,
            "joint j: a prismatic joint needs <limit> with `lower` and `upper`",
        ),
        (
            two("", MASS, "revolute", "<limit lower=\"2\" upper=\"1\"/>"),
            5,
            "joint j: <limit> lower=2 is greater than upper=1",
        ),
        (
            two("", MASS, "revolute", "<limit lower=\"0\" upper=\"up\"/>"),
            5,
            "joint j: <limit> upper=\"up\", expected a finite number",
        ),
        (
            two("", MASS, "revolute", "<limit upper=\"1\" effort=\"-3\"/>"),
            5,
            "joint j: <limit> effort=\"-3\", expected a number >= 0",
        ),
        (
            joint("<axis xyz=\"0 0 0\"/>"),
            5,
            "joint j: <axis> xyz=[0.0, 0.0, 0.0] has no direction",
        ),
        (
            joint("<origin xyz=\"1 2\"/>"),
            5,
            "joint j: <origin> xyz=\"1 2\", expected three numbers",
        ),
        (
            joint("<origin rpy=\"1 nan 2\"/>"),
            5,
            "joint j: <origin> rpy=\"1 nan 2\", expected three numbers",
        ),
        (
            joint("<origin/><origin/>"),
            5,
            "joint j: <origin> is there twice",
        ),
        (
            joint("<dynamics damping=\"-1\"/>"),
            5,
            "joint j: <dynamics> damping=\"-1\", expected a number >= 0",
        ),
        (
            inertial(""),
            2,
            "link a: <mass> is missing in <inertial>, expected a mass in kg",
        ),
        (
            inertial("<mass value=\"-2\"/>"),
            2,
            "link a: <mass> value=\"-2\", expected a number >= 0",
        ),
        (
            inertial("<mass value=\"2\"/>"),
            2,
            "link a: <inertia> is missing in <inertial>",
        ),
        (
            inertial("<mass value=\"2\"/><inertia ixx=\"1\" iyy=\"1\"/>"),
            2,
            "link a: <inertia> has no `izz`",
        ),
        (
            inertial("<mass value=\"2\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"0\"/>"),
            2,
            "link a: inertia ixx=1 iyy=1 izz=0 ixy=0 ixz=0 iyz=0 is not positive definite",
        ),
        (
            shape(""),
            2,
            "link a: <geometry> holds not one of <box>, <cylinder>, <sphere> or <mesh>",
        ),
        (
            shape("<cone/>"),
            2,
            "link a: found <cone> in <geometry>, expected <box>, <cylinder>",
        ),
        (
            shape("<sphere radius=\"0\"/>"),
            2,
            "link a: sphere: radius 0 is not a finite number > 0",
        ),
        (
            shape("<box size=\"1 1 -1\"/>"),
            2,
            "link a: box: half length along z -0.5 is not",
        ),
        (
            shape("<mesh filename=\"http://x/y.stl\"/>"),
            2,
            "link a: mesh \"http://x/y.stl\", expected a path",
        ),
        (
            shape("<mesh filename=\"none.stl\"/>"),
            2,
            "link a: mesh \"none.stl\": ",
        ),
        (
            shape("<mesh filename=\"a.stl\" scale=\"1 0 1\"/>"),
            2,
            "scale [1, 0, 1] has a 0",
        ),
        (
            "<robot name='r' xmlns:xacro='http://ros.org/wiki/xacro'>\n<xacro:macro/></robot>"
                .to_owned(),
            2,
            "<macro> is a macro of xacro: expand the file",
        ),
    ];
    for (text, line, words) in cases {
        let error = parse(&text).unwrap_err();
        let message = error.to_string();
        assert!(message.starts_with("folder/test.urdf:"), "{message}");
        assert!(message.contains(words), "{message}\nexpected: {words}");
        assert_eq!(error.line, Some(line), "{message}");
    }
    let error = parse_urdf(b"<robot \xff", Path::new("x.urdf"), None).unwrap_err();
    assert!(
        error.to_string().starts_with("x.urdf: invalid utf-8"),
        "{error}"
    );
}

#[test]
fn what_cannot_be_built_is_said_too() {
    let free = Placement {
        base: Base::Free,
        ..Placement::default()
    };
    let at = |name: &str, position: f64| Placement {
        positions: [(name.to_owned(), position)].into(),
        ..Placement::default()
    };
    let limited = two("", MASS, "revolute", "<limit lower=\"0\" upper=\"1\"/>");
    let cases = [
        (
            two("", "", "continuous", ""),
            Placement::default(),
            "link b: no mass, expected <inertial> with a mass > 0: the continuous joint j moves it",
        ),
        (
            two("", "", "floating", ""),
            Placement::default(),
            "link b: no mass",
        ),
        (
            two("", MASS, "continuous", ""),
            free,
            "link a: no mass, expected <inertial> with a mass > 0: it is the root of a robot with a free base",
        ),
        (
            limited.clone(),
            at("j", 1.5),
            "joint j: position 1.5 is outside its limits 0 and 1",
        ),
        (limited, at("k", 0.5), "joint k: there is no such joint"),
        (
            two("", MASS, "fixed", ""),
            at("j", 0.5),
            "joint j: a fixed joint has no position",
        ),
    ];
    for (text, placement, words) in cases {
        let error = parse(&text).unwrap().build(&placement).err().unwrap();
        let message = error.to_string();
        assert!(message.contains(words), "{message}\nexpected: {words}");
    }
}

#[test]
fn everything_that_is_ignored_is_listed() {
    let words = r#"<limit lower="0" upper="1" effort="0" velocity="3"/><safety_controller/><calibration/>
<dynamics friction="0.2"/><bearing/>"#;
    let seen = r#"<visual><geometry><sphere radius="1"/></geometry></visual>"#;
    // One of another format, one that is not there.
    let mesh = |file| format!(r#"<visual><geometry><mesh filename="{file}"/></geometry></visual>"#);
    let picture = format!("{MASS}{}{}", mesh("a.ply"), mesh("none.dae"));
    let text = two(seen, &picture, "revolute", words);
    let text = text.replace(
        "</robot>",
        "<gazebo/><transmission name=\"t\"/><plugin/><material name=\"red\"/></robot>",
    );
    let robot = parse(&text).unwrap();
    let expected = [
        "<visual> is taken for the missing <collision>: a",
        "<visual> is a mesh of a format that is not read, ignored: b",
        "<visual> is a Collada or glTF mesh that cannot be read, ignored: b",
        "<gazebo> is ignored: without name",
        "<transmission> is ignored: t",
        "unknown elements are ignored: <plugin> of the robot, <bearing> of joint j",
        "<limit velocity> is ignored: j",
        "<limit effort> of 0 is taken for none: j",
        "<safety_controller> is ignored: j",
        "<calibration> is ignored: j",
        "<dynamics friction> is ignored: j",
    ];
    assert_eq!(robot.notes, expected);
}

/// Random edits of a robot: an error or a robot, never a panic.
#[test]
fn mutated_robots_never_panic() {
    let mut rng = Pcg64::seed_from_u64(11);
    let mut good = 0;
    for round in 0..3000 {
        let mut bytes = ARM.as_bytes().to_vec();
        for _ in 0..rng.random_range(1..5) {
            let at = rng.random_range(0..bytes.len());
            match rng.random_range(0..5) {
                0 => bytes[at] = b"0123456789.-\"'<>/=e &;\xff"[rng.random_range(0..23)],
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, b"0\"<>/=-.e9"[rng.random_range(0..10)]),
                3 => {
                    let end = (at + rng.random_range(1..60)).min(bytes.len());
                    bytes.drain(at..end);
                }
                _ => {
                    // A piece of the file again, somewhere else.
                    let from = rng.random_range(0..bytes.len());
                    let end = (from + rng.random_range(1..200)).min(bytes.len());
                    let piece = bytes[from..end].to_vec();
                    bytes.splice(at..at, piece);
                }
            }
        }
        let placement = Placement {
            base: if round % 2 == 0 {
                Base::Fixed
            } else {
                Base::Free
            },
            ..Placement::default()
        };
        let parsed = parse_urdf(&bytes, Path::new("arm.urdf"), None);
        let built = parsed.and_then(|robot| robot.build(&placement));
        match built {
            Ok(built) => {
                let mut world = World::new(Settings::default()).unwrap();
                let bodies: Result<Vec<_>, _> = built
                    .bodies
                    .iter()
                    .map(|link| world.add(link.body.clone()))
                    .collect();
                let Ok(bodies) = bodies else { continue };
                for joint in built.joints {
                    let [a, b] = joint.bodies.map(|body| bodies[body]);
                    let joint: Joint = joint.joint.on(a, b);
                    let _ = world.add_joint(joint);
                }
                let _ = world.step();
                good += 1;
            }
            Err(error) => {
                let lines = 1 + bytes.iter().filter(|b| **b == b'\n').count();
                assert!(error.line.is_none_or(|line| line <= lines), "{error}");
            }
        }
    }
    assert!(good > 100, "{good}");
}
