//! All tests of this crate that use it from outside, as one program: each program is linked on its
//! own, and that takes longer than most tests. A file of its own needs a line here.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod bench;
mod common;
mod compare;
mod experiment;
mod experiment_book;
mod issue_13_damage;
mod issue_13_limits;
mod issue_13_signals;
mod issue_15_check;
mod issue_15_films;
mod issue_15_jam;
mod issue_15_problems;
mod issue_15_shells;
mod issue_15_start;
mod issue_15_words;
mod issue_17_view;
mod licences;
mod repository;
mod run;
mod run_resume;
mod run_tools;
mod solve;
mod sweep;
