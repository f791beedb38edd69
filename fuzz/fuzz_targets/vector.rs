//! Vectors: `.npy`, FCLIB solutions, text.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Ok(values) = drystone_problems::parse_vector(data.to_vec()) {
        assert!(values.iter().all(|v| v.is_finite()));
    }
});
