//! The rows, the cone and the velocity bias of single contacts.

use drystone_ccp::{BodyInertia, Cone, NO_BODY, PointContact, RowBlocks};
use drystone_collide::Contact;
use glam::DVec3;
use rayon::prelude::*;

use super::{CHUNK, NO_SLOT, ProblemParts, counted_gap};
use crate::material::Surface;

/// The inverse mass that a row sees, 1/kg or 1/(kg m²), without what couples its parts: a scale for
/// its compliance, which need not be exact.
pub(super) fn own_inverse_mass(
    row: &[f64; 12],
    slots: [usize; 2],
    inertias: &[BodyInertia],
) -> f64 {
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
pub(super) struct ContactRows<'a> {
    pub parts: &'a ProblemParts<'a>,
    /// Index in the operator of each body.
    pub slots: &'a [u32],
    /// By that index.
    pub inertias: &'a [BodyInertia],
}

impl ContactRows<'_> {
    /// Adds the contacts that resist rolling, ascending, with their frames.
    pub fn find_rolling(&self, rolling: &mut Vec<(u32, PointContact)>) {
        if !self.parts.materials.resist_rolling() {
            return; // mostly none does, and nobody need look
        }
        let all = self.parts.contacts.iter().enumerate();
        let found = all.filter(|(_, c)| self.surface(c).resists_rolling());
        rolling.extend(found.map(|(i, c)| (i as u32, self.point(c))));
    }

    /// Adds the rows and cones of the contacts that do not resist rolling: of all of them on
    /// several threads, of some in order.
    pub fn fill_plain(&self, all: bool, points: &mut Vec<PointContact>, cones: &mut Vec<Cone>) {
        let contacts = self.parts.contacts;
        if all {
            let contacts = || contacts.par_iter().with_min_len(CHUNK);
            points.par_extend(contacts().map(|c| self.point(c)));
            cones.par_extend(contacts().map(|c| self.cone(c)));
            return;
        }
        let plain = || {
            let contacts = contacts.iter();
            contacts.filter(|c| !self.surface(c).resists_rolling())
        };
        points.extend(plain().map(|c| self.point(c)));
        cones.extend(plain().map(|c| self.cone(c)));
    }

    /// How the two bodies of a contact act on each other.
    pub fn surface(&self, contact: &Contact) -> Surface {
        let ProblemParts {
            bodies, materials, ..
        } = self.parts;
        let [a, b] = contact.id.objects.map(|o| bodies.materials[o as usize]);
        materials.between(a, b)
    }

    /// The three rows of normal and tangents.
    pub fn point(&self, contact: &Contact) -> PointContact {
        let ProblemParts {
            bodies, settings, ..
        } = self.parts;
        let slots = contact
            .id
            .objects
            .map(|body| match self.slots[body as usize] {
                NO_SLOT => NO_BODY,
                slot => slot as usize,
            });
        let inverse_mass = |slot: usize| self.inertias.get(slot).map_or(0.0, |i| i.inverse_mass);
        // A little compliance in all rows keeps redundant contacts solvable.
        let least = settings.compliance * (inverse_mass(slots[0]) + inverse_mass(slots[1]));
        // `gap = −C F` at the end of the step is `u + gap / h + (C / h²) gamma = 0`.
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

    /// The cone of its impulses, by what the surface resists.
    pub fn cone(&self, contact: &Contact) -> Cone {
        let surface = self.surface(contact);
        let settings = &self.parts.settings;
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
        let ProblemParts {
            free,
            settings,
            bodies,
            ..
        } = self.parts;
        let [arm_a, arm_b] = point.arms.map(DVec3::from);
        let [a, b] = contact.id.objects.map(|o| o as usize);
        let velocity = free[b].at(arm_b) - free[a].at(arm_a);
        let mut r = point.local(velocity.to_array());
        let surface = self.surface(contact);
        let sag = self.parts.sags.of(contact.id) / settings.time_step;
        let closing = contact.gap / settings.time_step + sag;
        // What yields must rest as deep as its load presses it: no recovery speed limits that.
        let mut bias = if surface.compliance > 0.0 {
            closing
        } else {
            let gap = counted_gap(contact.gap, settings.rest_depth);
            (gap / settings.time_step).max(-settings.recovery_speed) + sag
        };
        // It bounces if it meets within the step. The speed of approach is that before the step:
        // the free velocity has gravity in it, from which a ball at rest would bounce for ever.
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
    pub fn fill_r(&self, points: &[PointContact], r: &mut Vec<f64>) {
        let contacts = self.parts.contacts;
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

    /// The same of a contact that resists rolling: then the relative angular velocity along the
    /// tangents and the normal.
    pub fn rolling_r(&self, contact: &Contact, point: &PointContact) -> impl Iterator<Item = f64> {
        let [a, b] = contact
            .id
            .objects
            .map(|o| self.parts.free[o as usize].angular);
        let [n, u, v] = point.local((b - a).to_array());
        let rows = self.cone(contact).rows();
        let sliding = self.r(contact, point);
        sliding.into_iter().chain([u, v, n]).take(rows)
    }

    /// The rows of a contact that resists rolling: normal and tangents, then turns about the
    /// tangents and the normal, as far as its cone has rows.
    pub fn push_rolling(&self, contact: &Contact, point: &PointContact, blocks: &mut RowBlocks) {
        let [n, u, v] = point.frame();
        let turn = |d: [f64; 3]| {
            let mut row = [0.0; 12];
            row[3..6].copy_from_slice(&d.map(|x| -x));
            row[9..12].copy_from_slice(&d);
            let least = self.parts.settings.compliance;
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
