//! Run folders whose files are damaged, missing, or not files at all.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![cfg(unix)]

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::common::scenes::{ok, run, write, write_with_joint};
use crate::common::{Bench, status, stderr};

/// A run of 40 steps of 100, with frames, forces and joints.
fn begun() -> Bench {
    let bench = Bench::new();
    write_with_joint(&bench, "balls.toml", 0.2);
    ok(&bench, "run balls.toml -o r --steps 40 --picture none");
    bench
}

/// Resumes and expects a refusal that says these words.
fn refused(bench: &Bench, line: &str, words: &str) -> String {
    let output = run(bench, line);
    let message = stderr(&output);
    assert_eq!(status(&output), 2, "{message}");
    assert!(message.contains(words), "{message}");
    message
}

/// Resumes to the end and expects a warning that says these words.
fn warned(bench: &Bench, words: &str) {
    let output = ok(bench, "run --resume -o r --picture none");
    let message = stderr(&output);
    assert!(message.contains(words), "{message}");
    assert!(bench.path("r/summary.json").exists());
}

fn edit(file: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = std::fs::read(file).unwrap();
    change(&mut bytes);
    std::fs::write(file, bytes).unwrap();
}

fn pipe(file: &Path) {
    let made = Command::new("mkfifo").arg(file).status().unwrap();
    assert!(made.success());
}

#[test]
fn a_missing_scene_is_named_and_can_be_given() {
    let bench = begun();
    std::fs::remove_file(bench.path("r/scene.toml")).unwrap();
    let message = refused(&bench, "run --resume -o r", "r/scene.toml: is missing");
    assert!(
        message.contains("drystone run SCENE --resume -o r"),
        "{message}"
    );
    ok(&bench, "run balls.toml --resume -o r --picture none");
    std::fs::create_dir(bench.path("empty")).unwrap();
    refused(&bench, "run --resume -o empty", "holds no run");
}

#[test]
fn a_damaged_scene_is_named_by_its_file() {
    let bench = Bench::new();
    ok(&bench, "run stack --steps 3 -o r --picture none");
    edit(&bench.path("r/scene.toml"), |text| {
        text.splice(0..0, *b"settings = ]\n");
    });
    let message = refused(&bench, "run --resume -o r", "r/scene.toml:1:");
    assert!(
        message.contains("drystone run SCENE --resume -o r"),
        "{message}"
    );
    ok(&bench, "run stack --resume -o r --steps 5 --picture none");
}

#[test]
fn a_run_that_is_refused_keeps_its_scene_and_results() {
    let bench = begun();
    write(&bench, "other.toml", 0.1);
    let kept = ["scene.toml", "summary.json", "plots.svg", "source.json"];
    let read = || kept.map(|file| std::fs::read(bench.path("r").join(file)).unwrap());
    let before = read();
    refused(
        &bench,
        "run other.toml --resume -o r",
        "belongs to another scene",
    );
    assert_eq!(before, read());
    ok(&bench, "run --resume -o r --picture none");
}

#[test]
fn damaged_old_frames_are_warned_of() {
    let bench = begun();
    // Frame 0 is the one that the others are stored against; its end lies in the first third.
    let frames = bench.path("r/frames.dry");
    let length = std::fs::metadata(&frames).unwrap().len() as usize;
    edit(&frames, |bytes| bytes[length - 10] ^= 1);
    // The last frame was not on schedule or is damaged: in either case the run goes on.
    edit(&frames, |bytes| bytes[length / 2] ^= 1);
    warned(&bench, "frames are damaged and stay so; the first is frame");
}

#[test]
fn changed_tables_are_warned_of_at_every_resume() {
    for file in ["log.csv", "forces.csv", "joints.csv"] {
        let bench = begun();
        // A digit for another: nothing but a checksum can tell.
        edit(&bench.path("r").join(file), |text| {
            let digit = text.iter().rposition(|c| (b'1'..b'9').contains(c)).unwrap();
            text[digit] += 1;
        });
        let words = format!("r/{file}: rows up to step 40 were changed and stay so");
        let output = ok(&bench, "run --resume -o r --steps 50 --picture none");
        assert!(stderr(&output).contains(&words), "{}", stderr(&output));
        warned(
            &bench,
            &format!("r/{file}: rows up to step 50 were changed"),
        );
    }
}

#[test]
fn rows_that_cannot_be_read_are_left_out_of_the_summary() {
    let bench = begun();
    edit(&bench.path("r/log.csv"), |text| {
        let line = text.iter().position(|c| *c == b'\n').unwrap();
        // The second row: no text, no number, no line end.
        text[line + 3..line + 200].fill(0xff);
    });
    warned(
        &bench,
        "rows cannot be read and are left out of summary and plots; line 2",
    );
}

#[test]
fn a_table_that_lost_rows_or_is_gone_is_refused_and_nothing_is_cut() {
    let bench = begun();
    let frames = std::fs::read(bench.path("r/frames.dry")).unwrap();
    edit(&bench.path("r/forces.csv"), |text| {
        text.truncate(text.len() - 5)
    });
    refused(&bench, "run --resume -o r", "r/forces.csv: ends after");
    std::fs::remove_file(bench.path("r/joints.csv")).unwrap();
    std::fs::write(bench.path("r/forces.csv"), vec![b'1'; 100_000]).unwrap();
    refused(&bench, "run --resume -o r", "r/joints.csv: is missing");
    assert_eq!(frames, std::fs::read(bench.path("r/frames.dry")).unwrap());
}

#[test]
fn a_lock_that_is_no_regular_file_is_refused() {
    let bench = Bench::new();
    write(&bench, "balls.toml", 0.02);
    std::fs::create_dir(bench.path("r")).unwrap();
    std::fs::write(bench.path("precious"), "content").unwrap();
    symlink(bench.path("precious"), bench.path("r/run.lock")).unwrap();
    refused(
        &bench,
        "run balls.toml -o r",
        "r/run.lock: is a symbolic link",
    );
    assert_eq!(std::fs::read(bench.path("precious")).unwrap(), b"content");
    std::fs::remove_file(bench.path("r/run.lock")).unwrap();
    pipe(&bench.path("r/run.lock"));
    refused(&bench, "run balls.toml -o r", "r/run.lock: is a named pipe");
}

#[test]
fn nothing_is_written_through_links_and_nothing_waits_for_pipes() {
    for file in ["frames.dry", "log.csv", "forces.csv", "joints.csv"] {
        let bench = begun();
        let [own, moved] = [bench.path("r").join(file), bench.path("moved")];
        std::fs::rename(&own, &moved).unwrap();
        let before = std::fs::read(&moved).unwrap();
        symlink(&moved, &own).unwrap();
        refused(
            &bench,
            "run --resume -o r",
            &format!("r/{file}: is a symbolic link"),
        );
        assert_eq!(before, std::fs::read(&moved).unwrap());
        std::fs::remove_file(&own).unwrap();
        pipe(&own);
        refused(&bench, "run --resume -o r", &format!("r/{file}: "));
    }
    for file in ["scene.toml", "source.json"] {
        let bench = begun();
        let own = bench.path("r").join(file);
        std::fs::remove_file(&own).unwrap();
        pipe(&own);
        refused(
            &bench,
            "run --resume -o r",
            &format!("r/{file}: is a named pipe"),
        );
    }
}

#[test]
fn pictures_and_exports_read_regular_files_only() {
    let bench = begun();
    let frames = bench.path("r/frames.dry");
    std::fs::remove_file(&frames).unwrap();
    symlink("/dev/zero", &frames).unwrap();
    for line in ["render r -o a.png", "export r --format csv"] {
        refused(
            &bench,
            line,
            "r/frames.dry: is a device, expected a regular file",
        );
    }
    std::fs::remove_file(&frames).unwrap();
    pipe(&frames);
    for line in [
        "render r -o a.png",
        "export r --format csv",
        "render r/frames.dry -o a.png",
    ] {
        refused(
            &bench,
            line,
            "r/frames.dry: is a named pipe, expected a regular file",
        );
    }
}

#[test]
fn an_old_run_stays_until_the_scene_that_replaces_it_is_built() {
    let bench = begun();
    let content = || {
        let files = bench.files("r");
        let read = |name: String| (std::fs::read(bench.path("r").join(&name)).unwrap(), name);
        files.into_iter().map(read).collect::<Vec<_>>()
    };
    let before = content();
    // Reads well, but its grains find no room.
    let text = r#"
[settings]
duration = 1
[[fill]]
name = "grains"
shape = { type = "sphere", radius = 10 }
count = 5
region = { type = "box", min = [0, 0, 0], max = [1, 1, 1] }
"#;
    std::fs::write(bench.path("bad.toml"), text).unwrap();
    refused(&bench, "run bad.toml -o r --overwrite", "grains");
    assert!(content() == before);
    ok(&bench, "run --resume -o r --picture none");
    // One that is built takes its place.
    write(&bench, "other.toml", 0.02);
    ok(&bench, "run other.toml -o r --overwrite --picture none");
    let scene = std::fs::read_to_string(bench.path("r/scene.toml")).unwrap();
    assert!(scene.contains("duration = 0.02"), "{scene}");
    assert!(!bench.path("r/joints.csv").exists());
}
