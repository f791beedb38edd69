//! Containers: walls around an empty inside.

use std::f64::consts::PI;

use drystone::{Body, Pose, Shape, ShapeError};
use drystone_collide::number::Numbers;
use glam::{DQuat, DVec3};

use super::body::{BodyScene, MOST_BODIES};
use super::error::FaultAt;
use super::keys::{ContainerType, Side};
use super::model::{BodySpec, ContainerInside, Opacity};
use super::motion::Motion;
use super::reader::{Reader, Value};
use super::{placement, surface};
use crate::named::Named;
use crate::packing::Region;

/// Most points of a profile: each is a ring of flat walls.
const MOST_POINTS: usize = 1000;
/// Most flat walls around a round container.
const MOST_SEGMENTS: u64 = 720;

/// The walls of a container, and its inside.
pub(crate) fn read(
    reader: &Reader<'_>,
    around: &mut BodyScene<'_>,
) -> Result<(Vec<BodySpec>, ContainerInside), FaultAt> {
    let name = reader.need_text("name")?;
    let (kind, shape) = reader.need_typed("shape")?;
    let hollow = InnerShape::read(kind, &shape)?;
    let frame = placement::pose(reader)?;
    let material = surface::material(reader, around.materials)?;
    let look = surface::look(
        reader,
        material.map(|m| &around.materials[m]),
        Opacity::Glass,
    )?;
    let motion = match reader.typed("motion")? {
        Some((kind, table)) => {
            // All walls turn about one point, not each about its own.
            let motion = Motion::read(kind, &table)?.about(frame.position);
            around.motions.push(motion);
            Some(around.motions.len() - 1)
        }
        None => None,
    };
    let make = WallSpec::read(reader, &hollow)?;
    let count = hollow.wall_count(&make);
    if !around.has_room(count) {
        let expected = format!("those of at most {MOST_BODIES} bodies in all");
        return Err(reader.out_of_range("shape", format!("a shape of {count} walls"), &expected));
    }
    let walls = hollow
        .walls(&make)
        .map_err(|error| reader.refused(&error))?;
    let body = |(pose, shape): (Pose, Shape)| BodySpec {
        body: Body::fixed(shape)
            .named(name.clone())
            .posed(frame.compose(&pose)),
        material,
        motion,
        load: None,
        look,
        place: reader.place(),
    };
    let bodies = walls.into_iter().map(body).collect();
    let region = hollow.region();
    Ok((
        bodies,
        ContainerInside {
            name,
            region,
            frame,
        },
    ))
}

/// The inside of a container, its bottom around the origin.
enum InnerShape {
    Box(DVec3),
    /// Radius and height of the corners, from the bottom up.
    Round(Vec<[f64; 2]>),
}

/// How walls are made.
struct WallSpec {
    /// m.
    thickness: f64,
    segments: u64,
    /// Sides without a wall.
    open: Vec<Side>,
}

impl WallSpec {
    fn read(reader: &Reader<'_>, hollow: &InnerShape) -> Result<Self, FaultAt> {
        let segments = reader.integer("segments")?.unwrap_or(32);
        if !(3..=MOST_SEGMENTS).contains(&segments) {
            let expected = format!("from 3 to {MOST_SEGMENTS}");
            return Err(reader.out_of_range("segments", segments, &expected));
        }
        let open = reader.list("open", Value::choice)?;
        let open = open.unwrap_or_else(|| vec![Side::Top]);
        let beside = |side: &&Side| !matches!(side, Side::Top | Side::Bottom);
        if let (InnerShape::Round(_), Some(side)) = (hollow, open.iter().find(beside)) {
            let expected = "a side of a round container: top or bottom";
            return Err(reader.out_of_range("open", side.name(), expected));
        }
        Ok(Self {
            thickness: reader
                .positive("thickness")?
                .unwrap_or(0.1 * hollow.least()),
            segments,
            open,
        })
    }

    fn closed(&self, side: Side) -> bool {
        !self.open.contains(&side)
    }
}

type Walls = Result<Vec<(Pose, Shape)>, ShapeError>;

impl InnerShape {
    fn read(kind: ContainerType, reader: &Reader<'_>) -> Result<Self, FaultAt> {
        let positive = |key| {
            reader
                .positive(key)
                .and_then(|value| reader.need(key, value))
        };
        Ok(match kind {
            ContainerType::Box => {
                let size = reader.need_vector("size")?;
                if size.min_element() <= 0.0 {
                    return Err(reader.out_of_range(
                        "size",
                        Numbers(&size.to_array()),
                        "three lengths > 0",
                    ));
                }
                Self::Box(size)
            }
            ContainerType::Cylinder => {
                let (radius, height) = (positive("radius")?, positive("height")?);
                Self::Round(vec![[radius, 0.0], [radius, height]])
            }
            ContainerType::Funnel => {
                let (bottom, top) = (positive("bottom")?, positive("top")?);
                Self::Round(vec![[bottom, 0.0], [top, positive("height")?]])
            }
            ContainerType::Revolved => Self::Round(profile(reader)?),
        })
    }

    /// Smallest extent, m.
    fn least(&self) -> f64 {
        match self {
            Self::Box(size) => size.min_element(),
            Self::Round(profile) => {
                let height = profile[profile.len() - 1][1] - profile[0][1];
                let widest = profile.iter().map(|p| p[0]).fold(0.0, f64::max);
                height.min(2.0 * widest)
            }
        }
    }

    /// What can be filled, where it is of a simple kind.
    fn region(&self) -> Option<Region> {
        match self {
            Self::Box(size) => {
                let half = 0.5 * size.with_z(0.0);
                Some(Region::box_between(-half, half.with_z(size.z)))
            }
            Self::Round(profile) => match profile[..] {
                [[bottom, z], [top, end]] if bottom == top => {
                    Some(Region::cylinder([0.0, 0.0, z], top, end - z))
                }
                [[bottom, z], [top, end]] => {
                    Some(Region::frustum([0.0, 0.0, z], bottom, top, end - z))
                }
                _ => None,
            },
        }
    }

    /// How many walls it has at most.
    fn wall_count(&self, make: &WallSpec) -> u64 {
        match self {
            Self::Box(_) => 6,
            Self::Round(profile) => make.segments * (profile.len() as u64 + 1),
        }
    }

    fn walls(&self, make: &WallSpec) -> Walls {
        match self {
            Self::Box(size) => box_walls(*size, make),
            Self::Round(profile) => round_walls(profile, make),
        }
    }
}

fn profile(reader: &Reader<'_>) -> Result<Vec<[f64; 2]>, FaultAt> {
    let rows = reader.list("profile", |row| row.list(Value::number))?;
    let rows = reader.need("profile", rows)?;
    if rows.len() > MOST_POINTS {
        let found = format!("a list of {}", rows.len());
        let expected = format!("at most {MOST_POINTS} points");
        return Err(reader.out_of_range("profile", found, &expected));
    }
    let mut points: Vec<[f64; 2]> = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let rising = |z: f64| points.last().is_none_or(|last| z >= last[1]);
        match row[..] {
            [radius, z] if radius > 0.0 && rising(z) && points.last() != Some(&[radius, z]) => {
                points.push([radius, z]);
            }
            _ => {
                let expected = "[radius, z] with radius > 0, z not below the one before";
                let value = format!("point {index}, {},", Numbers(row));
                return Err(reader.out_of_range("profile", value, expected));
            }
        }
    }
    if points.len() < 2 {
        let found = format!("a list of {}", points.len());
        return Err(reader.out_of_range("profile", found, "at least two points"));
    }
    Ok(points)
}

fn box_walls(size: DVec3, make: &WallSpec) -> Walls {
    let w = make.thickness;
    let half = 0.5 * size;
    let plate = DVec3::new(half.x + w, half.y + w, 0.5 * w);
    let across_x = DVec3::new(0.5 * w, half.y + w, half.z);
    let across_y = DVec3::new(half.x, 0.5 * w, half.z);
    let (x, y) = (half.x + 0.5 * w, half.y + 0.5 * w);
    let sides = [
        (Side::Bottom, plate, [0.0, 0.0, -0.5 * w]),
        (Side::MinusX, across_x, [-x, 0.0, half.z]),
        (Side::PlusX, across_x, [x, 0.0, half.z]),
        (Side::MinusY, across_y, [0.0, -y, half.z]),
        (Side::PlusY, across_y, [0.0, y, half.z]),
        (Side::Top, plate, [0.0, 0.0, size.z + 0.5 * w]),
    ];
    let closed = sides.into_iter().filter(|(side, ..)| make.closed(*side));
    closed
        .map(|(_, half, center)| Ok((Pose::at(center), Shape::box_of(half)?)))
        .collect()
}

fn round_walls(profile: &[[f64; 2]], make: &WallSpec) -> Walls {
    let mut walls = Vec::new();
    let w = make.thickness;
    let outer = outside(profile, w);
    for (side, end, sign) in [(Side::Bottom, 0, -1.0), (Side::Top, profile.len() - 1, 1.0)] {
        if make.closed(side) {
            let [radius, z] = profile[end];
            let plate = Shape::cylinder(radius.max(outer[end][0]), 0.5 * w)?;
            walls.push((Pose::at([0.0, 0.0, z + sign * 0.5 * w]), plate));
        }
    }
    // Walls touch the circle from without: the inside is at least as wide as it was given.
    let slope = (PI / make.segments as f64).tan();
    for (inner, outer) in profile.windows(2).zip(outer.windows(2)) {
        let upright = inner[0][0] == inner[1][0];
        let (center, shape) = if upright {
            let [radius, bottom] = inner[0];
            let half_height = 0.5 * (inner[1][1] - bottom);
            // Beyond the corners the inner face lies behind those of its neighbours.
            let half = DVec3::new(0.5 * w, (radius + w) * slope, half_height);
            let center = DVec3::new(radius + 0.5 * w, 0.0, bottom + half_height);
            (center, Shape::box_of(half)?)
        } else {
            let corners = [inner[0], inner[1], outer[0], outer[1]];
            let points = corners.map(|[radius, z]| {
                let y = radius * slope;
                [DVec3::new(radius, -y, z), DVec3::new(radius, y, z)]
            });
            (DVec3::ZERO, Shape::hull(&points.concat())?)
        };
        for segment in 0..make.segments {
            let angle = 2.0 * PI * segment as f64 / make.segments as f64;
            let rotation = DQuat::from_rotation_z(angle);
            let position = rotation * center;
            walls.push((Pose { position, rotation }, shape.clone()));
        }
    }
    Ok(walls)
}

/// The outer corners of walls: the inner ones moved by the thickness. At a bend along its bisector,
/// so that no wall's corner sticks out into the inside; at the ends level, so that they are cut
/// flat.
fn outside(profile: &[[f64; 2]], thickness: f64) -> Vec<[f64; 2]> {
    // Outward normal of a section in the plane of radius and z.
    let normal = |section: &[[f64; 2]]| {
        let (dr, dz) = (section[1][0] - section[0][0], section[1][1] - section[0][1]);
        let length = dr.hypot(dz);
        [dz / length, -dr / length]
    };
    let normals: Vec<_> = profile.windows(2).map(normal).collect();
    let mut outer = Vec::with_capacity(profile.len());
    for (index, [radius, z]) in profile.iter().enumerate() {
        let before = index.checked_sub(1).map(|i| normals[i]);
        let shift = match (before, normals.get(index)) {
            (Some(a), Some(b)) => {
                // Bisector, stretched to keep the thickness, but not without bound.
                let share = (1.0 + a[0] * b[0] + a[1] * b[1]).max(0.3);
                [(a[0] + b[0]) / share, (a[1] + b[1]) / share]
            }
            (Some(n), None) | (None, Some(&n)) if n[0] > 0.3 => [1.0 / n[0], 0.0],
            (Some(n), None) | (None, Some(&n)) => n,
            (None, None) => [1.0, 0.0],
        };
        outer.push([
            (radius + thickness * shift[0]).max(*radius * 0.5),
            z + thickness * shift[1],
        ]);
    }
    outer
}
