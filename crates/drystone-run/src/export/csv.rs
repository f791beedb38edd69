//! Tables as text: one of the bodies, one of the frames, and two for each frame.

use drystone::BodyKind;
use glam::DVec3;

use super::{ExportError, Job};
use crate::recording::{BodyFrame, Cell, ContactRecord, Precision, RunHeader, push_cell};
use drystone_scene::shape_sizes::ShapeSizes;

pub(super) fn write(job: &mut Job<'_>) -> Result<(), ExportError> {
    let header = job.header();
    write_bodies(job)?;
    let names = names(header);
    let mut frames = String::from("frame,step,time\n");
    job.each_frame(|job, index, frame| {
        let mut out = String::from("body,name,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,enabled\n");
        for (body, (state, name)) in frame.bodies.iter().zip(&names).enumerate() {
            push_body(&mut out, body, name, state, header.positions);
        }
        job.write_file(&format!("bodies_{index:06}.csv"), out.as_bytes())?;
        if let Some(contacts) = &frame.contacts {
            let mut out = String::from("first,second,x,y,z,nx,ny,nz,gap,fx,fy,fz,tx,ty,tz\n");
            contacts.iter().for_each(|c| push_contact(&mut out, c));
            job.write_file(&format!("contacts_{index:06}.csv"), out.as_bytes())?;
        }
        frames.push_str(&format!("{index},{},{:?}\n", frame.step, frame.time));
        Ok(())
    })?;
    job.write_file("frames.csv", frames.as_bytes())
}

/// The table of what does not change about the bodies.
pub(super) fn write_bodies(job: &mut Job<'_>) -> Result<(), ExportError> {
    let header = job.header();
    job.write_file("bodies.csv", bodies(header, &names(header)).as_bytes())
}

fn names(header: &RunHeader) -> Vec<String> {
    let bodies = 0..header.bodies.len();
    bodies.map(|body| header.body_name(body)).collect()
}

fn bodies(header: &RunHeader, names: &[String]) -> String {
    let mut out = String::from(
        "body,name,group,number,kind,shape,material,mass,radius,height,size_x,size_y,size_z,volume\n",
    );
    let sizes = ShapeSizes::of_all(&header.shapes);
    for (body, (record, name)) in header.bodies.iter().zip(names).enumerate() {
        let shape = header.shape(body);
        let kind = kind_name(record.kind);
        let group = &header.groups[record.group as usize].name;
        let material = &header.materials[record.material as usize].name;
        let sizes = &sizes[record.shape as usize];
        let values = [
            Cell::Integer(body as u64),
            Cell::Text(name),
            Cell::Text(group),
            Cell::Integer(u64::from(record.number)),
            Cell::Text(kind),
            Cell::Text(shape.kind()),
            Cell::Text(material),
            Cell::Real(record.mass),
            Cell::Real(sizes.radius),
            Cell::Real(sizes.height),
            Cell::Real(sizes.size.x),
            Cell::Real(sizes.size.y),
            Cell::Real(sizes.size.z),
            Cell::Real(sizes.volume),
        ];
        for (k, value) in values.iter().enumerate() {
            if k > 0 {
                out.push(',');
            }
            push_cell(&mut out, value);
        }
        out.push('\n');
    }
    out
}

pub(super) fn kind_name(kind: BodyKind) -> &'static str {
    match kind {
        BodyKind::Fixed => "fixed",
        BodyKind::Prescribed => "prescribed",
        BodyKind::Dynamic => "dynamic",
    }
}

fn push_body(out: &mut String, body: usize, name: &str, state: &BodyFrame, positions: Precision) {
    out.push_str(&body.to_string());
    out.push(',');
    push_cell(out, &Cell::Text(name));
    match positions {
        Precision::Single => push_single(out, &state.position.to_array()),
        Precision::Double => {
            for x in state.position.to_array() {
                out.push_str(&format!(",{x:?}"));
            }
        }
    }
    let q = state.rotation;
    push_single(out, &[q.w, q.x, q.y, q.z]);
    push_vectors(out, &[state.velocity, state.angular_velocity]);
    out.push_str(if state.enabled { ",1\n" } else { ",0\n" });
}

fn push_contact(out: &mut String, contact: &ContactRecord) {
    let [first, second] = contact.bodies;
    out.push_str(&format!("{first},{second}"));
    push_vectors(out, &[contact.point, contact.normal]);
    push_single(out, &[contact.gap]);
    push_vectors(out, &[contact.force, contact.torque]);
    out.push('\n');
}

fn push_vectors(out: &mut String, vectors: &[DVec3]) {
    vectors.iter().for_each(|v| push_single(out, &v.to_array()));
}

/// Numbers that are stored in single precision, with as many digits as that has.
fn push_single(out: &mut String, numbers: &[f64]) {
    for &x in numbers {
        out.push_str(&format!(",{:?}", x as f32));
    }
}
