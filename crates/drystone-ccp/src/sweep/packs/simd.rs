//! Which instructions the packs run with.

use std::sync::OnceLock;

use super::lanes::{Lanes, Register};

/// Instructions for the packs. The results have the same bits whichever they are: see
/// [`super::lanes`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Instructions {
    /// Those that every machine of the kind has.
    #[default]
    Plain,
    /// AVX2 and its kin: four numbers in a register.
    #[cfg(target_arch = "x86_64")]
    Wide(pulp::x86::V3),
}

impl Instructions {
    /// The widest that this machine has. `DRYSTONE_SIMD=off` does without them, so that anybody can
    /// see that nothing but time depends on them.
    pub fn best() -> Self {
        static BEST: OnceLock<Instructions> = OnceLock::new();
        *BEST.get_or_init(|| match std::env::var_os("DRYSTONE_SIMD") {
            Some(value) if value == "off" => Self::Plain,
            _ => Self::widest(),
        })
    }

    #[cfg(target_arch = "x86_64")]
    fn widest() -> Self {
        pulp::x86::V3::try_new().map_or(Self::Plain, Self::Wide)
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn widest() -> Self {
        Self::Plain
    }

    /// Runs `work` compiled for these instructions. All that it calls must be `inline(always)`, or
    /// it is compiled for the plain ones: so no closure will do.
    #[inline(always)]
    pub fn run<W: Work>(self, work: W) -> W::Output {
        match self {
            Self::Plain => work.run::<Lanes>(()),
            #[cfg(target_arch = "x86_64")]
            Self::Wide(simd) => pulp::Simd::vectorize(simd, Inlined { work, simd }),
        }
    }
}

/// What [`Instructions::run`] runs.
pub(super) trait Work {
    type Output;

    /// To be marked `inline(always)`.
    fn run<F: Register>(self, token: F::Token) -> Self::Output;
}

#[cfg(target_arch = "x86_64")]
struct Inlined<W> {
    work: W,
    simd: pulp::x86::V3,
}

#[cfg(target_arch = "x86_64")]
impl<W: Work> pulp::NullaryFnOnce for Inlined<W> {
    type Output = W::Output;

    #[inline(always)]
    fn call(self) -> W::Output {
        self.work.run::<super::wide::Wide>(self.simd)
    }
}
