//! Exports: what other programs read is what was recorded.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "test code")]

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::common::{Numbers, scratch};
use drystone::shape::{HeightField, SurfaceDetail};
use drystone::{BodyKind, Pose, Shape};
use drystone_run::export::{ExportError, ExportOptions, Exported, Format, export};
use drystone_run::recording::*;
use glam::{DQuat, DVec3};

fn every_convex() -> Vec<Shape> {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let shapes = [
        Shape::sphere(0.5),
        Shape::box_of([1.0, 2.0, 3.0]),
        Shape::ellipsoid([1.0, 2.0, 0.5]),
        Shape::cylinder(0.5, 1.0),
        Shape::capsule(0.5, 1.0),
        Shape::cone(0.5, 1.0),
        Shape::hull(&corners),
    ];
    shapes.map(Result::unwrap).to_vec()
}

fn every_shape() -> Vec<Shape> {
    let mut shapes = every_convex();
    let place = |k: usize| Pose::new(DVec3::X * k as f64, DQuat::from_rotation_y(k as f64));
    let parts = shapes.iter().cloned().enumerate();
    let parts = parts.map(|(k, shape)| (place(k), shape)).collect();
    let block = shapes[1].tessellate(&SurfaceDetail::default());
    let heights = vec![0.0, 0.1, 0.2, 0.3, 0.4, 0.5];
    shapes.extend([
        Shape::plane(),
        Shape::mesh(block.try_into().unwrap()),
        Shape::height_field(HeightField::new(3, 2, [1.0, 2.0], heights).unwrap()),
        Shape::compound(parts).unwrap(),
    ]);
    shapes
}

/// A run with every shape, two bodies each; contacts in every second frame; one body hidden, one
/// disabled for a while.
fn header() -> RunHeader {
    let mut header = RunHeader::new("every, shape", 0.01);
    header.positions = Precision::Double;
    for shape in every_shape() {
        let kind = shape.kind();
        let index = header.add_shape(shape);
        for k in 0..2_u8 {
            let mut body = BodyRecord::dynamic(index, 1.5);
            if kind == "plane" {
                body.kind = BodyKind::Fixed;
            }
            body.appearance.color = (k == 0).then_some([200, 100, k]);
            if kind == "cone" && k == 1 {
                body.appearance.opacity = Opacity::Hidden;
            }
            header.add_body(&format!("a {kind}"), body);
        }
    }
    header
}

fn frame(step: u64, bodies: usize) -> Frame {
    let mut numbers = Numbers(step + 5);
    let mut vector = |size: f64| DVec3::new(numbers.real(), numbers.real(), numbers.real()) * size;
    let mut body = |k: usize| BodyFrame {
        position: vector(10.0),
        rotation: DQuat::from_scaled_axis(vector(3.0)),
        velocity: vector(1.0),
        angular_velocity: vector(5.0),
        enabled: !(k == 1 && step == 2),
    };
    let bodies: Vec<BodyFrame> = (0..bodies).map(&mut body).collect();
    let mut contact = |k: u32| ContactRecord {
        bodies: [k, k + 3],
        point: vector(1.0),
        normal: vector(1.0).normalize(),
        gap: -1e-5 * f64::from(k),
        force: vector(100.0),
        torque: vector(0.1),
    };
    // A frame without any contact, one where none are recorded.
    let contacts = match step {
        0 => Some(Vec::new()),
        1 => None,
        _ => Some((0..step as u32 + 2).map(&mut contact).collect()),
    };
    Frame {
        step: 10 * step,
        time: 0.1 * step as f64,
        bodies,
        contacts,
    }
}

fn recording(folder: &Path, frames: u64) -> Recording {
    let path = folder.join("frames.dry");
    let header = header();
    let count = header.bodies.len();
    let mut recorder = Recorder::create(&path, header).unwrap();
    for step in 0..frames {
        recorder.append(&frame(step, count)).unwrap();
    }
    Recording::open(&path).unwrap()
}

fn write(recording: &Recording, options: &ExportOptions, out: &Path) -> Exported {
    let never = AtomicBool::new(false);
    let mut calls = Vec::new();
    let mut progress = |done, total| calls.push((done, total));
    let exported = export(recording, options, out, &never, &mut progress).unwrap();
    let expected: Vec<_> = (1..=exported.frames)
        .map(|k| (k, exported.frames))
        .collect();
    assert_eq!(calls, expected);
    let files = std::fs::read_dir(out).unwrap().count();
    assert_eq!(files, exported.files, "nothing else is left behind");
    exported
}

/// The content of one array of a `.vtp` file, unpacked.
fn array(file: &str, name: &str) -> Vec<u8> {
    let at = file.find(&format!(" Name=\"{name}\"")).unwrap();
    let (_, text) = file[at..].split_once('>').unwrap();
    let (text, _) = text.split_once('<').unwrap();
    let word = |bytes: &[u8], k: usize| {
        u64::from_le_bytes(bytes[8 * k..8 * k + 8].try_into().unwrap()) as usize
    };
    let blocks = word(&base64(&text[..12]), 0);
    let head = (8 * (3 + blocks)).div_ceil(3) * 4;
    let sizes = base64(&text[..head]);
    let body = base64(&text[head..]);
    let (mut content, mut at) = (Vec::new(), 0);
    for block in 0..blocks {
        let length = word(&sizes, 3 + block);
        flate2::read::ZlibDecoder::new(&body[at..at + length])
            .read_to_end(&mut content)
            .unwrap();
        at += length;
    }
    assert_eq!(at, body.len());
    content
}

fn base64(text: &str) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => 0,
    };
    let four = |chunk: &[u8]| {
        let word = chunk
            .iter()
            .fold(0_u32, |w, &c| w << 6 | u32::from(digit(c)));
        let padding = chunk.iter().filter(|&&c| c == b'=').count();
        word.to_be_bytes()[1..4 - padding].to_vec()
    };
    text.as_bytes().chunks(4).flat_map(four).collect()
}

fn doubles(bytes: &[u8]) -> Vec<f64> {
    let (chunks, rest) = bytes.as_chunks::<8>();
    assert!(rest.is_empty());
    chunks.iter().map(|&b| f64::from_le_bytes(b)).collect()
}

fn integers(bytes: &[u8]) -> Vec<i32> {
    let chunks = bytes.as_chunks::<4>().0;
    chunks.iter().map(|&b| i32::from_le_bytes(b)).collect()
}

#[test]
fn paraview_gets_points_surfaces_and_contacts() {
    let folder = scratch("paraview_gets_points_surfaces_and_contacts");
    let recording = recording(&folder, 5);
    let out = folder.join("vtk");
    let options = ExportOptions {
        every: 2,
        ..ExportOptions::new(Format::Vtk)
    };
    // Frames 0, 2, 4 in three series, their collections, and the table of bodies.
    let exported = write(&recording, &options, &out);
    assert_eq!((exported.frames, exported.files), (3, 13));
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    let pvd = read("spheres.pvd");
    assert!(pvd.contains("<DataSet timestep=\"0.4\" part=\"0\" file=\"spheres_000004.vtp\"/>"));
    let stored = recording.frame(4).unwrap();
    // Two balls at their places; in frame 2 one is disabled.
    let spheres = read("spheres_000004.vtp");
    assert_eq!(integers(&array(&spheres, "body")), [0, 1]);
    let points = doubles(&array(&spheres, "Points"));
    assert_eq!(points[3..6], stored.bodies[1].position.to_array());
    assert_eq!(integers(&array(&read("spheres_000002.vtp"), "body")), [0]);
    // What the groups are called: codes of characters, a zero after each word.
    let words = spheres.split(" Name=\"group_name\"").nth(1).unwrap();
    let words = words.split_once('>').unwrap().1.split_once('<').unwrap().0;
    let codes: Vec<u8> = words.split(' ').filter_map(|c| c.parse().ok()).collect();
    let words: Vec<&[u8]> = codes.split(|c| *c == 0).collect();
    assert_eq!(words[..2], [b"a sphere".as_slice(), b"a box"]);
    assert_eq!(integers(&array(&spheres, "number")), [0, 1]);
    // Surfaces: all shapes but balls and the hidden cone; corners moved with their bodies.
    let surfaces = read("surfaces_000004.vtp");
    let mut shown = integers(&array(&surfaces, "body"));
    shown.dedup();
    let expected: Vec<i32> = (2..22).filter(|&b| b != 11).collect();
    assert_eq!(shown, expected);
    let points = doubles(&array(&surfaces, "Points"));
    let corner = DVec3::new(-1.0, -2.0, -3.0);
    let world = stored.bodies[2].pose().point(corner);
    assert!((DVec3::from_slice(&points[..3]) - world).length() < 1e-12);
    let contacts = read("contacts_000004.vtp");
    let points = doubles(&array(&contacts, "Points"));
    let list = stored.contacts.unwrap();
    assert_eq!(points.len(), 3 * list.len());
    assert_eq!(points[3..6], list[1].point.to_array());
    // Every element that opens closes.
    for text in [pvd, spheres, surfaces, contacts] {
        let mut open = Vec::new();
        for tag in text.split('<').skip(1) {
            let tag = tag.split('>').next().unwrap();
            match tag.strip_prefix('/') {
                Some(name) => assert_eq!(open.pop(), Some(name)),
                None if tag.ends_with(['/', '?']) => {}
                None => open.push(tag.split(' ').next().unwrap()),
            }
        }
        assert!(open.is_empty());
    }
}

#[test]
fn objects_have_their_triangles() {
    let folder = scratch("objects_have_their_triangles");
    let recording = recording(&folder, 1);
    write(
        &recording,
        &ExportOptions::new(Format::Obj),
        &folder.join("obj"),
    );
    let text = std::fs::read_to_string(folder.join("obj/frame_000000.obj")).unwrap();
    let numbers = |line: &str| -> Vec<f64> {
        line.split(' ')
            .skip(1)
            .map(|w| w.parse().unwrap())
            .collect()
    };
    let lines = |kind: &str| {
        text.lines()
            .filter(|l| l.starts_with(kind))
            .map(numbers)
            .collect::<Vec<_>>()
    };
    let (vertices, faces) = (lines("v "), lines("f "));
    assert!(
        faces
            .iter()
            .flatten()
            .all(|&k| k >= 1.0 && k <= vertices.len() as f64)
    );
    let objects: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix("o ")).collect();
    assert_eq!(objects.len(), 21);
    let groups = text.lines().filter_map(|l| l.strip_prefix("g "));
    assert_eq!(
        groups.take(3).collect::<Vec<_>>(),
        ["a_sphere", "a_sphere", "a_box"]
    );
    assert_eq!(objects[..3], ["a_sphere[0]", "a_sphere[1]", "a_box[0]"]);
    // An icosahedron cut twice: 162 corners, 320 faces; around the ball's place.
    let center = recording.frame(0).unwrap().bodies[0].position;
    for v in &vertices[..162] {
        assert!((DVec3::from_slice(v).distance(center) - 0.5).abs() < 1e-5);
    }
    assert!(faces[..320].iter().flatten().all(|&k| k <= 162.0));
}

#[test]
fn tables_hold_the_numbers() {
    let folder = scratch("tables_hold_the_numbers");
    let recording = recording(&folder, 3);
    let out = folder.join("csv");
    write(&recording, &ExportOptions::new(Format::Csv), &out);
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    assert_eq!(
        read("frames.csv"),
        "frame,step,time\n0,0,0.0\n1,10,0.1\n2,20,0.2\n"
    );
    let stored = recording.frame(2).unwrap();
    let text = read("bodies_000002.csv");
    for (line, body) in text.lines().skip(1).zip(&stored.bodies) {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |k: usize| cells[k].parse::<f64>().unwrap();
        let vector = |k: usize| DVec3::new(number(k), number(k + 1), number(k + 2));
        assert_eq!(vector(2), body.position);
        // Shortest digits of single precision are not those of double.
        assert_eq!(vector(9).as_vec3(), body.velocity.as_vec3());
        assert_eq!(cells[15], if body.enabled { "1" } else { "0" });
    }
    assert_eq!(text.lines().count(), 23);
    assert_eq!(read("contacts_000000.csv").lines().count(), 1);
    assert!(!out.join("contacts_000001.csv").exists());
    assert_eq!(read("contacts_000002.csv").lines().count(), 5);
    let bodies = read("bodies.csv");
    for row in [
        "0,a sphere[0],a sphere,0,dynamic,sphere,default,1.5,0.5,NaN,1.0,1.0,1.0,",
        "3,a box[1],a box,1,dynamic,box,default,1.5,NaN,NaN,2.0,4.0,6.0,48.0",
        "4,a ellipsoid[0],a ellipsoid,0,dynamic,ellipsoid,default,1.5,NaN,NaN,2.0,4.0,1.0,",
        "6,a cylinder[0],a cylinder,0,dynamic,cylinder,default,1.5,0.5,2.0,1.0,1.0,2.0,",
        "8,a capsule[0],a capsule,0,dynamic,capsule,default,1.5,0.5,2.0,1.0,1.0,3.0,",
        "14,a plane[0],a plane,0,fixed,plane,default,1.5,NaN,NaN,NaN,NaN,NaN,NaN",
    ] {
        assert!(bodies.contains(&format!("\n{row}")), "{row} in {bodies}");
    }
    // Every solid has a size.
    for row in bodies.lines().skip(1).filter(|row| !row.contains("plane")) {
        let cells: Vec<&str> = row.split(',').collect();
        let sizes = cells[10..13].iter().map(|c| c.parse::<f64>().unwrap());
        assert!(sizes.into_iter().all(|s| s > 0.0), "{row}");
    }
}

#[test]
fn an_export_can_be_cancelled_and_says_what_is_wrong() {
    let folder = scratch("an_export_can_be_cancelled_and_says_what_is_wrong");
    let recording = recording(&folder, 4);
    for format in [Format::Vtk, Format::Csv, Format::Npz, Format::Obj] {
        let out = folder.join(format!("{format:?}"));
        let cancel = AtomicBool::new(false);
        let mut after_two = |done, _| cancel.store(done == 2, Ordering::Relaxed);
        let options = ExportOptions::new(format);
        let error = export(&recording, &options, &out, &cancel, &mut after_two).unwrap_err();
        assert!(
            matches!(error, ExportError::Cancelled { frames: 2 }),
            "{error}"
        );
        let hidden = |e: std::fs::DirEntry| e.file_name().to_string_lossy().starts_with('.');
        let left = std::fs::read_dir(&out).unwrap();
        assert!(!left.into_iter().any(|e| hidden(e.unwrap())));
        assert!(!out.join("recording.npz").exists());
    }
    let refused = |options: &ExportOptions, out: &Path| {
        let never = AtomicBool::new(false);
        export(&recording, options, out, &never, &mut |_, _| {})
            .unwrap_err()
            .to_string()
    };
    let mut options = ExportOptions::new(Format::Csv);
    let occupied = folder.join("frames.dry");
    assert!(refused(&options, &occupied).contains("frames.dry: "));
    options.every = 0;
    assert!(refused(&options, &folder).contains("every 0 frames: expected at least 1"));
}

/// A Python with NumPy: that of the environment, or that of the workspace. Without one the test is
/// skipped and says so; where `DRYSTONE_REQUIRE_PYTHON=1` is set, it fails.
fn python() -> Option<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let named = std::env::var_os("DRYSTONE_PYTHON").map(PathBuf::from);
    let python = named.unwrap_or_else(|| workspace.join(".venv/bin/python"));
    let probe = Command::new(&python).args(["-c", "import numpy"]).output();
    if probe.is_ok_and(|o| o.status.success()) {
        return Some(python);
    }
    let required = std::env::var_os("DRYSTONE_REQUIRE_PYTHON").is_some_and(|v| v == "1");
    let place = python.display();
    assert!(
        !required,
        "{place} is no Python with NumPy, and DRYSTONE_REQUIRE_PYTHON=1 wants one"
    );
    println!("skipped: {place} is no Python with NumPy");
    None
}

#[test]
fn python_finds_the_same_in_all_formats() {
    let Some(python) = python() else { return };
    let folder = scratch("python_finds_the_same_in_all_formats");
    let recording = recording(&folder, 6);
    let mut command = Command::new(python);
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/export_files.py"));
    for (format, name) in [
        (Format::Npz, "npz"),
        (Format::Csv, "csv"),
        (Format::Vtk, "vtk"),
    ] {
        let out = folder.join(name);
        write(&recording, &ExportOptions::new(format), &out);
        command.arg(out);
    }
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{text}");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(text.starts_with("agree: 6 frames of 22 bodies"));
}

#[test]
fn the_archive_holds_the_numbers() {
    let folder = scratch("the_archive_holds_the_numbers");
    let recording = recording(&folder, 3);
    let out = folder.join("npz");
    write(&recording, &ExportOptions::new(Format::Npz), &out);
    let file = std::fs::File::open(out.join("recording.npz")).unwrap();
    let mut archive = zip::ZipArchive::new(file).unwrap();
    let mut array = |name: &str| {
        let mut bytes = Vec::new();
        let mut entry = archive.by_name(&format!("{name}.npy")).unwrap();
        entry.read_to_end(&mut bytes).unwrap();
        let length = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        assert_eq!(length % 64, 0);
        let header = String::from_utf8(bytes[10..length].to_vec()).unwrap();
        (header, bytes[length..].to_vec())
    };
    let (header, position) = array("position");
    assert!(
        header.contains("'descr': '<f8'") && header.contains("'shape': (3,22,3,)"),
        "{header}"
    );
    let stored = recording.frame(1).unwrap().bodies[4].position;
    assert_eq!(doubles(&position)[3 * (22 + 4)..][..3], stored.to_array());
    for name in ["step", "contact_offset"] {
        assert!(array(name).0.contains("'descr': '<i8'"), "{name}");
    }
    for name in ["contact_bodies", "material", "group_index", "number"] {
        assert!(array(name).0.contains("'descr': '<i4'"), "{name}");
    }
    let (shape, sizes) = array("size");
    assert!(shape.contains("'shape': (22,3,)"), "{shape}");
    assert_eq!(doubles(&sizes)[6..9], [2.0, 4.0, 6.0]);
    assert_eq!(integers(&array("number").1)[..4], [0, 1, 0, 1]);
    let (_, offsets) = array("contact_offset");
    let offsets: Vec<u64> = offsets
        .as_chunks::<8>()
        .0
        .iter()
        .map(|&b| u64::from_le_bytes(b))
        .collect();
    assert_eq!(offsets, [0, 0, 0, 4]);
    assert!(array("enabled").1.iter().filter(|&&b| b == 0).count() == 1);
}
