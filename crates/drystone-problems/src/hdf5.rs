//! HDF5 datasets by path, with every declared size checked before anything is read.

use hdf5_pure::{
    DType, Dataset, Error, File, FileBuilder, FormatError, GroupBuilder, Layout, Superblock,
};

use super::error::{Fault, expect_finite};
use super::limits::unpacked_limit;

/// An HDF5 file held in memory.
pub(super) struct Tree {
    file: File,
    bytes: usize,
}

impl Tree {
    pub(super) fn open(bytes: Vec<u8>) -> Result<Self, Fault> {
        let size = bytes.len();
        let (start, tail) = (signature(&bytes), bytes.iter().rev());
        let padding = tail.take_while(|b| **b == 0).count();
        let file = File::from_bytes(bytes).map_err(|e| library_fault("/", &e))?;
        expect_extent(file.superblock(), start, size, padding)?;
        Ok(Self { file, bytes: size })
    }

    /// Whether a group is there. One that is there but broken is a fault, not an absence: a problem
    /// must not lose its joints to a flipped bit.
    pub(super) fn has_group(&self, path: &str) -> Result<bool, Fault> {
        match self.file.group(path) {
            Ok(_) => Ok(true),
            Err(Error::Format(FormatError::PathNotFound(_))) => Ok(false),
            Err(error) => Err(library_fault(path, &error)),
        }
    }

    /// A dataset of finite floating-point numbers, flattened row-major.
    pub(super) fn reals(&self, path: &str) -> Result<Vec<f64>, Fault> {
        let set = self.dataset(path, "floating-point numbers")?;
        match set.dtype().map_err(|e| library_fault(path, &e))? {
            DType::F64 | DType::F32 => {}
            other => {
                let what = format!("holds {other}, expected floating-point numbers");
                return Err(Fault::malformed(path, what));
            }
        }
        let values = set.read_f64().map_err(|e| library_fault(path, &e))?;
        expect_finite(path, &values)?;
        Ok(values)
    }

    /// The same, or nothing if the dataset is not there.
    pub(super) fn optional_reals(&self, path: &str) -> Result<Option<Vec<f64>>, Fault> {
        match self.reals(path) {
            Ok(values) => Ok(Some(values)),
            Err(Fault::Missing { .. }) => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// A dataset of integers, flattened row-major.
    pub(super) fn integers(&self, path: &str) -> Result<Vec<i64>, Fault> {
        let set = self.dataset(path, "integers")?;
        match set.dtype().map_err(|e| library_fault(path, &e))? {
            DType::I8
            | DType::I16
            | DType::I32
            | DType::I64
            | DType::U8
            | DType::U16
            | DType::U32
            | DType::U64 => {}
            other => {
                let what = format!("holds {other}, expected integers");
                return Err(Fault::malformed(path, what));
            }
        }
        set.read_i64().map_err(|e| library_fault(path, &e))
    }

    /// A dataset of one integer.
    pub(super) fn integer(&self, path: &str) -> Result<i64, Fault> {
        match self.integers(path)?[..] {
            [value] => Ok(value),
            ref other => Err(Fault::length(path, other.len(), 1)),
        }
    }

    /// A dataset of one string without its padding; empty if it is missing or no string.
    pub(super) fn text(&self, path: &str) -> String {
        let Ok(set) = self.dataset(path, "a string") else {
            return String::new();
        };
        // A list of variable-length strings could name one long text many times over.
        let single = set.shape().is_ok_and(|s| s.iter().product::<u64>() == 1);
        if !single {
            return String::new();
        }
        let strings = set.read_string().unwrap_or_default();
        let first = strings.into_iter().next().unwrap_or_default();
        first.trim_matches(['\0', ' ', '\n']).to_owned()
    }

    /// Opens a dataset whose declared size fits into the file.
    fn dataset(&self, path: &str, expected: &'static str) -> Result<Dataset, Fault> {
        let set = self.file.dataset(path).map_err(|e| match e {
            Error::Format(FormatError::PathNotFound(_)) => Fault::missing(path, expected),
            other => library_fault(path, &other),
        })?;
        let shape = set.shape().map_err(|e| library_fault(path, &e))?;
        let element = set.element_size().map_err(|e| library_fault(path, &e))?;
        let (limit, chunk) = match set.layout().map_err(|e| library_fault(path, &e))? {
            Layout::Compact { .. } | Layout::Contiguous { .. } => (self.bytes as u64, vec![]),
            Layout::Chunked { chunk_shape, .. } => (unpacked_limit(self.bytes), chunk_shape),
            _ => {
                let what = "is not stored in this file (a virtual dataset)";
                return Err(Fault::unsupported(path, what));
            }
        };
        for shape in [&shape, &chunk] {
            let claimed = shape.iter().try_fold(element, |n, &d| n.checked_mul(d));
            if claimed.is_none_or(|claimed| claimed > limit) {
                let what = format!(
                    "claims a shape of {shape:?}, which a file of {} bytes cannot hold",
                    self.bytes
                );
                return Err(Fault::malformed(path, what));
            }
        }
        Ok(set)
    }
}

/// Checks where the superblock says that the file begins and ends. Raw data has no checksum: in a
/// file from which bytes are missing, or into which some have come, its numbers are shifted, and
/// nothing else would tell.
///
/// `padding` is how many zeros the file ends with. Zeros beyond the end are harmless: some systems
/// fill the last block of a file with them.
fn expect_extent(
    superblock: &Superblock,
    start: usize,
    size: usize,
    padding: usize,
) -> Result<(), Fault> {
    let fault = |what: String| Err(Fault::malformed("superblock", what));
    let (base, end) = (superblock.base_address.get(), superblock.eof_address);
    if base != start as u64 {
        return fault(format!(
            "says that addresses count from byte {base}, expected {start}, where it stands"
        ));
    }
    let size = size as u64;
    if size < end {
        return fault(format!(
            "says that the file ends at byte {end}, but it has {size} bytes: it is cut short"
        ));
    }
    // Behind a user block the end is counted from its beginning or, by some, from its end.
    let surplus = size - end;
    if surplus > base + padding as u64 {
        return fault(format!(
            "says that the file ends at byte {end}, but it has {size} bytes, and what follows is \
             not padding: bytes have come in"
        ));
    }
    Ok(())
}

/// Where the superblock stands: at the beginning, or at 512 bytes and its doubles behind a block of
/// the user's.
fn signature(bytes: &[u8]) -> usize {
    let is_at = |at: &usize| bytes[*at..].starts_with(&SIGNATURE);
    let doubles = std::iter::successors(Some(512_usize), |at| at.checked_mul(2));
    let places = std::iter::once(0).chain(doubles);
    let mut inside = places.take_while(|at| *at < bytes.len());
    inside.find(is_at).unwrap_or(0)
}

/// How an HDF5 file begins.
const SIGNATURE: [u8; 8] = *b"\x89HDF\r\n\x1a\n";

fn library_fault(place: &str, error: &Error) -> Fault {
    Fault::malformed(place, format!("not readable as HDF5: {error}"))
}

/// Adds a dataset of 32-bit integers, as FCLIB writes them.
pub(super) fn put_integers(group: &mut GroupBuilder, name: &str, values: &[i32]) {
    let set = group.create_dataset(name);
    set.with_i32_data(values).with_shape(&[values.len() as u64]);
}

/// Adds a dataset of numbers.
pub(super) fn put_reals(group: &mut GroupBuilder, name: &str, values: &[f64]) {
    let set = group.create_dataset(name);
    set.with_f64_data(values).with_shape(&[values.len() as u64]);
}

/// Adds a single string.
pub(super) fn put_text(group: &mut GroupBuilder, name: &str, text: &str) -> Result<(), Fault> {
    let set = group.create_dataset(name);
    set.with_strings(&[text])
        .map_err(|e| Fault::malformed(name, e.to_string()))?;
    set.with_shape(&[]);
    Ok(())
}

/// The bytes of a finished file.
pub(super) fn finish(builder: FileBuilder) -> Result<Vec<u8>, Fault> {
    builder
        .finish()
        .map_err(|e| Fault::malformed("/", format!("not writable as HDF5: {e}")))
}

/// Whether the bytes are an HDF5 file.
pub(super) fn is_hdf5(bytes: &[u8]) -> bool {
    hdf5_pure::is_hdf5_bytes(bytes)
}
