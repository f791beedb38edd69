//! Panels of curves, and figures of panels with one legend above them.

use drystone_ccp::Method;

use super::axis::{Axis, Scale};
use super::clip::within;
use super::font;
use super::scene::{Anchor, Ink, LONE, Line, Scene, Text, style};

/// A curve.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Which method's; none where it stands alone in its panel.
    pub method: Option<Method>,
    /// Its points; those that the axes cannot show are left out.
    pub points: Vec<[f64; 2]>,
}

/// A horizontal line to compare with.
#[derive(Clone, Debug)]
pub struct Reference {
    /// Its height.
    pub value: f64,
    /// What it is.
    pub label: String,
}

/// One coordinate system.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Quantity and unit along x.
    pub x_label: String,
    /// Quantity and unit along y.
    pub y_label: String,
    /// Axis scales, x then y.
    pub scales: [Scale; 2],
    /// Values of y outside this range are cut off, so that one diverging curve does not flatten the rest.
    pub y_limits: [f64; 2],
    /// The curves, the lowest first.
    pub curves: Vec<Curve>,
    /// A line to compare with.
    pub reference: Option<Reference>,
}

/// Panels side by side, one legend.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Above everything; may be empty.
    pub title: String,
    /// Panels a row.
    pub columns: usize,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
    /// Methods of the legend; none for no legend.
    pub legend: Vec<Method>,
}

/// Size of one panel with its labels, px.
const PANEL: [f64; 2] = [460.0, 320.0];
const LABEL_SIZE: f64 = 13.0;
const TICK_SIZE: f64 = 12.0;
const TITLE_SIZE: f64 = 15.0;
/// Space around everything, px.
const MARGIN: f64 = 12.0;
const LEGEND_ROW: f64 = 20.0;
const SWATCH: f64 = 32.0;

impl Figure {
    /// Lays the figure out.
    pub fn scene(&self) -> Scene {
        let columns = self.columns.clamp(1, self.panels.len().max(1));
        let rows = self.panels.len().div_ceil(columns);
        let mut scene = Scene {
            width: PANEL[0] * columns as f64 + 2.0 * MARGIN,
            description: self.description(),
            ..Scene::default()
        };
        let mut top = MARGIN;
        if !self.title.is_empty() {
            top += TITLE_SIZE;
            let title = fitted(&self.title, TITLE_SIZE, scene.width - 2.0 * MARGIN);
            let at = [0.5 * scene.width, top];
            scene.text(Text::new(at, title, TITLE_SIZE, Anchor::Middle).bold());
            top += 10.0;
        }
        top = self.draw_legend(&mut scene, top);
        for (k, panel) in self.panels.iter().enumerate() {
            let [column, row] = [(k % columns) as f64, (k / columns) as f64];
            panel.draw(
                &mut scene,
                [MARGIN + column * PANEL[0], top + row * PANEL[1]],
            );
        }
        scene.height = top + rows as f64 * PANEL[1] + MARGIN;
        scene
    }

    fn description(&self) -> String {
        let panels: Vec<String> = self
            .panels
            .iter()
            .map(|p| format!("{} against {}", p.y_label, p.x_label))
            .collect();
        let lead = if self.title.is_empty() {
            String::new()
        } else {
            format!("{}: ", self.title)
        };
        format!("{lead}{}", panels.join("; "))
    }

    /// Draws the legend in centred rows and returns where the panels may begin.
    fn draw_legend(&self, scene: &mut Scene, top: f64) -> f64 {
        let entry_width = |m: &Method| SWATCH + 6.0 + font::width(m.name(), TICK_SIZE, false);
        let gap = 20.0;
        let mut rows: Vec<(f64, Vec<Method>)> = Vec::new();
        for &method in &self.legend {
            let width = entry_width(&method);
            match rows.last_mut() {
                Some((used, row)) if *used + gap + width <= scene.width - 2.0 * MARGIN => {
                    *used += gap + width;
                    row.push(method);
                }
                _ => rows.push((width, vec![method])),
            }
        }
        for (k, (used, row)) in rows.iter().enumerate() {
            let mut x = 0.5 * (scene.width - used);
            let base = top + LEGEND_ROW * (k as f64 + 0.7);
            for method in row {
                let y = base - 4.0;
                scene.line(Line {
                    points: vec![[x, y], [x + SWATCH, y]],
                    width: style(*method).width + 0.4,
                    dashes: style(*method).dashes.to_vec(),
                    ink: Ink::Method(*method),
                });
                let at = [x + SWATCH + 6.0, base];
                scene.text(Text::new(at, method.name(), TICK_SIZE, Anchor::Start));
                x += entry_width(method) + gap;
            }
        }
        top + LEGEND_ROW * rows.len() as f64
    }
}

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
}

impl Panel {
    /// Whether any of its points can be shown.
    pub fn has_data(&self) -> bool {
        let [x, y] = self.scales;
        let shown = |p: &[f64; 2]| Axis::can_show(x, p[0]) && Axis::can_show(y, p[1]);
        self.curves.iter().any(|c| c.points.iter().any(shown))
    }

    fn draw(&self, scene: &mut Scene, [left, top]: [f64; 2]) {
        let axes = self.axes();
        let widest = axes[1]
            .ticks
            .iter()
            .map(|t| {
                font::width(&t.label, TICK_SIZE, false)
                    + font::width(t.exponent.as_deref().unwrap_or(""), 9.0, false)
            })
            .fold(0.0, f64::max);
        let frame = Frame {
            // The same in all panels with ordinary labels, so that frames stand below each other.
            left: left + LABEL_SIZE + 18.0 + widest.max(40.0),
            right: left + PANEL[0] - 20.0,
            top: top + 12.0,
            bottom: top + PANEL[1] - 50.0,
            axes,
        };
        draw_grid(scene, &frame);
        self.draw_reference(scene, &frame);
        for curve in &self.curves {
            draw_curve(scene, &frame, curve);
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
        let [x_scale, y_scale] = self.scales;
        let mut ranges = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
        let mut include = |k: usize, v: f64| {
            ranges[k] = [ranges[k][0].min(v), ranges[k][1].max(v)];
        };
        for &[x, y] in self.curves.iter().flat_map(|c| &c.points) {
            if Axis::can_show(x_scale, x) && Axis::can_show(y_scale, y) {
                include(0, x);
                include(1, y.clamp(self.y_limits[0], self.y_limits[1]));
            }
        }
        if let Some(reference) = &self.reference {
            include(1, reference.value);
            // Room for its label, and for curves that stay just below it.
            match y_scale {
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

    fn draw_reference(&self, scene: &mut Scene, frame: &Frame) {
        let Some(reference) = &self.reference else {
            return;
        };
        let y = frame.at([frame.axes[0].range[0], reference.value])[1];
        scene.line(Line {
            points: vec![[frame.left, y], [frame.right, y]],
            width: 1.0,
            dashes: vec![4.0, 3.0],
            ink: Ink::Muted,
        });
        // Curves fall from the upper left, so the left end of a low line is free.
        let at = [frame.left + 6.0, y - 5.0];
        scene.text(Text::new(at, &*reference.label, 11.0, Anchor::Start).ink(Ink::Muted));
    }

    fn draw_labels(&self, scene: &mut Scene, frame: &Frame, left: f64) {
        let middle = 0.5 * (frame.left + frame.right);
        let below = [middle, frame.bottom + 40.0];
        scene.text(Text::new(below, &*self.x_label, LABEL_SIZE, Anchor::Middle));
        let beside = [left + LABEL_SIZE, 0.5 * (frame.top + frame.bottom)];
        scene.text(Text::new(beside, &*self.y_label, LABEL_SIZE, Anchor::Middle).upwards());
    }
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
    let Frame {
        left,
        right,
        top,
        bottom,
        axes,
    } = frame;
    let (left, right, top, bottom) = (*left, *right, *top, *bottom);
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
    for tick in &axes[0].ticks {
        let x = x_of(tick.value);
        scene.rule([x, bottom], [x, bottom - 6.0], 1.0, Ink::Text);
        let mut text = Text::new([x, bottom + 18.0], &*tick.label, TICK_SIZE, Anchor::Middle);
        text.exponent.clone_from(&tick.exponent);
        scene.text(text);
    }
    for tick in &axes[1].ticks {
        let y = y_of(tick.value);
        scene.rule([left, y], [left + 6.0, y], 1.0, Ink::Text);
        let at = [left - 7.0, y + 4.5];
        let mut text = Text::new(at, &*tick.label, TICK_SIZE, Anchor::End);
        text.exponent.clone_from(&tick.exponent);
        scene.text(text);
    }
}

/// The curve within the frame, and a square where it ends.
fn draw_curve(scene: &mut Scene, frame: &Frame, curve: &Curve) {
    let (style, ink) = match curve.method {
        Some(method) => (style(method), Ink::Method(method)),
        None => (LONE, Ink::Lone),
    };
    let shown = |p: &&[f64; 2]| {
        let scales = [frame.axes[0].scale(), frame.axes[1].scale()];
        Axis::can_show(scales[0], p[0]) && Axis::can_show(scales[1], p[1])
    };
    let page: Vec<[f64; 2]> = curve
        .points
        .iter()
        .filter(shown)
        .map(|&p| frame.at(p))
        .collect();
    let pieces = within(&page, frame.top, frame.bottom);
    // A curve that leaves through the border ends there for the eye.
    let left_at = pieces.last().and_then(|piece| piece.last()).copied();
    let end = page.last().map(|&[x, y]| {
        if (frame.top..=frame.bottom).contains(&y) {
            [x, y]
        } else {
            left_at.unwrap_or([x, y.clamp(frame.top, frame.bottom)])
        }
    });
    for points in pieces {
        scene.line(Line {
            points,
            width: style.width,
            dashes: style.dashes.to_vec(),
            ink,
        });
    }
    // Where several curves lie over each other, the square tells where each ends.
    if let Some([x, y]) = end.filter(|_| curve.method.is_some()) {
        scene.rule([x - 2.5, y], [x + 2.5, y], 5.0, ink);
    }
}

/// The text, shortened with an ellipsis where it would not fit.
fn fitted(text: &str, size: f64, room: f64) -> String {
    if font::width(text, size, true) <= room {
        return text.to_owned();
    }
    let mut short = String::new();
    for c in text.chars() {
        let longer = format!("{short}{c}");
        if font::width(&format!("{longer}…"), size, true) > room {
            break;
        }
        short = longer;
    }
    short + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_a_log_axis_cannot_show_do_no_harm() {
        let points = vec![
            [0.0, 1.0],
            [1.0, f64::NAN],
            [2.0, 0.0],
            [3.0, f64::INFINITY],
        ];
        let figure = Figure {
            title: "x".repeat(500),
            columns: 2,
            panels: vec![Panel {
                x_label: "x".into(),
                y_label: "y".into(),
                scales: [Scale::Log, Scale::LogDecades],
                y_limits: [1e-12, 1e3],
                curves: vec![Curve {
                    method: Some(Method::Apgd),
                    points,
                }],
                reference: None,
            }],
            legend: Method::ALL.to_vec(),
        };
        let scene = figure.scene();
        assert!(scene.width.is_finite() && scene.height.is_finite());
        assert!(super::super::to_png(&scene).is_some());
    }
}
