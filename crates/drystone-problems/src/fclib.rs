//! Files of the Frictional Contact Library, in HDF5: a problem, solutions of it, and guesses.
//!
//! Groups: `/fclib_local` and `/fclib_global`, each also with the suffix `_rolling`. Rolling
//! problems have `spacedim` 5 and `vectors/mu_r`; read under either name, written as `/fclib_local`
//! (the layout of the public rolling problems) and `/fclib_global_rolling` (the library's own).

use std::path::Path;

use drystone_ccp::{Ccp, Sparse};
use hdf5_pure::{FileBuilder, GroupBuilder};

use crate::atomic::write_atomically;

use super::error::{Fault, FileError, expect_length};
use super::global::GlobalProblem;
use super::hdf5::{Tree, finish, put_integers, put_reals};
use super::local::LocalProblem;
use super::matrix::Storage;

/// What an FCLIB file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct FclibFile {
    /// The problem.
    pub problem: FclibProblem,
    /// A solution.
    pub solution: Option<FclibSolution>,
    /// Points to start from.
    pub guesses: Vec<FclibSolution>,
}

/// The two forms of a problem.
#[derive(Clone, Debug, PartialEq)]
pub enum FclibProblem {
    /// Reactions only.
    Local(LocalProblem),
    /// Reactions and body velocities.
    Global(GlobalProblem),
}

/// A solution or a guess; what is not known is empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FclibSolution {
    /// Body velocities.
    pub v: Vec<f64>,
    /// Velocities at the contacts, m/s.
    pub u: Vec<f64>,
    /// Reactions at the contacts, N s.
    pub r: Vec<f64>,
    /// Multipliers of the bilateral rows, N s.
    pub l: Vec<f64>,
}

impl FclibSolution {
    /// Splits the impulses of a cone problem: contacts first, free rows after them.
    pub fn from_impulses(gamma: &[f64], contact_rows: usize) -> Self {
        let (r, l) = gamma.split_at(contact_rows.min(gamma.len()));
        Self {
            r: r.to_vec(),
            l: l.to_vec(),
            ..Self::default()
        }
    }

    /// The impulses of the cone problem: r, then l.
    pub fn impulses(&self) -> Vec<f64> {
        [&self.r[..], &self.l].concat()
    }

    fn read(tree: &Tree, root: &str) -> Result<Option<Self>, Fault> {
        if !tree.has_group(root)? {
            return Ok(None);
        }
        let get = |name: &str| {
            let values = tree.optional_reals(&format!("{root}/{name}"))?;
            Ok::<_, Fault>(values.unwrap_or_default())
        };
        Ok(Some(Self {
            v: get("v")?,
            u: get("u")?,
            r: get("r")?,
            l: get("l")?,
        }))
    }

    pub(super) fn put(&self, group: &mut GroupBuilder) {
        for (name, values) in [
            ("v", &self.v),
            ("u", &self.u),
            ("r", &self.r),
            ("l", &self.l),
        ] {
            if !values.is_empty() {
                put_reals(group, name, values);
            }
        }
    }
}

impl FclibProblem {
    /// Its title.
    pub fn title(&self) -> &str {
        match self {
            Self::Local(problem) => &problem.title,
            Self::Global(problem) => &problem.title,
        }
    }

    /// As a cone problem; a global one is condensed.
    pub fn to_ccp(&self) -> Result<Ccp<Sparse>, Fault> {
        match self {
            Self::Local(problem) => problem.to_ccp(),
            Self::Global(problem) => problem.condense(),
        }
    }

    fn read(tree: &Tree) -> Result<Self, Fault> {
        for root in ["/fclib_local", "/fclib_local_rolling"] {
            if tree.has_group(root)? {
                return Ok(Self::Local(LocalProblem::read(tree, root)?));
            }
        }
        for root in ["/fclib_global", "/fclib_global_rolling"] {
            if tree.has_group(root)? {
                return Ok(Self::Global(GlobalProblem::read(tree, root)?));
            }
        }
        Err(Fault::missing(
            "/fclib_local",
            "a group of that name, or fclib_global, either also ending in _rolling",
        ))
    }

    fn group_name(&self) -> &'static str {
        match self {
            Self::Local(_) => "fclib_local",
            Self::Global(problem) if problem.mu_r.is_some() => "fclib_global_rolling",
            Self::Global(_) => "fclib_global",
        }
    }
}

impl FclibFile {
    /// Reads a file.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        crate::regular::read(path)
            .and_then(Self::parse)
            .map_err(|fault| fault.of(path))
    }

    /// Writes a file, replacing one that is there.
    pub fn write(&self, path: impl AsRef<Path>, storage: Storage) -> Result<(), FileError> {
        let path = path.as_ref();
        self.bytes(storage)
            .and_then(|bytes| Ok(write_atomically(path, &bytes)?))
            .map_err(|fault| fault.of(path))
    }

    pub(super) fn parse(bytes: Vec<u8>) -> Result<Self, Fault> {
        let tree = Tree::open(bytes)?;
        let problem = FclibProblem::read(&tree)?;
        let mut guesses = Vec::new();
        while let Some(guess) =
            FclibSolution::read(&tree, &format!("/guesses/{}", guesses.len() + 1))?
        {
            guesses.push(guess);
        }
        Ok(Self {
            problem,
            solution: FclibSolution::read(&tree, "/solution")?,
            guesses,
        })
    }

    fn bytes(&self, storage: Storage) -> Result<Vec<u8>, Fault> {
        let mut file = FileBuilder::new();
        let mut main = file.create_group(self.problem.group_name());
        match &self.problem {
            FclibProblem::Local(problem) => {
                problem.to_ccp()?; // nothing is written that could not be read back
                problem.put(&mut main, storage)?;
            }
            FclibProblem::Global(problem) => {
                problem.check()?;
                problem.put(&mut main, storage)?;
            }
        }
        file.add_group(main.finish());
        if let Some(solution) = &self.solution {
            let mut group = file.create_group("solution");
            solution.put(&mut group);
            file.add_group(group.finish());
        }
        if !self.guesses.is_empty() {
            let mut group = file.create_group("guesses");
            put_integers(
                &mut group,
                "number_of_guesses",
                &[self.guesses.len() as i32],
            );
            for (k, guess) in self.guesses.iter().enumerate() {
                let mut one = group.create_group(&(k + 1).to_string());
                guess.put(&mut one);
                group.add_group(one.finish());
            }
            file.add_group(group.finish());
        }
        finish(file)
    }
}

/// The impulses of a stored solution or guess, if it has any, checked against the problem's size.
pub(super) fn impulses_of(
    solution: Option<&FclibSolution>,
    place: &str,
    dim: usize,
) -> Result<Option<Vec<f64>>, Fault> {
    match solution.filter(|s| !s.r.is_empty()) {
        None => Ok(None),
        Some(solution) => {
            let impulses = solution.impulses();
            expect_length(&format!("{place}/r (and l)"), impulses.len(), dim)?;
            Ok(Some(impulses))
        }
    }
}
