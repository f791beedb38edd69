//! Ctrl-C and SIGTERM: every command ends within a second of the signal, wherever it is.
//!
//! What a signal does depends on what there is to keep, so a command says which [`Stage`] it is in.
//! Where there is nothing to keep, the program quits at once. Where there is, a flag is set that
//! the work looks at; what does not notice within a second (a long factorisation, a slow search
//! for contacts) is given up. Whole files stay, and no half ones are left: all are written under
//! temporary names first, and quitting removes those.

use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use drystone_run::atomic;

use crate::failure::NOT_CONVERGED;
use crate::output::to_stderr;

/// Exit status of a program that quits without more ado, as shells have it for an interrupted one.
const QUIT: i32 = 130;
/// How long the work may take to notice: half a second, less what quitting takes.
const PATIENCE: Duration = Duration::from_millis(300);
/// How long the last results may take to be written: large ones take a few seconds, and losing
/// them costs more than waiting.
const SAVING: Duration = Duration::from_secs(10);
/// How long a message may take: a terminal that was stopped, or a pipe that nobody reads, must not
/// hold up the end.
const SPEAKING: Duration = Duration::from_millis(100);

/// Saves what the work has so far, and says what that is: as an error where nothing could be saved.
pub type Rescue = Box<dyn Fn() -> Result<String, String> + Send>;

/// What there is to keep at a moment.
pub enum Stage {
    /// Nothing: the signal quits at once. The words say what becomes of the work.
    Quit(&'static str),
    /// The work looks at the flag.
    Cancel {
        /// What happens now.
        now: &'static str,
        /// What is lost and what is kept where the work does not notice in time.
        late: String,
    },
    /// The work looks at the flag, and shares what it has.
    Rescue {
        /// What happens now.
        now: &'static str,
        /// What to do where the work does not notice in time.
        late: Rescue,
    },
    /// All results are written, but for a last one that can be made again: not to wait for it is to
    /// cancel it.
    Spare {
        /// What happens now.
        now: &'static str,
        /// How to make it.
        late: String,
    },
    /// The last results are being written, and then the program ends.
    Save,
}

/// Ends the program when a signal comes.
pub struct Interrupt {
    flag: AtomicBool,
    stage: Mutex<Stage>,
}

impl Interrupt {
    /// Listens to signals from now on. The second one quits at once.
    pub fn listen(stage: Stage) -> Arc<Self> {
        let interrupt = Arc::new(Self {
            flag: AtomicBool::new(false),
            stage: Mutex::new(stage),
        });
        let heard = Arc::clone(&interrupt);
        // Without a handler Ctrl-C simply quits: no reason to refuse work.
        let _ = ctrlc::set_handler(move || heard.signalled());
        interrupt
    }

    /// Is set by the first signal.
    pub fn flag(&self) -> &AtomicBool {
        &self.flag
    }

    /// The command goes on to another stage.
    pub fn enter(&self, stage: Stage) {
        *self.stage() = stage;
    }

    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn signalled(self: &Arc<Self>) {
        if self.flag.swap(true, Ordering::Relaxed) {
            quit();
        }
        // Held while the program quits, so that the work cannot go on to the next stage meanwhile.
        let stage = self.stage();
        let words = match &*stage {
            Stage::Quit(words) => {
                say(words);
                quit();
            }
            Stage::Cancel { now, .. } | Stage::Rescue { now, .. } | Stage::Spare { now, .. } => {
                *now
            }
            Stage::Save => "stopping: results are being written",
        };
        drop(stage);
        let watched = Arc::clone(self);
        thread::spawn(move || watched.quit_late(Instant::now()));
        say(&format!("{words}; once more to quit at once"));
    }

    /// Quits where the work goes on for too long after the signal.
    fn quit_late(&self, signal: Instant) {
        thread::sleep(PATIENCE);
        loop {
            match &*self.stage() {
                Stage::Save if signal.elapsed() < SAVING => {}
                Stage::Save => {
                    say("gave up: results could not be written in time; some may be missing");
                    quit();
                }
                Stage::Cancel { late, .. } => {
                    say(late);
                    quit();
                }
                Stage::Rescue { late, .. } => match late() {
                    Ok(words) => {
                        say(&words);
                        leave(i32::from(NOT_CONVERGED));
                    }
                    Err(words) => {
                        say(&words);
                        quit();
                    }
                },
                Stage::Spare { late, .. } => {
                    say(late);
                    leave(i32::from(NOT_CONVERGED));
                }
                Stage::Quit(words) => {
                    say(words);
                    quit();
                }
            }
            // Often enough to go unnoticed.
            thread::sleep(Duration::from_millis(20));
        }
    }
}

fn quit() -> ! {
    leave(QUIT)
}

/// Leaves no temporary file behind.
fn leave(status: i32) -> ! {
    atomic::abandon();
    exit(status)
}

/// Says something, if it can be said in time.
fn say(words: &str) {
    let words = words.to_owned();
    let (said, heard) = mpsc::channel();
    thread::spawn(move || {
        to_stderr(&words);
        // Nobody listens any more where it took too long.
        let _ = said.send(());
    });
    let _ = heard.recv_timeout(SPEAKING);
}
