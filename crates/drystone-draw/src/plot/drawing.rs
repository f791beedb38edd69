//! What a figure is made of once it is laid out: lines, marks and text, in pixels of a page whose y
//! axis points down.

use super::color_role::ColorRole;

/// What a point of a curve is marked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A filled circle.
    Circle,
    /// A ring.
    OpenCircle,
    /// A filled square.
    Square,
    /// The border of a square.
    OpenSquare,
    /// A filled triangle on its base.
    Triangle,
    /// A filled square on its corner.
    Diamond,
    /// Two strokes like a times sign.
    Cross,
}

/// How a mark is drawn.
pub enum MarkShape {
    /// A circle of this radius, px.
    Disc(f64),
    /// A closed line through points relative to the mark's middle, px.
    Outline(&'static [[f64; 2]]),
    /// Straight strokes between points relative to the mark's middle, px.
    Strokes(&'static [[[f64; 2]; 2]]),
}

impl Mark {
    /// Its shape: of about the same area for all, so that none looks more important.
    pub fn shape(self) -> MarkShape {
        match self {
            Self::Circle => MarkShape::Disc(3.4),
            Self::OpenCircle => MarkShape::Disc(3.8),
            Self::Square => {
                MarkShape::Outline(&[[-3.0, -3.0], [3.0, -3.0], [3.0, 3.0], [-3.0, 3.0]])
            }
            Self::OpenSquare => {
                MarkShape::Outline(&[[-3.4, -3.4], [3.4, -3.4], [3.4, 3.4], [-3.4, 3.4]])
            }
            Self::Triangle => MarkShape::Outline(&[[0.0, -4.4], [4.0, 2.8], [-4.0, 2.8]]),
            Self::Diamond => {
                MarkShape::Outline(&[[0.0, -4.4], [4.4, 0.0], [0.0, 4.4], [-4.4, 0.0]])
            }
            Self::Cross => {
                MarkShape::Strokes(&[[[-3.4, -3.4], [3.4, 3.4]], [[-3.4, 3.4], [3.4, -3.4]]])
            }
        }
    }

    /// Whether its inside is filled.
    pub fn is_filled(self) -> bool {
        match self {
            Self::Circle | Self::Square | Self::Triangle | Self::Diamond => true,
            // Left open, so that a curve below can be seen to pass through its middle.
            Self::OpenCircle | Self::OpenSquare | Self::Cross => false,
        }
    }
}

/// Width of the strokes of marks that are not filled, px: near that of the curves.
pub const MARK_STROKE: f64 = 1.6;

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
    /// Its colour.
    pub color: ColorRole,
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
    /// Its colour.
    pub color: ColorRole,
}

/// One piece of a figure.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A line.
    Line(Line),
    /// A mark: which, its middle, and its colour.
    Mark(Mark, [f64; 2], ColorRole),
    /// A text.
    Text(Text),
}

/// A figure, laid out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawing {
    /// Width, px.
    pub width: f64,
    /// Height, px.
    pub height: f64,
    /// What it says, for those who cannot see it.
    pub description: String,
    /// The pieces, the lowest first.
    pub items: Vec<Item>,
}

impl Drawing {
    /// Adds a straight thin line.
    pub fn rule(&mut self, from: [f64; 2], to: [f64; 2], width: f64, color: ColorRole) {
        self.items.push(Item::Line(Line {
            points: vec![from, to],
            width,
            dashes: Vec::new(),
            color,
        }));
    }

    /// Adds a line.
    pub fn line(&mut self, line: Line) {
        self.items.push(Item::Line(line));
    }

    /// Adds a mark around a point.
    pub fn mark(&mut self, mark: Mark, at: [f64; 2], color: ColorRole) {
        self.items.push(Item::Mark(mark, at, color));
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
            color: ColorRole::Text,
        }
    }

    /// The same in another colour.
    #[must_use]
    pub fn color(mut self, color: ColorRole) -> Self {
        self.color = color;
        self
    }

    /// The same running upwards.
    #[must_use]
    pub fn upwards(mut self) -> Self {
        self.upwards = true;
        self
    }

    /// The same in bold.
    #[must_use]
    pub fn bold(mut self) -> Self {
        self.bold = true;
        self
    }
}
