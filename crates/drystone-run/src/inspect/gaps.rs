//! Narrow gaps between bodies that were written one by one: bricks that should touch.

use std::collections::BTreeSet;

use drystone::{Aabb, BodyId, BodyKind, Pose, Touch, World};
use drystone_collide::narrow::{Scratch, contacts};

use super::thickness;

/// A gap narrower than this share of the thinner body is suspicious: such a step is hardly meant,
/// and
/// easily made by a rounded length.
const NARROW: f64 = 0.02;

/// A gap below this share is rounding or play, and nobody sees the body fall.
const CLOSED: f64 = 1e-3;

/// Most pairs whose boxes are compared: some tenths of a second.
const MOST_PAIRS: usize = 50_000_000;

/// Two bodies that nearly touch.
#[derive(Clone, Debug, PartialEq)]
pub struct Gap {
    /// Their names.
    pub bodies: [String; 2],
    /// m.
    pub gap: f64,
    /// Over the thickness of the thinner moving body.
    pub share: f64,
}

/// Pairs of bodies that nearly touch, the narrowest share first, where one of the two moves.
/// `is_written` says of a body that it is not one of many grains, `is_play` of a pair that its gap
/// is meant. None where there are too many to look at.
pub fn narrow_gaps(
    world: &World,
    is_written: impl Fn(BodyId) -> bool,
    is_play: impl Fn(BodyId, BodyId) -> bool,
) -> Vec<Gap> {
    let solid = |b: &BodyId| world.is_enabled(*b) && world.touch(*b) == Touch::All;
    let bodies: Vec<(BodyId, Pose, Aabb)> = world
        .ids()
        .filter(solid)
        .filter(|b| is_written(*b))
        .map(|b| {
            let pose = world.pose(b);
            (b, pose, world.shape(b).aabb(&pose))
        })
        .collect();
    let moving = bodies
        .iter()
        .filter(|(b, ..)| world.kind(*b) == BodyKind::Dynamic);
    let moving: Vec<_> = moving.collect();
    if moving.len() * bodies.len() > MOST_PAIRS {
        return Vec::new();
    }
    let joined = joined(world);
    let mut points = Vec::new();
    let mut gaps = Vec::new();
    for (a, pose_a, bounds_a) in moving {
        let Some(thick_a) = thickness(world, *a) else {
            continue;
        };
        let near = bounds_a.grown(NARROW * thick_a);
        for (b, pose_b, bounds_b) in &bodies {
            let both_move = world.kind(*b) == BodyKind::Dynamic;
            let pair = [(*a).min(*b), (*a).max(*b)];
            let apart = joined.contains(&pair) || !near.overlaps(bounds_b);
            if a == b || (both_move && b < a) || apart || is_play(*a, *b) {
                continue;
            }
            let thinner = thickness(world, *b).map_or(thick_a, |t| t.min(thick_a));
            let (one, other) = ((world.shape(*a), pose_a), (world.shape(*b), pose_b));
            points.clear();
            contacts(
                one,
                other,
                NARROW * thinner,
                &mut Scratch::default(),
                &mut points,
            );
            let gap = points.iter().map(|p| p.gap).fold(f64::INFINITY, f64::min);
            let share = gap / thinner;
            if share > CLOSED && share <= NARROW {
                let bodies = [*a, *b].map(|body| world.name(body));
                gaps.push(Gap { bodies, gap, share });
            }
        }
    }
    gaps.sort_by(|a, b| a.share.total_cmp(&b.share));
    gaps
}

/// Pairs that a joint holds together.
fn joined(world: &World) -> BTreeSet<[BodyId; 2]> {
    let pair = |joint| match world.joint_bodies(joint) {
        [Some(a), Some(b)] => Some([a.min(b), a.max(b)]),
        _ => None,
    };
    world.joints().filter_map(pair).collect()
}
