//! All that comes after the solve: new velocities, new positions.

use drystone_ccp::{Ccp, Law, Operator, Termination, TwoBody};
use glam::DVec3;
use rayon::prelude::*;

use super::{CHUNK, Stepper, joint_settings, not_finite};
use crate::error::StepError;
use crate::law::lift_off;
use crate::mechanism::Misfit;
use crate::motion::{advance, out_of_range};
use crate::report::SolveSummary;
use crate::world::World;

impl Stepper {
    /// Velocities, contact impulses and joint impulses from an answer. Completes its summary.
    pub(super) fn take_answer(
        &mut self,
        world: &mut World,
        problem: Ccp<TwoBody>,
        gamma: &[f64],
        mut summary: SolveSummary,
    ) -> SolveSummary {
        let operator = problem.operator();
        self.change.resize(operator.state_len(), 0.0);
        operator.state(gamma, &mut self.change);
        self.velocities.clear();
        self.velocities.extend_from_slice(&self.free);
        let (change, _) = self.change.as_chunks::<6>();
        for (&body, change) in self.assembler.unknowns().iter().zip(change) {
            let velocity = &mut self.velocities[body as usize];
            velocity.linear += DVec3::from_slice(&change[..3]);
            velocity.angular += DVec3::from_slice(&change[3..]);
        }
        self.assembler.impulses(operator, gamma, &mut self.impulses);
        world.mechanism.keep(gamma);
        match world.settings.law {
            Law::Relaxed => summary.relaxed.lift_off = lift_off(&problem, gamma, &self.change),
            Law::Exact => {} // that of the relaxed solve, where one was made
        }
        self.assembler.reclaim(problem);
        summary
    }

    /// Expands the joints about the velocities just solved for.
    pub(super) fn expand_joints(&self, world: &mut World) -> Misfit {
        let h = world.settings.time_step;
        world.mechanism.expand(&world.bodies, &self.velocities, h)
    }

    /// Whether every body would have a finite state after the step.
    pub(super) fn check_moves(&self, world: &World) -> Result<(), StepError> {
        let World {
            bodies, settings, ..
        } = world;
        // Computed here and again when the bodies move: a second copy of all states would cost
        // more.
        for body in (0..bodies.len()).filter(|&b| bodies.is_free(b)) {
            let (state, inertia) = (&bodies.states[body], &bodies.inertias[body]);
            let next = advance(state, inertia, &self.velocities[body], settings.time_step);
            for (what, vector) in [
                ("velocity", next.velocity),
                ("angular velocity", next.angular_velocity),
                ("position", next.position),
            ] {
                let values = vector.to_array();
                if out_of_range(&values).is_some() {
                    return Err(not_finite(world, body, what, &values));
                }
            }
            if !next.rotation.is_finite() {
                let values = next.rotation.to_array();
                return Err(not_finite(world, body, "rotation", &values));
            }
        }
        Ok(())
    }

    /// Moves the bodies by their new velocities.
    fn move_bodies(&self, world: &mut World) {
        let h = world.settings.time_step;
        let mut states = std::mem::take(&mut world.bodies.states);
        let bodies = &world.bodies;
        states
            .par_iter_mut()
            .zip(&self.velocities)
            .with_min_len(CHUNK)
            .enumerate()
            .filter(|(body, _)| bodies.is_free(*body))
            .for_each(|(body, (state, velocity))| {
                *state = advance(state, &bodies.inertias[body], velocity, h);
            });
        for (&body, path) in &world.paths {
            // Where the path says, not where the velocity leads: errors would add up.
            let pose = path(world.time + h);
            let (state, velocity) = (&mut states[body as usize], &self.velocities[body as usize]);
            (state.position, state.rotation) = (pose.position, pose.rotation.normalize());
            (state.velocity, state.angular_velocity) = (velocity.linear, velocity.angular);
        }
        world.bodies.states = states;
    }

    /// Makes the step the world's own. From here on nothing can fail.
    pub(super) fn commit(&mut self, world: &mut World, termination: Termination) {
        let joints = joint_settings(world);
        self.move_bodies(world);
        world.mechanism.commit(&world.bodies, &joints);
        std::mem::swap(&mut world.rest, &mut self.rest);
        world.rest.keep_sleeping(
            (&world.contacts, &world.impulses),
            &mut self.contacts,
            &mut self.impulses,
            &world.bodies,
        );
        std::mem::swap(&mut world.contacts, &mut self.contacts);
        std::mem::swap(&mut world.impulses, &mut self.impulses);
        world.contacts_changed();
        world.time += world.settings.time_step;
        world.last_time_step = world.settings.time_step;
        world.steps += 1;
        if termination != Termination::Converged {
            world.unconverged += 1;
        }
        let World {
            rest,
            bodies,
            contacts,
            mechanism,
            settings,
            ..
        } = world;
        rest.update(bodies, contacts, mechanism, settings);
    }
}
