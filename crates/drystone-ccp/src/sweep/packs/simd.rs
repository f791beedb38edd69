//! Which instructions the packs run with.

use std::sync::OnceLock;

use super::lanes::{Lanes, Register};
#[cfg(target_arch = "x86_64")]
use super::widest::Avx512;

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
    /// AVX-512: eight numbers in a register.
    #[cfg(target_arch = "x86_64")]
    Widest(Avx512),
}

impl Instructions {
    /// The widest that this machine has. `DRYSTONE_SIMD=off` does without them, `DRYSTONE_SIMD=avx2`
    /// without the widest, so that anybody can see that nothing but time depends on them. The step
    /// of all joints and the factors (`pulp`, `faer`) always take what the machine has.
    pub fn best() -> Self {
        static BEST: OnceLock<Instructions> = OnceLock::new();
        *BEST.get_or_init(|| {
            let most = std::env::var("DRYSTONE_SIMD");
            let wanted = match most.as_deref() {
                Ok("off") => 1,
                Ok("avx2") => 2,
                _ => 3,
            };
            let mut here = Self::here();
            here.truncate(wanted);
            here.pop().unwrap_or_default()
        })
    }

    /// All that this machine has, the widest last.
    pub fn here() -> Vec<Self> {
        let plain = [Some(Self::Plain)];
        #[cfg(target_arch = "x86_64")]
        let wide = [
            pulp::x86::V3::try_new().map(Self::Wide),
            Avx512::try_new().map(Self::Widest),
        ];
        #[cfg(not(target_arch = "x86_64"))]
        let wide = [];
        plain.into_iter().chain(wide).flatten().collect()
    }

    /// Runs `work` compiled for these instructions. All that it calls must be `inline(always)`, or
    /// it is compiled for the plain ones: so no closure will do.
    #[inline(always)]
    pub fn run<W: Work>(self, work: W) -> W::Output {
        match self {
            Self::Plain => work.run::<Lanes>(()),
            #[cfg(target_arch = "x86_64")]
            Self::Wide(simd) => pulp::Simd::vectorize(simd, Inlined { work, simd }),
            #[cfg(target_arch = "x86_64")]
            Self::Widest(simd) => simd.run(work),
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
