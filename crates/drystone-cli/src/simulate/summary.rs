//! What a run came to: for people, for programs, and as warnings.

use std::path::Path;

use drystone::{BodyKind, Law, World};
use drystone_scene::run_folder::LOG;
use drystone_scene::{Scene, Simulation};
use serde_json::{Value, json};

use super::Ended;
use super::folder::{PICTURE, PLOTS, SUMMARY};
use super::log::Step;
use super::meter::duration;
use crate::check::thickness;
use crate::output::to_stderr;
use crate::scene_source::name;
use crate::table::short_number;

/// What a run came to.
pub struct Summary {
    name: String,
    title: String,
    ended: Ended,
    bodies: usize,
    dynamic: usize,
    steps: u64,
    /// s.
    time: f64,
    unconverged: u64,
    tolerance: f64,
    mean_contacts: f64,
    most_contacts: f64,
    mean_iterations: f64,
    most_iterations: f64,
    worst_residual: f64,
    /// m.
    penetration: f64,
    /// Number of joints, and their largest error, m or rad.
    joints: usize,
    joint_error: f64,
    law: Law,
    /// What the relaxed law does or would do: largest lift-off and difference, m/s, and wall time, s.
    lift_off: f64,
    relaxed_difference: f64,
    relaxed_seconds: f64,
    /// Thickness of the thinnest moving body, m; none where nothing moves.
    thinnest: Option<f64>,
    /// Kinetic and potential, J.
    energy: [f64; 2],
    /// Wall time in steps, s.
    step_seconds: f64,
    frames: usize,
    /// Wall time of the whole run, s.
    seconds: f64,
    threads: usize,
}

impl Summary {
    /// Of a run and its table of steps.
    pub fn new(scene: &Scene, simulation: &Simulation, log: &[Step], ended: &Ended) -> Self {
        let world = simulation.world();
        let most = |value: fn(&Step) -> f64| log.iter().map(value).fold(0.0, f64::max);
        let sum = |value: fn(&Step) -> f64| log.iter().map(value).sum::<f64>();
        let count = log.len().max(1) as f64;
        Self {
            name: name(scene),
            title: scene.title().to_owned(),
            ended: ended.clone(),
            bodies: world.len(),
            dynamic: dynamic(world),
            steps: world.steps(),
            time: world.time(),
            unconverged: log.iter().filter(|step| !step.converged).count() as u64,
            tolerance: world.settings().tolerance,
            mean_contacts: sum(|s| s.contacts) / count,
            most_contacts: most(|s| s.contacts),
            mean_iterations: sum(|s| s.iterations) / count,
            most_iterations: most(|s| s.iterations),
            worst_residual: most(|s| s.residual),
            penetration: most(|s| s.penetration),
            joints: world.joints().len(),
            joint_error: most(|s| s.joint_error),
            law: world.settings().law,
            lift_off: most(|s| s.lift_off),
            relaxed_difference: most(|s| s.relaxed_difference),
            relaxed_seconds: sum(|s| s.relaxed_seconds),
            thinnest: world
                .ids()
                .filter_map(|body| thickness(world, body))
                .reduce(f64::min),
            energy: world.energy(),
            step_seconds: sum(|s| s.seconds),
            frames: 0,
            seconds: 0.0,
            threads: 0,
        }
    }

    /// With what the table of steps does not know: frames written, wall time in s, threads.
    pub fn with_effort(self, frames: usize, seconds: f64, threads: usize) -> Self {
        Self {
            frames,
            seconds,
            threads,
            ..self
        }
    }

    fn penetration_share(&self) -> Option<f64> {
        self.thinnest.map(|size| self.penetration / size)
    }

    /// The content of `summary.json`. Numbers that are not finite are null.
    pub fn json(&self, folder: &Path) -> Value {
        let error = match &self.ended {
            Ended::Broke(reason) => Some(reason),
            Ended::Finished | Ended::Limit | Ended::Interrupted => None,
        };
        json!({
            "scene": self.name,
            "title": self.title,
            "folder": folder.to_string_lossy(),
            "ended": self.ended.name(),
            "error": error,
            "bodies": self.bodies,
            "dynamic_bodies": self.dynamic,
            "steps": self.steps,
            "time": self.time,
            "frames": self.frames,
            "unconverged_steps": self.unconverged,
            "tolerance": self.tolerance,
            "worst_residual": self.worst_residual,
            "mean_contacts": self.mean_contacts,
            "most_contacts": self.most_contacts,
            "mean_iterations": self.mean_iterations,
            "most_iterations": self.most_iterations,
            "deepest_penetration": self.penetration,
            "thinnest_body": self.thinnest,
            "penetration_share": self.penetration_share(),
            "joints": self.joints,
            "largest_joint_error": self.joint_error,
            "law": self.law.name(),
            "largest_lift_off": self.lift_off,
            "largest_relaxed_difference": self.relaxed_difference,
            "relaxed_seconds": self.relaxed_seconds,
            "kinetic_energy": self.energy[0],
            "potential_energy": self.energy[1],
            "seconds": self.seconds,
            "step_seconds": self.step_seconds,
            "steps_per_second": self.steps as f64 / self.step_seconds,
            "threads": self.threads,
            "version": env!("CARGO_PKG_VERSION"),
        })
    }

    /// For people.
    pub fn table(&self, folder: &Path, picture: bool) -> String {
        let rate = self.steps as f64 / self.step_seconds;
        let share = self.penetration_share().map_or(String::new(), |share| {
            format!(", {} % of the thinnest body", short_number(100.0 * share))
        });
        let end = match &self.ended {
            Ended::Finished => "finished",
            Ended::Limit => "stopped where it was told to",
            Ended::Interrupted => "stopped by the user",
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
                format!("{}, {} bodies: {end}", self.title, self.bodies),
            ),
            (
                "time",
                format!(
                    "{} s simulated in {} steps; {} of wall time, {} steps/s",
                    short_number(self.time),
                    self.steps,
                    wall(self.seconds),
                    short_number(rate)
                ),
            ),
            (
                "contacts",
                format!(
                    "{} on average, {} at most",
                    short_number(self.mean_contacts),
                    self.most_contacts
                ),
            ),
            (
                "solver",
                format!(
                    "{} iterations a step on average; worst residual {} (tolerance {:e})",
                    short_number(self.mean_iterations),
                    short_number(self.worst_residual),
                    self.tolerance
                ),
            ),
            (
                "unconverged",
                format!("{} of {} steps", self.unconverged, self.steps),
            ),
            (
                "penetration",
                format!("{} m at most{share}", short_number(self.penetration)),
            ),
            (
                "energy",
                format!(
                    "{} J kinetic, {} J potential at the end",
                    short_number(self.energy[0]),
                    short_number(self.energy[1])
                ),
            ),
        ];
        let mut lines = Vec::from(lines);
        if self.joints > 0 {
            let error = short_number(self.joint_error);
            let words = format!("{}, off by {error} m or rad at most", self.joints);
            lines.push(("joints", words));
        }
        lines.push(("friction", self.friction()));
        lines.extend([
            ("folder", folder.display().to_string()),
            (
                "see",
                format!("{pictures}, {SUMMARY}, {LOG}; {} frames", self.frames),
            ),
        ]);
        let line = |(what, value): &(&str, String)| format!("{what:<12} {value}\n");
        lines.iter().map(line).collect()
    }

    /// Which law, and what it costs.
    fn friction(&self) -> String {
        let lift_off = short_number(self.lift_off);
        match self.law {
            Law::Relaxed => format!("relaxed law; parts what slides at up to {lift_off} m/s"),
            Law::Exact => format!(
                "exact law in {} s; the relaxed one took {} s of them and was off by up to {} m/s",
                short_number(self.step_seconds),
                short_number(self.relaxed_seconds),
                short_number(self.relaxed_difference)
            ),
        }
    }

    /// Says on standard error what should not be overlooked, and how to go on.
    pub fn warn(&self, folder: &Path) {
        if self.unconverged > 0 {
            to_stderr(&format!(
                "warning: {} of {} steps did not reach the tolerance {:e}; worst residual {:.1e}",
                self.unconverged, self.steps, self.tolerance, self.worst_residual
            ));
        }
        match &self.ended {
            Ended::Finished | Ended::Limit => {}
            Ended::Interrupted => to_stderr(&format!(
                "stopped after step {}; go on with: drystone run --resume -o {}",
                self.steps,
                folder.display()
            )),
            Ended::Broke(reason) => to_stderr(&format!(
                "error: {reason}; the state before it, of step {}, is saved in {}",
                self.steps,
                folder.display()
            )),
        }
    }
}

fn dynamic(world: &World) -> usize {
    let moves = |body: &drystone::BodyId| world.kind(*body) == BodyKind::Dynamic;
    world.ids().filter(moves).count()
}

/// Wall time for people.
fn wall(seconds: f64) -> String {
    if seconds < 60.0 {
        format!("{} s", short_number(seconds))
    } else {
        duration(seconds)
    }
}
