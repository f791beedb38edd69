//! Tables of a scene that stand by themselves.

use super::joints_by_name;
use crate::scene::error::{FaultAt, FaultKind};
use crate::scene::model::{Model, Until};
use crate::scene::reader::Reader;
use crate::scene::settings::SettingsChange;
use crate::scene::{output, start};

pub(super) fn head(root: &Reader<'_>, model: &mut Model) -> Result<(), FaultAt> {
    if let Some(title) = root.text("title")? {
        model.title = title;
    }
    model.description = root.long_text("description")?.unwrap_or_default();
    Ok(())
}

pub(super) fn read_settings(root: &Reader<'_>, model: &mut Model) -> Result<(), FaultAt> {
    if let Some(table) = root.table("settings")? {
        let change = SettingsChange::read(&table)?;
        model.law_given = change.law.is_some();
        model.settings = change.applied_to(&model.settings);
        model.duration = table.positive("duration")?;
    }
    Ok(())
}

pub(super) fn read_start(root: &Reader<'_>, model: &mut Model) -> Result<(), FaultAt> {
    model.start = start::read(root)?;
    Ok(())
}

pub(super) fn read_recording(
    root: &Reader<'_>,
    model: &mut Model,
    names: &[String],
) -> Result<(), FaultAt> {
    if let Some(table) = root.table("recording")? {
        model.recording = output::read_recording(&table, names, &joints_by_name(&model.joints))?;
    }
    Ok(())
}

pub(super) fn read_view(root: &Reader<'_>, model: &mut Model) -> Result<(), FaultAt> {
    if let Some(table) = root.table("view")? {
        model.view = output::read_view(&table)?;
    }
    Ok(())
}

/// A run must end.
pub(super) fn check_end(root: &Reader<'_>, model: &Model) -> Result<(), FaultAt> {
    let ends = |until: &Until| *until != Until::default();
    let last = model.phases.last();
    if model.duration.is_some() || last.is_some_and(|phase| ends(&phase.until)) {
        return Ok(());
    }
    let settings = root.item("settings").map(|item| item.span());
    Err(FaultAt::new(
        settings.unwrap_or(0..0),
        "settings".to_owned(),
        FaultKind::Missing {
            key: "duration".to_owned(),
            expected: "a time in s, unless the last phase has an `until`".to_owned(),
        },
    ))
}
