//! Bodies that grains must keep clear of.

use drystone::{Aabb, BodyId, Pose, Shape, Touch, World};
use drystone_collide::narrow::{Scratch, contacts};
use glam::DVec3;

/// The bodies of a world that grains must keep clear of.
pub(super) struct Solids<'w> {
    world: &'w World,
    bodies: Vec<(BodyId, Aabb, Pose)>,
}

impl<'w> Solids<'w> {
    /// The first `count` bodies: those that are not grains. What touches nothing is in no grain's
    /// way.
    pub fn new(world: &'w World, count: usize) -> Self {
        let solid = |b: &BodyId| world.is_enabled(*b) && world.touch(*b) != Touch::Nothing;
        let bodies = world.ids().take(count).filter(solid);
        let bodies = bodies.map(|body| {
            let pose = world.pose(body);
            (body, world.shape(body).aabb(&pose), pose)
        });
        Self {
            world,
            bodies: bodies.collect(),
        }
    }

    pub fn is_free(&self, center: DVec3, radius: f64) -> bool {
        let ball = Shape::Sphere { radius };
        let pose = Pose::at(center);
        let bounds = ball.aabb(&pose);
        // Grains that just touch are free.
        let margin = -1e-9 * radius;
        let mut points = Vec::new();
        self.bodies
            .iter()
            .filter(|(_, aabb, _)| aabb.overlaps(&bounds))
            .all(|(body, _, at)| {
                let solid = (self.world.shape(*body), at);
                contacts(
                    solid,
                    (&ball, &pose),
                    margin,
                    &mut Scratch::default(),
                    &mut points,
                );
                points.is_empty()
            })
    }
}
