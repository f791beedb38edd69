//! Lines cut to the height of their frame.

/// The pieces of a line with y between `top` and `bottom`; along x the axis holds all of it.
pub fn within(line: &[[f64; 2]], top: f64, bottom: f64) -> Vec<Vec<[f64; 2]>> {
    let mut pieces: Vec<Vec<[f64; 2]>> = Vec::new();
    let mut open = false;
    for pair in line.windows(2) {
        let Some((from, to)) = clip(pair[0], pair[1], top, bottom) else {
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

/// The part of a segment with y between `top` and `bottom`.
fn clip(a: [f64; 2], b: [f64; 2], top: f64, bottom: f64) -> Option<([f64; 2], [f64; 2])> {
    let inside = |p: [f64; 2]| (top..=bottom).contains(&p[1]);
    if inside(a) && inside(b) {
        return Some((a, b));
    }
    if (a[1] < top && b[1] < top) || (a[1] > bottom && b[1] > bottom) {
        return None;
    }
    // The ends lie on different sides of a border, so the slope below is not zero.
    let at = |y: f64| {
        let t = (y - a[1]) / (b[1] - a[1]);
        [a[0] + t * (b[0] - a[0]), y]
    };
    let cut = |p: [f64; 2]| {
        if p[1] < top {
            at(top)
        } else if p[1] > bottom {
            at(bottom)
        } else {
            p
        }
    };
    Some((cut(a), cut(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_is_cut_at_the_border() {
        let cut = clip([0.0, -10.0], [20.0, 10.0], 0.0, 5.0);
        assert_eq!(cut, Some(([10.0, 0.0], [15.0, 5.0])));
        assert_eq!(clip([0.0, -1.0], [1.0, -2.0], 0.0, 5.0), None);
    }

    #[test]
    fn a_line_that_leaves_and_comes_back_is_two_pieces() {
        let line = [[0.0, 1.0], [1.0, 1.0], [2.0, -1.0], [3.0, 1.0], [4.0, 2.0]];
        let pieces = within(&line, 0.0, 5.0);
        let first = vec![[0.0, 1.0], [1.0, 1.0], [1.5, 0.0]];
        assert_eq!(pieces, [first, vec![[2.5, 0.0], [3.0, 1.0], [4.0, 2.0]]]);
    }
}
