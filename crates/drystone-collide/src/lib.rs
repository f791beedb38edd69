//! Shapes, broad phase, narrow phase, and contacts with persistent ids.
//!
//! A [`Detector`] takes objects, each a [`Shape`] at a [`Pose`], and finds every pair closer than the objects' reach: first
//! candidate pairs by a grid ([`broad`]), then contact points of each pair ([`narrow`]). Its list of [`Contact`]s is sorted and
//! has the same bits on any number of threads. This crate knows no masses in motion, no forces and no time.
//!
//! # Modules
//!
//! | module | holds |
//! |---|---|
//! | [`shape`] | the shapes, their checks, bounds and mass properties |
//! | [`broad`] | which objects may touch: a grid of several levels |
//! | [`narrow`] | where two shapes touch: own fast paths, the `parry3d-f64` library for the rest |
//! | [`contact`] | a contact point and its identity |
//! | [`detector`] | both phases in order, on all threads |

pub mod aabb;
pub mod broad;
pub mod contact;
pub mod detector;
pub mod narrow;
pub mod pose;
pub mod shape;

pub use aabb::Aabb;
pub use contact::{Contact, ContactId};
pub use detector::{DetectTimes, Detector, Object};
pub use pose::Pose;
pub use shape::{MassProperties, Shape, ShapeError};
