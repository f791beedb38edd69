//! The frame of a panel: where its data lie, ticks and their labels.

use super::axis::{Axis, Tick};
use super::chart::TICK_SIZE;
use super::clip::Border;
use super::font;
use super::scene::{Anchor, Ink, Line, Scene, Text};

/// Where a panel's data lie on the page.
pub struct Frame {
    /// Left end of the x axis, px; so the others.
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
    /// The axes, x then y.
    pub axes: [Axis; 2],
}

impl Frame {
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
pub fn draw_grid(scene: &mut Scene, frame: &Frame) {
    for tick in &frame.axes[0].ticks {
        let x = frame.at([tick.value, frame.axes[1].range[0]])[0];
        scene.rule([x, frame.top], [x, frame.bottom], 0.8, Ink::Grid);
    }
    for tick in &frame.axes[1].ticks {
        let y = frame.at([frame.axes[0].range[0], tick.value])[1];
        scene.rule([frame.left, y], [frame.right, y], 0.8, Ink::Grid);
    }
}

/// Frame, ticks and their labels.
pub fn draw_frame(scene: &mut Scene, frame: &Frame) {
    let [left, top, right, bottom] = frame.border();
    let corners = [
        [left, top],
        [left, bottom],
        [right, bottom],
        [right, top],
        [left, top],
    ];
    scene.line(Line {
        points: corners.to_vec(),
        width: 1.0,
        dashes: Vec::new(),
        ink: Ink::Text,
    });
    let axes = &frame.axes;
    let x_of = |v: f64| frame.at([v, axes[1].range[0]])[0];
    let y_of = |v: f64| frame.at([axes[0].range[0], v])[1];
    for &value in &axes[0].minor {
        let x = x_of(value);
        scene.rule([x, bottom], [x, bottom - 3.0], 0.8, Ink::Text);
    }
    for &value in &axes[1].minor {
        let y = y_of(value);
        scene.rule([left, y], [left + 3.0, y], 0.8, Ink::Text);
    }
    let texts: Vec<Text> = axes[0]
        .ticks
        .iter()
        .map(|tick| tick_text(tick, [x_of(tick.value), bottom + 18.0], Anchor::Middle))
        .collect();
    let labelled = every(&texts);
    for (k, text) in texts.into_iter().enumerate() {
        let x = text.at[0];
        scene.rule([x, bottom], [x, bottom - 6.0], 1.0, Ink::Text);
        if k % labelled == 0 {
            scene.text(text);
        }
    }
    for tick in &axes[1].ticks {
        let y = y_of(tick.value);
        scene.rule([left, y], [left + 6.0, y], 1.0, Ink::Text);
        scene.text(tick_text(tick, [left - 7.0, y + 4.5], Anchor::End));
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
