//! For ParaView: balls as points, all other shapes as triangles, contacts as points. Each is a
//! series of files.

use drystone::Shape;
use drystone::shape::TriangleSoup;
use glam::DVec3;

use super::csv::write_bodies;
use super::surfaces::surface_detail;
use super::vtp::{Array, Numbers, PolyData, collection};
use super::{ExportError, ExportOptions, Job, ball_radius, is_drawn};
use crate::recording::{ContactRecord, Frame, RunHeader};
use drystone_scene::shape_sizes::ShapeSizes;

/// Names of files and their times.
type Series = Vec<(f64, String)>;

pub(super) fn write(job: &mut Job<'_>, options: &ExportOptions) -> Result<(), ExportError> {
    let header = job.header();
    let detail = surface_detail(job, options)?;
    // Balls are points with a radius, so that a million of them need no triangles.
    let surface = |shape: &Shape| match ball_radius(shape) {
        Some(_) => None,
        None => Some(shape.tessellate(&detail)),
    };
    let surfaces: Vec<Option<TriangleSoup>> = header.shapes.iter().map(surface).collect();
    let has_spheres = surfaces.iter().any(Option::is_none);
    let has_surfaces = surfaces.iter().any(Option::is_some);
    let sizes = ShapeSizes::of_all(&header.shapes);
    // Names once: in each file they would be the largest part.
    write_bodies(job)?;
    let [mut spheres, mut others, mut contacts] = [const { Series::new() }; 3];
    job.each_frame(|job, index, frame| {
        if has_spheres {
            let data = sphere_data(header, frame, &sizes);
            add(job, "spheres", index, &data, &mut spheres)?;
        }
        if has_surfaces {
            let data = surface_data(header, frame, &surfaces, &sizes);
            add(job, "surfaces", index, &data, &mut others)?;
        }
        if let Some(list) = &frame.contacts {
            let data = contact_data(frame.time, list);
            add(job, "contacts", index, &data, &mut contacts)?;
        }
        Ok(())
    })?;
    for (name, series) in [
        ("spheres", spheres),
        ("surfaces", others),
        ("contacts", contacts),
    ] {
        if !series.is_empty() {
            let content = collection(&series);
            job.write_file(&format!("{name}.pvd"), content.as_bytes())?;
        }
    }
    Ok(())
}

fn add(
    job: &mut Job<'_>,
    name: &str,
    index: usize,
    data: &PolyData,
    series: &mut Series,
) -> Result<(), ExportError> {
    let file = format!("{name}_{index:06}.vtp");
    job.write_file(&file, data.to_xml().as_bytes())?;
    series.push((data.time, file));
    Ok(())
}

fn sphere_data(header: &RunHeader, frame: &Frame, sizes: &[ShapeSizes]) -> PolyData {
    let radius = |b: usize| ball_radius(header.shape(b));
    let all = 0..header.bodies.len();
    let bodies = all.filter(|&b| radius(b).is_some() && is_drawn(header, frame, b));
    let bodies: Vec<usize> = bodies.collect();
    let states = || bodies.iter().map(|&b| &frame.bodies[b]);
    let radii = bodies.iter().filter_map(|&b| radius(b)).map(|r| r as f32);
    let rotations = states().flat_map(|s| s.rotation.as_quat().to_array());
    let mut point_data = vec![
        Array::new("radius", 1, Numbers::F32(radii.collect())),
        Array::vectors("velocity", states().map(|s| s.velocity)),
        Array::vectors("angular_velocity", states().map(|s| s.angular_velocity)),
        Array::new("quaternion_xyzw", 4, Numbers::F32(rotations.collect())),
    ];
    point_data.extend(body_data(header, &bodies, sizes));
    PolyData {
        time: frame.time,
        points: states().map(|s| s.position).collect(),
        triangles: Vec::new(),
        point_data,
        cell_data: Vec::new(),
        names: names(header),
    }
}

fn surface_data(
    header: &RunHeader,
    frame: &Frame,
    surfaces: &[Option<TriangleSoup>],
    sizes: &[ShapeSizes],
) -> PolyData {
    let mut all = TriangleSoup::default();
    // The body of each triangle.
    let mut bodies = Vec::new();
    for body in 0..header.bodies.len() {
        let surface = &surfaces[header.bodies[body].shape as usize];
        if let Some(surface) = surface.as_ref().filter(|_| is_drawn(header, frame, body)) {
            all.append(surface, &frame.bodies[body].pose());
            bodies.resize(all.triangles.len(), body);
        }
    }
    let states = || bodies.iter().map(|&b| &frame.bodies[b]);
    let mut cell_data = vec![
        Array::vectors("velocity", states().map(|s| s.velocity)),
        Array::vectors("angular_velocity", states().map(|s| s.angular_velocity)),
    ];
    cell_data.extend(body_data(header, &bodies, sizes));
    PolyData {
        time: frame.time,
        points: all.vertices,
        triangles: all.triangles,
        point_data: Vec::new(),
        cell_data,
        names: names(header),
    }
}

/// What the indices of groups and materials mean.
fn names(header: &RunHeader) -> Vec<(&'static str, Vec<String>)> {
    let groups = header.groups.iter().map(|g| g.name.clone());
    let materials = header.materials.iter().map(|m| m.name.clone());
    vec![
        ("group_name", groups.collect()),
        ("material_name", materials.collect()),
    ]
}

/// What does not change about bodies. Colours only where some body has one: white for the others.
fn body_data(header: &RunHeader, bodies: &[usize], sizes: &[ShapeSizes]) -> Vec<Array> {
    let records = || bodies.iter().map(|&b| &header.bodies[b]);
    let masses = records().map(|r| r.mass as f32).collect();
    let mut arrays = vec![
        Array::indices("body", bodies.iter().map(|&b| b as u32)),
        Array::indices("group", records().map(|r| r.group)),
        Array::indices("number", records().map(|r| r.number)),
        Array::indices("material", records().map(|r| u32::from(r.material))),
        Array::new("mass", 1, Numbers::F32(masses)),
        Array::vectors("size", records().map(|r| sizes[r.shape as usize].size)),
    ];
    if header.bodies.iter().any(|r| r.appearance.color.is_some()) {
        let colors = records().flat_map(|r| r.appearance.color.unwrap_or([255; 3]));
        arrays.push(Array::new("color", 3, Numbers::U8(colors.collect())));
    }
    arrays
}

fn contact_data(time: f64, contacts: &[ContactRecord]) -> PolyData {
    let all = || contacts.iter();
    let gaps = all().map(|c| c.gap as f32).collect();
    let normal_force = |c: &ContactRecord| c.force.dot(c.normal) as f32;
    let vectors = |name, of: fn(&ContactRecord) -> DVec3| Array::vectors(name, all().map(of));
    PolyData {
        time,
        points: all().map(|c| c.point).collect(),
        triangles: Vec::new(),
        point_data: vec![
            vectors("force", |c| c.force),
            vectors("torque", |c| c.torque),
            vectors("normal", |c| c.normal),
            Array::new("gap", 1, Numbers::F32(gaps)),
            Array::new(
                "normal_force",
                1,
                Numbers::F32(all().map(normal_force).collect()),
            ),
            Array::indices("first", all().map(|c| c.bodies[0])),
            Array::indices("second", all().map(|c| c.bodies[1])),
        ],
        cell_data: Vec::new(),
        names: Vec::new(),
    }
}
