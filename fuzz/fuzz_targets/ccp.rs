//! The content of a `.ccp` file, behind its checksum, and a short solve under the exact law.
#![no_main]

use drystone_ccp::{Law, Limits, Method, Monitor};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(file) = drystone_problems::parse_problem(drystone_fuzz::ccp(data)) else { return };
    if file.problem.dim() > 100 {
        return;
    }
    let limits = Limits { max_iterations: 20, ..Limits::default() };
    let mut gamma = vec![0.0; file.problem.dim()];
    let mut monitor = Monitor::new(limits, Law::Exact);
    let _ = file.problem.solve(Method::Auto, &mut gamma, &mut monitor);
    assert!(gamma.iter().all(|g| g.is_finite()));
});
