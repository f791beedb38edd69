//! Tests of whole pictures.

use glam::DQuat;

use super::color::{category, ground};
use super::*;

fn draw(picture: &Picture) -> Image {
    render(picture, &|_| ControlFlow::Continue(())).unwrap()
}

fn small(solids: Vec<Solid>) -> Picture {
    let mut picture = Picture::new(72, 48, solids);
    picture.quality = Quality::Draft;
    picture
}

fn at(image: &Image, x: u32, y: u32) -> [u8; 3] {
    let place = 4 * (y * image.width() + x) as usize;
    let pixel = &image.rgba()[place..place + 3];
    [pixel[0], pixel[1], pixel[2]]
}

/// Mean difference of all figures of two pictures, in steps of 255.
fn apart(a: &Image, b: &Image) -> f64 {
    let sum: u64 = a
        .rgba()
        .iter()
        .zip(b.rgba())
        .map(|(p, q)| u64::from(p.abs_diff(*q)))
        .sum();
    sum as f64 / a.rgba().len() as f64
}

/// One of each shape on the ground, in sizes of `scale`, around `place`.
fn one_of_each(scale: f64, place: DVec3) -> Vec<Solid> {
    let turn = DQuat::from_rotation_x(0.7) * DQuat::from_rotation_y(0.4);
    let shapes = [
        Geometry::Sphere { radius: scale },
        Geometry::Box {
            half: scale * DVec3::new(0.8, 0.5, 0.9),
        },
        Geometry::Ellipsoid {
            semi_axes: scale * DVec3::new(0.5, 0.7, 1.0),
        },
        Geometry::Cylinder {
            radius: 0.6 * scale,
            half_height: 0.7 * scale,
        },
        Geometry::Capsule {
            radius: 0.5 * scale,
            half_height: 0.5 * scale,
        },
        Geometry::Cone {
            radius: 0.7 * scale,
            half_height: 0.8 * scale,
        },
    ];
    let mut solids = vec![Solid::new(Geometry::Plane, Placement::at(place), ground())];
    for (k, geometry) in shapes.into_iter().enumerate() {
        let step = DVec3::new((k % 3) as f64 * 2.2, (k / 3) as f64 * 2.4, 1.1);
        let placement = Placement::new(place + scale * step, turn);
        solids.push(Solid::new(geometry, placement, category(k)));
    }
    solids
}

/// A box of triangles.
fn box_mesh(half: DVec3) -> Geometry {
    let vertices = Bounds {
        min: -half,
        max: half,
    }
    .corners()
    .to_vec();
    let sides = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    let faces = sides
        .iter()
        .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]])
        .collect();
    Geometry::Triangles(Arc::new(Mesh {
        vertices,
        faces,
        smooth: false,
    }))
}

#[test]
fn threads_do_not_change_a_byte() {
    let mut picture = small(one_of_each(1.0, DVec3::ZERO));
    picture.solids[1].surface = Surface::Glass;
    picture.title = Some("threads".to_owned());
    picture.scale_bar = true;
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| draw(&picture))
    };
    let one = on(1);
    assert_eq!(one, on(2));
    assert_eq!(one, on(5));
    assert_eq!(one.to_png().unwrap(), on(2).to_png().unwrap());
}

#[test]
fn grains_and_halls_look_alike() {
    let picture = small(one_of_each(1.0, DVec3::ZERO));
    let plain = draw(&picture);
    // A tenth of a millimetre, a hundred metres, and grains a hundred metres from the origin.
    for (scale, place) in [
        (1e-4, DVec3::ZERO),
        (1e2, DVec3::ZERO),
        (1e-4, DVec3::new(80.0, -60.0, 3.0)),
    ] {
        let other = draw(&small(one_of_each(scale, place)));
        assert!(
            apart(&plain, &other) < 0.3,
            "{scale} at {place}: {}",
            apart(&plain, &other)
        );
    }
}

#[test]
fn nothing_to_see_is_background() {
    let mut picture = small(Vec::new());
    picture.background = Background {
        top: Color::rgb8(10, 200, 30),
        bottom: Color::rgb8(10, 200, 30),
    };
    let image = draw(&picture);
    assert!((0..48).all(|y| (0..72).all(|x| at(&image, x, y) == [10, 200, 30])));
}

#[test]
fn wrong_sizes_and_planes_are_errors() {
    let size = |width, height| {
        let picture = Picture {
            width,
            height,
            ..small(Vec::new())
        };
        render(&picture, &|_| ControlFlow::Continue(()))
    };
    for (width, height) in [(0, 10), (10, 0), (1 << 16, 1 << 16), (u32::MAX, u32::MAX)] {
        assert_eq!(
            size(width, height),
            Err(RenderError::Size { width, height })
        );
    }
    let fails = |change: fn(&mut Picture)| {
        let mut picture = small(Vec::new());
        change(&mut picture);
        render(&picture, &|_| ControlFlow::Continue(())).unwrap_err()
    };
    let clip = fails(|p| {
        p.clip = vec![ClipPlane {
            point: DVec3::ZERO,
            normal: DVec3::ZERO,
        }]
    });
    assert_eq!(clip, RenderError::Clip { index: 0 });
    assert_eq!(fails(|p| p.up = DVec3::NAN), RenderError::Up);
    let camera = fails(|p| p.camera.position = DVec3::NAN);
    assert!(matches!(camera, RenderError::Camera(_)));
    assert!(camera.to_string().starts_with("camera: position"));
}

#[test]
fn solids_without_place_or_size_are_left_out_and_named() {
    let good = one_of_each(1.0, DVec3::ZERO);
    let whole = draw(&small(good.clone()));
    let mut solids = good;
    let ball = |radius, x| {
        Solid::new(
            Geometry::Sphere { radius },
            Placement::at([x, 0.0, 0.0]),
            Color::WHITE,
        )
    };
    solids.extend([
        ball(1.0, f64::NAN),
        ball(-1.0, 0.0),
        ball(f64::INFINITY, 0.0),
    ]);
    let mut unturned = ball(1.0, 0.0);
    unturned.placement.rotation = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    solids.push(unturned);
    let image = draw(&small(solids));
    assert_eq!(image.skipped, [7, 8, 9, 10]);
    assert_eq!(image.rgba(), whole.rgba());
}

#[test]
fn one_pixel_can_carry_writing() {
    let mut picture = small(one_of_each(1.0, DVec3::ZERO));
    (picture.width, picture.height) = (1, 1);
    picture.title = Some("x".to_owned());
    picture.caption = Some("t = 1 s".to_owned());
    picture.scale_bar = true;
    picture.legend = Some(Legend::Scale(Scale::new("speed", "m/s", [0.0, 1.0])));
    assert_eq!(draw(&picture).rgba().len(), 4);
}

#[test]
fn triangles_look_like_the_box_they_make() {
    let half = DVec3::new(0.8, 0.5, 0.6);
    let turn = DQuat::from_rotation_x(0.7) * DQuat::from_rotation_z(0.4);
    let cut = ClipPlane {
        point: DVec3::ZERO,
        normal: DVec3::new(0.4, -1.0, 0.5),
    };
    for clip in [vec![], vec![cut]] {
        let [exact, mesh] = [Geometry::Box { half }, box_mesh(half)].map(|geometry| {
            let placement = Placement::new([0.0, 0.0, 0.2], turn);
            let mut picture = small(vec![Solid::new(geometry, placement, category(1))]);
            // Of the same size by the same bounds.
            picture.clip = clip.clone();
            draw(&picture)
        });
        assert!(apart(&exact, &mesh) < 0.02, "{}", apart(&exact, &mesh));
    }
}

/// The camera of a view for a picture one and a half times as wide as high.
fn seen_from(view: &str, picture: &Picture) -> Camera {
    let view = view.parse().unwrap();
    Camera::of_view(&view, framed(&picture.solids), 1.5, Margin::default())
}

#[test]
fn a_cut_shows_the_flat_inside() {
    let color = category(2);
    let ball = Solid::new(
        Geometry::Sphere { radius: 1.0 },
        Placement::at(DVec3::ZERO),
        color,
    );
    let mut picture = small(vec![ball]);
    picture.camera = seen_from("front", &picture);
    let whole = draw(&picture);
    // What is nearer than the middle goes: the view is along +y.
    picture.clip = vec![ClipPlane {
        point: DVec3::ZERO,
        normal: DVec3::NEG_Y,
    }];
    let cut = draw(&picture);
    let flat = at(&cut, 36, 24);
    for (x, y) in [(30, 24), (42, 20), (36, 30)] {
        assert_eq!(at(&cut, x, y), flat);
        assert_ne!(at(&whole, x, y), flat);
    }
    // Everything is cut away.
    picture.clip[0].point = DVec3::new(0.0, 2.0, 0.0);
    let gone = draw(&picture);
    picture.solids.clear();
    assert_eq!(gone.rgba(), draw(&picture).rgba());
}

#[test]
fn balls_throw_shadows_and_glass_lets_see() {
    let ball = Solid::new(
        Geometry::Sphere { radius: 1.0 },
        Placement::at([0.0, 0.0, 1.5]),
        category(5),
    );
    let plane = Solid::new(Geometry::Plane, Placement::at(DVec3::ZERO), ground());
    let mut picture = small(vec![ball.clone(), plane.clone()]);
    let lit = {
        let mut bare = picture.clone();
        bare.solids[0].surface = Surface::Hidden;
        draw(&bare)
    };
    let shaded = draw(&picture);
    let darker = (0..48)
        .flat_map(|y| (0..72).map(move |x| (x, y)))
        .filter(|(x, y)| {
            let (a, b) = (at(&lit, *x, *y), at(&shaded, *x, *y));
            // The ground is grey: the ball is not.
            b[0].abs_diff(b[2]) < 30 && a[1].saturating_sub(b[1]) > 40
        })
        .count();
    assert!(darker > 40, "{darker}");
    // A pane before the ball changes its colour a little only.
    let middle = at(&shaded, 36, 20);
    let pane = Geometry::Box {
        half: DVec3::new(5.0, 0.05, 5.0),
    };
    let pane = Solid::new(pane, Placement::at([0.0, -2.0, 0.0]), Color::WHITE).glass();
    picture.solids.push(pane);
    let behind = at(&draw(&picture), 36, 20);
    assert!(behind != middle, "{behind:?}");
    assert!(
        (0..3).all(|k| behind[k].abs_diff(middle[k]) < 60),
        "{behind:?} {middle:?}"
    );
}

#[test]
fn a_plane_is_not_seen_from_behind() {
    let ball = Solid::new(
        Geometry::Sphere { radius: 1.0 },
        Placement::at([0.0, 0.0, 1.0]),
        category(0),
    );
    let plane = Solid::new(Geometry::Plane, Placement::at(DVec3::ZERO), category(5));
    let mut picture = small(vec![ball, plane]);
    picture.camera = seen_from("elevation=-40", &picture);
    let from_below = draw(&picture);
    let [r, _, b] = at(&from_below, 36, 24);
    assert!(b > r, "the blue ball is behind the ground: {r} {b}");
}

#[test]
fn an_observer_hears_and_stops() {
    let picture = small(one_of_each(1.0, DVec3::ZERO));
    let heard = AtomicU32::new(0);
    let count = |share: f64| {
        assert!(share > 0.0 && share <= 1.0);
        heard.fetch_add(1, Ordering::Relaxed);
        ControlFlow::Continue(())
    };
    render(&picture, &count).unwrap();
    assert_eq!(heard.into_inner(), 12);
    let stopped = render(&picture, &|_| ControlFlow::Break(()));
    assert_eq!(stopped, Err(RenderError::Cancelled));
}
