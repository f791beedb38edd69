//! What is written over a picture: title, legend and scale bar.

use tiny_skia::{FillRule, Paint, PathBuilder, Pixmap, Rect, Transform};

use super::color::{Color, Map};
use super::{Camera, Picture};
use crate::plot::font::text_width;
use crate::plot::raster::draw_text;
use crate::plot::scene::{Anchor, Ink, Text};

/// What the colours mean.
#[derive(Clone, Debug, PartialEq)]
pub enum Legend {
    /// A quantity.
    Scale(Scale),
    /// Kinds, such as materials, with their colours.
    Names {
        /// Of what.
        heading: String,
        /// Name and colour of each.
        entries: Vec<(String, Color)>,
    },
}

/// How a quantity becomes a colour.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// Its name, such as `speed`.
    pub quantity: String,
    /// Its unit without prefix, such as `m/s`; empty for a number.
    pub unit: String,
    /// Values of the first and the last colour.
    pub range: [f64; 2],
    /// The colours.
    pub map: Map,
    /// How values are laid between them.
    pub spacing: Spacing,
}

/// How values are laid along a scale.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spacing {
    /// In proportion.
    #[default]
    Linear,
    /// Equal ratios are equally far apart; linear where the range is not positive.
    Logarithmic,
}

impl Scale {
    /// A scale in viridis, in proportion.
    pub fn new(quantity: &str, unit: &str, range: [f64; 2]) -> Self {
        Self {
            quantity: quantity.to_owned(),
            unit: unit.to_owned(),
            range,
            map: Map::default(),
            spacing: Spacing::default(),
        }
    }

    /// The colour of a value; grey if it is no number.
    pub fn color(&self, value: f64) -> Color {
        self.map.color(self.position(value))
    }

    /// Share of the way from the first to the last colour; the middle of a range without width.
    fn position(&self, value: f64) -> f64 {
        let [low, high] = self.range;
        let share = if self.is_logarithmic() {
            (value.max(f64::MIN_POSITIVE) / low).ln() / (high / low).ln()
        } else {
            (value - low) / (high - low)
        };
        if value.is_finite() && !share.is_finite() {
            return 0.5;
        }
        share
    }

    fn is_logarithmic(&self) -> bool {
        match self.spacing {
            Spacing::Linear => false,
            Spacing::Logarithmic => self.range[0] > 0.0 && self.range[1] > self.range[0],
        }
    }

    /// Values to label: round ones.
    fn ticks(&self) -> Vec<f64> {
        let [low, high] = self.range;
        let width = high - low;
        if !width.is_finite() || width <= 0.0 {
            return if low.is_finite() {
                vec![low]
            } else {
                Vec::new()
            };
        }
        if self.is_logarithmic() && high / low >= 8.0 {
            return powers(low, high);
        }
        // The roundest step that gives at least four of them.
        let step = round_below(width / 3.6);
        let first = (low / step - 1e-9).ceil() as i64;
        let last = (high / step + 1e-9).floor() as i64;
        (first..=last).map(|k| k as f64 * step).collect()
    }

    /// The heading, and what values are divided by before they are written.
    fn heading(&self) -> (String, f64) {
        let [low, high] = self.range.map(f64::abs);
        let size = low.max(high);
        let (prefix, factor) = if self.is_logarithmic() && high / low >= 8.0 {
            ("", 1.0)
        } else {
            prefix(size)
        };
        let Self { quantity, unit, .. } = self;
        if unit.is_empty() || unit.starts_with("kg") {
            // No prefix fits: the power of ten itself.
            let power = factor.log10().round() as i32;
            return match (power, unit.is_empty()) {
                (0, true) => (quantity.clone(), factor),
                (0, false) => (format!("{quantity} ({unit})"), factor),
                _ => {
                    let unit = format!("10{} {unit}", superscript(power));
                    (format!("{quantity} ({})", unit.trim_end()), factor)
                }
            };
        }
        (format!("{quantity} ({prefix}{unit})"), factor)
    }
}

/// Powers of ten in a range, or 1, 2 and 5 times them if they are few.
fn powers(low: f64, high: f64) -> Vec<f64> {
    let (first, last) = (
        (low.log10() - 1e-9).ceil() as i32,
        (high.log10() + 1e-9).floor() as i32,
    );
    let all = |digits: &[f64], step: i32| -> Vec<f64> {
        (first - 1..=last)
            .filter(|k| k.rem_euclid(step) == 0)
            .flat_map(|k| digits.iter().map(move |d| d * 10f64.powi(k)))
            .filter(|v| (low * (1.0 - 1e-9)..=high * (1.0 + 1e-9)).contains(v))
            .collect()
    };
    if high / low < 200.0 {
        all(&[1.0, 2.0, 5.0], 1)
    } else {
        all(&[1.0], 1 + (last - first) / 7)
    }
}

/// The largest of 1, 2 and 5 times a power of ten that is not above a positive value; 1 for what is not positive.
pub fn round_below(value: f64) -> f64 {
    if !(value.is_finite() && value > 0.0) {
        return 1.0;
    }
    let power = 10f64.powi(value.log10().floor() as i32);
    let digit = value / power * (1.0 + 1e-12);
    let round = [5.0, 2.0, 1.0].into_iter().find(|d| *d <= digit);
    round.unwrap_or(0.5) * power
}

/// Prefix and factor of a unit in which a value has few digits before the point.
fn prefix(size: f64) -> (&'static str, f64) {
    const PREFIXES: [(&str, f64); 8] = [
        ("G", 1e9),
        ("M", 1e6),
        ("k", 1e3),
        ("", 1.0),
        ("m", 1e-3),
        ("µ", 1e-6),
        ("n", 1e-9),
        ("p", 1e-12),
    ];
    if size == 0.0 || !size.is_finite() {
        return ("", 1.0);
    }
    // Plain up to 5000, and down to 0.2: shorter than with a prefix.
    let bound = |factor: f64| match factor {
        1.0 => 0.2,
        1e3 => 5000.0,
        _ => factor,
    };
    let found = PREFIXES
        .into_iter()
        .find(|(_, f)| size >= bound(*f) * (1.0 - 1e-9));
    found.unwrap_or(("p", 1e-12))
}

/// Numbers of ticks with as many decimals as the closest two need.
fn labels(ticks: &[f64], factor: f64) -> Vec<String> {
    let step = ticks
        .windows(2)
        .map(|w| ((w[1] - w[0]) / factor).abs())
        .fold(f64::INFINITY, f64::min);
    let decimals = if step.is_finite() && step > 0.0 {
        (-(step.log10() + 1e-9).floor()).clamp(0.0, 12.0) as usize
    } else {
        3
    };
    let write = |value: &f64| {
        // No zero with a sign.
        let text = format!("{:.decimals$}", value / factor + 0.0);
        text.replace('-', "−")
    };
    ticks.iter().map(write).collect()
}

/// Numbers of ticks on a logarithmic scale, each for itself.
fn power_labels(ticks: &[f64]) -> Vec<String> {
    let plain = ticks.iter().all(|v| (0.000_99..10_001.0).contains(v));
    let write = |v: &f64| {
        if plain {
            return format!("{}", (v * 1e6).round() / 1e6);
        }
        let power = (v.log10() + 1e-9).floor() as i32;
        let digit = (v / 10f64.powi(power)).round();
        let digits = if digit == 1.0 {
            String::new()
        } else {
            format!("{digit}·")
        };
        format!("{digits}10{}", superscript(power))
    };
    ticks.iter().map(write).collect()
}

fn superscript(power: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let raise = |c: char| match c.to_digit(10) {
        Some(digit) => DIGITS[digit as usize],
        None => '⁻',
    };
    power.to_string().chars().map(raise).collect()
}

/// A length with its unit.
fn length_label(length: f64) -> String {
    let (unit, factor) = match length {
        v if v >= 1e3 => ("km", 1e3),
        v if v >= 1.0 => ("m", 1.0),
        v if v >= 0.999e-3 => ("mm", 1e-3),
        v if v >= 0.999e-6 => ("µm", 1e-6),
        _ => ("nm", 1e-9),
    };
    let number = (length / factor * 1e6).round() / 1e6;
    format!("{number} {unit}")
}

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
/// Most names in a legend.
const MOST_NAMES: usize = 14;
/// Most letters of a name.
const MOST_LETTERS: usize = 28;

/// A picture in units of which 720 make its height, or more if it is narrow.
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

    fn scale(&mut self, scale: &Scale) {
        let ticks = scale.ticks();
        let (heading, factor) = scale.heading();
        let labels = if scale.is_logarithmic() && scale.range[1] / scale.range[0] >= 8.0 {
            power_labels(&ticks)
        } else {
            labels(&ticks, factor)
        };
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
            let color = scale.map.color(1.0 - share);
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
    Text::new(at, text, LETTERS, Anchor::Start).ink(Ink::Text)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn written(scale: &Scale) -> (String, Vec<String>) {
        let (heading, factor) = scale.heading();
        (heading, labels(&scale.ticks(), factor))
    }

    #[test]
    fn ticks_are_round_and_inside() {
        let scale = Scale::new("speed", "m/s", [0.0, 1.37]);
        let (heading, labels) = written(&scale);
        assert_eq!(heading, "speed (m/s)");
        assert_eq!(labels, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0", "1.2"]);
        let (heading, labels) = written(&Scale::new("size", "m", [1.2e-4, 9.1e-4]));
        assert_eq!(heading, "size (µm)");
        assert_eq!(labels, ["200", "400", "600", "800"]);
        let (heading, labels) = written(&Scale::new("force", "N", [0.0, 52_000.0]));
        assert_eq!(heading, "force (kN)");
        assert_eq!(labels, ["0", "10", "20", "30", "40", "50"]);
        let (heading, labels) = written(&Scale::new("mass", "kg", [0.0, 0.004]));
        assert_eq!(heading, "mass (10⁻³ kg)");
        assert_eq!(labels, ["0", "1", "2", "3", "4"]);
        let (_, labels) = written(&Scale::new("height", "m", [-1.0, 1.0]));
        assert_eq!(labels, ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
    }

    #[test]
    fn any_range_has_few_ticks() {
        for high in [1e-12, 3.3e-7, 0.019, 1.0, 7.77, 123.4, 9e5, 4e13] {
            for share in [0.0, 0.5, 0.9, -2.0] {
                let scale = Scale::new("x", "m", [share * high, high]);
                let count = scale.ticks().len();
                assert!((3..=9).contains(&count), "{:?}: {count}", scale.range);
            }
        }
    }

    #[test]
    fn logarithmic_scales_label_powers() {
        let mut scale = Scale::new("force", "N", [0.01, 100.0]);
        scale.spacing = Spacing::Logarithmic;
        assert_eq!(
            power_labels(&scale.ticks()),
            ["0.01", "0.1", "1", "10", "100"]
        );
        assert!((scale.position(1.0) - 0.5).abs() < 1e-12);
        scale.range = [1e-9, 1e-3];
        let labels = power_labels(&scale.ticks());
        assert_eq!(labels[0], "10⁻⁹");
        scale.range = [1.0, 50.0];
        assert_eq!(
            power_labels(&scale.ticks()),
            ["1", "2", "5", "10", "20", "50"]
        );
    }

    #[test]
    fn degenerate_ranges_have_colours_and_ticks() {
        for range in [[1.0, 1.0], [0.0, 0.0], [2.0, 1.0]] {
            let scale = Scale::new("speed", "m/s", range);
            assert_eq!(scale.ticks(), [range[0]]);
            assert!(scale.color(range[0]).linear.iter().all(|v| v.is_finite()));
        }
        let scale = Scale::new("speed", "m/s", [f64::NAN, 1.0]);
        assert!(scale.ticks().is_empty());
        assert!(scale.color(0.5).linear.iter().all(|v| v.is_finite()));
        assert_eq!(scale.color(f64::NAN), Color::grey(0.6));
    }

    #[test]
    fn lengths_are_round_and_named() {
        for (value, expected) in [
            (0.00234, "2 mm"),
            (7.3, "5 m"),
            (1e-4, "100 µm"),
            (1500.0, "1 km"),
            (0.99, "500 mm"),
        ] {
            assert_eq!(length_label(round_below(value)), expected);
        }
        assert_eq!(round_below(f64::NAN), 1.0);
        assert_eq!(round_below(-1.0), 1.0);
    }
}
