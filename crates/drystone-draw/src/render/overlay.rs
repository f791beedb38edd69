//! Writes title, legend and scale bar on a picture.

use tiny_skia::{FillRule, Paint, PathBuilder, Pixmap, Rect, Transform};

use super::color::{Color, viridis};
use super::legend::{ColorScale, Legend, length_label, round_below};
use super::{Camera, Picture};
use crate::plot::font::text_width;
use crate::plot::raster::draw_text;
use crate::plot::{Anchor, ColorRole, Text};

/// Writes on a finished picture what it asks for.
pub fn draw(pixels: &mut Pixmap, picture: &Picture) {
    let mut page = Page::new(pixels);
    page.title(picture.title.as_deref(), picture.caption.as_deref());
    if picture.scale_bar {
        page.scale_bar(&picture.camera, picture.height);
    }
    match &picture.legend {
        Some(Legend::Scale(scale)) => page.scale(scale),
        Some(Legend::Names { heading, entries }) => page.names(heading, entries),
        None => {}
    }
}

/// Height of letters, in units of the page.
const LETTERS: f64 = 15.0;
/// Distance of writing from the edges, in units of the page.
const MARGIN: f64 = 26.0;
/// Most names in a legend: they fill its height.
const MOST_NAMES: usize = 14;
/// Most letters of a name: a longer one would cover the picture.
const MOST_LETTERS: usize = 28;

/// A picture in units of which 720 make its height, or more if it is narrow. So writing keeps its
/// share of pictures of any size.
struct Page<'a> {
    pixels: &'a mut Pixmap,
    unit: f64,
    width: f64,
    height: f64,
}

impl<'a> Page<'a> {
    fn new(pixels: &'a mut Pixmap) -> Self {
        let (width, height) = (f64::from(pixels.width()), f64::from(pixels.height()));
        let unit = (height / 720.0).min(width / 800.0);
        Self {
            pixels,
            unit,
            width: width / unit,
            height: height / unit,
        }
    }

    fn text(&mut self, text: Text) {
        draw_text(self.pixels, &text, self.unit as f32);
    }

    fn bar(&mut self, left: f64, top: f64, width: f64, height: f64, color: Color, cover: f32) {
        let [x, y, w, h] = [left, top, width, height].map(|v| (v * self.unit) as f32);
        let Some(rect) = Rect::from_xywh(x, y, w, h) else {
            return;
        };
        let transform = Transform::identity();
        self.pixels
            .fill_rect(rect, &paint(color, cover), transform, None);
    }

    /// A light ground for letters, with round corners.
    fn ground(&mut self, left: f64, top: f64, width: f64, height: f64) {
        let [x, y, w, h] = [left, top, width, height].map(|v| (v * self.unit) as f32);
        let r = (7.0 * self.unit) as f32;
        let (right, bottom) = (x + w, y + h);
        let mut path = PathBuilder::new();
        path.move_to(x + r, y);
        path.line_to(right - r, y);
        path.quad_to(right, y, right, y + r);
        path.line_to(right, bottom - r);
        path.quad_to(right, bottom, right - r, bottom);
        path.line_to(x + r, bottom);
        path.quad_to(x, bottom, x, bottom - r);
        path.line_to(x, y + r);
        path.quad_to(x, y, x + r, y);
        path.close();
        if let Some(path) = path.finish() {
            let (paint, rule) = (paint(Color::WHITE, 0.72), FillRule::Winding);
            let transform = Transform::identity();
            self.pixels.fill_path(&path, &paint, rule, transform, None);
        }
    }

    fn title(&mut self, title: Option<&str>, caption: Option<&str>) {
        let mut base = MARGIN + LETTERS;
        if let Some(title) = title {
            let size = 1.35 * LETTERS;
            self.text(Text::new([MARGIN, base], title, size, Anchor::Start).bold());
            base += 1.7 * LETTERS;
        }
        if let Some(caption) = caption {
            self.text(Text::new([MARGIN, base], caption, LETTERS, Anchor::Start));
        }
    }

    fn scale_bar(&mut self, camera: &Camera, height: u32) {
        let metres = camera.pixel_at_target(height) * self.unit;
        let length = round_below(0.2 * self.width * metres);
        let across = length / metres;
        if !(across.is_finite() && across > 0.0) {
            return;
        }
        let (left, base) = (MARGIN, self.height - MARGIN);
        let ink = Color::grey(0.16);
        self.bar(left, base - 1.0, across, 2.0, ink, 1.0);
        for x in [left, left + across - 2.0] {
            self.bar(x, base - 5.0, 2.0, 10.0, ink, 1.0);
        }
        let middle = [left + 0.5 * across, base - 9.0];
        self.text(Text::new(
            middle,
            length_label(length),
            LETTERS,
            Anchor::Middle,
        ));
    }

    fn scale(&mut self, scale: &ColorScale) {
        let ticks = scale.ticks();
        let (heading, labels) = (scale.heading().0, scale.labels());
        let measure = |text: &str| text_width(&plain([0.0; 2], text));
        let widest = labels.iter().map(|l| measure(l)).fold(0.0, f64::max);
        let (thick, gap) = (16.0, 9.0);
        let inner = measure(&heading).max(thick + gap + widest);
        let tall = 0.42 * self.height;
        let left = self.width - MARGIN - inner;
        let top = 0.5 * (self.height - tall) + 0.6 * LETTERS;
        let pad = 13.0;
        let head = 2.1 * LETTERS;
        self.ground(
            left - pad,
            top - head - 4.0,
            inner + 2.0 * pad,
            tall + head + 4.0 + pad,
        );
        self.text(plain([left, top - LETTERS], &heading));
        let steps = (tall * self.unit).ceil().max(1.0) as u32;
        for k in 0..steps {
            let share = (f64::from(k) + 0.5) / f64::from(steps);
            let height = tall / f64::from(steps);
            let y = top + f64::from(k) * height;
            let color = viridis(1.0 - share);
            self.bar(left, y, thick, height, color, 1.0);
        }
        for (value, label) in ticks.iter().zip(&labels) {
            let y = top + tall * (1.0 - scale.position(*value).clamp(0.0, 1.0));
            self.bar(left + thick, y - 0.6, 4.0, 1.2, Color::grey(0.25), 1.0);
            self.text(plain([left + thick + gap, y + 0.36 * LETTERS], label));
        }
    }

    fn names(&mut self, heading: &str, entries: &[(String, Color)]) {
        let mut names: Vec<(String, Option<Color>)> = entries
            .iter()
            .take(MOST_NAMES)
            .map(|(name, color)| (shorten(name), Some(*color)))
            .collect();
        if entries.len() > MOST_NAMES {
            names.push((format!("and {} more", entries.len() - MOST_NAMES), None));
        }
        let measure = |text: &str| text_width(&plain([0.0; 2], text));
        let (side, gap, line) = (14.0, 9.0, 1.65 * LETTERS);
        let widest = names.iter().map(|(n, _)| measure(n)).fold(0.0, f64::max);
        let inner = measure(heading).max(side + gap + widest);
        let tall = (names.len() as f64 + 1.0) * line;
        let (left, pad) = (self.width - MARGIN - inner, 13.0);
        let top = 0.5 * (self.height - tall);
        self.ground(left - pad, top - 4.0, inner + 2.0 * pad, tall + pad);
        self.text(plain([left, top + LETTERS], heading));
        for (k, (name, color)) in names.iter().enumerate() {
            let base = top + LETTERS + (k as f64 + 1.0) * line;
            if let Some(color) = color {
                let middle = base - 0.36 * LETTERS;
                self.bar(left, middle - 0.5 * side, side, side, *color, 1.0);
            }
            self.text(plain([left + side + gap, base], name));
        }
    }
}

fn plain(at: [f64; 2], text: &str) -> Text {
    Text::new(at, text, LETTERS, Anchor::Start).color(ColorRole::Text)
}

fn shorten(name: &str) -> String {
    if name.chars().count() <= MOST_LETTERS {
        return name.to_owned();
    }
    let kept: String = name.chars().take(MOST_LETTERS - 1).collect();
    format!("{kept}…")
}

fn paint(color: Color, cover: f32) -> Paint<'static> {
    let [r, g, b] = color.to_srgb8();
    let mut paint = Paint::default();
    paint.set_color_rgba8(r, g, b, (255.0 * cover) as u8);
    paint.anti_alias = true;
    paint
}
