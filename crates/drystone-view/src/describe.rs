//! `run.json`: what there is to know before the first frame.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use drystone_draw::picture::clip_plane;
use drystone_draw::render::camera::Projection;
use drystone_draw::render::color::{category, ground, viridis};
use drystone_draw::render::{Background, Color};
use drystone_scene::view::ColorBy;
use glam::DVec3;
use serde_json::{Value, json};

use crate::frames::ROTATION_STEPS;
use crate::look::{Framing, Look};
use crate::mechanism::{Phases, periodic};
use crate::resource::TableName;
use crate::run_view::RunView;

/// Colours of kinds that are sent: more kinds than anyone tells apart.
const CATEGORIES: usize = 24;

/// Half a unit in the last place of a figure in single precision, over the figure.
const SINGLE: f64 = 0.5 * f32::EPSILON as f64;

/// The content of `run.json`.
pub fn run(view: &RunView) -> Value {
    let (state, note) = view.state();
    let unconverged = view
        .table_file(TableName::Steps)
        .map(|file| view.tables().unconverged(&file))
        .unwrap_or_default();
    let tables = TableName::ALL.into_iter();
    let tables = tables.filter(|table| view.table_file(*table).is_some());
    // Taken once: whoever waits to write would keep a second taker waiting.
    let current = view.current();
    let (recording, header) = (&current.recording, current.recording.header());
    let (look, origin) = (&*current.look(), current.origin());
    let mechanism = current.mechanism(view.folder());
    let phases = Phases::of(current.scene.as_ref(), view.folder());
    let frames = recording.len();
    let has_contacts = frames > 0
        && recording
            .frame(frames - 1)
            .is_ok_and(|frame| frame.contacts.is_some());
    let groups = header.groups.iter();
    let groups = groups.map(|g| json!({ "name": g.name, "members": g.members }));
    let materials = header.materials.iter();
    let materials = materials.map(|m| json!({ "name": m.name, "friction": m.friction }));
    json!({
        "version": 1,
        "title": header.title,
        "state": state.name(),
        "note": note,
        "frames": frames,
        "time_step": header.time_step,
        "bodies": header.bodies.len(),
        "origin": origin.to_array(),
        "error": errors(look, origin),
        "bounds": bounds(&look.still),
        "camera": camera(look, &look.still),
        "film": { "bounds": bounds(&look.film), "camera": camera(look, &look.film) },
        "look": looks(look),
        "color_by": color_by(look),
        "maps": { "viridis": map(viridis) },
        "categories": (0..CATEGORIES).map(|k| web(category(k))).collect::<Vec<_>>(),
        "groups": groups.collect::<Vec<_>>(),
        "materials": materials.collect::<Vec<_>>(),
        "phases": phases.json(),
        "periodic": periodic(current.scene.as_ref()),
        "joints": phases.with_spans(&mechanism.joints),
        "springs": phases.with_spans(&mechanism.springs),
        "tables": tables.map(TableName::name).collect::<Vec<_>>(),
        "has_contacts": has_contacts,
        "unconverged": unconverged.steps,
        "unconverged_count": unconverged.count,
        "chunk": null,
        "every": 1,
    })
}

/// Rounding of the frames that a server sends: positions in single precision, rotations in 16 bits.
fn errors(look: &Look, origin: DVec3) -> Value {
    let bounds = look.film.bounds;
    let corners = [bounds.min, bounds.max].map(|corner| corner - origin);
    let far = corners.map(|corner| corner.abs().max_element());
    let far = far[0].max(far[1]);
    json!({
        "position": if far.is_finite() { far * SINGLE } else { 0.0 },
        // Four components, each off by half a step at most.
        "rotation": 1.0 / ROTATION_STEPS,
        "velocity": 0.0,
    })
}

fn bounds(framing: &Framing) -> Value {
    match framing.bounds.is_empty() {
        true => Value::Null,
        false => json!({
            "low": framing.bounds.min.to_array(),
            "high": framing.bounds.max.to_array(),
        }),
    }
}

fn camera(look: &Look, framing: &Framing) -> Value {
    let camera = &framing.camera;
    let [width, height] = look.settings.size;
    let (orthographic, shown) = match camera.projection {
        Projection::Perspective { .. } => (false, None),
        Projection::Orthographic { height } => (true, Some(height)),
    };
    json!({
        "eye": camera.position.to_array(),
        "target": camera.target.to_array(),
        "up": camera.up.to_array(),
        "field_of_view": look.settings.camera.field_of_view.to_radians(),
        "aspect": f64::from(width) / f64::from(height),
        "orthographic": orthographic,
        "height": shown,
    })
}

fn looks(look: &Look) -> Value {
    let background = Background::default();
    let planes = look.settings.cuts.iter().copied().map(clip_plane);
    let planes = planes.map(|plane| {
        json!({
            "point": plane.point.to_array(),
            "normal": plane.normal.to_array(),
        })
    });
    let planes: Vec<Value> = planes.collect();
    json!({
        "sky": [web(background.top), web(background.bottom)],
        "ground": web(ground()),
        "sun": look.still.camera.lamp(DVec3::Z).to_array(),
        "clip": if planes.is_empty() { Value::Null } else { planes.into() },
    })
}

fn color_by(look: &Look) -> Value {
    let Some((by, [low, high])) = look.range() else {
        return Value::Null;
    };
    let unit = match by {
        ColorBy::Speed => "m/s",
        ColorBy::Force => "N",
        ColorBy::Size => "m",
        ColorBy::Material => "",
    };
    json!({
        "what": by.name(),
        "unit": unit,
        "low": low,
        "high": high,
        "log": look.settings.color_log,
    })
}

/// 256 colours of a map, as base64 of their bytes.
fn map(color: fn(f64) -> Color) -> String {
    let colors = (0..256).flat_map(|k| color(f64::from(k) / 255.0).to_srgb8());
    BASE64_STANDARD.encode(colors.collect::<Vec<u8>>())
}

fn web(color: Color) -> String {
    let [r, g, b] = color.to_srgb8();
    format!("#{r:02x}{g:02x}{b:02x}")
}
