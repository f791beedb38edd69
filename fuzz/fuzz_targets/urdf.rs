//! Robots.
#![no_main]

use std::path::Path;

use drystone_scene::robot::{Placement, parse_urdf};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let folder = Path::new("/nowhere");
    if let Ok(robot) = parse_urdf(data, &folder.join("fuzz.urdf"), Some(folder)) {
        let _ = robot.build(&Placement::default());
    }
});
