//! Friction so large that rounding hides the normal velocity is refused where the scene says it: in
//! a run a box once fell through the floor without a word.
#![allow(clippy::unwrap_used)]

use drystone_scene::{Scene, SceneOptions, Simulation};

fn build(key: &str, value: &str) -> Result<(), String> {
    let text = format!(
        "[settings]\nduration = 1\nlaw = \"exact\"\n[[material]]\nname = \"glue\"\n{key} = {value}\n\
         [[body]]\nname = \"ground\"\nshape = {{ type = \"plane\" }}\nmaterial = \"glue\"\n"
    );
    let scene = Scene::parse(&text, "test.toml", None, &SceneOptions::default());
    let built = scene.and_then(|scene| Simulation::new(&scene));
    built.map(|_| ()).map_err(|error| error.to_string())
}

#[test]
fn too_large_a_coefficient_is_refused_with_its_line_and_the_reason() {
    for key in ["friction", "rolling_friction", "spinning_friction"] {
        build(key, "1e6").unwrap();
        for value in ["1.1e6", "1e15", "1e155"] {
            let text = build(key, value).unwrap_err();
            assert!(text.contains("test.toml:6:"), "{text}");
            assert!(text.contains(&format!("material.glue.{key}: ")), "{text}");
            assert!(
                text.contains("0 to 1e6 (with more, rounding would hide"),
                "{text}"
            );
            assert!(text.len() < 400, "{text}");
        }
    }
}
