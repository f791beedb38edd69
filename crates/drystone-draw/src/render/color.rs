//! Colours, and what they can stand for.

use std::ops::{Add, AddAssign, Mul};

/// A colour by its light: linear red, green and blue of the sRGB primaries, 1 for white paper.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Color {
    /// Red, green and blue.
    pub linear: [f32; 3],
}

impl Color {
    /// No light.
    pub const BLACK: Self = Self { linear: [0.0; 3] };
    /// White paper.
    pub const WHITE: Self = Self { linear: [1.0; 3] };

    /// From the figures of a web colour.
    pub fn rgb8(red: u8, green: u8, blue: u8) -> Self {
        Self {
            linear: [red, green, blue].map(|v| decode(f32::from(v) / 255.0)),
        }
    }

    /// A grey that looks as light as `share` of the way from black to white.
    pub fn grey(share: f32) -> Self {
        Self {
            linear: [decode(share); 3],
        }
    }

    /// The figures of the web colour.
    pub fn to_srgb8(self) -> [u8; 3] {
        self.linear
            .map(|v| (255.0 * encode(v.clamp(0.0, 1.0)) + 0.5) as u8)
    }

    /// Channel by channel: light of this colour on a surface of the other.
    pub fn filter(self, other: Self) -> Self {
        let [a, b] = [self.linear, other.linear];
        Self {
            linear: [a[0] * b[0], a[1] * b[1], a[2] * b[2]],
        }
    }

    /// `share` of the way to another colour, in light.
    pub fn mix(self, other: Self, share: f32) -> Self {
        self * (1.0 - share) + other * share
    }

    /// `share` of the way to another colour, in even steps to the eye (Oklab: Ottosson, 2020).
    pub fn blend(self, other: Self, share: f32) -> Self {
        let [a, b] = [self.to_oklab(), other.to_oklab()];
        Self::from_oklab([0, 1, 2].map(|k| a[k] + share * (b[k] - a[k])))
    }

    /// Lightness, green–red and blue–yellow.
    pub fn to_oklab(self) -> [f32; 3] {
        let cones = product(&CONES_FROM_LINEAR, self.linear).map(f32::cbrt);
        product(&LAB_FROM_CONES, cones)
    }

    /// The colour of a lightness and two opponent values; channels are not negative.
    pub fn from_oklab(lab: [f32; 3]) -> Self {
        let cones = product(&CONES_FROM_LAB, lab).map(|v| v * v * v);
        Self {
            linear: product(&LINEAR_FROM_CONES, cones).map(|v| v.max(0.0)),
        }
    }
}

// The matrices of Björn Ottosson, "A perceptual color space for image processing" (2020), in the
// public domain.
const CONES_FROM_LINEAR: [[f32; 3]; 3] = [
    [0.412_221_46, 0.536_332_55, 0.051_445_995],
    [0.211_903_5, 0.680_699_5, 0.107_396_96],
    [0.088_302_46, 0.281_718_85, 0.629_978_7],
];
const LAB_FROM_CONES: [[f32; 3]; 3] = [
    [0.210_454_26, 0.793_617_8, -0.004_072_047],
    [1.977_998_5, -2.428_592_2, 0.450_593_7],
    [0.025_904_037, 0.782_771_77, -0.808_675_77],
];
const CONES_FROM_LAB: [[f32; 3]; 3] = [
    [1.0, 0.396_337_78, 0.215_803_76],
    [1.0, -0.105_561_346, -0.063_854_17],
    [1.0, -0.089_484_18, -1.291_485_5],
];
const LINEAR_FROM_CONES: [[f32; 3]; 3] = [
    [4.076_741_7, -3.307_711_6, 0.230_969_94],
    [-1.268_438, 2.609_757_4, -0.341_319_38],
    [-0.004_196_086_3, -0.703_418_6, 1.707_614_7],
];

fn product(matrix: &[[f32; 3]; 3], v: [f32; 3]) -> [f32; 3] {
    matrix.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
}

impl Add for Color {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let [a, b] = [self.linear, other.linear];
        Self {
            linear: [a[0] + b[0], a[1] + b[1], a[2] + b[2]],
        }
    }
}

impl AddAssign for Color {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul<f32> for Color {
    type Output = Self;
    fn mul(self, factor: f32) -> Self {
        Self {
            linear: self.linear.map(|v| factor * v),
        }
    }
}

/// The sRGB curve of IEC 61966-2-1, from a figure of a file to light.
fn decode(v: f32) -> f32 {
    if v <= 0.04045 {
        v / 12.92
    } else {
        ((v + 0.055) / 1.055).powf(2.4)
    }
}

/// The way back.
fn encode(v: f32) -> f32 {
    if v <= 0.003_130_8 {
        12.92 * v
    } else {
        1.055 * v.powf(1.0 / 2.4) - 0.055
    }
}

/// Nine equidistant colours of "viridis" by Stéfan van der Walt and Nathaniel Smith (matplotlib,
/// CC0).
const VIRIDIS: [[u8; 3]; 9] = [
    [0x44, 0x01, 0x54],
    [0x47, 0x2d, 0x7b],
    [0x3b, 0x52, 0x8b],
    [0x2c, 0x72, 0x8e],
    [0x21, 0x90, 0x8c],
    [0x27, 0xad, 0x81],
    [0x5d, 0xc8, 0x63],
    [0xaa, 0xdc, 0x32],
    [0xfd, 0xe7, 0x25],
];

/// The colour of a quantity at a share of its range, in even steps to the eye and readable in grey.
/// Shares outside the range count as its ends, one that is no number as grey.
pub fn viridis(share: f64) -> Color {
    if share.is_nan() {
        return Color::grey(0.6);
    }
    let last = VIRIDIS.len() - 1;
    let at = share.clamp(0.0, 1.0) * last as f64;
    let below = (at as usize).min(last - 1);
    let stop = |k: usize| {
        let [r, g, b] = VIRIDIS[k];
        Color::rgb8(r, g, b)
    };
    stop(below).blend(stop(below + 1), (at - below as f64) as f32)
}

/// The colours of Masataka Okabe and Kei Ito, "Color Universal Design" (2008), that all kinds of
/// colour vision tell apart. The calm ones come first. Grey stands in place of black, which would
/// hide the shading.
const CATEGORIES: [[u8; 3]; 8] = [
    [0x56, 0xb4, 0xe9],
    [0xe6, 0x9f, 0x00],
    [0x00, 0x9e, 0x73],
    [0xcc, 0x79, 0xa7],
    [0x00, 0x72, 0xb2],
    [0xd5, 0x5e, 0x00],
    [0xf0, 0xe4, 0x42],
    [0x99, 0x99, 0x99],
];

/// The colour of the n-th kind of something, such as a material. After eight kinds they come again,
/// darker.
pub fn category(index: usize) -> Color {
    let [r, g, b] = CATEGORIES[index % CATEGORIES.len()];
    let round = (index / CATEGORIES.len()).min(3) as f32;
    Color::rgb8(r, g, b).blend(Color::BLACK, 0.22 * round)
}

/// A colour of dry stone, for bodies whose colour means nothing: warm greys and sands that differ a
/// little from body to body, the same for the same number.
pub fn stone(index: u64) -> Color {
    let a = share(index, 1);
    let b = share(index, 2);
    let lightness = 0.66 + 0.16 * a;
    Color::from_oklab([lightness, 0.004 + 0.012 * b, 0.020 + 0.030 * b])
}

/// The colour of the ground where nothing else is said: nearly that of paper, so that it fades into
/// it.
pub fn ground() -> Color {
    Color::rgb8(0xe0, 0xdf, 0xdb)
}

/// A fixed number between 0 and 1 for each body, without pattern.
fn share(index: u64, salt: u64) -> f32 {
    let mixed = (index ^ (salt << 56)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 31)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    ((mixed ^ (mixed >> 32)) >> 40) as f32 / (1u32 << 24) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn web_colours_come_back() {
        for v in 0..=255u8 {
            assert_eq!(
                Color::rgb8(v, 255 - v, v / 2).to_srgb8(),
                [v, 255 - v, v / 2]
            );
        }
    }

    #[test]
    fn oklab_of_white_is_lightness_one() {
        let [l, a, b] = Color::WHITE.to_oklab();
        assert!(
            (l - 1.0).abs() < 1e-4 && a.abs() < 1e-4 && b.abs() < 1e-4,
            "{l} {a} {b}"
        );
        let color = Color::rgb8(12, 200, 99);
        assert_eq!(
            Color::from_oklab(color.to_oklab()).to_srgb8(),
            [12, 200, 99]
        );
    }

    #[test]
    fn viridis_grows_lighter_in_even_steps() {
        let lightness: Vec<f32> = (0..=32)
            .map(|k| viridis(f64::from(k) / 32.0).to_oklab()[0])
            .collect();
        let steps: Vec<f32> = lightness.windows(2).map(|w| w[1] - w[0]).collect();
        let mean = (lightness[32] - lightness[0]) / 32.0;
        for step in steps {
            assert!((0.85 * mean..1.15 * mean).contains(&step), "{step}");
        }
        assert_eq!(viridis(-3.0).to_srgb8(), [0x44, 0x01, 0x54]);
        assert_eq!(viridis(7.0).to_srgb8(), [0xfd, 0xe7, 0x25]);
        assert_eq!(viridis(0.5).to_srgb8(), [0x21, 0x90, 0x8c]);
        assert!(viridis(f64::NAN).linear[0] > 0.0);
    }

    #[test]
    fn categories_differ() {
        for i in 0..24 {
            for j in 0..i {
                let [a, b] = [category(i).to_oklab(), category(j).to_oklab()];
                let apart: f32 = (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f32>().sqrt();
                let least = if i < 8 { 0.1 } else { 0.03 };
                assert!(apart > least, "{i} and {j}: {apart}");
            }
        }
    }
}
