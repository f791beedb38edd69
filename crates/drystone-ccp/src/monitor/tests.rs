use super::*;
use crate::cone::Cone;
use crate::outcome::Termination;
use crate::solvers::{Method, solve};
use crate::testing::sliding_contact;

#[test]
fn snapshots_are_what_solves_to_their_tolerances_return() {
    // A chain of contacts, each feeling the next.
    let n = 12;
    let mut matrix = vec![0.0; n * n];
    for i in 0..n {
        matrix[i * n + i] = 2.0;
        if i + 3 < n {
            (matrix[i * n + i + 3], matrix[(i + 3) * n + i]) = (-0.98, -0.98);
        }
    }
    let r: Vec<f64> = (0..n)
        .map(|i| if i % 3 == 0 { -1.0 } else { 0.7 })
        .collect();
    let problem = crate::testing::dense_problem(&matrix, &r, &[Cone::friction(0.5); 4]);
    let run = |tolerance: f64, at: &[f64]| {
        let limits = Limits {
            tolerance,
            ..Limits::default()
        };
        let mut monitor = Monitor::new(limits, Law::Relaxed).with_snapshots(at);
        let mut gamma = vec![0.0; problem.dim()];
        let info = solve(&problem, Method::Apgd, &mut gamma, &mut monitor).unwrap();
        (info.iterations, gamma, monitor.take_snapshots())
    };
    let (_, _, snapshots) = run(1e-8, &[1e-4, 1e-1]);
    assert_eq!(snapshots.len(), 2);
    for (snapshot, tolerance) in snapshots.iter().zip([1e-1, 1e-4]) {
        let (iterations, gamma, _) = run(tolerance, &[]);
        assert_eq!(snapshot.below, tolerance);
        assert_eq!(snapshot.iteration, iterations);
        assert_eq!(snapshot.gamma, gamma);
    }
}

#[test]
fn a_bounded_history_keeps_its_start_and_its_end() {
    let problem = sliding_contact();
    let limits = Limits {
        tolerance: 1e-300,
        max_iterations: 1000,
        time_limit: None,
        ..Limits::default()
    };
    let mut monitor = Monitor::new(limits, Law::Relaxed).with_history_limit(16);
    let mut gamma = vec![0.0; problem.dim()];
    let velocity = problem.r().to_vec();
    let stop = (0..).find_map(|i| monitor.check(&problem, i, &gamma, &velocity));
    assert_eq!(stop, Some(Termination::IterationLimit));
    let info = monitor.finish(&problem, "", Termination::IterationLimit, &mut gamma);
    let rows: Vec<usize> = info.history.iter().map(|row| row.iteration).collect();
    assert!(rows.len() <= 16, "{rows:?}");
    assert_eq!(rows[..4], [0, 1, 2, 3]);
    assert_eq!(rows[rows.len() - 1], 1000);
    assert!(rows.is_sorted());
}

#[test]
fn monitors_of_one_watch_share_flag_observer_and_deadline() {
    let problem = sliding_contact();
    let cancel = AtomicBool::new(false);
    let mut seen = Vec::new();
    let mut observer = |progress: &Progress| seen.push(progress.method);
    let mut watch = Watch {
        cancel: Some(&cancel),
        observer: Some(&mut observer),
        history: 5,
        ..Watch::default()
    };
    watch.set_time_limit(Duration::from_secs(1000));
    let run = |watch: &mut Watch<'_>, method| {
        let mut gamma = vec![0.0; problem.dim()];
        let mut monitor = watch.monitor(Limits::default(), Law::Relaxed);
        assert!(monitor.seconds_left().is_some_and(|s| s <= 1000.0));
        solve(&problem, method, &mut gamma, &mut monitor).unwrap()
    };
    let first = run(&mut watch, Method::Apgd);
    assert!(first.converged() && !first.history.is_empty() && first.history.len() <= 5);
    cancel.store(true, std::sync::atomic::Ordering::Relaxed);
    let second = run(&mut watch, Method::Spg);
    assert_eq!(second.termination, Termination::Cancelled);
    // A later limit does not put the deadline off, an earlier one brings it forward.
    cancel.store(false, std::sync::atomic::Ordering::Relaxed);
    watch.set_time_limit(Duration::from_secs(2000));
    watch.set_time_limit(Duration::ZERO);
    let third = run(&mut watch, Method::Jacobi);
    assert_eq!(third.termination, Termination::TimeLimit);
    for method in ["apgd", "spg", "jacobi"] {
        assert!(seen.contains(&method), "{seen:?}");
    }
}

#[test]
fn another_thread_finds_the_best_point_on_its_shelf_before_the_end() {
    let problem = sliding_contact();
    let shelf = Mutex::new(Vec::new());
    let mut monitor = Monitor::new(Limits::default(), Law::Relaxed).shelving(&shelf);
    assert!(shelf.lock().unwrap().is_empty());
    // None at all, some, and far too much.
    let points = [0.0, 1.0, 1e6].map(|normal| {
        let mut gamma = vec![0.0; problem.dim()];
        gamma[0] = normal;
        gamma
    });
    let residuals = points.clone().map(|gamma| {
        let mut velocity = vec![0.0; problem.dim()];
        problem.velocity(&gamma, &mut velocity);
        let _ = monitor.check(&problem, 1, &gamma, &velocity);
        let kept = shelf.lock().unwrap().clone();
        assert_eq!(kept, monitor.best_point());
        monitor.residual(&problem, &gamma, &velocity)
    });
    assert!(residuals[1] < residuals[0] && residuals[1] < residuals[2]);
    assert_eq!(*shelf.lock().unwrap(), points[1]);
}
