use super::*;

/// The papers' figures that the issue of these claims names: what is not reproduced.
#[test]
fn other_magnitudes_are_not_reproduced() {
    let exactly = Measured::Exactly;
    for (published, ours) in [(250.0, 3.0), (1.79, 1.002), (23.0, 1900.0)] {
        assert!(
            !Limit::factor(published).holds(exactly(ours)),
            "{published}"
        );
        assert!(Limit::factor(published).holds(exactly(published)));
    }
    // Below one it is the same the other way round.
    assert!(Limit::factor(0.5).holds(exactly(0.6)) && Limit::factor(0.5).holds(exactly(0.4)));
    assert!(!Limit::factor(0.5).holds(exactly(0.9)) && !Limit::factor(0.5).holds(exactly(0.3)));
    assert!(Limit::size(120.0).holds(exactly(61.0)) && !Limit::size(120.0).holds(exactly(59.0)));
}

#[test]
fn the_size_of_what_is_negative_has_a_range_too() {
    assert!(Limit::size(-0.5312).holds(Measured::Exactly(-0.6)));
    assert!(!Limit::size(-0.5312).holds(Measured::Exactly(-30.0)));
}

#[test]
fn a_lower_bound_is_enough_only_where_all_above_it_is() {
    let more = Measured::AtLeast(5e5);
    assert!(Limit::AtLeast(5e5).holds(more));
    assert!(!Limit::AtLeast(6e5).holds(more));
    assert!(!Limit::AtMost(1e9).holds(more) && !Limit::Between(1.0, 1e9).holds(more));
    assert_eq!(Measured::AtLeast(10.0).over(4.0), Measured::AtLeast(2.5));
}

/// A claim about a run that is one number.
fn claim(limit: Limit) -> Claim<Measure> {
    Claim::<Measure>::published("lead", "Table I", "A leads B")
        .limit(limit, "a test")
        .cause("a known cause")
        .measure("A over B", |run: &Measure| run.clone())
}

#[test]
fn the_outcome_follows_from_the_figure_and_the_limit() {
    let judge = |run: Measure| claim(Limit::AtLeast(2.0)).judge(&run, None);
    let good = judge(found(3.0));
    assert_eq!(
        (good.outcome, good.ours),
        (Outcome::Reproduced, Cell::Number(3.0))
    );
    // The same run under another limit.
    let strict = claim(Limit::AtLeast(4.0)).judge(&found(3.0), None);
    assert_eq!(strict.outcome, Outcome::NotReproduced);
    assert_eq!(strict.json()["cause"], "a known cause");
    // A method that failed, and one that gave no number: against the claim, and it stays there.
    for run in [
        Err(NoFigure::Failed("it broke".to_owned())),
        found(f64::NAN),
    ] {
        let bad = judge(run);
        assert_eq!(bad.outcome, Outcome::NotReproduced);
        assert!(!bad.why.is_empty() && bad.ours == Cell::Empty);
    }
    let left_out = judge(Err(NoFigure::NotJudged("it was left out".to_owned())));
    assert_eq!(left_out.outcome, Outcome::NotJudged);
    assert_eq!(left_out.json()["cause"], Value::Null);
}

#[test]
fn times_of_a_busy_machine_are_not_judged_but_shown() {
    let plain = claim(Limit::AtLeast(2.0));
    assert_eq!(
        plain.judge(&found(3.0), Some("busy")).outcome,
        Outcome::Reproduced
    );
    let mut timed = claim(Limit::AtLeast(2.0));
    timed.text.timed = true;
    assert_eq!(timed.judge(&found(3.0), None).outcome, Outcome::Reproduced);
    let judged = timed.judge(&found(3.0), Some("others had half of it"));
    assert_eq!(judged.outcome, Outcome::NotJudged);
    assert!(judged.why.contains("others had half of it"));
    assert_eq!(judged.ours, Cell::Number(3.0));
}
