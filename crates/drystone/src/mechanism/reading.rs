//! What can be read of joints: forces, coordinates, errors, energy.

use glam::DVec3;

use super::{Mechanism, coupling, half};
use crate::bodies::Bodies;
use crate::force::JointForce;
use crate::joint::{self, JointEnds, JointId};
use crate::report::worse;

impl Mechanism {
    /// Force of a joint on its second body in the last step of length `h`.
    pub fn force(&self, joint: JointId, bodies: &Bodies, h: f64) -> JointForce {
        let (stored, state) = (&self.joints[joint.index()], &self.states[joint.index()]);
        let ends = JointEnds::now(stored, bodies);
        let arm = ends.frames[1].position - ends.centers[1];
        JointForce {
            point: ends.frames[1].position,
            force: state.force / h,
            torque: (state.torque - arm.cross(state.force)) / h,
            motor: state.motor / h,
        }
    }

    /// Coordinate of a joint, m or rad, and its speed.
    pub fn coordinate(&self, joint: JointId, bodies: &Bodies) -> Option<[f64; 2]> {
        let (stored, state) = (&self.joints[joint.index()], &self.states[joint.index()]);
        let ends = JointEnds::now(stored, bodies);
        let coordinate = joint::coordinate(stored, &ends, state.turns[0])?;
        let velocity = |body: u32| {
            let state = &bodies.states[body as usize];
            [state.velocity, state.angular_velocity]
        };
        let speed = (0..2).map(|side| {
            let [linear, angular] = half(&coordinate.row, side);
            let [v, w] = stored.bodies[side].map_or([DVec3::ZERO; 2], velocity);
            linear.dot(v) + angular.dot(w)
        });
        Some([coordinate.value, speed.sum()])
    }

    /// Largest error of a joint where its bodies are, m or rad.
    pub fn violation(&self, joint: JointId, bodies: &Bodies) -> f64 {
        let (stored, state) = (&self.joints[joint.index()], &self.states[joint.index()]);
        let now = |body: usize| (bodies.pose(body), bodies.states[body].position);
        if let Some(row) = coupling::row(&self.joints, &self.states, joint.index(), now) {
            return row.error.abs();
        }
        let ends = JointEnds::now(stored, bodies);
        let rows = joint::hard(stored, &ends, state.turns);
        rows.errors().iter().fold(0.0, |e, x| worse(e, x.abs()))
    }

    /// Energy in the springs, J.
    pub fn energy(&self, bodies: &Bodies) -> f64 {
        let mut energy = 0.0;
        for (index, (stored, state)) in self.joints.iter().zip(&self.states).enumerate() {
            let Some(spring) = stored.spring.filter(|_| state.enabled) else {
                continue;
            };
            if let Some([value, _]) = self.coordinate(JointId(index as u32), bodies) {
                let stretch = value - spring.rest.unwrap_or(value);
                energy += 0.5 * spring.stiffness * stretch * stretch;
            }
        }
        energy
    }
}
