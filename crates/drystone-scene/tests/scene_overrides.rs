//! Overrides of parameters and keys, and the text that a scene is run from.
#![allow(clippy::unwrap_used)]

use drystone_scene::{Scene, SceneError, SceneOptions, Simulation, builtin_scenes};

const TEXT: &str = r#"# a comment
[parameters]
radius = 0.5 # m
height = "2*radius"

[settings] # of the run
duration = 1

[[body]]
name = "ball"
shape = { type = "sphere", radius = "radius" }
position = [0, 0, "height"]

[[body]]
name = "slab"
shape = { type = "box", size = [1, 1, 1] }
"#;

fn options(set: &[(&str, &str)]) -> SceneOptions {
    let set = set.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned()));
    SceneOptions {
        set: set.collect(),
        ..SceneOptions::default()
    }
}

fn parse(set: &[(&str, &str)]) -> Result<Scene, SceneError> {
    Scene::parse(TEXT, "test", None, &options(set))
}

fn simulation(set: &[(&str, &str)]) -> Simulation {
    Simulation::new(&parse(set).unwrap()).unwrap()
}

fn ball(set: &[(&str, &str)]) -> (f64, f64) {
    let simulation = simulation(set);
    let world = simulation.world();
    let ball = world.group("ball")[0];
    (world.mass(ball), world.pose(ball).position.z)
}

/// Mass of a ball of water.
fn mass(radius: f64) -> f64 {
    4.0 / 3.0 * std::f64::consts::PI * radius.powi(3) * 1000.0
}

#[test]
fn parameters_go_through_expressions() {
    for (set, radius, height) in [
        (vec![], 0.5, 1.0),
        (vec![("radius", "0.1")], 0.1, 0.2),
        (vec![("radius", "20 cm")], 0.2, 0.4),
        (vec![("radius", "1/4"), ("height", "3")], 0.25, 3.0),
        (
            vec![("parameters.radius", "0.1"), ("radius", "0.3")],
            0.3,
            0.6,
        ),
    ] {
        let (found_mass, found_height) = ball(&set);
        assert!(
            (found_mass - mass(radius)).abs() < 1e-9 * found_mass,
            "{set:?}"
        );
        assert!((found_height - height).abs() < 1e-15, "{set:?}");
    }
}

#[test]
fn any_key_can_be_set() {
    let world_of = |set| simulation(set);
    // There, new in a table, new in an inline table, new in a table that is not there, nested and
    // new.
    assert_eq!(
        world_of(&[("settings.duration", "7")]).end_time(),
        Some(7.0)
    );
    let tolerance = world_of(&[("settings.tolerance", "1e-7")]);
    assert_eq!(tolerance.world().settings().tolerance, 1e-7);
    let heavy = world_of(&[("body.slab.mass", "5 t")]);
    let slab = heavy.world().group("slab")[0];
    assert_eq!(heavy.world().mass(slab), 5000.0);
    let second = world_of(&[("body[1].mass", "3")]);
    assert_eq!(second.world().mass(slab), 3.0);
    assert_eq!(
        world_of(&[("recording.every", "0.5")]).recording().every,
        0.5
    );
    let sleepy = world_of(&[("settings.sleeping.speed", "0.2")]);
    assert_eq!(sleepy.world().settings().sleeping.unwrap().speed, 0.2);
    assert_eq!(
        parse(&[("title", "a \"quoted\" one")]).unwrap().title(),
        "a \"quoted\" one"
    );
    assert_eq!(ball(&[("body.ball.shape.radius", "0.1")]).1, 1.0);
}

#[test]
fn what_cannot_be_set_is_told() {
    for (name, value, words, suggestion) in [
        ("raduis", "1", "no such parameter", Some("radius")),
        ("setings.tolerance", "1", "no such parameter", None),
        (
            "body.slap.mass",
            "1",
            "no body is called `slap`",
            Some("slab"),
        ),
        ("settings", "1", "set its keys one by one", None),
        ("body", "[]", "set its keys one by one", None),
        ("settings.duration.x", "1", "not a table", None),
        ("body[0]", "1", "set its keys one by one", None),
        ("body[7].mass", "1", "no body is called `7`", None),
        ("body..mass", "1", "names with points", None),
    ] {
        let error = parse(&[(name, value)]).err().unwrap();
        // A library knows no flags of a command line.
        let begin = format!("the override {name}={value}: ");
        assert!(error.to_string().starts_with(&begin), "{error}");
        let SceneError::Override {
            suggestion: found, ..
        } = &error
        else {
            panic!("{error}");
        };
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(found.as_deref(), suggestion, "{error}");
    }
    // A key that does not exist and a value of the wrong kind are faults like any other.
    let error = parse(&[("settings.tolerence", "1")]).err().unwrap();
    assert_eq!(error.faults()[0].suggestion.as_deref(), Some("tolerance"));
    let error = parse(&[("radius", "2 kg")]).err().unwrap().to_string();
    assert!(error.contains("which is a mass"), "{error}");
}

/// A value cannot smuggle in keys of its own.
#[test]
fn values_stay_values() {
    let error = parse(&[("radius", "1\nheight = 5")]).err().unwrap();
    assert!(!error.faults().is_empty(), "{error}");
}

#[test]
fn the_text_as_run_gives_the_same_scene_again() {
    let set = [
        ("radius", "3 cm"),
        ("settings.tolerance", "1e-6"),
        ("body.slab.mass", "2"),
    ];
    let first = parse(&set).unwrap();
    let text = first.to_toml();
    assert!(
        text.contains("# a comment") && text.contains("radius = \"3 cm\" # m"),
        "{text}"
    );
    let again = Scene::parse(&text, "test", None, &SceneOptions::default()).unwrap();
    assert_eq!(again.to_toml(), text);
    let states = [&first, &again].map(|s| Simulation::new(s).unwrap().state());
    assert_eq!(states[0], states[1]);
}

/// Everything that is not overridden stays as it was written: comments, blank lines, the order.
#[test]
fn an_override_changes_nothing_else_in_the_text() {
    let text_with = |set: &[(&str, &str)]| parse(set).unwrap().to_toml();
    assert_eq!(text_with(&[]), TEXT);
    for (set, from, to) in [
        // There.
        (("radius", "0.25"), "radius = 0.5 # m", "radius = 0.25 # m"),
        (
            ("settings.duration", "1e1"),
            "duration = 1\n",
            "duration = 1e1\n",
        ),
        (
            ("body.ball.shape.radius", "0.1 m"),
            "radius = \"radius\" }",
            "radius = \"0.1 m\" }",
        ),
        (
            ("body.ball.position[2]", "3"),
            "[0, 0, \"height\"]",
            "[0, 0, 3]",
        ),
        // New in a table, in an inline table, and a table within a table.
        (
            ("body.slab.mass", "5 t"),
            "size = [1, 1, 1] }\n",
            "size = [1, 1, 1] }\nmass = \"5 t\"\n",
        ),
        (
            ("settings.sleeping.speed", "0.2"),
            "duration = 1\n",
            "duration = 1\nsleeping = { speed = 0.2 }\n",
        ),
        // New tables go to the end, new keys of the scene to the beginning.
        (
            ("recording.every", "0.5"),
            "size = [1, 1, 1] }\n",
            "size = [1, 1, 1] }\n\n[recording]\nevery = 0.5\n",
        ),
        (
            ("title", "a title"),
            "# a comment",
            "title = \"a title\"\n# a comment",
        ),
    ] {
        assert_eq!(TEXT.matches(from).count(), 1, "{from}");
        assert_eq!(text_with(&[set]), TEXT.replace(from, to), "{set:?}");
    }
}

/// A key that is new in `{ ... }` goes behind the last one.
#[test]
fn inline_tables_grow_at_their_end() {
    let scene = |set: &[(&str, &str)]| {
        let text = TEXT.replace("duration = 1", "duration = 1\nsleeping = { after = 1 }");
        Scene::parse(&text, "test", None, &options(set))
            .unwrap()
            .to_toml()
    };
    let text = scene(&[("settings.sleeping.speed", "0.2")]);
    assert!(
        text.contains("sleeping = { after = 1, speed = 0.2 }\n"),
        "{text}"
    );
}

#[test]
fn every_parameter_of_the_built_in_scenes_can_be_set() {
    for (name, text) in builtin_scenes() {
        let table: toml::Table = text.parse().unwrap();
        for (parameter, value) in table["parameters"].as_table().unwrap() {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            let scene = Scene::builtin(name, &options(&[(parameter, &value)])).unwrap();
            assert_eq!(scene.title(), table["title"].as_str().unwrap());
        }
    }
}
