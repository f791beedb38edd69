//! Files of a run that are taken up again.

use std::path::Path;

use crate::error::RunError;
use crate::recording::{Recorder, Recording, RecordingError, RecordingFault, TableMark, Tail};
use crate::run_folder::{FRAMES, RunFolder};

/// Files that are taken up again. What is wrong with them is warned of where the run can go on all
/// the same.
pub(super) struct Taken<'a> {
    pub folder: &'a RunFolder,
    /// The step of the checkpoint.
    pub step: u64,
    pub warnings: &'a mut Vec<String>,
}

impl Taken<'_> {
    /// The recording must hold so many frames up to step `scheduled`.
    pub fn check_frames(&self, scheduled: u64, frames: u64) -> Result<(), RunError> {
        let file = self.folder.file(FRAMES);
        let recording = Recording::open(&file).map_err(|error| self.unusable(error))?;
        let steps = (0..recording.len()).map(|frame| recording.step(frame));
        let found = steps.take_while(|step| *step <= scheduled).count();
        if found as u64 == frames {
            return Ok(());
        }
        let why = match recording.tail() {
            Tail::Damaged { what, .. } => format!(": {what}"),
            Tail::Whole | Tail::Cut { .. } => String::new(),
        };
        let words = format!("holds {found} whole frames of {frames}{why}");
        Err(self.short(&file, &words))
    }

    /// A table must be as long as it was.
    pub fn check_length(&self, name: &str, mark: Option<TableMark>) -> Result<(), RunError> {
        let Some(expected) = mark.map(|mark| mark.bytes) else {
            return Ok(());
        };
        let file = self.folder.file(name);
        let length = || std::fs::metadata(&file).map(|found| found.len());
        let fault = match length() {
            Ok(found) if found >= expected => return Ok(()),
            Ok(found) => RecordingFault::Cut { found, expected },
            Err(error) => RecordingFault::Io(error),
        };
        Err(self.unusable(RecordingError { file, fault }))
    }

    /// The recording.
    pub fn frames(&mut self, scheduled: u64) -> Result<Recorder, RunError> {
        let file = self.folder.file(FRAMES);
        let (recorder, found) = Recorder::resume(&file, scheduled)?;
        if let Some(first) = found.first_damage {
            let (file, damaged, frames) = (file.display(), found.damaged, found.frames);
            self.warnings.push(format!(
                "{file}: {damaged} of {frames} frames are damaged and stay so; the first is {first}"
            ));
        }
        Ok(recorder)
    }

    /// A table that the scene asks for where the checkpoint has a mark of it.
    pub fn table_of<T>(
        &mut self,
        name: &str,
        mark: Option<TableMark>,
        open: impl FnOnce(&Path, TableMark) -> Result<(T, Option<String>), RecordingError>,
    ) -> Result<Option<T>, RunError> {
        let Some(mark) = mark else { return Ok(None) };
        self.table(name, |file| open(file, mark)).map(Some)
    }

    pub fn table<T>(
        &mut self,
        name: &str,
        open: impl FnOnce(&Path) -> Result<(T, Option<String>), RecordingError>,
    ) -> Result<T, RunError> {
        let file = self.folder.file(name);
        let (table, damage) = open(&file)?;
        if let Some(damage) = damage {
            let file = file.display();
            self.warnings.push(format!(
                "{file}: rows up to step {} were changed and stay so: {damage}",
                self.step
            ));
        }
        Ok(table)
    }

    /// The same error; a file that has lost what the checkpoint counts is no fault of the disk.
    fn unusable(&self, error: RecordingError) -> RunError {
        match &error.fault {
            RecordingFault::Cut { .. } => self.short(&error.file, &error.fault.to_string()),
            RecordingFault::Io(reason) if reason.kind() == std::io::ErrorKind::NotFound => {
                self.short(&error.file, "is missing")
            }
            _ => error.into(),
        }
    }

    fn short(&self, file: &Path, what: &str) -> RunError {
        let step = self.step;
        RunError::Short {
            file: file.to_owned(),
            what: format!("{what}; the run cannot go on from its checkpoint at step {step}"),
        }
    }
}
