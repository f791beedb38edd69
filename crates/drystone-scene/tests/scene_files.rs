//! Files that scenes refer to: found beside the scene, not above it.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use drystone_scene::scene::{FaultKind, SceneError};
use drystone_scene::{Scene, SceneOptions, Simulation};

/// A tetrahedron with legs of 1 m: 1/6 m³.
const TETRAHEDRON: &str =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

fn scene(file: &str) -> String {
    format!(
        "[settings]\nduration = 1\n[[body]]\nname = \"rock\"\ndensity = 6\nshape = {{ type = \"mesh\", file = '{file}', scale = 2 }}\n"
    )
}

fn load(folder: &Path, file: &str, allow_outside: bool) -> Result<Scene, SceneError> {
    let path = folder.join("scene.toml");
    fs::write(&path, scene(file)).unwrap();
    let options = SceneOptions {
        allow_outside,
        ..SceneOptions::default()
    };
    Scene::load(path, &options)
}

fn fault(result: Result<Scene, SceneError>) -> FaultKind {
    let error = result.err().unwrap();
    let fault = &error.faults()[0];
    assert_eq!(
        (fault.line, fault.key.as_str()),
        (6, "body.rock.shape.file"),
        "{error}"
    );
    fault.kind.clone()
}

#[test]
fn meshes_beside_the_scene() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("meshes")).unwrap();
    fs::write(folder.path().join("meshes/rock.obj"), TETRAHEDRON).unwrap();
    let scene = load(folder.path(), "meshes/rock.obj", false).unwrap();
    let simulation = Simulation::new(&scene).unwrap();
    let rock = simulation.world().group("rock")[0];
    // Scaled by 2: 8/6 m³ at 6 kg/m³.
    assert!((simulation.world().mass(rock) - 8.0).abs() < 1e-12);
}

#[test]
fn paths_do_not_lead_out_unless_allowed() {
    let top = tempfile::tempdir().unwrap();
    let folder = top.path().join("scenes");
    fs::create_dir(&folder).unwrap();
    let rock = top.path().join("rock.obj");
    fs::write(&rock, TETRAHEDRON).unwrap();
    let absolute = rock.to_string_lossy().into_owned();
    for outside in ["../rock.obj", "x/../../rock.obj", &absolute] {
        let kind = fault(load(&folder, outside, false));
        assert!(matches!(kind, FaultKind::Outside { .. }), "{kind}");
    }
    for outside in ["../rock.obj", &absolute] {
        assert!(load(&folder, outside, true).is_ok(), "{outside}");
    }
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_out_either() {
    let top = tempfile::tempdir().unwrap();
    let folder = top.path().join("scenes");
    fs::create_dir(&folder).unwrap();
    fs::write(top.path().join("rock.obj"), TETRAHEDRON).unwrap();
    std::os::unix::fs::symlink("../rock.obj", folder.join("link.obj")).unwrap();
    let kind = fault(load(&folder, "link.obj", false));
    assert!(matches!(kind, FaultKind::Outside { .. }), "{kind}");
}

#[test]
fn missing_and_broken_meshes() {
    let folder = tempfile::tempdir().unwrap();
    let kind = fault(load(folder.path(), "rock.obj", false));
    assert!(matches!(kind, FaultKind::File { .. }), "{kind}");
    fs::write(folder.path().join("rock.obj"), "v 0 0\nf 1 2").unwrap();
    fault(load(folder.path(), "rock.obj", false));
}
