//! The elimination itself: which nodes are eliminated side by side, and where their update matrices
//! lie.
//!
//! Children come before parents, so the nodes of a subtree follow each other, and so do their
//! panels. A stretch is one subtree or some in a row. Stretches know nothing of each other and run
//! at once. What is above them, the trunk, follows node by node; there the large products are
//! shared among threads (file `dense`). Cuts depend on the tree alone, and a front adds up its
//! children in one order: the bits are the same on any number of threads.

use std::ops::Range;

use pulp::NullaryFnOnce;

use super::dense::{Columns, Pivots, downdate, eliminate};
use super::tree::{Node, Tree};

/// About how many stretches a tree is cut into: more than threads, so that those that end early find
/// more to do.
const STRETCHES: f64 = 16.0;

/// A factor of fewer multiplications is too small for threads: it takes some tens of microseconds,
/// and to wake a thread takes some.
const SMALL: f64 = 2e5;

/// How a tree is cut, and room for its update matrices.
#[derive(Debug)]
pub(super) struct Stretches {
    stretches: Vec<Stretch>,
    /// The nodes that are in none.
    trunk: Vec<usize>,
    /// The update matrices of the trunk.
    updates: Vec<f64>,
    /// Where each node's update matrix lies.
    slots: Vec<Slot>,
}

/// Subtrees in a row.
#[derive(Debug)]
struct Stretch {
    nodes: Range<usize>,
    /// Their panels among the values.
    panels: Range<usize>,
    /// The update matrices that no parent has taken yet, as a stack.
    updates: Vec<f64>,
}

/// The place of an update matrix.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// The stretch whose stack it lies in; `None` of the trunk's.
    stretch: Option<usize>,
    /// Where it is made: above those of the children, which it takes up.
    made: usize,
    /// Where it is moved to once they are gone.
    at: usize,
}

impl Stretches {
    /// Cuts a tree; `None` if the update matrices would take more than `most` numbers.
    pub fn new(tree: &Tree, most: usize) -> Option<Self> {
        let ranges = cut(&tree.nodes);
        let mut slots = vec![Slot::default(); tree.nodes.len()];
        let mut sizes = Vec::with_capacity(ranges.len());
        for (k, range) in ranges.iter().enumerate() {
            range.clone().for_each(|node| slots[node].stretch = Some(k));
            sizes.push(stack(tree, range.clone(), &mut slots)?);
        }
        let is_trunk = |&node: &usize| slots[node].stretch.is_none();
        let trunk: Vec<usize> = (0..tree.nodes.len()).filter(is_trunk).collect();
        let of_trunk = stack(tree, trunk.iter().copied(), &mut slots)?;
        let mut all = sizes.iter();
        let total = all.try_fold(of_trunk, |sum: usize, &size| sum.checked_add(size))?;
        if total > most {
            return None;
        }
        let end = |node: usize| tree.nodes.get(node).map_or(tree.values, |node| node.panel);
        let stretch = |(nodes, size): (Range<usize>, usize)| Stretch {
            panels: tree.nodes[nodes.start].panel..end(nodes.end),
            nodes,
            updates: vec![0.0; size],
        };
        Some(Self {
            stretches: ranges.into_iter().zip(sizes).map(stretch).collect(),
            trunk,
            updates: vec![0.0; of_trunk],
            slots,
        })
    }

    /// How many there are.
    #[cfg(test)]
    pub fn count(&self) -> usize {
        self.stretches.len()
    }

    /// Eliminates all nodes. False: a pivot is no good.
    pub fn eliminate(&mut self, tree: &Tree, values: &mut [f64], pivots: Pivots) -> bool {
        let shared = Shared {
            tree,
            slots: &self.slots,
            pivots,
        };
        let parallel = rayon::current_num_threads() > 1;
        if !at_once(shared, &mut self.stretches, values, 0, parallel) {
            return false;
        }
        pulp::Arch::new().dispatch(Elimination {
            shared,
            nodes: self.trunk.iter().copied(),
            values,
            first: 0,
            updates: &mut self.updates,
            done: &self.stretches,
        })
    }
}

/// The nodes of each stretch. A subtree with more than its part of the work belongs to the trunk,
/// but its children may not.
fn cut(nodes: &[Node]) -> Vec<Range<usize>> {
    let mut work: Vec<f64> = nodes.iter().map(Node::multiplications).collect();
    let total: f64 = work.iter().sum();
    if total < SMALL {
        return Vec::new();
    }
    for (k, node) in nodes.iter().enumerate() {
        if let Some(parent) = node.parent {
            work[parent] += work[k];
        }
    }
    let part = total / STRETCHES;
    let mut ranges = Vec::new();
    let (mut start, mut sum) = (0, 0.0);
    for (k, node) in nodes.iter().enumerate() {
        if work[k] > part {
            if start < k {
                ranges.push(start..k);
            }
            (start, sum) = (k + 1, 0.0);
        } else if node.parent.is_none_or(|parent| work[parent] > part) {
            // A whole subtree ends here.
            sum += work[k];
            if sum > part {
                ranges.push(start..k + 1);
                (start, sum) = (k + 1, 0.0);
            }
        }
    }
    if start < nodes.len() {
        ranges.push(start..nodes.len());
    }
    ranges
}

/// Gives the update matrices of some nodes their places in one stack; returns its size. `None` if
/// it cannot be counted.
fn stack(tree: &Tree, nodes: impl Iterator<Item = usize>, slots: &mut [Slot]) -> Option<usize> {
    let (mut top, mut most) = (0_usize, 0);
    for index in nodes {
        let node = &tree.nodes[index];
        let mine = slots[index].stretch;
        let mut taken = tree.children[node.children.clone()]
            .iter()
            .map(|&child| slots[child])
            .filter(|slot| slot.stretch == mine);
        let at = taken.next().map_or(top, |first| first.at);
        let size = node.below().checked_mul(node.below())?;
        most = most.max(top.checked_add(size)?);
        slots[index] = Slot {
            stretch: mine,
            made: top,
            at,
        };
        // A root leaves nothing.
        top = at + size;
    }
    Some(most)
}

/// What all threads look at.
#[derive(Clone, Copy)]
struct Shared<'a> {
    tree: &'a Tree,
    slots: &'a [Slot],
    pivots: Pivots,
}

/// Eliminates some stretches that follow each other. `values` begin with the one of number `first`.
fn at_once(
    shared: Shared<'_>,
    stretches: &mut [Stretch],
    values: &mut [f64],
    first: usize,
    parallel: bool,
) -> bool {
    match stretches {
        [] => true,
        [one] => pulp::Arch::new().dispatch(Elimination {
            shared,
            nodes: one.nodes.clone(),
            values: &mut values[one.panels.start - first..one.panels.end - first],
            first: one.panels.start,
            updates: &mut one.updates,
            done: &[],
        }),
        some => {
            let (left, right) = some.split_at_mut(some.len() / 2);
            let cut = right[0].panels.start;
            let (before, after) = values.split_at_mut(cut - first);
            let mut do_left = || at_once(shared, left, before, first, parallel);
            let mut do_right = || at_once(shared, right, after, cut, parallel);
            let (left, right) = if parallel {
                rayon::join(do_left, do_right)
            } else {
                (do_left(), do_right())
            };
            left && right
        }
    }
}

/// One thread at work on some nodes.
struct Elimination<'a, I> {
    shared: Shared<'a>,
    nodes: I,
    /// Panels, and the number of the first value.
    values: &'a mut [f64],
    first: usize,
    /// The stack of update matrices.
    updates: &'a mut [f64],
    /// What has been eliminated before.
    done: &'a [Stretch],
}

impl<I: Iterator<Item = usize>> NullaryFnOnce for Elimination<'_, I> {
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        let Shared {
            tree,
            slots,
            pivots,
        } = self.shared;
        for index in self.nodes {
            let (node, slot) = (&tree.nodes[index], slots[index]);
            let (below, height) = (node.below(), node.height);
            let panel = &mut self.values[node.panel - self.first..][..node.width * height];
            let (waiting, own) = self.updates.split_at_mut(slot.made);
            let own = &mut own[..node.update()];
            own.fill(0.0);
            for &child in tree.children[node.children.clone()].iter().rev() {
                let slot = slots[child];
                let done = slot.stretch.and_then(|stretch| self.done.get(stretch));
                let child = &tree.nodes[child];
                let update = &done.map_or(&*waiting, |done| &done.updates)[slot.at..];
                let front = Front {
                    panel: &mut *panel,
                    own: &mut *own,
                };
                extend(tree, [child, node], &update[..child.update()], front);
            }
            if !eliminate(panel, height, node.width, pivots) {
                return false;
            }
            let factors = Columns {
                values: panel,
                height,
                count: node.width,
            };
            downdate(own, below, factors, node.width, below, 0);
            self.updates
                .copy_within(slot.made..slot.made + node.update(), slot.at);
        }
        true
    }
}

/// What a node works on: its own columns, and the update matrix of the rows below.
struct Front<'a> {
    panel: &'a mut [f64],
    own: &'a mut [f64],
}

/// Adds the update matrix of a child to the front of its parent.
#[inline(always)]
fn extend(tree: &Tree, [child, parent]: [&Node; 2], update: &[f64], front: Front<'_>) {
    let runs = &tree.runs[child.runs.clone()];
    let mut column = 0;
    for (k, run) in runs.iter().enumerate() {
        for c in 0..run.len {
            let target = run.in_parent + c;
            let mut from = &update[column * child.below() + column..(column + 1) * child.below()];
            let (to, above) = if target < parent.width {
                (&mut front.panel[target * parent.height..], 0)
            } else {
                let target = target - parent.width;
                (&mut front.own[target * parent.below()..], parent.width)
            };
            // Of its own run what is on and below the diagonal, then the runs that follow.
            let mut first = target - above;
            let mut len = run.len - c;
            for next in k + 1..=runs.len() {
                let (now, rest) = from.split_at(len);
                to[first..first + len]
                    .iter_mut()
                    .zip(now)
                    .for_each(|(x, u)| *x += u);
                from = rest;
                if let Some(run) = runs.get(next) {
                    (first, len) = (run.in_parent - above, run.len);
                }
            }
            column += 1;
        }
    }
}
