//! Bodies in the order of a curve through space.
//!
//! Morton's curve: the bits of the three coordinates take turns in the key. Ranges of it are lumps
//! of a few boxes, which is all that the sweeps need of it.

use glam::DVec3;
use rayon::prelude::*;

/// Bits of a coordinate: three of them fit into a key.
const BITS: u32 = 21;

/// Lists shorter than this are sorted by one thread.
const SORTED_AT_ONCE: usize = 4096;

/// Sorts bodies along the curve; keeps its memory from call to call.
#[derive(Debug, Default)]
pub(super) struct Curve {
    keys: Vec<(u64, u32)>,
}

impl Curve {
    /// Replaces the content of `out` with `bodies` along the curve. Bodies at one place keep their
    /// order.
    pub fn order(
        &mut self,
        bodies: impl Iterator<Item = usize>,
        position: impl Fn(usize) -> DVec3 + Sync,
        out: &mut Vec<u32>,
    ) {
        self.keys.clear();
        self.keys.extend(bodies.map(|body| (0, body as u32)));
        let (mut lowest, mut highest) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for &(_, body) in &self.keys {
            let at = position(body as usize);
            (lowest, highest) = (lowest.min(at), highest.max(at));
        }
        let cells = f64::from(1_u32 << BITS);
        let extent = (highest - lowest).max_element();
        // Bodies at one place, or so far apart that it overflows, stay in their order.
        let scale = if extent > 0.0 {
            (cells - 1.0) / extent
        } else {
            0.0
        };
        self.keys
            .par_iter_mut()
            .with_min_len(SORTED_AT_ONCE)
            .for_each(|(key, body)| {
                // A conversion of what is not a number gives zero.
                let cell = (position(*body as usize) - lowest) * scale;
                *key = cell
                    .to_array()
                    .iter()
                    .enumerate()
                    .map(|(axis, &c)| spread(c as u64) << axis)
                    .sum();
            });
        if self.keys.len() < SORTED_AT_ONCE {
            self.keys.sort_unstable();
        } else {
            self.keys.par_sort_unstable();
        }
        out.clear();
        out.extend(self.keys.iter().map(|&(_, body)| body));
    }
}

/// Two zeros behind each of the lowest 21 bits.
fn spread(bits: u64) -> u64 {
    let mut x = bits & 0x1f_ffff;
    for (shift, mask) in [
        (32, 0x001f_0000_0000_ffff),
        (16, 0x001f_0000_ff00_00ff),
        (8, 0x100f_00f0_0f00_f00f),
        (4, 0x10c3_0c30_c30c_30c3),
        (2, 0x1249_2492_4924_9249),
    ] {
        x = (x | (x << shift)) & mask;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_in_a_grid_come_together() {
        // A grid of 8 × 8 × 8, numbered along x, y, z. Every eight along the curve are a cube.
        let at = |body: usize| {
            let [x, y, z] = [body % 8, body / 8 % 8, body / 64].map(|c| c as f64);
            DVec3::new(x, y, z)
        };
        let mut order = Vec::new();
        Curve::default().order(0..512, at, &mut order);
        let mut all = order.clone();
        all.sort_unstable();
        assert!(all.iter().copied().eq(0..512));
        for eight in order.chunks(8) {
            let [first, last] = [eight[0], eight[7]].map(|body| at(body as usize));
            assert_eq!(last - first, DVec3::ONE);
        }
    }

    #[test]
    fn bodies_at_one_place_keep_their_order() {
        let mut order = Vec::new();
        Curve::default().order(0..5, |_| DVec3::ONE, &mut order);
        assert_eq!(order, [0, 1, 2, 3, 4]);
        Curve::default().order(0..3, |_| DVec3::NAN, &mut order);
        assert_eq!(order, [0, 1, 2]);
    }
}
