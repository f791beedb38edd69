//! What a run came to.

use std::path::Path;

use drystone::{BodyKind, Law, World, worse};
use drystone_scene::{Scene, Simulation};
use serde_json::{Value, json};

use crate::drive::Ended;
use crate::inspect::thickness;
use crate::jam::Jam;
use crate::overlap::{DeepestOverlap, RunOverlap};
use crate::problems::ProblemCount;
use crate::step_table::StepRow;

/// What a run came to.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Name of the scene.
    pub name: String,
    /// Its title.
    pub title: String,
    /// How the run ended.
    pub ended: Ended,
    /// All bodies.
    pub bodies: usize,
    /// Bodies that move freely.
    pub dynamic: usize,
    /// Steps since the start.
    pub steps: u64,
    /// Simulated time, s.
    pub time: f64,
    /// Steps that did not reach the tolerance.
    pub unconverged: u64,
    /// Relative residual that a step is solved to.
    pub tolerance: f64,
    /// Residual velocity that will do as well, m/s.
    pub velocity_tolerance: Option<f64>,
    /// Contacts of a step on average.
    pub mean_contacts: f64,
    /// Contacts of a step at most.
    pub most_contacts: f64,
    /// Iterations of a step on average.
    pub mean_iterations: f64,
    /// Iterations of a step at most.
    pub most_iterations: f64,
    /// Largest relative residual of a step; not a number where a step's was none.
    pub worst_residual: f64,
    /// Deepest overlap, m.
    pub penetration: f64,
    /// The overlap that was the largest share of a body, and whose it was.
    pub overlap: Option<RunOverlap>,
    /// Steps among those that ended at their limit of work.
    pub out_of_work: u64,
    /// The prescribed body that others were jammed against worst, where steps missed the tolerance.
    pub jam: Option<Jam>,
    /// Number of joints.
    pub joints: usize,
    /// Largest error of a joint, m or rad.
    pub joint_error: f64,
    /// The law of friction.
    pub law: Law,
    /// Fastest that the relaxed law parts what slides, m/s.
    pub lift_off: f64,
    /// Acceleration of gravity, m/s².
    pub gravity: f64,
    /// Under the exact law: by how much the relaxed one was off at most, m/s.
    pub relaxed_difference: f64,
    /// Under the exact law: wall time that the relaxed one took, s.
    pub relaxed_seconds: f64,
    /// Thickness of the thinnest moving body, m; none where nothing moves.
    pub thinnest: Option<f64>,
    /// Kinetic and potential energy at the end, J.
    pub energy: [f64; 2],
    /// Wall time in steps, s.
    pub step_seconds: f64,
    /// Frames written.
    pub frames: usize,
    /// Cone problems that were kept.
    pub problems: ProblemCount,
    /// Wall time of the whole run, s.
    pub seconds: f64,
    /// Threads used.
    pub threads: usize,
}

impl Summary {
    /// Of a run and its table of steps.
    pub(crate) fn new(
        scene: &Scene,
        simulation: &Simulation,
        log: &[StepRow],
        ended: &Ended,
    ) -> Self {
        let world = simulation.world();
        let most = |value: fn(&StepRow) -> f64| log.iter().map(value).fold(0.0, worse);
        let sum = |value: fn(&StepRow) -> f64| log.iter().map(value).sum::<f64>();
        let count = log.len().max(1) as f64;
        Self {
            name: scene.name(),
            title: scene.title().to_owned(),
            ended: ended.clone(),
            bodies: world.len(),
            dynamic: dynamic(world),
            steps: world.steps(),
            time: world.time(),
            unconverged: log.iter().filter(|step| !step.converged).count() as u64,
            tolerance: world.settings().tolerance,
            velocity_tolerance: world.settings().velocity_tolerance,
            mean_contacts: sum(|s| s.contacts) / count,
            most_contacts: most(|s| s.contacts),
            mean_iterations: sum(|s| s.iterations) / count,
            most_iterations: most(|s| s.iterations),
            worst_residual: most(|s| s.residual),
            penetration: most(|s| s.penetration),
            overlap: None,
            out_of_work: log.iter().filter(|step| step.out_of_work).count() as u64,
            jam: None,
            joints: world.joints().len(),
            joint_error: most(|s| s.joint_error),
            law: world.settings().law,
            lift_off: most(|s| s.lift_off),
            gravity: world.settings().gravity.length(),
            relaxed_difference: most(|s| s.relaxed_difference),
            relaxed_seconds: sum(|s| s.relaxed_seconds),
            thinnest: world
                .ids()
                .filter_map(|body| thickness(world, body))
                .reduce(f64::min),
            energy: world.energy(),
            step_seconds: sum(|s| s.seconds),
            frames: 0,
            problems: ProblemCount::default(),
            seconds: 0.0,
            threads: 0,
        }
    }

    /// With what the table of steps does not know: frames written, wall time in s, threads.
    pub(crate) fn with_effort(self, (frames, seconds, threads): (usize, f64, usize)) -> Self {
        Self {
            frames,
            seconds,
            threads,
            ..self
        }
    }

    /// With how many problems were kept.
    pub(crate) fn with_problems(self, problems: ProblemCount) -> Self {
        Self { problems, ..self }
    }

    /// With the deepest overlap of all steps.
    pub(crate) fn with_overlap(self, overlap: Option<DeepestOverlap>, world: &World) -> Self {
        Self {
            overlap: overlap.and_then(|overlap| RunOverlap::new(overlap, world)),
            ..self
        }
    }

    /// With the worst jam.
    pub(crate) fn with_jam(self, jam: Option<&Jam>) -> Self {
        let jam = jam.cloned();
        Self { jam, ..self }
    }

    /// How high the relaxed law may have thrown a body that slides, m, and as a share of the
    /// thinnest one. None where nothing moves or nothing pulls back.
    pub fn hop(&self) -> Option<(f64, f64)> {
        let height = 0.5 * self.lift_off * self.lift_off / self.gravity;
        let share = height / self.thinnest?;
        share.is_finite().then_some((height, share))
    }

    /// Largest share that an overlap had of the thinner body of its own pair; zero where none
    /// overlapped, none where nothing moves.
    pub fn penetration_share(&self) -> Option<f64> {
        let share = self.overlap.as_ref().map_or(0.0, |overlap| overlap.share);
        self.thinnest.map(|_| share)
    }

    /// The content of `summary.json`. Numbers that are not finite are null.
    pub fn json(&self, folder: &Path) -> Value {
        let error = match &self.ended {
            Ended::Broke(reason) => Some(reason.to_string()),
            Ended::Finished | Ended::Limit | Ended::Cancelled => None,
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
            "problems": self.problems.written,
            "problems_left_out": self.problems.left_out,
            "unconverged_steps": self.unconverged,
            "steps_out_of_work": self.out_of_work,
            "jam": self.jam.as_ref().map(|jam| json!({
                "body": jam.body,
                "force": jam.force,
                "step": jam.step,
            })),
            "tolerance": self.tolerance,
            "velocity_tolerance": self.velocity_tolerance,
            "worst_residual": self.worst_residual,
            "mean_contacts": self.mean_contacts,
            "most_contacts": self.most_contacts,
            "mean_iterations": self.mean_iterations,
            "most_iterations": self.most_iterations,
            "deepest_penetration": self.penetration,
            "thinnest_body": self.thinnest,
            "penetration_share": self.penetration_share(),
            "largest_overlap": self.overlap.as_ref().map(|overlap| json!({
                "bodies": overlap.bodies,
                "depth": overlap.depth,
                "share": overlap.share,
                "step": overlap.step,
                "by_compliance": overlap.by_compliance,
                "notable": overlap.is_notable(),
            })),
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
}

fn dynamic(world: &World) -> usize {
    let moves = |body: &drystone::BodyId| world.kind(*body) == BodyKind::Dynamic;
    world.ids().filter(moves).count()
}
