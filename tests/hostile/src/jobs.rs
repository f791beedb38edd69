//! Trials on several threads, in the order of their numbers.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Calls `work` with 0, 1, … below `count`, on so many threads. The first error ends it.
pub fn each(
    jobs: usize,
    count: usize,
    work: impl Fn(usize) -> Result<(), String> + Sync,
) -> Result<(), String> {
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let error = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(count) {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        break;
                    }
                    if let Err(what) = work(number) {
                        stop.store(true, Ordering::Relaxed);
                        let mut error = error.lock().unwrap_or_else(|e| e.into_inner());
                        error.get_or_insert(what);
                    }
                }
            });
        }
    });
    match error.into_inner().unwrap_or_else(|e| e.into_inner()) {
        Some(what) => Err(what),
        None => Ok(()),
    }
}
