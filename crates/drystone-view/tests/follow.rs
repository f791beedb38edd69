//! Runs that go on, are cut, vanish or are replaced while they are looked at.
#![cfg(feature = "server")]
#![allow(clippy::unwrap_used, reason = "test code")]

use std::cell::{Cell, RefCell};
use std::fs::OpenOptions;

use crate::common::{events, frame, get, header, record, serve};
use drystone_run::recording::Recorder;
use drystone_run::run_folder::{Existing, RunFolder};
use drystone_run::source::SceneSource;
use drystone_run::{Control, Run, StopAt};
use drystone_scene::{Scene, SceneOptions, Simulation};
use drystone_view::{RunState, RunView};

#[test]
fn a_growing_recording_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("frames.dry");
    let mut recorder = Recorder::create(&file, header(5)).unwrap();
    recorder.append(&frame(5, 0)).unwrap();
    let server = serve(folder.path());
    let address = server.address();
    assert_eq!(get(address, "/api/frame/1.bin").status, 404);
    let first = get(address, "/api/run.json").json();
    // Another frame is written when the one before was heard of.
    let (recorder, written) = (RefCell::new(recorder), Cell::new(1));
    let heard = events(address, |heard| {
        let step = written.get();
        if heard.contains(&format!("data: {step}\n")) && step < 6 {
            recorder.borrow_mut().append(&frame(5, step)).unwrap();
            written.set(step + 1);
        }
        heard.contains("data: 6\n")
    });
    assert_eq!(heard.matches("event: frames").count(), 6, "{heard}");
    assert_eq!(get(address, "/api/frame/5.bin").head(), [6, 0]);
    assert_eq!(get(address, "/api/index.bin").head(), [6, 0]);
    let run = get(address, "/api/run.json").json();
    assert_eq!(run["frames"], 6);
    // The camera is that of the last frame, though the run began to be watched before.
    assert_ne!(run["camera"]["eye"], first["camera"]["eye"]);
    assert_eq!(run["origin"], first["origin"]);
}

#[test]
fn a_cut_recording_shows_what_there_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = record(folder.path(), 20, 10);
    let length = std::fs::metadata(&file).unwrap().len();
    let cut = OpenOptions::new().write(true).open(&file).unwrap();
    cut.set_len(length - 100).unwrap();
    let server = serve(folder.path());
    let run = get(server.address(), "/api/run.json").json();
    assert_eq!((&run["frames"], &run["state"]), (&9.into(), &"cut".into()));
    assert!(run["note"].as_str().unwrap().contains("within a frame"));
    assert_eq!(get(server.address(), "/api/frame/8.bin").status, 200);
    assert_eq!(get(server.address(), "/api/frame/9.bin").status, 404);
    // Cut further while it is looked at.
    cut.set_len(length / 2).unwrap();
    events(server.address(), |heard| {
        let count = heard.rsplit("event: frames\ndata: ").next();
        count
            .and_then(|c| c.lines().next()?.parse::<u32>().ok())
            .is_some_and(|c| c < 9)
    });
    assert_eq!(get(server.address(), "/api/frame/8.bin").status, 404);
    assert_eq!(get(server.address(), "/api/frame/1.bin").status, 200);
}

#[test]
fn a_damaged_frame_is_named_and_the_others_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = record(folder.path(), 20, 10);
    let mut bytes = std::fs::read(&file).unwrap();
    let last = bytes.len() - 20;
    bytes[last] ^= 0xff;
    std::fs::write(&file, bytes).unwrap();
    let server = serve(folder.path());
    let damaged = get(server.address(), "/api/frame/9.bin");
    assert_eq!(damaged.status, 500);
    assert!(damaged.text().contains("frame 9"), "{}", damaged.text());
    // Folders of this machine are nobody's business.
    assert!(!damaged.text().contains("frames.dry"));
    assert_eq!(get(server.address(), "/api/frame/0.bin").status, 200);
    assert_eq!(get(server.address(), "/api/run.json").json()["frames"], 10);
}

#[test]
fn a_recording_that_vanishes_or_is_replaced_is_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let file = record(folder.path(), 3, 4);
    let view = RunView::open(folder.path()).unwrap();
    let before = view.refresh();
    assert_eq!((before.frames, before.state), (4, RunState::Finished));
    let server = serve(folder.path());
    let address = server.address();
    std::fs::remove_file(&file).unwrap();
    events(address, |heard| heard.contains("data: gone"));
    assert_eq!(view.refresh().state, RunState::Gone);
    // What was open can still be seen.
    assert_eq!(get(address, "/api/frame/0.bin").status, 200);
    // Another takes its place while somebody listens.
    let is_replaced = Cell::new(false);
    events(address, |heard| {
        if heard.contains("data: gone") && !is_replaced.replace(true) {
            record(folder.path(), 7, 2);
        }
        heard.contains("event: replaced")
    });
    let run = get(address, "/api/run.json").json();
    assert_eq!((&run["frames"], &run["bodies"]), (&2.into(), &8.into()));
    assert_eq!(get(address, "/api/frame/1.bin").head(), [8, 0]);
    let after = view.refresh();
    assert!(after.replaced > before.replaced && after.generation > before.generation);
}

#[test]
fn a_run_is_followed_from_its_first_step_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let set = vec![("settings.duration".to_owned(), "0.3".to_owned())];
    let options = SceneOptions {
        set,
        ..SceneOptions::default()
    };
    let scene = Scene::builtin("stack", &options).unwrap();
    let simulation = Simulation::new(&scene).unwrap();
    let run_folder = RunFolder::create(&path, Existing::Keep).unwrap();
    SceneSource::of(&scene, false).write(&run_folder).unwrap();
    let mut run = Run::begin(scene, simulation, run_folder).unwrap();
    let server = serve(&path);
    let address = server.address();
    let first = get(address, "/api/run.json").json();
    assert_eq!(first["state"], "running");
    let done = |heard: &str| heard.contains("data: finished");
    let listener = std::thread::spawn(move || events(address, done));
    let ended = run.advance(&StopAt::default(), Control::none()).unwrap();
    let steps = run.steps().unwrap().rows;
    let summary = run.summary(&steps, &ended, 1);
    run.write_summary(&summary).unwrap();
    let heard = listener.join().unwrap();
    assert!(heard.contains("data: running"), "{heard}");
    let last = get(address, "/api/run.json").json();
    assert!(last["frames"].as_u64() > first["frames"].as_u64());
    let steps = get(address, "/api/table/steps.json").json();
    assert_eq!(steps["columns"][1], "time");
    assert!(steps["values"][0].as_array().unwrap().len() > 10);
}
