//! Heyn 2013: Krylov and spectral methods for contacts without friction.

pub mod frictionless;
pub mod growing_beds;
pub mod heavy;
