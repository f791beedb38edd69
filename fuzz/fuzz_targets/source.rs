//! `source.json` of a run.
#![no_main]

use drystone_fuzz::{file, folder};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    file("scene.toml", b"[settings]\nduration = 1\n");
    file("source.json", data);
    let _ = drystone_run::source::scene_of(&folder());
});
