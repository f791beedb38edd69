//! Chance that a seed repeats, the same on every machine.

/// A stream of random numbers (SplitMix64).
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// The stream of one trial: of a seed, a word for what is tried, and its number.
    pub fn new(seed: u64, what: &str, trial: u64) -> Self {
        // FNV-1a, so that kinds and formats do not see the same numbers.
        let word = what.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let mut dice = Self(seed ^ word);
        dice.0 = dice.bits() ^ trial.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        dice
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`; 0 where there is none.
    pub fn below(&mut self, limit: usize) -> usize {
        match limit {
            0 => 0,
            limit => (self.bits() % limit as u64) as usize,
        }
    }

    /// Whether one in `many` happens.
    pub fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    /// In [0, 1).
    pub fn share(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// One of a list that is not empty.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trials_repeat_and_differ() {
        let first = |seed, what, trial| Dice::new(seed, what, trial).bits();
        assert_eq!(first(1, "kill", 7), first(1, "kill", 7));
        assert_ne!(first(1, "kill", 7), first(1, "kill", 8));
        assert_ne!(first(1, "kill", 7), first(1, "mutate", 7));
        assert_ne!(first(1, "kill", 7), first(2, "kill", 7));
    }
}
