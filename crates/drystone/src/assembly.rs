//! From contacts and joints to the cone problem of the step.
//!
//! Rows of contact i: the relative velocity `u = D_iᵀ v` of its second body along normal and tangents, and where it resists rolling the
//! relative angular velocity along the tangents and the normal. `r_i = b_i + D_iᵀ v_free` with `b_i = (max(gap / h, −recovery speed), 0, …)`:
//! surfaces that are apart may close their gap within the step, surfaces that overlap are pushed apart no faster than the recovery
//! speed (eqs. 6 and 9 of paper 000). Where surfaces collide and bounce, `b_i` is at most `restitution · speed of approach`.
//!
//! Blocks: contacts with sliding friction only, contacts that resist rolling, joints; contacts among themselves in their own order.

use drystone_ccp::{
    BodyInertia, Ccp, Cone, Cones, NO_BODY, PointContact, ProblemError, TwoBody, TwoBodyParts,
};
use drystone_collide::Contact;
use glam::DVec3;
use rayon::prelude::*;

use crate::bodies::Bodies;
use crate::material::{Materials, Surface};
use crate::mechanism::Mechanism;
use crate::motion::Velocity;
use crate::periodic::Periodic;
use crate::warm_start::Impulses;

/// In place of a slot: the body is not an unknown of the problem.
const NO_SLOT: u32 = u32::MAX;

/// Figures that the rows need besides bodies and contacts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowSettings {
    pub time_step: f64,
    pub recovery_speed: f64,
    pub compliance: f64,
    pub envelope: f64,
    pub bounce_threshold: f64,
    pub periodic: Periodic,
}

/// What a problem is made from.
pub(crate) struct Source<'w> {
    pub contacts: &'w [Contact],
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
    /// Contacts that resist rolling, ascending, with their frames; they come after the others.
    rolling: Vec<(u32, PointContact)>,
    /// Contacts of the problem.
    contacts: usize,
}

/// Contacts that one task works on. Each contact is written by one task only.
const CHUNK: usize = 256;

impl Assembler {
    /// The cone problem. `moves` says which bodies are unknowns.
    pub fn assemble(
        &mut self,
        source: &Source<'_>,
        moves: impl Fn(usize) -> bool + Sync,
    ) -> Result<Ccp<TwoBody>, ProblemError> {
        let Source {
            contacts, bodies, ..
        } = *source;
        self.number_bodies(source, moves);
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
        let rows = ContactRows {
            source,
            slots: &self.slots,
            inertias: &inertias,
        };
        self.rolling.clear();
        if source.materials.resist_rolling() {
            let all = contacts.iter().enumerate();
            let rolling = all.filter(|(_, c)| rows.surface(c).resists_rolling());
            self.rolling
                .extend(rolling.map(|(i, c)| (i as u32, rows.point(c))));
        }
        points.clear();
        cones.clear();
        self.r.clear();
        if self.rolling.is_empty() {
            let contacts = || contacts.par_iter().with_min_len(CHUNK);
            points.par_extend(contacts().map(|c| rows.point(c)));
            cones.par_extend(contacts().map(|c| rows.cone(c)));
        } else {
            let plain = || {
                contacts
                    .iter()
                    .filter(|c| !rows.surface(c).resists_rolling())
            };
            points.extend(plain().map(|c| rows.point(c)));
            cones.extend(plain().map(|c| rows.cone(c)));
        }
        rows.fill_r(&points, &mut self.r);
        blocks.clear();
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
        source.mechanism.assemble(
            source.free,
            slot,
            |row, slots| source.settings.compliance * own_inverse_mass(row, slots, &inertias),
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
        impulses: &Impulses,
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
    pub fn impulses(&self, operator: &TwoBody, gamma: &[f64], out: &mut Impulses) {
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

    /// Gives a slot to every unknown body that is touched or held, in ascending order.
    fn number_bodies(&mut self, source: &Source<'_>, moves: impl Fn(usize) -> bool) {
        self.slots.clear();
        self.slots.resize(source.bodies.len(), NO_SLOT);
        let touched = source.contacts.iter().flat_map(|c| c.id.objects);
        let held = source.mechanism.bodies();
        for body in touched.map(|body| body as usize).chain(held) {
            if moves(body) {
                self.slots[body] = 0;
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

/// The inverse mass that a row sees, 1/kg or 1/(kg m²), without what couples its parts.
fn own_inverse_mass(row: &[f64; 12], slots: [usize; 2], inertias: &[BodyInertia]) -> f64 {
    let share = |side: usize| {
        let Some(inertia) = inertias.get(slots[side]) else {
            return 0.0;
        };
        let part = &row[6 * side..6 * side + 6];
        let turn = |k: usize| inertia.inverse_inertia[k][k] * part[3 + k] * part[3 + k];
        let linear: f64 = part[..3].iter().map(|x| x * x).sum();
        inertia.inverse_mass * linear + (0..3).map(turn).sum::<f64>()
    };
    share(0) + share(1)
}

/// Makes the rows of single contacts.
#[derive(Clone, Copy)]
struct ContactRows<'a> {
    source: &'a Source<'a>,
    slots: &'a [u32],
    inertias: &'a [BodyInertia],
}

impl ContactRows<'_> {
    fn surface(&self, contact: &Contact) -> Surface {
        let Source {
            bodies, materials, ..
        } = self.source;
        let [a, b] = contact.id.objects.map(|o| bodies.materials[o as usize]);
        materials.between(a, b)
    }

    fn point(&self, contact: &Contact) -> PointContact {
        let Source {
            bodies, settings, ..
        } = self.source;
        let slots = contact
            .id
            .objects
            .map(|body| match self.slots[body as usize] {
                NO_SLOT => NO_BODY,
                slot => slot as usize,
            });
        let inverse_mass = |slot: usize| self.inertias.get(slot).map_or(0.0, |i| i.inverse_mass);
        let least = settings.compliance * (inverse_mass(slots[0]) + inverse_mass(slots[1]));
        let yields = self.surface(contact).compliance / settings.time_step.powi(2);
        PointContact {
            bodies: slots,
            normal: contact.normal.to_array(),
            arms: contact.id.objects.map(|body| {
                let arm = contact.point - bodies.states[body as usize].position;
                settings.periodic.shortest(arm).to_array()
            }),
            compliance: [yields.max(least), least],
        }
    }

    fn cone(&self, contact: &Contact) -> Cone {
        let surface = self.surface(contact);
        let settings = &self.source.settings;
        let range = surface.cohesion_range.unwrap_or(settings.envelope);
        let cohesion = if contact.gap <= range {
            settings.time_step * surface.cohesion
        } else {
            0.0
        };
        let (friction, rolling) = (surface.friction, surface.rolling_friction);
        if surface.spinning_friction > 0.0 {
            Cone::RollingSpinning {
                friction,
                rolling,
                spinning: surface.spinning_friction,
                cohesion,
            }
        } else if rolling > 0.0 {
            Cone::Rolling {
                friction,
                rolling,
                cohesion,
            }
        } else {
            Cone::Friction { friction, cohesion }
        }
    }

    /// `b + Dᵀ v_free` of normal and tangents.
    fn r(&self, contact: &Contact, point: &PointContact) -> [f64; 3] {
        let Source {
            free,
            settings,
            bodies,
            ..
        } = self.source;
        let [arm_a, arm_b] = point.arms.map(DVec3::from);
        let [a, b] = contact.id.objects.map(|o| o as usize);
        let velocity = free[b].at(arm_b) - free[a].at(arm_a);
        let mut r = point.local(velocity.to_array());
        let surface = self.surface(contact);
        let closing = contact.gap / settings.time_step;
        // What yields must rest as deep as its load presses it.
        let mut bias = if surface.compliance > 0.0 {
            closing
        } else {
            closing.max(-settings.recovery_speed)
        };
        if surface.restitution > 0.0 && r[0] + closing < 0.0 {
            let before = |body: usize, arm: DVec3| {
                if bodies.is_free(body) {
                    let state = &bodies.states[body];
                    state.velocity + state.angular_velocity.cross(arm)
                } else {
                    free[body].at(arm)
                }
            };
            let approach = contact.normal.dot(before(b, arm_b) - before(a, arm_a));
            if approach < -settings.bounce_threshold {
                bias = bias.min(surface.restitution * approach);
            }
        }
        r[0] += bias;
        r
    }

    /// `r` of the contacts with three rows.
    fn fill_r(&self, points: &[PointContact], r: &mut Vec<f64>) {
        let contacts = self.source.contacts;
        if points.len() == contacts.len() {
            r.resize(PointContact::ROWS * contacts.len(), 0.0);
            r.par_chunks_mut(PointContact::ROWS)
                .with_min_len(CHUNK)
                .zip(contacts.par_iter().zip(points))
                .for_each(|(r, (contact, point))| r.copy_from_slice(&self.r(contact, point)));
            return;
        }
        let plain = contacts
            .iter()
            .filter(|c| !self.surface(c).resists_rolling());
        r.extend(plain.zip(points).flat_map(|(c, point)| self.r(c, point)));
    }

    /// The same of a contact that resists rolling: then the relative angular velocity along the tangents and the normal.
    fn rolling_r(&self, contact: &Contact, point: &PointContact) -> impl Iterator<Item = f64> {
        let [a, b] = contact
            .id
            .objects
            .map(|o| self.source.free[o as usize].angular);
        let [n, u, v] = point.local((b - a).to_array());
        let rows = self.cone(contact).rows();
        let sliding = self.r(contact, point);
        sliding.into_iter().chain([u, v, n]).take(rows)
    }

    fn push_rolling(
        &self,
        contact: &Contact,
        point: &PointContact,
        blocks: &mut drystone_ccp::RowBlocks,
    ) {
        let [n, u, v] = point.frame();
        let turn = |d: [f64; 3]| {
            let mut row = [0.0; 12];
            row[3..6].copy_from_slice(&d.map(|x| -x));
            row[9..12].copy_from_slice(&d);
            let least = self.source.settings.compliance;
            (
                row,
                least * own_inverse_mass(&row, point.bodies, self.inertias),
            )
        };
        let [normal, tangent] = point.compliance;
        let sliding = point.rows().into_iter().zip([normal, tangent, tangent]);
        let rows = self.cone(contact).rows();
        blocks.push(point.bodies, sliding.chain([u, v, n].map(turn)).take(rows));
    }
}
