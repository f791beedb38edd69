//! The description of a run, behind its checksums.
#![no_main]

use drystone_fuzz::{chunk, file, recording};
use drystone_run::recording::Recording;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let bytes = [recording(), chunk(b"HEAD", 0, data)].concat();
    let _ = Recording::open(file("fuzz.dry", &bytes));
});
