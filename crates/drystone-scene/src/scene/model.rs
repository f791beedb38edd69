//! A scene as plain data: what its text says, with every number evaluated.

use std::ops::Range;

use std::sync::Arc;

use drystone::{Body, Joint, Pose, Settings, Wrench};
use glam::DVec3;

use super::expression::Expression;
use super::motion::Motion;
use super::settings::SettingsChange;
use super::start::StartRequest;
use crate::packing::{FillSpec, Region};
use crate::view::ViewSettings;

/// Everything that a scene describes.
#[derive(Clone)]
pub(crate) struct Model {
    pub title: String,
    pub description: String,
    pub settings: Settings,
    /// Whether the text names the law of friction. Where it does not, the number of bodies decides.
    pub law_given: bool,
    /// s.
    pub duration: Option<f64>,
    pub start: Option<StartRequest>,
    pub materials: Vec<MaterialSpec>,
    pub pairs: Vec<PairSpec>,
    pub bodies: Vec<BodySpec>,
    pub fills: Vec<GrainsSpec>,
    /// Those of bodies and of phases.
    pub motions: Vec<Motion>,
    /// Names of robots, whose bodies and joints are among the others.
    pub robots: Vec<String>,
    /// Names of tracks, likewise.
    pub tracks: Vec<String>,
    pub joints: Vec<JointSpec>,
    /// Motors of joints and of phases.
    pub drives: Vec<DriveSpec>,
    pub phases: Vec<PhaseSpec>,
    pub recording: RecordingSettings,
    pub view: ViewSettings,
    /// What the scene's files hold that is ignored.
    pub warnings: Vec<String>,
}

/// Where something stands in the text, for what is found wrong only when the world is built.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TextPlace {
    pub span: Range<usize>,
    pub key: String,
}

#[derive(Clone, Debug)]
pub(crate) struct MaterialSpec {
    pub name: String,
    pub surface: drystone::Surface,
    /// kg/m³.
    pub density: Option<f64>,
    pub color: Option<Color>,
    pub place: TextPlace,
}

#[derive(Clone, Debug)]
pub(crate) struct PairSpec {
    /// Indices into the scene's materials.
    pub materials: [usize; 2],
    pub surface: drystone::Surface,
    pub place: TextPlace,
}

#[derive(Clone)]
pub(crate) struct BodySpec {
    /// Without its material, which exists only in a world.
    pub body: Body,
    /// Index into the scene's materials; the world's default one if none.
    pub material: Option<usize>,
    /// Index into the scene's motions.
    pub motion: Option<usize>,
    pub load: Option<Wrench>,
    pub look: BodyLook,
    pub place: TextPlace,
}

/// A joint.
#[derive(Clone)]
pub(crate) struct JointSpec {
    pub name: String,
    /// Without its bodies and its motor, which exist only in a world.
    pub joint: Joint,
    pub ends: [End; 2],
    /// Index into the scene's drives.
    pub motor: Option<usize>,
    /// Largest force of motors that give none themselves, N or N m: a robot's file may tell it.
    pub effort: Option<f64>,
    pub place: TextPlace,
}

/// What a joint holds on to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum End {
    World,
    Body {
        name: String,
        /// Which of the bodies of that name; the only one if none.
        index: Option<usize>,
    },
}

/// A motor of the scene.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DriveSpec {
    pub kind: DriveKind,
    pub signal: MotorSignal,
    /// N or N m.
    pub max_force: Option<f64>,
}

/// What a motor keeps or exerts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DriveKind {
    /// Keeps a speed of the joint's coordinate, m/s or rad/s.
    Speed,
    /// Keeps the coordinate itself, m or rad.
    Position,
    /// Exerts a force or torque, N or N m.
    Force,
}

impl DriveKind {
    /// Whether a largest force has a meaning: a force that is given is exerted in full.
    pub fn has_largest_force(self) -> bool {
        match self {
            Self::Speed | Self::Position => true,
            Self::Force => false,
        }
    }
}

/// What a motor is to keep or exert, as a function of the time since it began.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum MotorSignal {
    Expression(Expression),
    Table(Arc<[(f64, f64)]>),
}

/// A fill.
#[derive(Clone, Debug)]
pub(crate) struct GrainsSpec {
    pub name: String,
    pub spec: FillSpec,
    /// Turns the coordinates of the fill's region into the world's, where the region is a turned
    /// container's.
    pub frame: Pose,
    pub material: Option<usize>,
    pub weight: GrainWeight,
    pub velocity: DVec3,
    pub angular_velocity: DVec3,
    pub look: BodyLook,
    pub place: TextPlace,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum GrainWeight {
    /// kg.
    Mass(f64),
    /// kg/m³.
    Density(f64),
}

/// A container that fills can refer to.
#[derive(Clone, Debug)]
pub(crate) struct ContainerInside {
    pub name: String,
    /// In the container's frame; none where it is not of a simple kind.
    pub region: Option<Region>,
    pub frame: Pose,
}

#[derive(Clone, Debug)]
pub(crate) struct PhaseSpec {
    pub name: String,
    pub until: Until,
    pub at_start: Vec<Action>,
    pub place: TextPlace,
}

/// When a phase ends: as soon as one holds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Until {
    /// s since its start.
    pub time: Option<f64>,
    pub steps: Option<u64>,
    pub rest: Option<RestCondition>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RestCondition {
    /// m/s.
    pub speed: f64,
    /// s.
    pub duration: f64,
}

/// What happens at the start of a phase, to all bodies of a name.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Remove(String),
    Add {
        body: String,
        above: Option<String>,
        /// m.
        gap: f64,
    },
    Motion {
        body: String,
        /// Index into the scene's motions.
        motion: usize,
    },
    Stop(String),
    Load {
        body: String,
        load: Wrench,
    },
    Velocity {
        body: String,
        velocity: DVec3,
        angular_velocity: DVec3,
    },
    /// Lets joints go.
    Release(String),
    /// Has joints hold again.
    Hold(String),
    Motor {
        joint: String,
        /// Index into the scene's drives; none stops the motor.
        drive: Option<usize>,
    },
    Settings(Box<SettingsChange>),
}

/// Red, green, blue, sRGB.
pub type Color = [u8; 3];

/// How a body is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BodyLook {
    /// How much of it is seen.
    pub opacity: Opacity,
    /// Its own or its material's colour; the picture chooses where there is none.
    pub color: Option<Color>,
}

/// How much of a body is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Opacity {
    /// All of it.
    #[default]
    Solid,
    /// Its outline: what is behind shows through.
    Glass,
    /// Nothing.
    Hidden,
}

/// What is written down while a scene runs.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordingSettings {
    /// Simulated time between frames, s.
    pub every: f64,
    /// Whether contacts and their forces are in each frame.
    pub contacts: bool,
    /// Of positions in frames.
    pub precision: Precision,
    /// Forces between groups, recorded every step.
    pub forces: Vec<ForceRecorder>,
    /// Names of joints whose coordinates and forces are recorded every step.
    pub joints: Vec<String>,
    /// Which cone problems of steps are kept.
    pub problems: Option<ProblemRecording>,
}

/// Which cone problems of a run's steps are kept as files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProblemRecording {
    /// Those of the steps whose number is a multiple of this.
    pub every: Option<u64>,
    /// Those of steps that did not reach the tolerance.
    pub unconverged: bool,
    /// The form of the files.
    pub format: ProblemFormat,
    /// Most files of a run.
    pub most: u64,
}

/// The form of problem files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProblemFormat {
    /// Drystone's own: any problem, exact to the bit.
    #[default]
    Ccp,
    /// FCLIB's, which other codes read.
    Fclib,
}

/// What makes a step's problem worth keeping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProblemWhen {
    /// The step did not reach the tolerance.
    Unconverged,
}

/// Digits of positions in frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// 32-bit floats.
    #[default]
    Single,
    /// 64-bit floats.
    Double,
}

/// The force that the bodies of one name exert on those of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForceRecorder {
    /// Heading of its columns.
    pub name: String,
    /// Name of the bodies that push.
    pub by: String,
    /// Name of the bodies that are pushed.
    pub on: String,
}
