//! The order in which blocks are eliminated, and what each elimination touches.
//!
//! Works on blocks, not on single rows: a graph of bodies has a sixth of the nodes of its matrix,
//! and a thirty-sixth of the entries. Approximate minimum degree orders it, or nested dissection
//! (file `dissection`) where that is less work. Blocks that are eliminated one after the other and
//! touch nearly the same rows make one node (a supernode), so that the work is done on dense
//! panels.
//!
//! The theory and its words are those of J. Liu 1992 (The multifrontal method for sparse matrix
//! solution: theory and practice): elimination tree, front, update matrix.

use std::ops::Range;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

use super::dissection::{self, Graph};

/// Multiplications of a factor from which dissection is tried: it takes about as long as one or two
/// such factors, of which a solve makes some dozen.
const WORTH_DISSECTION: f64 = 1e9;

/// Blocks around a part that are taken as joined. Parts in space have some hundred.
const MOST_AROUND: usize = 1000;

/// No parent: a root.
const NONE: usize = usize::MAX;

/// Up to so many columns, the largest share of a node's panel that may be zeros. The next block may
/// have rows that the node's columns lack. The node takes it in all the same, as long as the zeros
/// there are no more than that: narrow panels cost more in calls than zeros in arithmetic. In the
/// manner of CHOLMOD's relaxed supernodes; not tuned.
const ZEROS: [(usize, f64); 3] = [(12, 0.6), (24, 0.3), (48, 0.1)];
/// The same of panels with more columns.
const ZEROS_OF_WIDE: f64 = 0.05;

/// Blocks that are eliminated together, as one dense panel of columns.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    /// First unknown, in the order of elimination.
    pub first: usize,
    /// Columns of the panel.
    pub width: usize,
    /// Rows of the panel: its own columns, then those below.
    pub height: usize,
    /// Where the panel begins among the values, column after column.
    pub panel: usize,
    /// The rows below: which of [`Tree::runs`].
    pub runs: Range<usize>,
    /// The node whose front takes up what this one leaves; `None` of a root.
    pub parent: Option<usize>,
    /// Which of [`Tree::children`] leave something to this one.
    pub children: Range<usize>,
}

impl Node {
    /// Rows below the panel's own.
    pub fn below(&self) -> usize {
        self.height - self.width
    }

    /// Numbers of its update matrix.
    pub fn update(&self) -> usize {
        self.below() * self.below()
    }

    /// Multiplications that eliminate it.
    pub fn multiplications(&self) -> f64 {
        multiplications(self.width, self.height)
    }
}

/// Rows of a panel that follow each other, here and in the front of the parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Run {
    /// First unknown, in the order of elimination.
    pub first: usize,
    pub len: usize,
    /// The first one's row in the front of the parent.
    pub in_parent: usize,
}

/// How a matrix of blocks is eliminated.
#[derive(Debug)]
pub(super) struct Tree {
    /// Children before parents.
    pub nodes: Vec<Node>,
    pub runs: Vec<Run>,
    /// Those of each node, in order.
    pub children: Vec<usize>,
    /// First unknown of each block, in the order of elimination.
    pub places: Vec<usize>,
    /// The node of each block.
    pub node_of: Vec<usize>,
    /// Numbers in all panels.
    pub values: usize,
}

impl Tree {
    /// Analyses blocks of these sizes, joined by `pairs`; `None` if the panels would hold more than
    /// `most` numbers.
    pub fn new(sizes: &[usize], pairs: &[[usize; 2]], most: usize) -> Option<Self> {
        let by_degree = Elimination::new(&by_degree(sizes.len(), pairs)?, sizes, pairs, most);
        let work = by_degree.as_ref().map(Elimination::multiplications);
        let best = if work.is_none_or(|work| work > WORTH_DISSECTION) {
            let by_parts = Elimination::new(&by_parts(sizes.len(), pairs), sizes, pairs, most);
            let is_less = |parts: &Elimination| work.is_none_or(|w| parts.multiplications() < w);
            by_parts.filter(is_less).or(by_degree)
        } else {
            by_degree
        };
        best.and_then(|elimination| Self::lay_out(&elimination, most))
    }

    fn lay_out(elimination: &Elimination, most: usize) -> Option<Self> {
        let Elimination {
            order,
            sizes,
            parents,
            structures,
        } = elimination;
        let spans = spans(sizes, structures, parents);
        let mut firsts = vec![0];
        for size in sizes {
            firsts.push(firsts[firsts.len() - 1] + size);
        }
        let mut node_at = vec![0; order.len()];
        for (node, span) in spans.iter().enumerate() {
            node_at[span.clone()].fill(node);
        }
        let mut tree = Self {
            nodes: Vec::with_capacity(spans.len()),
            runs: Vec::new(),
            children: Vec::new(),
            places: vec![0; order.len()],
            node_of: vec![0; order.len()],
            values: 0,
        };
        for (at, &block) in order.iter().enumerate() {
            tree.places[block] = firsts[at];
            tree.node_of[block] = node_at[at];
        }
        for span in &spans {
            let below = &structures[span.end - 1];
            let width = firsts[span.end] - firsts[span.start];
            let height = width + below.iter().map(|&row| sizes[row]).sum::<usize>();
            let first_run = tree.runs.len();
            for &row in below {
                let next = Run {
                    first: firsts[row],
                    len: sizes[row],
                    in_parent: 0,
                };
                tree.runs.push(next);
            }
            tree.nodes.push(Node {
                first: firsts[span.start],
                width,
                height,
                panel: tree.values,
                runs: first_run..tree.runs.len(),
                parent: below.first().map(|&row| node_at[row]),
                children: 0..0,
            });
            tree.values = tree.values.checked_add(width.checked_mul(height)?)?;
            if tree.values > most {
                return None;
            }
        }
        tree.find_children();
        tree.find_in_parents();
        Some(tree)
    }

    /// Lists the children of each node.
    fn find_children(&mut self) {
        let mut starts = vec![0; self.nodes.len() + 1];
        let parents = self.nodes.iter().map(|node| node.parent);
        parents.flatten().for_each(|parent| starts[parent + 1] += 1);
        for node in 0..self.nodes.len() {
            starts[node + 1] += starts[node];
            self.nodes[node].children = starts[node]..starts[node];
        }
        self.children = vec![0; starts[self.nodes.len()]];
        for child in 0..self.nodes.len() {
            if let Some(parent) = self.nodes[child].parent {
                let children = &mut self.nodes[parent].children;
                self.children[children.end] = child;
                children.end += 1;
            }
        }
    }

    /// Where the rows of each node lie in the front of its parent; neighbours become one run.
    fn find_in_parents(&mut self) {
        let mut joined: Vec<Run> = Vec::with_capacity(self.runs.len());
        let mut ranges = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let start = joined.len();
            if let Some(parent) = node.parent.map(|parent| &self.nodes[parent]) {
                let mut above = self.runs[parent.runs.clone()].iter();
                // Rows of the parent before those of `run`, and the run at hand.
                let (mut row, mut run) = (parent.width, above.next());
                for mine in &self.runs[node.runs.clone()] {
                    let in_parent = if mine.first < parent.first + parent.width {
                        mine.first - parent.first
                    } else {
                        while let Some(other) = run.filter(|other| other.first < mine.first) {
                            row += other.len;
                            run = above.next();
                        }
                        row
                    };
                    let last = joined[start..].last_mut();
                    match last {
                        Some(last)
                            if last.first + last.len == mine.first
                                && last.in_parent + last.len == in_parent =>
                        {
                            last.len += mine.len;
                        }
                        _ => joined.push(Run { in_parent, ..*mine }),
                    }
                }
            }
            ranges.push(start..joined.len());
        }
        for (node, range) in self.nodes.iter_mut().zip(ranges) {
            node.runs = range;
        }
        self.runs = joined;
    }

    /// The row of an unknown in the panel of a node that has it.
    pub fn row_of(&self, node: &Node, unknown: usize) -> Option<usize> {
        if unknown < node.first + node.width {
            return unknown.checked_sub(node.first);
        }
        let mut row = node.width;
        for run in &self.runs[node.runs.clone()] {
            if unknown < run.first + run.len {
                return Some(row + unknown.checked_sub(run.first)?);
            }
            row += run.len;
        }
        None
    }
}

/// What each block touches when blocks are eliminated in some order. All lists are in that order,
/// and so are the numbers in them.
struct Elimination {
    /// The blocks, by the numbers that they came with.
    order: Vec<usize>,
    sizes: Vec<usize>,
    parents: Vec<usize>,
    /// The rows below each.
    structures: Vec<Vec<usize>>,
}

impl Elimination {
    /// `None` if the factor would hold more than `most` numbers.
    fn new(order: &[usize], sizes: &[usize], pairs: &[[usize; 2]], most: usize) -> Option<Self> {
        let (order, graph, parents) = in_post_order(order, pairs);
        let sizes: Vec<usize> = order.iter().map(|&block| sizes[block]).collect();
        let structures = structures(&sizes, &graph, &parents, most)?;
        Some(Self {
            order,
            sizes,
            parents,
            structures,
        })
    }

    /// Multiplications of a factorisation.
    fn multiplications(&self) -> f64 {
        let blocks = self.sizes.iter().zip(&self.structures);
        let work = blocks.map(|(&size, below)| {
            let rows: usize = below.iter().map(|&row| self.sizes[row]).sum();
            multiplications(size, size + rows)
        });
        work.sum()
    }
}

/// The squares of the lengths of a panel's columns.
fn multiplications(width: usize, height: usize) -> f64 {
    let square = |length: usize| (length * length) as f64;
    (0..width).map(|k| square(height - k)).sum()
}

/// Nested dissection, with minimum degree in the small parts.
fn by_parts(blocks: usize, pairs: &[[usize; 2]]) -> Vec<usize> {
    let graph = Graph::new(blocks, pairs);
    let mut number = vec![NONE; blocks];
    dissection::order(&graph, |part| {
        let mut all = part.clone();
        part.iter().enumerate().for_each(|(k, &b)| number[b] = k);
        let mut own = Vec::new();
        for (k, &block) in part.iter().enumerate() {
            for &other in graph.of(block) {
                if number[other] == NONE {
                    number[other] = all.len();
                    all.push(other);
                }
                let i = number[other];
                if i > k {
                    own.push([i, k]);
                }
            }
        }
        // Blocks around the part come later, and are all joined by then: so they are from the start,
        // else they would look cheap.
        for i in part.len()..all.len().min(part.len() + MOST_AROUND) {
            own.extend((part.len()..i).map(|k| [i, k]));
        }
        own.extend((0..all.len()).map(|k| [k, k]));
        own.sort_unstable_by_key(|&[i, j]| (j, i));
        all.iter().for_each(|&block| number[block] = NONE);
        match by_degree(all.len(), &own) {
            Some(order) => order.iter().filter_map(|&k| part.get(k).copied()).collect(),
            None => part,
        }
    })
}

/// Approximate minimum degree: which block comes when. `None` where a list would be too long.
fn by_degree(blocks: usize, pairs: &[[usize; 2]]) -> Option<Vec<usize>> {
    let mut starts = vec![0; blocks + 1];
    for &[_, column] in pairs {
        starts[column + 1] += 1;
    }
    for column in 0..blocks {
        starts[column + 1] += starts[column];
    }
    // Sorted by columns, as they are given.
    let rows: Vec<usize> = pairs.iter().map(|&[row, _]| row).collect();
    let graph = SymbolicSparseColMatRef::new_checked(blocks, blocks, &starts, None, &rows);
    let (mut order, mut inverse) = (vec![0; blocks], vec![0; blocks]);
    let scratch = amd::order_scratch::<usize>(blocks, pairs.len());
    let mut memory = MemBuffer::try_new(scratch).ok()?;
    let stack = MemStack::new(&mut memory);
    amd::order(
        &mut order,
        &mut inverse,
        graph,
        amd::Control::default(),
        stack,
    )
    .ok()?;
    Some(order)
}

/// An order with the same elimination tree in which children stand right before their parents. With
/// it, by new numbers: the rows below each block, and the parents.
fn in_post_order(
    order: &[usize],
    pairs: &[[usize; 2]],
) -> (Vec<usize>, Vec<Vec<usize>>, Vec<usize>) {
    let graph = below(order, pairs);
    let parents = elimination_tree(&graph);
    let post = post_order(&parents);
    let order: Vec<usize> = post.iter().map(|&at| order[at]).collect();
    let mut new = vec![0; post.len()];
    post.iter().enumerate().for_each(|(k, &at)| new[at] = k);
    let parent = |&at: &usize| parents[at];
    let renamed = |parent: usize| if parent == NONE { NONE } else { new[parent] };
    let parents = post.iter().map(parent).map(renamed).collect();
    (order.clone(), below(&order, pairs), parents)
}

/// The rows below the diagonal of each column, once the blocks are in order.
fn below(order: &[usize], pairs: &[[usize; 2]]) -> Vec<Vec<usize>> {
    let mut new = vec![0; order.len()];
    order.iter().enumerate().for_each(|(k, &b)| new[b] = k);
    let mut graph = vec![Vec::new(); order.len()];
    for &[i, j] in pairs.iter().filter(|[i, j]| i != j) {
        let (i, j) = (new[i], new[j]);
        graph[i.min(j)].push(i.max(j));
    }
    graph
}

/// The parent of each column: the first row below the diagonal of its factor (Liu 1992, §2).
fn elimination_tree(graph: &[Vec<usize>]) -> Vec<usize> {
    let n = graph.len();
    // By rows: the columns before each that it is joined with.
    let mut rows = vec![Vec::new(); n];
    for (j, below) in graph.iter().enumerate() {
        below.iter().for_each(|&i| rows[i].push(j));
    }
    let mut parents = vec![NONE; n];
    let mut ancestors = vec![NONE; n];
    for (i, columns) in rows.iter().enumerate() {
        for &column in columns {
            let mut at = column;
            while at != NONE && at != i {
                let next = std::mem::replace(&mut ancestors[at], i);
                if next == NONE {
                    parents[at] = i;
                }
                at = next;
            }
        }
    }
    parents
}

/// Children right before their parents.
fn post_order(parents: &[usize]) -> Vec<usize> {
    let n = parents.len();
    let mut children = vec![Vec::new(); n];
    let mut stack = Vec::new();
    for (at, &parent) in parents.iter().enumerate().rev() {
        match parent {
            NONE => stack.push(at),
            parent => children[parent].push(at),
        }
    }
    // Roots first, then children from the last to the first: backwards it is the order.
    let mut backwards = Vec::with_capacity(n);
    stack.reverse();
    while let Some(at) = stack.pop() {
        backwards.push(at);
        stack.extend(children[at].iter().rev());
    }
    backwards.reverse();
    backwards
}

/// The rows below the diagonal of each column of the factor, ascending. `None` if they are more than
/// `most` numbers.
fn structures(
    sizes: &[usize],
    graph: &[Vec<usize>],
    parents: &[usize],
    most: usize,
) -> Option<Vec<Vec<usize>>> {
    let mut structures: Vec<Vec<usize>> = graph.to_vec();
    let mut seen = vec![NONE; sizes.len()];
    let mut numbers = 0_usize;
    for j in 0..sizes.len() {
        structures[j].sort_unstable();
        structures[j].dedup();
        let rows: usize = structures[j].iter().map(|&i| sizes[i]).sum();
        numbers = numbers.checked_add(sizes[j].checked_mul(sizes[j] + rows)?)?;
        if numbers > most {
            return None;
        }
        if parents[j] != NONE {
            let child = std::mem::take(&mut structures[j]);
            let parent = &mut structures[parents[j]];
            parent.iter().for_each(|&i| seen[i] = j);
            parent.extend(child.iter().filter(|&&i| i != parents[j] && seen[i] != j));
            structures[j] = child;
        }
    }
    Some(structures)
}

/// Which blocks make a node.
fn spans(sizes: &[usize], structures: &[Vec<usize>], parents: &[usize]) -> Vec<Range<usize>> {
    let rows = |j: usize| structures[j].iter().map(|&i| sizes[i]).sum::<usize>();
    let mut spans: Vec<Range<usize>> = Vec::new();
    // Of the last node: its columns, the rows below, and the zeros in its panel.
    let (mut width, mut below, mut zeros) = (0, 0, 0);
    for j in 0..sizes.len() {
        let rows = rows(j);
        if let Some(last) = spans.last_mut().filter(|last| parents[last.end - 1] == j) {
            let more = zeros + width * (sizes[j] + rows - below);
            let wide = width + sizes[j];
            let panel = wide * (wide + rows);
            let allowed = ZEROS.iter().find(|(columns, _)| wide <= *columns);
            let share = allowed.map_or(ZEROS_OF_WIDE, |(_, share)| *share);
            if more as f64 <= share * panel as f64 {
                last.end = j + 1;
                (width, below, zeros) = (wide, rows, more);
                continue;
            }
        }
        spans.push(j..j + 1);
        (width, below, zeros) = (sizes[j], rows, 0);
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dissection_orders_a_box_where_it_is_less_work() {
        // 14³ blocks, joined along the axes: separators are layers of 196.
        let n = 14_usize;
        let blocks = n * n * n;
        let mut pairs = Vec::new();
        for block in 0..blocks {
            pairs.push([block, block]);
            let ends = [block % n, block / n % n, block / (n * n)];
            for (end, step) in ends.into_iter().zip([1, n, n * n]) {
                if end + 1 < n {
                    pairs.push([block + step, block]);
                }
            }
        }
        let sizes = vec![6; blocks];
        let by_degree = by_degree(blocks, &pairs).unwrap();
        let by_degree = Elimination::new(&by_degree, &sizes, &pairs, usize::MAX).unwrap();
        let tree = Tree::new(&sizes, &pairs, usize::MAX).unwrap();
        let work: f64 = tree.nodes.iter().map(Node::multiplications).sum();
        assert!(work < 0.9 * by_degree.multiplications(), "{work:e}");
        let mut places = tree.places.clone();
        places.sort_unstable();
        assert!(places.iter().copied().eq((0..blocks).map(|k| 6 * k)));
    }
}
