//! Large recordings: what is sent until the page can draw, and that each frame is made once. The
//! times are printed (`--nocapture`), not judged.
#![cfg(feature = "server")]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "test code")]

mod common;

use std::time::Instant;

use common::{get, record, serve};

/// Bytes of a frame with so many bodies: a head, and five columns at multiples of eight.
fn frame_bytes(bodies: usize) -> usize {
    let columns = [12, 8, 12, 12, 1].map(|each| (each * bodies).next_multiple_of(8));
    16 + columns.iter().sum::<usize>()
}

#[test]
fn a_hundred_thousand_balls_open_by_five_resources_and_one_frame() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 100_000, 12);
    let begun = Instant::now();
    let server = serve(folder.path());
    // What the page asks for before it draws.
    let mut sent = 0;
    for resource in [
        "run.json",
        "bodies.bin",
        "shapes.json",
        "index.bin",
        "frame/0.bin",
    ] {
        let answer = get(server.address(), &format!("/api/{resource}"));
        assert_eq!(answer.status, 200, "{resource}");
        sent += answer.body.len();
    }
    println!("opened in {:?}, {sent} bytes", begun.elapsed());
    assert_eq!(server.load().made, 5);
    // 32 bytes a body that do not change, 45 of the frame, and little else.
    assert!(sent < 100_001 * (32 + 45) + 20_000, "{sent} bytes");
    let begun = Instant::now();
    for frame in 0..12 {
        let answer = get(server.address(), &format!("/api/frame/{frame}.bin"));
        assert_eq!(answer.head(), [100_001, 0]);
        assert_eq!(answer.body.len(), frame_bytes(100_001));
    }
    println!("then {:?} a frame", begun.elapsed() / 12);
    // The first was there already.
    assert_eq!(server.load().made, 5 + 11);
}

#[test]
fn clients_that_ask_for_the_same_frame_wait_for_one_maker() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 200_000, 2);
    let server = serve(folder.path());
    let address = server.address();
    let begun = Instant::now();
    assert_eq!(get(address, "/api/frame/0.bin").head(), [200_001, 0]);
    let alone = begun.elapsed();
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(move || assert_eq!(get(address, "/api/frame/1.bin").head(), [200_001, 0]));
        }
    });
    println!(
        "one client {alone:?}, twenty together {:?}",
        begun.elapsed()
    );
    assert_eq!(server.load().made, 2);
}
