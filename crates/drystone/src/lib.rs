//! Rigid bodies with contact and dry friction.
//!
//! A [`World`] holds bodies, materials and settings. Each [`World::step`] finds the contacts, assembles the cone problem of the
//! time step, solves it with a method of `drystone-ccp` and moves the bodies; it returns a [`StepReport`] that says how well.
//!
//! # Example
//!
//! A ball falls onto the ground and stays there.
//!
//! ```
//! use drystone::{Body, Settings, Shape, World};
//!
//! let mut world = World::new(Settings::default())?;
//! let ground = world.add(Body::fixed(Shape::plane()).named("ground"))?;
//! let ball = world.add(Body::dynamic(Shape::sphere(0.5)?).mass(2.0).at([0.0, 0.0, 0.6]).named("ball"))?;
//!
//! for _ in 0..200 {
//!     let report = world.step()?;
//!     assert!(report.converged());
//! }
//! assert!((world.pose(ball).position.z - 0.5).abs() < 1e-3);
//! // What the ground feels: the ball's weight, downwards.
//! let force = world.force_between(ball, ground);
//! assert!((force.z + 2.0 * 9.81).abs() < 1e-2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! | module | holds |
//! |---|---|
//! | [`world`] | the world: adding bodies, stepping, reading out |
//! | [`body`] | what a body is made from |
//! | [`material`] | surfaces: friction, cohesion, rolling, compliance, restitution |
//! | [`joint`] | joints, motors, springs |
//! | [`periodic`] | domains that repeat themselves |
//! | [`settings`] | gravity, time step, tolerance, method |
//! | [`force`] | contact forces and their sign conventions |
//! | [`report`] | what a step tells |
//! | [`state`] | everything that changes, for checkpoints |
//! | [`error`] | what can be wrong |

mod assembly;
mod bodies;
pub mod body;
pub mod error;
pub mod force;
pub mod joint;
mod law;
pub mod material;
mod mechanism;
mod motion;
pub mod periodic;
pub mod report;
mod search;
pub mod settings;
mod sleep;
mod solver;
pub mod state;
mod step;
pub mod step_problem;
mod warm_start;
pub mod world;

pub use body::{Body, BodyId, BodyKind, Path, Touch};
pub use drystone_ccp::{Law, Method, Termination};
pub use drystone_collide::{
    Aabb, Contact, ContactId, MassProperties, Pose, Shape, ShapeError, shape,
};
pub use error::{StepError, WorldError};
pub use force::{ContactForce, JointForce, Wrench};
pub use joint::{Drive, Joint, JointId, JointKind, Motor, Signal, Spring};
pub use material::{Material, MaterialId, Surface};
pub use periodic::Periodic;
pub use report::{RelaxedLaw, StepReport, StepTimes};
pub use settings::{Settings, Sleeping};
pub use state::{BodyState, JointState, State};
pub use step_problem::StepProblem;
pub use world::World;
