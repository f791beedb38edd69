//! Frames of a replay: whole numbers of steps, packed many frames together.
//!
//! Bodies move smoothly. So of each number only what differs from a straight continuation is
//! stored, all frames of a body one after the other, and low and high bytes apart: most bytes are
//! then zero, and pack to nothing. `docs/view-protocol.md` has the layout.

use drystone_run::recording::{BodyFrame, Frame};
use glam::DVec3;

use crate::binary::Columns;

/// Steps of a position within the radius of the smallest moving body.
const POSITION_STEPS: f64 = 2000.0;
/// Steps of a position over all places of the run, at most: second differences of that many fit
/// into the 24 bits that are stored.
const MOST_STEPS: f64 = 2_097_151.0;
/// Steps of a rotation's components between 0 and 1: second differences fit into 16 bits.
const ROTATION_STEPS: f64 = 8191.0;
/// Steps of velocities between 0 and the largest: differences fit into 16 bits.
const VELOCITY_STEPS: f64 = 8000.0;

/// How numbers become whole numbers of steps, the same through a replay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steps {
    /// Where positions count from, m.
    low: DVec3,
    /// m.
    position: f64,
    /// m/s.
    velocity: f64,
    /// rad/s.
    angular: f64,
}

/// Largest values that occur in the frames of a replay.
#[derive(Clone, Copy, Debug)]
pub struct Ranges {
    low: DVec3,
    high: DVec3,
    velocity: f64,
    angular: f64,
}

impl Default for Ranges {
    fn default() -> Self {
        Self {
            low: DVec3::INFINITY,
            high: DVec3::NEG_INFINITY,
            velocity: 0.0,
            angular: 0.0,
        }
    }
}

impl Ranges {
    /// Takes in a frame; `moving` are its bodies that may move.
    pub fn include(&mut self, frame: &Frame, moving: &[usize]) {
        for &body in moving {
            self.include_body(&frame.bodies[body]);
        }
    }

    /// Takes in one body.
    pub fn include_body(&mut self, body: &BodyFrame) {
        self.low = self.low.min(body.position);
        self.high = self.high.max(body.position);
        self.velocity = self.velocity.max(body.velocity.abs().max_element());
        let angular = body.angular_velocity.abs().max_element();
        self.angular = self.angular.max(angular);
    }

    /// Steps that these ranges allow; `smallest` is the radius of the smallest moving body, m.
    pub fn steps(&self, smallest: f64) -> Steps {
        let extent = (self.high - self.low).max_element().max(0.0);
        let extent = if extent.is_finite() { extent } else { 0.0 };
        // A plane has no size: then as finely as can be.
        let fine = Some(smallest / POSITION_STEPS).filter(|step| step.is_finite());
        let position = (extent / MOST_STEPS).max(fine.unwrap_or(0.0));
        Steps {
            low: if self.low.is_finite() {
                self.low
            } else {
                DVec3::ZERO
            },
            position: above_zero(position),
            velocity: above_zero(self.velocity / VELOCITY_STEPS),
            angular: above_zero(self.angular / VELOCITY_STEPS),
        }
    }
}

/// A step where all values are 0.
fn above_zero(step: f64) -> f64 {
    if step.is_finite() && step > 0.0 {
        step
    } else {
        1.0
    }
}

/// The largest errors that packing made.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PackingError {
    /// Length of the difference of positions, m.
    pub position: f64,
    /// Length of the difference of unit quaternions.
    pub rotation: f64,
    /// Length of the difference of velocities, m/s.
    pub velocity: f64,
}

/// The numbers of a moving body in steps: position, rotation, velocity, angular velocity.
const NUMBERS: usize = 13;
/// Bytes of each that are stored.
const BYTES: [usize; NUMBERS] = [3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2];
/// Of these, so many are continued straight on; the others are taken to stay as they are.
const STRAIGHT: usize = 7;

/// `frames/J.bin`: frames one after the other, with the largest errors so far in `error`.
pub fn chunk(
    frames: &[Frame],
    moving: &[usize],
    steps: &Steps,
    origin: DVec3,
    error: &mut PackingError,
) -> Vec<u8> {
    let (count, area) = (frames.len(), frames.len() * moving.len());
    let mut planes = vec![0_u8; area * (BYTES.iter().sum::<usize>() + 1)];
    for (row, &body) in moving.iter().enumerate() {
        let (mut last, mut before) = ([0_i32; NUMBERS], [0_i32; NUMBERS]);
        for (f, frame) in frames.iter().enumerate() {
            let body = &frame.bodies[body];
            let now = steps.whole(body, &last);
            steps.compare(body, &now, error);
            let (at, mut plane) = (row * count + f, 0);
            for k in 0..NUMBERS {
                let expected = match f {
                    0 => 0,
                    1 => last[k],
                    _ if k < STRAIGHT => 2 * last[k] - before[k],
                    _ => last[k],
                };
                let rest = now[k] - expected;
                let folded = ((rest << 1) ^ (rest >> 31)) as u32;
                for byte in folded.to_le_bytes().into_iter().take(BYTES[k]) {
                    planes[plane * area + at] = byte;
                    plane += 1;
                }
            }
            planes[plane * area + at] = u8::from(body.enabled);
            (before, last) = (last, now);
        }
    }
    let low = steps.low - origin;
    let mut columns = Columns::new(count, 0);
    columns
        .column([moving.len() as u32])
        .column([
            low.to_array(),
            [steps.position, 1.0 / ROTATION_STEPS, steps.velocity],
        ])
        .column([steps.angular])
        .column(planes);
    columns.finish()
}

impl Steps {
    /// The numbers of a body. Of the two quaternions of a rotation, the one nearer to `last`.
    fn whole(&self, body: &BodyFrame, last: &[i32; NUMBERS]) -> [i32; NUMBERS] {
        let round = |v: f64, step: f64| (v / step).round() as i32;
        let place = body.position - self.low;
        let mut numbers = [0; NUMBERS];
        for k in 0..3 {
            numbers[k] = round(place[k], self.position);
            numbers[7 + k] = round(body.velocity[k], self.velocity);
            numbers[10 + k] = round(body.angular_velocity[k], self.angular);
        }
        let rotation = body.rotation.normalize().to_array();
        let along: f64 = (0..4).map(|k| rotation[k] * f64::from(last[3 + k])).sum();
        let sign = if along < 0.0 { -1.0 } else { 1.0 };
        for k in 0..4 {
            numbers[3 + k] = round(sign * rotation[k], 1.0 / ROTATION_STEPS);
        }
        numbers
    }

    /// Takes in how far the numbers are from the body.
    fn compare(&self, body: &BodyFrame, numbers: &[i32; NUMBERS], error: &mut PackingError) {
        let vector = |at: usize, step: f64| {
            DVec3::from_array([0, 1, 2].map(|k| f64::from(numbers[at + k]) * step))
        };
        let position = self.low + vector(0, self.position);
        error.position = error.position.max(position.distance(body.position));
        let velocity = vector(7, self.velocity).distance(body.velocity);
        error.velocity = error.velocity.max(velocity);
        let stored = glam::DQuat::from_array([3, 4, 5, 6].map(|k| f64::from(numbers[k])));
        let (stored, rotation) = (stored.normalize(), body.rotation.normalize());
        let off = (stored - rotation)
            .length()
            .min((stored + rotation).length());
        error.rotation = error.rotation.max(off);
    }
}

/// Rounds to `bits` binary digits: fewer of them pack better.
pub fn rounded(value: f32, bits: u32) -> f32 {
    let drop = f32::MANTISSA_DIGITS - 1 - bits;
    let half = 1_u32 << (drop - 1);
    let rounded = f32::from_bits(value.to_bits().wrapping_add(half) & !((1 << drop) - 1));
    if rounded.is_finite() { rounded } else { value }
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;

    /// A chunk as the page reads it: position, rotation, velocity, angular and enabled of each
    /// frame and body.
    fn unpack(bytes: &[u8]) -> Vec<Vec<([f64; NUMBERS], bool)>> {
        let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|k| bytes[at + k]));
        let real = |at: usize| f64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(|k| bytes[at + k]));
        let (frames, moving) = (word(8) as usize, word(16) as usize);
        let area = frames * moving;
        let mut out = vec![Vec::new(); frames];
        for body in 0..moving {
            let mut numbers = vec![[0_i32; NUMBERS]; frames];
            for f in 0..frames {
                let mut plane = 80 + body * frames + f;
                for k in 0..NUMBERS {
                    let mut folded = 0;
                    for byte in 0..BYTES[k] {
                        folded |= u32::from(bytes[plane]) << (8 * byte);
                        plane += area;
                    }
                    let rest = (folded >> 1) as i32 ^ -((folded & 1) as i32);
                    let expected = match f {
                        0 => 0,
                        1 => numbers[0][k],
                        _ if k < STRAIGHT => 2 * numbers[f - 1][k] - numbers[f - 2][k],
                        _ => numbers[f - 1][k],
                    };
                    numbers[f][k] = expected + rest;
                }
                let mut values = numbers[f].map(f64::from);
                for (k, value) in values.iter_mut().enumerate() {
                    let step = [3, 4, 5, 6][[3, 7, 10].iter().filter(|b| k >= **b).count()];
                    *value =
                        *value * real(24 + 8 * step) + if k < 3 { real(24 + 8 * k) } else { 0.0 };
                }
                out[f].push((values, bytes[plane] != 0));
            }
        }
        out
    }

    #[test]
    fn what_is_packed_comes_back_within_the_error_that_is_told() {
        let origin = DVec3::new(5.0, 0.0, 0.0);
        let frames: Vec<Frame> = (0..7)
            .map(|f| {
                let t = f64::from(f) * 0.3;
                let body = |k: f64| BodyFrame {
                    position: DVec3::new(5.0 + k + (3.0 * t + k).sin(), -4.0 * t * t, k * t),
                    rotation: DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 2.9 * t * k),
                    velocity: DVec3::new((t * k).cos(), -8.0 * t, k),
                    angular_velocity: DVec3::new(0.0, 30.0 * t, -1.0),
                    enabled: f != 2,
                };
                let bodies = vec![body(1.0), body(-7.0), body(2.0)];
                Frame {
                    bodies,
                    ..Frame::default()
                }
            })
            .collect();
        let (moving, mut ranges) = ([0, 2], Ranges::default());
        frames.iter().for_each(|f| ranges.include(f, &moving));
        let (steps, mut error) = (ranges.steps(0.1), PackingError::default());
        let bytes = chunk(&frames, &moving, &steps, origin, &mut error);
        assert!(error.position > 0.0 && error.position <= 0.5 * 3_f64.sqrt() * 0.1 / 2000.0);
        assert!(error.rotation < 2e-4 && error.velocity < 2e-3, "{error:?}");
        for (f, found) in unpack(&bytes).into_iter().enumerate() {
            for (row, (values, enabled)) in found.into_iter().enumerate() {
                let body = &frames[f].bodies[moving[row]];
                let at = |k: usize| DVec3::new(values[k], values[k + 1], values[k + 2]);
                let place = at(0) + origin;
                assert!(place.distance(body.position) <= error.position * 1.001);
                assert!(at(7).distance(body.velocity) <= error.velocity * 1.001);
                let q = DQuat::from_array([values[3], values[4], values[5], values[6]]);
                assert!(q.normalize().dot(body.rotation).abs() > 1.0 - 1e-7);
                assert!(at(10).distance(body.angular_velocity) < 0.02);
                assert_eq!(enabled, f != 2);
            }
        }
    }

    #[test]
    fn nothing_that_moves_and_nothing_finite_are_packed_too() {
        let steps = Ranges::default().steps(f64::INFINITY);
        assert!(steps.position.is_finite() && steps.velocity == 1.0);
        let bytes = chunk(
            &[Frame::default()],
            &[],
            &steps,
            DVec3::ZERO,
            &mut PackingError::default(),
        );
        assert_eq!(bytes.len(), 80);
    }

    #[test]
    fn a_moving_plane_is_stored_as_finely_as_can_be() {
        let mut ranges = Ranges::default();
        for x in [0.0, 2.0] {
            ranges.include_body(&BodyFrame {
                position: DVec3::new(x, 0.0, 0.0),
                ..BodyFrame::default()
            });
        }
        assert_eq!(ranges.steps(f64::INFINITY).position, 2.0 / MOST_STEPS);
    }

    #[test]
    fn rounding_keeps_the_digits_that_it_says() {
        for value in [1.0_f32, 2.34567, -1e-20, 6.5e8, 0.0] {
            let off = (rounded(value, 11) - value).abs();
            assert!(off <= value.abs() / 4096.0, "{value}");
        }
        assert_eq!(rounded(f32::MAX, 11), f32::MAX);
        assert!(rounded(f32::NAN, 11).is_nan());
    }
}
