//! How bodies move when velocities are known, and what velocities they would have without contacts.

use drystone_collide::Pose;
use glam::{DQuat, DVec3};

use crate::bodies::{MassAndInertia, Tensor};
use crate::state::{BodyState, Load};

/// Largest figure of a body's place and motion, in m, m/s or rad/s. Recordings and pictures hold
/// single precision, which ends at 3.4e38. Nothing that is simulated comes near.
const LARGEST: f64 = 1e38;

/// The first of `values` that no state may have: one that is not finite or beyond [`LARGEST`].
pub(crate) fn out_of_range(values: &[f64]) -> Option<f64> {
    let is_wrong = |v: &f64| v.is_nan() || v.abs() > LARGEST;
    values.iter().copied().find(is_wrong)
}

/// Velocity of the centre of mass, m/s, and angular velocity, rad/s, in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Velocity {
    pub linear: DVec3,
    pub angular: DVec3,
}

impl Velocity {
    /// Of a body in motion.
    pub fn of(state: &BodyState) -> Self {
        Self {
            linear: state.velocity,
            angular: state.angular_velocity,
        }
    }

    /// Velocity of the point at `arm` from the centre of mass.
    pub fn at(&self, arm: DVec3) -> DVec3 {
        self.linear + self.angular.cross(arm)
    }
}

/// `v + h M⁻¹ f`: the velocity at the end of the step if nothing were touched. The gyroscopic
/// torque is not here: [`advance`] carries the angular momentum over exactly instead.
pub(crate) fn free_velocity(
    state: &BodyState,
    inertia: &MassAndInertia,
    gravity: DVec3,
    load: Option<&Load>,
    h: f64,
) -> Velocity {
    let mut velocity = Velocity {
        linear: state.velocity + h * gravity,
        angular: state.angular_velocity,
    };
    if let Some(load) = load {
        velocity.linear += h / inertia.mass * load.force;
        velocity.angular += inertia.angular_velocity(state.rotation, h * load.torque);
    }
    velocity
}

/// The constant velocity that takes a pose to another in time `h`.
pub(crate) fn velocity_between(from: &Pose, to: &Pose, h: f64) -> Velocity {
    let mut turn = (to.rotation * from.rotation.inverse()).normalize();
    if turn.w < 0.0 {
        turn = -turn; // the shorter way round
    }
    Velocity {
        linear: (to.position - from.position) / h,
        angular: turn.to_scaled_axis() / h,
    }
}

/// Moves a body for a time `h`: Mazhar 2015, eq. 8, with the rotation as an exponential, which
/// keeps the quaternion's length.
///
/// The angular momentum stays what it is while the body turns. The turn is that of the midpoint
/// rule, so that the energy of a free, tumbling body does not drift.
pub(crate) fn advance(
    state: &BodyState,
    inertia: &MassAndInertia,
    velocity: &Velocity,
    h: f64,
) -> BodyState {
    let position = state.position + h * velocity.linear;
    let (rotation, angular_velocity) = match &inertia.tensor {
        Tensor::Isotropic(_) => (
            turned(state.rotation, h * velocity.angular),
            velocity.angular,
        ),
        Tensor::General(_) => tumble(state.rotation, inertia, velocity.angular, h),
    };
    BodyState {
        position,
        rotation,
        velocity: velocity.linear,
        angular_velocity,
    }
}

/// Most rounds of the fixed point for the midpoint. Each gains a factor of about `h‖ω‖/2`, so that
/// twenty reach rounding even at a turn of a third of a radian per step. Slow bodies need two or
/// three.
const MIDPOINT_ROUNDS: usize = 20;

/// Torque-free turn of a body with three different inertias: `omega_mid = I(q_mid)⁻¹ L`.
fn tumble(
    rotation: DQuat,
    inertia: &MassAndInertia,
    angular_velocity: DVec3,
    h: f64,
) -> (DQuat, DVec3) {
    let momentum = inertia.angular_momentum(rotation, angular_velocity);
    let mut middle = angular_velocity;
    for _ in 0..MIDPOINT_ROUNDS {
        let next = inertia.angular_velocity(turned(rotation, 0.5 * h * middle), momentum);
        let change = (next - middle).length();
        middle = next;
        if change <= 1e-15 * middle.length() {
            break;
        }
    }
    let end = turned(rotation, h * middle);
    (end, inertia.angular_velocity(end, momentum))
}

/// `exp(angle) · rotation`, of unit length.
fn turned(rotation: DQuat, angle: DVec3) -> DQuat {
    if angle == DVec3::ZERO {
        return rotation;
    }
    (DQuat::from_scaled_axis(angle) * rotation).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_collide::MassProperties;
    use glam::DMat3;

    fn brick() -> MassAndInertia {
        MassAndInertia::new(&MassProperties {
            mass: 2.0,
            center: DVec3::ZERO,
            inertia: DMat3::from_diagonal(DVec3::new(1.0, 2.0, 3.0)),
        })
        .unwrap()
    }

    #[test]
    fn a_tumbling_brick_keeps_its_momentum_and_energy() {
        let inertia = brick();
        let mut state = BodyState {
            position: DVec3::ZERO,
            rotation: DQuat::from_rotation_x(0.3),
            velocity: DVec3::ZERO,
            // About the middle axis: it turns over again and again.
            angular_velocity: DVec3::new(0.01, 5.0, 0.02),
        };
        let momentum = |s: &BodyState| inertia.angular_momentum(s.rotation, s.angular_velocity);
        let energy = |s: &BodyState| 0.5 * momentum(s).dot(s.angular_velocity);
        let (l, e) = (momentum(&state), energy(&state));
        let mut turned_over = false;
        for _ in 0..20_000 {
            let velocity = Velocity {
                linear: DVec3::ZERO,
                angular: state.angular_velocity,
            };
            state = advance(&state, &inertia, &velocity, 1e-3);
            turned_over |= (state.rotation.inverse() * state.angular_velocity).y < -4.0;
            assert!((momentum(&state) - l).length() < 1e-11 * l.length());
            assert!(
                (energy(&state) - e).abs() < 1e-4 * e,
                "{}",
                energy(&state) / e
            );
        }
        assert!(turned_over);
    }

    #[test]
    fn velocity_between_poses_leads_from_one_to_the_other() {
        let from = Pose {
            position: DVec3::new(1.0, 2.0, 3.0),
            rotation: DQuat::from_rotation_y(0.4),
        };
        let to = Pose {
            position: DVec3::new(1.5, 2.0, 2.0),
            // The same turn as by 0.9 rad, written with the other sign.
            rotation: -DQuat::from_rotation_y(0.9),
        };
        let v = velocity_between(&from, &to, 0.5);
        assert!((v.linear - DVec3::new(1.0, 0.0, -2.0)).length() < 1e-12);
        assert!((v.angular - DVec3::new(0.0, 1.0, 0.0)).length() < 1e-12);
    }
}
