//! The `[settings]` of a scene and of its phases.

use drystone::{Law, MethodSettings, Periodic, Settings, Sleeping};
use drystone_collide::number::Numbers;
use glam::DVec3;

use super::error::{FaultAt, FaultKind};
use super::keys::SLEEPING;
use super::method;
use super::reader::Reader;

/// Settings that a table gives; the others stay.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SettingsChange {
    gravity: Option<DVec3>,
    time_step: Option<f64>,
    envelope: Option<f64>,
    recovery_speed: Option<f64>,
    rest_depth: Option<f64>,
    joint_error: Option<f64>,
    tolerance: Option<f64>,
    velocity_tolerance: Option<f64>,
    max_iterations: Option<usize>,
    max_work: Option<f64>,
    time_limit: Option<f64>,
    method: Option<MethodSettings>,
    pub law: Option<Law>,
    compare_laws: Option<bool>,
    compliance: Option<f64>,
    bounce_threshold: Option<f64>,
    warm_start: Option<bool>,
    periodic: Option<Periodic>,
    sleeping: Option<Option<Sleeping>>,
}

const DEFAULT_SLEEPING: Sleeping = Sleeping {
    speed: 0.01,
    after: 0.5,
};

impl SettingsChange {
    pub fn read(reader: &Reader<'_>) -> Result<Self, FaultAt> {
        let max_iterations = match reader.integer("max_iterations")? {
            Some(0) => return Err(reader.out_of_range("max_iterations", 0, "at least 1")),
            count => count.map(|c| usize::try_from(c).unwrap_or(usize::MAX)),
        };
        Ok(Self {
            gravity: reader.vector("gravity")?,
            time_step: reader.positive("time_step")?,
            envelope: reader.positive("envelope")?,
            recovery_speed: reader.positive("recovery_speed")?,
            rest_depth: reader.not_negative("rest_depth")?,
            joint_error: reader.positive("joint_error")?,
            tolerance: reader.positive("tolerance")?,
            velocity_tolerance: reader.positive("velocity_tolerance")?,
            max_iterations,
            max_work: reader.positive("max_work")?,
            time_limit: reader.positive("time_limit")?,
            method: method::read(reader)?,
            law: reader.choice("law")?,
            compare_laws: reader.flag("compare_laws")?,
            compliance: reader.not_negative("compliance")?,
            bounce_threshold: reader.not_negative("bounce_threshold")?,
            warm_start: reader.flag("warm_start")?,
            periodic: periodic(reader)?,
            sleeping: sleeping(reader)?,
        })
    }

    /// `settings` with what is given here in place of what was.
    pub fn applied_to(&self, settings: &Settings) -> Settings {
        let old = settings.clone();
        Settings {
            gravity: self.gravity.unwrap_or(old.gravity),
            time_step: self.time_step.unwrap_or(old.time_step),
            envelope: self.envelope.or(old.envelope),
            recovery_speed: self.recovery_speed.or(old.recovery_speed),
            rest_depth: self.rest_depth.or(old.rest_depth),
            joint_error: self.joint_error.or(old.joint_error),
            tolerance: self.tolerance.unwrap_or(old.tolerance),
            velocity_tolerance: self.velocity_tolerance.or(old.velocity_tolerance),
            max_iterations: self.max_iterations.unwrap_or(old.max_iterations),
            max_work: self.max_work.or(old.max_work),
            time_limit: self.time_limit.or(old.time_limit),
            method: self.method.unwrap_or(old.method),
            law: self.law.unwrap_or(old.law),
            compare_laws: self.compare_laws.unwrap_or(old.compare_laws),
            compliance: self.compliance.unwrap_or(old.compliance),
            bounce_threshold: self.bounce_threshold.or(old.bounce_threshold),
            warm_start: self.warm_start.unwrap_or(old.warm_start),
            periodic: self.periodic.unwrap_or(old.periodic),
            sleeping: self.sleeping.unwrap_or(old.sleeping),
        }
    }
}

fn periodic(reader: &Reader<'_>) -> Result<Option<Periodic>, FaultAt> {
    let Some(table) = reader.table("periodic")? else {
        return Ok(None);
    };
    let mut axes = [None; 3];
    for (axis, key) in axes.iter_mut().zip(["x", "y", "z"]) {
        *axis = table.list_of(key, |value| value.number())?;
        if let Some([lower, upper]) = axis.filter(|[lower, upper]| lower >= upper) {
            let found = Numbers(&[lower, upper]);
            return Err(table.out_of_range(key, found, "the lower end first"));
        }
    }
    Ok(Some(Periodic { axes }))
}

fn sleeping(reader: &Reader<'_>) -> Result<Option<Option<Sleeping>>, FaultAt> {
    let Some(value) = reader.value("sleeping") else {
        return Ok(None);
    };
    if let Ok(on) = value.flag() {
        return Ok(Some(on.then_some(DEFAULT_SLEEPING)));
    }
    if !value.item.get_ref().is_table() {
        return Err(value.fault(FaultKind::Type {
            found: value.item.get_ref().type_str().to_owned(),
            expected: value.form.words(),
        }));
    }
    let table = value.table_of(&SLEEPING)?;
    Ok(Some(Some(Sleeping {
        speed: table.positive("speed")?.unwrap_or(DEFAULT_SLEEPING.speed),
        after: table.positive("after")?.unwrap_or(DEFAULT_SLEEPING.after),
    })))
}
