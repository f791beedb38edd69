//! What can be said of a world before it runs: bodies that overlap, how thick bodies are, how large
//! what stands is, and what may not be as meant.

mod gaps;
mod travel;

use std::collections::BTreeMap;

use drystone::{Aabb, BodyId, BodyKind, Pose, Shape, Touch, World};

pub use gaps::{Gap, narrow_gaps};
pub use travel::{Travel, farthest_travel};

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

/// How much room bodies of one name take that no force moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Extent {
    /// Their name.
    pub name: String,
    /// How many there are.
    pub bodies: usize,
    /// The box around all of them, m.
    pub bounds: Aabb,
    /// Whether one of them is a mesh or a height field: its size stands in a file, without a unit.
    pub is_surface: bool,
}

/// The extents of all that stands or follows a motion, by name in the order of the scene. Planes
/// have none.
pub fn extents(world: &World) -> Vec<Extent> {
    let mut extents: Vec<Extent> = Vec::new();
    for body in world.ids().filter(|b| world.kind(*b) != BodyKind::Dynamic) {
        let shape = world.shape(body);
        if *shape == Shape::Plane {
            continue;
        }
        let bounds = shape.aabb(&world.pose(body));
        let is_surface = matches!(shape, Shape::Mesh(_) | Shape::HeightField(_));
        let name = world.group_name(body);
        // Bodies of one name mostly follow each other.
        match extents.iter_mut().rev().find(|extent| extent.name == name) {
            Some(extent) => {
                extent.bodies += 1;
                extent.bounds = extent.bounds.union(&bounds);
                extent.is_surface |= is_surface;
            }
            None => extents.push(Extent {
                name: name.to_owned(),
                bodies: 1,
                bounds,
                is_surface,
            }),
        }
    }
    extents
}
