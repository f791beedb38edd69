//! A tree of boxes over the triangles of a mesh.
//!
//! The ray tracer of `drystone-draw` has a tree of its own, and that is measured, not an oversight.
//! Its nodes hold four boxes in single precision, split by the surface area heuristic. Asked for
//! the triangles around a grain, such nodes took up to a quarter longer than this tree on meshes
//! of up to 80 000 triangles, and as long on larger ones. This tree in turn took 1.2 to 2.7 times
//! as long for rays. The order in which triangles are found also decides which of two equal
//! contact points is kept, so another tree would change results.

use crate::aabb::Aabb;

/// A binary tree of boxes, stored in depth-first order: a node's first child follows it, and `skip`
/// leads past its subtree. So a query walks one array without a stack.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bvh {
    nodes: Vec<Node>,
    /// The items of all leaves, leaf after leaf.
    items: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq)]
struct Node {
    bounds: Aabb,
    /// The first node after this one's subtree.
    skip: u32,
    /// First item of a leaf.
    first: u32,
    /// Items of a leaf; 0 for an inner node.
    count: u32,
}

/// Most items in a leaf. Testing four triangles takes about as long as testing two more boxes.
const LEAF: usize = 4;

impl Bvh {
    /// A tree over `boxes`, of which there is at least one.
    pub(super) fn new(boxes: &[Aabb]) -> Self {
        let mut tree = Self {
            nodes: Vec::with_capacity(boxes.len()),
            items: (0..boxes.len() as u32).collect(),
        };
        tree.build(boxes, 0, boxes.len());
        tree
    }

    /// Makes the subtree of `items[start..end]`. It is split at the median along the longest axis,
    /// so that the depth is logarithmic whatever the mesh.
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

    /// Calls `f` with every item of the leaves that overlap `region`. The caller checks the items'
    /// own boxes where it matters.
    pub(super) fn query(&self, region: &Aabb, f: impl FnMut(u32)) {
        self.visit(|bounds| bounds.overlaps(region), f);
    }

    /// Calls `f` with every item of the leaves that `enter` lets in, by their boxes and by those
    /// of all nodes above them.
    pub(super) fn visit(&self, mut enter: impl FnMut(&Aabb) -> bool, mut f: impl FnMut(u32)) {
        let mut i = 0;
        while let Some(node) = self.nodes.get(i) {
            if !enter(&node.bounds) {
                i = node.skip as usize;
                continue;
            }
            for &item in self.items_of(node) {
                f(item);
            }
            i += 1;
        }
    }

    /// The items of one leaf: from the root on, always the child of greater `measure`.
    pub(super) fn best_leaf(&self, measure: impl Fn(&Aabb) -> f64) -> &[u32] {
        let mut i = 0;
        while self.nodes[i].count == 0 {
            let (first, second) = (i + 1, self.nodes[i + 1].skip as usize);
            let values = [first, second].map(|child| measure(&self.nodes[child].bounds));
            i = if values[1] > values[0] { second } else { first };
        }
        self.items_of(&self.nodes[i])
    }

    fn items_of(&self, node: &Node) -> &[u32] {
        let first = node.first as usize;
        &self.items[first..first + node.count as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use rand::{RngExt, SeedableRng};

    fn boxes(rng: &mut rand_pcg::Pcg64, count: usize) -> Vec<Aabb> {
        let mut vector = |scale: f64| DVec3::new(rng.random(), rng.random(), rng.random()) * scale;
        (0..count)
            .map(|_| Aabb::around(vector(1.0), vector(0.05)))
            .collect()
    }

    #[test]
    fn query_finds_what_brute_force_finds() {
        let mut rng = rand_pcg::Pcg64::seed_from_u64(3);
        for count in [1, 4, 5, 300] {
            let boxes = boxes(&mut rng, count);
            let tree = Bvh::new(&boxes);
            let mut vector =
                |scale: f64| DVec3::new(rng.random(), rng.random(), rng.random()) * scale;
            let mut hits = 0;
            for _ in 0..100 {
                let region = Aabb::around(vector(1.0), vector(0.2));
                let mut found = Vec::new();
                tree.query(&region, |i| {
                    if boxes[i as usize].overlaps(&region) {
                        found.push(i);
                    }
                });
                found.sort_unstable();
                let expected: Vec<u32> = (0..count as u32)
                    .filter(|&i| boxes[i as usize].overlaps(&region))
                    .collect();
                assert_eq!(found, expected);
                hits += found.len();
            }
            assert!(hits > 0, "{count} boxes, and no region met one");
        }
    }

    #[test]
    fn the_best_leaf_lies_at_the_end() {
        let mut rng = rand_pcg::Pcg64::seed_from_u64(4);
        let boxes = boxes(&mut rng, 300);
        let tree = Bvh::new(&boxes);
        let leaf = tree.best_leaf(|b| b.max.x);
        let farthest = leaf.iter().map(|&i| boxes[i as usize].max.x);
        // Nodes hold the bounds of all below them: the greatest is followed down to its leaf.
        assert_eq!(farthest.fold(0.0, f64::max), tree.bounds().max.x);
    }
}
