//! A drawing as PNG.

use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, StrokeDash,
    Transform,
};
use ttf_parser::OutlineBuilder;

use super::color_role::ColorRole;
use super::drawing::{Anchor, Drawing, Item, Line, MARK_STROKE, Mark, MarkShape, Text};
use super::font::{EXPONENT_RISE, EXPONENT_SIZE, advance, face, text_width};

/// Pixels of the PNG per pixel of the drawing: about 300 dots per inch at a figure width of 15 cm.
const SCALE: f32 = 2.0;

/// Why a figure cannot become a PNG file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlotError {
    /// It has no pixels, or more than memory can hold.
    #[error("a figure of {width} × {height} pixels cannot be drawn: it has none or too many")]
    Size {
        /// Width, px.
        width: u32,
        /// Height, px.
        height: u32,
    },
    /// The file could not be encoded.
    #[error("the figure could not be encoded as PNG: {0}")]
    Encoding(String),
}

/// The drawing as a PNG file on white.
pub fn to_png(drawing: &Drawing) -> Result<Vec<u8>, PlotError> {
    let size = |v: f64| (v * f64::from(SCALE)).ceil() as u32;
    let (width, height) = (size(drawing.width), size(drawing.height));
    let mut pixmap = Pixmap::new(width, height).ok_or(PlotError::Size { width, height })?;
    pixmap.fill(Color::WHITE);
    for item in &drawing.items {
        match item {
            Item::Line(line) => draw_line(&mut pixmap, line),
            Item::Mark(mark, at, color) => draw_mark(&mut pixmap, *mark, *at, *color),
            Item::Text(text) => draw_text(&mut pixmap, text, SCALE),
        }
    }
    let png = pixmap.encode_png();
    png.map_err(|e| PlotError::Encoding(e.to_string()))
}

fn draw_line(pixmap: &mut Pixmap, line: &Line) {
    let mut path = PathBuilder::new();
    for (k, [x, y]) in line.points.iter().enumerate() {
        if k == 0 {
            path.move_to(*x as f32, *y as f32);
        } else {
            path.line_to(*x as f32, *y as f32);
        }
    }
    let stroke = Stroke {
        width: line.width as f32,
        line_cap: LineCap::Butt,
        line_join: LineJoin::Round,
        dash: StrokeDash::new(line.dashes.clone(), 0.0),
        ..Stroke::default()
    };
    if let Some(path) = path.finish() {
        let scale = Transform::from_scale(SCALE, SCALE);
        pixmap.stroke_path(&path, &paint(line.color), &stroke, scale, None);
    }
}

fn draw_mark(pixmap: &mut Pixmap, mark: Mark, at: [f64; 2], color: ColorRole) {
    let mut path = PathBuilder::new();
    let place = |[x, y]: [f64; 2]| ((at[0] + x) as f32, (at[1] + y) as f32);
    match mark.shape() {
        MarkShape::Disc(radius) => {
            let (x, y) = place([0.0; 2]);
            path.push_circle(x, y, radius as f32);
        }
        MarkShape::Outline(corners) => {
            for (k, corner) in corners.iter().enumerate() {
                let (x, y) = place(*corner);
                if k == 0 {
                    path.move_to(x, y);
                } else {
                    path.line_to(x, y);
                }
            }
            path.close();
        }
        MarkShape::Strokes(strokes) => {
            for stroke in strokes {
                let [(x0, y0), (x1, y1)] = stroke.map(place);
                path.move_to(x0, y0);
                path.line_to(x1, y1);
            }
        }
    }
    let Some(path) = path.finish() else {
        return; // no shape is empty
    };
    let scale = Transform::from_scale(SCALE, SCALE);
    if mark.is_filled() {
        fill(pixmap, &path, color, scale);
    } else {
        let stroke = Stroke {
            width: MARK_STROKE as f32,
            ..Stroke::default()
        };
        pixmap.stroke_path(&path, &paint(color), &stroke, scale, None);
    }
}

/// Draws a text at `scale` pixels of the pixmap per pixel of the text's page.
pub fn draw_text(pixmap: &mut Pixmap, text: &Text, scale: f32) {
    let left = match text.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => -0.5 * text_width(text),
        Anchor::End => -text_width(text),
    };
    let mut glyphs = Glyphs {
        path: PathBuilder::new(),
        origin: [left as f32, 0.0],
        scale: 1.0,
    };
    glyphs.write(&text.text, text.size, text.bold);
    if let Some(exponent) = &text.exponent {
        glyphs.origin[1] = (-EXPONENT_RISE * text.size) as f32;
        glyphs.write(exponent, EXPONENT_SIZE * text.size, text.bold);
    }
    let Some(path) = glyphs.path.finish() else {
        return; // nothing but spaces
    };
    let [x, y] = text.at.map(|v| v as f32);
    let turn = if text.upwards { -90.0 } else { 0.0 };
    let transform = Transform::from_rotate(turn)
        .post_translate(x, y)
        .post_scale(scale, scale);
    fill(pixmap, &path, text.color, transform);
}

fn fill(pixmap: &mut Pixmap, path: &Path, color: ColorRole, transform: Transform) {
    pixmap.fill_path(path, &paint(color), FillRule::Winding, transform, None);
}

fn paint(color: ColorRole) -> Paint<'static> {
    let channel = |k: usize| {
        let digits = color.on_white().get(1 + 2 * k..3 + 2 * k);
        let digits = digits.unwrap_or_default();
        u8::from_str_radix(digits, 16).unwrap_or_default()
    };
    let mut paint = Paint::default();
    paint.set_color_rgba8(channel(0), channel(1), channel(2), 255);
    paint.anti_alias = true;
    paint
}

/// Collects the outlines of a line of text.
struct Glyphs {
    path: PathBuilder,
    /// Left end of the next glyph on the base line, px.
    origin: [f32; 2],
    /// Pixels per font unit.
    scale: f32,
}

impl Glyphs {
    fn write(&mut self, text: &str, size: f64, bold: bool) {
        let face = face(bold);
        self.scale = (size / f64::from(face.units_per_em())) as f32;
        for c in text.chars() {
            let glyph = face.glyph_index(c).unwrap_or_default();
            face.outline_glyph(glyph, self);
            self.origin[0] += advance(face, c) as f32 * self.scale;
        }
    }

    /// Page position of a point of the outline, whose y axis points up.
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        let [left, base] = self.origin;
        (left + self.scale * x, base - self.scale * y)
    }
}

impl OutlineBuilder for Glyphs {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }
    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }
    fn close(&mut self) {
        self.path.close();
    }
}
