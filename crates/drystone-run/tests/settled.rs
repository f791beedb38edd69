//! Settled states are kept by what they depend on, and come out with the same bits however they are
//! made.
#![allow(clippy::unwrap_used, reason = "test code")]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use drystone_run::settled::SettleError;
use drystone_run::{Control, Event, SettledStates};
use drystone_scene::{Scene, SceneOptions};

/// Twelve balls that fall into a box.
fn scene(friction: &str) -> Scene {
    let set = [("count", "12"), ("friction", friction)];
    let set = set.map(|(k, v)| (k.to_owned(), v.to_owned()));
    let options = SceneOptions {
        set: set.to_vec(),
        ..SceneOptions::default()
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

#[test]
fn a_state_is_made_once_and_then_found() {
    let folder = tempfile::tempdir().unwrap();
    let store = SettledStates::new(folder.path().join("states"));
    let scene = scene("0.3");
    let made = store.settle(&scene, 1, Control::none()).unwrap();
    assert!(!made.kept);
    assert_eq!(made.simulation.phases_done(), 1);
    let never = AtomicBool::new(false);
    let idle = |_: Event<'_>| panic!("no step");
    let found = store
        .settle(&scene, 1, Control::new(&never, &idle))
        .unwrap();
    assert!(found.kept);
    assert_eq!(found.digest, made.digest);
    assert_eq!(found.simulation.state(), made.simulation.state());
}

/// Twelve balls are too few for the loops of a step to split. That worlds which do split have the
/// same bits on any number of threads is tested in `crates/drystone/tests/reproducible.rs`.
#[test]
fn it_is_rebuilt_bit_for_bit_in_pools_of_any_size() {
    let digests = [1, 2, 3].map(|threads| {
        let folder = tempfile::tempdir().unwrap();
        let store = SettledStates::new(folder.path());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let settle = || {
            store
                .settle(&scene("0.3"), 1, Control::none())
                .unwrap()
                .digest
        };
        let first = pool.build().unwrap().install(settle);
        store.forget(SettledStates::key(&scene("0.3"), 1)).unwrap();
        let again = store.settle(&scene("0.3"), 1, Control::none()).unwrap();
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
    let whole = whole.settle(&scene("0.3"), 1, Control::none()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let store = SettledStates::new(folder.path());
    let cancel = AtomicBool::new(false);
    let stop_at_17 = |event: Event<'_>| {
        if let Event::Step(_, report) = event
            && report.step == 17
        {
            cancel.store(true, Ordering::Relaxed);
        }
    };
    let stopped = store.settle(&scene("0.3"), 1, Control::new(&cancel, &stop_at_17));
    assert!(matches!(stopped, Err(SettleError::Stopped { step: 17 })));
    let never = AtomicBool::new(false);
    let first = AtomicU64::new(u64::MAX);
    let keep_first = |event: Event<'_>| {
        if let Event::Step(_, report) = event {
            first.fetch_min(report.step, Ordering::Relaxed);
        }
    };
    let rest = store.settle(&scene("0.3"), 1, Control::new(&never, &keep_first));
    assert_eq!(first.into_inner(), 18, "it goes on where it was stopped");
    assert_eq!(rest.unwrap().digest, whole.digest);
}

#[test]
fn other_values_and_other_phases_are_other_states() {
    let keys = [
        SettledStates::key(&scene("0.3"), 1),
        SettledStates::key(&scene("0.31"), 1),
        SettledStates::key(&scene("0.3"), 2),
    ];
    assert!(keys[0] != keys[1] && keys[0] != keys[2] && keys[1] != keys[2]);
    let folder = tempfile::tempdir().unwrap();
    let store = SettledStates::new(folder.path());
    let ended = store.settle(&scene("0.3"), 2, Control::none()).unwrap();
    assert!(ended.simulation.is_finished());
}

#[test]
fn a_damaged_one_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let store = SettledStates::new(folder.path());
    let made = store.settle(&scene("0.3"), 1, Control::none()).unwrap();
    for name in ["checkpoint.dry", "checkpoint.prev.dry"] {
        let file = store.folder(made.key).join(name);
        if file.exists() {
            std::fs::write(file, b"not a checkpoint").unwrap();
        }
    }
    let again = store.settle(&scene("0.3"), 1, Control::none()).unwrap();
    assert!(!again.kept);
    assert_eq!(again.digest, made.digest);
}
