//! What acts on the coordinate of a joint: motors and springs.

use std::sync::Arc;

/// A figure that depends on the time in s.
pub type Signal = Arc<dyn Fn(f64) -> f64 + Send + Sync>;

/// What a motor is to do, as a function of time.
#[derive(Clone)]
pub enum Drive {
    /// Speed of the coordinate, m/s or rad/s.
    Speed(Signal),
    /// The coordinate itself, m or rad.
    Position(Signal),
    /// Force or torque, N or N m.
    Force(Signal),
}

/// Drives a joint's coordinate.
#[derive(Clone)]
pub struct Motor {
    pub(crate) drive: Drive,
    pub(crate) max_force: Option<f64>,
}

impl Motor {
    /// A motor with any drive.
    pub fn new(drive: Drive) -> Self {
        let max_force = None;
        Self { drive, max_force }
    }

    /// Keeps a speed, m/s or rad/s.
    pub fn speed(speed: f64) -> Self {
        Self::new(Drive::Speed(Arc::new(move |_| speed)))
    }

    /// Keeps a position, m or rad. Without a limit it is there within a step.
    pub fn position(position: f64) -> Self {
        Self::new(Drive::Position(Arc::new(move |_| position)))
    }

    /// Exerts a force, N, or a torque, N m.
    pub fn force(force: f64) -> Self {
        Self::new(Drive::Force(Arc::new(move |_| force)))
    }

    /// Limits the force, N, or torque, N m, of a motor that keeps a speed or a position.
    pub fn max_force(mut self, force: f64) -> Self {
        self.max_force = Some(force);
        self
    }
}

/// A spring and damper on a joint's coordinate. It is integrated implicitly, so that it may be as
/// stiff as one likes at any time step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// N/m or N m/rad, >= 0.
    pub stiffness: f64,
    /// N s/m or N m s/rad, >= 0.
    pub damping: f64,
    /// Coordinate at which it exerts no force, m or rad. `None`: where it is when the joint is
    /// added.
    pub rest: Option<f64>,
}

impl Spring {
    /// A spring without damping that is at rest where it is.
    pub fn new(stiffness: f64) -> Self {
        Self {
            stiffness,
            damping: 0.0,
            rest: None,
        }
    }

    /// Sets the damping.
    pub fn damping(mut self, damping: f64) -> Self {
        self.damping = damping;
        self
    }

    /// Sets the coordinate at which it exerts no force.
    pub fn rest(mut self, rest: f64) -> Self {
        self.rest = Some(rest);
        self
    }
}
