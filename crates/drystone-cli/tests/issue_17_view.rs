//! `drystone view` and `run --watch`: the program itself, asked over real sockets.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::common::scenes::{ended, ok, signal};
use crate::common::{Bench, status, stderr};
use serde_json::Value;

/// Starts the program; the result has the link that it prints first.
fn start(bench: &Bench, args: &str) -> (Child, String) {
    let args: Vec<&str> = args.split(' ').collect();
    let mut command = bench.command(&args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap())
        .read_line(&mut line)
        .unwrap();
    (child, line.trim().to_owned())
}

/// Asks the server of a link for a path.
fn get(link: &str, path: &str) -> (u16, Vec<u8>) {
    let address = link.strip_prefix("http://").unwrap().trim_end_matches('/');
    let mut socket = TcpStream::connect(address).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    socket.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    socket.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|w| w == b"\r\n\r\n").unwrap();
    let status = std::str::from_utf8(&answer[9..12])
        .unwrap()
        .parse()
        .unwrap();
    (status, answer[end + 4..].to_vec())
}

fn described(link: &str) -> Value {
    let (status, body) = get(link, "/api/run.json");
    assert_eq!(status, 200);
    serde_json::from_slice(&body).unwrap()
}

fn wait_for(link: &str, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
    let limit = Instant::now() + Duration::from_secs(60);
    loop {
        let run = described(link);
        if holds(&run) {
            return run;
        }
        assert!(Instant::now() < limit, "{what}: {run}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

const SHORT: &str = "run stack --steps 20 --quiet --picture none -o r";

#[test]
fn a_folder_is_served_until_a_signal_comes() {
    let bench = Bench::new();
    ok(&bench, SHORT);
    let (child, link) = start(&bench, "view r --no-open");
    assert!(
        link.starts_with("http://127.0.0.1:") && link.ends_with('/'),
        "{link}"
    );
    let run = described(&link);
    assert_eq!(run["state"], "finished");
    assert!(run["frames"].as_u64() > Some(0));
    let (status_of_page, page) = get(&link, "/");
    assert_eq!(status_of_page, 200);
    assert!(String::from_utf8_lossy(&page).contains("<!doctype html>"));
    signal(&child, "-INT");
    let output = ended(child);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
}

#[test]
fn a_scene_is_run_while_it_is_watched_and_the_page_stays() {
    let bench = Bench::new();
    let args = "view stack --no-open --quiet --set settings.duration=0.2 -o r";
    let (child, link) = start(&bench, args);
    let run = wait_for(&link, "the end", |run| run["state"] == "finished");
    assert!(run["frames"].as_u64() > Some(1), "{run}");
    assert!(bench.path("r/summary.json").exists());
    signal(&child, "-TERM");
    assert_eq!(status(&ended(child)), 0);
}

#[test]
fn a_run_of_another_process_is_followed() {
    let bench = Bench::new();
    ok(&bench, SHORT);
    let (watcher, link) = start(&bench, "view r --no-open");
    let before = described(&link)["frames"].as_u64();
    let args = "run --resume -o r --until 0.8 --quiet --picture none";
    let runner = bench
        .command(&args.split(' ').collect::<Vec<_>>())
        .output()
        .unwrap();
    assert_eq!(status(&runner), 0, "{}", stderr(&runner));
    wait_for(&link, "more frames", |run| {
        run["state"] == "finished" && run["frames"].as_u64() > before
    });
    signal(&watcher, "-TERM");
    assert_eq!(status(&ended(watcher)), 0);
}

#[test]
fn whoever_stops_a_watched_run_is_done_with_the_page() {
    let bench = Bench::new();
    let args = "run pile --watch --no-open --quiet --set count=300 --picture none -o r";
    let (child, link) = start(&bench, args);
    wait_for(&link, "some frames", |run| run["frames"].as_u64() > Some(1));
    signal(&child, "-INT");
    let output = ended(child);
    assert_eq!(status(&output), 3, "{}", stderr(&output));
}

#[test]
fn a_replay_is_written_and_says_how_far_it_is_off() {
    let bench = Bench::new();
    ok(&bench, SHORT);
    let output = ok(&bench, "view r --export r.html");
    let words = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        words.starts_with("r.html: ") && words.contains("largest errors: positions"),
        "{words}"
    );
    let html = std::fs::read_to_string(bench.path("r.html")).unwrap();
    assert!(html.contains("id=\"resource:frames/0.bin\""));
    for (args, expected) in [
        ("view r --export s.html --max-size 1kB", "allow more"),
        (
            "view r --export s.html --max-size nothing",
            "such as 500kB or 20MB",
        ),
        ("view stack --export s.html", "run the scene first"),
        ("view r --every 2", "--export"),
        ("view r --export s.html --port 8000", "cannot be used with"),
        ("view r -o s", "is for scenes"),
        ("view no/where", "no/where"),
        ("view nobody", "no built-in scene"),
        ("run stack --port 8000", "--port needs --watch"),
    ] {
        let output = bench.run(&args.split(' ').collect::<Vec<_>>());
        assert_eq!(status(&output), 2, "{args}");
        assert!(
            stderr(&output).contains(expected),
            "{args}: {}",
            stderr(&output)
        );
    }
    assert!(!bench.path("s.html").exists());
}
