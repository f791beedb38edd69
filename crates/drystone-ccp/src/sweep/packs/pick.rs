//! Which contacts of a group make a pack.

use super::fill::Kind;
use super::lanes::LANES;
use super::plan::WORLD;

/// Contacts that are looked at for a pack. More find packs that are fuller, but whose bodies lie
/// further apart in memory.
const WINDOW: usize = 64;

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

impl Picks {
    /// Packs the blocks of one group. `of` gives a block's kind and bodies.
    pub fn make(&mut self, blocks: &[u32], of: impl Fn(u32) -> (Kind, [u32; 2])) {
        pack(blocks, Kind::Sphere, &of, &mut self.spheres);
        pack(blocks, Kind::Point, &of, &mut self.points);
        pack(blocks, Kind::Roll, &of, &mut self.rolls);
        self.rows.clear();
        let by_rows = |&&block: &&u32| matches!(of(block).0, Kind::Rows | Kind::Joint);
        let rows = blocks.iter().filter(by_rows);
        self.rows.extend(rows);
    }
}

/// Packs of contacts that share no moving body: each takes the first ones that fit. Nor do they
/// touch what the pack before has just moved, so that the machine can begin with one while it is
/// still busy with the other.
fn pack(
    blocks: &[u32],
    kind: Kind,
    of: &impl Fn(u32) -> (Kind, [u32; 2]),
    packs: &mut Vec<[u32; LANES]>,
) {
    packs.clear();
    let mut source = blocks
        .iter()
        .map(|&block| (block, of(block)))
        .filter(|(_, (k, _))| *k == kind)
        .map(|(block, (_, bodies))| (block, bodies));
    let mut window = [(NONE, [WORLD; 2]); WINDOW];
    let mut len = 0;
    let mut before = [[WORLD; 2]; LANES];
    loop {
        while len < WINDOW
            && let Some(next) = source.next()
        {
            window[len] = next;
            len += 1;
        }
        if len == 0 {
            return;
        }
        let mut pack = [NONE; LANES];
        let mut taken = [[WORLD; 2]; LANES];
        let (mut count, mut kept) = (0, 0);
        for i in 0..len {
            let (block, bodies) = window[i];
            let meets = |body: u32| {
                let mut busy = taken[..count].iter().chain(&before);
                body != WORLD && busy.any(|pair| pair.contains(&body))
            };
            if count < LANES && !meets(bodies[0]) && !meets(bodies[1]) {
                pack[count] = block;
                taken[count] = bodies;
                count += 1;
            } else {
                window[kept] = window[i];
                kept += 1;
                if count == LANES {
                    // It is full: what is left only moves up.
                    window.copy_within(i + 1..len, kept);
                    kept += len - i - 1;
                    break;
                }
            }
        }
        len = kept;
        before = taken;
        if count > 0 {
            packs.push(pack);
        }
    }
}
