//! Heights: rows, and ESRI grids.
#![no_main]

use drystone_scene::mesh_file::{parse_asc, parse_height_rows};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    for grid in [parse_asc(data), parse_height_rows(data, [0.5, 0.5])].into_iter().flatten() {
        let _ = (grid.center(), grid.field());
    }
});
