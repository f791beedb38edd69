//! For tests only: one place for their tolerances, and random numbers that are the same everywhere.

/// `tolerance` times `DRYSTONE_TEST_TOLERANCE_SCALE` (1 if unset): lets a slower or odder machine pass with wider bounds.
pub(crate) fn close(tolerance: f64) -> f64 {
    let scale = std::env::var("DRYSTONE_TEST_TOLERANCE_SCALE")
        .ok()
        .and_then(|s| s.parse::<f64>().ok())
        .unwrap_or(1.0);
    tolerance * scale
}

/// SplitMix64: small, and good enough to pick test problems.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        low + (high - low) * (z >> 11) as f64 / (1u64 << 53) as f64
    }
}
