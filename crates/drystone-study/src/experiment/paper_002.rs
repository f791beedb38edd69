//! Paper 002: Krylov and spectral methods for smooth bodies.

pub mod frictionless;
pub mod growth;
pub mod heavy;
