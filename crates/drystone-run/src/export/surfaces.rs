//! How finely the shapes of a run are cut into triangles.

use drystone::Shape;
use drystone::shape::SurfaceDetail;

use super::{ExportError, ExportOptions, Job};
use crate::recording::{Frame, RunHeader};

/// Half the edge of a plane's square in a run with nothing else in it, m.
const LONE_PLANE: f64 = 1.0;

/// A plane's square is larger by this factor than what it must reach, so that its edge is seen not
/// to belong to the scene.
const BEYOND: f64 = 1.1;

/// How finely shapes are cut into triangles. A plane's square is as large as the options say, or
/// reaches beyond all bodies at the beginning and at the end.
pub(super) fn surface_detail(
    job: &Job<'_>,
    options: &ExportOptions,
) -> Result<SurfaceDetail, ExportError> {
    let plane = match options.plane {
        Some(plane) => plane,
        None => {
            let mut size = 0.0_f64;
            for index in [0, job.recording.len() - 1] {
                size = size.max(plane_size(job.header(), &job.recording.frame(index)?));
            }
            size
        }
    };
    Ok(SurfaceDetail {
        plane,
        ..options.detail
    })
}

/// Half the edge of a square about any plane's origin that reaches beyond all bodies of a frame, m.
fn plane_size(header: &RunHeader, frame: &Frame) -> f64 {
    let bounded = |b: &usize| *header.shape(*b) != Shape::Plane;
    let planes = (0..header.bodies.len()).filter(|b| !bounded(b));
    let mut size = 0.0_f64;
    for plane in planes {
        let origin = frame.bodies[plane].position;
        for body in (0..header.bodies.len()).filter(bounded) {
            let distance = frame.bodies[body].position.distance(origin);
            size = size.max(distance + header.shape(body).radius_about_origin());
        }
    }
    if size > 0.0 {
        BEYOND * size
    } else {
        LONE_PLANE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::{BodyFrame, BodyRecord};

    #[test]
    fn a_plane_reaches_beyond_everything() {
        let mut header = RunHeader::new("a ball far away", 0.1);
        let plane = header.add_shape(Shape::plane());
        let ball = header.add_shape(Shape::sphere(0.5).unwrap());
        header.add_body("ground", BodyRecord::dynamic(plane, 0.0));
        header.add_body("ball", BodyRecord::dynamic(ball, 1.0));
        let at = |x: f64, y: f64| BodyFrame {
            position: glam::DVec3::new(x, y, 0.0),
            ..BodyFrame::default()
        };
        let frame = Frame {
            bodies: vec![at(1.0, 0.0), at(4.0, 4.0)],
            ..Frame::default()
        };
        // The ball's middle is 5 m from the plane's origin.
        assert_eq!(plane_size(&header, &frame), 1.1 * 5.5);
        let empty = RunHeader::new("nothing", 0.1);
        assert_eq!(plane_size(&empty, &Frame::default()), 1.0);
    }
}
