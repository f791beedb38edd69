//! Numpy arrays in and out, checked.

use glam::{DQuat, DVec3};
use numpy::{
    PyArray1, PyArray2, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods,
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

/// A flat list of numbers, which may be infinite.
pub fn list(what: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let array = doubles(given).filter(|array| array.ndim() == 1);
    let array = array.ok_or_else(|| unfit(what, given, "a list of numbers"))?;
    Ok(flat(&array))
}

/// A table of numbers with so many columns, row after row.
pub fn rows_of(what: &str, given: &Bound<'_, PyAny>, columns: usize) -> PyResult<Vec<f64>> {
    let fits =
        |array: &PyReadonlyArrayDyn<'_, f64>| matches!(array.shape(), [_, c] if *c == columns);
    let array = doubles(given).filter(fits);
    let expected = || format!("an array of n x {columns} numbers");
    let array = array.ok_or_else(|| unfit(what, given, &expected()))?;
    let flat = flat(&array);
    finite(what, &flat, columns)?;
    Ok(flat)
}

/// A grid of numbers, row after row, with its numbers of rows and columns.
pub fn grid(what: &str, given: &Bound<'_, PyAny>) -> PyResult<(Vec<f64>, [usize; 2])> {
    let array = doubles(given).ok_or_else(|| unfit(what, given, "an array of rows and columns"))?;
    let &[rows, columns] = array.shape() else {
        return Err(unfit(what, given, "an array of rows and columns"));
    };
    Ok((flat(&array), [rows, columns]))
}

/// So many rows, or one that serves for all.
fn table(what: &str, given: &Bound<'_, PyAny>, rows: usize, columns: usize) -> PyResult<Vec<f64>> {
    let expected = || format!("an array of {rows} x {columns} numbers, or of {columns} for all");
    let array = doubles(given).ok_or_else(|| unfit(what, given, &expected()))?;
    let flat = flat(&array);
    match *array.shape() {
        [c] if c == columns => {
            finite(what, &flat, columns)?;
            Ok(flat.repeat(rows))
        }
        [r, c] if [r, c] == [rows, columns] => {
            finite(what, &flat, columns)?;
            Ok(flat)
        }
        _ => Err(unfit(what, given, &expected())),
    }
}

/// Anything that numpy makes an array of real numbers from, as doubles. Refused are complex
/// numbers, whose imaginary parts would be lost, text, dates and records, which numpy would turn
/// into some number, and values that are masked.
fn doubles<'py>(given: &Bound<'py, PyAny>) -> Option<PyReadonlyArrayDyn<'py, f64>> {
    let numpy = given.py().import("numpy").ok()?;
    // What is masked has no value; numpy would take what lies below the mask.
    if given.hasattr("mask").ok()? {
        let masked = numpy
            .getattr("ma")
            .ok()?
            .call_method1("is_masked", (given,));
        if masked.ok()?.is_truthy().ok()? {
            return None;
        }
    }
    if let Ok(array) = given.cast::<PyArrayDyn<f64>>() {
        return array.try_readonly().ok();
    }
    let array = numpy.call_method1("asarray", (given,)).ok()?;
    let kind = array.getattr("dtype").and_then(|d| d.getattr("kind"));
    let kind: String = kind.and_then(|kind| kind.extract()).ok()?;
    // Numbers of Python that numpy has no type for are objects.
    if !["b", "i", "u", "f", "O"].contains(&kind.as_str()) {
        return None;
    }
    let array = array.call_method1("astype", ("float64",)).ok()?;
    array.cast::<PyArrayDyn<f64>>().ok()?.try_readonly().ok()
}

/// The numbers of an array of any layout, row after row.
fn flat(array: &PyReadonlyArrayDyn<'_, f64>) -> Vec<f64> {
    // A slice of an array whose columns come first would have the numbers in that order.
    match array.as_slice() {
        Ok(slice) if array.is_c_contiguous() => slice.to_vec(),
        Ok(_) | Err(_) => array.as_array().iter().copied().collect(),
    }
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
