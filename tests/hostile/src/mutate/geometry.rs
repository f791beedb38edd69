//! Meshes, points and heights: what is still read becomes a shape.

use drystone::Shape;
use drystone_scene::mesh_file::{
    parse_asc, parse_collada, parse_gltf, parse_height_rows, parse_obj, parse_points, parse_stl,
};

use super::format::{Format, Sources};

/// Most vertices of which a hull is made; with more it takes its time.
const MOST_POINTS: usize = 500;

/// A mesh or an error; its surface, and its mass where it is a solid.
pub fn mesh(format: Format, bytes: &[u8]) -> Result<bool, String> {
    let parsed = match format {
        Format::Obj => parse_obj(bytes, None),
        Format::Glb | Format::Gltf => parse_gltf(bytes, None),
        Format::Collada => parse_collada(bytes, None),
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
    sources.add(Format::Glb, "cube.glb", glb(&triangles));
    sources.add(Format::Gltf, "corner.gltf", GLTF);
    sources.add(Format::Collada, "cube.dae", collada());
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

/// glTF as text: a triangle whose corners are in the file.
const GLTF: &str = r#"{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 1]}],
"nodes": [{"name": "a", "mesh": 0, "matrix": [2,0,0,0,0,2,0,0,0,0,2,0,1,2,3,1]},
{"children": [2], "translation": [1, 2, 3], "rotation": [0, 0, 0, 1]}, {"mesh": 0, "scale": [1, -1, 1]}],
"meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "mode": 4}]}],
"accessors": [{"bufferView": 0, "byteOffset": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
"bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 36, "byteStride": 12}],
"buffers": [{"byteLength": 36,
"uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]}
"#;

/// Binary glTF of triangles one by one, with indices.
fn glb(triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
    let corners = triangles.as_flattened();
    let mut buffer: Vec<u8> = corners
        .iter()
        .flatten()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    let positions = buffer.len();
    buffer.extend((0..corners.len() as u16).flat_map(u16::to_le_bytes));
    let (count, all) = (corners.len(), buffer.len());
    let mut json = format!(
        r#"{{"asset":{{"version":"2.0"}},"nodes":[{{"name":"cube","mesh":0,"scale":[1,2,3]}}],
"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
"accessors":[{{"bufferView":0,"componentType":5126,"count":{count},"type":"VEC3"}},
{{"bufferView":1,"componentType":5123,"count":{count},"type":"SCALAR"}}],
"bufferViews":[{{"buffer":0,"byteLength":{positions}}},
{{"buffer":0,"byteOffset":{positions},"byteLength":{}}}],"buffers":[{{"byteLength":{all}}}]}}"#,
        all - positions
    );
    while json.len() % 4 != 0 {
        json.push(' ');
    }
    let mut bytes = b"glTF".to_vec();
    for word in [2, (28 + json.len() + all) as u32, json.len() as u32] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(b"JSON");
    bytes.extend(json.as_bytes());
    bytes.extend((all as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(buffer);
    bytes
}

/// The cube in Collada: polygons, and nodes that place it.
fn collada() -> String {
    let positions: Vec<String> = CORNERS.iter().flatten().map(f32::to_string).collect();
    let indices: Vec<String> = FACES.iter().flatten().map(usize::to_string).collect();
    format!(
        r##"<COLLADA version="1.4.1"><asset><unit meter="0.01"/></asset>
<library_geometries><geometry id="g" name="cube"><mesh><source id="p">
<float_array id="a" count="24">{}</float_array><technique_common>
<accessor source="#a" count="8" stride="3" offset="0"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<polylist count="6"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4 4 4 4 4 4</vcount>
<p>{}</p></polylist><triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p>
</triangles></mesh></geometry></library_geometries>
<library_nodes><node id="n"><scale>1 2 3</scale><instance_geometry url="#g"/></node></library_nodes>
<library_visual_scenes><visual_scene id="s"><node id="m"><translate>1 2 3</translate>
<rotate>0 0 1 30</rotate><instance_node url="#n"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>
"##,
        positions.join(" "),
        indices.join(" ")
    )
}
