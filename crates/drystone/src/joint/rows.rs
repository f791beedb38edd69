//! The rows of a joint: how fast each of its errors changes with the velocities of its two bodies.
//!
//! Letters: `a` and `b` the two bodies, `x`, `y`, `z` the axes of a frame, `d` a direction. A row
//! is `(∂e/∂v_a, ∂e/∂ω_a, ∂e/∂v_b, ∂e/∂ω_b)` of the error `e`, which is zero where the joint holds.
//! With `e` in m its impulses are in N s, with `e` in rad in N m s.

use drystone_collide::Pose;
use glam::DVec3;

use super::{JointKind, StoredJoint, near, turned_about_z};
use crate::bodies::Bodies;

/// Where the two ends of a joint are in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointEnds {
    pub frames: [Pose; 2],
    /// Centres of mass.
    pub centers: [DVec3; 2],
}

impl JointEnds {
    /// Where the bodies are now.
    pub fn now(joint: &StoredJoint, bodies: &Bodies) -> Self {
        Self::of(joint, |body| {
            (bodies.pose(body), bodies.states[body].position)
        })
    }

    /// `at` tells the pose of a body's shape and its centre of mass.
    pub fn of(joint: &StoredJoint, at: impl Fn(usize) -> (Pose, DVec3)) -> Self {
        let place = |k: usize| match joint.bodies[k] {
            None => (joint.frames[k], DVec3::ZERO),
            Some(body) => {
                let (pose, center) = at(body as usize);
                (pose.compose(&joint.frames[k]), center)
            }
        };
        let [(a, center_a), (b, center_b)] = [place(0), place(1)];
        Self {
            frames: [a, b],
            centers: [center_a, center_b],
        }
    }

    fn axis(&self, end: usize, local: DVec3) -> DVec3 {
        self.frames[end].direction(local)
    }

    /// From the first frame's origin to the second's.
    fn apart(&self) -> DVec3 {
        self.frames[1].position - self.frames[0].position
    }
}

/// One row of a joint: its share of each velocity.
pub(crate) type JointRow = [f64; 12];

/// At most six rows with their errors.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct JointRows {
    rows: [JointRow; 6],
    errors: [f64; 6],
    len: usize,
}

impl JointRows {
    fn push(&mut self, row: JointRow, error: f64) {
        self.rows[self.len] = row;
        self.errors[self.len] = error;
        self.len += 1;
    }

    pub fn rows(&self) -> &[JointRow] {
        &self.rows[..self.len]
    }

    /// m or rad.
    pub fn errors(&self) -> &[f64] {
        &self.errors[..self.len]
    }
}

/// Whether a row is an angular speed: it has no share of any linear velocity.
pub(crate) fn turns(row: &JointRow) -> bool {
    let [a, b] = [0, 6].map(|at| row[at..at + 3].iter().all(|share| *share == 0.0));
    a && b
}

/// A coordinate and its row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coordinate {
    pub value: f64,
    pub row: JointRow,
}

/// What the joint forbids: one row for each motion that its kind takes away. `turns` are the angles
/// of the last step, for gears and racks.
pub(crate) fn hard(joint: &StoredJoint, ends: &JointEnds, turns: [f64; 2]) -> JointRows {
    let mut rows = JointRows::default();
    let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z];
    let axis = |end: usize, local: DVec3| ends.axis(end, local);
    // The two origins are one point: along world axes, since no direction is special.
    let meet = |rows: &mut JointRows| {
        for d in [x, y, z] {
            rows.push(apart_along(ends, d), d.dot(ends.apart()));
        }
    };
    // The second origin has no offset along some axes of the first frame.
    let across = |rows: &mut JointRows, locals: &[DVec3]| {
        for d in locals.iter().map(|l| axis(0, *l)) {
            rows.push(offset_along(ends, d), d.dot(ends.apart()));
        }
    };
    // Two axes stay perpendicular: `u · w = 0`.
    let perpendicular = |rows: &mut JointRows, u: DVec3, w: DVec3| {
        rows.push(turn_about(w.cross(u)), u.dot(w));
    };
    // The z axes stay parallel. Also when they point opposite ways the errors are zero; joints
    // are added with one axis for both, and no step turns them half way round.
    let parallel = |rows: &mut JointRows| {
        for u in [x, y] {
            perpendicular(rows, axis(0, u), axis(1, z));
        }
    };
    match joint.kind {
        JointKind::Spherical => meet(&mut rows),
        JointKind::Revolute => {
            meet(&mut rows);
            parallel(&mut rows);
        }
        JointKind::Universal => {
            meet(&mut rows);
            perpendicular(&mut rows, axis(0, z), axis(1, x));
        }
        JointKind::Fixed => {
            meet(&mut rows);
            aligned(&mut rows, ends);
        }
        JointKind::Prismatic => {
            across(&mut rows, &[x, y]);
            aligned(&mut rows, ends);
        }
        JointKind::Cylindrical => {
            across(&mut rows, &[x, y]);
            parallel(&mut rows);
        }
        JointKind::PointOnLine => across(&mut rows, &[x, y]),
        JointKind::PointOnPlane => across(&mut rows, &[z]),
        JointKind::Distance(_) => {
            let (row, length) = distance(ends);
            rows.push(row, length - joint.length);
        }
        // Couplings have rows over more bodies: see `coupling.rs`.
        JointKind::Link | JointKind::Coupling { .. } => {}
        JointKind::Gear { ratio } => {
            let [a, b] = angles(joint, ends, turns);
            rows.push(turns_at(-ratio * axis(0, z), axis(1, z)), b - ratio * a);
        }
        JointKind::Rack { radius } => {
            let [a, _] = angles(joint, ends, turns);
            let d = joint.start[1].direction(x);
            let moved = d.dot(ends.frames[1].position - joint.start[1].position);
            let arm = ends.frames[1].position - ends.centers[1];
            let turn = turns_at(-radius * axis(0, z), arm.cross(d));
            let mut row = turn;
            row[6..9].copy_from_slice(&d.to_array());
            rows.push(row, moved - radius * a);
        }
    }
    rows
}

/// The joint's coordinate; an angle lies within half a turn of `last`.
pub(crate) fn coordinate(joint: &StoredJoint, ends: &JointEnds, last: f64) -> Option<Coordinate> {
    let z = ends.axis(0, DVec3::Z);
    match joint.kind {
        JointKind::Revolute => {
            let x = ends.axis(1, DVec3::X);
            let [u, v] = [DVec3::X, DVec3::Y].map(|l| ends.axis(0, l).dot(x));
            Some(Coordinate {
                value: near(v.atan2(u), last),
                row: turn_about(z),
            })
        }
        JointKind::Prismatic | JointKind::Cylindrical => Some(Coordinate {
            value: z.dot(ends.apart()),
            row: offset_along(ends, z),
        }),
        JointKind::Link => {
            let (row, value) = distance(ends);
            Some(Coordinate { value, row })
        }
        JointKind::Spherical
        | JointKind::Universal
        | JointKind::Fixed
        | JointKind::Distance(_)
        | JointKind::PointOnLine
        | JointKind::PointOnPlane
        | JointKind::Gear { .. }
        | JointKind::Rack { .. }
        | JointKind::Coupling { .. } => None,
    }
}

/// The angles that a joint remembers from step to step: its coordinate, or those of its two wheels.
pub(crate) fn angles(joint: &StoredJoint, ends: &JointEnds, last: [f64; 2]) -> [f64; 2] {
    match joint.kind {
        JointKind::Gear { .. } | JointKind::Rack { .. } => [0, 1].map(|k| {
            let (start, now) = (joint.start[k].rotation, ends.frames[k].rotation);
            turned_about_z(start, now, last[k])
        }),
        JointKind::Revolute => {
            let angle = coordinate(joint, ends, last[0]).map_or(0.0, |c| c.value);
            [angle, 0.0]
        }
        JointKind::Spherical
        | JointKind::Prismatic
        | JointKind::Cylindrical
        | JointKind::Universal
        | JointKind::Fixed
        | JointKind::Distance(_)
        | JointKind::Link
        | JointKind::PointOnLine
        | JointKind::PointOnPlane
        | JointKind::Coupling { .. } => [0.0; 2],
    }
}

/// The two origins' distance along a direction that does not turn.
fn apart_along(ends: &JointEnds, d: DVec3) -> JointRow {
    let [a, b] = [0, 1].map(|k| (ends.frames[k].position - ends.centers[k]).cross(d));
    row(-d, -a, d, b)
}

/// The second origin's offset along a direction that turns with the first body.
fn offset_along(ends: &JointEnds, d: DVec3) -> JointRow {
    let [a, b] = ends.centers.map(|c| (ends.frames[1].position - c).cross(d));
    row(-d, -a, d, b)
}

/// The relative turn about a direction.
fn turn_about(d: DVec3) -> JointRow {
    turns_at(-d, d)
}

/// A share of each body's turn.
fn turns_at(a: DVec3, b: DVec3) -> JointRow {
    row(DVec3::ZERO, a, DVec3::ZERO, b)
}

fn distance(ends: &JointEnds) -> (JointRow, f64) {
    let apart = ends.apart();
    let length = apart.length();
    // Ends that meet have no direction: any will part them.
    let d = apart.try_normalize().unwrap_or(DVec3::Z);
    (apart_along(ends, d), length)
}

/// Three rows that keep the frames parallel. The error is the angle vector from the first to the
/// second, which is right for large angles too.
fn aligned(rows: &mut JointRows, ends: &JointEnds) {
    let mut turn = ends.frames[1].rotation * ends.frames[0].rotation.inverse();
    if turn.w < 0.0 {
        turn = -turn; // the shorter way round
    }
    let angle = turn.normalize().to_scaled_axis();
    for d in [DVec3::X, DVec3::Y, DVec3::Z] {
        rows.push(turn_about(d), d.dot(angle));
    }
}

fn row(linear_a: DVec3, angular_a: DVec3, linear_b: DVec3, angular_b: DVec3) -> JointRow {
    let mut row = [0.0; 12];
    let parts = [linear_a, angular_a, linear_b, angular_b];
    for (part, out) in parts.iter().zip(row.as_chunks_mut::<3>().0) {
        *out = part.to_array();
    }
    row
}

/// Where bodies are after a time at velocities that stay.
#[cfg(test)]
pub(super) fn moved<'b>(
    bodies: &'b Bodies,
    velocities: &'b [crate::motion::Velocity],
    time: f64,
) -> impl Fn(usize) -> (Pose, DVec3) + 'b {
    move |body| {
        let (state, inertia) = (&bodies.states[body], &bodies.inertias[body]);
        let moved = crate::motion::advance(state, inertia, &velocities[body], time);
        let (position, rotation) = (moved.position, moved.rotation);
        (Pose { position, rotation }, position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::joint::{Joint, place};
    use crate::motion::Velocity;
    use crate::{Body, Settings, Shape, World};
    use glam::DQuat;

    /// Two bricks somewhere, and every kind of joint between them.
    fn joints() -> (World, Vec<StoredJoint>) {
        let mut world = World::new(Settings::default()).unwrap();
        let brick = || Body::dynamic(Shape::box_of([0.1, 0.2, 0.3]).unwrap());
        let a = world.add(
            brick()
                .at([0.1, 0.2, 0.3])
                .rotated(DQuat::from_rotation_x(0.4)),
        );
        let b = world.add(
            brick()
                .at([1.0, -0.2, 0.5])
                .rotated(DQuat::from_rotation_y(1.4)),
        );
        let (a, b) = (a.unwrap(), b.unwrap());
        let kinds = [
            JointKind::Spherical,
            JointKind::Revolute,
            JointKind::Prismatic,
            JointKind::Cylindrical,
            JointKind::Universal,
            JointKind::Fixed,
            JointKind::Distance(None),
            JointKind::Link,
            JointKind::PointOnLine,
            JointKind::PointOnPlane,
            JointKind::Gear { ratio: -0.7 },
            JointKind::Rack { radius: 0.3 },
        ];
        let stored = kinds.map(|kind| {
            let joint = Joint::new(kind, a, b)
                .axis([0.3, 0.5, 0.8])
                .second_axis([0.8, 0.0, -0.3]);
            let apart = [[0.4, 0.1, 0.2], [0.7, 0.3, 0.1]];
            let joint = match kind {
                JointKind::Distance(_) | JointKind::Link => joint.between(apart[0], apart[1]),
                _ => joint.at(apart[0]),
            };
            place(&joint, kind.name().to_owned(), &world.bodies, 0.0).unwrap()
        });
        (world, stored.into())
    }

    #[test]
    fn rows_are_the_derivatives_of_the_errors() {
        let (world, joints) = joints();
        let velocities = [
            Velocity {
                linear: DVec3::new(0.3, -0.4, 0.2),
                angular: DVec3::new(0.5, 0.7, -0.3),
            },
            Velocity {
                linear: DVec3::new(-0.1, 0.6, 0.9),
                angular: DVec3::new(-0.2, 0.4, 0.8),
            },
        ];
        let h = 1e-6;
        let at = |time: f64| moved(&world.bodies, &velocities, time);
        let speed = |row: &JointRow| {
            let v = velocities.map(|v| [v.linear.to_array(), v.angular.to_array()]);
            let v = v.as_flattened().as_flattened();
            row.iter().zip(v).map(|(r, v)| r * v).sum::<f64>()
        };
        for joint in &joints {
            let [before, now, after] = [-h, 0.0, h].map(|t| JointEnds::of(joint, at(t)));
            let errors = |ends| hard(joint, ends, [0.0; 2]);
            let rows = errors(&now);
            for (k, row) in rows.rows().iter().enumerate() {
                assert!(rows.errors()[k].abs() < 1e-12, "{} holds", joint.name);
                let slope = (errors(&after).errors()[k] - errors(&before).errors()[k]) / (2.0 * h);
                let (name, found) = (&joint.name, speed(row));
                assert!(
                    (found - slope).abs() < 1e-7,
                    "{name} row {k}: {found} {slope}"
                );
            }
            if let Some(c) = coordinate(joint, &now, 0.0) {
                let value = |ends| coordinate(joint, ends, 0.0).unwrap().value;
                let slope = (value(&after) - value(&before)) / (2.0 * h);
                assert!((speed(&c.row) - slope).abs() < 1e-7, "{}", joint.name);
            }
        }
    }
}
