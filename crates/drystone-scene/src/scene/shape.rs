//! Shapes.

use std::path::PathBuf;

use drystone::shape::{Decomposition, HeightField};
use drystone::{MassProperties, Pose, Shape};

use super::error::{FaultAt, FaultKind};
use super::keys::ShapeType;
use super::reader::{Reader, Value};
use super::{files, placement};
use crate::mesh_file::{self, Import, MeshFileError};

/// Most points of a height field.
const MOST_POINTS: u64 = 4_000_000;
/// Most operations to compute a height field: some seconds.
const MOST_WORK: u64 = 400_000_000;

fn read(kind: ShapeType, reader: &Reader<'_>) -> Result<Shape, FaultAt> {
    let shape = match kind {
        ShapeType::Sphere => Shape::sphere(reader.need_number("radius")?),
        ShapeType::Box => Shape::box_of(0.5 * reader.need_vector("size")?),
        ShapeType::Ellipsoid => Shape::ellipsoid(reader.need_vector("semi_axes")?),
        ShapeType::Cylinder => {
            let (radius, half_height) = radius_and_half_height(reader)?;
            Shape::cylinder(radius, half_height)
        }
        ShapeType::Capsule => {
            let (radius, half_height) = radius_and_half_height(reader)?;
            Shape::capsule(radius, half_height)
        }
        ShapeType::Cone => {
            let (radius, half_height) = radius_and_half_height(reader)?;
            Shape::cone(radius, half_height)
        }
        ShapeType::Plane => Ok(Shape::plane()),
        ShapeType::Hull => return hull(reader),
        ShapeType::Mesh => return mesh(reader),
        ShapeType::HeightField => return height_field(reader),
        ShapeType::Compound => Shape::compound(parts(reader)?),
    };
    shape.map_err(|error| reader.refused(&error))
}

/// The shape that `shape` holds.
pub(crate) fn read_key(reader: &Reader<'_>) -> Result<Shape, FaultAt> {
    let (kind, table) = reader.need_typed("shape")?;
    read(kind, &table)
}

/// Checks that the shape that `shape` holds has a volume where it is a mesh; the fault names the
/// mesh's file and the line in it.
pub(crate) fn check_solid(reader: &Reader<'_>, shape: &Shape) -> Result<(), FaultAt> {
    let Shape::Mesh(mesh) = shape else {
        return Ok(());
    };
    let Err(error) = Shape::Mesh(mesh.clone()).mass_properties(1.0) else {
        return Ok(());
    };
    let (_, table): (ShapeType, _) = reader.need_typed("shape")?;
    let (path, import) = import(&table)?;
    Err(match mesh_file::read_solid(path, &import) {
        Err(error) => unreadable(&table, &error),
        Ok(_) => table.refused(&error),
    })
}

fn radius_and_half_height(reader: &Reader<'_>) -> Result<(f64, f64), FaultAt> {
    Ok((
        reader.need_number("radius")?,
        0.5 * reader.need_number("height")?,
    ))
}

fn hull(reader: &Reader<'_>) -> Result<Shape, FaultAt> {
    let points = reader.list("points", |value| value.vector())?;
    match (points, reader.has("file")) {
        (Some(_), true) => {
            let words = "both `points` and `file`: leave one out";
            Err(reader.conflict("file", words))
        }
        (Some(points), false) => {
            let scale = reader.positive("scale")?.unwrap_or(1.0);
            let points: Vec<_> = points.into_iter().map(|p| scale * p).collect();
            Shape::hull(&points).map_err(|error| reader.refused(&error))
        }
        (None, true) => {
            let (path, import) = import(reader)?;
            let mesh = mesh_file::read_surface(path, &import);
            let mesh = mesh.map_err(|error| unreadable(reader, &error))?;
            Shape::hull(mesh.vertices()).map_err(|error| reader.refused(&error))
        }
        (None, false) => reader.need("points", None),
    }
}

/// The file and what to take from it.
fn import(reader: &Reader<'_>) -> Result<(PathBuf, Import), FaultAt> {
    let path = files::resolve(reader, "file")?;
    let path = reader.need("file", path)?;
    let import = Import {
        scale: reader.positive("scale")?.unwrap_or(1.0),
        object: reader.text("object")?,
    };
    Ok((path, import))
}

fn unreadable(reader: &Reader<'_>, error: &MeshFileError) -> FaultAt {
    reader.fault("file", FaultKind::Refused(error.to_string()))
}

fn mesh(reader: &Reader<'_>) -> Result<Shape, FaultAt> {
    let (path, import) = import(reader)?;
    if !reader.flag("decompose")?.unwrap_or(false) {
        if reader.has("pieces") {
            return Err(reader.conflict("pieces", "`pieces` needs `decompose = true`"));
        }
        let mesh = mesh_file::read_surface(path, &import);
        let mesh = mesh.map_err(|error| unreadable(reader, &error))?;
        return Ok(Shape::mesh(mesh));
    }
    let usual = Decomposition::default();
    let pieces = reader
        .integer("pieces")?
        .unwrap_or(u64::from(usual.most_pieces));
    let most_pieces = match u32::try_from(pieces) {
        Ok(pieces @ 1..=1024) => pieces,
        _ => return Err(reader.out_of_range("pieces", pieces, "1 to 1024")),
    };
    let settings = Decomposition {
        most_pieces,
        ..usual
    };
    let mesh = mesh_file::read_solid(path, &import);
    let mesh = mesh.map_err(|error| unreadable(reader, &error))?;
    Shape::decomposed(&mesh, &settings).map_err(|error| reader.refused(&error))
}

/// The mass properties, for a density of 1, of the mesh whose pieces the shape of a body is; none
/// for other shapes.
pub(crate) fn decomposed_solid(reader: &Reader<'_>) -> Result<Option<MassProperties>, FaultAt> {
    let (kind, table): (ShapeType, _) = reader.need_typed("shape")?;
    if kind != ShapeType::Mesh || !table.flag("decompose")?.unwrap_or(false) {
        return Ok(None);
    }
    let (path, import) = import(&table)?;
    let mesh = mesh_file::read_solid(path, &import);
    let mesh = mesh.map_err(|error| unreadable(&table, &error))?;
    let solid = Shape::mesh(mesh).mass_properties(1.0);
    solid.map(Some).map_err(|error| table.refused(&error))
}

fn height_field(reader: &Reader<'_>) -> Result<Shape, FaultAt> {
    let size = reader.list_of("size", |value| value.number())?;
    let size: [f64; 2] = reader.need("size", size)?;
    let (columns, rows, heights) = match (reader.has("heights"), reader.has("height")) {
        (true, true) => {
            let words = "both `heights` and `height`: leave one out";
            return Err(reader.conflict("height", words));
        }
        (true, false) => listed_heights(reader)?,
        (false, true) => computed_heights(reader, size)?,
        (false, false) => return reader.need("heights", None),
    };
    let spacing = [
        size[0] / (columns.max(2) - 1) as f64,
        size[1] / (rows.max(2) - 1) as f64,
    ];
    HeightField::new(columns, rows, spacing, heights)
        .map(Shape::height_field)
        .map_err(|error| reader.refused(&error))
}

type Heights = (usize, usize, Vec<f64>);

fn listed_heights(reader: &Reader<'_>) -> Result<Heights, FaultAt> {
    let rows = reader.list("heights", |row| row.list(Value::number))?;
    let rows = reader.need("heights", rows)?;
    let columns = rows.first().map_or(0, Vec::len);
    if let Some(row) = rows.iter().position(|row| row.len() != columns) {
        let found = format!("row {row} with {} heights", rows[row].len());
        return Err(reader.out_of_range("heights", found, &format!("one of {columns}")));
    }
    Ok((columns, rows.len(), rows.concat()))
}

fn computed_heights(reader: &Reader<'_>, size: [f64; 2]) -> Result<Heights, FaultAt> {
    let height = reader.function("height")?;
    let height = reader.need("height", height)?;
    let [columns, rows]: [u64; 2] = reader
        .list_of("points", |value| value.integer())?
        .unwrap_or([65, 65]);
    let total = columns.saturating_mul(rows);
    if columns < 2 || rows < 2 || total > MOST_POINTS {
        let expected = format!("at least 2 each and at most {MOST_POINTS} in all");
        return Err(reader.out_of_range("points", format!("{columns} x {rows}"), &expected));
    }
    let work = total.saturating_mul(height.size() as u64);
    if work > MOST_WORK {
        let found = format!("{columns} x {rows}");
        let expected = format!("fewer, so that points times operations are at most {MOST_WORK}");
        return Err(reader.out_of_range("points", found, &expected));
    }
    let mut heights = Vec::with_capacity(total as usize);
    for row in 0..rows {
        let y = size[1] * (row as f64 / (rows - 1) as f64 - 0.5);
        for column in 0..columns {
            let x = size[0] * (column as f64 / (columns - 1) as f64 - 0.5);
            heights.push(height.evaluate(&[x, y]));
        }
    }
    Ok((columns as usize, rows as usize, heights))
}

fn parts(reader: &Reader<'_>) -> Result<Vec<(Pose, Shape)>, FaultAt> {
    let parts = reader.list("parts", |value| {
        let part = value.table()?;
        let (kind, shape) = part.need_typed("shape")?;
        if kind == ShapeType::Compound {
            let kind = FaultKind::Conflict("a compound inside a compound".to_owned());
            return Err(part.fault("shape", kind));
        }
        Ok((placement::pose(&part)?, read(kind, &shape)?))
    })?;
    reader.need("parts", parts)
}
