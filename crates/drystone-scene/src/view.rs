//! How pictures of a scene are made: camera, colours and cuts, as text and as values.
//!
//! The same words serve the table `[view]` of a scene and every program that draws.

use std::str::FromStr;

use glam::DVec3;

use crate::named::{Named, named};
use crate::scene::nearest;

/// What a scene says of its pictures. What it does not say is left to whoever draws.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ViewSettings {
    /// From where.
    pub camera: Option<CameraView>,
    /// What colours stand for.
    pub color_by: Option<ColorBy>,
    /// What is cut away.
    pub cuts: Vec<Cut>,
}

/// From where a picture is seen: `iso`, or `azimuth=30,elevation=20,zoom=1.2`. What is not said
/// follows from what there is to see.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraView {
    /// Where the camera stands around the target, degrees from the -y axis towards +x: 0 looks
    /// along +y, 90 along -x.
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
}

impl Default for CameraView {
    /// From the front right and a little from above, so that three sides of a box are seen. The
    /// field of view is that of a portrait lens: boxes look straight.
    fn default() -> Self {
        Self {
            azimuth: 35.0,
            elevation: 22.0,
            distance: None,
            zoom: 1.0,
            target: None,
            field_of_view: 32.0,
            orthographic: false,
        }
    }
}

/// Words that stand for a direction: azimuth and elevation, degrees. `iso` is the isometric view:
/// its elevation is the arctangent of 1/√2, so that x, y and z appear equally long.
const PRESETS: [(&str, f64, f64); 6] = [
    ("front", 0.0, 0.0),
    ("side", 90.0, 0.0),
    ("back", 180.0, 0.0),
    ("top", 0.0, 90.0),
    ("iso", 45.0, 35.264_389_7),
    ("default", 35.0, 22.0),
];

/// The word for a camera without perspective, and its short form.
const ORTHOGRAPHIC: [&str; 2] = ["orthographic", "ortho"];

named! {
    /// The keys of a camera.
    enum CameraKey {
        Azimuth = "azimuth",
        Elevation = "elevation",
        Distance = "distance",
        Zoom = "zoom",
        Target = "target",
        FieldOfView = "fov",
    }
}

/// What is wrong with the words of a view.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ViewError {
    /// Neither a preset nor a key with a value.
    #[error(
        "camera: '{word}' is neither a view ({}, orthographic) nor key=value with one of the keys \
         {}",
        PRESETS.map(|p| p.0).join(", "),
        CameraKey::names().join(", ")
    )]
    Preset {
        /// What was said.
        word: String,
    },
    /// There is no such key.
    #[error("camera: there is no key '{key}', only {}", CameraKey::names().join(", "))]
    Key {
        /// What was said.
        key: String,
    },
    /// A value that is not a number, or out of range.
    #[error("camera: {key}={value} is not a number between {low} and {high}")]
    Number {
        /// The key.
        key: String,
        /// What was said.
        value: String,
        /// Lowest value.
        low: String,
        /// Highest value.
        high: String,
    },
    /// A target that is not a point.
    #[error("camera: target={value} is not three numbers such as 0:0:1.5, in metres")]
    Target {
        /// What was said.
        value: String,
    },
    /// A quantity that bodies are not coloured by.
    #[error(
        "colour by '{word}': expected one of {}",
        ColorBy::ALL.map(ColorBy::name).join(", ")
    )]
    Quantity {
        /// What was said.
        word: String,
    },
    /// A cut that is not one.
    #[error("'{word}' is not an axis, < or >, and a length in m, such as y>0 or x<-0.1")]
    Cut {
        /// What was said.
        word: String,
    },
}

impl ViewError {
    /// A known word near the one that is wrong.
    pub(crate) fn suggestion(&self) -> Option<String> {
        match self {
            Self::Preset { word } => {
                let views = PRESETS.iter().map(|preset| preset.0);
                nearest(word, views.chain(ORTHOGRAPHIC))
            }
            Self::Key { key } => nearest(key, CameraKey::names()),
            Self::Quantity { word } => nearest(word, ColorBy::ALL.map(ColorBy::name)),
            Self::Number { .. } | Self::Target { .. } | Self::Cut { .. } => None,
        }
    }
}

impl FromStr for CameraView {
    type Err = ViewError;

    /// Pieces between commas, later ones over earlier ones: a preset (`front`, `side`, `back`,
    /// `top`, `iso`), the word `orthographic`, or `key=value`; angles in degrees, lengths in
    /// metres, `target=x:y:z`.
    fn from_str(text: &str) -> Result<Self, ViewError> {
        let mut view = Self::default();
        for piece in text.split(',').map(str::trim) {
            match piece.split_once('=') {
                Some((key, value)) => view.set(key.trim(), value.trim())?,
                None => view.apply_preset(piece)?,
            }
        }
        Ok(view)
    }
}

impl CameraView {
    fn apply_preset(&mut self, word: &str) -> Result<(), ViewError> {
        if ORTHOGRAPHIC.contains(&word) {
            self.orthographic = true;
            return Ok(());
        }
        let Some((_, azimuth, elevation)) = PRESETS.iter().find(|p| p.0 == word) else {
            let word = word.to_owned();
            return Err(ViewError::Preset { word });
        };
        (self.azimuth, self.elevation) = (*azimuth, *elevation);
        Ok(())
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), ViewError> {
        let within = |low: f64, high: f64| number(key, value, low, high);
        let Some(known) = CameraKey::from_name(key) else {
            let key = key.to_owned();
            return Err(ViewError::Key { key });
        };
        match known {
            CameraKey::Azimuth => self.azimuth = within(-360.0, 360.0)?,
            CameraKey::Elevation => self.elevation = within(-90.0, 90.0)?,
            CameraKey::Distance => self.distance = Some(within(1e-9, 1e9)?),
            CameraKey::Zoom => self.zoom = within(1e-3, 1e3)?,
            CameraKey::FieldOfView => self.field_of_view = within(1.0, 150.0)?,
            CameraKey::Target => self.target = Some(target(value)?),
        }
        Ok(())
    }
}

fn number(key: &str, value: &str, low: f64, high: f64) -> Result<f64, ViewError> {
    let parsed = value.parse::<f64>().ok();
    parsed
        .filter(|v| (low..=high).contains(v))
        .ok_or_else(|| ViewError::Number {
            key: key.to_owned(),
            value: value.to_owned(),
            low: low.to_string(),
            high: high.to_string(),
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
        _ => Err(ViewError::Target {
            value: value.to_owned(),
        }),
    }
}

/// What bodies are coloured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColorBy {
    /// Speed, m/s.
    Speed,
    /// Sum of the contact forces' sizes, N.
    Force,
    /// Diameter of the ball of the same volume, m.
    Size,
    /// Material.
    Material,
}

impl ColorBy {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Speed, Self::Force, Self::Size, Self::Material];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Speed => "speed",
            Self::Force => "force",
            Self::Size => "size",
            Self::Material => "material",
        }
    }
}

impl FromStr for ColorBy {
    type Err = ViewError;

    fn from_str(text: &str) -> Result<Self, ViewError> {
        let found = Self::ALL.into_iter().find(|by| by.name() == text);
        found.ok_or_else(|| ViewError::Quantity {
            word: text.to_owned(),
        })
    }
}

/// A plane across an axis, beyond which all is cut away: `y>0`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// 0, 1 or 2 for x, y or z.
    pub axis: usize,
    /// Whether the larger coordinates go.
    pub above: bool,
    /// Where on the axis, m.
    pub at: f64,
}

impl Cut {
    /// Several cuts with commas between.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, ViewError> {
        text.split(',').map(|cut| cut.trim().parse()).collect()
    }
}

impl FromStr for Cut {
    type Err = ViewError;

    fn from_str(text: &str) -> Result<Self, ViewError> {
        let wrong = || ViewError::Cut {
            word: text.to_owned(),
        };
        let at = text.find(['<', '>']).ok_or_else(wrong)?;
        let axis = match text[..at].trim() {
            "x" => 0,
            "y" => 1,
            "z" => 2,
            _ => return Err(wrong()),
        };
        let length: f64 = text[at + 1..].trim().parse().map_err(|_| wrong())?;
        if !length.is_finite() {
            return Err(wrong());
        }
        Ok(Self {
            axis,
            above: text.as_bytes()[at] == b'>',
            at: length,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_camera_is_understood() {
        let text = "azimuth=30, elevation=20,distance=1.5,target=0:-2:1e-3,fov=35,ortho";
        let view: CameraView = text.parse().unwrap();
        let expected = CameraView {
            azimuth: 30.0,
            elevation: 20.0,
            distance: Some(1.5),
            zoom: 1.0,
            target: Some(DVec3::new(0.0, -2.0, 1e-3)),
            field_of_view: 35.0,
            orthographic: true,
        };
        assert_eq!(view, expected);
    }

    #[test]
    fn later_pieces_win() {
        let view: CameraView = "top,elevation=45,zoom=2".parse().unwrap();
        assert_eq!((view.elevation, view.zoom), (45.0, 2.0));
    }

    #[test]
    fn wrong_words_are_explained() {
        let message = |text: &str| text.parse::<CameraView>().unwrap_err().to_string();
        for (text, expected) in [
            ("left", "'left' is neither"),
            ("azimut=3", "no key 'azimut'"),
            ("fov=0", "fov=0 is not a number between 1 and 150"),
            ("elevation=nan", "elevation=nan is not"),
            ("target=1:2", "target=1:2 is not three numbers"),
            ("target=1:2:x", "three numbers"),
            ("target=1:2:3:4", "three numbers"),
            ("", "'' is neither"),
        ] {
            assert!(message(text).contains(expected), "{}", message(text));
        }
        let message = "weight".parse::<ColorBy>().unwrap_err().to_string();
        assert!(
            message.contains("speed, force, size, material"),
            "{message}"
        );
    }

    #[test]
    fn cuts_are_an_axis_a_side_and_a_length() {
        let cut = |axis, above, at| Cut { axis, above, at };
        assert_eq!("y > 0.25".parse(), Ok(cut(1, true, 0.25)));
        let cuts = Cut::parse_list("x<-1, z>2").unwrap();
        assert_eq!(cuts, [cut(0, false, -1.0), cut(2, true, 2.0)]);
        for bad in ["", "y", "w>1", "y>", "y>nan", "y=1", ">1"] {
            assert!(bad.parse::<Cut>().is_err(), "{bad}");
        }
    }
}
