//! The same scenes in other engines, side by side with ours in one run: Rapier on whole steps,
//! Clarabel on the problem of a step. `docs/benchmarks.md` says how to read it.
//!
//! Every engine starts from the state that ours settled in. Rapier then gets some steps to find its
//! own rest, and its next steps are timed. It is run as it comes, and then with more and more
//! effort until nothing overlaps by more than a per cent of the radius, or until its limit.

mod judge;
mod rapier;
mod state_file;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use drystone_ccp::{Law, Limits, Method, Monitor, solve};
use drystone_run::{Control, Event, SettledStates};
use drystone_scene::Simulation;
use drystone_study::StudyError;
use drystone_study::bench::cases::{Case, Measured, Motion, Stage};
use drystone_study::bench::conic::run_clarabel;
use drystone_study::bench::steps::{deepest_overlap, time_steps};
use drystone_study::bench::{BenchContext, BenchReport};
use drystone_study::table::{Cell, Row, short_number};

use rapier::{Copied, Effort};

/// The same scenes in other engines, beside ours.
#[derive(Debug, Parser)]
#[command(name = "drystone-peers", max_term_width = 100)]
struct Args {
    /// Numbers of spheres of the piles, with commas between [default: 1000,4000]
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    sizes: Vec<u32>,
    /// Bricks of the wall; 0 for none [default: 750]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100_000))]
    bricks: Option<u32>,
    /// Balls below the slab; 0 for none [default: 4000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    balls: Option<u32>,
    /// Steps that Rapier gets to find its own rest [default: 200]
    #[arg(long, value_name = "N")]
    settle: Option<usize>,
    /// Steps to time [default: 10]
    #[arg(long, value_name = "N")]
    steps: Option<usize>,
    /// Most solver iterations that Rapier is turned up to
    #[arg(long, value_name = "N", default_value_t = 256)]
    most_iterations: usize,
    /// Longest time of Clarabel on one problem, s [default: 60]
    #[arg(long, value_name = "S")]
    conic_seconds: Option<f64>,
    /// Write the settled pile of the first size here, for mujoco_pile.py, and end
    #[arg(long, value_name = "FILE")]
    write_state: Option<PathBuf>,
    /// Folder for a page, tables as CSV and the JSON object
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Folder of settled scenes
    #[arg(long, value_name = "DIR", default_value = "out/cache")]
    cache: PathBuf,
    /// Tiny scenes: shows that everything works
    #[arg(long)]
    quick: bool,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

impl Args {
    /// What was asked for, else what suits a quick or a whole run.
    fn or<T>(&self, asked: Option<T>, quick: T, whole: T) -> T {
        asked.unwrap_or(if self.quick { quick } else { whole })
    }

    fn sizes(&self) -> Vec<usize> {
        let asked = self.sizes.iter().map(|&n| n as usize).collect::<Vec<_>>();
        let asked = Some(asked).filter(|sizes| !sizes.is_empty());
        self.or(asked, vec![60], vec![1000, 4000])
    }

    fn cases(&self) -> Vec<Case> {
        let sizes = self.sizes();
        let mut cases: Vec<Case> = sizes
            .iter()
            .map(|&n| Case::pile(n, Motion::Settled))
            .collect();
        let (bricks, balls) = (self.or(self.bricks, 9, 750), self.or(self.balls, 40, 4000));
        if bricks > 0 {
            cases.push(Case::wall(bricks as usize, Motion::Settled));
        }
        if balls > 0 {
            cases.push(Case::slab(balls as usize));
        }
        cases
    }
}

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => error.exit(),
    };
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(args: &Args) -> Result<(), StudyError> {
    if let Some(folder) = &args.output {
        BenchReport::check_folder(folder)?;
    }
    let store = SettledStates::new(args.cache.join("settled"));
    let show = |event: Event<'_>| match event {
        Event::End(Some(line)) if !args.quiet => eprintln!("{line}"),
        Event::Warning(words) => eprintln!("warning: {words}"),
        _ => {}
    };
    let never = std::sync::atomic::AtomicBool::new(false);
    let context = BenchContext {
        keep: &|_| Ok(()),
        store: &store,
        control: Control::new(&never, &show),
    };
    let mut stage = Stage::new("peers", context);
    if let Some(file) = &args.write_state {
        let case = Case::pile(args.sizes()[0], Motion::Settled);
        let simulation = stage.simulation(&case, &ours(1e-4), &[])?;
        return state_file::write(simulation.world(), file);
    }
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let one = one.map_err(|e| StudyError::Refused(format!("no thread: {e}")))?;
    let mut report = BenchReport::new(
        "peers",
        "Other engines on the same scenes",
        vec![
            ("threads", 1.into()),
            ("steps_before", args.or(args.settle, 5, 200).into()),
            ("steps_timed", args.or(args.steps, 2, 10).into()),
        ],
    );
    let mut tables = Tables::default();
    for case in args.cases() {
        tables
            .step_rows
            .extend(one.install(|| steps(args, &case, &mut stage, context.control))?);
        tables
            .conic_rows
            .extend(one.install(|| conic(args, &case, &mut stage, context.control))?);
    }
    for sentence in tables.sentences() {
        report.finding(sentence);
    }
    let step_rows = tables.step_rows.iter().map(StepRow::row).collect();
    report.table("steps", "Whole steps on one thread", ABOUT_STEPS, step_rows);
    report.table(
        "conic",
        "The problem of one step",
        ABOUT_CONIC,
        tables.conic_rows,
    );
    if let Some(folder) = &args.output {
        report.write(folder)?;
    }
    match args.json {
        true => println!("{:#}", report.json()),
        false => print!("{}", report.text()),
    }
    Ok(())
}

const ABOUT_STEPS: &str = "Medians of wall time. Overlap is the deepest at the end, as a share of the \
     radius or half thickness, found by our search for contacts for every engine. Bodies on joints \
     are left out in Rapier.";

const ABOUT_CONIC: &str = "From zero. Clarabel's residual is ours at its answer, put back into the \
     cones.";

/// What was found.
#[derive(Default)]
struct Tables {
    step_rows: Vec<StepRow>,
    conic_rows: Vec<Row>,
}

/// Whole steps by one engine.
struct StepRow {
    scene: String,
    engine: &'static str,
    settings: String,
    bodies: usize,
    /// Median, s.
    seconds: f64,
    /// Share of the radius.
    overlap: f64,
    /// Ours only: the worst of the timed steps.
    residual: Option<f64>,
}

impl StepRow {
    fn row(&self) -> Row {
        vec![
            ("scene", self.scene.as_str().into()),
            ("engine", self.engine.into()),
            ("settings", self.settings.as_str().into()),
            ("bodies", self.bodies.into()),
            ("step_ms", (1e3 * self.seconds).into()),
            ("overlap_percent", (100.0 * self.overlap).into()),
            ("residual", self.residual.into()),
        ]
    }
}

/// Overlap that counts as none: a per cent of the radius.
const SHALLOW: f64 = 0.01;

const OURS: &str = "drystone";
const RAPIER: &str = "rapier3d-f64";

impl Tables {
    /// Ours beside Rapier's as it comes, and beside its first effort that does not overlap.
    fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        let scenes: std::collections::BTreeSet<&str> = self
            .step_rows
            .iter()
            .map(|row| row.scene.as_str())
            .collect();
        for scene in scenes {
            let of = |engine: &str| -> Vec<&StepRow> {
                let own = |row: &&StepRow| row.scene == scene && row.engine == engine;
                self.step_rows.iter().filter(own).collect()
            };
            let (ours, theirs) = (of(OURS), of(RAPIER));
            let (Some(ours), Some(default)) = (ours.last(), theirs.first()) else {
                continue;
            };
            sentences.push(beside(scene, ours, default));
            if default.overlap < SHALLOW {
                continue;
            }
            sentences.push(match theirs.iter().find(|row| row.overlap < SHALLOW) {
                Some(shallow) => beside(scene, ours, shallow),
                None => {
                    let last = theirs[theirs.len() - 1];
                    format!(
                        "{scene}: Rapier overlaps by {} % at its limit here ({}).",
                        short_number(100.0 * last.overlap),
                        last.settings
                    )
                }
            });
        }
        sentences
    }
}

fn beside(scene: &str, ours: &StepRow, theirs: &StepRow) -> String {
    let ratio = ours.seconds / theirs.seconds;
    let words = match ratio <= 1.0 {
        true => format!("{} times as fast as", short_number(1.0 / ratio)),
        false => format!("{} times as slow as", short_number(ratio)),
    };
    format!(
        "{scene}: our step ({}, overlap {} %) is {words} Rapier's ({}, overlap {} %).",
        ours.settings,
        short_number(100.0 * ours.overlap),
        theirs.settings,
        short_number(100.0 * theirs.overlap)
    )
}

fn ours(tolerance: f64) -> Measured {
    Measured {
        method: Method::Auto,
        tolerance,
        iterations: None,
    }
}

fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Ours at two tolerances, then Rapier with growing effort.
fn steps(
    args: &Args,
    case: &Case,
    stage: &mut Stage<'_>,
    control: Control<'_>,
) -> Result<Vec<StepRow>, StudyError> {
    let (settle, timed) = (args.or(args.settle, 5, 200), args.or(args.steps, 2, 10));
    let mut rows = Vec::new();
    for tolerance in [1e-2, 1e-4] {
        let mut simulation = stage.simulation(case, &ours(tolerance), &[])?;
        let [_, reports] = time_steps(&mut simulation, [5, timed], 20.0, None, control)?;
        let world = simulation.world();
        rows.push(StepRow {
            scene: case.label(),
            engine: OURS,
            settings: format!("residual {tolerance:e}"),
            bodies: world.len(),
            seconds: middle(reports.iter().map(|r| r.times.total).collect()),
            overlap: deepest_overlap(world, world.contacts()),
            residual: Some(
                reports
                    .iter()
                    .map(|r| r.residual)
                    .fold(0.0, drystone::worse),
            ),
        });
        told(&rows, control);
    }
    let mut effort = Effort::DEFAULT;
    loop {
        let mut simulation = stage.simulation(case, &ours(1e-4), &[])?;
        let row = in_rapier(case, &mut simulation, effort, [settle, timed])?;
        let enough = row.overlap < SHALLOW || effort.iterations >= args.most_iterations;
        rows.push(row);
        told(&rows, control);
        if enough {
            return Ok(rows);
        }
        effort = effort.doubled();
    }
}

fn told(rows: &[StepRow], control: Control<'_>) {
    if let Some(row) = rows.last() {
        let line = format!(
            "{}, {} ({}): {} ms, overlap {} %",
            row.scene,
            row.engine,
            row.settings,
            short_number(1e3 * row.seconds),
            short_number(100.0 * row.overlap)
        );
        control.tell(Event::End(Some(&line)));
    }
}

fn in_rapier(
    case: &Case,
    simulation: &mut Simulation,
    effort: Effort,
    [settle, timed]: [usize; 2],
) -> Result<StepRow, StudyError> {
    let refused = |words: String| StudyError::Refused(format!("{}: {words}", case.label()));
    let mut copied = Copied::new(simulation.world(), effort).map_err(refused)?;
    (0..settle).for_each(|_| {
        copied.step();
    });
    let seconds = middle((0..timed).map(|_| copied.step()).collect());
    let bodies = simulation.world().len() - copied.left_out;
    let overlap = judge::overlap(simulation, copied.poses())?;
    Ok(StepRow {
        scene: case.label(),
        engine: RAPIER,
        settings: effort.words(),
        bodies,
        seconds,
        overlap,
        residual: None,
    })
}

/// Clarabel and `auto` on the problem of the next step.
fn conic(
    args: &Args,
    case: &Case,
    stage: &mut Stage<'_>,
    control: Control<'_>,
) -> Result<Vec<Row>, StudyError> {
    let problem = stage.problem(case, &[])?;
    let patience = Duration::from_secs_f64(args.or(args.conic_seconds, 20.0, 60.0));
    let row = |solver: &str, ended: &str, seconds: Cell, residual: Cell| -> Row {
        vec![
            ("scene", case.label().as_str().into()),
            ("contacts", problem.cones().contacts().into()),
            ("solver", solver.into()),
            ("ended", ended.into()),
            ("seconds", seconds),
            ("residual", residual),
        ]
    };
    let mut rows = Vec::new();
    for tolerance in [1e-4, 1e-8] {
        let limits = Limits {
            tolerance,
            time_limit: Some(patience),
            ..Limits::default()
        };
        let mut gamma = vec![0.0; problem.dim()];
        let mut monitor = Monitor::new(limits, Law::Relaxed);
        let info = solve(&problem, Method::Auto, &mut gamma, &mut monitor);
        let info = info.map_err(|e| StudyError::Refused(e.to_string()))?;
        let name = format!("auto to {tolerance:e}");
        let residual = info.certificate.residual.into();
        rows.push(row(
            &name,
            info.termination.name(),
            info.seconds.into(),
            residual,
        ));
    }
    if let Some(run) = run_clarabel(&problem, patience, control)? {
        rows.push(row(
            "clarabel",
            run.ended,
            run.seconds.into(),
            run.residual.into(),
        ));
    }
    Ok(rows)
}
