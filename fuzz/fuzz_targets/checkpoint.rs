//! The content of a checkpoint, behind its checksum, and a step from it.
#![no_main]

use drystone_fuzz::{checkpoint, file, folder};
use drystone_run::checkpoint::{Checkpoints, Fingerprint};
use drystone_scene::{Scene, SceneOptions, Simulation, SimulationState};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let scene = Scene::builtin("slide-to-rest", &SceneOptions::default()).expect("it ships");
    let text = scene.to_toml();
    let fingerprint = Fingerprint::of(text.as_bytes());
    // Its words are its bytes, two digits each.
    let words = fingerprint.to_string();
    let byte = |k: usize| u8::from_str_radix(&words[2 * k..2 * k + 2], 16).expect("two digits");
    file("checkpoint.dry", &checkpoint(data, std::array::from_fn(byte)));
    let checkpoints = Checkpoints::new(folder(), fingerprint);
    if let Ok(Some(loaded)) = checkpoints.read::<(SimulationState, u64, u64, f64)>() {
        let mut simulation = Simulation::new(&scene).expect("it ships");
        if simulation.restore(&loaded.payload.0).is_ok() {
            let _ = simulation.step();
        }
    }
});
