//! Materials, pairs of them, colours and looks.

use super::error::{FaultAt, FaultKind};
use super::model::{BodyLook, Color, MaterialSpec, Opacity, PairSpec};
use super::reader::Reader;
use super::suggest::nearest;
use crate::quote::{quoted, word};
use drystone_ccp::cone::expected_friction;
use drystone_collide::number::Number;

/// The name of the material of bodies without one.
pub(crate) const DEFAULT_MATERIAL: &str = "default";

pub(crate) fn read_material(
    reader: &Reader<'_>,
    known: &[MaterialSpec],
) -> Result<MaterialSpec, FaultAt> {
    let name = reader.need_text("name")?;
    if known.iter().any(|m| m.name == name) {
        let (what, name) = ("material", word(&name));
        return Err(reader.fault("name", FaultKind::Duplicate { what, name }));
    }
    Ok(MaterialSpec {
        name,
        surface: laws(reader, drystone::Surface::default())?,
        density: reader.positive("density")?,
        color: color(reader)?,
        place: reader.place(),
    })
}

pub(crate) fn read_pair(
    reader: &Reader<'_>,
    materials: &[MaterialSpec],
) -> Result<PairSpec, FaultAt> {
    let names: [String; 2] = {
        let names = reader.list_of("materials", |value| value.text())?;
        reader.need("materials", names)?
    };
    let mut indices = [0; 2];
    for (index, name) in indices.iter_mut().zip(&names) {
        *index = find_material(reader, "materials", name, materials)?;
    }
    let [a, b] = indices.map(|m| &materials[m].surface);
    Ok(PairSpec {
        materials: indices,
        surface: laws(reader, drystone::Surface::between(a, b))?,
        place: reader.place(),
    })
}

/// How surfaces act on each other: what is given, else as it was.
fn laws(reader: &Reader<'_>, old: drystone::Surface) -> Result<drystone::Surface, FaultAt> {
    let restitution = reader.not_negative("restitution")?;
    if let Some(value) = restitution.filter(|r| *r > 1.0) {
        return Err(reader.out_of_range("restitution", Number(value), "between 0 and 1"));
    }
    let or = |key, old: f64| Ok::<_, FaultAt>(reader.not_negative(key)?.unwrap_or(old));
    let friction_or = |key, old: f64| {
        let value = or(key, old)?;
        match expected_friction(value) {
            Some(expected) => Err(reader.out_of_range(key, Number(value), expected)),
            None => Ok(value),
        }
    };
    Ok(drystone::Surface {
        friction: friction_or("friction", old.friction)?,
        rolling_friction: friction_or("rolling_friction", old.rolling_friction)?,
        spinning_friction: friction_or("spinning_friction", old.spinning_friction)?,
        cohesion: or("cohesion", old.cohesion)?,
        cohesion_range: reader
            .not_negative("cohesion_range")?
            .or(old.cohesion_range),
        compliance: or("compliance", old.compliance)?,
        restitution: restitution.unwrap_or(old.restitution),
    })
}

fn find_material(
    reader: &Reader<'_>,
    key: &str,
    name: &str,
    materials: &[MaterialSpec],
) -> Result<usize, FaultAt> {
    let known = || materials.iter().map(|m| m.name.as_str());
    known()
        .position(|known| known == name)
        .ok_or_else(|| reader.unknown_name(key, "material", name, known()))
}

/// Index of the material that `material` names, or of the scene's default one; `None` is the
/// world's.
pub(crate) fn material(
    reader: &Reader<'_>,
    materials: &[MaterialSpec],
) -> Result<Option<usize>, FaultAt> {
    material_at(reader, "material", materials)
}

/// The same for another key.
pub(crate) fn material_at(
    reader: &Reader<'_>,
    key: &str,
    materials: &[MaterialSpec],
) -> Result<Option<usize>, FaultAt> {
    match reader.text(key)? {
        Some(name) if name == DEFAULT_MATERIAL => Ok(default_material(materials)),
        Some(name) => find_material(reader, key, &name, materials).map(Some),
        None => Ok(default_material(materials)),
    }
}

fn default_material(materials: &[MaterialSpec]) -> Option<usize> {
    materials.iter().position(|m| m.name == DEFAULT_MATERIAL)
}

/// The look that `look`, `color` and the material give.
pub(crate) fn look(
    reader: &Reader<'_>,
    material: Option<&MaterialSpec>,
    default: Opacity,
) -> Result<BodyLook, FaultAt> {
    let opacity = reader.choice("look")?;
    let own = color(reader)?;
    Ok(BodyLook {
        opacity: opacity.unwrap_or(default),
        color: own.or(material.and_then(|m| m.color)),
    })
}

/// Colours by name: those of grains, walls and machines.
const COLORS: &[(&str, Color)] = &[
    ("white", [245, 245, 245]),
    ("black", [25, 25, 25]),
    ("gray", [140, 140, 140]),
    ("grey", [140, 140, 140]),
    ("silver", [192, 197, 204]),
    ("steel", [110, 125, 145]),
    ("red", [205, 60, 50]),
    ("orange", [230, 135, 45]),
    ("yellow", [240, 205, 75]),
    ("green", [85, 155, 85]),
    ("teal", [50, 140, 140]),
    ("blue", [60, 110, 190]),
    ("navy", [35, 55, 105]),
    ("purple", [125, 85, 160]),
    ("pink", [225, 130, 160]),
    ("brown", [125, 85, 60]),
    ("brick", [170, 85, 65]),
    ("sand", [215, 185, 135]),
    ("stone", [165, 160, 150]),
    ("wood", [185, 140, 95]),
];

fn color(reader: &Reader<'_>) -> Result<Option<Color>, FaultAt> {
    let Some(text) = reader.text("color")? else {
        return Ok(None);
    };
    if let Some(color) = parse_color(&text) {
        return Ok(Some(color));
    }
    let names = || COLORS.iter().map(|(name, _)| *name);
    let listed = names().collect::<Vec<_>>().join(", ");
    let mut fault = reader.fault(
        "color",
        FaultKind::Type {
            found: quoted(&text),
            expected: format!("\"#rrggbb\" or one of {listed}"),
        },
    );
    fault.suggestion = nearest(&text, names());
    Err(fault)
}

fn parse_color(text: &str) -> Option<Color> {
    let Some(digits) = text.strip_prefix('#') else {
        let found = COLORS.iter().find(|(name, _)| *name == text);
        return found.map(|(_, color)| *color);
    };
    if digits.len() != 6 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let [_, r, g, b] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
    Some([r, g, b])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_by_name_and_by_number() {
        assert_eq!(parse_color("#ff8000"), Some([255, 128, 0]));
        assert_eq!(parse_color("white"), Some([245, 245, 245]));
        for wrong in ["#ff80", "#ff80zz", "#+f8000", "", "whitish"] {
            assert_eq!(parse_color(wrong), None, "{wrong}");
        }
    }
}
