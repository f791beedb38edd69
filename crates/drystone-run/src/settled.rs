//! Scenes brought to the end of a phase, kept so that the way there need not be gone twice.
//!
//! A kept state is keyed by all that it depends on: the scene's text with its overrides, the number
//! of phases, and the code of the engine (`build.rs` says what of it counts). Made anew, it has the
//! same bits. The way is checkpointed, so that a long one that was stopped or killed goes on from
//! there.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use drystone::StepError;
use drystone_scene::{Scene, SceneError, Simulation, SimulationState};

use crate::checkpoint::{CheckpointError, Checkpoints, Fingerprint};
use crate::control::{Control, Event};
use crate::drive::{Ended, StopAt, drive};
use crate::run_folder::{Existing, RunFolder, RunFolderError};

/// Version and sources of the engine: a state made by another one may have other bits.
pub const ENGINE: &str = env!("DRYSTONE_ENGINE");

/// Time between two checkpoints on the way.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(20);

/// Where settled states are kept, a folder each.
#[derive(Clone, Debug)]
pub struct SettledStates {
    root: PathBuf,
}

/// A scene at the end of a phase.
pub struct Settled {
    /// The scene there.
    pub simulation: Simulation,
    /// What the state is kept under.
    pub key: Fingerprint,
    /// Of the state itself: the same bits have the same.
    pub digest: Fingerprint,
    /// Whether it had been kept from before.
    pub kept: bool,
    /// Wall time that the way took when it was gone, s.
    pub seconds: f64,
}

/// Why there is no settled state.
#[derive(Debug, thiserror::Error)]
pub enum SettleError {
    /// The scene cannot be built, or a kept state does not fit it.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A checkpoint could not be read or written.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The folder could not be used.
    #[error(transparent)]
    Folder(#[from] RunFolderError),
    /// The caller cancelled. The next call goes on from here.
    #[error("stopped on the way to the settled state, at step {step}")]
    Stopped {
        /// Steps made.
        step: u64,
    },
}

/// What a checkpoint holds: the state, whether it is the end of the way, and the wall time so far
/// in s.
type Saved = (SimulationState, bool, f64);

impl SettledStates {
    /// Those below a folder, which is made when the first is kept.
    pub fn new(root: impl AsRef<Path>) -> Self {
        Self {
            root: root.as_ref().to_owned(),
        }
    }

    /// What the state of a scene after `phases` phases is kept under.
    pub fn key(scene: &Scene, phases: usize) -> Fingerprint {
        let text = format!("{ENGINE}\n{phases}\n{}", scene.to_toml());
        Fingerprint::of(text.as_bytes())
    }

    /// The folder of a key.
    pub fn folder(&self, key: Fingerprint) -> PathBuf {
        self.root.join(key.to_string())
    }

    /// Forgets a kept state, so that it is made anew. Nothing happens where there is none.
    pub fn forget(&self, key: Fingerprint) -> Result<(), SettleError> {
        let folder = self.folder(key);
        if folder.exists() {
            RunFolder::create(&folder, Existing::Replace)?;
        }
        Ok(())
    }

    /// The scene after its first `phases` phases: kept, or made and kept.
    pub fn settle(
        &self,
        scene: &Scene,
        phases: usize,
        control: Control<'_>,
    ) -> Result<Settled, SettleError> {
        let key = Self::key(scene, phases);
        let folder = self.folder(key);
        let checkpoints = Checkpoints::new(&folder, key);
        let mut simulation = Simulation::new(scene)?;
        // A damaged one is made anew.
        let found = checkpoints.read::<Saved>().ok().flatten();
        let mut before = 0.0;
        if let Some((state, finished, seconds)) = found.map(|loaded| loaded.payload) {
            simulation.restore(&state)?;
            before = seconds;
            if finished {
                return Ok(Settled {
                    simulation,
                    key,
                    digest: digest(&state),
                    kept: true,
                    seconds,
                });
            }
        }
        let _lock = lock(&folder)?;
        let start = Instant::now();
        let mut written = Instant::now();
        let save = |simulation: &Simulation, finished: bool| {
            let seconds = before + start.elapsed().as_secs_f64();
            let saved: Saved = (simulation.state(), finished, seconds);
            checkpoints.write(&saved).map(|()| (saved.0, seconds))
        };
        let stop = StopAt {
            phases: Some(phases),
            ..StopAt::default()
        };
        let ended = drive(&mut simulation, &stop, control, |simulation, _| {
            if written.elapsed() >= CHECKPOINT_EVERY {
                save(simulation, false)?;
                written = Instant::now();
            }
            Ok::<(), SettleError>(())
        })?;
        match ended {
            Ended::Finished | Ended::Limit => {}
            Ended::Broke(error) => return Err(error.into()),
            Ended::Cancelled => {
                control.tell(Event::Saving);
                save(&simulation, false)?;
                let step = simulation.world().steps();
                return Err(SettleError::Stopped { step });
            }
        }
        let (state, seconds) = save(&simulation, true)?;
        simulation.free_work_memory();
        Ok(Settled {
            simulation,
            key,
            digest: digest(&state),
            kept: false,
            seconds,
        })
    }
}

fn lock(folder: &Path) -> Result<RunFolder, RunFolderError> {
    match RunFolder::resume(folder) {
        Err(RunFolderError::HoldsNoRun { .. }) => RunFolder::create(folder, Existing::Replace),
        taken => taken,
    }
}

/// Of a state: the same bits have the same.
pub fn digest(state: &SimulationState) -> Fingerprint {
    // What a checkpoint could be written of can be encoded.
    Fingerprint::of(&postcard::to_allocvec(state).unwrap_or_default())
}
