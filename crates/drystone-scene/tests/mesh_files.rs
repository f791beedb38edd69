//! Geometry from files: what is written is read, what is damaged is named, nothing panics.

#![allow(clippy::unwrap_used)]

use std::f64::consts::{PI, TAU};
use std::fmt::Write as _;
use std::path::PathBuf;

use drystone::{Shape, ShapeError};
use drystone_scene::mesh_file::{
    Import, MeshData, MeshFault, parse_asc, parse_height_rows, parse_obj, parse_points, parse_stl,
    read_heights, read_mesh, read_points, read_solid, read_surface,
};
use glam::{DVec2, DVec3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use tempfile::TempDir;

/// A cube of edge 1 from the origin.
fn cube() -> MeshData {
    let corner = |k: u32| DVec3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64);
    let quads = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    MeshData {
        vertices: (0..8).map(corner).collect(),
        faces: quads
            .iter()
            .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]])
            .collect(),
    }
}

/// A torus, or with `tube_only` of the distances a ball: points over two angles.
fn torus() -> MeshData {
    let (big, small, n, m) = (1.0, 0.3, 24, 12);
    let vertex = |k: u32| {
        let (u, v) = (
            (k / m) as f64 * TAU / n as f64,
            (k % m) as f64 * TAU / m as f64,
        );
        let ring = big + small * v.cos();
        // Rounded to f32, so that every format holds the same figures.
        let p = DVec3::new(ring * u.cos(), ring * u.sin(), small * v.sin());
        p.as_vec3().as_dvec3()
    };
    let face = |k: u32| {
        let (i, j) = (k / m, k % m);
        let at = |i: u32, j: u32| (i % n) * m + j % m;
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        [[a, b, c], [a, c, d]]
    };
    MeshData {
        vertices: (0..n * m).map(vertex).collect(),
        faces: (0..n * m).flat_map(face).collect(),
    }
}

/// A ball of radius 1: an octahedron, each face cut in four, thrice.
fn ball() -> MeshData {
    let axes = [
        DVec3::X,
        DVec3::NEG_X,
        DVec3::Y,
        DVec3::NEG_Y,
        DVec3::Z,
        DVec3::NEG_Z,
    ];
    let mut vertices = axes.to_vec();
    let mut faces: Vec<[u32; 3]> = vec![
        [0, 2, 4],
        [2, 1, 4],
        [1, 3, 4],
        [3, 0, 4],
        [2, 0, 5],
        [1, 2, 5],
        [3, 1, 5],
        [0, 3, 5],
    ];
    for _ in 0..3 {
        let mut middles = std::collections::BTreeMap::new();
        let mut middle = |a: u32, b: u32| {
            *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                let p = (vertices[a as usize] + vertices[b as usize]).normalize();
                vertices.push(p.as_vec3().as_dvec3());
                vertices.len() as u32 - 1
            })
        };
        faces = faces
            .iter()
            .flat_map(|&[a, b, c]| {
                let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
                [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
            })
            .collect();
    }
    MeshData { vertices, faces }
}

fn corners(mesh: &MeshData) -> impl Iterator<Item = [DVec3; 3]> {
    mesh.faces
        .iter()
        .map(|f| f.map(|k| mesh.vertices[k as usize]))
}

fn ascii_stl(mesh: &MeshData) -> String {
    let mut text = "solid a name with blanks\n".to_owned();
    for triangle in corners(mesh) {
        text += "  facet normal 0 0 0\n    outer loop\n";
        for p in triangle {
            writeln!(text, "      vertex {:e} {} {}", p.x, p.y, p.z).unwrap();
        }
        text += "    endloop\n  endfacet\n";
    }
    text + "endsolid\n"
}

/// Written by another's hand.
fn binary_stl(mesh: &MeshData) -> Vec<u8> {
    let triangle = |t: [DVec3; 3]| stl_io::Triangle {
        normal: stl_io::Normal::new([0.0; 3]),
        vertices: t.map(|p| stl_io::Vertex::new(p.as_vec3().to_array())),
    };
    let triangles: Vec<_> = corners(mesh).map(triangle).collect();
    let mut bytes = Vec::new();
    stl_io::write_stl(&mut bytes, triangles.iter()).unwrap();
    bytes
}

fn obj(mesh: &MeshData) -> String {
    let mut text = "# a comment\nmtllib none.mtl\no thing\n".to_owned();
    for p in &mesh.vertices {
        writeln!(text, "v {} {} {}", p.x, p.y, p.z).unwrap();
    }
    text += "vn 0 0 1\nvt 0 0\ns off\n";
    for [a, b, c] in &mesh.faces {
        writeln!(text, "f {}/1/1 {}//1 {}", a + 1, b + 1, c + 1).unwrap();
    }
    text
}

fn file(name: &str, bytes: impl AsRef<[u8]>) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

#[test]
fn every_format_gives_the_same_solid() {
    // Volumes of the round solids: those of the polyhedra are a little smaller.
    let round = [
        (cube(), 1.0, 1e-12),
        (ball(), 4.0 / 3.0 * PI, 0.03),
        (torus(), 2.0 * PI * PI * 0.09, 0.06),
    ];
    for (mesh, volume, share) in round {
        assert!((mesh.volume() / volume - 1.0).abs() <= share);
        let files = [
            file("a.stl", ascii_stl(&mesh)),
            file("b.STL", binary_stl(&mesh)),
            file("c.obj", obj(&mesh)),
        ];
        for (_folder, path) in &files {
            let read = read_mesh(path).unwrap();
            assert_eq!(
                (read.vertices.len(), read.faces.len()),
                (mesh.vertices.len(), mesh.faces.len())
            );
            assert!(corners(&read).eq(corners(&mesh)), "{path:?}");
            let solid = read_solid(
                path,
                &Import {
                    scale: 0.001,
                    object: None,
                },
            )
            .unwrap();
            let properties = Shape::mesh(solid).mass_properties(1.0).unwrap();
            assert!((properties.mass / (1e-9 * mesh.volume()) - 1.0).abs() < 1e-9);
            assert_eq!(read_points(path).unwrap().len(), mesh.vertices.len());
        }
    }
}

/// Others' readers see the same triangles in the same bytes.
#[test]
fn other_readers_agree() {
    let mesh = torus();
    for bytes in [ascii_stl(&mesh).into_bytes(), binary_stl(&mesh)] {
        let other = stl_io::read_stl(&mut std::io::Cursor::new(&bytes)).unwrap();
        let ours = parse_stl(&bytes).unwrap();
        assert_eq!(ours.vertices.len(), other.vertices.len());
        let others = other.into_triangle_vec();
        let others = others
            .iter()
            .map(|t| t.vertices.map(|v| DVec3::from(v.0.map(f64::from))));
        assert!(corners(&ours).eq(others));
    }
    // An L of six corners and a pentagon: the same area, however they are cut.
    let text = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nf 3 4 5 6 1 2\nv 0 0 1\nv 1 0 1\nv 1.5 1 1\n\
                v 0.5 2 1\nv -0.5 1 1\nf -5 -4 -3 -2 -1\n";
    let options = tobj::LoadOptions {
        triangulate: true,
        ..Default::default()
    };
    let (models, _) = tobj::load_obj_buf(&mut text.as_bytes(), &options, |_| {
        Err(tobj::LoadError::OpenFileFailed)
    })
    .unwrap();
    let ours = parse_obj(text.as_bytes(), None).unwrap();
    let count: usize = models.iter().map(|m| m.mesh.indices.len() / 3).sum();
    assert_eq!(ours.faces.len(), count);
    // 3 for the L; for the pentagon by the shoelace: 2.5.
    assert!((ours.area() - 5.5).abs() < 1e-12, "{}", ours.area());
}

/// A comb of many teeth, whatever corner it begins with: a fan would leave its outline.
#[test]
fn polygons_that_are_not_convex() {
    let mut outline = vec![[0.0, 0.0], [10.0, 0.0]];
    for k in 0..10 {
        let x = 10.0 - k as f64;
        outline.extend([[x, 2.0], [x - 0.5, 2.0], [x - 0.5, 1.0], [x - 1.0, 1.0]]);
    }
    // 10 x 1 and ten teeth of 0.5 x 1. The last corner lies above the first.
    for start in 0..outline.len() {
        outline.rotate_left(1);
        let mut text = String::new();
        for [x, y] in &outline {
            // In a plane that is not along the axes.
            writeln!(text, "v {x} {} {}", 0.6 * y, 0.8 * y).unwrap();
        }
        text += "f";
        for k in 1..=outline.len() {
            write!(text, " {k}").unwrap();
        }
        let mesh = parse_obj(text.as_bytes(), None).unwrap();
        assert_eq!(mesh.faces.len(), outline.len() - 2);
        assert!(
            (mesh.area() - 15.0).abs() < 1e-9,
            "{start}: {}",
            mesh.area()
        );
        let surface = mesh.surface().unwrap();
        assert!(
            surface
                .normals()
                .iter()
                .all(|n| n.distance(DVec3::new(0.0, -0.8, 0.6)) < 1e-9)
        );
    }
    let crossed = "v 0 0 0\nv 1 1 0\nv 1 0 0\nv 0 1 0\nf 1 2 3 4\n";
    assert!(
        parse_obj(crossed.as_bytes(), None)
            .unwrap_err()
            .to_string()
            .contains("line 5: a polygon of 4 corners")
    );
    // A star of five points drawn in one go runs twice around.
    let star: String = (0..5)
        .map(|k| (2.0 * k as f64 * TAU / 5.0).sin_cos())
        .map(|(y, x)| format!("v {x} {y} 0\n"))
        .collect();
    assert!(parse_obj((star + "f 1 2 3 4 5\n").as_bytes(), None).is_err());
}

#[test]
fn objects_and_groups() {
    let two = "o first one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no second\ng left shared\nv 0 0 1\nv 1 0 1\nv 0 1 1\n\
               f 4 5 6\ng right shared\nf 4 6 \\\n 5\n";
    let faces = |object| parse_obj(two.as_bytes(), object).map(|mesh| mesh.faces.len());
    assert_eq!(faces(None).unwrap(), 3);
    assert_eq!(faces(Some("first one")).unwrap(), 1);
    assert_eq!(faces(Some("second")).unwrap(), 2);
    assert_eq!(faces(Some("left")).unwrap(), 1);
    assert_eq!(faces(Some("shared")).unwrap(), 2);
    let error = faces(Some("third")).unwrap_err().to_string();
    assert_eq!(
        error,
        "no object or group \"third\"; there are \"first one\", \"left\", \"right\", \"second\", \"shared\""
    );
    let (_folder, path) = file("two.obj", two);
    let import = Import {
        scale: 2.0,
        object: Some("second".to_owned()),
    };
    // Both faces of the second lie on each other in opposite directions: a closed surface without
    // volume.
    let error = read_solid(&path, &import).unwrap_err();
    assert!(matches!(
        error.fault,
        MeshFault::Shape {
            fault: ShapeError::InsideOut { .. },
            ..
        }
    ));
}

/// What is wrong with the surface is said with the file, the face and the line.
#[test]
fn surfaces_are_checked() {
    let said = |name: &str, text: &str| {
        let (_folder, path) = file(name, text);
        let error = read_solid(&path, &Import::default())
            .unwrap_err()
            .to_string();
        assert!(error.starts_with(&path.display().to_string()), "{error}");
        error[path.display().to_string().len()..].to_owned()
    };
    let mut open = cube();
    open.faces.pop();
    // Lines 1 to 3 are heads, 8 vertices, 3 more heads: face 0 is on line 15.
    assert!(
        said("open.obj", &obj(&open)).starts_with(": line "),
        "{}",
        said("open.obj", &obj(&open))
    );
    assert!(said("open.obj", &obj(&open)).contains("not closed"));
    let (_folder, path) = file("open.obj", obj(&open));
    assert!(!read_surface(&path, &Import::default()).unwrap().closed());

    let inside_out = said("inside_out.obj", &obj(&cube().flipped()));
    assert!(
        inside_out.contains("inside out: its signed volume is -1"),
        "{inside_out}"
    );

    let mut flat = cube();
    flat.faces[4] = [0, 1, 1];
    let flat_said = said("flat.obj", &obj(&flat));
    assert!(
        flat_said.starts_with(": line 19: mesh: face 4 has no area"),
        "{flat_said}"
    );
    let flat_said = said("flat.stl", &ascii_stl(&flat));
    assert!(
        flat_said.starts_with(": line 30: mesh: face 4 has no area"),
        "{flat_said}"
    );

    let mut twice = cube();
    twice.faces.push(twice.faces[0]);
    let twice = said("twice.obj", &obj(&twice));
    assert!(
        twice.starts_with(": line 27: mesh: not a surface: face 12"),
        "{twice}"
    );
    let (_folder, path) = file("cube.obj", obj(&cube()));
    let error = read_surface(
        &path,
        &Import {
            scale: -1.0,
            object: None,
        },
    )
    .unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("scale -1 is not a finite number > 0")
    );
}

#[test]
fn vertices_merge_by_bits() {
    // The second triangle writes -0 for 0 and shares an edge all the same; 1e-7 away is another
    // vertex.
    let text = "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n\
                facet normal nan 0 1\nouter loop\nvertex 1 -0 0\nvertex 1 1 0\nvertex 1e-7 1 0\nendloop\nendfacet\nendsolid\n\
                SOLID second\nFACET NORMAL 0 0 1\nOUTER LOOP\nVERTEX 5 0 0\nVERTEX 6 0 0\nVERTEX 5 1 0\nENDLOOP\nENDFACET\nENDSOLID x\n";
    let mesh = parse_stl(text.as_bytes()).unwrap();
    assert_eq!(mesh.faces, [[0, 1, 2], [1, 3, 4], [5, 6, 7]]);
}

/// A binary file whose comment begins like a text file.
#[test]
fn binary_files_that_say_solid() {
    let mut bytes = binary_stl(&cube());
    bytes[..80].fill(b' ');
    bytes[..10].copy_from_slice(b"solid cube");
    assert_eq!(parse_stl(&bytes).unwrap().faces.len(), 12);
    bytes.pop();
    assert!(
        parse_stl(&bytes)
            .unwrap_err()
            .to_string()
            .contains("ends after face 11 of 12")
    );
}

#[test]
fn damaged_files_are_named() {
    let stl = |text: &str| parse_stl(text.as_bytes()).unwrap_err().to_string();
    let good = ascii_stl(&cube());
    let mut binary = binary_stl(&cube());
    let cut = parse_stl(&binary[..300]).unwrap_err().to_string();
    assert_eq!(
        cut,
        "ends after face 4 of 12: 300 bytes, expected 684 in a binary STL file"
    );
    binary.push(0);
    assert!(
        parse_stl(&binary)
            .unwrap_err()
            .to_string()
            .starts_with("byte 684: 1 bytes follow")
    );
    binary.pop();
    binary[84 + 50 + 12..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
    assert!(
        parse_stl(&binary)
            .unwrap_err()
            .to_string()
            .starts_with("face 1, corner 0: coordinate NaN")
    );
    // A number of faces that no memory holds.
    binary[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(
        parse_stl(&binary)
            .unwrap_err()
            .to_string()
            .contains("after face 12 of 4294967295")
    );

    assert!(stl("solid x\nendsolid x\n").contains("holds no triangles"));
    assert!(stl("").contains("expected \"solid\""));
    assert!(
        stl(&good.replacen("vertex 0e0 1 0", "vertex 0e0 1", 1))
            .contains("expected 3 coordinates after vertex")
    );
    assert!(
        stl(&good.replacen("vertex 0e0 1 0", "vertex 0e0 1 inf", 1))
            .contains("\"inf\", expected a finite number")
    );
    assert!(
        stl(&good.replacen("vertex 0e0 1 0", "vertex 0e0 1 1e300", 1)).contains("within ±1e15")
    );
    assert!(
        stl(&good.replacen("endloop", "endlop", 1))
            .starts_with("line 7: \"endlop\", expected endloop")
    );
    assert!(
        stl(&good[..good.len() - 10])
            .starts_with("ends after line 85, face 12: expected facet or endsolid")
    );

    let obj = |text: &str| parse_obj(text.as_bytes(), None).unwrap_err().to_string();
    let v = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    for (text, expected) in [
        (
            format!("{v}f 1 2 4\n"),
            "line 4: \"4\", expected one of the 3 vertices so far",
        ),
        (
            format!("{v}f 1 2 -4\n"),
            "line 4: \"-4\", expected one of the 3 vertices so far",
        ),
        (
            format!("{v}f 0 1 2\n"),
            "line 4: \"0\", expected a vertex number",
        ),
        (
            format!("{v}f 1 2 -9223372036854775808\n"),
            "expected one of the 3 vertices so far",
        ),
        (format!("{v}f 1 2\n"), "line 4: a face of 2 corners"),
        (format!("{v}g 1 2 3\n"), "holds no faces"),
        (
            format!("{v}h 1 2 3\n"),
            "line 4: \"h\", expected v, f, o, g",
        ),
        (
            "v 0 0\n".to_owned(),
            "line 1: \"0 0\", expected 3 coordinates",
        ),
        (
            "v 0 0 0 2\n".to_owned(),
            "line 1: \"2\", expected nothing, the weight 1",
        ),
        (
            "v 0 0 nan\n".to_owned(),
            "line 1: \"nan\", expected a finite number",
        ),
    ] {
        assert!(
            obj(&text).contains(expected),
            "{} lacks {expected}",
            obj(&text)
        );
    }

    let (_folder, path) = file("a.ply", "ply");
    assert!(
        read_mesh(&path)
            .unwrap_err()
            .to_string()
            .ends_with("a.ply: extension \"ply\", expected .stl, .obj, .glb, .gltf or .dae")
    );
    assert!(read_mesh(path.with_extension("stl")).is_err());
    assert!(read_mesh(path.parent().unwrap()).is_err());
}

#[test]
fn points() {
    let expected = [DVec3::new(1.0, 2.0, 3.0), DVec3::new(-4e-3, 5.0, 6.0)];
    for text in [
        "1 2 3\n-4e-3 5 6\n",
        "x, y, z\r\n1, 2, 3\r\n-4e-3, 5, 6\r\n",
        "# points\n\n1;2;3 # the first\n-4e-3;5;6",
        "\u{feff}1\t2\t3\n-4e-3 5   6\n",
    ] {
        assert_eq!(parse_points(text.as_bytes()).unwrap(), expected);
        let (_folder, path) = file("points.xyz", text);
        assert_eq!(read_points(&path).unwrap(), expected);
    }
    let said = |text: &str| parse_points(text.as_bytes()).unwrap_err().to_string();
    assert_eq!(
        said("1 2 3\n1 2\n"),
        "line 2: 2 numbers, expected 3 coordinates"
    );
    assert_eq!(
        said("1 2 3\n1 2 x\n"),
        "line 2: \"x\", expected a finite number"
    );
    assert_eq!(said("1,,3\n"), "line 1: \"\", expected a finite number");
    assert_eq!(said("# nothing\n"), "holds no points, expected at least 1");
    // Corners of a cube make its hull.
    let text: String = cube()
        .vertices
        .iter()
        .map(|p| format!("{} {} {}\n", p.x, p.y, p.z))
        .collect();
    let hull = Shape::hull(&parse_points(text.as_bytes()).unwrap()).unwrap();
    assert!((hull.mass_properties(1.0).unwrap().mass - 1.0).abs() < 1e-12);
}

#[test]
fn heights() {
    // The northern row comes first in an ESRI grid and last in the field.
    let asc = "ncols 3\nnrows 2\nxllcorner 100\nyllcenter 200\ncellsize 10\nNODATA_value -9999\n4 5 6\n1 2\n3\n";
    let grid = parse_asc(asc.as_bytes()).unwrap();
    assert_eq!(
        (grid.columns, grid.rows, grid.spacing),
        (3, 2, [10.0, 10.0])
    );
    assert_eq!(grid.heights, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(
        (grid.corner, grid.center()),
        (DVec2::new(105.0, 200.0), DVec2::new(115.0, 205.0))
    );
    let field = grid.field().unwrap();
    assert_eq!(field.point(2, 0), DVec3::new(10.0, -5.0, 3.0));

    let csv = "a,b,c\n1,2,3\n4,5,6\n";
    let (_folder, path) = file("field.csv", csv);
    let grid = read_heights(&path, Some([0.5, 0.25])).unwrap();
    assert_eq!((grid.columns, grid.rows, grid.spacing), (3, 2, [0.5, 0.25]));
    assert_eq!(grid.heights, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert!(
        read_heights(&path, None)
            .unwrap_err()
            .to_string()
            .contains("give the spacing")
    );

    let said = |text: &str| parse_asc(text.as_bytes()).unwrap_err().to_string();
    assert_eq!(
        said(&asc.replace("\n3\n", "\n")),
        "grid: 5 heights, expected 3 columns times 2 rows"
    );
    assert_eq!(
        said(&asc.replace("5 6", "-9999 6")),
        "line 7, number 2: no data (-9999): fill the holes of the grid first"
    );
    assert_eq!(
        said(&asc.replace("ncols 3\n", "")),
        "heading: no ncols, expected a number"
    );
    assert_eq!(
        said(&asc.replace("ncols 3", "ncols -3")),
        "line 1: \"-3\", expected a count"
    );
    assert!(said(&asc.replace("cellsize 10", "cellsize 0")).contains("spacing 0 m"));
    let huge = format!("ncols {}\nnrows {}\ncellsize 1\n1 2\n", u64::MAX, u64::MAX);
    assert!(said(&huge).contains("2 heights, expected"));
    let rows = |text: &str| {
        parse_height_rows(text.as_bytes(), [1.0, 1.0])
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        rows("1 2 3\n4 5\n"),
        "line 2: 2 heights, expected 3 as in the rows before"
    );
    assert_eq!(
        rows("1 2 3\n"),
        "grid: 3 columns and 1 rows, expected at least 2 of each"
    );
    assert_eq!(
        rows(""),
        "grid: 0 columns and 0 rows, expected at least 2 of each"
    );
}

/// Bytes changed, cut out, doubled: an answer or an error, and never more faces than the file has
/// room for.
#[test]
fn mutations_do_no_harm() {
    let mut rng = Pcg64::seed_from_u64(5);
    let asc = "ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n4 5 6\n1 2 3\n".to_owned();
    let polygons = "o a\nv 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\ng b c\nf 1/1/1 2//1 3 4 5 6\nf -1 -2 -3\n".repeat(3);
    let seeds: [Vec<u8>; 5] = [
        ascii_stl(&cube()).into(),
        binary_stl(&cube()),
        obj(&cube()).into(),
        polygons.into(),
        asc.into(),
    ];
    let (mut read, mut refused) = (0, 0);
    for round in 0..2000 {
        let mut bytes = seeds[round % seeds.len()].clone();
        for _ in 0..rng.random_range(1..4) {
            let at = rng.random_range(0..bytes.len());
            match rng.random_range(0..5) {
                0 => bytes[at] = rng.random(),
                1 => bytes[at] ^= 1 << rng.random_range(0..8),
                2 => bytes.truncate(at.max(1)),
                3 => drop(bytes.drain(at..(at + rng.random_range(1..20)).min(bytes.len()))),
                _ => {
                    let end = (at + rng.random_range(1..60)).min(bytes.len());
                    let part = bytes[at..end].to_vec();
                    bytes.splice(at..at, part);
                }
            }
            if bytes.is_empty() {
                bytes.push(b'x');
            }
        }
        let room = bytes.len();
        for mesh in [
            parse_stl(&bytes),
            parse_obj(&bytes, None),
            parse_obj(&bytes, Some("b")),
        ] {
            match mesh {
                Ok(mesh) => {
                    read += 1;
                    assert!(mesh.faces.len() <= room && mesh.vertices.len() <= room);
                    assert!(
                        mesh.faces
                            .iter()
                            .flatten()
                            .all(|&k| (k as usize) < mesh.vertices.len())
                    );
                    let _ = mesh.solid();
                }
                Err(error) => {
                    refused += 1;
                    assert!(error.to_string().len() < 400);
                }
            }
        }
        let _ = parse_points(&bytes);
        if let Ok(grid) = parse_asc(&bytes) {
            assert!(grid.field().is_ok());
        }
        let _ = parse_height_rows(&bytes, [1.0, 1.0]);
    }
    assert!(read > 100 && refused > 100, "{read} {refused}");
}
