//! Pictures after runs, films and sequences, as users ask for them.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::process::Output;

use crate::common::scenes::{ok, write};
use crate::common::{self, Bench, status, stderr, stdout};

/// Small and quick.
const SMALL: &str = "--size 64x40 --quality sketch --quiet";

/// A run of a dozen balls with eleven frames, 10 ms apart.
fn recorded() -> Bench {
    let bench = Bench::new();
    write(&bench, "balls.toml", 0.1);
    ok(&bench, "run balls.toml -o r --picture none");
    bench
}

/// Runs the program with words that may hold spaces.
fn with(bench: &Bench, line: &str, more: &[&str]) -> Output {
    let args: Vec<&str> = line.split(' ').chain(more.iter().copied()).collect();
    bench.run(&args)
}

fn pixels(file: &Path) -> (u32, u32, Vec<u8>) {
    let picture = tiny_skia::Pixmap::decode_png(&std::fs::read(file).unwrap()).unwrap();
    (picture.width(), picture.height(), picture.data().to_vec())
}

#[test]
fn the_picture_of_a_run_is_a_draft_unless_told() {
    let bench = Bench::new();
    write(&bench, "balls.toml", 0.02);
    ok(&bench, "run balls.toml -o a --picture 96x60");
    ok(
        &bench,
        "run balls.toml -o b --picture 96x60 --quality draft",
    );
    ok(&bench, "run balls.toml -o c --picture 96x60 --quality fine");
    let picture = |run: &str| pixels(&bench.path(run).join("picture.png"));
    assert!(picture("a") == picture("b"));
    assert!(picture("a") != picture("c"));
}

#[test]
fn a_picture_that_would_take_longer_than_the_run_is_a_sketch_and_says_so() {
    let bench = Bench::new();
    write(&bench, "balls.toml", 0.004);
    let line = "run balls.toml -o r --picture 2400x2400 --threads 1";
    let hurried = ok(&bench, line);
    let message = stderr(&hurried);
    assert!(message.contains("the picture is a sketch"), "{message}");
    assert!(
        message.contains("drystone render r -o r/picture.png"),
        "{message}"
    );
    // Longer than a second: shown.
    assert!(message.contains("drawing picture.png: "), "{message}");
    assert!(stdout(&hurried).contains("picture.png"));
    let (width, height, _) = pixels(&bench.path("r/picture.png"));
    assert_eq!([width, height], [2400; 2]);
}

/// Frames of a GIF as whole pictures, and how long each is shown in hundredths of a second.
fn gif_frames(file: &Path) -> ([u16; 2], Vec<(Vec<u8>, u16)>) {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options
        .read_info(std::fs::File::open(file).unwrap())
        .unwrap();
    let size = [decoder.width(), decoder.height()];
    let mut screen = vec![0; 4 * usize::from(size[0]) * usize::from(size[1])];
    let mut frames = Vec::new();
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        for (k, pixel) in frame.buffer.chunks_exact(4).enumerate() {
            let (x, y) = (k % usize::from(frame.width), k / usize::from(frame.width));
            let place =
                (usize::from(frame.top) + y) * usize::from(size[0]) + usize::from(frame.left) + x;
            if pixel[3] != 0 {
                screen[4 * place..4 * place + 4].copy_from_slice(pixel);
            }
        }
        frames.push((screen.clone(), frame.delay));
    }
    (size, frames)
}

#[test]
fn a_film_shows_every_frame_in_its_time() {
    let bench = recorded();
    // Frames are 10 ms apart: at a quarter of the speed, 25 a second shows each once.
    let output = ok(
        &bench,
        &format!("render r --video f.gif --speed 0.25 {SMALL}"),
    );
    assert!(
        stdout(&output).contains("f.gif: 11 pictures in 0.44"),
        "{}",
        stdout(&output)
    );
    let (size, frames) = gif_frames(&bench.path("f.gif"));
    assert_eq!(size, [64, 40]);
    assert_eq!(frames.iter().map(|f| f.1).collect::<Vec<_>>(), [4; 11]);
    assert!(frames.windows(2).any(|pair| pair[0].0 != pair[1].0));
    // The same as pictures, but for the fewer colours.
    ok(&bench, &format!("render r --sequence s/%03d.png {SMALL}"));
    let names: Vec<String> = (0..11).map(|k| format!("{k:03}.png")).collect();
    assert_eq!(bench.files("s"), names);
    for (name, frame) in names.iter().zip(&frames) {
        let (_, _, picture) = pixels(&bench.path("s").join(name));
        let off = picture
            .iter()
            .zip(&frame.0)
            .map(|(a, b)| u64::from(a.abs_diff(*b)));
        let mean = off.sum::<u64>() as f64 / picture.len() as f64;
        assert!(mean < 6.0, "{name}: {mean}");
    }
}

#[test]
fn spans_and_steps_of_sequences_are_as_asked() {
    let bench = recorded();
    let line = format!("render r --sequence f-%d.png --every 2 {SMALL} --from");
    let output = with(&bench, &line, &["20 ms", "--to", "60 ms"]);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    for k in 0..3 {
        assert!(bench.path(&format!("f-{k}.png")).exists());
    }
    assert!(!bench.path("f-3.png").exists());
    for (wrong, expected) in [
        ("--sequence f.png", "%04d"),
        ("--sequence f-%d.jpg", ".png"),
        ("--video f.avi", ".gif, .webm, .mp4"),
        ("--video f.gif --fps 100", "at most 50 pictures"),
        ("--video f.gif --from 3", "expected times from 0 s to 0.1 s"),
        ("-o f.gif", "--video f.gif"),
        ("-o f.jpg", "a picture is a .png file"),
        ("-o f.png --video f.gif", "cannot be used with"),
        ("-o f.png --fps 3", "cannot be used with"),
        ("--size 64x40", "--video <FILE>"),
    ] {
        let output = with(&bench, &format!("render r {wrong}"), &[]);
        assert_eq!(status(&output), 2, "{wrong}: {}", stderr(&output));
        let message = stderr(&output);
        assert!(message.contains(expected), "{wrong}: {message}");
    }
    assert!(!bench.path("f.gif").exists());
}

#[test]
fn colours_have_a_range_with_units_and_powers_of_ten() {
    let bench = recorded();
    let draw = |name: &str, more: &[&str]| {
        let line = format!("render r -o {name}.png {SMALL} --color-by speed --frame 5");
        let output = with(&bench, &line, more);
        assert_eq!(status(&output), 0, "{}", stderr(&output));
        pixels(&bench.path(&format!("{name}.png")))
    };
    let plain = draw("plain", &[]);
    let wide = draw("wide", &["--range", "0:100"]);
    assert!(plain != wide);
    assert!(wide == draw("same", &["--range", "0 m/s : 10000 cm/s"]));
    assert!(draw("log", &["--log"]) != plain);
    for (more, expected) in [
        (vec!["--color-by", "speed", "--range", "2:1"], "not below"),
        (
            vec!["--color-by", "speed", "--range", "0:1", "--log"],
            "--log needs",
        ),
        (
            vec!["--color-by", "size", "--range", "1 s:2 s"],
            "a time, not a length",
        ),
        (vec!["--range", "1:2"], "--color-by"),
        (vec!["--color-by", "material", "--log"], "--color-by"),
    ] {
        let output = with(&bench, "render r -o no.png", &more);
        let message = stderr(&output);
        assert_eq!(status(&output), 2, "{message}");
        assert!(message.contains(expected), "{message}");
    }
    assert!(!bench.path("no.png").exists());
}

#[test]
fn clip_none_takes_back_the_cuts_of_the_scene() {
    let bench = Bench::new();
    write(&bench, "balls.toml", 0.02);
    ok(&bench, "run balls.toml -o whole --picture none");
    let cut = ["--set", "view.clip=y>0"];
    let line = "run balls.toml -o cut --picture none";
    let output = with(&bench, line, &cut);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    let draw = |run: &str, name: &str, more: &str| {
        ok(&bench, &format!("render {run} -o {name}.png {SMALL}{more}"));
        pixels(&bench.path(&format!("{name}.png")))
    };
    let whole = draw("whole", "a", "");
    assert!(draw("cut", "b", "") != whole);
    assert!(draw("cut", "c", " --clip none") == whole);
}

/// A program in place of ffmpeg: it keeps what it is told and what it is fed.
#[cfg(unix)]
fn with_encoder(bench: &Bench, script: &str, line: &str) -> Output {
    use std::os::unix::fs::PermissionsExt;
    let folder = bench.path("bin");
    std::fs::create_dir_all(&folder).unwrap();
    let program = folder.join("ffmpeg");
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", folder.display());
    let args: Vec<&str> = line.split(' ').collect();
    bench.command(&args).env("PATH", path).output().unwrap()
}

#[cfg(unix)]
#[test]
fn webm_is_encoded_by_ffmpeg_from_all_pictures() {
    let bench = recorded();
    // The last argument is the file to write.
    let keep = "echo \"$@\" > told; for last; do :; done; cat > \"$last\"";
    let line = format!("render r --video f.webm --fps 50 --speed 0.25 {SMALL}");
    let output = with_encoder(&bench, keep, &line);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    // Each of eleven frames is held for two ticks, the last for one.
    let film = std::fs::read(bench.path("f.webm")).unwrap();
    assert_eq!(film.len(), 21 * 64 * 40 * 4);
    let told = std::fs::read_to_string(bench.path("told")).unwrap();
    for word in ["-video_size 64x40", "-framerate 50 ", "-f webm"] {
        assert!(told.contains(word), "{told}");
    }
    let failing = "cat > /dev/null; echo 'Unknown encoder libvpx-vp9' >&2; exit 1";
    let output = with_encoder(&bench, failing, &line.replace("f.webm", "g.webm"));
    let message = stderr(&output);
    assert_eq!(status(&output), 2, "{message}");
    assert!(
        message.contains("g.webm: ffmpeg failed: Unknown encoder"),
        "{message}"
    );
    // One that takes nothing.
    let output = with_encoder(&bench, "exit 3", &line.replace("f.webm", "g.webm"));
    assert_eq!(status(&output), 2, "{}", stderr(&output));
    assert!(!bench.path("g.webm").exists());
    let left = bench.files(".");
    assert!(!left.iter().any(|name| name.ends_with(".tmp")), "{left:?}");
}

#[test]
fn without_ffmpeg_the_message_says_what_to_do() {
    let bench = recorded();
    let line = format!("render r --video f.webm {SMALL}");
    let args: Vec<&str> = line.split(' ').collect();
    let output = bench.command(&args).env("PATH", "").output().unwrap();
    let message = stderr(&output);
    assert_eq!(status(&output), 2, "{message}");
    for word in ["f.webm: ", "ffmpeg", "install it", ".gif"] {
        assert!(message.contains(word), "{message}");
    }
    assert_eq!(bench.files("."), ["balls.toml", "r"]);
}

#[cfg(unix)]
#[test]
fn a_film_that_is_stopped_leaves_nothing_and_a_sequence_whole_pictures() {
    use common::scenes::{ended, signal, start_heard, wait_until};
    let bench = recorded();
    let film = start_heard(
        &bench,
        "render r --video f.gif --size 2000x2000 --quality fine",
    );
    std::thread::sleep(std::time::Duration::from_millis(700));
    signal(&film, "-INT");
    let output = ended(film);
    assert_eq!(status(&output), 3, "{}", stderr(&output));
    assert!(stderr(&output).contains("no film was written"));
    assert_eq!(bench.files("."), ["balls.toml", "r"]);
    let line = "render r --sequence s/%02d.png --size 160x120 --quality fine --threads 1";
    let sequence = start_heard(&bench, line);
    wait_until(|| bench.path("s/01.png").exists());
    signal(&sequence, "-TERM");
    let output = ended(sequence);
    assert_eq!(status(&output), 3, "{}", stderr(&output));
    assert!(
        stderr(&output).contains("they are whole"),
        "{}",
        stderr(&output)
    );
    let names = bench.files("s");
    assert!(names.len() < 11);
    for name in names {
        assert_eq!(pixels(&bench.path("s").join(name)).0, 160);
    }
}

#[test]
fn times_and_counts_are_written_as_people_write_them() {
    let bench = Bench::new();
    write(&bench, "balls.toml", 0.1);
    let run = |folder: &str, more: &[&str]| {
        let line = format!("run balls.toml -o {folder} --picture none --json --quiet");
        let output = with(&bench, &line, more);
        assert_eq!(status(&output), 0, "{}", stderr(&output));
        let json: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
        json["steps"].as_u64().unwrap()
    };
    assert_eq!(run("a", &["--until", "20 ms"]), 10);
    assert_eq!(run("b", &["--until", "0.02"]), 10);
    assert_eq!(run("c", &["--steps", "1e1"]), 10);
    for (flag, value, expected) in [
        ("--until", "20 mm", "a length, not a time"),
        ("--until", "-1 s", "not above 0"),
        ("--steps", "1.5", "whole number >= 1"),
        ("--steps", "0", "whole number >= 1"),
    ] {
        let output = with(&bench, "run balls.toml -o d", &[flag, value]);
        let message = stderr(&output);
        assert_eq!(status(&output), 2, "{message}");
        assert!(message.contains(expected), "{message}");
    }
}
