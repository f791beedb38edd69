//! Periodic boundaries: what leaves the domain on one side is there again on the other.
//!
//! Positions are never wrapped in the state, so that displacements and joints stay whole. Contacts
//! are looked for among images: every body small enough to have some is taken into the domain, its
//! *home*, and where it sticks out also to the other sides, as *ghosts*. A body whose diameter is
//! half the domain or more has no images: a floor, a wall, a plane.

use drystone_collide::{Aabb, Contact, ContactId, Object, Pose, Shape};
use glam::DVec3;

use crate::error::WorldError;

/// A domain that repeats itself along some axes.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Periodic {
    /// Lower and upper end of the domain along x, y and z, m; `None` where it does not repeat.
    pub axes: [Option<[f64; 2]>; 3],
}

impl Periodic {
    /// Repeats along no axis.
    pub const NONE: Self = Self { axes: [None; 3] };

    /// Whether it repeats along any axis.
    pub fn is_on(&self) -> bool {
        self.axes.iter().any(Option::is_some)
    }

    /// Says which ends are out of order, if any.
    pub(crate) fn check(&self) -> Result<(), WorldError> {
        for [lower, upper] in self.axes.iter().flatten() {
            if !(lower.is_finite() && upper.is_finite() && lower < upper) {
                return Err(WorldError::Setting {
                    what: "length of the periodic domain",
                    value: upper - lower,
                    expected: "a finite number > 0",
                });
            }
        }
        Ok(())
    }

    /// A vector between two places, the shortest of all between their images.
    pub fn shortest(&self, vector: DVec3) -> DVec3 {
        let mut shortest = vector;
        for (axis, ends) in self.axes.iter().enumerate() {
            if let Some([lower, upper]) = ends {
                let length = upper - lower;
                shortest[axis] -= length * (vector[axis] / length).round();
            }
        }
        shortest
    }

    /// The image of a point in the domain.
    pub fn wrap(&self, point: DVec3) -> DVec3 {
        let mut wrapped = point;
        for (axis, ends) in self.axes.iter().enumerate() {
            if let Some([lower, upper]) = ends {
                let length = upper - lower;
                wrapped[axis] -= length * ((point[axis] - lower) / length).floor();
            }
        }
        wrapped
    }

    /// Whether a shape is small enough to have images along every periodic axis.
    pub(crate) fn has_images(&self, shape: &Shape) -> bool {
        let reach = 2.0 * shape.radius_about_origin();
        let mut lengths = self.axes.iter().flatten().map(|[l, u]| u - l);
        lengths.all(|length| 2.0 * reach < length)
    }
}

impl Periodic {
    /// Whether a box reaches across the whole domain along every periodic axis: wherever a small
    /// body's home is, it meets what fills such a box, so that this needs no images.
    pub(crate) fn is_spanned_by(&self, bounds: &Aabb) -> bool {
        let extent = bounds.extent().to_array();
        let axes = self.axes.iter().zip(extent);
        // A plate as wide as the domain is one, however its width was rounded.
        axes.filter_map(|(ends, extent)| Some((ends.as_ref()?, extent)))
            .all(|([lower, upper], extent)| extent >= (1.0 - 1e-9) * (upper - lower))
    }
}

/// Images of the bodies of a step.
#[derive(Default)]
pub(crate) struct Images {
    ghosts: Vec<Ghost>,
    /// Which ghosts each body has, one bit for each direction.
    codes: Vec<u32>,
}

struct Ghost {
    body: u32,
    shift: DVec3,
    code: u32,
}

impl Images {
    /// Finds the ghosts of bodies that stick out of the domain.
    pub fn prepare<'a>(
        &mut self,
        periodic: &Periodic,
        count: usize,
        object: impl Fn(usize) -> Object<'a>,
    ) {
        self.ghosts.clear();
        self.codes.clear();
        self.codes.resize(count, 0);
        for body in 0..count {
            let home = object(body);
            if !home.active || !periodic.has_images(home.shape) {
                continue;
            }
            // As far as the detector looks for others.
            let reach = home.reach + home.shift.length();
            let bounds = home.shape.aabb(&home.pose).grown(reach);
            self.add_ghosts(periodic, body as u32, &bounds);
        }
    }

    fn add_ghosts(&mut self, periodic: &Periodic, body: u32, bounds: &Aabb) {
        // Along each axis: not at all, one domain up, one domain down.
        let mut steps = [[Some(0.0), None, None]; 3];
        for (axis, ends) in periodic.axes.iter().enumerate() {
            if let Some([lower, upper]) = ends {
                let length = upper - lower;
                steps[axis][1] = (bounds.min[axis] < *lower).then_some(length);
                steps[axis][2] = (bounds.max[axis] > *upper).then_some(-length);
            }
        }
        for code in 1..27_u32 {
            let digits = [code % 3, code / 3 % 3, code / 9];
            let parts = [0, 1, 2].map(|axis| steps[axis][digits[axis] as usize]);
            if let [Some(x), Some(y), Some(z)] = parts {
                let shift = DVec3::new(x, y, z);
                self.ghosts.push(Ghost { body, shift, code });
                self.codes[body as usize] |= 1 << code;
            }
        }
    }

    /// Homes and ghosts together.
    pub fn len(&self) -> usize {
        self.codes.len() + self.ghosts.len()
    }

    /// The body of an image, and how far it lies from its home.
    pub fn body(&self, image: usize) -> (usize, DVec3) {
        match image.checked_sub(self.codes.len()) {
            None => (image, DVec3::ZERO),
            Some(ghost) => (self.ghosts[ghost].body as usize, self.ghosts[ghost].shift),
        }
    }

    /// Whether a pair of images, the smaller first, is the one by which the contact of its bodies
    /// is found.
    pub fn is_chosen(&self, a: u32, b: u32) -> bool {
        let homes = self.codes.len();
        let (a, b) = (a as usize, b as usize);
        let Some(ghost) = b.checked_sub(homes).map(|g| &self.ghosts[g]) else {
            return true;
        };
        if let Some(other) = a.checked_sub(homes).map(|g| &self.ghosts[g]) {
            return self.needs_both(other, ghost);
        }
        if ghost.body as usize == a {
            return false; // a body and itself
        }
        // The first body may have a ghost beside the second one's home: the same contact again.
        let opposite = 1 << opposite(ghost.code);
        a < ghost.body as usize || self.codes[a] & opposite == 0
    }

    /// Whether two bodies meet only by these ghosts. Across a corner of the domain that happens: where
    /// one body sticks out along one axis and the other along another, neither has a ghost beside the
    /// other's home.
    fn needs_both(&self, a: &Ghost, b: &Ghost) -> bool {
        let apart = from_to(a.code, b.code);
        let has = |ghost: &Ghost, code: u32| self.codes[ghost.body as usize] & (1 << code) != 0;
        let elsewhere = apart == 0 || has(b, apart) || has(a, opposite(apart));
        a.body != b.body && !elsewhere
    }

    /// The contact between two images as one between their bodies.
    pub fn contact_of_bodies(&self, contact: &Contact) -> Contact {
        let [a, b] = contact.id.objects.map(|o| self.body(o as usize).0 as u32);
        let (objects, normal) = if a <= b {
            ([a, b], contact.normal)
        } else {
            ([b, a], -contact.normal)
        };
        let feature = contact.id.feature;
        Contact {
            id: ContactId { objects, feature },
            normal,
            ..*contact
        }
    }
}

/// The code of the ghost on the other side.
fn opposite(code: u32) -> u32 {
    from_to(code, 0)
}

/// The code of the shift that takes one ghost's shift to the other's, one domain along each axis at
/// most. Ghosts on opposite sides are two domains apart and never meet.
fn from_to(from: u32, to: u32) -> u32 {
    let step = |place: u32| (to / place % 3 + 3 - from / place % 3) % 3;
    [1, 3, 9].map(|place| place * step(place)).iter().sum()
}

/// A pose moved into the domain where its shape has images.
pub(crate) fn home(periodic: &Periodic, shape: &Shape, pose: Pose) -> Pose {
    if !periodic.is_on() || !periodic.has_images(shape) {
        return pose;
    }
    Pose {
        position: periodic.wrap(pose.position),
        ..pose
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposite_codes_are_opposite_shifts() {
        assert_eq!(
            [1, 2, 3, 6, 4, 8, 5, 7].map(opposite),
            [2, 1, 6, 3, 8, 4, 7, 5]
        );
        assert!((1..27).all(|code| opposite(opposite(code)) == code));
        // From one up along x to one down along y: one down along both.
        assert_eq!(from_to(1, 6), 8);
        assert!((0..27).all(|code| from_to(code, code) == 0 && from_to(0, code) == code));
    }

    #[test]
    fn points_are_wrapped_and_vectors_shortened() {
        let periodic = Periodic {
            axes: [Some([-1.0, 2.0]), None, Some([0.0, 1.0])],
        };
        let point = periodic.wrap(DVec3::new(-1.5, 7.0, 3.25));
        assert_eq!(point, DVec3::new(1.5, 7.0, 0.25));
        let vector = periodic.shortest(DVec3::new(2.5, 9.0, -0.75));
        assert_eq!(vector, DVec3::new(-0.5, 9.0, 0.25));
    }
}
