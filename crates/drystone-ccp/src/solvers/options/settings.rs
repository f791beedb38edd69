//! A method with its settings.

use std::fmt;

use super::super::Method;
use super::super::apgd::ApgdSettings;
use super::super::apgd_fused::ApgdFusedSettings;
use super::super::auto::AutoSettings;
use super::super::de_saxce::DeSaxceSettings;
use super::super::gauss_seidel::GaussSeidelSettings;
use super::super::gpminres::GpminresSettings;
use super::super::interior_point::InteriorPointSettings;
use super::super::jacobi::JacobiSettings;
use super::super::kucera::KuceraSettings;
use super::super::nesterov_gs::NesterovGsSettings;
use super::super::newton::NewtonSettings;
use super::super::spg::SpgSettings;
use super::{OptionError, OptionInfo, OptionKind, OptionValue, nearest, table};

/// A method with its settings. Those of the other methods stay at their defaults and have no
/// effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MethodSettings {
    method: Method,
    /// Of [`Method::Auto`].
    pub auto: AutoSettings,
    /// Of [`Method::Jacobi`].
    pub jacobi: JacobiSettings,
    /// Of [`Method::GaussSeidel`].
    pub gauss_seidel: GaussSeidelSettings,
    /// Of [`Method::Apgd`].
    pub apgd: ApgdSettings,
    /// Of [`Method::ApgdFused`].
    pub apgd_fused: ApgdFusedSettings,
    /// Of [`Method::Spg`].
    pub spg: SpgSettings,
    /// Of [`Method::Gpminres`] and [`Method::GpminresPreconditioned`], which differ in the
    /// preconditioner.
    pub gpminres: GpminresSettings,
    /// Of [`Method::Kucera`].
    pub kucera: KuceraSettings,
    /// Of [`Method::InteriorPoint`].
    pub interior_point: InteriorPointSettings,
    /// Of [`Method::NesterovGs`].
    pub nesterov_gs: NesterovGsSettings,
    /// How [`Method::NesterovGs`] brings in the exact law.
    pub exact_sweeps: ExactSweeps,
    /// Of [`Method::Newton`].
    pub newton: NewtonSettings,
    /// De Saxcé's fixed point, which brings in the exact law around APGD, SPG, the interior point
    /// and, by [`ExactSweeps::FixedPoint`], around the accelerated sweeps.
    pub fixed_point: DeSaxceSettings,
}

/// How accelerated sweeps bring in the exact law.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExactSweeps {
    /// De Saxcé's fixed point with whole relaxed solves inside: the safer way.
    #[default]
    FixedPoint,
    /// Sweeps of Coulomb's law itself, without a shift: far faster where they settle.
    Coulomb,
}

impl MethodSettings {
    /// The method with its defaults.
    pub fn new(method: Method) -> Self {
        Self {
            method,
            auto: AutoSettings::default(),
            jacobi: JacobiSettings::default(),
            gauss_seidel: GaussSeidelSettings::default(),
            apgd: ApgdSettings::default(),
            apgd_fused: ApgdFusedSettings::default(),
            spg: SpgSettings::default(),
            gpminres: if method == Method::GpminresPreconditioned {
                GpminresSettings::preconditioned()
            } else {
                GpminresSettings::default()
            },
            kucera: KuceraSettings::default(),
            interior_point: InteriorPointSettings::default(),
            nesterov_gs: NesterovGsSettings::default(),
            exact_sweeps: ExactSweeps::default(),
            newton: NewtonSettings::default(),
            fixed_point: DeSaxceSettings::default(),
        }
    }

    /// The method.
    pub fn method(&self) -> Method {
        self.method
    }

    /// Sets an option of the method by name. The value may be text or of the option's own type.
    pub fn set(&mut self, name: &str, value: impl Into<OptionValue>) -> Result<(), OptionError> {
        let option = self.method.option(name)?;
        let value = value.into();
        let read = option.kind.read(&value);
        if read.is_some_and(|value| (option.set)(self, &value)) {
            Ok(())
        } else {
            Err(self.refused(option, &value))
        }
    }

    /// The value of an option of the method.
    pub fn get(&self, name: &str) -> Result<OptionValue, OptionError> {
        Ok((self.method.option(name)?.get)(self))
    }

    /// The options of the method that are not at their defaults, with their values.
    pub fn changes(&self) -> Vec<(&'static str, OptionValue)> {
        let options = self.method.options().iter();
        options
            .map(|option| (option, (option.get)(self)))
            .filter(|(option, value)| *value != option.default_value())
            .map(|(option, value)| (option.name, value))
            .collect()
    }

    /// Whether the options go together: each is checked when it is set, pairs of them here.
    /// [`solve_with`](crate::solve_with) asks for this too.
    pub fn check(&self) -> Result<(), OptionError> {
        for &(low, high) in table::ORDERED {
            let (Ok(OptionValue::Number(low_value)), Ok(OptionValue::Number(high_value))) =
                (self.get(low), self.get(high))
            else {
                continue; // not options of this method
            };
            if low_value > high_value {
                return Err(OptionError::Order {
                    method: self.method.name(),
                    low,
                    low_value,
                    high,
                    high_value,
                });
            }
        }
        Ok(())
    }

    fn refused(&self, option: &'static OptionInfo, value: &OptionValue) -> OptionError {
        let near = match option.kind {
            OptionKind::Words(words) => {
                nearest(&value.to_string(), words.iter().map(|(word, _)| *word))
            }
            OptionKind::Number { .. } | OptionKind::Whole { .. } | OptionKind::YesNo => None,
        };
        OptionError::Value {
            method: self.method.name(),
            name: option.name,
            value: value.to_string(),
            expected: option.kind.to_string(),
            nearest: near,
        }
    }
}

impl fmt::Display for MethodSettings {
    /// The method's name, and `name = value` for each option that is not at its default.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.method.name())?;
        for (name, value) in self.changes() {
            write!(f, " {name}={value}")?;
        }
        Ok(())
    }
}
