//! The content of a checkpoint, behind its checksum, and a step from it.
#![no_main]

use drystone_fuzz::{checkpoint, file, folder};
use drystone_run::checkpoint::Fingerprint;
use drystone_run::saved_state;
use drystone_scene::{Scene, SceneOptions, Simulation};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let scene = Scene::builtin("slide-to-rest", &SceneOptions::default()).expect("it ships");
    let text = scene.to_toml();
    let fingerprint = Fingerprint::of(text.as_bytes());
    // Its words are its bytes, two digits each.
    let words = fingerprint.to_string();
    let byte = |k: usize| u8::from_str_radix(&words[2 * k..2 * k + 2], 16).expect("two digits");
    file("checkpoint.dry", &checkpoint(data, std::array::from_fn(byte)));
    if let Ok(Some(state)) = saved_state(&folder(), &scene) {
        let mut simulation = Simulation::new(&scene).expect("it ships");
        if simulation.restore(&state).is_ok() {
            let _ = simulation.step();
        }
    }
});
