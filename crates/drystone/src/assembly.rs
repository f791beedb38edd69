//! From contacts to the cone problem of the step.
//!
//! Rows of contact i: the relative velocity `u = D_iᵀ v` of its second body along normal and tangents. `r_i = b_i + D_iᵀ v_free`
//! with `b_i = (max(gap / h, −recovery speed), 0, 0)`: surfaces that are apart may close their gap within the step, surfaces that
//! overlap are pushed apart no faster than the recovery speed (eqs. 6 and 9 of paper 000).

use drystone_ccp::{BodyInertia, Ccp, Cone, Cones, NO_BODY, PointContact, ProblemError, TwoBody};
use drystone_collide::Contact;
use glam::DVec3;
use rayon::prelude::*;

use crate::bodies::Bodies;
use crate::material::Materials;
use crate::motion::Velocity;

/// In place of a slot: the body is not an unknown of the problem.
const NO_SLOT: u32 = u32::MAX;

/// Figures that the rows need besides bodies and contacts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowSettings {
    pub time_step: f64,
    pub recovery_speed: f64,
    pub compliance: f64,
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
}

/// Contacts that one task works on. Each contact is written by one task only.
const CHUNK: usize = 256;

impl Assembler {
    /// The cone problem of `contacts`. `moves` says which bodies are unknowns.
    pub fn assemble(
        &mut self,
        contacts: &[Contact],
        bodies: &Bodies,
        materials: &Materials,
        free: &[Velocity],
        moves: impl Fn(usize) -> bool + Sync,
        settings: &RowSettings,
    ) -> Result<Ccp<TwoBody>, ProblemError> {
        self.number_bodies(contacts, bodies.len(), moves);
        let (mut inertias, mut points) = self.operator.take_parts();
        let mut cones = self.cones.take();
        inertias.clear();
        inertias.par_extend(self.unknowns.par_iter().with_min_len(CHUNK).map(|&body| {
            let body = body as usize;
            bodies.inertias[body].inverse_at(bodies.states[body].rotation)
        }));
        let slots = &self.slots;
        points.clear();
        points.par_extend(
            contacts
                .par_iter()
                .with_min_len(CHUNK)
                .map(|c| point_contact(c, bodies, slots, &inertias, settings.compliance)),
        );
        cones.clear();
        cones.par_extend(contacts.par_iter().with_min_len(CHUNK).map(|c| {
            let [a, b] = c.id.objects.map(|o| bodies.materials[o as usize]);
            Cone::friction(materials.friction(a, b))
        }));
        self.r.clear();
        self.r.resize(PointContact::ROWS * contacts.len(), 0.0);
        self.r
            .par_chunks_mut(PointContact::ROWS)
            .with_min_len(CHUNK)
            .zip(contacts.par_iter().zip(&points))
            .for_each(|(r, (contact, point))| {
                let [a, b] = contact.id.objects.map(|o| &free[o as usize]);
                let [arm_a, arm_b] = point.arms.map(DVec3::from);
                let velocity = b.at(arm_b) - a.at(arm_a);
                r.copy_from_slice(&point.local(velocity.to_array()));
                r[0] += (contact.gap / settings.time_step).max(-settings.recovery_speed);
            });
        self.operator.refill(inertias, points, &[])?;
        self.cones.refill(cones)?;
        Ccp::new(
            std::mem::take(&mut self.operator),
            std::mem::take(&mut self.r),
            std::mem::take(&mut self.cones),
        )
    }

    /// Gives the memory of a solved problem back.
    pub fn reclaim(&mut self, problem: Ccp<TwoBody>) {
        (self.operator, self.r, self.cones) = problem.into_parts();
    }

    /// Body of each six unknowns of the operator's state.
    pub fn unknowns(&self) -> &[u32] {
        &self.unknowns
    }

    /// Gives a slot to every unknown body that is touched, in ascending order.
    fn number_bodies(
        &mut self,
        contacts: &[Contact],
        bodies: usize,
        moves: impl Fn(usize) -> bool,
    ) {
        self.slots.clear();
        self.slots.resize(bodies, NO_SLOT);
        for body in contacts.iter().flat_map(|c| c.id.objects) {
            if moves(body as usize) {
                self.slots[body as usize] = 0;
            }
        }
        self.unknowns.clear();
        for (body, slot) in self.slots.iter_mut().enumerate() {
            if *slot == 0 {
                *slot = self.unknowns.len() as u32;
                self.unknowns.push(body as u32);
            }
        }
    }
}

fn point_contact(
    contact: &Contact,
    bodies: &Bodies,
    slots: &[u32],
    inertias: &[BodyInertia],
    compliance: f64,
) -> PointContact {
    let index = contact.id.objects.map(|body| match slots[body as usize] {
        NO_SLOT => NO_BODY,
        slot => slot as usize,
    });
    let inverse_mass = |slot: usize| inertias.get(slot).map_or(0.0, |i| i.inverse_mass);
    PointContact {
        bodies: index,
        normal: contact.normal.to_array(),
        arms: contact
            .id
            .objects
            .map(|body| (contact.point - bodies.states[body as usize].position).to_array()),
        compliance: compliance * (inverse_mass(index[0]) + inverse_mass(index[1])),
    }
}
