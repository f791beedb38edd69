//! What ends a solve besides convergence, and what it tells on the way: every method under both
//! laws.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::common::{Kinds, LAWS, close, pile, random_problem, run, stack};
use drystone_ccp::solvers::{interior_point, nesterov_gs};
use drystone_ccp::{
    Ccp, Law, Limits, Method, Monitor, Operator, Progress, SolveInfo, Termination, TwoBody, solve,
};

/// Out of reach: something else must end the solve.
const NEVER: f64 = 1e-300;

fn cases() -> impl Iterator<Item = (Method, Law, String)> {
    LAWS.into_iter().flat_map(|law| {
        Method::ALL.map(|method| (method, law, format!("{} under {law:?}", method.name())))
    })
}

#[test]
fn no_method_takes_more_iterations_than_allowed() {
    for problem in [pile(4, 0.5, 0.0), stack(5, 100.0)] {
        for (method, law, name) in cases() {
            for limit in [0, 1, 2, 5, 30, 101] {
                let (gamma, info) = run(&problem, method, law, NEVER, limit);
                assert!(
                    info.iterations <= limit,
                    "{name}: {} of {limit}",
                    info.iterations
                );
                // A Newton step may find a point where rounding leaves nothing to gain.
                let ended = [Termination::IterationLimit, Termination::Stalled];
                assert!(ended.contains(&info.termination), "{name}: {info:?}");
                assert!(gamma.iter().all(|g| g.is_finite()), "{name}");
            }
        }
    }
}

/// Solves with an observer that sees every check and may set the flag.
fn watched<N: Operator>(
    problem: &Ccp<N>,
    method: Method,
    law: Law,
    limits: Limits,
    mut see: impl FnMut(&Progress, &AtomicBool),
) -> (Vec<f64>, SolveInfo) {
    let flag = AtomicBool::new(false);
    let mut observer = |progress: &Progress| see(progress, &flag);
    let mut monitor = Monitor::new(limits, law)
        .cancelled_by(&flag)
        .observed_by(&mut observer)
        .with_history();
    let mut gamma = vec![0.0; problem.dim()];
    let info = solve(problem, method, &mut gamma, &mut monitor).unwrap();
    (gamma, info)
}

#[test]
fn cancelling_returns_the_best_point_so_far() {
    let problem = pile(4, 0.5, 0.0);
    let limits = Limits {
        tolerance: NEVER,
        max_iterations: 2000,
        time_limit: None,
        ..Limits::default()
    };
    for (method, law, name) in cases() {
        for checks in [1, 4] {
            let (mut seen, mut best) = (0, f64::INFINITY);
            let (gamma, info) = watched(&problem, method, law, limits, |progress, flag| {
                seen += 1;
                if !progress.nested {
                    best = best.min(progress.residual);
                }
                flag.store(seen >= checks, Ordering::Relaxed);
            });
            // A method may end, at the limit of rounding, before it has told of so many.
            if checks == 1 || seen >= checks {
                assert_eq!(info.termination, Termination::Cancelled, "{name}: {info:?}");
            }
            assert!(
                info.certificate.residual <= best * (1.0 + close(1e-6)),
                "{name}"
            );
            assert!(gamma.iter().all(|g| g.is_finite()), "{name}");
        }
    }
}

#[test]
fn a_flag_set_before_the_start_ends_it_at_the_start() {
    let problem = random_problem(4, 20, Kinds::All);
    for (method, law, name) in cases() {
        let flag = AtomicBool::new(true);
        let mut monitor = Monitor::new(Limits::default(), law).cancelled_by(&flag);
        let mut gamma = vec![0.0; problem.dim()];
        let info = solve(&problem, method, &mut gamma, &mut monitor).unwrap();
        assert_eq!(info.termination, Termination::Cancelled, "{name}: {info:?}");
        assert!(info.iterations <= 1, "{name}: {}", info.iterations);
    }
}

#[test]
fn a_time_limit_of_nothing_ends_it_at_the_start() {
    // No clock to race with: the time is up from the beginning.
    let problem = random_problem(4, 20, Kinds::All);
    for (method, law, name) in cases() {
        let limits = Limits {
            time_limit: Some(Duration::ZERO),
            ..Limits::default()
        };
        let mut monitor = Monitor::new(limits, law);
        let mut gamma = vec![0.0; problem.dim()];
        let info = solve(&problem, method, &mut gamma, &mut monitor).unwrap();
        assert_eq!(info.termination, Termination::TimeLimit, "{name}: {info:?}");
        assert!(info.iterations <= 1, "{name}: {}", info.iterations);
    }
}

#[test]
fn a_time_limit_ends_an_endless_solve() {
    // Thirty seconds of grace for a twentieth: only a solve that forgets the clock takes longer.
    let problem = pile(4, 0.5, 0.0);
    for (method, law, name) in cases() {
        let limits = Limits {
            tolerance: NEVER,
            max_iterations: usize::MAX,
            time_limit: Some(Duration::from_millis(50)),
            ..Limits::default()
        };
        let mut monitor = Monitor::new(limits, law);
        let mut gamma = vec![0.0; problem.dim()];
        let info = solve(&problem, method, &mut gamma, &mut monitor).unwrap();
        let ended = [Termination::TimeLimit, Termination::Stalled];
        assert!(ended.contains(&info.termination), "{name}: {info:?}");
        assert!(info.seconds < 30.0, "{name}: {} s", info.seconds);
    }
}

/// Iterations never go back, the best never rises, and the history is what the observer saw and
/// ends at the certificate.
fn told_in_order(
    problem: &Ccp<TwoBody>,
    method: Method,
    law: Law,
) -> (Vec<&'static str>, SolveInfo) {
    let mut seen: Vec<Progress> = Vec::new();
    let limits = Limits::default();
    let (_, info) = watched(problem, method, law, limits, |progress, _| {
        seen.push(*progress);
    });
    let name = format!("{} under {law:?}", method.name());
    assert!(info.converged(), "{name}: {info:?}");
    for pair in seen.windows(2) {
        assert!(pair[0].iteration <= pair[1].iteration, "{name}: {pair:?}");
        assert!(pair[0].best >= pair[1].best, "{name}: {pair:?}");
        assert!(pair[0].seconds <= pair[1].seconds, "{name}: {pair:?}");
    }
    seen.retain(|progress| !progress.nested);
    assert_eq!(info.history.len(), seen.len(), "{name}");
    for (row, progress) in info.history.iter().zip(&seen) {
        assert_eq!(row.iteration, progress.iteration, "{name}");
        assert_eq!(row.residual, progress.residual, "{name}");
    }
    let last = info.history.last().unwrap();
    assert_eq!(last.iteration, info.iterations, "{name}");
    assert!(last.products <= info.products, "{name}");
    // A sweep state that followed block by block rounds a little differently.
    let rounding = close(1e-12);
    let certificate = &info.certificate;
    assert!(
        (last.residual - certificate.residual).abs() <= rounding,
        "{name}"
    );
    assert!(
        (last.objective - certificate.objective).abs() <= rounding * (1.0 + last.objective.abs()),
        "{name}: {} {}",
        last.objective,
        certificate.objective
    );
    (seen.iter().map(|p| p.method).collect(), info)
}

#[test]
fn what_is_told_is_in_order_and_ends_at_the_certificate() {
    let problem = random_problem(8, 14, Kinds::Friction);
    for (method, law, _) in cases() {
        let _ = told_in_order(&problem, method, law);
    }
}

#[test]
fn auto_falls_through_to_a_stronger_method_and_names_it() {
    // Mass ratio 1000: far from solved after twice the sweeps that auto gives a problem of this
    // size.
    let problem = stack(20, 1000.0);
    let (_, sweeps) = run(&problem, Method::NesterovGs, Law::Relaxed, 1e-8, 1000);
    assert!(!sweeps.converged(), "{sweeps:?}");
    let (stages, info) = told_in_order(&problem, Method::Auto, Law::Relaxed);
    assert_eq!(stages[0], nesterov_gs::NAME);
    assert_eq!(info.method, interior_point::NAME);
    assert_eq!(stages.last(), Some(&interior_point::NAME));
    let tried: Vec<_> = info.attempts.iter().map(|a| a.method).collect();
    assert_eq!(tried, [nesterov_gs::NAME, interior_point::NAME]);
    assert_ne!(info.attempts[0].termination, Termination::Converged);
    assert_eq!(info.attempts[1].termination, Termination::Converged);
    assert!(info.attempts[1].residual < info.attempts[0].residual);
    let iterations: usize = info.attempts.iter().map(|a| a.iterations).sum();
    assert_eq!(iterations, info.iterations);
    // And stays with the sweeps where they do.
    let easy = random_problem(8, 14, Kinds::Friction);
    let (stages, info) = told_in_order(&easy, Method::Auto, Law::Relaxed);
    assert_eq!(info.method, nesterov_gs::NAME);
    assert!(stages.iter().all(|s| *s == nesterov_gs::NAME));
}
