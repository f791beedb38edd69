//! What a run leaves: recordings, checkpoints, tables, the scene. Each is read by its own reader,
//! and now and then lies in a run's folder that is resumed.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use drystone_draw::render::Quality;
use drystone_draw::{PictureSettings, draw};
use drystone_run::export::{ExportOptions, Format as ExportFormat, export};
use drystone_run::recording::{ForceLog, JointLog, Recording, StepLog};
use drystone_run::run_folder::{
    CHECKPOINT, Existing, FORCES, FRAMES, JOINTS, LOG, RunFolder, SCENE, SOURCE,
};
use drystone_run::source::{SceneSource, scene_of};
use drystone_run::step_table::read_steps;
use drystone_run::{Control, Run, StopAt, saved_state};
use drystone_scene::{Scene, SceneOptions, Simulation};

use super::format::{Format, Sources};
use crate::dice::Dice;

/// Steps of the run that is forged, and of those that go on with it.
const STEPS: u64 = 12;
const MORE_STEPS: u64 = 15;

/// Most frames that are read of a recording.
const MOST_FRAMES: usize = 50;

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()))
}

/// A recording or an error; its frames, now and then a picture and an export.
pub fn recording(bytes: &[u8], dice: &mut Dice, scratch: &Path) -> Result<bool, String> {
    let file = scratch.join("forged.dry");
    write(&file, bytes)?;
    let Ok(mut recording) = Recording::open(&file) else {
        return Ok(false);
    };
    let frames = recording.len().min(MOST_FRAMES);
    let mut last = None;
    for k in 0..frames {
        last = recording.frame(k).ok().or(last);
    }
    let _ = recording.nearest(0.01);
    let _ = recording.refresh();
    if let Some(frame) = last
        && dice.one_in(8)
    {
        let settings = PictureSettings {
            size: [16, 10],
            quality: Quality::Draft,
            ..PictureSettings::default()
        };
        let _ = draw(
            recording.header(),
            &frame,
            &settings,
            &AtomicBool::new(false),
        );
        let formats = [
            ExportFormat::Vtk,
            ExportFormat::Npz,
            ExportFormat::Csv,
            ExportFormat::Obj,
        ];
        let options = ExportOptions {
            every: 4,
            ..ExportOptions::new(*dice.pick(&formats))
        };
        let out = scratch.join("export");
        let _ = export(
            &recording,
            &options,
            &out,
            &AtomicBool::new(false),
            &mut |_, _| {},
        );
        let _ = std::fs::remove_dir_all(&out);
    }
    Ok(true)
}

/// A checkpoint or an error; the simulation goes on from it.
pub fn checkpoint(sources: &Sources, bytes: &[u8], scratch: &Path) -> Result<bool, String> {
    let folder = scratch.join("checkpoint");
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    write(&folder.join(CHECKPOINT), bytes)?;
    let scene = scene(&sources.scene)?;
    let Ok(Some(state)) = saved_state(&folder, &scene) else {
        return Ok(false);
    };
    let mut simulation = Simulation::new(&scene).map_err(|e| e.to_string())?;
    if simulation.restore(&state).is_ok() {
        for _ in 0..2 {
            if simulation.step().is_err() {
                break;
            }
        }
    }
    Ok(true)
}

/// Tables or errors, whatever table they seem to be; now and then a figure, which takes a hundred
/// times as long.
pub fn tables(bytes: &[u8], dice: &mut Dice, scratch: &Path) -> Result<bool, String> {
    let file = scratch.join("forged.csv");
    write(&file, bytes)?;
    let read = read_steps(&file);
    if let Ok(steps) = &read
        && dice.one_in(50)
    {
        let figure = drystone_draw::run_figure("forged", &steps.rows, 1e-4).drawing();
        let _ = drystone_draw::plot::to_png(&figure);
    }
    let after = STEPS / 2;
    let resumed = [
        StepLog::resume(&file, after).is_ok(),
        ForceLog::resume(&file, after).is_ok(),
        JointLog::resume(&file, after).is_ok(),
    ];
    Ok(read.is_ok() || resumed.contains(&true))
}

/// The scene of a run's folder, or an error.
pub fn source(sources: &Sources, bytes: &[u8], scratch: &Path) -> Result<bool, String> {
    let folder = scratch.join("source");
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    let is_json = bytes.first() == Some(&b'{');
    let [own, other] = match is_json {
        true => [SOURCE, SCENE],
        false => [SCENE, SOURCE],
    };
    write(&folder.join(own), bytes)?;
    // The other one of the two is as the run left it.
    let whole = std::fs::read(run_of(sources).join(other)).map_err(|e| e.to_string())?;
    write(&folder.join(other), &whole)?;
    Ok(scene_of(&folder).is_ok())
}

/// Goes on with the run, one of whose files is forged.
pub fn resume(sources: &Sources, name: &str, bytes: &[u8], scratch: &Path) -> Result<bool, String> {
    let folder = scratch.join("resumed");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    for entry in std::fs::read_dir(run_of(sources)).map_err(|e| e.to_string())? {
        let entry = entry.map_err(|e| e.to_string())?;
        let copied = std::fs::copy(entry.path(), folder.join(entry.file_name()));
        copied.map_err(|e| e.to_string())?;
    }
    write(&folder.join(name), bytes)?;
    let Ok(scene) = scene_of(&folder) else {
        return Ok(false);
    };
    if scene.least_bodies() > 100 {
        return Ok(true);
    }
    let Ok(simulation) = Simulation::new(&scene) else {
        return Ok(false);
    };
    let Ok(taken) = RunFolder::resume(&folder) else {
        return Ok(false);
    };
    let Ok(mut run) = Run::resume(scene, simulation, taken) else {
        return Ok(false);
    };
    let stop = StopAt {
        steps: Some(MORE_STEPS),
        ..StopAt::default()
    };
    if run.advance(&stop, Control::none()).is_ok() {
        let _ = run.steps();
    }
    Ok(true)
}

fn run_of(sources: &Sources) -> std::path::PathBuf {
    sources.folder.join("run")
}

fn scene(text: &str) -> Result<Scene, String> {
    Scene::parse(text, "balls.toml", None, &SceneOptions::default()).map_err(|e| e.to_string())
}

/// Files to begin from: those of a run that stopped before its end.
pub fn sources(sources: &mut Sources) -> Result<(), String> {
    let path = run_of(sources);
    let words = |e: &dyn std::fmt::Display| format!("the run to be forged: {e}");
    let scene = scene(&sources.scene)?;
    let simulation = Simulation::new(&scene).map_err(|e| words(&e))?;
    let folder = RunFolder::create(&path, Existing::Replace).map_err(|e| words(&e))?;
    let source = SceneSource::of(&scene, false);
    source.write(&folder).map_err(|e| words(&e))?;
    let mut run = Run::begin(scene, simulation, folder).map_err(|e| words(&e))?;
    let stop = StopAt {
        steps: Some(STEPS),
        ..StopAt::default()
    };
    run.advance(&stop, Control::none()).map_err(|e| words(&e))?;
    drop(run);
    for (format, name) in [
        (Format::Recording, FRAMES),
        (Format::Checkpoint, CHECKPOINT),
        (Format::Tables, LOG),
        (Format::Tables, FORCES),
        (Format::Tables, JOINTS),
        (Format::Source, SCENE),
        (Format::Source, SOURCE),
    ] {
        let bytes = std::fs::read(path.join(name)).map_err(|e| words(&e))?;
        sources.add(format, name, bytes);
    }
    Ok(())
}
