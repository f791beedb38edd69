//! Arithmetic on dense panels, column after column in memory.
//!
//! Small products are written in plain loops that compilers turn into vector instructions; they are
//! `inline(always)`, to be compiled for the instructions of whoever calls them. Large ones are left
//! to `faer`: a bed of 4000 balls under a slab took a quarter longer without it.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, MatMut, MatRef, Par};

/// Columns that are eliminated one by one before the others are brought up to date.
pub(super) const AT_ONCE: usize = 24;

/// Rows and columns of a tile of a product, held in registers.
const TILE_ROWS: usize = 8;
const TILE_COLUMNS: usize = 4;

/// Multiplications from which a product is a large one.
pub(super) const LARGE: usize = 1 << 20;

/// Columns of a large product that one thread takes on. The cuts change rounding, so they must not
/// depend on the number of threads.
pub(super) const STRIP: usize = 64;

/// Stands for the inverse of the pivot of a row that is dropped: its unknown vanishes, and its
/// square is a number.
const DROPPED: f64 = 1e-150;

/// Which pivots are good.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Pivots {
    /// All must be positive.
    Positive,
    /// One of at most this shows that its row depends on those before. The row is dropped.
    Dropping(f64),
}

/// Factors the first `width` columns of a panel of `height` rows in place. Of the diagonal the
/// inverse is left. False: a pivot is no good.
#[inline(always)]
pub(super) fn eliminate(panel: &mut [f64], height: usize, width: usize, pivots: Pivots) -> bool {
    let mut first = 0;
    while first < width {
        let end = width.min(first + AT_ONCE);
        for k in first..end {
            let (done, rest) = panel.split_at_mut((k + 1) * height);
            let column = &mut done[k * height + k..];
            let Some((pivot, below)) = column.split_first_mut() else {
                return false;
            };
            // Not what is no number either, nor an infinite one, whose inverse would be zero.
            if !pivot.is_finite() {
                return false;
            }
            let inverse = match pivots {
                Pivots::Dropping(smallest) if *pivot <= smallest => DROPPED,
                Pivots::Positive | Pivots::Dropping(_) if *pivot <= 0.0 => return false,
                Pivots::Positive | Pivots::Dropping(_) => 1.0 / pivot.sqrt(),
            };
            *pivot = inverse;
            below.iter_mut().for_each(|x| *x *= inverse);
            for (j, other) in (k + 1..end).zip(rest.chunks_exact_mut(height)) {
                let weight = below[j - k - 1];
                let other = other[j..].iter_mut();
                for (x, l) in other.zip(&below[j - k - 1..]) {
                    *x -= weight * l;
                }
            }
        }
        if end < width {
            let (done, rest) = panel.split_at_mut(end * height);
            let factors = Columns {
                values: &done[first * height..],
                height,
                count: end - first,
            };
            downdate(rest, height, factors, end, width - end, end);
        }
        first = end;
    }
    true
}

/// Columns of a factor.
#[derive(Clone, Copy)]
pub(super) struct Columns<'a> {
    pub values: &'a [f64],
    /// Numbers from one column to the next.
    pub height: usize,
    pub count: usize,
}

/// `C −= A Aᵀ` in the lower triangle of `columns` columns of C, where A are the rows of the factors
/// from `row` on. A column of C has `stride` numbers, of which the first `skip` are not touched.
#[inline(always)]
pub(super) fn downdate(
    c: &mut [f64],
    stride: usize,
    factors: Columns<'_>,
    row: usize,
    columns: usize,
    skip: usize,
) {
    let rows = factors.height - row;
    if rows * columns * factors.count >= LARGE {
        return downdate_large(&mut c[skip..], stride, factors, [row, columns]);
    }
    let mut j = 0;
    while j < columns {
        let group = TILE_COLUMNS.min(columns - j);
        let mut i = j;
        while i + TILE_ROWS <= rows && group == TILE_COLUMNS {
            let at = j * stride + skip + i;
            tile::<TILE_ROWS, TILE_COLUMNS>(&mut c[at..], stride, factors, [row + i, row + j]);
            i += TILE_ROWS;
        }
        while i + 2 <= rows && group == TILE_COLUMNS {
            let at = j * stride + skip + i;
            tile::<2, TILE_COLUMNS>(&mut c[at..], stride, factors, [row + i, row + j]);
            i += 2;
        }
        for q in 0..group {
            for i in i.max(j + q)..rows {
                let at = (j + q) * stride + skip + i;
                tile::<1, 1>(&mut c[at..], stride, factors, [row + i, row + j + q]);
            }
        }
        j += group;
    }
}

/// The same by `faer`, strip by strip on all threads.
fn downdate_large(c: &mut [f64], stride: usize, factors: Columns<'_>, [row, columns]: [usize; 2]) {
    if columns <= STRIP {
        return downdate_strip(c, stride, factors, [row, columns]);
    }
    let cut = (columns / 2).next_multiple_of(STRIP);
    let (left, right) = c.split_at_mut(cut * stride);
    let mut do_left = || downdate_large(left, stride, factors, [row, cut]);
    let mut do_right = || {
        let place = [row + cut, columns - cut];
        downdate_large(&mut right[cut..], stride, factors, place);
    };
    if rayon::current_num_threads() > 1 {
        rayon::join(do_left, do_right);
    } else {
        do_left();
        do_right();
    }
}

/// The square at the top, then what is below it.
fn downdate_strip(c: &mut [f64], stride: usize, factors: Columns<'_>, [row, columns]: [usize; 2]) {
    let Columns {
        values,
        height,
        count,
    } = factors;
    let rows = height - row;
    let values = &values[row..];
    let a = MatRef::from_column_major_slice_with_stride(values, rows, count, height);
    let c = MatMut::from_column_major_slice_with_stride_mut(c, rows, columns, stride);
    let (top, rest) = c.split_at_row_mut(columns);
    let (across, below) = a.split_at_row(columns);
    triangular::matmul(
        top,
        BlockStructure::TriangularLower,
        Accum::Add,
        across,
        BlockStructure::Rectangular,
        across.transpose(),
        BlockStructure::Rectangular,
        -1.0,
        Par::Seq,
    );
    matmul(rest, Accum::Add, below, across.transpose(), -1.0, Par::Seq);
}

/// `C −= A Bᵀ` of one tile, A and B the rows of the factors from `i` and `j` on.
#[inline(always)]
fn tile<const R: usize, const C: usize>(
    c: &mut [f64],
    stride: usize,
    factors: Columns<'_>,
    [i, j]: [usize; 2],
) {
    let mut sums = [[0.0; R]; C];
    for column in factors
        .values
        .chunks_exact(factors.height)
        .take(factors.count)
    {
        let (Some(a), Some(b)) = (
            column[i..].first_chunk::<R>(),
            column[j..].first_chunk::<C>(),
        ) else {
            return;
        };
        for q in 0..C {
            for r in 0..R {
                sums[q][r] += a[r] * b[q];
            }
        }
    }
    for (q, sums) in sums.iter().enumerate() {
        if let Some(out) = c[q * stride..].first_chunk_mut::<R>() {
            (0..R).for_each(|r| out[r] -= sums[r]);
        }
    }
}

/// Solves with the columns of a panel, forwards: overwrites the first `width` entries of `x`, and
/// takes what they contribute from those below.
#[inline(always)]
pub(super) fn forwards(panel: &[f64], height: usize, width: usize, x: &mut [f64]) {
    for k in 0..width {
        let column = &panel[k * height + k..(k + 1) * height];
        let value = x[k] * column[0];
        x[k] = value;
        for (x, l) in x[k + 1..height].iter_mut().zip(&column[1..]) {
            *x -= value * l;
        }
    }
}

/// The same backwards: overwrites the first `width` entries of `x`, from those below.
#[inline(always)]
pub(super) fn backwards(panel: &[f64], height: usize, width: usize, x: &mut [f64]) {
    for k in (0..width).rev() {
        let column = &panel[k * height + k..(k + 1) * height];
        x[k] = (x[k] - dot(&column[1..], &x[k + 1..height])) * column[0];
    }
}

/// Makes a factored panel ready for many solves. With `L` its own triangle and `B` the rows below,
/// it holds `P = [L⁻¹ ; −B L⁻¹]` from then on, with zeros above the diagonal.
///
/// It is the first block column of the inverse of `[L 0 ; B 1]`, and made from its last column to
/// the first: column `k` is `−1 / l_kk` times the product of those after it, and of the unit below,
/// with what stood in column `k`.
pub(super) fn invert(panel: &mut [f64], height: usize, width: usize) {
    for k in (0..width).rev() {
        let (before, after) = panel.split_at_mut((k + 1) * height);
        let column = &mut before[k * height..];
        column[..k].fill(0.0);
        let inverse = column[k];
        for (j, done) in (k + 1..width).zip(after.chunks_exact(height)).rev() {
            let weight = std::mem::take(&mut column[j]);
            for (x, d) in column[j..].iter_mut().zip(&done[j..]) {
                *x += weight * d;
            }
        }
        column[k + 1..].iter_mut().for_each(|x| *x *= -inverse);
    }
}

/// `out = P x` with an inverted panel: what solves forwards, and what it adds to the rows below. No
/// number waits for another one.
#[inline(always)]
pub(super) fn product(panel: &[f64], height: usize, x: &[f64], out: &mut [f64]) {
    let mut row = 0;
    while row + TILE_ROWS <= height {
        product_rows::<TILE_ROWS>(panel, height, x, row, out);
        row += TILE_ROWS;
    }
    while row + 2 <= height {
        product_rows::<2>(panel, height, x, row, out);
        row += 2;
    }
    if row < height {
        product_rows::<1>(panel, height, x, row, out);
    }
}

/// So many rows of it, held in registers.
#[inline(always)]
fn product_rows<const R: usize>(
    panel: &[f64],
    height: usize,
    x: &[f64],
    row: usize,
    out: &mut [f64],
) {
    let mut sums = [0.0; R];
    for (column, x) in panel.chunks_exact(height).zip(x).take(row + R) {
        if let Some(p) = column[row..].first_chunk::<R>() {
            (0..R).for_each(|r| sums[r] += p[r] * x);
        }
    }
    out[row..row + R].copy_from_slice(&sums);
}

/// `out = Pᵀ x` with an inverted panel: what solves backwards.
#[inline(always)]
pub(super) fn transposed_product(panel: &[f64], height: usize, x: &[f64], out: &mut [f64]) {
    for (k, (column, out)) in panel.chunks_exact(height).zip(out).enumerate() {
        *out = dot(&column[k..], &x[k..height]);
    }
}

/// Four sums side by side: one would have to wait for itself.
#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (a, a_rest) = a.as_chunks::<4>();
    let (b, b_rest) = b.as_chunks::<4>();
    for (a, b) in a.iter().zip(b) {
        (0..4).for_each(|q| sums[q] += a[q] * b[q]);
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}
