//! Scenes that run in a fraction of a second: the built-in ones made small, and one of our own.

use std::path::{Path, PathBuf};
use std::process::Command;

use drystone_scene::builtin_scenes;

use crate::bench::Bench;
use crate::child::{self, PATIENCE};

/// A run to be disturbed: a scene, and an undisturbed run of it to compare with.
pub struct Reference {
    /// What stands on the command line before the folder: the scene and its settings.
    scene: Vec<String>,
    /// The undisturbed run.
    pub folder: PathBuf,
    /// How long it took, s.
    pub seconds: f64,
}

/// What makes a built-in scene small, as overrides; nothing for those that are.
fn small(name: &str) -> &'static [&'static str] {
    match name {
        "pile" | "pressure" | "drum" | "column" | "oedometer" | "chute" => &["count=30"],
        "hourglass" | "bed" | "mixer" | "spheres" => &["count=40"],
        "shear-box" => &["count=200"],
        "masonry" => &["columns=3", "courses=3", "links=3"],
        "tracked-vehicle" => &["gravel=5"],
        "network" => &["size=3"],
        "stack" => &["plates=5"],
        "domino" => &["count=5"],
        _ => &[],
    }
}

/// All built-in scenes with the overrides that make them small.
pub fn builtin() -> Vec<(&'static str, Vec<(String, String)>)> {
    let overrides = |name| {
        let pairs = small(name).iter().filter_map(|o| o.split_once('='));
        pairs.map(|(k, v)| (k.to_owned(), v.to_owned())).collect()
    };
    let scenes = builtin_scenes().iter();
    scenes.map(|(name, _)| (*name, overrides(name))).collect()
}

/// A dozen balls fall into a box beside a pendulum that a motor drives; forces, joints and contacts
/// are recorded. A step is 2 ms. Tests of the command line have such a scene of their own: no other
/// crate can take one from this program, and it may change here without a thought of them.
pub fn balls(duration: f64) -> String {
    format!(
        r#"title = "A dozen balls"

[parameters]
count = 12
radius = "2 cm"

[settings]
duration = {duration}
time_step = "2 ms"

[[container]]
name = "box"
shape = {{ type = "box", size = ["16 cm", "16 cm", "20 cm"] }}

[[fill]]
name = "balls"
shape = {{ type = "sphere", radius = "radius" }}
count = "count"
container = "box"
arrangement = "rain"

[recording]
every = "10 ms"
contacts = true
joints = ["pivot"]
forces = [{{ name = "floor", by = "balls", on = "box" }}]

[[body]]
name = "bob"
shape = {{ type = "sphere", radius = "radius" }}
position = ["10 cm", 0, "40 cm"]

[[joint]]
name = "pivot"
type = "revolute"
bodies = ["world", "bob"]
at = [0, 0, "40 cm"]
axis = [0, 1, 0]
motor = {{ type = "torque", value = "0.01 N*1 m*sin(5*t)" }}
"#
    )
}

impl Reference {
    /// Runs [`balls`] for so long, s.
    pub fn balls(bench: &Bench, name: &str, duration: f64) -> Result<Self, String> {
        let folder = bench.folder(name)?;
        let file = folder.join("balls.toml");
        std::fs::write(&file, balls(duration)).map_err(|e| e.to_string())?;
        Self::of(bench, folder, vec![file.display().to_string()])
    }

    /// Runs a built-in scene, made small, for so many steps.
    pub fn builtin(bench: &Bench, name: &str, steps: u64) -> Result<Self, String> {
        let folder = bench.folder(&format!("whole-{name}"))?;
        let mut scene = vec![name.to_owned(), "--steps".to_owned(), steps.to_string()];
        for set in small(name) {
            scene.extend(["--set".to_owned(), (*set).to_owned()]);
        }
        Self::of(bench, folder, scene)
    }

    fn of(bench: &Bench, folder: PathBuf, scene: Vec<String>) -> Result<Self, String> {
        let mut reference = Self {
            scene,
            folder: folder.join("whole"),
            seconds: 0.0,
        };
        let begun = std::time::Instant::now();
        let command = reference.command(bench, &reference.folder, &["--threads", "1"]);
        let ended = child::run(command, &folder, PATIENCE)?;
        reference.seconds = begun.elapsed().as_secs_f64();
        let failed = |what| format!("an undisturbed run of {}: {what}", reference.scene[0]);
        ended.expect(&[0]).map_err(failed)?;
        Ok(reference)
    }

    /// The command that runs the scene into `folder`, with a checkpoint after every step.
    pub fn command(&self, bench: &Bench, folder: &Path, more: &[&str]) -> Command {
        let mut command = Command::new(&bench.binary);
        command.arg("run").args(&self.scene);
        command.arg("-o").arg(folder).args(more);
        command.args([
            "--quiet",
            "--picture",
            "32x20",
            "--checkpoint-every",
            "1e-6",
        ]);
        command
    }

    /// Goes on with the run in `folder` undisturbed, and compares it with the whole one.
    pub fn resume_and_compare(&self, bench: &Bench, folder: &Path) -> Result<(), String> {
        let place = folder.parent().unwrap_or(folder);
        // Ended before its scene was written there is nothing to resume: it begins.
        let more: &[&str] = match folder.join("scene.toml").exists() {
            true => &["--resume", "--threads", "1"],
            false => &["--threads", "1"],
        };
        let command = self.command(bench, folder, more);
        let ended = child::run(command, place, PATIENCE)?;
        ended
            .expect(&[0])
            .map_err(|what| format!("resume: {what}"))?;
        crate::run_folder::same(&self.folder, folder)
    }

    /// The scene's name or file.
    pub fn name(&self) -> &str {
        &self.scene[0]
    }
}
