//! The tables of a run, as a resumed run reads them.
#![no_main]

use drystone_fuzz::file;
use drystone_run::recording::{ForceLog, JointLog, StepLog};
use drystone_run::step_table::read_steps;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = read_steps(&file("log.csv", data));
    let _ = StepLog::resume(file("log.csv", data), 3);
    let _ = ForceLog::resume(file("forces.csv", data), 3);
    let _ = JointLog::resume(file("joints.csv", data), 3);
});
