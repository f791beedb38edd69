//! How curves look: the same in the figure, in its legend and in all figures of all reports.

use drystone_ccp::Method;

use super::scene::{Ink, Mark};

/// How a curve is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Its colour.
    pub ink: Ink,
    /// Lengths of dashes and gaps in turn, px; empty for a solid line.
    pub dashes: &'static [f32],
    /// Line width, px.
    pub width: f64,
    /// Whether its points are joined by a line.
    pub line: bool,
    /// Where there are marks.
    pub marks: Marks,
}

/// Which points of a curve are marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marks {
    /// None.
    Nowhere,
    /// The last, by a small square: where several curves lie over each other, it tells where each ends.
    AtEnd,
    /// Every one.
    Each(Mark),
}

impl Look {
    /// That of a method, the same wherever the method appears.
    pub fn method(method: Method) -> Self {
        Self {
            ink: Ink::Method(method),
            dashes: style(method).2,
            width: 1.8,
            line: true,
            marks: Marks::AtEnd,
        }
    }

    /// That of the k-th of several named series, counted from 0; all differ up to 100.
    pub fn nth(k: usize) -> Self {
        // Every round through the colours begins one dash pattern later.
        let dashes = SERIES[(k + k / SERIES.len()) % SERIES.len()].2;
        Self {
            ink: Ink::Series(k % SERIES.len()),
            dashes,
            width: 1.8,
            line: true,
            marks: Marks::Nowhere,
        }
    }

    /// That of a curve that stands alone in its panel.
    pub fn lone() -> Self {
        Self {
            ink: Ink::Lone,
            dashes: &[],
            width: 1.4,
            line: true,
            marks: Marks::Nowhere,
        }
    }

    /// That of a line to compare with.
    pub fn reference() -> Self {
        Self {
            ink: Ink::Muted,
            dashes: &[4.0, 3.0],
            width: 1.0,
            line: true,
            marks: Marks::Nowhere,
        }
    }

    /// The same with a dashed line.
    pub fn dashed(self) -> Self {
        Self {
            dashes: &[6.0, 4.0],
            ..self
        }
    }

    /// The same with a solid line.
    pub fn solid(self) -> Self {
        Self {
            dashes: &[],
            ..self
        }
    }

    /// The same with a mark at each point.
    pub fn with_marks(self, mark: Mark) -> Self {
        Self {
            marks: Marks::Each(mark),
            ..self
        }
    }

    /// The same with a mark at each point instead of the line.
    pub fn marks_only(self, mark: Mark) -> Self {
        Self {
            line: false,
            ..self.with_marks(mark)
        }
    }
}

/// `#rrggbb` on white, the same on black, and dashes: colours apart for colour-blind eyes too (after Okabe and Ito, and
/// Tol), and dashes that tell curves apart in black and white.
type Style = (&'static str, &'static str, &'static [f32]);

/// The style of a method.
pub fn style(method: Method) -> Style {
    match method {
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
    }
}

/// The styles of named series, in the order in which they are given out.
pub const SERIES: [Style; 10] = [
    ("#0072b2", "#4aa8e0", &[]),
    ("#d55e00", "#ff8534", &[7.0, 3.0]),
    ("#009e73", "#2fcf9f", &[2.0, 2.0]),
    ("#882255", "#d9649c", &[8.0, 2.5, 1.5, 2.5]),
    ("#e69f00", "#ffb733", &[12.0, 3.0]),
    ("#56b4e9", "#9fdcff", &[4.0, 2.0]),
    ("#332288", "#9a8cf0", &[8.0, 2.0, 1.5, 2.0, 1.5, 2.0]),
    ("#7a7a00", "#c8c850", &[1.0, 3.0]),
    ("#cc79a7", "#f0b4d6", &[5.0, 5.0]),
    ("#555555", "#bbbbbb", &[10.0, 2.0, 4.0, 2.0]),
];

/// The colours of a curve that stands alone, on white and on black.
pub const LONE: [&str; 2] = ["#0072b2", "#4aa8e0"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_differ_in_colour_and_in_dashes() {
        let looks: Vec<Look> = (0..100).map(Look::nth).collect();
        for (k, look) in looks.iter().enumerate() {
            assert!(!looks[..k].contains(look), "{k}");
        }
        for (k, look) in looks[..10].iter().enumerate() {
            let others = &looks[..k];
            assert!(others.iter().all(|o| o.ink != look.ink), "{k}");
            assert!(others.iter().all(|o| o.dashes != look.dashes), "{k}");
        }
    }
}
