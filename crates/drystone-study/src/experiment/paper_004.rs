//! Paper 004: a primal-dual interior point method.

pub mod shear;
