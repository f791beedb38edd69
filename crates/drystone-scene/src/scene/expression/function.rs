//! The functions of expressions.

use super::{Measure, same};
use crate::named::{Named, named};
use crate::scene::units::Dimension;

named! {
    /// A function of an expression.
    pub(crate) enum Function {
        Sin = "sin",
        Cos = "cos",
        Tan = "tan",
        Asin = "asin",
        Acos = "acos",
        Atan = "atan",
        Sqrt = "sqrt",
        Exp = "exp",
        Log = "log",
        Abs = "abs",
        Floor = "floor",
        Ceil = "ceil",
        Round = "round",
        Sign = "sign",
        Step = "step",
        Min = "min",
        Max = "max",
        Mod = "mod",
        Clamp = "clamp",
    }
}

impl Function {
    /// Least and most arguments.
    fn arguments(self) -> (usize, usize) {
        match self {
            Self::Min | Self::Max => (1, usize::MAX),
            Self::Mod => (2, 2),
            Self::Clamp => (3, 3),
            Self::Sin
            | Self::Cos
            | Self::Tan
            | Self::Asin
            | Self::Acos
            | Self::Atan
            | Self::Sqrt
            | Self::Exp
            | Self::Log
            | Self::Abs
            | Self::Floor
            | Self::Ceil
            | Self::Round
            | Self::Sign
            | Self::Step => (1, 1),
        }
    }

    /// What is known of the result, or why there is none.
    pub fn measure(self, arguments: &[Measure]) -> Result<Measure, String> {
        let name = self.name();
        let (least, most) = self.arguments();
        let count = arguments.len();
        if count < least || count > most {
            return Err(format!("`{name}` takes {least} arguments, found {count}"));
        }
        let first = arguments[0];
        let plain = |result| match first {
            Measure::Known(dimension) => Err(format!("`{name}` of {dimension}")),
            Measure::Plain | Measure::Free => Ok(result),
        };
        match self {
            Self::Sin | Self::Cos | Self::Tan => match first {
                Measure::Known(dimension) if dimension != Dimension::ANGLE => {
                    Err(format!("`{name}` of {dimension}"))
                }
                Measure::Known(_) | Measure::Plain | Measure::Free => Ok(Measure::Plain),
            },
            // Not a plain number: those are degrees where an angle is due.
            Self::Asin | Self::Acos | Self::Atan => plain(Measure::Known(Dimension::ANGLE)),
            Self::Exp | Self::Log => plain(Measure::Plain),
            Self::Sqrt => Ok(match first {
                Measure::Known(dimension) => dimension.root().map_or(Measure::Free, Measure::Known),
                Measure::Plain | Measure::Free => first,
            }),
            Self::Abs | Self::Floor | Self::Ceil | Self::Round => Ok(first),
            Self::Sign | Self::Step => Ok(Measure::Plain),
            Self::Min | Self::Max | Self::Mod | Self::Clamp => {
                let mut measure = first;
                for other in &arguments[1..] {
                    measure = same(measure, *other)?;
                }
                Ok(measure)
            }
        }
    }

    /// The value, for as many arguments as [`Function::measure`] accepts.
    pub fn apply(self, x: &[f64]) -> f64 {
        match self {
            Self::Sin => x[0].sin(),
            Self::Cos => x[0].cos(),
            Self::Tan => x[0].tan(),
            Self::Asin => x[0].asin(),
            Self::Acos => x[0].acos(),
            Self::Atan => x[0].atan(),
            Self::Sqrt => x[0].sqrt(),
            Self::Exp => x[0].exp(),
            Self::Log => x[0].ln(),
            Self::Abs => x[0].abs(),
            Self::Floor => x[0].floor(),
            Self::Ceil => x[0].ceil(),
            Self::Round => x[0].round(),
            Self::Sign if x[0] == 0.0 => 0.0,
            Self::Sign => x[0].signum(),
            Self::Step => f64::from(x[0] >= 0.0),
            Self::Min => x.iter().copied().fold(f64::INFINITY, f64::min),
            Self::Max => x.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            Self::Mod => x[0].rem_euclid(x[1]),
            // Not f64::clamp, which panics where the bounds are the wrong way round.
            Self::Clamp => x[0].max(x[1]).min(x[2]),
        }
    }
}
