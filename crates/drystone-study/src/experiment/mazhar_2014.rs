//! Mazhar 2014: the primal and the dual form of contact with friction, and their solvers.

pub(crate) mod clarabel;
pub mod growth;
pub mod laws;
mod spectrum;
pub mod spheres;
