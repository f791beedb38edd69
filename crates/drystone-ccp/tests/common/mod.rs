//! Random problems of every kind, a pile, and the tolerances of the tests.
#![allow(dead_code)] // each test file uses its share
#![allow(clippy::unwrap_used)] // only functions marked as tests are exempt by themselves

use drystone_ccp::{
    BodyInertia, Ccp, Cone, Cones, Csr, Law, Limits, Method, Monitor, NO_BODY, Operator, SolveInfo,
    Sparse, TwoBody, TwoBodyBlock, solve,
};

/// Both laws.
pub const LAWS: [Law; 2] = [Law::Relaxed, Law::Exact];

/// `tolerance` times `DRYSTONE_TEST_TOLERANCE_SCALE` (1 if unset).
pub fn close(tolerance: f64) -> f64 {
    let scale = std::env::var("DRYSTONE_TEST_TOLERANCE_SCALE")
        .ok()
        .and_then(|s| s.parse::<f64>().ok())
        .unwrap_or(1.0);
    tolerance * scale
}

/// SplitMix64: small, the same everywhere, and good enough to pick test problems.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x2545_F491_4F6C_DD1D))
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        low + (high - low) * (z >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn below(&mut self, count: usize) -> usize {
        (self.between(0.0, count as f64) as usize).min(count - 1)
    }

    pub fn vector<const K: usize>(&mut self, size: f64) -> [f64; K] {
        std::array::from_fn(|_| self.between(-size, size))
    }
}

/// Which blocks a random problem has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kinds {
    /// Frictionless contacts, joints, motors.
    Bounds,
    /// Coulomb contacts.
    Friction,
    /// Everything there is, cohesion included.
    All,
    /// Joints only: a linear system.
    Joints,
}

/// A random system with its compliance: N is positive definite, so the relaxed solution is unique.
pub fn random_problem(seed: u64, contacts: usize, kinds: Kinds) -> Ccp<TwoBody> {
    let mut random = Random::new(seed);
    let bodies = (contacts / 2).max(2);
    let inertias = (0..bodies)
        .map(|_| {
            let m = random.between(0.5, 4.0);
            let i = [0; 3].map(|_| 1.0 / (m * random.between(0.2, 0.6)));
            BodyInertia::diagonal(1.0 / m, i)
        })
        .collect();
    let mut blocks = Vec::new();
    let mut cones = Vec::new();
    let mut r = Vec::new();
    for _ in 0..contacts {
        let cone = random_cone(&mut random, kinds);
        let a = random.below(bodies);
        let b = match random.below(bodies + 1) {
            b if b == a || b == bodies => NO_BODY,
            b => b,
        };
        blocks.push(random_block(&mut random, [a, b], cone.rows(), &cone));
        for row in 0..cone.rows() {
            let contact = row == 0 && cone.is_contact();
            r.push(if contact {
                random.between(-2.0, 0.6)
            } else {
                random.between(-1.0, 1.0)
            });
        }
        cones.push(cone);
    }
    let operator = TwoBody::new(inertias, &blocks).unwrap();
    Ccp::new(operator, r, Cones::new(cones).unwrap()).unwrap()
}

fn random_cone(random: &mut Random, kinds: Kinds) -> Cone {
    let friction = random.between(0.05, 0.7);
    let cohesion = if random.below(3) == 0 { 0.2 } else { 0.0 };
    let motor = Cone::Interval {
        lower: -random.between(0.01, 0.3),
        upper: if random.below(2) == 0 {
            f64::INFINITY
        } else {
            0.2
        },
    };
    match (kinds, random.below(10)) {
        (Kinds::Joints, k) => Cone::Free { rows: 1 + k % 6 },
        (Kinds::Friction, _) => Cone::friction(friction),
        (Kinds::Bounds, 0..=5) => Cone::NonNegative,
        (_, 0..=1) => Cone::Free { rows: 3 },
        (_, 2) => motor,
        (Kinds::Bounds, _) => motor,
        (Kinds::All, 3) => Cone::NonNegative,
        (Kinds::All, 4) => Cone::friction(0.0),
        (Kinds::All, 5..=6) => Cone::Friction { friction, cohesion },
        (Kinds::All, 7..=8) => Cone::Rolling {
            friction,
            rolling: random.between(0.01, 0.2),
            cohesion,
        },
        (Kinds::All, _) => Cone::RollingSpinning {
            friction,
            rolling: random.between(0.01, 0.2),
            spinning: random.between(0.01, 0.1),
            cohesion,
        },
    }
}

fn random_block(random: &mut Random, bodies: [usize; 2], rows: usize, cone: &Cone) -> TwoBodyBlock {
    let basis = frame(unit(random.vector(1.0)));
    let (arm_a, arm_b) = (random.vector(0.5), random.vector(0.5));
    // Rows of points for the first three, of rotations for the rest; a motor turns.
    let turns = matches!(cone, Cone::Interval { .. });
    let axes = [basis[0], basis[1], basis[2], basis[1], basis[2], basis[0]];
    TwoBodyBlock {
        bodies,
        rows: (0..rows)
            .map(|k| {
                if k >= 3 || turns {
                    rotation_row(axes[k])
                } else {
                    point_row(axes[k], arm_a, arm_b)
                }
            })
            .collect(),
        compliance: (0..rows).map(|_| random.between(0.02, 0.1)).collect(),
    }
}

/// Relative velocity along `axis` of the points at the two arms, second body less first.
pub fn point_row(axis: [f64; 3], arm_a: [f64; 3], arm_b: [f64; 3]) -> [f64; 12] {
    let (a, b) = (cross(arm_a, axis), cross(arm_b, axis));
    [
        -axis[0], -axis[1], -axis[2], -a[0], -a[1], -a[2], axis[0], axis[1], axis[2], b[0], b[1],
        b[2],
    ]
}

fn rotation_row(axis: [f64; 3]) -> [f64; 12] {
    let mut row = [0.0; 12];
    for k in 0..3 {
        row[3 + k] = -axis[k];
        row[9 + k] = axis[k];
    }
    row
}

/// A pyramid of spheres (radius 0.5 m, 1 kg), `side` a side at the bottom, on a plane under gravity
/// for one step of 0.01 s.
pub fn pile(side: usize, friction: f64, compliance: f64) -> Ccp<TwoBody> {
    let radius = 0.5;
    let mut centres: Vec<[f64; 3]> = Vec::new();
    for layer in 0..side {
        let offset = layer as f64 * radius;
        for i in 0..side - layer {
            for j in 0..side - layer {
                let (x, y) = (offset + i as f64, offset + j as f64);
                centres.push([x, y, radius + layer as f64 * radius * 2.0_f64.sqrt()]);
            }
        }
    }
    let mut blocks = Vec::new();
    let mut r = Vec::new();
    let mut touch = |a: usize, b: usize, n: [f64; 3]| {
        let arm = |sign: f64| n.map(|v| sign * radius * v);
        let rows: Vec<_> = frame(n)
            .map(|axis| point_row(axis, arm(1.0), arm(-1.0)))
            .to_vec();
        // Between two free spheres gravity cancels; the plane is the first "body" of a contact with
        // it.
        let falling = if a == NO_BODY { -9.81 * 0.01 } else { 0.0 };
        r.extend(frame(n).map(|axis| falling * axis[2]));
        blocks.push(TwoBodyBlock {
            bodies: [a, b],
            rows,
            compliance: vec![compliance; 3],
        });
    };
    for (b, c) in centres.iter().enumerate() {
        if c[2] < 0.6 {
            touch(NO_BODY, b, [0.0, 0.0, 1.0]);
        }
        for (a, d) in centres[..b].iter().enumerate() {
            let apart = [c[0] - d[0], c[1] - d[1], c[2] - d[2]];
            let distance = apart.iter().map(|v| v * v).sum::<f64>().sqrt();
            if distance < 2.0 * radius + 1e-9 {
                touch(a, b, apart.map(|v| v / distance));
            }
        }
    }
    let inertia = BodyInertia::isotropic(1.0, 0.4 * radius * radius);
    let cones = vec![Cone::friction(friction); blocks.len()];
    let operator = TwoBody::new(vec![inertia; centres.len()], &blocks).unwrap();
    Ccp::new(operator, r, Cones::new(cones).unwrap()).unwrap()
}

/// `count` square plates one on another, masses rising from 1 kg at the bottom to `ratio` kg at the
/// top, four contacts an interface, falling for a step under gravity and pushed sideways:
/// hyperstatic, and hard on sweeps.
pub fn stack(count: usize, ratio: f64) -> Ccp<TwoBody> {
    let mut blocks = Vec::new();
    let mut bodies = Vec::new();
    let mut v = Vec::new();
    for k in 0..count {
        let mass = ratio.powf(k as f64 / (count - 1) as f64);
        bodies.push(BodyInertia::isotropic(mass, mass / 6.0));
        v.extend([0.02, 0.01, -0.05, 0.0, 0.0, 0.0]);
        let below = if k == 0 { NO_BODY } else { k - 1 };
        for (x, y) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
            let (under, over) = ([x, y, 0.05], [x, y, -0.05]);
            blocks.push(TwoBodyBlock {
                bodies: [below, k],
                rows: frame([0.0, 0.0, 1.0])
                    .map(|axis| point_row(axis, under, over))
                    .to_vec(),
                compliance: vec![],
            });
        }
    }
    let cones = Cones::new(vec![Cone::friction(0.3); blocks.len()]).unwrap();
    let operator = TwoBody::new(bodies, &blocks).unwrap();
    let mut r = vec![0.0; operator.dim()];
    operator.row_velocities(&vec![0.0; operator.dim()], &v, &mut r);
    Ccp::new(operator, r, cones).unwrap()
}

/// The same problem with N as a plain matrix.
pub fn sparse<N: Operator>(problem: &Ccp<N>) -> Ccp<Sparse> {
    let operator = Sparse::new(problem.operator().to_csr()).unwrap();
    Ccp::new(operator, problem.r().to_vec(), problem.cones().clone()).unwrap()
}

/// A problem from a dense row-major N.
pub fn dense(n: &[f64], r: &[f64], cones: &[Cone]) -> Ccp<Sparse> {
    let operator = Sparse::new(Csr::from_dense(r.len(), r.len(), n).unwrap()).unwrap();
    Ccp::new(operator, r.to_vec(), Cones::new(cones.to_vec()).unwrap()).unwrap()
}

/// The same problem with other cones of the same layout.
pub fn with_cones(problem: &Ccp<TwoBody>, change: impl Fn(Cone) -> Cone) -> Ccp<TwoBody> {
    let cones = problem.cones().as_slice().iter().copied().map(change);
    let cones = Cones::new(cones.collect()).unwrap();
    Ccp::new(problem.operator().clone(), problem.r().to_vec(), cones).unwrap()
}

/// `N gamma + r`.
pub fn velocity<N: Operator>(problem: &Ccp<N>, gamma: &[f64]) -> Vec<f64> {
    let mut velocity = vec![0.0; problem.dim()];
    problem.velocity(gamma, &mut velocity);
    velocity
}

/// Solves from zero.
pub fn run<N: Operator>(
    problem: &Ccp<N>,
    method: Method,
    law: Law,
    tolerance: f64,
    max_iterations: usize,
) -> (Vec<f64>, SolveInfo) {
    let mut gamma = vec![0.0; problem.dim()];
    let limits = Limits {
        tolerance,
        max_iterations,
        time_limit: None,
        ..Limits::default()
    };
    let mut monitor = Monitor::new(limits, law);
    let info = solve(problem, method, &mut gamma, &mut monitor).unwrap();
    (gamma, info)
}

/// `‖a − b‖ / (1 + ‖b‖)`.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    let norm = |x: &mut dyn Iterator<Item = f64>| x.map(|v| v * v).sum::<f64>().sqrt();
    norm(&mut a.iter().zip(b).map(|(x, y)| x - y)) / (1.0 + norm(&mut b.iter().copied()))
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn unit(v: [f64; 3]) -> [f64; 3] {
    let size = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    if size > 1e-3 {
        v.map(|x| x / size)
    } else {
        [0.0, 0.0, 1.0]
    }
}

/// A right-handed frame whose first axis is `n`.
fn frame(n: [f64; 3]) -> [[f64; 3]; 3] {
    let helper = if n[0].abs() < 0.8 {
        [1.0, 0.0, 0.0]
    } else {
        [0.0, 1.0, 0.0]
    };
    let t = unit(cross(n, helper));
    [n, t, cross(n, t)]
}
