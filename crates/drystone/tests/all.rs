//! All tests of this crate that use it from outside, as one program: each program is linked on its
//! own, and that takes longer than most tests. A file of its own needs a line here.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod contact_laws;
mod contact_lists;
mod couplings;
mod every_method;
mod issue_13_inertia;
mod issue_14_joint_scale;
mod issue_15_arch;
mod issue_15_forces;
mod issue_15_overlap;
mod joints;
mod mechanisms;
mod open_step;
mod physics;
mod reactions;
mod reproducible;
