//! What is recorded and how it is shown.

use std::collections::BTreeMap;

use super::assemble::is_known;
use super::error::{FaultAt, FaultKind};
use super::model::{
    ForceRecorder, JointSpec, Precision, ProblemRecording, ProblemWhen, RecordingSettings,
};
use super::reader::Reader;
use crate::view::{Cut, ViewError, ViewSettings};

impl Default for RecordingSettings {
    fn default() -> Self {
        Self {
            every: 0.02,
            contacts: false,
            precision: Precision::Single,
            forces: Vec::new(),
            joints: Vec::new(),
            problems: None,
        }
    }
}

pub(crate) fn read_recording(
    reader: &Reader<'_>,
    names: &[String],
    joints: &BTreeMap<&str, &JointSpec>,
) -> Result<RecordingSettings, FaultAt> {
    let every = reader.positive("every")?;
    let rate = reader.positive("frames_per_second")?;
    if every.is_some() && rate.is_some() {
        let words = "both `every` and `frames_per_second`: leave one out";
        return Err(reader.conflict("frames_per_second", words));
    }
    let forces = reader.list("forces", |value| {
        let table = value.table()?;
        let named = |key| {
            let name = table.need_text(key)?;
            if is_known(names, &name) {
                return Ok(name);
            }
            let known = names.iter().map(String::as_str);
            Err(table.unknown_name(key, "body", &name, known))
        };
        let (by, on) = (named("by")?, named("on")?);
        let name = table.text("name")?;
        let name = name.unwrap_or_else(|| format!("{by} on {on}"));
        Ok(ForceRecorder { name, by, on })
    })?;
    let joints = reader.list("joints", |value| {
        let name = value.text()?;
        if joints.contains_key(name.as_str()) {
            return Ok(name);
        }
        let known = joints.keys().copied();
        Err(reader.unknown_name("joints", "joint", &name, known))
    })?;
    let default = RecordingSettings::default();
    Ok(RecordingSettings {
        every: every.or(rate.map(|r| 1.0 / r)).unwrap_or(default.every),
        contacts: reader.flag("contacts")?.unwrap_or(default.contacts),
        precision: reader.choice("precision")?.unwrap_or(default.precision),
        forces: forces.unwrap_or_default(),
        joints: joints.unwrap_or_default(),
        problems: problems(reader)?,
    })
}

/// Most problem files of a run unless the scene says: one of 10 000 contacts takes a few megabytes.
const MOST_PROBLEMS: u64 = 100;

fn problems(reader: &Reader<'_>) -> Result<Option<ProblemRecording>, FaultAt> {
    let Some(table) = reader.table("problems")? else {
        return Ok(None);
    };
    let at_least_one = |key| match table.integer(key)? {
        Some(0) => Err(table.out_of_range(key, 0, "at least 1")),
        number => Ok(number),
    };
    let every = at_least_one("every")?;
    let when = table.choice("when")?;
    if every.is_none() && when.is_none() {
        return table.need("every", None);
    }
    Ok(Some(ProblemRecording {
        every,
        unconverged: when == Some(ProblemWhen::Unconverged),
        format: table.choice("format")?.unwrap_or_default(),
        most: at_least_one("most")?.unwrap_or(MOST_PROBLEMS),
    }))
}

pub(crate) fn read_view(reader: &Reader<'_>) -> Result<ViewSettings, FaultAt> {
    Ok(ViewSettings {
        camera: parsed(reader, "camera", |text| text.parse())?,
        color_by: parsed(reader, "color_by", |text| text.parse())?,
        cuts: parsed(reader, "clip", Cut::parse_list)?.unwrap_or_default(),
    })
}

/// The value of a text key in its own grammar. What is wrong with it stands at its line.
fn parsed<T>(
    reader: &Reader<'_>,
    key: &str,
    parse: impl FnOnce(&str) -> Result<T, ViewError>,
) -> Result<Option<T>, FaultAt> {
    let Some(text) = reader.text(key)? else {
        return Ok(None);
    };
    match parse(&text) {
        Ok(value) => Ok(Some(value)),
        Err(error) => {
            let suggestion = error.suggestion();
            let fault = reader.fault(key, FaultKind::View(error));
            Err(fault.suggesting(suggestion))
        }
    }
}
