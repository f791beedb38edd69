//! Pictures to look at after a change of the ray tracer, and how long each took. They are written
//! to `target/gallery`:
//!
//! ```text
//! cargo run --release -p drystone-draw --example gallery          # all
//! cargo run --release -p drystone-draw --example gallery heap     # those with this in their name
//! ```
#![allow(clippy::print_stdout, reason = "a program")]

use std::collections::BTreeMap;
use std::error::Error;
use std::f64::consts::{PI, TAU};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use drystone::shape::TriangleSoup;
use drystone::{Pose, Shape, ShapeError};
use drystone_draw::render::color::{category, ground, stone};
use drystone_draw::render::{
    Camera, ClipPlane, Color, ColorScale, DrawnShape, Legend, Margin, Picture, framed_bounds,
    render,
};
use drystone_scene::view::CameraView;
use glam::{DQuat, DVec2, DVec3, EulerRot};

/// Fixed numbers between 0 and 1 without pattern.
struct Random(u64);

impl Random {
    fn share(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let mixed = (self.0 >> 33) ^ self.0;
        (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.share()
    }

    fn turn(&mut self) -> DQuat {
        let [a, b, c] = [self.share(), self.share(), self.share()];
        DQuat::from_euler(EulerRot::ZXZ, TAU * a, (2.0 * b - 1.0).acos(), TAU * c)
    }
}

/// Lets balls sink onto the ground, pushing each other apart, between walls at `half` from the
/// axes: a heap for the eye, not for physics.
fn settle(balls: &mut [(DVec3, f64)], half: DVec2, rounds: usize) {
    let cell = 2.0 * balls.iter().map(|b| b.1).fold(0.0, f64::max);
    let key = |p: DVec3| (p / cell).floor().as_i64vec3();
    for round in 0..rounds {
        let sink = if 4 * round < 3 * rounds {
            0.2 * cell
        } else {
            0.0
        };
        let mut cells: BTreeMap<[i64; 3], Vec<usize>> = BTreeMap::new();
        for (k, (p, _)) in balls.iter_mut().enumerate() {
            p.z -= sink;
            cells.entry(key(*p).to_array()).or_default().push(k);
        }
        for k in 0..balls.len() {
            let at = key(balls[k].0).to_array();
            for n in 0..27 {
                let near = [at[0] + n % 3 - 1, at[1] + n / 3 % 3 - 1, at[2] + n / 9 - 1];
                for &j in cells.get(&near).map_or(&[][..], |c| c) {
                    let apart = balls[k].0 - balls[j].0;
                    let overlap = balls[k].1 + balls[j].1 - apart.length();
                    if j < k && overlap > 0.0 {
                        let push = 0.5 * overlap * apart.normalize_or(DVec3::Z);
                        balls[k].0 += push;
                        balls[j].0 -= push;
                    }
                }
            }
            let (p, r) = &mut balls[k];
            p.z = p.z.max(*r);
            let free = (half - DVec2::splat(*r)).max(DVec2::ZERO);
            let level = p.truncate().clamp(-free, free);
            *p = level.extend(p.z);
        }
    }
}

fn ground_plane() -> DrawnShape {
    DrawnShape::new(Shape::plane(), Pose::IDENTITY, ground())
}

/// Four glass walls of an open box around the origin.
fn walls(half: DVec2, height: f64, thick: f64) -> Result<[DrawnShape; 4], ShapeError> {
    let glass = Color::rgb8(0x9f, 0xb8, 0xc8);
    let wall = |x: f64, y: f64, hx: f64, hy: f64| {
        let block = Shape::box_of([hx, hy, 0.5 * height])?;
        Ok(DrawnShape::new(block, Pose::at([x, y, 0.5 * height]), glass).glass())
    };
    let t = 0.5 * thick;
    Ok([
        wall(half.x + t, 0.0, t, half.y)?,
        wall(-half.x - t, 0.0, t, half.y)?,
        wall(0.0, half.y + t, half.x + thick, t)?,
        wall(0.0, -half.y - t, half.x + thick, t)?,
    ])
}

fn sphere_heap(count: usize) -> Result<Picture, ShapeError> {
    let mut random = Random(7);
    let half = DVec2::new(0.1, 0.07);
    let mut balls: Vec<(DVec3, f64)> = (0..count)
        .map(|_| {
            let p = DVec3::new(
                random.between(-half.x, half.x),
                random.between(-half.y, half.y),
                random.between(0.0, 0.5),
            );
            (p, random.between(0.003, 0.0075))
        })
        .collect();
    settle(&mut balls, half, 320);
    let scale = ColorScale::new("size", "m", [0.006, 0.015]);
    let mut shapes = vec![ground_plane()];
    for (p, r) in balls {
        let color = scale.color(2.0 * r);
        shapes.push(DrawnShape::new(Shape::sphere(r)?, Pose::at(p), color));
    }
    shapes.extend(walls(half, 0.16, 0.004)?);
    let mut picture = Picture::new(1280, 720, shapes);
    let (view, bounds) = (CameraView::default(), framed_bounds(&picture.shapes));
    picture.camera = Camera::of_view(&view, bounds, 16.0 / 9.0, Margin::beside_legend());
    picture.legend = Some(Legend::Scale(scale));
    picture.scale_bar = true;
    picture.title = Some("Grains in a box".to_owned());
    picture.caption = Some("t = 1.25 s".to_owned());
    Ok(picture)
}

fn brick_wall() -> Result<Picture, ShapeError> {
    let mut random = Random(3);
    let size = DVec3::new(0.24, 0.115, 0.071);
    let mut shapes = vec![ground_plane()];
    for row in 0..12 {
        for column in 0..9 {
            let shift = if row % 2 == 0 { 0.0 } else { 0.5 * size.x };
            let x = (f64::from(column) - 4.0) * (size.x + 0.002) + shift;
            let z = (f64::from(row) + 0.5) * (size.z + 0.0005);
            let y = random.between(-0.004, 0.004);
            // A ball has gone through it.
            let blow = DVec2::new(x - 0.25, z - 0.5);
            if blow.length() < 0.17 {
                continue;
            }
            let push = (0.25 - blow.length()).max(0.0);
            let turn = DQuat::from_rotation_z(
                random.between(-0.01, 0.01) + 2.0 * push * random.between(-1.0, 1.0),
            );
            let brick = Shape::box_of(0.5 * size * 0.995)?;
            let pose = Pose::new([x, y + 0.9 * push, z], turn);
            let color = stone(row as u64 * 100 + column as u64);
            shapes.push(DrawnShape::new(brick, pose, color));
        }
    }
    for k in 0..11 {
        let flat = DQuat::from_rotation_z(random.between(0.0, PI));
        let p = DVec3::new(
            random.between(-0.35, 0.75),
            random.between(-0.65, -0.25),
            0.5 * size.z,
        );
        let brick = Shape::box_of(0.5 * size)?;
        shapes.push(DrawnShape::new(brick, Pose::new(p, flat), stone(9000 + k)));
    }
    shapes.push(DrawnShape::new(
        Shape::sphere(0.13)?,
        Pose::at([0.5, -0.85, 0.13]),
        Color::rgb8(0x3c, 0x44, 0x4c),
    ));
    let mut picture = Picture::new(1280, 720, shapes);
    picture.scale_bar = true;
    Ok(picture)
}

fn mixed() -> Result<Picture, ShapeError> {
    let mut random = Random(11);
    let half = DVec2::splat(0.5);
    let mut balls: Vec<(DVec3, f64)> = (0..420)
        .map(|_| {
            let p = DVec3::new(
                random.between(-0.4, 0.4),
                random.between(-0.4, 0.4),
                random.between(0.0, 2.0),
            );
            (p, random.between(0.04, 0.065))
        })
        .collect();
    settle(&mut balls, half, 200);
    let names = ["ellipsoid", "cylinder", "capsule", "cone", "box", "sphere"];
    let mut shapes = vec![ground_plane()];
    for (k, (p, r)) in balls.iter().enumerate() {
        let r = 0.98 * r;
        let shape = match k % 6 {
            0 => Shape::ellipsoid(r * DVec3::new(1.25, 0.75, 0.95)),
            1 => Shape::cylinder(0.7 * r, 0.8 * r),
            2 => Shape::capsule(0.6 * r, 0.6 * r),
            3 => Shape::cone(r, 0.8 * r),
            4 => Shape::box_of(r * DVec3::new(0.8, 0.6, 0.7)),
            _ => Shape::sphere(r),
        };
        let pose = Pose::new(*p, random.turn());
        shapes.push(DrawnShape::new(shape?, pose, category(k % 6)));
    }
    let mut picture = Picture::new(1280, 720, shapes);
    let entries = names
        .iter()
        .enumerate()
        .map(|(k, n)| ((*n).to_owned(), category(k)))
        .collect();
    picture.legend = Some(Legend::Names {
        heading: "material".to_owned(),
        entries,
    });
    picture.scale_bar = true;
    Ok(picture)
}

/// A shell of glass around the z axis, as a mesh of two turned profiles.
fn hourglass_mesh(thick: f64) -> Result<Shape, ShapeError> {
    let (rings, around) = (64u32, 96u32);
    let radius = |z: f64| 0.012 + 0.20 * (1.0 - (PI * z).cos()) * 0.5;
    let mut soup = TriangleSoup::default();
    for side in 0..2u32 {
        for ring in 0..=rings {
            let z = 2.0 * f64::from(ring) / f64::from(rings) - 1.0;
            let r = radius(z) + if side == 0 { 0.0 } else { thick };
            for k in 0..around {
                let (sin, cos) = (TAU * f64::from(k) / f64::from(around)).sin_cos();
                soup.vertices.push(DVec3::new(r * cos, r * sin, 0.4 * z));
            }
        }
    }
    let at = |side: u32, ring: u32, k: u32| (side * (rings + 1) + ring) * around + k % around;
    for ring in 0..rings {
        for k in 0..around {
            let (a, b, c, d) = (
                at(1, ring, k),
                at(1, ring, k + 1),
                at(1, ring + 1, k + 1),
                at(1, ring + 1, k),
            );
            soup.triangles.extend([[a, b, c], [a, c, d]]);
            let (a, b, c, d) = (
                at(0, ring, k),
                at(0, ring, k + 1),
                at(0, ring + 1, k + 1),
                at(0, ring + 1, k),
            );
            soup.triangles.extend([[a, c, b], [a, d, c]]);
        }
    }
    for k in 0..around {
        let (a, b, c, d) = (at(0, 0, k), at(0, 0, k + 1), at(1, 0, k + 1), at(1, 0, k));
        soup.triangles.extend([[a, b, c], [a, c, d]]);
        let (a, b, c, d) = (
            at(0, rings, k),
            at(0, rings, k + 1),
            at(1, rings, k + 1),
            at(1, rings, k),
        );
        soup.triangles.extend([[a, c, b], [a, d, c]]);
    }
    Ok(Shape::mesh(soup.try_into()?))
}

fn hourglass() -> Result<Picture, ShapeError> {
    let mut random = Random(5);
    let mut shapes = vec![ground_plane()];
    let radius = |z: f64| 0.012 + 0.20 * (1.0 - (PI * z / 0.4).cos()) * 0.5;
    let scale = ColorScale::new("speed", "m/s", [0.0, 0.6]);
    let mut balls: Vec<(DVec3, f64)> = Vec::new();
    // Scattered, then kept where nothing is: sand above, a heap below, a thread between.
    for _ in 0..400_000 {
        let z = random.between(-0.39, 0.16);
        let (p, r) = (random.between(-0.21, 0.21), 0.0052);
        let q = random.between(-0.21, 0.21);
        let away = p.hypot(q);
        let inside = away < radius(z) - r;
        let below = z < -0.22 - 0.45 * away && inside;
        let above = z > 0.0 && z < 0.12 + 0.35 * away && inside;
        let falling = z <= 0.02 && away < 0.004 && random.share() < 0.3;
        let at = DVec3::new(p, q, z);
        if (below || above || falling) && balls.iter().all(|(o, s)| o.distance(at) > r + s) {
            balls.push((at, r));
        }
    }
    for (p, r) in &balls {
        let fall = if p.z < 0.03 && p.truncate().length() < 0.02 && p.z > -0.24 {
            (0.03 - p.z) * 2.2
        } else {
            0.0
        };
        let speed = (fall + 0.05 * (1.0 - p.z / 0.2).max(0.0) * random.share()).min(0.6);
        let pose = Pose::at(*p + 0.42 * DVec3::Z);
        shapes.push(DrawnShape::new(
            Shape::sphere(*r)?,
            pose,
            scale.color(speed),
        ));
    }
    let (middle, glass) = (Pose::at([0.0, 0.0, 0.42]), Color::rgb8(0xa8, 0xc4, 0xd4));
    shapes.push(DrawnShape {
        framed: true,
        ..DrawnShape::new(hourglass_mesh(0.008)?, middle, glass).glass()
    });
    for z in [0.01, 0.83] {
        let (lid, wood) = (Shape::cylinder(0.25, 0.01)?, Color::rgb8(0xb0, 0x8a, 0x62));
        shapes.push(DrawnShape::new(lid, Pose::at([0.0, 0.0, z]), wood));
    }
    let mut picture = Picture::new(900, 1100, shapes);
    picture.legend = Some(Legend::Scale(scale));
    picture.scale_bar = true;
    picture.caption = Some("t = 3.4 s".to_owned());
    Ok(picture)
}

fn keep(name: &str, picture: &Picture) -> Result<(), Box<dyn Error>> {
    let begun = Instant::now();
    let image = render(picture, &|_| ControlFlow::Continue(()))?;
    println!("{name}: {:.2} s", begun.elapsed().as_secs_f64());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/gallery");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join(format!("{name}.png")), image.to_png()?)?;
    Ok(())
}

/// Many balls in a block, for the clock.
fn many_balls() -> Result<Picture, ShapeError> {
    let mut random = Random(1);
    let mut shapes = vec![ground_plane()];
    for k in 0..100_000u32 {
        let (i, j, h) = (k % 64, k / 64 % 40, k / 2560);
        let jitter = 0.3 * DVec3::new(random.share(), random.share(), random.share());
        let p = (DVec3::new(f64::from(i), f64::from(j), f64::from(h) + 0.5) + jitter) * 0.01;
        let ball = Shape::sphere(random.between(0.0035, 0.0055))?;
        shapes.push(DrawnShape::new(ball, Pose::at(p), stone(u64::from(k))));
    }
    Ok(Picture::new(1280, 720, shapes))
}

fn seen_from_above() -> Result<Picture, Box<dyn Error>> {
    let mut picture = sphere_heap(1500)?;
    let (view, bounds) = ("top,ortho".parse()?, framed_bounds(&picture.shapes));
    picture.camera = Camera::of_view(&view, bounds, 16.0 / 9.0, Margin::default());
    Ok(picture)
}

fn cut_open() -> Result<Picture, ShapeError> {
    let mut picture = mixed()?;
    picture.clip = vec![ClipPlane {
        point: DVec3::new(0.0, -0.05, 0.0),
        normal: DVec3::new(0.6, -1.0, 0.0),
    }];
    Ok(picture)
}

fn main() -> Result<(), Box<dyn Error>> {
    type Make = fn() -> Result<Picture, Box<dyn Error>>;
    let pictures: [(&str, Make); 7] = [
        ("top", seen_from_above),
        ("many", || Ok(many_balls()?)),
        ("heap", || Ok(sphere_heap(5000)?)),
        ("bricks", || Ok(brick_wall()?)),
        ("mixed", || Ok(mixed()?)),
        ("hourglass", || Ok(hourglass()?)),
        ("cut", || Ok(cut_open()?)),
    ];
    let only = std::env::args().nth(1).unwrap_or_default();
    for (name, picture) in pictures {
        if name.contains(&only) {
            keep(name, &picture()?)?;
        }
    }
    Ok(())
}
