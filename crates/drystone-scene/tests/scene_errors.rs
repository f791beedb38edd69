//! What is wrong with a scene is told with line, key and suggestion.
#![allow(clippy::unwrap_used)]

use drystone_scene::scene::{Fault, FaultKind, SceneError};
use drystone_scene::{Scene, SceneOptions, Simulation};

/// A good scene to spoil; line numbers below count in it.
const GOOD: &str = r#"title = "test"
[parameters]
radius = "5 cm"
count = 8
[settings]
duration = 1
[[material]]
name = "stone"
friction = 0.5
[[body]]
name = "ground"
shape = { type = "plane" }
[[body]]
name = "ball"
shape = { type = "sphere", radius = "radius" }
material = "stone"
position = [0, 0, 1]
mass = 2
[[container]]
name = "box"
shape = { type = "box", size = [1, 1, 1] }
position = [5, 0, 0]
[[fill]]
name = "grains"
shape = { type = "sphere", radius = 0.1 }
count = "count"
container = "box"
[[phase]]
name = "settle"
until = { time = 0.5 }
[[phase]]
at_start = [{ remove = "ball" }]
[recording]
forces = [{ by = "grains", on = "box" }]
"#;

fn parse(text: &str) -> Result<Scene, SceneError> {
    Scene::parse(text, "test.toml", None, &SceneOptions::default())
}

fn faults(text: &str) -> Vec<Fault> {
    match parse(text).and_then(|scene| Simulation::new(&scene)) {
        Ok(_) => panic!("no fault in\n{text}"),
        Err(error) => error.faults().to_vec(),
    }
}

/// The first fault after `from` has become `to`.
fn spoiled(from: &str, to: &str) -> Fault {
    assert_eq!(GOOD.matches(from).count(), 1, "{from}");
    faults(&GOOD.replace(from, to)).remove(0)
}

#[test]
fn the_good_scene_is_good() {
    let simulation = Simulation::new(&parse(GOOD).unwrap()).unwrap();
    assert_eq!(simulation.world().group("grains").len(), 8);
    assert_eq!(simulation.world().group("box").len(), 5);
}

/// What it was, what it becomes, line, key, words of the message, suggestion.
type Case = (
    &'static str,
    &'static str,
    usize,
    &'static str,
    &'static str,
    Option<&'static str>,
);

const CASES: &[Case] = &[
    // Unknown keys, at the top, in tables and in inline tables.
    (
        "title =",
        "titel =",
        1,
        "titel",
        "unknown key `titel` in the scene",
        Some("title"),
    ),
    (
        "duration =",
        "durration =",
        6,
        "settings.durration",
        "unknown key",
        Some("duration"),
    ),
    (
        "friction =",
        "frction =",
        9,
        "material.stone.frction",
        "unknown key",
        Some("friction"),
    ),
    (
        "\"sphere\", radius = \"radius\"",
        "\"sphere\", raduis = \"radius\"",
        15,
        "body.ball.shape.raduis",
        "unknown key `raduis` in sphere",
        Some("radius"),
    ),
    (
        "until = { time = 0.5 }",
        "until = { tme = 0.5 }",
        30,
        "phase.settle.until.tme",
        "unknown key",
        Some("time"),
    ),
    (
        "{ remove = \"ball\" }",
        "{ delete = \"ball\" }",
        32,
        "phase[1].at_start[0].delete",
        "unknown key `delete` in an action",
        None,
    ),
    // Keys that are not there.
    (
        "name = \"stone\"\n",
        "",
        7,
        "material[0]",
        "`name` is missing",
        None,
    ),
    (
        "shape = { type = \"plane\" }\n",
        "",
        10,
        "body.ground",
        "`shape` is missing",
        None,
    ),
    (
        "type = \"box\", size = [1, 1, 1]",
        "type = \"box\"",
        21,
        "container.box.shape",
        "`size` is missing: [x, y, z] in m",
        None,
    ),
    (
        "{ type = \"plane\" }",
        "{}",
        12,
        "body.ground.shape",
        "`type` is missing: one of sphere, box",
        None,
    ),
    (
        "duration = 1\n",
        "",
        5,
        "settings",
        "`duration` is missing",
        None,
    ),
    (
        "until = { time = 0.5 }",
        "until = {}",
        30,
        "phase.settle.until",
        "one of time, steps, rest",
        None,
    ),
    // Other types.
    (
        "duration = 1",
        "duration = true",
        6,
        "settings.duration",
        "found true, expected a time in s",
        None,
    ),
    (
        "position = [0, 0, 1]",
        "position = 1",
        17,
        "body.ball.position",
        "found 1, expected [x, y, z] in m",
        None,
    ),
    (
        "position = [0, 0, 1]",
        "position = [0, 1]",
        17,
        "body.ball.position",
        "found a list of 2",
        None,
    ),
    (
        "position = [0, 0, 1]",
        "position = [0, false, 1]",
        17,
        "body.ball.position[1]",
        "found false",
        None,
    ),
    (
        "title = \"test\"",
        "title = 5",
        1,
        "title",
        "found 5, expected text",
        None,
    ),
    (
        "{ type = \"plane\" }",
        "\"plane\"",
        12,
        "body.ground.shape",
        "a table with a `type`",
        None,
    ),
    (
        "[[material]]",
        "[material]",
        7,
        "material",
        "found a table",
        Some("[[material]]"),
    ),
    (
        "[settings]",
        "[[settings]]",
        5,
        "settings",
        "found a list of 1",
        None,
    ),
    // Units.
    (
        "mass = 2",
        "mass = \"2 mm\"",
        18,
        "body.ball.mass",
        "found \"2 mm\", which is a length; expected a mass in kg",
        None,
    ),
    (
        "position = [0, 0, 1]",
        "position = [0, 0, \"1 s\"]",
        17,
        "body.ball.position[2]",
        "which is a time",
        None,
    ),
    (
        "duration = 1",
        "duration = \"radius\"",
        6,
        "settings.duration",
        "which is a length",
        None,
    ),
    (
        "mass = 2",
        "mass = \"2 kgs\"",
        18,
        "body.ball.mass",
        "`kgs` is not a unit",
        Some("kg"),
    ),
    (
        "mass = 2",
        "mass = \"2 kg + 1 m\"",
        18,
        "body.ball.mass",
        "a mass and a length cannot be added",
        None,
    ),
    // Ranges.
    (
        "friction = 0.5",
        "friction = -0.5",
        9,
        "material.stone.friction",
        "-0.5 is not a number >= 0",
        None,
    ),
    (
        "duration = 1",
        "duration = 0",
        6,
        "settings.duration",
        "0 is not a number > 0",
        None,
    ),
    (
        "mass = 2",
        "mass = inf",
        18,
        "body.ball.mass",
        "inf is not a finite number",
        None,
    ),
    (
        "count = \"count\"",
        "count = 1.5",
        26,
        "fill.grains.count",
        "1.5 is not a whole number",
        None,
    ),
    (
        "count = \"count\"",
        "count = 1e12",
        26,
        "fill.grains.count",
        "at most 20000000 grains",
        None,
    ),
    (
        "radius = \"radius\"",
        "radius = \"-radius\"",
        15,
        "body.ball.shape",
        "sphere: radius -0.05",
        None,
    ),
    // Names.
    (
        "material = \"stone\"",
        "material = \"stoen\"",
        16,
        "body.ball.material",
        "no material is called `stoen`",
        Some("stone"),
    ),
    (
        "\"plane\"",
        "\"plain\"",
        12,
        "body.ground.shape.type",
        "found \"plain\", expected one of sphere",
        Some("plane"),
    ),
    (
        "{ remove = \"ball\" }",
        "{ remove = \"bal\" }",
        32,
        "phase[1].at_start[0].remove",
        "no body is called `bal`",
        Some("ball"),
    ),
    (
        "on = \"box\"",
        "on = \"bx\"",
        34,
        "recording.forces[0].on",
        "no body is called `bx`",
        Some("box"),
    ),
    (
        "container = \"box\"",
        "container = \"boxes\"",
        27,
        "fill.grains.container",
        "no container is called `boxes`",
        Some("box"),
    ),
    (
        "[settings]",
        "[settings]\nmethod = \"nesterov\"",
        6,
        "settings.method",
        "expected one of auto",
        Some("nesterov-gs"),
    ),
    (
        "[[container]]",
        "[[material]]\nname = \"stone\"\n[[container]]",
        20,
        "material.stone.name",
        "material `stone` is there twice",
        None,
    ),
    // Expressions.
    (
        "\"radius\" }",
        "\"2*radis\" }",
        15,
        "body.ball.shape.radius",
        "column 3: no parameter is called `radis`",
        Some("radius"),
    ),
    (
        "\"radius\" }",
        "\"2*(radius\" }",
        15,
        "body.ball.shape.radius",
        "column 10: found the end, expected an operator or `)`",
        None,
    ),
    (
        "\"radius\" }",
        "\"2 radius\" }",
        15,
        "body.ball.shape.radius",
        "an operator is missing before `radius`",
        None,
    ),
    (
        "\"radius\" }",
        "\"sqr(4)\" }",
        15,
        "body.ball.shape.radius",
        "no function is called `sqr`",
        Some("sqrt"),
    ),
    (
        "\"radius\" }",
        "\"1 $ 2\" }",
        15,
        "body.ball.shape.radius",
        "`$` has no meaning",
        None,
    ),
    (
        "count = 8",
        "count = \"2*later\"\nlater = 4",
        4,
        "parameters.count",
        "no parameter is called `later`",
        None,
    ),
    (
        "count = 8",
        "count = \"1/0\"",
        4,
        "parameters.count",
        "inf is not a finite number",
        None,
    ),
    (
        "count = 8",
        "count = 8\nm = 1",
        5,
        "parameters.m",
        "`m` means the unit metre",
        None,
    ),
    // Keys that exclude each other.
    (
        "mass = 2",
        "mass = 2\ndensity = 1",
        19,
        "body.ball.density",
        "both `mass` and `density`",
        None,
    ),
    (
        "mass = 2",
        "mass = 2\nkind = \"fixed\"\nvelocity = [1, 0, 0]",
        20,
        "body.ball.velocity",
        "is for dynamic bodies",
        None,
    ),
    (
        "{ type = \"plane\" }",
        "{ type = \"plane\" }\nkind = \"dynamic\"",
        13,
        "body.ground.kind",
        "a plane cannot be dynamic",
        None,
    ),
    (
        "container = \"box\"",
        "container = \"box\"\nfraction = 0.1",
        28,
        "fill.grains.fraction",
        "keep one",
        None,
    ),
    (
        "until = { time = 0.5 }\n",
        "",
        28,
        "phase.settle.until",
        "only the last phase goes without `until`",
        None,
    ),
    // Files.
    (
        "{ type = \"plane\" }",
        "{ type = \"mesh\", file = \"a.stl\" }",
        12,
        "body.ground.shape.file",
        "no folder",
        None,
    ),
    // What the engine or the packing refuses.
    ("count = 8", "count = 100000", 23, "fill.grains", "", None),
    (
        "position = [0, 0, 1]",
        "color = \"bleu\"",
        17,
        "body.ball.color",
        "#rrggbb",
        Some("blue"),
    ),
];

#[test]
fn every_fault_is_told_with_its_line() {
    for (from, to, line, key, words, suggestion) in CASES {
        let fault = spoiled(from, to);
        let told = fault.to_string();
        assert_eq!((fault.line, fault.key.as_str()), (*line, *key), "{told}");
        assert!(told.contains(words), "{told}\ndoes not say: {words}");
        assert_eq!(fault.suggestion.as_deref(), *suggestion, "{told}");
    }
}

/// Cameras, colours and cuts have a grammar of their own. It is checked with the scene, not when a
/// picture is made after the run.
#[test]
fn views_are_checked_with_the_scene() {
    for (key, good) in [
        ("camera", "iso,zoom=1.2"),
        ("color_by", "speed"),
        ("clip", "y>0, x<-0.1"),
    ] {
        let scene = parse(&format!("{GOOD}[view]\n{key} = \"{good}\"\n")).unwrap();
        let view = scene.view();
        let given = [
            view.camera.is_some(),
            view.color_by.is_some(),
            view.cuts.len() == 2,
        ];
        assert_eq!(given.into_iter().filter(|given| *given).count(), 1, "{key}");
    }
    for (key, wrong, words, suggestion) in [
        (
            "camera",
            "isoo",
            "(front, side, back, top, iso",
            Some("iso"),
        ),
        (
            "camera",
            "azimut=30",
            "no key 'azimut', only azimuth, elevation, distance, zoom, target, fov",
            Some("azimuth"),
        ),
        ("camera", "iso,fov=200", "a number between 1 and 150", None),
        (
            "camera",
            "target=1:2",
            "three numbers such as 0:0:1.5",
            None,
        ),
        (
            "color_by",
            "sped",
            "expected one of speed, force, size, material",
            Some("speed"),
        ),
        ("clip", "y=0", "an axis, < or >, and a length in m", None),
        ("clip", "y>0,w>1", "'w>1' is not an axis", None),
    ] {
        let text = format!("{GOOD}[view]\n{key} = \"{wrong}\"\n");
        let line = text.lines().count();
        let found = faults(&text);
        assert_eq!(found.len(), 1, "{wrong}");
        let fault = &found[0];
        let place = (fault.line, fault.column, fault.key.as_str());
        assert_eq!(place, (line, key.len() + 4, format!("view.{key}").as_str()));
        assert!(fault.to_string().contains(words), "{fault}");
        assert_eq!(fault.suggestion.as_deref(), suggestion, "{fault}");
    }
}

#[test]
fn text_that_is_not_toml_has_a_line() {
    let fault = spoiled("duration = 1", "duration = = 1");
    assert_eq!(fault.line, 6);
    assert!(matches!(fault.kind, FaultKind::Syntax(_)));
    assert_eq!(spoiled("count = 8", "radius = 8").line, 4); // a key twice
}

#[test]
fn several_faults_are_told_at_once() {
    let text = GOOD
        .replace("friction = 0.5", "friction = -1")
        .replace("mass = 2", "mas = 2")
        .replace("count = \"count\"", "count = \"cuont\"");
    let lines: Vec<_> = faults(&text).iter().map(|f| f.line).collect();
    assert_eq!(lines, [9, 18, 26]);
}

#[test]
fn a_message_holds_place_key_and_suggestion() {
    let fault = spoiled("mass = 2", "mas = 2");
    assert_eq!(
        fault.to_string(),
        "test.toml:18:1: body.ball.mas: unknown key `mas` in a body; did you mean `mass`?"
    );
    // The column points into the expression.
    let fault = spoiled("\"radius\" }", "\"2*radis\" }");
    assert_eq!((fault.line, fault.column), (15, 40));
}

#[test]
fn unknown_scenes_and_missing_files() {
    let options = SceneOptions::default();
    let error = Scene::builtin("pil", &options).err().unwrap().to_string();
    assert!(error.contains("did you mean `pile`?"), "{error}");
    let error = Scene::load("no/such/scene.toml", &options).err().unwrap();
    assert!(matches!(error, SceneError::Read { .. }));
}

/// Not only the first of a table: whoever mends one wants to know of the others.
#[test]
fn all_independent_faults_of_one_table_are_told() {
    let text = GOOD
        .replace(
            "mass = 2",
            "mass = \"2 m\"\nfrction = 3\nangular_velocity = [1, 2]\nkind = \"moving\"",
        )
        .replace("radius = \"radius\"", "radius = \"raduis\"")
        .replace(
            "duration = 1",
            "duration = \"1 kg\"\ntolerence = 1e-3\nwarm_start = 1",
        )
        .replace(
            "[[phase]]\nname = \"settle\"\nuntil = { time = 0.5 }",
            "[[phase]]\nuntil = { time = \"x\", stops = 3 }",
        )
        .replace(
            "forces = [{ by = \"grains\", on = \"box\" }]",
            "forces = [{ by = 1 }]\nprecision = \"half\"",
        );
    let faults = faults(&text);
    let keys: Vec<&str> = faults.iter().map(|fault| fault.key.as_str()).collect();
    let expected = [
        "settings.duration",
        "settings.tolerence",
        "settings.warm_start",
        "body.ball.shape.radius",
        "body.ball.mass",
        "body.ball.frction",
        "body.ball.angular_velocity",
        "body.ball.kind",
        "phase[0].until.time",
        "phase[0].until.stops",
        "recording.forces[0]",
        "recording.forces[0].by",
        "recording.precision",
    ];
    for key in expected {
        assert_eq!(
            keys.iter().filter(|k| **k == key).count(),
            1,
            "{key} in {keys:?}"
        );
    }
    assert_eq!(keys.len(), expected.len(), "{keys:?}");
    // In the order of the text.
    assert!(faults.is_sorted_by_key(|fault| fault.span.start));
}

/// Numbers of an array's bodies have a value where the text is gone through again.
#[test]
fn a_fault_in_an_array_brings_no_others_with_it() {
    let text = GOOD.replace(
        "position = [0, 0, 1]\nmass = 2",
        "position = [\"i\", 0, \"2*k\"]\nmass = \"1 m\"\nrepeat = { count = [2, 1, 2] }",
    );
    let faults = faults(&text);
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert_eq!(faults[0].key, "body.ball.mass");
}

#[test]
fn parameters_that_nothing_uses_are_warned_of() {
    let scene =
        parse(&GOOD.replace("count = 8", "count = 8\nwidth = 3\ndepth = \"width\"")).unwrap();
    assert_eq!(
        scene.warnings(),
        ["line 6: the parameter `depth` is used nowhere"]
    );
    assert!(parse(GOOD).unwrap().warnings().is_empty());
}
