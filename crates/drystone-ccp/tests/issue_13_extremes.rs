//! Finite numbers of any size, thrown at every method under both laws: no panic, a finite point,
//! an end, and never `converged` where an independent judge says otherwise.
#![allow(clippy::unwrap_used, reason = "test code")]

mod judge;
mod methods;
mod refused;
mod wide;
