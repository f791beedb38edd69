//! What is wrong is said.

use drystone::Shape;
use drystone_scene::packing::{
    Arrangement, FillSpec, Lattice, Obstacle, Region, SieveRow, Sizes, Template, fill,
};
use glam::DVec3;

use super::{balls, lattice, spec, unit_box};

#[test]
fn errors_name_the_figure_and_the_expectation() {
    let good = || {
        spec(
            unit_box(),
            Arrangement::Random,
            10,
            Sizes::Fixed { size: 0.1 },
        )
    };
    let said = |spec: &FillSpec| fill(spec).unwrap_err().to_string();
    let with_sizes = |sizes| {
        said(&FillSpec {
            templates: balls(sizes),
            ..good()
        })
    };
    let row = |size, passing| SieveRow { size, passing };
    for (found, expected) in [
        (
            with_sizes(Sizes::Fixed { size: -1.0 }),
            "template 0: size is -1, expected a finite number > 0",
        ),
        (
            with_sizes(Sizes::Uniform { min: 2.0, max: 1.0 }),
            "from 2 m to 1 m",
        ),
        (
            with_sizes(Sizes::Normal {
                mean: 1.0,
                deviation: 0.5,
                cut: 3.0,
            }),
            "mean - cut * deviation is -0.5",
        ),
        (
            with_sizes(Sizes::LogNormal {
                median: 1.0,
                deviation: 50.0,
                cut: 3.0,
            }),
            "cut * deviation is 150",
        ),
        (
            with_sizes(Sizes::PowerLaw {
                min: 1.0,
                max: 2.0,
                dimension: f64::NAN,
            }),
            "dimension is NaN",
        ),
        (
            with_sizes(Sizes::Weibull {
                scale: 1.0,
                shape: 3.0,
                min: 50.0,
                max: 60.0,
            }),
            "share of the cut range is 0",
        ),
        (
            with_sizes(Sizes::Sieve(vec![row(1.0, 0.0)])),
            "1 rows, expected at least 2",
        ),
        (
            with_sizes(Sizes::Sieve(vec![row(1.0, 5.0), row(2.0, 100.0)])),
            "row 0 (1 m, 5 %): expected 0 %",
        ),
        (
            with_sizes(Sizes::Sieve(vec![row(1.0, 0.0), row(2.0, 90.0)])),
            "row 1 (2 m, 90 %): expected 100 %",
        ),
        (
            with_sizes(Sizes::Sieve(vec![row(2.0, 0.0), row(1.0, 100.0)])),
            "row 1 (1 m, 100 %): expected a greater size",
        ),
        (
            with_sizes(Sizes::Sieve(vec![
                row(1.0, 0.0),
                row(2.0, 50.0),
                row(3.0, 40.0),
                row(4.0, 100.0),
            ])),
            "row 2 (3 m, 40 %): expected no less mass",
        ),
        (
            said(&FillSpec {
                templates: vec![],
                ..good()
            }),
            "no templates",
        ),
        (
            said(&FillSpec {
                region: Region::box_between([0.0; 3], [1.0, -1.0, 1.0]),
                ..good()
            }),
            "from 0 to -1 along y",
        ),
        (
            said(&FillSpec {
                region: Region::frustum([0.0; 3], -1.0, 1.0, 1.0),
                ..good()
            }),
            "smaller radius of the frustum is -1",
        ),
        (
            said(&FillSpec {
                region: Region::sphere([0.0; 3], f64::NAN),
                ..good()
            }),
            "radius of the sphere is NaN",
        ),
        (
            said(&FillSpec {
                region: Region::sphere([0.0; 3], 1.0),
                arrangement: Arrangement::Rain,
                ..good()
            }),
            "not this sphere",
        ),
        (
            said(&FillSpec {
                arrangement: lattice(Lattice::SimpleCubic, 0.9, 0.0),
                ..good()
            }),
            "spacing is 0.9",
        ),
        (
            said(&FillSpec {
                arrangement: lattice(Lattice::SimpleCubic, 1.0, 1.5),
                ..good()
            }),
            "jitter is 1.5",
        ),
        (
            said(&FillSpec {
                templates: vec![Template::new(Shape::plane(), Sizes::AsShaped)],
                ..good()
            }),
            "template 0: a plane cannot be a grain",
        ),
        (
            said(&FillSpec {
                obstacles: vec![Obstacle::Ball {
                    center: DVec3::NAN,
                    radius: 1.0,
                }],
                ..good()
            }),
            "obstacle 0",
        ),
    ] {
        assert!(found.contains(expected), "{found:?} lacks {expected:?}");
    }
}
