//! The threads that all work runs on.

use crate::failure::Failure;

/// A pool of so many threads; one per core unless given. Results do not depend on their number.
pub fn thread_pool(threads: Option<usize>) -> Result<rayon::ThreadPool, Failure> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .build()
        .map_err(|e| Failure::Input(format!("--threads: could not start the threads: {e}")))
}
