//! What holds for every method.
#![allow(clippy::unwrap_used)] // only functions marked as tests are exempt by themselves

mod drift;
mod edge_cases;
mod exact_law;
mod limits;
mod threads;
