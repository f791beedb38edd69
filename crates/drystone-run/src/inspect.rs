//! What can be said of a world before it runs: bodies that overlap, and how thick bodies are.

use std::collections::BTreeMap;

use drystone::{BodyId, BodyKind, Pose, Touch, World};

/// Bodies that overlap by less than this share of the thinner one merely touch.
const TOUCHING: f64 = 1e-6;

/// Two bodies that overlap.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlap {
    /// Their names.
    pub bodies: [String; 2],
    /// m.
    pub depth: f64,
    /// Depth over the thickness of the thinner moving body.
    pub share: f64,
}

/// All pairs that overlapped at the start of the last step, the deepest share first.
pub fn overlaps(world: &World) -> Vec<Overlap> {
    let mut deepest: BTreeMap<[BodyId; 2], f64> = BTreeMap::new();
    for contact in world.contacts().filter(|c| c.gap < 0.0) {
        let depth = deepest.entry(contact.bodies).or_default();
        *depth = depth.max(-contact.gap);
    }
    let overlap = |(bodies, depth): ([BodyId; 2], f64)| {
        let thinnest = bodies.iter().filter_map(|b| thickness(world, *b));
        let thinnest = thinnest.fold(f64::INFINITY, f64::min);
        Overlap {
            bodies: bodies.map(|b| world.name(b)),
            depth,
            share: depth / thinnest,
        }
    };
    let mut all: Vec<Overlap> = deepest.into_iter().map(overlap).collect();
    all.retain(|overlap| overlap.share > TOUCHING);
    all.sort_by(|a, b| b.share.total_cmp(&a.share));
    all
}

/// Shortest side of a moving body's box, m. None for one that touches nothing: its shape means
/// nothing.
pub fn thickness(world: &World, body: BodyId) -> Option<f64> {
    match world.kind(body) {
        BodyKind::Dynamic if world.touch(body) == Touch::Nothing => None,
        BodyKind::Dynamic => {
            let extent = world.shape(body).aabb(&Pose::IDENTITY).extent();
            Some(extent.min_element())
        }
        BodyKind::Fixed | BodyKind::Prescribed => None,
    }
}
