//! Which contacts of a group make a pack.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::fill::Kind;
use super::lanes::LANES;
use super::plan::WORLD;

/// Packs that are open at a time, fewer than bits of a word. More are fuller, but mix contacts that
/// lie further apart.
const OPEN: u32 = 60;

/// What a contact of a pack keeps from a body: that pack, the one before and the one after. So the
/// machine can begin with a pack while it is still busy with the one before.
const KEPT: u64 = 0b111;

/// In place of a contact: an empty lane.
pub(super) const NONE: u32 = u32::MAX;

/// What one group is made of, by number of the block.
#[derive(Clone, Debug, Default)]
pub(super) struct Picks {
    pub spheres: Vec<[u32; LANES]>,
    pub points: Vec<[u32; LANES]>,
    pub rolls: Vec<[u32; LANES]>,
    pub rows: Vec<u32>,
}

/// Which of the open packs are closed to the contacts of each body. Groups that share no body may
/// use it at once.
#[derive(Debug, Default)]
pub(super) struct Closed(Vec<ClosedTo>);

/// Of one body: the first pack that is counted, and a bit for each from there on.
#[derive(Debug, Default)]
struct ClosedTo {
    first: AtomicU32,
    packs: AtomicU64,
}

impl Closed {
    /// Room for so many bodies.
    pub fn resize(&mut self, bodies: usize) {
        self.0.resize_with(bodies, ClosedTo::default);
    }

    /// Opens all packs to these bodies.
    fn reset(&self, bodies: [u32; 2]) {
        self.set(bodies, 0, |_| 0);
    }

    /// The packs that are closed to one of these bodies, counted from `first`.
    fn to(&self, bodies: [u32; 2], first: u32) -> u64 {
        let moving = bodies.into_iter().filter(|&body| body != WORLD);
        moving.fold(0, |all, body| all | self.0[body as usize].from(first))
    }

    fn set(&self, bodies: [u32; 2], first: u32, change: impl Fn(u64) -> u64) {
        for body in bodies.into_iter().filter(|&body| body != WORLD) {
            let body = &self.0[body as usize];
            let packs = change(body.from(first));
            body.packs.store(packs, Ordering::Relaxed);
            body.first.store(first, Ordering::Relaxed);
        }
    }
}

impl ClosedTo {
    fn from(&self, first: u32) -> u64 {
        let passed = first.wrapping_sub(self.first.load(Ordering::Relaxed));
        let packs = self.packs.load(Ordering::Relaxed);
        packs.checked_shr(passed).unwrap_or(0)
    }
}

impl Picks {
    /// Packs the blocks of one group. `of` gives a block's kind and bodies.
    pub fn make(&mut self, blocks: &[u32], closed: &Closed, of: impl Fn(u32) -> (Kind, [u32; 2])) {
        for (kind, packs) in [
            (Kind::Sphere, &mut self.spheres),
            (Kind::Point, &mut self.points),
            (Kind::Roll, &mut self.rolls),
        ] {
            let found = blocks.iter().map(|&block| (block, of(block)));
            let found = found.filter(|(_, (k, _))| *k == kind);
            pack(
                found.map(|(block, (_, bodies))| (block, bodies)),
                closed,
                packs,
            );
        }
        self.rows.clear();
        let by_rows = |&&block: &&u32| matches!(of(block).0, Kind::Rows | Kind::Joint);
        let rows = blocks.iter().filter(by_rows);
        self.rows.extend(rows);
    }
}

/// Packs of contacts that share no moving body: one contact after the other goes to the first of
/// the open packs that is not closed to its bodies.
fn pack(
    contacts: impl Iterator<Item = (u32, [u32; 2])> + Clone,
    closed: &Closed,
    packs: &mut Vec<[u32; LANES]>,
) {
    packs.clear();
    contacts
        .clone()
        .for_each(|(_, bodies)| closed.reset(bodies));
    // The first open pack, and which from there on are full.
    let (mut first, mut full) = (0, 0_u64);
    for (block, bodies) in contacts {
        let busy = full | closed.to(bodies, first);
        let mut at = busy.trailing_ones();
        if at >= OPEN {
            // Those at the front wait no longer.
            let passed = at + 1 - OPEN;
            first += passed;
            full = full.checked_shr(passed).unwrap_or(0);
            at = OPEN - 1;
        }
        let place = (first + at) as usize;
        packs.resize(packs.len().max(place + 1), [NONE; LANES]);
        let pack = &mut packs[place];
        let lane = pack.iter().position(|&block| block == NONE).unwrap_or(0);
        pack[lane] = block;
        closed.set(bodies, first, |packs| packs | (KEPT << at) >> 1);
        if lane == LANES - 1 {
            full |= 1 << at;
            let passed = full.trailing_ones();
            first += passed;
            full = full.checked_shr(passed).unwrap_or(0);
        }
    }
    // Those between two packs may have found no contact.
    packs.retain(|pack| pack[0] != NONE);
}
