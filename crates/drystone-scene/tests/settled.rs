//! Settled states are kept by what they depend on, and come out with the same bits however they are made.
#![allow(clippy::unwrap_used, reason = "test code")]

use drystone_scene::settled::SettleError;
use drystone_scene::{Scene, SceneOptions, SettledStates};

/// Twelve balls that fall into a box.
fn scene(friction: &str) -> Scene {
    let set = [("count", "12"), ("friction", friction)];
    let set = set.map(|(k, v)| (k.to_owned(), v.to_owned()));
    let options = SceneOptions {
        set: set.to_vec(),
        allow_outside: false,
    };
    let text = r#"
        [parameters]
        count = 1
        friction = 0.3
        [[material]]
        name = "default"
        friction = "friction"
        [[container]]
        name = "box"
        shape = { type = "box", size = [0.5, 0.5, 2] }
        [[fill]]
        name = "balls"
        shape = { type = "sphere", radius = 0.1 }
        count = "count"
        container = "box"
        jitter = 1.0
        [[phase]]
        name = "settle"
        until = { time = 0.3 }
        [[phase]]
        name = "stay"
        until = { time = 0.2 }
    "#;
    Scene::parse(text, "balls", None, &options).unwrap()
}

fn always(_: &drystone_scene::Simulation, _: &drystone::StepReport) -> bool {
    true
}

#[test]
fn a_state_is_made_once_and_then_found() {
    let folder = tempfile::tempdir().unwrap();
    let store = SettledStates::new(folder.path().join("states"));
    let scene = scene("0.3");
    let made = store.settle(&scene, 1, &mut always).unwrap();
    assert!(!made.kept);
    assert_eq!(made.simulation.phases_done(), 1);
    let found = store
        .settle(&scene, 1, &mut |_, _| panic!("no step"))
        .unwrap();
    assert!(found.kept);
    assert_eq!(found.digest, made.digest);
    assert_eq!(found.simulation.state(), made.simulation.state());
}

#[test]
fn it_is_rebuilt_bit_for_bit_on_any_number_of_threads() {
    let digests = [1, 2, 3].map(|threads| {
        let folder = tempfile::tempdir().unwrap();
        let store = SettledStates::new(folder.path());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let settle = || store.settle(&scene("0.3"), 1, &mut always).unwrap().digest;
        let first = pool.build().unwrap().install(settle);
        store.forget(SettledStates::key(&scene("0.3"), 1)).unwrap();
        let again = store.settle(&scene("0.3"), 1, &mut always).unwrap();
        assert!(!again.kept);
        assert_eq!(again.digest, first);
        first
    });
    assert_eq!(digests[0], digests[1]);
    assert_eq!(digests[0], digests[2]);
}

#[test]
fn what_was_stopped_goes_on_to_the_same_bits() {
    let whole = tempfile::tempdir().unwrap();
    let whole = SettledStates::new(whole.path());
    let whole = whole.settle(&scene("0.3"), 1, &mut always).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let store = SettledStates::new(folder.path());
    let mut steps = 0;
    let stopped = store.settle(&scene("0.3"), 1, &mut |_, report| {
        steps = report.step;
        report.step < 17
    });
    assert!(matches!(stopped, Err(SettleError::Stopped { step: 17 })));
    let mut first = None;
    let rest = store.settle(&scene("0.3"), 1, &mut |_, report| {
        first.get_or_insert(report.step);
        true
    });
    assert_eq!(first, Some(18), "it goes on where it was stopped");
    assert_eq!(rest.unwrap().digest, whole.digest);
}

#[test]
fn other_values_and_other_phases_are_other_states() {
    let keys = [
        SettledStates::key(&scene("0.3"), 1),
        SettledStates::key(&scene("0.31"), 1),
        SettledStates::key(&scene("0.3"), 2),
    ];
    assert!(keys[0] != keys[1] && keys[0] != keys[2]);
    let folder = tempfile::tempdir().unwrap();
    let store = SettledStates::new(folder.path());
    let ended = store.settle(&scene("0.3"), 2, &mut always).unwrap();
    assert!(ended.simulation.is_finished());
}

#[test]
fn a_damaged_one_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let store = SettledStates::new(folder.path());
    let made = store.settle(&scene("0.3"), 1, &mut always).unwrap();
    for name in ["checkpoint.dry", "checkpoint.prev.dry"] {
        let file = store.folder(made.key).join(name);
        if file.exists() {
            std::fs::write(file, b"not a checkpoint").unwrap();
        }
    }
    let again = store.settle(&scene("0.3"), 1, &mut always).unwrap();
    assert!(!again.kept);
    assert_eq!(again.digest, made.digest);
}
