//! `drystone bench`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use drystone_ccp::Method;
use drystone_run::{Control, Event, SettledStates};
use drystone_study::StudyError;
use drystone_study::bench::kernels::FIRST_ORDER;
use drystone_study::bench::{
    BenchContext, BenchReport, KernelSettings, SceneKind, SolverBenchSettings, StepBenchSettings,
    kernels, problem_files, solvers, steps,
};

use crate::args::MethodChoice;
use crate::args::bench::{
    BenchArgs, BenchCommand, BenchCommonArgs, KernelsArgs, PeersArgs, SolversArgs, StepsArgs,
};
use crate::cache::settled_folder;
use crate::cancellation::{Interrupt, Stage};
use crate::failure::{Failure, NOT_CONVERGED, SUCCESS};
use crate::output::to_stdout;
use crate::progress::Screen;

/// Measures what is asked for; the exit status says whether it came to its end.
pub fn bench(args: &BenchArgs, interrupt: &Interrupt) -> Result<u8, Failure> {
    match &args.bench {
        BenchCommand::Kernels(args) => {
            let settings = kernel_settings(args)?;
            run(&args.common, interrupt, |context| {
                kernels(&settings, context)
            })
        }
        BenchCommand::Solvers(args) => {
            let settings = solver_settings(args)?;
            run(&args.common, interrupt, |context| {
                solvers(&settings, context)
            })
        }
        BenchCommand::Steps(args) => {
            let settings = step_settings(args);
            run(&args.common, interrupt, |context| steps(&settings, context))
        }
        BenchCommand::Peers(args) => peers(args, interrupt),
    }
}

/// Runs a bench with progress and cancellation, and shows what it found.
fn run(
    args: &BenchCommonArgs,
    interrupt: &Interrupt,
    bench: impl FnOnce(BenchContext<'_>) -> Result<BenchReport, StudyError>,
) -> Result<u8, Failure> {
    if let Some(folder) = &args.output {
        BenchReport::check_folder(folder)?;
    }
    let screen = Screen::new(args.quiet);
    let show = |event: Event<'_>| {
        if let Event::Saving = event {
            interrupt.enter(Stage::Save);
        }
        screen.show(event);
    };
    let late = match &args.output {
        Some(_) => {
            "gave up waiting for the work at hand; the report holds what had ended before it"
        }
        None => "gave up waiting for the work at hand",
    };
    interrupt.enter(Stage::Cancel {
        now: "cancelling: the report will hold what has ended",
        late: late.to_owned(),
    });
    let store = SettledStates::new(settled_folder(
        args.cache.as_deref(),
        args.output.as_deref(),
    ));
    let keep = |report: &BenchReport| match &args.output {
        Some(folder) => report.write(folder),
        None => Ok(()),
    };
    let context = BenchContext {
        keep: &keep,
        store: &store,
        control: Control::new(interrupt.flag(), &show),
    };
    let report = bench(context)?;
    interrupt.enter(Stage::Save);
    if let Some(folder) = &args.output {
        report.write(folder)?;
    }
    to_stdout(&match args.json {
        true => format!("{:#}\n", report.json()),
        false => report.text(),
    })?;
    Ok(match report.is_cancelled() {
        true => NOT_CONVERGED,
        false => SUCCESS,
    })
}

/// Other engines are built by those who ask for them only.
const PEERS: &str = "drystone-peers";

/// Starts the program that holds the other engines, where it is beside this one.
fn peers(args: &PeersArgs, interrupt: &Interrupt) -> Result<u8, Failure> {
    let own = std::env::current_exe().unwrap_or_default();
    let program = own
        .with_file_name(PEERS)
        .with_extension(std::env::consts::EXE_EXTENSION);
    if !program.is_file() {
        return Err(Failure::Input(format!(
            "there is no {PEERS} beside this program. In a clone of the repository, build it with\n  \
             cargo build --release --manifest-path tests/peers/Cargo.toml --target-dir target"
        )));
    }
    // A signal reaches both; what the other has written is whole.
    interrupt.enter(Stage::Quit("interrupted; no report was written"));
    let cache = settled_folder(None, None);
    let cache = cache.parent().unwrap_or(&cache);
    let asked = |word: &OsString| word.to_string_lossy().starts_with("--cache");
    let mut command = Command::new(&program);
    if !args.arguments.iter().any(asked) {
        command.arg("--cache").arg(cache);
    }
    let status = command.args(&args.arguments).status();
    let status =
        status.map_err(|e| Failure::in_file(&program, format_args!("cannot be run: {e}")))?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    // None: a signal ended it.
    Ok(code.unwrap_or(NOT_CONVERGED))
}

/// What was asked for, or `otherwise`.
fn or<T: Clone>(asked: &[T], otherwise: &[T]) -> Vec<T> {
    match asked.is_empty() {
        true => otherwise.to_vec(),
        false => asked.to_vec(),
    }
}

fn kernel_settings(args: &KernelsArgs) -> Result<KernelSettings, Failure> {
    let quick = args.common.quick;
    Ok(KernelSettings {
        sizes: or(&args.sizes, if quick { &[60] } else { &[4000, 16_000] }),
        scale: args.scale.unwrap_or(if quick { 0.01 } else { 0.2 }),
        methods: or(&MethodChoice::methods(&args.methods), &FIRST_ORDER),
        threads: args.common.threads.clone(),
        files: problem_files(&args.problems)?,
        repeats: if quick { 1 } else { 5 },
        seconds: args.seconds.unwrap_or(if quick { 1e-3 } else { 0.2 }),
        // 3 arrays of 64 MB each are beyond every cache; a small one shows that it works.
        triad_length: if quick { 1 << 14 } else { 1 << 23 },
    })
}

/// Where stored problems are looked for.
const STORED: [&str; 3] = ["problems", "../shared/problems", "../shared/problems/large"];

fn solver_settings(args: &SolversArgs) -> Result<SolverBenchSettings, Failure> {
    let quick = args.common.quick;
    let there = STORED.map(PathBuf::from).into_iter().filter(|p| p.is_dir());
    let stored: Vec<PathBuf> = match quick {
        true => Vec::new(),
        false => there.collect(),
    };
    let scenes = [
        SceneKind::Pile,
        SceneKind::Wall,
        SceneKind::Mechanism,
        SceneKind::Slab,
    ];
    let scenes = or(&args.scenes, &scenes.map(Some));
    Ok(SolverBenchSettings {
        files: problem_files(&or(&args.problems, &stored))?,
        scenes: scenes.into_iter().flatten().collect(),
        sizes: or(
            &args.sizes,
            if quick { &[40] } else { &[1000, 4000, 16_000] },
        ),
        scale: args.scale.unwrap_or(if quick { 0.01 } else { 1.0 }),
        methods: or(&MethodChoice::methods(&args.methods), &Method::ALL),
        threads: args.common.threads.clone(),
        seconds: args.seconds.unwrap_or(if quick { 0.02 } else { 5.0 }),
    })
}

fn step_settings(args: &StepsArgs) -> StepBenchSettings {
    let quick = args.common.quick;
    let method = match args.iterations {
        // `auto` would factorise where a tolerance cannot be reached.
        Some(_) => Method::NesterovGs,
        None => Method::Auto,
    };
    let scenes: &[SceneKind] = match quick {
        // The vehicle has one size only, and takes longer than all others together.
        true => &[
            SceneKind::Pile,
            SceneKind::Grains,
            SceneKind::Wall,
            SceneKind::Mechanism,
            SceneKind::Slab,
        ],
        false => &SceneKind::ALL,
    };
    StepBenchSettings {
        scenes: or(&args.scenes, scenes),
        sizes: or(
            &args.sizes,
            if quick {
                &[40, 80]
            } else {
                &[1000, 4000, 16_000]
            },
        ),
        scale: args.scale.unwrap_or(if quick { 0.01 } else { 1.0 }),
        motions: args.states.clone(),
        methods: or(&MethodChoice::methods(&args.methods), &[method]),
        threads: args.common.threads.clone(),
        tolerance: args.tolerance,
        iterations: args.iterations,
        steps: args.steps.unwrap_or(if quick { 2 } else { 10 }),
        warm_up: args.warm_up.unwrap_or(if quick { 1 } else { 5 }),
        seconds: args.seconds,
    }
}
