//! A frame as bytes that compress well: column after column, the bytes of equal weight together.
//!
//! Positions and rotations are stored as the bits in which they differ from the key frame's, so
//! that a body that has not moved since is all zeros, wherever it lies among the others. A rotation
//! is the three smaller components of its unit quaternion in single precision, the largest made
//! positive and left out.

use glam::{DQuat, DVec3};

use super::frame::{BodyFrame, ContactRecord};
use super::header::Precision;

/// A frame's bodies as they are stored, before they are compared with the key frame.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    /// Bits of x, y, z.
    position: [Vec<u64>; 3],
    /// Which component of the quaternion is left out, and from bit 2 on whether the body is
    /// enabled.
    flags: Vec<u8>,
    /// Bits of the other three.
    rotation: [Vec<u32>; 3],
    /// Bits of velocity and angular velocity.
    motion: [Vec<u32>; 6],
}

/// The flag of a body that takes part, above the two bits of the left out component.
const ENABLED: u8 = 4;

/// Numbers of a contact, in single precision: point, normal, gap, force, torque.
const NUMBERS: usize = 13;

/// Bytes per contact: two bodies and its numbers, four bytes each.
const CONTACT: usize = 4 * (2 + NUMBERS);

impl Columns {
    /// Overwrites all with `bodies`.
    pub fn set(&mut self, bodies: &[BodyFrame], precision: Precision) {
        for (axis, column) in self.position.iter_mut().enumerate() {
            column.clear();
            let position = bodies.iter().map(|b| b.position[axis]);
            match precision {
                Precision::Double => column.extend(position.map(f64::to_bits)),
                Precision::Single => column.extend(position.map(|x| u64::from(bits(x)))),
            }
        }
        self.flags.clear();
        self.rotation.iter_mut().for_each(Vec::clear);
        for body in bodies {
            let (left_out, others) = smallest_three(body.rotation);
            let enabled = if body.enabled { ENABLED } else { 0 };
            self.flags.push(left_out | enabled);
            for (column, x) in self.rotation.iter_mut().zip(others) {
                column.push(bits(x));
            }
        }
        for (k, column) in self.motion.iter_mut().enumerate() {
            column.clear();
            let number = |b: &BodyFrame| match k {
                0..3 => b.velocity[k],
                _ => b.angular_velocity[k - 3],
            };
            // Adding zero makes a negative zero positive: bodies at rest have equal bits.
            column.extend(bodies.iter().map(|b| bits(number(b) + 0.0)));
        }
    }

    /// Appends all to `out`, as differences from `key` where there is one.
    pub fn encode(&self, precision: Precision, key: Option<&Self>, out: &mut Vec<u8>) {
        for (k, column) in self.position.iter().enumerate() {
            let width = width(precision);
            shuffle(width, differences(column, key.map(|c| &c.position[k])), out);
        }
        match key {
            None => out.extend_from_slice(&self.flags),
            Some(key) => out.extend(self.flags.iter().zip(&key.flags).map(|(a, b)| a ^ b)),
        }
        for (k, column) in self.rotation.iter().enumerate() {
            shuffle(4, differences(column, key.map(|c| &c.rotation[k])), out);
        }
        for column in &self.motion {
            shuffle(4, differences(column, None), out);
        }
    }

    /// Reads `count` bodies; `None` if there are too few bytes.
    pub fn decode(
        input: &mut &[u8],
        count: usize,
        precision: Precision,
        key: Option<&Self>,
    ) -> Option<Self> {
        let mut columns = Self::default();
        for (k, column) in columns.position.iter_mut().enumerate() {
            *column = unshuffle(width(precision), count, input)?;
            undo(column, key.map(|c| &c.position[k]));
        }
        columns.flags = input.split_off(..count)?.to_vec();
        if let Some(key) = key {
            let flags = columns.flags.iter_mut().zip(&key.flags);
            flags.for_each(|(a, b)| *a ^= b);
        }
        for (k, column) in columns.rotation.iter_mut().enumerate() {
            *column = narrow(&unshuffle(4, count, input)?);
            undo(column, key.map(|c| &c.rotation[k]));
        }
        for column in &mut columns.motion {
            *column = narrow(&unshuffle(4, count, input)?);
        }
        Some(columns)
    }

    /// The bodies, as exactly as they are stored.
    pub fn bodies(&self, precision: Precision) -> Vec<BodyFrame> {
        let position = |x: u64| match precision {
            Precision::Double => f64::from_bits(x),
            Precision::Single => number(x as u32),
        };
        let motion = |k: usize, body: usize| number(self.motion[k][body]);
        let body = |b: usize| BodyFrame {
            position: DVec3::from_array([0, 1, 2].map(|k| position(self.position[k][b]))),
            rotation: from_three(
                self.flags[b],
                [0, 1, 2].map(|k| number(self.rotation[k][b])),
            ),
            velocity: DVec3::from_array([0, 1, 2].map(|k| motion(k, b))),
            angular_velocity: DVec3::from_array([3, 4, 5].map(|k| motion(k, b))),
            enabled: self.flags[b] & ENABLED != 0,
        };
        (0..self.flags.len()).map(body).collect()
    }

    /// Bytes that `count` bodies take.
    pub fn size(count: usize, precision: Precision) -> usize {
        count * (3 * width(precision) + 1 + 4 * 9)
    }
}

/// Appends contacts: how many, then their columns. The first body as difference from the contact
/// before, since they are sorted.
pub(super) fn encode_contacts(contacts: &[ContactRecord], out: &mut Vec<u8>) {
    out.extend_from_slice(&(contacts.len() as u64).to_le_bytes());
    let before = |k: usize| k.checked_sub(1).map_or(0, |k| contacts[k].bodies[0]);
    let first = |(k, c): (usize, &ContactRecord)| c.bodies[0].wrapping_sub(before(k));
    let first: Vec<u32> = contacts.iter().enumerate().map(first).collect();
    shuffle(4, first.iter().map(|&x| u64::from(x)), out);
    shuffle(4, contacts.iter().map(|c| u64::from(c.bodies[1])), out);
    for k in 0..NUMBERS {
        let column = contacts.iter().map(|c| u64::from(bits(numbers(c)[k])));
        shuffle(4, column, out);
    }
}

/// Reads contacts; an error says what does not fit.
pub(super) fn decode_contacts(
    input: &mut &[u8],
    bodies: usize,
) -> Result<Vec<ContactRecord>, String> {
    let count = input.split_off(..8).and_then(|b| b.try_into().ok());
    let count = u64::from_le_bytes(count.ok_or("the number of contacts is missing")?);
    if count.checked_mul(CONTACT as u64) != Some(input.len() as u64) {
        let found = input.len();
        return Err(format!("{count} contacts in {found} bytes"));
    }
    let count = count as usize;
    let mut column = || unshuffle(4, count, input).ok_or("a column of the contacts is missing");
    let (mut first, second) = (narrow(&column()?), narrow(&column()?));
    let mut sum = 0_u32;
    for x in &mut first {
        sum = sum.wrapping_add(*x);
        *x = sum;
    }
    let mut columns = Vec::with_capacity(NUMBERS);
    for _ in 0..NUMBERS {
        columns.push(column()?);
    }
    let contact = |c: usize| {
        let x = |k: usize| number(columns[k][c] as u32);
        ContactRecord {
            bodies: [first[c], second[c]],
            point: DVec3::new(x(0), x(1), x(2)),
            normal: DVec3::new(x(3), x(4), x(5)),
            gap: x(6),
            force: DVec3::new(x(7), x(8), x(9)),
            torque: DVec3::new(x(10), x(11), x(12)),
        }
    };
    let contacts: Vec<ContactRecord> = (0..count).map(contact).collect();
    let outside = |c: &&ContactRecord| c.bodies.iter().any(|&b| b as usize >= bodies);
    match contacts.iter().find(outside) {
        None => Ok(contacts),
        Some(c) => Err(format!("a contact names bodies {:?} of {bodies}", c.bodies)),
    }
}

fn numbers(c: &ContactRecord) -> [f64; NUMBERS] {
    let (p, n, f, t) = (c.point, c.normal, c.force, c.torque);
    [
        p.x, p.y, p.z, n.x, n.y, n.z, c.gap, f.x, f.y, f.z, t.x, t.y, t.z,
    ]
}

fn width(precision: Precision) -> usize {
    match precision {
        Precision::Single => 4,
        Precision::Double => 8,
    }
}

fn bits(x: f64) -> u32 {
    (x as f32).to_bits()
}

fn number(bits: u32) -> f64 {
    f64::from(f32::from_bits(bits))
}

fn narrow(column: &[u64]) -> Vec<u32> {
    column.iter().map(|&x| x as u32).collect()
}

/// The bits in which the column differs from the key frame's.
fn differences<T: Copy + Into<u64>>(
    column: &[T],
    key: Option<&Vec<T>>,
) -> impl Iterator<Item = u64> + Clone {
    let key = key.map_or(&[][..], Vec::as_slice);
    let other = move |k: usize| key.get(k).map_or(0, |&x| x.into());
    let all = column.iter().enumerate();
    all.map(move |(k, &x)| x.into() ^ other(k))
}

/// From differences back to the column.
fn undo<T: Copy + std::ops::BitXorAssign>(column: &mut [T], key: Option<&Vec<T>>) {
    if let Some(key) = key {
        column.iter_mut().zip(key).for_each(|(x, k)| *x ^= *k);
    }
}

/// All lowest bytes, then all second ones, and so on.
fn shuffle(width: usize, column: impl Iterator<Item = u64> + Clone, out: &mut Vec<u8>) {
    for byte in 0..width {
        out.extend(column.clone().map(|x| (x >> (8 * byte)) as u8));
    }
}

fn unshuffle(width: usize, count: usize, input: &mut &[u8]) -> Option<Vec<u64>> {
    let planes = input.split_off(..width.checked_mul(count)?)?;
    let mut column = vec![0_u64; count];
    for byte in 0..width {
        let plane = &planes[byte * count..][..count];
        for (x, &b) in column.iter_mut().zip(plane) {
            *x |= u64::from(b) << (8 * byte);
        }
    }
    Some(column)
}

/// Which component of the unit quaternion is largest, and the other three once that one is
/// positive.
fn smallest_three(rotation: DQuat) -> (u8, [f64; 3]) {
    let q = rotation.normalize().to_array();
    let mut largest = 3;
    for k in 0..3 {
        if q[k].abs() > q[largest].abs() {
            largest = k;
        }
    }
    let sign = if q[largest] < 0.0 { -1.0 } else { 1.0 };
    // Adding zero makes a negative zero positive: equal rotations, equal bits.
    let other = |k: usize| sign * q[if k < largest { k } else { k + 1 }] + 0.0;
    (largest as u8, [0, 1, 2].map(other))
}

fn from_three(flags: u8, others: [f64; 3]) -> DQuat {
    let largest = usize::from(flags & 3);
    let rest = 1.0 - others.iter().map(|x| x * x).sum::<f64>();
    let mut q = [rest.max(0.0).sqrt(); 4];
    for (k, x) in others.into_iter().enumerate() {
        q[if k < largest { k } else { k + 1 }] = x;
    }
    DQuat::from_array(q)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffled_column_has_its_bytes_by_weight() {
        let mut out = Vec::new();
        shuffle(2, [0x0102_u64, 0x0304].into_iter(), &mut out);
        assert_eq!(out, [0x02, 0x04, 0x01, 0x03]);
        assert_eq!(
            unshuffle(2, 2, &mut &out[..]).unwrap(),
            [0x0102_u64, 0x0304]
        );
    }

    #[test]
    fn a_rotation_and_its_opposite_quaternion_are_stored_alike() {
        let q = DQuat::from_xyzw(0.5, -0.5, 0.1, -0.7).normalize();
        assert_eq!(smallest_three(q), smallest_three(-q));
        let (flags, others) = smallest_three(q);
        assert_eq!(flags, 3);
        assert!(from_three(flags, others).angle_between(q) < 1e-7);
    }
}
