//! Paper 003: P-SPG-FB.

pub mod benchmarks;
mod krylov;
pub mod masonry;
