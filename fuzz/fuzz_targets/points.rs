//! Points, and their hull.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Ok(points) = drystone_scene::mesh_file::parse_points(data)
        && points.len() < 200
    {
        let _ = drystone::Shape::hull(&points);
    }
});
