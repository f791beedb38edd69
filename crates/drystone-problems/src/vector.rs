//! Vectors in files: warm starts and solutions.
//!
//! Read by content: NumPy array (one or two dimensions, row after row), HDF5 (`/solution/r`, then
//! `/solution/l`) or text (numbers apart by blanks, commas or line ends; `#` begins a comment).
//! Written by extension ([`VectorFormat::of`]): `.npy`, `.hdf5` or `.h5`, otherwise text with a
//! number a line.

use std::fmt::Write as _;
use std::path::Path;

use hdf5_pure::FileBuilder;

use crate::atomic::write_atomically;

use super::error::{Fault, FileError, expect_finite, expect_length};
use super::extension_of;
use super::fclib::FclibSolution;
use super::hdf5::{Tree, finish, is_hdf5};
use super::npy::{self, Array};

/// How a vector is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorFormat {
    /// NumPy array.
    Npy,
    /// HDF5 in the layout of an FCLIB solution.
    Hdf5,
    /// A number a line.
    Text,
}

impl VectorFormat {
    /// What a file's extension asks for, in upper or lower case.
    pub fn of(path: impl AsRef<Path>) -> Self {
        match extension_of(path.as_ref()).as_str() {
            "npy" => Self::Npy,
            "hdf5" | "h5" => Self::Hdf5,
            _ => Self::Text,
        }
    }
}

/// Reads a vector of finite numbers.
pub fn read_vector(path: impl AsRef<Path>) -> Result<Vec<f64>, FileError> {
    let path = path.as_ref();
    crate::regular::read(path)
        .and_then(parse_vector)
        .map_err(|fault| fault.of(path))
}

/// Writes a vector, replacing a file that is there. Reading it back gives the same bits.
pub fn write_vector(path: impl AsRef<Path>, values: &[f64]) -> Result<(), FileError> {
    let solution = || FclibSolution::from_impulses(values, values.len());
    write(path.as_ref(), values, solution)
}

/// Writes a solution of a cone problem, replacing a file that is there: `gamma` where
/// [`read_vector`] finds the same bits again. HDF5 tells the contacts, `/solution/r`, from the
/// bilateral rows after them, `/solution/l`, and also holds the velocities `N gamma + r` of the
/// contacts, `/solution/u`; the other formats hold `gamma` alone.
///
/// The first `contact_rows` rows are those of the contacts
/// ([`Problem::contact_rows`](super::Problem::contact_rows)).
pub fn write_solution(
    path: impl AsRef<Path>,
    gamma: &[f64],
    velocity: &[f64],
    contact_rows: usize,
) -> Result<(), FileError> {
    let path = path.as_ref();
    expect_length("velocity", velocity.len(), gamma.len()).map_err(|fault| fault.of(path))?;
    let solution = || FclibSolution {
        u: velocity[..contact_rows.min(velocity.len())].to_vec(),
        ..FclibSolution::from_impulses(gamma, contact_rows)
    };
    write(path, gamma, solution)
}

fn write(
    path: &Path,
    values: &[f64],
    solution: impl FnOnce() -> FclibSolution,
) -> Result<(), FileError> {
    let bytes = match VectorFormat::of(path) {
        VectorFormat::Npy => Ok(npy::encode_vector(values)),
        VectorFormat::Hdf5 => encode_hdf5(&solution()),
        VectorFormat::Text => Ok(encode_text(values)),
    };
    bytes
        .and_then(|bytes| Ok(write_atomically(path, &bytes)?))
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
        // Without contacts there is only l.
        match (
            tree.optional_reals("/solution/r")?,
            tree.optional_reals("/solution/l")?,
        ) {
            (None, None) => return Err(Fault::missing("/solution/r", "floating-point numbers")),
            (r, l) => [r.unwrap_or_default(), l.unwrap_or_default()].concat(),
        }
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

fn encode_hdf5(solution: &FclibSolution) -> Result<Vec<u8>, Fault> {
    let mut file = FileBuilder::new();
    let mut group = file.create_group("solution");
    solution.put(&mut group);
    file.add_group(group.finish());
    finish(file)
}

fn encode_text(values: &[f64]) -> Vec<u8> {
    let mut text = String::new();
    for value in values {
        writeln!(text, "{value:e}").expect("writing to a string cannot fail");
    }
    text.into_bytes()
}
