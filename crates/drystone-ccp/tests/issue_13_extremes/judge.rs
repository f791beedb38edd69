//! The residual of a point by other means than the library's: numbers that cannot overflow, the
//! projection as the highest of all faces, and the exact law without cancellation.

use drystone_ccp::{Ccp, Cone, Law, Operator, TwoBody};

use super::wide::{Wide, ZERO};

/// A problem's matrix in wide numbers, and what its entries add up to without cancellation.
pub struct WideMatrix {
    dim: usize,
    entries: Vec<Wide>,
    sizes: Vec<Wide>,
}

impl WideMatrix {
    pub fn plain<N: Operator>(operator: &N) -> Self {
        let dim = operator.dim();
        let mut entries = vec![ZERO; dim * dim];
        for (i, j, v) in operator.to_csr().entries() {
            entries[i * dim + j] = Wide::new(v);
        }
        let sizes = entries.iter().map(|v| v.abs()).collect();
        Self {
            dim,
            entries,
            sizes,
        }
    }

    /// `J M⁻¹ Jᵀ + E` multiplied out.
    pub fn two_body(operator: &TwoBody) -> Self {
        let (rows, dim) = (operator.jacobian(), operator.dim());
        let mut pairs = Vec::new();
        for block in 0..operator.offsets().len() - 1 {
            pairs.extend(vec![operator.pair(block); operator.block(block).len()]);
        }
        let (mut entries, mut sizes) = (vec![ZERO; dim * dim], vec![ZERO; dim * dim]);
        let mut add = |at: usize, term: Wide| {
            entries[at] = entries[at] + term;
            sizes[at] = sizes[at] + term.abs();
        };
        for (i, j) in (0..dim).flat_map(|i| (0..dim).map(move |j| (i, j))) {
            for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                if pairs[i][a] != pairs[j][b] || pairs[i][a] >= operator.bodies().len() {
                    continue;
                }
                let body = &operator.bodies()[pairs[i][a]];
                let part = |row: usize, side: usize, k: usize| Wide::new(rows[row][6 * side + k]);
                for k in 0..3 {
                    let mass = Wide::new(body.inverse_mass);
                    add(i * dim + j, part(i, a, k) * mass * part(j, b, k));
                    for l in 0..3 {
                        let inertia = Wide::new(body.inverse_inertia[k][l]);
                        add(i * dim + j, part(i, a, 3 + k) * inertia * part(j, b, 3 + l));
                    }
                }
            }
        }
        for (i, e) in operator.compliance().into_iter().enumerate() {
            add(i * dim + i, Wide::new(e));
        }
        Self {
            dim,
            entries,
            sizes,
        }
    }

    /// `N gamma + r`, and by how much a sum in doubles may miss it.
    fn velocity(&self, gamma: &[Wide], r: &[Wide]) -> (Vec<Wide>, Vec<Wide>) {
        let rounding = Wide::new(1e-15 * (self.dim + 12) as f64);
        let vanished = Wide::new(5e-324 * (self.dim * 12) as f64);
        let row = |i: usize| {
            let range = i * self.dim..(i + 1) * self.dim;
            let of = |m: &[Wide]| {
                m[range.clone()]
                    .iter()
                    .zip(gamma)
                    .map(|(n, g)| *n * *g)
                    .sum()
            };
            let (sum, size): (Wide, Wide) = (
                of(&self.entries),
                self.sizes[range.clone()]
                    .iter()
                    .zip(gamma)
                    .map(|(n, g)| (*n * *g).abs())
                    .sum(),
            );
            let error = match size == ZERO {
                true => ZERO,
                false => (size + r[i].abs()) * rounding + vanished,
            };
            (sum + r[i], error)
        };
        (0..self.dim).map(row).unzip()
    }
}

/// Whether `gamma` solves the problem to `tolerance`, but for the rounding of its velocity.
/// Otherwise what is left, as powers of ten: of the residual, and of what is allowed.
pub fn is_solved<N: Operator>(
    problem: &Ccp<N>,
    matrix: &WideMatrix,
    law: Law,
    gamma: &[f64],
    tolerance: f64,
) -> Result<(), [f64; 2]> {
    let wide = |x: &[f64]| x.iter().map(|v| Wide::new(*v)).collect::<Vec<_>>();
    let (gamma, r) = (wide(gamma), wide(problem.r()));
    let units = problem.units(&drystone_ccp::reduce::Local);
    let (w, arm) = (Wide::new(units.w), Wide::new(units.length));
    let (velocity, mut errors) = matrix.velocity(&gamma, &r);
    // A sliding contact compares its impulse, in units of the velocity, with its bound.
    for (error, g) in errors.iter_mut().zip(&gamma) {
        *error = *error + (w * *g).abs() * Wide::new(1e-14);
    }
    let zero = vec![ZERO; gamma.len()];
    let rho = |gamma: &[Wide], velocity: &[Wide]| {
        let squares: Wide = problem
            .cones()
            .iter()
            .flat_map(|(block, cone)| {
                let rows = block.rows();
                shares(cone, law, [w, arm], &gamma[rows.clone()], &velocity[rows])
            })
            .map(|share| share * share)
            .sum();
        squares.sqrt()
    };
    let (found, at_zero) = (rho(&gamma, &velocity), rho(&zero, &r));
    let steepest = problem.cones().as_slice().iter().map(|cone| {
        let parts = cone.parts();
        parts.as_slice().iter().map(|p| p.mu).fold(1.0, f64::max)
    });
    let steepest = Wide::new(10.0 * steepest.fold(1.0, f64::max));
    let squares: Wide = errors.iter().map(|e| *e * *e).sum();
    // The smallest doubles have a digit or none. A problem that nothing presses on, or no more than
    // they can tell, is measured in m/s, and a residual of their size is none.
    let least = Wide::new(1e-315);
    let unit = if at_zero > least {
        at_zero
    } else {
        Wide::new(1.0)
    };
    let allowed = unit * Wide::new(2.0 * tolerance) + squares.sqrt() * steepest;
    let allowed = allowed.max(least);
    match found <= allowed {
        true => Ok(()),
        false => Err([found.digits(), allowed.digits()]),
    }
}

/// `w (gamma − Π(gamma − û/w))` of one block, row by row, in m/s: rolling and spinning rows as
/// speeds at the end of an arm.
fn shares(cone: &Cone, law: Law, [w, arm]: [Wide; 2], gamma: &[Wide], u: &[Wide]) -> Vec<Wide> {
    let turns = |k: usize| k >= 3 && !matches!(cone, Cone::Free { .. });
    let arm_of = |k: usize| if turns(k) { arm } else { Wide::new(1.0) };
    let u: Vec<Wide> = (0..u.len()).map(|k| u[k] * arm_of(k)).collect();
    let p: Vec<Wide> = (0..u.len()).map(|k| w * gamma[k] / arm_of(k)).collect();
    let u = &u[..];
    let between = |lower: f64, upper: f64| {
        let v = p[0] - u[0];
        let cut = |end: f64| p[0] - w * Wide::new(end);
        if lower.is_finite() && cut(lower) < u[0] {
            vec![cut(lower)]
        } else if upper.is_finite() && cut(upper) > u[0] {
            vec![cut(upper)]
        } else {
            vec![p[0] - v]
        }
    };
    match *cone {
        Cone::Free { .. } => u.to_vec(),
        Cone::NonNegative => between(0.0, f64::INFINITY),
        Cone::Interval { lower, upper } => between(lower, upper),
        Cone::Friction { .. } | Cone::Rolling { .. } | Cone::RollingSpinning { .. } => {
            friction(cone, law, [w, arm], &p, u)
        }
    }
}

/// The height of the projection is the largest that any set of parts outside gives: it is the root
/// of the smallest of as many rising lines.
fn friction(cone: &Cone, law: Law, [w, arm]: [Wide; 2], p: &[Wide], u: &[Wide]) -> Vec<Wide> {
    let parts = cone.parts();
    let parts = parts.as_slice();
    let h = p[0] + w * Wide::new(cone.cohesion());
    let length = |x: &[Wide]| x.iter().map(|v| *v * *v).sum::<Wide>().sqrt();
    let rows = |k: usize| parts[k].start..parts[k].start + parts[k].len;
    let v = |k: usize| -> Vec<Wide> { rows(k).map(|i| p[i] - u[i]).collect() };
    let mu = |k: usize| match k {
        0 => Wide::new(parts[k].mu),
        _ => Wide::new(parts[k].mu) / arm,
    };
    let slip = |k: usize| match law {
        Law::Relaxed => ZERO,
        Law::Exact => length(&u[rows(k)]),
    };
    // ‖v‖ − ‖u‖ = (‖p‖² − 2 p·u) / (‖v‖ + ‖u‖).
    let gain = |k: usize| match law {
        Law::Relaxed => length(&v(k)),
        Law::Exact => {
            let sum = length(&v(k)) + slip(k);
            let top: Wide = rows(k).map(|i| p[i] * (p[i] - u[i] - u[i])).sum();
            if sum == ZERO { ZERO } else { top / sum }
        }
    };
    let candidate = |set: usize| {
        let (mut top, mut weight) = (h - u[0], Wide::new(1.0));
        for k in 0..parts.len() {
            if set >> k & 1 == 1 {
                top = top + mu(k) * gain(k);
                weight = weight + mu(k) * mu(k);
            } else {
                top = top - mu(k) * slip(k);
            }
        }
        top / weight
    };
    let sets = 1_usize << parts.len();
    let (best, height) = (0..sets)
        .map(|set| (set, candidate(set)))
        .reduce(|a, b| if b.1 > a.1 { b } else { a })
        .unwrap();
    if !height.is_positive() {
        let mut out = p.to_vec();
        out[0] = h;
        return out;
    }
    // h less the height, where nothing is outside without the detour.
    let normal = if best == 0 {
        u[0] + (0..parts.len()).map(|k| mu(k) * slip(k)).sum()
    } else {
        h - height
    };
    let mut out = vec![normal; p.len()];
    for k in 0..parts.len() {
        let (v, size) = (v(k), length(&v(k)));
        for (i, v) in rows(k).zip(v) {
            out[i] = if size > mu(k) * height {
                p[i] - v * (mu(k) * height / size)
            } else {
                u[i]
            };
        }
    }
    out
}
