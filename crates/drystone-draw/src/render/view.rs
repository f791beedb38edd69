//! The camera that a view stands for.

use drystone::Aabb;
use drystone_scene::view::CameraView;
use glam::DVec3;

use super::camera::{Camera, Margin};

/// The direction of sight.
fn direction(view: &CameraView) -> DVec3 {
    let (sin, cos) = view.azimuth.to_radians().sin_cos();
    let (rise, level) = view.elevation.to_radians().sin_cos();
    DVec3::new(-level * sin, level * cos, -rise)
}

/// What points up in the picture: z, or for a view straight down what lies ahead.
fn up(view: &CameraView) -> DVec3 {
    let (sin, cos) = view.azimuth.to_radians().sin_cos();
    // Within 0.06° of straight down, z would leave the picture's upper edge to rounding.
    if view.elevation.to_radians().cos().abs() > 1e-3 {
        DVec3::Z
    } else {
        DVec3::new(-sin, cos, 0.0) * view.elevation.signum()
    }
}

impl Camera {
    /// The camera for what there is to see in a picture `aspect` times as wide as high. `margin`
    /// stays free at the sides.
    pub fn of_view(view: &CameraView, bounds: Aabb, aspect: f64, margin: Margin) -> Self {
        let (direction, up) = (direction(view), up(view));
        let angle = view.field_of_view.to_radians();
        let fitted = Self::fit_within(&bounds, direction, up, angle, aspect, margin);
        let target = view.target.unwrap_or(fitted.target);
        let near = fitted.position.distance(fitted.target) / view.zoom;
        let distance = view.distance.unwrap_or(near);
        let camera = Self {
            position: target - distance * direction,
            target,
            ..fitted
        };
        if view.orthographic {
            camera.orthographic()
        } else {
            camera
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera(view: &str, bounds: Aabb) -> Camera {
        let view: CameraView = view.parse().unwrap();
        Camera::of_view(&view, bounds, 1.0, Margin::default())
    }

    #[test]
    fn the_camera_stands_where_its_angles_say() {
        let view = "azimuth=30, elevation=20,distance=1.5,target=0:-2:1e-3,fov=35,ortho";
        let camera = camera(view, Aabb::EMPTY);
        assert_eq!(camera.target, DVec3::new(0.0, -2.0, 1e-3));
        let off = camera.position - camera.target;
        assert!((off.length() - 1.5).abs() < 1e-12);
        assert!(((off.z / 1.5).asin().to_degrees() - 20.0).abs() < 1e-9);
        assert!((off.x.atan2(-off.y).to_degrees() - 30.0).abs() < 1e-9);
    }

    #[test]
    fn presets_look_where_they_say() {
        let look = |name: &str| direction(&name.parse().unwrap());
        assert!((look("front") - DVec3::Y).length() < 1e-12);
        assert!((look("side") - DVec3::NEG_X).length() < 1e-12);
        assert!((look("top") - DVec3::NEG_Z).length() < 1e-12);
        // An isometric view makes the same angle with all axes.
        let iso = look("iso").abs();
        assert!((iso.max_element() - iso.min_element()).abs() < 1e-6);
    }

    #[test]
    fn zoom_brings_the_camera_nearer() {
        let bounds = Aabb::of_points([DVec3::ZERO, DVec3::ONE]);
        let distance = |view: &str| {
            let camera = camera(view, bounds);
            camera.position.distance(camera.target)
        };
        assert!((distance("iso") / distance("iso,zoom=2") - 2.0).abs() < 1e-9);
    }

    #[test]
    fn the_top_view_has_y_up() {
        let camera = camera("top", Aabb::EMPTY);
        assert!((camera.up - DVec3::Y).length() < 1e-9, "{}", camera.up);
    }
}
