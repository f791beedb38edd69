//! Looking for the contacts of a step, across periodic boundaries too.
//!
//! A contact must be known before it is closed: surfaces that are missing from the problem go
//! through each other for one step. So the search takes in all pairs that can meet within the step
//! at the velocities given, and beyond that an envelope for what changes those velocities.

use drystone_collide::{Contact, DetectTimes, Detector, Object, Shape};

use glam::DVec3;

use crate::body::Touch;
use crate::motion::Velocity;
use crate::periodic::{self, Images};
use crate::report::StepTimes;
use crate::sleep::SleepRecords;
use crate::world::World;

/// Work memory of looking for contacts.
#[derive(Default)]
pub(crate) struct Search {
    detector: Detector,
    images: Images,
}

impl Search {
    /// Finds the contacts that are closer than the envelope, or that close within the step at the
    /// velocities given. Only `pairs` are looked at, and only contacts to `keep` are kept.
    pub fn look(
        &mut self,
        world: &World,
        sleepers: &SleepRecords,
        velocities: &[Velocity],
        (pairs, keep): (
            impl Fn(u32, u32) -> bool + Sync,
            impl Fn(&Contact) -> bool + Sync,
        ),
        out: &mut Vec<Contact>,
        times: &mut StepTimes,
    ) {
        let World {
            bodies, settings, ..
        } = world;
        let h = settings.time_step;
        let envelope = world.envelope().max(world.materials.longest_range());
        let object = |body: usize| {
            let velocity = &velocities[body];
            Object {
                // Reaches of a pair add up, so half of the envelope is enough for each.
                reach: 0.5 * envelope + h * turning(&bodies.shapes[body], velocity),
                shift: h * velocity.linear,
                ..self::object(world, body)
            }
        };
        // Contacts that part need no room to travel.
        let near =
            |c: &Contact| c.gap <= envelope + h * closing(c, world, velocities).max(0.0) && keep(c);
        let given = (velocities, sleepers);
        self.find(world, given, object, (pairs, near), out, times);
    }

    /// The contacts among `object`s that move at the velocities given, wherever these objects are.
    /// Only `pairs` are looked at, and only contacts to `keep` are kept.
    pub fn find<'a>(
        &mut self,
        world: &World,
        (velocities, sleepers): (&[Velocity], &SleepRecords),
        object: impl Fn(usize) -> Object<'a> + Sync,
        (pairs, keep): (
            impl Fn(u32, u32) -> bool + Sync,
            impl Fn(&Contact) -> bool + Sync,
        ),
        out: &mut Vec<Contact>,
        times: &mut StepTimes,
    ) {
        let World {
            bodies,
            settings,
            mechanism,
            ..
        } = world;
        let moves = |body: u32| {
            let body = body as usize;
            sleepers.is_unknown(bodies, body) || velocities[body] != Velocity::default()
        };
        let free = |body: u32| bodies.is_free(body as usize);
        let wanted = |a: u32, b: u32| {
            let apart = !(bodies.may_touch(a, b) && mechanism.lets_touch(a, b));
            (free(a) || free(b)) && (moves(a) || moves(b)) && !apart && pairs(a, b)
        };
        let found = if settings.periodic.is_on() {
            let (images, count) = (&mut self.images, bodies.len());
            images.prepare(&settings.periodic, count, &object);
            self.detect_images(object, wanted, keep, out)
        } else {
            self.detector
                .detect(bodies.len(), object, wanted, keep, out)
        };
        times.broad += found.broad;
        times.narrow += found.narrow;
    }

    /// The same among homes and ghosts, with the contacts as those of their bodies.
    fn detect_images<'a>(
        &mut self,
        object: impl Fn(usize) -> Object<'a> + Sync,
        wanted: impl Fn(u32, u32) -> bool + Sync,
        near: impl Fn(&Contact) -> bool + Sync,
        out: &mut Vec<Contact>,
    ) -> DetectTimes {
        let Self { detector, images } = self;
        let image = |index: usize| {
            let (body, shift) = images.body(index);
            let mut object = object(body);
            object.pose.position += shift;
            object
        };
        let wanted = |a: u32, b: u32| {
            let [i, j] = [a, b].map(|index| images.body(index as usize).0 as u32);
            wanted(i.min(j), i.max(j)) && images.is_chosen(a, b)
        };
        let near = |c: &Contact| near(&images.contact_of_bodies(c));
        let found = detector.detect(images.len(), image, wanted, near, out);
        for contact in out.iter_mut() {
            *contact = images.contact_of_bodies(contact);
        }
        // Several images of a pair may give the same contact: one of them stays.
        out.sort_by_key(|contact| contact.id);
        out.dedup_by_key(|contact| contact.id);
        found
    }

    /// Candidate pairs of the last search.
    pub fn pairs(&self) -> usize {
        self.detector.pairs().len()
    }
}

/// A body as the search sees it, with neither reach nor motion.
pub(crate) fn object(world: &World, body: usize) -> Object<'_> {
    let (bodies, periodic) = (&world.bodies, &world.settings.periodic);
    let shape = &bodies.shapes[body];
    Object {
        shape,
        pose: periodic::home(periodic, shape, bodies.pose(body)),
        reach: 0.0,
        shift: DVec3::ZERO,
        active: bodies.enabled[body] && bodies.touch(body) != Touch::Nothing,
    }
}

/// Speed at which turning moves the surface of a body, m/s. That of a sphere does not move. A plane
/// has no finite radius; where it turns, the envelope must do.
pub(crate) fn turning(shape: &Shape, velocity: &Velocity) -> f64 {
    let radius = shape.radius_about_origin();
    match shape {
        Shape::Sphere { .. } => 0.0,
        _ if radius.is_finite() => radius * velocity.angular.length(),
        _ => 0.0,
    }
}

/// Speed at which the surfaces of a contact come closer, m/s.
pub(crate) fn closing(contact: &Contact, world: &World, velocities: &[Velocity]) -> f64 {
    let [a, b] = contact.id.objects.map(|o| o as usize);
    let (states, periodic) = (&world.bodies.states, &world.settings.periodic);
    let at = |body: usize| {
        let arm = periodic.shortest(contact.point - states[body].position);
        velocities[body].at(arm)
    };
    -contact.normal.dot(at(b) - at(a))
}
