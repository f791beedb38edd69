//! Crawler tracks: bodies and joints from a few keys.

use drystone::{Body, Joint, JointKind, Pose, Shape};
use drystone_collide::number::{Number, Numbers};
use glam::{DVec2, DVec3};

use super::assemble::is_known;
use super::error::{FaultAt, FaultKind};
use super::model::{BodyLook, BodySpec, DriveSpec, End, JointSpec, MaterialSpec, Opacity};
use super::reader::Reader;
use super::surface;
use crate::track::{MOST_ROLLERS, MOST_SHOES, MOST_TEETH, Track, TrackSpec};

/// Names of a track's parts after its own.
pub(crate) const PARTS: [&str; 3] = ["sprocket", "roller", "shoe"];

/// Compliance of pins and axles, m/N, where none is given: they hold each other in a closed band.
const COMPLIANCE: f64 = 1e-9;

/// What tracks refer to, and what they add to.
pub(crate) struct TrackScene<'m> {
    pub names: &'m [String],
    pub materials: &'m [MaterialSpec],
    pub bodies: &'m mut Vec<BodySpec>,
    pub joints: &'m mut Vec<JointSpec>,
    pub drives: &'m mut Vec<DriveSpec>,
    pub tracks: &'m mut Vec<String>,
}

pub(crate) fn read(reader: &Reader<'_>, around: &mut TrackScene<'_>) -> Result<(), FaultAt> {
    let name = reader.need_text("name")?;
    let chassis = reader.need_text("chassis")?;
    if !is_known(around.names, &chassis) {
        let known = around.names.iter().map(String::as_str);
        return Err(reader.unknown_name("chassis", "body", &chassis, known));
    }
    let (spec, masses) = layout(reader)?;
    let track = spec.build().map_err(|error| {
        FaultAt::new(
            reader.span.clone(),
            reader.path.clone(),
            FaultKind::Refused(error.to_string()),
        )
    })?;
    around.tracks.push(name.clone());
    let mut parts = Parts::new(reader, around, name, chassis, &track)?;
    parts.bodies(around, masses);
    parts.joints(around)
}

/// The geometry, and the masses of sprocket, rollers and shoes.
fn layout(reader: &Reader<'_>) -> Result<(TrackSpec, [f64; 3]), FaultAt> {
    let part = |key| {
        let table = reader.table(key)?;
        reader.need(key, table)
    };
    let (sprocket, rollers, shoes) = (part("sprocket")?, part("rollers")?, part("shoes")?);
    let positive = |table: &Reader<'_>, key| {
        let value = table.positive(key)?;
        table.need(key, value)
    };
    let count = |table: &Reader<'_>, key, least: usize, most: usize| {
        let value = table.integer(key)?;
        let value = table.need(key, value)?;
        match usize::try_from(value) {
            Ok(count) if (least..=most).contains(&count) => Ok(count),
            _ => Err(table.out_of_range(key, value, &format!("from {least} to {most}"))),
        }
    };
    let axle = sprocket.need_vector("at")?;
    let places = rollers.list("at", |value| value.vector())?;
    let places = rollers.need("at", places)?;
    if places.len() > MOST_ROLLERS {
        let found = format!("a list of {}", places.len());
        return Err(rollers.out_of_range("at", found, &format!("at most {MOST_ROLLERS} places")));
    }
    if let Some(place) = places.iter().find(|p| p.y != axle.y) {
        let expected = format!("y = {}, the sprocket's", Number(axle.y));
        return Err(rollers.out_of_range("at", Numbers(&place.to_array()), &expected));
    }
    let side = |p: DVec3| DVec2::new(p.x, p.z);
    let spec = TrackSpec {
        sprocket: side(axle),
        teeth: count(&sprocket, "teeth", 6, MOST_TEETH)?,
        rollers: places.into_iter().map(side).collect(),
        roller_radius: positive(&rollers, "radius")?,
        shoes: count(&shoes, "count", 8, MOST_SHOES)?,
        width: positive(&shoes, "width")?,
        thickness: positive(&shoes, "thickness")?,
        offset: axle.y,
    };
    let masses = [
        positive(&sprocket, "mass")?,
        positive(&rollers, "mass")?,
        positive(&shoes, "mass")?,
    ];
    Ok((spec, masses))
}

/// What the parts of one track share.
struct Parts<'a> {
    reader: &'a Reader<'a>,
    track: &'a Track,
    name: String,
    chassis: String,
    compliance: f64,
    /// Materials and looks of wheels and shoes.
    wheel: (Option<usize>, BodyLook),
    shoe: (Option<usize>, BodyLook),
}

impl<'a> Parts<'a> {
    fn new(
        reader: &'a Reader<'a>,
        around: &TrackScene<'_>,
        name: String,
        chassis: String,
        track: &'a Track,
    ) -> Result<Self, FaultAt> {
        let materials = around.materials;
        let shoe = surface::material(reader, materials)?;
        let wheel = match reader.has("wheel_material") {
            true => surface::material_at(reader, "wheel_material", materials)?,
            false => shoe,
        };
        let look = |material: Option<usize>| {
            surface::look(reader, material.map(|m| &materials[m]), Opacity::Solid)
        };
        Ok(Self {
            reader,
            track,
            name,
            chassis,
            compliance: reader.not_negative("compliance")?.unwrap_or(COMPLIANCE),
            wheel: (wheel, look(wheel)?),
            shoe: (shoe, look(shoe)?),
        })
    }

    fn bodies(&mut self, around: &mut TrackScene<'_>, [sprocket, roller, shoe]: [f64; 3]) {
        let track = self.track;
        let (wheel, plate) = (self.wheel, self.shoe);
        let mut add =
            |part: usize, pose: Pose, shape: &Shape, mass: f64, of: (Option<usize>, BodyLook)| {
                around.bodies.push(BodySpec {
                    body: Body::dynamic(shape.clone())
                        .named(self.part(part))
                        .mass(mass)
                        .posed(pose),
                    material: of.0,
                    motion: None,
                    load: None,
                    look: of.1,
                    place: self.reader.place(),
                });
            };
        add(0, track.sprocket.0, &track.sprocket.1, sprocket, wheel);
        for at in &track.rollers.0 {
            add(1, Pose::at(*at), &track.rollers.1, roller, wheel);
        }
        for pose in &track.shoes.0 {
            add(2, *pose, &track.shoes.1, shoe, plate);
        }
    }

    fn joints(&self, around: &mut TrackScene<'_>) -> Result<(), FaultAt> {
        let motor = match self.reader.value("motor") {
            None => None,
            Some(value) => {
                let drive = DriveSpec::read_for(JointKind::Revolute, &value)?;
                around.drives.push(drive);
                Some(around.drives.len() - 1)
            }
        };
        let chassis = || End::Body {
            name: self.chassis.clone(),
            index: None,
        };
        let body = |part: usize, index: usize| End::Body {
            name: self.part(part),
            // The sprocket is alone.
            index: (part != 0).then_some(index),
        };
        let mut add = |name: &str, ends: [End; 2], at: DVec3, motor: Option<usize>| {
            around.joints.push(JointSpec {
                name: format!("{}/{name}", self.name),
                joint: Joint::new(JointKind::Revolute, None, None)
                    .at(at)
                    .axis(DVec3::Y)
                    .compliance(self.compliance),
                ends,
                motor,
                effort: None,
                place: self.reader.place(),
            });
        };
        let track = self.track;
        let axle = track.sprocket.0.position;
        add("drive", [chassis(), body(0, 0)], axle, motor);
        for (index, at) in track.rollers.0.iter().enumerate() {
            add("axle", [chassis(), body(1, index)], *at, None);
        }
        let count = track.pins.len();
        for (index, at) in track.pins.iter().enumerate() {
            let before = (index + count - 1) % count;
            add("pin", [body(2, before), body(2, index)], *at, None);
        }
        Ok(())
    }

    fn part(&self, part: usize) -> String {
        format!("{}/{}", self.name, PARTS[part])
    }
}
