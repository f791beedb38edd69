//! Scenes, and a step of those that are small.
#![no_main]

use std::time::Duration;

use drystone::Watch;
use drystone_scene::{Scene, SceneOptions, Simulation};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let scene = Scene::parse(text, "fuzz.toml", None, &SceneOptions::default());
    let Ok(scene) = scene else { return };
    if scene.least_bodies() > 50 {
        return;
    }
    let Ok(mut simulation) = Simulation::new(&scene) else { return };
    let mut watch = Watch::default();
    watch.set_time_limit(Duration::from_millis(100));
    let _ = simulation.step_watched(&mut watch);
});
