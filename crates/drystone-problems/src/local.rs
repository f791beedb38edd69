//! The local problem: `u = W r + V l + q`, `0 = Vᵀ r + R l + s`, with `u` and `r` in the friction
//! law, contact after contact, the normal first. `V`, `R` and `s` are optional; their rows follow
//! the contacts as free rows.

use drystone_ccp::operator::SYMMETRY_TOLERANCE;
use drystone_ccp::{Ccp, Cone, Cones, Csr, Operator, Sparse};
use hdf5_pure::GroupBuilder;

use super::error::{Fault, expect_coefficients, expect_length};
use super::hdf5::{Tree, put_integers, put_reals, put_text};
use super::matrix::{Storage, Stored, put_matrix};

/// A local problem as plain data.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalProblem {
    /// Title.
    pub title: String,
    /// W, 1/kg: square, 3 rows a contact (5 with rolling friction).
    pub w: Csr,
    /// Velocities without reactions, m/s.
    pub q: Vec<f64>,
    /// Coefficients of sliding friction, one a contact.
    pub mu: Vec<f64>,
    /// Coefficients of rolling friction, m, one a contact; there are then 5 rows a contact.
    pub mu_r: Option<Vec<f64>>,
    /// The bilateral rows, if any.
    pub bilateral: Option<LocalBilateral>,
}

/// The bilateral rows of a local problem.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalBilateral {
    /// V: a column each bilateral row.
    pub v: Csr,
    /// R: square.
    pub r: Csr,
    /// s.
    pub s: Vec<f64>,
}

/// Rows a contact: 3, or 5 with rolling friction.
pub(super) fn rows_of(rolling: bool) -> usize {
    if rolling { 5 } else { 3 }
}

/// One cone a contact, then one free row each bilateral row.
pub(super) fn cones(mu: &[f64], mu_r: Option<&[f64]>, bilateral: usize) -> Result<Cones, Fault> {
    if let Some(mu_r) = mu_r {
        expect_length("mu_r", mu_r.len(), mu.len())?;
    }
    let contact = |k: usize| match mu_r {
        None => Cone::friction(mu[k]),
        Some(mu_r) => Cone::Rolling {
            friction: mu[k],
            rolling: mu_r[k],
            cohesion: 0.0,
        },
    };
    // A row each: bilateral rows may depend on each other, and a block of them would be singular.
    let free = std::iter::repeat_n(Cone::Free { rows: 1 }, bilateral);
    Ok(Cones::new(
        (0..mu.len()).map(contact).chain(free).collect(),
    )?)
}

impl LocalProblem {
    /// As a cone problem: `N = [W V; Vᵀ R]`, `r = (q, s)`.
    pub fn to_ccp(&self) -> Result<Ccp<Sparse>, Fault> {
        let dim = self.q.len();
        let bilateral = self.bilateral.as_ref();
        let extra = bilateral.map_or(0, |b| b.s.len());
        expect_size("W", &self.w, dim, dim)?;
        if let Some(b) = bilateral {
            expect_size("V", &b.v, dim, extra)?;
            expect_size("R", &b.r, extra, extra)?;
        }
        let matrix = match bilateral {
            None => self.w.clone(),
            Some(b) => {
                let v = b.v.entries().map(|(i, j, x)| (i, dim + j, x));
                let vt = b.v.entries().map(|(i, j, x)| (dim + j, i, x));
                let r = b.r.entries().map(|(i, j, x)| (dim + i, dim + j, x));
                let all = self.w.entries().chain(v).chain(vt).chain(r);
                Csr::from_triplets(dim + extra, dim + extra, all)?
            }
        };
        let mut r = self.q.clone();
        r.extend(bilateral.iter().flat_map(|b| &b.s));
        let cones = cones(&self.mu, self.mu_r.as_deref(), extra)?;
        Ok(Ccp::new(Sparse::new(matrix)?, r, cones)?)
    }

    /// From a cone problem whose blocks are contacts of one kind, without cohesion, and then free
    /// rows: more an FCLIB file cannot say.
    pub fn from_ccp<N: Operator>(title: &str, problem: &Ccp<N>) -> Result<Self, Fault> {
        let (mu, mu_r) = coefficients(problem.cones().as_slice())?;
        let dim = mu.len() * rows_of(mu_r.is_some());
        let extra = problem.dim() - dim;
        let n = problem.operator().to_csr();
        let part = |rows: std::ops::Range<usize>, columns: std::ops::Range<usize>| {
            let inside = n
                .entries()
                .filter(|(i, j, _)| rows.contains(i) && columns.contains(j));
            let shifted = inside.map(|(i, j, x)| (i - rows.start, j - columns.start, x));
            Csr::from_triplets(rows.len(), columns.len(), shifted)
        };
        let all = dim + extra;
        let bilateral = if extra == 0 {
            None
        } else {
            let v = part(0..dim, dim..all)?;
            expect_mirror(&v, &part(dim..all, 0..dim)?.transpose())?;
            let (r, s) = (part(dim..all, dim..all)?, problem.r()[dim..].to_vec());
            Some(LocalBilateral { v, r, s })
        };
        Ok(Self {
            title: title.to_owned(),
            w: part(0..dim, 0..dim)?,
            q: problem.r()[..dim].to_vec(),
            mu,
            mu_r,
            bilateral,
        })
    }

    /// Rows that belong to contacts; bilateral rows follow.
    pub fn contact_rows(&self) -> usize {
        self.q.len()
    }

    pub(super) fn put(&self, group: &mut GroupBuilder, storage: Storage) -> Result<(), Fault> {
        let dim = rows_of(self.mu_r.is_some());
        put_integers(group, "spacedim", &[dim as i32]);
        put_matrix(group, "W", &self.w, storage)?;
        let mut vectors = group.create_group("vectors");
        put_reals(&mut vectors, "q", &self.q);
        put_reals(&mut vectors, "mu", &self.mu);
        if let Some(mu_r) = &self.mu_r {
            put_reals(&mut vectors, "mu_r", mu_r);
        }
        if let Some(bilateral) = &self.bilateral {
            put_matrix(group, "V", &bilateral.v, storage)?;
            put_matrix(group, "R", &bilateral.r, storage)?;
            put_reals(&mut vectors, "s", &bilateral.s);
        }
        group.add_group(vectors.finish());
        put_title(group, &self.title)
    }

    pub(super) fn read(tree: &Tree, root: &str) -> Result<Self, Fault> {
        let vectors = FrictionVectors::read(tree, root)?;
        let q = tree.reals(&format!("{root}/vectors/q"))?;
        let at_w = format!("{root}/W");
        let matrix_rows = || Stored::read(tree, &at_w).ok()?.rows.try_into().ok();
        vectors.expect_rows((root, "q"), q.len(), ("W", matrix_rows))?;
        let stored = Stored::read(tree, &at_w)?;
        if stored.rows != stored.columns {
            let what = format!(
                "is {} × {}, expected a square matrix",
                stored.rows, stored.columns
            );
            return Err(Fault::malformed(at_w, what));
        }
        Ok(Self {
            title: tree.text(&format!("{root}/info/title")),
            w: stored.to_csr(&at_w, q.len(), q.len())?,
            bilateral: LocalBilateral::read(tree, root, q.len())?,
            q,
            mu: vectors.mu,
            mu_r: vectors.mu_r,
        })
    }
}

impl LocalBilateral {
    fn read(tree: &Tree, root: &str, dim: usize) -> Result<Option<Self>, Fault> {
        if !tree.has_group(&format!("{root}/V"))? {
            return Ok(None);
        }
        let s = tree.reals(&format!("{root}/vectors/s"))?;
        let matrix = |name: &str, rows, columns| {
            let place = format!("{root}/{name}");
            Stored::read(tree, &place)?.to_csr(&place, rows, columns)
        };
        let v = matrix("V", dim, s.len())?;
        let r = matrix("R", s.len(), s.len())?;
        Ok(Some(Self { v, r, s }))
    }
}

/// Sliding and rolling coefficients of the leading contacts; refuses what FCLIB has no place for.
fn coefficients(cones: &[Cone]) -> Result<(Vec<f64>, Option<Vec<f64>>), Fault> {
    let contacts = cones
        .iter()
        .position(|c| matches!(c, Cone::Free { .. }))
        .unwrap_or(cones.len());
    let refuse = |block: usize, why: &str| {
        let what = format!("{why}, which an FCLIB file cannot hold");
        Err(Fault::unsupported(format!("block {block}"), what))
    };
    let rolling = matches!(cones.first(), Some(Cone::Rolling { .. }));
    let (mut mu, mut mu_r) = (Vec::new(), Vec::new());
    for (block, cone) in cones.iter().enumerate() {
        match *cone {
            Cone::Free { .. } => {}
            _ if block > contacts => return refuse(block, "a contact follows a free block"),
            Cone::Friction { cohesion, .. } | Cone::Rolling { cohesion, .. } if cohesion != 0.0 => {
                return refuse(block, "has cohesion");
            }
            Cone::Friction { friction, .. } if !rolling => mu.push(friction),
            Cone::Rolling {
                friction,
                rolling: coefficient,
                ..
            } if rolling => {
                mu.push(friction);
                mu_r.push(coefficient);
            }
            Cone::Friction { .. } | Cone::Rolling { .. } => {
                return refuse(block, "mixes contacts with and without rolling friction");
            }
            Cone::NonNegative | Cone::Interval { .. } | Cone::RollingSpinning { .. } => {
                return refuse(block, &format!("is {cone:?}"));
            }
        }
    }
    Ok((mu, rolling.then_some(mu_r)))
}

/// FCLIB stores V once and uses its transpose below.
fn expect_mirror(v: &Csr, mirror: &Csr) -> Result<(), Fault> {
    // In units of the largest entry, so that no square overflows or vanishes.
    let unit = |a: &Csr| a.entries().map(|e| e.2.abs()).fold(0.0, f64::max);
    let unit = unit(v).max(unit(mirror));
    if unit == 0.0 {
        return Ok(());
    }
    let size: f64 = v.entries().map(|e| (e.2 / unit).powi(2)).sum();
    let off = |a: &Csr, b: &Csr| -> f64 {
        let differences = a.entries().map(|(i, j, x)| x / unit - b.get(i, j) / unit);
        differences.map(|d| d * d).sum()
    };
    if off(v, mirror).max(off(mirror, v)) <= SYMMETRY_TOLERANCE.powi(2) * size {
        return Ok(());
    }
    let what = "is not symmetric between contacts and free rows, which an FCLIB file cannot hold";
    Err(Fault::unsupported("the matrix", what))
}

/// Checks the size of a matrix: fields are public, and what was assembled by hand may not fit.
pub(super) fn expect_size(name: &str, a: &Csr, rows: usize, columns: usize) -> Result<(), Fault> {
    if a.rows() == rows && a.columns() == columns {
        return Ok(());
    }
    let found = format!("{} × {}", a.rows(), a.columns());
    let what = format!("is {found}, expected {rows} × {columns}");
    Err(Fault::malformed(name, what))
}

/// Writes `info/title`.
pub(super) fn put_title(group: &mut GroupBuilder, title: &str) -> Result<(), Fault> {
    let mut info = group.create_group("info");
    put_text(&mut info, "title", title)?;
    group.add_group(info.finish());
    Ok(())
}

/// The friction coefficients, which also say how many rows there are.
pub(super) struct FrictionVectors {
    pub(super) mu: Vec<f64>,
    pub(super) mu_r: Option<Vec<f64>>,
}

impl FrictionVectors {
    /// Reads `spacedim`, `mu` and `mu_r`, and checks that they agree.
    pub(super) fn read(tree: &Tree, root: &str) -> Result<Self, Fault> {
        let at_dim = format!("{root}/spacedim");
        let dim = tree.integer(&at_dim)?;
        let (at_mu, at_mu_r) = (format!("{root}/vectors/mu"), format!("{root}/vectors/mu_r"));
        let mu = tree.reals(&at_mu)?;
        expect_coefficients(&at_mu, &mu)?;
        let mu_r = match dim {
            3 => None,
            5 => Some(tree.reals(&at_mu_r)?),
            2 => {
                let what =
                    "is 2, a plane problem: only 3 (and 5, with rolling friction) are supported";
                return Err(Fault::unsupported(at_dim, what));
            }
            other => {
                let what = format!("is {other}, expected 3, or 5 with rolling friction");
                return Err(Fault::malformed(at_dim, what));
            }
        };
        if let Some(mu_r) = &mu_r {
            expect_length(&at_mu_r, mu_r.len(), mu.len())?;
            expect_coefficients(&at_mu_r, mu_r)?;
        }
        Ok(Self { mu, mu_r })
    }

    /// Checks the length of the vector `name` with all rows of all contacts. Where it disagrees with
    /// the coefficients, the matrix decides whose fault that is: `rows` says how many rows it has.
    pub(super) fn expect_rows(
        &self,
        (root, name): (&str, &str),
        found: usize,
        (matrix, matrix_rows): (&str, impl Fn() -> Option<usize>),
    ) -> Result<(), Fault> {
        let place = format!("{root}/vectors/{name}");
        let rows = rows_of(self.mu_r.is_some());
        if !found.is_multiple_of(rows) {
            let what = format!("has {found} entries, expected {rows} a contact");
            return Err(Fault::malformed(place, what));
        }
        let contacts = found / rows;
        if contacts == self.mu.len() || matrix_rows() != Some(found) {
            return expect_length(&place, found, rows * self.mu.len());
        }
        let what = format!(
            "has {} entries, expected {contacts}, one a contact: {name} and {matrix} have {found} \
             rows, {rows} a contact",
            self.mu.len()
        );
        Err(Fault::malformed(format!("{root}/vectors/mu"), what))
    }
}
