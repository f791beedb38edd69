//! NumPy's array files: just the numeric types and shapes that problems and solutions come in.

use super::error::Fault;

/// How every array file begins.
pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// Numbers of an array, widened.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Numbers {
    Reals(Vec<f64>),
    Integers(Vec<i64>),
}

/// An array in the order of its elements in the file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Array {
    pub(super) shape: Vec<usize>,
    pub(super) fortran: bool,
    pub(super) numbers: Numbers,
}

impl Array {
    /// Parses the bytes of a file; `place` names it in faults.
    pub(super) fn parse(bytes: &[u8], place: &str) -> Result<Self, Fault> {
        let (header, data) = split_header(bytes).ok_or_else(|| {
            Fault::malformed(place, "does not begin with the header of a NumPy array")
        })?;
        let item = |key: &str| {
            value_of(header, key)
                .ok_or_else(|| Fault::malformed(place, format!("the header has no '{key}'")))
        };
        let fortran = match item("fortran_order")? {
            v if v.starts_with("False") => false,
            v if v.starts_with("True") => true,
            _ => {
                return Err(Fault::malformed(
                    place,
                    "fortran_order is not True or False",
                ));
            }
        };
        let shape = parse_shape(item("shape")?)
            .ok_or_else(|| Fault::malformed(place, "the header's shape is not a tuple of sizes"))?;
        let descr = item("descr")?.trim_start_matches(['\'', '"']);
        let descr = descr.split(['\'', '"']).next().unwrap_or_default();
        let kind = Kind::of(descr).ok_or_else(|| {
            let what = format!("holds elements of type {descr:?}, expected little-endian numbers");
            Fault::unsupported(place, what)
        })?;
        let claimed = shape.iter().try_fold(kind.size(), |n, &d| n.checked_mul(d));
        if claimed != Some(data.len()) {
            let what = format!(
                "claims a shape of {shape:?}, but {} bytes of {descr} follow",
                data.len()
            );
            return Err(Fault::malformed(place, what));
        }
        Ok(Self {
            shape,
            fortran,
            numbers: kind.decode(data),
        })
    }

    /// As real numbers, whatever the type.
    pub(super) fn into_reals(self) -> Vec<f64> {
        match self.numbers {
            Numbers::Reals(values) => values,
            Numbers::Integers(values) => values.into_iter().map(|v| v as f64).collect(),
        }
    }
}

/// A vector as array file.
pub(super) fn encode_vector(values: &[f64]) -> Vec<u8> {
    let dict = format!(
        "{{'descr': '<f8', 'fortran_order': False, 'shape': ({},), }}",
        values.len()
    );
    // Magic, version and length take 10 bytes; the data must begin at a multiple of 64.
    let total = (10 + dict.len() + 1).next_multiple_of(64);
    let mut bytes = [MAGIC, &[1, 0], &((total - 10) as u16).to_le_bytes()].concat();
    bytes.extend_from_slice(dict.as_bytes());
    bytes.resize(total - 1, b' ');
    bytes.push(b'\n');
    bytes.extend(values.iter().flat_map(|v| v.to_le_bytes()));
    bytes
}

fn split_header(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (version, rest) = rest.split_at_checked(2)?;
    let (length, rest) = match version[0] {
        1 => {
            let (length, rest) = rest.split_first_chunk::<2>()?;
            (usize::from(u16::from_le_bytes(*length)), rest)
        }
        2 | 3 => {
            let (length, rest) = rest.split_first_chunk::<4>()?;
            (usize::try_from(u32::from_le_bytes(*length)).ok()?, rest)
        }
        _ => return None,
    };
    let (header, data) = rest.split_at_checked(length)?;
    Some((std::str::from_utf8(header).ok()?, data))
}

/// What follows `'key':` in the header's dictionary.
fn value_of<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let at = header.find(&format!("'{key}'"))? + key.len() + 2;
    Some(header[at..].trim_start().strip_prefix(':')?.trim_start())
}

fn parse_shape(value: &str) -> Option<Vec<usize>> {
    let inside = value.strip_prefix('(')?.split_once(')')?.0;
    let sizes = inside.split(',').map(str::trim).filter(|s| !s.is_empty());
    sizes.map(|s| s.parse().ok()).collect()
}

#[derive(Clone, Copy)]
enum Kind {
    F64,
    F32,
    I64,
    I32,
    I16,
    I8,
    U32,
    U16,
    U8,
}

impl Kind {
    fn of(descr: &str) -> Option<Self> {
        Some(match descr {
            "<f8" => Self::F64,
            "<f4" => Self::F32,
            "<i8" => Self::I64,
            "<i4" => Self::I32,
            "<i2" => Self::I16,
            "|i1" => Self::I8,
            "<u4" => Self::U32,
            "<u2" => Self::U16,
            "|u1" => Self::U8,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::F64 | Self::I64 => 8,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::I16 | Self::U16 => 2,
            Self::I8 | Self::U8 => 1,
        }
    }

    fn decode(self, data: &[u8]) -> Numbers {
        match self {
            Self::F64 => Numbers::Reals(each(data, f64::from_le_bytes)),
            Self::F32 => Numbers::Reals(each(data, |b| f64::from(f32::from_le_bytes(b)))),
            Self::I64 => Numbers::Integers(each(data, i64::from_le_bytes)),
            Self::I32 => Numbers::Integers(each(data, |b| i64::from(i32::from_le_bytes(b)))),
            Self::I16 => Numbers::Integers(each(data, |b| i64::from(i16::from_le_bytes(b)))),
            Self::I8 => Numbers::Integers(each(data, |b| i64::from(i8::from_le_bytes(b)))),
            Self::U32 => Numbers::Integers(each(data, |b| i64::from(u32::from_le_bytes(b)))),
            Self::U16 => Numbers::Integers(each(data, |b| i64::from(u16::from_le_bytes(b)))),
            Self::U8 => Numbers::Integers(each(data, |b: [u8; 1]| i64::from(b[0]))),
        }
    }
}

fn each<const N: usize, T>(data: &[u8], convert: impl Fn([u8; N]) -> T) -> Vec<T> {
    data.as_chunks::<N>()
        .0
        .iter()
        .map(|&b| convert(b))
        .collect()
}
