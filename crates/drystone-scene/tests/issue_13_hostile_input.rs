//! Hostile input of issue 13: whatever a file holds, the answer is a scene or a short message that
//! names the key and the value, soon.

#![allow(clippy::unwrap_used, reason = "test code")]

use std::path::Path;

use drystone_scene::{Scene, SceneError, SceneOptions, Simulation};

const HEAD: &str = "[settings]\nduration = 0.01\n";

fn parse(text: &str) -> Result<Scene, SceneError> {
    Scene::parse(text, "test.toml", None, &SceneOptions::default())
}

fn refused(text: &str) -> String {
    let error = parse(&format!("{HEAD}{text}")).err().expect("a fault");
    error.explained()
}

/// What is wrong when the scene is built.
fn not_built(text: &str) -> String {
    let scene = parse(&format!("{HEAD}{text}")).unwrap();
    Simulation::new(&scene).err().expect("a fault").to_string()
}

#[test]
fn a_funnel_whose_top_is_a_point_takes_no_rain() {
    for top in ["1e-320", "1e-200", "1e-160", "1e-30"] {
        let words = not_built(&format!(
            r#"[[container]]
            name = "hopper"
            shape = {{ type = "funnel", bottom = 0.1, top = {top}, height = 0.6 }}
            [[fill]]
            shape = {{ type = "sphere", radius = 0.01 }}
            count = 3000
            container = "hopper"
            arrangement = "rain""#
        ));
        assert!(words.contains("would not hold 3000 grains"), "{words}");
    }
}

#[test]
fn grains_lost_in_rounding_are_refused() {
    let words = not_built(
        r#"[[fill]]
        shape = { type = "sphere", radius = 1e-15 }
        count = 10
        region = { type = "box", min = [0, 0, 0], max = [1, 1, 1] }"#,
    );
    assert!(words.contains("radius of 1e-15 m"), "{words}");
}

#[test]
fn counts_have_an_upper_bound_with_key_and_value() {
    let track = |shoes: &str, teeth: &str, rollers: usize| {
        let at = "[1, 0, 0],".repeat(rollers);
        refused(&format!(
            r#"[[body]]
            name = "hull"
            shape = {{ type = "sphere", radius = 0.1 }}
            [[track]]
            name = "t"
            chassis = "hull"
            sprocket = {{ at = [0, 0, 0], teeth = {teeth}, mass = 1 }}
            rollers = {{ at = [{at}], radius = 0.1, mass = 1 }}
            shoes = {{ count = {shoes}, width = 0.1, thickness = 0.01, mass = 1 }}"#
        ))
    };
    let words = track("1000000", "10", 1);
    let expected = "track.t.shoes.count: 1000000 is not from 8 to 400";
    assert!(words.contains(expected), "{words}");
    let words = track("50", "1000", 1);
    assert!(
        words.contains("teeth: 1000 is not from 6 to 200"),
        "{words}"
    );
    let words = track("50", "10", 41);
    assert!(words.contains("a list of 41 is not at most 40"), "{words}");

    let words = refused(&"[[material]]\nname = \"m\"\n".repeat(1001));
    assert!(words.contains("material: a list of 1001"), "{words}");
    let words = refused(
        "[[body]]\nshape = { type = \"sphere\", radius = 1 }\nrepeat = { count = [1000, 1, 1] }\n\
         [[body]]\nshape = { type = \"sphere\", radius = 1 }\nrepeat = { count = [2000000, 1, 1] }\n",
    );
    assert!(words.contains("at most 2000000 bodies in all"), "{words}");
    let height = ["sin(x)*y"; 200].join("+");
    let words = refused(&format!(
        "[[body]]\nshape = {{ type = \"height_field\", size = [1, 1], points = [2000, 2000], \
         height = \"{height}\" }}"
    ));
    assert!(words.contains("2000 x 2000 is not fewer"), "{words}");
    let profile: String = (0..1001).map(|z| format!("[1, {z}],")).collect();
    let words = refused(&format!(
        "[[container]]\nname = \"c\"\nshape = {{ type = \"revolved\", profile = [{profile}] }}"
    ));
    assert!(words.contains("at most 1000 points"), "{words}");
}

#[test]
fn thousands_of_bodies_in_one_place_are_refused_before_they_are_stepped() {
    let words = not_built(
        r#"[[body]]
        name = "brick"
        shape = { type = "box", size = [0.2, 0.1, 0.1] }
        repeat = { count = [3000, 1, 1] }"#,
    );
    assert!(
        words.contains("3000 bodies like brick[0] in one place"),
        "{words}"
    );
    assert!(words.contains("at least 4498500 pairs"), "{words}");
    // The steps of two hundred would take minutes each.
    let words = not_built(
        r#"[[body]]
        name = "brick"
        shape = { type = "box", size = [0.2, 0.1, 0.1] }
        repeat = { count = [101, 1, 1] }"#,
    );
    assert!(
        words.contains("101 bodies like brick[0] in one place"),
        "{words}"
    );
    // A hundred are a matter for the solver, and those that only touch are fine.
    let fine = "[[body]]\nshape = { type = \"box\", size = [1, 1, 1] }\nrepeat = { count = ";
    for rest in ["[100, 1, 1] }", "[20, 20, 20], spacing = [1, 1, 1] }"] {
        let scene = parse(&format!("{HEAD}{fine}{rest}")).unwrap();
        Simulation::new(&scene).unwrap();
    }
}

#[test]
fn many_faults_are_counted_and_long_lines_cut() {
    let body = "[[body]]\nshape = { type = \"spher\", radius = 1 }\n";
    let error = parse(&format!("{HEAD}{}", body.repeat(20_000)));
    let error = error.err().expect("a fault");
    assert_eq!(error.faults().len(), 100);
    let words = error.explained();
    assert_eq!(words.matches("did you mean `sphere`?").count(), 20);
    assert!(words.ends_with("and 80 or more other faults: reading stopped there"));
    assert!(error.to_string().ends_with("reading stopped there"));
    // Each of these would be compared with all others.
    let joint = "[[joint]]\ntype = \"fixed\"\nbodies = [\"none\", \"nobody\"]\n";
    let names: String = (0..20_000)
        .map(|k| {
            format!("[[body]]\nname = \"b{k}\"\nshape = {{ type = \"sphere\", radius = 1 }}\n")
        })
        .collect();
    let words = refused(&format!("{}{names}", joint.repeat(20_000)));
    assert!(
        words.contains("no body is called `none`"),
        "{}",
        &words[..200]
    );

    let long = "a".repeat(5_000_000);
    for text in [
        format!("x = \"{long}\""),
        format!("{long} = 1"),
        format!("law = \"{long}\""),
        format!("time_step = \"{long}\""),
        format!("title = {long}"),
        format!("[[body]]\nname = \"{long}\"\nshape = {{ type = \"{long}\" }}"),
        format!("[[joint]]\ntype = \"fixed\"\nbodies = [\"{long}\", \"b\"]"),
    ] {
        let words = refused(&text);
        assert!(words.len() < 5000, "{} bytes", words.len());
        assert!(words.contains('…'), "{words}");
    }
}

#[test]
fn marks_stand_below_their_place_in_long_lines() {
    let words = refused(&format!("/* {} */", "x".repeat(500)));
    assert!(words.lines().count() == 3, "{words}");
    let blanks = " ".repeat(300);
    let words = refused(&format!(
        "[[body]]\nshape = {{ {blanks} type = \"spher\" }}"
    ));
    let lines: Vec<&str> = words.lines().collect();
    let mark = lines[2].chars().position(|c| c == '^').unwrap();
    let marked: String = lines[1].chars().skip(mark).take(7).collect();
    assert_eq!(marked, "\"spher\"", "{words}");
}

#[test]
fn nothing_of_a_scene_acts_on_a_terminal() {
    for text in [
        "title = \"a\\u001b[31mb\"",
        "title = \"two\\nlines\"",
        "description = \"\\u0007\"",
        "[[body]]\nname = \"\\u001b]0;x\\u0007\"\nshape = { type = \"plane\" }",
        "[[material]]\nname = \"\\u202etxt\"",
        "[[phase]]\nname = \"\\u009b\"",
        "\"\\u001b[2J\" = 1",
        "[parameters]\n\"\\u001b\" = 1",
        "x = \"\\u001b[31m\"",
        "x = \"raw \u{1b}[31m\"",
        "# \u{1b}[31m",
        "[[body]]\nshape = { type = \"\\u001b[1m\" }",
    ] {
        let error = parse(&format!("{text}\n{HEAD}")).err().expect(text);
        for words in [error.to_string(), error.explained()] {
            let hidden = words
                .chars()
                .any(|c| c.is_control() && c != '\n' && c != '\t');
            assert!(!hidden && !words.contains('\u{202e}'), "{words:?}");
            assert!(words.starts_with("test.toml:"), "{words:?}");
        }
    }
    let lines = parse(&format!("description = \"\"\"\ntwo\nlines\"\"\"\n{HEAD}"));
    assert_eq!(lines.unwrap().description(), "two\nlines");
}

#[test]
fn large_numbers_are_short_in_messages() {
    for text in [
        "[[body]]\nshape = { type = \"sphere\", radius = -1e300 }",
        "[[body]]\nshape = { type = \"box\", size = [1e300, -1e300, 1] }",
        "[[container]]\nname = \"c\"\nshape = { type = \"box\", size = [-1e300, 1e300, 1] }",
        "[[fill]]\nshape = { type = \"plane\" }\ncount = 1e15\nregion = { type = \"box\", min = [1e300, 0, 0], max = [0, 0, 0] }",
        "[[material]]\nname = \"m\"\nfriction = -1e300",
        "[[phase]]\nuntil = { steps = 1e300 }",
    ] {
        let words = refused(text);
        assert!(!words.contains("00000000000000000"), "{words}");
    }
}

#[test]
fn inertia_that_no_solid_has_is_refused_with_its_line() {
    let body = |inertia: &str| {
        format!(
            "[[body]]\nshape = {{ type = \"sphere\", radius = 1 }}\nmass = 1\ninertia = {inertia}"
        )
    };
    for wrong in [
        "[1, 1, 10]",
        "[1, 1, 2.1]",
        "[1, 2, 3, 0, 0, 2.5]",
        "[-1, 1, 1]",
        "[1e300, 1, 1]",
    ] {
        let words = refused(&body(wrong));
        assert!(
            words.starts_with("test.toml:6:11: body[0].inertia: "),
            "{words}"
        );
        assert!(
            words.contains("none greater than the sum of the other two"),
            "{words}"
        );
    }
    for fine in ["[1, 1, 1]", "[1, 1, 2]", "[1, 1, 1, 0.1, 0.1, 0.1]"] {
        let scene = parse(&format!("{HEAD}{}", body(fine))).unwrap();
        Simulation::new(&scene).unwrap();
    }
}

#[test]
fn bodies_are_counted_before_any_is_placed() {
    let fill = |amount: &str| {
        let text = format!(
            "{HEAD}[[fill]]\nshape = {{ type = \"sphere\", radius = 0.5 }}\n{amount}\n\
             region = {{ type = \"box\", min = [0, 0, 0], max = [100, 100, 100] }}"
        );
        parse(&text).unwrap()
    };
    let scene = fill("count = 10000000");
    assert_eq!(scene.least_bodies(), 10_000_000);
    let moving: u64 = scene.least_moving().iter().map(|(_, count)| count).sum();
    assert_eq!(moving, 10_000_000);
    // A ball of 1 m has a volume of pi / 6; at least half of what is expected counts.
    let expected = 0.5 * 0.3e6 / (std::f64::consts::PI / 6.0);
    let found = fill("fraction = 0.3").least_bodies() as f64;
    assert!((found / expected - 1.0).abs() < 1e-3, "{found}");
}

#[test]
fn an_open_mesh_is_named_by_its_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n";
    std::fs::write(folder.path().join("bowl.obj"), obj).unwrap();
    let mesh = "shape = { type = \"mesh\", file = \"bowl.obj\" }";
    let region = "region = { type = \"box\", min = [0, 0, 0], max = [9, 9, 9] }";
    for text in [
        format!("[[body]]\n{mesh}"),
        format!("[[fill]]\n{mesh}\ncount = 1\n{region}"),
    ] {
        let path = folder.path().join("scene.toml");
        std::fs::write(&path, format!("{HEAD}{text}")).unwrap();
        let error = Scene::load(&path, &SceneOptions::default());
        let words = error.err().expect("a fault").to_string();
        assert!(
            words.contains("bowl.obj: line 5: mesh: not closed"),
            "{words}"
        );
    }
    let fixed = format!("{HEAD}[[body]]\nkind = \"fixed\"\n{mesh}");
    let path = folder.path().join("scene.toml");
    std::fs::write(&path, fixed).unwrap();
    Scene::load(&path, &SceneOptions::default()).unwrap();
}

#[cfg(unix)]
#[test]
fn only_ordinary_files_are_read() {
    let load = |path: &Path| {
        let error = Scene::load(path, &SceneOptions::default());
        error.err().expect("a fault").to_string()
    };
    let words = load(Path::new("/dev/zero"));
    assert_eq!(words, "/dev/zero: is a device, expected a regular file");
    let folder = tempfile::tempdir().unwrap();
    assert!(load(folder.path()).contains("is a folder"));
    let large = folder.path().join("large.toml");
    std::fs::write(&large, vec![b'#'; (16 << 20) + 1]).unwrap();
    assert!(load(&large).contains("16777217 bytes or more, expected at most 16777216"));
    for name in ["pipe.stl", "pipe.urdf", "pipe.toml"] {
        let pipe = folder.path().join(name);
        let made = std::process::Command::new("mkfifo").arg(pipe).status();
        if !made.is_ok_and(|status| status.success()) {
            return;
        }
    }
    assert!(load(&folder.path().join("pipe.toml")).contains("is a named pipe"));
    let path = folder.path().join("scene.toml");
    for text in [
        "[[body]]\nkind = \"fixed\"\nshape = { type = \"mesh\", file = \"pipe.stl\" }",
        "[[body]]\nshape = { type = \"hull\", file = \"pipe.stl\" }",
        "[[robot]]\nfile = \"pipe.urdf\"",
    ] {
        std::fs::write(&path, format!("{HEAD}{text}")).unwrap();
        assert!(load(&path).contains("is a named pipe"), "{text}");
    }
}

#[test]
fn marks_and_line_ends_of_other_systems_do_no_harm() {
    let text = format!("\u{feff}{HEAD}title = 1\n").replace('\n', "\r\n");
    let error = parse(&text).err().expect("a fault");
    assert!(
        error
            .to_string()
            .starts_with("test.toml:3:1: settings.title"),
        "{error}"
    );
    for text in ["", "\0", "\u{feff}", "a", "[", "[[[[", "=", "\n\n\n"] {
        assert!(parse(text).is_err(), "{text:?}");
    }
}
