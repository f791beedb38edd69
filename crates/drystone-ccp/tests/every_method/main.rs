//! What holds for every method. One binary: each would compile all methods anew.
#![allow(clippy::unwrap_used)] // only functions marked as tests are exempt by themselves

#[path = "../common/mod.rs"]
mod common;
mod drift;
mod edge_cases;
mod exact_law;
mod limits;
mod threads;
