//! How the tree of boxes grows.

use drystone::Aabb;
use glam::DVec3;

/// Bins along the axis of a split, as many as Wald takes.
const BINS: usize = 16;
/// Most primitives in a leaf. Larger ones are split even where that looks no cheaper.
const LEAF: usize = 6;
/// Cost of testing a node's boxes, in tests of one primitive: four boxes at once are taken to cost
/// as much as one ball.
const NODE_COST: f64 = 1.0;
/// Below this depth ranges are halved, so that no input makes a tree too deep for the stack. A
/// balanced tree of a million grains has 20 levels.
pub const DEEP: usize = 36;
/// Up to this number of primitives a thread of its own costs more than it saves.
pub const SHARED: usize = 8192;
/// A box while the tree grows.
#[derive(Clone, Copy)]
struct Entry {
    bounds: Aabb,
    center: DVec3,
    index: u32,
}

/// A tree of pairs, before it is flattened.
pub enum Subtree {
    /// Primitives that follow each other in the order.
    Leaf {
        /// The first of them.
        first: usize,
        /// How many.
        count: usize,
        /// The box around them.
        bounds: Aabb,
    },
    /// Two subtrees.
    Pair {
        /// The two.
        sides: Box<[Subtree; 2]>,
        /// The box around both.
        bounds: Aabb,
    },
}

impl Subtree {
    /// The box around all of it.
    pub fn bounds(&self) -> &Aabb {
        match self {
            Self::Leaf { bounds, .. } | Self::Pair { bounds, .. } => bounds,
        }
    }
}

/// A tree over boxes, and the order in which its leaves take them; nothing where all are empty.
pub fn grow(boxes: &[Aabb]) -> Option<(Subtree, Vec<u32>)> {
    let entry = |(index, bounds): (usize, &Aabb)| Entry {
        bounds: *bounds,
        center: bounds.center(),
        index: index as u32,
    };
    let filled = boxes.iter().enumerate().filter(|(_, b)| !b.is_empty());
    let mut entries: Vec<Entry> = filled.map(entry).collect();
    if entries.is_empty() {
        return None;
    }
    let tree = grow_part(&mut entries, 0, 0);
    Some((tree, entries.iter().map(|e| e.index).collect()))
}

/// The tree over entries that stand from `first` on in the order. Sorts them into that order.
fn grow_part(entries: &mut [Entry], first: usize, depth: usize) -> Subtree {
    let bounds = entries
        .iter()
        .fold(Aabb::EMPTY, |all, e| all.union(&e.bounds));
    let Some(middle) = split(entries, &bounds, depth) else {
        return Subtree::Leaf {
            first,
            count: entries.len(),
            bounds,
        };
    };
    let shared = entries.len() > SHARED;
    let (left, right) = entries.split_at_mut(middle);
    let mut sides = (
        || grow_part(left, first, depth + 1),
        || grow_part(right, first + middle, depth + 1),
    );
    let (a, b) = if shared {
        rayon::join(&mut sides.0, &mut sides.1)
    } else {
        (sides.0(), sides.1())
    };
    Subtree::Pair {
        sides: Box::new([a, b]),
        bounds,
    }
}

/// Sorts entries to two sides and says where the second begins; none where a leaf is cheaper.
fn split(entries: &mut [Entry], bounds: &Aabb, depth: usize) -> Option<usize> {
    let count = entries.len();
    if count <= 1 {
        return None;
    }
    let centers = Aabb::of_points(entries.iter().map(|e| e.center));
    let axis = (centers.max - centers.min).max_position();
    let (low, width) = (centers.min[axis], centers.max[axis] - centers.min[axis]);
    // Primitives on one spot, and trees too deep, are halved by number.
    if width.is_nan() || width <= 0.0 || depth >= DEEP {
        if count <= LEAF {
            return None;
        }
        let by_center = |a: &Entry, b: &Entry| {
            let along = a.center[axis].total_cmp(&b.center[axis]);
            along.then(a.index.cmp(&b.index))
        };
        entries.sort_unstable_by(by_center);
        return Some(count / 2);
    }
    let bin = |e: &Entry| {
        let share = (e.center[axis] - low) / width;
        ((share * BINS as f64) as usize).min(BINS - 1)
    };
    let (cut, cost) = cheapest_cut(entries, bin);
    let whole = bounds.surface_area();
    if count <= LEAF && NODE_COST * whole + cost >= count as f64 * whole {
        return None;
    }
    let middle = partition(entries, |e| bin(e) < cut);
    (middle > 0 && middle < count).then_some(middle)
}

/// The first bin of the right side, and the cost: primitives on each side times its surface.
fn cheapest_cut(entries: &[Entry], bin: impl Fn(&Entry) -> usize) -> (usize, f64) {
    let mut bins = [(Aabb::EMPTY, 0usize); BINS];
    for entry in entries {
        let (bounds, count) = &mut bins[bin(entry)];
        *bounds = bounds.union(&entry.bounds);
        *count += 1;
    }
    let cost = |(bounds, count): &(Aabb, usize)| {
        if *count == 0 {
            0.0
        } else {
            *count as f64 * bounds.surface_area()
        }
    };
    let join = |a: &(Aabb, usize), b: &(Aabb, usize)| (a.0.union(&b.0), a.1 + b.1);
    let mut right = [0.0; BINS];
    let mut all = (Aabb::EMPTY, 0);
    for k in (1..BINS).rev() {
        all = join(&all, &bins[k]);
        right[k] = cost(&all);
    }
    let mut best = (1, f64::INFINITY);
    all = (Aabb::EMPTY, 0);
    for k in 1..BINS {
        all = join(&all, &bins[k - 1]);
        let sum = cost(&all) + right[k];
        if sum < best.1 {
            best = (k, sum);
        }
    }
    best
}

/// Those that pass first, and how many they are. Its order depends on the order given alone.
fn partition(entries: &mut [Entry], pass: impl Fn(&Entry) -> bool) -> usize {
    let mut passed = 0;
    for k in 0..entries.len() {
        if pass(&entries[k]) {
            entries.swap(passed, k);
            passed += 1;
        }
    }
    passed
}
