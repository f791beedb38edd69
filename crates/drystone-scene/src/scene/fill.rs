//! Fills: many grains at once.

use drystone::Pose;
use drystone::body::DEFAULT_DENSITY;
use glam::{DQuat, DVec3};

use super::error::{FaultAt, FaultKind};
use super::keys::{AmountKey, ArrangementName, OrientationName, RegionType, SizesType};
use super::model::{ContainerInside, GrainWeight, GrainsSpec, MaterialSpec, Opacity};
use super::reader::{Reader, Value};
use super::{placement, shape, surface};
use crate::named::Named;
use crate::packing::{
    Amount, Arrangement, FillSpec, Lattice, MOST_GRAINS, Orientation, Region, SieveRow, Sizes,
    Template,
};
use crate::quote::quoted;

pub(crate) fn read(
    reader: &Reader<'_>,
    materials: &[MaterialSpec],
    insides: &[ContainerInside],
) -> Result<GrainsSpec, FaultAt> {
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
        look: surface::look(reader, material_spec, Opacity::Solid)?,
        place: reader.place(),
    })
}

fn templates(reader: &Reader<'_>) -> Result<Vec<Template>, FaultAt> {
    let sizes = sizes(reader)?;
    let orientation = orientation(reader)?;
    let template = |shape, sizes: Option<Sizes>, weight| Template {
        shape,
        sizes: sizes.unwrap_or(Sizes::AsShaped),
        weight,
        orientation,
    };
    match (reader.has("shape"), reader.has("mix")) {
        (true, true) => Err(reader.conflict("mix", "both `shape` and `mix`: leave one out")),
        (true, false) => {
            let own = shape::read_key(reader)?;
            shape::check_solid(reader, &own)?;
            Ok(vec![template(own, sizes, 1.0)])
        }
        (false, true) => {
            let kinds = reader.list("mix", |value| {
                let kind = value.table()?;
                let own = self::sizes(&kind)?;
                let share = kind.positive("share")?.unwrap_or(1.0);
                let shape = shape::read_key(&kind)?;
                shape::check_solid(&kind, &shape)?;
                Ok(template(shape, own.or_else(|| sizes.clone()), share))
            })?;
            reader.need("mix", kinds)
        }
        (false, false) => reader.need("shape", None),
    }
}

fn orientation(reader: &Reader<'_>) -> Result<Orientation, FaultAt> {
    match reader.value("orientation") {
        None => Ok(Orientation::Random),
        Some(value) if value.item.get_ref().is_str() => {
            let text = value.text()?;
            match OrientationName::from_name(&text) {
                Some(OrientationName::Random) => Ok(Orientation::Random),
                None => Err(value.fault(FaultKind::Type {
                    found: quoted(&text),
                    expected: value.form.words(),
                })),
            }
        }
        Some(value) => placement::rotation(&value).map(Orientation::Fixed),
    }
}

fn arrangement(reader: &Reader<'_>) -> Result<Arrangement, FaultAt> {
    let kind = reader.choice("lattice")?.unwrap_or(Lattice::SimpleCubic);
    let spacing = reader.number("spacing")?.unwrap_or(1.02);
    let jitter = reader.number("jitter")?.unwrap_or(0.0);
    let name = reader.choice("arrangement")?;
    let name = name.unwrap_or(ArrangementName::Lattice);
    if name != ArrangementName::Lattice {
        let useless = ["lattice", "spacing", "jitter"];
        if let Some(key) = useless.into_iter().find(|key| reader.has(key)) {
            let words = format!(
                "`{key}` is for arrangement = \"{}\", found \"{}\"",
                ArrangementName::Lattice.name(),
                name.name()
            );
            return Err(reader.conflict(key, words));
        }
    }
    Ok(match name {
        ArrangementName::Random => Arrangement::Random,
        ArrangementName::Rain => Arrangement::Rain,
        ArrangementName::Lattice => Arrangement::Lattice {
            kind,
            spacing,
            jitter,
        },
    })
}

fn amount(reader: &Reader<'_>, density: f64) -> Result<Amount, FaultAt> {
    let given = AmountKey::ALL.iter().filter(|key| reader.has(key.name()));
    let given: Vec<_> = given.copied().collect();
    let key = match given[..] {
        [] => return reader.need(AmountKey::Count.name(), None),
        [key] => key,
        [_, second, ..] => {
            let words = "more than one of `count`, `fraction` and `total_mass`: keep one";
            return Err(reader.conflict(second.name(), words));
        }
    };
    match key {
        AmountKey::Count => {
            let count = reader.integer("count")?.unwrap_or(0);
            match usize::try_from(count) {
                Ok(count) if count <= MOST_GRAINS => Ok(Amount::Count(count)),
                _ => {
                    let expected = format!("at most {MOST_GRAINS} grains");
                    Err(reader.out_of_range("count", count, &expected))
                }
            }
        }
        AmountKey::Fraction => Ok(Amount::SolidFraction {
            fraction: reader.need_number("fraction")?,
        }),
        AmountKey::TotalMass if reader.has("mass") => {
            let words = "`total_mass` goes with `density`, not with `mass`; give a `count`";
            Err(reader.conflict("total_mass", words))
        }
        AmountKey::TotalMass => Ok(Amount::Mass {
            mass: reader.need_number("total_mass")?,
            density,
        }),
    }
}

/// The region, and the frame that its coordinates are in.
fn region(reader: &Reader<'_>, insides: &[ContainerInside]) -> Result<(Region, Pose), FaultAt> {
    let name = reader.text("container")?;
    match (reader.typed("region")?, name) {
        (Some(_), Some(_)) => {
            let words = "both `region` and `container`: leave one out";
            Err(reader.conflict("container", words))
        }
        (Some((kind, table)), None) => Ok((read_region(kind, &table)?, Pose::IDENTITY)),
        (None, None) => reader.need("region", None),
        (None, Some(name)) => {
            let Some(inside) = insides.iter().find(|i| i.name == name) else {
                let known = insides.iter().map(|i| i.name.as_str());
                return Err(reader.unknown_name("container", "container", &name, known));
            };
            let Some(region) = inside.region else {
                let words = format!(
                    "the container `{name}` is neither a box, a cylinder nor a funnel: give a \
                     `region`"
                );
                return Err(reader.conflict("container", words));
            };
            Ok(upright(region, inside.frame))
        }
    }
}

/// Moves the region itself where the container is not turned: grains then lie the same as in a
/// region given by hand.
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

fn read_region(kind: RegionType, reader: &Reader<'_>) -> Result<Region, FaultAt> {
    let axis = |reader: &Reader<'_>| Ok(reader.direction("axis")?.unwrap_or(DVec3::Z));
    let region = match kind {
        RegionType::Box => {
            Region::box_between(reader.need_vector("min")?, reader.need_vector("max")?)
        }
        RegionType::Sphere => {
            Region::sphere(reader.need_vector("center")?, reader.need_number("radius")?)
        }
        RegionType::Cylinder => Region::Cylinder {
            base: reader.need_vector("base")?,
            axis: axis(reader)?,
            radius: reader.need_number("radius")?,
            height: reader.need_number("height")?,
        },
        RegionType::Funnel => Region::Frustum {
            base: reader.need_vector("base")?,
            axis: axis(reader)?,
            bottom_radius: reader.need_number("bottom")?,
            top_radius: reader.need_number("top")?,
            height: reader.need_number("height")?,
        },
    };
    match region.check() {
        Ok(()) => Ok(region),
        Err(error) => Err(FaultAt::new(
            reader.span.clone(),
            reader.path.clone(),
            FaultKind::Refused(error.to_string()),
        )),
    }
}

/// The distribution that `sizes` holds.
fn sizes(fill: &Reader<'_>) -> Result<Option<Sizes>, FaultAt> {
    match fill.typed("sizes")? {
        Some((kind, table)) => read_sizes(kind, &table).map(Some),
        None => Ok(None),
    }
}

fn read_sizes(kind: SizesType, reader: &Reader<'_>) -> Result<Sizes, FaultAt> {
    let number = |key| reader.need_number(key);
    let cut = || Ok(reader.number("cut")?.unwrap_or(2.5));
    Ok(match kind {
        SizesType::Fixed => Sizes::Fixed {
            size: number("size")?,
        },
        SizesType::Uniform => Sizes::Uniform {
            min: number("min")?,
            max: number("max")?,
        },
        SizesType::Normal => Sizes::Normal {
            mean: number("mean")?,
            deviation: number("deviation")?,
            cut: cut()?,
        },
        SizesType::LogNormal => Sizes::LogNormal {
            median: number("median")?,
            deviation: number("deviation")?,
            cut: cut()?,
        },
        SizesType::PowerLaw => Sizes::PowerLaw {
            min: number("min")?,
            max: number("max")?,
            dimension: number("dimension")?,
        },
        SizesType::Weibull => Sizes::Weibull {
            scale: number("scale")?,
            shape: number("exponent")?,
            min: number("min")?,
            max: number("max")?,
        },
        SizesType::RosinRammler => Sizes::RosinRammler {
            scale: number("scale")?,
            shape: number("exponent")?,
            min: number("min")?,
            max: number("max")?,
        },
        SizesType::Sieve => {
            let rows = reader.list("rows", sieve_row)?;
            Sizes::Sieve(reader.need("rows", rows)?)
        }
    })
}

fn sieve_row(value: &Value<'_>) -> Result<SieveRow, FaultAt> {
    let row = value.table()?;
    Ok(SieveRow {
        size: row.need_number("size")?,
        passing: row.need_number("passing")?,
    })
}
