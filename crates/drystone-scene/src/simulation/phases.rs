//! Phases: when they end, and what happens at their start.

use drystone::{BodyId, BodyKind, JointId, Pose};
use glam::DVec3;

use super::{ActiveMotion, ActiveMotor, Simulation};
use crate::scene::model::{Action, Until};

impl Simulation {
    /// Puts the bodies' own motions into effect and begins the first phase.
    pub(super) fn start(&mut self) {
        let model = self.model.clone();
        for (index, body) in model.bodies.iter().enumerate() {
            if let Some(motion) = body.motion {
                self.move_body(BodyId::new(index), motion);
            }
        }
        for (index, joint) in model.joints.iter().enumerate() {
            self.start_motor(JointId::new(index), joint.motor);
        }
        self.begin_phase();
    }

    /// Goes on to the next phase where the present one has ended.
    pub(super) fn advance(&mut self) {
        let Some(phase) = self.model.phases.get(self.phase) else {
            return;
        };
        let until = phase.until;
        if let Some(rest) = until.rest {
            let slow = self.fastest() <= rest.speed;
            let step = self.world.settings().time_step;
            self.rest = if slow { self.rest + step } else { 0.0 };
        }
        if self.has_ended(&until) {
            self.phase += 1;
            self.phase_start = self.world.time();
            self.phase_start_step = self.world.steps();
            self.rest = 0.0;
            if self.phase < self.model.phases.len() {
                self.begin_phase();
            }
        }
    }

    /// Speed of the fastest centre of mass that forces move, m/s; a gate on its way does not keep
    /// grains from rest.
    fn fastest(&self) -> f64 {
        let free =
            |b: &BodyId| self.world.kind(*b) == BodyKind::Dynamic && self.world.is_enabled(*b);
        let speed = |b: BodyId| self.world.body_state(b).velocity.length();
        let bodies = self.world.ids().filter(free);
        bodies.map(speed).fold(0.0, f64::max)
    }

    fn has_ended(&self, until: &Until) -> bool {
        // Sums of steps are a rounding error off.
        let half_step = 0.5 * self.world.settings().time_step;
        let time = self.world.time() - self.phase_start;
        let steps = self.world.steps() - self.phase_start_step;
        until.time.is_some_and(|end| time >= end - half_step)
            || until.steps.is_some_and(|end| steps >= end)
            || until
                .rest
                .is_some_and(|rest| self.rest > 0.0 && self.rest >= rest.duration - half_step)
    }

    /// Whether the scene's duration is over.
    pub(super) fn is_over_time(&self) -> bool {
        let half_step = 0.5 * self.world.settings().time_step;
        let time = self.world.time();
        self.model
            .duration
            .is_some_and(|end| time >= end - half_step)
    }

    /// Time at which the run ends, s, as far as it is known beforehand: not where a phase waits for
    /// rest alone. Where a phase may end early, the latest.
    pub fn end_time(&self) -> Option<f64> {
        let mut end = Some(self.phase_start);
        for (index, phase) in self.model.phases.iter().enumerate().skip(self.phase) {
            let step = self.settings[index].time_step;
            let steps = phase.until.steps.map(|n| n as f64 * step);
            let length = match (phase.until.time, steps) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
            end = end.zip(length).map(|(end, length)| end + length);
        }
        match (end, self.model.duration) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    fn begin_phase(&mut self) {
        let model = self.model.clone();
        let changes = self.settings[self.phase] != *self.world.settings();
        if changes {
            self.set_settings();
        }
        for action in &model.phases[self.phase].at_start {
            self.act(action);
        }
    }

    /// Gives the world the settings of the present phase.
    pub(super) fn set_settings(&mut self) {
        let index = self.phase.min(self.settings.len() - 1);
        self.world
            .set_settings(self.settings[index].clone())
            .expect("the settings of all phases were checked when the scene was built");
    }

    fn act(&mut self, action: &Action) {
        match action {
            Action::Remove(body) => {
                for id in self.members(body) {
                    self.world.set_enabled(id, false);
                }
            }
            Action::Add { body, above, gap } => self.put_in(body, above.as_deref(), *gap),
            Action::Motion { body, motion } => {
                for id in self.members(body) {
                    self.move_body(id, *motion);
                }
            }
            Action::Stop(body) => {
                for id in self.members(body) {
                    self.motions.remove(&(id.index() as u32));
                    self.world.set_path(id, None);
                }
            }
            Action::Load { body, load } => {
                for id in self.members(body) {
                    self.world.set_load(id, load.force, load.torque);
                }
            }
            Action::Velocity {
                body,
                velocity,
                angular_velocity,
            } => {
                for id in self.members(body) {
                    self.world.set_velocity(id, *velocity, *angular_velocity);
                }
            }
            Action::Release(joint) => self.set_joints_enabled(joint, false),
            Action::Hold(joint) => self.set_joints_enabled(joint, true),
            Action::Motor { joint, drive } => {
                for id in self.joints_named(joint) {
                    self.start_motor(id, *drive);
                }
            }
            // In effect since the phase began.
            Action::Settings(_) => {}
        }
    }

    fn joints_named(&self, name: &str) -> Vec<JointId> {
        let joints = self.model.joints.iter().enumerate();
        let named = joints.filter(|(_, joint)| joint.name == name);
        named.map(|(index, _)| JointId::new(index)).collect()
    }

    fn set_joints_enabled(&mut self, name: &str, enabled: bool) {
        for joint in self.joints_named(name) {
            self.world.set_joint_enabled(joint, enabled);
        }
    }

    /// Begins a motor of a joint, or stops the one that it has.
    fn start_motor(&mut self, joint: JointId, drive: Option<usize>) {
        let start = self.world.time();
        let active = drive.map(|drive| ActiveMotor { drive, start });
        self.set_motor(joint, active);
    }

    pub(super) fn set_motor(&mut self, joint: JointId, active: Option<ActiveMotor>) {
        let key = joint.index() as u32;
        let motor = active.map(|active| self.model.drives[active.drive].motor(active.start));
        self.world.set_motor(joint, motor);
        match active {
            Some(active) => self.motors.insert(key, active),
            None => self.motors.remove(&key),
        };
    }

    fn members(&self, name: &str) -> Vec<BodyId> {
        self.group(name).to_vec()
    }

    /// Begins a motion of a body from where it is.
    fn move_body(&mut self, body: BodyId, motion: usize) {
        if self.world.kind(body) == BodyKind::Dynamic {
            return;
        }
        let active = ActiveMotion {
            motion,
            start: self.world.time(),
            position: self.world.pose(body).position,
            rotation: self.world.pose(body).rotation,
        };
        self.set_motion(body, active);
    }

    pub(super) fn set_motion(&mut self, body: BodyId, active: ActiveMotion) {
        let pose = Pose {
            position: active.position,
            rotation: active.rotation,
        };
        let path = self.model.motions[active.motion].path(active.start, pose);
        self.world.set_path(body, Some(path));
        self.motions.insert(body.index() as u32, active);
    }

    /// Puts bodies in, on top of others where they are said to be.
    fn put_in(&mut self, name: &str, above: Option<&str>, gap: f64) {
        let bodies = self.members(name);
        if let Some(above) = above {
            let heights = |bodies: &[BodyId]| {
                let bounds = bodies.iter().filter(|b| self.world.is_enabled(**b));
                let bounds = bounds.map(|b| self.world.shape(*b).aabb(&self.world.pose(*b)));
                bounds
                    .map(|aabb| aabb.max.z)
                    .fold(f64::NEG_INFINITY, f64::max)
            };
            let top = heights(&self.members(above));
            let bounds = bodies.iter();
            let bounds = bounds.map(|b| self.world.shape(*b).aabb(&self.world.pose(*b)));
            let bottom = bounds.map(|aabb| aabb.min.z).fold(f64::INFINITY, f64::min);
            let rise = top + gap - bottom;
            if rise.is_finite() {
                for body in &bodies {
                    self.shift(*body, DVec3::Z * rise);
                }
            }
        }
        for body in bodies {
            self.world.set_enabled(body, true);
        }
    }

    /// Moves a body, and with it the start of its motion.
    fn shift(&mut self, body: BodyId, by: DVec3) {
        let mut pose = self.world.pose(body);
        pose.position += by;
        self.world.set_pose(body, pose);
        if let Some(mut active) = self.motions.remove(&(body.index() as u32)) {
            active.position += by;
            self.set_motion(body, active);
        }
    }
}
