//! A tree of boxes over many primitives, so that a ray looks at few of them.
//!
//! It is split by the surface area heuristic over bins (Wald, "On fast construction of SAH-based
//! bounding volume hierarchies", 2007). Then it is flattened to four boxes in a node, which are
//! tested at once. Boxes are in single precision, padded by more than its rounding.
//!
//! `drystone-collide` has another tree for its meshes. That tree is slower for rays, and this one
//! is slower for the queries there; the file `shape/bvh.rs` in that crate says by how much.

mod build;

use drystone::Aabb;

use super::ray::Ray;
use build::{Subtree, grow};

/// Nodes that may wait while a ray descends: three for each level of the deepest tree. That has
/// [`build::DEEP`] levels, and below them at most 32 of halves of up to 2³² primitives.
const STACK: usize = 208;
/// Padding in units of the coordinates and of the view's distance: several roundings of single
/// precision, of which each is up to 6e-8.
const PADDING: f64 = 1e-6;

/// The tree.
#[derive(Debug, Default, PartialEq)]
pub struct Bvh {
    nodes: Vec<Node>,
    /// `order[i]` is which of the given boxes a visit means by `i`.
    pub order: Vec<u32>,
}

/// Four boxes, and what is in them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
struct Node {
    /// Lower then upper ends, by axis, of the four boxes.
    ends: [[[f32; 4]; 3]; 2],
    /// First primitive of a leaf, or the node.
    first: [u32; 4],
    /// Primitives of a leaf, or 0 for a node.
    count: [u32; 4],
}

impl Node {
    /// Boxes that no ray meets.
    const EMPTY: Self = Self {
        ends: [[[f32::INFINITY; 4]; 3], [[f32::NEG_INFINITY; 4]; 3]],
        first: [0; 4],
        count: [0; 4],
    };
}

impl Bvh {
    /// A tree over boxes, seen by rays that start within `reach` of the origin. Empty boxes are
    /// never met.
    pub fn new(boxes: &[Aabb], reach: f64) -> Self {
        let Some((tree, order)) = grow(boxes) else {
            return Self::default();
        };
        let mut nodes = Vec::with_capacity(order.len() / 2 + 1);
        flatten(&tree, &mut nodes, PADDING * reach);
        Self { nodes, order }
    }

    /// Shows `visit` all primitives whose boxes the ray meets between `near` and the distance that
    /// `visit` returned last, at first `far`. A distance below `near` ends the search.
    pub fn walk(&self, ray: &Ray, near: f64, far: f64, mut visit: impl FnMut(usize, f64) -> f64) {
        if self.nodes.is_empty() {
            return;
        }
        let narrow = NarrowRay::new(ray, near);
        let mut far = far;
        let mut stack = [(0u32, f32::NEG_INFINITY); STACK];
        let mut waiting = 1;
        while waiting > 0 {
            waiting -= 1;
            let (node, distance) = stack[waiting];
            // Rounded up, so that nothing at the very distance is lost.
            let reach = far as f32 * 1.000_001;
            if distance > reach {
                continue;
            }
            let node = &self.nodes[node as usize];
            let (enter, leave) = narrow.meet(node, reach);
            // The farthest inner boxes first onto the stack.
            let mut inner = [(0u32, 0f32); 4];
            let mut inside = 0;
            for lane in 0..4 {
                if enter[lane] > leave[lane] {
                    continue;
                }
                let (first, count) = (node.first[lane], node.count[lane]);
                if count == 0 {
                    // An empty lane: beyond single precision its box seems met, and the first node
                    // is nobody's child.
                    if first == 0 {
                        continue;
                    }
                    let mut at = inside;
                    while at > 0 && inner[at - 1].1 < enter[lane] {
                        inner[at] = inner[at - 1];
                        at -= 1;
                    }
                    inner[at] = (first, enter[lane]);
                    inside += 1;
                    continue;
                }
                for index in first..first + count {
                    far = visit(index as usize, far);
                }
                if far < near {
                    return;
                }
            }
            for next in &inner[..inside] {
                stack[waiting] = *next;
                waiting += 1;
            }
        }
    }
}

/// A ray in the single precision of the boxes.
struct NarrowRay {
    origin: [f32; 3],
    inverse: [f32; 3],
    /// Which end of a box it meets first, by axis.
    first: [usize; 3],
    near: f32,
}

impl NarrowRay {
    fn new(ray: &Ray, near: f64) -> Self {
        // A tiny speed in place of none: 0 times infinity is no number.
        let inverse = ray.direction.to_array().map(|v| {
            let v = v as f32;
            let speed = if v.abs() < 1e-30 {
                1e-30f32.copysign(v)
            } else {
                v
            };
            1.0 / speed
        });
        Self {
            origin: ray.origin.to_array().map(|v| v as f32),
            inverse,
            first: inverse.map(|v| usize::from(v < 0.0)),
            near: near as f32 * 0.999_999,
        }
    }

    /// Where it enters and leaves the four boxes; a box is missed if it is left before it is
    /// entered.
    #[inline]
    fn meet(&self, node: &Node, far: f32) -> ([f32; 4], [f32; 4]) {
        let (mut enter, mut leave) = ([self.near; 4], [far; 4]);
        for axis in 0..3 {
            let (origin, inverse) = (self.origin[axis], self.inverse[axis]);
            let low = &node.ends[self.first[axis]][axis];
            let high = &node.ends[1 - self.first[axis]][axis];
            for lane in 0..4 {
                let a = (low[lane] - origin) * inverse;
                let b = (high[lane] - origin) * inverse;
                enter[lane] = if a > enter[lane] { a } else { enter[lane] };
                leave[lane] = if b < leave[lane] { b } else { leave[lane] };
            }
        }
        (enter, leave)
    }
}

/// Writes a tree as nodes of four and returns the number of its node.
fn flatten(tree: &Subtree, nodes: &mut Vec<Node>, padding: f64) -> u32 {
    let place = nodes.len();
    nodes.push(Node::EMPTY);
    let mut lanes = vec![tree];
    // Open the largest pair until there are four.
    while lanes.len() < 4 {
        let opened = lanes
            .iter()
            .enumerate()
            .filter_map(|(k, lane)| match lane {
                Subtree::Pair { bounds, .. } => Some((k, bounds.surface_area())),
                Subtree::Leaf { .. } => None,
            })
            .max_by(|a, b| a.1.total_cmp(&b.1));
        let Some((k, _)) = opened else { break };
        if let Subtree::Pair { sides, .. } = lanes[k] {
            lanes[k] = &sides[0];
            lanes.push(&sides[1]);
        }
    }
    let mut node = Node::EMPTY;
    for (lane, tree) in lanes.into_iter().enumerate() {
        let bounds = tree.bounds();
        let pad = padding + PADDING * bounds.min.abs().max(bounds.max.abs()).max_element();
        for axis in 0..3 {
            node.ends[0][axis][lane] = (bounds.min[axis] - pad) as f32;
            node.ends[1][axis][lane] = (bounds.max[axis] + pad) as f32;
        }
        (node.first[lane], node.count[lane]) = match tree {
            Subtree::Leaf { first, count, .. } => (*first as u32, *count as u32),
            Subtree::Pair { .. } => (flatten(tree, nodes, padding), 0),
        };
    }
    nodes[place] = node;
    place as u32
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::super::ray::{Span, ball};
    use super::*;

    /// Fixed scattered points in the cube from 0 to 1.
    fn scatter(k: usize) -> DVec3 {
        let part = |step: f64| (k as f64 * step).fract();
        DVec3::new(
            part(0.819_172_513),
            part(0.671_043_607),
            part(0.549_700_478),
        )
    }

    fn balls(count: usize, size: f64, radius: f64) -> Vec<(DVec3, f64)> {
        let one = |k: usize| (size * scatter(k), radius * (0.2 + scatter(k + 7).x));
        (0..count).map(one).collect()
    }

    fn tree(balls: &[(DVec3, f64)], reach: f64) -> Bvh {
        let boxes: Vec<Aabb> = balls
            .iter()
            .map(|(c, r)| Aabb::around(*c, DVec3::splat(*r)))
            .collect();
        Bvh::new(&boxes, reach)
    }

    fn first(hit: Option<Span>) -> f64 {
        hit.map(|s| s.enter)
            .filter(|t| *t > 0.0)
            .unwrap_or(f64::INFINITY)
    }

    fn compare(balls: &[(DVec3, f64)], size: f64) {
        let bvh = tree(balls, 2.0 * size);
        let mut met = 0;
        for k in 0..300 {
            let origin = size * (3.0 * scatter(2 * k + 1) - DVec3::ONE);
            let toward = balls[(k * 7919) % balls.len()].0 + 0.01 * size * scatter(k + 5);
            let ray = Ray {
                origin,
                direction: (toward - origin).normalize(),
            };
            let brute = balls
                .iter()
                .map(|(c, r)| first(ball(&ray, *c, *r)))
                .fold(f64::INFINITY, f64::min);
            let mut found = f64::INFINITY;
            bvh.walk(&ray, 0.0, f64::INFINITY, |index, far| {
                let (center, radius) = balls[bvh.order[index] as usize];
                found = found.min(first(ball(&ray, center, radius)));
                far.min(found)
            });
            assert_eq!(found, brute, "{ray:?}");
            met += usize::from(brute.is_finite());
        }
        assert!(met > 50, "{met}");
    }

    #[test]
    fn the_tree_finds_what_looking_at_all_finds() {
        compare(&balls(3000, 1.0, 0.03), 1.0);
        // Sand in a hall.
        compare(&balls(3000, 100.0, 0.5), 100.0);
        compare(&balls(3000, 1e-3, 3e-5), 1e-3);
        compare(&balls(1, 1.0, 0.3), 1.0);
    }

    #[test]
    fn a_body_far_astray_does_not_spoil_the_rest() {
        let mut all = balls(2000, 0.01, 2e-4);
        // How many balls 200 rays look at.
        let looked = |all: &[(DVec3, f64)]| {
            let (bvh, mut looked) = (tree(all, 0.05), 0);
            for k in 0..200 {
                let origin = 0.01 * (3.0 * scatter(2 * k + 1) - DVec3::ONE);
                let direction = (all[k].0 - origin).normalize();
                let ray = Ray { origin, direction };
                bvh.walk(&ray, 0.0, f64::INFINITY, |_, far| {
                    looked += 1;
                    far
                });
            }
            looked
        };
        let before = looked(&all);
        all.push((DVec3::new(1e7, -3e6, 2e6), 1e-4));
        let after = looked(&all);
        assert!(after < before + before / 10, "{before} {after}");
        assert!(before < 200 * 200, "{before} of 400 000");
    }

    #[test]
    fn the_tree_does_not_depend_on_the_number_of_threads() {
        let all = balls(3 * build::SHARED, 1.0, 0.01);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build().unwrap().install(|| tree(&all, 2.0))
        };
        let one = on(1);
        assert_eq!(one.order.len(), all.len());
        assert!(one == on(2) && one == on(5));
    }

    #[test]
    fn balls_on_one_spot_and_nothing_at_all_are_fine() {
        let all = vec![(DVec3::ONE, 0.5); 1000];
        compare(&all, 1.0);
        let ray = Ray {
            origin: DVec3::ZERO,
            direction: DVec3::X,
        };
        Bvh::new(&[Aabb::EMPTY], 1.0)
            .walk(&ray, 0.0, f64::INFINITY, |_, _| panic!("nothing is there"));
    }

    #[test]
    fn rays_from_beyond_single_precision_come_to_an_end() {
        for far in [1e39, 1e100, 1e300] {
            let all = [(DVec3::ZERO, 1.0), (DVec3::new(far, 0.0, far), 0.5 * far)];
            let bvh = tree(&all, far);
            let ray = Ray {
                origin: DVec3::splat(-far),
                direction: DVec3::ONE.normalize(),
            };
            bvh.walk(&ray, 0.0, f64::INFINITY, |_, far| far);
        }
    }

    #[test]
    fn rays_along_the_axes_and_through_faces_of_boxes_are_not_lost() {
        let all = [(DVec3::ZERO, 1.0), (DVec3::new(4.0, 0.0, 0.0), 1.0)];
        let bvh = tree(&all, 10.0);
        let mut seen = 0;
        let ray = Ray {
            origin: DVec3::new(-5.0, 1.0, 0.0),
            direction: DVec3::X,
        };
        bvh.walk(&ray, 0.0, f64::INFINITY, |_, far| {
            seen += 1;
            far
        });
        assert_eq!(seen, 2);
    }
}
