//! Collada files.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Ok(mesh) = drystone_scene::mesh_file::parse_collada(data, None) {
        let _ = (mesh.surface(), mesh.solid());
    }
});
