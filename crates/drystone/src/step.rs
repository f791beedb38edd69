//! One time step: the half-implicit symplectic Euler scheme of the papers (paper 000, eqs. 5 to 8).
//!
//! `M (v⁺ − v) = h f + D gamma`, `q⁺ = q + h L(q) v⁺`, and `gamma` solves the cone problem of the contacts found at `q`. Nothing of
//! the world changes before all of it is known to be finite, so that a step that fails leaves the world as it was.

use std::time::Instant;

use drystone_ccp::{Ccp, Termination, TwoBody};
use drystone_collide::Contact;
use glam::DVec3;
use rayon::prelude::*;

use crate::assembly::{Assembler, RowSettings, Source};
use crate::bodies::Bodies;
use crate::body::BodyId;
use crate::error::StepError;
use crate::law::{LawSolver, Solved};
use crate::mechanism::{JointSettings, Misfit};
use crate::motion::{Velocity, advance, free_velocity, velocity_between};
use crate::report::{StepReport, StepTimes};
use crate::search::{Search, closing};
use crate::solver::StepSolver;
use crate::step_problem::StepProblem;
use crate::warm_start::{self, Impulses};
use crate::world::World;

/// Work memory of the steps.
#[derive(Default)]
pub(crate) struct Stepper {
    search: Search,
    assembler: Assembler,
    solver: StepSolver,
    /// Velocities without contacts, one a body.
    free: Vec<Velocity>,
    /// Velocities with them.
    velocities: Vec<Velocity>,
    contacts: Vec<Contact>,
    gamma: Vec<f64>,
    /// Impulses of `contacts`: to start from, then solved for.
    impulses: Impulses,
    /// Contacts that a step's own collisions open.
    missed: Vec<Contact>,
}

/// Bodies that one task works on.
const CHUNK: usize = 256;

/// Most times that a step is solved again with contacts that its own collisions opened, or with joints expanded anew.
const ROUNDS: usize = 4;

/// Error of joints, in smallest half-thicknesses or rad, at which a step is solved again.
const JOINT_ERROR: f64 = 1e-5;

impl Stepper {
    pub fn step(&mut self, world: &mut World) -> Result<StepReport, StepError> {
        let start = Instant::now();
        let mut times = StepTimes::default();
        let pairs = self.prepare(world, &mut times)?;
        let mut solved = self.solve(world, &mut times)?;
        let mut misfit = self.expand_joints(world);
        let mut worse = false;
        for _ in 0..ROUNDS {
            let missed = self.add_missed_contacts(world, &mut times);
            let holds = misfit.unsolved <= JOINT_ERROR * world.size();
            if !missed && (holds || worse) {
                break;
            }
            solved = self.solve(world, &mut times)?.after(&solved);
            let last = std::mem::replace(&mut misfit, self.expand_joints(world));
            worse = misfit.unsolved > 0.5 * last.unsolved;
        }
        self.check_moves(world)?;
        let penetration = self.contacts.iter().fold(0.0, |p: f64, c| p.max(-c.gap));
        self.commit(world, &solved);
        times.total = start.elapsed().as_secs_f64();

        let [kinetic_energy, potential_energy] = world.energy();
        let fastest = world.bodies.fastest();
        Ok(StepReport {
            step: world.steps,
            time: world.time,
            pairs,
            contacts: world.contacts.len(),
            joint_rows: world.mechanism.rows(),
            joint_error: misfit.error,
            asleep: world.rest.asleep(),
            method: solved.method,
            termination: solved.termination,
            solves: solved.solves,
            iterations: solved.iterations,
            residual: solved.residual,
            residual_velocity: solved.residual_velocity,
            relaxed: solved.relaxed,
            penetration,
            kinetic_energy,
            potential_energy,
            fastest,
            times,
        })
    }

    /// All that goes before the cone problem: free velocities, contacts with the impulses they had, rows of joints. The number of pairs
    /// that were looked at.
    fn prepare(&mut self, world: &mut World, times: &mut StepTimes) -> Result<usize, StepError> {
        world.mechanism.refresh();
        world.rest.prepare(&world.bodies, &world.settings);
        let pairs = loop {
            self.free_velocities(world)?;
            let (search, found) = (&mut self.search, &mut self.contacts);
            search.look(world, &self.free, (|_, _| true, |_| true), found, times);
            let World {
                rest,
                contacts,
                bodies,
                ..
            } = world;
            if !rest.disturb(&self.contacts, contacts, bodies, &self.free) {
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

    /// The problem that [`Self::step`] would solve first, with what it takes to read its answer.
    pub fn problem(mut self, world: &mut World) -> Result<StepProblem, StepError> {
        let _ = self.prepare(world, &mut StepTimes::default())?;
        let problem = self.assemble(world)?;
        Ok(StepProblem {
            problem,
            warm_start: self.gamma,
            contacts: self.contacts,
            assembler: self.assembler,
            time_step: world.settings.time_step,
        })
    }

    /// What every body's velocity would be without contacts: free ones by forces, prescribed ones by their paths.
    fn free_velocities(&mut self, world: &World) -> Result<(), StepError> {
        let World {
            bodies,
            settings,
            loads,
            rest,
            ..
        } = world;
        let h = settings.time_step;
        self.free.clear();
        self.free.resize(bodies.len(), Velocity::default());
        self.free
            .par_iter_mut()
            .with_min_len(CHUNK)
            .enumerate()
            .filter(|(body, _)| rest.is_unknown(bodies, *body))
            .for_each(|(body, velocity)| {
                let load = loads.get(&(body as u32));
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
        // Before anything is made from them: a load may be anything.
        let bad = |v: &Velocity| !(v.linear.is_finite() && v.angular.is_finite());
        match self.free.iter().position(bad) {
            None => Ok(()),
            Some(body) => {
                let v = &self.free[body];
                let values = [v.linear.to_array(), v.angular.to_array()];
                Err(not_finite(world, body, "velocity", values.as_flattened()))
            }
        }
    }

    /// Adds the contacts that would overlap by the end of the step because a collision changed their bodies' velocities: a ball
    /// that is hit flies on into its neighbours within the same step. Whether there are any.
    fn add_missed_contacts(&mut self, world: &World, times: &mut StepTimes) -> bool {
        let h = world.settings.time_step;
        let slack = 0.5 * world.envelope();
        let mut pairs = self.velocities.iter().zip(&self.free);
        if !pairs.any(|(v, free)| h * (v.linear - free.linear).length() > slack) {
            return false; // the envelope covers what changed
        }
        let Self {
            search,
            velocities,
            free,
            contacts,
            impulses,
            missed,
            ..
        } = self;
        let overlaps = |contact: &Contact| {
            let gap = contact.gap - h * closing(contact, world, velocities);
            gap < -0.1 * slack
                && contacts
                    .binary_search_by_key(&contact.id, |c| c.id)
                    .is_err()
        };
        // The first search had all that are within the envelope at the free velocities: what it missed comes closer by more than that, and of two bodies
        // one changes by half of it or more. A quarter leaves room for points off the surface.
        let changed = |body: u32| {
            let body = body as usize;
            let (v, before) = (&velocities[body], &free[body]);
            let [linear, angular] = [v.linear - before.linear, v.angular - before.angular];
            let radius = world.bodies.shapes[body].radius_about_origin();
            world.bodies.is_free(body)
                && h * (linear.length() + radius * angular.length()) > 0.5 * slack
        };
        let either = |a: u32, b: u32| changed(a) || changed(b);
        search.look(world, velocities, (either, overlaps), missed, times);
        warm_start::merge(contacts, impulses, missed);
        !missed.is_empty()
    }

    /// Makes the rows of the joints, expanded about the velocities before the step.
    fn prepare_joints(&mut self, world: &mut World) -> Result<(), StepError> {
        let settings = joint_settings(world);
        let (mechanism, bodies) = (&mut world.mechanism, &world.bodies);
        if mechanism.len() == 0 {
            return Ok(());
        }
        mechanism.prepare(bodies, &self.free, &settings);
        // Prescribed bodies are told by their paths, free ones by where they are going.
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

    /// Expands the joints about the velocities just solved for.
    fn expand_joints(&self, world: &mut World) -> Misfit {
        let h = world.settings.time_step;
        world.mechanism.expand(&world.bodies, &self.velocities, h)
    }

    /// Solves the cone problem from the impulses at hand, replaces them, and adds what they change to the velocities.
    fn solve(&mut self, world: &mut World, times: &mut StepTimes) -> Result<Solved, StepError> {
        let step = world.steps + 1;
        self.velocities.clear();
        self.velocities.extend_from_slice(&self.free);
        if self.contacts.is_empty() && world.mechanism.rows() == 0 {
            self.gamma.clear();
            return Ok(Solved::nothing());
        }
        let start = Instant::now();
        let problem = self.assemble(world)?;
        times.assembly += start.elapsed().as_secs_f64();

        let start = Instant::now();
        let solved = LawSolver {
            solver: &mut self.solver,
            settings: &world.settings,
            // Chains of joints converge slowly by sweeps; a guided lid on grains does not mind.
            joints: 10 * world.mechanism.rows() > problem.dim(),
        }
        .solve(&problem, &mut self.gamma)
        .map_err(|source| StepError::Solver { step, source })?;
        self.apply(&problem, &solved.change);
        world.mechanism.keep(&self.gamma);
        self.assembler.reclaim(problem);
        times.solve += start.elapsed().as_secs_f64();
        Ok(solved)
    }

    /// The cone problem of the contacts and joints at hand, and in `gamma` where to start from.
    fn assemble(&mut self, world: &World) -> Result<Ccp<TwoBody>, StepError> {
        let step = world.steps + 1;
        let World {
            bodies,
            settings,
            rest,
            ..
        } = world;
        let source = Source {
            contacts: &self.contacts,
            bodies,
            materials: &world.materials,
            mechanism: &world.mechanism,
            free: &self.free,
            settings: RowSettings {
                time_step: settings.time_step,
                recovery_speed: world.recovery_speed(),
                compliance: settings.compliance,
                envelope: world.envelope(),
                bounce_threshold: world.bounce_threshold(),
                periodic: settings.periodic,
            },
        };
        let problem = self
            .assembler
            .assemble(&source, |body| rest.is_unknown(bodies, body))
            .map_err(|source| StepError::Problem { step, source })?;
        let (operator, mechanism) = (problem.operator(), &world.mechanism);
        self.assembler
            .start(operator, &self.impulses, mechanism, &mut self.gamma);
        Ok(problem)
    }

    /// Velocities and world impulses from the solution.
    fn apply(&mut self, problem: &Ccp<TwoBody>, change: &[f64]) {
        let (change, _) = change.as_chunks::<6>();
        for (&body, change) in self.assembler.unknowns().iter().zip(change) {
            let velocity = &mut self.velocities[body as usize];
            velocity.linear += DVec3::from_slice(&change[..3]);
            velocity.angular += DVec3::from_slice(&change[3..]);
        }
        self.assembler
            .impulses(problem.operator(), &self.gamma, &mut self.impulses);
    }

    /// Whether every body would have a finite state after the step.
    fn check_moves(&self, world: &World) -> Result<(), StepError> {
        let World {
            bodies, settings, ..
        } = world;
        // Computed here and again when the bodies move: a second copy of all states would cost more.
        for body in (0..bodies.len()).filter(|&b| bodies.is_free(b)) {
            let (state, inertia) = (&bodies.states[body], &bodies.inertias[body]);
            let next = advance(state, inertia, &self.velocities[body], settings.time_step);
            for (what, vector) in [
                ("velocity", next.velocity),
                ("angular velocity", next.angular_velocity),
                ("position", next.position),
            ] {
                if !vector.is_finite() {
                    return Err(not_finite(world, body, what, &vector.to_array()));
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
            let pose = path(world.time + h);
            let (state, velocity) = (&mut states[body as usize], &self.velocities[body as usize]);
            (state.position, state.rotation) = (pose.position, pose.rotation.normalize());
            (state.velocity, state.angular_velocity) = (velocity.linear, velocity.angular);
        }
        world.bodies.states = states;
    }

    fn commit(&mut self, world: &mut World, solved: &Solved) {
        let joints = joint_settings(world);
        self.move_bodies(world);
        world.mechanism.commit(&world.bodies, &joints);
        world.rest.keep_sleeping(
            (&world.contacts, &world.impulses),
            &mut self.contacts,
            &mut self.impulses,
            &world.bodies,
        );
        std::mem::swap(&mut world.contacts, &mut self.contacts);
        std::mem::swap(&mut world.impulses, &mut self.impulses);
        world.time += world.settings.time_step;
        world.last_time_step = world.settings.time_step;
        world.steps += 1;
        if solved.termination != Termination::Converged {
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

/// What joints need of the step at hand.
fn joint_settings(world: &World) -> JointSettings {
    let time_step = world.settings.time_step;
    JointSettings {
        time_step,
        time: world.time + time_step,
    }
}

impl Bodies {
    /// Speed of the fastest centre of mass, m/s.
    fn fastest(&self) -> f64 {
        let squares = self.states.iter().map(|s| s.velocity.length_squared());
        squares.fold(0.0, f64::max).sqrt()
    }
}

fn not_finite(world: &World, body: usize, what: &'static str, values: &[f64]) -> StepError {
    let bad = values.iter().find(|v| !v.is_finite());
    StepError::NotFinite {
        step: world.steps + 1,
        body: world.name(BodyId(body as u32)),
        what,
        value: bad.copied().unwrap_or(f64::NAN),
    }
}
