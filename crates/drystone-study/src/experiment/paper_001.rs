//! Paper 001: formulations of contact and their solvers.

#[cfg(feature = "clarabel")]
mod clarabel;
pub mod growth;
pub mod laws;
mod spectrum;
pub mod spheres;
