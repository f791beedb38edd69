//! All tests of this crate that use it from outside, as one program: each program is linked on its
//! own, and that takes longer than most tests. A file of its own needs a line here.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod dynamic_tests;
mod issue_13_extreme_numbers;
mod issue_13_friction;
mod issue_13_hostile_input;
mod issue_15_more_trades;
mod issue_15_robots;
mod issue_15_time;
mod issue_15_trades;
mod mesh_files;
mod mesh_nodes;
mod packing;
mod robot;
mod scene_builtin;
mod scene_errors;
mod scene_files;
mod scene_joints;
mod scene_method;
mod scene_overrides;
mod scene_run;
mod tracked_vehicle;
