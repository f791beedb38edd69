//! All that goes before the solve: free velocities, contacts, rows of joints, the cone problem.

use drystone_ccp::{Ccp, TwoBody};
use rayon::prelude::*;

use super::{CHUNK, Stepper, joint_settings, not_finite};
use crate::assembly::{ProblemParts, RowSettings};
use crate::error::StepError;
use crate::motion::{Velocity, free_velocity, out_of_range, velocity_between};
use crate::report::StepTimes;
use crate::warm_start;
use crate::world::World;

impl Stepper {
    /// Free velocities, contacts with the impulses they had, rows of joints. Returns the number of
    /// pairs that were looked at.
    pub(super) fn prepare(
        &mut self,
        world: &mut World,
        times: &mut StepTimes,
    ) -> Result<usize, StepError> {
        world.mechanism.refresh();
        self.sags.clear();
        self.around.forget();
        self.rest.copy_from(&world.rest);
        self.rest.prepare(&world.bodies, &world.settings);
        // Bodies that wake fall from now on and may touch what they did not: then all is found
        // anew. Each round wakes at least one body, so there are finitely many.
        let pairs = loop {
            self.free_velocities(world)?;
            let (search, found) = (&mut self.search, &mut self.contacts);
            let all = (|_, _| true, |_: &_| true);
            search.look(world, &self.rest, &self.free, all, found, times);
            let (now, last) = (&self.contacts, &world.contacts);
            if !self.rest.disturb(now, last, &world.bodies, &self.free) {
                break self.search.pairs();
            }
        };
        let last = (&world.contacts[..], &world.impulses);
        warm_start::carry_over(last, &self.contacts, &mut self.impulses);
        self.prepare_joints(world)?;
        if !world.settings.warm_start {
            self.impulses.forget();
            world.mechanism.forget();
        }
        Ok(pairs)
    }

    /// What every body's velocity would be without contacts: of free bodies by forces, of
    /// prescribed ones by their paths.
    fn free_velocities(&mut self, world: &World) -> Result<(), StepError> {
        let World {
            bodies,
            settings,
            loads,
            ..
        } = world;
        let h = settings.time_step;
        let rest = &self.rest;
        self.free.clear();
        self.free.resize(bodies.len(), Velocity::default());
        self.free
            .par_iter_mut()
            .with_min_len(CHUNK)
            .enumerate()
            .filter(|(body, _)| rest.is_unknown(bodies, *body))
            .for_each(|(body, velocity)| {
                let load = loads.get(body);
                let (state, inertia) = (&bodies.states[body], &bodies.inertias[body]);
                *velocity = free_velocity(state, inertia, settings.gravity, load, h);
            });
        for (&body, path) in &world.paths {
            let next = path(world.time + h);
            let body = body as usize;
            if !next.is_finite() {
                let [x, y, z] = next.position.to_array();
                let [a, b, c, d] = next.rotation.to_array();
                let values = [x, y, z, a, b, c, d];
                return Err(not_finite(world, body, "pose on its path", &values));
            }
            self.free[body] = velocity_between(&bodies.pose(body), &next, h);
        }
        let settings = joint_settings(world);
        world.mechanism.push(bodies, &settings, &mut self.free);
        // Checked before anything is made from them: a load may be anything, and a solve with such
        // numbers takes long and finds nothing.
        let values = |v: &Velocity| [v.linear.to_array(), v.angular.to_array()];
        let bad = |v: &Velocity| out_of_range(values(v).as_flattened()).is_some();
        match self.free.iter().position(bad) {
            None => Ok(()),
            Some(body) => {
                let values = values(&self.free[body]);
                Err(not_finite(world, body, "velocity", values.as_flattened()))
            }
        }
    }

    /// Makes the rows of the joints, expanded about the velocities before the step.
    fn prepare_joints(&mut self, world: &mut World) -> Result<(), StepError> {
        let settings = joint_settings(world);
        let (mechanism, bodies) = (&mut world.mechanism, &world.bodies);
        if mechanism.len() == 0 {
            return Ok(());
        }
        mechanism.prepare(bodies, &self.free, &settings);
        // Free bodies go on as they do: gravity, which the free velocities have, is mostly carried.
        // Prescribed bodies follow their paths.
        let now = |body: usize| match bodies.is_free(body) {
            true => Velocity::of(&bodies.states[body]),
            false => self.free[body],
        };
        self.velocities.clear();
        self.velocities.extend((0..bodies.len()).map(now));
        mechanism.expand(bodies, &self.velocities, settings.time_step);
        match mechanism.not_finite() {
            None => Ok(()),
            Some((joint, what, value)) => Err(StepError::Joint {
                step: world.steps + 1,
                joint,
                what,
                value,
            }),
        }
    }

    /// The cone problem of the contacts and joints at hand, and in `warm_start` where to start
    /// from.
    pub(super) fn assemble(&mut self, world: &World) -> Result<Ccp<TwoBody>, StepError> {
        let step = world.steps + 1;
        let World {
            bodies, settings, ..
        } = world;
        let rest = &self.rest;
        let parts = ProblemParts {
            contacts: &self.contacts,
            sags: &self.sags,
            bodies,
            materials: &world.materials,
            mechanism: &world.mechanism,
            free: &self.free,
            settings: RowSettings {
                time_step: settings.time_step,
                recovery_speed: world.recovery_speed(),
                rest_depth: world.rest_depth(),
                compliance: settings.compliance,
                envelope: world.envelope(),
                bounce_threshold: world.bounce_threshold(),
                periodic: settings.periodic,
            },
        };
        let problem = self
            .assembler
            .assemble(&parts, |body| rest.is_unknown(bodies, body))
            .map_err(|source| StepError::Problem { step, source })?;
        let (operator, mechanism) = (problem.operator(), &world.mechanism);
        self.assembler
            .start(operator, &self.impulses, mechanism, &mut self.warm_start);
        Ok(problem)
    }
}
