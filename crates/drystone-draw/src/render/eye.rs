//! The rays of a camera.

use glam::DVec3;

use super::camera::{Camera, Projection};
use super::ray::Ray;

/// Right, up and forward of a camera.
#[derive(Clone, Copy, Debug)]
pub struct CameraAxes {
    /// To the right edge of the picture.
    pub right: DVec3,
    /// To its upper edge.
    pub up: DVec3,
    /// Into it.
    pub forward: DVec3,
}

impl CameraAxes {
    /// The axes of a view along `forward`. Where `up` points the same way, another direction is
    /// taken for it.
    pub fn new(forward: DVec3, up: DVec3) -> Self {
        let forward = forward.try_normalize().unwrap_or(DVec3::Y);
        let across = |up: DVec3| forward.cross(up.normalize_or_zero());
        let right = [up, DVec3::Y, DVec3::Z, DVec3::X]
            .into_iter()
            .map(across)
            // A shorter one is the rounding of two parallel directions.
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
    pub axes: CameraAxes,
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
            axes: CameraAxes::new(camera.target - camera.position, camera.up),
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

    /// Width of a drawn line, px: one pixel up to a height of 620, and the same share of larger
    /// pictures, so that lines do not vanish in print.
    pub fn line_width(&self) -> f64 {
        (self.size[1] / 620.0).max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use drystone::Aabb;

    use super::*;

    #[test]
    fn parallel_rays_show_the_target_plane_alike() {
        let bounds = Aabb::of_points([DVec3::ZERO, DVec3::ONE]);
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
}
