//! Units and what they measure.

use std::fmt;

/// Exponents of kilogram, metre, second and radian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dimension(pub [i8; 4]);

impl Dimension {
    pub const NONE: Self = Self([0; 4]);
    pub const ANGLE: Self = Self([0, 0, 0, 1]);

    /// Of a product, or of a quotient with `sign` -1; `None` where it is beyond any use.
    pub fn times(self, other: Self, sign: i8) -> Option<Self> {
        let mut product = self.0;
        for (a, b) in product.iter_mut().zip(other.0) {
            *a = a.checked_add(b.checked_mul(sign)?)?;
        }
        Some(Self(product))
    }

    /// Of an integer power.
    pub fn power(self, exponent: i8) -> Option<Self> {
        let mut power = self.0;
        for a in &mut power {
            *a = a.checked_mul(exponent)?;
        }
        Some(Self(power))
    }

    /// Of a square root; `None` where it is not whole.
    pub fn root(self) -> Option<Self> {
        let whole = self.0.iter().all(|a| a % 2 == 0);
        whole.then(|| Self(self.0.map(|a| a / 2)))
    }
}

/// "a length", or the units where there is no word.
impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(known) = Quantity::ALL.iter().find(|q| q.dimension() == *self) {
            return f.write_str(known.noun());
        }
        let mut parts = Vec::new();
        for (exponent, unit) in self.0.into_iter().zip(["kg", "m", "s", "rad"]) {
            match exponent {
                0 => {}
                1 => parts.push(unit.to_owned()),
                _ => parts.push(format!("{unit}^{exponent}")),
            }
        }
        write!(f, "a quantity in {}", parts.join(" "))
    }
}

/// What a number of a scene measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    Number,
    Length,
    Mass,
    Time,
    /// Numbers without a unit are degrees.
    Angle,
    Speed,
    Acceleration,
    /// Numbers without a unit are rad/s.
    AngularSpeed,
    Force,
    Torque,
    Density,
    Inertia,
    Frequency,
    Volume,
    Stiffness,
    Damping,
    AngularStiffness,
    AngularDamping,
    Compliance,
}

impl Quantity {
    pub const ALL: [Self; 19] = [
        Self::Number,
        Self::Length,
        Self::Mass,
        Self::Time,
        Self::Angle,
        Self::Speed,
        Self::Acceleration,
        Self::AngularSpeed,
        Self::Force,
        Self::Torque,
        Self::Density,
        Self::Inertia,
        Self::Frequency,
        Self::Volume,
        Self::Stiffness,
        Self::Damping,
        Self::AngularStiffness,
        Self::AngularDamping,
        Self::Compliance,
    ];

    pub fn dimension(self) -> Dimension {
        Dimension(match self {
            Self::Number => [0, 0, 0, 0],
            Self::Length => [0, 1, 0, 0],
            Self::Mass => [1, 0, 0, 0],
            Self::Time => [0, 0, 1, 0],
            Self::Angle => [0, 0, 0, 1],
            Self::Speed => [0, 1, -1, 0],
            Self::Acceleration => [0, 1, -2, 0],
            Self::AngularSpeed => [0, 0, -1, 1],
            Self::Force => [1, 1, -2, 0],
            Self::Torque => [1, 2, -2, 0],
            Self::Density => [1, -3, 0, 0],
            Self::Inertia => [1, 2, 0, 0],
            Self::Frequency => [0, 0, -1, 0],
            Self::Volume => [0, 3, 0, 0],
            Self::Stiffness => [1, 0, -2, 0],
            Self::Damping => [1, 0, -1, 0],
            Self::AngularStiffness => [1, 2, -2, -1],
            Self::AngularDamping => [1, 2, -1, -1],
            Self::Compliance => [-1, 0, 2, 0],
        })
    }

    pub fn noun(self) -> &'static str {
        match self {
            Self::Number => "a plain number",
            Self::Length => "a length",
            Self::Mass => "a mass",
            Self::Time => "a time",
            Self::Angle => "an angle",
            Self::Speed => "a speed",
            Self::Acceleration => "an acceleration",
            Self::AngularSpeed => "an angular speed",
            Self::Force => "a force",
            Self::Torque => "a torque",
            Self::Density => "a density",
            Self::Inertia => "a moment of inertia",
            Self::Frequency => "a frequency",
            Self::Volume => "a volume",
            Self::Stiffness => "a stiffness",
            Self::Damping => "a damping",
            Self::AngularStiffness => "a torsional stiffness",
            Self::AngularDamping => "a torsional damping",
            Self::Compliance => "a compliance",
        }
    }

    /// The unit of numbers that are written without one.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Number => "",
            Self::Length => "m",
            Self::Mass => "kg",
            Self::Time => "s",
            Self::Angle => "deg",
            Self::Speed => "m/s",
            Self::Acceleration => "m/s^2",
            Self::AngularSpeed => "rad/s",
            Self::Force => "N",
            Self::Torque => "N m",
            Self::Density => "kg/m^3",
            Self::Inertia => "kg m^2",
            Self::Frequency => "Hz",
            Self::Volume => "m^3",
            Self::Stiffness => "N/m",
            Self::Damping => "N s/m",
            Self::AngularStiffness => "N m/rad",
            Self::AngularDamping => "N m s/rad",
            Self::Compliance => "m/N",
        }
    }

    /// What a number without unit is multiplied by to become the one the engine uses.
    pub fn factor(self) -> f64 {
        match self {
            Self::Angle => DEGREE,
            _ => 1.0,
        }
    }
}

const DEGREE: f64 = std::f64::consts::PI / 180.0;

/// Units by name: factor to SI, dimension, name in words.
pub(crate) const UNITS: &[(&str, f64, Dimension, &str)] = &[
    ("m", 1.0, Dimension([0, 1, 0, 0]), "metre"),
    ("dm", 0.1, Dimension([0, 1, 0, 0]), "decimetre"),
    ("cm", 0.01, Dimension([0, 1, 0, 0]), "centimetre"),
    ("mm", 1e-3, Dimension([0, 1, 0, 0]), "millimetre"),
    ("um", 1e-6, Dimension([0, 1, 0, 0]), "micrometre"),
    ("km", 1e3, Dimension([0, 1, 0, 0]), "kilometre"),
    ("kg", 1.0, Dimension([1, 0, 0, 0]), "kilogram"),
    ("g", 1e-3, Dimension([1, 0, 0, 0]), "gram"),
    ("mg", 1e-6, Dimension([1, 0, 0, 0]), "milligram"),
    ("t", 1e3, Dimension([1, 0, 0, 0]), "tonne"),
    ("s", 1.0, Dimension([0, 0, 1, 0]), "second"),
    ("ms", 1e-3, Dimension([0, 0, 1, 0]), "millisecond"),
    ("us", 1e-6, Dimension([0, 0, 1, 0]), "microsecond"),
    ("min", 60.0, Dimension([0, 0, 1, 0]), "minute"),
    ("h", 3600.0, Dimension([0, 0, 1, 0]), "hour"),
    ("rad", 1.0, Dimension::ANGLE, "radian"),
    ("deg", DEGREE, Dimension::ANGLE, "degree"),
    ("rev", 360.0 * DEGREE, Dimension::ANGLE, "revolution"),
    (
        "rpm",
        6.0 * DEGREE,
        Dimension([0, 0, -1, 1]),
        "revolution per minute",
    ),
    ("Hz", 1.0, Dimension([0, 0, -1, 0]), "hertz"),
    ("N", 1.0, Dimension([1, 1, -2, 0]), "newton"),
    ("kN", 1e3, Dimension([1, 1, -2, 0]), "kilonewton"),
    ("MN", 1e6, Dimension([1, 1, -2, 0]), "meganewton"),
    ("J", 1.0, Dimension([1, 2, -2, 0]), "joule"),
    ("Pa", 1.0, Dimension([1, -1, -2, 0]), "pascal"),
    ("l", 1e-3, Dimension([0, 3, 0, 0]), "litre"),
];

/// The unit of a name.
pub(crate) fn unit(name: &str) -> Option<&'static (&'static str, f64, Dimension, &'static str)> {
    UNITS.iter().find(|(known, ..)| *known == name)
}
