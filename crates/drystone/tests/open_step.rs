//! The open step: its halves, its problem taken out, and a step watched from outside.

#![allow(clippy::unwrap_used)]

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use drystone::{
    Body, BodyId, Finish, Joint, JointKind, Law, Material, Method, MethodSettings, OpenStep,
    Progress, Settings, Shape, Sleeping, SolveSummary, StepError, StepReport, Termination, Watch,
    World,
};
use drystone_ccp::{Limits, Monitor, solve};

/// Balls that resist rolling on a slope, one of them held by a joint, and a box: contacts of both
/// kinds and joint rows.
fn slope(settings: Settings) -> World {
    let mut world = World::new(Settings {
        gravity: [2.0, 0.0, -9.5].into(),
        max_iterations: 100_000,
        ..settings
    })
    .unwrap();
    let felt = Material::new("felt").friction(0.4).rolling_friction(0.02);
    let felt = world.add_material(felt).unwrap();
    world
        .add(Body::fixed(Shape::plane()).material(felt).named("ground"))
        .unwrap();
    for k in 0..4_usize {
        let ball = Body::dynamic(Shape::sphere(0.5).unwrap()).at([1.2 * k as f64, 0.0, 0.5]);
        let ball = if k % 2 == 0 {
            ball.material(felt)
        } else {
            ball
        };
        world.add(ball).unwrap();
    }
    let held = world.ids().last().unwrap();
    world
        .add_joint(Joint::new(JointKind::Spherical, None, held).at([3.6, 0.0, 1.0]))
        .unwrap();
    let brick = Shape::box_of([0.4, 0.4, 0.2]).unwrap();
    world
        .add(Body::dynamic(brick).at([-2.0, 0.0, 0.2]))
        .unwrap();
    world
}

fn tolerance(tolerance: f64) -> Settings {
    Settings {
        tolerance,
        ..Settings::default()
    }
}

/// A ball that hits a row of balls hard: the blow passes through all of them within one step.
fn row_of_balls() -> (World, Vec<BodyId>) {
    let mut world = World::new(Settings {
        gravity: [0.0; 3].into(),
        time_step: 0.01,
        ..tolerance(1e-9)
    })
    .unwrap();
    let ball = |x: f64| Body::dynamic(Shape::sphere(0.1).unwrap()).at([x, 0.0, 0.0]);
    let mut balls = vec![world.add(ball(-0.35).velocity([30.0, 0.0, 0.0])).unwrap()];
    // Apart by more than the envelope of 2 mm.
    balls.extend((0..3).map(|k| world.add(ball(0.21 * f64::from(k))).unwrap()));
    (world, balls)
}

/// Makes a step through the protocol with `answer` as its solver. Returns how often it was asked.
fn step_by(
    world: &mut World,
    answer: &mut dyn FnMut(&OpenStep<'_>) -> (Vec<f64>, SolveSummary),
) -> (StepReport, usize) {
    let mut open = world.begin().unwrap();
    for asked in 1.. {
        let (gamma, summary) = answer(&open);
        open = match open.finish(&gamma, summary).unwrap() {
            Finish::Done(report) => return (report, asked),
            Finish::Again(open) => open,
        };
    }
    unreachable!()
}

/// The answer of a method of `drystone-ccp`, called from outside.
fn answer_by(method: Method, open: &OpenStep<'_>) -> (Vec<f64>, SolveSummary) {
    let settings = open.world().settings();
    let limits = Limits {
        tolerance: settings.tolerance,
        max_iterations: settings.max_iterations,
        time_limit: None,
        ..Limits::default()
    };
    let mut gamma = open.warm_start().to_vec();
    let mut monitor = Monitor::new(limits, settings.law);
    let info = solve(open.problem(), method, &mut gamma, &mut monitor).unwrap();
    (gamma, (&info).into())
}

#[test]
fn the_problems_solution_is_the_step() {
    let mut world = slope(tolerance(1e-12));
    for _ in 0..5 {
        let _ = world.step().unwrap();
    }
    let before = world.state();
    let next = world.next_problem().unwrap();
    assert_eq!(
        world.state(),
        before,
        "taking the problem out moves nothing"
    );

    let limits = Limits {
        tolerance: 1e-12,
        ..Limits::default()
    };
    let mut gamma = next.warm_start().to_vec();
    let mut monitor = Monitor::new(limits, Law::Relaxed);
    let info = solve(next.problem(), Method::Auto, &mut gamma, &mut monitor).unwrap();
    assert!(info.converged(), "{info:?}");
    let mine = next.contact_forces(&gamma);

    let _ = world.step().unwrap();
    let forces: Vec<_> = world.contacts().collect();
    assert_eq!(mine.len(), forces.len());
    assert!(mine.iter().any(|c| c.torque.length() > 0.0), "some roll");
    for (mine, theirs) in mine.iter().zip(&forces) {
        assert_eq!(mine.id, theirs.id);
        let off = (mine.force - theirs.force).length() + (mine.torque - theirs.torque).length();
        assert!(off < 1e-4, "{mine:?} {theirs:?}");
    }
}

#[test]
fn without_contacts_there_are_no_rows() {
    let mut world = World::new(Settings::default()).unwrap();
    world
        .add(Body::dynamic(Shape::sphere(0.5).unwrap()))
        .unwrap();
    let next = world.next_problem().unwrap();
    assert_eq!(next.problem().dim(), 0);
    assert!(next.contact_forces(&[]).is_empty());
    // The protocol goes its way all the same.
    let (report, asked) = step_by(&mut world, &mut |open| {
        (Vec::new(), open.judge("mine", 7, &[]))
    });
    assert_eq!((report.method, report.solves, asked), ("none", 0, 1));
    assert_eq!(world.steps(), 1);
}

#[test]
fn the_same_method_from_outside_gives_the_same_bits() {
    for (method, law) in [
        (Method::Apgd, Law::Relaxed),
        (Method::GaussSeidel, Law::Relaxed),
        (Method::Newton, Law::Exact),
    ] {
        let settings = Settings {
            method: MethodSettings::new(method),
            law,
            compare_laws: false,
            ..tolerance(1e-6)
        };
        let (mut inside, mut outside) = (slope(settings.clone()), slope(settings));
        let mut iterations = 0;
        for _ in 0..20 {
            let mine = inside.step().unwrap();
            let (theirs, _) = step_by(&mut outside, &mut |open| answer_by(method, open));
            // But for the wall times.
            let times = mine.times;
            assert_eq!(mine, StepReport { times, ..theirs });
            iterations += mine.iterations;
            assert_eq!(inside.state(), outside.state(), "{}", method.name());
        }
        assert!(iterations > 0, "{}", method.name());
    }
}

#[test]
fn contacts_that_the_blow_opens_ask_again() {
    let (mut world, balls) = row_of_balls();
    let mut contacts = Vec::new();
    let (report, asked) = step_by(&mut world, &mut |open| {
        contacts.push(open.problem().cones().contacts());
        // What is solved again starts from the answer just given.
        let started = open.warm_start().iter().any(|g| *g != 0.0);
        assert_eq!(started, contacts.len() > 1, "{contacts:?}");
        answer_by(Method::Auto, open)
    });
    assert!(
        asked > 1 && contacts.is_sorted_by(|a, b| a < b),
        "{contacts:?}"
    );
    assert_eq!(
        (report.solves, report.contacts),
        (asked, contacts[asked - 1])
    );
    let x: Vec<f64> = balls.iter().map(|b| world.pose(*b).position.x).collect();
    assert!(x.windows(2).all(|p| p[1] - p[0] > 0.2 - 1e-6), "{x:?}");
    // The same as in one call.
    let (mut whole, _) = row_of_balls();
    assert_eq!(whole.step().unwrap().solves, asked);
    assert_eq!(whole.state(), world.state());
}

#[test]
fn an_open_step_that_is_dropped_changes_nothing() {
    // Sleepers that a fast ball is about to wake: the step that would wake them is given up.
    let sleeping = Some(Sleeping {
        speed: 1e-2,
        after: 0.02,
    });
    let build = || {
        let mut world = slope(Settings {
            sleeping,
            ..tolerance(1e-8)
        });
        world
            .add(
                Body::dynamic(Shape::sphere(0.2).unwrap())
                    .at([-6.0, 0.0, 0.7])
                    .velocity([10.0, 0.0, 0.0]),
            )
            .unwrap();
        world
    };
    let (mut world, mut other) = (build(), build());
    let mut slept = 0;
    for _ in 0..100 {
        let before = world.state();
        let mut open = world.begin().unwrap();
        // Also one that was answered and asks again.
        let answer = open.solve(&mut Watch::default()).unwrap();
        let rows = open.problem().dim();
        drop(open);
        assert_eq!(world.state(), before);
        assert_eq!(answer.gamma.len(), rows);
        let error = world
            .begin()
            .unwrap()
            .finish(&vec![0.0; rows + 1], answer.summary);
        assert!(matches!(error, Err(StepError::Answer { found, .. }) if found == rows + 1));
        assert_eq!(world.state(), before);
        slept = slept.max(world.step().unwrap().asleep);
        let _ = other.step().unwrap();
        assert_eq!(world.state(), other.state());
    }
    assert!(slept > 0);
    assert!(
        world.state().rest.iter().all(|(_, asleep)| !asleep),
        "all were woken"
    );
}

#[test]
fn a_cancelled_step_changes_nothing() {
    let mut world = slope(tolerance(1e-12));
    let _ = world.step().unwrap();
    let before = world.state();
    // Cancelled after three checks of the solver: in the midst of it.
    let flag = AtomicBool::new(false);
    let mut checks = 0;
    let mut observer = |_: &Progress| {
        checks += 1;
        flag.store(checks == 3, Ordering::Relaxed);
    };
    let mut watch = Watch {
        cancel: Some(&flag),
        observer: Some(&mut observer),
        history: 100, // so that every check is made
        ..Watch::default()
    };
    let error = world.step_watched(&mut watch).unwrap_err();
    assert_eq!(error, StepError::Cancelled { step: 2 });
    assert_eq!(checks, 3);
    assert_eq!(world.state(), before);
    // A flag that is set beforehand stops even a step without a problem.
    let mut empty = World::new(Settings::default()).unwrap();
    let mut watch = Watch {
        cancel: Some(&flag),
        ..Watch::default()
    };
    assert!(empty.step_watched(&mut watch).is_err());
    // And so does an own solver that says it was cancelled.
    let open = world.begin().unwrap();
    let gamma = open.warm_start().to_vec();
    let summary = SolveSummary {
        termination: Termination::Cancelled,
        ..open.judge("mine", 0, &gamma)
    };
    assert!(matches!(
        open.finish(&gamma, summary),
        Err(StepError::Cancelled { step: 2 })
    ));
    assert_eq!(world.state(), before);
    // Afterwards it goes on as if nothing had been.
    let mut other = slope(tolerance(1e-12));
    for _ in 0..2 {
        let _ = other.step().unwrap();
    }
    let _ = world.step().unwrap();
    assert_eq!(world.state(), other.state());
}

#[test]
fn a_deadline_is_reported() {
    for law in [Law::Relaxed, Law::Exact] {
        let mut world = slope(Settings {
            law,
            ..tolerance(1e-300) // never reached: only the clock ends the solve
        });
        let mut watch = Watch::default();
        watch.set_time_limit(Duration::from_millis(2));
        let step = world.step_watched(&mut watch).unwrap();
        assert!(step.report.timed_out, "{:?}", step.report);
        assert_eq!(step.report.termination, Termination::TimeLimit);
        assert_eq!(world.steps(), 1, "the best answer so far was taken");
        assert_eq!(world.unconverged_steps(), 1);
    }
    // One that is far away changes nothing, and the report does not blame the clock.
    let (mut watched, mut plain) = (slope(tolerance(1e-6)), slope(tolerance(1e-6)));
    for _ in 0..5 {
        let mut watch = Watch {
            deadline: Some(Instant::now() + Duration::from_secs(3600)),
            ..Watch::default()
        };
        let report = watched.step_watched(&mut watch).unwrap().report;
        assert!(!report.timed_out && report.converged());
        let _ = plain.step().unwrap();
    }
    assert_eq!(watched.state(), plain.state());
}

#[test]
fn a_step_that_ran_out_of_time_is_not_solved_again() {
    let (mut world, _) = row_of_balls();
    let mut watch = Watch {
        deadline: Some(Instant::now()),
        ..Watch::default()
    };
    let report = world.step_watched(&mut watch).unwrap().report;
    assert_eq!((report.timed_out, report.solves), (true, 1));
}

#[test]
fn every_solve_of_a_step_is_observed_and_kept() {
    let (mut world, _) = row_of_balls();
    let mut settings = world.settings().clone();
    settings.law = Law::Exact;
    settings.method = MethodSettings::new(Method::GaussSeidel);
    world.set_settings(settings).unwrap();
    let mut checks = 0;
    let mut observer = |progress: &Progress| {
        assert_eq!(progress.method, "gauss-seidel");
        checks += 1;
    };
    let mut watch = Watch {
        observer: Some(&mut observer),
        history: usize::MAX,
        ..Watch::default()
    };
    let step = world.step_watched(&mut watch).unwrap();
    // Under the exact law each time twice: first the relaxed law, for comparison.
    let laws: Vec<Law> = step.solves.iter().map(|s| s.law).collect();
    assert_eq!(laws, [Law::Relaxed, Law::Exact].repeat(step.report.solves));
    assert!(step.report.solves > 1);
    let rows: usize = step.solves.iter().map(|s| s.history.len()).sum();
    assert_eq!(rows, checks);
    let iterations: usize = step.solves.iter().map(|s| s.iterations).sum();
    assert_eq!(iterations, step.report.iterations);
    let last = step.solves.last().unwrap().history.last().unwrap();
    assert!(last.residual <= 1e-9);
}

#[test]
fn an_own_answer_is_judged_by_the_one_residual() {
    let mut world = slope(tolerance(1e-6));
    let open = world.begin().unwrap();
    let (gamma, summary) = answer_by(Method::Auto, &open);
    let judged = open.judge("mine", 3, &gamma);
    assert_eq!((judged.method, judged.iterations), ("mine", 3));
    assert_eq!(judged.residual, summary.residual);
    assert_eq!(judged.residual_velocity, summary.residual_velocity);
    assert_eq!(judged.termination, Termination::Converged);
    let nothing = open.judge("mine", 0, &vec![0.0; gamma.len()]);
    assert_eq!(nothing.termination, Termination::IterationLimit);
    assert!((nothing.residual - 1.0).abs() < 1e-12, "{nothing:?}");
    let broken = open.judge("mine", 0, &vec![f64::NAN; gamma.len()]);
    assert_eq!(broken.termination, Termination::Broke);
    // An answer that is not finite is refused, whatever is said of it, and nothing has changed.
    let error = open.finish(&vec![f64::NAN; gamma.len()], broken);
    assert!(matches!(error, Err(StepError::NotFinite { step: 1, .. })));
    let open = world.begin().unwrap();
    let error = open.finish(&vec![f64::NAN; gamma.len()], judged);
    assert!(matches!(error, Err(StepError::NotFinite { step: 1, .. })));
    // So is one that nobody can judge.
    let open = world.begin().unwrap();
    let error = open.finish(&gamma, broken);
    assert!(matches!(error, Err(StepError::Residual { step: 1, .. })));
    assert_eq!(world.steps(), 0);
    let _ = world.step().unwrap();
}

#[test]
fn the_relaxed_solve_for_comparison_can_be_switched_off() {
    let run = |compare_laws: bool| {
        let mut world = slope(Settings {
            law: Law::Exact,
            compare_laws,
            ..tolerance(1e-10)
        });
        let mut reports = Vec::new();
        for _ in 0..60 {
            let report = world.step().unwrap();
            assert!(report.converged(), "{report:?}");
            reports.push(report);
        }
        (world, reports)
    };
    let ((with, compared), (without, plain)) = (run(true), run(false));
    // The brick slides: the relaxed law would have lifted it.
    assert!(compared.iter().all(|r| r.relaxed.iterations > 0));
    assert!(
        compared
            .iter()
            .any(|r| r.relaxed.lift_off > 1e-3 && r.relaxed.difference > 1e-4)
    );
    assert!(
        plain
            .iter()
            .all(|r| r.relaxed == drystone::RelaxedLaw::default())
    );
    // The motion is that of the exact law in both.
    for body in with.ids() {
        let [a, b] = [&with, &without].map(|w| w.body_state(body).position);
        assert!((a - b).length() < 1e-6, "{a} {b}");
    }
}
