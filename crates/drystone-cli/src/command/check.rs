//! `drystone check`: what a scene is, what it needs, what is wrong with it.

use std::collections::BTreeMap;

use drystone::{BodyId, BodyKind, OpenStep, SolveSummary, StepError, World};
use drystone_run::inspect::{Overlap, overlaps, thickness};
use drystone_run::memory::{available, bytes, contacts, estimate, least_contacts};
use drystone_scene::{Scene, Simulation};
use drystone_study::table::short_number;
use serde_json::{Value, json};

use crate::args::simulation::CheckArgs;
use crate::failure::{Failure, NOT_CONVERGED, SUCCESS};
use crate::memory;
use crate::output::{to_stderr, to_stdout};
use crate::scene_source::load;
use crate::threads::thread_pool;

/// Overlapping pairs that are named; the rest is counted.
const PAIRS_NAMED: usize = 5;
/// Overlaps deeper than this share of the thinner body are warned of.
const HARMLESS: f64 = 0.01;

/// From here on a count is told by its power of ten: nobody reads three hundred digits.
const COUNTABLE: f64 = 1e15;

/// A whole number.
fn count(number: f64) -> String {
    match number < COUNTABLE {
        true => format!("{number:.0}"),
        false => format!("{number:e}"),
    }
}

/// Checks a scene; the exit status says whether it can be run.
pub fn check(args: &CheckArgs) -> Result<u8, Failure> {
    let scene = load(&args.scene, &args.reading)?;
    let pool = thread_pool(args.threads)?;
    pool.install(|| check_scene(args, &scene))
}

fn check_scene(args: &CheckArgs, scene: &Scene) -> Result<u8, Failure> {
    memory::check(scene.least_bodies(), least_contacts(scene), args.force)?;
    let mut simulation = Simulation::new(scene)?;
    let end_time = simulation.end_time();
    let time_step = simulation.world().settings().time_step;
    let contacts = contacts(simulation.world());
    memory::check(simulation.world().len() as u64, contacts, args.force)?;
    let first = simulation.step_by(untouched);
    let overlaps = overlaps(simulation.world());
    let facts = SceneFacts {
        scene,
        world: simulation.world(),
        phases: simulation.phase_names().map(str::to_owned).collect(),
        end_time,
        time_step,
        contacts,
        overlaps,
    };
    to_stdout(&if args.json {
        format!("{:#}\n", facts.json())
    } else {
        facts.table()
    })?;
    facts.warn();
    match first {
        Ok(_) => Ok(SUCCESS),
        Err(error) => {
            to_stderr(&format!("error: the first step cannot be made: {error}"));
            Ok(NOT_CONVERGED)
        }
    }
}

/// Answers the first step without a solve: it finds the contacts of the start and how deep they
/// are, and no more is asked. Hundreds of bodies in one place would take minutes to be pushed
/// apart.
fn untouched(open: &mut OpenStep<'_>) -> Result<(Vec<f64>, SolveSummary), StepError> {
    let gamma = vec![0.0; open.problem().dim()];
    let summary = open.judge("none", 0, &gamma);
    Ok((gamma, summary))
}

/// What is told of a scene.
struct SceneFacts<'s> {
    scene: &'s Scene,
    world: &'s World,
    phases: Vec<String>,
    /// s, where it is known.
    end_time: Option<f64>,
    /// s.
    time_step: f64,
    /// Expected once settled.
    contacts: u64,
    overlaps: Vec<Overlap>,
}

impl SceneFacts<'_> {
    fn count(&self, kind: BodyKind) -> usize {
        let of_kind = |body: &BodyId| self.world.kind(*body) == kind;
        self.world.ids().filter(of_kind).count()
    }

    /// Thickness of the thinnest and the thickest moving body, m.
    fn sizes(&self) -> Option<[f64; 2]> {
        let sizes = self.world.ids().filter_map(|b| thickness(self.world, b));
        sizes.fold(None, |range: Option<[f64; 2]>, size| {
            let [low, high] = range.unwrap_or([size, size]);
            Some([low.min(size), high.max(size)])
        })
    }

    /// How many bodies there are of each shape.
    fn shapes(&self) -> BTreeMap<&'static str, usize> {
        let mut shapes = BTreeMap::new();
        for body in self.world.ids() {
            *shapes.entry(self.world.shape(body).kind()).or_default() += 1;
        }
        shapes
    }

    /// How many joints there are of each kind.
    fn joints(&self) -> BTreeMap<&'static str, usize> {
        let mut joints = BTreeMap::new();
        for joint in self.world.joints() {
            *joints
                .entry(self.world.joint_kind(joint).name())
                .or_default() += 1;
        }
        joints
    }

    fn memory(&self) -> u64 {
        // Bodies in one place may touch more often than they will once they lie beside each other.
        let contacts = self.contacts.max(self.world.contacts().len() as u64);
        estimate(self.world.len() as u64, contacts)
    }

    fn table(&self) -> String {
        let [dynamic, fixed, prescribed] =
            [BodyKind::Dynamic, BodyKind::Fixed, BodyKind::Prescribed].map(|k| self.count(k));
        let listed = |counts: BTreeMap<&str, usize>| {
            let words = counts.iter().map(|(kind, count)| format!("{count} {kind}"));
            words.collect::<Vec<_>>().join(", ")
        };
        let mut lines = vec![
            (
                "scene",
                format!("{} ({})", self.scene.title(), self.scene.origin()),
            ),
            (
                "bodies",
                format!("{dynamic} dynamic, {fixed} fixed, {prescribed} prescribed"),
            ),
            ("shapes", listed(self.shapes())),
        ];
        if self.world.joints().len() > 0 {
            lines.push(("joints", listed(self.joints())));
        }
        if let Some([low, high]) = self.sizes() {
            let words = format!("{} to {} m thick", short_number(low), short_number(high));
            lines.push(("sizes", words));
        }
        let step = short_number(self.time_step);
        lines.push((
            "time",
            match self.end_time {
                Some(end) => format!(
                    "{} s in steps of {step} s: {} steps",
                    short_number(end),
                    count((end / self.time_step).ceil())
                ),
                None => format!("until at rest, in steps of {step} s"),
            },
        ));
        lines.push(("phases", self.phases.join(", ")));
        let started = self.world.contacts().len();
        lines.push((
            "contacts",
            format!(
                "{started} at the start, about {} once settled",
                self.contacts
            ),
        ));
        let free = available().map_or(String::new(), |free| {
            format!(" of {} available", bytes(free))
        });
        lines.push(("memory", format!("at least {}{free}", bytes(self.memory()))));
        lines.push((
            "overlaps",
            match self.overlaps.len() {
                0 => "none at the start".to_owned(),
                1 => "1 pair at the start".to_owned(),
                count => format!("{count} pairs at the start"),
            },
        ));
        let line = |(what, value): &(&str, String)| format!("{what:<10} {value}\n");
        let mut table: String = lines.iter().map(line).collect();
        for overlap in self.overlaps.iter().take(PAIRS_NAMED) {
            table.push_str(&format!("{:10} {}\n", "", overlap_words(overlap)));
        }
        table
    }

    fn json(&self) -> Value {
        let overlaps: Vec<Value> = self
            .overlaps
            .iter()
            .take(PAIRS_NAMED)
            .map(|o| json!({ "bodies": o.bodies, "depth": o.depth, "share": o.share }))
            .collect();
        json!({
            "scene": self.scene.origin(),
            "title": self.scene.title(),
            "bodies": self.world.len(),
            "dynamic_bodies": self.count(BodyKind::Dynamic),
            "fixed_bodies": self.count(BodyKind::Fixed),
            "prescribed_bodies": self.count(BodyKind::Prescribed),
            "shapes": self.shapes(),
            "joints": self.joints(),
            "sizes": self.sizes(),
            "phases": self.phases,
            "end_time": self.end_time,
            "time_step": self.time_step,
            "contacts_at_start": self.world.contacts().len(),
            "contacts_estimate": self.contacts,
            "memory_estimate": self.memory(),
            "memory_available": available(),
            "overlapping_pairs": self.overlaps.len(),
            "worst_overlaps": overlaps,
            "warnings": self.scene.warnings(),
        })
    }

    fn warn(&self) {
        for warning in self.scene.warnings() {
            to_stderr(&format!("warning: {warning}"));
        }
        let deep = self.overlaps.iter().filter(|o| o.share > HARMLESS).count();
        if deep > 0 {
            let pairs = if deep == 1 {
                "pair overlaps"
            } else {
                "pairs overlap"
            };
            to_stderr(&format!(
                "warning: {deep} {pairs} by more than {:.0} % of the thinner body; they will be pushed apart",
                100.0 * HARMLESS
            ));
        }
    }
}

fn overlap_words(overlap: &Overlap) -> String {
    let [a, b] = &overlap.bodies;
    format!(
        "{a} and {b}: {} m, {} % of the thinner one",
        short_number(overlap.depth),
        short_number(100.0 * overlap.share)
    )
}
