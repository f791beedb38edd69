//! Two frames of a run of one ball, behind their checksums. The first byte says where the second
//! begins.
#![no_main]

use std::sync::LazyLock;

use drystone::Shape;
use drystone_fuzz::{chunk, file};
use drystone_run::recording::{BodyRecord, Recorder, Recording, RunHeader};

/// A recording without frames.
static EMPTY: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut header = RunHeader::new("one ball", 0.01);
    let shape = header.add_shape(Shape::sphere(0.5).expect("a ball"));
    header.add_body("ball", BodyRecord::dynamic(shape, 2.0));
    let path = file("empty.dry", &[]);
    drop(Recorder::create(&path, header).expect("it can be written"));
    std::fs::read(path).expect("it can be read")
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((&at, frames)) = data.split_first() else { return };
    let (first, second) = frames.split_at((at as usize).min(frames.len()));
    let bytes = [EMPTY.clone(), chunk(b"KEYF", 0, first), chunk(b"DIFF", 1, second)].concat();
    if let Ok(recording) = Recording::open(file("fuzz.dry", &bytes)) {
        let _ = (0..recording.len()).map(|k| recording.frame(k)).count();
    }
});
