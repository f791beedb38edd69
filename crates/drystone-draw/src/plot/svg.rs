//! A drawing as SVG.

use std::fmt::Write;

use super::color_role::ColorRole;
use super::drawing::{Anchor, Drawing, Item, Line, MARK_STROKE, Mark, MarkShape, Text};
use super::font::{EXPONENT_RISE, EXPONENT_SIZE};
use super::look::{CurveLook, Marks};

/// Where the colours of an SVG come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SvgColors {
    /// Written into it, on white: for papers.
    Fixed,
    /// From the style sheet of the page around it: light or dark.
    Page,
}

/// The drawing as an SVG document.
pub fn to_svg(drawing: &Drawing, colors: SvgColors) -> String {
    let mut out = String::new();
    // Writing into a string cannot fail.
    let _ = write_svg(&mut out, drawing, colors);
    out
}

fn write_svg(out: &mut String, drawing: &Drawing, colors: SvgColors) -> std::fmt::Result {
    let (width, height) = (drawing.width, drawing.height);
    write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"{}\"",
        escape(&drawing.description)
    )?;
    match colors {
        SvgColors::Fixed => writeln!(
            out,
            " font-family=\"DejaVu Sans, Verdana, Helvetica, Arial, sans-serif\">\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>"
        )?,
        SvgColors::Page => writeln!(out, ">")?,
    }
    for item in &drawing.items {
        match item {
            Item::Line(line) => write_line(out, line, colors)?,
            Item::Mark(mark, at, color) => write_mark(out, *mark, *at, *color, colors)?,
            Item::Text(text) => write_text(out, text, colors)?,
        }
    }
    writeln!(out, "</svg>")
}

fn write_line(out: &mut String, line: &Line, colors: SvgColors) -> std::fmt::Result {
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
        paint("stroke", line.color, colors),
        line.width
    )?;
    if !line.dashes.is_empty() {
        write!(out, " stroke-dasharray=\"{}\"", join(&line.dashes))?;
    }
    writeln!(out, "/>")
}

fn write_text(out: &mut String, text: &Text, colors: SvgColors) -> std::fmt::Result {
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
        paint("fill", text.color, colors)
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
    color: ColorRole,
    colors: SvgColors,
) -> std::fmt::Result {
    let place = |[x, y]: [f64; 2]| [at[0] + x, at[1] + y].map(|v: f64| (v * 10.0).round() / 10.0);
    match mark.shape() {
        MarkShape::Disc(radius) => {
            let [x, y] = place([0.0; 2]);
            write!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"")?;
        }
        MarkShape::Outline(corners) => {
            out.push_str("<path d=\"");
            for (k, corner) in corners.iter().enumerate() {
                let [x, y] = place(*corner);
                write!(out, "{}{x} {y}", if k == 0 { 'M' } else { 'L' })?;
            }
            out.push_str("Z\"");
        }
        MarkShape::Strokes(strokes) => {
            out.push_str("<path d=\"");
            for [from, to] in strokes {
                let ([x0, y0], [x1, y1]) = (place(*from), place(*to));
                write!(out, "M{x0} {y0}L{x1} {y1}")?;
            }
            out.push('"');
        }
    }
    if mark.is_filled() {
        writeln!(out, " {}/>", paint("fill", color, colors))
    } else {
        let stroke = paint("stroke", color, colors);
        writeln!(
            out,
            " fill=\"none\" {stroke} stroke-width=\"{MARK_STROKE}\"/>"
        )
    }
}

/// A short piece of a curve, for legends in a page.
pub fn legend_swatch(look: &CurveLook) -> String {
    let mut out = String::from(
        "<svg class=\"swatch\" viewBox=\"0 0 36 10\" width=\"36\" height=\"10\" \
         aria-hidden=\"true\">",
    );
    // Writing into a string cannot fail.
    if look.line {
        let _ = write!(
            out,
            "<path d=\"M1 5H35\" {} stroke-width=\"{:.1}\" stroke-dasharray=\"{}\"/>",
            paint("stroke", look.color, SvgColors::Page),
            look.width + 0.4,
            join(look.dashes)
        );
    }
    if let Marks::Each(mark) = look.marks {
        let _ = write_mark(&mut out, mark, [18.0, 5.0], look.color, SvgColors::Page);
    }
    out + "</svg>"
}

fn paint(attribute: &str, role: ColorRole, colors: SvgColors) -> String {
    match colors {
        SvgColors::Fixed => format!("{attribute}=\"{}\"", role.on_white()),
        SvgColors::Page => format!("{attribute}=\"var(--{})\"", role.css_name()),
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
