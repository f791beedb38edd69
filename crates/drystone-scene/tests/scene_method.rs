//! The method of a scene and its options.
#![allow(clippy::unwrap_used)]

use drystone::{Method, MethodSettings, Settings};
use drystone_scene::scene::Fault;
use drystone_scene::{Scene, SceneError, SceneOptions, Simulation};

/// A scene with these lines of settings; the first of them is line 4.
fn text(settings: &str) -> String {
    format!(
        "[[body]]\nshape = {{ type = 'sphere', radius = 1 }}\n[settings]\n{settings}\n\
         [parameters]\nrelaxation = 0.7\n[[phase]]\nuntil = {{ steps = 1 }}\n"
    )
}

fn parse(text: &str) -> Result<Scene, SceneError> {
    Scene::parse(text, "test.toml", None, &SceneOptions::default())
}

fn settings(lines: &str) -> Settings {
    let scene = parse(&text(lines)).unwrap();
    let simulation = Simulation::new(&scene).unwrap();
    simulation.world().settings().clone()
}

fn fault(lines: &str) -> Fault {
    let error = parse(&text(lines)).err().unwrap();
    assert_eq!(error.faults().len(), 1, "{error}");
    error.faults()[0].clone()
}

#[test]
fn a_name_alone_is_a_method_with_its_defaults() {
    assert_eq!(settings("").method, MethodSettings::new(Method::Auto));
    for method in Method::ALL {
        let name = method.name();
        let expected = MethodSettings::new(method);
        assert_eq!(settings(&format!("method = '{name}'")).method, expected);
        let table = format!("method = {{ name = '{name}' }}");
        assert_eq!(settings(&table).method, expected);
    }
}

#[test]
fn options_are_numbers_words_flags_and_expressions() {
    let given = settings(
        "[settings.method]\nname = 'gauss-seidel'\nomega = 'relaxation/2'\nstep = 'accurate'\n\
         check-every = 3\nblock-iterations = 'unlimited'",
    );
    let mut expected = MethodSettings::new(Method::GaussSeidel);
    expected.set("omega", 0.35).unwrap();
    expected.set("step", "accurate").unwrap();
    expected.set("check-every", 3_usize).unwrap();
    expected.set("block-iterations", usize::MAX).unwrap();
    assert_eq!(given.method, expected);
    let given = settings("method = { name = 'jacobi', safeguard = false }");
    assert!(!given.method.jacobi.safeguard);
}

/// The table of options in the solvers and the reader agree: every default can be written down.
#[test]
fn every_option_of_every_method_can_be_set() {
    let mut count = 0;
    for method in Method::ALL {
        let defaults = MethodSettings::new(method);
        for option in method.options() {
            let value = defaults.get(option.name).unwrap();
            let (name, option) = (method.name(), option.name);
            let line = format!("method = {{ name = '{name}', {option} = '{value}' }}");
            assert_eq!(settings(&line).method, defaults, "{line}");
            count += 1;
        }
    }
    assert!(count >= 40, "only {count} options");
}

#[test]
fn wrong_methods_and_options_have_a_line_and_a_suggestion() {
    for (lines, line, key, words, suggestion) in [
        (
            "method = 'apdg'",
            4,
            "settings.method",
            "expected one of auto, jacobi, gauss-seidel, apgd",
            Some("apgd"),
        ),
        (
            "method = 3",
            4,
            "settings.method",
            "or a table with the `name` of a method and its options",
            None,
        ),
        (
            "[settings.method]\nomega = 0.3",
            4,
            "settings.method",
            "`name` is missing: one of auto",
            None,
        ),
        (
            "[settings.method]\nname = 'jakobi'",
            5,
            "settings.method.name",
            "found 'jakobi'",
            Some("jacobi"),
        ),
        (
            "[settings.method]\nname = 'jacobi'\nomga = 0.3",
            6,
            "settings.method.omga",
            "unknown key `omga` in the options of the method jacobi",
            Some("omega"),
        ),
        (
            "[settings.method]\nname = 'jacobi'\nomega = 2.5",
            6,
            "settings.method.omega",
            "2.5 is not a number in (0, 2)",
            None,
        ),
        (
            "[settings.method]\nname = 'jacobi'\nomega = 'relaxation +'",
            6,
            "settings.method.omega",
            "is not a number in (0, 2)",
            None,
        ),
        (
            "[settings.method]\nname = 'jacobi'\nomega = [1]",
            6,
            "settings.method.omega",
            "found a list of 1, expected a number",
            None,
        ),
        (
            "[settings.method]\nname = 'apgd'\nstep = 'adaptiv'",
            6,
            "settings.method.step",
            "adaptiv is not one of shrinking, adaptive",
            Some("adaptive"),
        ),
        (
            "method = { name = 'spg', sigma-min = 0.9, sigma-max = 0.1 }",
            4,
            "settings.method",
            "option sigma-min of method spg is 0.9, expected at most 0.1",
            None,
        ),
    ] {
        let fault = fault(lines);
        assert_eq!((fault.line, fault.key.as_str()), (line, key), "{fault}");
        assert!(fault.to_string().contains(words), "{fault}");
        assert_eq!(fault.suggestion.as_deref(), suggestion, "{fault}");
    }
}

#[test]
fn a_phase_can_change_the_method() {
    let text = text("method = { name = 'jacobi', omega = 0.2 }")
        + "[[phase]]\nat_start = [{ settings = { method = 'apgd' } }]\nuntil = { steps = 1 }\n";
    let mut simulation = Simulation::new(&parse(&text).unwrap()).unwrap();
    let method = |s: &Simulation| s.world().settings().method;
    assert_eq!(method(&simulation).jacobi.omega, 0.2);
    let _ = simulation.step().unwrap();
    assert_eq!(method(&simulation), MethodSettings::new(Method::Apgd));
}

#[test]
fn the_comparison_of_laws_can_be_switched_off() {
    assert!(settings("law = 'exact'").compare_laws);
    assert!(!settings("law = 'exact'\ncompare_laws = false").compare_laws);
}
