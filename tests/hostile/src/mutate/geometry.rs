//! Meshes, points and heights: what is still read becomes a shape.

use drystone::Shape;
use drystone_scene::mesh_file::{parse_asc, parse_height_rows, parse_obj, parse_points, parse_stl};

use super::format::{Format, Sources};

/// Most vertices of which a hull is made; with more it takes its time.
const MOST_POINTS: usize = 500;

/// A mesh or an error; its surface, and its mass where it is a solid.
pub fn mesh(format: Format, bytes: &[u8]) -> Result<bool, String> {
    let parsed = match format {
        Format::Obj => parse_obj(bytes, None),
        _ => parse_stl(bytes),
    };
    let Ok(data) = parsed else { return Ok(false) };
    if data.vertices.iter().any(|v| !v.is_finite()) {
        return Err("was read with a vertex that is not finite".to_owned());
    }
    let _ = (data.volume(), data.area(), data.bounds());
    let _ = data.surface();
    if let Ok(solid) = data.solid() {
        let mass = Shape::mesh(solid).mass_properties(1000.0);
        let mass = mass.map_err(|e| format!("a solid without mass: {e}"))?;
        if !(mass.mass > 0.0 && mass.mass.is_finite()) {
            return Err(format!("a solid of {} kg", mass.mass));
        }
    }
    Ok(true)
}

/// Points or an error; their hull.
pub fn points(bytes: &[u8]) -> Result<bool, String> {
    let Ok(points) = parse_points(bytes) else {
        return Ok(false);
    };
    if points.iter().any(|p| !p.is_finite()) {
        return Err("was read with a point that is not finite".to_owned());
    }
    if points.len() <= MOST_POINTS
        && let Ok(hull) = Shape::hull(&points)
    {
        let _ = hull.mass_properties(1000.0);
    }
    Ok(true)
}

/// Heights or an error; their field.
pub fn heights(format: Format, bytes: &[u8]) -> Result<bool, String> {
    let parsed = match format {
        Format::HeightGrid => parse_asc(bytes),
        _ => parse_height_rows(bytes, [0.5, 0.25]),
    };
    let Ok(grid) = parsed else { return Ok(false) };
    if grid.heights.iter().any(|h| !h.is_finite()) {
        return Err("was read with a height that is not finite".to_owned());
    }
    let _ = (grid.center(), grid.field());
    Ok(true)
}

/// Corners of a cube and its faces, counter-clockwise from outside.
const CORNERS: [[f32; 3]; 8] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [0.0, 1.0, 1.0],
];
const FACES: [[usize; 4]; 6] = [
    [0, 3, 2, 1],
    [4, 5, 6, 7],
    [0, 1, 5, 4],
    [1, 2, 6, 5],
    [2, 3, 7, 6],
    [3, 0, 4, 7],
];

/// Files to begin from: a cube in every format, points, heights.
pub fn sources(sources: &mut Sources) -> Result<(), String> {
    let triangles: Vec<[[f32; 3]; 3]> = FACES
        .iter()
        .flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]])
        .map(|corners| corners.map(|c| CORNERS[c]))
        .collect();
    let mut text = "solid cube\n".to_owned();
    let mut binary = vec![0; 80];
    binary.extend_from_slice(&(triangles.len() as u32).to_le_bytes());
    for triangle in &triangles {
        text += "facet normal 0 0 0\n outer loop\n";
        binary.extend_from_slice(&[0; 12]);
        for corner in triangle {
            let [x, y, z] = corner;
            text += &format!("  vertex {x} {y} {z}\n");
            binary.extend(corner.iter().flat_map(|v| v.to_le_bytes()));
        }
        text += " endloop\nendfacet\n";
        binary.extend_from_slice(&[0; 2]);
    }
    text += "endsolid cube\n";
    sources.add(Format::StlText, "cube.stl", text);
    sources.add(Format::StlBinary, "cube.stl", binary);
    let mut obj = "# a cube\nmtllib none.mtl\no cube\n".to_owned();
    for [x, y, z] in CORNERS {
        obj += &format!("v {x} {y} {z}\n");
    }
    obj += "vn 0 0 1\ng faces\nusemtl none\ns off\n";
    for [a, b, c, d] in FACES.map(|face| face.map(|k| k + 1)) {
        obj += &format!("f {a}//1 {b}//1 {c}//1 {d}//1\n");
    }
    obj += "o other\nf -8 -7 -6\nl 1 2\n";
    sources.add(Format::Obj, "cube.obj", obj);
    sources.add(
        Format::Points,
        "points.xyz",
        "x y z\n0 0 0\n1 0 0 # a corner\n0,1,0\n0;0;1\n1 1 1\n",
    );
    sources.add(
        Format::HeightRows,
        "heights.csv",
        "0, 0.1, 0.2\n0.1, 0.2, 0.3\n# a row\n0.2, 0.1, 0\n",
    );
    sources.add(
        Format::HeightGrid,
        "heights.asc",
        "ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 0.5\nnodata_value -9999\n0 0.1 0.2\n\
         0.3 0.2 0.1\n",
    );
    Ok(())
}
