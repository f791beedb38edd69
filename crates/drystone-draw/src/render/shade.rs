//! How light a point is: a soft lamp with shadows, a bright sky that corners see little of, a
//! little shine.
//!
//! The figures below were chosen by eye, for pictures that read well on paper: shapes first,
//! colours near those of the legend, no black shadows. They have no other reason.

use glam::{DVec3, Vec3};

use super::color::Color;
use super::filter::Pixel;
use super::legend::round_below;
use super::prepared::{Crossing, EndlessPlane, Hit, HitKind, LIFT, PreparedPicture};
use super::ray::Ray;
use super::sampling::{Purpose, around_cosine, around_lamp, sample_point};

/// Light of the lamp on a surface that faces it: a little warmer than the sky.
const LAMP: Color = Color {
    linear: [0.96, 0.93, 0.88],
};
/// Tangent of the lamp's angular radius, 7°: shadows grow softer with it.
const LAMP_RADIUS: f64 = 0.13;
/// Light of the sky overhead, at the horizon and from below.
const SKY: [Color; 3] = [
    Color {
        linear: [0.43, 0.46, 0.50],
    },
    Color {
        linear: [0.35, 0.36, 0.38],
    },
    Color {
        linear: [0.15, 0.145, 0.14],
    },
];
/// Share of a surface's own light that comes back to it out of a corner.
const RETURNED: f32 = 0.24;
/// Shine of the lamp on smooth solids: its strength and how small it is.
const SHINE: (f32, i32) = (0.10, 48);
/// Brightening of outlines against the light.
const RIM: f32 = 0.10;
/// Where the ground begins to fade, and how slowly: in radii of what the picture is about, from its
/// middle.
const FADE: [f64; 2] = [0.9, 1.9];
/// Darkening by the lines on the ground, and their width in units of their distance.
const GRID: (f32, f64) = (0.10, 0.012);
/// Samples after which a pixel that met nothing counts as empty, and one whose samples are all
/// alike as done: those of the coarsest quality.
const TRIED: u32 = 4;
/// Samples that differ by less in brightness, where full light counts about 1, are alike: more of
/// them would show nothing new.
const ALIKE: f32 = 0.2;
/// Layers of glass that are drawn: what lies behind more of them is hardly seen.
const LAYERS: usize = 24;

/// A pixel.
pub fn pixel(picture: &PreparedPicture, x: u32, y: u32, samples: u32) -> Pixel {
    let (mut pixel, mut met, mut taken) = (Pixel::default(), false, 0);
    let mut crossings = Vec::new();
    let (mut colors, mut lights) = (Spread::default(), Spread::default());
    while taken < samples && (met || taken < TRIED) {
        let one_surface = pixel.surface_id != Pixel::MIXED;
        if taken == TRIED && one_surface && colors.is_small() && lights.is_small() {
            break;
        }
        let index = SampleIndex {
            pixel: [x, y],
            number: taken,
            count: samples,
        };
        let sample = sample(picture, index, &mut crossings);
        pixel.color += sample.color;
        pixel.light += sample.reflected.light;
        pixel.response += sample.reflected.response;
        pixel.normal += sample.normal;
        if taken == 0 {
            pixel.surface_id = sample.surface_id;
        } else if pixel.surface_id != sample.surface_id {
            pixel.surface_id = Pixel::MIXED;
        }
        colors.add(sample.color);
        lights.add(sample.reflected.light);
        met |= sample.met;
        taken += 1;
    }
    let share = 1.0 / taken as f32;
    pixel.color = pixel.color * share;
    pixel.light = pixel.light * share;
    pixel.response = pixel.response * share;
    pixel.normal = pixel.normal.normalize_or_zero();
    pixel
}

/// Smallest and largest brightness of some samples.
struct Spread([f32; 2]);

impl Default for Spread {
    fn default() -> Self {
        Self([f32::INFINITY, f32::NEG_INFINITY])
    }
}

impl Spread {
    fn add(&mut self, color: Color) {
        let brightness = color.linear.iter().sum::<f32>() / 3.0;
        self.0 = [self.0[0].min(brightness), self.0[1].max(brightness)];
    }

    fn is_small(&self) -> bool {
        self.0[1] - self.0[0] < ALIKE
    }
}

/// What one ray from the eye found.
struct Sample {
    color: Color,
    reflected: Reflected,
    normal: Vec3,
    surface_id: u32,
    /// Whether there was anything but background.
    met: bool,
}

/// The light that a surface sends to the eye.
#[derive(Clone, Copy, Default)]
struct Reflected {
    color: Color,
    /// What falls on it.
    light: Color,
    /// By how much its colour changes with the light.
    response: Color,
}

/// Which points of its sequences a sample takes.
#[derive(Clone, Copy)]
struct SampleIndex {
    pixel: [u32; 2],
    number: u32,
    count: u32,
}

impl SampleIndex {
    fn point(self, purpose: Purpose) -> [f64; 2] {
        let [x, y] = self.pixel;
        sample_point(x, y, self.number, self.count, purpose)
    }
}

/// One sample of a pixel.
fn sample(picture: &PreparedPicture, index: SampleIndex, crossings: &mut Vec<Crossing>) -> Sample {
    let [u, v] = index.point(Purpose::Pixel);
    let [x, y] = index.pixel.map(f64::from);
    let ray = picture.eye.ray(x + u, y + v);
    let down = picture.eye.down(y + v) as f32;
    let behind = picture.background.top.mix(picture.background.bottom, down);
    let hit = picture.first(&ray);
    let mut sample = Sample {
        color: behind,
        reflected: Reflected::default(),
        normal: Vec3::ZERO,
        surface_id: Pixel::MIXED,
        met: false,
    };
    if let Some(hit) = &hit {
        let cover = cover(picture, &ray, hit);
        if cover > 0.0 {
            sample.reflected = reflected(picture, &ray, hit, index);
            sample.reflected.response = sample.reflected.response * cover;
            sample.color = behind.mix(sample.reflected.color, cover);
            sample.normal = hit.normal.as_vec3();
            sample.surface_id = hit.surface_id;
            sample.met = true;
        }
    }
    let limit = hit.map_or(f64::INFINITY, |hit| hit.distance);
    picture.crossings(&ray, limit, crossings);
    for crossing in crossings.iter().take(LAYERS).rev() {
        let (tint, cover, glint) = through(picture, &ray, crossing);
        sample.color = sample.color.mix(tint, cover) + glint;
        sample.reflected.response = sample.reflected.response * (1.0 - cover);
    }
    sample.met |= !crossings.is_empty();
    sample
}

/// How much a surface hides what is behind it: planes fade with the distance from what the picture
/// is about.
fn cover(picture: &PreparedPicture, ray: &Ray, hit: &Hit) -> f32 {
    match hit.kind {
        HitKind::Outside | HitKind::Cut => 1.0,
        HitKind::Plane(_) => 1.0 - faded(picture, ray.at(hit.distance)),
    }
}

/// 0 near what the picture is about, 1 far from it, without a visible edge.
fn faded(picture: &PreparedPicture, point: DVec3) -> f32 {
    let away = point.distance(picture.focus) / picture.radius.max(f64::MIN_POSITIVE);
    let beyond = ((away - FADE[0]) / FADE[1]).max(0.0);
    let left = (-beyond * beyond).exp() as f32;
    // Less than half a step of the 255 that a pixel has: nothing is left to see.
    if left < 0.002 { 1.0 } else { 1.0 - left }
}

/// The light that the surface met by a ray sends to the eye.
fn reflected(picture: &PreparedPicture, ray: &Ray, hit: &Hit, index: SampleIndex) -> Reflected {
    let own = match hit.kind {
        HitKind::Outside => hit.color,
        HitKind::Plane(number) => patterned(picture, &picture.planes[number], ray, hit),
        // Flat, so that a cut reads as a cut and its colour as that of the legend.
        HitKind::Cut => {
            return Reflected {
                color: hit.color.mix(Color::WHITE, 0.04) * 0.94,
                ..Reflected::default()
            };
        }
    };
    let at = ray.at(hit.distance);
    let start = at + LIFT * (hit.distance + at.length()) * hit.facing;
    let lamp = around_lamp(picture.lamp, LAMP_RADIUS, index.point(Purpose::Lamp));
    let slant = hit.normal.dot(lamp);
    let mut diffuse = sky_light(picture, start, hit, own, index);
    let mut shine = Color::BLACK;
    if slant > 0.0 && hit.facing.dot(lamp) > 0.0 && is_lit(picture, start, lamp) {
        diffuse += LAMP * slant as f32;
        if hit.kind == HitKind::Outside {
            let between = (lamp - ray.direction).normalize_or_zero();
            let glint = hit.normal.dot(between).max(0.0) as f32;
            shine = LAMP * (SHINE.0 * glint.powi(SHINE.1));
        }
    }
    if hit.kind == HitKind::Outside {
        let grazing = (1.0 + hit.normal.dot(ray.direction) as f32).clamp(0.0, 1.0);
        let high = 0.5 + 0.5 * hit.normal.dot(picture.up) as f32;
        shine += SKY[0] * (RIM * grazing.powi(3) * high);
    }
    let (color, slope) = shoulder(own.filter(diffuse) + shine);
    Reflected {
        color,
        light: diffuse,
        response: own.filter(slope),
    }
}

fn is_lit(picture: &PreparedPicture, start: DVec3, lamp: DVec3) -> bool {
    !picture.is_blocked(&Ray {
        origin: start,
        direction: lamp,
    })
}

/// Light of the surroundings from one direction of the half-space before a surface.
fn sky_light(
    picture: &PreparedPicture,
    start: DVec3,
    hit: &Hit,
    own: Color,
    index: SampleIndex,
) -> Color {
    let mut direction = around_cosine(hit.normal, index.point(Purpose::Sky));
    // Where a rounded normal leans, some directions go into the surface: they count as mirrored.
    let into = direction.dot(hit.facing);
    if into < 0.0 {
        direction -= 2.0 * into * hit.facing;
    }
    let ray = Ray {
        origin: start,
        direction,
    };
    if picture.is_blocked(&ray) {
        return own * RETURNED;
    }
    let Some((plane, distance)) = picture.nearest_plane(&ray) else {
        return sky(direction.dot(picture.up));
    };
    // The ground sends light back up where it is lit itself and has not faded.
    let at = ray.at(distance);
    let above = at + LIFT * (distance + at.length()) * plane.normal;
    let slant = plane.normal.dot(picture.lamp).max(0.0) as f32;
    let mut light = SKY[1] * 0.6;
    if is_lit(picture, above, picture.lamp) {
        light += LAMP * slant;
    }
    plane.color.filter(light) * 0.8
}

fn sky(rise: f64) -> Color {
    let rise = rise as f32;
    if rise > 0.0 {
        SKY[1].mix(SKY[0], rise)
    } else {
        SKY[1].mix(SKY[2], (-3.0 * rise).min(1.0))
    }
}

/// The ground's colour with its lines, a round distance apart.
fn patterned(picture: &PreparedPicture, plane: &EndlessPlane, ray: &Ray, hit: &Hit) -> Color {
    let spacing = round_below(0.5 * picture.radius);
    let off = ray.at(hit.distance) - plane.point;
    let slant = hit.facing.dot(ray.direction).abs().max(0.02);
    // As wide as a pixel at least, and fainter instead.
    let pixel = picture.eye.pixel_size(hit.distance) / slant;
    let width = (GRID.1 * spacing).max(1.5 * pixel);
    let strength = GRID.0 * (GRID.1 * spacing / width).sqrt() as f32;
    let mut line: f64 = 0.0;
    for along in plane.along {
        let place = off.dot(along) / spacing;
        let apart = (place - place.round()).abs() * spacing;
        line = line.max((1.0 - apart / width).clamp(0.0, 1.0));
    }
    hit.color * (1.0 - strength * line as f32)
}

/// Colour of a layer of glass, how much it hides what is behind it, and its shine.
fn through(picture: &PreparedPicture, ray: &Ray, crossing: &Crossing) -> (Color, f32, Color) {
    if crossing.edge {
        return (crossing.color * 0.3, 0.5, Color::BLACK);
    }
    let facing = (-crossing.normal.dot(ray.direction)).clamp(0.0, 1.0) as f32;
    let cover = 0.016 + 0.30 * (1.0 - facing).powi(5);
    let between = (picture.lamp - ray.direction).normalize_or_zero();
    let glint = crossing.normal.dot(between).max(0.0) as f32;
    (crossing.color, cover, LAMP * (0.09 * glint.powi(80)))
}

/// Bends what is brighter than paper back below white instead of cutting it off; and the slope of
/// that curve.
fn shoulder(color: Color) -> (Color, Color) {
    /// Up to here colours are as they are, so that those of a legend keep their looks.
    const BEND: f32 = 0.8;
    let slope = |v: f32| (-(v - BEND).max(0.0) / (1.0 - BEND)).exp();
    let bent = color
        .linear
        .map(|v| v.min(BEND) + (1.0 - BEND) * (1.0 - slope(v)));
    let slopes = color.linear.map(slope);
    (Color { linear: bent }, Color { linear: slopes })
}
