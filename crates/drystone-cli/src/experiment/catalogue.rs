//! The experiments by name.

use super::bench::{Bench, Halt};
use super::findings::Findings;
use super::{mixer, pressure, shear};

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
        id: "P0-T3",
        title: "a mixer with 12 500 to 100 000 cohesive grains of four shapes: time of a step over its contacts",
        source: "paper 000, §4.1.2, Table III, Fig. 6",
        cost: Cost {
            minutes: 20.0,
            gigabytes: 2.0,
        },
        run: mixer::scaling,
    },
    Experiment {
        id: "P4-T1",
        title: "a direct shear test of 1000 to 100 000 spheres: the force that each method finds at each tolerance",
        source: "paper 004, Table 1",
        cost: Cost {
            minutes: 30.0,
            gigabytes: 4.0,
        },
        run: shear::force_over_tolerance,
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
