//! Ctrl-C and SIGTERM.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::output::to_stderr;

/// Exit status after a second Ctrl-C, as shells have it for an interrupted program.
const QUIT: i32 = 130;

/// A flag that the first Ctrl-C (or SIGTERM) sets, saying `what` happens now. The second one quits.
pub fn on_interrupt(what: &'static str) -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&flag);
    // Without a handler Ctrl-C simply quits: no reason to refuse work.
    let _ = ctrlc::set_handler(move || {
        if set.swap(true, Ordering::Relaxed) {
            std::process::exit(QUIT);
        }
        to_stderr(&format!("{what}; once more to quit at once"));
    });
    flag
}
