//! Threads, the interpreter's lock, and Ctrl-C.
//!
//! The engine works on a pool of its own while the calling thread waits without the interpreter's
//! lock. It wakes up twenty times a second to see whether somebody pressed Ctrl-C. If so, the work
//! is cancelled and the exception raised; a step that is cancelled has changed nothing.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::error::value_error;

/// Time between two looks at signals: short to the one who pressed Ctrl-C, long to the machine.
const LOOK: Duration = Duration::from_millis(50);

/// Most threads that can be asked for, as on the command line.
const MOST_THREADS: usize = 1024;

/// The threads of one process.
struct Pool {
    threads: rayon::ThreadPool,
    process: u32,
}

static POOL: Mutex<Option<Arc<Pool>>> = Mutex::new(None);

fn make(threads: usize) -> PyResult<Arc<Pool>> {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let threads = threads
        .map_err(|e| PyRuntimeError::new_err(format!("could not start the threads: {e}")))?;
    Ok(Arc::new(Pool {
        threads,
        process: std::process::id(),
    }))
}

/// The pool, made when it is first needed, and anew in a process that was forked: threads stay
/// behind in its parent.
fn pool() -> PyResult<Arc<Pool>> {
    let mut slot = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    match &*slot {
        Some(pool) if pool.process == std::process::id() => Ok(pool.clone()),
        Some(stale) => {
            let made = make(stale.threads.current_num_threads())?;
            // Its threads are not there to be ended.
            std::mem::forget(slot.replace(made.clone()));
            Ok(made)
        }
        None => Ok(slot.insert(make(0)?).clone()),
    }
}

/// Set the number of threads that everything runs on from now on.
///
/// Results do not depend on it. ``None`` takes one per core.
#[pyfunction]
#[pyo3(signature = (count=None))]
pub fn set_threads(count: Option<i64>) -> PyResult<()> {
    let count = match count {
        None => 0,
        Some(count) => usize::try_from(count)
            .ok()
            .filter(|count| (1..=MOST_THREADS).contains(count))
            .ok_or_else(|| {
                value_error(format!(
                    "threads: {count} is not a whole number from 1 to {MOST_THREADS}"
                ))
            })?,
    };
    let made = make(count)?;
    let mut slot = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let last = slot.replace(made);
    if let Some(last) = last.filter(|last| last.process != std::process::id()) {
        std::mem::forget(last);
    }
    Ok(())
}

/// The number of threads that everything runs on.
#[pyfunction]
pub fn threads() -> PyResult<usize> {
    Ok(pool()?.threads.current_num_threads())
}

/// Does `job` on the pool, without the interpreter's lock. The flag that it gets is set on Ctrl-C,
/// and where `look`, which is called now and then, raises.
pub fn work<T: Send>(
    py: Python<'_>,
    job: impl FnOnce(&AtomicBool) -> T + Send,
    look: &mut (dyn FnMut(Python<'_>) -> PyResult<()> + Send),
) -> PyResult<T> {
    let cancel = AtomicBool::new(false);
    // A Python function that the engine calls is on the pool already: waiting would block it.
    if rayon::current_thread_index().is_some() {
        return Ok(py.detach(|| job(&cancel)));
    }
    let pool = pool()?;
    let (result, failure) = py.detach(|| {
        let (done, wait) = sync_channel::<()>(1);
        let (mut result, mut failure) = (None, None);
        let (slot, flag) = (&mut result, &cancel);
        pool.threads.in_place_scope(|scope| {
            scope.spawn(move |_| {
                *slot = Some(job(flag));
                // Nobody waits where the scope is being left.
                let _ = done.send(());
            });
            while wait.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if failure.is_none() {
                    let looked = Python::attach(|py| {
                        py.check_signals()?;
                        look(py)
                    });
                    failure = looked.err();
                    flag.store(failure.is_some(), Ordering::Relaxed);
                }
            }
        });
        (result, failure)
    });
    match (failure, result) {
        (Some(failure), _) => Err(failure),
        (None, Some(result)) => Ok(result),
        (None, None) => Err(PyRuntimeError::new_err("the work ended without a result")),
    }
}

/// The same with nothing to look at but signals.
pub fn quietly<T: Send>(py: Python<'_>, job: impl FnOnce(&AtomicBool) -> T + Send) -> PyResult<T> {
    work(py, job, &mut |_| Ok(()))
}
