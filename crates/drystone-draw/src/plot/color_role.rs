//! The colours of figures, by what they are for.

use drystone_ccp::Method;

/// What a colour is for. A page can so give the roles other colours in the dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColorRole {
    /// Letters and frames.
    Text,
    /// Reference lines and their labels.
    Muted,
    /// Grid lines.
    Grid,
    /// The curves of a method.
    Method(Method),
    /// The k-th of several named series, counted from 0; after [`ColorRole::SERIES`] they come
    /// again.
    Series(usize),
    /// A curve that stands alone in its panel.
    Lone,
}

impl ColorRole {
    /// How many series have colours of their own.
    pub const SERIES: usize = SERIES.len();

    /// All roles, each once.
    pub fn all() -> impl Iterator<Item = Self> {
        [Self::Text, Self::Muted, Self::Grid, Self::Lone]
            .into_iter()
            .chain(Method::ALL.into_iter().map(Self::Method))
            .chain((0..Self::SERIES).map(Self::Series))
    }

    /// The colour on white, as `#rrggbb`.
    pub fn on_white(self) -> &'static str {
        match self {
            Self::Text => "#111111",
            Self::Muted => "#666666",
            Self::Grid => "#dddddd",
            Self::Method(method) => style(method).0,
            Self::Series(k) => SERIES[k % SERIES.len()].0,
            Self::Lone => "#0072b2",
        }
    }

    /// The colour on black, as `#rrggbb`.
    pub fn on_black(self) -> &'static str {
        match self {
            Self::Text => "#eeeeee",
            Self::Muted => "#a0a0a0",
            Self::Grid => "#3a3a3a",
            Self::Method(method) => style(method).1,
            Self::Series(k) => SERIES[k % SERIES.len()].1,
            Self::Lone => "#4aa8e0",
        }
    }

    /// The name that a page's style sheet has for the role, without the two dashes before it.
    pub fn css_name(self) -> String {
        match self {
            Self::Text => "ink".to_owned(),
            Self::Muted => "muted".to_owned(),
            Self::Grid => "grid".to_owned(),
            Self::Method(method) => format!("method-{}", method.name()),
            Self::Series(k) => format!("series-{}", k % SERIES.len()),
            Self::Lone => "lone".to_owned(),
        }
    }
}

/// `#rrggbb` on white, the same on black, and dashes. Colour-blind eyes tell the colours apart too
/// (after Okabe and Ito, and Tol); the dashes tell curves apart in black and white.
type Style = (&'static str, &'static str, &'static [f32]);

/// The style of a method.
pub fn style(method: Method) -> Style {
    match method {
        Method::Auto => ("#000000", "#ffffff", &[]),
        Method::Jacobi => ("#888888", "#a8a8a8", &[1.5, 2.5]),
        Method::GaussSeidel => ("#e69f00", "#ffb733", &[7.0, 3.0]),
        Method::Apgd => ("#0072b2", "#4aa8e0", &[]),
        Method::ApgdFused => ("#4b3fa7", "#a99cf5", &[4.0, 2.0]),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_has_a_name_of_its_own_and_two_colours() {
        let roles: Vec<ColorRole> = ColorRole::all().collect();
        for (k, role) in roles.iter().enumerate() {
            for color in [role.on_white(), role.on_black()] {
                let digits = color.strip_prefix('#').unwrap();
                assert!(digits.len() == 6 && u32::from_str_radix(digits, 16).is_ok());
            }
            let same = |other: &ColorRole| other.css_name() == role.css_name();
            assert!(!roles[..k].iter().any(same), "{role:?}");
        }
    }
}
