//! Whole panels and figures.

use drystone_ccp::Method;
use proptest::prelude::*;

use super::drawing::{Anchor, Drawing, Item, Text};
use super::*;

fn curve(look: CurveLook, points: &[[f64; 2]]) -> Curve {
    Curve {
        look,
        points: points.to_vec(),
    }
}

/// The panel by itself.
fn alone(panel: &Panel) -> Drawing {
    Figure::of_panel(panel.clone()).drawing()
}

fn texts(drawing: &Drawing) -> Vec<&str> {
    drawing
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Text(text) => Some(text.text.as_str()),
            Item::Line(_) | Item::Mark(..) => None,
        })
        .collect()
}

fn marks(drawing: &Drawing) -> usize {
    let is_mark = |item: &&Item| matches!(item, Item::Mark(..));
    drawing.items.iter().filter(is_mark).count()
}

const SCALES: [AxisScale; 4] = [
    AxisScale::Log,
    AxisScale::LogDecades,
    AxisScale::Share,
    AxisScale::Linear,
];

#[test]
fn values_that_an_axis_cannot_show_do_no_harm() {
    let points = [
        [0.0, 1.0],
        [1.0, f64::NAN],
        [2.0, 0.0],
        [3.0, f64::INFINITY],
        [-4.0, -169_005.0],
    ];
    for x in SCALES {
        for y in SCALES {
            let look = CurveLook::method(Method::Apgd);
            let references = [-1.0, 0.0, f64::NAN, f64::INFINITY, 7.0];
            let panel = Panel {
                title: "t".repeat(500),
                y_limits: Some([1e-12, 1e3]),
                curves: vec![
                    curve(look, &points),
                    curve(look.marks_only(Mark::Cross), &points),
                ],
                references: references.map(|v| Reference::new(v, "r")).to_vec(),
                ..Panel::new("x", &"y".repeat(500), [x, y])
            };
            let figure = Figure {
                title: "x".repeat(500),
                columns: 2,
                panels: vec![panel],
                legend: Method::ALL.map(LegendEntry::method).to_vec(),
            };
            assert_sound(&figure.drawing());
        }
    }
}

/// Every place on the page is a finite number, and the page can be drawn.
fn assert_sound(drawing: &Drawing) {
    assert!(drawing.width.is_finite() && drawing.height.is_finite());
    for item in &drawing.items {
        let sound = match item {
            Item::Line(line) => line.points.iter().flatten().all(|v| v.is_finite()),
            Item::Mark(_, at, _) => at.iter().all(|v| v.is_finite()),
            Item::Text(text) => text.at.iter().all(|v| v.is_finite()),
        };
        assert!(sound, "{item:?}");
    }
    to_png(drawing).unwrap();
}

/// Numbers of all sizes: ordinary ones, the ends of what can be written, and what is no number.
fn any_value() -> impl Strategy<Value = f64> {
    let ends = [
        0.0,
        -0.0,
        f64::from_bits(1),
        1e-320,
        f64::MIN_POSITIVE,
        1e-300,
        1e300,
        f64::MAX,
        f64::MIN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    prop_oneof![
        proptest::num::f64::ANY,
        -10.0..10.0,
        // Close together, at any size.
        (-320_i32..308, 0.0..1e-6).prop_map(|(k, x)| (1.0 + x) * 10f64.powi(k)),
        proptest::sample::select(ends.to_vec()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_data_can_be_drawn(
        points in proptest::collection::vec([any_value(), any_value()], 0..6),
        scales in [0..4_usize, 0..4_usize],
        references in proptest::collection::vec(any_value(), 0..3),
        limits in [
            proptest::option::of([any_value(), any_value()]),
            proptest::option::of([any_value(), any_value()]),
        ],
        marks in proptest::bool::ANY,
    ) {
        let look = match marks {
            true => CurveLook::lone().with_marks(Mark::Circle),
            false => CurveLook::lone(),
        };
        let panel = Panel {
            x_limits: limits[0],
            y_limits: limits[1],
            curves: vec![curve(look, &points)],
            references: references.iter().map(|&v| Reference::new(v, "r")).collect(),
            ..Panel::new("x", "y", scales.map(|k| SCALES[k]))
        };
        assert_sound(&alone(&panel));
    }
}

#[test]
fn a_run_of_subnormal_time_can_be_drawn() {
    // The step of 5e-324 s that was found to panic.
    let points: Vec<[f64; 2]> = (0..2024).map(|k| [f64::from_bits(k), 1.0]).collect();
    let panel = Panel {
        curves: vec![curve(CurveLook::lone(), &points)],
        ..Panel::new("x", "y", [AxisScale::Linear, AxisScale::Linear])
    };
    assert_sound(&alone(&panel));
}

#[test]
fn marks_stand_where_the_limits_allow() {
    let points: Vec<[f64; 2]> = (0..=10).map(|k| [f64::from(k), f64::from(k * k)]).collect();
    let look = CurveLook::nth(0).with_marks(Mark::Circle);
    let mut panel = Panel {
        curves: vec![curve(look, &points)],
        ..Panel::new("x", "y", [AxisScale::Linear, AxisScale::Linear])
    };
    assert_eq!(marks(&alone(&panel)), 11);
    panel.x_limits = Some([0.0, 4.0]);
    assert_eq!(marks(&alone(&panel)), 5);
    // The axis of y is made for what is left: up to 16.
    assert!(texts(&alone(&panel)).contains(&"15"));
    panel.x_limits = None;
    panel.y_limits = Some([0.0, 50.0]);
    assert_eq!(marks(&alone(&panel)), 8);
}

#[test]
fn a_solid_curve_does_not_hide_a_dashed_one() {
    let points = [[0.0, 0.0], [1.0, 1.0]];
    let [dashed, solid] = [Method::NesterovGs, Method::Auto].map(CurveLook::method);
    assert!(!dashed.dashes.is_empty() && solid.dashes.is_empty());
    let panel = Panel {
        curves: vec![curve(dashed, &points), curve(solid, &points)],
        ..Panel::new("x", "y", [AxisScale::Linear, AxisScale::Linear])
    };
    let drawing = alone(&panel);
    let place = |look: CurveLook| {
        let is_curve = |item: &Item| match item {
            Item::Line(line) => line.color == look.color && line.width == look.width,
            Item::Mark(..) | Item::Text(_) => false,
        };
        drawing.items.iter().position(is_curve).unwrap()
    };
    assert!(place(solid) < place(dashed));
}

#[test]
fn labels_of_the_x_axis_do_not_touch() {
    for high in [1e5, 999_999.0, 1e6, 3.3e-7] {
        let panel = Panel {
            curves: vec![curve(CurveLook::lone(), &[[-high, 0.0], [high, 1.0]])],
            ..Panel::new("x", "y", [AxisScale::Linear, AxisScale::Linear])
        };
        let drawing = alone(&panel);
        let below: Vec<&Text> = drawing
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Text(text) if text.anchor == Anchor::Middle => Some(text),
                Item::Text(_) | Item::Line(_) | Item::Mark(..) => None,
            })
            .filter(|text| text.size == chart::TICK_SIZE)
            .collect();
        assert!(below.len() >= 3, "{high}");
        for pair in below.windows(2) {
            let widths = 0.5 * (font::text_width(pair[0]) + font::text_width(pair[1]));
            assert!(pair[1].at[0] - pair[0].at[0] > widths, "{high}");
        }
    }
}

#[test]
fn labels_of_close_reference_lines_stand_apart() {
    let values = [0.0, 0.02, 0.04, 5.0];
    let panel = Panel {
        curves: vec![curve(CurveLook::lone(), &[[0.0, 0.0], [1.0, 5.0]])],
        references: values.map(|v| Reference::new(v, "a line")).to_vec(),
        ..Panel::new("x", "y", [AxisScale::Linear, AxisScale::Linear])
    };
    let drawing = alone(&panel);
    let labels: Vec<[f64; 2]> = drawing
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Text(text) if text.text == "a line" => Some(text.at),
            Item::Text(_) | Item::Line(_) | Item::Mark(..) => None,
        })
        .collect();
    assert_eq!(labels.len(), 4);
    for (k, a) in labels.iter().enumerate() {
        for b in &labels[..k] {
            let apart = (a[0] - b[0]).abs() > 100.0 || (a[1] - b[1]).abs() > 11.0;
            assert!(apart, "{labels:?}");
        }
    }
}

#[test]
fn the_legend_stays_within_the_figure() {
    let entry = |k: usize| LegendEntry::new(&"long ".repeat(3 * k), CurveLook::nth(k));
    let figure = Figure {
        title: String::new(),
        columns: 1,
        panels: Vec::new(),
        legend: (1..12).map(entry).collect(),
    };
    let drawing = figure.drawing();
    assert_eq!(texts(&drawing).len(), 11);
    for item in &drawing.items {
        if let Item::Text(text) = item {
            assert!(text.at[0] >= 0.0);
            assert!(text.at[0] + font::text_width(text) <= drawing.width);
            assert!(text.at[1] <= drawing.height);
        }
    }
}
