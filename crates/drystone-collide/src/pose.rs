//! Position and orientation.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// `world_from_local`: where a local frame lies in the world.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// Origin of the local frame, m.
    pub position: DVec3,
    /// Unit quaternion that turns local directions into world ones.
    pub rotation: DQuat,
}

impl Pose {
    /// The local frame is the world's.
    pub const IDENTITY: Self = Self {
        position: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
    };

    /// A frame at `position`, turned by the unit quaternion `rotation`.
    pub fn new(position: impl Into<DVec3>, rotation: DQuat) -> Self {
        Self {
            position: position.into(),
            rotation,
        }
    }

    /// A frame at `position`, not turned.
    pub fn at(position: impl Into<DVec3>) -> Self {
        Self {
            position: position.into(),
            rotation: DQuat::IDENTITY,
        }
    }

    /// World coordinates of a local point.
    pub fn point(&self, local: DVec3) -> DVec3 {
        self.position + self.rotation * local
    }

    /// Local coordinates of a world point.
    pub fn local_point(&self, world: DVec3) -> DVec3 {
        self.rotation.inverse() * (world - self.position)
    }

    /// World components of a local direction.
    pub fn direction(&self, local: DVec3) -> DVec3 {
        self.rotation * local
    }

    /// Local components of a world direction.
    pub fn local_direction(&self, world: DVec3) -> DVec3 {
        self.rotation.inverse() * world
    }

    /// `self` after `inner`: `world_from_local · local_from_inner`.
    pub fn compose(&self, inner: &Self) -> Self {
        Self {
            position: self.point(inner.position),
            rotation: self.rotation * inner.rotation,
        }
    }

    /// `local_from_world`.
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.inverse();
        Self {
            position: rotation * -self.position,
            rotation,
        }
    }

    /// Whether position and rotation are finite.
    pub fn is_finite(&self) -> bool {
        self.position.is_finite() && self.rotation.is_finite()
    }
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}
