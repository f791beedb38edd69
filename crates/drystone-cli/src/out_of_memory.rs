//! An end with a word and a status where memory runs out in the midst of the work.
//!
//! What a scene needs is estimated before it is built (file `memory`), but an estimate can fall
//! short. Rust then aborts the program. The allocator of this file is the system's, and remembers
//! that it had nothing left to give; the abort that follows becomes an exit. What was written
//! before is whole, as after a kill.
#![allow(unsafe_code)] // an allocator, and what follows an abort

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, Ordering};

use nix::libc;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

use crate::failure::NOT_WRITTEN;

const WORDS: &[u8] = b"error: memory ran out; files that were written are whole, \
                       and a run can be resumed from its last checkpoint\n";

/// Whether an allocation ever failed. It stays set where the program goes on without, as when a
/// factor finds no room and another method takes over. If the program then aborts for another
/// reason, a panic within a panic, that looks like want of memory too. To clear it at the next
/// success could hide what another thread ran into.
static RAN_OUT: AtomicBool = AtomicBool::new(false);

/// The system's allocator, which remembers whether it ever had nothing left.
struct Remembering;

#[global_allocator]
static ALLOCATOR: Remembering = Remembering;

impl Remembering {
    fn noted(given: *mut u8) -> *mut u8 {
        if given.is_null() {
            RAN_OUT.store(true, Ordering::Relaxed);
        }
        given
    }
}

// SAFETY: every call goes to the system's allocator as it is, and so does what it returns.
unsafe impl GlobalAlloc for Remembering {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that `System` asks for.
        Self::noted(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        Self::noted(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        Self::noted(unsafe { System.realloc(old, layout, size) })
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(old, layout) }
    }
}

/// Lets an abort for want of memory end the program with a message and [`NOT_WRITTEN`].
pub fn end_with_a_status() {
    let handler = SigHandler::Handler(on_abort);
    let action = SigAction::new(handler, SaFlags::empty(), SigSet::empty());
    // SAFETY: `on_abort` calls only what a signal handler may call. Where the handler cannot be
    // set, the program works all the same.
    let _ = unsafe { sigaction(Signal::SIGABRT, &action) };
}

/// Any other abort goes on when this returns: it is a fault of the program, and must look like one.
extern "C" fn on_abort(_: libc::c_int) {
    if RAN_OUT.load(Ordering::Relaxed) {
        // SAFETY: both calls may be made in a signal handler, and the bytes live for ever.
        unsafe {
            libc::write(libc::STDERR_FILENO, WORDS.as_ptr().cast(), WORDS.len());
            libc::_exit(i32::from(NOT_WRITTEN));
        }
    }
}
