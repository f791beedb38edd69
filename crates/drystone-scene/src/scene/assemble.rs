//! The whole scene from its table: section after section, going on after faults so that as many as
//! possible are told at once.

mod sections;

use std::collections::BTreeMap;

use drystone::Settings;

use super::body::{self, BodyScene, MOST_BODIES};
use super::error::{FaultAt, FaultKind, MOST_FAULTS};
use super::model::{JointSpec, MaterialSpec, Model, TextPlace};
use super::phase::PhaseScene;
use super::reader::{Reader, Value, sweep};
use super::{container, fill, joint, parameters, phase, robot, surface, track};
use crate::quote::word;
use sections::{check_end, head, read_recording, read_settings, read_start, read_view};

/// Everything that the scene describes, or everything that is wrong with it.
pub(crate) fn assemble(root: &Reader<'_>, name: &str) -> Result<Model, Vec<FaultAt>> {
    let mut faults: Vec<FaultAt> = root.unknown_keys(&[]).take(MOST_FAULTS).collect();
    parameters::read(root, &mut faults);
    let mut model = Model {
        title: name.to_owned(),
        description: String::new(),
        law_given: false,
        settings: Settings::default(),
        duration: None,
        start: None,
        materials: Vec::new(),
        pairs: Vec::new(),
        bodies: Vec::new(),
        fills: Vec::new(),
        motions: Vec::new(),
        robots: Vec::new(),
        tracks: Vec::new(),
        joints: Vec::new(),
        drives: Vec::new(),
        phases: Vec::new(),
        recording: Default::default(),
        view: Default::default(),
        warnings: Vec::new(),
    };
    let sections = [
        ("title", head(root, &mut model)),
        ("settings", read_settings(root, &mut model)),
        ("start", read_start(root, &mut model)),
    ];
    for (key, read) in sections {
        section(root, key, read, &mut faults);
    }
    read_materials(root, &mut model, &mut faults);
    read_bodies(root, &mut model, &mut faults);
    let view = read_view(root, &mut model);
    section(root, "view", view, &mut faults);
    if faults.is_empty() {
        faults.extend(check_end(root, &model).err());
    }
    if faults.is_empty() {
        model.warnings.extend(parameters::unused(root));
        Ok(model)
    } else {
        Err(faults)
    }
}

/// Keeps the fault of a table, and all others that its description can tell.
fn with_others(fault: FaultAt, entry: &Value<'_>, faults: &mut Vec<FaultAt>) {
    faults.push(fault);
    sweep(entry, faults);
}

/// The same for a table that stands by itself.
fn section(root: &Reader<'_>, key: &str, read: Result<(), FaultAt>, faults: &mut Vec<FaultAt>) {
    if let Err(fault) = read {
        faults.push(fault);
        if let Some(value) = root.value(key) {
            sweep(&value, faults);
        }
    }
}

/// Most entries of the lists whose entries are compared with each other, or that stand for much.
const MOST_ENTRIES: usize = 1000;
/// Most bodies and joints that are written out one by one; arrays of them count once.
const MOST_WRITTEN: usize = 200_000;

/// Most entries of a list of tables.
fn most_entries(key: &str) -> usize {
    match key {
        "body" | "joint" => MOST_WRITTEN,
        _ => MOST_ENTRIES,
    }
}

/// The entries of a list of tables; none where there is a fault, which is kept, nor after too many
/// faults.
fn entries<'a>(root: &Reader<'a>, key: &str, faults: &mut Vec<FaultAt>) -> Vec<Value<'a>> {
    if faults.len() >= MOST_FAULTS {
        return Vec::new();
    }
    let most = most_entries(key);
    match root.value(key).map(|value| value.entries()) {
        None => Vec::new(),
        Some(Ok(entries)) if entries.len() > most => {
            let found = format!("a list of {}", entries.len());
            faults.push(root.out_of_range(key, found, &format!("at most {most} entries")));
            Vec::new()
        }
        Some(Ok(entries)) => entries,
        Some(Err(mut fault)) => {
            fault.suggestion = Some(format!("[[{key}]]"));
            faults.push(fault);
            Vec::new()
        }
    }
}

fn read_materials(root: &Reader<'_>, model: &mut Model, faults: &mut Vec<FaultAt>) {
    for entry in entries(root, "material", faults) {
        let read = entry
            .table()
            .and_then(|table| surface::read_material(&table, &model.materials));
        if faults.len() >= MOST_FAULTS {
            return;
        }
        match read {
            Ok(material) => model.materials.push(material),
            Err(fault) => {
                // Bodies that refer to it have no fault of their own.
                model.materials.extend(stand_in(&entry));
                faults.push(fault);
                sweep(&entry, faults);
            }
        }
    }
    for entry in entries(root, "pair", faults) {
        let read = entry
            .table()
            .and_then(|table| surface::read_pair(&table, &model.materials));
        if faults.len() >= MOST_FAULTS {
            return;
        }
        match read {
            Ok(pair) => model.pairs.push(pair),
            Err(fault) => with_others(fault, &entry, faults),
        }
    }
}

fn stand_in(entry: &Value<'_>) -> Option<MaterialSpec> {
    Some(MaterialSpec {
        name: name_of(entry)?,
        surface: drystone::Surface::default(),
        density: None,
        color: None,
        place: TextPlace {
            span: entry.item.span(),
            key: entry.path.clone(),
        },
    })
}

/// The name of an entry, whatever else is wrong with it.
fn name_of(entry: &Value<'_>) -> Option<String> {
    let name = entry.item.get_ref().as_table()?.get("name")?;
    name.get_ref().as_str().map(str::to_owned)
}

/// Bodies, containers, fills, robots, joints, and the phases and recordings that refer to them.
fn read_bodies(root: &Reader<'_>, model: &mut Model, faults: &mut Vec<FaultAt>) {
    let bodies = entries(root, "body", faults);
    let containers = entries(root, "container", faults);
    let mut around = BodyScene {
        materials: &model.materials,
        motions: &mut model.motions,
        count: 0,
    };
    for entry in &bodies {
        if faults.len() >= MOST_FAULTS {
            return;
        }
        match entry
            .table()
            .and_then(|table| body::read(&table, &mut around))
        {
            Ok(bodies) => model.bodies.extend(bodies),
            Err(fault) => with_others(fault, entry, faults),
        }
        around.count = model.bodies.len();
    }
    let mut insides = Vec::new();
    for entry in &containers {
        if faults.len() >= MOST_FAULTS {
            return;
        }
        let read = entry.table().and_then(|table| {
            let read = container::read(&table, &mut around)?;
            check_new(&table, &read.1.name, insides.iter().map(name_of_inside))?;
            Ok(read)
        });
        match read {
            Ok((walls, inside)) => {
                model.bodies.extend(walls);
                insides.push(inside);
            }
            Err(fault) => with_others(fault, entry, faults),
        }
        around.count = model.bodies.len();
    }
    let names = read_robots(root, model, faults);
    let so_far = faults.len();
    read_tracks(root, model, &names, faults);
    read_fills(root, model, &insides, faults);
    let broken_joints = read_joints(root, model, &names, faults);
    read_phases(root, model, &names, &insides, faults);
    let recording = read_recording(root, model, &names.names);
    section(root, "recording", recording, faults);
    // What refers to a robot or a joint that has a fault has none of its own.
    let follows = |fault: &FaultAt| match &*fault.kind {
        FaultKind::UnknownName { what, name } => {
            names.robots_are_broken || (*what == "joint" && broken_joints.contains(name))
        }
        _ => false,
    };
    let later = faults.split_off(so_far);
    faults.extend(later.into_iter().filter(|fault| !follows(fault)));
}

/// Names of all bodies and fills, those with faults included.
struct Names {
    names: Vec<String>,
    /// Whether a robot has a fault, so that the names of its bodies are not known.
    robots_are_broken: bool,
}

fn read_robots(root: &Reader<'_>, model: &mut Model, faults: &mut Vec<FaultAt>) -> Names {
    let mut names = Names {
        names: names(root),
        robots_are_broken: false,
    };
    for entry in entries(root, "robot", faults) {
        if faults.len() >= MOST_FAULTS {
            break;
        }
        let read = entry.table().and_then(|table| robot::read(&table, model));
        let read = read.and_then(|bodies| check_total(&entry, model.bodies.len(), bodies));
        match read {
            Ok(bodies) => names.names.extend(bodies),
            Err(fault) => {
                names.robots_are_broken = true;
                with_others(fault, &entry, faults);
            }
        }
    }
    names.names.sort();
    names.names.dedup();
    names
}

/// `value`, unless the entry has made too many bodies.
fn check_total<T>(entry: &Value<'_>, bodies: usize, value: T) -> Result<T, FaultAt> {
    if bodies <= MOST_BODIES {
        return Ok(value);
    }
    Err(entry.fault(FaultKind::Range {
        value: format!("a scene of {bodies} bodies"),
        expected: format!("one of at most {MOST_BODIES}"),
    }))
}

/// Whether a name is in a sorted list.
pub(crate) fn is_known(names: &[String], name: &str) -> bool {
    let at = names.binary_search_by(|known| known.as_str().cmp(name));
    at.is_ok()
}

/// The first joint of each name.
fn joints_by_name(joints: &[JointSpec]) -> BTreeMap<&str, &JointSpec> {
    let mut by_name = BTreeMap::new();
    for joint in joints {
        by_name.entry(joint.name.as_str()).or_insert(joint);
    }
    by_name
}

fn read_fills(
    root: &Reader<'_>,
    model: &mut Model,
    insides: &[super::model::ContainerInside],
    faults: &mut Vec<FaultAt>,
) {
    let fills = entries(root, "fill", faults);
    let broken = !faults.is_empty();
    for entry in &fills {
        if faults.len() >= MOST_FAULTS {
            return;
        }
        let read = entry
            .table()
            .and_then(|table| fill::read(&table, &model.materials, insides));
        match read {
            Ok(fill) => model.fills.push(fill),
            // A fill of a container that has a fault has none of its own.
            Err(fault) if broken && matches!(*fault.kind, FaultKind::UnknownName { .. }) => {
                sweep(entry, faults);
            }
            Err(fault) => with_others(fault, entry, faults),
        }
    }
}

fn read_tracks(root: &Reader<'_>, model: &mut Model, names: &Names, faults: &mut Vec<FaultAt>) {
    let mut around = track::TrackScene {
        names: &names.names,
        materials: &model.materials,
        bodies: &mut model.bodies,
        joints: &mut model.joints,
        drives: &mut model.drives,
        tracks: &mut model.tracks,
    };
    for entry in entries(root, "track", faults) {
        if faults.len() >= MOST_FAULTS {
            return;
        }
        let read = entry
            .table()
            .and_then(|table| track::read(&table, &mut around));
        if let Err(fault) = read {
            with_others(fault, &entry, faults);
        }
    }
}

/// Reads the joints; returns the names of those with faults.
fn read_joints(
    root: &Reader<'_>,
    model: &mut Model,
    names: &Names,
    faults: &mut Vec<FaultAt>,
) -> Vec<String> {
    let mut broken = Vec::new();
    let mut around = joint::JointScene {
        names: &names.names,
        drives: &mut model.drives,
        joints: model
            .joints
            .iter()
            .map(|joint| joint.name.clone())
            .collect(),
    };
    for entry in entries(root, "joint", faults) {
        if faults.len() >= MOST_FAULTS {
            break;
        }
        let read = entry
            .typed()
            .and_then(|(kind, table)| joint::read(kind, &table, &mut around));
        match read {
            Ok(joints) => {
                let names = joints.iter().map(|joint| joint.name.clone());
                around.joints.extend(names);
                model.joints.extend(joints);
            }
            Err(fault) => {
                broken.extend(name_of(&entry).map(|name| word(&name)));
                with_others(fault, &entry, faults);
            }
        }
    }
    broken
}

fn name_of_inside(inside: &super::model::ContainerInside) -> &str {
    &inside.name
}

fn check_new<'n>(
    reader: &Reader<'_>,
    name: &str,
    mut known: impl Iterator<Item = &'n str>,
) -> Result<(), FaultAt> {
    if known.any(|known| known == name) {
        let (what, name) = ("container", name.to_owned());
        return Err(reader.fault("name", FaultKind::Duplicate { what, name }));
    }
    Ok(())
}

/// Names of all bodies and fills that stand in the scene's own text, those with faults included.
fn names(root: &Reader<'_>) -> Vec<String> {
    let mut names = Vec::new();
    for (key, default) in [("body", "body"), ("container", ""), ("fill", "grains")] {
        for entry in entries(root, key, &mut Vec::new()) {
            names.push(name_of(&entry).unwrap_or_else(|| default.to_owned()));
        }
    }
    for entry in entries(root, "track", &mut Vec::new()) {
        let name = name_of(&entry).unwrap_or_default();
        names.extend(track::PARTS.map(|part| format!("{name}/{part}")));
    }
    names.sort();
    names.dedup();
    names
}

fn read_phases(
    root: &Reader<'_>,
    model: &mut Model,
    names: &Names,
    insides: &[super::model::ContainerInside],
    faults: &mut Vec<FaultAt>,
) {
    let mut scene = PhaseScene {
        names: &names.names,
        insides,
        motions: &mut model.motions,
        joints: &joints_by_name(&model.joints),
        drives: &mut model.drives,
    };
    let phases = entries(root, "phase", faults);
    for (index, entry) in phases.iter().enumerate() {
        if faults.len() >= MOST_FAULTS {
            return;
        }
        let read = entry.table().and_then(|table| {
            let last = index + 1 == phases.len();
            if !last && !table.has("until") {
                let words = "only the last phase goes without `until`";
                return Err(table.conflict("until", words));
            }
            phase::read(&table, index, &mut scene)
        });
        match read {
            Ok(phase) => model.phases.push(phase),
            Err(fault) => with_others(fault, entry, faults),
        }
    }
}
