//! From where a picture is seen.

use drystone::Aabb;
use glam::DVec3;

use super::RenderError;
use super::eye::CameraAxes;
use super::prepared::lamp;

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

/// Field of view that no camera reaches, rad: a little below 180°.
const WIDEST: f64 = 3.1;

/// Radius that what is framed has at least, m: half a micrometre, so that a point has a size.
const SMALLEST: f64 = 5e-7;

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
    /// A tenth above and below, where title and scale bar stand; a little less at the sides.
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
    pub fn fit(
        bounds: &Aabb,
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

    /// The nearest camera that looks along `direction` and has all of `bounds` in its picture,
    /// `aspect` times as wide as high, within the margins. `field_of_view` in rad. Nothing to see
    /// counts as one cubic metre at the origin, and a point as a micrometre.
    pub fn fit_within(
        bounds: &Aabb,
        direction: DVec3,
        up: DVec3,
        field_of_view: f64,
        aspect: f64,
        margin: Margin,
    ) -> Self {
        let bounds = seen(bounds);
        let axes = CameraAxes::new(direction, up);
        let vertical = (0.5 * field_of_view).tan();
        let horizontal = vertical * aspect;
        // Tangents of the angles at which something is still inside the margins.
        let [left, right] = [margin.left, margin.right].map(|m| horizontal * (1.0 - 2.0 * m));
        let [top, bottom] = [margin.top, margin.bottom].map(|m| vertical * (1.0 - 2.0 * m));
        let corners = bounds.corners();
        let (across, back) = place(&corners, axes.right, axes.forward, right, left);
        let (along, behind) = place(&corners, axes.up, axes.forward, top, bottom);
        // The deeper of the two needs leaves the other direction some room, shared between both
        // sides.
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

    /// Where the light of its pictures comes from: a unit vector towards the lamp. `up` has length 1.
    pub fn lamp(&self, up: DVec3) -> DVec3 {
        lamp(&CameraAxes::new(self.target - self.position, self.up), up)
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
            // At 180° the picture's plane would be infinitely wide.
            Projection::Perspective { field_of_view: v } if !(v > 0.0 && v < WIDEST) => {
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
fn seen(bounds: &Aabb) -> Aabb {
    let sound = !bounds.is_empty() && bounds.min.is_finite() && bounds.max.is_finite();
    let bounds = if sound {
        *bounds
    } else {
        Aabb::around(DVec3::ZERO, DVec3::splat(0.5))
    };
    bounds.grown((SMALLEST - bounds.radius()).max(0.0))
}

/// Along one axis of the picture: where the camera must be as a function of its depth, and the
/// greatest depth at which all points are between the angles of tangents `high` and `low`.
fn place(
    points: &[DVec3],
    axis: DVec3,
    forward: DVec3,
    high: f64,
    low: f64,
) -> (impl Fn(f64) -> f64, f64) {
    // A point p is inside for a camera c if (p - c)·axis <= high (p - c)·forward, and likewise
    // below.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a point appears, as shares of the width and height from the middle.
    fn project(camera: &Camera, p: DVec3, aspect: f64) -> [f64; 2] {
        let axes = CameraAxes::new(camera.target - camera.position, camera.up);
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
        let bounds = Aabb {
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
                    let bounds = Aabb {
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
        let point = Aabb::of_points([DVec3::new(1.0, 2.0, 3.0)]);
        for bounds in [Aabb::EMPTY, point] {
            let camera = Camera::fit(&bounds, DVec3::Y, DVec3::Z, 0.6, 1.5);
            assert_eq!(camera.check(), Ok(()));
            assert_eq!(camera.orthographic().check(), Ok(()));
        }
    }

    #[test]
    fn cameras_that_cannot_see_are_named() {
        let good = Camera::fit(&Aabb::EMPTY, DVec3::Y, DVec3::Z, 0.6, 1.0);
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
