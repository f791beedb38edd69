//! Bytes made wrong: cut, moved, overwritten, with numbers and lengths that hurt.

use crate::dice::Dice;

/// Numbers that break what was not thought through.
pub const EXTREMES: [f64; 20] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    -0.0,
    0.0,
    1e308,
    -1e308,
    1e300,
    1e155,
    1e15,
    1e-15,
    1e-155,
    1e-300,
    5e-324,
    -5e-324,
    9_223_372_036_854_775_808.0,
    -1.0,
    4_294_967_296.0,
    0.1,
    1.0,
];

/// Counts and lengths that do.
const COUNTS: [u64; 14] = [
    0,
    1,
    2,
    0x7f,
    0xff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0xffff_ffff_ffff_ffff,
    0x1000_0000,
];

/// Longest piece that is deleted, inserted or moved, bytes.
const LONGEST_PIECE: usize = 64;

/// A forged copy: one to four changes.
pub fn forge(bytes: &[u8], other: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for _ in 0..=dice.below(4) {
        if out.is_empty() {
            out.push(dice.bits() as u8);
        }
        change(&mut out, other, dice);
    }
    out
}

fn change(out: &mut Vec<u8>, other: &[u8], dice: &mut Dice) {
    let at = place(out.len(), dice);
    match dice.below(14) {
        0 => out[at] ^= 1 << dice.below(8),
        1 => out[at] = dice.bits() as u8,
        2 => out.truncate(at),
        3 => {
            let piece = piece(out.len() - at, dice);
            out.drain(at..at + piece);
        }
        4 => {
            let new: Vec<u8> = (0..=dice.below(LONGEST_PIECE))
                .map(|_| dice.bits() as u8)
                .collect();
            out.splice(at..at, new);
        }
        5 => {
            // A piece twice.
            let from = place(out.len(), dice);
            let piece = piece(out.len() - from, dice);
            let copy = out[from..from + piece].to_vec();
            out.splice(at..at, copy);
        }
        6 => swap_blocks(out, dice),
        7 if !other.is_empty() => {
            // The head of this file and the tail of another.
            let from = place(other.len(), dice);
            out.truncate(at);
            out.extend_from_slice(&other[from..]);
        }
        8 | 9 => overwrite_number(out, dice),
        10 | 11 => overwrite_count(out, dice),
        12 => {
            let piece = piece(out.len() - at, dice);
            let fill = *dice.pick(&[0_u8, 0xff, b' ', b'9']);
            out[at..at + piece].fill(fill);
        }
        _ => {
            let value = *dice.pick(&COUNTS);
            let width = *dice.pick(&[1, 2, 4, 8]);
            put(out, at, &value.to_le_bytes()[..width]);
        }
    }
}

/// Anywhere, with a liking for the beginning, where heads are.
fn place(length: usize, dice: &mut Dice) -> usize {
    match dice.one_in(3) {
        true => dice.below(length.min(256)),
        false => dice.below(length),
    }
}

fn piece(rest: usize, dice: &mut Dice) -> usize {
    let most = if dice.one_in(10) { rest } else { LONGEST_PIECE };
    (1 + dice.below(most)).min(rest)
}

fn put(out: &mut [u8], at: usize, bytes: &[u8]) {
    let end = (at + bytes.len()).min(out.len());
    out[at..end].copy_from_slice(&bytes[..end - at]);
}

fn swap_blocks(out: &mut [u8], dice: &mut Dice) {
    let size = *dice.pick(&[1_usize, 4, 8, 16, 48, 512]);
    let blocks = out.len() / size;
    if blocks < 2 {
        return;
    }
    let (a, b) = (dice.below(blocks), dice.below(blocks));
    for k in 0..size {
        out.swap(a * size + k, b * size + k);
    }
}

/// Puts an extreme where a number seems to lie, or in place of eight bytes.
fn overwrite_number(out: &mut [u8], dice: &mut Dice) {
    let start = dice.below(out.len());
    let seems = |w: &[u8]| {
        let bytes: [u8; 8] = w.try_into().unwrap_or_default();
        (1e-9..1e9).contains(&f64::from_le_bytes(bytes).abs())
    };
    let mut windows = out[start..].windows(8);
    let at = windows.position(seems).map_or(start, |k| start + k);
    put(out, at, &dice.pick(&EXTREMES).to_le_bytes());
}

/// Changes what seems a small count or length by one, or to an extreme.
fn overwrite_count(out: &mut [u8], dice: &mut Dice) {
    let width = *dice.pick(&[4_usize, 8]);
    let start = dice.below(out.len());
    let small = |w: &[u8]| w[0] != 0 && w[2..].iter().all(|b| *b == 0);
    let mut windows = out[start..].windows(width);
    let Some(k) = windows.position(small) else {
        return;
    };
    let at = start + k;
    let old = u64::from(out[at]) | u64::from(out[at + 1]) << 8;
    let new = match dice.below(4) {
        0 => old + 1,
        1 => old.wrapping_sub(1),
        2 => old * 2,
        _ => *dice.pick(&COUNTS),
    };
    put(out, at, &new.to_le_bytes()[..width]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_file_can_be_forged() {
        for length in [0, 1, 7, 100, 1000] {
            let bytes = vec![1; length];
            for trial in 0..2000 {
                let mut dice = Dice::new(1, "forge", trial);
                let _ = forge(&bytes, &bytes, &mut dice);
            }
        }
    }
}
