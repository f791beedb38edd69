//! Two processes that share a problem, here two threads: each has its part of the rows and combines
//! sums and maxima with the other. They must do what one process does with the whole problem. A
//! norm that one of them took of its own part alone would change its steps, its checks or its
//! report.
#![allow(clippy::unwrap_used)] // only functions marked as tests are exempt by themselves

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use crate::common::{self, Kinds, LAWS, close, distance, random_problem, sparse};
use drystone_ccp::reduce::{Local, Reduce};
use drystone_ccp::{
    BodyInertia, Ccp, Cone, Cones, Csr, Law, Limits, Method, MethodSettings, NO_BODY, Operator,
    SolveInfo, Sparse, Termination, TwoBody, TwoBodyBlock, Watch, solve_with,
};

/// A share, and what it is a share of.
type Message = (&'static str, f64);

/// One of the two processes.
struct Process {
    index: usize,
    send: Sender<Message>,
    receive: Mutex<Receiver<Message>>,
}

impl Process {
    /// Two processes that are connected.
    fn pair() -> [Self; 2] {
        let ((to_1, from_0), (to_0, from_1)) = (channel(), channel());
        [(0, to_1, from_1), (1, to_0, from_0)].map(|(index, send, receive)| Self {
            index,
            send,
            receive: Mutex::new(receive),
        })
    }

    /// Both shares, in the same order for both. Fails where the other one wants something else or
    /// does not come: the two have gone different ways.
    fn exchange(&self, operation: &'static str, share: f64) -> [f64; 2] {
        self.send.send((operation, share)).unwrap();
        let patience = Duration::from_secs(60);
        let (other, theirs) = self.receive.lock().unwrap().recv_timeout(patience).unwrap();
        assert_eq!(operation, other, "the two processes went different ways");
        if self.index == 0 {
            [share, theirs]
        } else {
            [theirs, share]
        }
    }
}

impl Reduce for Process {
    fn dot(&self, a: &[f64], b: &[f64]) -> f64 {
        self.sum(Local.dot(a, b))
    }

    fn sum(&self, share: f64) -> f64 {
        let [a, b] = self.exchange("sum", share);
        a + b
    }

    fn max(&self, share: f64) -> f64 {
        let [a, b] = self.exchange("max", share);
        a.max(b)
    }
}

/// The blocks of a problem as they were given, with the bodies from `first` on.
fn blocks_of(problem: &Ccp<TwoBody>, first: usize) -> Vec<TwoBodyBlock> {
    let operator = problem.operator();
    let shifted = |body: usize| {
        if body == NO_BODY {
            NO_BODY
        } else {
            first + body
        }
    };
    (0..problem.cones().len())
        .map(|k| {
            let rows = operator.offsets()[k]..operator.offsets()[k + 1];
            TwoBodyBlock {
                bodies: operator.pair(k).map(shifted),
                rows: operator.jacobian()[rows.clone()].to_vec(),
                compliance: operator.compliance()[rows].to_vec(),
            }
        })
        .collect()
}

/// Both parts as one problem.
fn joined([a, b]: &[Ccp<TwoBody>; 2]) -> Ccp<TwoBody> {
    let bodies = [a.operator().bodies(), b.operator().bodies()].concat();
    let mut blocks = blocks_of(a, 0);
    blocks.extend(blocks_of(b, a.operator().bodies().len()));
    let cones = [a.cones().as_slice(), b.cones().as_slice()].concat();
    Ccp::new(
        TwoBody::new(bodies, &blocks).unwrap(),
        [a.r(), b.r()].concat(),
        Cones::new(cones).unwrap(),
    )
    .unwrap()
}

/// Two parts of different sizes, masses and speeds, so that no norm of one is near that of both.
fn parts(seed: u64, kinds: Kinds) -> [Ccp<TwoBody>; 2] {
    let light = random_problem(seed, 14, kinds);
    let other = random_problem(1000 + seed, 25, kinds);
    let bodies = other.operator().bodies().iter().map(|b| BodyInertia {
        inverse_mass: 0.2 * b.inverse_mass,
        inverse_inertia: b.inverse_inertia.map(|row| row.map(|v| 0.2 * v)),
    });
    let operator = TwoBody::new(bodies.collect(), &blocks_of(&other, 0)).unwrap();
    let r = other.r().iter().map(|v| 3.0 * v).collect();
    let heavy = Ccp::new(operator, r, other.cones().clone()).unwrap();
    [light, heavy]
}

fn solved<N: Operator>(
    problem: &Ccp<N>,
    settings: &MethodSettings,
    law: Law,
    limits: Limits,
    watch: &mut Watch<'_>,
) -> (Vec<f64>, SolveInfo) {
    watch.history = usize::MAX;
    let mut gamma = vec![0.0; problem.dim()];
    let mut monitor = watch.monitor(limits, law);
    let info = solve_with(problem, settings, &mut gamma, &mut monitor).unwrap();
    (gamma, info)
}

/// Solves the parts on two processes; returns both answers, one after the other, and both reports.
fn solved_by_two<N: Operator + Send>(
    parts: &[Ccp<N>; 2],
    settings: &MethodSettings,
    law: Law,
    limits: Limits,
) -> (Vec<f64>, [SolveInfo; 2]) {
    let processes = Process::pair();
    std::thread::scope(|scope| {
        let runs = [0, 1].map(|k| {
            let (part, process) = (&parts[k], &processes[k]);
            scope.spawn(move || {
                let mut watch = Watch {
                    reduce: process,
                    ..Watch::default()
                };
                solved(part, settings, law, limits, &mut watch)
            })
        });
        let [(a, first), (b, second)] = runs.map(|run| run.join().unwrap());
        ([a, b].concat(), [first, second])
    })
}

/// Whether two figures are the same but for rounding, which the papers' measures amplify.
fn near(a: f64, b: f64, size: f64) -> bool {
    (a - b).abs() <= close(1e-6) * (a.abs().max(b.abs()) + size)
}

/// Every figure of two reports, but for the time.
fn assert_same_report(case: &str, one: &SolveInfo, other: &SolveInfo) {
    assert_eq!(one.termination, other.termination, "{case}");
    assert_eq!(one.iterations, other.iterations, "{case}");
    assert_eq!(one.products, other.products, "{case}");
    // Energies cancel: their rounding is that of the objective.
    let energy = 1e-3 * one.certificate.objective.abs();
    let figures = |info: &SolveInfo| {
        let c = info.certificate;
        [
            (c.residual, 0.0),
            (c.residual_velocity, 0.0),
            (c.objective, 0.0),
            // Rounding of impulses of some ten N s.
            (c.cone_violation, 1e-8),
            (c.dual_violation, 0.0),
            (c.duality_gap.unwrap_or(-1.0), energy),
        ]
    };
    for ((a, size), (b, _)) in figures(one).into_iter().zip(figures(other)) {
        assert!(near(a, b, size), "{case}: {a} {b} of {one:?} {other:?}");
    }
    assert_eq!(one.history.len(), other.history.len(), "{case}");
    for (a, b) in one.history.iter().zip(&other.history) {
        assert_eq!(
            (a.iteration, a.products),
            (b.iteration, b.products),
            "{case}"
        );
        let figures = |row: &drystone_ccp::HistoryRow| {
            let m = row.measures;
            [
                (row.residual, 0.0),
                (row.residual_velocity, 0.0),
                (row.objective, energy),
                (m.apgd_residual, 0.0),
                (m.spectral_residual, 0.0),
                (m.projected_gradient, 0.0),
                (m.complementarity, energy),
                (m.active_set as f64, 0.0),
            ]
        };
        for ((x, size), (y, _)) in figures(a).into_iter().zip(figures(b)) {
            assert!(near(x, y, size), "{case}: {x} {y} of {a:?} {b:?}");
        }
    }
}

/// The whole on one process against the parts on two: every figure of a few iterations, and the
/// length and the answer of a whole solve.
fn assert_agree<N: Operator + Send>(
    case: &str,
    whole: &Ccp<N>,
    parts: &[Ccp<N>; 2],
    settings: &MethodSettings,
    law: Law,
) {
    let limits = |tolerance, max_iterations| Limits {
        tolerance,
        max_iterations,
        time_limit: None,
        ..Limits::default()
    };
    let case = format!("{case}, {settings} under {law:?}");
    let few = limits(1e-300, 23);
    let (expected, one) = solved(whole, settings, law, few, &mut Watch::default());
    let (found, two) = solved_by_two(parts, settings, law, few);
    for info in &two {
        assert_same_report(&case, &one, info);
    }
    let error = distance(&found, &expected);
    assert!(error <= close(1e-9), "{case}: {error:e}");

    let all = limits(1e-3, 20_000);
    let (expected, one) = solved(whole, settings, law, all, &mut Watch::default());
    assert!(one.converged() && one.iterations > 3, "{case}: {one:?}");
    let (found, two) = solved_by_two(parts, settings, law, all);
    for info in &two {
        let ended = |info: &SolveInfo| (info.termination, info.iterations, info.products);
        assert_eq!(ended(&one), ended(info), "{case}");
        assert!(
            near(one.certificate.objective, info.certificate.objective, 0.0),
            "{case}"
        );
    }
    // Rounding grows on the way: by far the most with SPG, whose steps hang on quotients.
    let error = distance(&found, &expected);
    assert!(error <= close(1e-6), "{case}: {error:e}");
}

/// The methods of products and sweeps, and their forms that take other norms.
fn first_order() -> Vec<MethodSettings> {
    let with = |method, options: &[(&str, &str)]| {
        let mut settings = MethodSettings::new(method);
        for (name, value) in options {
            settings.set(name, *value).unwrap();
        }
        settings
    };
    vec![
        with(Method::Jacobi, &[]),
        // Too long at first: the safeguard must measure the curvature of both parts.
        with(Method::Jacobi, &[("omega", "1.9")]),
        with(Method::GaussSeidel, &[]),
        with(Method::Apgd, &[]),
        with(Method::Apgd, &[("step", "shrinking")]),
        with(Method::ApgdFused, &[]),
        with(Method::Spg, &[]),
        with(Method::Spg, &[("precondition", "no")]),
        with(Method::Spg, &[("step", "adaptive")]),
        with(Method::NesterovGs, &[]),
        with(Method::NesterovGs, &[("exact", "coulomb")]),
    ]
}

#[test]
fn two_processes_do_what_one_does() {
    for seed in [1, 2] {
        let parts = parts(seed, Kinds::All);
        let whole = joined(&parts);
        for settings in first_order() {
            for law in LAWS {
                assert_agree(&format!("seed {seed}"), &whole, &parts, &settings, law);
            }
        }
    }
}

#[test]
fn two_processes_do_what_one_does_with_plain_matrices() {
    let parts = parts(3, Kinds::Friction);
    let whole = sparse(&joined(&parts));
    let parts = parts.map(|part| sparse(&part));
    for settings in first_order() {
        for law in LAWS {
            assert_agree("plain", &whole, &parts, &settings, law);
        }
    }
}

#[test]
fn spg_gets_down_to_rounding_on_two_processes() {
    // There its slope is rounding, and a bound from the lengths of both parts takes its place.
    let parts = parts(13, Kinds::Joints);
    let settings = MethodSettings::new(Method::Spg);
    let limits = Limits {
        tolerance: 1e-13,
        max_iterations: 20_000,
        time_limit: None,
        ..Limits::default()
    };
    let (_, two) = solved_by_two(&parts, &settings, Law::Relaxed, limits);
    for info in &two {
        assert!(info.converged(), "{info:?}");
    }
}

#[test]
fn auto_picks_the_same_stages_on_two_processes() {
    // Each part alone is a small problem, both together are not: the sweeps go on where a part
    // would be factored.
    let parts = parts(5, Kinds::Friction);
    let whole = joined(&parts);
    let mut settings = MethodSettings::new(Method::Auto);
    settings.set("small-rows", whole.dim() - 1).unwrap();
    settings.set("small-sweeps", 2_usize).unwrap();
    assert_agree("auto", &whole, &parts, &settings, Law::Relaxed);
}

#[test]
fn a_block_that_nothing_can_move_is_scaled_by_the_diagonal_of_all() {
    // A joint between fixed bodies that are said to part: no impulse stops them, so it grows from
    // step to step, by as much as the scale says.
    let fixed = BodyInertia::diagonal(0.0, [0.0; 3]);
    let block = TwoBodyBlock {
        bodies: [0, 1],
        rows: vec![common::point_row([1.0, 0.0, 0.0], [0.0; 3], [0.0; 3])],
        compliance: vec![],
    };
    let dead = Ccp::new(
        TwoBody::new(vec![fixed; 2], &[block]).unwrap(),
        vec![-1.0],
        Cones::new(vec![Cone::Free { rows: 1 }]).unwrap(),
    )
    .unwrap();
    let [part, other] = parts(7, Kinds::All);
    let with_dead = joined(&[part, dead]);
    let parts = [with_dead, other];
    let whole = joined(&parts);
    let limits = Limits {
        tolerance: 1e-300,
        max_iterations: 8,
        time_limit: None,
        ..Limits::default()
    };
    for method in [Method::Jacobi, Method::GaussSeidel, Method::Spg] {
        let settings = MethodSettings::new(method);
        let (expected, one) = solved(
            &whole,
            &settings,
            Law::Relaxed,
            limits,
            &mut Watch::default(),
        );
        let (found, two) = solved_by_two(&parts, &settings, Law::Relaxed, limits);
        assert!(
            expected.iter().any(|g| *g > 1.0),
            "{method:?}: {expected:?}"
        );
        assert!(distance(&found, &expected) <= close(1e-9), "{method:?}");
        assert_same_report(method.name(), &one, &two[0]);
    }
}

#[test]
fn a_matrix_that_is_not_symmetric_on_one_process_is_refused_by_both() {
    let symmetric = Csr::from_dense(2, 2, &[2.0, 1.0, 1.0, 2.0]).unwrap();
    let skew = Csr::from_dense(2, 2, &[2.0, 1.0, 0.0, 2.0]).unwrap();
    let parts = [symmetric, skew].map(|matrix| {
        let cones = Cones::new(vec![Cone::NonNegative; 2]).unwrap();
        Ccp::new(Sparse::new(matrix).unwrap(), vec![-3.0, -2.0], cones).unwrap()
    });
    let processes = Process::pair();
    for method in [
        Method::Apgd,
        Method::ApgdFused,
        Method::Spg,
        Method::NesterovGs,
    ] {
        std::thread::scope(|scope| {
            let runs = [0, 1].map(|k| {
                let (part, process) = (&parts[k], &processes[k]);
                scope.spawn(move || {
                    let mut watch = Watch {
                        reduce: process,
                        ..Watch::default()
                    };
                    let mut monitor = watch.monitor(Limits::default(), Law::Relaxed);
                    let settings = MethodSettings::new(method);
                    solve_with(part, &settings, &mut [0.0; 2], &mut monitor).unwrap_err()
                })
            });
            let [first, second] = runs.map(|run| run.join().unwrap());
            assert_eq!(first, second);
        });
    }
}

#[test]
fn a_flag_on_one_process_stops_both() {
    let parts = parts(11, Kinds::Friction);
    let processes = Process::pair();
    let set = AtomicBool::new(true);
    let limits = Limits {
        tolerance: 1e-300,
        ..Limits::default()
    };
    std::thread::scope(|scope| {
        let runs = [0, 1].map(|k| {
            let (part, process, set) = (&parts[k], &processes[k], &set);
            scope.spawn(move || {
                let mut watch = Watch {
                    reduce: process,
                    cancel: (k == 1).then_some(set),
                    ..Watch::default()
                };
                let settings = MethodSettings::new(Method::Apgd);
                solved(part, &settings, Law::Relaxed, limits, &mut watch).1
            })
        });
        for info in runs.map(|run| run.join().unwrap()) {
            assert_eq!(info.termination, Termination::Cancelled, "{info:?}");
        }
    });
}
