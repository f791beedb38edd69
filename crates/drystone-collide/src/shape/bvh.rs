//! A tree of boxes over the triangles of a mesh.

use crate::aabb::Aabb;

/// Boxes in a binary tree, stored in depth-first order: a node's first child follows it, and `skip` leads past its subtree, so
/// that a query walks one array without a stack.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bvh {
    nodes: Vec<Node>,
    items: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq)]
struct Node {
    bounds: Aabb,
    skip: u32,
    /// Items of a leaf; an empty range for inner nodes.
    first: u32,
    count: u32,
}

/// Items a leaf at most.
const LEAF: usize = 4;

impl Bvh {
    pub(super) fn new(boxes: &[Aabb]) -> Self {
        let mut tree = Self {
            nodes: Vec::with_capacity(boxes.len()),
            items: (0..boxes.len() as u32).collect(),
        };
        tree.build(boxes, 0, boxes.len());
        tree
    }

    /// Makes the subtree of `items[start..end]`, split at the median of the longest axis: depth is logarithmic.
    fn build(&mut self, boxes: &[Aabb], start: usize, end: usize) {
        let items = &mut self.items[start..end];
        let bounds = items
            .iter()
            .fold(Aabb::EMPTY, |b, &i| b.union(&boxes[i as usize]));
        let index = self.nodes.len();
        let leaf = end - start <= LEAF;
        self.nodes.push(Node {
            bounds,
            skip: 0,
            first: start as u32,
            count: if leaf { (end - start) as u32 } else { 0 },
        });
        if !leaf {
            let axis = bounds.extent().max_position();
            let middle = (end - start) / 2;
            items.select_nth_unstable_by(middle, |&i, &j| {
                let center = |k: u32| boxes[k as usize].center()[axis];
                center(i).total_cmp(&center(j)).then(i.cmp(&j))
            });
            self.build(boxes, start, start + middle);
            self.build(boxes, start + middle, end);
        }
        self.nodes[index].skip = self.nodes.len() as u32;
    }

    /// The box around everything.
    pub(super) fn bounds(&self) -> Aabb {
        self.nodes[0].bounds
    }

    /// Calls `f` with every item of the leaves that overlap `region`; the caller checks the items' own boxes where it matters.
    pub(super) fn query(&self, region: &Aabb, mut f: impl FnMut(u32)) {
        let mut i = 0;
        while let Some(node) = self.nodes.get(i) {
            if !node.bounds.overlaps(region) {
                i = node.skip as usize;
                continue;
            }
            let first = node.first as usize;
            for &item in &self.items[first..first + node.count as usize] {
                f(item);
            }
            i += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn query_finds_what_brute_force_finds() {
        let mut rng = rand_pcg::Pcg64::seed_from_u64(3);
        let mut vector = |scale: f64| DVec3::new(rng.random(), rng.random(), rng.random()) * scale;
        let boxes: Vec<Aabb> = (0..300)
            .map(|_| Aabb::around(vector(1.0), vector(0.05)))
            .collect();
        let tree = Bvh::new(&boxes);
        for _ in 0..100 {
            let region = Aabb::around(vector(1.0), vector(0.2));
            let mut found = Vec::new();
            tree.query(&region, |i| {
                if boxes[i as usize].overlaps(&region) {
                    found.push(i);
                }
            });
            found.sort_unstable();
            let expected: Vec<u32> = (0..300)
                .filter(|&i| boxes[i as usize].overlaps(&region))
                .collect();
            assert_eq!(found, expected);
        }
    }
}
