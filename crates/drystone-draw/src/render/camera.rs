//! From where a picture is seen, and the rays from there.

use glam::DVec3;

use super::RenderError;
use super::shape::Ray;

/// A box along the axes, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lower corner.
    pub min: DVec3,
    /// Upper corner.
    pub max: DVec3,
}

impl Bounds {
    /// Around nothing.
    pub const EMPTY: Self = Self {
        min: DVec3::INFINITY,
        max: DVec3::NEG_INFINITY,
    };

    /// Around points.
    pub fn of(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |all, p| Self {
            min: all.min.min(p),
            max: all.max.max(p),
        })
    }

    /// Around both.
    pub fn union(&self, other: &Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        !self.min.cmple(self.max).all()
    }

    /// Its middle.
    pub fn center(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }

    /// Half its diagonal; 0 if nothing is in it.
    pub fn radius(&self) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        0.5 * (self.max - self.min).length()
    }

    /// Its surface, m².
    pub fn area(&self) -> f64 {
        let size = self.max - self.min;
        2.0 * (size.x * size.y + size.y * size.z + size.z * size.x)
    }

    /// Its corners.
    pub fn corners(&self) -> [DVec3; 8] {
        let ends = [self.min, self.max];
        [0, 1, 2, 3, 4, 5, 6, 7]
            .map(|k: usize| DVec3::new(ends[k & 1].x, ends[(k >> 1) & 1].y, ends[k >> 2].z))
    }

    /// The same, moved.
    pub fn moved(&self, by: DVec3) -> Self {
        Self {
            min: self.min + by,
            max: self.max + by,
        }
    }
}

/// How depth is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// As an eye sees.
    Perspective {
        /// Angle between the upper and the lower edge of the picture, rad.
        field_of_view: f64,
    },
    /// Parallel lines stay parallel and lengths true.
    Orthographic {
        /// What the picture's height shows, m.
        height: f64,
    },
}

/// From where a picture is seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it is, m.
    pub position: DVec3,
    /// What is in the middle of the picture, m.
    pub target: DVec3,
    /// What points up in the picture, more or less.
    pub up: DVec3,
    /// How depth is drawn.
    pub projection: Projection,
}

/// Share of the picture's size left free at each side when the camera frames something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margin {
    /// Left.
    pub left: f64,
    /// Right, where a legend may stand.
    pub right: f64,
    /// Above.
    pub top: f64,
    /// Below.
    pub bottom: f64,
}

impl Default for Margin {
    fn default() -> Self {
        Self {
            left: 0.08,
            right: 0.08,
            top: 0.1,
            bottom: 0.1,
        }
    }
}

impl Margin {
    /// With room for a legend at the right.
    pub fn beside_legend() -> Self {
        Self {
            right: 0.17,
            ..Self::default()
        }
    }
}

impl Camera {
    /// [`Camera::fit_within`] the usual margins.
    #[cfg(test)]
    pub fn fit(
        bounds: &Bounds,
        direction: DVec3,
        up: DVec3,
        field_of_view: f64,
        aspect: f64,
    ) -> Self {
        Self::fit_within(
            bounds,
            direction,
            up,
            field_of_view,
            aspect,
            Margin::default(),
        )
    }

    /// The nearest camera that looks along `direction` and has all of `bounds` in its picture, `aspect` times as wide as
    /// high. Nothing to see counts as one cubic metre at the origin, and a point as a micrometre.
    pub fn fit_within(
        bounds: &Bounds,
        direction: DVec3,
        up: DVec3,
        field_of_view: f64,
        aspect: f64,
        margin: Margin,
    ) -> Self {
        let bounds = seen(bounds);
        let axes = Axes::new(direction, up);
        let vertical = (0.5 * field_of_view).tan();
        let horizontal = vertical * aspect;
        // Tangents of the angles at which something is still inside the margins.
        let [left, right] = [margin.left, margin.right].map(|m| horizontal * (1.0 - 2.0 * m));
        let [top, bottom] = [margin.top, margin.bottom].map(|m| vertical * (1.0 - 2.0 * m));
        let corners = bounds.corners();
        let (across, back) = place(&corners, axes.right, axes.forward, right, left);
        let (along, behind) = place(&corners, axes.up, axes.forward, top, bottom);
        // The deeper of the two needs leaves the other direction some room, shared between both sides.
        let depth = back.min(behind);
        let position = axes.right * across(depth) + axes.up * along(depth) + axes.forward * depth;
        let distance = (bounds.center() - position).dot(axes.forward);
        Self {
            position,
            target: position + axes.forward * distance,
            up: axes.up,
            projection: Projection::Perspective { field_of_view },
        }
    }

    /// The camera with the same picture at the target's depth and parallel rays.
    pub fn orthographic(self) -> Self {
        match self.projection {
            Projection::Perspective { field_of_view } => {
                let distance = self.position.distance(self.target);
                let height = 2.0 * distance * (0.5 * field_of_view).tan();
                Self {
                    projection: Projection::Orthographic { height },
                    ..self
                }
            }
            Projection::Orthographic { .. } => self,
        }
    }

    /// Metres per pixel at the target's depth.
    pub fn pixel_at_target(&self, height: u32) -> f64 {
        let shown = match self.projection {
            Projection::Perspective { field_of_view } => {
                2.0 * self.position.distance(self.target) * (0.5 * field_of_view).tan()
            }
            Projection::Orthographic { height } => height,
        };
        shown / f64::from(height.max(1))
    }

    /// What is wrong with it, if anything.
    pub fn check(&self) -> Result<(), RenderError> {
        let wrong = |what: String| Err(RenderError::Camera(what));
        if !(self.position.is_finite() && self.target.is_finite() && self.up.is_finite()) {
            return wrong("position, target and up must be finite".to_owned());
        }
        if self.position == self.target {
            return wrong(format!(
                "position and target are the same point, {}",
                self.target
            ));
        }
        match self.projection {
            Projection::Perspective { field_of_view: v } if !(v > 0.0 && v < 3.1) => {
                let degrees = v.to_degrees();
                wrong(format!(
                    "field of view {degrees}° is not between 0 and 177°"
                ))
            }
            Projection::Orthographic { height: v } if !(v.is_finite() && v > 0.0) => {
                wrong(format!("height {v} m is not a finite number > 0"))
            }
            Projection::Perspective { .. } | Projection::Orthographic { .. } => Ok(()),
        }
    }
}

/// Something to frame, whatever is given.
fn seen(bounds: &Bounds) -> Bounds {
    let sound = !bounds.is_empty() && bounds.min.is_finite() && bounds.max.is_finite();
    let bounds = if sound {
        *bounds
    } else {
        Bounds {
            min: DVec3::splat(-0.5),
            max: DVec3::splat(0.5),
        }
    };
    let grown = (5e-7 - bounds.radius()).max(0.0);
    Bounds {
        min: bounds.min - DVec3::splat(grown),
        max: bounds.max + DVec3::splat(grown),
    }
}

/// Along one axis of the picture: where the camera must be as a function of its depth, and the greatest depth at which
/// all points are between the angles of tangents `high` and `low`.
fn place(
    points: &[DVec3],
    axis: DVec3,
    forward: DVec3,
    high: f64,
    low: f64,
) -> (impl Fn(f64) -> f64, f64) {
    // A point p is inside for a camera c if (p - c)·axis <= high (p - c)·forward, and likewise below.
    let most = |sign: f64, tangent: f64| {
        points
            .iter()
            .map(|p| sign * p.dot(axis) - tangent * p.dot(forward))
            .fold(f64::NEG_INFINITY, f64::max)
    };
    let (above, below) = (most(1.0, high), most(-1.0, low));
    let depth = -(above + below) / (high + low);
    let middle = move |depth: f64| 0.5 * ((above + high * depth) - (below + low * depth));
    (middle, depth)
}

/// Right, up and forward of a camera.
#[derive(Clone, Copy, Debug)]
pub struct Axes {
    /// To the right edge of the picture.
    pub right: DVec3,
    /// To its upper edge.
    pub up: DVec3,
    /// Into it.
    pub forward: DVec3,
}

impl Axes {
    /// The axes of a view along `forward`; where `up` points the same way, another direction is taken for it.
    pub fn new(forward: DVec3, up: DVec3) -> Self {
        let forward = forward.try_normalize().unwrap_or(DVec3::Y);
        let across = |up: DVec3| forward.cross(up.normalize_or_zero());
        let right = [up, DVec3::Y, DVec3::Z, DVec3::X]
            .into_iter()
            .map(across)
            .find(|r| r.length() > 1e-6)
            .map_or(DVec3::X, DVec3::normalize);
        Self {
            right,
            up: right.cross(forward),
            forward,
        }
    }
}

/// A camera ready to send out rays. Its frame has the camera's target as origin.
#[derive(Clone, Copy, Debug)]
pub struct Eye {
    /// Where it is.
    pub position: DVec3,
    /// Its axes.
    pub axes: Axes,
    /// Half the picture's height: in metres, or as a tangent in perspective.
    half: f64,
    perspective: bool,
    size: [f64; 2],
}

impl Eye {
    /// The eye of a camera for a picture of the given size, px.
    pub fn new(camera: &Camera, width: u32, height: u32) -> Self {
        let (half, perspective) = match camera.projection {
            Projection::Perspective { field_of_view } => ((0.5 * field_of_view).tan(), true),
            Projection::Orthographic { height } => (0.5 * height, false),
        };
        Self {
            position: camera.position - camera.target,
            axes: Axes::new(camera.target - camera.position, camera.up),
            half,
            perspective,
            size: [f64::from(width), f64::from(height)],
        }
    }

    /// The ray through a point of the picture, px from its upper left corner.
    pub fn ray(&self, x: f64, y: f64) -> Ray {
        let [width, height] = self.size;
        let across = self.half * (2.0 * x - width) / height;
        let along = self.half * (height - 2.0 * y) / height;
        let off = across * self.axes.right + along * self.axes.up;
        if self.perspective {
            Ray {
                origin: self.position,
                direction: (self.axes.forward + off).normalize(),
            }
        } else {
            Ray {
                origin: self.position + off,
                direction: self.axes.forward,
            }
        }
    }

    /// Metres per pixel at a distance along a ray.
    pub fn pixel_size(&self, distance: f64) -> f64 {
        let depth = if self.perspective { distance } else { 1.0 };
        2.0 * self.half * depth / self.size[1]
    }

    /// Share of the way down the picture at a point of it.
    pub fn down(&self, y: f64) -> f64 {
        (y / self.size[1]).clamp(0.0, 1.0)
    }

    /// Width of a drawn line, px: one on a small screen, more on a large sheet.
    pub fn line_width(&self) -> f64 {
        (self.size[1] / 620.0).max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a point appears, as shares of the width and height from the middle.
    fn project(camera: &Camera, p: DVec3, aspect: f64) -> [f64; 2] {
        let axes = Axes::new(camera.target - camera.position, camera.up);
        let off = p - camera.position;
        let half = match camera.projection {
            Projection::Perspective { field_of_view } => {
                off.dot(axes.forward) * (0.5 * field_of_view).tan()
            }
            Projection::Orthographic { height } => 0.5 * height,
        };
        [
            0.5 * off.dot(axes.right) / (half * aspect),
            0.5 * off.dot(axes.up) / half,
        ]
    }

    #[test]
    fn a_fitted_camera_sees_all_corners_and_is_tight() {
        let bounds = Bounds {
            min: DVec3::new(-3.0, 1.0, 0.0),
            max: DVec3::new(4.0, 2.5, 6.0),
        };
        for direction in [
            DVec3::new(-1.0, 2.0, -0.5),
            DVec3::NEG_Z,
            DVec3::X,
            DVec3::new(0.3, -0.1, 2.0),
        ] {
            for aspect in [0.4, 1.0, 16.0 / 9.0] {
                for scale in [1e-4, 1.0, 1e4] {
                    let bounds = Bounds {
                        min: scale * bounds.min,
                        max: scale * bounds.max,
                    };
                    let camera = Camera::fit(&bounds, direction, DVec3::Z, 0.6, aspect);
                    let seen = bounds.corners().map(|p| project(&camera, p, aspect));
                    let most = |axis: usize| seen.iter().map(|s| s[axis].abs()).fold(0.0, f64::max);
                    assert!(most(0) <= 0.4201 && most(1) <= 0.4001, "{seen:?}");
                    // One direction is used up to its margins.
                    assert!(most(0) > 0.4199 || most(1) > 0.3999, "{seen:?}");
                }
            }
        }
    }

    #[test]
    fn nothing_and_a_point_can_be_framed() {
        let point = Bounds::of([DVec3::new(1.0, 2.0, 3.0)]);
        for bounds in [Bounds::EMPTY, point] {
            let camera = Camera::fit(&bounds, DVec3::Y, DVec3::Z, 0.6, 1.5);
            assert_eq!(camera.check(), Ok(()));
            assert_eq!(camera.orthographic().check(), Ok(()));
        }
    }

    #[test]
    fn parallel_rays_show_the_target_plane_alike() {
        let bounds = Bounds::of([DVec3::ZERO, DVec3::ONE]);
        let camera = Camera::fit(&bounds, DVec3::new(1.0, 2.0, -1.0), DVec3::Z, 0.5, 1.5);
        let flat = camera.orthographic();
        let (a, b) = (camera.pixel_at_target(400), flat.pixel_at_target(400));
        assert!((a - b).abs() < 1e-12);
        let [eye, level] = [camera, flat].map(|c| Eye::new(&c, 600, 400));
        let distance = camera.position.distance(camera.target);
        let ray = eye.ray(500.0, 90.0);
        let at = distance / ray.direction.dot(eye.axes.forward);
        let parallel = level.ray(500.0, 90.0);
        assert!(ray.at(at).distance(parallel.at(distance)) < 1e-12);
    }

    #[test]
    fn rays_go_where_points_appear() {
        let camera = Camera {
            position: DVec3::new(0.0, -5.0, 1.0),
            target: DVec3::new(0.0, 0.0, 1.0),
            up: DVec3::Z,
            projection: Projection::Perspective { field_of_view: 0.8 },
        };
        let eye = Eye::new(&camera, 300, 200);
        // Right of and above the middle are +x and +z for a view along +y.
        let corner = eye.ray(300.0, 0.0).direction;
        assert!(corner.x > 0.1 && corner.z > 0.1 && corner.y > 0.5);
        let up = eye.ray(150.0, 0.0).direction;
        assert!((up.angle_between(DVec3::Y) - 0.4).abs() < 1e-12);
    }

    #[test]
    fn cameras_that_cannot_see_are_named() {
        let good = Camera::fit(&Bounds::EMPTY, DVec3::Y, DVec3::Z, 0.6, 1.0);
        let wrong = [
            Camera {
                position: good.target,
                ..good
            },
            Camera {
                up: DVec3::NAN,
                ..good
            },
            Camera {
                projection: Projection::Perspective { field_of_view: 0.0 },
                ..good
            },
            Camera {
                projection: Projection::Orthographic { height: -1.0 },
                ..good
            },
        ];
        for camera in wrong {
            assert!(matches!(camera.check(), Err(RenderError::Camera(_))));
        }
    }
}
