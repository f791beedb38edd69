//! The program as a child: started with a limit of time, and what it left.

use std::fs::File;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Longest that a small run may take: far beyond what it needs, also on a machine that is busy.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// How often a child is looked at.
const LOOK: Duration = Duration::from_millis(1);

/// Most that is read of what a child printed, bytes.
const MOST_READ: u64 = 1 << 20;

/// Most that a child may print on standard error, bytes. Messages are for people.
const MOST_SAID: u64 = 64 << 10;

/// How a child ended, and what it printed.
#[derive(Debug)]
pub struct Ended {
    /// Its exit status; none where a signal ended it.
    pub status: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Whether it had to be killed because it took too long.
    pub too_long: bool,
    /// Standard error.
    pub stderr: String,
    /// Whether it printed more than messages for people have.
    pub too_loud: bool,
}

/// Files that a child prints to, in a folder of its own.
pub struct Prints {
    stdout: PathBuf,
    stderr: PathBuf,
}

impl Prints {
    /// In `folder`, replacing those of a child before.
    pub fn of(folder: &Path, command: &mut Command) -> Result<Self, String> {
        let [stdout, stderr] = ["stdout", "stderr"].map(|name| folder.join(name));
        let open = |path: &Path| File::create(path).map_err(|e| format!("{}: {e}", path.display()));
        // Of a panic its place is enough.
        command.env("RUST_BACKTRACE", "0").stdin(Stdio::null());
        command.stdout(open(&stdout)?).stderr(open(&stderr)?);
        Ok(Self { stdout, stderr })
    }

    /// What came of the child.
    pub fn ended(&self, status: ExitStatus, too_long: bool) -> Ended {
        let length = |path: &Path| path.metadata().map_or(0, |m| m.len());
        Ended {
            status: status.code(),
            signal: status.signal(),
            too_long,
            stderr: read(&self.stderr),
            too_loud: length(&self.stderr) > MOST_SAID || length(&self.stdout) > MOST_READ,
        }
    }
}

fn read(path: &Path) -> String {
    let mut bytes = Vec::new();
    if let Ok(file) = File::open(path) {
        let _ = file.take(MOST_READ).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Starts `command`, waits at most so long, and kills it then.
pub fn run(mut command: Command, folder: &Path, patience: Duration) -> Result<Ended, String> {
    let prints = Prints::of(folder, &mut command)?;
    let mut child = command.spawn().map_err(|e| format!("{command:?}: {e}"))?;
    let (status, too_long) = wait(&mut child, patience)?;
    Ok(prints.ended(status, too_long))
}

/// Waits at most so long, then kills.
pub fn wait(child: &mut Child, patience: Duration) -> Result<(ExitStatus, bool), String> {
    let failed = |e: std::io::Error| format!("a child cannot be waited for: {e}");
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            return Ok((status, false));
        }
        if begun.elapsed() > patience {
            child.kill().map_err(failed)?;
            return Ok((child.wait().map_err(failed)?, true));
        }
        std::thread::sleep(LOOK);
    }
}

impl Ended {
    /// What no input may ever lead to; none where the end was orderly.
    pub fn outrage(&self) -> Option<String> {
        if self.too_long {
            return Some("took too long and was killed".to_owned());
        }
        let mut lines = self.stderr.lines();
        if let Some(place) = lines.find(|line| line.contains("panicked at")) {
            let what = lines.next().unwrap_or_default();
            return Some(format!("{place} {what}"));
        }
        if self.too_loud {
            return Some("printed more than anybody reads".to_owned());
        }
        let control = |c: char| c.is_control() && !matches!(c, '\n' | '\t' | '\r');
        if self.stderr.chars().any(control) {
            return Some(format!("printed control characters: {:?}", self.said()));
        }
        None
    }

    /// As [`Self::outrage`], and only these exit statuses are right.
    pub fn expect(&self, statuses: &[i32]) -> Result<(), String> {
        if let Some(outrage) = self.outrage() {
            return Err(outrage);
        }
        match self.status {
            Some(status) if statuses.contains(&status) => Ok(()),
            Some(status) => Err(format!(
                "status {status}, expected {statuses:?}: {}",
                self.said()
            )),
            None => Err(format!(
                "ended by signal {}: {}",
                self.signal.unwrap_or(0),
                self.said()
            )),
        }
    }

    /// The end of what it said.
    pub fn said(&self) -> String {
        let lines: Vec<&str> = self.stderr.lines().rev().take(6).collect();
        let text: Vec<&str> = lines.into_iter().rev().collect();
        text.join(" | ").chars().take(600).collect()
    }
}
