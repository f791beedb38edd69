use super::*;
use crate::solvers::Method;
use std::ops::Bound;

/// Values that an option takes, none of them its default.
fn good_values(option: &OptionInfo) -> Vec<OptionValue> {
    let values = match option.kind {
        OptionKind::Number { low, high } => {
            let at = |bound, open: f64| match bound {
                Bound::Included(x) | Bound::Excluded(x) => x,
                Bound::Unbounded => open,
            };
            let (low, high) = (at(low, -1e3), at(high, 1e3));
            [0.25, 0.625]
                .map(|t| OptionValue::Number(low + t * (high - low)))
                .to_vec()
        }
        OptionKind::Whole { least, most } => {
            let next = OptionValue::from(least + 1);
            vec![OptionValue::from(least), next, OptionValue::from(most)]
        }
        OptionKind::YesNo => vec![true.into(), false.into()],
        OptionKind::Words(words) => words.iter().map(|(word, _)| (*word).into()).collect(),
    };
    let default = option.default_value();
    values.into_iter().filter(|v| *v != default).collect()
}

/// Values that an option must refuse.
fn bad_values(option: &OptionInfo) -> Vec<OptionValue> {
    let mut bad = vec![OptionValue::from("nonsense"), OptionValue::from("")];
    match option.kind {
        OptionKind::Number { low, high } => {
            bad.extend([f64::NAN, f64::INFINITY].map(OptionValue::from));
            bad.extend([true.into(), "NaN".into()]);
            for (bound, outwards) in [(low, -1.0), (high, 1.0)] {
                match bound {
                    Bound::Included(x) => bad.push((x + outwards).into()),
                    Bound::Excluded(x) => bad.push(x.into()),
                    Bound::Unbounded => {}
                }
            }
        }
        OptionKind::Whole { least, most } => {
            bad.extend([1.5.into(), (-1_i64).into(), "-1".into(), true.into()]);
            if least > 0 {
                bad.push((least - 1).into());
            }
            if most < usize::MAX {
                bad.extend([(most + 1).into(), "unlimited".into()]);
            }
        }
        OptionKind::YesNo => bad.extend([1.0.into(), "maybe".into()]),
        OptionKind::Words(_) => bad.extend([1.0.into(), true.into()]),
    }
    bad
}

#[test]
fn every_option_sets_its_own_field_and_no_other() {
    for method in Method::ALL {
        for option in method.options() {
            let case = format!("{} {}", method.name(), option.name);
            let values = good_values(option);
            assert!(!values.is_empty(), "{case}");
            for value in values {
                // As a value, and as the text of it.
                for given in [value.clone(), value.to_string().into()] {
                    let mut settings = MethodSettings::new(method);
                    settings.set(option.name, given).unwrap();
                    assert_ne!(settings, MethodSettings::new(method), "{case}");
                    assert_eq!(settings.get(option.name).unwrap(), value, "{case}");
                    assert_eq!(settings.changes(), [(option.name, value.clone())], "{case}");
                    assert_eq!(
                        settings.to_string(),
                        format!("{} {}={value}", method.name(), option.name)
                    );
                }
            }
        }
    }
}

#[test]
fn bad_values_are_refused_by_name_and_change_nothing() {
    for method in Method::ALL {
        for option in method.options() {
            for value in bad_values(option) {
                let mut settings = MethodSettings::new(method);
                let error = settings.set(option.name, value.clone()).unwrap_err();
                let text = error.to_string();
                assert_eq!(settings, MethodSettings::new(method), "{text}");
                let kind = option.kind.to_string();
                for part in [method.name(), option.name, &value.to_string(), &kind] {
                    assert!(text.contains(part), "{part:?} is not in {text:?}");
                }
            }
        }
    }
}

#[test]
fn every_option_is_documented_and_its_default_is_one_of_its_values() {
    let is_sentence =
        |text: &str| text.len() > 15 && text.ends_with('.') && text.starts_with(char::is_uppercase);
    for method in Method::ALL {
        let names: Vec<&str> = method.options().iter().map(|o| o.name).collect();
        assert!(!names.is_empty(), "{}", method.name());
        for (k, option) in method.options().iter().enumerate() {
            let case = format!("{} {}", method.name(), option.name);
            assert!(is_sentence(option.documentation), "{case}");
            if let OptionKind::Words(words) = option.kind {
                assert!(
                    words.len() > 1 && words.iter().all(|w| is_sentence(w.1)),
                    "{case}"
                );
            }
            let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(option.name.chars().all(kebab), "{case}");
            assert!(!names[..k].contains(&option.name), "{case} twice");
            let default = option.default_value();
            assert_eq!(option.kind.read(&default), Some(default), "{case}");
        }
        MethodSettings::new(method).check().unwrap();
    }
}

/// Taken apart without `..`, so that a new field does not compile before it is thought of here: it
/// needs an option, and one more in these numbers.
#[test]
fn every_field_of_every_settings_struct_has_an_option() {
    use crate::monitor::StallRule;
    use crate::solvers::local::LocalSettings;
    use crate::solvers::tresca::TrescaSettings;
    use crate::solvers::*;
    let settings = MethodSettings::new(Method::Auto);
    let count = |method: Method| method.options().len();

    let de_saxce::DeSaxceSettings {
        damping: _,
        min_damping: _,
        inner_share: _,
        patience: _,
        inner_iterations: _,
    } = settings.fixed_point;
    let TrescaSettings {
        damping: _,
        min_damping: _,
        inner_share: _,
        inner_iterations: _,
        patience: _,
    } = settings.kucera.tresca;
    let fixed_point = 5;

    let StallRule {
        window: _,
        factor: _,
    } = settings.auto.stall;
    let auto::AutoSettings {
        small_rows: _,
        small_sweeps: _,
        joint_sweeps: _,
        stall: _,
        last_stall: _,
        last_resort: _,
        warm_sweeps_rows: _,
        sweeps_only_rows: _,
        newton_rows: _,
    } = settings.auto;
    assert_eq!(count(Method::Auto), 7 + 2 * 2);

    let jacobi::JacobiSettings {
        omega: _,
        lambda: _,
        safeguard: _,
    } = settings.jacobi;
    assert_eq!(count(Method::Jacobi), 3);

    let LocalSettings {
        tolerance: _,
        max_iterations: _,
    } = settings.gauss_seidel.local;
    let gauss_seidel::GaussSeidelSettings {
        omega: _,
        lambda: _,
        step: _,
        check_every: _,
        local: _,
    } = settings.gauss_seidel;
    assert_eq!(count(Method::GaussSeidel), 4 + 2);

    let apgd::ApgdSettings {
        step: _,
        increase: _,
        decrease: _,
        restart: _,
    } = settings.apgd;
    assert_eq!(count(Method::Apgd), 4 + fixed_point);

    let apgd_fused::ApgdFusedSettings {
        increase: _,
        decrease: _,
        restart: _,
        check_every: _,
    } = settings.apgd_fused;
    assert_eq!(count(Method::ApgdFused), 4 + fixed_point);

    let spg::SpgSettings {
        step: _,
        window: _,
        armijo: _,
        sigma_min: _,
        sigma_max: _,
        alpha_min: _,
        alpha_max: _,
        precondition: _,
    } = settings.spg;
    assert_eq!(count(Method::Spg), 8 + fixed_point);

    // The method's name says which preconditioner; the shift is of the factor only.
    let gpminres::GpminresSettings {
        preconditioner: _,
        eta1: _,
        eta2: _,
        decrease: _,
        gradient_steps: _,
        krylov_steps: _,
        shift: _,
        tresca: _,
    } = settings.gpminres;
    assert_eq!(count(Method::Gpminres), 5 + fixed_point);
    assert_eq!(count(Method::GpminresPreconditioned), 6 + fixed_point);

    let kucera::KuceraSettings {
        release: _,
        step: _,
        power_iterations: _,
        tresca: _,
    } = settings.kucera;
    assert_eq!(count(Method::Kucera), 3 + fixed_point);

    let interior_point::InteriorPointSettings {
        formulation: _,
        linear_solver: _,
        factor_bytes: _,
        boundary: _,
        regularisation: _,
        refinements: _,
        inner_iterations: _,
        patience: _,
    } = settings.interior_point;
    assert_eq!(count(Method::InteriorPoint), 8 + fixed_point);

    let nesterov_gs::NesterovGsSettings {
        check_every: _,
        restart: _,
        patches: _,
        anchors: _,
        cycle: _,
    } = settings.nesterov_gs;
    assert_eq!(count(Method::NesterovGs), 5 + 1 + fixed_point);

    let newton::NewtonSettings {
        damping: _,
        acceptance: _,
        first_iterations: _,
        continuation: _,
        epsilon: _,
        epsilon_factor: _,
        smallest_epsilon: _,
        rescues: _,
        factor_bytes: _,
    } = settings.newton;
    assert_eq!(count(Method::Newton), 9);
}

#[test]
fn names_and_words_that_are_nearly_right_are_suggested() {
    let mut settings = MethodSettings::new(Method::InteriorPoint);
    let error = settings.set("forms", "auto").unwrap_err();
    assert!(error.to_string().contains("did you mean form?"), "{error}");
    let error = settings.set("Factor_Bytes", 1_usize).unwrap_err();
    assert!(
        error.to_string().contains("did you mean factor-bytes?"),
        "{error}"
    );
    let error = settings.set("form", "velocity").unwrap_err();
    assert!(
        error.to_string().contains("did you mean velocities?"),
        "{error}"
    );
    // Nothing is near this one: the names are listed, and none is suggested.
    let error = settings.set("omega", 0.8).unwrap_err();
    assert!(!error.to_string().contains("did you mean"), "{error}");
    assert!(error.to_string().contains("linear-solver"), "{error}");
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    let mut settings = MethodSettings::new(Method::Spg);
    settings.set("sigma-min", 0.95).unwrap();
    let error = settings.check().unwrap_err();
    assert!(matches!(
        error,
        OptionError::Order {
            low: "sigma-min",
            high: "sigma-max",
            ..
        }
    ));
    settings.set("sigma-max", 0.95).unwrap();
    settings.check().unwrap();
    // Both fixed points, each in its own settings.
    for method in [Method::Apgd, Method::Kucera, Method::Gpminres] {
        let mut settings = MethodSettings::new(method);
        settings.set("fixed-point-damping", 0.01).unwrap();
        assert!(settings.check().is_err(), "{}", method.name());
    }
}

#[test]
fn edits_are_counted() {
    assert_eq!(edits("omega", "omega"), 0);
    assert_eq!(edits("omga", "omega"), 1);
    assert_eq!(edits("kitten", "sitting"), 3);
    assert_eq!(edits("", "abc"), 3);
}
