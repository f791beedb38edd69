//! What a figure is made of: lines and text, in pixels of a page whose y axis points down.

use drystone_ccp::Method;

/// What something is drawn in. Named by role, so that a page can give the roles other colours in the dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Letters and frames.
    Text,
    /// Reference lines and their labels.
    Muted,
    /// Grid lines.
    Grid,
    /// The curves of a method.
    Method(Method),
    /// A curve that stands alone in its panel.
    Lone,
}

/// How the curves of a method look in all figures of all reports: colours apart for colour-blind eyes too (after
/// Okabe and Ito, and Tol), and dashes that tell them apart in black and white.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// `#rrggbb` on white.
    pub light: &'static str,
    /// `#rrggbb` on black.
    pub dark: &'static str,
    /// Lengths of dashes and gaps in turn, px; empty for a solid line.
    pub dashes: &'static [f32],
    /// Line width, px.
    pub width: f64,
}

/// The style of a curve that stands alone.
pub const LONE: Style = Style {
    light: "#0072b2",
    dark: "#4aa8e0",
    dashes: &[],
    width: 1.4,
};

/// The style of a method.
pub fn style(method: Method) -> Style {
    let (light, dark, dashes): (_, _, &[f32]) = match method {
        Method::Auto => ("#000000", "#ffffff", &[]),
        Method::Jacobi => ("#888888", "#a8a8a8", &[1.5, 2.5]),
        Method::GaussSeidel => ("#e69f00", "#ffb733", &[7.0, 3.0]),
        Method::Apgd => ("#0072b2", "#4aa8e0", &[]),
        Method::Spg => ("#56b4e9", "#8fd0f5", &[7.0, 2.5, 1.5, 2.5]),
        Method::Gpminres => ("#009e73", "#2fcf9f", &[]),
        Method::GpminresPreconditioned => ("#117733", "#5fb97a", &[4.0, 2.0]),
        Method::Kucera => ("#cc79a7", "#e6a3c8", &[7.0, 2.0, 1.5, 2.0, 1.5, 2.0]),
        Method::InteriorPoint => ("#d55e00", "#ff8534", &[]),
        Method::NesterovGs => ("#882255", "#d9649c", &[11.0, 3.0]),
        Method::Newton => ("#7a7a00", "#c8c850", &[2.5, 2.0]),
        // A method newer than this table still gets a line.
        _ => ("#332288", "#9a8cf0", &[9.0, 2.0, 3.0, 2.0]),
    };
    Style {
        light,
        dark,
        dashes,
        width: 1.8,
    }
}

/// Where a text's position lies in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// At its left end.
    Start,
    /// In its middle.
    Middle,
    /// At its right end.
    End,
}

/// A line of text on a base line, with an exponent where it is a power.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// Position of the anchor on the base line.
    pub at: [f64; 2],
    /// The text.
    pub text: String,
    /// Raised and smaller, behind the text.
    pub exponent: Option<String>,
    /// Height of the letters' em, px.
    pub size: f64,
    /// What `at` means.
    pub anchor: Anchor,
    /// Whether it runs upwards.
    pub upwards: bool,
    /// Whether it is bold.
    pub bold: bool,
    /// Its ink.
    pub ink: Ink,
}

/// A line through points.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The points.
    pub points: Vec<[f64; 2]>,
    /// Line width, px.
    pub width: f64,
    /// Lengths of dashes and gaps in turn, px; empty for a solid line.
    pub dashes: Vec<f32>,
    /// Its ink.
    pub ink: Ink,
}

/// One piece of a figure.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A line.
    Line(Line),
    /// A text.
    Text(Text),
}

/// A figure, laid out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// Width, px.
    pub width: f64,
    /// Height, px.
    pub height: f64,
    /// What it says, for those who cannot see it.
    pub description: String,
    /// The pieces, the lowest first.
    pub items: Vec<Item>,
}

impl Scene {
    /// Adds a straight thin line.
    pub fn rule(&mut self, from: [f64; 2], to: [f64; 2], width: f64, ink: Ink) {
        self.items.push(Item::Line(Line {
            points: vec![from, to],
            width,
            dashes: Vec::new(),
            ink,
        }));
    }

    /// Adds a line.
    pub fn line(&mut self, line: Line) {
        self.items.push(Item::Line(line));
    }

    /// Adds a text.
    pub fn text(&mut self, text: Text) {
        self.items.push(Item::Text(text));
    }
}

impl Text {
    /// A plain text.
    pub fn new(at: [f64; 2], text: impl Into<String>, size: f64, anchor: Anchor) -> Self {
        Self {
            at,
            text: text.into(),
            exponent: None,
            size,
            anchor,
            upwards: false,
            bold: false,
            ink: Ink::Text,
        }
    }

    /// The same in another ink.
    pub fn ink(mut self, ink: Ink) -> Self {
        self.ink = ink;
        self
    }

    /// The same running upwards.
    pub fn upwards(mut self) -> Self {
        self.upwards = true;
        self
    }

    /// The same in bold.
    pub fn bold(mut self) -> Self {
        self.bold = true;
        self
    }
}
