//! Scenes: what is simulated, written by hand in TOML.
//!
//! A [`Scene`] comes from a file ([`Scene::load`]), from the binary ([`Scene::builtin`]) or from
//! text ([`Scene::parse`]); it is checked whole, and everything that is wrong with it is reported
//! with line, key and suggestion ([`SceneError`]). A [`crate::Simulation`] runs it. The format is
//! described in the book, `docs/scenes.md`, and for editors by [`schema`].

mod assemble;
mod body;
mod container;
mod edit;
mod error;
mod expression;
mod files;
mod fill;
mod joint;
mod key;
mod keys;
mod method;
pub(crate) mod model;
pub(crate) mod motion;
mod output;
mod parameters;
mod parts;
mod phase;
mod placement;
mod quantity;
mod reader;
mod robot;
mod schema;
mod settings;
mod shape;
mod start;
mod suggest;
mod surface;
mod track;
mod units;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use drystone::{BodyKind, Periodic, Shape};
use toml::de::DeTable;

pub use error::{Fault, FaultKind, SceneError};
pub(crate) use error::{FaultAt, invalid};
pub use model::{
    BodyLook, Color, ForceRecorder, Opacity, Precision, ProblemFormat, ProblemRecording,
    RecordingSettings,
};
pub use parts::SceneParts;
pub use quantity::quantity;
pub use schema::{reference, schema};
pub use start::{StartMoment, StartRequest};
pub(crate) use suggest::nearest;

use crate::builtin::builtin_scenes;
use crate::input::{InputError, read_text};
use crate::packing::least_count;
use crate::view::ViewSettings;
use expression::Scope;
use model::{Action, Model};
use reader::{Context, Reader};
use settings::SettingsChange;

/// The largest scene, bytes. Scenes are written by hand or by small programs; large geometry stands
/// in files of its own. Its tables take some twenty times as much memory.
pub const MOST_BYTES: u64 = 16 << 20;

/// How a scene is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SceneOptions {
    /// Overrides, in order: a parameter's name or the path of any key (`settings.tolerance`,
    /// `body.slab.mass`), and a value in TOML or as an expression.
    pub set: Vec<(String, String)>,
    /// Whether files that the scene refers to may lie outside its folder.
    pub allow_outside: bool,
    /// A run to start from, in place of the one that the scene names: its folder or recording. It
    /// may lie anywhere.
    pub from: Option<PathBuf>,
}

/// A checked scene.
#[derive(Clone)]
pub struct Scene {
    text: String,
    name: String,
    model: Arc<Model>,
}

impl Scene {
    /// Reads a scene from a file.
    pub fn load(path: impl AsRef<Path>, options: &SceneOptions) -> Result<Self, SceneError> {
        let path = path.as_ref();
        let text = read_text(path, MOST_BYTES).map_err(|source| SceneError::Read {
            path: path.to_owned(),
            source,
        })?;
        let folder = match path.parent() {
            Some(folder) if folder.as_os_str().is_empty() => Path::new("."),
            Some(folder) => folder,
            None => Path::new("."),
        };
        Self::parse(&text, &path.display().to_string(), Some(folder), options)
    }

    /// A scene that is in the binary.
    pub fn builtin(name: &str, options: &SceneOptions) -> Result<Self, SceneError> {
        let names = || builtin_scenes().iter().map(|(name, _)| *name);
        match builtin_scenes().iter().find(|(known, _)| *known == name) {
            Some((name, text)) => Self::parse(text, name, None, options),
            None => Err(SceneError::UnknownScene {
                name: name.to_owned(),
                suggestion: suggest::nearest(name, names()),
                known: names().collect::<Vec<_>>().join(", "),
            }),
        }
    }

    /// Reads a scene from text. `origin` is its file or name, for messages; paths in it are
    /// relative to `folder`.
    pub fn parse(
        text: &str,
        origin: &str,
        folder: Option<&Path>,
        options: &SceneOptions,
    ) -> Result<Self, SceneError> {
        // Editors on some systems put a mark before the text.
        let mut text = text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
        if text.len() as u64 > MOST_BYTES {
            let (bytes, most) = (text.len() as u64, MOST_BYTES);
            return Err(SceneError::Read {
                path: origin.into(),
                source: InputError::TooLarge { bytes, most },
            });
        }
        check_syntax(&text, origin)?;
        for (name, value) in &options.set {
            text = edit::set(&text, name, value)?;
        }
        if let Some(from) = &options.from {
            text = edit::set_text(&text, "start.from", &from.to_string_lossy())?;
        }
        let stem = Path::new(origin).file_stem().unwrap_or_default();
        let name = crate::quote::harmless(&stem.to_string_lossy()).into_owned();
        let context = Context {
            text: &text,
            folder: folder.map(Path::to_owned),
            allow_outside: options.allow_outside,
            start_is_given: options.from.is_some(),
            scope: RefCell::new(Scope::default()),
        };
        let document = DeTable::parse(&text).map_err(|e| syntax(&text, origin, &e))?;
        let root = Reader::root(&context, document.get_ref(), keys::SCENE);
        let model =
            assemble::assemble(&root, &name).map_err(|faults| invalid(origin, &text, faults))?;
        let model = Arc::new(model);
        drop(document);
        Ok(Self {
            text,
            name: origin.to_owned(),
            model,
        })
    }

    /// One line that says what it is.
    pub fn title(&self) -> &str {
        &self.model.title
    }

    /// What it shows, in a few lines; may be empty.
    pub fn description(&self) -> &str {
        &self.model.description
    }

    /// The file or name that it came from.
    pub fn origin(&self) -> &str {
        &self.name
    }

    /// Its name in folders and tables: that of its file without folder and extension.
    pub fn name(&self) -> String {
        let stem = Path::new(&self.name).file_stem();
        stem.unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Its text with the overrides applied: read again, it gives the same scene.
    pub fn to_toml(&self) -> String {
        self.text.clone()
    }

    /// How pictures of it are made.
    pub fn view(&self) -> &ViewSettings {
        &self.model.view
    }

    /// Whether it has joints, its own or those of robots and tracks.
    pub fn has_joints(&self) -> bool {
        !self.model.joints.is_empty()
    }

    /// At the starts of which phases the joints of a name are let go (false) or held again (true),
    /// in order.
    pub fn joint_switches(&self, joint: &str) -> Vec<(usize, bool)> {
        let switch = |action: &Action| match action {
            Action::Release(name) if name == joint => Some(false),
            Action::Hold(name) if name == joint => Some(true),
            _ => None,
        };
        let phases = self.model.phases.iter().enumerate();
        phases
            .flat_map(|(k, phase)| {
                phase
                    .at_start
                    .iter()
                    .filter_map(switch)
                    .map(move |s| (k, s))
            })
            .collect()
    }

    /// Names of its phases, in order; at least one.
    pub fn phase_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.model.phases.iter().map(|phase| phase.name.as_str())
    }

    /// The domain that repeats itself, where it does.
    pub fn periodic(&self) -> Periodic {
        self.model.settings.periodic
    }

    /// What is written down while it runs.
    pub fn recording(&self) -> &RecordingSettings {
        &self.model.recording
    }

    /// What the files that it refers to hold that is ignored or taken for something else, a line
    /// each.
    pub fn warnings(&self) -> &[String] {
        &self.model.warnings
    }

    /// Whether the bodies of a name are grains of a fill.
    pub fn is_fill(&self, name: &str) -> bool {
        self.model.fills.iter().any(|fill| fill.name == name)
    }

    /// The robot or track that made the bodies of a name, such as `left` for `left/shoe`.
    pub fn maker(&self, name: &str) -> Option<&str> {
        let makers = self.model.robots.iter().chain(&self.model.tracks);
        makers.map(String::as_str).find(|maker| {
            let part = name.strip_prefix(maker);
            part.is_some_and(|part| part.starts_with('/'))
        })
    }

    /// Whether its text has a parameter of this name.
    pub fn has_parameter(&self, name: &str) -> bool {
        let document = DeTable::parse(&self.text).ok();
        let parameters = document
            .as_ref()
            .and_then(|d| d.get_ref().get("parameters"));
        let table = parameters.and_then(|value| value.get_ref().as_table());
        table.is_some_and(|table| table.contains_key(name))
    }

    /// Places of its fills in the list `fill` of the text, from 0.
    pub fn fill_places(&self) -> std::ops::Range<usize> {
        0..self.model.fills.len()
    }

    /// How many bodies it has at least, before it is built and without placing any.
    pub fn least_bodies(&self) -> u64 {
        let grains = self.model.fills.iter().map(|fill| least_count(&fill.spec));
        grains.sum::<u64>() + self.model.bodies.len() as u64
    }

    /// The shapes of its moving bodies and how many there are of each at least, before it is built
    /// and without placing any.
    pub fn least_moving(&self) -> Vec<(&Shape, u64)> {
        let moving = |spec: &&model::BodySpec| spec.body.kind() == BodyKind::Dynamic;
        let bodies = self.model.bodies.iter().filter(moving);
        let mut shapes: Vec<_> = bodies.map(|spec| (spec.body.shape(), 1)).collect();
        for fill in &self.model.fills {
            let count = least_count(&fill.spec);
            let templates = &fill.spec.templates;
            let weights: f64 = templates.iter().map(|t| t.weight).sum();
            let share = |weight: f64| (count as f64 * weight / weights) as u64;
            shapes.extend(templates.iter().map(|t| (&t.shape, share(t.weight))));
        }
        shapes
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// An error at a place of the text.
    pub(crate) fn error_at(&self, place: &model::TextPlace, words: impl ToString) -> SceneError {
        let fault = FaultAt::new(
            place.span.clone(),
            place.key.clone(),
            FaultKind::Refused(words.to_string()),
        );
        invalid(&self.name, &self.text, vec![fault])
    }
}

/// Settings from a table of them, as in `[settings]` of a scene.
pub(crate) fn read_settings_change(text: &str) -> Result<SettingsChange, SceneError> {
    const ORIGIN: &str = "settings";
    let text = format!("[settings]\n{text}\n");
    let context = Context {
        text: &text,
        folder: None,
        allow_outside: false,
        start_is_given: false,
        scope: RefCell::new(Scope::default()),
    };
    let document = DeTable::parse(&text).map_err(|e| syntax(&text, ORIGIN, &e))?;
    let root = Reader::root(&context, document.get_ref(), keys::SCENE);
    let read = || {
        let Some(table) = root.table("settings")? else {
            return Ok(SettingsChange::default());
        };
        match table.unknown_keys(&[]).next() {
            Some(fault) => Err(fault),
            None => SettingsChange::read(&table),
        }
    };
    read().map_err(|fault| invalid(ORIGIN, &text, vec![fault]))
}

fn check_syntax(text: &str, origin: &str) -> Result<(), SceneError> {
    DeTable::parse(text)
        .map(|_| ())
        .map_err(|error| syntax(text, origin, &error))
}

fn syntax(text: &str, origin: &str, error: &toml::de::Error) -> SceneError {
    let fault = FaultAt::new(
        error.span().unwrap_or(0..0),
        String::new(),
        FaultKind::Syntax(error.message().to_owned()),
    );
    invalid(origin, text, vec![fault])
}
