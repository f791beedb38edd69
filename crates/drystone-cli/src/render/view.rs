//! What a user says of the camera: `iso`, or `azimuth=30,elevation=20,zoom=1.2`.

use std::fmt;
use std::str::FromStr;

use glam::DVec3;

use super::camera::{Bounds, Camera, Margin};

/// A wish for a camera. What is not said follows from what there is to see.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Where the camera stands around the target, degrees from the -y axis towards +x: 0 looks along +y, 90 along -x.
    pub azimuth: f64,
    /// How high it stands above the target's level, degrees: 90 looks straight down.
    pub elevation: f64,
    /// Distance from the target, m; fitted if not given.
    pub distance: Option<f64>,
    /// How much larger than fitted things appear.
    pub zoom: f64,
    /// The middle of the picture, m; that of the moving bodies if not given.
    pub target: Option<DVec3>,
    /// Angle between the upper and the lower edge of the picture, degrees.
    pub field_of_view: f64,
    /// Whether parallel lines stay parallel.
    pub orthographic: bool,
    /// What stays free at the sides of a fitted picture.
    pub margin: Margin,
}

impl Default for View {
    /// Three quarters from the front right, a little from above.
    fn default() -> Self {
        Self {
            azimuth: 35.0,
            elevation: 22.0,
            distance: None,
            zoom: 1.0,
            target: None,
            field_of_view: 32.0,
            orthographic: false,
            margin: Margin::default(),
        }
    }
}

/// Words that stand for a direction: azimuth and elevation, degrees.
const PRESETS: [(&str, f64, f64); 6] = [
    ("front", 0.0, 0.0),
    ("side", 90.0, 0.0),
    ("back", 180.0, 0.0),
    ("top", 0.0, 90.0),
    ("iso", 45.0, 35.264_389_7),
    ("default", 35.0, 22.0),
];

/// The keys of a wish, as messages list them.
const KEYS: &str = "azimuth, elevation, distance, zoom, target, fov";

impl View {
    /// The direction of sight.
    pub fn direction(&self) -> DVec3 {
        let (sin, cos) = self.azimuth.to_radians().sin_cos();
        let (rise, level) = self.elevation.to_radians().sin_cos();
        DVec3::new(-level * sin, level * cos, -rise)
    }

    /// What points up in the picture: z, or for a view straight down what lies ahead.
    fn up(&self) -> DVec3 {
        let (sin, cos) = self.azimuth.to_radians().sin_cos();
        if self.elevation.to_radians().cos().abs() > 1e-3 {
            DVec3::Z
        } else {
            DVec3::new(-sin, cos, 0.0) * self.elevation.signum()
        }
    }

    /// The camera for what there is to see in a picture `aspect` times as wide as high.
    pub fn camera(&self, bounds: Bounds, aspect: f64) -> Camera {
        let (direction, up) = (self.direction(), self.up());
        let angle = self.field_of_view.to_radians();
        let fitted = Camera::fit_within(&bounds, direction, up, angle, aspect, self.margin);
        let target = self.target.unwrap_or(fitted.target);
        let near = fitted.position.distance(fitted.target) / self.zoom;
        let distance = self.distance.unwrap_or(near);
        let camera = Camera {
            position: target - distance * direction,
            target,
            ..fitted
        };
        if self.orthographic {
            camera.orthographic()
        } else {
            camera
        }
    }
}

/// What is wrong with a wish for a camera.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewError(String);

impl fmt::Display for ViewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ViewError {}

impl FromStr for View {
    type Err = ViewError;

    /// Pieces between commas, later ones over earlier ones: a preset (`front`, `side`, `back`, `top`, `iso`), the word
    /// `orthographic`, or `key=value`; angles in degrees, lengths in metres, `target=x:y:z`.
    fn from_str(text: &str) -> Result<Self, ViewError> {
        let mut view = Self::default();
        for piece in text.split(',').map(str::trim) {
            match piece.split_once('=') {
                Some((key, value)) => view.set(key.trim(), value.trim())?,
                None => view.name(piece)?,
            }
        }
        Ok(view)
    }
}

impl View {
    fn name(&mut self, word: &str) -> Result<(), ViewError> {
        if word == "orthographic" || word == "ortho" {
            self.orthographic = true;
            return Ok(());
        }
        let Some((_, azimuth, elevation)) = PRESETS.iter().find(|p| p.0 == word) else {
            let names = PRESETS.map(|p| p.0).join(", ");
            return Err(ViewError(format!(
                "camera: '{word}' is neither a view ({names}, orthographic) nor key=value with one of the keys {KEYS}"
            )));
        };
        (self.azimuth, self.elevation) = (*azimuth, *elevation);
        Ok(())
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), ViewError> {
        let within = |low: f64, high: f64| number(key, value, low, high);
        match key {
            "azimuth" => self.azimuth = within(-360.0, 360.0)?,
            "elevation" => self.elevation = within(-90.0, 90.0)?,
            "distance" => self.distance = Some(within(1e-9, 1e9)?),
            "zoom" => self.zoom = within(1e-3, 1e3)?,
            "fov" => self.field_of_view = within(1.0, 150.0)?,
            "target" => self.target = Some(target(value)?),
            _ => {
                return Err(ViewError(format!(
                    "camera: there is no key '{key}', only {KEYS}"
                )));
            }
        }
        Ok(())
    }
}

fn number(key: &str, value: &str, low: f64, high: f64) -> Result<f64, ViewError> {
    let parsed = value.parse::<f64>().ok();
    parsed.filter(|v| (low..=high).contains(v)).ok_or_else(|| {
        ViewError(format!(
            "camera: {key}={value} is not a number between {low} and {high}"
        ))
    })
}

fn target(value: &str) -> Result<DVec3, ViewError> {
    let parts: Vec<f64> = value
        .split(':')
        .filter_map(|v| v.trim().parse().ok())
        .filter(|v: &f64| v.is_finite())
        .collect();
    match (parts.as_slice(), value.split(':').count()) {
        (&[x, y, z], 3) => Ok(DVec3::new(x, y, z)),
        _ => Err(ViewError(format!(
            "camera: target={value} is not three numbers such as 0:0:1.5, in metres"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_wish_is_understood() {
        let wish = "azimuth=30, elevation=20,distance=1.5,target=0:-2:1e-3,fov=35,ortho";
        let view: View = wish.parse().unwrap();
        let camera = view.camera(Bounds::EMPTY, 1.5);
        assert_eq!(camera.target, DVec3::new(0.0, -2.0, 1e-3));
        let off = camera.position - camera.target;
        assert!((off.length() - 1.5).abs() < 1e-12);
        assert!((off.z / 1.5).asin().to_degrees() - 20.0 < 1e-9);
        assert!((off.x.atan2(-off.y).to_degrees() - 30.0).abs() < 1e-9);
        assert!(view.orthographic && view.field_of_view == 35.0);
    }

    #[test]
    fn presets_look_where_they_say() {
        let look = |name: &str| name.parse::<View>().unwrap().direction();
        assert!((look("front") - DVec3::Y).length() < 1e-12);
        assert!((look("side") - DVec3::NEG_X).length() < 1e-12);
        assert!((look("top") - DVec3::NEG_Z).length() < 1e-12);
        // An isometric view makes the same angle with all axes.
        let iso = look("iso").abs();
        assert!((iso.max_element() - iso.min_element()).abs() < 1e-6);
        // Later pieces win.
        let view: View = "top,elevation=45,zoom=2".parse().unwrap();
        assert_eq!((view.elevation, view.zoom), (45.0, 2.0));
    }

    #[test]
    fn zoom_brings_the_camera_nearer() {
        let bounds = Bounds::of([DVec3::ZERO, DVec3::ONE]);
        let distance = |wish: &str| {
            let camera = wish.parse::<View>().unwrap().camera(bounds, 1.0);
            camera.position.distance(camera.target)
        };
        assert!((distance("iso") / distance("iso,zoom=2") - 2.0).abs() < 1e-9);
    }

    #[test]
    fn the_top_view_has_y_up() {
        let camera = View::from_str("top").unwrap().camera(Bounds::EMPTY, 1.0);
        assert!((camera.up - DVec3::Y).length() < 1e-9, "{}", camera.up);
    }

    #[test]
    fn wrong_wishes_are_explained() {
        let message = |wish: &str| wish.parse::<View>().unwrap_err().to_string();
        for (wish, expected) in [
            ("left", "'left' is neither"),
            ("azimut=3", "no key 'azimut'"),
            ("fov=0", "fov=0 is not a number between 1 and 150"),
            ("elevation=nan", "elevation=nan is not"),
            ("target=1:2", "target=1:2 is not three numbers"),
            ("target=1:2:x", "three numbers"),
            ("target=1:2:3:4", "three numbers"),
            ("", "'' is neither"),
        ] {
            assert!(message(wish).contains(expected), "{}", message(wish));
        }
    }
}
