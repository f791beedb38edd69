//! From contacts and joints to the cone problem of the step.
//!
//! Rows of contact i: the relative velocity `u = D_iᵀ v` of its second body along normal and
//! tangents. Where the contact resists rolling, the relative angular velocity along the tangents
//! and the normal follows.
//!
//! `r_i = b_i + D_iᵀ v_free` with `b_i = (max(gap / h, −recovery speed), 0, …)`. Surfaces that are
//! apart may close their gap within the step (Mazhar 2015, eqs. 6 and 9). Surfaces that overlap are
//! pushed apart, but no faster than the recovery speed: the paper removes all overlap within one
//! step, which throws bodies apart that were placed badly. Overlap up to the rest depth counts as
//! no gap, since the solves of the steps before leave as much. Where surfaces collide and bounce,
//! `b_i` is at most `−restitution · speed of approach`.
//!
//! Blocks: contacts with sliding friction only, contacts that resist rolling, joints. Contacts of
//! each kind come in their own order. The first kind has three rows each, which the operator treats
//! faster.

mod contact_rows;
mod curve;

use drystone_ccp::{
    BodyInertia, Ccp, Cones, NO_BODY, PointContact, ProblemError, TwoBody, TwoBodyParts,
};
use drystone_collide::Contact;
use glam::DVec3;
use rayon::prelude::*;

use self::contact_rows::{ContactRows, own_inverse_mass};
use self::curve::Curve;
use crate::bodies::Bodies;
use crate::material::Materials;
use crate::mechanism::Mechanism;
use crate::motion::Velocity;
use crate::periodic::Periodic;
use crate::step::Sags;
use crate::warm_start::ContactImpulses;

/// In place of a slot: the body is not an unknown of the problem.
const NO_SLOT: u32 = u32::MAX;

/// Figures that the rows need besides bodies and contacts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowSettings {
    pub time_step: f64,
    pub recovery_speed: f64,
    pub rest_depth: f64,
    pub compliance: f64,
    pub envelope: f64,
    pub bounce_threshold: f64,
    pub periodic: Periodic,
}

/// The gap that counts, m: overlap up to `rest_depth` is none.
pub(crate) fn counted_gap(gap: f64, rest_depth: f64) -> f64 {
    gap.max((gap + rest_depth).min(0.0))
}

/// What the problem of a step is made from.
pub(crate) struct ProblemParts<'w> {
    pub contacts: &'w [Contact],
    pub sags: &'w Sags,
    pub bodies: &'w Bodies,
    pub materials: &'w Materials,
    pub mechanism: &'w Mechanism,
    /// Velocities without contacts and joints.
    pub free: &'w [Velocity],
    pub settings: RowSettings,
}

/// Makes the problems of one step after another in the same memory.
#[derive(Default)]
pub(crate) struct Assembler {
    operator: TwoBody,
    cones: Cones,
    r: Vec<f64>,
    /// Index in the operator of each body.
    slots: Vec<u32>,
    /// Body of each index in the operator.
    unknowns: Vec<u32>,
    curve: Curve,
    /// Contacts that resist rolling, ascending, with their frames; they come after the others.
    rolling: Vec<(u32, PointContact)>,
    /// Contacts of the problem.
    contacts: usize,
}

/// Contacts, or bodies, that one task works on: enough to pay for a task. Each is written by one
/// task only, so no result depends on the number.
const CHUNK: usize = 256;

impl Assembler {
    /// The cone problem. `moves` says which bodies are unknowns.
    pub fn assemble(
        &mut self,
        parts: &ProblemParts<'_>,
        moves: impl Fn(usize) -> bool + Sync,
    ) -> Result<Ccp<TwoBody>, ProblemError> {
        let ProblemParts {
            contacts, bodies, ..
        } = *parts;
        self.number_bodies(parts, moves);
        self.contacts = contacts.len();
        let TwoBodyParts {
            bodies: mut inertias,
            contacts: mut points,
            mut blocks,
        } = self.operator.take_parts();
        let mut cones = self.cones.take();
        inertias.clear();
        inertias.par_extend(self.unknowns.par_iter().with_min_len(CHUNK).map(|&body| {
            let body = body as usize;
            bodies.inertias[body].inverse_at(bodies.states[body].rotation)
        }));
        self.add_shafts(parts, &mut inertias);
        let rows = ContactRows {
            parts,
            slots: &self.slots,
            inertias: &inertias,
        };
        self.rolling.clear();
        points.clear();
        blocks.clear();
        cones.clear();
        self.r.clear();
        rows.find_rolling(&mut self.rolling);
        rows.fill_plain(self.rolling.is_empty(), &mut points, &mut cones);
        rows.fill_r(&points, &mut self.r);
        for (index, point) in &self.rolling {
            let contact = &contacts[*index as usize];
            rows.push_rolling(contact, point, &mut blocks);
            cones.push(rows.cone(contact));
            self.r.extend(rows.rolling_r(contact, point));
        }
        let slot = |body: usize| match self.slots[body] {
            NO_SLOT => NO_BODY,
            slot => slot as usize,
        };
        parts.mechanism.assemble(
            parts.free,
            slot,
            self.unknowns.len(),
            |row, slots| parts.settings.compliance * own_inverse_mass(row, slots, &inertias),
            (&mut blocks, &mut cones, &mut self.r),
        );
        self.operator.refill(TwoBodyParts {
            bodies: inertias,
            contacts: points,
            blocks,
        })?;
        self.cones.refill(cones)?;
        Ccp::new(
            std::mem::take(&mut self.operator),
            std::mem::take(&mut self.r),
            std::mem::take(&mut self.cones),
        )
    }

    /// Adds the shafts of couplings after the bodies.
    fn add_shafts(&self, parts: &ProblemParts<'_>, inertias: &mut Vec<BodyInertia>) {
        let inverse_mass = |body: u32, share: &[f64; 6]| match self.slots[body as usize] {
            NO_SLOT => 0.0,
            slot => {
                let mut row = [0.0; 12];
                row[..6].copy_from_slice(share);
                own_inverse_mass(&row, [slot as usize, NO_BODY], inertias)
            }
        };
        let shafts: Vec<f64> = parts.mechanism.shafts(inverse_mass).collect();
        inertias.extend(shafts.into_iter().map(|inverse| {
            // A row that nothing moves along has no inertia to compare with.
            let mass = if inverse > 0.0 { 1.0 / inverse } else { 1.0 };
            BodyInertia::isotropic(mass, mass)
        }));
    }

    /// Gives the memory of a solved problem back.
    pub fn reclaim(&mut self, problem: Ccp<TwoBody>) {
        (self.operator, self.r, self.cones) = problem.into_parts();
    }

    /// Body of each six unknowns of the operator's state.
    pub fn unknowns(&self) -> &[u32] {
        &self.unknowns
    }

    /// Fills `gamma` with the impulses along the rows of the problem.
    pub fn start(
        &self,
        operator: &TwoBody,
        impulses: &ContactImpulses,
        mechanism: &Mechanism,
        gamma: &mut Vec<f64>,
    ) {
        let points = operator.contacts();
        gamma.clear();
        gamma.resize(PointContact::ROWS * points.len(), 0.0);
        let turn = |index: usize| impulses.turns.get(index).copied().unwrap_or(DVec3::ZERO);
        if self.rolling.is_empty() {
            gamma
                .par_chunks_mut(PointContact::ROWS)
                .zip(points.par_iter().zip(&impulses.linear))
                .with_min_len(CHUNK)
                .for_each(|(gamma, (point, impulse))| {
                    gamma.copy_from_slice(&point.local(impulse.to_array()));
                });
        } else {
            let (rows, _) = gamma.as_chunks_mut::<{ PointContact::ROWS }>();
            let plain = self.plain().map(|i| impulses.linear[i]);
            for ((gamma, point), impulse) in rows.iter_mut().zip(points).zip(plain) {
                *gamma = point.local(impulse.to_array());
            }
            for (block, (index, point)) in self.rolling.iter().enumerate() {
                let index = *index as usize;
                let rows = operator.block(points.len() + block).len();
                gamma.extend(point.local(impulses.linear[index].to_array()));
                let [n, u, v] = point.local(turn(index).to_array());
                gamma.extend([u, v, n].into_iter().take(rows - PointContact::ROWS));
            }
        }
        gamma.extend(mechanism.warm_start());
    }

    /// Contacts that have three rows.
    fn plain(&self) -> impl Iterator<Item = usize> {
        let mut rolling = self
            .rolling
            .iter()
            .map(|(index, _)| *index as usize)
            .peekable();
        (0..self.contacts).filter(move |index| rolling.next_if_eq(index).is_none())
    }

    /// The impulses of contacts as vectors, from the solution.
    pub fn impulses(&self, operator: &TwoBody, gamma: &[f64], out: &mut ContactImpulses) {
        let points = operator.contacts();
        let plain = gamma.par_chunks(PointContact::ROWS).zip(points);
        let plain = plain.map(|(gamma, point)| DVec3::from(point.world_impulse(gamma)));
        out.turns.clear();
        out.linear.clear();
        if self.rolling.is_empty() {
            out.linear.par_extend(plain.with_min_len(CHUNK));
            return;
        }
        out.linear.resize(self.contacts, DVec3::ZERO);
        out.turns.resize(self.contacts, DVec3::ZERO);
        let vectors: Vec<DVec3> = plain.collect();
        for (index, vector) in self.plain().zip(vectors) {
            out.linear[index] = vector;
        }
        for (block, (index, point)) in self.rolling.iter().enumerate() {
            let gamma = &gamma[operator.block(points.len() + block).rows()];
            let spin = gamma.get(5).copied().unwrap_or(0.0);
            let turn = point.world_impulse(&[spin, gamma[3], gamma[4]]);
            out.linear[*index as usize] = DVec3::from(point.world_impulse(gamma));
            out.turns[*index as usize] = DVec3::from(turn);
        }
    }

    /// Gives a slot to every unknown body that is touched or held, along a curve through space:
    /// what is close then mostly is close in memory too, and ranges of slots are lumps.
    fn number_bodies(&mut self, parts: &ProblemParts<'_>, moves: impl Fn(usize) -> bool) {
        self.slots.clear();
        self.slots.resize(parts.bodies.len(), NO_SLOT);
        let touched = parts.contacts.iter().flat_map(|c| c.id.objects);
        let held = parts.mechanism.bodies();
        for body in touched.map(|body| body as usize).chain(held) {
            if moves(body) {
                self.slots[body] = 0;
            }
        }
        let states = &parts.bodies.states;
        let unknown = |body: &usize| self.slots[*body] == 0;
        let found = (0..states.len()).filter(unknown);
        self.curve
            .order(found, |body| states[body].position, &mut self.unknowns);
        for (slot, &body) in self.unknowns.iter().enumerate() {
            self.slots[body as usize] = slot as u32;
        }
    }
}
