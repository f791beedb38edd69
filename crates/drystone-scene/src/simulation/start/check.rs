//! Whether the bodies of a run and what the scene adds to them go together.

use drystone::{BodyId, BodyKind, ContactForce, Pose, World};
use drystone_collide::number::Number;

use super::carry::Carry;
use crate::scene::SceneError;

/// Share of the thinner body by which a body that is added may overlap one of the run. Contacts at
/// rest overlap by less.
const OVERLAP: f64 = 0.01;

/// Error of a joint at the start, over the thickness of the thinnest moving body, that still counts
/// as drift.
const MISFIT: f64 = 0.05;
/// The most of it, m or rad.
const MOST_MISFIT: f64 = 0.01;

impl Carry<'_> {
    /// Refuses bodies that were added into those of the run, and joints whose bodies are not where
    /// they would hold them.
    pub fn check(&self, world: &mut World) -> Result<(), SceneError> {
        self.check_joints(world)?;
        let bodies = self.scene.model().bodies.len();
        let is_added = |id: BodyId| id.index() < bodies && self.sources[id.index()].is_none();
        if !world.ids().any(is_added) {
            return Ok(());
        }
        // A step that cannot be begun tells why when it is made.
        let Ok(step) = world.next_problem() else {
            return Ok(());
        };
        let share = |contact: &ContactForce| {
            let [a, b] = contact.bodies.map(|id| thickness(world, id));
            -contact.gap / a.min(b)
        };
        let contacts = step.contact_forces(step.warm_start());
        let new = |contact: &&ContactForce| {
            let [a, b] = contact.bodies.map(is_added);
            a != b && share(contact) > OVERLAP
        };
        let worst = contacts.iter().filter(new);
        let worst = worst.max_by(|a, b| share(a).total_cmp(&share(b)));
        let Some(contact) = worst else {
            return Ok(());
        };
        let [a, b] = contact.bodies;
        let [added, other] = if is_added(a) { [a, b] } else { [b, a] };
        let place = &self.scene.model().bodies[added.index()].place;
        let words = format!(
            "`{}` is added where `{}` of the run is: they overlap by {} m, {:.0} % of the thinner \
             one; expected at most {:.0} %",
            world.name(added),
            world.name(other),
            rounded(-contact.gap),
            100.0 * share(contact),
            100.0 * OVERLAP
        );
        Err(self.scene.error_at(place, words))
    }

    fn check_joints(&self, world: &World) -> Result<(), SceneError> {
        let thinnest = world.ids().map(|id| thickness(world, id));
        let thinnest = thinnest.fold(f64::INFINITY, f64::min);
        let most = MOST_MISFIT.min(MISFIT * thinnest);
        for (id, spec) in world.joints().zip(&self.scene.model().joints) {
            let error = world.joint_error(id);
            if !world.is_joint_enabled(id) || error <= most {
                continue;
            }
            let words = format!(
                "the joint `{}` does not fit the bodies as the run left them: it is off by {} m \
                 or rad; expected at most {}",
                spec.name,
                rounded(error),
                rounded(most)
            );
            return Err(self.scene.error_at(&spec.place, words));
        }
        Ok(())
    }
}

/// Shortest side of a moving body's box, m; infinite for one that no force moves.
fn thickness(world: &World, id: BodyId) -> f64 {
    match world.kind(id) {
        BodyKind::Dynamic => {
            let extent = world.shape(id).aabb(&Pose::IDENTITY).extent();
            extent.min_element()
        }
        BodyKind::Fixed | BodyKind::Prescribed => f64::INFINITY,
    }
}

/// With three digits.
fn rounded(value: f64) -> Number {
    Number(format!("{value:.2e}").parse().unwrap_or(value))
}
