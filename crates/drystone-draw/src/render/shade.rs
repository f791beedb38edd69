//! How light a point is: a soft lamp with shadows, a bright sky that corners see little of, a little shine.

use glam::{DVec3, Vec3};

use super::color::Color;
use super::filter::Pixel;
use super::legend::round_below;
use super::sampling::{Purpose, around_cosine, around_lamp, point};
use super::shape::Ray;
use super::stage::{Crossing, Hit, Kind, LIFT, PlaneThing, Stage};

/// Light of the lamp on a surface that faces it.
const LAMP: Color = Color {
    linear: [0.96, 0.93, 0.88],
};
/// Tangent of the lamp's angular radius: shadows grow softer with it.
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
/// Where the ground begins to fade, and how slowly: in radii of what the picture is about, from its middle.
const FADE: [f64; 2] = [0.9, 1.9];
/// Darkening by the lines on the ground, and their width in units of their distance.
const GRID: (f32, f64) = (0.10, 0.012);
/// Samples after which a pixel that met nothing counts as empty.
const TRIED: u32 = 4;
/// More layers of glass than this look no different.
const LAYERS: usize = 24;

/// A pixel.
pub fn pixel(stage: &Stage, x: u32, y: u32, samples: u32) -> Pixel {
    let (mut pixel, mut met, mut taken) = (Pixel::default(), false, 0);
    let mut crossings = Vec::new();
    while taken < samples && (met || taken < TRIED) {
        let chance = Chance {
            pixel: [x, y],
            index: taken,
            count: samples,
        };
        let sample = sample(stage, chance, &mut crossings);
        pixel.color += sample.color;
        pixel.light += sample.lit.light;
        pixel.response += sample.lit.response;
        pixel.normal += sample.normal;
        if taken == 0 {
            pixel.surface = sample.surface;
        } else if pixel.surface != sample.surface {
            pixel.surface = Pixel::MIXED;
        }
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

/// What one ray from the eye found.
struct Sample {
    color: Color,
    lit: Lit,
    normal: Vec3,
    surface: u32,
    /// Whether there was anything but background.
    met: bool,
}

/// How a surface sends light to the eye.
#[derive(Clone, Copy, Default)]
struct Lit {
    color: Color,
    /// What falls on it.
    light: Color,
    /// By how much its colour changes with the light.
    response: Color,
}

/// Which points of its sequences a sample takes.
#[derive(Clone, Copy)]
struct Chance {
    pixel: [u32; 2],
    index: u32,
    count: u32,
}

impl Chance {
    fn point(self, purpose: Purpose) -> [f64; 2] {
        let [x, y] = self.pixel;
        point(x, y, self.index, self.count, purpose)
    }
}

/// One sample of a pixel.
fn sample(stage: &Stage, chance: Chance, crossings: &mut Vec<Crossing>) -> Sample {
    let [u, v] = chance.point(Purpose::Pixel);
    let [x, y] = chance.pixel.map(f64::from);
    let ray = stage.eye.ray(x + u, y + v);
    let down = stage.eye.down(y + v) as f32;
    let behind = stage.background.top.mix(stage.background.bottom, down);
    let hit = stage.first(&ray);
    let mut sample = Sample {
        color: behind,
        lit: Lit::default(),
        normal: Vec3::ZERO,
        surface: Pixel::MIXED,
        met: false,
    };
    if let Some(hit) = &hit {
        let cover = cover(stage, &ray, hit);
        if cover > 0.0 {
            sample.lit = surface(stage, &ray, hit, chance);
            sample.lit.response = sample.lit.response * cover;
            sample.color = behind.mix(sample.lit.color, cover);
            sample.normal = hit.normal.as_vec3();
            sample.surface = hit.surface;
            sample.met = true;
        }
    }
    let limit = hit.map_or(f64::INFINITY, |hit| hit.distance);
    stage.crossings(&ray, limit, crossings);
    for crossing in crossings.iter().take(LAYERS).rev() {
        let (tint, cover, glint) = through(stage, &ray, crossing);
        sample.color = sample.color.mix(tint, cover) + glint;
        sample.lit.response = sample.lit.response * (1.0 - cover);
    }
    sample.met |= !crossings.is_empty();
    sample
}

/// How much a surface hides what is behind it: planes fade with the distance from what the picture is about.
fn cover(stage: &Stage, ray: &Ray, hit: &Hit) -> f32 {
    match hit.kind {
        Kind::Solid | Kind::Cut => 1.0,
        Kind::Plane(_) => 1.0 - faded(stage, ray.at(hit.distance)),
    }
}

/// 0 near what the picture is about, 1 far from it, without a visible edge.
fn faded(stage: &Stage, point: DVec3) -> f32 {
    let away = point.distance(stage.focus) / stage.radius.max(f64::MIN_POSITIVE);
    let beyond = ((away - FADE[0]) / FADE[1]).max(0.0);
    let left = (-beyond * beyond).exp() as f32;
    if left < 0.002 { 1.0 } else { 1.0 - left }
}

/// The light that a surface sends to the eye.
fn surface(stage: &Stage, ray: &Ray, hit: &Hit, chance: Chance) -> Lit {
    let own = match hit.kind {
        Kind::Solid => hit.color,
        Kind::Plane(index) => patterned(stage, &stage.planes[index], ray, hit),
        // Flat, so that a cut reads as a cut and its colour as that of the legend.
        Kind::Cut => {
            return Lit {
                color: hit.color.mix(Color::WHITE, 0.04) * 0.94,
                ..Lit::default()
            };
        }
    };
    let at = ray.at(hit.distance);
    let start = at + LIFT * (hit.distance + at.length()) * hit.facing;
    let lamp = around_lamp(stage.lamp, LAMP_RADIUS, chance.point(Purpose::Lamp));
    let slant = hit.normal.dot(lamp);
    let mut diffuse = sky_light(stage, start, hit, own, chance);
    let mut shine = Color::BLACK;
    if slant > 0.0 && hit.facing.dot(lamp) > 0.0 && is_lit(stage, start, lamp) {
        diffuse += LAMP * slant as f32;
        if hit.kind == Kind::Solid {
            let between = (lamp - ray.direction).normalize_or_zero();
            let glint = hit.normal.dot(between).max(0.0) as f32;
            shine = LAMP * (SHINE.0 * glint.powi(SHINE.1));
        }
    }
    if hit.kind == Kind::Solid {
        let grazing = (1.0 + hit.normal.dot(ray.direction) as f32).clamp(0.0, 1.0);
        let high = 0.5 + 0.5 * hit.normal.dot(stage.up) as f32;
        shine += SKY[0] * (RIM * grazing.powi(3) * high);
    }
    let (color, slope) = shoulder(own.filter(diffuse) + shine);
    Lit {
        color,
        light: diffuse,
        response: own.filter(slope),
    }
}

fn is_lit(stage: &Stage, start: DVec3, lamp: DVec3) -> bool {
    !stage.is_blocked(&Ray {
        origin: start,
        direction: lamp,
    })
}

/// Light of the surroundings from one direction of the half-space before a surface.
fn sky_light(stage: &Stage, start: DVec3, hit: &Hit, own: Color, chance: Chance) -> Color {
    let mut direction = around_cosine(hit.normal, chance.point(Purpose::Sky));
    // Where a rounded normal leans, some directions go into the surface: they count as mirrored.
    let into = direction.dot(hit.facing);
    if into < 0.0 {
        direction -= 2.0 * into * hit.facing;
    }
    let ray = Ray {
        origin: start,
        direction,
    };
    if stage.is_blocked(&ray) {
        return own * RETURNED;
    }
    let Some((plane, distance)) = stage.nearest_plane(&ray) else {
        return sky(direction.dot(stage.up));
    };
    // The ground sends light back up where it is lit itself and has not faded.
    let at = ray.at(distance);
    let above = at + LIFT * (distance + at.length()) * plane.normal;
    let slant = plane.normal.dot(stage.lamp).max(0.0) as f32;
    let mut light = SKY[1] * 0.6;
    if is_lit(stage, above, stage.lamp) {
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
fn patterned(stage: &Stage, plane: &PlaneThing, ray: &Ray, hit: &Hit) -> Color {
    let spacing = round_below(0.5 * stage.radius);
    let off = ray.at(hit.distance) - plane.point;
    let slant = hit.facing.dot(ray.direction).abs().max(0.02);
    // As wide as a pixel at least, and fainter instead.
    let pixel = stage.eye.pixel_size(hit.distance) / slant;
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
fn through(stage: &Stage, ray: &Ray, crossing: &Crossing) -> (Color, f32, Color) {
    if crossing.edge {
        return (crossing.color * 0.3, 0.5, Color::BLACK);
    }
    let facing = (-crossing.normal.dot(ray.direction)).clamp(0.0, 1.0) as f32;
    let cover = 0.016 + 0.30 * (1.0 - facing).powi(5);
    let between = (stage.lamp - ray.direction).normalize_or_zero();
    let glint = crossing.normal.dot(between).max(0.0) as f32;
    (crossing.color, cover, LAMP * (0.09 * glint.powi(80)))
}

/// Bends what is brighter than paper back below white instead of cutting it off; and the slope of that curve.
fn shoulder(color: Color) -> (Color, Color) {
    const BEND: f32 = 0.8;
    let slope = |v: f32| (-(v - BEND).max(0.0) / (1.0 - BEND)).exp();
    let bent = color
        .linear
        .map(|v| v.min(BEND) + (1.0 - BEND) * (1.0 - slope(v)));
    let slopes = color.linear.map(slope);
    (Color { linear: bent }, Color { linear: slopes })
}
