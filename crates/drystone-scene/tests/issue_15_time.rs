//! Steps that a user can plan with: what a step costs is limited, what it gave is told, rolling
//! friction is not dear, and small scenes show right physics.

#![allow(clippy::unwrap_used)]

use drystone::{Law, StepReport, Termination};
use drystone_scene::{Scene, SceneOptions, Simulation, starter_scene};

fn options(set: &[(&str, &str)]) -> SceneOptions {
    let set = set.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
    SceneOptions {
        set: set.collect(),
        ..SceneOptions::default()
    }
}

/// The first steps of `pile` with other settings.
fn pile(steps: usize, set: &[(&str, &str)]) -> (Simulation, Vec<StepReport>) {
    let scene = Scene::builtin("pile", &options(set)).unwrap();
    let mut simulation = Simulation::new(&scene).unwrap();
    let reports = (0..steps).map(|_| simulation.step().unwrap()).collect();
    (simulation, reports)
}

/// In the relaxed law's hands it hopped 43 mm, because its friction parts what slides.
#[test]
fn the_ball_of_the_first_scene_stays_on_the_ground() {
    let scene = Scene::parse(starter_scene(), "starter", None, &options(&[])).unwrap();
    let mut simulation = Simulation::new(&scene).unwrap();
    assert_eq!(simulation.world().settings().law, Law::Exact);
    let mut highest = 0.0_f64;
    while simulation.world().time() < 0.15 {
        let report = simulation.step().unwrap();
        assert!(report.converged(), "{report:?}");
        let world = simulation.world();
        let ball = world.body_state(world.group("ball")[0]);
        highest = highest.max(ball.position.z - 0.1);
    }
    assert!(highest < 1e-3, "it rises by {highest} m");
}

#[test]
fn the_law_follows_the_number_of_bodies_unless_it_is_given() {
    let law = |set: &[(&str, &str)]| pile(0, set).0.world().settings().law;
    assert_eq!(law(&[("count", "150")]), Law::Exact);
    assert_eq!(law(&[("count", "250")]), Law::Relaxed);
    let relaxed = ("settings.law", "\"relaxed\"");
    assert_eq!(law(&[("count", "150"), relaxed]), Law::Relaxed);
    let exact = ("settings.law", "\"exact\"");
    assert_eq!(law(&[("count", "250"), exact]), Law::Exact);
}

/// By sweeps: those of a rolling contact take at most twice as long (`bench kernels`).
#[test]
fn rolling_friction_takes_no_more_sweeps() {
    let sweeps = |rolling: &str| {
        let law = ("settings.law", "\"relaxed\"");
        let rolling = ("material.stone.rolling_friction", rolling);
        let (_, reports) = pile(200, &[("count", "300"), law, rolling]);
        assert!(reports.iter().all(StepReport::converged));
        reports.iter().map(|r| r.work).sum::<f64>()
    };
    let (plain, rolling) = (sweeps("0"), sweeps("\"1 mm\""));
    assert!(rolling < 1.2 * plain, "{rolling} against {plain}");
}

#[test]
fn a_budget_is_kept_and_told() {
    let settings = [("count", "300"), ("settings.max_work", "40")];
    let (_, reports) = pile(150, &settings);
    let short: Vec<_> = reports.iter().filter(|r| !r.converged()).collect();
    assert!(!short.is_empty());
    for report in &reports {
        // Each solve may go beyond its share by the sweeps between two looks.
        assert!(report.work < 80.0, "{report:?}");
    }
    for report in short {
        assert_eq!(report.termination, Termination::WorkLimit, "{report:?}");
        assert!(report.residual.is_finite());
    }
}

#[test]
fn a_speed_will_do_for_a_tolerance() {
    let strict = ("settings.tolerance", "1e-12");
    let speed = ("settings.velocity_tolerance", "\"1 mm/s\"");
    let (_, reports) = pile(150, &[("count", "300"), strict, speed]);
    for report in &reports {
        assert!(report.converged(), "{report:?}");
        assert!(report.residual_velocity <= 1e-3, "{report:?}");
    }
    assert!(reports.iter().any(|r| r.residual > 1e-12));
}

#[test]
fn a_time_limit_ends_a_step() {
    let limit = ("settings.time_limit", "\"1 us\"");
    let (_, reports) = pile(120, &[("count", "300"), limit]);
    assert!(reports.iter().any(|r| r.timed_out));
    assert!(reports.iter().all(|r| r.converged() || r.timed_out));
}

/// What is not a limit is refused.
#[test]
fn limits_are_positive() {
    for (key, value) in [
        ("settings.max_work", "0"),
        ("settings.velocity_tolerance", "-1"),
        ("settings.time_limit", "0"),
    ] {
        let scene = Scene::builtin("pile", &options(&[(key, value)]));
        let words = scene.err().unwrap().to_string();
        let name = key.trim_start_matches("settings.");
        assert!(words.contains(name), "{words}");
    }
}
