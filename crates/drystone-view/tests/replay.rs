//! Replays: one file with everything in it.
#![allow(clippy::unwrap_used, reason = "test code")]

use std::io::Read;
use std::sync::atomic::AtomicBool;

use crate::common::{self, MARKUP, record};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use drystone_run::recording::Recorder;
use drystone_view::{Replay, ReplaySettings, RunView, ViewError, replay};
use serde_json::Value;

fn made(view: &RunView, every: Option<usize>, largest: u64) -> Result<Replay, ViewError> {
    let settings = ReplaySettings { every, largest };
    replay(view, &settings, &AtomicBool::new(false), &mut |_, _| {})
}

/// A resource as the page finds it.
fn resource(html: &str, name: &str) -> Option<Vec<u8>> {
    let tag = format!("<script type=\"application/octet-stream;base64\" id=\"resource:{name}\">");
    let begin = html.find(&tag)? + tag.len();
    let text = &html[begin..begin + html[begin..].find('<')?];
    let packed = BASE64_STANDARD.decode(text).unwrap();
    let mut content = Vec::new();
    flate2::read::GzDecoder::new(&packed[..])
        .read_to_end(&mut content)
        .unwrap();
    Some(content)
}

fn count(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([0, 1, 2, 3].map(|k| bytes[8 + k]))
}

#[test]
fn a_replay_holds_every_frame_and_says_how_far_it_is_off() {
    let folder = tempfile::tempdir().unwrap();
    let view = RunView::open(record(folder.path(), 50, 75)).unwrap();
    let replay = made(&view, None, 5_000_000).unwrap();
    assert_eq!((replay.frames, replay.every), (75, 1));
    let run: Value = serde_json::from_slice(&resource(&replay.html, "run.json").unwrap()).unwrap();
    assert_eq!(
        (&run["frames"], &run["chunk"], &run["every"]),
        (&75.into(), &32.into(), &1.into())
    );
    assert_eq!(run["error"]["position"], replay.position_error);
    // Balls of 10 cm: steps of 50 µm.
    assert!(replay.position_error > 0.0 && replay.position_error < 5e-5);
    assert!(replay.rotation_error < 2e-4 && replay.velocity_error < 1e-3);
    let chunks = [32, 32, 11];
    for (k, frames) in chunks.into_iter().enumerate() {
        let chunk = resource(&replay.html, &format!("frames/{k}.bin")).unwrap();
        assert_eq!(count(&chunk), frames);
    }
    assert!(resource(&replay.html, "frames/3.bin").is_none());
    for name in [
        "bodies.bin",
        "shapes.json",
        "frame/0.bin",
        "contacts/0.bin",
        "contacts/74.bin",
    ] {
        assert!(resource(&replay.html, name).is_some(), "{name}");
    }
    assert_eq!(count(&resource(&replay.html, "index.bin").unwrap()), 75);
}

#[test]
fn a_fixed_body_that_is_taken_away_is_gone_in_the_replay() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("frames.dry");
    let mut recorder = Recorder::create(&file, common::header(3)).unwrap();
    for step in 0..5 {
        let mut frame = common::frame(3, step);
        frame.bodies[0].enabled = step < 3;
        recorder.append(&frame).unwrap();
    }
    let html = made(&RunView::open(&file).unwrap(), None, 5_000_000)
        .unwrap()
        .html;
    let chunk = resource(&html, "frames/0.bin").unwrap();
    // All four bodies, and not only the balls.
    assert_eq!(chunk[16..20], [4, 0, 0, 0]);
    // The last plane: five frames of the floor come first.
    let planes = 80 + 29 * 20;
    assert_eq!(chunk[planes..planes + 5], [1, 1, 1, 0, 0]);
    // Kinds stand behind three columns of 16 bytes and one of 8.
    let bodies = resource(&html, "bodies.bin").unwrap();
    assert_eq!(bodies[72..76], [2, 0, 0, 0]);
}

#[test]
fn frames_are_left_out_as_asked_for_and_the_last_one_stays() {
    let folder = tempfile::tempdir().unwrap();
    let view = RunView::open(record(folder.path(), 10, 12)).unwrap();
    let replay = made(&view, Some(5), 5_000_000).unwrap();
    // 0, 5, 10 and 11.
    assert_eq!((replay.frames, replay.every), (4, 5));
    let index = resource(&replay.html, "index.bin").unwrap();
    let steps: Vec<f64> = index[16..48]
        .as_chunks::<8>()
        .0
        .iter()
        .map(|b| f64::from_le_bytes(*b))
        .collect();
    assert_eq!(steps, [0.0, 5.0, 10.0, 11.0]);
}

#[test]
fn a_replay_is_made_as_small_as_it_must_be_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let view = RunView::open(record(folder.path(), 400, 60)).unwrap();
    let whole = made(&view, None, 50_000_000).unwrap();
    let bare = made(&view, Some(100), 50_000_000).unwrap();
    let between = (bare.html.len() as u64 + (whole.html.len() as u64)) / 2;
    let smaller = made(&view, None, between).unwrap();
    assert!(smaller.every > 1 && smaller.html.len() as u64 <= between);
    assert!(smaller.frames > bare.frames);
    let refused = made(&view, Some(1), between).unwrap_err();
    assert!(matches!(refused, ViewError::TooLarge { .. }), "{refused}");
    let refused = made(&view, None, 1000).unwrap_err();
    assert!(
        matches!(refused, ViewError::NeverFits { most: 1000, .. }),
        "{refused}"
    );
}

#[test]
fn a_replay_fetches_nothing_and_names_are_no_markup() {
    let folder = tempfile::tempdir().unwrap();
    let view = RunView::open(record(folder.path(), 3, 3)).unwrap();
    let html = made(&view, None, 5_000_000).unwrap().html;
    assert!(!html.contains("alert(1)") && !html.contains(MARKUP));
    let run: Value = serde_json::from_slice(&resource(&html, "run.json").unwrap()).unwrap();
    assert_eq!(run["title"], MARKUP);
    assert!(html.contains("default-src 'none'"));
    for outside in [
        " src=\"",
        "href=\"style",
        "from \"./",
        "href=\"http",
        "\nimport ",
        "\nexport ",
    ] {
        assert!(!html.contains(outside), "{outside}");
    }
    let opened = html.matches("<script").count();
    assert_eq!(opened, html.matches("</script>").count());
}

#[test]
fn a_replay_can_be_cancelled_and_needs_a_frame() {
    let folder = tempfile::tempdir().unwrap();
    let view = RunView::open(record(folder.path(), 3, 3)).unwrap();
    let settings = ReplaySettings::default();
    let stopped = replay(&view, &settings, &AtomicBool::new(true), &mut |_, _| {});
    assert!(matches!(stopped, Err(ViewError::Cancelled { .. })));
    let empty = tempfile::tempdir().unwrap();
    let view = RunView::open(record(empty.path(), 3, 0)).unwrap();
    assert!(matches!(
        made(&view, None, 1),
        Err(ViewError::NoFrames { .. })
    ));
}
