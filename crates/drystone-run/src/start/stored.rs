//! A state to start from, as a run's folder keeps it.

use drystone::Shape;
use drystone::state::WarmImpulse;
use drystone_scene::StartState;
use drystone_scene::simulation::{StartBody, StartJoint};
use serde::{Deserialize, Serialize};

use super::Start;
use crate::recording::StoredShape;

/// A [`Start`] as plain data. The order of its fields is the format.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredStart {
    words: String,
    groups: Vec<String>,
    shapes: Vec<StoredShape>,
    bodies: Vec<StartBody>,
    contacts: Vec<WarmImpulse>,
    joints: Vec<StartJoint>,
    time_step: f64,
}

impl From<&Start> for StoredStart {
    fn from(start: &Start) -> Self {
        let state = &start.state;
        Self {
            words: start.words.clone(),
            groups: state.groups.clone(),
            shapes: state.shapes.iter().map(StoredShape::from).collect(),
            bodies: state.bodies.clone(),
            contacts: state.contacts.clone(),
            joints: state.joints.clone(),
            time_step: state.time_step,
        }
    }
}

impl TryFrom<StoredStart> for Start {
    /// What does not fit.
    type Error = String;

    fn try_from(stored: StoredStart) -> Result<Self, String> {
        let (groups, shapes) = (stored.groups.len(), stored.shapes.len());
        for (index, body) in stored.bodies.iter().enumerate() {
            if body.group as usize >= groups || body.shape as usize >= shapes {
                return Err(format!(
                    "body {index} names group {} of {groups} and shape {} of {shapes}",
                    body.group, body.shape
                ));
            }
        }
        let bodies = stored.bodies.len();
        let named = stored.contacts.iter().flat_map(|c| c.bodies);
        if let Some(body) = named.max().filter(|b| *b as usize >= bodies) {
            return Err(format!("a contact names body {body} of {bodies}"));
        }
        let shapes = stored.shapes.into_iter().map(Shape::try_from);
        let shapes: Result<_, _> = shapes.collect();
        Ok(Self {
            words: stored.words,
            state: StartState {
                groups: stored.groups,
                shapes: shapes.map_err(|e: drystone::ShapeError| e.to_string())?,
                bodies: stored.bodies,
                contacts: stored.contacts,
                joints: stored.joints,
                time_step: stored.time_step,
            },
        })
    }
}
