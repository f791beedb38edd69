//! Paper 000: APGD, and what it is good for.

pub mod mixer;
pub mod pressure;
