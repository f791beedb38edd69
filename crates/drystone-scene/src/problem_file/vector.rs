//! Vectors in files: warm starts and solutions.
//!
//! Read by content: NumPy array (one or two dimensions, row after row), HDF5 (`/solution/r`, then
//! `/solution/l`) or text (numbers apart by blanks, commas or line ends; `#` begins a comment).
//! Written by extension: `.npy`, `.hdf5` or `.h5`, otherwise text with a number a line.

use std::fmt::Write as _;
use std::path::Path;

use hdf5_pure::FileBuilder;

use super::atomic::write_atomically;
use super::error::{Fault, FileError, expect_finite};
use super::fclib::FclibSolution;
use super::hdf5::{Tree, finish, is_hdf5};
use super::npy::{self, Array};

/// Reads a vector of finite numbers.
pub fn read_vector(path: impl AsRef<Path>) -> Result<Vec<f64>, FileError> {
    let path = path.as_ref();
    std::fs::read(path)
        .map_err(Fault::Io)
        .and_then(parse_vector)
        .map_err(|fault| fault.of(path))
}

/// Writes a vector, replacing a file that is there. Reading it back gives the same bits.
pub fn write_vector(path: impl AsRef<Path>, values: &[f64]) -> Result<(), FileError> {
    let path = path.as_ref();
    encode(path, values)
        .and_then(|bytes| write_atomically(path, &bytes))
        .map_err(|fault| fault.of(path))
}

/// The vector in the bytes of a file of any of the formats.
pub fn parse_vector(bytes: Vec<u8>) -> Result<Vec<f64>, Fault> {
    let values = if bytes.starts_with(npy::MAGIC) {
        let array = Array::parse(&bytes, "array")?;
        match (array.shape.len(), array.fortran) {
            (1, _) | (2, false) => array.into_reals(),
            (2, true) => {
                let what = "is stored column after column, expected row after row";
                return Err(Fault::unsupported("array", what));
            }
            (dimensions, _) => {
                let what = format!("has {dimensions} dimensions, expected one or two");
                return Err(Fault::unsupported("array", what));
            }
        }
    } else if is_hdf5(&bytes) {
        let tree = Tree::open(bytes)?;
        let mut values = tree.reals("/solution/r")?;
        values.extend(tree.optional_reals("/solution/l")?.unwrap_or_default());
        values
    } else {
        parse_text(&bytes)?
    };
    expect_finite("vector", &values)?;
    Ok(values)
}

fn parse_text(bytes: &[u8]) -> Result<Vec<f64>, Fault> {
    let text = std::str::from_utf8(bytes).map_err(|_| {
        Fault::UnknownFormat("neither a NumPy array, nor HDF5, nor text with numbers".to_owned())
    })?;
    let mut values = Vec::new();
    for (line, content) in text.lines().enumerate() {
        let numbers = content.split('#').next().unwrap_or_default();
        let words = numbers.split([' ', '\t', ',', ';', '\r']);
        for word in words.filter(|w| !w.is_empty()) {
            let value = word.parse::<f64>().map_err(|_| {
                let what = format!("{word:?} is not a number");
                Fault::malformed(format!("line {}", line + 1), what)
            })?;
            values.push(value);
        }
    }
    Ok(values)
}

fn encode(path: &Path, values: &[f64]) -> Result<Vec<u8>, Fault> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("npy") => Ok(npy::encode_vector(values)),
        Some("hdf5" | "h5") => {
            let mut file = FileBuilder::new();
            let mut group = file.create_group("solution");
            FclibSolution::from_impulses(values, values.len()).put(&mut group);
            file.add_group(group.finish());
            finish(file)
        }
        _ => {
            let mut text = String::new();
            for value in values {
                writeln!(text, "{value:e}").expect("writing to a string cannot fail");
            }
            Ok(text.into_bytes())
        }
    }
}
