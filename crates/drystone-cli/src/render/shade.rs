//! How light a point is: a soft lamp with shadows, a bright sky that corners see little of, a little shine.

use glam::DVec3;

use super::color::Color;
use super::overlay::round_below;
use super::sampling::{Purpose, around_cosine, around_lamp, point};
use super::shape::Ray;
use super::stage::{Crossing, Hit, Kind, LIFT, PlaneThing, Stage};

/// Light of the lamp on a surface that faces it.
const LAMP: Color = Color {
    linear: [0.86, 0.82, 0.76],
};
/// Tangent of the lamp's angular radius: shadows grow softer with it.
const LAMP_RADIUS: f64 = 0.13;
/// Light of the sky overhead, at the horizon and from below.
const SKY: [Color; 3] = [
    Color {
        linear: [0.50, 0.53, 0.57],
    },
    Color {
        linear: [0.40, 0.41, 0.43],
    },
    Color {
        linear: [0.16, 0.155, 0.15],
    },
];
/// Share of a surface's own light that comes back to it out of a corner.
const RETURNED: f32 = 0.24;
/// Shine of the lamp on smooth solids: its strength and how small it is.
const SHINE: (f32, i32) = (0.10, 48);
/// Brightening of outlines against the light.
const RIM: f32 = 0.10;
/// Radii of what the picture is about from its middle at which the ground begins and ends to fade.
const FADE: [f64; 2] = [1.1, 4.2];
/// Darkening by the lines on the ground, and their width in units of their distance.
const GRID: (f32, f64) = (0.10, 0.012);
/// Samples after which a pixel that met nothing counts as empty.
const TRIED: u32 = 4;
/// More layers of glass than this look no different.
const LAYERS: usize = 24;

/// The colour of a pixel.
pub fn pixel(stage: &Stage, x: u32, y: u32, samples: u32) -> Color {
    let (mut sum, mut met, mut taken) = (Color::BLACK, false, 0);
    let mut crossings = Vec::new();
    while taken < samples && (met || taken < TRIED) {
        let chance = Chance {
            pixel: [x, y],
            index: taken,
            count: samples,
        };
        let (color, anything) = sample(stage, chance, &mut crossings);
        sum += color;
        met |= anything;
        taken += 1;
    }
    sum * (1.0 / taken as f32)
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

/// One sample of a pixel, and whether it met anything.
fn sample(stage: &Stage, chance: Chance, crossings: &mut Vec<Crossing>) -> (Color, bool) {
    let [u, v] = chance.point(Purpose::Pixel);
    let [x, y] = chance.pixel.map(f64::from);
    let ray = stage.eye.ray(x + u, y + v);
    let down = stage.eye.down(y + v) as f32;
    let behind = stage.background.top.mix(stage.background.bottom, down);
    let hit = stage.first(&ray);
    let (mut color, mut met) = (behind, false);
    if let Some(hit) = &hit {
        let cover = cover(stage, &ray, hit);
        if cover > 0.0 {
            met = true;
            color = behind.mix(surface(stage, &ray, hit, chance), cover);
        }
    }
    let limit = hit.map_or(f64::INFINITY, |hit| hit.distance);
    stage.crossings(&ray, limit, crossings);
    for crossing in crossings.iter().take(LAYERS).rev() {
        color = through(stage, &ray, crossing, color);
    }
    (color, met || !crossings.is_empty())
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
    let share = ((away - FADE[0]) / (FADE[1] - FADE[0])).clamp(0.0, 1.0);
    (share * share * (3.0 - 2.0 * share)) as f32
}

/// The light that a surface sends to the eye.
fn surface(stage: &Stage, ray: &Ray, hit: &Hit, chance: Chance) -> Color {
    let own = match hit.kind {
        Kind::Solid => hit.color,
        Kind::Plane(index) => patterned(stage, &stage.planes[index], ray, hit),
        // Flat, so that a cut reads as a cut and its colour as that of the legend.
        Kind::Cut => return hit.color.mix(Color::WHITE, 0.04) * 0.94,
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
    shoulder(own.filter(diffuse) + shine)
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

/// What is behind a layer of glass, through it.
fn through(stage: &Stage, ray: &Ray, crossing: &Crossing, behind: Color) -> Color {
    if crossing.edge {
        return behind.mix(crossing.color * 0.35, 0.55);
    }
    let facing = (-crossing.normal.dot(ray.direction)).clamp(0.0, 1.0) as f32;
    let grazing = (1.0 - facing).powi(4);
    let between = (stage.lamp - ray.direction).normalize_or_zero();
    let glint = crossing.normal.dot(between).max(0.0) as f32;
    let tint = crossing.color.mix(Color::WHITE, 0.35);
    behind.mix(tint, 0.05 + 0.35 * grazing) + LAMP * (0.10 * glint.powi(80))
}

/// Bends what is brighter than paper back below white instead of cutting it off.
fn shoulder(color: Color) -> Color {
    const BEND: f32 = 0.8;
    Color {
        linear: color.linear.map(|v| {
            if v <= BEND {
                v
            } else {
                BEND + (1.0 - BEND) * (1.0 - (-(v - BEND) / (1.0 - BEND)).exp())
            }
        }),
    }
}
