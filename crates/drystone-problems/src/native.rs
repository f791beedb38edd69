//! Drystone's own problem file, `.ccp`: any problem of the engine, exact to the bit.
//!
//! Layout, little-endian: magic (8 bytes), version (u32), packing (u32: 0 none, 1 zstd), length of
//! the unpacked content (u64), CRC-32 of the packed content (u32), packed content. The content is a
//! [`Content`] in postcard's encoding.

use std::io::Read;
use std::path::Path;

use drystone_ccp::{BodyInertia, Ccp, Cone, Cones, Csr, NO_BODY, Sparse, TwoBody, TwoBodyBlock};
use serde::{Deserialize, Serialize};

use crate::atomic::write_atomically;

use super::error::{Fault, FileError, expect_finite, expect_length};
use super::limits::unpacked_limit;
use super::{Problem, ProblemFile};

/// How every file begins: not text, and line ends that a careless transfer would change.
pub(super) const MAGIC: &[u8; 8] = b"\x89CCP\r\n\x1a\n";

/// Changes whenever an older reader would misread a newer file.
const VERSION: u32 = 1;

const HEADER: usize = 28;

/// Window of the compression, as a power of two: a forged frame cannot claim more memory than that.
const WINDOW: u32 = 23;

/// A problem to write, without taking it over.
#[derive(Clone, Copy, Debug)]
pub enum ProblemRef<'a> {
    /// N as a sparse matrix.
    Sparse(&'a Ccp<Sparse>),
    /// N from two-body Jacobians.
    TwoBody(&'a Ccp<TwoBody>),
}

impl<'a> From<&'a Ccp<Sparse>> for ProblemRef<'a> {
    fn from(problem: &'a Ccp<Sparse>) -> Self {
        Self::Sparse(problem)
    }
}

impl<'a> From<&'a Ccp<TwoBody>> for ProblemRef<'a> {
    fn from(problem: &'a Ccp<TwoBody>) -> Self {
        Self::TwoBody(problem)
    }
}

impl<'a> From<&'a Problem> for ProblemRef<'a> {
    fn from(problem: &'a Problem) -> Self {
        match problem {
            Problem::Sparse(problem) => Self::Sparse(problem),
            Problem::TwoBody(problem) => Self::TwoBody(problem),
        }
    }
}

/// Writes a `.ccp` file, replacing one that is there.
pub fn write_ccp<'a>(
    path: impl AsRef<Path>,
    title: &str,
    problem: impl Into<ProblemRef<'a>>,
    guess: Option<&[f64]>,
    solution: Option<&[f64]>,
) -> Result<(), FileError> {
    let path = path.as_ref();
    encode(title, problem.into(), guess, solution)
        .and_then(|bytes| Ok(write_atomically(path, &bytes)?))
        .map_err(|fault| fault.of(path))
}

#[derive(Serialize, Deserialize)]
struct Content {
    title: String,
    operator: StoredOperator,
    r: Vec<f64>,
    cones: Vec<StoredCone>,
    guess: Option<Vec<f64>>,
    solution: Option<Vec<f64>>,
}

#[derive(Serialize, Deserialize)]
enum StoredOperator {
    /// Entries a row, then columns and values row after row.
    Sparse {
        counts: Vec<u32>,
        columns: Vec<u64>,
        values: Vec<f64>,
    },
    /// Inverse mass and the nine numbers of the inverse inertia a body; bodies and rows a block;
    /// Jacobian and compliance a row.
    TwoBody {
        bodies: Vec<[f64; 10]>,
        pairs: Vec<[Option<u32>; 2]>,
        rows: Vec<u8>,
        jacobian: Vec<[f64; 12]>,
        compliance: Vec<f64>,
    },
}

#[derive(Serialize, Deserialize)]
enum StoredCone {
    Free(u8),
    NonNegative,
    Interval([f64; 2]),
    Friction([f64; 2]),
    Rolling([f64; 3]),
    RollingSpinning([f64; 4]),
}

fn encode(
    title: &str,
    problem: ProblemRef<'_>,
    guess: Option<&[f64]>,
    solution: Option<&[f64]>,
) -> Result<Vec<u8>, Fault> {
    let (operator, r, cones) = match problem {
        ProblemRef::Sparse(p) => (store_sparse(p.operator().matrix())?, p.r(), p.cones()),
        ProblemRef::TwoBody(p) => (store_two_body(p.operator())?, p.r(), p.cones()),
    };
    for (place, vector) in [("guess", guess), ("solution", solution)] {
        expect_vector(place, vector, r.len())?;
    }
    let content = Content {
        title: title.to_owned(),
        operator,
        r: r.to_vec(),
        cones: cones.as_slice().iter().map(StoredCone::from).collect(),
        guess: guess.map(<[f64]>::to_vec),
        solution: solution.map(<[f64]>::to_vec),
    };
    let plain = postcard::to_allocvec(&content)
        .map_err(|e| Fault::malformed("content", format!("cannot be encoded: {e}")))?;
    // As a stream: packed at once, the window would be the whole content.
    let zstd = zstd::stream::encode_all(&plain[..], 3)?;
    let expands_too_much = plain.len() as u64 > unpacked_limit(zstd.len());
    let (packing, packed): (u32, &[u8]) = match expands_too_much {
        true => (0, &plain),
        false => (1, &zstd),
    };
    let mut bytes = Vec::with_capacity(HEADER + packed.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&packing.to_le_bytes());
    bytes.extend_from_slice(&(plain.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&crc32fast::hash(packed).to_le_bytes());
    bytes.extend_from_slice(packed);
    Ok(bytes)
}

/// Parses the bytes of a `.ccp` file.
pub(super) fn parse(bytes: &[u8]) -> Result<ProblemFile, Fault> {
    let plain = unpack(bytes)?;
    let (content, rest) = postcard::take_from_bytes::<Content>(&plain)
        .map_err(|e| Fault::malformed("content", format!("cannot be decoded: {e}")))?;
    if !rest.is_empty() {
        let what = format!("{} bytes are left over", rest.len());
        return Err(Fault::malformed("content", what));
    }
    let cones = Cones::new(content.cones.iter().map(StoredCone::cone).collect())?;
    let dim = content.r.len();
    expect_vector("guess", content.guess.as_deref(), dim)?;
    expect_vector("solution", content.solution.as_deref(), dim)?;
    let problem = match content.operator {
        StoredOperator::Sparse {
            counts,
            columns,
            values,
        } => {
            expect_length("matrix rows", counts.len(), dim)?;
            let matrix = load_sparse(&counts, &columns, &values)?;
            Problem::Sparse(Ccp::new(Sparse::new(matrix)?, content.r, cones)?)
        }
        StoredOperator::TwoBody {
            bodies,
            pairs,
            rows,
            jacobian,
            compliance,
        } => {
            let blocks = load_blocks(&pairs, &rows, &jacobian, &compliance)?;
            let bodies = bodies.iter().map(load_body).collect();
            Problem::TwoBody(Ccp::new(TwoBody::new(bodies, &blocks)?, content.r, cones)?)
        }
    };
    Ok(ProblemFile {
        title: content.title,
        problem,
        guess: content.guess,
        solution: content.solution,
    })
}

/// Checks the header and the checksum, and unpacks no more than the header claims.
fn unpack(bytes: &[u8]) -> Result<Vec<u8>, Fault> {
    let header = |what: String| Fault::malformed("header", what);
    let Some((head, packed)) = bytes.split_at_checked(HEADER) else {
        return Err(header(format!(
            "{} bytes, expected at least {HEADER}",
            bytes.len()
        )));
    };
    let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    if &head[..8] != MAGIC {
        return Err(header("not the beginning of a .ccp file".to_owned()));
    }
    if word(8) != VERSION {
        let what = format!("version {}, expected {VERSION}", word(8));
        return Err(Fault::unsupported("header", what));
    }
    let checksum = crc32fast::hash(packed);
    if checksum != word(24) {
        let what = format!(
            "{:08x} is noted, the content gives {checksum:08x}",
            word(24)
        );
        return Err(Fault::malformed("checksum", what));
    }
    let length = u64::from(word(16)) | u64::from(word(20)) << 32;
    let most = unpacked_limit(packed.len());
    if length > most {
        let what = format!("claims {length} bytes, expected at most {most} from this file");
        return Err(header(what));
    }
    let plain = match word(12) {
        0 => packed.to_vec(),
        1 => {
            let mut plain = Vec::new();
            let mut stream = zstd::stream::read::Decoder::new(packed)?;
            stream.window_log_max(WINDOW)?;
            stream
                .take(length + 1)
                .read_to_end(&mut plain)
                .map_err(|e| Fault::malformed("content", format!("cannot be unpacked: {e}")))?;
            plain
        }
        other => {
            let what = format!("packing {other}, expected 0 or 1");
            return Err(Fault::unsupported("header", what));
        }
    };
    expect_length("unpacked content", plain.len(), length as usize)?;
    Ok(plain)
}

fn expect_vector(place: &str, vector: Option<&[f64]>, dim: usize) -> Result<(), Fault> {
    let Some(vector) = vector else { return Ok(()) };
    expect_length(place, vector.len(), dim)?;
    expect_finite(place, vector)
}

fn small(place: &str, value: usize) -> Result<u32, Fault> {
    u32::try_from(value)
        .map_err(|_| Fault::unsupported(place, format!("{value} does not fit into 32 bits")))
}

fn store_sparse(matrix: &Csr) -> Result<StoredOperator, Fault> {
    let counts = (0..matrix.rows()).map(|row| small("row", matrix.row(row).0.len()));
    Ok(StoredOperator::Sparse {
        counts: counts.collect::<Result<_, _>>()?,
        columns: matrix.entries().map(|e| e.1 as u64).collect(),
        values: matrix.entries().map(|e| e.2).collect(),
    })
}

fn load_sparse(counts: &[u32], columns: &[u64], values: &[f64]) -> Result<Csr, Fault> {
    let total = counts
        .iter()
        .try_fold(0usize, |n, &c| n.checked_add(c as usize));
    expect_length("matrix columns", columns.len(), total.unwrap_or(usize::MAX))?;
    expect_length("matrix values", values.len(), columns.len())?;
    let rows = counts.iter().enumerate();
    let rows = rows.flat_map(|(row, &count)| std::iter::repeat_n(row, count as usize));
    let entries = rows.zip(columns.iter().zip(values));
    let entries = entries.map(|(i, (&j, &x))| (i, usize::try_from(j).unwrap_or(usize::MAX), x));
    Ok(Csr::from_triplets(counts.len(), counts.len(), entries)?)
}

fn store_two_body(operator: &TwoBody) -> Result<StoredOperator, Fault> {
    let body = |b: &BodyInertia| {
        let mut numbers = [b.inverse_mass; 10];
        numbers[1..].copy_from_slice(b.inverse_inertia.as_flattened());
        numbers
    };
    let blocks = operator.offsets().len() - 1;
    let one = |b: usize| match b {
        NO_BODY => Ok(None),
        b => small("body", b).map(Some),
    };
    let pair = |block: usize| {
        let [a, b] = operator.pair(block);
        Ok([one(a)?, one(b)?])
    };
    Ok(StoredOperator::TwoBody {
        bodies: operator.bodies().iter().map(body).collect(),
        pairs: (0..blocks).map(pair).collect::<Result<_, Fault>>()?,
        rows: (0..blocks).map(|k| operator.block(k).len() as u8).collect(),
        jacobian: operator.jacobian(),
        compliance: operator.compliance(),
    })
}

fn load_body(numbers: &[f64; 10]) -> BodyInertia {
    let [m, a, b, c, d, e, f, g, h, i] = *numbers;
    BodyInertia {
        inverse_mass: m,
        inverse_inertia: [[a, b, c], [d, e, f], [g, h, i]],
    }
}

fn load_blocks(
    pairs: &[[Option<u32>; 2]],
    rows: &[u8],
    jacobian: &[[f64; 12]],
    compliance: &[f64],
) -> Result<Vec<TwoBodyBlock>, Fault> {
    expect_length("rows of blocks", rows.len(), pairs.len())?;
    let total = rows.iter().map(|&r| usize::from(r)).sum();
    expect_length("Jacobian", jacobian.len(), total)?;
    expect_length("compliance", compliance.len(), total)?;
    let mut start = 0;
    let block = |(pair, &count): (&[Option<u32>; 2], &u8)| {
        let range = start..start + usize::from(count);
        start = range.end;
        TwoBodyBlock {
            bodies: pair.map(|b| b.map_or(NO_BODY, |b| b as usize)),
            rows: jacobian[range.clone()].to_vec(),
            compliance: compliance[range].to_vec(),
        }
    };
    Ok(pairs.iter().zip(rows).map(block).collect())
}

impl From<&Cone> for StoredCone {
    fn from(cone: &Cone) -> Self {
        match *cone {
            // At most six rows, checked when the cones were made.
            Cone::Free { rows } => Self::Free(rows as u8),
            Cone::NonNegative => Self::NonNegative,
            Cone::Interval { lower, upper } => Self::Interval([lower, upper]),
            Cone::Friction { friction, cohesion } => Self::Friction([friction, cohesion]),
            Cone::Rolling {
                friction,
                rolling,
                cohesion,
            } => Self::Rolling([friction, rolling, cohesion]),
            Cone::RollingSpinning {
                friction,
                rolling,
                spinning,
                cohesion,
            } => Self::RollingSpinning([friction, rolling, spinning, cohesion]),
        }
    }
}

impl StoredCone {
    fn cone(&self) -> Cone {
        match *self {
            Self::Free(rows) => Cone::Free {
                rows: usize::from(rows),
            },
            Self::NonNegative => Cone::NonNegative,
            Self::Interval([lower, upper]) => Cone::Interval { lower, upper },
            Self::Friction([friction, cohesion]) => Cone::Friction { friction, cohesion },
            Self::Rolling([friction, rolling, cohesion]) => Cone::Rolling {
                friction,
                rolling,
                cohesion,
            },
            Self::RollingSpinning([friction, rolling, spinning, cohesion]) => {
                Cone::RollingSpinning {
                    friction,
                    rolling,
                    spinning,
                    cohesion,
                }
            }
        }
    }
}
