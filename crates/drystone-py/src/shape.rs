//! Shapes that a scene's text cannot hold: meshes and height fields from arrays.

use drystone::shape::{Decomposition, HeightField, TriangleMesh};
use glam::DVec3;
use numpy::PyArray2;
use pyo3::prelude::*;

use crate::arrays;
use crate::error::{shape_error, value_error};

/// A shape made from arrays.
#[pyclass(frozen, module = "drystone._core")]
pub struct Shape(pub drystone::Shape);

#[pymethods]
impl Shape {
    /// A triangle mesh; with `pieces` cut into convex pieces, so that it can move.
    #[staticmethod]
    #[pyo3(signature = (vertices, faces, pieces=None))]
    fn mesh(
        vertices: &Bound<'_, PyAny>,
        faces: &Bound<'_, PyAny>,
        pieces: Option<u32>,
    ) -> PyResult<Self> {
        let py = vertices.py();
        let vertices = points("vertices", vertices)?;
        let faces = corners(faces)?;
        let wrong = |error| shape_error(py, &error);
        let mesh = TriangleMesh::new(vertices, faces).map_err(wrong)?;
        let Some(most_pieces) = pieces else {
            return Ok(Self(drystone::Shape::mesh(mesh)));
        };
        let settings = Decomposition {
            most_pieces,
            ..Decomposition::default()
        };
        let shape = py.detach(|| drystone::Shape::decomposed(&mesh, &settings));
        Ok(Self(shape.map_err(wrong)?))
    }

    /// The hull of points.
    #[staticmethod]
    fn hull(points: &Bound<'_, PyAny>) -> PyResult<Self> {
        let hull = drystone::Shape::hull(&self::points("points", points)?);
        Ok(Self(hull.map_err(|e| shape_error(points.py(), &e))?))
    }

    /// Heights on a grid: rows along y, columns along x.
    #[staticmethod]
    fn height_field(heights: &Bound<'_, PyAny>, spacing: [f64; 2]) -> PyResult<Self> {
        let py = heights.py();
        let (flat, [rows, columns]) = arrays::grid("heights", heights)?;
        let field = HeightField::new(columns, rows, spacing, flat);
        let field = field.map_err(|e| shape_error(py, &e))?;
        Ok(Self(drystone::Shape::height_field(field)))
    }

    /// Its kind.
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind()
    }

    /// Its volume, m³; none for what has none.
    #[getter]
    fn volume(&self) -> Option<f64> {
        self.0.volume().ok()
    }

    /// Lower and upper corner of its bounds, m.
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let bounds = self.0.aabb(&drystone::Pose::IDENTITY);
        arrays::of_vectors(py, [bounds.min, bounds.max].into_iter())
    }
}

fn points(what: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<DVec3>> {
    let flat = arrays::rows_of(what, given, 3)?;
    Ok(flat.chunks_exact(3).map(DVec3::from_slice).collect())
}

/// Faces as indices of vertices from 0.
fn corners(given: &Bound<'_, PyAny>) -> PyResult<Vec<[u32; 3]>> {
    let flat = arrays::rows_of("faces", given, 3)?;
    let index = |value: f64| {
        let fits = value >= 0.0 && value <= f64::from(u32::MAX) && value.fract() == 0.0;
        fits.then_some(value as u32)
            .ok_or_else(|| value_error(format!("faces: {value} is not the index of a vertex")))
    };
    flat.chunks_exact(3)
        .map(|face| Ok([index(face[0])?, index(face[1])?, index(face[2])?]))
        .collect()
}
