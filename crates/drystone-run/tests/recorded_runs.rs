//! Runs on disk: how a world and a scene are described, and what an interrupted run leaves.
#![allow(clippy::unwrap_used, reason = "test code")]

use std::path::Path;

use crate::common::{Numbers, scratch};
use drystone::shape::{HeightField, SurfaceDetail};
use drystone::{Body, Pose, Settings, Shape, State, World};
use drystone_run::checkpoint::{Checkpoints, Fingerprint};
use drystone_run::recording::*;
use drystone_run::run_folder;
use drystone_run::{Control, Run, StopAt, saved_state};
use drystone_scene::{Scene, SceneOptions, Simulation};
use glam::DVec3;

/// Balls, blocks, hulls and compounds that fall onto a mesh, a plane and a field of hills.
fn world() -> World {
    let mut world = World::new(Settings::default()).unwrap();
    let ball = Shape::sphere(0.1).unwrap();
    let block = Shape::box_of([0.1, 0.1, 0.15]).unwrap();
    let corners = [DVec3::ZERO, DVec3::X * 0.2, DVec3::Y * 0.2, DVec3::Z * 0.2];
    let hull = Shape::hull(&corners).unwrap();
    let parts = vec![
        (Pose::at([-0.1, 0.0, 0.0]), ball.clone()),
        (Pose::at([0.1, 0.0, 0.0]), hull.clone()),
    ];
    let pair = Shape::compound(parts).unwrap();
    let hills =
        HeightField::new(3, 2, [4.0, 8.0], vec![-0.1, 0.0, -0.1, -0.1, 0.05, -0.1]).unwrap();
    world
        .add(
            Body::fixed(Shape::plane())
                .named("ground")
                .at([0.0, 0.0, -0.3]),
        )
        .unwrap();
    world
        .add(Body::fixed(Shape::height_field(hills)).named("hills"))
        .unwrap();
    for k in 0..12 {
        let shape = [&ball, &block, &hull, &pair][k % 4].clone();
        let place = [
            0.4 * (k % 3) as f64 - 0.4,
            0.01 * k as f64,
            0.3 + 0.15 * k as f64,
        ];
        world
            .add(Body::dynamic(shape).named("grains").at(place))
            .unwrap();
    }
    world
}

#[test]
fn a_world_is_described_with_each_shape_once() {
    let world = world();
    let mut header = RunHeader::of_world("a heap", &world, |id| Appearance {
        color: Some([id.index() as u8; 3]),
        opacity: Opacity::Solid,
    });
    header.positions = Precision::Double;
    let kinds: Vec<&str> = header.shapes.iter().map(Shape::kind).collect();
    assert_eq!(
        kinds,
        ["plane", "height field", "sphere", "box", "hull", "compound"]
    );
    for id in world.ids() {
        let body = &header.bodies[id.index()];
        assert_eq!(header.body_name(id.index()), world.name(id));
        assert_eq!(header.shape(id.index()), world.shape(id));
        assert_eq!((body.mass, body.kind), (world.mass(id), world.kind(id)));
        assert_eq!(body.appearance.color, Some([id.index() as u8; 3]));
    }
    // And through a file.
    let folder = scratch("a_world_is_described_with_each_shape_once");
    let path = folder.join("frames.dry");
    let mut recorder = Recorder::create(&path, header.clone()).unwrap();
    recorder.append(&Frame::of_world(&world, true)).unwrap();
    let recording = Recording::open(&path).unwrap();
    let mut read = recording.header().clone();
    same_shapes(&read.shapes, &header.shapes);
    // Normals of hulls may differ in their last digits; nothing else does.
    read.shapes.clone_from(&header.shapes);
    assert_eq!(read, header);
    for (id, body) in world.ids().zip(&recording.frame(0).unwrap().bodies) {
        assert_eq!(body.position, world.pose(id).position);
    }
}

/// The same kinds and the same surfaces, corner by corner and triangle by triangle.
fn same_shapes(read: &[Shape], written: &[Shape]) {
    assert_eq!(read.len(), written.len());
    let detail = SurfaceDetail::default();
    for (read, written) in read.iter().zip(written) {
        assert_eq!(read.kind(), written.kind());
        assert_eq!(read.tessellate(&detail), written.tessellate(&detail));
    }
}

#[test]
fn hulls_of_any_points_come_back_from_a_file() {
    let folder = scratch("hulls_of_any_points_come_back_from_a_file");
    let path = folder.join("frames.dry");
    let mut numbers = Numbers(11);
    let mut header = RunHeader::new("hulls", 0.01);
    for k in 0..300 {
        let stretch = DVec3::new(1.0, 10_f64.powi(-(k % 4)), 10_f64.powi(-(k % 3)));
        let mut point = || DVec3::new(numbers.real(), numbers.real(), numbers.real()) * stretch;
        let mut points: Vec<DVec3> = (0..4 + k % 40).map(|_| point()).collect();
        // Flat sides of many corners in every second one, as in cut stones.
        if k % 2 == 0 {
            points
                .iter_mut()
                .for_each(|p| p.z = p.z.min(0.3 * stretch.z));
        }
        header.add_shape(Shape::hull(&points).unwrap());
    }
    Recorder::create(&path, header.clone()).unwrap();
    let recording = Recording::open(&path).unwrap();
    same_shapes(&recording.header().shapes, &header.shapes);
}

#[test]
fn a_scene_says_how_its_run_is_recorded() {
    let text = r##"
        [settings]
        duration = 0.1
        [recording]
        precision = "double"
        [[body]]
        name = "ground"
        shape = { type = "plane" }
        look = "glass"
        [[body]]
        name = "ball"
        shape = { type = "sphere", radius = 0.1 }
        position = [0, 0, 1]
        color = "#ff8000"
    "##;
    let scene = Scene::parse(text, "ball", None, &SceneOptions::default()).unwrap();
    let simulation = Simulation::new(&scene).unwrap();
    let header = RunHeader::of_simulation(scene.title(), &simulation);
    assert_eq!(header.positions, Precision::Double);
    assert_eq!(header.bodies[0].appearance.opacity, Opacity::Glass);
    let orange = Appearance {
        color: Some([255, 128, 0]),
        opacity: Opacity::Solid,
    };
    assert_eq!(header.bodies[1].appearance, orange);
}

/// What a run writes while it goes on.
struct FilesOfRun {
    world: World,
    recorder: Recorder,
    log: StepLog,
    forces: ForceLog,
    checkpoints: Checkpoints,
}

impl FilesOfRun {
    fn paths(folder: &Path) -> [std::path::PathBuf; 3] {
        [run_folder::FRAMES, run_folder::LOG, run_folder::FORCES].map(|name| folder.join(name))
    }

    fn begin(folder: &Path) -> Self {
        let [frames, log, forces] = Self::paths(folder);
        let world = world();
        let header = RunHeader::of_world("a heap", &world, |_| Appearance::default());
        let mut recorder = Recorder::create(frames, header).unwrap();
        recorder.append(&Frame::of_world(&world, true)).unwrap();
        Self {
            world,
            recorder,
            log: StepLog::create(log).unwrap(),
            forces: ForceLog::create(forces).unwrap(),
            checkpoints: Checkpoints::new(folder, Fingerprint::of(b"a heap")),
        }
    }

    fn resume(folder: &Path) -> Self {
        let [frames, log, forces] = Self::paths(folder);
        let checkpoints = Checkpoints::new(folder, Fingerprint::of(b"a heap"));
        let state = checkpoints.read::<State>().unwrap().unwrap().payload;
        let mut world = world();
        world.restore(&state).unwrap();
        Self {
            world,
            recorder: Recorder::resume(frames, state.step).unwrap().0,
            log: StepLog::resume(log, state.step).unwrap().0,
            forces: ForceLog::resume(forces, state.step).unwrap().0,
            checkpoints,
        }
    }

    fn until(&mut self, step: u64) {
        while self.world.steps() < step {
            let report = self.world.step().unwrap();
            self.log.append(&report).unwrap();
            let pair = |by: &str, on: &str| self.world.force_between_groups(by, on);
            let forces = [
                ("grains, on hills", pair("grains", "hills")),
                ("grains on ground", pair("grains", "ground")),
            ];
            self.forces
                .append(report.step, report.time, forces)
                .unwrap();
            if report.step.is_multiple_of(3) {
                let frame = Frame::of_world(&self.world, report.step.is_multiple_of(6));
                self.recorder.append(&frame).unwrap();
            }
            if report.step.is_multiple_of(40) {
                self.recorder.sync().unwrap();
                self.checkpoints.write(&self.world.state()).unwrap();
            }
        }
    }
}

#[test]
fn an_interrupted_run_leaves_the_files_of_one_that_was_not() {
    let root = scratch("an_interrupted_run_leaves_the_files_of_one_that_was_not");
    let [whole, parts] = ["whole", "parts"].map(|name| root.join(name));
    for folder in [&whole, &parts] {
        std::fs::create_dir(folder).unwrap();
    }
    FilesOfRun::begin(&whole).until(190);
    FilesOfRun::begin(&parts).until(115);
    // The last rows and the last frame only half there.
    for file in FilesOfRun::paths(&parts) {
        let bytes = std::fs::read(&file).unwrap();
        std::fs::write(&file, &bytes[..bytes.len() - 30]).unwrap();
    }
    FilesOfRun::resume(&parts).until(119);
    FilesOfRun::resume(&parts).until(190);
    let read = |folder: &Path, k: usize| std::fs::read(&FilesOfRun::paths(folder)[k]).unwrap();
    assert!(read(&whole, 0) == read(&parts, 0), "frames");
    assert!(read(&whole, 2) == read(&parts, 2), "forces");
    let reproducible = |bytes: Vec<u8>| -> Vec<String> {
        let text = String::from_utf8(bytes).unwrap();
        let first = |line: &str| line.split(',').take(14).collect::<Vec<_>>().join(",");
        text.lines().map(first).collect()
    };
    let log = reproducible(read(&whole, 1));
    assert_eq!(log, reproducible(read(&parts, 1)));
    assert_eq!((log.len(), log[190].split(',').next()), (191, Some("190")));
    let forces = String::from_utf8(read(&whole, 2)).unwrap();
    let row = forces.lines().nth(380).unwrap();
    assert!(
        row.starts_with("190,") && row.contains(",grains on ground,"),
        "{row}"
    );
    assert!(forces.contains(",\"grains, on hills\","));
}

#[test]
fn rows_are_cut_back_to_a_step() {
    let folder = scratch("rows_are_cut_back_to_a_step");
    let path = folder.join("table.csv");
    let columns = ["step", "word", "number"];
    let mut log = CsvLog::create(&path, &columns).unwrap();
    for step in 1..=5 {
        let rows = [
            [Cell::Text("a \"b\"\nc"), Cell::Real(0.1)],
            [Cell::Text(""), Cell::Real(1e-300)],
        ];
        log.append_rows(step, rows.iter().map(|r| &r[..])).unwrap();
    }
    let message = log.append(6, &[Cell::Integer(1)]).unwrap_err().to_string();
    assert!(
        message.contains("step 6: 2 columns, the table has 3"),
        "{message}"
    );
    drop(log);
    let whole = std::fs::read_to_string(&path).unwrap();
    assert!(whole.starts_with("step,word,number\n1,\"a \"\"b\"\" c\",0.1\n1,,1e-300\n2,"));
    for length in 17..=whole.len() {
        std::fs::write(&path, &whole[..length]).unwrap();
        let (mut log, cut) = CsvLog::resume(&path, &columns, 3).unwrap();
        // Whole lines of what was left, of steps 1 to 3.
        let rows = (whole[..length].matches('\n').count() - 1).min(6) as u64;
        assert_eq!(cut.rows, rows, "cut at {length}");
        log.append(9, &[Cell::Text("x"), Cell::Integer(2)]).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let kept = text.strip_suffix("9,x,2\n").unwrap();
        assert!(whole.starts_with(kept) && kept.lines().count() as u64 == rows + 1);
        assert_eq!(cut.bytes, (length - kept.len()) as u64);
    }
    std::fs::write(&path, "step,word,number\n1,a,2\nnonsense,a,3\n").unwrap();
    let message = CsvLog::resume(&path, &columns, 3).unwrap_err().to_string();
    assert!(
        message.contains("line 3: \"nonsense\" is not the number of a step"),
        "{message}"
    );
    std::fs::write(&path, "step,time\n").unwrap();
    let message = CsvLog::resume(&path, &columns, 3).unwrap_err().to_string();
    assert!(message.contains("line 1: the columns are"), "{message}");
}

#[test]
fn the_state_of_a_saved_run_is_read_without_going_on_with_it() {
    let folder = scratch("saved_state");
    let text = "[settings]\nduration = 1\n[[body]]\nshape = { type = \"sphere\", radius = 1 }\n";
    let scene = Scene::parse(text, "ball.toml", None, &SceneOptions::default()).unwrap();
    assert!(saved_state(&folder, &scene).unwrap().is_none());
    let taken = run_folder::RunFolder::create(&folder, run_folder::Existing::Keep).unwrap();
    let mut run = Run::begin(scene.clone(), Simulation::new(&scene).unwrap(), taken).unwrap();
    let stop = StopAt {
        steps: Some(3),
        ..StopAt::default()
    };
    run.advance(&stop, Control::none()).unwrap();
    let state = run.simulation().state();
    drop(run);
    assert!(saved_state(&folder, &scene).unwrap() == Some(state));
    let other = Scene::parse(
        &format!("{text}\n"),
        "b.toml",
        None,
        &SceneOptions::default(),
    );
    assert!(saved_state(&folder, &other.unwrap()).is_err());
}
