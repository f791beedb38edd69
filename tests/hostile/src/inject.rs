//! One call of the system that fails, is cut short, or is the last one: every write, sync, rename,
//! truncation, removal and open below the folder of a run.
//!
//! An undisturbed run is traced first, which gives the list of its calls. Then the run is repeated
//! with a fault in one of them, for all calls and all faults or a sample of them. The program must
//! say with its exit status what happened, no file may be there in part, and the run resumed must
//! leave the bytes of an undisturbed one.
//!
//! The calls are caught by tracing, not by a library put before the C library: part of the program
//! calls the system directly. Tracing knows the registers of x86-64 under Linux only; elsewhere
//! this kind is skipped, and says so.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod fault;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod tracer;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod trials;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub use trials::run;

/// Not here.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub fn run(_: &crate::args::Args, _: &crate::bench::Bench) -> Result<crate::tally::Tally, String> {
    eprintln!("inject: skipped, needs Linux on x86-64");
    Ok(crate::tally::Tally::new("inject"))
}
