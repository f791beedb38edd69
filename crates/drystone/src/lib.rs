//! Rigid bodies with contact and dry friction.
//!
//! A [`World`] holds bodies, materials, joints and settings. Each [`World::step`] finds the
//! contacts, makes the cone problem of the time step, solves it by a method of `drystone-ccp` and
//! moves the bodies. It returns a [`StepReport`] that says how well that went.
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
//! let ball = Body::dynamic(Shape::sphere(0.5)?).mass(2.0).at([0.0, 0.0, 0.6]);
//! let ball = world.add(ball.named("ball"))?;
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
//! # An own solver
//!
//! A step can be opened between finding its problem and taking the answer ([`step`]). Here a
//! projected gradient method takes the place of the solver: `gamma ← Π(gamma − t (N gamma + r))`.
//!
//! ```
//! use drystone::{Body, Finish, Settings, Shape, World};
//! use drystone_ccp::{Ccp, TwoBody};
//!
//! fn solve(problem: &Ccp<TwoBody>, gamma: &mut [f64], iterations: usize) {
//!     let mut velocity = vec![0.0; problem.dim()];
//!     for _ in 0..iterations {
//!         problem.velocity(gamma, &mut velocity); // N gamma + r
//!         gamma.iter_mut().zip(&velocity).for_each(|(g, u)| *g -= 0.3 * u); // 0.3 kg suits this N
//!         problem.cones().project(gamma);
//!     }
//! }
//!
//! let mut world = World::new(Settings::default())?;
//! world.add(Body::fixed(Shape::plane()))?;
//! let ball = Body::dynamic(Shape::sphere(0.5)?).mass(1.0).at([0.0, 0.0, 0.5]);
//! let ball = world.add(ball.velocity([1.0, 0.0, 0.0]))?;
//! for _ in 0..100 {
//!     let mut open = world.begin()?;
//!     let report = loop {
//!         let mut gamma = open.warm_start().to_vec();
//!         solve(open.problem(), &mut gamma, 200);
//!         let summary = open.judge("projected-gradient", 200, &gamma);
//!         open = match open.finish(&gamma, summary)? {
//!             Finish::Done(report) => break report,
//!             Finish::Again(open) => open, // its own collisions opened contacts
//!         };
//!     };
//!     assert!(report.converged() && report.method == "projected-gradient");
//! }
//! // It slid, and now it rolls: two sevenths of its speed are gone.
//! assert!((world.body_state(ball).velocity.x - 5.0 / 7.0).abs() < 1e-2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! | module | holds |
//! |---|---|
//! | [`world`] | the world: adding bodies and joints, reading out |
//! | [`body`] | what a body is made from |
//! | [`material`] | surfaces: friction, cohesion, rolling, compliance, restitution |
//! | [`joint`] | joints, motors, springs |
//! | [`periodic`] | domains that repeat themselves |
//! | [`settings`] | gravity, time step, tolerance, method |
//! | [`step`] | the time step, whole or in its two halves |
//! | [`report`] | what a step tells |
//! | [`force`] | contact forces and their sign conventions |
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
mod nearest;
pub mod periodic;
pub mod report;
mod search;
pub mod settings;
mod sleep;
mod solver;
pub mod state;
pub mod step;
mod warm_start;
pub mod world;

pub use body::{Body, BodyId, BodyKind, Path, Touch};
pub use drystone_ccp::{Law, Method, MethodSettings, Progress, Termination, Watch};
pub use drystone_collide::{
    Aabb, Contact, ContactId, MassProperties, Pose, Shape, ShapeError, shape,
};
pub use error::{StepError, WorldError};
pub use force::{ContactForce, JointForce, Wrench, Yielding};
pub use joint::{Drive, Joint, JointHold, JointId, JointKind, Motor, Signal, Spring};
pub use material::{Material, MaterialId, Surface};
pub use periodic::Periodic;
pub use report::{RelaxedLaw, SolveSummary, StepReport, StepTimes, worse};
pub use settings::{Settings, Sleeping};
pub use state::{BodyState, JointState, State};
pub use step::{Finish, OpenStep, StepAnswer, StepProblem, WatchedStep};
pub use world::World;
