//! Melanz: a primal-dual interior point method (PDIP) against APGD.

pub mod shear;
