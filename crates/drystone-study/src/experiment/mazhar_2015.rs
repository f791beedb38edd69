//! Mazhar 2015: APGD against Jacobi and Gauss–Seidel, and how its time grows with the contacts.

pub mod mixer;
pub mod pressure;
