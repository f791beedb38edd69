//! What `drystone check` tells of a scene.

use std::collections::BTreeMap;

use drystone::{BodyId, BodyKind, World};
use drystone_run::inspect::{Extent, Overlap, thickness};
use drystone_run::memory::{available, bytes, estimate};
use drystone_scene::{Scene, StartReport};
use drystone_study::table::short_number;
use serde_json::{Value, json};

use crate::start_report;

/// Overlapping pairs that are named; the rest is counted.
const PAIRS_NAMED: usize = 5;
/// Names of what stands whose extents are told; the rest is counted.
const EXTENTS_NAMED: usize = 6;

/// From here on a count is told by its power of ten: nobody reads three hundred digits.
const COUNTABLE: f64 = 1e15;

/// A whole number.
fn count(number: f64) -> String {
    match number < COUNTABLE {
        true => format!("{number:.0}"),
        false => format!("{number:e}"),
    }
}

/// What is told of a scene.
pub struct SceneFacts<'s> {
    /// The scene.
    pub scene: &'s Scene,
    /// Its world after a first step without impulses.
    pub world: &'s World,
    /// Names of its phases.
    pub phases: Vec<String>,
    /// s, where it is known.
    pub end_time: Option<f64>,
    /// s.
    pub time_step: f64,
    /// Expected once settled.
    pub contacts: u64,
    /// Pairs that overlap at the start.
    pub overlaps: Vec<Overlap>,
    /// How large what stands is.
    pub extents: Vec<Extent>,
    /// What may not be as meant.
    pub warnings: Vec<String>,
    /// The run that it starts from, in words, and what it takes from there.
    pub start: Option<(String, StartReport)>,
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

    /// The extents of what no force moves, the largest first.
    fn standing(&self) -> String {
        let mut extents: Vec<_> = self.extents.iter().collect();
        let size = |extent: &Extent| extent.bounds.extent().max_element();
        extents.sort_by(|a, b| size(b).total_cmp(&size(a)));
        let words = |extent: &&Extent| {
            let sides = extent.bounds.extent().to_array().map(short_number);
            format!("{} {} m", extent.name, sides.join(" x "))
        };
        let mut pieces: Vec<String> = extents.iter().take(EXTENTS_NAMED).map(words).collect();
        if extents.len() > EXTENTS_NAMED {
            pieces.push(format!("{} smaller ones", extents.len() - EXTENTS_NAMED));
        }
        pieces.join(", ")
    }

    fn memory(&self) -> u64 {
        // Bodies in one place may touch more often than they will once they lie beside each other.
        let contacts = self.contacts.max(self.world.contacts().len() as u64);
        estimate(self.world.len() as u64, contacts)
    }

    /// For people.
    pub fn table(&self) -> String {
        let start = self.start.as_ref().map(|(from, report)| {
            let counts = start_report::counts(report);
            ("start", format!("{from}: {counts}"))
        });
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
        lines.splice(1..1, start);
        if self.world.joints().len() > 0 {
            lines.push(("joints", listed(self.joints())));
        }
        if let Some([low, high]) = self.sizes() {
            let words = format!("{} to {} m thick", short_number(low), short_number(high));
            lines.push(("sizes", words));
        }
        if !self.extents.is_empty() {
            lines.push(("standing", self.standing()));
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

    /// For programs.
    pub fn json(&self) -> Value {
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
            "start": self.start.as_ref().map(|(from, report)| json!({
                "from": from,
                "matched": groups(&report.matched),
                "added": groups(&report.added),
                "dropped": groups(&report.dropped),
                "contacts": report.contacts,
                "joints": report.joints,
                "notes": report.notes,
            })),
            "fixed_extents": self.extents.iter().map(|extent| json!({
                "name": extent.name,
                "bodies": extent.bodies,
                "min": extent.bounds.min.to_array(),
                "max": extent.bounds.max.to_array(),
            })).collect::<Vec<_>>(),
            "mistakes": [],
            "warnings": self.warnings,
        })
    }
}

/// Names with how many bodies have each.
fn groups(groups: &[(String, usize)]) -> BTreeMap<&str, usize> {
    let pairs = groups.iter().map(|(name, count)| (name.as_str(), *count));
    pairs.collect()
}

fn overlap_words(overlap: &Overlap) -> String {
    let [a, b] = &overlap.bodies;
    format!(
        "{a} and {b}: {} m, {} % of the thinner one",
        short_number(overlap.depth),
        short_number(100.0 * overlap.share)
    )
}
