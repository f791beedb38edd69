//! GIF: one palette for the whole film, and of each picture only what changed.
//!
//! A palette for each picture would let the background shimmer. One is found by NeuQuant (Dekker,
//! "Kohonen neural networks for optimal colour quantization", 1994) from small pictures of a few
//! moments. The renderer draws what rests with the same bits again, so that little changes.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use color_quant::NeuQuant;
use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};

use super::{Film, FilmError, Observe, shot, writing};
use crate::picture::PictureSettings;
use crate::render::Quality;

/// Colours of the palette. One more stands for what has not changed.
const COLORS: usize = 255;
/// The index of what has not changed.
const UNCHANGED: u8 = 255;
/// Moments that the palette is made from.
const MOMENTS: usize = 6;
/// Side of the small pictures of these moments, as a share of the film's.
const SMALL: u32 = 3;
/// Most by which a colour is moved so that neighbours mix to it, of 255: about half the distance
/// between colours of the palette in a picture of a few hues.
const DITHER: f32 = 5.0;

/// Draws a film and encodes it into `out`; `file` is its name in messages.
pub fn write(
    film: &Film<'_>,
    file: &Path,
    out: &mut File,
    observe: Observe<'_>,
) -> Result<(), FilmError> {
    let failed = |error: EncodingError| match error {
        EncodingError::Io(source) => writing(file, source),
        other => writing(file, std::io::Error::other(other.to_string())),
    };
    let palette = palette(film, observe)?;
    let [width, height] = film.settings.size;
    let mut out = BufWriter::new(out);
    // Sides are at most 16384, far below what the format holds.
    let size = [width as u16, height as u16];
    let mut encoder =
        Encoder::new(&mut out, size[0], size[1], &palette.color_map_rgb()).map_err(failed)?;
    encoder.set_repeat(Repeat::Infinite).map_err(failed)?;
    let mut canvas = Canvas::new(width as usize);
    let mut clock = Clock::new(film.frames_per_second);
    for (number, each) in film.shots.iter().enumerate() {
        let image = shot(film.recording, each.frame, film.settings, number, observe)?;
        let mut frame = canvas.change(image.rgba(), &palette);
        frame.delay = clock.advance(each.ticks);
        encoder.write_frame(&frame).map_err(failed)?;
    }
    encoder.into_inner().map_err(failed)?;
    out.flush().map_err(|source| writing(file, source))
}

/// The colours of a few moments.
fn palette(film: &Film<'_>, observe: Observe<'_>) -> Result<NeuQuant, FilmError> {
    let settings = PictureSettings {
        size: film.settings.size.map(|side| (side / SMALL).max(16)),
        quality: Quality::Draft,
        ..film.settings.clone()
    };
    let moments = MOMENTS.min(film.shots.len());
    let mut pixels = Vec::new();
    for k in 0..moments {
        let place = k * (film.shots.len() - 1) / (moments - 1).max(1);
        // No progress: the pictures of the film begin after these.
        let still = |_: usize, _: f64| observe(0, 0.0);
        let frame = film.shots[place].frame;
        let image = shot(film.recording, frame, &settings, 0, &still)?;
        pixels.extend_from_slice(image.rgba());
    }
    Ok(NeuQuant::new(3, COLORS, &pixels))
}

/// Time in the format's unit, rounded so that errors do not add up.
struct Clock {
    /// Pictures a second.
    rate: f64,
    ticks: u64,
    /// What has been shown so far, in hundredths of a second.
    shown: u64,
}

impl Clock {
    fn new(rate: f64) -> Self {
        Self {
            rate,
            ticks: 0,
            shown: 0,
        }
    }

    /// How long the next picture is shown, in hundredths of a second.
    fn advance(&mut self, ticks: u32) -> u16 {
        self.ticks += u64::from(ticks);
        let end = (100.0 * self.ticks as f64 / self.rate).round() as u64;
        let delay = u16::try_from(end.saturating_sub(self.shown)).unwrap_or(u16::MAX);
        self.shown += u64::from(delay);
        delay
    }
}

/// What the last picture left on the screen.
struct Canvas {
    width: usize,
    rgba: Vec<u8>,
    indices: Vec<u8>,
}

impl Canvas {
    fn new(width: usize) -> Self {
        Self {
            width,
            rgba: Vec::new(),
            indices: Vec::new(),
        }
    }

    /// The smallest rectangle of a picture that differs from the last one.
    fn change(&mut self, rgba: &[u8], palette: &NeuQuant) -> Frame<'static> {
        let first = self.rgba.is_empty();
        if first {
            self.rgba = vec![0; rgba.len()];
            self.indices = vec![UNCHANGED; rgba.len() / 4];
        }
        let mut changed = vec![UNCHANGED; self.indices.len()];
        let (mut low, mut high) = ([usize::MAX; 2], [0; 2]);
        for (k, pixel) in rgba.chunks_exact(4).enumerate() {
            if !first && self.rgba[4 * k..4 * k + 4] == *pixel {
                continue;
            }
            let place = [k % self.width, k / self.width];
            let index = index_of(palette, pixel, place);
            if !first && self.indices[k] == index {
                continue;
            }
            (changed[k], self.indices[k]) = (index, index);
            low = [low[0].min(place[0]), low[1].min(place[1])];
            high = [high[0].max(place[0]), high[1].max(place[1])];
        }
        self.rgba.copy_from_slice(rgba);
        if low[0] > high[0] {
            // Nothing: the format still wants a pixel to hang the time on.
            (low, high) = ([0; 2], [0; 2]);
        }
        let rows = low[1]..=high[1];
        let row = |y: usize| &changed[y * self.width + low[0]..=y * self.width + high[0]];
        Frame {
            left: low[0] as u16,
            top: low[1] as u16,
            width: (high[0] - low[0] + 1) as u16,
            height: (high[1] - low[1] + 1) as u16,
            buffer: rows.flat_map(row).copied().collect::<Vec<u8>>().into(),
            transparent: Some(UNCHANGED),
            dispose: DisposalMethod::Keep,
            ..Frame::default()
        }
    }
}

/// The colour of the palette for a pixel, moved a little by its place: a fixed pattern, so that what
/// rests stays the same.
fn index_of(palette: &NeuQuant, pixel: &[u8], [x, y]: [usize; 2]) -> u8 {
    /// The order in which the pixels of a square of four by four light up (Bayer, 1973).
    const ORDER: [[u8; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];
    let lift = DITHER * ((f32::from(ORDER[y % 4][x % 4]) + 0.5) / 8.0 - 1.0);
    let moved = |v: u8| (f32::from(v) + lift).clamp(0.0, 255.0) as u8;
    let color = [moved(pixel[0]), moved(pixel[1]), moved(pixel[2]), 255];
    palette.index_of(&color) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounded_times_do_not_drift() {
        let mut clock = Clock::new(30.0);
        let delays: Vec<u16> = (0..30).map(|_| clock.advance(1)).collect();
        assert_eq!(delays.iter().sum::<u16>(), 100);
        assert!(delays.iter().all(|d| matches!(d, 3 | 4)), "{delays:?}");
    }

    #[test]
    fn only_what_changed_is_stored() {
        let grey = |v: u8| [v, v, v, 255];
        let mut picture: Vec<u8> = (0..64).flat_map(|k| grey(4 * k)).collect();
        let palette = NeuQuant::new(1, COLORS, &picture);
        let mut canvas = Canvas::new(8);
        let whole = canvas.change(&picture, &palette);
        assert_eq!((whole.width, whole.height), (8, 8));
        assert!(!whole.buffer.contains(&UNCHANGED));
        // Two pixels, in rows 2 and 3.
        for k in [2 * 8 + 3, 3 * 8 + 5] {
            picture[4 * k..4 * k + 4].copy_from_slice(&grey(255));
        }
        let part = canvas.change(&picture, &palette);
        assert_eq!((part.left, part.top), (3, 2));
        assert_eq!((part.width, part.height), (3, 2));
        let kept = part.buffer.iter().filter(|v| **v == UNCHANGED).count();
        assert_eq!(kept, 4);
        let none = canvas.change(&picture, &palette);
        assert_eq!(&*none.buffer, [UNCHANGED]);
    }
}
