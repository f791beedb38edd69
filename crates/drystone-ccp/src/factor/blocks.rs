//! Sparse Cholesky of a matrix given in small dense blocks: analysed once, factored every
//! iteration. One process holds the whole matrix.
//!
//! The multifrontal method (Liu 1992) on a tree of dense panels (file `tree`): a node adds up what
//! its children left, eliminates its own columns (file `dense`), and leaves what that changes of
//! the rows below, its update matrix, to its parent. Parts of the tree are eliminated side by side
//! (file `stretches`), with the same bits on any number of threads.

mod dense;
mod dissection;
mod stretches;
mod tree;

use dense::{Pivots, backwards, forwards, invert, product, transposed_product};
use stretches::Stretches;
use tree::{Node, Tree};

use pulp::NullaryFnOnce;

use super::{PER_ROW, PER_ROW_IN_BLOCKS};

/// The lower triangle of a symmetric matrix of blocks, and then its factor in the same place.
#[derive(Debug)]
pub(crate) struct BlockCholesky {
    offsets: Vec<usize>,
    tree: Tree,
    /// The panels of all nodes.
    values: Vec<f64>,
    /// Where the diagonal lies among them.
    diagonal: Vec<usize>,
    stretches: Stretches,
    /// Whether the panels are made ready for many solves.
    inverted: bool,
    /// Unknowns in the order of elimination, and those of one front.
    x: Vec<f64>,
    front: Vec<f64>,
    /// Rows of a sweep that take as long as a factorisation and a solve.
    rows_of_work: f64,
}

/// Where a block's entries lie among the values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// Block row and block column, row not before column.
    pub block: [usize; 2],
    /// The first entry.
    first: usize,
    /// From one column of the panel to the next.
    stride: usize,
    /// Whether its rows are columns of the panel.
    turned: bool,
}

/// What the analysis found before any large allocation.
pub(crate) enum Analysis {
    /// Ready to factor.
    Fits(Box<BlockCholesky>, Vec<Place>),
    /// The factor would take more than the bound, or more than can be counted.
    TooLarge,
}

impl BlockCholesky {
    /// Analyses the pattern of `pairs` (block row >= block column, sorted by column, then row;
    /// every diagonal block present) of blocks that start at `offsets`. `bytes` bounds the factor.
    pub fn analyse(offsets: &[usize], pairs: &[[usize; 2]], bytes: usize) -> Analysis {
        let sizes: Vec<usize> = offsets.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let most = bytes / size_of::<f64>();
        let fits = Tree::new(&sizes, pairs, most)
            .and_then(|tree| Stretches::new(&tree, most).map(|stretches| (tree, stretches)));
        let Some((tree, stretches)) = fits else {
            return Analysis::TooLarge;
        };
        let places = pairs.iter().map(|&block| place(&tree, block)).collect();
        let tallest = tree.nodes.iter().map(|node| node.height).max().unwrap_or(0);
        let mut diagonal = Vec::with_capacity(offsets[sizes.len()]);
        for node in &tree.nodes {
            diagonal.extend((0..node.width).map(|k| node.panel + k * (node.height + 1)));
        }
        let this = Self {
            offsets: offsets.to_vec(),
            values: vec![0.0; tree.values],
            diagonal,
            stretches,
            inverted: false,
            x: vec![0.0; offsets[sizes.len()]],
            front: vec![0.0; tallest],
            rows_of_work: rows_of_work(&tree),
            tree,
        };
        Analysis::Fits(Box::new(this), places)
    }

    /// Sets the matrix to zero.
    pub fn set_zero(&mut self) {
        self.values.fill(0.0);
    }

    /// Sets the matrix to the identity.
    pub fn set_identity(&mut self) {
        self.set_zero();
        for &at in &self.diagonal {
            self.values[at] = 1.0;
        }
    }

    /// Adds a dense block, row-major; of a diagonal one the lower triangle.
    pub fn add(&mut self, place: Place, dense: &[f64]) {
        let [i, j] = place.block;
        let width = self.offsets[j + 1] - self.offsets[j];
        let height = self.offsets[i + 1] - self.offsets[i];
        let values = &mut self.values[place.first..];
        if place.turned {
            for (column, row) in values
                .chunks_mut(place.stride)
                .zip(dense.chunks(width))
                .take(height)
            {
                column.iter_mut().zip(row).for_each(|(x, d)| *x += d);
            }
            return;
        }
        for (c, column) in values.chunks_mut(place.stride).take(width).enumerate() {
            let top = if i == j { c } else { 0 };
            for r in top..height {
                column[r] += dense[r * width + c];
            }
        }
    }

    /// Factors the present values, which it takes the place of. False: they are not positive
    /// definite to rounding.
    pub fn factor(&mut self) -> bool {
        self.factor_by(Pivots::Positive)
    }

    /// The same for a matrix with a unit diagonal; rows that depend on others but for this share
    /// are dropped: their unknowns come out as zero. False: a number is not finite.
    pub fn factor_independent(&mut self, share: f64) -> bool {
        self.factor_by(Pivots::Dropping(share))
    }

    /// A factorisation in sweeps over a problem of so many rows.
    pub fn work(&self, rows: usize) -> f64 {
        self.rows_of_work / rows as f64
    }

    /// Offsets of the blocks.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// Makes a factor ready for many solves. It inverts the triangles on the diagonal: for matrices
    /// that are far from singular. Once it is ready, nothing changes.
    pub fn prepare_solves(&mut self) {
        if self.inverted {
            return;
        }
        for node in &self.tree.nodes {
            let end = node.panel + node.width * node.height;
            invert(&mut self.values[node.panel..end], node.height, node.width);
        }
        self.inverted = true;
    }

    fn factor_by(&mut self, pivots: Pivots) -> bool {
        self.inverted = false;
        self.stretches
            .eliminate(&self.tree, &mut self.values, pivots)
    }

    /// Overwrites `b` with the solution.
    pub fn solve(&mut self, b: &mut [f64]) {
        let blocks = self.offsets.windows(2).zip(&self.tree.places);
        for (ends, &place) in blocks.clone() {
            let len = ends[1] - ends[0];
            self.x[place..place + len].copy_from_slice(&b[ends[0]..ends[1]]);
        }
        pulp::Arch::new().dispatch(Solve {
            tree: &self.tree,
            values: &self.values,
            inverted: self.inverted,
            x: &mut self.x,
            front: &mut self.front,
        });
        for (ends, &place) in blocks {
            let len = ends[1] - ends[0];
            b[ends[0]..ends[1]].copy_from_slice(&self.x[place..place + len]);
        }
    }
}

/// Where a block goes: into the panel of the block that is eliminated first.
fn place(tree: &Tree, block: [usize; 2]) -> Place {
    let [mut row, mut column] = block;
    let turned = tree.places[row] < tree.places[column];
    if turned {
        (row, column) = (column, row);
    }
    let node = &tree.nodes[tree.node_of[column]];
    let at = tree.row_of(node, tree.places[row]);
    let at = at.expect("a panel has all rows that its blocks are joined with");
    Place {
        block,
        first: node.panel + (tree.places[column] - node.first) * node.height + at,
        stride: node.height,
        turned,
    }
}

/// Rows of a sweep that take as long as a factorisation, whose multiplications are the squares
/// of the lengths of the factor's columns, and a solve. By the figures of `faer`'s dense blocks:
/// on piles this factor takes as long.
fn rows_of_work(tree: &Tree) -> f64 {
    let factor: f64 = tree.nodes.iter().map(Node::multiplications).sum();
    factor / PER_ROW_IN_BLOCKS + 2.0 * tree.values as f64 / PER_ROW
}

/// A solve at work.
struct Solve<'a> {
    tree: &'a Tree,
    values: &'a [f64],
    inverted: bool,
    x: &'a mut [f64],
    front: &'a mut [f64],
}

impl NullaryFnOnce for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Tree { nodes, runs, .. } = self.tree;
        for node in nodes {
            let panel = &self.values[node.panel..];
            let mine = &mut self.x[node.first..node.first + node.width];
            if self.inverted {
                product(panel, node.height, mine, self.front);
            } else {
                let (own, below) = self.front[..node.height].split_at_mut(node.width);
                own.copy_from_slice(mine);
                below.fill(0.0);
                forwards(panel, node.height, node.width, self.front);
            }
            mine.copy_from_slice(&self.front[..node.width]);
            let mut row = node.width;
            for run in &runs[node.runs.clone()] {
                let to = self.x[run.first..run.first + run.len].iter_mut();
                to.zip(&self.front[row..]).for_each(|(x, f)| *x += f);
                row += run.len;
            }
        }
        for node in nodes.iter().rev() {
            let mine = node.first..node.first + node.width;
            self.front[..node.width].copy_from_slice(&self.x[mine.clone()]);
            let mut row = node.width;
            for run in &runs[node.runs.clone()] {
                let from = &self.x[run.first..run.first + run.len];
                self.front[row..row + run.len].copy_from_slice(from);
                row += run.len;
            }
            let panel = &self.values[node.panel..];
            if self.inverted {
                transposed_product(panel, node.height, self.front, &mut self.x[mine]);
            } else {
                backwards(panel, node.height, node.width, self.front);
                self.x[mine].copy_from_slice(&self.front[..node.width]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::dense::{AT_ONCE, LARGE, STRIP};
    use super::*;
    use crate::testing::Random;

    /// A random graph of blocks of one to six rows, its matrix in whole, and that matrix in place.
    struct Case {
        whole: Vec<Vec<f64>>,
        factor: Box<BlockCholesky>,
    }

    impl Case {
        fn new(seed: u64, blocks: usize, joined: f64) -> Self {
            let mut random = Random::new(seed);
            let mut offsets = vec![0];
            for k in 0..blocks {
                offsets.push(offsets[k] + random.between(1.0, 7.0) as usize);
            }
            let mut pairs: Vec<[usize; 2]> = Vec::new();
            for j in 0..blocks {
                pairs.push([j, j]);
                pairs.extend((j + 1..blocks).map(|i| [i, j]));
                let near = |[i, j]: &[usize; 2]| i - j <= 1;
                pairs.retain(|pair| pair[1] < j || near(pair) || random.between(0.0, 1.0) < joined);
            }
            let Analysis::Fits(mut factor, places) =
                BlockCholesky::analyse(&offsets, &pairs, 1 << 30)
            else {
                panic!("it is small");
            };
            let n = offsets[blocks];
            let mut whole = vec![vec![0.0; n]; n];
            factor.set_identity();
            (0..n).for_each(|k| whole[k][k] = 1.0);
            for (&[i, j], &place) in pairs.iter().zip(&places) {
                let (rows, columns) = (offsets[i]..offsets[i + 1], offsets[j]..offsets[j + 1]);
                let mut dense = Vec::new();
                for r in rows.clone() {
                    for c in columns.clone() {
                        // Symmetric, and its diagonal outweighs the rest.
                        let value = if r == c {
                            n as f64
                        } else {
                            random.between(-1.0, 1.0)
                        };
                        let value = if i == j && c > r { 0.0 } else { value };
                        dense.push(value);
                        whole[r][c] += value;
                        if r != c && !(i == j && c > r) {
                            whole[c][r] += value;
                        }
                    }
                }
                factor.add(place, &dense);
            }
            Self { whole, factor }
        }

        /// Whether a product is so large that threads share it: of the rows below a panel, or of
        /// its own columns after the first that are eliminated.
        fn forks(&self) -> bool {
            let shared = |[rows, columns, count]: [usize; 3]| {
                columns > STRIP && rows * columns * count >= LARGE
            };
            let forks = |node: &Node| {
                let below = node.below();
                let [rows, columns] = [node.height, node.width].map(|n| n.saturating_sub(AT_ONCE));
                shared([below, below, node.width]) || shared([rows, columns, AT_ONCE])
            };
            self.factor.tree.nodes.iter().any(forks)
        }

        /// Largest entry of `A x − b` after a solve.
        fn error(&mut self, b: &[f64]) -> f64 {
            let mut x = b.to_vec();
            self.factor.solve(&mut x);
            let off = |(row, b): (&Vec<f64>, &f64)| {
                let product: f64 = row.iter().zip(&x).map(|(a, x)| a * x).sum();
                (product - b).abs()
            };
            self.whole.iter().zip(b).map(off).fold(0.0, f64::max)
        }
    }

    #[test]
    fn solves_random_graphs() {
        for (seed, blocks, joined) in [
            (1, 1, 0.0),
            (2, 7, 0.0),
            (3, 40, 0.02),
            (4, 60, 0.1),
            (5, 30, 1.0),
            (6, 300, 0.003),
        ] {
            let mut case = Case::new(seed, blocks, joined);
            assert!(case.factor.factor());
            let b: Vec<f64> = (0..case.whole.len()).map(|k| (k as f64).sin()).collect();
            let error = case.error(&b);
            assert!(error < 1e-12, "{blocks} blocks: {error}");
            case.factor.prepare_solves();
            let error = case.error(&b);
            assert!(
                error < 1e-12,
                "{blocks} blocks, ready for many solves: {error}"
            );
            // Once more changes nothing.
            case.factor.prepare_solves();
            assert_eq!(case.error(&b), error);
        }
    }

    #[test]
    fn the_same_bits_on_any_number_of_threads() {
        // Many subtrees beside each other, and few under a trunk with large products.
        for (joined, stretches, forks) in [(0.001, 5, false), (0.004, 2, true)] {
            let solved_on = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                pool.build().unwrap().install(|| {
                    let mut case = Case::new(8, 400, joined);
                    assert!(case.factor.stretches.count() >= stretches);
                    assert!(!forks || case.forks());
                    assert!(case.factor.factor());
                    let mut x: Vec<f64> = (0..case.whole.len()).map(|k| (k as f64).sin()).collect();
                    case.factor.solve(&mut x);
                    x
                })
            };
            let alone = solved_on(1);
            for threads in [2, 3, 8] {
                assert_eq!(alone, solved_on(threads), "{threads} threads");
            }
        }
    }

    #[test]
    fn a_matrix_with_a_negative_direction_is_refused() {
        // [ 1 2 ; 2 1 ] has the eigenvalue −1.
        let Analysis::Fits(mut factor, places) =
            BlockCholesky::analyse(&[0, 2], &[[0, 0]], 1 << 20)
        else {
            panic!("it is small");
        };
        factor.set_zero();
        factor.add(places[0], &[1.0, 0.0, 2.0, 1.0]);
        assert!(!factor.factor());
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let values = [value, 0.0, 2.0, 1.0];
            factor.set_zero();
            factor.add(places[0], &values);
            assert!(!factor.factor(), "{value}");
            factor.set_zero();
            factor.add(places[0], &values);
            assert!(!factor.factor_independent(1e-10), "{value}");
        }
    }

    #[test]
    fn rows_that_depend_on_others_are_dropped() {
        // The second row is the first once more: x = (3, 0) or (0, 3), either will do.
        let pairs = [[0, 0], [1, 0], [1, 1]];
        let Analysis::Fits(mut factor, places) =
            BlockCholesky::analyse(&[0, 1, 2], &pairs, 1 << 20)
        else {
            panic!("it is small");
        };
        factor.set_zero();
        places.iter().for_each(|&place| factor.add(place, &[1.0]));
        assert!(factor.factor_independent(1e-10));
        let solved = |factor: &mut BlockCholesky| {
            let mut x = [3.0, 3.0];
            factor.solve(&mut x);
            assert!(
                (x[0] + x[1] - 3.0).abs() < 1e-12 && x[0].min(x[1]).abs() < 1e-99,
                "{x:?}"
            );
        };
        solved(&mut factor);
        factor.prepare_solves();
        solved(&mut factor);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let pairs = [[0, 0], [1, 0], [1, 1]];
        assert!(matches!(
            BlockCholesky::analyse(&[0, 3, 6], &pairs, 8 * 26),
            Analysis::TooLarge
        ));
    }
}
