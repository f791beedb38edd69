//! Joints that follow others.

use std::path::Path;

use drystone_scene::robot::{Placement, parse_urdf};

use super::files::MASS;
use super::{coordinate, simulate};

/// A palm on a lift, and fingers that follow each other: the right one the left one, the thumb the
/// right one.
fn gripper(right: &str, thumb: &str) -> String {
    let link = |name: &str| format!("<link name=\"{name}\">{MASS}</link>");
    let slide = |name: &str, parent: &str, axis: &str, more: &str| {
        format!(
            "<joint name=\"{name}\" type=\"prismatic\"><parent link=\"{parent}\"/>\
             <child link=\"{name}_link\"/><axis xyz=\"{axis}\"/>\
             <limit lower=\"0\" upper=\"0.5\" effort=\"1000\"/>{more}</joint>\n"
        )
    };
    let links = ["lift_link", "left_link", "right_link", "thumb_link"]
        .map(link)
        .concat();
    format!(
        "<robot name=\"g\"><link name=\"base\"/>{links}\n{}{}{}{}</robot>",
        slide("lift", "base", "0 0 1", ""),
        slide("thumb", "lift_link", "0 1 0", thumb),
        slide("right", "lift_link", "-1 0 0", right),
        slide("left", "lift_link", "1 0 0", ""),
    )
}

const RIGHT: &str = "<mimic joint=\"left\"/>";
const THUMB: &str = "<mimic joint=\"right\" multiplier=\"0.5\" offset=\"0.01\"/>";

#[test]
fn fingers_follow_the_one_that_is_driven_while_the_palm_rises() {
    let text = gripper(RIGHT, THUMB);
    let rest = r#"
[[phase]]
at_start = [
    { motor = { joint = "g/lift", motor = { type = "position", value = "0.2*min(t, 1)" } } },
    { motor = { joint = "g/left", motor = { type = "speed", value = "0.1 m/s" } } },
]
"#;
    let mut simulation = simulate(&text, "hold = true\njoints = { left = 0.02 }", rest);
    for _ in 0..500 {
        let report = simulation.step().unwrap();
        assert!(report.converged(), "{report:?}");
    }
    let world = simulation.world();
    let [left, right, thumb] = ["g/left", "g/right", "g/thumb"].map(|j| coordinate(world, j));
    assert!((left - 0.07).abs() < 1e-6, "{left}");
    assert!((right - left).abs() < 1e-7, "{right}");
    assert!((thumb - 0.5 * left - 0.01).abs() < 1e-7, "{thumb}");
    assert!((coordinate(world, "g/lift") - 0.1).abs() < 1e-6);
}

#[test]
fn followers_that_cannot_follow_are_refused() {
    let read = |text: &str| parse_urdf(text.as_bytes(), Path::new("g.urdf"), None);
    for (right, words) in [
        (
            "<mimic joint=\"lef\"/>",
            "joint right: <mimic> joint=lef, but there is no such joint",
        ),
        ("<mimic/>", "joint"),
        (
            "<mimic joint=\"thumb\"/>",
            "joint thumb: <mimic> follows itself",
        ),
        ("<mimic joint=\"left\" multiplier=\"0\"/>", "multiplier=0"),
        ("<mimic joint=\"left\" multiplier=\"x\"/>", "multiplier"),
    ] {
        let message = read(&gripper(right, THUMB)).unwrap_err().to_string();
        assert!(
            message.starts_with("g.urdf:") && message.contains(words),
            "{message}"
        );
    }
    let placed = |thumb: &str, positions: &[(&str, f64)]| {
        let positions = positions.iter().map(|(name, q)| ((*name).to_owned(), *q));
        let placement = Placement {
            positions: positions.collect(),
            ..Placement::default()
        };
        let robot = read(&gripper(RIGHT, thumb)).unwrap();
        robot.build(&placement).map(|built| built.couplings)
    };
    let couplings = placed(THUMB, &[("left", 0.2), ("right", 0.2)]).unwrap();
    let thumb = couplings.iter().find(|c| c.name == "thumb/mimic").unwrap();
    assert_eq!((thumb.ratio, thumb.offset), (0.5, 0.01));
    let message = |thumb, positions| placed(thumb, positions).err().unwrap().to_string();
    let words = message(THUMB, &[("left", 0.2), ("right", 0.1)]);
    assert!(
        words.contains("position 0.1, but it follows left to 0.2"),
        "{words}"
    );
    let words = message(
        "<mimic joint=\"left\" multiplier=\"-1\"/>",
        &[("left", 0.2)],
    );
    assert!(
        words.contains("follows left to -0.2, outside its limits 0 and 0.5"),
        "{words}"
    );
}
