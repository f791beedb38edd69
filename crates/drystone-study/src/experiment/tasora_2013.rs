//! Tasora 2013: the four benchmarks of P-SPG-FB.

pub mod benchmarks;
mod krylov;
pub mod masonry;
