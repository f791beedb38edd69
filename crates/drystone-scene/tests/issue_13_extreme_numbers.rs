//! Every number of every built-in scene and robot in turn becomes an extreme one: the answer is a
//! simulation or a short message, never a panic.
#![allow(clippy::unwrap_used, reason = "test code")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use drystone_scene::robot::{Placement, parse_urdf};
use drystone_scene::{Scene, SceneError, SceneOptions, Simulation, builtin_scenes};

const EXTREMES: [&str; 14] = [
    "0", "-1", "1e300", "-1e300", "1e-320", "1e150", "1e-150", "1e15", "1e-15", "9e15", "inf",
    "nan", "-0.0", "1e999",
];

/// Scenes of more bodies are read, but not built: the packings of a test are to take seconds.
const MOST_BODIES: u64 = 600;

/// Where numbers stand in a text, bytes.
fn numbers(text: &str) -> Vec<std::ops::Range<usize>> {
    let bytes = text.as_bytes();
    let is_part = |b: u8| b.is_ascii_digit() || b == b'.';
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let inside_word =
            at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_');
        if !bytes[at].is_ascii_digit() || inside_word {
            at += 1;
            continue;
        }
        let length = bytes[at..].iter().take_while(|b| is_part(**b)).count();
        found.push(at..at + length);
        at += length;
    }
    found
}

/// The text with one number replaced, by the extreme of an index.
fn with_extreme(text: &str, place: std::ops::Range<usize>, which: usize) -> String {
    let mut changed = text.to_owned();
    changed.replace_range(place, EXTREMES[which % EXTREMES.len()]);
    changed
}

fn build(text: &str, name: &str) -> Result<(), SceneError> {
    let scene = Scene::parse(text, name, None, &SceneOptions::default())?;
    if scene.least_bodies() > MOST_BODIES {
        return Ok(());
    }
    Simulation::new(&scene).map(|_| ())
}

#[test]
fn scenes_with_one_extreme_number_are_built_or_refused() {
    let mut refused = 0;
    for (name, text) in builtin_scenes() {
        for (k, place) in numbers(text).into_iter().enumerate() {
            // Which of the extremes, differs from number to number.
            let which = 5 * k + 7;
            let changed = with_extreme(text, place.clone(), which);
            let built = catch_unwind(AssertUnwindSafe(|| build(&changed, name)));
            let line = 1 + text[..place.start].matches('\n').count();
            let extreme = EXTREMES[which % EXTREMES.len()];
            let Ok(built) = built else {
                panic!("{name}:{line}: a panic with {extreme}");
            };
            if let Err(error) = built {
                refused += 1;
                let words = error.explained();
                assert!(words.len() < 8000, "{name}:{line}: {words}");
                let zeros = "0".repeat(20);
                assert!(!words.contains(&zeros), "{name}:{line}: {words}");
            }
        }
    }
    assert!(refused > 50, "{refused}");
}

#[test]
fn robots_with_one_extreme_number_are_built_or_refused() {
    let arm = include_str!("../../../scenes/robots/arm.urdf");
    for (k, place) in numbers(arm).into_iter().enumerate() {
        for which in 0..EXTREMES.len() {
            let changed = with_extreme(arm, place.clone(), which + k);
            let made = catch_unwind(AssertUnwindSafe(|| {
                let robot = parse_urdf(changed.as_bytes(), Path::new("arm.urdf"), None)?;
                robot.build(&Placement::default()).map(|_| ())
            }));
            match made {
                Ok(Ok(())) => {}
                Ok(Err(error)) => assert!(error.to_string().len() < 2000, "{error}"),
                Err(_) => panic!("number {k}: a panic with extreme {which}"),
            }
        }
    }
}

#[test]
fn a_robot_of_many_attributes_or_depths_is_refused_at_once() {
    let parse = |text: &str| {
        let robot = parse_urdf(text.as_bytes(), Path::new("r.urdf"), None);
        robot.map(|_| ()).expect_err("a fault").to_string()
    };
    let many: String = (0..50_000).map(|k| format!(" a{k}=\"1\"")).collect();
    let words = parse(&format!("<robot name=\"r\">\n<link{many}/></robot>"));
    assert_eq!(words, "r.urdf:2: an element with more than 100 attributes");
    let spaces: String = (0..50_000).map(|k| format!(" xmlns:a{k}=\"u\"")).collect();
    let words = parse(&format!("<robot{spaces}/>"));
    assert!(words.contains("more than 100 attributes"), "{words}");
    let deep = format!("<robot name=\"r\">{}", "<a>".repeat(100_000));
    assert!(parse(&deep).contains("more than 100 deep"));
    let long = "a".repeat(1_000_000);
    for text in [
        format!("<robot name=\"r\"><link name=\"{long}\"/><link name=\"{long}\"/></robot>"),
        format!("<{long}/>"),
        format!(
            "<robot name=\"r\"><link name=\"a\"><inertial><mass value=\"{long}\"/></inertial></link></robot>"
        ),
    ] {
        let words = parse(&text);
        assert!(words.len() < 2000, "{} bytes", words.len());
    }
    let link = |inertia: &str| {
        parse(&format!(
            "<robot name=\"r\"><link name=\"a\"><inertial><mass value=\"1\"/>\n\
             <inertia {inertia}/></inertial></link></robot>"
        ))
    };
    let words = link("ixx=\"1\" iyy=\"1\" izz=\"10\"");
    assert!(words.starts_with("r.urdf:2: link a: "), "{words}");
    assert!(
        words.contains("1, 1 and 10 kg m² are not those of a solid"),
        "{words}"
    );
}
