//! The experiments by name.

use super::bench::{Bench, Halt};
use super::findings::Findings;
use super::paper_000::pressure;
use super::paper_001::{growth, laws, spheres};

/// An experiment of the papers.
pub struct Experiment {
    /// Its name: the paper's number and its own, as in the book.
    pub id: &'static str,
    /// What it is, in a line.
    pub title: &'static str,
    /// Where it stands in the paper.
    pub source: &'static str,
    /// What it takes at full scale, on two cores, with nothing settled yet.
    pub cost: Cost,
    /// Runs it.
    pub run: fn(&mut Bench<'_>) -> Result<Findings, Halt>,
}

/// What an experiment takes.
pub struct Cost {
    /// Minutes.
    pub minutes: f64,
    /// Gigabytes of memory.
    pub gigabytes: f64,
}

/// All of them, in the order of the papers.
pub const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        id: "P0-T1",
        title: "a heavy slab on 4000 balls: 1000 iterations of each method, slabs of 1 t to 1000 t",
        source: "paper 000, §4.1.1, Table I, Fig. 5",
        cost: Cost {
            minutes: 3.0,
            gigabytes: 0.2,
        },
        run: pressure::convergence,
    },
    Experiment {
        id: "P0-T2",
        title: "the slab of 1 t: time to the residual that Gauss–Seidel only just reaches",
        source: "paper 000, §4.1.1, Table II",
        cost: Cost {
            minutes: 4.0,
            gigabytes: 0.2,
        },
        run: pressure::time_to_residual,
    },
    Experiment {
        id: "P1-S1",
        title: "320 spheres, thoroughly settled: APGD's iterations to an interior point's objective",
        source: "paper 001, §5.1.1, Table 1, Figs. 1 and 2",
        cost: Cost {
            minutes: 2.0,
            gigabytes: 0.2,
        },
        run: spheres::thorough,
    },
    Experiment {
        id: "P1-S2",
        title: "320 spheres, poorly settled: the same",
        source: "paper 001, §5.1.2, Table 1, Figs. 3 and 4",
        cost: Cost {
            minutes: 3.0,
            gigabytes: 0.2,
        },
        run: spheres::poor,
    },
    Experiment {
        id: "P1-S3",
        title: "64 to 2560 spheres: wall time over contacts",
        source: "paper 001, §5.2, Figs. 5 and 6",
        cost: Cost {
            minutes: 10.0,
            gigabytes: 1.0,
        },
        run: growth::scaling,
    },
    Experiment {
        id: "P1-D1",
        title: "a ball slides, then rolls: exact and relaxed law",
        source: "paper 001, §5.3.1, Figs. 8 to 11",
        cost: Cost {
            minutes: 0.05,
            gigabytes: 0.1,
        },
        run: laws::ball,
    },
    Experiment {
        id: "P1-D2",
        title: "a box slides to rest on a plane: exact and relaxed law",
        source: "paper 001, §5.3.2, Figs. 13 and 14",
        cost: Cost {
            minutes: 0.05,
            gigabytes: 0.1,
        },
        run: laws::box_on_plane,
    },
    Experiment {
        id: "P1-D3",
        title: "a box slides down an incline from rest: exact and relaxed law",
        source: "paper 001, §5.4, Figs. 16 and 17",
        cost: Cost {
            minutes: 0.05,
            gigabytes: 0.1,
        },
        run: laws::incline_from_rest,
    },
    Experiment {
        id: "P1-D4",
        title: "a box slides to rest on an incline: exact and relaxed law",
        source: "paper 001, §5.5, Figs. 19 and 20",
        cost: Cost {
            minutes: 0.05,
            gigabytes: 0.1,
        },
        run: laws::incline_to_rest,
    },
];

/// Experiments of the papers that are not here yet.
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
