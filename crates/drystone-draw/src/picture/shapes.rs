//! Recorded bodies as shapes of a picture.

use std::collections::BTreeMap;

use drystone::{Aabb, BodyKind};
use drystone_run::recording::{Frame, Opacity, RunHeader};
use glam::DVec3;

use crate::render::{Color, DrawnShape, framed_bounds};

/// The shapes of a frame. Bodies that take no part are left out.
pub fn drawn_shapes(header: &RunHeader, frame: &Frame, colors: &[Color]) -> Vec<DrawnShape> {
    let region = framed_region(header, frame);
    let mut shapes = Vec::with_capacity(frame.bodies.len());
    let mut groups = Vec::with_capacity(frame.bodies.len());
    let bodies = header.bodies.iter().zip(&frame.bodies).zip(colors);
    for ((record, body), color) in bodies.filter(|((_, body), _)| body.enabled) {
        shapes.push(DrawnShape {
            shape: header.shapes[record.shape as usize].clone(),
            pose: body.pose(),
            color: *color,
            opacity: record.appearance.opacity,
            framed: record.kind == BodyKind::Dynamic && region.contains(body.position),
        });
        groups.push(record.group);
    }
    frame_vessels(&mut shapes, &groups);
    shapes
}

/// Radius of the largest glass that is framed, in radii of the moving bodies. In a larger vessel
/// they would be lost.
const LARGEST_VESSEL: f64 = 3.0;

/// How far glass may be from the moving bodies and still be framed, in their radii. A gate that was
/// lifted and flies away holds nothing any more.
const NEAR: f64 = 0.1;

/// Frames glass around the moving bodies too, unless it is too large or holds none of them. The
/// pieces of a vessel, which are one group, are framed together: none of it is cut off.
fn frame_vessels(shapes: &mut [DrawnShape], groups: &[u32]) {
    let bodies = framed_bounds(shapes);
    let near = bodies.grown(NEAR * bodies.radius());
    let is_framed = |bounds: Aabb| {
        let large = bounds.radius() > LARGEST_VESSEL * bodies.radius();
        !large && bounds.overlaps(&near)
    };
    let is_glass = |shape: &DrawnShape| shape.opacity == Opacity::Glass;
    // What the glass of each group takes up.
    let mut vessels: BTreeMap<u32, Aabb> = BTreeMap::new();
    for (shape, group) in shapes.iter().zip(groups).filter(|(s, _)| is_glass(s)) {
        let vessel = vessels.entry(*group).or_insert(Aabb::EMPTY);
        *vessel = vessel.union(&shape.bounds());
    }
    for (shape, group) in shapes.iter_mut().zip(groups) {
        if is_glass(shape) {
            shape.framed |= is_framed(vessels[group]) || is_framed(shape.bounds());
        }
    }
}

/// Fewer moving bodies than this are all framed.
const FEW_BODIES: usize = 40;

/// Where most moving bodies are. A few that fell off an edge must not make the rest a dot in the
/// picture.
///
/// Along each axis the middle 90 % of the bodies span a range. The region is three times as wide,
/// and a quarter of its largest side more, because bodies may lie flat.
fn framed_region(header: &RunHeader, frame: &Frame) -> Aabb {
    let moving = header.bodies.iter().zip(&frame.bodies);
    let moving = moving.filter(|(r, b)| r.kind == BodyKind::Dynamic && b.enabled);
    let places: Vec<DVec3> = moving.map(|(_, b)| b.position).collect();
    if places.len() < FEW_BODIES {
        return Aabb::EVERYTHING;
    }
    let mut region = Aabb::EVERYTHING;
    for axis in 0..3 {
        let mut along: Vec<f64> = places.iter().map(|p| p[axis]).collect();
        along.sort_unstable_by(f64::total_cmp);
        let last = along.len() - 1;
        let (low, high) = (along[last / 20], along[last - last / 20]);
        (region.min[axis], region.max[axis]) = (2.0 * low - high, 2.0 * high - low);
    }
    region.grown(0.25 * region.extent().max_element())
}

#[cfg(test)]
mod tests {
    use drystone::Shape;
    use drystone_run::recording::{BodyFrame, BodyRecord};

    use super::*;

    /// Balls on a line, one metre apart, the last one far away.
    fn line(count: usize) -> (RunHeader, Frame) {
        let mut header = RunHeader::new("balls", 0.01);
        let ball = header.add_shape(Shape::sphere(0.1).unwrap());
        let mut frame = Frame::default();
        for k in 0..count {
            header.add_body("balls", BodyRecord::dynamic(ball, 1.0));
            let x = if k + 1 == count { 1e6 } else { k as f64 };
            frame.bodies.push(BodyFrame {
                position: DVec3::new(x, 0.0, 0.0),
                ..BodyFrame::default()
            });
        }
        (header, frame)
    }

    #[test]
    fn one_ball_far_away_is_not_framed_among_many() {
        for (count, all) in [(FEW_BODIES - 1, true), (FEW_BODIES, false)] {
            let (header, frame) = line(count);
            let shapes = drawn_shapes(&header, &frame, &vec![Color::WHITE; count]);
            assert!(shapes[..count - 1].iter().all(|s| s.framed));
            assert_eq!(shapes[count - 1].framed, all, "{count}");
        }
    }

    #[test]
    fn bodies_that_take_no_part_are_left_out() {
        let (header, mut frame) = line(3);
        frame.bodies[1].enabled = false;
        let colors = [0.1, 0.2, 0.3].map(Color::grey);
        let shapes = drawn_shapes(&header, &frame, &colors);
        let drawn: Vec<Color> = shapes.iter().map(|s| s.color).collect();
        assert_eq!(drawn, [colors[0], colors[2]]);
    }

    #[test]
    fn a_vessel_of_several_pieces_is_framed_whole() {
        for (name, framed) in [("vessel", true), ("lid", false)] {
            let (mut header, mut frame) = line(3);
            frame.bodies[2].position.x = 2.0;
            let piece = header.add_shape(Shape::box_of([0.5; 3]).unwrap());
            // One beside the balls, one above them: a piece of the same vessel, or not.
            for (group, height) in [("vessel", 0.0), (name, 2.0)] {
                let mut record = BodyRecord::dynamic(piece, 0.0);
                record.kind = BodyKind::Fixed;
                record.appearance.opacity = Opacity::Glass;
                header.add_body(group, record);
                frame.bodies.push(BodyFrame {
                    position: DVec3::new(0.0, 0.0, height),
                    ..BodyFrame::default()
                });
            }
            let shapes = drawn_shapes(&header, &frame, &[Color::WHITE; 5]);
            assert_eq!(
                [shapes[3].framed, shapes[4].framed],
                [true, framed],
                "{name}"
            );
        }
    }

    #[test]
    fn glass_is_framed_unless_it_is_much_larger_than_what_moves_or_far_away() {
        for (half, height, framed) in [(1.5, 0.0, true), (20.0, 0.0, false), (1.5, 3.0, false)] {
            let (mut header, mut frame) = line(3);
            frame.bodies[2].position.x = 2.0;
            let wall = header.add_shape(Shape::box_of([half; 3]).unwrap());
            let mut record = BodyRecord::dynamic(wall, 0.0);
            record.kind = BodyKind::Fixed;
            record.appearance.opacity = Opacity::Glass;
            header.add_body("vessel", record);
            frame.bodies.push(BodyFrame {
                position: DVec3::new(0.0, 0.0, height),
                ..BodyFrame::default()
            });
            let shapes = drawn_shapes(&header, &frame, &[Color::WHITE; 4]);
            assert_eq!(shapes[3].framed, framed, "{half} {height}");
        }
    }
}
