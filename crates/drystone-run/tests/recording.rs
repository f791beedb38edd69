//! Recordings: what goes in comes out, whatever happens to the file.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "test code")]

use std::path::Path;

use crate::common::{Numbers, scratch};
use drystone::{BodyKind, Shape};
use drystone_run::checkpoint::{Checkpoints, Fingerprint};
use drystone_run::recording::*;
use glam::{DQuat, DVec3};
use proptest::prelude::*;

/// Frames of a run that has two key frames.
const FRAMES: u64 = 53;

fn vector(numbers: &mut Numbers, size: f64) -> DVec3 {
    DVec3::new(numbers.real(), numbers.real(), numbers.real()) * size
}

/// A run of balls, every third one fixed.
fn header(bodies: usize) -> RunHeader {
    let mut header = RunHeader::new("a run", 0.01);
    header.positions = Precision::Double;
    let shape = header.add_shape(Shape::sphere(0.1).unwrap());
    let ground = header.add_shape(Shape::plane());
    header.materials.push(MaterialRecord {
        name: "steel".to_owned(),
        friction: 0.2,
    });
    for k in 0..bodies {
        let mut body = BodyRecord::dynamic(shape, 1.0 + k as f64);
        if k % 3 == 0 {
            body = BodyRecord {
                kind: BodyKind::Fixed,
                mass: 0.0,
                material: 1,
                appearance: Appearance {
                    color: Some([255, 128, k as u8]),
                    opacity: Opacity::Glass,
                },
                ..BodyRecord::dynamic(ground, 0.0)
            };
        }
        header.add_body(if k % 3 == 0 { "ground" } else { "grains" }, body);
    }
    header
}

/// A frame of a run in which fixed bodies stay and others move; contacts in every second one.
fn frame(step: u64, bodies: usize) -> Frame {
    let body = |k: usize| {
        let mut numbers = Numbers(k as u64 + 1);
        let moved = if k.is_multiple_of(3) { 0 } else { step };
        let position = vector(&mut numbers, 1.0) + DVec3::Z * (0.01 * moved as f64);
        let mut numbers = Numbers(1000 * moved + k as u64);
        numbers.bits();
        BodyFrame {
            position,
            rotation: DQuat::from_scaled_axis(vector(&mut numbers, 3.0)),
            velocity: vector(&mut numbers, if moved == 0 { 0.0 } else { 1.0 }),
            angular_velocity: vector(&mut numbers, if moved == 0 { 0.0 } else { 9.0 }),
            enabled: numbers.below(8) > 0,
        }
    };
    let contact = |k: usize| {
        let mut numbers = Numbers(77 * step + k as u64);
        ContactRecord {
            bodies: [k as u32, k as u32 + 1],
            point: vector(&mut numbers, 1.0),
            normal: vector(&mut numbers, 1.0).normalize(),
            gap: numbers.real() * 1e-4,
            force: vector(&mut numbers, 100.0),
            torque: vector(&mut numbers, 0.1),
        }
    };
    let contacts = (0..bodies.saturating_sub(1)).map(contact).collect();
    Frame {
        step,
        time: 0.01 * step as f64,
        bodies: (0..bodies).map(body).collect(),
        contacts: step.is_multiple_of(2).then_some(contacts),
    }
}

fn record(path: &Path, bodies: usize, steps: impl IntoIterator<Item = u64>) {
    let mut recorder = Recorder::create(path, header(bodies)).unwrap();
    for step in steps {
        recorder.append(&frame(step, bodies)).unwrap();
    }
    recorder.sync().unwrap();
}

/// Equal as far as the file stores numbers.
fn same(found: &Frame, written: &Frame, positions: Precision) -> Result<(), TestCaseError> {
    let close = |a: DVec3, b: DVec3| (a - b).abs().max_element() <= 6e-8 * b.abs().max_element();
    prop_assert_eq!(found.step, written.step);
    prop_assert_eq!(found.time, written.time);
    prop_assert_eq!(found.bodies.len(), written.bodies.len());
    for (a, b) in found.bodies.iter().zip(&written.bodies) {
        match positions {
            Precision::Double => prop_assert_eq!(a.position, b.position),
            Precision::Single => prop_assert!(close(a.position, b.position)),
        }
        let difference = (a.rotation * b.rotation.inverse()).xyz().length();
        prop_assert!(difference < 4e-7, "{} and {}", a.rotation, b.rotation);
        prop_assert!((a.rotation.length() - 1.0).abs() < 1e-12);
        prop_assert!(close(a.velocity, b.velocity));
        prop_assert!(close(a.angular_velocity, b.angular_velocity));
        prop_assert_eq!(a.enabled, b.enabled);
    }
    prop_assert_eq!(found.contacts.is_some(), written.contacts.is_some());
    let (found, written) = (found.contacts.iter(), written.contacts.iter());
    prop_assert_eq!(
        found.clone().flatten().count(),
        written.clone().flatten().count()
    );
    for (a, b) in found.flatten().zip(written.flatten()) {
        prop_assert_eq!(a.bodies, b.bodies);
        prop_assert!(close(a.point, b.point) && close(a.normal, b.normal));
        prop_assert!(close(a.force, b.force) && (a.gap - b.gap).abs() <= 6e-8 * b.gap.abs());
    }
    Ok(())
}

fn any_vector(size: f64) -> impl Strategy<Value = DVec3> {
    let component = || prop_oneof![4 => -size..size, 1 => Just(0.0), 1 => Just(-0.0)];
    (component(), component(), component()).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

fn any_body() -> impl Strategy<Value = BodyFrame> {
    let rotation = any_vector(4.0).prop_map(DQuat::from_scaled_axis);
    let vectors = (any_vector(1e3), any_vector(50.0), any_vector(1e3));
    (vectors, rotation, any::<bool>()).prop_map(|((position, v, w), rotation, enabled)| BodyFrame {
        position,
        rotation,
        velocity: v,
        angular_velocity: w,
        enabled,
    })
}

fn any_contacts(bodies: u32) -> impl Strategy<Value = Option<Vec<ContactRecord>>> {
    let vectors = (
        any_vector(1e3),
        any_vector(1.0),
        any_vector(1e9),
        any_vector(1e3),
    );
    let contact = ([0..bodies, 0..bodies], vectors, -1e-3..1e-3);
    let contact = contact.prop_map(
        |(bodies, (point, normal, force, torque), gap)| ContactRecord {
            bodies,
            point,
            normal,
            gap,
            force,
            torque,
        },
    );
    proptest::option::of(proptest::collection::vec(contact, 0..20))
}

fn any_run() -> impl Strategy<Value = Vec<Frame>> {
    (1..9_usize).prop_flat_map(|n| {
        let bodies = proptest::collection::vec(any_body(), n);
        let one = (bodies, any_contacts(n as u32), 1..5_u64);
        proptest::collection::vec(one, 0..60).prop_map(|frames| {
            let mut step = 0;
            let frame = |(bodies, contacts, steps)| {
                step += steps;
                Frame {
                    step,
                    time: step as f64 * 0.1,
                    bodies,
                    contacts,
                }
            };
            frames.into_iter().map(frame).collect()
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn frames_come_out_as_they_went_in(frames in any_run(), single in any::<bool>()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frames.dry");
        let mut description = header(frames.first().map_or(3, |f| f.bodies.len()));
        description.positions = if single { Precision::Single } else { Precision::Double };
        let mut recorder = Recorder::create(&path, description.clone()).unwrap();
        for frame in &frames {
            recorder.append(frame).unwrap();
        }
        let recording = Recording::open(&path).unwrap();
        prop_assert_eq!(recording.header(), &description);
        prop_assert_eq!(recording.tail(), &Tail::Whole);
        prop_assert_eq!(recording.len(), frames.len());
        // Backwards, so that each key frame is fetched anew.
        for (k, written) in frames.iter().enumerate().rev() {
            same(&recording.frame(k).unwrap(), written, description.positions)?;
            prop_assert_eq!(recording.step(k), written.step);
        }
    }

    #[test]
    fn a_run_resumed_anywhere_ends_in_the_same_bytes(stop in 0..60_u64, lost in 0..200_u64, every in 1..4_u64) {
        let folder = tempfile::tempdir().unwrap();
        let (whole, resumed) = (folder.path().join("a.dry"), folder.path().join("b.dry"));
        let steps = |range: std::ops::Range<u64>| range.filter(move |s| s.is_multiple_of(every));
        record(&whole, 5, steps(0..70));
        // Killed some steps after its checkpoint, within a frame.
        record(&resumed, 5, steps(0..stop + 7));
        let length = std::fs::metadata(&resumed).unwrap().len();
        let bytes = std::fs::read(&resumed).unwrap();
        let kept = Recorder::resume(&resumed, stop).unwrap().0.bytes();
        std::fs::write(&resumed, &bytes[..(length - lost).max(kept) as usize]).unwrap();

        let (mut recorder, facts) = Recorder::resume(&resumed, stop).unwrap();
        prop_assert_eq!(facts.frames as u64, stop / every + 1);
        for step in steps(stop + 1..70) {
            recorder.append(&frame(step, 5)).unwrap();
        }
        prop_assert!(std::fs::read(&whole).unwrap() == std::fs::read(&resumed).unwrap());
    }
}

#[test]
fn a_file_cut_anywhere_gives_its_whole_frames() {
    let folder = scratch("a_file_cut_anywhere_gives_its_whole_frames");
    let path = folder.join("frames.dry");
    let mut recorder = Recorder::create(&path, header(2)).unwrap();
    let mut ends = vec![recorder.bytes()];
    for step in 0..FRAMES {
        recorder.append(&frame(step, 2)).unwrap();
        ends.push(recorder.bytes());
    }
    let bytes = std::fs::read(&path).unwrap();
    let frames: Vec<Frame> = {
        let recording = Recording::open(&path).unwrap();
        (0..recording.len())
            .map(|k| recording.frame(k).unwrap())
            .collect()
    };
    let cut = folder.join("cut.dry");
    // The first frames and those around the second key frame.
    let lengths = (0..ends[3]).chain(ends[48]..bytes.len() as u64);
    for length in lengths.map(|length| length as usize) {
        std::fs::write(&cut, &bytes[..length]).unwrap();
        let whole = ends.iter().rposition(|&end| end <= length as u64);
        let Some(whole) = whole else {
            let message = Recording::open(&cut).unwrap_err().to_string();
            let expected = ["cut: the file ends after", "not a recording"];
            assert!(expected.iter().any(|e| message.contains(e)), "{message}");
            continue;
        };
        let recording = Recording::open(&cut).unwrap();
        assert_eq!(recording.len(), whole, "cut at {length}");
        let bytes = length as u64 - ends[whole];
        let expected = match bytes {
            0 => Tail::Whole,
            bytes => Tail::Cut {
                offset: ends[whole],
                bytes,
            },
        };
        assert_eq!(recording.tail(), &expected);
        // The last one needs its key frame; the others were looked at when they were the last.
        if let Some(last) = whole.checked_sub(1) {
            assert_eq!(recording.frame(last).unwrap(), frames[last]);
        }
        let missing = recording.frame(whole).unwrap_err().to_string();
        assert!(
            missing.contains(&format!("frame {whole}: there are only {whole}")),
            "{missing}"
        );
    }
}

#[test]
fn a_flipped_bit_is_found_wherever_it_is() {
    let folder = scratch("a_flipped_bit_is_found_wherever_it_is");
    let path = folder.join("frames.dry");
    let mut recorder = Recorder::create(&path, header(2)).unwrap();
    let begin = recorder.bytes();
    let mut ends = Vec::new();
    for step in 0..4 {
        recorder.append(&frame(step, 2)).unwrap();
        ends.push(recorder.bytes());
    }
    let bytes = std::fs::read(&path).unwrap();
    let damaged = folder.join("damaged.dry");
    for at in 0..bytes.len() as u64 {
        let mut copy = bytes.clone();
        copy[at as usize] ^= 1 << (at % 8);
        std::fs::write(&damaged, &copy).unwrap();
        let recording = match Recording::open(&damaged) {
            Ok(recording) => recording,
            Err(_) => {
                assert!(at < begin, "byte {at}");
                continue;
            }
        };
        assert!(at >= begin, "a flip of byte {at} went unnoticed");
        let struck = ends.iter().position(|&end| at < end).unwrap();
        let offset = struck.checked_sub(1).map_or(begin, |k| ends[k]);
        let message = recording.frame(struck).unwrap_err().to_string();
        let place = format!("frame {struck} at byte {offset}: ");
        assert!(message.contains(&place), "{message}");
        for before in 0..struck {
            recording.frame(before).unwrap();
        }
    }
}

#[test]
fn a_growing_file_is_followed() {
    let folder = scratch("a_growing_file_is_followed");
    let path = folder.join("frames.dry");
    let mut recorder = Recorder::create(&path, header(4)).unwrap();
    let mut recording = Recording::open(&path).unwrap();
    assert!(recording.is_empty() && recording.nearest(0.0).is_none());
    for step in 0..FRAMES {
        recorder.append(&frame(step, 4)).unwrap();
        assert_eq!(recording.refresh().unwrap() as u64, step + 1);
        let found = recording.frame(step as usize).unwrap();
        same(&found, &frame(step, 4), Precision::Double).unwrap();
    }
    assert_eq!(recording.nearest(0.204), Some(20));
    assert_eq!(recording.nearest(0.206), Some(21));
    assert_eq!(recording.nearest(99.0), Some(FRAMES as usize - 1));
    assert_eq!(recording.nearest(-1.0), Some(0));
    // Cut back by a resumed run, then grown beyond what was there, with other frames.
    let (mut recorder, facts) = Recorder::resume(&path, 20).unwrap();
    assert_eq!((facts.frames, facts.dropped), (21, 32));
    assert_eq!(recording.refresh().unwrap(), 21);
    for step in (31..91).step_by(2) {
        recorder.append(&frame(step, 4)).unwrap();
    }
    assert_eq!(recording.refresh().unwrap(), 51);
    assert_eq!(recording.frame(21).unwrap().step, 31);
}

#[test]
fn a_reader_and_a_writer_at_the_same_time() {
    let folder = scratch("a_reader_and_a_writer_at_the_same_time");
    let path = folder.join("frames.dry");
    let mut recorder = Recorder::create(&path, header(50)).unwrap();
    let mut recording = Recording::open(&path).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for step in 0..300 {
                recorder.append(&frame(step, 50)).unwrap();
            }
        });
        let mut seen = 0;
        while seen < 300 {
            let now = recording.refresh().unwrap();
            assert!(now >= seen);
            assert!(!matches!(recording.tail(), Tail::Damaged { .. }));
            for k in seen..now {
                assert_eq!(recording.frame(k).unwrap().step, k as u64);
            }
            seen = now;
        }
    });
}

#[test]
fn the_same_frames_give_the_same_bytes() {
    let folder = scratch("the_same_frames_give_the_same_bytes");
    let [a, b] = ["a.dry", "b.dry"].map(|name| folder.join(name));
    record(&a, 7, 0..FRAMES);
    record(&b, 7, 0..FRAMES);
    assert_eq!(std::fs::read(&a).unwrap(), std::fs::read(&b).unwrap());
}

#[test]
fn what_does_not_fit_the_run_is_refused_and_leaves_no_trace() {
    let folder = scratch("what_does_not_fit_the_run_is_refused_and_leaves_no_trace");
    let path = folder.join("frames.dry");
    let mut recorder = Recorder::create(&path, header(3)).unwrap();
    recorder.append(&frame(5, 3)).unwrap();
    let length = recorder.bytes();
    let mut infinite = frame(6, 3);
    infinite.bodies[1].velocity.y = f64::INFINITY;
    let mut beyond = frame(6, 3);
    beyond.bodies[2].angular_velocity.x = -1e39;
    let mut stranger = frame(6, 3);
    stranger.contacts.as_mut().unwrap()[1].bodies = [1, 3];
    let cases = [
        (frame(6, 4), "step 6: 4 bodies, the run has 3"),
        (
            frame(5, 3),
            "step 5: not after the last frame, which is of step 5",
        ),
        (infinite, "of body 1 is not finite"),
        (
            beyond,
            "of body 2 is beyond 3.4e38, the largest figure of a recording",
        ),
        (stranger, "contact 1 names bodies [1, 3] of 3"),
    ];
    for (bad, expected) in cases {
        let message = recorder.append(&bad).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
    assert_eq!(std::fs::metadata(&path).unwrap().len(), length);
    recorder.append(&frame(6, 3)).unwrap();
    assert_eq!(Recording::open(&path).unwrap().len(), 2);
    let mut bad = header(3);
    bad.bodies[1].shape = 2;
    let message = Recorder::create(&path, bad).err().unwrap().to_string();
    assert!(message.contains("body 1 names shape 2 of 2"), "{message}");
    let mut bad = header(3);
    bad.shapes[0] = Shape::Sphere { radius: 0.0 };
    let message = Recorder::create(&path, bad).err().unwrap().to_string();
    assert!(
        message.contains("shape 0: sphere: radius 0 is not"),
        "{message}"
    );
}

#[test]
fn other_files_are_told_from_recordings() {
    let folder = scratch("other_files_are_told_from_recordings");
    let path = folder.join("frames.dry");
    let message = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        Recording::open(&path).unwrap_err().to_string()
    };
    assert!(message(b"").contains("not a recording"));
    assert!(message(b"# a scene in TOML\n").contains("not a recording"));
    record(&path, 1, 0..1);
    let mut newer = std::fs::read(&path).unwrap();
    newer[8] = 9;
    assert!(message(&newer).contains("format version 9, expected 2"));
    let missing = Recording::open(folder.join("none.dry")).unwrap_err();
    assert!(missing.to_string().contains("none.dry: "), "{missing}");
}

#[test]
fn names_tell_members_of_a_group_apart() {
    let header = header(6);
    let names: Vec<String> = (0..6).map(|k| header.body_name(k)).collect();
    let expected = [
        "ground[0]",
        "grains[0]",
        "grains[1]",
        "ground[1]",
        "grains[2]",
        "grains[3]",
    ];
    assert_eq!(names, expected);
}

/// Grains of a pile at their places in a box of a metre, most of them slow, a tenth at rest; fixed
/// ones among them.
fn pile(bodies: usize, step: u64, moving: bool) -> Frame {
    let body = |k: usize| {
        let mut numbers = Numbers(k as u64);
        numbers.bits();
        let mut gauss = || (0..6).map(|_| numbers.real()).sum::<f64>();
        let mut unit = || DVec3::new(gauss(), gauss(), gauss());
        let (place, velocity, spin, turn) = (unit(), unit(), unit(), unit());
        let speed = if moving {
            10_f64.powf(-2.0 + gauss())
        } else {
            0.0
        };
        let time = 0.02 * step as f64;
        // Forces change the velocity from frame to frame.
        let mut numbers = Numbers(k as u64 * 1000 + step);
        numbers.bits();
        let change = DVec3::ONE + 0.1 * vector(&mut numbers, 1.0);
        BodyFrame {
            position: place * 0.4 + velocity * speed * time,
            rotation: DQuat::from_scaled_axis(spin * (40.0 * speed * time))
                * DQuat::from_scaled_axis(turn),
            velocity: velocity * speed * change,
            angular_velocity: spin * speed * 40.0 * change,
            enabled: true,
        }
    };
    Frame {
        step,
        time: 0.02 * step as f64,
        bodies: (0..bodies).map(body).collect(),
        contacts: None,
    }
}

/// Bytes per body and frame, key frames included.
fn bytes_per_body(path: &Path, positions: Precision, moving: bool) -> f64 {
    let (bodies, frames) = (3000, 50);
    let mut description = header(bodies);
    description.positions = positions;
    let mut recorder = Recorder::create(path, description).unwrap();
    let before = recorder.bytes();
    for step in 0..frames {
        recorder.append(&pile(bodies, step, moving)).unwrap();
    }
    (recorder.bytes() - before) as f64 / (bodies as u64 * frames) as f64
}

#[test]
fn frames_are_compact() {
    let folder = scratch("frames_are_compact");
    let path = folder.join("frames.dry");
    let moving = [Precision::Double, Precision::Single].map(|p| bytes_per_body(&path, p, true));
    let still = bytes_per_body(&path, Precision::Double, false);
    println!(
        "double {:.1}, single {:.1}, at rest {still:.2}",
        moving[0], moving[1]
    );
    // Raw: 24 or 12 for the position, 12 for the rotation, 24 for velocities, 1 for flags.
    assert!(moving[0] < 56.0 && moving[1] < 45.0, "{moving:?}");
    // Only the key frame costs: a fiftieth of about 35 bytes.
    assert!(still < 0.8, "{still}");
}

const FULL_DISK: &str = "DRYSTONE_TEST_FULL_DISK";

/// Runs [`fills_its_disk`] in a process that may only write files of 8 KiB: writes then fail as on
/// a full disk, in their midst.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_whole_frames_and_rows() {
    let folder = scratch("a_full_disk_leaves_whole_frames_and_rows");
    // The unit of ulimit is 512 bytes in some shells, 1024 in others.
    let script =
        "trap '' XFSZ; ulimit -f 8; exec \"$0\" --exact recording::fills_its_disk --nocapture";
    let output = std::process::Command::new("sh")
        .args(["-c", script])
        .arg(std::env::current_exe().unwrap())
        .env(FULL_DISK, &folder)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(text.contains("the disk was full"), "{text}");
}

/// Does nothing unless [`a_full_disk_leaves_whole_frames_and_rows`] starts it.
#[test]
fn fills_its_disk() {
    let Some(folder) = std::env::var_os(FULL_DISK).map(std::path::PathBuf::from) else {
        return;
    };
    let path = folder.join("frames.dry");
    let mut recorder = Recorder::create(&path, header(9)).unwrap();
    let mut steps = 0..1000;
    let error = steps
        .by_ref()
        .find_map(|s| recorder.append(&frame(s, 9)).err());
    assert!(error.unwrap().to_string().contains("frames.dry: "));
    let recording = Recording::open(&path).unwrap();
    assert_eq!(recording.tail(), &Tail::Whole);
    assert_eq!(recording.len(), recorder.frames());
    assert_eq!(std::fs::metadata(&path).unwrap().len(), recorder.bytes());
    // Nothing but the frame that failed is missing.
    let last = recording.frame(recording.len() - 1).unwrap();
    assert_eq!(last.step + 2, steps.start);

    let path = folder.join("table.csv");
    let mut log = CsvLog::create(&path, &["step", "number"]).unwrap();
    let mut rows = (0..9000).map_while(|s| log.append(s, &[Cell::Real(0.1)]).ok());
    let rows = rows.by_ref().count();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(rows < 9000 && text.ends_with('\n') && text.lines().count() == rows + 1);

    // A checkpoint too large for the disk leaves the one that is there.
    let checkpoints = Checkpoints::new(&folder, Fingerprint::of(b""));
    checkpoints.write(&vec![1_u64]).unwrap();
    let mut numbers = Numbers(1);
    let large: Vec<u64> = (0..4000).map(|_| numbers.bits()).collect();
    assert!(checkpoints.write(&large).is_err());
    let loaded = checkpoints.read::<Vec<u64>>().unwrap().unwrap();
    assert!(loaded.payload == [1] && loaded.newest.is_none());
    println!("the disk was full");
}
