//! One panel on the page: axes, grid, reference lines, curves.

use super::axis::{Axis, Scale, Tick};
use super::chart::{Curve, LABEL_SIZE, PANEL, Panel, TICK_SIZE, fitted};
use super::clip::{Border, holds, within};
use super::font;
use super::look::{Look, Marks};
use super::scene::{Anchor, Ink, Line, Scene, Text};

/// Height of a panel's title, and of the power of ten above its y axis, px.
const TITLE_ROOM: f64 = 18.0;
const POWER_ROOM: f64 = 8.0;
const REFERENCE_SIZE: f64 = 11.0;

/// Where a panel's data lie on the page.
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    axes: [Axis; 2],
}

impl Frame {
    fn at(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        [
            self.left + self.axes[0].position(x) * (self.right - self.left),
            self.bottom - self.axes[1].position(y) * (self.bottom - self.top),
        ]
    }

    fn border(&self) -> Border {
        [self.left, self.top, self.right, self.bottom]
    }
}

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
    pub fn draw(&self, scene: &mut Scene, [left, top]: [f64; 2]) {
        let axes = self.axes();
        let widest = axes[1].ticks.iter().map(tick_width).fold(0.0, f64::max);
        let frame = Frame {
            // The same in all panels with ordinary labels, so that frames stand below each other.
            left: left + LABEL_SIZE + 18.0 + widest.max(40.0),
            right: left + PANEL[0] - 20.0,
            top: top + 12.0,
            bottom: top + PANEL[1] - 50.0,
            axes,
        };
        draw_grid(scene, &frame);
        self.draw_references(scene, &frame);
        for curve in &self.curves {
            self.draw_curve(scene, &frame, curve);
        }
        draw_frame(scene, &frame);
        self.draw_labels(scene, &frame, left);
        if !self.has_data() {
            let middle = [
                0.5 * (frame.left + frame.right),
                0.5 * (frame.top + frame.bottom),
            ];
            let text = Text::new(middle, "no data", LABEL_SIZE, Anchor::Middle);
            scene.text(text.ink(Ink::Muted));
        }
    }

    /// Axes around all that can be shown.
    fn axes(&self) -> [Axis; 2] {
        let mut ranges = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
        let mut include = |k: usize, v: f64| {
            ranges[k] = [ranges[k][0].min(v), ranges[k][1].max(v)];
        };
        let all = [f64::MIN, f64::MAX];
        let x_limits = self.x_limits.unwrap_or(all);
        let y_limits = self.y_limits.unwrap_or(all);
        for &[x, y] in self.curves.iter().flat_map(|c| &c.points) {
            if !self.can_show([x, y]) {
                continue;
            }
            include(0, clamped(x, x_limits));
            if clamped(x, x_limits) == x {
                include(1, clamped(y, y_limits));
            }
        }
        for reference in &self.references {
            if !Axis::can_show(self.scales[1], reference.value) {
                continue;
            }
            include(1, reference.value);
            // Room for its label, and for curves that stay just below it.
            match self.scales[1] {
                Scale::Log | Scale::LogDecades => include(1, 2.0 * reference.value),
                Scale::Linear | Scale::Share => {}
            }
        }
        let axis = |k: usize| {
            let range = ranges[k];
            let usable = range[0] <= range[1];
            Axis::new(self.scales[k], if usable { range } else { [1.0, 10.0] })
        };
        [axis(0), axis(1)]
    }

    fn draw_references(&self, scene: &mut Scene, frame: &Frame) {
        let mut taken: Vec<Border> = Vec::new();
        for reference in &self.references {
            if !Axis::can_show(self.scales[1], reference.value) {
                continue;
            }
            let y = frame.at([frame.axes[0].range[0], reference.value])[1];
            // Nothing makes a place for it on an axis of fixed range.
            if !(frame.top..=frame.bottom).contains(&y) {
                continue;
            }
            let look = reference.look.unwrap_or_else(Look::reference);
            scene.line(Line {
                points: vec![[frame.left, y], [frame.right, y]],
                width: look.width,
                dashes: look.dashes.to_vec(),
                ink: look.ink,
            });
            let room = frame.right - frame.left - 12.0;
            let label = fitted(&reference.label, REFERENCE_SIZE, false, room);
            let (at, anchor) = free_place(frame, y, &label, &mut taken);
            scene.text(Text::new(at, label, REFERENCE_SIZE, anchor).ink(look.ink));
        }
    }

    fn draw_labels(&self, scene: &mut Scene, frame: &Frame, left: f64) {
        let middle = 0.5 * (frame.left + frame.right);
        let powers = frame.axes.each_ref().map(|axis| axis.power.map(power_text));
        let [beside_x, _] = powers.each_ref().map(|power| match power {
            Some(power) => font::text_width(power) + 10.0,
            None => 0.0,
        });
        // As far as the nearer edge of the panel, or the power of ten at the end of the axis.
        let room = 2.0 * f64::min(left + PANEL[0] - middle, frame.right - beside_x - middle);
        let x_label = fitted(&self.x_label, LABEL_SIZE, false, room);
        let below = [middle, frame.bottom + 40.0];
        scene.text(Text::new(below, x_label, LABEL_SIZE, Anchor::Middle));

        let height = frame.bottom - frame.top;
        let y_label = fitted(&self.y_label, LABEL_SIZE, false, height + 20.0);
        let beside = [left + LABEL_SIZE, 0.5 * (frame.top + frame.bottom)];
        scene.text(Text::new(beside, y_label, LABEL_SIZE, Anchor::Middle).upwards());

        let [x_power, y_power] = powers;
        if let Some(power) = x_power {
            scene.text(Text {
                at: [frame.right, frame.bottom + 38.0],
                anchor: Anchor::End,
                ..power
            });
        }
        let mut title_left = left;
        if let Some(power) = y_power {
            title_left = frame.left + font::text_width(&power) + 10.0;
            scene.text(Text {
                at: [frame.left, frame.top - 6.0],
                ..power
            });
        }
        if !self.title.is_empty() {
            let room = 2.0 * f64::min(left + PANEL[0] - middle, middle - title_left);
            let title = fitted(&self.title, LABEL_SIZE, true, room);
            let above = [middle, frame.top - 9.0];
            scene.text(Text::new(above, title, LABEL_SIZE, Anchor::Middle).bold());
        }
    }

    /// The curve within the frame, and its marks.
    fn draw_curve(&self, scene: &mut Scene, frame: &Frame, curve: &Curve) {
        let look = &curve.look;
        let shown = curve.points.iter().filter(|p| self.can_show(**p));
        let page: Vec<[f64; 2]> = shown.map(|&p| frame.at(p)).collect();
        let border = frame.border();
        let pieces = within(&page, border);
        // A curve that leaves through the border ends there for the eye.
        let left_at = pieces.last().and_then(|piece| piece.last()).copied();
        if look.line {
            for points in pieces {
                scene.line(Line {
                    points,
                    width: look.width,
                    dashes: look.dashes.to_vec(),
                    ink: look.ink,
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
                    scene.rule([x - 2.5, y], [x + 2.5, y], 5.0, look.ink);
                }
            }
            Marks::Each(mark) => {
                let mut last = [f64::INFINITY; 2];
                for at in page.into_iter().filter(|&at| holds(border, at)) {
                    // The eye cannot tell two marks on the same pixel, and the file need not hold both.
                    if (at[0] - last[0]).hypot(at[1] - last[1]) >= 0.5 {
                        scene.mark(mark, at, look.ink);
                        last = at;
                    }
                }
            }
        }
    }
}

fn clamped(value: f64, [low, high]: [f64; 2]) -> f64 {
    value.max(low).min(high)
}

/// Where the label of a reference line at height `y` stands: where no other label does.
fn free_place(frame: &Frame, y: f64, label: &str, taken: &mut Vec<Border>) -> ([f64; 2], Anchor) {
    let width = font::width(label, REFERENCE_SIZE, false);
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
        [x, base - REFERENCE_SIZE, x + width, base + 2.0]
    };
    let is_free = |place: &([f64; 2], Anchor)| {
        let [x0, y0, x1, y1] = room(*place);
        let apart = |&[a0, b0, a1, b1]: &Border| x1 < a0 || a1 < x0 || y1 < b0 || b1 < y0;
        y0 >= frame.top && y1 <= frame.bottom + 2.0 && taken.iter().all(apart)
    };
    let place = places.into_iter().find(is_free).unwrap_or(places[0]);
    taken.push(room(place));
    place
}

/// Width of a tick's label, px.
fn tick_width(tick: &Tick) -> f64 {
    font::text_width(&tick_text(tick, [0.0; 2], Anchor::Start))
}

fn tick_text(tick: &Tick, at: [f64; 2], anchor: Anchor) -> Text {
    let mut text = Text::new(at, &*tick.label, TICK_SIZE, anchor);
    text.exponent.clone_from(&tick.exponent);
    text
}

/// What all labels of an axis are to be multiplied with.
fn power_text(power: i32) -> Text {
    let mut text = Text::new([0.0; 2], "×10", TICK_SIZE, Anchor::Start);
    text.exponent = Some(power.to_string().replace('-', "−"));
    text
}

fn draw_grid(scene: &mut Scene, frame: &Frame) {
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
fn draw_frame(scene: &mut Scene, frame: &Frame) {
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

#[cfg(test)]
mod tests {
    use drystone_ccp::Method;

    use super::super::chart::{Figure, LegendEntry, Reference};
    use super::super::scene::{Item, Mark};
    use super::super::to_png;
    use super::*;

    fn curve(look: Look, points: &[[f64; 2]]) -> Curve {
        Curve {
            look,
            points: points.to_vec(),
        }
    }

    fn texts(scene: &Scene) -> Vec<&str> {
        scene
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Text(text) => Some(text.text.as_str()),
                Item::Line(_) | Item::Mark(..) => None,
            })
            .collect()
    }

    fn marks(scene: &Scene) -> usize {
        let is_mark = |item: &&Item| matches!(item, Item::Mark(..));
        scene.items.iter().filter(is_mark).count()
    }

    const SCALES: [Scale; 4] = [Scale::Log, Scale::LogDecades, Scale::Share, Scale::Linear];

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
                let look = Look::method(Method::Apgd);
                let references = [-1.0, 0.0, f64::NAN, 7.0];
                let panel = Panel {
                    title: "t".repeat(500),
                    y_limits: Some([1e-12, 1e3]),
                    curves: vec![
                        curve(look, &points),
                        curve(look.marks_only(Mark::Plus), &points),
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
                let scene = figure.scene();
                assert!(scene.width.is_finite() && scene.height.is_finite());
                for item in &scene.items {
                    let sound = match item {
                        Item::Line(line) => line.points.iter().flatten().all(|v| v.is_finite()),
                        Item::Mark(_, at, _) => at.iter().all(|v| v.is_finite()),
                        Item::Text(text) => text.at.iter().all(|v| v.is_finite()),
                    };
                    assert!(sound, "{x:?} {y:?}: {item:?}");
                }
                assert!(to_png(&scene).is_some());
            }
        }
    }

    #[test]
    fn marks_stand_where_the_limits_allow() {
        let points: Vec<[f64; 2]> = (0..=10).map(|k| [f64::from(k), f64::from(k * k)]).collect();
        let look = Look::nth(0).with_marks(Mark::Circle);
        let mut panel = Panel {
            curves: vec![curve(look, &points)],
            ..Panel::new("x", "y", [Scale::Linear, Scale::Linear])
        };
        assert_eq!(marks(&panel.scene()), 11);
        panel.x_limits = Some([0.0, 4.0]);
        assert_eq!(marks(&panel.scene()), 5);
        // The axis of y is made for what is left: up to 16.
        assert!(texts(&panel.scene()).contains(&"15"));
        panel.x_limits = None;
        panel.y_limits = Some([0.0, 50.0]);
        assert_eq!(marks(&panel.scene()), 8);
    }

    #[test]
    fn labels_of_the_x_axis_do_not_touch() {
        for high in [1e5, 999_999.0, 1e6, 3.3e-7] {
            let panel = Panel {
                curves: vec![curve(Look::lone(), &[[-high, 0.0], [high, 1.0]])],
                ..Panel::new("x", "y", [Scale::Linear, Scale::Linear])
            };
            let scene = panel.scene();
            let below: Vec<&Text> = scene
                .items
                .iter()
                .filter_map(|item| match item {
                    Item::Text(text) if text.anchor == Anchor::Middle => Some(text),
                    Item::Text(_) | Item::Line(_) | Item::Mark(..) => None,
                })
                .filter(|text| text.size == TICK_SIZE)
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
        let values = [1.0, 1.02, 1.04, 5.0];
        let panel = Panel {
            curves: vec![curve(Look::lone(), &[[0.0, 0.0], [1.0, 5.0]])],
            references: values.map(|v| Reference::new(v, "a line")).to_vec(),
            ..Panel::new("x", "y", [Scale::Linear, Scale::Linear])
        };
        let scene = panel.scene();
        let labels: Vec<[f64; 2]> = scene
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
                let apart = (a[0] - b[0]).abs() > 100.0 || (a[1] - b[1]).abs() > REFERENCE_SIZE;
                assert!(apart, "{labels:?}");
            }
        }
    }
}
