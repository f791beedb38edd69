//! What a run came to, for people and as warnings.

use std::path::Path;

use drystone::Law;
use drystone_run::jam::Jam;
use drystone_run::overlap::RunOverlap;
use drystone_run::problems::ProblemCount;
use drystone_run::run_folder::{LOG, PICTURE, PLOTS, PROBLEMS, SUMMARY};
use drystone_run::{Ended, Summary};
use drystone_study::table::short_number;

use crate::meter::duration;
use crate::output::to_stderr;

/// A table for people.
pub fn table(summary: &Summary, folder: &Path, picture: bool) -> String {
    let rate = summary.steps as f64 / summary.step_seconds;
    let share = summary.penetration_share().map_or(String::new(), |share| {
        let percent = short_number(100.0 * share);
        format!("; {percent} % of the thinner of two bodies at most")
    });
    let end = match &summary.ended {
        Ended::Finished => "finished",
        Ended::Limit => "stopped where it was told to",
        Ended::Cancelled => "stopped by the user",
        Ended::Broke(_) => "broken off",
    };
    let [_, plots] = PLOTS;
    let pictures = if picture {
        [PICTURE, plots].join(", ")
    } else {
        plots.to_owned()
    };
    let lines = [
        (
            "run",
            format!("{}, {} bodies: {end}", summary.title, summary.bodies),
        ),
        (
            "time",
            format!(
                "{} s simulated in {} steps; {} of wall time, {} steps/s",
                short_number(summary.time),
                summary.steps,
                wall(summary.seconds),
                short_number(rate)
            ),
        ),
        (
            "contacts",
            format!(
                "{} on average, {} at most",
                short_number(summary.mean_contacts),
                summary.most_contacts
            ),
        ),
        (
            "solver",
            format!(
                "{} iterations a step on average; worst residual {} (tolerance {})",
                short_number(summary.mean_iterations),
                short_number(summary.worst_residual),
                tolerance(summary)
            ),
        ),
        (
            "unconverged",
            format!("{} of {} steps", summary.unconverged, summary.steps),
        ),
        (
            "penetration",
            format!("{} m at most{share}", short_number(summary.penetration)),
        ),
        (
            "energy",
            format!(
                "{} J kinetic, {} J potential at the end",
                short_number(summary.energy[0]),
                short_number(summary.energy[1])
            ),
        ),
    ];
    let mut lines = Vec::from(lines);
    if summary.joints > 0 {
        let error = short_number(summary.joint_error);
        let words = format!("{}, off by {error} m or rad at most", summary.joints);
        lines.push(("joints", words));
    }
    lines.push(("friction", friction(summary)));
    if summary.problems != Default::default() {
        lines.push(("problems", problems(summary)));
    }
    lines.extend([
        ("folder", folder.display().to_string()),
        (
            "see",
            format!("{pictures}, {SUMMARY}, {LOG}; {} frames", summary.frames),
        ),
    ]);
    let line = |(what, value): &(&str, String)| format!("{what:<12} {value}\n");
    lines.iter().map(line).collect()
}

/// What steps were solved to.
fn tolerance(summary: &Summary) -> String {
    let relative = format!("{:e}", summary.tolerance);
    match summary.velocity_tolerance {
        Some(speed) => format!("{relative}, or {} m/s", short_number(speed)),
        None => relative,
    }
}

/// Problems that were kept, and others that were wanted.
fn problems(summary: &Summary) -> String {
    let ProblemCount { written, left_out } = summary.problems;
    let more = match left_out {
        0 => String::new(),
        left_out => format!("; {left_out} more were left out"),
    };
    format!("{written} files in {PROBLEMS}{more}")
}

/// Which law, and what it costs.
fn friction(summary: &Summary) -> String {
    match summary.law {
        Law::Relaxed => relaxed_words(summary),
        Law::Exact => format!(
            "exact law in {} s; the relaxed one took {} s of them and was off by up to {} m/s",
            short_number(summary.step_seconds),
            short_number(summary.relaxed_seconds),
            short_number(summary.relaxed_difference)
        ),
    }
}

/// What the relaxed law does to what slides: it throws it up as high as its speed of parting takes
/// it against gravity.
fn relaxed_words(summary: &Summary) -> String {
    let speed = short_number(summary.lift_off);
    match summary.hop() {
        Some((height, share)) if share >= SEEN => format!(
            "relaxed law: lifts what slides, here at up to {speed} m/s, enough to throw a body {} mm up \
             ({} % of the thinnest). Coulomb's own law does not: --set settings.law=exact",
            short_number(1e3 * height),
            short_number(100.0 * share)
        ),
        _ => format!("relaxed law: lifts what slides at up to {speed} m/s, too little to be seen"),
    }
}

/// A hop of this share of the thinnest body can be seen.
const SEEN: f64 = 0.02;

/// Says on standard error what should not be overlooked, and how to go on.
pub fn warn(summary: &Summary, folder: &Path) {
    if summary.unconverged > 0 {
        to_stderr(&format!("warning: {}", unconverged_words(summary)));
    }
    if let Some(overlap) = summary.overlap.as_ref().filter(|o| o.is_notable()) {
        to_stderr(&format!("warning: {}", overlap_words(overlap)));
    }
    match &summary.ended {
        Ended::Finished | Ended::Limit => {}
        Ended::Cancelled => to_stderr(&format!(
            "stopped after step {}; go on with: drystone run --resume -o {}",
            summary.steps,
            folder.display()
        )),
        Ended::Broke(reason) => to_stderr(&format!(
            "error: {reason}; the state before it, of step {}, is saved in {}",
            summary.steps,
            folder.display()
        )),
    }
}

/// How many steps missed the tolerance, and why where that is known.
fn unconverged_words(summary: &Summary) -> String {
    let mut words = format!(
        "{} of {} steps did not reach the tolerance {}; worst residual {:.1e}",
        summary.unconverged,
        summary.steps,
        tolerance(summary),
        summary.worst_residual
    );
    if summary.out_of_work > 0 {
        words += &format!(
            "; {} of them ended at their limit of work (settings.max_work)",
            summary.out_of_work
        );
    }
    if let Some(jam) = &summary.jam {
        words += &format!("; {} in step {}", jam_words(jam), jam.step);
    }
    words
}

/// What others are jammed against.
pub fn jam_words(jam: &Jam) -> String {
    let force = match jam.force {
        force if force >= 1e6 => format!("{} MN", short_number(1e-6 * force)),
        force if force >= 1e3 => format!("{} kN", short_number(1e-3 * force)),
        force => format!("{} N", short_number(force)),
    };
    format!("jammed against the prescribed body `{}`, {force}", jam.body)
}

/// What sank into what, and why where that is known.
fn overlap_words(overlap: &RunOverlap) -> String {
    let [a, b] = &overlap.bodies;
    let mut words = format!(
        "{a} and {b} overlapped by {} m, {} % of the thinner one, in step {}",
        short_number(overlap.depth),
        short_number(100.0 * overlap.share),
        overlap.step
    );
    if overlap.by_compliance {
        words += "; compliance is the cause: their contact gives way under that force as fast as it \
                  is pushed apart. A smaller settings.compliance, or stiffer materials, hold more";
    }
    words
}

/// Wall time for people.
fn wall(seconds: f64) -> String {
    if seconds < 60.0 {
        format!("{} s", short_number(seconds))
    } else {
        duration(seconds)
    }
}
