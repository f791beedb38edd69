//! The scenes that are measured: built-in ones, at sizes of their own, brought to a state that is
//! kept. The way there is gone with few iterations a step, since only where it leads to counts; the
//! measured steps then have settings of their own.

use drystone_ccp::{Ccp, Method, TwoBody};
use drystone_run::SettledStates;
use drystone_scene::{Scene, Simulation};

use super::BenchContext;
use crate::error::StudyError;
use crate::experiment::ExperimentSettings;
use crate::experiment::bench::Bench;
use crate::table::short_number;

/// The kinds of scenes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SceneKind {
    /// Equal spheres in a box that grows with their number: `spheres`.
    Pile,
    /// Spheres, ellipsoids, cylinders and boxes in a cylinder: `mixer`, without cohesion and with
    /// the rotor at rest.
    Grains,
    /// Bricks in running bond, before and while a ball on a chain hits them: `masonry`.
    Wall,
    /// Rods on ball joints: `network`.
    Mechanism,
    /// A tracked vehicle with its pins, rollers and shoes: `tracked-vehicle`.
    Vehicle,
    /// A heavy slab that comes to lie on light balls: `pressure`.
    Slab,
}

impl SceneKind {
    /// All of them, in the order of the tables.
    pub const ALL: [Self; 6] = [
        Self::Pile,
        Self::Grains,
        Self::Wall,
        Self::Mechanism,
        Self::Vehicle,
        Self::Slab,
    ];

    /// Its name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pile => "pile",
            Self::Grains => "grains",
            Self::Wall => "wall",
            Self::Mechanism => "mechanism",
            Self::Vehicle => "vehicle",
            Self::Slab => "slab",
        }
    }
}

/// Whether the bodies rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// They lie still, but for what the solver leaves.
    Settled,
    /// They fall, swing, drive or are hit.
    Moving,
}

impl Motion {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Settled => "settled",
            Self::Moving => "moving",
        }
    }
}

/// Values of a scene: which key or parameter, and what it becomes.
type Values = Vec<(&'static str, String)>;

/// A scene in a state.
#[derive(Clone, Debug)]
pub struct Case {
    /// Which scene.
    pub kind: SceneKind,
    /// Whether its bodies rest.
    pub motion: Motion,
    /// Name of the built-in scene.
    scene: &'static str,
    /// What makes it as large as asked for.
    size: Values,
    /// What leads to the state in little time.
    way: Values,
    /// Phases until the state is reached.
    phases: usize,
    /// The key of the tolerance of the measured steps.
    tolerance: &'static str,
}

/// How the measured steps are made.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// The method.
    pub method: Method,
    /// Relative residual of a step.
    pub tolerance: f64,
    /// A fixed number of iterations in place of the tolerance.
    pub iterations: Option<usize>,
}

/// Residual that no step reaches: all iterations are made.
const UNREACHABLE: f64 = 1e-30;

/// Most iterations of a step on the way to a state: enough for piles that overlap by less than a
/// per cent, few enough for large ones.
const WAY_ITERATIONS: usize = 200;

impl Case {
    /// A pile of so many spheres.
    pub fn pile(count: usize, motion: Motion) -> Self {
        let size = vec![("count", count.to_string())];
        let layers = (count as f64 / 1000.0).powf(1.0 / 6.0);
        // The loose lattice falls by a third of its height, which grows as the cube root of the
        // number: the time for that, and a second more to come to rest. Moving: when most of them
        // have begun to touch.
        let seconds = match motion {
            Motion::Settled => 1.0 + 0.42 * layers,
            Motion::Moving => 0.2,
        };
        Self {
            way: way(&[("settle_time", format!("{seconds:.3} s"))]),
            ..Self::new(SceneKind::Pile, motion, "spheres", size)
        }
    }

    /// Mixed convex grains, as many as asked for.
    pub fn grains(count: usize) -> Self {
        let size = vec![
            ("count", count.to_string()),
            ("cohesion", "0 N".to_owned()),
            ("phase.mix.at_start", "[]".to_owned()),
        ];
        Self::new(SceneKind::Grains, Motion::Settled, "mixer", size)
    }

    /// A wall of so many bricks.
    pub fn wall(bricks: usize, motion: Motion) -> Self {
        let courses = (1.2 * bricks as f64).sqrt().round().max(2.0);
        let columns = (bricks as f64 / courses).round().max(2.0);
        let size = vec![
            ("columns", columns.to_string()),
            ("courses", courses.to_string()),
        ];
        match motion {
            Motion::Settled => Self::new(SceneKind::Wall, motion, "masonry", size),
            // The ball is let go after 0.2 s and hits the bricks about 1.15 s later.
            Motion::Moving => Self {
                way: way(&[("settings.duration", "1.4 s".to_owned())]),
                phases: 2,
                ..Self::new(SceneKind::Wall, motion, "masonry", size)
            },
        }
    }

    /// A network of about so many rods.
    pub fn mechanism(rods: usize) -> Self {
        let size = (rods as f64).cbrt().round().max(2.0);
        let size = vec![("size", size.to_string())];
        Self {
            way: way(&[("settings.duration", "0.05 s".to_owned())]),
            ..Self::new(SceneKind::Mechanism, Motion::Moving, "network", size)
        }
    }

    /// The tracked vehicle as it begins to drive.
    pub fn vehicle() -> Self {
        let size = Vec::new();
        Self::new(SceneKind::Vehicle, Motion::Moving, "tracked-vehicle", size)
    }

    /// A slab that comes to lie on so many balls.
    pub fn slab(balls: usize) -> Self {
        let size = vec![("count", balls.to_string())];
        Self {
            tolerance: "load_tolerance",
            ..Self::new(SceneKind::Slab, Motion::Moving, "pressure", size)
        }
    }

    fn new(kind: SceneKind, motion: Motion, scene: &'static str, size: Values) -> Self {
        Self {
            kind,
            motion,
            scene,
            size,
            way: way(&[]),
            phases: 1,
            tolerance: "settings.tolerance",
        }
    }

    /// Its name for people who wait.
    pub fn label(&self) -> String {
        let size: Vec<&str> = self.size.iter().take(2).map(|(_, v)| v.as_str()).collect();
        format!(
            "{} {} {}",
            self.kind.name(),
            size.join(" "),
            self.motion.name()
        )
    }
}

/// The settings of the way to a state, and what else it takes.
fn way(more: &[(&'static str, String)]) -> Values {
    let mut values = vec![
        ("settings.tolerance", "1e-2".to_owned()),
        ("settings.max_iterations", WAY_ITERATIONS.to_string()),
    ];
    values.extend_from_slice(more);
    values
}

/// Makes the scenes of a bench.
pub struct Stage<'a> {
    bench: Bench<'a>,
}

/// What [`Bench`] asks for beside a store and a control; nothing of it is used here.
static PLAIN: ExperimentSettings = ExperimentSettings {
    scale: 1.0,
    methods: Vec::new(),
    rebuild: false,
};

impl<'a> Stage<'a> {
    /// For the bench of this name.
    pub fn new(id: &'static str, context: BenchContext<'a>) -> Self {
        let store: &'a SettledStates = context.store;
        Self {
            bench: Bench::new(id, &PLAIN, store, context.control),
        }
    }

    /// The case in its state, with the settings of the measured steps. `more` is set in these steps
    /// only.
    pub fn simulation(
        &mut self,
        case: &Case,
        measured: &Measured,
        more: &[(&'static str, String)],
    ) -> Result<Simulation, StudyError> {
        let state = {
            let settling = self.scene(case, &case.way)?;
            self.bench.settle(&settling, case.phases)?.state()
        };
        let mut values = measured_values(case, measured);
        values.extend_from_slice(more);
        let scene = self.scene(case, &values)?;
        let mut simulation = Simulation::new(&scene)?;
        simulation.restore(&state)?;
        Ok(simulation)
    }

    /// The problem of the next step of a case in its state, and where the step would start from.
    pub fn problem(
        &mut self,
        case: &Case,
        more: &[(&'static str, String)],
    ) -> Result<Ccp<TwoBody>, StudyError> {
        let measured = Measured {
            method: Method::Auto,
            tolerance: 1e-4,
            iterations: None,
        };
        let mut simulation = self.simulation(case, &measured, more)?;
        Ok(simulation.next_problem()?.into_problem())
    }

    fn scene(&self, case: &Case, more: &Values) -> Result<Scene, StudyError> {
        let values = [case.size.as_slice(), more].concat();
        self.bench.scene(case.scene, &values)
    }
}

fn measured_values(case: &Case, measured: &Measured) -> Values {
    let tolerance = match measured.iterations {
        Some(_) => UNREACHABLE,
        None => measured.tolerance,
    };
    let mut values = vec![
        (case.tolerance, format!("{tolerance:e}")),
        ("settings.method", format!("\"{}\"", measured.method.name())),
    ];
    if let Some(count) = measured.iterations {
        values.push(("settings.max_iterations", count.to_string()));
    }
    values
}

/// How a tolerance or a count is told in settings.
pub fn told(measured: &Measured) -> String {
    match measured.iterations {
        Some(count) => format!("{count} iterations a step"),
        None => format!("residual {}", short_number(measured.tolerance)),
    }
}
