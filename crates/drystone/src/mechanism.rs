//! All joints of a world: their rows in the cone problem of a step, and what they remember from one
//! step to the next.
//!
//! The joints hold at the *end* of the step: `e(q⁺) = 0` with `q⁺` the positions that the new
//! velocities lead to. The impulses act along the rows at its start (SHAKE; Ryckaert, Ciccotti and
//! Berendsen, 1977). So there is no drift to be removed later, and the energy of a mechanism does
//! not creep.
//!
//! `e(q⁺)` is not linear in the velocities. It is expanded about a guess `v_k` of them:
//! `J v + (e(q_k⁺) / h − J v_k) = 0`. The first guess is the velocities before the step. If the
//! joints then do not hold well enough, it is those just solved for.
//!
//! Rows that turn go into the problem as speeds, at a distance from their axes that fits the
//! joint's bodies ([`arm`]). So one residual judges all rows alike, and no answer depends on the
//! unit of length.

mod block;
mod coupling;
mod reading;

use drystone_ccp::{Cone, NO_BODY, RowBlocks};
use glam::DVec3;

use crate::bodies::Bodies;
use crate::error::WorldError;
use crate::joint::{
    self, CoupledRow, Drive, Joint, JointEnds, JointId, JointKind, JointRows, Motor, StoredJoint,
};
use crate::motion::{Velocity, advance};
use crate::report::worse;
use crate::state::JointState;

pub(crate) use block::JointSettings;
use block::{Drives, JointBlock, JointPart};

/// Joints and what they remember.
#[derive(Default)]
pub(crate) struct Mechanism {
    joints: Vec<StoredJoint>,
    states: Vec<JointState>,
    /// Pairs of bodies that do not collide because a joint holds them, ascending; made anew by
    /// [`Mechanism::refresh`].
    apart: Vec<[u32; 2]>,
    /// Whether joints have changed since.
    changed: bool,
    /// Rows of the step at hand.
    blocks: Vec<JointBlock>,
    /// Rows of couplings in it.
    coupled: Vec<CoupledRow>,
    /// The couplings whose rows need a shaft: see `coupling.rs`.
    shafts: Vec<usize>,
}

/// The joints of a body that turns further than this within a step, rad, are expanded about where
/// they are. A linear expansion about so large a turn is off by a twentieth or more, and what looks
/// like an error of the joint would drive the body still faster.
const LARGEST_TURN: f64 = 0.3;

/// How well joints hold at the end of a step, m or rad.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Misfit {
    /// Largest error.
    pub error: f64,
    /// The same without what they give way by their compliance: what another solve can improve.
    pub unsolved: f64,
}

impl Mechanism {
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    pub fn joint(&self, joint: JointId) -> &StoredJoint {
        &self.joints[joint.index()]
    }

    pub fn states(&self) -> &[JointState] {
        &self.states
    }

    pub fn restore(&mut self, states: &[JointState]) {
        self.states.copy_from_slice(states);
        self.changed = true;
    }

    pub fn add(
        &mut self,
        joint: &Joint,
        name: String,
        bodies: &Bodies,
        time: f64,
    ) -> Result<JointId, WorldError> {
        let stored = match joint::law_of(joint.kind()) {
            Some(_) => self.place_coupling(joint, name, bodies)?,
            None => joint::place(joint, name, bodies, time)?,
        };
        // Gears and racks count from where they are.
        let counts = joint.kind() == JointKind::Revolute;
        let turned = if counts { joint.turned } else { 0.0 };
        self.joints.push(stored);
        self.states.push(JointState {
            turns: [turned, 0.0],
            ..JointState::default()
        });
        self.changed = true;
        Ok(JointId(self.joints.len() as u32 - 1))
    }

    pub fn set_enabled(&mut self, joint: JointId, enabled: bool) {
        let state = &mut self.states[joint.index()];
        *state = JointState {
            enabled,
            turns: state.turns,
            ..JointState::default()
        };
        self.changed = true;
    }

    pub fn set_motor(&mut self, joint: JointId, motor: Option<Motor>) {
        self.joints[joint.index()].motor = motor;
    }

    /// Takes note of joints that are new, let go or hold again, before contacts are looked for.
    pub fn refresh(&mut self) {
        if !std::mem::take(&mut self.changed) {
            return;
        }
        let held = self.joints.iter().zip(&self.states);
        let held = held.filter(|(joint, state)| state.enabled && !joint.collide);
        self.apart = held
            .filter_map(|(joint, _)| match joint.bodies {
                [Some(a), Some(b)] => Some([a.min(b), a.max(b)]),
                _ => None,
            })
            .collect();
        self.apart.sort_unstable();
    }

    /// Whether two bodies, the smaller first, may touch.
    pub fn lets_touch(&self, a: u32, b: u32) -> bool {
        self.apart.is_empty() || self.apart.binary_search(&[a, b]).is_err()
    }

    /// Bodies that an enabled joint holds.
    pub fn bodies(&self) -> impl Iterator<Item = usize> {
        let held = self.joints.iter().zip(&self.states);
        let held = held.filter(|(_, state)| state.enabled);
        held.flat_map(|(joint, _)| joint.bodies)
            .flatten()
            .map(|b| b as usize)
    }

    /// Adds what motors that exert a force change the velocities by.
    pub fn push(&self, bodies: &Bodies, settings: &JointSettings, free: &mut [Velocity]) {
        for (stored, state) in self.joints.iter().zip(&self.states) {
            let Some(Motor {
                drive: Drive::Force(force),
                ..
            }) = &stored.motor
            else {
                continue;
            };
            let ends = JointEnds::now(stored, bodies);
            let Some(coordinate) = joint::coordinate(stored, &ends, state.turns[0]) else {
                continue;
            };
            if !state.enabled {
                continue;
            }
            let impulse = settings.time_step * force(settings.time);
            for (side, body) in stored.bodies.iter().enumerate() {
                let Some(body) = body.map(|b| b as usize).filter(|b| bodies.is_free(*b)) else {
                    continue;
                };
                let [linear, angular] = half(&coordinate.row, side);
                let (inertia, rotation) = (&bodies.inertias[body], bodies.states[body].rotation);
                free[body].linear += impulse / inertia.mass * linear;
                free[body].angular += inertia.angular_velocity(rotation, impulse * angular);
            }
        }
    }

    /// Makes the rows of a step from where the bodies are.
    pub fn prepare(&mut self, bodies: &Bodies, free: &[Velocity], settings: &JointSettings) {
        self.blocks.clear();
        self.coupled.clear();
        self.shafts.clear();
        for index in 0..self.joints.len() {
            if joint::law_of(self.joints[index].kind).is_some() {
                self.prepare_coupling(index, bodies, free, settings);
                continue;
            }
            let (stored, state) = (&self.joints[index], &self.states[index]);
            let present = |body: &Option<u32>| body.is_none_or(|b| bodies.enabled[b as usize]);
            let mut ends = stored.bodies.iter().flatten();
            let moves = ends.any(|b| bodies.is_free(*b as usize));
            if !(state.enabled && moves && stored.bodies.iter().all(present)) {
                continue;
            }
            let ends = JointEnds::now(stored, bodies);
            let hard = joint::hard(stored, &ends, state.turns);
            if !hard.rows().is_empty() {
                let cone = Cone::Free {
                    rows: hard.rows().len(),
                };
                let mut block =
                    JointBlock::new(index, stored.bodies, JointPart::Hard, hard.rows(), cone);
                block.compliance = Some(stored.compliance / settings.time_step.powi(2));
                block.errors[..block.len].copy_from_slice(hard.errors());
                self.blocks.push(block);
            }
            if let Some(coordinate) = joint::coordinate(stored, &ends, state.turns[0]) {
                let speed = row_velocity(&coordinate.row, stored.bodies, free);
                let drives = Drives {
                    index,
                    stored,
                    coordinate,
                    speed,
                    settings,
                };
                drives.limits(&mut self.blocks);
                self.blocks.extend(drives.motor());
                self.blocks.extend(drives.spring());
            }
        }
        for block in &mut self.blocks {
            match block.coupled.map(|index| &self.coupled[index]) {
                None => block.look_from(arm(block.bodies.into_iter().flatten(), bodies)),
                Some(row) if row.turns() => {
                    let sides = row.sides().iter().map(|(body, _)| *body);
                    block.lengths[0] = arm(sides, bodies);
                }
                Some(_) => {}
            }
            let place = block.part.place();
            let last = &self.states[block.joint].impulses[place..place + block.len];
            block.impulses[..block.len].copy_from_slice(last);
        }
    }

    /// Expands the joints' errors at the end of the step about velocities.
    pub fn expand(&mut self, bodies: &Bodies, velocities: &[Velocity], h: f64) -> Misfit {
        let mut misfit = Misfit::default();
        // Where a body's shape and its centre of mass are at the end of the step.
        let next = |body: usize| {
            let state = &bodies.states[body];
            let inertia = &bodies.inertias[body];
            let next = advance(state, inertia, &velocities[body], h);
            let center = next.rotation * inertia.center;
            let pose = drystone_collide::Pose {
                position: next.position - center,
                rotation: next.rotation,
            };
            (pose, next.position)
        };
        let (joints, states) = (&self.joints, &self.states);
        for block in self.blocks.iter_mut().filter(|b| b.part == JointPart::Hard) {
            let stored = &joints[block.joint];
            if let Some(index) = block.coupled {
                let moved = coupling::row(joints, states, block.joint, next);
                let error = moved.map_or(0.0, |row| row.error);
                let yielded = h * block.compliance.unwrap_or(0.0) * block.impulses[0];
                misfit.error = worse(misfit.error, error.abs());
                misfit.unsolved = worse(misfit.unsolved, (error + yielded).abs());
                block.bias[0] = error / h - coupling::speed(&self.coupled[index], velocities);
                continue;
            }
            let ends = JointEnds::of(stored, next);
            let errors: JointRows = joint::hard(stored, &ends, states[block.joint].turns);
            let turn = |body: &u32| h * velocities[*body as usize].angular.length();
            let fast = stored
                .bodies
                .iter()
                .flatten()
                .any(|b| turn(b) > LARGEST_TURN);
            for (k, &error) in errors.errors().iter().enumerate() {
                misfit.error = worse(misfit.error, error.abs());
                if fast {
                    block.bias[k] = block.errors[k] / h;
                    continue;
                }
                let yielded = h * block.compliance.unwrap_or(0.0) * block.impulses[k];
                misfit.unsolved = worse(misfit.unsolved, (error + yielded).abs());
                block.bias[k] = error / h - row_velocity(&block.rows[k], stored.bodies, velocities);
            }
        }
        misfit
    }

    /// Appends the rows to a problem: blocks, cones and `r`. `slot` tells a body's index in the
    /// operator, `shafts` that of the first shaft, `compliance` the least compliance of a row.
    pub fn assemble(
        &self,
        free: &[Velocity],
        slot: impl Fn(usize) -> usize,
        shafts: usize,
        compliance: impl Fn(&[f64; 12], [usize; 2]) -> f64,
        problem: (&mut RowBlocks, &mut Vec<Cone>, &mut Vec<f64>),
    ) {
        let (rows, cones, r) = problem;
        for block in &self.blocks {
            let mut slots = block
                .bodies
                .map(|body| body.map_or(NO_BODY, |b| slot(b as usize)));
            if let Some((side, shaft)) = block.shaft {
                slots[side] = shafts + shaft;
            }
            let own = |(row, length): (&[f64; 12], &f64)| {
                let row = row.map(|share| length * share);
                // That of the bodies: a shaft gives way too easily to be measured by.
                let share = block.shaft.map_or(1.0, |_| coupling::LIGHT);
                let least = share * compliance(&row, slots);
                let given = block.compliance.map(|c| length * length * c);
                (row, given.map_or(least, |c| c.max(least)))
            };
            let with_lengths = || block.rows().iter().zip(&block.lengths);
            rows.push(slots, with_lengths().map(own));
            cones.push(block.scaled_cone());
            let velocities = with_lengths().zip(&block.bias);
            r.extend(velocities.map(|((row, length), bias)| {
                length * (row_velocity(row, block.bodies, free) + block.outside + bias)
            }));
        }
    }

    /// The impulses to start from, row after row.
    pub fn warm_start(&self) -> impl Iterator<Item = f64> {
        let blocks = self.blocks.iter();
        blocks.flat_map(|block| {
            let impulses = block.impulses[..block.len].iter().zip(&block.lengths);
            impulses.map(|(impulse, length)| impulse / length)
        })
    }

    /// Lets the step at hand start from zero.
    pub fn forget(&mut self) {
        for block in &mut self.blocks {
            block.impulses.fill(0.0);
        }
    }

    /// Rows of the step at hand.
    pub fn rows(&self) -> usize {
        self.blocks.iter().map(|block| block.len).sum()
    }

    /// What is not finite in the rows of the step at hand, if anything: the joint, the quantity and
    /// its value.
    pub fn not_finite(&self) -> Option<(String, &'static str, f64)> {
        let mut biases = self.blocks.iter().flat_map(|block| {
            let what = match block.part {
                JointPart::Motor => "value of its motor",
                JointPart::Hard
                | JointPart::Side(_)
                | JointPart::Lower
                | JointPart::Upper
                | JointPart::Spring => "error",
            };
            let bias = block.bias[..block.len].iter();
            bias.map(move |value| (block.joint, what, *value))
        });
        let (joint, what, value) = biases.find(|(_, _, value)| !value.is_finite())?;
        Some((self.joints[joint].name.clone(), what, value))
    }

    /// Takes the impulses of the step at hand from the end of a solution: where the next solve
    /// starts from.
    pub fn keep(&mut self, gamma: &[f64]) {
        let mut gamma = gamma[gamma.len() - self.rows()..].iter().copied();
        for block in &mut self.blocks {
            for (k, impulse) in gamma.by_ref().take(block.len).enumerate() {
                block.impulses[k] = block.lengths[k] * impulse;
            }
        }
    }

    /// Keeps the impulses of the step at hand and the angles that the moved bodies have.
    pub fn commit(&mut self, bodies: &Bodies, settings: &JointSettings) {
        for (stored, state) in self.joints.iter().zip(&mut self.states) {
            let ends = JointEnds::now(stored, bodies);
            *state = JointState {
                enabled: state.enabled,
                turns: joint::angles(stored, &ends, state.turns),
                ..JointState::default()
            };
            if let Some(Drive::Force(force)) = stored.motor.as_ref().map(|m| &m.drive) {
                let acts = f64::from(u8::from(state.enabled));
                state.motor = acts * settings.time_step * force(settings.time);
            }
        }
        for block in &self.blocks {
            let state = &mut self.states[block.joint];
            if let Some(index) = block.coupled {
                let impulse = block.impulses[0];
                state.impulses[block.part.place()] = impulse;
                if block.part == JointPart::Hard {
                    let pushed = &self.coupled[index].pushed;
                    state.force = impulse * DVec3::from_slice(&pushed[..3]);
                    state.torque = impulse * DVec3::from_slice(&pushed[3..]);
                    state.motor = impulse;
                }
                continue;
            }
            for (k, (row, &impulse)) in block.rows().iter().zip(&block.impulses).enumerate() {
                state.impulses[block.part.place() + k] = impulse;
                let [linear, angular] = half(row, 1);
                state.force += impulse * linear;
                state.torque += impulse * angular;
                if block.part == JointPart::Motor {
                    state.motor = impulse;
                }
            }
        }
    }
}

/// How far from its axis a row that turns bodies is looked at, m: where they are pushed as easily
/// as they are turned. About the radius of the smaller of two balls.
fn arm(held: impl Iterator<Item = u32>, bodies: &Bodies) -> f64 {
    let (mut pushed, mut turned) = (0.0, 0.0);
    for body in held
        .map(|body| body as usize)
        .filter(|body| bodies.is_free(*body))
    {
        let inertia = &bodies.inertias[body];
        pushed += 1.0 / inertia.mass;
        turned += 1.0 / inertia.mean_moment();
    }
    let arm = (pushed / turned).sqrt();
    // Nothing moves, or nothing can turn: then no length is better than another.
    if arm.is_finite() && arm > 0.0 {
        arm
    } else {
        1.0
    }
}

/// Linear and angular part of a row at one of its bodies.
fn half(row: &[f64; 12], side: usize) -> [DVec3; 2] {
    let at = 6 * side;
    [
        DVec3::from_slice(&row[at..at + 3]),
        DVec3::from_slice(&row[at + 3..at + 6]),
    ]
}

/// `J v` of one row.
fn row_velocity(row: &[f64; 12], bodies: [Option<u32>; 2], velocities: &[Velocity]) -> f64 {
    let share = |side: usize| {
        let [linear, angular] = half(row, side);
        bodies[side].map_or(0.0, |b| {
            let v = &velocities[b as usize];
            linear.dot(v.linear) + angular.dot(v.angular)
        })
    };
    share(0) + share(1)
}
