//! A small scene in a real file, and what its runs leave behind.

use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

use super::{Bench, status, stderr};

/// A dozen balls fall into a box. `duration` in s; a step is 2 ms.
pub fn write(bench: &Bench, name: &str, duration: f64) {
    let text = format!(
        r#"
title = "A dozen balls"

[parameters]
count = 12
radius = "2 cm"

[settings]
duration = {duration}
time_step = "2 ms"

[[container]]
name = "box"
shape = {{ type = "box", size = ["16 cm", "16 cm", "20 cm"] }}

[[fill]]
name = "balls"
shape = {{ type = "sphere", radius = "radius" }}
count = "count"
container = "box"
arrangement = "rain"

[recording]
every = "10 ms"
contacts = true
forces = [{{ name = "floor", by = "balls", on = "box" }}]
"#
    );
    std::fs::write(bench.path(name), text).unwrap();
}

/// The same with a pendulum that a motor drives, recorded too.
pub fn write_with_joint(bench: &Bench, name: &str, duration: f64) {
    write(bench, name, duration);
    let text = std::fs::read_to_string(bench.path(name)).unwrap();
    let text = text.replace("contacts = true", "contacts = true\njoints = [\"pivot\"]");
    let joint = r#"
[[body]]
name = "bob"
shape = { type = "sphere", radius = "radius" }
position = ["10 cm", 0, "40 cm"]

[[joint]]
name = "pivot"
type = "revolute"
bodies = ["world", "bob"]
at = [0, 0, "40 cm"]
axis = [0, 1, 0]
motor = { type = "torque", value = "0.01 N*1 m*sin(5*t)" }
"#;
    std::fs::write(bench.path(name), text + joint).unwrap();
}

/// Runs the program and expects success.
pub fn ok(bench: &Bench, line: &str) -> Output {
    let output = bench.run(&line.split(' ').collect::<Vec<_>>());
    assert_eq!(status(&output), 0, "{line}: {}", stderr(&output));
    output
}

/// Starts the program and leaves it to itself.
pub fn start(bench: &Bench, line: &str) -> Child {
    let mut command = bench.command(&line.split(' ').collect::<Vec<_>>());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// A signal to a child, such as `-INT`.
pub fn signal(child: &Child, name: &str) {
    let sent = std::process::Command::new("kill")
        .args([name, &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
}

/// Rows of a log without its wall times.
pub fn steps(log: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(log).unwrap();
    let columns = text.lines().next().unwrap().split(',');
    let kept = columns.filter(|c| !c.starts_with("seconds_")).count();
    let short = |line: &str| line.split(',').take(kept).collect::<Vec<_>>().join(",");
    text.lines().map(short).collect()
}

/// Two runs left the same behind: frames to the byte, forces, and steps but for their wall times.
pub fn assert_same(bench: &Bench, a: &str, b: &str) {
    let bytes = |run: &str, file: &str| std::fs::read(bench.path(run).join(file)).unwrap();
    for file in ["frames.dry", "forces.csv", "joints.csv"] {
        let there = bench.path(a).join(file).exists();
        assert!(
            !there || bytes(a, file) == bytes(b, file),
            "{a}/{file} is not {b}/{file}"
        );
    }
    let log = |run: &str| steps(&bench.path(run).join("log.csv"));
    assert_eq!(log(a), log(b));
}

/// Longest that a program that was told to end may take before it counts as hung.
const PATIENCE: Duration = Duration::from_secs(40);

/// What a program came to that was started with its output in pipes; one that hangs is killed.
pub fn ended(mut child: Child) -> Output {
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("the program hangs");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap()
}

/// Starts the program with its output in pipes. Both are short enough not to fill them.
pub fn start_heard(bench: &Bench, line: &str) -> Child {
    let mut command = bench.command(&line.split(' ').collect::<Vec<_>>());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Runs the program; one that hangs is killed.
pub fn run(bench: &Bench, line: &str) -> Output {
    ended(start_heard(bench, line))
}

/// Waits until something holds.
pub fn wait_until(mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "waited too long");
        std::thread::sleep(Duration::from_millis(2));
    }
}
