//! The frame of a panel: where its data lie, ticks and their labels.

use super::axis::{Axis, Tick};
use super::chart::TICK_SIZE;
use super::clip::Border;
use super::color_role::ColorRole;
use super::drawing::{Anchor, Drawing, Line, Text};
use super::font;

/// Where a panel's data lie on the page.
pub struct PanelFrame {
    /// Left end of the x axis, px.
    pub left: f64,
    /// Right end of the x axis, px.
    pub right: f64,
    /// Upper end of the y axis, px.
    pub top: f64,
    /// Lower end of the y axis, px.
    pub bottom: f64,
    /// The axes, x then y.
    pub axes: [Axis; 2],
}

impl PanelFrame {
    /// The place of a point.
    pub fn at(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        [
            self.left + self.axes[0].position(x) * (self.right - self.left),
            self.bottom - self.axes[1].position(y) * (self.bottom - self.top),
        ]
    }

    /// Its four sides.
    pub fn border(&self) -> Border {
        [self.left, self.top, self.right, self.bottom]
    }
}

/// Grid lines at the labelled ticks.
pub fn draw_grid(drawing: &mut Drawing, frame: &PanelFrame) {
    for tick in &frame.axes[0].ticks {
        let x = frame.at([tick.value, frame.axes[1].range[0]])[0];
        drawing.rule([x, frame.top], [x, frame.bottom], 0.8, ColorRole::Grid);
    }
    for tick in &frame.axes[1].ticks {
        let y = frame.at([frame.axes[0].range[0], tick.value])[1];
        drawing.rule([frame.left, y], [frame.right, y], 0.8, ColorRole::Grid);
    }
}

/// PanelFrame, ticks and their labels.
pub fn draw_frame(drawing: &mut Drawing, frame: &PanelFrame) {
    let [left, top, right, bottom] = frame.border();
    let corners = [
        [left, top],
        [left, bottom],
        [right, bottom],
        [right, top],
        [left, top],
    ];
    drawing.line(Line {
        points: corners.to_vec(),
        width: 1.0,
        dashes: Vec::new(),
        color: ColorRole::Text,
    });
    let axes = &frame.axes;
    let x_of = |v: f64| frame.at([v, axes[1].range[0]])[0];
    let y_of = |v: f64| frame.at([axes[0].range[0], v])[1];
    for &value in &axes[0].minor {
        let x = x_of(value);
        drawing.rule([x, bottom], [x, bottom - 3.0], 0.8, ColorRole::Text);
    }
    for &value in &axes[1].minor {
        let y = y_of(value);
        drawing.rule([left, y], [left + 3.0, y], 0.8, ColorRole::Text);
    }
    let texts: Vec<Text> = axes[0]
        .ticks
        .iter()
        .map(|tick| tick_text(tick, [x_of(tick.value), bottom + 18.0], Anchor::Middle))
        .collect();
    let labelled = every(&texts);
    for (k, text) in texts.into_iter().enumerate() {
        let x = text.at[0];
        drawing.rule([x, bottom], [x, bottom - 6.0], 1.0, ColorRole::Text);
        if k % labelled == 0 {
            drawing.text(text);
        }
    }
    for tick in &axes[1].ticks {
        let y = y_of(tick.value);
        drawing.rule([left, y], [left + 6.0, y], 1.0, ColorRole::Text);
        drawing.text(tick_text(tick, [left - 7.0, y + 4.5], Anchor::End));
    }
}

/// The smallest k for which every k-th of the centred texts can stand beside the others.
fn every(texts: &[Text]) -> usize {
    let fits = |k: &usize| {
        let kept: Vec<&Text> = texts.iter().step_by(*k).collect();
        kept.windows(2).all(|pair| {
            let widths = 0.5 * (font::text_width(pair[0]) + font::text_width(pair[1]));
            pair[1].at[0] - pair[0].at[0] >= widths + 6.0
        })
    };
    (1..=texts.len()).find(fits).unwrap_or(1)
}

/// Width of a tick's label, px.
pub fn tick_width(tick: &Tick) -> f64 {
    font::text_width(&tick_text(tick, [0.0; 2], Anchor::Start))
}

fn tick_text(tick: &Tick, at: [f64; 2], anchor: Anchor) -> Text {
    let mut text = Text::new(at, &*tick.label, TICK_SIZE, anchor);
    text.exponent.clone_from(&tick.exponent);
    text
}
