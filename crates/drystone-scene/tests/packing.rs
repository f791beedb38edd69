//! Packings: nothing overlaps, all is inside, sizes follow their distributions, the same seed gives
//! the same grains.

#![allow(clippy::unwrap_used)]

mod errors;
mod sizes;

use std::f64::consts::PI;

use drystone::{Aabb, Pose, Shape};
use drystone_scene::packing::{
    Amount, Arrangement, FillError, FillSpec, Grain, Lattice, Obstacle, Orientation, Region, Sizes,
    Template, fill, fill_where,
};
use glam::{DQuat, DVec3};
use proptest::prelude::*;

fn balls(sizes: Sizes) -> Vec<Template> {
    vec![Template::new(Shape::sphere(1.0).unwrap(), sizes)]
}

fn unit_box() -> Region {
    Region::box_between([0.0; 3], [1.0; 3])
}

fn spec(region: Region, arrangement: Arrangement, count: usize, sizes: Sizes) -> FillSpec {
    FillSpec {
        region,
        arrangement,
        amount: Amount::Count(count),
        templates: balls(sizes),
        obstacles: vec![],
        seed: 7,
    }
}

fn lattice(kind: Lattice, spacing: f64, jitter: f64) -> Arrangement {
    Arrangement::Lattice {
        kind,
        spacing,
        jitter,
    }
}

/// The deepest overlap of any two bounding balls over the smaller radius, by comparing each with
/// all that follow along x.
fn deepest_overlap(grains: &[Grain]) -> f64 {
    let mut sorted: Vec<_> = grains.iter().map(|g| (g.center, g.radius)).collect();
    sorted.sort_by(|a, b| a.0.x.total_cmp(&b.0.x));
    let largest = sorted.iter().map(|g| g.1).fold(0.0, f64::max);
    let mut deepest = 0.0_f64;
    for (i, a) in sorted.iter().enumerate() {
        for b in &sorted[i + 1..] {
            if b.0.x - a.0.x > 2.0 * largest {
                break;
            }
            let overlap = a.1 + b.1 - a.0.distance(b.0);
            deepest = deepest.max(overlap / a.1.min(b.1));
        }
    }
    deepest
}

fn any_region() -> impl Strategy<Value = Region> {
    let point = (-1.0..1.0, -1.0..1.0, -1.0..1.0).prop_map(|(x, y, z)| DVec3::new(x, y, z));
    let axis = (0.1..1.0, -1.0..1.0, -1.0..1.0).prop_map(|(x, y, z)| DVec3::new(x, y, z));
    let length = || 0.4..1.5_f64;
    prop_oneof![
        (point.clone(), length(), length(), length())
            .prop_map(|(min, x, y, z)| Region::box_between(min, min + DVec3::new(x, y, z))),
        (point.clone(), axis.clone(), length(), length()).prop_map(
            |(base, axis, radius, height)| Region::Cylinder {
                base,
                axis,
                radius,
                height
            }
        ),
        (point.clone(), length()).prop_map(|(center, radius)| Region::sphere(center, radius)),
        (point, axis, 0.0..1.5, length(), length()).prop_map(
            |(base, axis, bottom_radius, top_radius, height)| Region::Frustum {
                base,
                axis,
                bottom_radius,
                top_radius,
                height
            }
        ),
    ]
}

fn any_arrangement() -> impl Strategy<Value = Arrangement> {
    let kind = prop_oneof![Just(Lattice::SimpleCubic), Just(Lattice::FaceCentred)];
    prop_oneof![
        (kind, 1.0..1.5, 0.0..=1.0)
            .prop_map(|(kind, spacing, jitter)| lattice(kind, spacing, jitter)),
        Just(Arrangement::Random),
    ]
}

/// Whether points all over a ball's surface lie in a region, by the region's inequalities alone.
fn surface_inside(region: &Region, center: DVec3, radius: f64) -> bool {
    let eps = 1e-9;
    let inside = |p: DVec3| match *region {
        Region::Box { min, max } => Aabb { min, max }.grown(eps).contains(p),
        Region::Sphere { center, radius } => p.distance(center) <= radius + eps,
        Region::Cylinder {
            base,
            axis,
            radius,
            height,
        } => {
            let along = (p - base).dot(axis.normalize());
            let across = (p - base - along * axis.normalize()).length();
            across <= radius + eps && (-eps..=height + eps).contains(&along)
        }
        Region::Frustum {
            base,
            axis,
            bottom_radius,
            top_radius,
            height,
        } => {
            let along = (p - base).dot(axis.normalize());
            let across = (p - base - along * axis.normalize()).length();
            let wall = bottom_radius + (top_radius - bottom_radius) * along / height;
            across <= wall + eps && (-eps..=height + eps).contains(&along)
        }
    };
    surface(center, radius).all(inside)
}

/// Points all over a ball's surface, on a spiral from pole to pole.
fn surface(center: DVec3, radius: f64) -> impl Iterator<Item = DVec3> {
    (0..200).map(move |k| {
        let z: f64 = -1.0 + (2 * k + 1) as f64 / 200.0;
        let (sin, cos) = (2.4 * k as f64).sin_cos();
        let ring = (1.0 - z * z).sqrt();
        center + radius * DVec3::new(ring * cos, ring * sin, z)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn grains_do_not_overlap_and_are_inside(
        region in any_region(),
        arrangement in any_arrangement(),
        ratio in 1.01..12.0_f64,
        seed in any::<u64>(),
    ) {
        let max = 0.15;
        let sizes = Sizes::PowerLaw { min: max / ratio, max, dimension: 2.5 };
        let mut spec = spec(region, arrangement, 150, sizes);
        spec.seed = seed;
        spec.obstacles = vec![
            Obstacle::Ball { center: DVec3::splat(0.2), radius: 0.25 },
            Obstacle::Box(Aabb { min: DVec3::splat(-0.5), max: DVec3::splat(-0.1) }),
        ];
        let apart = |center: DVec3, radius: f64| (center.x - 0.3).abs() >= radius;
        match fill_where(&spec, &apart) {
            Ok(grains) => {
                prop_assert_eq!(grains.len(), 150);
                prop_assert!(deepest_overlap(&grains) < 1e-12);
                for g in &grains {
                    prop_assert!(region.contains_ball(g.center, g.radius));
                    prop_assert!(surface_inside(&region, g.center, g.radius));
                    prop_assert!(g.center.distance(DVec3::splat(0.2)) >= 0.25 + g.radius);
                    let nearest = g.center.clamp(DVec3::splat(-0.5), DVec3::splat(-0.1));
                    prop_assert!(g.center.distance(nearest) >= g.radius * (1.0 - 1e-12));
                    prop_assert!((g.center.x - 0.3).abs() >= g.radius);
                    prop_assert!((2.0 * g.radius - g.size).abs() < 1e-12);
                }
            }
            // A small region or a loose lattice may be full.
            Err(FillError::Full { placed, wanted, percent, .. }) => {
                prop_assert!(placed < wanted && (0.0..80.0).contains(&percent));
            }
            Err(FillError::NoRoom { radius, room, .. }) => prop_assert!(radius > room),
            Err(other) => prop_assert!(false, "{}", other),
        }
    }

    /// A ball that the region is said to contain has its whole surface inside; one just larger has
    /// not.
    #[test]
    fn containment_is_sharp(region in any_region(), x in -1.5..1.5_f64, y in -1.5..1.5_f64, z in -1.5..1.5_f64) {
        let center = DVec3::new(x, y, z);
        prop_assume!(region.contains_ball(center, 0.0));
        let (mut low, mut high) = (0.0, 4.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if region.contains_ball(center, middle) { low = middle } else { high = middle }
        }
        prop_assert!(surface_inside(&region, center, low));
        // 200 points see a ball that stands out by a tenth.
        prop_assert!(!surface_inside(&region, center, 1.1 * low + 0.05));
    }

    #[test]
    fn rain_falls_into_upright_containers(
        count in 1..400_usize, width in 0.13..0.5_f64, bottom in 0.02..0.4_f64, seed in any::<u64>(),
    ) {
        let sizes = Sizes::Uniform { min: 0.05, max: 0.12 };
        let base = DVec3::new(1.0, -2.0, 3.0);
        for region in [
            Region::box_between(base, base + DVec3::new(width, 0.2, 0.3)),
            Region::cylinder(base, width, 0.3),
            Region::frustum(base, bottom, width, 0.2),
        ] {
            let mut spec = spec(region, Arrangement::Rain, count, sizes.clone());
            spec.seed = seed;
            let grains = fill(&spec).unwrap();
            prop_assert_eq!(grains.len(), count);
            prop_assert!(deepest_overlap(&grains) < 1e-12);
            for g in &grains {
                prop_assert!(g.center.z - g.radius >= 3.0 - 1e-12);
                let wide = g.center.truncate().distance(base.truncate());
                let footprint = match region {
                    Region::Box { min, max } => {
                        let column = Aabb { min, max: max.with_z(f64::INFINITY) };
                        column.grown(1e-12 - g.radius).contains(g.center)
                    }
                    Region::Cylinder { radius, .. } => wide + g.radius <= radius + 1e-12,
                    // Below the brim within the cone, above it within the cylinder on it.
                    Region::Frustum { bottom_radius, top_radius, .. } => surface(g.center, g.radius).all(|p| {
                        let part = ((p.z - 3.0) / 0.2).min(1.0);
                        let wall = bottom_radius + (top_radius - bottom_radius) * part;
                        p.truncate().distance(base.truncate()) <= wall + 1e-12
                    }),
                    Region::Sphere { .. } => unreachable!(),
                };
                prop_assert!(footprint, "{:?} {:?}", region, g);
            }
        }
    }

    #[test]
    fn any_scale_gives_the_same_picture(seed in any::<u64>(), exponent in -4..4_i32) {
        let factor = 10.0_f64.powi(exponent);
        for arrangement in [lattice(Lattice::FaceCentred, 1.1, 0.7), Arrangement::Random, Arrangement::Rain] {
            let make = |s: f64| {
                let sizes = Sizes::LogNormal { median: 0.05 * s, deviation: 0.3, cut: 2.0 };
                let region = Region::cylinder(DVec3::new(0.3, 0.2, 0.1) * s, 0.5 * s, 1.0 * s);
                let mut spec = spec(region, arrangement, 300, sizes);
                spec.seed = seed;
                fill(&spec).unwrap()
            };
            for (a, b) in make(1.0).iter().zip(&make(factor)) {
                prop_assert!((a.size * factor - b.size).abs() <= 1e-12 * b.size);
                prop_assert!((a.center * factor).distance(b.center) <= 1e-12 * factor);
                prop_assert_eq!(a.pose.rotation, b.pose.rotation);
            }
        }
    }
}

#[test]
fn the_seed_decides() {
    for arrangement in [
        lattice(Lattice::SimpleCubic, 1.2, 1.0),
        Arrangement::Random,
        Arrangement::Rain,
    ] {
        let mut spec = spec(
            unit_box(),
            arrangement,
            200,
            Sizes::Uniform {
                min: 0.05,
                max: 0.1,
            },
        );
        let first = fill(&spec).unwrap();
        assert_eq!(first, fill(&spec).unwrap());
        spec.seed += 1;
        let second = fill(&spec).unwrap();
        assert!(
            first
                .iter()
                .zip(&second)
                .all(|(a, b)| a.center != b.center && a.size != b.size)
        );
    }
}

/// Purposes have streams of their own: another arrangement moves the same grains.
#[test]
fn the_arrangement_changes_places_only() {
    let sizes = Sizes::Uniform {
        min: 0.05,
        max: 0.1,
    };
    let of = |arrangement| fill(&spec(unit_box(), arrangement, 100, sizes.clone())).unwrap();
    let (a, b) = (of(Arrangement::Random), of(Arrangement::Rain));
    for (a, b) in a.iter().zip(&b) {
        assert_eq!((a.size, a.pose.rotation), (b.size, b.pose.rotation));
    }
}

/// A cube of 10 diameters holds 10³ touching balls on a cubic lattice and not one more.
#[test]
fn a_cubic_lattice_fills_a_cube() {
    let arrangement = lattice(Lattice::SimpleCubic, 1.0, 0.0);
    let grains = fill(&spec(
        unit_box(),
        arrangement,
        1000,
        Sizes::Fixed { size: 0.1 },
    ))
    .unwrap();
    assert!(deepest_overlap(&grains) < 1e-12);
    let (low, high) = (grains[0].center, grains[999].center);
    assert!(low.distance(DVec3::splat(0.05)) < 1e-12 && high.distance(DVec3::splat(0.95)) < 1e-12);
    let error = fill(&spec(
        unit_box(),
        arrangement,
        1001,
        Sizes::Fixed { size: 0.1 },
    ))
    .unwrap_err();
    // 1000 balls in a cube of 10 diameters: pi / 6.
    assert!(
        error
            .to_string()
            .starts_with("placed 1000 of 1001 grains: the box is 52.4 % full")
    );
}

/// Away from walls the face-centred lattice fills pi / sqrt(18) = 74.05 %, each point with 12
/// neighbours.
#[test]
fn a_face_centred_lattice_is_the_densest() {
    let region = unit_box();
    let arrangement = lattice(Lattice::FaceCentred, 1.0, 0.0);
    let error = fill(&spec(
        region,
        arrangement,
        100_000,
        Sizes::Fixed { size: 0.04 },
    ))
    .unwrap_err();
    let FillError::Full {
        percent, placed, ..
    } = error
    else {
        panic!("{error}")
    };
    assert!((66.0..74.05).contains(&percent), "{percent}");

    let grains = fill(&spec(
        region,
        arrangement,
        placed,
        Sizes::Fixed { size: 0.04 },
    ))
    .unwrap();
    assert!(deepest_overlap(&grains) < 1e-12);
    let middle = grains.iter().min_by(|a, b| {
        let off = |g: &Grain| g.center.distance(DVec3::splat(0.5));
        off(a).total_cmp(&off(b))
    });
    let middle = middle.unwrap().center;
    let touching = grains
        .iter()
        .filter(|g| (g.center.distance(middle) - 0.04).abs() < 1e-12);
    assert_eq!(touching.count(), 12);
}

#[test]
fn a_full_region_says_how_far_it_came() {
    let error = fill(&spec(
        unit_box(),
        Arrangement::Random,
        1000,
        Sizes::Fixed { size: 0.1 },
    ))
    .unwrap_err();
    let FillError::Full {
        placed,
        wanted: 1000,
        percent,
        ..
    } = error
    else {
        panic!("{error}")
    };
    // Spheres jam at 38 %, walls cost some.
    assert!((25.0..38.0).contains(&percent), "{error}");
    assert!((percent - 100.0 * placed as f64 * PI / 6.0 * 1e-3).abs() < 1e-9);
    let said = error.to_string();
    assert!(
        said.contains(&format!("placed {placed} of 1000 grains")) && said.contains("lattice"),
        "{said}"
    );
}

#[test]
fn amounts() {
    let sizes = Sizes::Uniform {
        min: 0.02,
        max: 0.06,
    };
    let mut spec = spec(
        Region::cylinder([0.0; 3], 0.5, 1.0),
        Arrangement::Random,
        0,
        sizes,
    );
    assert_eq!(fill(&spec).unwrap(), []);
    let volume = |grains: &[Grain]| {
        grains
            .iter()
            .map(|g| PI / 6.0 * g.size.powi(3))
            .sum::<f64>()
    };
    let half_a_grain = PI / 12.0 * 0.06_f64.powi(3);
    spec.amount = Amount::SolidFraction { fraction: 0.2 };
    let wanted = 0.2 * PI * 0.25;
    assert!((volume(&fill(&spec).unwrap()) - wanted).abs() <= half_a_grain);
    spec.amount = Amount::Mass {
        mass: 130.0,
        density: 2600.0,
    };
    assert!((volume(&fill(&spec).unwrap()) - 0.05).abs() <= half_a_grain);
    // Rain may heap more than the container holds.
    spec.amount = Amount::SolidFraction { fraction: 1.2 };
    assert!(matches!(
        fill(&spec).unwrap_err(),
        FillError::Value {
            what: "solid fraction",
            ..
        }
    ));
    spec.arrangement = Arrangement::Rain;
    let heap = fill(&spec).unwrap();
    assert!((volume(&heap) - 1.2 * PI * 0.25).abs() <= half_a_grain);
    assert!(heap.iter().any(|g| g.center.z > 3.0));
    spec.amount = Amount::Mass {
        mass: 1e-6,
        density: 2600.0,
    };
    assert!(matches!(
        fill(&spec).unwrap_err(),
        FillError::LessThanAGrain { .. }
    ));
    spec.amount = Amount::Count(usize::MAX);
    assert!(matches!(
        fill(&spec).unwrap_err(),
        FillError::TooMany { .. }
    ));
}

/// Templates come in the shares of their weights, each at its own sizes; the volume is that of the
/// size's sphere.
#[test]
fn templates() {
    let corner = DVec3::new(1.0, 2.0, 3.0);
    let hull: Vec<_> = (0..8)
        .map(|k| corner + DVec3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64))
        .collect();
    let fixed = DQuat::from_rotation_x(1.0);
    let template = |shape, weight, orientation, size| Template {
        shape,
        sizes: Sizes::Fixed { size },
        weight,
        orientation,
    };
    let templates = vec![
        template(
            Shape::box_of([1.0, 2.0, 3.0]).unwrap(),
            1.0,
            Orientation::Fixed(fixed),
            0.01,
        ),
        template(Shape::hull(&hull).unwrap(), 2.0, Orientation::Random, 0.02),
        template(
            Shape::capsule(1.0, 1.0).unwrap(),
            3.0,
            Orientation::Random,
            0.03,
        ),
    ];
    let spec = FillSpec {
        region: unit_box(),
        arrangement: Arrangement::Random,
        amount: Amount::Count(3000),
        templates,
        obstacles: vec![],
        seed: 3,
    };
    let grains = fill(&spec).unwrap();
    let mut counts = [0.0; 3];
    for g in &grains {
        counts[g.template] += 1.0;
        assert_eq!(g.size, [0.01, 0.02, 0.03][g.template]);
        assert_eq!(g.template == 0, g.pose.rotation == fixed);
    }
    // Three standard deviations of the binomial.
    for (count, share) in counts.iter().zip([1.0_f64 / 6.0, 2.0 / 6.0, 3.0 / 6.0]) {
        let deviation = (3000.0 * share * (1.0 - share)).sqrt();
        assert!((count - 3000.0 * share).abs() < 3.0 * deviation);
    }
    assert!(deepest_overlap(&grains) < 1e-12);
    for g in grains.iter().take(50) {
        let shape = g.shape(&spec.templates).unwrap();
        let volume = shape.mass_properties(1.0).unwrap().mass;
        assert!((volume / (PI / 6.0 * g.size.powi(3)) - 1.0).abs() < 1e-12);
        // The shape where it lies is within its bounding ball.
        let bounds = shape.aabb(&g.pose);
        let ball = Aabb::around(g.center, DVec3::splat(g.radius * (1.0 + 1e-9)));
        assert!(ball.contains(bounds.min) && ball.contains(bounds.max));
    }
    // The unit cube's ball, about its own centre although its frame lies elsewhere.
    let cube = grains.iter().find(|g| g.template == 1).unwrap();
    assert!((cube.radius / cube.scale - 0.75_f64.sqrt()).abs() < 1e-12);
}

#[test]
fn random_orientations_are_uniform() {
    let sizes = Sizes::Fixed { size: 0.01 };
    let grains = fill(&spec(unit_box(), Arrangement::Random, 10_000, sizes)).unwrap();
    // Each axis of each frame points everywhere alike: mean 0, mean square 1/3 of each component.
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        let turned: Vec<_> = grains.iter().map(|g| g.pose.rotation * axis).collect();
        let mean = turned.iter().sum::<DVec3>() / 1e4;
        let square = turned.iter().map(|&d| d * d).sum::<DVec3>() / 1e4;
        // Four standard errors: sqrt(1/3) / 100 and sqrt(4/45) / 100.
        assert!(mean.abs().max_element() < 4.0 * 0.00577, "{mean}");
        assert!(
            (square - 1.0 / 3.0).abs().max_element() < 4.0 * 0.00298,
            "{square}"
        );
    }
    // The angle of a random rotation has mean pi/2 + 2/pi.
    let angle = grains
        .iter()
        .map(|g| 2.0 * g.pose.rotation.w.abs().acos())
        .sum::<f64>()
        / 1e4;
    assert!((angle - (PI / 2.0 + 2.0 / PI)).abs() < 0.03, "{angle}");
}

#[test]
fn volumes_by_hand() {
    let close =
        |region: Region, volume: f64| assert!((region.volume() / volume - 1.0).abs() < 1e-14);
    close(Region::box_between([-1.0, 0.0, 0.0], [1.0, 3.0, 4.0]), 24.0);
    close(Region::cylinder([5.0; 3], 2.0, 3.0), 12.0 * PI);
    close(Region::sphere([5.0; 3], 3.0), 36.0 * PI);
    close(Region::frustum([5.0; 3], 1.0, 2.0, 3.0), 7.0 * PI);
    close(Region::frustum([5.0; 3], 0.0, 2.0, 3.0), 4.0 * PI);
}

#[test]
fn a_grain_as_large_as_its_region() {
    for region in [
        unit_box(),
        Region::cylinder([0.5, 0.5, 0.0], 0.5, 1.0),
        Region::sphere([0.5; 3], 0.5),
        Region::frustum([0.5, 0.5, 0.0], 0.5, 0.5, 1.0),
        // A right-angled cone of height 1 + sqrt(2) around the ball: its incircle.
        Region::frustum(
            [0.5, 0.5, 0.0],
            0.5 * (1.0 + 2.0_f64.sqrt()),
            0.0,
            0.5 * (1.0 + 2.0_f64.sqrt()),
        ),
    ] {
        let almost = Sizes::Fixed { size: 1.0 - 1e-3 };
        let grains = fill(&spec(region, Arrangement::Random, 1, almost));
        assert!(grains.is_ok(), "{region:?}: {grains:?}");
        let error = fill(&spec(
            region,
            Arrangement::Random,
            1,
            Sizes::Fixed { size: 1.001 },
        ))
        .unwrap_err();
        let FillError::NoRoom { room, .. } = error else {
            panic!("{region:?}: {error}")
        };
        assert!((room - 0.5).abs() < 1e-12, "{room}");
    }
}

/// Balls of a first packing are obstacles of the second: a thousand large ones and twenty small.
#[test]
fn fill_around_what_is_there() {
    let first = fill(&spec(
        unit_box(),
        Arrangement::Random,
        1000,
        Sizes::Uniform {
            min: 0.01,
            max: 0.08,
        },
    ))
    .unwrap();
    let mut around = spec(
        unit_box(),
        Arrangement::Random,
        20,
        Sizes::Fixed { size: 0.1 },
    );
    around.obstacles = first
        .iter()
        .map(|g| Obstacle::Ball {
            center: g.center,
            radius: g.radius,
        })
        .collect();
    let mut all = fill(&around).unwrap();
    all.extend(first);
    assert!(deepest_overlap(&all) < 1e-12);
}

/// Grains come with a pose that puts them where they are said to be.
#[test]
fn spheres_sit_at_their_centres() {
    let grains = fill(&spec(
        unit_box(),
        Arrangement::Random,
        10,
        Sizes::Fixed { size: 0.1 },
    ))
    .unwrap();
    for g in grains {
        let rotation = g.pose.rotation;
        assert_eq!(
            g.pose,
            Pose {
                position: g.center,
                rotation
            }
        );
    }
}

#[test]
fn no_grains_are_no_fault() {
    let kinds = [
        lattice(Lattice::SimpleCubic, 1.02, 1.0),
        Arrangement::Random,
        Arrangement::Rain,
    ];
    for arrangement in kinds {
        let empty = spec(unit_box(), arrangement, 0, Sizes::AsShaped);
        assert!(fill(&empty).unwrap().is_empty(), "{arrangement:?}");
    }
}
