//! Too little of everything: memory, file size, descriptors, disk; outputs that cannot be written;
//! things that are no regular files where files are expected.
//!
//! Each case is a line for the shell, with the program as `$DRYSTONE`, the scene as `$SCENE` and
//! the run's folder as `$RUN`. It must end by one of its statuses, without a panic, and leave no
//! file in part. Where there is a run to go on with, it is resumed and compared with an undisturbed
//! one.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::args::Args;
use crate::bench::Bench;
use crate::child;
use crate::jobs;
use crate::run_folder;
use crate::small_scenes::Reference;
use crate::tally::{Failure, Tally};

/// What comes after the line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    /// The run is resumed, and must end as an undisturbed one.
    Resume,
    /// The run must be complete already.
    Complete,
    /// There is nothing to go on with.
    Nothing,
}

/// One case.
struct Case {
    name: String,
    line: String,
    statuses: Vec<i32>,
    then: Then,
}

/// The run of all cases, with a checkpoint after every step.
const RUN: &str = "\"$DRYSTONE\" run \"$SCENE\" -o \"$RUN\" --quiet --picture 32x20 --threads 1 \
                   --checkpoint-every 1e-6";

/// Longest that a line may take: it waits for nothing that will come.
const PATIENCE: Duration = Duration::from_secs(20);

/// Status of a line that cannot be tried on this machine.
const SKIPPED: i32 = 77;

/// Tries all cases.
pub fn run(_: &Args, bench: &Bench) -> Result<Tally, String> {
    let reference = Reference::balls(bench, "limits", 0.03)?;
    let tally = Tally::new("limits");
    let cases = cases();
    jobs::each(bench.jobs, cases.len(), |k| {
        let case = &cases[k];
        let folder = bench.folder(&format!("limits-{k}"))?;
        let ended = attempt(bench, &reference, case, &folder)?;
        if ended.status == Some(SKIPPED) {
            tally.count("skipped", 1);
            return Ok(());
        }
        let verdict = judge(bench, &reference, case, &folder.join("r"), &ended);
        tally.tried(1);
        if let Err(what) = verdict {
            let failure = Failure {
                name: case.name.clone(),
                what,
                again: case.line.clone(),
                input: vec![],
            };
            tally.fail(bench, &failure);
        }
        let _ = std::fs::remove_dir_all(&folder);
        Ok(())
    })?;
    Ok(tally)
}

fn attempt(
    bench: &Bench,
    reference: &Reference,
    case: &Case,
    folder: &Path,
) -> Result<child::Ended, String> {
    let mut command = Command::new("sh");
    command
        .arg("-c")
        .arg(&case.line)
        .current_dir(folder)
        .env("DRYSTONE", &bench.binary)
        .env("SCENE", reference.name())
        .env("RUN", folder.join("r"));
    child::run(command, folder, PATIENCE)
}

fn judge(
    bench: &Bench,
    reference: &Reference,
    case: &Case,
    run: &Path,
    ended: &child::Ended,
) -> Result<(), String> {
    // The shell tells a signal as a status beyond 128.
    ended.expect(&case.statuses)?;
    let is_run = run.is_dir();
    if is_run {
        run_folder::whole(run)?;
    }
    match case.then {
        Then::Nothing => Ok(()),
        Then::Complete => run_folder::same(&reference.folder, run),
        Then::Resume => reference.resume_and_compare(bench, run),
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |name: &str, line: String, statuses: &[i32], then: Then| {
        cases.push(Case {
            name: name.to_owned(),
            line,
            statuses: statuses.to_vec(),
            then,
        });
    };
    // Memory, kB. It may be refused beforehand (2), or run out in the midst of the work (4).
    for limit in [
        60_000, 100_000, 150_000, 200_000, 300_000, 500_000, 1_000_000,
    ] {
        let line = format!("ulimit -v {limit}; {RUN}");
        add(
            &format!("memory-{limit}-kB"),
            line,
            &[0, 2, 4],
            Then::Resume,
        );
        let line = format!("ulimit -v {limit}; \"$DRYSTONE\" check pile --threads 1");
        add(
            &format!("memory-of-check-{limit}-kB"),
            line,
            &[0, 2, 4],
            Then::Nothing,
        );
    }
    // Size of files, in blocks of 512 bytes.
    for limit in [0, 1, 2, 4, 8, 16, 32, 64, 128] {
        let line = format!("ulimit -f {limit}; {RUN}");
        add(
            &format!("file-size-{limit}-blocks"),
            line,
            &[0, 4],
            Then::Resume,
        );
    }
    for limit in [4, 5, 6, 7, 8, 9, 10, 12, 16, 32] {
        let line = format!("ulimit -n {limit}; {RUN}");
        // Below about eight the C library cannot load the program (127).
        add(
            &format!("descriptors-{limit}"),
            line,
            &[0, 2, 4, 127],
            Then::Resume,
        );
    }
    for limit in [256, 1024] {
        add(
            &format!("stack-{limit}-kB"),
            format!("ulimit -s {limit}; {RUN}"),
            &[0],
            Then::Complete,
        );
    }
    outputs(&mut add);
    disks(&mut add);
    not_regular(&mut add);
    messages(&mut add);
    cases
}

type Add<'a> = &'a mut dyn FnMut(&str, String, &[i32], Then);

/// Standard streams that are closed, full or broken.
fn outputs(add: Add<'_>) {
    add(
        "stdout-closed",
        format!("{RUN} >&-"),
        &[0, 4],
        Then::Complete,
    );
    add(
        "stdout-full",
        format!("{RUN} >/dev/full"),
        &[0, 4],
        Then::Complete,
    );
    add("stderr-closed", format!("{RUN} 2>&-"), &[0], Then::Complete);
    add(
        "stderr-full",
        format!("{RUN} 2>/dev/full"),
        &[0],
        Then::Complete,
    );
    add(
        "all-closed",
        format!("{RUN} <&- >&- 2>&-"),
        &[0, 4],
        Then::Complete,
    );
    add(
        "stdout-broken",
        format!("{{ {RUN}; }} | true"),
        &[0],
        Then::Complete,
    );
    add(
        "no-home-no-tmp",
        format!("env -u HOME TMPDIR=/nowhere {RUN}"),
        &[0],
        Then::Complete,
    );
    let full = "\"$DRYSTONE\" scenes >/dev/full".to_owned();
    add("scenes-to-full", full, &[4], Then::Nothing);
}

/// Disks that are small or may not be written. In a name space of its own, so that nothing stays
/// mounted; without the right to make one the case is skipped.
fn disks(add: Add<'_>) {
    let mounted = |options: &str, line: &str| {
        format!(
            "unshare -m true 2>/dev/null || exit {SKIPPED}; mkdir d; unshare -m sh -c '\
             mount -t tmpfs -o {options} none d || exit {SKIPPED}; {line}' sh"
        )
    };
    let inside = RUN.replace("$RUN", "$PWD/d/r");
    for size in [16, 40, 64, 100, 160, 400] {
        let line = format!("{inside}; s=$?; cp -r d/r r 2>/dev/null; exit $s");
        let line = mounted(&format!("size={size}k"), &line);
        add(&format!("disk-of-{size}-kB"), line, &[0, 4], Then::Resume);
    }
    let inodes = format!("{inside}; s=$?; cp -r d/r r; exit $s");
    add(
        "few-files",
        mounted("nr_inodes=6", &inodes),
        &[0, 4],
        Then::Resume,
    );
    let read_only = format!("mount -o remount,ro d; {inside}");
    add(
        "read-only",
        mounted("size=1m", &read_only),
        &[4],
        Then::Nothing,
    );
    let finished = format!(
        "{inside} || exit 98; mount -o remount,ro d; \"$DRYSTONE\" run --resume -o \"$PWD/d/r\" --quiet"
    );
    add(
        "read-only-resume",
        mounted("size=10m", &finished),
        &[0, 4],
        Then::Nothing,
    );
}

/// Folders, links, pipes and devices in place of files.
fn not_regular(add: Add<'_>) {
    let before = |prepare: &str| format!("mkdir \"$RUN\"; {prepare}; {RUN} --overwrite");
    add(
        "output-is-a-file",
        format!("touch \"$RUN\"; {RUN}"),
        &[2, 4],
        Then::Nothing,
    );
    let nowhere = format!("ln -s /nowhere/at/all \"$RUN\"; {RUN}");
    add("output-leads-nowhere", nowhere, &[2, 4], Then::Nothing);
    for file in [
        "run.lock",
        "frames.dry",
        "log.csv",
        "checkpoint.dry",
        "summary.json",
        "scene.toml",
    ] {
        let pipe = before(&format!("mkfifo \"$RUN/{file}\""));
        add(
            &format!("{file}-is-a-pipe"),
            pipe,
            &[0, 2, 4],
            Then::Nothing,
        );
        let folder = before(&format!("mkdir \"$RUN/{file}\""));
        add(
            &format!("{file}-is-a-folder"),
            folder,
            &[2, 4],
            Then::Nothing,
        );
        // A link must not lead to the loss of what it points to.
        let link = format!(
            "echo precious >kept; {}; s=$?; [ \"$(cat kept)\" = precious ] || exit 97; exit $s",
            before(&format!("ln -s \"$PWD/kept\" \"$RUN/{file}\""))
        );
        add(
            &format!("{file}-is-a-link"),
            link,
            &[0, 2, 4],
            Then::Nothing,
        );
    }
    for (name, prepare) in [
        ("pipe", "mkfifo s"),
        ("folder", "mkdir s"),
        ("zero", "ln -s /dev/zero s"),
        ("null", "ln -s /dev/null s"),
        ("loop", "ln -s s s"),
    ] {
        for command in [
            "run s -o r --quiet",
            "check s",
            "solve s",
            "render s -o p.png",
            "export s -o e",
        ] {
            let line = format!("{prepare}; \"$DRYSTONE\" {command}");
            let word = command.split(' ').next().unwrap_or_default();
            add(&format!("{word}-of-a-{name}"), line, &[2], Then::Nothing);
        }
    }
    let mesh = "mkfifo m.stl; printf '[settings]\\nduration = 1\\n[[body]]\\nshape = { type = \"mesh\", \
                file = \"m.stl\" }\\n' >m.toml; \"$DRYSTONE\" check m.toml";
    add("mesh-is-a-pipe", mesh.to_owned(), &[2], Then::Nothing);
}

/// Texts that would do something to a terminal, in all places that are quoted. The tester itself
/// looks for control characters in what is printed.
fn messages(add: Add<'_>) {
    let escape = "\\033[31m\\007";
    for (name, text) in [
        ("syntax", format!("a = {escape}")),
        ("key", format!("\"{escape}\" = 1")),
        ("title", "title = \"\\\\u001b[31m\"\\n[settings]\\nduration = 0.01".to_owned()),
        ("expression", "[settings]\\nduration = \"\\\\u001b[31m\"".to_owned()),
        ("name", "[settings]\\nduration = 1\\n[[body]]\\nname = \"\\\\u001b[31m\"\\n[[body]]\\nshape = 1".to_owned()),
    ] {
        let line = format!("printf '{text}' >s.toml; \"$DRYSTONE\" check s.toml");
        add(&format!("escape-in-a-{name}"), line, &[0, 2], Then::Nothing);
        let line = format!("printf '{text}' >s.toml; \"$DRYSTONE\" run s.toml -o r --picture none");
        add(&format!("run-with-escape-in-a-{name}"), line, &[0, 2], Then::Nothing);
    }
    let robot = format!(
        "printf '<robot name=\"a\"><link name=\"{escape}\"/></robot>' >a.urdf; printf '[settings]\\nduration = 1\\n\
         [[robot]]\\nfile = \"a.urdf\"\\n' >s.toml; \"$DRYSTONE\" check s.toml"
    );
    add("escape-in-a-robot", robot, &[0, 2], Then::Nothing);
    let mesh = format!(
        "printf 'solid a\\nfacet {escape}\\n' >m.stl; printf '[settings]\\nduration = 1\\n[[body]]\\nshape = {{ type = \
         \"mesh\", file = \"m.stl\" }}\\n' >s.toml; \"$DRYSTONE\" check s.toml"
    );
    add("escape-in-a-mesh", mesh, &[2], Then::Nothing);
    let problem = format!("printf '3\\n1\\n{escape}' >p.dat; \"$DRYSTONE\" solve p.dat");
    add("escape-in-a-problem", problem, &[2], Then::Nothing);
    let flag = format!("\"$DRYSTONE\" run pile --set \"$(printf '{escape}')=1\"");
    add("escape-in-a-flag", flag, &[2], Then::Nothing);
}
