//! All tests of this crate that use it from outside, as one program: each program is linked on its
//! own, and that takes longer than most tests. A file of its own needs a line here.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;
mod h5py;
mod issue_13_forged;
mod malformed;
mod mutations;
mod reference_problems;
mod round_trips;
mod siconos_text;
mod solve_reference_problems;
mod thread_parity;
