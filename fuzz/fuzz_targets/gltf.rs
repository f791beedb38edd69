//! glTF files, binary and text.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Ok(mesh) = drystone_scene::mesh_file::parse_gltf(data, None) {
        let _ = (mesh.surface(), mesh.solid());
    }
});
