//! A region in a frame of its own, and how it goes on above its top.

use std::f64::consts::PI;

use drystone::Pose;
use glam::{DQuat, DVec3};

use super::region::{Region, frustum_volume};

/// Balls may stand out by this share of the extent: room for rounding.
const SLACK: f64 = 1e-13;

/// The inside of a region, with bottom and top along the frame's z.
#[derive(Clone, Copy)]
pub(super) struct Space {
    /// `world_from_local`.
    pub frame: Pose,
    /// Lower corner of its box in the frame.
    pub low: DVec3,
    /// Upper corner.
    pub high: DVec3,
    wall: Wall,
    slack: f64,
}

#[derive(Clone, Copy)]
enum Wall {
    /// The box itself.
    Flat,
    Cylinder {
        radius: f64,
    },
    Ball {
        radius: f64,
    },
    /// A cone from `bottom` at 0 to `top` at `height`; above, a cylinder of `top`.
    Cone {
        bottom: f64,
        top: f64,
        height: f64,
    },
}

impl Space {
    pub(super) fn of(region: &Region) -> Self {
        let upright = |base: DVec3, axis: DVec3, wide: f64, height: f64, wall| {
            let frame = Pose {
                position: base,
                rotation: DQuat::from_rotation_arc(DVec3::Z, axis.normalize_or(DVec3::Z)),
            };
            let low = DVec3::new(-wide, -wide, 0.0);
            Self::new(frame, low, DVec3::new(wide, wide, height), wall)
        };
        match *region {
            Region::Box { min, max } => {
                Self::new(Pose::at(min), DVec3::ZERO, max - min, Wall::Flat)
            }
            Region::Cylinder {
                base,
                axis,
                radius,
                height,
            } => upright(base, axis, radius, height, Wall::Cylinder { radius }),
            Region::Sphere { center, radius } => {
                let corner = DVec3::splat(radius);
                Self::new(Pose::at(center), -corner, corner, Wall::Ball { radius })
            }
            Region::Frustum {
                base,
                axis,
                bottom_radius: bottom,
                top_radius: top,
                height,
            } => {
                let wall = Wall::Cone {
                    bottom,
                    top,
                    height,
                };
                upright(base, axis, bottom.max(top), height, wall)
            }
        }
    }

    fn new(frame: Pose, low: DVec3, high: DVec3, wall: Wall) -> Self {
        let slack = SLACK * (high - low).max_element();
        Self {
            frame,
            low,
            high,
            wall,
            slack,
        }
    }

    /// Whether it can go on above its top: bottom below, and no lid.
    pub(super) fn is_open(&self) -> bool {
        let upright = (self.frame.rotation * DVec3::Z).z > 1.0 - 1e-12;
        match self.wall {
            Wall::Flat => true,
            Wall::Cylinder { .. } | Wall::Cone { .. } => upright,
            Wall::Ball { .. } => false,
        }
    }

    /// The same with another height: cut off, or going on straight upwards.
    pub(super) fn with_height(mut self, height: f64) -> Self {
        self.high.z = self.low.z + height;
        self
    }

    /// Volume, m³; of balls whole.
    pub(super) fn volume(&self) -> f64 {
        let size = self.high - self.low;
        match self.wall {
            Wall::Flat => size.element_product(),
            Wall::Cylinder { radius } => PI * radius * radius * size.z,
            Wall::Ball { radius } => 4.0 / 3.0 * PI * radius.powi(3),
            Wall::Cone {
                bottom,
                top,
                height,
            } => {
                let below = size.z.min(height);
                let brim = bottom + (top - bottom) * (below / height);
                frustum_volume(bottom, brim, below) + PI * top * top * (size.z - below)
            }
        }
    }

    /// Whether a ball lies inside.
    pub(super) fn holds(&self, center: DVec3, radius: f64) -> bool {
        let room = radius - self.slack;
        let above = center - self.low;
        let below = self.high - center;
        let wide = center.truncate().length();
        let fits = match self.wall {
            Wall::Flat => above.min(below).truncate().min_element() >= room,
            Wall::Cylinder { radius } => radius - wide >= room,
            Wall::Ball { radius } => radius - center.length() >= room,
            Wall::Cone {
                bottom,
                top,
                height,
            } => {
                let slant = (top - bottom) / height;
                let cosine = 1.0 / slant.hypot(1.0);
                let to_cone = (bottom + slant * center.z - wide) * cosine >= room;
                let to_cylinder = top - wide >= room;
                // A widening cone and the cylinder above bound a convex space: both count
                // everywhere. In a narrowing one, balls that reach above the brim stay within the
                // cylinder, which is on the safe side.
                if top >= bottom {
                    to_cone && to_cylinder
                } else if center.z + radius <= height {
                    to_cone
                } else if self.high.z > height {
                    to_cylinder
                } else {
                    to_cone && below.z >= room
                }
            }
        };
        fits && above.z >= room && below.z >= room
    }

    /// A box, by lower corner and edges, that holds the centres of all balls of a radius inside:
    /// the tighter, the fewer are drawn in vain.
    pub(super) fn centers(&self, radius: f64) -> (DVec3, DVec3) {
        let mut low = self.low + radius;
        let mut high = self.high - radius;
        if let Wall::Cone {
            bottom,
            top,
            height,
        } = self.wall
        {
            let slant = (top - bottom) / height;
            let needed = radius * slant.hypot(1.0);
            let tall = self.high.z > height;
            let reach = |z: f64| bottom + slant * z - needed;
            let wide = if slant > 0.0 {
                low.z = low.z.max((needed - bottom) / slant);
                reach(high.z).min(top - radius)
            } else if tall {
                reach(low.z).max(top - radius)
            } else {
                // A cylinder has no tip.
                if slant < 0.0 {
                    high.z = high.z.min((needed - bottom) / slant);
                }
                reach(low.z)
            };
            (low.x, low.y) = (-wide, -wide);
            (high.x, high.y) = (wide, wide);
        }
        (low, (high - low).max(DVec3::ZERO))
    }

    /// Radius of the largest ball inside.
    pub(super) fn room(&self) -> f64 {
        let size = self.high - self.low;
        match self.wall {
            Wall::Flat => 0.5 * size.min_element(),
            Wall::Cylinder { radius } => radius.min(0.5 * size.z),
            Wall::Ball { radius } => radius,
            Wall::Cone {
                bottom,
                top,
                height,
            } if top >= bottom || size.z <= height => {
                let slant = (top - bottom) / height;
                let cosine = 1.0 / slant.hypot(1.0);
                let ball_at = |z: f64| {
                    let to_wall = (bottom + slant * z) * cosine;
                    let to_cylinder = if size.z > height { top } else { f64::INFINITY };
                    z.min(size.z - z).min(to_wall).min(to_cylinder)
                };
                // The least of straight lines over z is greatest where two of them cross.
                let crossings = [
                    0.5 * size.z,
                    bottom * cosine / (1.0 - slant * cosine),
                    (size.z - bottom * cosine) / (1.0 + slant * cosine),
                    (top / cosine - bottom) / slant,
                    top,
                    size.z - top,
                ];
                let inside = crossings.into_iter().filter(|z| z.is_finite());
                inside.map(ball_at).fold(0.0, f64::max)
            }
            // A cylinder that stands in a narrowing cone reaches from the bottom to the top.
            Wall::Cone { top, height, .. } => {
                let below = self.with_height(height).room();
                below.max(top.min(0.5 * size.z))
            }
        }
    }
}
