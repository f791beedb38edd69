//! Figures: panels of curves with one legend above them.

use drystone_ccp::Method;

use super::axis::AxisScale;
use super::drawing::{Anchor, Drawing, Line, Text};
use super::font;
use super::look::{CurveLook, Marks};

/// A curve.
#[derive(Clone, Debug)]
pub struct Curve {
    /// How it is drawn.
    pub look: CurveLook,
    /// Its points; those that the axes cannot show are left out.
    pub points: Vec<[f64; 2]>,
}

/// A horizontal line to compare with.
#[derive(Clone, Debug)]
pub struct Reference {
    /// Its height.
    pub value: f64,
    /// What it is; may be empty.
    pub label: String,
    /// How it is drawn; thin, grey and dashed if not said.
    pub look: Option<CurveLook>,
}

impl Reference {
    /// A grey line.
    pub fn new(value: f64, label: &str) -> Self {
        Self {
            value,
            label: label.to_owned(),
            look: None,
        }
    }
}

/// One coordinate system.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Above it; may be empty.
    pub title: String,
    /// Quantity and unit along x.
    pub x_label: String,
    /// Quantity and unit along y.
    pub y_label: String,
    /// Axis scales, x then y.
    pub scales: [AxisScale; 2],
    /// Values of x outside this range are cut off.
    pub x_limits: Option<[f64; 2]>,
    /// Values of y outside this range are cut off, so that one diverging curve does not flatten the
    /// rest.
    pub y_limits: Option<[f64; 2]>,
    /// The curves, the lowest first.
    pub curves: Vec<Curve>,
    /// Lines to compare with.
    pub references: Vec<Reference>,
}

impl Panel {
    /// A panel with nothing but axes.
    pub fn new(x_label: &str, y_label: &str, scales: [AxisScale; 2]) -> Self {
        Self {
            title: String::new(),
            x_label: x_label.to_owned(),
            y_label: y_label.to_owned(),
            scales,
            x_limits: None,
            y_limits: None,
            curves: Vec::new(),
            references: Vec::new(),
        }
    }
}

/// What the legend says of a look.
#[derive(Clone, Debug)]
pub struct LegendEntry {
    /// What is drawn like this.
    pub label: String,
    /// How it is drawn.
    pub look: CurveLook,
}

impl LegendEntry {
    /// An entry.
    pub fn new(label: &str, look: CurveLook) -> Self {
        Self {
            label: label.to_owned(),
            look,
        }
    }

    /// The entry of a method.
    pub fn method(method: Method) -> Self {
        Self::new(method.name(), CurveLook::method(method))
    }
}

/// Panels side by side, one legend.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Above everything; may be empty.
    pub title: String,
    /// Panels per row.
    pub columns: usize,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
    /// What the curves are; empty for no legend.
    pub legend: Vec<LegendEntry>,
}

/// Size of one panel with its labels, px.
pub const PANEL: [f64; 2] = [460.0, 320.0];
/// Size of the letters at axes and above panels, px.
pub const LABEL_SIZE: f64 = 13.0;
/// Size of the letters at ticks and in the legend, px.
pub const TICK_SIZE: f64 = 12.0;
/// Size of the letters above everything, px.
const TITLE_SIZE: f64 = 15.0;
/// Space around everything, px.
const MARGIN: f64 = 12.0;
/// Height of a row of the legend, px.
const LEGEND_ROW: f64 = 20.0;
/// Length of the piece of a curve in the legend, px.
const SWATCH: f64 = 32.0;
/// Between a swatch and its label, px.
const SWATCH_GAP: f64 = 6.0;

impl Figure {
    /// One panel without title and legend.
    pub fn of_panel(panel: Panel) -> Self {
        Self {
            title: String::new(),
            columns: 1,
            panels: vec![panel],
            legend: Vec::new(),
        }
    }

    /// Lays the figure out.
    pub fn drawing(&self) -> Drawing {
        let columns = self.columns.clamp(1, self.panels.len().max(1));
        let mut drawing = Drawing {
            width: PANEL[0] * columns as f64 + 2.0 * MARGIN,
            description: description(&self.title, &self.panels),
            ..Drawing::default()
        };
        let mut top = MARGIN;
        if !self.title.is_empty() {
            top += TITLE_SIZE;
            let title = fitted(&self.title, TITLE_SIZE, true, drawing.width - 2.0 * MARGIN);
            let at = [0.5 * drawing.width, top];
            drawing.text(Text::new(at, title, TITLE_SIZE, Anchor::Middle).bold());
            top += 10.0;
        }
        top = draw_legend(&mut drawing, top, &self.legend);
        for row in self.panels.chunks(columns) {
            top = draw_row(&mut drawing, top, row, room_above(row));
        }
        drawing.height = top + MARGIN;
        drawing
    }

    /// Each panel by itself, without title and legend, with frames at the same height.
    pub fn panel_drawings(&self) -> Vec<Drawing> {
        let above = room_above(&self.panels);
        let alone = |panel: &Panel| {
            let panel = std::slice::from_ref(panel);
            let mut drawing = Drawing {
                width: PANEL[0] + 2.0 * MARGIN,
                description: description("", panel),
                ..Drawing::default()
            };
            drawing.height = draw_row(&mut drawing, MARGIN, panel, above) + MARGIN;
            drawing
        };
        self.panels.iter().map(alone).collect()
    }
}

/// The most height that one of the panels needs above its frame, px.
fn room_above(panels: &[Panel]) -> f64 {
    panels.iter().map(Panel::room_above).fold(0.0, f64::max)
}

/// Draws panels side by side and returns where the next row may begin.
fn draw_row(drawing: &mut Drawing, top: f64, row: &[Panel], above: f64) -> f64 {
    for (k, panel) in row.iter().enumerate() {
        let left = MARGIN + k as f64 * PANEL[0];
        panel.draw(drawing, [left, top + above]);
    }
    top + above + PANEL[1]
}

fn description(title: &str, panels: &[Panel]) -> String {
    let of_panel = |p: &Panel| {
        let lead = if p.title.is_empty() { "" } else { ": " };
        format!("{}{lead}{} against {}", p.title, p.y_label, p.x_label)
    };
    let panels: Vec<String> = panels.iter().map(of_panel).collect();
    let lead = if title.is_empty() { "" } else { ": " };
    format!("{title}{lead}{}", panels.join("; "))
}

/// Draws the legend in centred rows and returns where the panels may begin.
fn draw_legend(drawing: &mut Drawing, top: f64, legend: &[LegendEntry]) -> f64 {
    let room = drawing.width - 2.0 * MARGIN;
    let gap = 20.0;
    let width_of = |label: &str| SWATCH + SWATCH_GAP + font::width(label, TICK_SIZE, false);
    let mut rows: Vec<(f64, Vec<LegendEntry>)> = Vec::new();
    for LegendEntry { label, look } in legend {
        let label = fitted(label, TICK_SIZE, false, room - SWATCH - SWATCH_GAP);
        let (width, entry) = (width_of(&label), LegendEntry { label, look: *look });
        match rows.last_mut() {
            Some((used, row)) if *used + gap + width <= room => {
                *used += gap + width;
                row.push(entry);
            }
            _ => rows.push((width, vec![entry])),
        }
    }
    for (k, (used, row)) in rows.iter().enumerate() {
        let mut x = 0.5 * (drawing.width - used);
        let base = top + LEGEND_ROW * (k as f64 + 0.7);
        for LegendEntry { label, look } in row {
            draw_swatch(drawing, [x, base - 4.0], look);
            let at = [x + SWATCH + SWATCH_GAP, base];
            drawing.text(Text::new(at, &**label, TICK_SIZE, Anchor::Start));
            x += width_of(label) + gap;
        }
    }
    top + LEGEND_ROW * rows.len() as f64
}

/// A short piece of a curve that begins at a point.
fn draw_swatch(drawing: &mut Drawing, [x, y]: [f64; 2], look: &CurveLook) {
    if look.line {
        drawing.line(Line {
            points: vec![[x, y], [x + SWATCH, y]],
            width: look.width + 0.4,
            dashes: look.dashes.to_vec(),
            color: look.color,
        });
    }
    if let Marks::Each(mark) = look.marks {
        drawing.mark(mark, [x + 0.5 * SWATCH, y], look.color);
    }
}

/// The text, shortened with an ellipsis where it would not fit.
pub fn fitted(text: &str, size: f64, bold: bool, room: f64) -> String {
    if font::width(text, size, bold) <= room {
        return text.to_owned();
    }
    let mut short = String::new();
    for c in text.chars() {
        let longer = format!("{short}{c}");
        if font::width(&format!("{longer}…"), size, bold) > room {
            break;
        }
        short = longer;
    }
    short + "…"
}
