//! Fills: many grains at once.

use drystone::Pose;
use drystone::body::DEFAULT_DENSITY;
use glam::{DQuat, DVec3};

use super::error::{FaultKind, Slip};
use super::model::{GrainWeight, GrainsSpec, Inside, MaterialSpec, Surface};
use super::reader::{Reader, Value};
use super::{placement, shape, surface};
use crate::packing::{
    Amount, Arrangement, FillSpec, Lattice, MOST_GRAINS, Orientation, Region, SieveRow, Sizes,
    Template,
};

pub(crate) fn read(
    reader: &Reader<'_>,
    materials: &[MaterialSpec],
    insides: &[Inside],
) -> Result<GrainsSpec, Slip> {
    let material = surface::material(reader, materials)?;
    let material_spec = material.map(|m| &materials[m]);
    let density = reader
        .positive("density")?
        .or(material_spec.and_then(|m| m.density))
        .unwrap_or(DEFAULT_DENSITY);
    let weight = match reader.positive("mass")? {
        Some(_) if reader.has("density") => {
            return Err(reader.conflict("density", "both `mass` and `density`: leave one out"));
        }
        Some(mass) => GrainWeight::Mass(mass),
        None => GrainWeight::Density(density),
    };
    let (region, frame) = region(reader, insides)?;
    Ok(GrainsSpec {
        name: reader.text("name")?.unwrap_or_else(|| "grains".to_owned()),
        spec: FillSpec {
            region,
            arrangement: arrangement(reader)?,
            amount: amount(reader, density)?,
            templates: templates(reader)?,
            obstacles: Vec::new(),
            seed: reader.integer("seed")?.unwrap_or(1),
        },
        frame,
        material,
        weight,
        velocity: reader.vector("velocity")?.unwrap_or_default(),
        angular_velocity: reader.vector("angular_velocity")?.unwrap_or_default(),
        look: surface::look(reader, material_spec, Surface::Solid)?,
        place: reader.place(),
    })
}

fn templates(reader: &Reader<'_>) -> Result<Vec<Template>, Slip> {
    let sizes = reader.table("sizes")?.map(|t| sizes(&t)).transpose()?;
    let orientation = orientation(reader)?;
    let template = |shape, sizes: Option<Sizes>, weight| Template {
        shape,
        sizes: sizes.unwrap_or(Sizes::AsShaped),
        weight,
        orientation,
    };
    match (reader.has("shape"), reader.has("mix")) {
        (true, true) => Err(reader.conflict("mix", "both `shape` and `mix`: leave one out")),
        (true, false) => Ok(vec![template(shape::read_key(reader)?, sizes, 1.0)]),
        (false, true) => {
            let kinds = reader.list("mix", |value| {
                let kind = value.table()?;
                let own = kind.table("sizes")?.map(|t| self::sizes(&t)).transpose()?;
                let share = kind.positive("share")?.unwrap_or(1.0);
                Ok(template(
                    shape::read_key(&kind)?,
                    own.or_else(|| sizes.clone()),
                    share,
                ))
            })?;
            reader.need("mix", kinds)
        }
        (false, false) => reader.need("shape", None),
    }
}

fn orientation(reader: &Reader<'_>) -> Result<Orientation, Slip> {
    match reader.value("orientation") {
        None => Ok(Orientation::Random),
        Some(value) if value.item.get_ref().is_str() => {
            if value.text()? == "random" {
                return Ok(Orientation::Random);
            }
            Err(value.slip(FaultKind::Type {
                found: format!("\"{}\"", value.text()?),
                expected: value.form.words(),
            }))
        }
        Some(value) => placement::rotation(&value).map(Orientation::Fixed),
    }
}

fn arrangement(reader: &Reader<'_>) -> Result<Arrangement, Slip> {
    let kind = match reader.choice("lattice")? {
        Some("face_centred") => Lattice::FaceCentred,
        _ => Lattice::SimpleCubic,
    };
    let spacing = reader.number("spacing")?.unwrap_or(1.02);
    let jitter = reader.number("jitter")?.unwrap_or(0.0);
    let name = reader.choice("arrangement")?.unwrap_or("lattice");
    if name != "lattice" {
        let useless = ["lattice", "spacing", "jitter"];
        if let Some(key) = useless.into_iter().find(|key| reader.has(key)) {
            let words = format!("`{key}` is for arrangement = \"lattice\", found \"{name}\"");
            return Err(reader.conflict(key, words));
        }
    }
    Ok(match name {
        "random" => Arrangement::Random,
        "rain" => Arrangement::Rain,
        _ => Arrangement::Lattice {
            kind,
            spacing,
            jitter,
        },
    })
}

fn amount(reader: &Reader<'_>, density: f64) -> Result<Amount, Slip> {
    let given: Vec<_> = ["count", "fraction", "total_mass"]
        .into_iter()
        .filter(|key| reader.has(key))
        .collect();
    match given[..] {
        [] => reader.need("count", None),
        ["count"] => {
            let count = reader.integer("count")?.unwrap_or(0);
            match usize::try_from(count) {
                Ok(count) if count <= MOST_GRAINS => Ok(Amount::Count(count)),
                _ => {
                    let expected = format!("at most {MOST_GRAINS} grains");
                    Err(reader.out_of_range("count", count, &expected))
                }
            }
        }
        ["fraction"] => Ok(Amount::SolidFraction {
            fraction: reader.need_number("fraction")?,
        }),
        ["total_mass"] if reader.has("mass") => {
            let words = "`total_mass` goes with `density`, not with `mass`; give a `count`";
            Err(reader.conflict("total_mass", words))
        }
        ["total_mass"] => Ok(Amount::Mass {
            mass: reader.need_number("total_mass")?,
            density,
        }),
        _ => {
            let words = "more than one of `count`, `fraction` and `total_mass`: keep one";
            Err(reader.conflict(given[1], words))
        }
    }
}

/// The region, and the frame that its coordinates are in.
fn region(reader: &Reader<'_>, insides: &[Inside]) -> Result<(Region, Pose), Slip> {
    let name = reader.text("container")?;
    match (reader.table("region")?, name) {
        (Some(_), Some(_)) => {
            let words = "both `region` and `container`: leave one out";
            Err(reader.conflict("container", words))
        }
        (Some(table), None) => Ok((read_region(&table)?, Pose::IDENTITY)),
        (None, None) => reader.need("region", None),
        (None, Some(name)) => {
            let Some(inside) = insides.iter().find(|i| i.name == name) else {
                let known = insides.iter().map(|i| i.name.as_str());
                return Err(reader.unknown_name("container", "container", &name, known));
            };
            let Some(region) = inside.region else {
                let words = format!(
                    "the container `{name}` is neither a box, a cylinder nor a funnel: give a `region`"
                );
                return Err(reader.conflict("container", words));
            };
            Ok(upright(region, inside.frame))
        }
    }
}

/// Moves the region itself where the container is not turned: grains then lie the same as in a region given by hand.
fn upright(region: Region, frame: Pose) -> (Region, Pose) {
    if frame.rotation != DQuat::IDENTITY {
        return (region, frame);
    }
    let by = frame.position;
    let moved = match region {
        Region::Box { min, max } => Region::box_between(min + by, max + by),
        Region::Cylinder {
            base,
            axis,
            radius,
            height,
        } => Region::Cylinder {
            base: base + by,
            axis,
            radius,
            height,
        },
        Region::Sphere { center, radius } => Region::sphere(center + by, radius),
        Region::Frustum {
            base,
            axis,
            bottom_radius,
            top_radius,
            height,
        } => Region::Frustum {
            base: base + by,
            axis,
            bottom_radius,
            top_radius,
            height,
        },
    };
    (moved, Pose::IDENTITY)
}

fn read_region(reader: &Reader<'_>) -> Result<Region, Slip> {
    let axis = |reader: &Reader<'_>| Ok(reader.direction("axis")?.unwrap_or(DVec3::Z));
    let region = match reader.kind() {
        "box" => Region::box_between(reader.need_vector("min")?, reader.need_vector("max")?),
        "sphere" => Region::sphere(reader.need_vector("center")?, reader.need_number("radius")?),
        "cylinder" => Region::Cylinder {
            base: reader.need_vector("base")?,
            axis: axis(reader)?,
            radius: reader.need_number("radius")?,
            height: reader.need_number("height")?,
        },
        _ => Region::Frustum {
            base: reader.need_vector("base")?,
            axis: axis(reader)?,
            bottom_radius: reader.need_number("bottom")?,
            top_radius: reader.need_number("top")?,
            height: reader.need_number("height")?,
        },
    };
    match region.check() {
        Ok(()) => Ok(region),
        Err(error) => Err(Slip::new(
            reader.span.clone(),
            reader.path.clone(),
            FaultKind::Refused(error.to_string()),
        )),
    }
}

fn sizes(reader: &Reader<'_>) -> Result<Sizes, Slip> {
    let number = |key| reader.need_number(key);
    let cut = || Ok(reader.number("cut")?.unwrap_or(2.5));
    Ok(match reader.kind() {
        "fixed" => Sizes::Fixed {
            size: number("size")?,
        },
        "uniform" => Sizes::Uniform {
            min: number("min")?,
            max: number("max")?,
        },
        "normal" => Sizes::Normal {
            mean: number("mean")?,
            deviation: number("deviation")?,
            cut: cut()?,
        },
        "log_normal" => Sizes::LogNormal {
            median: number("median")?,
            deviation: number("deviation")?,
            cut: cut()?,
        },
        "power_law" => Sizes::PowerLaw {
            min: number("min")?,
            max: number("max")?,
            dimension: number("dimension")?,
        },
        "weibull" => Sizes::Weibull {
            scale: number("scale")?,
            shape: number("exponent")?,
            min: number("min")?,
            max: number("max")?,
        },
        "rosin_rammler" => Sizes::RosinRammler {
            scale: number("scale")?,
            shape: number("exponent")?,
            min: number("min")?,
            max: number("max")?,
        },
        _ => {
            let rows = reader.list("rows", sieve_row)?;
            Sizes::Sieve(reader.need("rows", rows)?)
        }
    })
}

fn sieve_row(value: &Value<'_>) -> Result<SieveRow, Slip> {
    let row = value.table()?;
    Ok(SieveRow {
        size: row.need_number("size")?,
        passing: row.need_number("passing")?,
    })
}
