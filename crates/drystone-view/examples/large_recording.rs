//! Writes a recording of many balls that swirl around an axis, to measure how fast it opens:
//! `cargo run --release -p drystone-view --example large_recording -- 100000 20 out/large`. A fourth
//! word is the number of different sizes.

use std::error::Error;
use std::path::Path;

use drystone::Shape;
use drystone_run::recording::{BodyFrame, BodyRecord, Frame, Recorder, RunHeader};
use glam::{DQuat, DVec3};

/// Different sizes of balls unless told.
const SIZES: usize = 16;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (balls, frames, folder, sizes) = match words.as_slice() {
        [balls, frames, folder] => (balls, frames, folder, SIZES),
        [balls, frames, folder, sizes] => (balls, frames, folder, sizes.parse()?),
        _ => return Err("expected: BALLS FRAMES FOLDER [SIZES]".into()),
    };
    let (balls, frames): (usize, u64) = (balls.parse()?, frames.parse()?);
    std::fs::create_dir_all(folder)?;
    let mut header = RunHeader::new(format!("{balls} balls"), 0.01);
    let ground = header.add_shape(Shape::plane());
    let mut floor = BodyRecord::dynamic(ground, 0.0);
    floor.kind = drystone::BodyKind::Fixed;
    header.add_body("ground", floor);
    let mut shapes = Vec::new();
    for k in 0..sizes {
        let radius = 0.3 + 0.2 * k as f64 / sizes as f64;
        shapes.push(header.add_shape(Shape::sphere(radius)?));
    }
    for k in 0..balls {
        header.add_body("balls", BodyRecord::dynamic(shapes[k % sizes], 1.0));
    }
    let mut recorder = Recorder::create(Path::new(folder).join("frames.dry"), header)?;
    for step in 0..frames {
        recorder.append(&frame(balls, step))?;
    }
    recorder.sync()?;
    Ok(())
}

/// The balls on a lattice that turns, faster near its axis.
fn frame(balls: usize, step: u64) -> Frame {
    let time = 0.02 * step as f64;
    let side = (balls as f64).cbrt().ceil() as usize;
    let ball = |k: usize| {
        let place = [k % side, k / side % side, k / side / side].map(|i| i as f64);
        // Not in rank and file: a recording packs repetitions to nothing.
        let astray = DVec3::new(1.0, 7.1, 3.7).map(|f| 0.2 * (12.9 * f * k as f64).sin());
        let off = DVec3::from_array(place) + astray - DVec3::new(0.5, 0.5, 0.0) * side as f64;
        let speed = 1.0 / (1.0 + off.truncate().length() / side as f64);
        let turn = DQuat::from_rotation_z(speed * time);
        let position = turn * off + DVec3::Z;
        BodyFrame {
            position,
            rotation: turn,
            velocity: (speed * DVec3::Z).cross(position),
            angular_velocity: speed * DVec3::Z,
            enabled: true,
        }
    };
    Frame {
        step,
        time,
        bodies: std::iter::once(BodyFrame::default())
            .chain((0..balls).map(ball))
            .collect(),
        contacts: None,
    }
}
