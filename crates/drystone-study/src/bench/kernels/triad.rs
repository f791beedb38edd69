//! The bandwidth of the memory, by the triad of McCalpin's STREAM: `a[i] = b[i] + s c[i]` on arrays
//! that no cache holds. Counted as STREAM does, 24 bytes an element: what the processor reads of
//! `a` before it writes it does not count.

use std::hint::black_box;
use std::time::Instant;

use rayon::prelude::*;

/// Bytes that an element of the triad moves.
const ELEMENT: usize = 24;

/// Times that the triad runs; the best counts, as in STREAM.
const REPEATS: usize = 8;

/// Bytes a second that the threads of the pool at hand move together, by arrays of `length` numbers
/// each.
pub fn bandwidth(length: usize) -> f64 {
    let parts = rayon::current_num_threads().max(1);
    let part = length.div_ceil(parts).max(1);
    // Filled by the threads that use them: memory is given where it is first touched.
    let filled = |value: f64| {
        let mut array = vec![0.0; length];
        array
            .par_chunks_mut(part)
            .for_each(|piece| piece.fill(value));
        array
    };
    let (mut a, b, c) = (filled(0.0), filled(1.0), filled(2.0));
    let scale = black_box(3.0);
    let mut best = f64::INFINITY;
    for _ in 0..REPEATS {
        let start = Instant::now();
        let pieces = a.par_chunks_mut(part).zip(b.par_chunks(part));
        pieces.zip(c.par_chunks(part)).for_each(|((a, b), c)| {
            for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
                *a = b + scale * c;
            }
        });
        black_box(&mut a);
        // A coarse clock may see no time at all in a short array.
        best = best.min(start.elapsed().as_secs_f64().max(1e-9));
    }
    (ELEMENT * length) as f64 / best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_length_gives_a_rate() {
        for length in [1, 7, 4096] {
            let rate = bandwidth(length);
            assert!(rate.is_finite() && rate > 0.0, "{length}: {rate}");
        }
    }
}
