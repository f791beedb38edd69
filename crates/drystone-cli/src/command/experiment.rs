//! `drystone experiment`.

use drystone_run::checkpoint::Fingerprint;
use drystone_run::{Control, Event};
use drystone_study::experiment::{
    EXPERIMENTS, ExperimentSettings, TO_COME, find_experiments, run_experiments,
};

use crate::args::experiment::ExperimentArgs;
use crate::args::{MethodChoice, VERSION};
use crate::cache::settled_folder;
use crate::cancellation::{Interrupt, Stage};
use crate::failure::{Failure, NOT_CONVERGED, NOT_REPRODUCED, SUCCESS};
use crate::output::to_stdout;
use crate::progress::Screen;
use crate::threads::thread_pool;

/// Runs the experiments that are asked for, or lists them.
pub fn experiment(args: &ExperimentArgs, interrupt: &Interrupt) -> Result<u8, Failure> {
    let mut names = args.names.clone();
    if args.all {
        names.push("all".to_owned());
    }
    if names.is_empty() {
        to_stdout(&list())?;
        return Ok(SUCCESS);
    }
    let wanted = find_experiments(&names)?;
    let settings = ExperimentSettings {
        scale: args.scale,
        methods: MethodChoice::methods(&args.methods),
        rebuild: args.rebuild,
        resume: args.resume,
        program: VERSION.to_owned(),
        program_digest: digest_of_program(),
        failing: Vec::new(),
        changed_limits: Vec::new(),
    };
    let screen = Screen::new(args.quiet);
    let report = |event: Event<'_>| {
        if let Event::Saving = event {
            interrupt.enter(Stage::Save);
        }
        screen.show(event);
    };
    let control = Control::new(interrupt.flag(), &report);
    interrupt.enter(Stage::Cancel {
        now: "cancelling: the report will hold the experiments that have ended",
        late: format!(
            "gave up waiting for the work at hand; the experiments that had ended are in {}",
            args.output.display()
        ),
    });
    let pool = thread_pool(args.threads)?;
    let cache = settled_folder(args.cache.as_deref(), Some(&args.output));
    let run = || run_experiments(&wanted, &settings, &args.output, &cache, control);
    let folder = pool.install(run)?;
    to_stdout(&match args.json {
        true => format!("{:#}\n", folder.json()),
        false => folder.summary(),
    })?;
    Ok(match (folder.is_cancelled(), folder.reproduces()) {
        (true, _) => NOT_CONVERGED,
        (false, false) if args.strict => NOT_REPRODUCED,
        (false, _) => SUCCESS,
    })
}

/// Of the bytes of this program, by which `--resume` knows its own results; empty, so that nothing
/// is kept but by another such call, where the file cannot be read.
fn digest_of_program() -> String {
    let bytes = std::env::current_exe().and_then(std::fs::read);
    bytes.map_or(String::new(), |b| Fingerprint::of(&b).to_string())
}

fn list() -> String {
    let mut text = format!("{:<7} {:>9} {:>8}  what\n", "name", "time", "memory");
    for e in EXPERIMENTS {
        let time = match e.cost.minutes {
            minutes if minutes < 1.0 => format!("{:.0} s", 60.0 * minutes),
            minutes => format!("{minutes:.0} min"),
        };
        let memory = format!("{} GB", e.cost.gigabytes);
        text += &format!(
            "{:<7} {time:>9} {memory:>8}  {} ({})\n",
            e.id, e.title, e.source
        );
    }
    text += "\nTimes are for two cores, --scale 1 and nothing settled yet. To come:";
    for (id, what) in TO_COME {
        text += &format!(" {id} ({what}),");
    }
    text.pop();
    text + ".\nRun some: drystone experiment NAME... [--scale F]\n"
}
