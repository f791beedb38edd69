//! States of a world, taken out and put back.

use glam::DVec3;

use super::World;
use crate::error::WorldError;
use crate::sleep::SleepRecords;
use crate::state::{State, WarmImpulse};

impl World {
    /// Everything that changes, for a checkpoint.
    pub fn state(&self) -> State {
        let disabled = self.ids().filter(|b| !self.is_enabled(*b)).map(|b| b.0);
        State {
            time: self.time,
            last_time_step: self.last_time_step,
            step: self.steps,
            unconverged: self.unconverged,
            bodies: self.bodies.states.clone(),
            disabled: disabled.collect(),
            loads: self.loads.iter().collect(),
            warm_start: self.warm_start().collect(),
            joints: self.mechanism.states().to_vec(),
            rest: self.rest.to_vec(),
        }
    }

    /// Goes back, or on, to a saved state of a world with the same bodies.
    pub fn restore(&mut self, state: &State) -> Result<(), WorldError> {
        state.check(self.len(), self.mechanism.len())?;
        self.time = state.time;
        self.last_time_step = state.last_time_step;
        self.steps = state.step;
        self.unconverged = state.unconverged;
        self.bodies.states.copy_from_slice(&state.bodies);
        self.bodies.enabled.fill(true);
        for &body in &state.disabled {
            self.bodies.enabled[body as usize] = false;
        }
        self.loads = state.loads.iter().copied().collect();
        self.mechanism.restore(&state.joints);
        self.rest = SleepRecords::from_slice(&state.rest);
        self.set_warm_start(&state.warm_start);
        Ok(())
    }

    fn set_warm_start(&mut self, saved: &[WarmImpulse]) {
        self.contacts_changed();
        self.contacts = saved.iter().map(WarmImpulse::contact).collect();
        self.impulses.linear = saved.iter().map(|w| w.impulse).collect();
        let turns = saved.iter().map(|w| w.turn);
        self.impulses.turns = match saved.iter().any(|w| w.turn != DVec3::ZERO) {
            true => turns.collect(),
            false => Vec::new(),
        };
    }

    fn warm_start(&self) -> impl Iterator<Item = WarmImpulse> {
        let contacts = self.contacts.iter().zip(&self.impulses.linear).enumerate();
        contacts.map(|(index, (contact, &impulse))| WarmImpulse {
            bodies: contact.id.objects,
            feature: contact.id.feature,
            point: contact.point,
            normal: contact.normal,
            gap: contact.gap,
            impulse,
            turn: self.impulses.turn(index),
        })
    }
}
