//! The `[start]` of a scene: another run whose state it begins with.

use std::path::{Path, PathBuf};

use super::Scene;
use super::error::{FaultAt, FaultKind, SceneError, invalid};
use super::files::leads_out;
use super::model::TextPlace;
use super::reader::Reader;

/// A run that a scene starts from, and what of it.
#[derive(Clone, Debug, PartialEq)]
pub struct StartRequest {
    /// The run's folder, or its recording, as it was written.
    pub from: PathBuf,
    /// Which of its states.
    pub at: StartMoment,
    /// Names of bodies that are not taken from there.
    pub drop: Vec<String>,
    /// Folder that a relative path starts from; none for scenes without one.
    pub(crate) base: Option<PathBuf>,
    /// Whether the path may lead out of that folder.
    pub(crate) allow_outside: bool,
    pub(crate) place: TextPlace,
}

/// Which state of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum StartMoment {
    /// The last one that it saved.
    Last,
    /// The recorded one nearest to a simulated time, s.
    Time(f64),
    /// The end of a phase, by its name.
    PhaseEnd(String),
}

pub(crate) fn read(root: &Reader<'_>) -> Result<Option<StartRequest>, FaultAt> {
    let Some(reader) = root.table("start")? else {
        return Ok(None);
    };
    let at = match (reader.not_negative("time")?, reader.text("phase")?) {
        (Some(_), Some(_)) => {
            let words = "both `time` and `phase`: leave one out";
            return Err(reader.conflict("phase", words));
        }
        (Some(time), None) => StartMoment::Time(time),
        (None, Some(phase)) => StartMoment::PhaseEnd(phase),
        (None, None) => StartMoment::Last,
    };
    let from = PathBuf::from(reader.need_text("from")?);
    let drop = reader.list("drop", |value| value.text())?;
    Ok(Some(StartRequest {
        from,
        at,
        drop: drop.unwrap_or_default(),
        base: reader.cx.folder.clone(),
        allow_outside: reader.cx.allow_outside || reader.cx.start_is_given,
        place: TextPlace {
            span: reader.item("from").map_or(0..0, |item| item.span()),
            key: reader.join("from"),
        },
    }))
}

impl Scene {
    /// The run that it starts from, where it does.
    pub fn start(&self) -> Option<&StartRequest> {
        self.model().start.as_ref()
    }

    /// Where that run lies. The rules are those of all files that a scene names.
    pub fn start_path(&self, start: &StartRequest) -> Result<PathBuf, SceneError> {
        let written = start.from.display().to_string();
        let fault = |kind| self.fault_at(&start.place, kind);
        let base = match &start.base {
            Some(base) => base.as_path(),
            None if start.allow_outside => Path::new("."),
            None => {
                return Err(fault(FaultKind::File {
                    path: written,
                    reason: "the scene has no folder to look in".to_owned(),
                }));
            }
        };
        if !start.allow_outside && leads_out(&start.from) {
            return Err(fault(FaultKind::Outside { path: written }));
        }
        let found = base.join(&start.from).canonicalize();
        let path = found.map_err(|error| {
            fault(FaultKind::File {
                path: written.clone(),
                reason: format!("no run is there: {error}"),
            })
        })?;
        // Links may lead out where the words do not.
        let inside = base.canonicalize().is_ok_and(|b| path.starts_with(b));
        match inside || start.allow_outside {
            true => Ok(path),
            false => Err(fault(FaultKind::Outside { path: written })),
        }
    }

    /// What is wrong with the run that the scene starts from, with the line that names it.
    pub fn start_error(&self, start: &StartRequest, words: impl ToString) -> SceneError {
        self.fault_at(&start.place, FaultKind::Refused(words.to_string()))
    }

    fn fault_at(&self, place: &TextPlace, kind: FaultKind) -> SceneError {
        let fault = FaultAt::new(place.span.clone(), place.key.clone(), kind);
        invalid(self.origin(), self.text(), vec![fault])
    }
}
