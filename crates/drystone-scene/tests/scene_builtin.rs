//! The built-in scenes, the schema and the book agree; no text makes the reader panic.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use drystone::BodyKind;
use drystone_scene::scene::{reference, schema};
use drystone_scene::{Scene, SceneOptions, Simulation, builtin_scenes, starter_scene};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde_json::Value;

fn parse(text: &str) -> Result<Scene, drystone_scene::SceneError> {
    Scene::parse(text, "test.toml", None, &SceneOptions::default())
}

fn texts() -> Vec<(&'static str, &'static str)> {
    let mut texts = builtin_scenes().to_vec();
    texts.push(("starter", starter_scene()));
    texts
}

#[test]
fn all_are_built_step_and_end() {
    for (name, text) in texts() {
        let scene = parse(text).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(
            !scene.title().is_empty() && !scene.description().is_empty(),
            "{name}"
        );
        let mut simulation = Simulation::new(&scene).unwrap_or_else(|e| panic!("{name}: {e}"));
        let world = simulation.world();
        assert_eq!(simulation.looks().len(), world.len(), "{name}");
        assert!(
            world.ids().any(|b| world.kind(b) == BodyKind::Dynamic),
            "{name}"
        );
        assert!(simulation.end_time().unwrap() >= 0.5, "{name}");
        let report = simulation.step().unwrap();
        // Nothing overlaps at the start.
        assert!(report.penetration < 1e-4, "{name}: {}", report.penetration);
        assert!(!simulation.is_finished(), "{name}");
    }
}

/// The parts of the schema that describe a value, behind references and choices.
fn candidates<'s>(schema: &'s Value, node: &'s Value) -> Vec<&'s Value> {
    if let Some(reference) = node["$ref"].as_str() {
        let name = reference.strip_prefix("#/$defs/").unwrap();
        return candidates(schema, &schema["$defs"][name]);
    }
    for key in ["oneOf", "anyOf"] {
        if let Some(options) = node[key].as_array() {
            return options.iter().flat_map(|o| candidates(schema, o)).collect();
        }
    }
    vec![node]
}

/// Whether a value fits a part of the schema: a small validator of the words that the schema uses.
fn fits(schema: &Value, node: &Value, value: &toml::Value) -> bool {
    candidates(schema, node).iter().any(|node| {
        if let Some(expected) = node.get("const") {
            return value.as_str() == expected.as_str();
        }
        let type_fits = match &node["type"] {
            Value::String(one) => has_type(one, value),
            Value::Array(several) => several.iter().any(|t| has_type(t.as_str().unwrap(), value)),
            _ => panic!("{node}"),
        };
        type_fits
            && match value {
                toml::Value::Table(table) => {
                    let required = node["required"].as_array().into_iter().flatten();
                    required
                        .into_iter()
                        .all(|k| table.contains_key(k.as_str().unwrap()))
                        && table.iter().all(|(key, value)| {
                            let inner = node["properties"].get(key);
                            let other = node.get("additionalProperties");
                            match inner.or(other.filter(|o| o.is_object())) {
                                Some(inner) => fits(schema, inner, value),
                                None => false,
                            }
                        })
                }
                toml::Value::Array(list) => list.iter().all(|v| fits(schema, &node["items"], v)),
                toml::Value::String(text) => match node["enum"].as_array() {
                    Some(words) => words.iter().any(|w| w == text),
                    None => true,
                },
                _ => true,
            }
    })
}

fn has_type(name: &str, value: &toml::Value) -> bool {
    match name {
        "object" => value.is_table(),
        "array" => value.is_array(),
        "string" => value.is_str(),
        "boolean" => value.is_bool(),
        "number" => value.is_float() || value.is_integer(),
        "integer" => value.is_integer(),
        _ => panic!("{name}"),
    }
}

#[test]
fn all_fit_the_schema() {
    let schema = schema();
    for (name, text) in texts() {
        let table: toml::Table = text.parse().unwrap();
        assert!(fits(&schema, &schema, &toml::Value::Table(table)), "{name}");
    }
    // And what is wrong does not.
    for wrong in [
        "titel = 'x'",
        "body = [{ name = 'a' }]",
        "settings = { law = 'none' }",
        "title = 5",
    ] {
        let table: toml::Table = wrong.parse().unwrap();
        assert!(
            !fits(&schema, &schema, &toml::Value::Table(table)),
            "{wrong}"
        );
    }
}

#[test]
fn the_schema_refers_to_what_it_defines() {
    fn walk(node: &Value, schema: &Value) {
        match node {
            Value::Object(object) => {
                if let Some(name) = object.get("$ref").and_then(Value::as_str) {
                    let name = name.strip_prefix("#/$defs/").unwrap();
                    assert!(schema["$defs"][name].is_object(), "{name}");
                }
                object.values().for_each(|value| walk(value, schema));
            }
            Value::Array(list) => list.iter().for_each(|value| walk(value, schema)),
            _ => {}
        }
    }
    let schema = schema();
    assert_eq!(
        schema["$schema"],
        "https://json-schema.org/draft/2020-12/schema"
    );
    walk(&schema, &schema);
}

/// Files that are made from the description of the format: `DRYSTONE_UPDATE=1 cargo test -p
/// drystone-scene` makes them anew.
#[test]
fn the_book_and_the_schema_file_are_up_to_date() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
    let page = format!("{root}docs/scenes.md");
    let text = std::fs::read_to_string(&page).unwrap();
    let marks = ["<!-- reference: begin -->\n", "<!-- reference: end -->"];
    let (before, rest) = text.split_once(marks[0]).unwrap();
    let (_, after) = rest.split_once(marks[1]).unwrap();
    let made = format!("{before}{}{}{}{after}", marks[0], reference(), marks[1]);
    let file = format!("{root}scenes/scene.schema.json");
    let schema = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    if std::env::var_os("DRYSTONE_UPDATE").is_some() {
        std::fs::write(&page, &made).unwrap();
        std::fs::write(&file, &schema).unwrap();
    }
    let hint = "run the test with DRYSTONE_UPDATE=1";
    assert!(
        std::fs::read_to_string(&page).unwrap() == made,
        "docs/scenes.md: {hint}"
    );
    assert!(
        std::fs::read_to_string(&file).unwrap() == schema,
        "{file}: {hint}"
    );
}

/// The TOML examples of a page.
fn examples(page: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(page).unwrap();
    let blocks = text.split("```toml\n").skip(1);
    blocks
        .map(|e| e.split("```").next().unwrap().to_owned())
        .collect()
}

/// The pages on laws and joints.
fn pages() -> Vec<PathBuf> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let mut pages: Vec<PathBuf> = ["laws", "joints"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(docs.join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .collect();
    pages.sort();
    pages
}

/// Every law and joint has a scene that is whole, steps, and holds its joints.
#[test]
fn the_scenes_of_laws_and_joints_run() {
    let mut scenes = 0;
    for page in pages() {
        let name = page.file_name().unwrap().to_string_lossy();
        for example in examples(&page) {
            let scene = parse(&example).unwrap_or_else(|e| panic!("{name}: {e}"));
            let mut simulation = Simulation::new(&scene).unwrap_or_else(|e| panic!("{name}: {e}"));
            for step in 0..3 {
                let report = simulation.step().unwrap();
                assert!(report.converged(), "{name}: {report:?}");
                assert!(report.joint_error < 1e-6, "{name}: {report:?}");
                // Later, compliant contacts overlap as they should.
                let apart = step > 0 || report.penetration < 1e-4;
                assert!(apart, "{name}: {report:?}");
            }
            scenes += 1;
        }
    }
    assert!(scenes >= 23, "only {scenes} scenes");
}

/// Every TOML example on the page of scenes is a scene, or part of one.
#[test]
fn the_examples_of_the_book_are_right() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scenes.md");
    let examples = examples(&page);
    assert!(examples.len() > 5);
    for example in &examples {
        let scene = parse(example).or_else(|_| {
            // Parts of scenes stand in one with the bodies that they speak of.
            let rest = r#"
[[body]]
name = "gate"
kind = "fixed"
shape = { type = "box", size = [1, 1, 1] }
[[body]]
name = "slab"
shape = { type = "box", size = [1, 1, 1] }
[[fill]]
name = "grains"
shape = { type = "sphere", radius = 0.01 }
count = 1
region = { type = "box", min = [9, 9, 9], max = [10, 10, 10] }
"#;
            let settings = if example.contains("[settings]") {
                ""
            } else {
                "\n[settings]\nduration = 1\n"
            };
            parse(&format!("{example}{settings}{rest}"))
        });
        scene.unwrap_or_else(|e| panic!("{e}\n{example}"));
    }
}

/// Random edits of the built-in scenes: an error or a scene, never a panic and never without end.
#[test]
fn mutated_texts_never_panic() {
    let mut rng = Pcg64::seed_from_u64(7);
    let texts = texts();
    let mut good = 0;
    for round in 0..600 {
        let (_, text) = texts[round % texts.len()];
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..rng.random_range(1..4) {
            let at = rng.random_range(0..bytes.len());
            match rng.random_range(0..4) {
                0 => {
                    bytes[at] = *b"0123456789.-\"'[]{}=#\n e_x"
                        .get(rng.random_range(0..25))
                        .unwrap()
                }
                1 => {
                    bytes.remove(at);
                }
                2 => bytes.insert(at, b"0\"[]{}=-.,e\n"[rng.random_range(0..12)]),
                _ => {
                    let end = (at + rng.random_range(1..40)).min(bytes.len());
                    bytes.drain(at..end);
                }
            }
        }
        let Ok(text) = String::from_utf8(bytes) else {
            continue;
        };
        match parse(&text) {
            Ok(scene) => {
                good += 1;
                let _ = Simulation::new(&scene);
            }
            Err(error) => {
                let fault = &error.faults()[0];
                assert!(fault.line <= 1 + text.matches('\n').count(), "{error}");
            }
        }
    }
    assert!(good > 30, "{good}");
}
