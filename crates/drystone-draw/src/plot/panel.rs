//! One panel on the page: reference lines, curves and labels in a frame.

use super::axis::{Axis, AxisScale};
use super::chart::{Curve, LABEL_SIZE, PANEL, Panel, TICK_SIZE, fitted};
use super::clip::{Border, holds, within};
use super::color_role::ColorRole;
use super::drawing::{Anchor, Drawing, Line, Text};
use super::font;
use super::look::{CurveLook, Marks};
use super::panel_frame::{PanelFrame, draw_frame, draw_grid, tick_width};

/// Height of a panel's title, px.
const TITLE_ROOM: f64 = 18.0;
/// Height of the power of ten above the y axis, px, less what is free there anyway.
const POWER_ROOM: f64 = 8.0;
/// Size of the letters at reference lines, px: smaller than those at ticks.
const REFERENCE_SIZE: f64 = 11.0;

impl Panel {
    /// Whether any of its points can be shown.
    pub fn has_data(&self) -> bool {
        self.curves
            .iter()
            .any(|c| c.points.iter().any(|&p| self.can_show(p)))
    }

    fn can_show(&self, [x, y]: [f64; 2]) -> bool {
        Axis::can_show(self.scales[0], x) && Axis::can_show(self.scales[1], y)
    }

    /// Height that it needs above its usual place, px.
    pub fn room_above(&self) -> f64 {
        let title = if self.title.is_empty() {
            0.0
        } else {
            TITLE_ROOM
        };
        let power = self.axes()[1].power.map_or(0.0, |_| POWER_ROOM);
        f64::max(title, power)
    }

    /// Draws it with this upper left corner; what it needs above lies above that.
    pub fn draw(&self, drawing: &mut Drawing, [left, top]: [f64; 2]) {
        let axes = self.axes();
        let widest = axes[1].ticks.iter().map(tick_width).fold(0.0, f64::max);
        let frame = PanelFrame {
            // The same in all panels with ordinary labels, so that frames stand below each other.
            left: left + LABEL_SIZE + 18.0 + widest.max(40.0),
            right: left + PANEL[0] - 20.0,
            top: top + 12.0,
            bottom: top + PANEL[1] - 50.0,
            axes,
        };
        draw_grid(drawing, &frame);
        self.draw_references(drawing, &frame);
        // Solid lines first: where curves coincide, they are seen through the gaps of dashed ones.
        let is_solid = |curve: &&Curve| curve.look.dashes.is_empty();
        let (solid, dashed): (Vec<_>, Vec<_>) = self.curves.iter().partition(is_solid);
        for curve in solid.into_iter().chain(dashed) {
            self.draw_curve(drawing, &frame, curve);
        }
        draw_frame(drawing, &frame);
        self.draw_labels(drawing, &frame, left);
        if !self.has_data() {
            let middle = [
                0.5 * (frame.left + frame.right),
                0.5 * (frame.top + frame.bottom),
            ];
            let text = Text::new(middle, "no data", LABEL_SIZE, Anchor::Middle);
            drawing.text(text.color(ColorRole::Muted));
        }
    }

    /// Axes around all that can be shown.
    fn axes(&self) -> [Axis; 2] {
        let all = [f64::MIN, f64::MAX];
        let limits = [self.x_limits.unwrap_or(all), self.y_limits.unwrap_or(all)];
        let mut ranges = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
        let mut include = |k: usize, v: f64| {
            ranges[k] = [ranges[k][0].min(v), ranges[k][1].max(v)];
        };
        let mut cut = [[false; 2]; 2];
        for &[x, y] in self.curves.iter().flat_map(|c| &c.points) {
            if !self.can_show([x, y]) {
                continue;
            }
            for (k, v) in [x, y].into_iter().enumerate() {
                let [low, high] = limits[k];
                let [below, above] = [v < low, v > high];
                cut[k] = [cut[k][0] || below, cut[k][1] || above];
                include(k, v.max(low).min(high));
                if below || above {
                    // What lies beyond the limits of x has no say in the range of y.
                    break;
                }
            }
        }
        for value in self.references.iter().map(|reference| reference.value) {
            if !Axis::can_show(self.scales[1], value) {
                continue;
            }
            include(1, value);
            // Room for its label, and for curves that stay just below it.
            match self.scales[1] {
                AxisScale::Log | AxisScale::LogDecades => include(1, 2.0 * value),
                AxisScale::Linear | AxisScale::Share => {}
            }
        }
        let axis = |k: usize| {
            let usable = ranges[k][0] <= ranges[k][1];
            let [low, high] = if usable { ranges[k] } else { [1.0, 10.0] };
            let [low, high] = self.with_room(k, [low, high]);
            // A reference line beyond the limits needs its room.
            let [first, last] = limits[k];
            let cut = [cut[k][0] && low == first, cut[k][1] && high == last];
            Axis::new(self.scales[k], [low, high], cut)
        };
        [axis(0), axis(1)]
    }

    /// The range of axis `k` with the room that marks and labels need beyond what [`Axis::new`]
    /// adds.
    fn with_room(&self, k: usize, [mut low, mut high]: [f64; 2]) -> [f64; 2] {
        match self.scales[k] {
            // Labels of crowded reference lines go below the lowest and above the highest.
            AxisScale::Linear if k == 1 && self.references.len() > 1 => {
                let room = 0.04 * (high - low);
                let values = self.references.iter().map(|reference| reference.value);
                for value in values.filter(|v| v.is_finite()) {
                    low = low.min(value - room);
                    high = high.max(value + room);
                }
                [low, high]
            }
            // Half a mark would lie outside the frame.
            AxisScale::Log if self.has_marks() => {
                let room = (high / low).powf(0.04);
                [low / room, high * room]
            }
            AxisScale::Log | AxisScale::LogDecades | AxisScale::Share | AxisScale::Linear => {
                [low, high]
            }
        }
    }

    fn has_marks(&self) -> bool {
        let marked = |curve: &Curve| matches!(curve.look.marks, Marks::Each(_));
        self.curves.iter().any(marked)
    }

    fn draw_references(&self, drawing: &mut Drawing, frame: &PanelFrame) {
        let mut lines = Vec::new();
        for reference in &self.references {
            if !Axis::can_show(self.scales[1], reference.value) {
                continue;
            }
            let y = frame.at([frame.axes[0].range[0], reference.value])[1];
            // Nothing makes a place for it on an axis of fixed range.
            if (frame.top..=frame.bottom).contains(&y) {
                lines.push((y, reference));
            }
        }
        let heights: Vec<f64> = lines.iter().map(|(y, _)| *y).collect();
        let mut labels: Vec<Border> = Vec::new();
        for (y, reference) in lines {
            let look = reference.look.unwrap_or_else(CurveLook::reference);
            drawing.line(Line {
                points: vec![[frame.left, y], [frame.right, y]],
                width: look.width,
                dashes: look.dashes.to_vec(),
                color: look.color,
            });
            let room = frame.right - frame.left - 12.0;
            let label = fitted(&reference.label, REFERENCE_SIZE, false, room);
            let (at, anchor) = free_place(frame, y, &label, &heights, &mut labels);
            drawing.text(Text::new(at, label, REFERENCE_SIZE, anchor).color(look.color));
        }
    }

    fn draw_labels(&self, drawing: &mut Drawing, frame: &PanelFrame, left: f64) {
        let middle = 0.5 * (frame.left + frame.right);
        let powers = frame.axes.each_ref().map(|axis| axis.power.map(power_text));
        let [beside_x, _] = powers.each_ref().map(|power| match power {
            Some(power) => font::text_width(power) + 10.0,
            None => 0.0,
        });
        // As far as the nearer edge of the panel, or the power of ten at the end of the axis.
        let room = 2.0 * f64::min(left + PANEL[0] - middle, frame.right - beside_x - middle);
        let below = [middle, frame.bottom + 40.0];
        drawing.text(label(below, &self.x_label, false, room));

        let height = frame.bottom - frame.top;
        let beside = [left + LABEL_SIZE, 0.5 * (frame.top + frame.bottom)];
        drawing.text(label(beside, &self.y_label, false, height + 20.0).upwards());

        let [x_power, y_power] = powers;
        if let Some(power) = x_power {
            drawing.text(Text {
                at: [frame.right, frame.bottom + 38.0],
                anchor: Anchor::End,
                ..power
            });
        }
        let mut title_left = left;
        if let Some(power) = y_power {
            title_left = frame.left + font::text_width(&power) + 10.0;
            drawing.text(Text {
                at: [frame.left, frame.top - 6.0],
                ..power
            });
        }
        if !self.title.is_empty() {
            let room = 2.0 * f64::min(left + PANEL[0] - middle, middle - title_left);
            let above = [middle, frame.top - 9.0];
            drawing.text(label(above, &self.title, true, room));
        }
    }

    /// The curve within the frame, and its marks.
    fn draw_curve(&self, drawing: &mut Drawing, frame: &PanelFrame, curve: &Curve) {
        let look = &curve.look;
        let shown = curve.points.iter().filter(|p| self.can_show(**p));
        let page: Vec<[f64; 2]> = shown.map(|&p| frame.at(p)).collect();
        let border = frame.border();
        let pieces = within(&page, border);
        // A curve that leaves through the border ends there for the eye.
        let left_at = pieces.last().and_then(|piece| piece.last()).copied();
        if look.line {
            for points in pieces {
                drawing.line(Line {
                    points,
                    width: look.width,
                    dashes: look.dashes.to_vec(),
                    color: look.color,
                });
            }
        }
        match look.marks {
            Marks::Nowhere => {}
            Marks::AtEnd => {
                let nearest = |[x, y]: [f64; 2]| {
                    [
                        x.clamp(frame.left, frame.right),
                        y.clamp(frame.top, frame.bottom),
                    ]
                };
                let end = page.last().map(|&last| match holds(border, last) {
                    true => last,
                    false => left_at.unwrap_or(nearest(last)),
                });
                if let Some([x, y]) = end {
                    drawing.rule([x - 2.5, y], [x + 2.5, y], 5.0, look.color);
                }
            }
            Marks::Each(mark) => {
                let mut last = [f64::INFINITY; 2];
                for at in page.into_iter().filter(|&at| holds(border, at)) {
                    // The eye cannot tell two marks on the same pixel, and the file need not hold
                    // both.
                    if (at[0] - last[0]).hypot(at[1] - last[1]) >= 0.5 {
                        drawing.mark(mark, at, look.color);
                        last = at;
                    }
                }
            }
        }
    }
}

/// A text around a point, in smaller letters where it would not fit, and shortened where that is
/// not enough.
fn label(at: [f64; 2], text: &str, bold: bool, room: f64) -> Text {
    let shrink = room / font::width(text, LABEL_SIZE, bold).max(1.0);
    let size = LABEL_SIZE * shrink.clamp(0.75, 1.0);
    let text = Text::new(at, fitted(text, size, bold, room), size, Anchor::Middle);
    Text { bold, ..text }
}

/// Where the label of a reference line at height `y` stands: where no other label does, and if
/// possible on no other line.
fn free_place(
    frame: &PanelFrame,
    y: f64,
    text: &str,
    lines: &[f64],
    labels: &mut Vec<Border>,
) -> ([f64; 2], Anchor) {
    let width = font::width(text, REFERENCE_SIZE, false);
    let (left, right) = (frame.left + 6.0, frame.right - 6.0);
    let (above, below) = (y - 5.0, y + 12.0);
    // Curves fall from the upper left, so the left end of a low line is free.
    let places = [
        ([left, above], Anchor::Start),
        ([right, above], Anchor::End),
        ([left, below], Anchor::Start),
        ([right, below], Anchor::End),
    ];
    let room = |([x, base], anchor): ([f64; 2], Anchor)| -> Border {
        let x = match anchor {
            Anchor::End => x - width,
            Anchor::Start | Anchor::Middle => x,
        };
        [x, base - 9.0, x + width, base + 2.0]
    };
    let is_free = |place: &&([f64; 2], Anchor)| {
        let [x0, y0, x1, y1] = room(**place);
        let apart = |&[a0, b0, a1, b1]: &Border| x1 < a0 || a1 < x0 || y1 < b0 || b1 < y0;
        y0 >= frame.top && y1 <= frame.bottom && labels.iter().all(apart)
    };
    let is_clear = |place: &&([f64; 2], Anchor)| {
        let [_, y0, _, y1] = room(**place);
        is_free(place) && !lines.iter().any(|y| (y0..=y1).contains(y))
    };
    let best = places.iter().find(is_clear);
    let place = *best.or(places.iter().find(is_free)).unwrap_or(&places[0]);
    labels.push(room(place));
    place
}

/// What all labels of an axis are to be multiplied with.
fn power_text(power: i32) -> Text {
    let mut text = Text::new([0.0; 2], "×10", TICK_SIZE, Anchor::Start);
    text.exponent = Some(power.to_string().replace('-', "−"));
    text
}
