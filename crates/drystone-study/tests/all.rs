//! All tests of this crate that use it from outside, as one program: each program is linked on its
//! own, and that takes longer than most tests. A file of its own needs a line here.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod compare;
mod experiment;
