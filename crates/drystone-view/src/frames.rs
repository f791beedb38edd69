//! Frames and contacts as the server sends them.

use drystone_run::recording::{ContactRecord, Frame, Recording};
use glam::{DQuat, DVec3};

use crate::binary::Columns;

/// Steps of a rotation's components between 0 and 1.
pub const ROTATION_STEPS: f64 = 32_767.0;

/// Flag of contacts that have torques, against rolling and spinning.
const WITH_TORQUES: u32 = 1;

/// `index.bin`.
pub fn index(recording: &Recording) -> Vec<u8> {
    let frames = 0..recording.len();
    let mut columns = Columns::new(recording.len(), 0);
    columns
        .column(frames.clone().map(|k| recording.step(k) as f64))
        .column(frames.map(|k| recording.time(k)));
    columns.finish()
}

/// `frame/K.bin`.
pub fn frame(frame: &Frame, origin: DVec3) -> Vec<u8> {
    let bodies = &frame.bodies;
    let mut columns = Columns::new(bodies.len(), 0);
    columns.reserve(45 * bodies.len() + 64);
    columns
        .column(bodies.iter().map(|b| single(b.position - origin)))
        .column(bodies.iter().map(|b| rotation(b.rotation)))
        .column(bodies.iter().map(|b| single(b.velocity)))
        .column(bodies.iter().map(|b| single(b.angular_velocity)))
        .column(bodies.iter().map(|b| u8::from(b.enabled)));
    columns.finish()
}

/// `contacts/K.bin`; none where they were not recorded.
pub fn contacts(frame: &Frame, origin: DVec3) -> Option<Vec<u8>> {
    let contacts = frame.contacts.as_ref()?;
    let of = |read: fn(&ContactRecord) -> DVec3| contacts.iter().map(move |c| single(read(c)));
    let rolls = contacts.iter().any(|c| c.torque != DVec3::ZERO);
    let mut columns = Columns::new(contacts.len(), if rolls { WITH_TORQUES } else { 0 });
    columns
        .column(contacts.iter().map(|c| c.bodies[0]))
        .column(contacts.iter().map(|c| c.bodies[1]))
        .column(contacts.iter().map(|c| single(c.point - origin)))
        .column(of(|c| c.normal))
        .column(of(|c| c.force))
        .column(contacts.iter().map(|c| c.gap as f32));
    if rolls {
        columns.column(of(|c| c.torque));
    }
    Some(columns.finish())
}

fn single(vector: DVec3) -> [f32; 3] {
    vector.as_vec3().to_array()
}

/// x, y, z and w in 16 bits.
fn rotation(rotation: DQuat) -> [i16; 4] {
    let step = |v: f64| (ROTATION_STEPS * v).round() as i16;
    rotation.normalize().to_array().map(step)
}
