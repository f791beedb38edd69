//! All experiments, by name.

use super::bench::Bench;
use super::claim::{Claim, ClaimText};
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
    /// Its claims, as they stand before any run.
    pub claims: fn() -> Vec<ClaimText>,
    /// Runs it.
    pub(crate) run: RunExperiment,
}

/// The texts of claims.
pub(super) fn texts<R>(claims: Vec<Claim<R>>) -> Vec<ClaimText> {
    claims.into_iter().map(|claim| claim.text).collect()
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
    (run, claims): (RunExperiment, fn() -> Vec<ClaimText>),
) -> Experiment {
    let [minutes, gigabytes] = cost;
    Experiment {
        id,
        title,
        source,
        cost: ExperimentCost { minutes, gigabytes },
        claims,
        run,
    }
}

/// All of them, in the order of the papers.
pub const EXPERIMENTS: &[Experiment] = &[
    entry(
        "P0-T1",
        "a heavy slab on 4000 balls: 1000 iterations of each method, slabs of 1 t to 1000 t",
        "Mazhar 2015, §4.1.1, Table I, Fig. 5",
        [8.0, 0.7],
        (pressure::convergence, || texts(pressure::mass_claims())),
    ),
    entry(
        "P0-T2",
        "the slab of 1 t: time to the residual that Gauss–Seidel only just reaches",
        "Mazhar 2015, §4.1.1, Table II",
        [15.0, 0.7],
        (
            pressure::time_to_residual,
            || texts(pressure::race_claims()),
        ),
    ),
    entry(
        "P0-T3",
        "a mixer with 6250 to 50 000 cohesive grains of four shapes: time of a step over its \
         contacts",
        "Mazhar 2015, §4.1.2, Table III, Fig. 6",
        [60.0, 0.7],
        (mixer::scaling, || texts(mixer::claims())),
    ),
    entry(
        "P1-S1",
        "320 spheres, thoroughly settled: APGD's iterations to an interior point's objective",
        "Mazhar 2014, §5.1.1, Table 1, Figs. 1 and 2",
        [2.0, 0.1],
        (spheres::thorough, || texts(spheres::thorough_claims())),
    ),
    entry(
        "P1-S2",
        "320 spheres, poorly settled: the same",
        "Mazhar 2014, §5.1.2, Table 1, Figs. 3 and 4",
        [3.0, 0.1],
        (spheres::poor, || texts(spheres::poor_claims())),
    ),
    entry(
        "P1-S3",
        "64 to 2560 spheres: wall time over contacts",
        "Mazhar 2014, §5.2, Figs. 5 and 6",
        [20.0, 1.0],
        (growth::scaling, || texts(growth::claims())),
    ),
    entry(
        "P1-D1",
        "a ball slides, then rolls: exact and relaxed law",
        "Mazhar 2014, §5.3.1, Figs. 8 to 11",
        [0.05, 0.1],
        (laws::ball, || texts(laws::claims(&laws::BALL))),
    ),
    entry(
        "P1-D2",
        "a box slides to rest on a plane: exact and relaxed law",
        "Mazhar 2014, §5.3.2, Figs. 13 and 14",
        [0.05, 0.1],
        (laws::box_on_plane, || {
            texts(laws::claims(&laws::BOX_ON_PLANE))
        }),
    ),
    entry(
        "P1-D3",
        "a box slides down an incline from rest: exact and relaxed law",
        "Mazhar 2014, §5.4, Figs. 16 and 17",
        [0.05, 0.1],
        (laws::incline_from_rest, || {
            texts(laws::claims(&laws::INCLINE_FROM_REST))
        }),
    ),
    entry(
        "P1-D4",
        "a box slides to rest on an incline: exact and relaxed law",
        "Mazhar 2014, §5.5, Figs. 19 and 20",
        [0.05, 0.1],
        (laws::incline_to_rest, || {
            texts(laws::claims(&laws::INCLINE_TO_REST))
        }),
    ),
    entry(
        "P2-T1",
        "1000 smooth spheres: GPMINRES, with and without a factor, against Jacobi",
        "Heyn 2013, §5, Table I, Figs. 3 to 5",
        [1.0, 0.1],
        (frictionless::convergence, || texts(frictionless::claims())),
    ),
    entry(
        "P2-T2",
        "beds of 1000, 2000 and 4000 smooth spheres: as many iterations of each method",
        "Heyn 2013, §5.1, Figs. 6 to 10",
        [4.0, 1.6],
        (growing_beds::growth, || texts(growing_beds::claims())),
    ),
    entry(
        "P2-T3",
        "a cylinder of 1 t, 4 t and 16 t on 1000 smooth spheres",
        "Heyn 2013, §5.2, Figs. 11 to 13",
        [2.0, 0.1],
        (heavy::heavy, || texts(heavy::claims())),
    ),
    entry(
        "P3-B1",
        "1000 parts on 3500 bilateral rows: SPG against CG and MINRES",
        "Tasora 2013, §2, Fig. 3",
        [0.3, 0.1],
        (benchmarks::joints, || texts(benchmarks::joint_claims())),
    ),
    entry(
        "P3-B2",
        "1000 smooth spheres: SPG against Jacobi and Gauss–Seidel",
        "Tasora 2013, §2, Fig. 4",
        [1.0, 0.1],
        (benchmarks::contacts, || texts(benchmarks::contact_claims())),
    ),
    entry(
        "P3-B3",
        "twenty plates, the heaviest on top: SPG against Jacobi and Gauss–Seidel",
        "Tasora 2013, §2, Fig. 5",
        [2.0, 0.1],
        (benchmarks::plates, || texts(benchmarks::plate_claims())),
    ),
    entry(
        "P3-B4",
        "a wrecking ball hits 750 bricks: SPG against Jacobi and Gauss–Seidel",
        "Tasora 2013, §2, Figs. 1, 6 and 7",
        [4.0, 0.3],
        (masonry::masonry, || texts(masonry::claims())),
    ),
    entry(
        "P4-T1",
        "a direct shear test of 1000 to 100 000 spheres: the force that each method finds at each \
         tolerance",
        "Melanz, Table 1",
        [45.0, 1.0],
        (shear::force_over_tolerance, || texts(shear::claims())),
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
