//! Bodies that start in one place: each overlaps all the others, so that contacts go with the
//! square of their number.

use std::collections::BTreeMap;

use drystone::{BodyId, BodyKind, Touch, World};

/// Most pairs of bodies that lie in each other at the start. Their contacts take several gigabytes,
/// and no step pushes so many apart.
pub(super) const MOST_PAIRS: u64 = 2_000_000;

/// Most bodies in one place. The time of a step goes with more than the third power of their
/// number: of 100 boxes it takes seconds, of 200 minutes. Nobody means more; a forgotten `spacing`
/// does it.
pub(super) const MOST_IN_PLACE: u64 = 100;

/// The fullest place, and how many pairs overlap at least.
pub(super) struct Crowd {
    /// Pairs in all places together.
    pub pairs: u64,
    /// Bodies in the fullest place.
    pub fullest: u64,
    /// One of them.
    pub body: Option<BodyId>,
}

/// Counts bodies by place, in time that goes with their number. Two moving bodies of about one size
/// whose middles are less than a quarter of their thickness apart overlap for certain.
pub(super) fn crowd(world: &World) -> Crowd {
    let mut places: BTreeMap<[i64; 4], (u64, BodyId)> = BTreeMap::new();
    for body in world.ids() {
        let takes_part = world.kind(body) == BodyKind::Dynamic
            && world.is_enabled(body)
            && world.touch(body) == Touch::All;
        let bounds = world.shape(body).aabb(&world.pose(body));
        let thickness = bounds.extent().min_element();
        if !(takes_part && thickness.is_finite() && thickness > 0.0) {
            continue;
        }
        // Sizes within a factor of two share cells, an eighth of the larger size wide.
        let size = thickness.log2().ceil();
        let cell = 0.125 * size.exp2();
        let [x, y, z] = (bounds.center() / cell).floor().to_array();
        let place = [size as i64, x as i64, y as i64, z as i64];
        places.entry(place).or_insert((0, body)).0 += 1;
    }
    let mut crowd = Crowd {
        pairs: 0,
        fullest: 0,
        body: None,
    };
    for (count, body) in places.into_values() {
        crowd.pairs += count * (count - 1) / 2;
        if count > crowd.fullest {
            (crowd.fullest, crowd.body) = (count, Some(body));
        }
    }
    crowd
}
