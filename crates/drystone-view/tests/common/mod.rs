//! Recordings, a server and a client for tests: real files, real sockets.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use drystone::Shape;
use drystone_run::recording::{BodyFrame, BodyRecord, ContactRecord, Frame, Recorder, RunHeader};
use drystone_view::{RunView, Server, ServerSettings};
use glam::{DQuat, DVec3};
use serde_json::Value;

/// Markup in a name.
pub const MARKUP: &str = "</script><script>alert(1)</script>\"'&<b>";

/// A header with balls, and a fixed floor.
pub fn header(balls: usize) -> RunHeader {
    let mut header = RunHeader::new(MARKUP, 0.01);
    header.materials[0].name = MARKUP.to_owned();
    let floor = header.add_shape(Shape::plane());
    let ball = header.add_shape(Shape::sphere(0.1).unwrap());
    let mut ground = BodyRecord::dynamic(floor, 0.0);
    ground.kind = drystone::BodyKind::Fixed;
    header.add_body(MARKUP, ground);
    for _ in 0..balls {
        header.add_body("balls", BodyRecord::dynamic(ball, 2.0));
    }
    header
}

/// The balls at a time, in a row and falling.
pub fn frame(balls: usize, step: u64) -> Frame {
    let time = 0.01 * step as f64;
    let ball = |k: usize| BodyFrame {
        position: DVec3::new(0.3 * k as f64, 0.1 * (time + k as f64).sin(), 5.0 - time),
        rotation: DQuat::from_rotation_x(time * k as f64),
        velocity: DVec3::new(0.0, 0.1, -1.0),
        ..BodyFrame::default()
    };
    let bodies = std::iter::once(BodyFrame::default()).chain((0..balls).map(ball));
    let touch = ContactRecord {
        bodies: [0, 1],
        point: DVec3::new(0.0, 0.0, 0.1),
        normal: DVec3::Z,
        gap: -1e-4,
        force: DVec3::new(0.0, 1.0, 20.0),
        torque: DVec3::ZERO,
    };
    Frame {
        step,
        time,
        bodies: bodies.collect(),
        contacts: Some(vec![touch]),
    }
}

/// Writes a recording.
pub fn record(folder: &Path, balls: usize, frames: u64) -> PathBuf {
    let file = folder.join("frames.dry");
    let mut recorder = Recorder::create(&file, header(balls)).unwrap();
    for step in 0..frames {
        recorder.append(&frame(balls, step)).unwrap();
    }
    recorder.sync().unwrap();
    file
}

/// A server for a run, on this machine.
pub fn serve(run: &Path) -> Server {
    Server::start(RunView::open(run).unwrap(), ServerSettings::default()).unwrap()
}

/// An answer.
pub struct Answer {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// The head of a binary resource: count and flags.
    pub fn head(&self) -> [u32; 2] {
        assert_eq!(&self.body[..8], b"DRYV\x01\0\0\0");
        let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|k| self.body[at + k]));
        [word(8), word(12)]
    }
}

/// Asks as a browser would.
pub fn get(address: SocketAddr, path: &str) -> Answer {
    ask(address, "GET", path, &[("Host", &address.to_string())])
}

/// Asks with headers of one's own.
pub fn ask(address: SocketAddr, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
    let mut socket = connect(address);
    let headers: String = headers
        .iter()
        .map(|(k, v)| format!("{k}: {v}\r\n"))
        .collect();
    let request = format!("{method} {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n");
    socket.write_all(request.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    socket.read_to_end(&mut bytes).unwrap();
    parse(&bytes)
}

/// Tests give up after so long. A machine with other work takes its time, and no test judges one.
const PATIENCE: Duration = Duration::from_secs(180);

pub fn connect(address: SocketAddr) -> TcpStream {
    let socket = TcpStream::connect(address).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    socket
}

/// Waits until something holds.
pub fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let limit = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < limit, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn parse(bytes: &[u8]) -> Answer {
    let end = bytes.windows(4).position(|w| w == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap();
    let headers = lines.map(|line| {
        let (name, value) = line.split_once(": ").unwrap();
        (name.to_ascii_lowercase(), value.to_owned())
    });
    Answer {
        status: status.parse().unwrap(),
        headers: headers.collect(),
        body: bytes[end + 4..].to_vec(),
    }
}

/// Listens to events until `done` says so of all that came; fails after a while.
pub fn events(address: SocketAddr, done: impl Fn(&str) -> bool) -> String {
    let mut socket = connect(address);
    let request = format!("GET /api/events HTTP/1.1\r\nHost: {address}\r\n\r\n");
    socket.write_all(request.as_bytes()).unwrap();
    socket
        .set_read_timeout(Some(Duration::from_millis(200)))
        .unwrap();
    let (mut heard, mut buffer) = (String::new(), [0; 4096]);
    let limit = Instant::now() + PATIENCE;
    while !done(&heard) {
        assert!(Instant::now() < limit, "heard only: {heard}");
        if let Ok(count) = socket.read(&mut buffer) {
            heard += &String::from_utf8_lossy(&buffer[..count]);
        }
    }
    heard
}
