//! The scenes that are measured: built-in ones, at sizes of their own, brought to a state that is
//! kept. Piles and grains go there with few iterations a step, since only the packing counts; the
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
    /// A heavy slab that lies on light balls: `pressure`.
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
    /// Kind and size, as `pile-4000`.
    name: String,
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

/// Most iterations of a step on the way of grains: enough for piles that overlap by less than a
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
            way: short_way(&[("settle_time", format!("{seconds:.3} s"))]),
            ..Self::new(SceneKind::Pile, Some(count), motion, "spheres", size)
        }
    }

    /// Mixed convex grains, as many as asked for.
    pub fn grains(count: usize) -> Self {
        let size = vec![
            ("count", count.to_string()),
            ("cohesion", "0 N".to_owned()),
            ("phase.mix.at_start", "[]".to_owned()),
        ];
        let (kind, motion) = (SceneKind::Grains, Motion::Settled);
        Self {
            way: short_way(&[]),
            ..Self::new(kind, Some(count), motion, "mixer", size)
        }
    }

    /// A wall of so many bricks.
    pub fn wall(bricks: usize, motion: Motion) -> Self {
        // Somewhat wider than high, as 25 columns and 30 courses are.
        let courses = (1.2 * bricks as f64).sqrt().round().max(2.0);
        let columns = (bricks as f64 / courses).round().max(2.0);
        let size = vec![
            ("columns", columns.to_string()),
            ("courses", courses.to_string()),
        ];
        let standing = Self::new(SceneKind::Wall, Some(bricks), motion, "masonry", size);
        match motion {
            Motion::Settled => standing,
            // The ball is let go after 0.2 s and hits the bricks about 1.15 s later.
            Motion::Moving => Self {
                way: vec![("settings.duration", "1.4 s".to_owned())],
                phases: 2,
                ..standing
            },
        }
    }

    /// A network of about so many rods.
    pub fn mechanism(rods: usize) -> Self {
        let size = (rods as f64).cbrt().round().max(2.0);
        let size = vec![("size", size.to_string())];
        let (kind, motion) = (SceneKind::Mechanism, Motion::Moving);
        Self {
            way: vec![("settings.duration", "0.05 s".to_owned())],
            ..Self::new(kind, Some(rods), motion, "network", size)
        }
    }

    /// The tracked vehicle as it begins to drive.
    pub fn vehicle() -> Self {
        let (kind, motion) = (SceneKind::Vehicle, Motion::Moving);
        Self::new(kind, None, motion, "tracked-vehicle", Vec::new())
    }

    /// A slab that has come to lie on so many balls.
    pub fn slab(balls: usize) -> Self {
        let size = vec![("count", balls.to_string())];
        let loading = [
            ("load_tolerance", "1e-2".to_owned()),
            ("load_time", "0.05 s".to_owned()),
        ];
        Self {
            tolerance: "load_tolerance",
            way: loading.to_vec(),
            phases: 2,
            ..Self::new(
                SceneKind::Slab,
                Some(balls),
                Motion::Moving,
                "pressure",
                size,
            )
        }
    }

    fn new(
        kind: SceneKind,
        bodies: Option<usize>,
        motion: Motion,
        scene: &'static str,
        size: Values,
    ) -> Self {
        Self {
            kind,
            motion,
            name: match bodies {
                Some(bodies) => format!("{}-{bodies}", kind.name()),
                None => kind.name().to_owned(),
            },
            scene,
            size,
            way: Vec::new(),
            phases: 1,
            tolerance: "settings.tolerance",
        }
    }

    /// Its name in tables and for people who wait.
    pub fn label(&self) -> String {
        format!("{} {}", self.name, self.motion.name())
    }
}

/// The cases of some kinds of scenes: piles of the sizes asked for, the others at a scale, 1 for
/// 10 000 grains, 750 bricks, 1000 rods and 4000 balls below the slab.
pub fn cases(kinds: &[SceneKind], motions: &[Motion], sizes: &[usize], scale: f64) -> Vec<Case> {
    let scaled = |full: f64| (full * scale).round().max(1.0) as usize;
    let mut cases = Vec::new();
    for kind in kinds {
        match kind {
            SceneKind::Pile => {
                for &count in sizes {
                    cases.extend(motions.iter().map(|&motion| Case::pile(count, motion)));
                }
            }
            SceneKind::Grains => cases.push(Case::grains(scaled(10_000.0))),
            SceneKind::Wall => {
                let bricks = scaled(750.0);
                cases.extend(motions.iter().map(|&motion| Case::wall(bricks, motion)));
            }
            SceneKind::Mechanism => cases.push(Case::mechanism(scaled(1000.0))),
            SceneKind::Vehicle => cases.push(Case::vehicle()),
            SceneKind::Slab => cases.push(Case::slab(scaled(4000.0))),
        }
    }
    cases
}

/// The way of grains, where only the packing at its end counts, and what else it takes. Walls and
/// slabs have heavy bodies on light ones: they need all the iterations that their scenes give them.
fn short_way(more: &[(&'static str, String)]) -> Values {
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
    resume: false,
    program: String::new(),
    program_digest: String::new(),
    failing: Vec::new(),
    changed_limits: Vec::new(),
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
