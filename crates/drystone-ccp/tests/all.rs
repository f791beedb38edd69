//! All tests of this crate that use it from outside, as one program: each program is linked on its
//! own, and that takes longer than most tests. A file of its own needs a line here.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod against_clarabel;
mod certificate;
mod common;
mod distributed;
mod every_method;
mod heavy_on_light;
mod issue_13_extremes;
mod methods;
mod operators;
mod primal_form;
