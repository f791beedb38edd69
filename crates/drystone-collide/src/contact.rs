//! A contact point and its identity.

use glam::DVec3;

/// What stays the same while a contact persists from one step to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContactId {
    /// The two objects, the smaller index first.
    pub objects: [u32; 2],
    /// Which point of the pair. It is made from the parts, faces and edges that touch, so that
    /// small motions do not change it.
    pub feature: u64,
}

/// One contact point between two objects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Its identity; `id.objects` names the objects.
    pub id: ContactId,
    /// Unit normal in the world, from the first object to the second.
    pub normal: DVec3,
    /// World point midway between the two surfaces, m.
    pub point: DVec3,
    /// Distance of the surfaces along the normal, m; negative where they overlap.
    pub gap: f64,
}
