//! Lines cut to their frame.

/// The frame: left, top, right and bottom on a page whose y axis points down.
pub type Border = [f64; 4];

/// Whether a point lies within the frame, or on its line but for rounding.
pub fn holds([left, top, right, bottom]: Border, [x, y]: [f64; 2]) -> bool {
    let slack = 1e-6;
    (left - slack..=right + slack).contains(&x) && (top - slack..=bottom + slack).contains(&y)
}

/// The pieces of a line within the frame.
pub fn within(line: &[[f64; 2]], border: Border) -> Vec<Vec<[f64; 2]>> {
    let mut pieces: Vec<Vec<[f64; 2]>> = Vec::new();
    let mut open = false;
    for pair in line.windows(2) {
        let Some((from, to)) = clip(pair[0], pair[1], border) else {
            open = false;
            continue;
        };
        match pieces.last_mut() {
            Some(piece) if open => piece.push(to),
            _ => pieces.push(vec![from, to]),
        }
        // The next segment continues this one only where this one was not cut at its end.
        open = to == pair[1];
    }
    pieces
}

/// The part of a segment within the frame.
fn clip(a: [f64; 2], b: [f64; 2], border: Border) -> Option<([f64; 2], [f64; 2])> {
    let [left, top, right, bottom] = border;
    let (a, b) = clip_along(0, a, b, [left, right])?;
    clip_along(1, a, b, [top, bottom])
}

/// The part of a segment whose coordinate `k` lies between two values.
fn clip_along(
    k: usize,
    a: [f64; 2],
    b: [f64; 2],
    [low, high]: [f64; 2],
) -> Option<([f64; 2], [f64; 2])> {
    if (a[k] < low && b[k] < low) || (a[k] > high && b[k] > high) {
        return None;
    }
    // Only where the ends lie on different sides of a border, so that the slope below is not zero.
    let at = |value: f64| {
        let t = (value - a[k]) / (b[k] - a[k]);
        let other = a[1 - k] + t * (b[1 - k] - a[1 - k]);
        if k == 0 {
            [value, other]
        } else {
            [other, value]
        }
    };
    let cut = |p: [f64; 2]| {
        if p[k] < low {
            at(low)
        } else if p[k] > high {
            at(high)
        } else {
            p
        }
    };
    Some((cut(a), cut(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDE: [f64; 4] = [-100.0, 0.0, 100.0, 5.0];

    #[test]
    fn a_segment_is_cut_at_the_border() {
        let cut = clip([0.0, -10.0], [20.0, 10.0], WIDE);
        assert_eq!(cut, Some(([10.0, 0.0], [15.0, 5.0])));
        assert_eq!(clip([0.0, -1.0], [1.0, -2.0], WIDE), None);
        let cut = clip([-200.0, 1.0], [200.0, 3.0], WIDE);
        assert_eq!(cut, Some(([-100.0, 1.5], [100.0, 2.5])));
        // Passes by the corner.
        assert_eq!(clip([99.0, -2.0], [102.0, 1.0], WIDE), None);
    }

    #[test]
    fn a_line_that_leaves_and_comes_back_is_two_pieces() {
        let line = [[0.0, 1.0], [1.0, 1.0], [2.0, -1.0], [3.0, 1.0], [4.0, 2.0]];
        let pieces = within(&line, WIDE);
        let first = vec![[0.0, 1.0], [1.0, 1.0], [1.5, 0.0]];
        assert_eq!(pieces, [first, vec![[2.5, 0.0], [3.0, 1.0], [4.0, 2.0]]]);
    }
}
