//! Every method under both laws on problems of numbers from 5e-324 to 1e308.

use drystone_ccp::{
    BodyInertia, Ccp, Cone, Cones, Csr, Law, Limits, Method, Monitor, NO_BODY, Operator,
    SolverError, Sparse, Termination, TwoBody, TwoBodyBlock, solve,
};

use super::judge::{WideMatrix, is_solved};

const LAWS: [Law; 2] = [Law::Relaxed, Law::Exact];
const TOLERANCE: f64 = 1e-8;
const MOST_ITERATIONS: usize = 150;

/// Sizes to draw from: ordinary ones, the ends of the range, and those whose squares leave it.
const SIZES: [f64; 14] = [
    5e-324, 1e-310, 1e-300, 1e-170, 1e-150, 1e-100, 1e-10, 1.0, 1e10, 1e100, 1e150, 1e170, 1e300,
    1.7e308,
];

/// SplitMix64 with the choices of this test.
struct Draw(u64);

impl Draw {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    /// In [−1, 1).
    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn size(&mut self) -> f64 {
        SIZES[self.below(SIZES.len())]
    }

    /// Ordinary, or of a size of its own, or zero.
    fn number(&mut self, usual: f64, odd: usize) -> f64 {
        match self.below(odd + 1) {
            0 => self.unit() * self.size(),
            1 if odd > 1 => 0.0,
            _ => self.unit() * usual,
        }
    }

    fn friction(&mut self) -> f64 {
        [0.0, 1e-300, 0.3, 0.5, 1.0, 10.0, 1e3, 1e6][self.below(8)]
    }

    fn cohesion(&mut self) -> f64 {
        match self.below(4) {
            0 => self.size(),
            _ => 0.0,
        }
    }

    fn cone(&mut self) -> Cone {
        let (friction, cohesion) = (self.friction(), self.cohesion());
        match self.below(9) {
            0 => Cone::Free {
                rows: 1 + self.below(4),
            },
            1 => Cone::NonNegative,
            2 => {
                let (a, b) = (self.number(1.0, 3), self.number(1.0, 3));
                Cone::Interval {
                    lower: a.min(b),
                    upper: a.max(b),
                }
            }
            3 => Cone::Interval {
                lower: f64::NEG_INFINITY,
                upper: self.number(1.0, 3),
            },
            4 => Cone::Rolling {
                friction,
                rolling: self.friction(),
                cohesion,
            },
            5 => Cone::RollingSpinning {
                friction,
                rolling: self.friction(),
                spinning: self.friction(),
                cohesion,
            },
            _ => Cone::Friction { friction, cohesion },
        }
    }

    fn cones(&mut self) -> Cones {
        let count = 1 + self.below(3);
        Cones::new((0..count).map(|_| self.cone()).collect()).unwrap()
    }
}

/// N as a matrix: symmetric and positive semidefinite, or anything.
fn sparse(draw: &mut Draw) -> Option<Ccp<Sparse>> {
    let cones = draw.cones();
    let n = cones.dim();
    let (usual, odd) = (draw.size(), 1 + draw.below(30));
    let mut matrix = vec![0.0; n * n];
    match draw.below(4) {
        0 => matrix.iter_mut().for_each(|v| *v = draw.number(usual, odd)),
        _ => {
            // D B Bᵀ D: singular where B is narrow, badly scaled where D is.
            let width = 1 + draw.below(n + 2);
            let b: Vec<f64> = (0..n * width).map(|_| draw.unit()).collect();
            let d: Vec<f64> = (0..n)
                .map(|_| draw.number(usual, odd).abs().sqrt())
                .collect();
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let dot: f64 = (0..width)
                    .map(|k| b[i * width + k] * b[j * width + k])
                    .sum();
                matrix[i * n + j] = d[i] * d[j] * dot;
            }
        }
    }
    let (usual, odd) = (draw.size(), 1 + draw.below(30));
    let r = (0..n).map(|_| draw.number(usual, odd)).collect();
    let operator = Sparse::new(Csr::from_dense(n, n, &matrix).ok()?).ok()?;
    Ccp::new(operator, r, cones).ok()
}

/// N from bodies.
fn two_body(draw: &mut Draw) -> Option<Ccp<TwoBody>> {
    let cones = draw.cones();
    let (usual, odd) = (draw.size(), 1 + draw.below(30));
    let bodies = (0..2)
        .map(|_| {
            let [m, x, y, z] = [(); 4].map(|()| draw.number(usual, odd).abs());
            BodyInertia::diagonal(m, [x, y, z])
        })
        .collect();
    let (usual, odd) = (draw.size(), 1 + draw.below(30));
    let pairs = [[0, 1], [0, NO_BODY], [NO_BODY, 1]];
    let blocks: Vec<TwoBodyBlock> = cones
        .as_slice()
        .iter()
        .map(|cone| TwoBodyBlock {
            bodies: pairs[draw.below(3)],
            rows: (0..cone.rows())
                .map(|_| std::array::from_fn(|_| draw.number(usual, odd)))
                .collect(),
            compliance: (0..cone.rows())
                .map(|_| if draw.below(3) == 0 { draw.size() } else { 0.0 })
                .collect(),
        })
        .collect();
    let (usual, odd) = (draw.size(), 1 + draw.below(30));
    let r = (0..cones.dim()).map(|_| draw.number(usual, odd)).collect();
    Ccp::new(TwoBody::new(bodies, &blocks).ok()?, r, cones).ok()
}

/// How often each end was met.
#[derive(Default, Debug)]
struct Tally {
    solves: usize,
    converged: usize,
    broke: usize,
    refused: usize,
}

fn check<N: Operator>(
    problem: &Ccp<N>,
    matrix: &WideMatrix,
    start: &[f64],
    name: &str,
    tally: &mut Tally,
) {
    for (method, law) in Method::ALL.into_iter().flat_map(|m| LAWS.map(|l| (m, l))) {
        let at = format!("{name}, {} under the {} law", method.name(), law.name());
        let limits = Limits {
            tolerance: TOLERANCE,
            max_iterations: MOST_ITERATIONS,
            time_limit: None,
            ..Limits::default()
        };
        let mut gamma = start.to_vec();
        let info = match solve(problem, method, &mut gamma, &mut Monitor::new(limits, law)) {
            Ok(info) => info,
            Err(SolverError::NotSymmetric { .. }) => {
                tally.refused += 1;
                continue;
            }
            Err(error) => panic!("{at}: {error}"),
        };
        tally.solves += 1;
        tally.broke += usize::from(info.termination == Termination::Broke);
        assert!(gamma.iter().all(|g| g.is_finite()), "{at}: {gamma:?}");
        assert!(
            info.iterations <= MOST_ITERATIONS + 1,
            "{at}: {}",
            info.iterations
        );
        let residual = info.certificate.residual;
        assert!(
            residual.is_finite() || info.termination == Termination::Broke,
            "{at}: {:?} with residual {residual}",
            info.termination
        );
        if info.converged() {
            tally.converged += 1;
            assert!(residual <= TOLERANCE, "{at}: {residual}");
            if let Err([found, allowed]) = is_solved(problem, matrix, law, &gamma, TOLERANCE) {
                panic!(
                    "{at}: claims {residual:e}, but what is left is 1e{found:.1}, allowed \
                     1e{allowed:.1}: {gamma:?}\n{problem:?}",
                    problem = (problem.r(), problem.cones()),
                );
            }
        }
    }
}

/// Zero, or anything.
fn start(draw: &mut Draw, n: usize) -> Vec<f64> {
    match draw.below(3) {
        0 => {
            let usual = draw.size();
            (0..n).map(|_| draw.number(usual, 5)).collect()
        }
        _ => vec![0.0; n],
    }
}

fn rounds() -> u64 {
    let set = std::env::var("DRYSTONE_EXTREMES").ok();
    set.and_then(|v| v.parse().ok()).unwrap_or(150)
}

#[test]
fn no_method_panics_hangs_or_lies_on_matrices_of_any_size() {
    let mut tally = Tally::default();
    for seed in 0..rounds() {
        let mut draw = Draw(seed);
        if let Some(problem) = sparse(&mut draw) {
            let start = start(&mut draw, problem.dim());
            let matrix = WideMatrix::plain(problem.operator());
            check(
                &problem,
                &matrix,
                &start,
                &format!("matrix {seed}"),
                &mut tally,
            );
        }
    }
    assert!(
        tally.solves > 0 && tally.converged > 0 && tally.broke > 0,
        "{tally:?}"
    );
}

#[test]
fn no_method_panics_hangs_or_lies_on_bodies_of_any_size() {
    let mut tally = Tally::default();
    for seed in 0..rounds() {
        let mut draw = Draw(1_000_000 + seed);
        if let Some(problem) = two_body(&mut draw) {
            let start = start(&mut draw, problem.dim());
            let matrix = WideMatrix::two_body(problem.operator());
            check(
                &problem,
                &matrix,
                &start,
                &format!("bodies {seed}"),
                &mut tally,
            );
        }
    }
    assert!(
        tally.solves > 0 && tally.converged > 0 && tally.broke > 0,
        "{tally:?}"
    );
}

/// The issue's own: W = 1e-150, q = 1e100, under the exact law; and its relatives.
#[test]
fn the_smallest_matrix_with_the_largest_velocity() {
    let mut tally = Tally::default();
    let pairs = || SIZES.into_iter().flat_map(|a| SIZES.map(|b| (a, b)));
    for (k, w) in SIZES.into_iter().enumerate() {
        // Every seventh pair, another seventh for each w: all of them would take minutes.
        for (normal, slip) in pairs().skip(k % 7).step_by(7) {
            let problem = one_contact(w, [-normal, slip, 0.0], 0.5);
            let matrix = WideMatrix::plain(problem.operator());
            let name = format!("w {w:e}, r ({:e}, {slip:e})", -normal);
            check(&problem, &matrix, &[0.0; 3], &name, &mut tally);
        }
    }
    assert!(tally.converged > 0 && tally.broke > 0, "{tally:?}");
}

fn one_contact(w: f64, r: [f64; 3], friction: f64) -> Ccp<Sparse> {
    let matrix = Csr::from_dense(3, 3, &[w, 0.0, 0.0, 0.0, w, 0.0, 0.0, 0.0, w]).unwrap();
    let cones = Cones::friction(&[friction]).unwrap();
    Ccp::new(Sparse::new(matrix).unwrap(), r.to_vec(), cones).unwrap_or_else(|error| {
        // 3 · 1.7e308 is no double any more.
        assert!(w > 5e307, "{error}");
        one_contact(5e307, r, friction)
    })
}

/// A fast slip hides the normal velocity in `u_n + mu ‖u_t‖`, which once passed for a solution.
#[test]
fn a_contact_that_is_driven_into_the_ground_is_not_solved_by_no_impulse() {
    for (friction, slip) in [
        (1e6, 1e3),
        (1e6, 1e12),
        (0.5, 1e16),
        (0.5, 1e20),
        (1.0, 1e300),
    ] {
        let problem = one_contact(1.0, [-0.098, slip, 0.0], friction);
        let reduce = &drystone_ccp::reduce::Local;
        let certificate = problem.certificate(Law::Exact, &[0.0; 3], problem.r(), reduce);
        let residual = certificate.residual;
        assert!(
            (residual - 1.0).abs() < 1e-6,
            "{friction} {slip:e}: {residual}"
        );
        for method in Method::ALL {
            let mut gamma = [0.0; 3];
            let limits = Limits {
                max_iterations: 1000,
                ..Limits::default()
            };
            let info = solve(
                &problem,
                method,
                &mut gamma,
                &mut Monitor::new(limits, Law::Exact),
            );
            if info.unwrap().converged() {
                // u_n = 0 by hand, but for what the sum −0.098 + n rounds by.
                let left = gamma[0] - 0.098;
                assert!(left.abs() < 1e-8, "{}: {gamma:?}", method.name());
            }
        }
    }
}
