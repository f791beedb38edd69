//! How far bodies travel in one step.
//!
//! A body that passes its own thickness in one step may be on the other side of what it should have
//! touched, or deep inside of it.

use drystone::{BodyId, Shape, Touch, World};
use glam::DVec3;

use super::thickness;

/// A body that may travel far in a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Travel {
    /// Its name.
    pub body: String,
    /// Speed that it has at the start, or may gain by falling, m/s.
    pub speed: f64,
    /// Height of that fall, m; none where it is that fast from the start.
    pub fall: Option<f64>,
    /// Way in one step, m.
    pub way: f64,
    /// Its thickness, m.
    pub thickness: f64,
}

impl Travel {
    /// Way over thickness.
    pub fn share(&self) -> f64 {
        self.way / self.thickness
    }
}

/// The body that may travel farthest in one step for its thickness. A fall ends at the lowest point
/// of what stands in the way of gravity, or with the run; `end_time` in s where it is known.
pub fn farthest_travel(world: &World, end_time: Option<f64>) -> Option<Travel> {
    let gravity = world.settings().gravity;
    let strength = gravity.length();
    let down = gravity.try_normalize().unwrap_or(DVec3::ZERO);
    let floor = floor(world, down);
    let travel = |body: BodyId| {
        let thickness = thickness(world, body)?;
        let start = world.body_state(body).velocity.length();
        let height = world.pose(body).position.dot(down);
        let fall = (floor? - height).max(0.0);
        let longest = end_time.unwrap_or(f64::INFINITY);
        let gained = (2.0 * strength * fall).sqrt().min(strength * longest);
        let (speed, fall) = match gained > start {
            true => (gained, Some(fall)),
            false => (start, None),
        };
        Some(Travel {
            body: world.name(body),
            speed,
            fall,
            way: speed * world.settings().time_step,
            thickness,
        })
    };
    let enabled = world.ids().filter(|b| world.is_enabled(*b));
    let all = enabled.filter_map(travel).filter(|t| t.share().is_finite());
    all.max_by(|a, b| a.share().total_cmp(&b.share()))
}

/// How far down things reach, along gravity's direction: the lowest point that a body can fall to.
fn floor(world: &World, down: DVec3) -> Option<f64> {
    let reach = |body: BodyId| {
        let pose = world.pose(body);
        match world.shape(body) {
            // A plane that faces up stops falls; one that stands does not.
            Shape::Plane => {
                let facing = pose.rotation * DVec3::Z;
                (facing.dot(down) < -0.5).then(|| pose.position.dot(down))
            }
            shape => {
                let bounds = shape.aabb(&pose);
                let (center, half) = (bounds.center(), 0.5 * bounds.extent());
                Some(center.dot(down) + half.dot(down.abs()))
            }
        }
    };
    let solid = |body: &BodyId| world.is_enabled(*body) && world.touch(*body) != Touch::Nothing;
    let all = world.ids().filter(solid).filter_map(reach);
    all.filter(|reach| reach.is_finite()).reduce(f64::max)
}
