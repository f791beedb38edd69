//! Tests of whole pictures.

use drystone::shape::TriangleMesh;
use glam::DQuat;

use super::color::{category, ground};
use super::*;

fn draw(picture: &Picture) -> Image {
    render(picture, &|_| ControlFlow::Continue(())).unwrap()
}

fn small(shapes: Vec<DrawnShape>) -> Picture {
    let mut picture = Picture::new(72, 48, shapes);
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

fn sphere(radius: f64) -> Shape {
    Shape::sphere(radius).unwrap()
}

fn ground_plane(place: DVec3) -> DrawnShape {
    DrawnShape::new(Shape::plane(), Pose::at(place), ground())
}

/// One of each shape on the ground, in sizes of `scale`, around `place`.
fn one_of_each(scale: f64, place: DVec3) -> Vec<DrawnShape> {
    let turn = DQuat::from_rotation_x(0.7) * DQuat::from_rotation_y(0.4);
    let shapes = [
        Shape::sphere(scale),
        Shape::box_of(scale * DVec3::new(0.8, 0.5, 0.9)),
        Shape::ellipsoid(scale * DVec3::new(0.5, 0.7, 1.0)),
        Shape::cylinder(0.6 * scale, 0.7 * scale),
        Shape::capsule(0.5 * scale, 0.5 * scale),
        Shape::cone(0.7 * scale, 0.8 * scale),
    ];
    let mut drawn = vec![ground_plane(place)];
    for (k, shape) in shapes.into_iter().enumerate() {
        let step = DVec3::new((k % 3) as f64 * 2.2, (k / 3) as f64 * 2.4, 1.1);
        let pose = Pose::new(place + scale * step, turn);
        drawn.push(DrawnShape::new(shape.unwrap(), pose, category(k)));
    }
    drawn
}

/// A box of triangles.
fn box_mesh(half: DVec3) -> Shape {
    let block = Shape::box_of(half).unwrap();
    let surface = block.tessellate(&drystone::shape::SurfaceDetail::default());
    Shape::mesh(TriangleMesh::try_from(surface).unwrap())
}

#[test]
fn threads_do_not_change_a_byte() {
    let mut picture = small(one_of_each(1.0, DVec3::ZERO));
    picture.shapes[1].opacity = Opacity::Glass;
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
fn shapes_without_place_or_size_are_left_out_and_named() {
    let good = one_of_each(1.0, DVec3::ZERO);
    let whole = draw(&small(good.clone()));
    let mut shapes = good;
    let ball = |radius, x| {
        let pose = Pose::at([x, 0.0, 0.0]);
        DrawnShape::new(Shape::Sphere { radius }, pose, Color::WHITE)
    };
    shapes.extend([
        ball(1.0, f64::NAN),
        ball(-1.0, 0.0),
        ball(f64::INFINITY, 0.0),
    ]);
    let mut unturned = ball(1.0, 0.0);
    unturned.pose.rotation = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    shapes.push(unturned);
    let image = draw(&small(shapes));
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
    picture.legend = Some(Legend::Scale(ColorScale::new("speed", "m/s", [0.0, 1.0])));
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
        let block = Shape::box_of(half).unwrap();
        let [exact, mesh] = [block, box_mesh(half)].map(|shape| {
            let pose = Pose::new([0.0, 0.0, 0.2], turn);
            let mut picture = small(vec![DrawnShape::new(shape, pose, category(1))]);
            // Of the same size by the same bounds.
            picture.clip = clip.clone();
            draw(&picture)
        });
        assert!(apart(&exact, &mesh) < 0.02, "{}", apart(&exact, &mesh));
    }
}

#[test]
fn a_compound_looks_like_its_parts() {
    let turn = DQuat::from_rotation_z(0.4);
    let parts = [
        (Pose::at([-0.5, 0.0, 0.0]), sphere(0.6)),
        (
            Pose::new([0.6, 0.1, 0.0], turn),
            Shape::cylinder(0.3, 0.8).unwrap(),
        ),
    ];
    let pose = Pose::new([3.0, -1.0, 0.5], DQuat::from_rotation_x(0.9));
    let whole = DrawnShape::new(Shape::compound(parts.to_vec()).unwrap(), pose, category(3));
    let apart =
        parts.map(|(local, shape)| DrawnShape::new(shape, pose.compose(&local), category(3)));
    let [whole, apart] = [vec![whole], apart.to_vec()].map(|shapes| draw(&small(shapes)));
    assert_eq!(whole.rgba(), apart.rgba());
}

#[test]
fn a_field_of_heights_is_framed_by_what_is_seen_of_it() {
    let field = drystone::shape::HeightField::new(2, 2, [2.0, 1.0], vec![0.1, 0.2, 0.3, 0.4]);
    let shape = Shape::height_field(field.unwrap());
    let drawn = DrawnShape::new(shape, Pose::at([0.0, 0.0, 5.0]), ground());
    let bounds = framed_bounds(&[drawn, ground_plane(DVec3::ZERO)]);
    assert_eq!(bounds.min, DVec3::new(-1.0, -0.5, 5.1));
    assert_eq!(bounds.max, DVec3::new(1.0, 0.5, 5.4));
}

/// The camera of a view for a picture one and a half times as wide as high.
fn seen_from(view: &str, picture: &Picture) -> Camera {
    let view = view.parse().unwrap();
    Camera::of_view(
        &view,
        framed_bounds(&picture.shapes),
        1.5,
        Margin::default(),
    )
}

#[test]
fn a_cut_shows_the_flat_inside() {
    let color = category(2);
    let ball = DrawnShape::new(sphere(1.0), Pose::IDENTITY, color);
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
    picture.shapes.clear();
    assert_eq!(gone.rgba(), draw(&picture).rgba());
}

#[test]
fn balls_throw_shadows_and_glass_lets_see() {
    let ball = DrawnShape::new(sphere(1.0), Pose::at([0.0, 0.0, 1.5]), category(5));
    let mut picture = small(vec![ball, ground_plane(DVec3::ZERO)]);
    let lit = {
        let mut bare = picture.clone();
        bare.shapes[0].opacity = Opacity::Hidden;
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
    let pane = Shape::box_of([5.0, 0.05, 5.0]).unwrap();
    let pane = DrawnShape::new(pane, Pose::at([0.0, -2.0, 0.0]), Color::WHITE).glass();
    picture.shapes.push(pane);
    let behind = at(&draw(&picture), 36, 20);
    assert!(behind != middle, "{behind:?}");
    assert!(
        (0..3).all(|k| behind[k].abs_diff(middle[k]) < 60),
        "{behind:?} {middle:?}"
    );
}

#[test]
fn a_plane_is_not_seen_from_behind() {
    let ball = DrawnShape::new(sphere(1.0), Pose::at([0.0, 0.0, 1.0]), category(0));
    let plane = DrawnShape::new(Shape::plane(), Pose::IDENTITY, category(5));
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
    // Many threads would have begun with all rows before the first is asked to stop.
    let one = rayon::ThreadPoolBuilder::new().num_threads(1);
    let stop = || render(&picture, &|_| ControlFlow::Break(()));
    let stopped = one.build().unwrap().install(stop);
    assert_eq!(stopped, Err(RenderError::Cancelled));
}
