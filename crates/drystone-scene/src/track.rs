//! Crawler tracks: shoes joined by pins into a closed band around a toothed sprocket and rollers.
//!
//! Seen from the side, the pins lie on the band's *pitch line*: a circle about the sprocket,
//! circles about the outer rollers, and straight lines between. All pins are one pitch apart in a
//! straight line; the pitch follows from the number of shoes, and the sprocket's pitch circle from
//! the pitch and its teeth: `radius = pitch / (2 sin(π / teeth))`. Shoes lie with their backs to
//! the wheels; a tooth reaches between two of them, where a pin is, and pushes their ends.

mod line;

use std::f64::consts::{PI, TAU};

use drystone::{Pose, Shape, ShapeError};
use drystone_collide::number::Number;
use glam::{DQuat, DVec2, DVec3};

use line::{Circle, PitchLine};

/// What a track is made from. Its plane is x and z; axles are along y. Lengths in m, masses in kg.
#[derive(Clone, Debug, PartialEq)]
pub struct TrackSpec {
    /// Where the sprocket's axle is, along x and z.
    pub sprocket: DVec2,
    /// Teeth of the sprocket, from 6 to [`MOST_TEETH`].
    pub teeth: usize,
    /// Where the rollers' axles are: from 1 to [`MOST_ROLLERS`].
    pub rollers: Vec<DVec2>,
    /// Radius of the rollers.
    pub roller_radius: f64,
    /// Shoes, from 8 to [`MOST_SHOES`].
    pub shoes: usize,
    /// Width of the shoes along y.
    pub width: f64,
    /// Thickness of the shoes.
    pub thickness: f64,
    /// Where the track's middle is along y.
    pub offset: f64,
}

/// Why a track cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrackError {
    /// A figure is out of range.
    #[error("{what} {} is not {expected}", Number(*value))]
    Range {
        /// Which figure.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it should be.
        expected: &'static str,
    },
    /// The wheels do not let a band around them.
    #[error("{0}")]
    Layout(&'static str),
    /// A part has no sound shape.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

/// The parts of a track, in the world.
#[derive(Clone, Debug)]
pub struct Track {
    /// Distance of neighbouring pins, m.
    pub pitch: f64,
    /// The sprocket.
    pub sprocket: (Pose, Shape),
    /// The rollers: their places, and the shape of all.
    pub rollers: (Vec<DVec3>, Shape),
    /// The shoes: x along the band, z away from the wheels.
    pub shoes: (Vec<Pose>, Shape),
    /// Pin `i` joins shoe `i - 1` and shoe `i`.
    pub pins: Vec<DVec3>,
}

/// Most shoes of a track. Those of large excavators have about a hundred; the time to lay a band
/// goes with the number of shoes times that of wheels, and these limits keep it within seconds.
pub const MOST_SHOES: usize = 400;
/// Most rollers of a track.
pub const MOST_ROLLERS: usize = 40;
/// Most teeth of a sprocket: each is two boxes that are held against all shoes nearby.
pub const MOST_TEETH: usize = 200;

/// Share of the pitch that a shoe takes; the rest is left for teeth.
const SHOE: f64 = 0.74;
/// Width of a tooth as a share of the pitch.
const TOOTH: f64 = 0.09;
/// Share of the width that is left free in the middle of the wheels for the shoes' guides.
const MIDDLE: f64 = 0.2;

impl TrackSpec {
    /// Lays the track around its wheels.
    pub fn build(&self) -> Result<Track, TrackError> {
        self.check()?;
        let (pitch, line) = self.fit()?;
        let places = line.pins(pitch, self.shoes);
        let pins: Vec<DVec3> = places.iter().map(|p| self.at(*p)).collect();
        let mut shoes = Vec::with_capacity(self.shoes);
        for (index, pin) in places.iter().enumerate() {
            let next = places[(index + 1) % places.len()];
            let along = next - *pin;
            // About y, so that x is along the band. The band runs so that its outside is to the
            // right.
            let turn = DQuat::from_rotation_y(-along.y.atan2(along.x));
            shoes.push(Pose {
                position: self.at(0.5 * (*pin + next)),
                rotation: turn * DQuat::from_rotation_x(PI),
            });
        }
        let first = places[0] - self.sprocket;
        Ok(Track {
            pitch,
            sprocket: (
                Pose {
                    position: self.at(self.sprocket),
                    rotation: DQuat::from_rotation_y(-first.y.atan2(first.x)),
                },
                self.sprocket_shape(pitch)?,
            ),
            rollers: (
                self.rollers.iter().map(|r| self.at(*r)).collect(),
                twin(|y| self.disc(self.roller_radius, y))?,
            ),
            shoes: (shoes, self.shoe_shape(pitch)?),
            pins,
        })
    }

    fn check(&self) -> Result<(), TrackError> {
        let wrong = |what, value, expected| {
            Err(TrackError::Range {
                what,
                value,
                expected,
            })
        };
        let lengths = [
            ("roller radius", self.roller_radius),
            ("shoe width", self.width),
            ("shoe thickness", self.thickness),
        ];
        for (what, value) in lengths {
            if !(value.is_finite() && value > 0.0) {
                return wrong(what, value, "a finite number > 0");
            }
        }
        if !(6..=MOST_TEETH).contains(&self.teeth) {
            return wrong("number of teeth", self.teeth as f64, "from 6 to 200");
        }
        if !(8..=MOST_SHOES).contains(&self.shoes) {
            return wrong("number of shoes", self.shoes as f64, "from 8 to 400");
        }
        if self.rollers.len() > MOST_ROLLERS {
            let found = self.rollers.len() as f64;
            return wrong("number of rollers", found, "at most 40");
        }
        if self.rollers.is_empty() {
            return Err(TrackError::Layout("a track needs at least one roller"));
        }
        let mut places = self.rollers.iter().chain([&self.sprocket]);
        if !(self.offset.is_finite() && places.all(|p| p.is_finite())) {
            return Err(TrackError::Layout("a wheel's place is not finite"));
        }
        Ok(())
    }

    /// The pitch at which all shoes close around the wheels, and the pitch line.
    fn fit(&self) -> Result<(f64, PitchLine), TrackError> {
        let mut pitch = 0.1 * self.roller_radius;
        let mut found = None;
        // Pitch and pitch line depend on each other; each round gains a digit or two.
        for _ in 0..60 {
            let mut circles = vec![Circle {
                center: self.sprocket,
                radius: pitch / (2.0 * (PI / self.teeth as f64).sin()),
            }];
            // Shoes lie across an outer roller as chords: none must cut into it.
            let radius = (self.roller_radius + 0.5 * self.thickness).hypot(0.5 * pitch);
            circles.extend(self.rollers.iter().map(|&center| Circle { center, radius }));
            let line = PitchLine::around(&circles).ok_or(TrackError::Layout(
                "the band does not touch the sprocket: move it out from among the rollers",
            ))?;
            let next = line.pitch_for(self.shoes);
            let change = (next - pitch).abs();
            pitch = next;
            found = Some(line);
            if change < 1e-14 * pitch {
                break;
            }
        }
        let line = found.ok_or(TrackError::Layout("the wheels leave no band"))?;
        if pitch < 2.0 * self.thickness {
            return Err(TrackError::Range {
                what: "pitch",
                value: pitch,
                expected: "at least twice the shoes' thickness: take fewer or thinner shoes",
            });
        }
        Ok((pitch, line))
    }

    /// A point of the track's plane in the world.
    fn at(&self, point: DVec2) -> DVec3 {
        DVec3::new(point.x, self.offset, point.y)
    }

    /// A disc about y whose outer half starts beside the guides.
    fn disc(&self, radius: f64, side: f64) -> Result<(Pose, Shape), ShapeError> {
        let half = 0.25 * (1.0 - MIDDLE) * self.width;
        let y = side * (0.5 * MIDDLE * self.width + half);
        let pose = Pose {
            position: DVec3::new(0.0, y, 0.0),
            rotation: DQuat::from_rotation_x(0.5 * PI),
        };
        Ok((pose, Shape::cylinder(radius, half)?))
    }

    /// Two discs that carry the shoes, with teeth at the pins.
    fn sprocket_shape(&self, pitch: f64) -> Result<Shape, TrackError> {
        let step = TAU / self.teeth as f64;
        let pitch_radius = pitch / (2.0 * (0.5 * step).sin());
        // Shoes are chords of the pitch circle; their backs touch the discs in the middle.
        let hub = pitch_radius * (0.5 * step).cos() - 0.5 * self.thickness;
        let top = pitch_radius + 0.2 * self.thickness;
        let mut parts = vec![self.disc(hub, -1.0)?, self.disc(hub, 1.0)?];
        for tooth in 0..self.teeth {
            let turn = DQuat::from_rotation_y(-step * tooth as f64);
            for side in [-1.0, 1.0] {
                let half = 0.25 * (1.0 - MIDDLE) * self.width;
                let y = side * (0.5 * MIDDLE * self.width + half);
                let root = 0.8 * hub;
                let size = [0.5 * (top - root), half, 0.5 * TOOTH * pitch];
                let pose = Pose {
                    position: turn * DVec3::new(0.5 * (top + root), y, 0.0),
                    rotation: turn,
                };
                parts.push((pose, Shape::box_of(size)?));
            }
        }
        Ok(Shape::compound(parts)?)
    }

    /// A plate, and on its back a guide that runs between the wheels' discs.
    fn shoe_shape(&self, pitch: f64) -> Result<Shape, TrackError> {
        let plate = [0.5 * SHOE * pitch, 0.5 * self.width, 0.5 * self.thickness];
        let height = 0.5 * self.roller_radius;
        let guide = [0.15 * pitch, 0.3 * MIDDLE * self.width, 0.5 * height];
        let back = Pose::at([0.0, 0.0, -0.5 * (self.thickness + height)]);
        Ok(Shape::compound(vec![
            (Pose::IDENTITY, Shape::box_of(plate)?),
            (back, Shape::box_of(guide)?),
        ])?)
    }
}

/// A left and a right part.
fn twin(part: impl Fn(f64) -> Result<(Pose, Shape), ShapeError>) -> Result<Shape, TrackError> {
    Ok(Shape::compound(vec![part(-1.0)?, part(1.0)?])?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> TrackSpec {
        TrackSpec {
            sprocket: DVec2::new(2.0, 0.9),
            teeth: 10,
            rollers: (0..5)
                .map(|k| DVec2::new(-2.0 + 0.8 * f64::from(k), 0.4))
                .collect(),
            roller_radius: 0.35,
            shoes: 50,
            width: 0.5,
            thickness: 0.06,
            offset: 1.0,
        }
    }

    #[test]
    fn pins_are_one_pitch_apart_and_shoes_lie_between_them() {
        let track = spec().build().unwrap();
        assert_eq!((track.pins.len(), track.shoes.0.len()), (50, 50));
        for k in 0..50 {
            let [a, b] = [track.pins[k], track.pins[(k + 1) % 50]];
            assert!((a.distance(b) - track.pitch).abs() < 1e-9, "pin {k}");
            let shoe = &track.shoes.0[k];
            assert!((shoe.position - 0.5 * (a + b)).length() < 1e-12);
            let ahead = shoe.point(DVec3::new(0.5 * track.pitch, 0.0, 0.0));
            assert!((ahead - b).length() < 1e-9, "shoe {k}");
            // Its z axis points away from the middle of the track.
            let middle = DVec3::new(0.0, 1.0, 0.6);
            let outwards = shoe.direction(DVec3::Z).dot(shoe.position - middle);
            assert!(outwards > 0.0, "shoe {k}");
        }
    }

    #[test]
    fn nothing_overlaps_at_the_start() {
        use drystone_collide::narrow::{Scratch, contacts};
        let track = spec().build().unwrap();
        let mut wheels = vec![(track.sprocket.1.clone(), track.sprocket.0)];
        for at in &track.rollers.0 {
            wheels.push((track.rollers.1.clone(), Pose::at(*at)));
        }
        let mut deepest = 0.0_f64;
        for shoe in &track.shoes.0 {
            for (wheel, at) in &wheels {
                let mut points = Vec::new();
                let pair = ((&track.shoes.1, shoe), (wheel, at));
                contacts(pair.0, pair.1, 1e-3, &mut Scratch::default(), &mut points);
                deepest = points.iter().fold(deepest, |d, p| d.max(-p.gap));
            }
        }
        assert!(deepest < 1e-6, "{deepest}");
    }

    #[test]
    fn tracks_that_cannot_be_say_why() {
        let wrong = |change: fn(&mut TrackSpec)| {
            let mut spec = spec();
            change(&mut spec);
            spec.build().unwrap_err().to_string()
        };
        assert!(wrong(|s| s.teeth = 3).contains("teeth 3"));
        assert!(wrong(|s| s.teeth = 201).contains("teeth 201 is not from 6 to 200"));
        assert!(wrong(|s| s.shoes = 401).contains("shoes 401 is not from 8 to 400"));
        assert!(wrong(|s| s.shoes = usize::MAX).contains("is not from 8 to 400"));
        assert!(wrong(|s| s.rollers = vec![DVec2::ZERO; 41]).contains("rollers 41"));
        assert!(wrong(|s| s.rollers.clear()).contains("at least one roller"));
        assert!(wrong(|s| s.thickness = -1.0).contains("shoe thickness -1"));
        assert!(wrong(|s| s.thickness = 0.3).contains("pitch"));
        assert!(wrong(|s| s.sprocket = DVec2::new(-0.4, 0.4)).contains("does not touch"));
        assert!(wrong(|s| s.sprocket.x = f64::NAN).contains("not finite"));
    }
}
