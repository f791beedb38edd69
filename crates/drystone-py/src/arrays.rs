//! Numpy arrays in and out, checked.

use glam::{DQuat, DVec3};
use numpy::{
    AllowTypeChange, PyArray1, PyArray2, PyArrayLike1, PyArrayLike2, PyArrayMethods,
    PyUntypedArrayMethods,
};
use pyo3::prelude::*;

use crate::error::value_error;

/// Rows of three numbers, of any type and layout that numpy turns into doubles. `rows` is how many
/// there must be; one row serves for all.
pub fn vectors(what: &str, given: &Bound<'_, PyAny>, rows: usize) -> PyResult<Vec<DVec3>> {
    let flat = table(what, given, rows, 3)?;
    Ok(flat.chunks_exact(3).map(DVec3::from_slice).collect())
}

/// Quaternions `[w, x, y, z]` of any length but zero.
pub fn quaternions(what: &str, given: &Bound<'_, PyAny>, rows: usize) -> PyResult<Vec<DQuat>> {
    let flat = table(what, given, rows, 4)?;
    let unit = |(row, q): (usize, &[f64])| {
        let turned = DQuat::from_xyzw(q[1], q[2], q[3], q[0]);
        let length = turned.length();
        if length.is_finite() && length > 1e-100 {
            return Ok(turned / length);
        }
        Err(value_error(format!(
            "{what}, row {row}: {q:?} is not a quaternion [w, x, y, z] that turns"
        )))
    };
    flat.chunks_exact(4).enumerate().map(unit).collect()
}

/// Numbers, one a row; one number serves for all.
pub fn numbers(what: &str, given: &Bound<'_, PyAny>, rows: usize) -> PyResult<Vec<f64>> {
    if let Ok(one) = given.extract::<f64>() {
        finite(what, &[one], 1)?;
        return Ok(vec![one; rows]);
    }
    let list = list(what, given)?;
    if list.len() != rows {
        return Err(value_error(format!(
            "{what} has {} numbers, expected {rows}, or one for all",
            list.len()
        )));
    }
    finite(what, &list, 1)?;
    Ok(list)
}

/// Refuses complex numbers, whose imaginary parts numpy would drop with a warning.
fn is_real(given: &Bound<'_, PyAny>) -> bool {
    let kind = given
        .getattr("dtype")
        .and_then(|dtype| dtype.getattr("kind"));
    let kind = kind.and_then(|kind| kind.extract::<String>());
    !kind.is_ok_and(|kind| kind == "c")
}

/// A flat list of numbers, which may be infinite.
pub fn list(what: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    if !is_real(given) {
        return Err(unfit(what, given, "a list of numbers"));
    }
    let array: PyArrayLike1<'_, f64, AllowTypeChange> = given
        .extract()
        .map_err(|_| unfit(what, given, "a list of numbers"))?;
    Ok(array.as_array().iter().copied().collect())
}

/// A table of numbers with so many columns, row after row, and its number of rows.
pub fn rows_of(what: &str, given: &Bound<'_, PyAny>, columns: usize) -> PyResult<Vec<f64>> {
    let expected = format!("an array of n x {columns} numbers");
    if !is_real(given) {
        return Err(unfit(what, given, &expected));
    }
    let array: PyArrayLike2<'_, f64, AllowTypeChange> =
        given.extract().map_err(|_| unfit(what, given, &expected))?;
    if array.shape()[1] != columns {
        return Err(unfit(what, given, &expected));
    }
    let flat: Vec<f64> = array.as_array().iter().copied().collect();
    finite(what, &flat, columns)?;
    Ok(flat)
}

fn table(what: &str, given: &Bound<'_, PyAny>, rows: usize, columns: usize) -> PyResult<Vec<f64>> {
    let expected = format!("an array of {rows} x {columns} numbers, or of {columns} for all");
    if !is_real(given) {
        return Err(unfit(what, given, &expected));
    }
    let one: Result<PyArrayLike1<'_, f64, AllowTypeChange>, _> = given.extract();
    if let Ok(one) = one {
        let one: Vec<f64> = one.as_array().iter().copied().collect();
        if one.len() != columns {
            return Err(unfit(what, given, &expected));
        }
        finite(what, &one, columns)?;
        return Ok(one.repeat(rows));
    }
    let array: PyArrayLike2<'_, f64, AllowTypeChange> =
        given.extract().map_err(|_| unfit(what, given, &expected))?;
    if array.shape() != [rows, columns] {
        return Err(unfit(what, given, &expected));
    }
    let flat: Vec<f64> = array.as_array().iter().copied().collect();
    finite(what, &flat, columns)?;
    Ok(flat)
}

fn finite(what: &str, values: &[f64], columns: usize) -> PyResult<()> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(at) => Err(value_error(format!(
            "{what}, row {}: {} is not a finite number",
            at / columns,
            values[at]
        ))),
    }
}

/// The error of something that is not the array it should be: says what it is.
fn unfit(what: &str, given: &Bound<'_, PyAny>, expected: &str) -> PyErr {
    let name = given.get_type().name();
    let name = name.map_or_else(|_| "something".to_owned(), |name| name.to_string());
    let shape = given.getattr("shape").and_then(|s| s.str());
    let kind = given.getattr("dtype").and_then(|s| s.str());
    let found = match (shape, kind) {
        (Ok(shape), Ok(kind)) => format!("{name} of shape {shape} and type {kind}"),
        _ => name,
    };
    value_error(format!("{what}: found {found}, expected {expected}"))
}

/// Three numbers.
pub fn vector(what: &str, given: &Bound<'_, PyAny>) -> PyResult<DVec3> {
    Ok(vectors(what, given, 1)?[0])
}

/// Vectors as an array of `n x 3`.
pub fn of_vectors(
    py: Python<'_>,
    vectors: impl Iterator<Item = DVec3>,
) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let flat: Vec<f64> = vectors.flat_map(|v| v.to_array()).collect();
    of_rows(py, flat, 3)
}

/// Rows one after the other as an array of `n x columns`.
pub fn of_rows(
    py: Python<'_>,
    flat: Vec<f64>,
    columns: usize,
) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let rows = flat.len() / columns;
    PyArray1::from_vec(py, flat).reshape([rows, columns])
}
