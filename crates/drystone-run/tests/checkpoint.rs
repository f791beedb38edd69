//! Checkpoints and the folder that holds them.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "test code")]

use std::process::Command;

use crate::common::scratch;
use drystone::{BodyState, JointState, State};
use drystone_run::checkpoint::{CheckpointFault, Checkpoints, Fingerprint};
use drystone_run::run_folder::{self, Existing, RunFolder, RunFolderError};
use glam::{DQuat, DVec3};

fn state(step: u64, bodies: usize) -> State {
    let body = |k: usize| BodyState {
        position: DVec3::new(k as f64, 0.1 * step as f64, -1.0 / 3.0),
        rotation: DQuat::from_rotation_x(0.1 * k as f64),
        velocity: DVec3::splat(1e-300),
        angular_velocity: DVec3::NEG_X,
    };
    State {
        time: 0.1 * step as f64,
        step,
        last_time_step: 0.005,
        unconverged: 1,
        bodies: (0..bodies).map(body).collect(),
        disabled: vec![1],
        loads: Vec::new(),
        warm_start: Vec::new(),
        joints: vec![JointState::default(); 2],
        rest: vec![(0.5, true); bodies],
    }
}

fn scene() -> Fingerprint {
    Fingerprint::of(b"gravity = 9.81")
}

#[test]
fn a_state_comes_back_to_the_bit() {
    let folder = scratch("a_state_comes_back_to_the_bit");
    let checkpoints = Checkpoints::new(&folder, scene());
    assert!(checkpoints.read::<State>().unwrap().is_none());
    for step in [10, 20, 30] {
        checkpoints.write(&state(step, 5)).unwrap();
        let loaded = checkpoints.read::<State>().unwrap().unwrap();
        assert_eq!(loaded.payload, state(step, 5));
        assert!(loaded.newest.is_none() && loaded.file.ends_with(run_folder::CHECKPOINT));
    }
    let names: Vec<_> = std::fs::read_dir(&folder).unwrap().collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn zeros_that_compress_a_thousandfold_come_back() {
    let folder = scratch("zeros_that_compress_a_thousandfold_come_back");
    let checkpoints = Checkpoints::new(&folder, scene());
    let zeros = vec![0_u8; 40 << 20];
    checkpoints.write(&zeros).unwrap();
    assert!(checkpoints.read::<Vec<u8>>().unwrap().unwrap().payload == zeros);
}

#[test]
fn another_scene_is_refused() {
    let folder = scratch("another_scene_is_refused");
    Checkpoints::new(&folder, scene()).write(&1_u64).unwrap();
    let other = Checkpoints::new(&folder, Fingerprint::of(b"gravity = 1.62"));
    let error = other.read::<u64>().unwrap_err();
    assert!(matches!(error.fault, CheckpointFault::OtherScene { .. }));
    let message = error.to_string();
    assert!(
        message.contains("checkpoint.dry: belongs to another scene"),
        "{message}"
    );
}

#[test]
fn a_damaged_one_gives_way_to_the_one_before() {
    let folder = scratch("a_damaged_one_gives_way_to_the_one_before");
    let checkpoints = Checkpoints::new(&folder, scene());
    checkpoints.write(&state(1, 2)).unwrap();
    checkpoints.write(&state(2, 2)).unwrap();
    let newest = folder.join(run_folder::CHECKPOINT);
    let whole = std::fs::read(&newest).unwrap();
    let read = || checkpoints.read::<State>().unwrap().unwrap();
    let mut broken: Vec<Vec<u8>> = (0..whole.len()).map(|n| whole[..n].to_vec()).collect();
    for at in 0..whole.len() {
        let mut copy = whole.clone();
        copy[at] ^= 1 << (at % 8);
        broken.push(copy);
    }
    for bytes in &broken {
        std::fs::write(&newest, bytes).unwrap();
        let loaded = read();
        assert_eq!(loaded.payload, state(1, 2));
        assert!(loaded.file.ends_with(run_folder::PREVIOUS_CHECKPOINT));
        let why = loaded.newest.unwrap().to_string();
        assert!(why.contains("checkpoint.dry: damaged: "), "{why}");
    }
    // The next checkpoint does not make the damaged one the previous.
    checkpoints.write(&state(3, 2)).unwrap();
    assert_eq!(read().payload, state(3, 2));
    std::fs::write(&newest, b"").unwrap();
    assert_eq!(read().payload, state(1, 2));
    // Killed between the two renames.
    std::fs::remove_file(&newest).unwrap();
    assert_eq!(read().payload, state(1, 2));
    // Nothing left: the error names the newest.
    std::fs::write(&newest, b"").unwrap();
    std::fs::write(folder.join(run_folder::PREVIOUS_CHECKPOINT), b"").unwrap();
    let message = checkpoints.read::<State>().unwrap_err().to_string();
    assert!(
        message.contains("checkpoint.dry: damaged: 0 bytes"),
        "{message}"
    );
}

#[test]
fn a_payload_of_another_kind_is_an_error() {
    let folder = scratch("a_payload_of_another_kind_is_an_error");
    let checkpoints = Checkpoints::new(&folder, scene());
    checkpoints.write(&(1_u64, 2_u64)).unwrap();
    let message = checkpoints.read::<u64>().unwrap_err().to_string();
    assert!(message.contains("bytes are left over"), "{message}");
    assert!(checkpoints.read::<[u64; 3]>().is_err());
}

#[test]
fn a_folder_with_a_run_is_not_overwritten_unasked() {
    let folder = scratch("a_folder_with_a_run_is_not_overwritten_unasked").join("a/run");
    let none = RunFolder::resume(&folder).unwrap_err();
    assert!(matches!(none, RunFolderError::HoldsNoRun { .. }));
    let run = RunFolder::create(&folder, Existing::Keep).unwrap();
    assert_eq!(run.file(run_folder::FRAMES), folder.join("frames.dry"));
    drop(run);
    // Empty still, but for the lock: free to use.
    drop(RunFolder::create(&folder, Existing::Keep).unwrap());
    std::fs::write(folder.join("frames.dry"), "frames").unwrap();
    std::fs::write(folder.join("notes.txt"), "mine").unwrap();
    let message = RunFolder::create(&folder, Existing::Keep)
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("holds a run already (frames.dry)"),
        "{message}"
    );
    assert!(folder.join("frames.dry").exists());
    drop(RunFolder::resume(&folder).unwrap());
    drop(RunFolder::create(&folder, Existing::Replace).unwrap());
    assert!(!folder.join("frames.dry").exists() && folder.join("notes.txt").exists());
}

#[test]
fn two_runs_cannot_write_at_once() {
    let folder = scratch("two_runs_cannot_write_at_once");
    let first = RunFolder::create(&folder, Existing::Keep).unwrap();
    let own = std::process::id();
    assert_eq!(run_folder::writer_of(&folder), Some(own));
    let message = RunFolder::create(&folder, Existing::Replace)
        .unwrap_err()
        .to_string();
    let expected = format!("another run writes here: process {own}");
    assert!(message.contains(&expected), "{message}");
    drop(first);
    assert_eq!(run_folder::writer_of(&folder), None);
    RunFolder::create(&folder, Existing::Replace).unwrap();
}

#[test]
fn the_lock_of_a_dead_process_is_taken_over() {
    let folder = scratch("the_lock_of_a_dead_process_is_taken_over");
    let mut child = Command::new("true").spawn().unwrap();
    child.wait().unwrap();
    std::fs::write(folder.join(run_folder::LOCK), format!("{}\n", child.id())).unwrap();
    std::fs::write(folder.join(run_folder::FRAMES), "").unwrap();
    assert_eq!(run_folder::writer_of(&folder), None);
    let run = RunFolder::resume(&folder).unwrap();
    assert_eq!(run_folder::writer_of(&folder), Some(std::process::id()));
    drop(run);
}
