//! The velocity form, the primal model of Mazhar 2014, eq. 23: `I + Bᵀ B` on the graph of bodies,
//! `B = R⁻ᵀ S Dᵀ L` with `M⁻¹ = L Lᵀ`.
//!
//! Eliminating the impulses from `(S N S + G) x = b`, `G = RᵀR`, leaves six unknowns per body
//! whatever its contacts: `x = R⁻¹ (c − B y)`, `(I + BᵀB) y = Bᵀ c`, `c = R⁻ᵀ b`. This is the
//! formula of Sherman, Morrison and Woodbury. Because `L` stands on both sides, a body that cannot
//! move is just an identity. For one process, which holds the graph of all bodies.

use super::local::LocalFactor;
use super::model::Model;
use crate::cone::MAX_ROWS;
use crate::factor::blocks::{Analysis, BlockCholesky, Place};
use crate::operator::{BodyInertia, NO_BODY, TwoBody};

/// Unknowns of a body: three velocities and three turning rates.
const DOF: usize = 6;

/// A graph of bodies, its factor and what the analysis found: kept from one solve to the next, since
/// the graph of what stands or hangs together stays the same.
#[derive(Debug)]
pub(super) struct Analysed {
    bytes: usize,
    bodies: usize,
    /// Bodies that blocks join, the later one first, and every body with itself; sorted by the
    /// earlier one. Their places in the factor.
    graph: Vec<[usize; 2]>,
    places: Vec<Place>,
    factor: Box<BlockCholesky>,
}

impl Analysed {
    /// Analyses the graph of blocks between these pairs, unless it is that of `last`; `None` if the
    /// factor would take more than `bytes`.
    fn new(bodies: usize, pairs: &[[usize; 2]], bytes: usize, last: Option<Self>) -> Option<Self> {
        let mut graph: Vec<[usize; 2]> = (0..bodies).map(|b| [b, b]).collect();
        graph.extend(pairs.iter().filter_map(|&pair| joint(pair)));
        graph.sort_unstable_by_key(|&[i, j]| (j, i));
        graph.dedup();
        let is_same =
            |last: &Self| last.bytes == bytes && last.bodies == bodies && last.graph == graph;
        if let Some(last) = last.filter(is_same) {
            return Some(last);
        }
        let offsets: Vec<usize> = (0..=bodies).map(|b| DOF * b).collect();
        match BlockCholesky::analyse(&offsets, &graph, bytes) {
            Analysis::Fits(factor, places) => Some(Self {
                bytes,
                bodies,
                graph,
                places,
                factor,
            }),
            Analysis::TooLarge => None,
        }
    }

    fn place(&self, [i, j]: [usize; 2]) -> Option<Place> {
        let index = self.graph.binary_search_by_key(&(j, i), |&[i, j]| (j, i));
        index.ok().map(|k| self.places[k])
    }
}

/// The scaled Jacobian and the factor of the matrix above.
#[derive(Debug)]
pub(super) struct Velocities {
    analysed: Analysed,
    /// Places of the first body's own block, the second's, and of the one that joins them.
    places: Vec<[Option<Place>; 3]>,
    pairs: Vec<[usize; 2]>,
    /// The rows of `S Dᵀ L`: six entries for the first body, then six for the second.
    jacobian: Vec<[f64; 2 * DOF]>,
    /// `B`, in the same layout.
    transformed: Vec<[f64; 2 * DOF]>,
    /// Diagonal of `S E S`.
    pub compliance: Vec<f64>,
    y: Vec<f64>,
}

impl Velocities {
    /// Scales the Jacobian and analyses the graph, unless it is that of `last`; `None` if the factor
    /// would take more than `bytes`.
    pub fn new(
        operator: &TwoBody,
        model: &Model,
        bytes: usize,
        last: Option<Analysed>,
    ) -> Option<Self> {
        let bodies = operator.bodies().len();
        let blocks = operator.offsets().len() - 1;
        let pairs: Vec<[usize; 2]> = (0..blocks).map(|i| operator.pair(i)).collect();
        let analysed = Analysed::new(bodies, &pairs, bytes, last)?;
        let place = |pair: [usize; 2]| analysed.place(pair);
        let own = |body: usize| {
            if body == NO_BODY {
                None
            } else {
                place([body; 2])
            }
        };
        let places = pairs
            .iter()
            .map(|&pair| [own(pair[0]), own(pair[1]), joint(pair).and_then(place)])
            .collect();
        let roots: Vec<[f64; 7]> = operator.bodies().iter().map(inertia_root).collect();
        let mut jacobian = operator.jacobian();
        for (block, pair) in pairs.iter().enumerate() {
            for row in operator.block(block).rows() {
                jacobian[row] = scaled_row(&jacobian[row], model.scale[row], pair, &roots);
            }
        }
        let compliance = operator.compliance().into_iter().zip(&model.scale);
        Some(Self {
            analysed,
            places,
            pairs,
            transformed: jacobian.clone(),
            jacobian,
            compliance: compliance.map(|(e, s)| s * e * s).collect(),
            y: vec![0.0; DOF * bodies],
        })
    }

    /// What the next solve may use again.
    pub fn into_analysed(self) -> Analysed {
        self.analysed
    }

    /// Factors for new local factors (of scaling, compliance and regularisation). False: rounding
    /// won.
    pub fn factor(&mut self, local: &LocalFactor) -> bool {
        self.analysed.factor.set_identity();
        let offsets = local.offsets();
        for block in 0..self.pairs.len() {
            let rows = offsets[block]..offsets[block + 1];
            let (d, inverse) = (rows.len(), local.inverse(block));
            let mut b = [[0.0; 2 * DOF]; MAX_ROWS];
            for (j, b) in b[..d].iter_mut().enumerate() {
                for i in 0..=j {
                    let weight = inverse[i * d + j];
                    let row = &self.jacobian[rows.start + i];
                    (0..2 * DOF).for_each(|k| b[k] += weight * row[k]);
                }
            }
            self.transformed[rows].copy_from_slice(&b[..d]);
            self.add_block(block, &b[..d]);
        }
        self.analysed.factor.factor()
    }

    /// A factorisation in sweeps over so many rows.
    pub fn factor_work(&self, rows: usize) -> f64 {
        self.analysed.factor.work(rows)
    }

    /// Adds `bᵀ b` of one block's rows.
    fn add_block(&mut self, block: usize, b: &[[f64; 2 * DOF]]) {
        let [first, second] = self.pairs[block];
        let product = |left: usize, right: usize| {
            let mut out = [0.0; DOF * DOF];
            for row in b {
                for r in 0..DOF {
                    let weight = row[DOF * left + r];
                    (0..DOF).for_each(|c| out[DOF * r + c] += weight * row[DOF * right + c]);
                }
            }
            out
        };
        let [own_first, own_second, between] = self.places[block];
        if let Some(place) = own_first {
            self.analysed.factor.add(place, &product(0, 0));
        }
        if let Some(place) = own_second {
            self.analysed.factor.add(place, &product(1, 1));
        }
        if let Some(place) = between {
            let (row, column) = if first > second { (0, 1) } else { (1, 0) };
            self.analysed.factor.add(place, &product(row, column));
        }
    }

    /// Overwrites a transformed right-hand side `c` with `c − B (I + BᵀB)⁻¹ Bᵀ c`.
    pub fn solve(&mut self, offsets: &[usize], c: &mut [f64]) {
        self.y.fill(0.0);
        for (block, pair) in self.pairs.iter().enumerate() {
            for (side, &body) in pair.iter().enumerate().filter(|(_, b)| **b != NO_BODY) {
                let y = &mut self.y[DOF * body..DOF * (body + 1)];
                for row in offsets[block]..offsets[block + 1] {
                    let b = &self.transformed[row][DOF * side..DOF * (side + 1)];
                    (0..DOF).for_each(|k| y[k] += b[k] * c[row]);
                }
            }
        }
        self.analysed.factor.solve(&mut self.y);
        for (block, pair) in self.pairs.iter().enumerate() {
            for (side, &body) in pair.iter().enumerate().filter(|(_, b)| **b != NO_BODY) {
                let y = &self.y[DOF * body..DOF * (body + 1)];
                for row in offsets[block]..offsets[block + 1] {
                    let b = &self.transformed[row][DOF * side..DOF * (side + 1)];
                    c[row] -= (0..DOF).map(|k| b[k] * y[k]).sum::<f64>();
                }
            }
        }
    }
}

/// The block below the diagonal that joins two bodies, if both move.
fn joint([a, b]: [usize; 2]) -> Option<[usize; 2]> {
    (a != NO_BODY && b != NO_BODY).then_some([a.max(b), a.min(b)])
}

/// `L` with `L Lᵀ = M⁻¹`: the root of the inverse mass, then the lower triangle of the inverse
/// inertia's.
fn inertia_root(body: &BodyInertia) -> [f64; 7] {
    let i = &body.inverse_inertia;
    let ratio = |a: f64, b: f64| if b > 0.0 { a / b } else { 0.0 };
    let l00 = i[0][0].max(0.0).sqrt();
    let (l10, l20) = (ratio(i[1][0], l00), ratio(i[2][0], l00));
    let l11 = (i[1][1] - l10 * l10).max(0.0).sqrt();
    let l21 = ratio(i[2][1] - l20 * l10, l11);
    let l22 = (i[2][2] - l20 * l20 - l21 * l21).max(0.0).sqrt();
    [body.inverse_mass.sqrt(), l00, l10, l11, l20, l21, l22]
}

/// One row of `Dᵀ`, times its scale and the roots of its two bodies.
fn scaled_row(
    row: &[f64; 2 * DOF],
    scale: f64,
    pair: &[usize; 2],
    roots: &[[f64; 7]],
) -> [f64; 2 * DOF] {
    let mut out = [0.0; 2 * DOF];
    for (side, &body) in pair.iter().enumerate().filter(|(_, b)| **b != NO_BODY) {
        let [m, l00, l10, l11, l20, l21, l22] = roots[body];
        let j = &row[DOF * side..DOF * (side + 1)];
        let o = &mut out[DOF * side..DOF * (side + 1)];
        (0..3).for_each(|k| o[k] = scale * m * j[k]);
        o[3] = scale * (l00 * j[3] + l10 * j[4] + l20 * j[5]);
        o[4] = scale * (l11 * j[4] + l21 * j[5]);
        o[5] = scale * l22 * j[5];
    }
    out
}
