//! FCLIB, Siconos, NumPy archives, `.ccp`: whatever the bytes are, and a short solve.
#![no_main]

use drystone_ccp::{Law, Limits, Method, Monitor};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(file) = drystone_problems::parse_problem(data.to_vec()) else { return };
    if file.problem.dim() > 100 {
        return;
    }
    let limits = Limits { max_iterations: 20, ..Limits::default() };
    let mut gamma = vec![0.0; file.problem.dim()];
    let mut monitor = Monitor::new(limits, Law::Relaxed);
    let _ = file.problem.solve(Method::Auto, &mut gamma, &mut monitor);
    assert!(gamma.iter().all(|g| g.is_finite()));
});
