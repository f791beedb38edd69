//! A scene as SVG.

use std::fmt::Write;

use super::font::{EXPONENT_RISE, EXPONENT_SIZE};
use super::look::{LONE, Look, Marks, SERIES, style};
use super::scene::{Anchor, Ink, Item, Line, MARK_STROKE, Mark, Scene, Shape, Text};

/// Where a picture's colours come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    /// Written into the picture, on white: for papers.
    Fixed,
    /// From the style sheet of the page around it: light or dark.
    Page,
}

/// The scene as an SVG document.
pub fn to_svg(scene: &Scene, colours: Colours) -> String {
    let mut out = String::new();
    // Writing into a string cannot fail.
    let _ = write_svg(&mut out, scene, colours);
    out
}

fn write_svg(out: &mut String, scene: &Scene, colours: Colours) -> std::fmt::Result {
    let (width, height) = (scene.width, scene.height);
    write!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-label="{}""#,
        escape(&scene.description)
    )?;
    match colours {
        Colours::Fixed => writeln!(
            out,
            r##" font-family="DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"><rect width="{width}" height="{height}" fill="#ffffff"/>"##
        )?,
        Colours::Page => writeln!(out, ">")?,
    }
    for item in &scene.items {
        match item {
            Item::Line(line) => write_line(out, line, colours)?,
            Item::Mark(mark, at, ink) => write_mark(out, *mark, *at, *ink, colours)?,
            Item::Text(text) => write_text(out, text, colours)?,
        }
    }
    writeln!(out, "</svg>")
}

fn write_line(out: &mut String, line: &Line, colours: Colours) -> std::fmt::Result {
    out.push_str("<path d=\"");
    let mut last = [i64::MIN; 2];
    for (k, point) in line.points.iter().enumerate() {
        // A tenth of a pixel is finer than any screen; whole tenths keep the file small.
        let tenths = point.map(|v| (v * 10.0).round() as i64);
        if tenths == last {
            continue;
        }
        last = tenths;
        let [x, y] = tenths.map(|t| t as f64 / 10.0);
        write!(out, "{}{x} {y}", if k == 0 { 'M' } else { 'L' })?;
    }
    write!(
        out,
        "\" fill=\"none\" {} stroke-width=\"{}\" stroke-linejoin=\"round\"",
        paint("stroke", line.ink, colours),
        line.width
    )?;
    if !line.dashes.is_empty() {
        write!(out, " stroke-dasharray=\"{}\"", join(&line.dashes))?;
    }
    writeln!(out, "/>")
}

fn write_text(out: &mut String, text: &Text, colours: Colours) -> std::fmt::Result {
    let [x, y] = text.at.map(|v| (v * 10.0).round() / 10.0);
    let anchor = match text.anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    write!(
        out,
        "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" text-anchor=\"{anchor}\" {}",
        text.size,
        paint("fill", text.ink, colours)
    )?;
    if text.upwards {
        write!(out, " transform=\"rotate(-90 {x} {y})\"")?;
    }
    if text.bold {
        out.push_str(" font-weight=\"bold\"");
    }
    write!(out, ">{}", escape(&text.text))?;
    if let Some(exponent) = &text.exponent {
        write!(
            out,
            "<tspan dy=\"{:.1}\" font-size=\"{:.1}\">{}</tspan>",
            -EXPONENT_RISE * text.size,
            EXPONENT_SIZE * text.size,
            escape(exponent)
        )?;
    }
    writeln!(out, "</text>")
}

fn write_mark(
    out: &mut String,
    mark: Mark,
    at: [f64; 2],
    ink: Ink,
    colours: Colours,
) -> std::fmt::Result {
    let place = |[x, y]: [f64; 2]| [at[0] + x, at[1] + y].map(|v: f64| (v * 10.0).round() / 10.0);
    match mark.shape() {
        Shape::Disc(radius) => {
            let [x, y] = place([0.0; 2]);
            write!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"")?;
        }
        Shape::Outline(corners) => {
            out.push_str("<path d=\"");
            for (k, corner) in corners.iter().enumerate() {
                let [x, y] = place(*corner);
                write!(out, "{}{x} {y}", if k == 0 { 'M' } else { 'L' })?;
            }
            out.push_str("Z\"");
        }
        Shape::Strokes(strokes) => {
            out.push_str("<path d=\"");
            for [from, to] in strokes {
                let ([x0, y0], [x1, y1]) = (place(*from), place(*to));
                write!(out, "M{x0} {y0}L{x1} {y1}")?;
            }
            out.push('"');
        }
    }
    if mark.is_filled() {
        writeln!(out, " {}/>", paint("fill", ink, colours))
    } else {
        let stroke = paint("stroke", ink, colours);
        writeln!(
            out,
            " fill=\"none\" {stroke} stroke-width=\"{MARK_STROKE}\"/>"
        )
    }
}

/// A short piece of a curve, for legends in a page.
pub fn legend_swatch(look: &Look) -> String {
    let mut out = String::from(
        "<svg class=\"swatch\" viewBox=\"0 0 36 10\" width=\"36\" height=\"10\" aria-hidden=\"true\">",
    );
    // Writing into a string cannot fail.
    if look.line {
        let _ = write!(
            out,
            "<path d=\"M1 5H35\" {} stroke-width=\"{:.1}\" stroke-dasharray=\"{}\"/>",
            paint("stroke", look.ink, Colours::Page),
            look.width + 0.4,
            join(look.dashes)
        );
    }
    if let Marks::Each(mark) = look.marks {
        let _ = write_mark(&mut out, mark, [18.0, 5.0], look.ink, Colours::Page);
    }
    out + "</svg>"
}

fn paint(attribute: &str, ink: Ink, colours: Colours) -> String {
    match colours {
        Colours::Fixed => format!("{attribute}=\"{}\"", light(ink)),
        Colours::Page => format!("{attribute}=\"var(--{})\"", variable(ink)),
    }
}

/// The colour of an ink on white.
pub fn light(ink: Ink) -> &'static str {
    match ink {
        Ink::Text => "#111111",
        Ink::Muted => "#666666",
        Ink::Grid => "#dddddd",
        Ink::Method(method) => style(method).0,
        Ink::Series(k) => SERIES[k % SERIES.len()].0,
        Ink::Lone => LONE[0],
    }
}

/// The colour of an ink on black.
pub fn dark(ink: Ink) -> &'static str {
    match ink {
        Ink::Text => "#eeeeee",
        Ink::Muted => "#a0a0a0",
        Ink::Grid => "#3a3a3a",
        Ink::Method(method) => style(method).1,
        Ink::Series(k) => SERIES[k % SERIES.len()].1,
        Ink::Lone => LONE[1],
    }
}

/// The page's name for an ink.
pub fn variable(ink: Ink) -> String {
    match ink {
        Ink::Text => "ink".to_owned(),
        Ink::Muted => "muted".to_owned(),
        Ink::Grid => "grid".to_owned(),
        Ink::Method(method) => format!("method-{}", method.name()),
        Ink::Series(k) => format!("series-{}", k % SERIES.len()),
        Ink::Lone => "lone".to_owned(),
    }
}

/// A text as it may stand in HTML, SVG and their attributes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML has no way to write these at all.
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

fn join(lengths: &[f32]) -> String {
    let lengths: Vec<String> = lengths.iter().map(f32::to_string).collect();
    lengths.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_users_cannot_become_markup() {
        assert_eq!(
            escape("a<b>&\"c\"\u{7}"),
            "a&lt;b&gt;&amp;&quot;c&quot;\u{fffd}"
        );
    }
}
