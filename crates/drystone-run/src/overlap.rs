//! The deepest overlap of a run: heavy bodies that sink into light ones are to be seen, even where
//! every step reached its tolerance.

use drystone::{BodyId, ContactForce, World};
use serde::{Deserialize, Serialize};

use crate::inspect::thickness;

/// Overlaps from this share of the thinner body on are worth a warning: below it, pictures and
/// packings look right.
pub const NOTABLE: f64 = 0.01;

/// The deepest overlap of a run, as a share of the thinner body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct DeepestOverlap {
    /// The two bodies, by index.
    bodies: [u32; 2],
    /// m.
    depth: f64,
    /// Depth over the thickness of the thinner moving body.
    share: f64,
    /// Whether compliance is the cause, now or when the two first overlapped notably.
    by_compliance: bool,
    /// The step that found it.
    step: u64,
}

/// Two bodies that overlapped.
#[derive(Clone, Debug, PartialEq)]
pub struct RunOverlap {
    /// Their names.
    pub bodies: [String; 2],
    /// m.
    pub depth: f64,
    /// Depth over the thickness of the thinner moving body.
    pub share: f64,
    /// Whether the compliance of the contact is the cause: it lets in what each step pushes out.
    pub by_compliance: bool,
    /// The step that found it.
    pub step: u64,
}

impl RunOverlap {
    pub(crate) fn new(overlap: DeepestOverlap, world: &World) -> Option<Self> {
        let bodies = overlap.bodies.map(|index| index as usize);
        // A checkpoint may claim anything.
        if bodies.iter().any(|&body| body >= world.len()) {
            return None;
        }
        Some(Self {
            bodies: bodies.map(|body| world.name(BodyId::new(body))),
            depth: overlap.depth,
            share: overlap.share,
            by_compliance: overlap.by_compliance,
            step: overlap.step,
        })
    }

    /// Whether it is deep enough to be warned of.
    pub fn is_notable(&self) -> bool {
        self.share >= NOTABLE
    }
}

/// Looks at the contacts of every step.
pub(crate) struct OverlapWatch {
    /// Of each body, m; infinite where its shape sets no scale.
    thickness: Vec<f64>,
    deepest: Option<DeepestOverlap>,
}

impl OverlapWatch {
    /// Goes on from what was found so far.
    pub fn new(world: &World, deepest: Option<DeepestOverlap>) -> Self {
        let thickness = |body: BodyId| thickness(world, body).unwrap_or(f64::INFINITY);
        Self {
            thickness: world.ids().map(thickness).collect(),
            deepest,
        }
    }

    /// Takes notice of the last step.
    pub fn look(&mut self, world: &World) {
        for contact in world.contacts().filter(|contact| contact.gap < 0.0) {
            let share = self.share(&contact);
            if self.deepest.is_none_or(|deepest| share > deepest.share) {
                let bodies = contact.bodies.map(|body| body.index() as u32);
                // What compliance let in is its work, whatever pressed the two deeper after that.
                let before = self.deepest.is_some_and(|deepest| {
                    deepest.bodies == bodies && deepest.share >= NOTABLE && deepest.by_compliance
                });
                self.deepest = Some(DeepestOverlap {
                    bodies,
                    depth: -contact.gap,
                    share,
                    by_compliance: before || world.yielding(&contact).explains_overlap(),
                    step: world.steps(),
                });
            }
        }
    }

    fn share(&self, contact: &ContactForce) -> f64 {
        let [a, b] = contact.bodies.map(|body| self.thickness[body.index()]);
        -contact.gap / a.min(b)
    }

    /// The deepest so far.
    pub fn deepest(&self) -> Option<DeepestOverlap> {
        self.deepest
    }
}
