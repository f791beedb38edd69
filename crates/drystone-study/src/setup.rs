//! What a report says about its measurements: machine, settings and the meaning of the words.

use std::time::SystemTime;

use drystone_ccp::Law;

use crate::compare::record::Comparison;
use crate::table::plural;

/// Machine, version and settings.
pub fn facts(comparison: &Comparison) -> Vec<(&'static str, String)> {
    let time_limit = match comparison.limits.time_limit {
        Some(limit) => format!("{} s per run", limit.as_secs_f64()),
        None => "none".to_owned(),
    };
    vec![
        ("Date", date()),
        ("Program", format!("drystone {}", env!("CARGO_PKG_VERSION"))),
        ("Machine", machine()),
        ("Threads", comparison.threads.to_string()),
        ("Friction law", comparison.law.name().to_owned()),
        (
            "Tolerance",
            format!("{:e} (relative residual)", comparison.limits.tolerance),
        ),
        (
            "Iteration limit",
            format!("{} per run", comparison.limits.max_iterations),
        ),
        ("Time limit", time_limit),
    ]
}

/// What the columns and axes mean, as HTML.
pub fn definitions(comparison: &Comparison) -> String {
    let velocity = match comparison.law {
        Law::Relaxed => "u = N γ + r",
        Law::Exact => "u = N γ + r + μ ‖(N γ + r)<sub>t</sub>‖ n (De Saxcé's velocity)",
    };
    format!(
        "<p>With impulses γ in the product K of the friction cones, the matrix N, the free \
         velocities r, and the velocities</p>\n\
         <p class=\"formula\">{velocity}</p>\n\
         <p>the <strong>residual</strong> is that of the natural map,</p>\n\
         <p class=\"formula\">ρ(γ) / ρ(0), &ensp; ρ(γ) = w ‖γ − \
         Π<sub>K</sub>(γ − u / w)‖<sub>2</sub></p>\n\
         <p>where Π<sub>K</sub> projects onto K and w is the mean diagonal of N. ρ is a velocity \
         and vanishes exactly at a solution. The same function judges every method; the residual \
         of a run is that of its best point.</p>\n\
         <p>The <strong>objective</strong> is ½ γᵀ N γ + rᵀ γ, in joules. A \
         <strong>product</strong> is one multiplication with N, or a sweep over all of its blocks, \
         which costs as much. <strong>Outside cone</strong> is the largest distance of a contact's impulse from its \
         cone.</p>\n\
         <p><strong>Time</strong> is wall-clock time of the solve without reading the file. Where \
         a method converged, it is that of a second run that keeps no history, and that run \
         counts: it has to reach the tolerance within the time limit. The curves against time come \
         from the first run. Recording every check costs that run time, so it gets a quarter more; \
         a run that did not converge may therefore have taken longer than the limit.</p>"
    )
}

/// Date and time now, in UTC.
pub fn date() -> String {
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    now.replace('T', " ").replace('Z', " UTC")
}

/// Processor, cores and system, as far as the system tells.
pub fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let processor = processor().unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    format!(
        "{processor}, {} available, {}",
        plural(cores, "core"),
        std::env::consts::OS
    )
}

fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
