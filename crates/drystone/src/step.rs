//! One time step: the half-implicit symplectic Euler scheme of the papers (paper 000, eqs. 5 to 8).
//!
//! `M (v⁺ − v) = h f + D gamma`, `q⁺ = q + h L(q) v⁺`, and `gamma` solves the cone problem of the contacts found at `q`. Nothing of
//! the world changes before all of it is known to be finite, so that a step that fails leaves the world as it was.

use std::time::Instant;

use drystone_ccp::{Ccp, Limits, Monitor, Operator, PointContact, SolveInfo, Termination, TwoBody};
use drystone_collide::{Contact, Detector, Object};
use glam::DVec3;
use rayon::prelude::*;

use crate::assembly::{Assembler, RowSettings};
use crate::bodies::Bodies;
use crate::body::BodyId;
use crate::error::StepError;
use crate::motion::{Velocity, advance, free_velocity, velocity_between};
use crate::report::{StepReport, StepTimes};
use crate::solver::StepSolver;
use crate::warm_start;
use crate::world::World;

/// Work memory of the steps.
#[derive(Default)]
pub(crate) struct Stepper {
    detector: Detector,
    assembler: Assembler,
    solver: StepSolver,
    /// Velocities without contacts, one a body.
    free: Vec<Velocity>,
    /// Velocities with them.
    velocities: Vec<Velocity>,
    contacts: Vec<Contact>,
    gamma: Vec<f64>,
    /// Impulses of `contacts` on their second bodies: to start from, then solved for.
    impulses: Vec<DVec3>,
    /// Contacts that a step's own collisions open.
    missed: Vec<Contact>,
}

/// Bodies that one task works on.
const CHUNK: usize = 256;

/// Most times that a step is solved again with contacts that its own collisions opened.
const ROUNDS: usize = 4;

/// How the cone problem was solved.
struct Solved {
    method: &'static str,
    termination: Termination,
    iterations: usize,
    residual: f64,
    residual_velocity: f64,
}

impl Stepper {
    pub fn step(&mut self, world: &mut World) -> Result<StepReport, StepError> {
        let start = Instant::now();
        let mut times = StepTimes::default();
        world.rest.prepare(&world.bodies, &world.settings);
        let pairs = loop {
            self.free_velocities(world)?;
            let (detector, found) = (&mut self.detector, &mut self.contacts);
            look(detector, world, &self.free, |_| true, found, &mut times);
            let World {
                rest,
                contacts,
                bodies,
                ..
            } = world;
            if !rest.disturb(&self.contacts, contacts, bodies, &self.free) {
                break self.detector.pairs().len();
            }
        };
        let last = (&world.contacts[..], &world.impulses[..]);
        warm_start::carry_over(last, &self.contacts, &mut self.impulses);
        let mut solved = self.solve(world, &mut times)?;
        for _ in 0..ROUNDS {
            if !self.add_missed_contacts(world, &mut times) {
                break;
            }
            let iterations = solved.iterations;
            solved = self.solve(world, &mut times)?;
            solved.iterations += iterations;
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
            asleep: world.rest.asleep(),
            method: solved.method,
            termination: solved.termination,
            iterations: solved.iterations,
            residual: solved.residual,
            residual_velocity: solved.residual_velocity,
            penetration,
            kinetic_energy,
            potential_energy,
            fastest,
            times,
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
            detector,
            velocities,
            contacts,
            impulses,
            missed,
            ..
        } = self;
        let overlaps = |contact: &Contact| {
            let gap = contact.gap - h * closing(contact, &world.bodies, velocities);
            gap < -0.1 * slack
                && contacts
                    .binary_search_by_key(&contact.id, |c| c.id)
                    .is_err()
        };
        look(detector, world, velocities, overlaps, missed, times);
        warm_start::merge(contacts, impulses, missed);
        !missed.is_empty()
    }

    /// Solves the cone problem from the impulses at hand, replaces them, and adds what they change to the velocities.
    fn solve(&mut self, world: &World, times: &mut StepTimes) -> Result<Solved, StepError> {
        let step = world.steps + 1;
        let World {
            bodies,
            settings,
            rest,
            ..
        } = world;
        self.velocities.clear();
        self.velocities.extend_from_slice(&self.free);
        if self.contacts.is_empty() {
            return Ok(Solved {
                method: "none",
                termination: Termination::Converged,
                iterations: 0,
                residual: 0.0,
                residual_velocity: 0.0,
            });
        }
        let start = Instant::now();
        let rows = RowSettings {
            time_step: settings.time_step,
            recovery_speed: world.recovery_speed(),
            compliance: settings.compliance,
        };
        let problem = self
            .assembler
            .assemble(
                &self.contacts,
                bodies,
                &world.materials,
                &self.free,
                |body| rest.is_unknown(bodies, body),
                &rows,
            )
            .map_err(|source| StepError::Problem { step, source })?;
        warm_start::into_frames(
            &self.impulses,
            problem.operator().contacts(),
            &mut self.gamma,
        );
        times.assembly += start.elapsed().as_secs_f64();

        let start = Instant::now();
        let limits = Limits {
            tolerance: settings.tolerance,
            max_iterations: settings.max_iterations,
            time_limit: None, // results must not depend on the clock
        };
        let mut monitor = Monitor::new(limits, settings.law);
        let info = self
            .solver
            .solve(&problem, settings.method, &mut self.gamma, &mut monitor)
            .map_err(|source| StepError::Solver { step, source })?;
        self.apply(&problem);
        self.assembler.reclaim(problem);
        times.solve += start.elapsed().as_secs_f64();
        Ok(Solved::from(&info))
    }

    /// Velocities and world impulses from the solution.
    fn apply(&mut self, problem: &Ccp<TwoBody>) {
        let operator = problem.operator();
        let mut change = vec![0.0; operator.state_len()]; // M⁻¹ D gamma
        operator.state(&self.gamma, &mut change);
        let (change, _) = change.as_chunks::<6>();
        for (&body, change) in self.assembler.unknowns().iter().zip(change) {
            let velocity = &mut self.velocities[body as usize];
            velocity.linear += DVec3::from_slice(&change[..3]);
            velocity.angular += DVec3::from_slice(&change[3..]);
        }
        self.impulses.clear();
        let gamma = self.gamma.par_chunks(PointContact::ROWS);
        let points = operator.contacts().par_iter().with_min_len(CHUNK);
        self.impulses.par_extend(
            points
                .zip(gamma)
                .map(|(p, g)| DVec3::from(p.world_impulse(g))),
        );
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
        self.move_bodies(world);
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
        world
            .rest
            .update(&mut world.bodies, &world.contacts, &world.settings);
    }
}

/// Those contacts to `keep` that are closer than the envelope, or than their bodies can come within the step at the given velocities.
fn look(
    detector: &mut Detector,
    world: &World,
    velocities: &[Velocity],
    keep: impl Fn(&Contact) -> bool + Sync,
    out: &mut Vec<Contact>,
    times: &mut StepTimes,
) {
    let World {
        bodies,
        settings,
        rest,
        ..
    } = world;
    let h = settings.time_step;
    let envelope = world.envelope();
    let moves = |body: u32| {
        let body = body as usize;
        rest.is_unknown(bodies, body) || velocities[body] != Velocity::default()
    };
    let free = |body: u32| bodies.is_free(body as usize);
    let object = |body: usize| {
        let shape = &bodies.shapes[body];
        let velocity = &velocities[body];
        let radius = shape.radius_about_origin();
        // How far a point of the surface may travel within the step.
        let turning = velocity.angular.length() * if radius.is_finite() { radius } else { 0.0 };
        Object {
            shape,
            pose: bodies.pose(body),
            reach: 0.5 * envelope + h * (velocity.linear.length() + turning),
            active: bodies.enabled[body],
        }
    };
    let found = detector.detect(
        bodies.len(),
        object,
        |a, b| (free(a) || free(b)) && (moves(a) || moves(b)),
        |c| c.gap <= envelope + h * closing(c, bodies, velocities).max(0.0) && keep(c),
        out,
    );
    times.broad += found.broad;
    times.narrow += found.narrow;
}

/// Speed at which the surfaces of a contact come closer, m/s.
fn closing(contact: &Contact, bodies: &Bodies, velocities: &[Velocity]) -> f64 {
    let [a, b] = contact.id.objects.map(|o| o as usize);
    let at = |body: usize| velocities[body].at(contact.point - bodies.states[body].position);
    -contact.normal.dot(at(b) - at(a))
}

impl From<&SolveInfo> for Solved {
    fn from(info: &SolveInfo) -> Self {
        Self {
            method: info.method,
            termination: info.termination,
            iterations: info.iterations,
            residual: info.certificate.residual,
            residual_velocity: info.certificate.residual_velocity,
        }
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
