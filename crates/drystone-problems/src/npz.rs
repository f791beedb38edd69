//! Operators of other engines as NumPy archives: Dᵀ by contact rows, the bodies' inertia, r and mu.
//!
//! Two sets of names: `DT_indptr`, `DT_indices`, `DT_data` (rows of Dᵀ) with `mass_diag`, and
//! `D_indptr`, `D_indices`, `D_data` (columns of D, the same numbers) with `Minv`. Both with `r`,
//! `mu` and, as solution, `gamma_ref`. Three rows a contact, normal first; six columns a body,
//! linear first.

use std::io::{Cursor, Read};

use drystone_ccp::{BodyInertia, Ccp, Cones, NO_BODY, TwoBody, TwoBodyBlock, turn_to_world};
use zip::ZipArchive;

use super::error::{Fault, expect_coefficients, expect_finite, expect_length};
use super::limits::unpacked_limit;
use super::npy::{Array, Numbers};

/// How every archive begins.
pub(super) const MAGIC: &[u8] = b"PK\x03\x04";

/// Rows a contact.
const ROWS: usize = 3;

/// Velocities a body.
const DOF: usize = 6;

/// The problem and the reference solution, if there is one.
pub(super) fn parse(bytes: &[u8]) -> Result<(Ccp<TwoBody>, Option<Vec<f64>>), Fault> {
    let mut archive = Archive::open(bytes)?;
    let mu = archive.reals("mu")?;
    expect_coefficients("mu", &mu)?;
    let r = archive.reals("r")?;
    let is_transposed = archive.has("DT_indptr");
    let prefix = if is_transposed { "DT" } else { "D" };
    let pointers = archive.integers(&format!("{prefix}_indptr"))?;
    // Where r fits the matrix, it is mu that does not.
    if pointers.len() == r.len() + 1 && r.len().is_multiple_of(ROWS) {
        expect_length("mu", mu.len(), r.len() / ROWS)?;
    }
    expect_length("r", r.len(), ROWS * mu.len())?;
    let inverse = if is_transposed {
        inverted(archive.reals("mass_diag")?)?
    } else {
        archive.reals("Minv")?
    };
    let mut bodies = bodies(&inverse)?;
    let rows = Rows {
        pointers,
        indices: archive.integers(&format!("{prefix}_indices"))?,
        values: archive.reals(&format!("{prefix}_data"))?,
        prefix,
    };
    rows.check(r.len(), inverse.len())?;
    let mut blocks: Vec<TwoBodyBlock> = (0..mu.len())
        .map(|contact| rows.block(contact))
        .collect::<Result<_, _>>()?;
    let solution = match archive.has("gamma_ref") {
        false => None,
        true => Some(archive.reals("gamma_ref")?),
    };
    if let Some(gamma) = &solution {
        expect_length("gamma_ref", gamma.len(), r.len())?;
    }
    turn_to_world(&mut bodies, &mut blocks);
    let operator = TwoBody::new(bodies, &blocks)?;
    Ok((Ccp::new(operator, r, Cones::friction(&mu)?)?, solution))
}

struct Archive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    /// The most bytes that an array may have.
    limit: u64,
}

impl<'a> Archive<'a> {
    fn open(bytes: &'a [u8]) -> Result<Self, Fault> {
        let zip = ZipArchive::new(Cursor::new(bytes))
            .map_err(|e| Fault::malformed("archive", format!("not readable as zip: {e}")))?;
        Ok(Self {
            zip,
            limit: unpacked_limit(bytes.len()),
        })
    }

    fn has(&self, name: &str) -> bool {
        self.zip.index_for_name(&format!("{name}.npy")).is_some()
    }

    fn array(&mut self, name: &str) -> Result<Array, Fault> {
        if !self.has(name) {
            return Err(Fault::missing(name, "an array of that name"));
        }
        let broken = |e: String| Fault::malformed(name, format!("not readable from zip: {e}"));
        let entry = self
            .zip
            .by_name(&format!("{name}.npy"))
            .map_err(|e| broken(e.to_string()))?;
        let mut content = Vec::new();
        entry
            .take(self.limit.saturating_add(1))
            .read_to_end(&mut content)
            .map_err(|e| broken(e.to_string()))?;
        if content.len() as u64 > self.limit {
            return Err(broken(format!("unpacks to more than {} bytes", self.limit)));
        }
        Array::parse(&content, name)
    }

    fn reals(&mut self, name: &str) -> Result<Vec<f64>, Fault> {
        let values = self.array(name)?.into_reals();
        expect_finite(name, &values)?;
        Ok(values)
    }

    fn integers(&mut self, name: &str) -> Result<Vec<i64>, Fault> {
        match self.array(name)?.numbers {
            Numbers::Integers(values) => Ok(values),
            Numbers::Reals(_) => Err(Fault::malformed(name, "holds reals, expected integers")),
        }
    }
}

fn inverted(mass: Vec<f64>) -> Result<Vec<f64>, Fault> {
    match mass.iter().enumerate().find(|(_, m)| **m <= 0.0) {
        Some((k, m)) => Err(Fault::malformed(
            "mass_diag",
            format!("entry {k} is {m}, expected a number > 0"),
        )),
        None => Ok(mass.into_iter().map(|m| 1.0 / m).collect()),
    }
}

fn bodies(inverse: &[f64]) -> Result<Vec<BodyInertia>, Fault> {
    let (bodies, rest) = inverse.as_chunks::<DOF>();
    if !rest.is_empty() {
        let what = format!("has {} entries, expected six a body", inverse.len());
        return Err(Fault::malformed("inertia", what));
    }
    let convert = |(k, b): (usize, &[f64; DOF])| {
        if b[0] != b[1] || b[0] != b[2] {
            let what = format!("body {k} has different masses along its axes");
            return Err(Fault::unsupported("inertia", what));
        }
        Ok(BodyInertia::diagonal(b[0], [b[3], b[4], b[5]]))
    };
    bodies.iter().enumerate().map(convert).collect()
}

/// Dᵀ in compressed rows.
struct Rows {
    prefix: &'static str,
    pointers: Vec<i64>,
    indices: Vec<i64>,
    values: Vec<f64>,
}

impl Rows {
    fn check(&self, rows: usize, columns: usize) -> Result<(), Fault> {
        let at = |name: &str| format!("{}_{name}", self.prefix);
        expect_length(&at("indptr"), self.pointers.len(), rows + 1)?;
        expect_length(&at("data"), self.values.len(), self.indices.len())?;
        let stored = self.indices.len() as i64;
        let mut previous = 0;
        for (k, &pointer) in self.pointers.iter().enumerate() {
            if pointer < previous || pointer > stored {
                let what =
                    format!("entry {k} is {pointer}, expected one from {previous} to {stored}");
                return Err(Fault::malformed(at("indptr"), what));
            }
            previous = pointer;
        }
        let outside = |i: i64| usize::try_from(i).map_or(true, |i| i >= columns);
        match self.indices.iter().enumerate().find(|(_, i)| outside(**i)) {
            None => Ok(()),
            Some((k, index)) => {
                let what = format!("entry {k} is {index}, expected a column below {columns}");
                Err(Fault::malformed(at("indices"), what))
            }
        }
    }

    /// The rows of one contact by the two bodies that they touch. Checked before.
    fn block(&self, contact: usize) -> Result<TwoBodyBlock, Fault> {
        let mut bodies = [NO_BODY; 2];
        let mut rows = vec![[0.0; 2 * DOF]; ROWS];
        for (row, out) in rows.iter_mut().enumerate() {
            let at = ROWS * contact + row;
            for k in self.pointers[at] as usize..self.pointers[at + 1] as usize {
                let column = self.indices[k] as usize;
                let body = column / DOF;
                let side = bodies.iter().position(|&b| b == body || b == NO_BODY);
                let Some(side) = side else {
                    let what = format!(
                        "contact {contact} touches bodies {}, {} and {body}, expected at most two",
                        bodies[0], bodies[1]
                    );
                    return Err(Fault::unsupported(format!("{}_indices", self.prefix), what));
                };
                bodies[side] = body;
                out[DOF * side + column % DOF] += self.values[k];
            }
        }
        Ok(TwoBodyBlock {
            bodies,
            rows,
            compliance: Vec::new(),
        })
    }
}
