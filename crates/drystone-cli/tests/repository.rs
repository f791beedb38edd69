//! What the repository says of itself: paths, links, examples and names in its documents, and the
//! arrows between crates.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "test code")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use drystone_ccp::Method;

/// Which crates of the workspace a crate may name; what these may name it may too.
const ALLOWED: [(&str, &[&str]); 13] = [
    ("drystone-ccp", &[]),
    ("drystone-collide", &[]),
    ("drystone", &["drystone-ccp", "drystone-collide"]),
    ("drystone-problems", &["drystone-ccp"]),
    ("drystone-scene", &["drystone"]),
    ("drystone-run", &["drystone-scene"]),
    ("drystone-draw", &["drystone-run"]),
    ("drystone-study", &["drystone-draw", "drystone-problems"]),
    ("drystone-view", &["drystone-draw"]),
    ("drystone-cli", &["drystone-study", "drystone-view"]),
    ("drystone-mpi", &["drystone-run"]),
    ("drystone-py", &["drystone-view", "drystone-problems"]),
    ("drystone-hostile", &["drystone-draw", "drystone-problems"]),
];

/// Folders that are not the repository's own.
const FOREIGN: [&str; 8] = [
    ".git",
    ".venv",
    "target",
    "out",
    "node_modules",
    "__pycache__",
    ".mypy_cache",
    ".pytest_cache",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if FOREIGN.contains(&name.as_str()) {
            continue;
        }
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

fn documents() -> Vec<PathBuf> {
    let mut all = Vec::new();
    files(&root(), &mut all);
    all.retain(|f| f.extension().is_some_and(|e| e == "md"));
    all
}

/// The content of the first code block in `language`.
fn code_block(document: &str, language: &str) -> String {
    let open = format!("```{language}\n");
    let start = document.find(&open).unwrap() + open.len();
    let end = start + document[start..].find("```").unwrap();
    document[start..end].to_owned()
}

#[test]
fn every_path_in_the_architecture_exists() {
    let page = text("ARCHITECTURE.md");
    // Outside of code blocks, every second piece between backticks is code.
    let prose: String = page.split("```").step_by(2).collect();
    let is_path = |word: &&str| {
        !word.contains(' ')
            && (word.contains('/') || [".rs", ".md", ".toml"].iter().any(|e| word.ends_with(e)))
    };
    let paths: Vec<_> = prose
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(is_path)
        .collect();
    assert!(paths.len() > 30, "only {} paths found", paths.len());
    for path in paths {
        assert!(root().join(path).exists(), "{path} does not exist");
    }
}

#[test]
fn every_local_link_leads_somewhere() {
    for document in documents() {
        let content = std::fs::read_to_string(&document).unwrap();
        for piece in content.split("](").skip(1) {
            let target = piece.split([')', '#']).next().unwrap();
            if target.is_empty() || target.contains("://") {
                continue;
            }
            let path = document.parent().unwrap().join(target);
            assert!(path.exists(), "{}: {target}", document.display());
        }
    }
}

#[test]
fn crates_depend_only_on_those_below_them() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut allowed: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, direct) in ALLOWED {
        let indirect = direct.iter().flat_map(|d| allowed[d].clone());
        let all = direct.iter().copied().chain(indirect).collect();
        allowed.insert(name, all);
    }
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() >= 3);
    for package in packages {
        let name = package["name"].as_str().unwrap();
        let allowed = allowed
            .get(name)
            .unwrap_or_else(|| panic!("{name} has no place in the table of crates"));
        for dependency in package["dependencies"].as_array().unwrap() {
            let dependency = dependency["name"].as_str().unwrap();
            if dependency.starts_with("drystone") {
                assert!(allowed.contains(&dependency), "{name} uses {dependency}");
            }
        }
    }
}

#[test]
fn every_test_file_belongs_to_a_program() {
    for folder in std::fs::read_dir(root().join("crates")).unwrap() {
        let folder = folder.unwrap().path();
        let Ok(tests) = std::fs::read_dir(folder.join("tests")) else {
            continue;
        };
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let all = std::fs::read_to_string(folder.join("tests/all.rs")).unwrap_or_default();
        for file in tests.map(|file| file.unwrap().path()) {
            if file.extension().is_some_and(|e| e == "rs") {
                let name = file.file_stem().unwrap().to_string_lossy().into_owned();
                let alone = manifest.contains(&format!("[[test]]\nname = \"{name}\"\n"));
                let listed = all.lines().any(|line| line == format!("mod {name};"));
                assert!(alone || listed, "no test program has {}", file.display());
            }
        }
    }
}

#[test]
fn no_file_names_a_machine() {
    // In two parts each, so that this file does not name them.
    let needles = [
        ["/wo", "rk/"],
        ["/ro", "ot/"],
        ["/tmp/", "venv"],
        ["/ho", "me/"],
        ["index", "-url"],
        ["replace", "-with"],
    ]
    .map(|parts| parts.concat());
    let mut all = Vec::new();
    files(&root(), &mut all);
    assert!(all.len() > 100, "only {} files found", all.len());
    for file in all {
        let bytes = std::fs::read(&file).unwrap();
        for needle in &needles {
            let found = bytes.windows(needle.len()).any(|w| w == needle.as_bytes());
            assert!(!found, "{} contains {needle}", file.display());
        }
    }
    for line in text("Cargo.lock").lines() {
        if let Some(source) = line.strip_prefix("source = ") {
            let expected = "\"registry+https://github.com/rust-lang/crates.io-index\"";
            assert_eq!(source, expected, "Cargo.lock");
        }
    }
}

#[test]
fn the_examples_of_the_readme_are_those_that_are_tested() {
    let readme = text("README.md");
    let (_, from_rust) = readme.split_once("## From Rust").unwrap();
    let (_, lower) = from_rust.split_once("Solver authors").unwrap();
    for (page, tested) in [(from_rust, "drystone"), (lower, "drystone-ccp")] {
        let front_page: String = text(&format!("crates/{tested}/src/lib.rs"))
            .lines()
            .filter_map(|line| line.strip_prefix("//!"))
            .map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line)))
            .collect();
        let example: String = code_block(&front_page, "")
            .lines()
            .filter(|line| !line.starts_with("# "))
            .map(|line| format!("{line}\n"))
            .collect();
        assert_eq!(code_block(page, "rust"), example, "{tested}");
    }
}

#[test]
fn the_scene_of_the_readme_runs() {
    let folder = tempfile::tempdir().unwrap();
    let scene = code_block(&text("README.md"), "toml");
    std::fs::write(folder.path().join("balls.toml"), scene).unwrap();
    let run = "run balls.toml --set count=20 --steps 5 -o out --quiet";
    let output = Command::new(env!("CARGO_BIN_EXE_drystone"))
        .args(run.split(' '))
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(folder.path().join("out/picture.png").exists());
}

#[test]
fn every_built_in_scene_has_a_picture_in_the_book() {
    let gallery = text("docs/gallery.md");
    for (name, _) in drystone_scene::builtin_scenes() {
        let picture = format!("images/scene-{name}.png");
        assert!(
            gallery.contains(&picture),
            "docs/gallery.md has no {picture}"
        );
        assert!(root().join("docs").join(&picture).exists(), "{picture}");
    }
}

#[test]
fn every_experiment_has_a_report_in_the_book() {
    let listed = Command::new(env!("CARGO_BIN_EXE_drystone"))
        .arg("experiment")
        .output()
        .unwrap();
    let list = String::from_utf8(listed.stdout).unwrap();
    let ids: Vec<&str> = list
        .lines()
        .filter(|line| line.starts_with('P'))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(ids.len() >= 18, "{list}");
    let page = text("docs/experiments.md");
    for id in ids {
        for link in [
            format!("### {id}\n"),
            format!("](experiments/{id}.html)"),
            format!("](experiments/{id}.png)"),
        ] {
            assert!(
                page.contains(&link),
                "docs/experiments.md: {link:?} is missing"
            );
        }
        let report = text(&format!("docs/experiments/{id}.html"));
        assert!(
            report.contains(&format!("{id}: ")),
            "the report of {id} is not its own"
        );
    }
}

/// Names of the variants in one table of the schema.
fn variants(schema: &serde_json::Value, list: &str) -> Vec<String> {
    let reference = schema["properties"][list]["items"]["$ref"]
        .as_str()
        .unwrap();
    let table = &schema["$defs"][reference.strip_prefix("#/$defs/").unwrap()];
    let types = table["oneOf"].as_array().or(table["anyOf"].as_array());
    let name = |t: &serde_json::Value| {
        t["properties"]["type"]["const"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    types.unwrap().iter().map(name).collect()
}

/// A page has its equations, a scene, a picture and tests, and these exist.
fn check_page(path: &str) {
    let page = text(path);
    for part in ["```text", "```toml", "](../images/", "## Tests"] {
        assert!(page.contains(part), "{path} has no {part}");
    }
    let (_, tests) = page.split_once("## Tests").unwrap();
    let mut code = String::new();
    let mut named = 0;
    for word in tests.split('`').skip(1).step_by(2) {
        if word.ends_with(".rs") {
            code = text(word);
        } else {
            assert!(code.contains(&format!("fn {word}(")), "{path}: {word}");
            named += 1;
        }
    }
    assert!(named > 0, "{path} names no test");
}

#[test]
fn every_law_and_joint_has_a_page() {
    let mut laws = String::new();
    for folder in ["docs/laws", "docs/joints"] {
        let mut pages = Vec::new();
        files(&root().join(folder), &mut pages);
        assert!(pages.len() >= 7, "{folder}");
        for page in pages.iter().filter(|p| !p.ends_with("README.md")) {
            let name = page.file_name().unwrap().to_string_lossy();
            let path = format!("{folder}/{name}");
            check_page(&path);
            laws += &text(&path);
        }
    }
    let schema = drystone_scene::scene::schema();
    for joint in variants(&schema, "joint") {
        assert!(text("docs/joints/README.md").contains(&format!("[`{joint}`]({joint}.md)")));
    }
    let keys = schema["$defs"]["a_material"]["properties"].as_object();
    let about_contact = |key: &&String| !["name", "density", "color"].contains(&key.as_str());
    for key in keys.unwrap().keys().filter(about_contact) {
        assert!(laws.contains(&format!("`{key}`")), "no page on `{key}`");
    }
}

#[test]
fn every_method_is_documented() {
    for page in ["README.md", "docs/methods.md"] {
        let content = text(page);
        for method in Method::ALL {
            let name = format!("`{}`", method.name());
            assert!(content.contains(&name), "{page} does not name {name}");
        }
    }
}

#[test]
fn the_file_of_the_readme_solves() {
    let named = std::env::var_os("DRYSTONE_PYTHON").map(PathBuf::from);
    let python = named.unwrap_or_else(|| root().join(".venv/bin/python"));
    let probe = Command::new(&python)
        .args(["-c", "import h5py, scipy"])
        .output();
    if !probe.is_ok_and(|o| o.status.success()) {
        assert!(
            std::env::var_os("DRYSTONE_REQUIRE_PYTHON").is_none(),
            "{} has no h5py and SciPy, and DRYSTONE_REQUIRE_PYTHON is set",
            python.display()
        );
        println!("skipped: no Python with h5py and SciPy");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let run = |program: &Path, arguments: &[&str]| {
        let output = Command::new(program)
            .args(arguments)
            .current_dir(&folder)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    run(&python, &["-c", &code_block(&text("README.md"), "python")]);
    let solve = "solve ball.hdf5 --law exact --output impulses.npy --quiet";
    let arguments: Vec<&str> = solve.split(' ').collect();
    run(Path::new(env!("CARGO_BIN_EXE_drystone")), &arguments);
    let file = folder.path().join("impulses.npy");
    let impulses = drystone_problems::read_vector(file).unwrap();
    for (found, expected) in impulses.iter().zip([0.0981, -0.01962, 0.0]) {
        assert!((found - expected).abs() < 1e-8, "{impulses:?}");
    }
}
