//! N matrix-free: `N = Dᵀ M⁻¹ D + E` from two-body Jacobian blocks and per-body inverse inertia.

mod assembly;
mod axes;
mod inertia;
mod point_block;
mod point_contact;
mod product;
mod row_blocks;
pub(crate) mod vector;

use std::sync::Mutex;

use crate::ProblemError;
use crate::cone::{Block, MAX_ROWS};

pub use axes::turn_to_world;
pub use inertia::BodyInertia;
pub(crate) use point_block::{PointBlock, RollingPoint};
pub use point_contact::PointContact;
pub use row_blocks::RowBlocks;

/// What an operator is made of.
#[derive(Clone, Debug, Default)]
pub struct TwoBodyParts {
    /// The bodies.
    pub bodies: Vec<BodyInertia>,
    /// Point contacts: the first blocks.
    pub contacts: Vec<PointContact>,
    /// All other blocks.
    pub blocks: RowBlocks,
}

/// In place of a body index: the world, or any body that does not move.
pub const NO_BODY: usize = usize::MAX;

/// Degrees of freedom of a body: three linear, three angular.
const DOF: usize = 6;

/// The rows of one contact or joint: their Jacobian with respect to two bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct TwoBodyBlock {
    /// The two bodies; [`NO_BODY`] for the world.
    pub bodies: [usize; 2],
    /// For each row its derivative by the six velocities of the first body, then of the
    /// second.
    pub rows: Vec<[f64; 12]>,
    /// Compliance of each row: what E adds to the diagonal of N. Empty for none.
    pub compliance: Vec<f64>,
}

/// One block a contact or joint, each between at most two bodies: first the point contacts, then
/// the blocks with rows of their own.
#[derive(Debug)]
pub struct TwoBody {
    bodies: Vec<BodyInertia>,
    /// Whether every body's inertia has an inverse.
    invertible: bool,
    offsets: Vec<usize>,
    contacts: Vec<PointContact>,
    /// The blocks after them.
    blocks: RowBlocks,
    /// Whether any entry of E is not zero.
    compliant: bool,
    /// `touches[starts[b]..starts[b + 1]]`: the blocks at body `b`, in block order.
    starts: Vec<u32>,
    touches: Vec<Touch>,
    /// Body velocities for `apply`; behind a lock because `apply` borrows the operator shared.
    scratch: Mutex<Vec<f64>>,
}

/// A block at a body, and whether the body is its first or second: twice the block, plus the side.
#[derive(Clone, Copy, Debug, Default)]
struct Touch(u32);

impl Touch {
    fn new(block: usize, side: usize) -> Self {
        Self((2 * block + side) as u32)
    }

    fn block(self) -> usize {
        (self.0 / 2) as usize
    }

    fn side(self) -> usize {
        (self.0 % 2) as usize
    }
}

/// The rows of one block: at most [`MAX_ROWS`].
struct Rows {
    rows: [[f64; 12]; MAX_ROWS],
    len: usize,
}

impl Rows {
    fn new(rows: &[[f64; 12]]) -> Self {
        let mut this = Self {
            rows: [[0.0; 12]; MAX_ROWS],
            len: rows.len(),
        };
        this.rows[..rows.len()].copy_from_slice(rows);
        this
    }

    fn as_slice(&self) -> &[[f64; 12]] {
        &self.rows[..self.len]
    }
}

/// Most blocks that a [`Touch`] can number.
const MOST_BLOCKS: usize = (u32::MAX / 2) as usize;

impl TwoBody {
    /// Checks indices, lengths and numbers.
    pub fn new(bodies: Vec<BodyInertia>, blocks: &[TwoBodyBlock]) -> Result<Self, ProblemError> {
        Self::with_contacts(bodies, Vec::new(), blocks)
    }

    /// Point contacts first, then other blocks.
    pub fn with_contacts(
        bodies: Vec<BodyInertia>,
        contacts: Vec<PointContact>,
        blocks: &[TwoBodyBlock],
    ) -> Result<Self, ProblemError> {
        let mut this = Self::default();
        let mut rows = RowBlocks::default();
        for (index, block) in blocks.iter().enumerate() {
            rows.try_push(contacts.len() + index, block)?;
        }
        this.refill(TwoBodyParts {
            bodies,
            contacts,
            blocks: rows,
        })?;
        Ok(this)
    }

    /// Takes the parts with their memory, to be filled for the next problem and given back by
    /// [`TwoBody::refill`].
    pub fn take_parts(&mut self) -> TwoBodyParts {
        TwoBodyParts {
            bodies: std::mem::take(&mut self.bodies),
            contacts: std::mem::take(&mut self.contacts),
            blocks: std::mem::take(&mut self.blocks),
        }
    }

    /// The operator of other parts, in the memory of this one. Checks indices, lengths and numbers.
    pub fn refill(&mut self, parts: TwoBodyParts) -> Result<(), ProblemError> {
        (self.bodies, self.contacts, self.blocks) = (parts.bodies, parts.contacts, parts.blocks);
        for (index, body) in self.bodies.iter().enumerate() {
            body.check(index)?;
        }
        for (index, contact) in self.contacts.iter().enumerate() {
            self.check_contact(index, contact)?;
        }
        let contacts = self.contacts.len();
        self.blocks.check(contacts)?;
        for (index, pair) in self.blocks.pairs().iter().enumerate() {
            self.check_bodies(contacts + index, *pair)?;
        }
        if contacts + self.blocks.len() > MOST_BLOCKS {
            return Err(ProblemError::Length {
                what: "list of blocks",
                found: contacts + self.blocks.len(),
                expected: MOST_BLOCKS,
            });
        }
        self.invertible = self.bodies.iter().all(|b| b.inverse().is_some());
        self.offsets.clear();
        let last = contacts * PointContact::ROWS;
        self.offsets.extend((0..=last).step_by(PointContact::ROWS));
        self.offsets
            .extend(self.blocks.ends().iter().map(|end| last + end));
        self.compliant = self.contacts.iter().any(|c| c.compliance != [0.0; 2])
            || self.blocks.all_compliance().iter().any(|&e| e != 0.0);
        self.index_bodies();
        let scratch = self.scratch.get_mut();
        scratch
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .resize(DOF * self.bodies.len(), 0.0);
        Ok(())
    }

    fn check_contact(&self, block: usize, contact: &PointContact) -> Result<(), ProblemError> {
        self.check_bodies(block, contact.bodies)?;
        if let Some(value) = contact.not_finite() {
            return Err(ProblemError::NotFinite {
                what: "geometry of contact",
                index: block,
                value,
            });
        }
        check_compliance(block, &contact.compliance)
    }

    fn check_bodies(&self, block: usize, bodies: [usize; 2]) -> Result<(), ProblemError> {
        let count = self.bodies.len();
        if let Some(&body) = bodies.iter().find(|&&b| b != NO_BODY && b >= count) {
            return Err(ProblemError::NoSuchBody {
                block,
                body,
                bodies: count,
            });
        }
        if bodies[0] == bodies[1] && bodies[0] != NO_BODY {
            return Err(ProblemError::SameBody {
                block,
                body: bodies[0],
            });
        }
        Ok(())
    }

    fn index_bodies(&mut self) {
        let Self {
            bodies,
            contacts,
            blocks,
            starts,
            touches,
            ..
        } = self;
        let pairs = blocks.pairs();
        let all = || {
            contacts
                .iter()
                .map(|c| c.bodies)
                .chain(pairs.iter().copied())
        };
        starts.clear();
        starts.resize(bodies.len() + 1, 0);
        for body in all().flatten().filter(|&b| b != NO_BODY) {
            starts[body] += 1;
        }
        // Each start is now a count; make it the end of its body's share, from which the touches
        // are laid down backwards.
        let mut end = 0;
        for start in starts.iter_mut() {
            end += *start;
            *start = end;
        }
        touches.clear();
        touches.resize(end as usize, Touch::default());
        let count = contacts.len() + pairs.len();
        let of = |block: usize| match block.checked_sub(contacts.len()) {
            None => contacts[block].bodies,
            Some(index) => pairs[index],
        };
        for block in (0..count).rev() {
            for (side, body) in of(block).into_iter().enumerate().rev() {
                if body != NO_BODY {
                    starts[body] -= 1;
                    touches[starts[body] as usize] = Touch::new(block, side);
                }
            }
        }
    }

    /// The bodies.
    pub fn bodies(&self) -> &[BodyInertia] {
        &self.bodies
    }

    /// Where each block starts, the number of rows last.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The rows of block `index`.
    pub fn block(&self, index: usize) -> Block {
        Block {
            index,
            start: self.offsets[index],
            end: self.offsets[index + 1],
        }
    }

    /// The two bodies of a block; [`NO_BODY`] for the world.
    pub fn pair(&self, block: usize) -> [usize; 2] {
        match block.checked_sub(self.contacts.len()) {
            None => self.contacts[block].bodies,
            Some(index) => self.blocks.pairs()[index],
        }
    }

    /// The point contacts: the first blocks.
    pub fn contacts(&self) -> &[PointContact] {
        &self.contacts
    }

    /// Jacobian rows written out, one for each row of the problem.
    pub fn jacobian(&self) -> Vec<[f64; 12]> {
        let contacts = self.contacts.iter().flat_map(PointContact::rows);
        contacts
            .chain(self.blocks.all_rows().iter().copied())
            .collect()
    }

    /// Diagonal of E, row after row.
    pub fn compliance(&self) -> Vec<f64> {
        let contacts = self
            .contacts
            .iter()
            .flat_map(|c| [0, 1, 2].map(|k| c.row_compliance(k)));
        let blocks = self.blocks.all_compliance().iter().copied();
        contacts.chain(blocks).collect()
    }

    /// The rows of one block.
    fn rows(&self, block: usize) -> Rows {
        match block.checked_sub(self.contacts.len()) {
            None => Rows::new(&self.contacts[block].rows()),
            Some(index) => Rows::new(self.blocks.rows(index)),
        }
    }

    /// E of row `k` of a block.
    fn row_compliance(&self, block: usize, k: usize) -> f64 {
        match block.checked_sub(self.contacts.len()) {
            None => self.contacts[block].row_compliance(k),
            Some(index) => self.blocks.compliance(index)[k],
        }
    }

    fn touching(&self, body: usize) -> &[Touch] {
        &self.touches[self.starts[body] as usize..self.starts[body + 1] as usize]
    }
}

impl Default for TwoBody {
    /// Without bodies and rows.
    fn default() -> Self {
        Self {
            bodies: Vec::new(),
            invertible: true,
            offsets: vec![0],
            contacts: Vec::new(),
            blocks: RowBlocks::default(),
            compliant: false,
            starts: vec![0],
            touches: Vec::new(),
            scratch: Mutex::default(),
        }
    }
}

impl Clone for TwoBody {
    fn clone(&self) -> Self {
        Self {
            bodies: self.bodies.clone(),
            invertible: self.invertible,
            compliant: self.compliant,
            offsets: self.offsets.clone(),
            contacts: self.contacts.clone(),
            blocks: self.blocks.clone(),
            starts: self.starts.clone(),
            touches: self.touches.clone(),
            scratch: Mutex::new(vec![0.0; DOF * self.bodies.len()]),
        }
    }
}

fn check_compliance(block: usize, compliance: &[f64]) -> Result<(), ProblemError> {
    match compliance.iter().find(|e| !(e.is_finite() && **e >= 0.0)) {
        None => Ok(()),
        Some(&value) => Err(ProblemError::Cone {
            block,
            what: "compliance",
            value,
            expected: "a finite number >= 0",
        }),
    }
}

fn half(row: &[f64; 12], side: usize) -> &[f64; DOF] {
    let (halves, _) = row.as_chunks::<DOF>();
    &halves[side]
}

fn dot6(a: &[f64; DOF], b: &[f64; DOF]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]
}
