//! Wavefront OBJ: one file of triangles per frame, one object per body.

use std::fmt::Write;

use drystone::shape::TriangleSoup;

use super::surfaces::surface_detail;
use super::{ExportError, ExportOptions, Job, is_drawn};

pub(super) fn write(job: &mut Job<'_>, options: &ExportOptions) -> Result<(), ExportError> {
    let header = job.header();
    let detail = surface_detail(job, options)?;
    let shapes = header.shapes.iter();
    let surfaces: Vec<TriangleSoup> = shapes.map(|shape| shape.tessellate(&detail)).collect();
    job.each_frame(|job, index, frame| {
        let title = header.title.replace(['\r', '\n'], " ");
        let mut out = format!("# {title}: step {}, time {:?} s\n", frame.step, frame.time);
        // Vertices count from 1 through the whole file.
        let mut first = 1;
        for body in (0..header.bodies.len()).filter(|&b| is_drawn(header, frame, b)) {
            let name = header.body_name(body).replace(char::is_whitespace, "_");
            let surface = &surfaces[header.bodies[body].shape as usize];
            let pose = frame.bodies[body].pose();
            let group = &header.groups[header.bodies[body].group as usize].name;
            let group = group.replace(char::is_whitespace, "_");
            let _ = writeln!(out, "o {name}\ng {group}");
            for &vertex in &surface.vertices {
                let v = pose.point(vertex).as_vec3();
                let _ = writeln!(out, "v {} {} {}", v.x, v.y, v.z);
            }
            for triangle in &surface.triangles {
                let [a, b, c] = triangle.map(|k| k as usize + first);
                let _ = writeln!(out, "f {a} {b} {c}");
            }
            first += surface.vertices.len();
        }
        job.write_file(&format!("frame_{index:06}.obj"), out.as_bytes())
    })
}
