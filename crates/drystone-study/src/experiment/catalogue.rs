//! All experiments, by name.

use super::bench::Bench;
use super::findings::Findings;
use super::heyn_2013::{frictionless, growing_beds, heavy};
use super::mazhar_2014::{growth, laws, spheres};
use super::mazhar_2015::{mixer, pressure};
use super::melanz::shear;
use super::tasora_2013::{benchmarks, masonry};
use crate::error::StudyError;

/// An experiment of a paper.
pub struct Experiment {
    /// Its name, such as `P0-T1`, the same in the book and in all reports.
    pub id: &'static str,
    /// What it is, in one line.
    pub title: &'static str,
    /// The paper, and where in it the experiment stands.
    pub source: &'static str,
    /// What it takes at scale 1, on two cores, with nothing settled yet.
    pub cost: ExperimentCost,
    /// Runs it.
    pub(crate) run: RunExperiment,
}

/// What an experiment takes, roughly.
pub struct ExperimentCost {
    /// Minutes.
    pub minutes: f64,
    /// Gigabytes of memory.
    pub gigabytes: f64,
}

type RunExperiment = fn(&mut Bench<'_>) -> Result<Findings, StudyError>;

/// An entry; `cost` in minutes and gigabytes.
const fn entry(
    id: &'static str,
    title: &'static str,
    source: &'static str,
    cost: [f64; 2],
    run: RunExperiment,
) -> Experiment {
    let [minutes, gigabytes] = cost;
    Experiment {
        id,
        title,
        source,
        cost: ExperimentCost { minutes, gigabytes },
        run,
    }
}

/// All of them, in the order of the papers.
pub const EXPERIMENTS: &[Experiment] = &[
    entry(
        "P0-T1",
        "a heavy slab on 4000 balls: 1000 iterations of each method, slabs of 1 t to 1000 t",
        "Mazhar 2015, §4.1.1, Table I, Fig. 5",
        [4.0, 0.7],
        pressure::convergence,
    ),
    entry(
        "P0-T2",
        "the slab of 1 t: time to the residual that Gauss–Seidel only just reaches",
        "Mazhar 2015, §4.1.1, Table II",
        [4.0, 0.7],
        pressure::time_to_residual,
    ),
    entry(
        "P0-T3",
        "a mixer with 12 500 to 100 000 cohesive grains of four shapes: time of a step over its \
         contacts",
        "Mazhar 2015, §4.1.2, Table III, Fig. 6",
        [30.0, 0.7],
        mixer::scaling,
    ),
    entry(
        "P1-S1",
        "320 spheres, thoroughly settled: APGD's iterations to an interior point's objective",
        "Mazhar 2014, §5.1.1, Table 1, Figs. 1 and 2",
        [2.0, 0.1],
        spheres::thorough,
    ),
    entry(
        "P1-S2",
        "320 spheres, poorly settled: the same",
        "Mazhar 2014, §5.1.2, Table 1, Figs. 3 and 4",
        [3.0, 0.1],
        spheres::poor,
    ),
    entry(
        "P1-S3",
        "64 to 2560 spheres: wall time over contacts",
        "Mazhar 2014, §5.2, Figs. 5 and 6",
        [18.0, 1.0],
        growth::scaling,
    ),
    entry(
        "P1-D1",
        "a ball slides, then rolls: exact and relaxed law",
        "Mazhar 2014, §5.3.1, Figs. 8 to 11",
        [0.05, 0.1],
        laws::ball,
    ),
    entry(
        "P1-D2",
        "a box slides to rest on a plane: exact and relaxed law",
        "Mazhar 2014, §5.3.2, Figs. 13 and 14",
        [0.05, 0.1],
        laws::box_on_plane,
    ),
    entry(
        "P1-D3",
        "a box slides down an incline from rest: exact and relaxed law",
        "Mazhar 2014, §5.4, Figs. 16 and 17",
        [0.05, 0.1],
        laws::incline_from_rest,
    ),
    entry(
        "P1-D4",
        "a box slides to rest on an incline: exact and relaxed law",
        "Mazhar 2014, §5.5, Figs. 19 and 20",
        [0.05, 0.1],
        laws::incline_to_rest,
    ),
    entry(
        "P2-T1",
        "1000 smooth spheres: GPMINRES, with and without a factor, against Jacobi",
        "Heyn 2013, §5, Table I, Figs. 3 to 5",
        [1.0, 0.1],
        frictionless::convergence,
    ),
    entry(
        "P2-T2",
        "beds of 1000, 2000 and 4000 smooth spheres: as many iterations of each method",
        "Heyn 2013, §5.1, Figs. 6 to 10",
        [4.0, 1.6],
        growing_beds::growth,
    ),
    entry(
        "P2-T3",
        "a cylinder of 1 t, 4 t and 16 t on 1000 smooth spheres",
        "Heyn 2013, §5.2, Figs. 11 to 13",
        [1.0, 0.1],
        heavy::heavy,
    ),
    entry(
        "P3-B1",
        "1000 parts on 3500 bilateral rows: SPG against CG and MINRES",
        "Tasora 2013, §2, Fig. 3",
        [0.3, 0.1],
        benchmarks::joints,
    ),
    entry(
        "P3-B2",
        "1000 smooth spheres: SPG against Jacobi and Gauss–Seidel",
        "Tasora 2013, §2, Fig. 4",
        [0.3, 0.1],
        benchmarks::contacts,
    ),
    entry(
        "P3-B3",
        "twenty plates, the heaviest on top: SPG against Jacobi and Gauss–Seidel",
        "Tasora 2013, §2, Fig. 5",
        [0.1, 0.1],
        benchmarks::plates,
    ),
    entry(
        "P3-B4",
        "a wrecking ball hits 750 bricks: SPG against Jacobi and Gauss–Seidel",
        "Tasora 2013, §2, Figs. 1, 6 and 7",
        [4.0, 0.3],
        masonry::masonry,
    ),
    entry(
        "P4-T1",
        "a direct shear test of 1000 to 100 000 spheres: the force that each method finds at each \
         tolerance",
        "Melanz, Table 1",
        [50.0, 1.0],
        shear::force_over_tolerance,
    ),
];

/// Experiments of the papers that are not built yet: name, and what it is.
pub const TO_COME: &[(&str, &str)] = &[
    ("P0-D5", "snow and clay"),
    ("P0-D6", "bulldozer"),
    ("P0-D7", "teapot"),
    ("P0-D8", "brittle objects"),
    ("P0-D9", "trough flow"),
    ("P0-D10", "impact on a granular bed"),
    ("P3-D11", "tracked vehicle over slabs"),
    ("P0-D12", "tyre over deformable terrain"),
];
