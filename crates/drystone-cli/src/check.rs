//! `drystone check`: what a scene is, what it needs, what is wrong with it.

use std::collections::BTreeMap;

use drystone::{BodyId, BodyKind, Pose, Touch, World};
use drystone_scene::{Scene, Simulation};
use serde_json::{Value, json};

use crate::args::simulation::CheckArgs;
use crate::failure::{Failure, NOT_CONVERGED, SUCCESS};
use crate::memory;
use crate::output::{to_stderr, to_stdout};
use crate::run::thread_pool;
use crate::scene_source::{failure, load};
use crate::table::short_number;

/// Overlapping pairs that are named; the rest is counted.
const PAIRS_NAMED: usize = 5;
/// Overlaps deeper than this share of the thinner body are warned of.
const HARMLESS: f64 = 0.01;
/// Bodies that overlap by less than this share of the thinner one merely touch.
const TOUCHING: f64 = 1e-6;

/// Checks a scene; the exit status says whether it can be run.
pub fn check(args: &CheckArgs) -> Result<u8, Failure> {
    let scene = load(&args.scene, &args.reading)?;
    let pool = thread_pool(args.threads)?;
    pool.install(|| check_scene(args, &scene))
}

fn check_scene(args: &CheckArgs, scene: &Scene) -> Result<u8, Failure> {
    memory::check(scene.least_bodies(), 0, args.force)?;
    let mut simulation = Simulation::new(scene).map_err(|e| failure(&e))?;
    let end_time = simulation.end_time();
    let time_step = simulation.world().settings().time_step;
    let contacts = memory::contacts(simulation.world());
    memory::check(simulation.world().len() as u64, contacts, args.force)?;
    // One step finds the contacts of the start and how deep they are.
    let first = simulation.step();
    let overlaps = overlaps(simulation.world());
    let facts = Facts {
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

/// What is told of a scene.
struct Facts<'s> {
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

/// Two bodies that overlap at the start.
struct Overlap {
    bodies: [String; 2],
    /// m.
    depth: f64,
    /// Depth over the thickness of the thinner moving body.
    share: f64,
}

/// All pairs that overlap, the deepest share first.
fn overlaps(world: &World) -> Vec<Overlap> {
    let mut deepest: BTreeMap<[BodyId; 2], f64> = BTreeMap::new();
    for contact in world.contacts().filter(|c| c.gap < 0.0) {
        let depth = deepest.entry(contact.bodies).or_default();
        *depth = depth.max(-contact.gap);
    }
    let overlap = |(bodies, depth): ([BodyId; 2], f64)| {
        let thinnest = bodies.iter().filter_map(|b| thickness(world, *b));
        let thinnest = thinnest.fold(f64::INFINITY, f64::min);
        Overlap {
            bodies: bodies.map(|b| world.name(b)),
            depth,
            share: depth / thinnest,
        }
    };
    let mut all: Vec<Overlap> = deepest.into_iter().map(overlap).collect();
    all.retain(|overlap| overlap.share > TOUCHING);
    all.sort_by(|a, b| b.share.total_cmp(&a.share));
    all
}

/// Shortest side of a moving body's box, m; none for one that touches nothing, whose shape means nothing.
pub fn thickness(world: &World, body: BodyId) -> Option<f64> {
    match world.kind(body) {
        BodyKind::Dynamic if world.touch(body) == Touch::Nothing => None,
        BodyKind::Dynamic => {
            let extent = world.shape(body).aabb(&Pose::IDENTITY).extent();
            Some(extent.min_element())
        }
        BodyKind::Fixed | BodyKind::Prescribed => None,
    }
}

impl Facts<'_> {
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
        memory::estimate(self.world.len() as u64, self.contacts)
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
                    "{} s in steps of {step} s: {:.0} steps",
                    short_number(end),
                    (end / self.time_step).ceil()
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
        let free = memory::available().map_or(String::new(), |free| {
            format!(" of {} available", memory::bytes(free))
        });
        lines.push((
            "memory",
            format!("at least {}{free}", memory::bytes(self.memory())),
        ));
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
            table.push_str(&format!("{:10} {}\n", "", overlap.words()));
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
            "memory_available": memory::available(),
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

impl Overlap {
    fn words(&self) -> String {
        let [a, b] = &self.bodies;
        format!(
            "{a} and {b}: {} m, {} % of the thinner one",
            short_number(self.depth),
            short_number(100.0 * self.share)
        )
    }
}
