//! The bodies of a run while a scene takes them over.

use std::collections::{BTreeMap, BTreeSet};

use drystone::{BodyId, BodyKind, Pose, Shape, World};
use glam::DVec3;

use super::fits::{differs, fits_fill};
use super::{StartBody, StartState};
use crate::packing::Amount;
use crate::scene::model::{GrainsSpec, Model};
use crate::scene::{Scene, SceneError, StartRequest};

/// Distance between the place of a body in the scene and that at the start of the run, over its
/// size, from which on it is told: frames have seven digits.
const MOVED: f64 = 1e-5;

/// Bodies of a run by name, and who takes which.
pub(in crate::simulation) struct Carry<'s> {
    pub(super) scene: &'s Scene,
    pub(super) request: &'s StartRequest,
    pub(super) state: &'s StartState,
    /// Bodies of each name that may be taken.
    members: BTreeMap<&'s str, Vec<u32>>,
    /// How many of each name are taken, in order.
    pub(super) taken: BTreeMap<&'s str, usize>,
    /// The run's body of each body of the world.
    pub(super) sources: Vec<Option<u32>>,
    pub(super) notes: Vec<String>,
    /// Where the scene has the bodies that were matched.
    places: Vec<(BodyId, Pose)>,
}

impl<'s> Carry<'s> {
    pub fn new(
        scene: &'s Scene,
        request: &'s StartRequest,
        state: &'s StartState,
    ) -> Result<Self, SceneError> {
        let mut members: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for (index, body) in state.bodies.iter().enumerate() {
            let name = state.groups[body.group as usize].as_str();
            members.entry(name).or_default().push(index as u32);
        }
        let known: Vec<&str> = members.keys().copied().collect();
        for name in &request.drop {
            if members.remove(name.as_str()).is_none() {
                let known = known.join(", ");
                let words = format!("the run has no body `{name}` to drop; it has: {known}");
                return Err(scene.start_error(request, words));
            }
        }
        Ok(Self {
            scene,
            request,
            state,
            members,
            taken: BTreeMap::new(),
            sources: Vec::new(),
            notes: Vec::new(),
            places: Vec::new(),
        })
    }

    pub(super) fn body(&self, source: u32) -> &'s StartBody {
        &self.state.bodies[source as usize]
    }

    /// The next body of a name that is not taken.
    fn take(&mut self, name: &str) -> Option<u32> {
        let (name, members) = self.members.get_key_value(name)?;
        let taken = self.taken.entry(name).or_default();
        let source = members.get(*taken).copied();
        *taken += usize::from(source.is_some());
        source
    }

    /// Matches the bodies that the scene writes out, which are those of the world so far, and puts
    /// them where the run left them.
    pub fn match_bodies(&mut self, world: &mut World, model: &Model) -> Result<(), SceneError> {
        for (id, spec) in world.ids().zip(&model.bodies) {
            let source = self.take(world.group_name(id));
            self.sources.push(source);
            let Some(source) = source else { continue };
            let body = self.body(source);
            let shape = &self.state.shapes[body.shape as usize];
            if let Some(words) = differs(shape, world.shape(id)) {
                let name = world.name(id);
                let words = format!(
                    "`{name}` cannot start from the run: it is {words}; `start.drop` leaves the \
                     run's behind"
                );
                return Err(self.scene.error_at(&spec.place, words));
            }
            self.note_move(world, id, body);
            self.places.push((id, world.pose(id)));
            world.set_pose(id, body.pose());
        }
        Ok(())
    }

    /// Puts the bodies that were matched back where the scene has them: there its joints hold them.
    pub fn put_back(&self, world: &mut World) {
        for (id, pose) in &self.places {
            world.set_pose(*id, *pose);
        }
    }

    /// Whether a body of the world is a grain that the run brings along.
    pub fn is_grain(&self, id: BodyId) -> bool {
        let bodies = self.scene.model().bodies.len();
        id.index() >= bodies && self.sources.get(id.index()).is_some_and(Option::is_some)
    }

    /// Tells where a body that nothing moved stands elsewhere in the scene than in the run's.
    fn note_move(&mut self, world: &World, id: BodyId, body: &StartBody) {
        let Some(began) = body.began.filter(|_| world.kind(id) != BodyKind::Dynamic) else {
            return;
        };
        let pose = world.pose(id);
        let size = match world.shape(id).radius_about_origin() {
            size if size.is_finite() => size,
            _ => 1.0,
        };
        let near = MOVED * (size + pose.position.length());
        let turned = pose.rotation.angle_between(began.rotation) * size;
        if pose.position.distance(began.position) > near || turned > near.max(MOVED * size) {
            self.notes.push(format!(
                "`{0}` stands elsewhere in the scene than at the start of that run; the run's \
                 place counts (start.drop = [\"{1}\"] takes the scene's)",
                world.name(id),
                world.group_name(id)
            ));
        }
    }

    /// The grains that a fill takes from the run; none where the run does not know its name.
    pub fn grains(&mut self, fill: &GrainsSpec) -> Result<Option<Vec<u32>>, SceneError> {
        let Some(members) = self.members.get(fill.name.as_str()) else {
            return Ok(None);
        };
        let refuse = |words: String| Err(self.scene.error_at(&fill.place, words));
        let (name, taken) = (&fill.name, self.taken.get(fill.name.as_str()).copied());
        let left = &members[taken.unwrap_or(0)..];
        let fills = self.scene.model().fills.iter();
        let alone = fills.filter(|other| other.name == *name).count() == 1;
        let count = match fill.spec.amount {
            Amount::Count(count) if alone && count != left.len() => {
                return refuse(format!(
                    "the run has {} bodies `{name}`, the fill a count of {count}: give the run's \
                     count, or another name for grains that are to be added",
                    left.len()
                ));
            }
            Amount::Count(count) if count <= left.len() => count,
            Amount::SolidFraction { .. } | Amount::Mass { .. } if alone => left.len(),
            Amount::Count(_) | Amount::SolidFraction { .. } | Amount::Mass { .. } => {
                return refuse(format!(
                    "several fills are called `{name}`, and which of the run's {} bodies are whose \
                     cannot be told: give each its count, as in that run, or a name of its own",
                    members.len()
                ));
            }
        };
        let grains = left[..count].to_vec();
        for source in &grains {
            let shape = &self.state.shapes[self.body(*source).shape as usize];
            if let Err(words) = fits_fill(shape, &fill.spec.templates) {
                return refuse(format!("its grains cannot start from the run: {words}"));
            }
        }
        if let Some((name, _)) = self.members.get_key_value(fill.name.as_str()) {
            *self.taken.entry(name).or_default() += count;
        }
        Ok(Some(grains))
    }

    /// A body of the run.
    pub fn start(&self, source: u32) -> (&'s StartBody, &'s Shape) {
        let body = self.body(source);
        (body, &self.state.shapes[body.shape as usize])
    }

    /// Notes the source of the world's next body.
    pub fn push(&mut self, source: Option<u32>) {
        self.sources.push(source);
    }

    /// Bounding balls of all grains that fills take from the run, m: new grains keep clear of them.
    pub fn balls(&self) -> Vec<(DVec3, f64)> {
        let fills = self.scene.model().fills.iter();
        let names: BTreeSet<&str> = fills.map(|f| f.name.as_str()).collect();
        let members = names.iter().filter_map(|name| self.members.get(name));
        let ball = |source: &u32| {
            let (body, shape) = self.start(*source);
            (body.pose().position, shape.radius_about_origin())
        };
        let enabled = |source: &&u32| self.body(**source).enabled;
        members.flatten().filter(enabled).map(ball).collect()
    }
}
