//! A report as one HTML page that needs nothing else: style, script, figures and pictures are part
//! of it.

pub mod table;

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;

use drystone_draw::plot::{ColorRole, Figure, SvgColors, legend_swatch, to_svg};

pub use drystone_draw::plot::escape;
pub use table::{Column, Entry, Table};

const CSS: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");

/// A page, written from top to bottom.
#[derive(Clone, Debug)]
pub struct Page {
    title: String,
    body: String,
}

impl Page {
    /// A page with nothing but its title.
    pub fn new(title: &str) -> Self {
        let body = format!("<h1>{}</h1>\n", escape(title));
        Self {
            title: title.to_owned(),
            body,
        }
    }

    /// What it is about, below the title.
    pub fn lead(&mut self, text: &str) -> &mut Self {
        self.element("p", " class=\"lead\"", text)
    }

    /// What a reader must not miss.
    pub fn banner(&mut self, text: &str) -> &mut Self {
        self.element("p", " class=\"banner\"", text)
    }

    /// Begins a section.
    pub fn heading(&mut self, text: &str) -> &mut Self {
        self.element("h2", "", text)
    }

    /// Begins a part of a section.
    pub fn subheading(&mut self, text: &str) -> &mut Self {
        self.element("h3", "", text)
    }

    /// A paragraph.
    pub fn paragraph(&mut self, text: &str) -> &mut Self {
        self.element("p", "", text)
    }

    /// A paragraph in small print; nothing if empty.
    pub fn note(&mut self, text: &str) -> &mut Self {
        match text.is_empty() {
            true => self,
            false => self.element("p", " class=\"note\"", text),
        }
    }

    /// Names and values, below each other.
    pub fn facts(&mut self, facts: &[(&str, String)]) -> &mut Self {
        self.html("<dl class=\"facts\">");
        for (what, value) in facts {
            let (what, value) = (escape(what), escape(value));
            self.html(&format!("<dt>{what}</dt><dd>{value}</dd>"));
        }
        self.html("</dl>")
    }

    /// A table that can be sorted by pressing its headings.
    pub fn table(&mut self, table: &Table) -> &mut Self {
        self.html(&table.html()).note(&table.note)
    }

    /// The panels side by side, or below each other on a narrow screen, with the legend above and
    /// the caption below. The figure's own title is for files: on the page a heading says it.
    pub fn figure(&mut self, figure: &Figure, caption: &str) -> &mut Self {
        let mut html = String::from("<div class=\"legend\">");
        // Writing into a string cannot fail.
        for entry in &figure.legend {
            let swatch = legend_swatch(&entry.look);
            let _ = write!(html, "<span>{swatch}{}</span>", escape(&entry.label));
        }
        html.push_str("</div>\n<div class=\"figures\">\n");
        for drawing in figure.panel_drawings() {
            let svg = to_svg(&drawing, SvgColors::Page);
            let _ = write!(html, "<figure>{svg}</figure>");
        }
        html.push_str("</div>");
        self.html(&html).note(caption)
    }

    /// A picture: the bytes of a PNG file, what it shows for those who cannot see it, and its
    /// caption.
    pub fn picture(&mut self, png: &[u8], alt: &str, caption: &str) -> &mut Self {
        let (alt, data) = (escape(alt), BASE64.encode(png));
        let caption = match caption.is_empty() {
            true => String::new(),
            false => format!("<figcaption>{}</figcaption>", escape(caption)),
        };
        self.html(&format!(
            "<figure class=\"picture\"><img src=\"data:image/png;base64,{data}\" \
             alt=\"{alt}\">{caption}</figure>"
        ))
    }

    /// Any other HTML, as it stands: text that comes from outside must be escaped before.
    pub fn html(&mut self, html: &str) -> &mut Self {
        self.body.push_str(html);
        self.body.push('\n');
        self
    }

    /// The whole page.
    pub fn finish(&self) -> String {
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{} – Drystone</title>\n<style>\n{}{CSS}</style>\n</head>\n<body>\n{}\
             <script>\n{SCRIPT}</script>\n</body>\n</html>\n",
            escape(&self.title),
            color_rules(),
            self.body
        )
    }

    fn element(&mut self, tag: &str, attributes: &str, text: &str) -> &mut Self {
        self.html(&format!("<{tag}{attributes}>{}</{tag}>", escape(text)))
    }
}

/// The colours of all roles as style rules, for light and dark screens.
fn color_rules() -> String {
    let roles: Vec<ColorRole> = ColorRole::all().collect();
    let rules = |color: fn(ColorRole) -> &'static str| -> String {
        let rule = |role: &ColorRole| format!("--{}: {}; ", role.css_name(), color(*role));
        roles.iter().map(rule).collect()
    };
    format!(
        ":root {{ {}}}\n@media (prefers-color-scheme: dark) {{ :root {{ {}}} }}\n",
        rules(ColorRole::on_white),
        rules(ColorRole::on_black)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_ccp::Method;
    use drystone_draw::plot::{AxisScale, Curve, CurveLook, LegendEntry, Mark, Panel};

    #[test]
    fn whatever_is_said_is_text_and_not_markup() {
        let mut page = Page::new("<t>");
        page.lead("<l>").banner("<b>").heading("<h>");
        page.subheading("<s>").paragraph("<p>").note("<n>");
        page.facts(&[("<w>", "<v>".to_owned())]);
        page.picture(b"png", "<a>\"", "<c>");
        let table = Table {
            note: "<m>".to_owned(),
            rows: vec![vec!["<e>".into()]],
            ..Table::new(vec![Column::word("<k>")])
        };
        page.table(&table);
        let html = page.finish();
        for tag in [
            "t", "l", "b", "h", "s", "p", "n", "w", "v", "a", "c", "m", "e", "k",
        ] {
            assert!(html.contains(&format!("&lt;{tag}&gt;")), "{tag}");
        }
        // "png" in base 64 by hand: 0x70 6e 67 is 28, 6, 57, 39.
        assert!(html.contains("src=\"data:image/png;base64,cG5n\""));
    }

    #[test]
    fn every_ink_of_a_figure_has_its_colours() {
        let looks = [
            CurveLook::lone(),
            CurveLook::nth(12).with_marks(Mark::Circle),
            CurveLook::method(Method::Apgd).marks_only(Mark::Cross),
        ];
        let curve = |&look: &CurveLook| Curve {
            look,
            points: vec![[1.0, 2.0], [2.0, 3.0]],
        };
        let panel = Panel {
            curves: looks.iter().map(curve).collect(),
            ..Panel::new("x", "y", [AxisScale::Linear, AxisScale::Linear])
        };
        let figure = Figure {
            title: String::new(),
            columns: 1,
            panels: vec![panel],
            legend: looks.map(|look| LegendEntry::new("a", look)).to_vec(),
        };
        let html = Page::new("t").figure(&figure, "").finish();
        for piece in html.split("=\"var(--").skip(1) {
            let name = piece.split(')').next().unwrap();
            assert_eq!(html.matches(&format!("--{name}: #")).count(), 2, "{name}");
        }
    }
}
