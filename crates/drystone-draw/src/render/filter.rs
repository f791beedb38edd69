//! Takes the grain out of soft shadows: what falls on a pixel is averaged with its neighbours on
//! the same surface.
//!
//! It is a bilateral filter (Tomasi and Manduchi, "Bilateral filtering for gray and color images",
//! 1998) on the light alone. So colours, patterns and outlines stay as sharp as they were drawn.

use glam::Vec3;
use rayon::prelude::*;

use super::color::Color;

/// Neighbours looked at in each direction, px: 49 pixels in all bring grain down to a seventh.
const REACH: usize = 3;
/// Grain of a picture with one sample for each pixel, where full light counts about 1. Light that
/// differs by more is a shadow's edge. It falls with the square root of the number of samples.
const GRAIN: f32 = 0.6;
/// Cosine of the angle between surfaces from which on they are lit too differently: 20°.
const BENT: f32 = 0.94;

/// What the rays of a pixel found, on average.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pixel {
    /// Its colour.
    pub color: Color,
    /// Light that falls on the surface.
    pub light: Color,
    /// By how much the colour changes with the light.
    pub response: Color,
    /// Unit normal of the surface, or zero.
    pub normal: Vec3,
    /// Which surface all rays met: a number above 0, or [`Pixel::MIXED`].
    pub surface_id: u32,
}

impl Pixel {
    /// Not one surface.
    pub const MIXED: u32 = 0;
}

/// The picture's red, green, blue and 255, row by row; none if it has no rows.
pub fn smooth(pixels: &[Pixel], width: usize, samples: u32) -> Option<Vec<u8>> {
    if width == 0 || pixels.is_empty() {
        return None;
    }
    let grain = GRAIN / (samples as f32).sqrt();
    let mut data = vec![255; 4 * pixels.len()];
    data.par_chunks_mut(4 * width)
        .enumerate()
        .for_each(|(y, row)| {
            for (x, out) in row.chunks_exact_mut(4).enumerate() {
                let color = smoothed(pixels, width, [x, y], grain);
                out[..3].copy_from_slice(&color.to_srgb8());
            }
        });
    Some(data)
}

/// The colour of a pixel in the light of its neighbours.
fn smoothed(pixels: &[Pixel], width: usize, [x, y]: [usize; 2], grain: f32) -> Color {
    let middle = &pixels[y * width + x];
    if middle.surface_id == Pixel::MIXED {
        return middle.color;
    }
    let height = pixels.len() / width;
    let sharp = 1.0 / (2.0 * grain * grain);
    let (mut sum, mut weights) = (Color::BLACK, 0.0);
    for row in y.saturating_sub(REACH)..(y + REACH + 1).min(height) {
        for column in x.saturating_sub(REACH)..(x + REACH + 1).min(width) {
            let pixel = &pixels[row * width + column];
            let alike = (middle.normal.dot(pixel.normal) - BENT) / (1.0 - BENT);
            if pixel.surface_id != middle.surface_id || alike <= 0.0 {
                continue;
            }
            let apart = middle.light + pixel.light * -1.0;
            let difference: f32 = apart.linear.iter().map(|v| v * v).sum::<f32>() / 3.0;
            let weight = alike * (-difference * sharp).exp();
            sum += pixel.light * weight;
            weights += weight;
        }
    }
    if weights <= 0.0 {
        return middle.color;
    }
    let change = sum * (1.0 / weights) + middle.light * -1.0;
    middle.color + middle.response.filter(change)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wall(light: f32, surface_id: u32) -> Pixel {
        let grey = Color { linear: [light; 3] };
        Pixel {
            color: grey * 0.5,
            light: grey,
            response: Color { linear: [0.5; 3] },
            normal: Vec3::Z,
            surface_id,
        }
    }

    fn reds(pixels: &[Pixel]) -> Vec<u8> {
        let data = smooth(pixels, 20, 16).unwrap();
        data.chunks(4).map(|p| p[0]).collect()
    }

    #[test]
    fn grain_goes_and_edges_stay() {
        // Grain of 0.05 around 0.3 on the left, around 0.9 on the right.
        let light = |k: usize| {
            let grain = if (k + k / 20).is_multiple_of(2) {
                0.05
            } else {
                -0.05
            };
            grain + if k % 20 < 10 { 0.3 } else { 0.9 }
        };
        let pixels: Vec<Pixel> = (0..400).map(|k| wall(light(k), 7)).collect();
        let smooth = reds(&pixels);
        for (k, red) in smooth.iter().enumerate() {
            let middle = if k % 20 < 10 { 0.3 } else { 0.9 };
            let expected = Color {
                linear: [0.5 * middle; 3],
            }
            .to_srgb8()[0];
            assert!(red.abs_diff(expected) <= 3, "{k}: {red}, not {expected}");
        }
    }

    #[test]
    fn surfaces_are_not_mixed() {
        let pixels: Vec<Pixel> = (0..400)
            .map(|k| wall(if k % 2 == 0 { 0.5 } else { 0.6 }, 1 + k % 2))
            .collect();
        let expected: Vec<u8> = pixels.iter().map(|p| p.color.to_srgb8()[0]).collect();
        assert_eq!(reds(&pixels), expected);
    }
}
