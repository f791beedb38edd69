//! glTF and Collada: what is written is read where it is placed, what is damaged is named, nothing
//! panics.

#![allow(clippy::unwrap_used)]

use drystone_scene::mesh_file::{MeshData, parse_collada, parse_gltf, read_mesh, read_points};
use glam::DVec3;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Corners of a cube of edge 1 from the origin, and its triangles, counter-clockwise from outside.
fn cube() -> ([[f32; 3]; 8], Vec<u16>) {
    let corner = |k: usize| [(k & 1) as f32, (k >> 1 & 1) as f32, (k >> 2) as f32];
    let quads: [[u16; 4]; 6] = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    let faces = quads.iter().flat_map(|&[a, b, c, d]| [a, b, c, a, c, d]);
    (std::array::from_fn(corner), faces.collect())
}

/// The buffer of the cube: 96 bytes of positions, then 72 of indices.
fn buffer() -> Vec<u8> {
    let (corners, indices) = cube();
    let mut bytes: Vec<u8> = corners
        .iter()
        .flatten()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    bytes.extend(indices.iter().flat_map(|k| k.to_le_bytes()));
    bytes
}

/// A document with the cube in one buffer; `uri` is empty, or the key with its comma.
fn document(uri: &str, nodes: &str) -> String {
    format!(
        r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [0]}}],
"nodes": [{nodes}],
"meshes": [{{"name": "cube", "primitives": [
  {{"attributes": {{"POSITION": 0, "NORMAL": 9}}, "indices": 1, "material": 3}}]}}],
"accessors": [
  {{"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3"}},
  {{"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"}}],
"bufferViews": [
  {{"buffer": 0, "byteLength": 96}},
  {{"buffer": 0, "byteOffset": 96, "byteLength": 72, "target": 34963}}],
"buffers": [{{{uri}"byteLength": 168}}]}}"#
    )
}

fn binary(json: &str) -> Vec<u8> {
    let mut json = json.as_bytes().to_vec();
    while !json.len().is_multiple_of(4) {
        json.push(b' ');
    }
    let buffer = buffer();
    let mut bytes = b"glTF".to_vec();
    let all = 12 + 8 + json.len() + 8 + buffer.len();
    for word in [2, all as u32, json.len() as u32] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(b"JSON");
    bytes.extend(&json);
    bytes.extend((buffer.len() as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(&buffer);
    bytes
}

const ONE: &str = r#"{"mesh": 0}"#;

/// A parent that moves and turns, and a child that mirrors and stretches.
const TWO: &str = r#"{"name": "top", "children": [1], "translation": [10, 0, 0],
  "rotation": [0, 0, 0.7071067811865476, 0.7071067811865476]},
{"name": "low", "mesh": 0, "scale": [-2, 1, 1]}"#;

fn is_cube(mesh: &MeshData, volume: f64, low: DVec3, high: DVec3) {
    assert_eq!((mesh.vertices.len(), mesh.faces.len()), (8, 12));
    assert!((mesh.volume() - volume).abs() < 1e-9, "{}", mesh.volume());
    let bounds = mesh.bounds();
    assert!(bounds.min.distance(low) < 1e-9, "{bounds:?}");
    assert!(bounds.max.distance(high) < 1e-9, "{bounds:?}");
    mesh.solid().unwrap();
}

#[test]
fn a_binary_file_is_read_upright() {
    // y is up in the file: it becomes z, and z becomes -y.
    let mesh = parse_gltf(&binary(&document("", ONE)), None).unwrap();
    let (low, high) = (DVec3::new(0.0, -1.0, 0.0), DVec3::new(1.0, 0.0, 1.0));
    is_cube(&mesh, 1.0, low, high);
}

#[test]
fn nodes_move_turn_stretch_and_mirror() {
    // x to -2 x; then x to y and y to -x; then 10 along x. y of the file is z here.
    let bytes = binary(&document("", TWO));
    let (low, high) = (DVec3::new(9.0, -1.0, -2.0), DVec3::new(10.0, 0.0, 0.0));
    for object in [None, Some("top"), Some("low"), Some("cube")] {
        is_cube(&parse_gltf(&bytes, object).unwrap(), 2.0, low, high);
    }
    let words = parse_gltf(&bytes, Some("cone")).unwrap_err().to_string();
    assert_eq!(
        words,
        r#"no object or group "cone"; there are "cube", "low", "top""#
    );
}

#[test]
fn buffers_are_in_the_text_or_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("a cube.bin", &buffer());
    write(
        "cube.gltf",
        document(r#""uri": "a%20cube.bin", "#, ONE).as_bytes(),
    );
    let data = format!(
        r#""uri": "data:application/octet-stream;base64,{}", "#,
        base64(&buffer())
    );
    let inside = parse_gltf(document(&data, ONE).as_bytes(), None).unwrap();
    let beside = read_mesh(folder.path().join("cube.gltf")).unwrap();
    assert_eq!(inside, beside);
    assert_eq!(
        inside,
        parse_gltf(&binary(&document("", ONE)), None).unwrap()
    );
    assert_eq!(
        read_points(folder.path().join("cube.gltf")).unwrap().len(),
        8
    );
    for uri in ["../cube.bin", "/etc/passwd", "http://a/b.bin", "none.bin"] {
        write(
            "out.gltf",
            document(&format!(r#""uri": "{uri}", "#), ONE).as_bytes(),
        );
        let words = read_mesh(folder.path().join("out.gltf")).unwrap_err();
        let words = words.to_string();
        assert!(words.contains("buffer 0") && words.contains(uri), "{words}");
    }
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0_u32, |all, b| all << 8 | u32::from(*b));
        let bits = bits << (8 * (3 - chunk.len()));
        for k in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * k) & 63) as usize] as char;
            text.push(if k <= chunk.len() { letter } else { '=' });
        }
    }
    text
}

#[test]
fn faults_of_gltf_are_named() {
    let whole = document("", ONE);
    let cases = [
        (
            "\"2.0\"",
            "\"1.0\"",
            r#"asset: version "1.0", expected 2.0"#,
        ),
        (
            "\"scene\": 0",
            "\"extensionsRequired\": [\"KHR_draco_mesh_compression\"], \"scene\": 0",
            "KHR_draco_mesh_compression\" is not read",
        ),
        (
            "\"scene\": 0",
            "\"scene\": 4",
            "scene: scene 4, expected one of 1",
        ),
        (
            "\"nodes\": [0]",
            "\"nodes\": [7]",
            "node 7: node 7, expected one of 1",
        ),
        (
            r#"{"mesh": 0}"#,
            r#"{"mesh": 5}"#,
            "mesh 5: mesh 5, expected one of 1",
        ),
        (
            r#"{"mesh": 0}"#,
            r#"{"mesh": 0, "children": [0]}"#,
            "node 0: it has two parents, or is below itself",
        ),
        (
            "\"count\": 8",
            "\"count\": 9",
            "accessor 0: 9 entries, 12 bytes each",
        ),
        (
            "\"count\": 8",
            "\"count\": 3",
            "face 0: vertex 3, expected one of 3",
        ),
        (
            "\"count\": 8",
            "\"count\": 18446744073709551615",
            "accessor 0: 18446744073709551615 entries",
        ),
        ("5126", "5125", "component type 5125, expected VEC3 of 5126"),
        ("5123", "5126", "expected SCALAR of 5121, 5123 or"),
        ("\"count\": 36", "\"count\": 35", "35 corners of triangles"),
        (
            "\"byteLength\": 96",
            "\"byteLength\": 999",
            "its view of 999 bytes from 0",
        ),
        (
            "\"byteLength\": 96",
            "\"byteStride\": 8, \"byteLength\": 96",
            "byteStride 8, expected 12",
        ),
        (
            "\"byteLength\": 168",
            "\"byteLength\": 169",
            "buffer 0: 168 bytes, expected 169",
        ),
        (
            "\"count\": 8,",
            "\"count\": 8, \"sparse\": {},",
            "sparse data are not read",
        ),
        ("\"material\": 3", "\"mode\": 9", "mode 9, expected 0 to 6"),
        (
            "\"meshes\"",
            "\"mashes\"",
            "mesh 0: mesh 0, expected one of 0",
        ),
        ("[{\"name\"", "{\"name\"", "its JSON: "),
    ];
    for (old, new, words) in cases {
        assert!(whole.contains(old), "{old}");
        let bytes = binary(&whole.replacen(old, new, 1));
        let message = parse_gltf(&bytes, None).unwrap_err().to_string();
        assert!(message.contains(words), "{message}\nexpected: {words}");
    }
    // Points and lines have no surface; nothing is left.
    let lines = whole.replace("\"material\": 3", "\"mode\": 1");
    let message = parse_gltf(&binary(&lines), None).unwrap_err().to_string();
    assert_eq!(message, "holds no triangles, expected at least 1");
}

#[test]
fn strips_and_fans_run_one_way() {
    // The square (0, 0) to (1, 1) as a strip and as a fan, without indices.
    for (mode, order) in [
        (5, [[0, 0], [1, 0], [0, 1], [1, 1]]),
        (6, [[0, 0], [1, 0], [1, 1], [0, 1]]),
    ] {
        let mut bytes = Vec::new();
        for [x, y] in order {
            bytes.extend(
                [x as f32, y as f32, 0.0]
                    .iter()
                    .flat_map(|v| v.to_le_bytes()),
            );
        }
        let json = format!(
            r#"{{"asset": {{"version": "2.0"}}, "meshes": [{{"primitives": [
{{"attributes": {{"POSITION": 0}}, "mode": {mode}}}]}}],
"accessors": [{{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"}}],
"bufferViews": [{{"buffer": 0, "byteLength": 48}}],
"buffers": [{{"uri": "data:;base64,{}", "byteLength": 48}}]}}"#,
            base64(&bytes)
        );
        let mesh = parse_gltf(json.as_bytes(), None).unwrap();
        assert_eq!((mesh.faces.len(), mesh.area()), (2, 1.0));
        for face in &mesh.faces {
            let [a, b, c] = face.map(|k| mesh.vertices[k as usize]);
            // z of the file, towards the reader, is -y here.
            assert!((b - a).cross(c - a).y < 0.0, "mode {mode}");
        }
    }
}

/// The cube as polygons of four corners with normals between, in inches, placed twice.
fn collada() -> String {
    let positions: Vec<String> = cube().0.iter().flatten().map(f32::to_string).collect();
    let quads = "0 0 2 0 3 0 1 0  4 1 5 1 7 1 6 1  0 2 1 2 5 2 4 2  \
                 2 3 6 3 7 3 3 3  0 4 4 4 6 4 2 4  1 5 3 5 7 5 5 5";
    format!(
        r##"<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="inch" meter="0.0254"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="cube-mesh" name="cube"><mesh>
 <source id="p"><float_array id="pa" count="24">{}</float_array>
  <technique_common><accessor source="#pa" count="8" stride="3"/></technique_common></source>
 <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
 <polylist count="6"><input semantic="VERTEX" source="#v" offset="0"/>
  <input semantic="NORMAL" source="#n" offset="1"/>
  <vcount>4 4 4 4 4 4</vcount><p>{quads}</p></polylist>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s">
 <node id="a"><matrix>1 0 0 10 0 1 0 0 0 0 1 0 0 0 0 1</matrix><instance_geometry url="#cube-mesh"/></node>
 <node id="b" name="other"><rotate>0 0 1 90</rotate><scale>1 1 2</scale>
  <node><translate>0 -1 0</translate><instance_geometry url="#cube-mesh"/></node></node>
</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene>
</COLLADA>"##,
        positions.join(" ")
    )
}

#[test]
fn a_collada_scene_is_read_in_its_unit() {
    let inch: f64 = 0.0254;
    let all = parse_collada(collada().as_bytes(), None).unwrap();
    assert_eq!((all.vertices.len(), all.faces.len()), (16, 24));
    assert!((all.volume() - 3.0 * inch.powi(3)).abs() < 1e-15);
    let one = parse_collada(collada().as_bytes(), Some("a")).unwrap();
    let (low, high) = (DVec3::new(10.0, 0.0, 0.0), DVec3::new(11.0, 1.0, 1.0));
    is_cube(&one, inch.powi(3), inch * low, inch * high);
    // Moved by -1 along y, stretched along z, then turned: x to y, y to -x.
    let other = parse_collada(collada().as_bytes(), Some("other")).unwrap();
    let (low, high) = (DVec3::ZERO, DVec3::new(1.0, 1.0, 2.0));
    is_cube(&other, 2.0 * inch.powi(3), inch * low, inch * high);
    let words = parse_collada(collada().as_bytes(), Some("x")).unwrap_err();
    assert!(
        words
            .to_string()
            .contains("there are \"a\", \"b\", \"cube\""),
        "{words}"
    );
}

#[test]
fn faults_of_collada_are_named() {
    let whole = collada();
    let cases = [
        ("<COLLADA", "<KOLLADA", "its XML: "),
        (
            "0.0254",
            "0",
            "<unit> meter=\"0\", expected a finite number > 0",
        ),
        (
            "url=\"#s\"",
            "url=\"#t\"",
            "url=\"#t\", expected # and the id of a <visual_scene>",
        ),
        (
            "source=\"#v\"",
            "source=\"v\"",
            "expected # and the id of a <vertices>",
        ),
        (
            "\"VERTEX\"",
            "\"VORTEX\"",
            "<polylist> has no <input semantic=\"VERTEX\">",
        ),
        (
            "\"POSITION\"",
            "\"PLACE\"",
            "<vertices> has no <input semantic=\"POSITION\">",
        ),
        (
            "stride=\"3\"",
            "stride=\"1\"",
            "stride=\"1\", expected 3 or more",
        ),
        ("4 4 4 4 4 4", "4 4 4 4 4 5", "asks for more corners"),
        ("4 4 4 4 4 4", "4 4 4 4 4 2", "a polygon of 2 corners"),
        (
            "0 0 2 0 3 0 1 0",
            "0 0 2 0 3 0 8 0",
            "vertex 8, expected one of 8",
        ),
        (
            "0 0 2 0 3 0 1 0",
            "0 0 2 0 3 0 1",
            "expected a multiple of 2",
        ),
        (
            "0 0 2 0 3 0 1 0",
            "0 0 2 0 3 0 -1 0",
            "\"-1\", expected a number of a vertex",
        ),
        (
            "<scale>1 1 2",
            "<scale>1 1",
            "<scale> \"1 1\" has 2 numbers, expected 3",
        ),
        (
            "<rotate>0 0 1",
            "<rotate>0 0 0",
            "about an axis without direction",
        ),
        ("<matrix>1", "<matrix>one", "\"one\", expected a number"),
        (
            "<translate>0 -1 0</translate>",
            "<instance_node url=\"#b\"/>",
            "more than 64 deep",
        ),
        (
            "<translate>0 -1 0</translate>",
            "<skew>1</skew>",
            "<skew> is not read",
        ),
        (
            "<float_array id=\"pa\" count=\"24\">0",
            "<float_array id=\"pa\">1e300",
            "coordinate",
        ),
    ];
    for (old, new, words) in cases {
        assert!(whole.contains(old), "{old}");
        let text = whole.replacen(old, new, 1);
        let message = parse_collada(text.as_bytes(), None)
            .unwrap_err()
            .to_string();
        assert!(message.contains(words), "{message}\nexpected: {words}");
    }
}

#[test]
fn damaged_files_are_refused_or_read_but_never_panic() {
    let mut dice = Pcg64::seed_from_u64(15);
    let files = [
        binary(&document("", TWO)),
        document("\"uri\": \"data:;base64,AAAA\", ", TWO).into_bytes(),
        collada().into_bytes(),
    ];
    for (kind, whole) in files.iter().enumerate() {
        for round in 0..4000 {
            let mut bytes = whole.clone();
            for _ in 0..dice.random_range(1..4) {
                let at = dice.random_range(0..bytes.len());
                match dice.random_range(0..4) {
                    0 => bytes.truncate(at.max(1)),
                    1 => bytes[at] = dice.random(),
                    2 => bytes[at] = b'0' + dice.random_range(0..10),
                    _ => {
                        let from = dice.random_range(0..whole.len());
                        let piece = &whole[from..whole.len().min(from + 20)];
                        bytes.splice(at..at, piece.iter().copied());
                    }
                }
            }
            let parsed = match kind {
                2 => parse_collada(&bytes, None),
                _ => parse_gltf(&bytes, Some("low").filter(|_| round % 2 == 0)),
            };
            if let Ok(mesh) = parsed {
                assert!(mesh.vertices.iter().all(|v| v.is_finite()));
                let _ = mesh.solid();
            }
        }
    }
}
