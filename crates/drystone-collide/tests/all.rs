//! All tests of this crate that use it from outside, as one program: each program is linked on its
//! own, and that takes longer than most tests. A file of its own needs a line here.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod bounds;
mod broad_phase;
mod common;
mod decompose;
mod detector;
mod narrow_convex;
mod narrow_corners;
mod narrow_ellipsoid;
mod narrow_mesh;
mod narrow_random;
mod narrow_resting;
mod shapes;
mod surfaces;
