//! The experiments by name.

use super::bench::{Bench, Halt};
use super::findings::Findings;
use super::{benchmarks, frictionless, growth, heavy, masonry, pressure};

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
        id: "P2-T1",
        title: "1000 smooth spheres: GPMINRES, with and without a factor, against Jacobi",
        source: "paper 002, §5, Table I, Fig. 3 to 5",
        cost: Cost {
            minutes: 1.0,
            gigabytes: 0.2,
        },
        run: frictionless::convergence,
    },
    Experiment {
        id: "P2-T2",
        title: "beds of 1000, 2000 and 4000 smooth spheres: as many iterations of each method",
        source: "paper 002, §5.1, Fig. 6 to 10",
        cost: Cost {
            minutes: 4.0,
            gigabytes: 0.2,
        },
        run: growth::growth,
    },
    Experiment {
        id: "P2-T3",
        title: "a cylinder of 1 t, 4 t and 16 t on 1000 smooth spheres",
        source: "paper 002, §5.2, Fig. 11 to 13",
        cost: Cost {
            minutes: 1.0,
            gigabytes: 0.2,
        },
        run: heavy::heavy,
    },
    Experiment {
        id: "P3-B1",
        title: "1000 parts on 3500 bilateral rows: SPG against CG and MINRES",
        source: "paper 003, §2, Fig. 3",
        cost: Cost {
            minutes: 0.3,
            gigabytes: 0.2,
        },
        run: benchmarks::joints,
    },
    Experiment {
        id: "P3-B2",
        title: "1000 smooth spheres: SPG against Jacobi and Gauss–Seidel",
        source: "paper 003, §2, Fig. 4",
        cost: Cost {
            minutes: 0.5,
            gigabytes: 0.2,
        },
        run: benchmarks::contacts,
    },
    Experiment {
        id: "P3-B3",
        title: "twenty plates, the heaviest on top: SPG against Jacobi and Gauss–Seidel",
        source: "paper 003, §2, Fig. 5",
        cost: Cost {
            minutes: 0.1,
            gigabytes: 0.2,
        },
        run: benchmarks::plates,
    },
    Experiment {
        id: "P3-B4",
        title: "a wrecking ball hits 750 bricks: SPG against Jacobi and Gauss–Seidel",
        source: "paper 003, §2, Fig. 1, 6 and 7",
        cost: Cost {
            minutes: 4.0,
            gigabytes: 0.2,
        },
        run: masonry::masonry,
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
