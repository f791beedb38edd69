//! Signals that would end the program where an error says more.

/// Lets a write beyond the largest allowed size of a file (`ulimit -f`) fail like one to a full
/// disk. Without it the signal SIGXFSZ kills the program in the midst of a row.
pub fn block_file_size_signal() {
    #[cfg(unix)]
    {
        use nix::sys::signal::{SigSet, Signal};
        let mut set = SigSet::empty();
        set.add(Signal::SIGXFSZ);
        // Where it cannot be blocked, the program works all the same.
        let _ = set.thread_block();
    }
}
