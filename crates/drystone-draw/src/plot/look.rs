//! How curves look: the same in the figure, in its legend and in all figures of all reports.

use drystone_ccp::Method;

use super::color_role::{ColorRole, SERIES, style};
use super::drawing::Mark;

/// How a curve is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurveLook {
    /// Its colour.
    pub color: ColorRole,
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
    /// The last, by a small square. It tells where each of several curves ends that lie over each
    /// other.
    AtEnd,
    /// Every one.
    Each(Mark),
}

impl CurveLook {
    /// The look of a method's curves, the same wherever the method appears.
    pub fn method(method: Method) -> Self {
        Self {
            color: ColorRole::Method(method),
            dashes: style(method).2,
            width: 1.8,
            line: true,
            marks: Marks::AtEnd,
        }
    }

    /// The look of the k-th of several named series, counted from 0. The first hundred differ.
    pub fn nth(k: usize) -> Self {
        // Every round through the colours begins one dash pattern later.
        let dashes = SERIES[(k + k / SERIES.len()) % SERIES.len()].2;
        Self {
            color: ColorRole::Series(k % SERIES.len()),
            dashes,
            width: 1.8,
            line: true,
            marks: Marks::Nowhere,
        }
    }

    /// The look of a curve that stands alone in its panel.
    pub fn lone() -> Self {
        Self {
            color: ColorRole::Lone,
            dashes: &[],
            width: 1.4,
            line: true,
            marks: Marks::Nowhere,
        }
    }

    /// The look of a line to compare with.
    pub fn reference() -> Self {
        Self {
            color: ColorRole::Muted,
            dashes: &[4.0, 3.0],
            width: 1.0,
            line: true,
            marks: Marks::Nowhere,
        }
    }

    /// The same with a dashed line.
    #[must_use]
    pub fn dashed(self) -> Self {
        Self {
            dashes: &[6.0, 4.0],
            ..self
        }
    }

    /// The same with a solid line.
    #[must_use]
    pub fn solid(self) -> Self {
        Self {
            dashes: &[],
            ..self
        }
    }

    /// The same with a mark at each point.
    #[must_use]
    pub fn with_marks(self, mark: Mark) -> Self {
        Self {
            marks: Marks::Each(mark),
            ..self
        }
    }

    /// The same with a mark at each point instead of the line.
    #[must_use]
    pub fn marks_only(self, mark: Mark) -> Self {
        Self {
            line: false,
            ..self.with_marks(mark)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_differ_in_colour_and_in_dashes() {
        let looks: Vec<CurveLook> = (0..100).map(CurveLook::nth).collect();
        for (k, look) in looks.iter().enumerate() {
            assert!(!looks[..k].contains(look), "{k}");
        }
        for (k, look) in looks[..10].iter().enumerate() {
            let others = &looks[..k];
            assert!(others.iter().all(|o| o.color != look.color), "{k}");
            assert!(others.iter().all(|o| o.dashes != look.dashes), "{k}");
        }
    }
}
