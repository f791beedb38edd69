//! Shapes, and where they touch.
//!
//! This crate answers one question: where do these shapes, at these poses, touch, and how far are
//! they apart or overlapping there? It knows no masses in motion, no forces and no time. It also
//! owns the geometry that others need: bounds, mass properties, surfaces cut into triangles.
//!
//! A [`Detector`] takes objects, each a [`Shape`] at a [`Pose`], and finds every pair that is
//! closer than the objects' reach: first candidate pairs by a grid ([`broad`]), then the contact
//! points of each pair ([`narrow`]). Its list of [`Contact`]s is sorted and has the same bits on
//! any number of threads. A contact's [`ContactId`] stays the same while it persists, so that a
//! solver can start from the forces of the step before.
//!
//! # Example
//!
//! A ball that has sunk a millimetre into the top of a box:
//!
//! ```
//! use drystone_collide::{Detector, Object, Pose, Shape};
//! use glam::DVec3;
//!
//! let shapes = [Shape::box_of([0.5, 0.5, 0.5])?, Shape::sphere(0.1)?];
//! let poses = [Pose::IDENTITY, Pose::at([0.2, 0.0, 0.599])];
//! let object = |i: usize| Object {
//!     shape: &shapes[i],
//!     pose: poses[i],
//!     reach: 0.01, // each looks 1 cm around itself
//!     shift: glam::DVec3::ZERO, // and stays where it is
//!     active: true,
//! };
//! let mut contacts = Vec::new();
//! Detector::default().detect(2, object, |_, _| true, |_| true, &mut contacts);
//!
//! assert_eq!(contacts.len(), 1);
//! let contact = contacts[0];
//! assert_eq!(contact.id.objects, [0, 1]);
//! // The normal points from the box to the ball, the point lies midway between the surfaces.
//! assert!(contact.normal.distance(DVec3::Z) < 1e-12);
//! assert!(contact.point.distance(DVec3::new(0.2, 0.0, 0.4995)) < 1e-12);
//! assert!((contact.gap + 1e-3).abs() < 1e-12);
//! # Ok::<(), drystone_collide::ShapeError>(())
//! ```
//!
//! For a single pair, [`narrow::contacts`] needs no detector.
//!
//! # Modules
//!
//! | module | holds |
//! |---|---|
//! | [`shape`] | the shapes, their checks, bounds, mass properties and surfaces |
//! | [`pose`], [`aabb`] | where a frame lies, and boxes along the axes |
//! | [`broad`] | which objects may touch: a grid of several levels |
//! | [`narrow`] | where two shapes touch: own algorithms, the `parry3d-f64` library for the rest |
//! | [`contact`] | a contact point and its identity |
//! | [`detector`] | both phases one after the other, on all threads |
//! | [`number`] | numbers in messages |

pub mod aabb;
pub mod broad;
pub mod contact;
pub mod detector;
pub mod narrow;
pub mod number;
pub mod pose;
pub mod shape;

pub use aabb::Aabb;
pub use contact::{Contact, ContactId};
pub use detector::{DetectTimes, Detector, Object};
pub use pose::Pose;
pub use shape::{MassProperties, Shape, ShapeError};
