//! The world: adding bodies, stepping, reading out.

mod admission;
mod forces;
mod groups;
mod joints;
mod loads;
mod states;

use std::collections::BTreeMap;

use drystone_ccp::Law;
use drystone_collide::{Contact, Pose, Shape};
use glam::{DMat3, DVec3};

use self::admission::{check_body, check_images, inertia};
use self::forces::ContactsByBody;
use self::groups::Groups;
use self::loads::Loads;
use crate::bodies::Bodies;
use crate::body::{Body, BodyId, BodyKind, Path, Touch};
use crate::error::WorldError;
use crate::material::{Material, MaterialId, Materials, Surface};
use crate::mechanism::Mechanism;
use crate::periodic;
use crate::settings::Settings;
use crate::sleep::SleepRecords;
use crate::state::{BodyState, Load};
use crate::step::Stepper;
use crate::warm_start::ContactImpulses;

/// Bodies, materials and settings, and the contacts of the last step.
pub struct World {
    pub(crate) settings: Settings,
    pub(crate) materials: Materials,
    pub(crate) bodies: Bodies,
    groups: Groups,
    pub(crate) loads: Loads,
    pub(crate) paths: BTreeMap<u32, Path>,
    pub(crate) time: f64,
    /// Length of the step that `impulses` are of, s.
    pub(crate) last_time_step: f64,
    pub(crate) steps: u64,
    pub(crate) unconverged: u64,
    /// Contacts of the last step, sorted by identity.
    pub(crate) contacts: Vec<Contact>,
    /// The impulse of each on its second body.
    pub(crate) impulses: ContactImpulses,
    contacts_by_body: ContactsByBody,
    pub(crate) rest: SleepRecords,
    pub(crate) mechanism: Mechanism,
    /// Smallest half-thickness of a dynamic body that touches something, m.
    smallest: f64,
    /// Work memory, taken by a step that is open.
    pub(crate) stepper: Option<Box<Stepper>>,
}

/// The name of bodies that were given none.
const UNNAMED: &str = "body";

impl World {
    /// An empty world.
    pub fn new(settings: Settings) -> Result<Self, WorldError> {
        settings.check()?;
        Ok(Self {
            settings,
            materials: Materials::default(),
            bodies: Bodies::default(),
            groups: Groups::default(),
            loads: Loads::default(),
            paths: BTreeMap::new(),
            time: 0.0,
            last_time_step: 1.0,
            steps: 0,
            unconverged: 0,
            contacts: Vec::new(),
            impulses: ContactImpulses::default(),
            contacts_by_body: ContactsByBody::default(),
            rest: SleepRecords::default(),
            mechanism: Mechanism::default(),
            smallest: f64::INFINITY,
            stepper: None,
        })
    }

    /// Adds a material.
    pub fn add_material(&mut self, material: Material) -> Result<MaterialId, WorldError> {
        self.materials.add(material)
    }

    /// Sets how two materials act on each other, in place of what follows from their own figures.
    pub fn set_pair(
        &mut self,
        a: MaterialId,
        b: MaterialId,
        surface: Surface,
    ) -> Result<(), WorldError> {
        self.materials.set_pair(a, b, surface)
    }

    /// Gives a material other figures from the next step on. Pairs that were given figures of
    /// their own keep those.
    pub fn set_surface(
        &mut self,
        material: MaterialId,
        surface: Surface,
    ) -> Result<(), WorldError> {
        self.materials.set_surface(material, surface)?;
        self.rest.wake_all();
        Ok(())
    }

    /// How two materials act on each other.
    pub fn surface_between(&self, a: MaterialId, b: MaterialId) -> Surface {
        self.materials.between(a, b)
    }

    /// Adds a body.
    pub fn add(&mut self, body: Body) -> Result<BodyId, WorldError> {
        let name = body.name.as_deref().unwrap_or(UNNAMED);
        let number = self.groups.members(name);
        let label = if number == 0 {
            name.to_owned()
        } else {
            format!("{name}[{number}]")
        };
        check_body(&label, &body)?;
        self.materials.check(body.material)?;
        let inertia = inertia(&label, &body)?;
        if body.kind == BodyKind::Dynamic {
            check_images(&label, (&body.shape, &body.pose), &self.settings)?;
        }
        let index = u32::try_from(self.bodies.len())
            .ok()
            .filter(|i| *i < u32::MAX)
            .ok_or(WorldError::TooMany {
                what: "bodies",
                most: u32::MAX as usize - 1,
            })?;
        let group = self.groups.add_member(name);
        if let Some(path) = &body.path {
            self.paths.insert(index, path.clone());
        }
        if body.kind == BodyKind::Dynamic && body.touch != Touch::Nothing {
            let extent = body.shape.aabb(&Pose::IDENTITY).extent();
            self.smallest = self.smallest.min(0.5 * extent.min_element());
        }
        self.bodies.push(&body, inertia, [group, number]);
        Ok(BodyId(index))
    }

    /// Gives the work memory of the steps back; the next step takes it anew.
    pub fn free_work_memory(&mut self) {
        self.stepper = None;
        self.contacts_by_body.clear();
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Changes the settings from the next step on.
    pub fn set_settings(&mut self, settings: Settings) -> Result<(), WorldError> {
        settings.check()?;
        for body in self.ids().filter(|b| self.kind(*b) == BodyKind::Dynamic) {
            let placed = (self.shape(body), &self.pose(body));
            check_images(&self.name(body), placed, &settings)?;
        }
        self.settings = settings;
        self.rest.wake_all();
        Ok(())
    }

    /// Surfaces closer than this are in the contact set, m: the setting, or a fiftieth of the
    /// smallest half-thickness.
    pub fn envelope(&self) -> f64 {
        // Wide enough that a collision rarely opens contacts outside of it, narrow enough to add
        // few rows: a gap of a hundredth of a grain's diameter has hardly any neighbours in it.
        self.settings.envelope.unwrap_or(0.02 * self.size())
    }

    /// Fastest speed at which overlap is pushed apart, m/s: the setting, or a fifth of the speed
    /// gained by falling the smallest half-thickness.
    pub fn recovery_speed(&self) -> f64 {
        // With gravity of the earth, so that it does not vanish in a world without weight. A body
        // thrown up at a fifth of that speed rises by a twenty-fifth of the half-thickness.
        let fall = (2.0 * 9.81 * self.size()).sqrt();
        self.settings.recovery_speed.unwrap_or(0.2 * fall)
    }

    /// Error of joints, m or rad, that is left as it is: the setting, or its default.
    pub fn joint_error_limit(&self) -> f64 {
        // The least is far above what rounding leaves, the most too small to be seen. Errors do not
        // add up, since each step begins from them. What moves smoothly stays far below; the links
        // of a track that meets the ground are at a tenth of the most.
        let settings = &self.settings;
        let share = match settings.law {
            Law::Relaxed => (10.0 * settings.tolerance).clamp(1e-5, 1e-3),
            Law::Exact => 1e-5,
        };
        settings.joint_error.unwrap_or(share * self.size())
    }

    /// Overlap that is left as it is, m: the setting, or what the solves of 32 steps may leave.
    pub fn rest_depth(&self) -> f64 {
        // What a solve leaves moves the gaps, and pushing that back is new work for the next solve:
        // a standing wall then never comes to rest. A wall of 252 bricks took 260 sweeps a step
        // where nothing was left, 34 with what four steps leave, 30 with sixteen.
        let settings = &self.settings;
        let by_gravity = settings.tolerance * settings.gravity.length() * settings.time_step;
        let left = by_gravity.max(settings.velocity_tolerance.unwrap_or(0.0)) * settings.time_step;
        let default = (32.0 * left).min(1e-3 * self.size());
        settings.rest_depth.unwrap_or(default)
    }

    /// Speed of approach below which surfaces do not bounce, m/s: the setting, or what gravity adds
    /// in two steps.
    pub fn bounce_threshold(&self) -> f64 {
        let falling = 2.0 * self.settings.gravity.length() * self.settings.time_step;
        self.settings.bounce_threshold.unwrap_or(falling)
    }

    /// Smallest half-thickness of a dynamic body, m; 1 where there is none.
    pub(crate) fn size(&self) -> f64 {
        if self.smallest.is_finite() {
            self.smallest
        } else {
            1.0
        }
    }

    /// Time, s.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Steps made so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Steps that did not reach the tolerance.
    pub fn unconverged_steps(&self) -> u64 {
        self.unconverged
    }

    /// Number of bodies.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there is no body.
    pub fn is_empty(&self) -> bool {
        self.bodies.len() == 0
    }

    /// All bodies.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = BodyId> + use<> {
        (0..self.bodies.len() as u32).map(BodyId)
    }

    /// All materials; the first is the default one.
    pub fn materials(&self) -> &[Material] {
        self.materials.list()
    }

    /// A body's name: that of its group, with its number where the group has several members.
    pub fn name(&self, body: BodyId) -> String {
        let [group, number] = self.bodies.names[body.index()];
        let group = self.groups.get(group);
        if group.members == 1 {
            group.name.clone()
        } else {
            format!("{}[{number}]", group.name)
        }
    }

    /// The name that a body shares with its group.
    pub fn group_name(&self, body: BodyId) -> &str {
        let [group, _] = self.bodies.names[body.index()];
        &self.groups.get(group).name
    }

    /// The bodies of one name, ascending; empty if there is no such name.
    pub fn group(&self, name: &str) -> Vec<BodyId> {
        let Some(group) = self.groups.find(name) else {
            return Vec::new();
        };
        let members = |id: &BodyId| self.bodies.names[id.index()][0] == group;
        self.ids().filter(members).collect()
    }

    /// Names of all groups, in the order in which they first appeared.
    pub fn group_names(&self) -> impl Iterator<Item = &str> {
        self.groups.iter().map(|g| g.name.as_str())
    }

    /// What may move a body.
    pub fn kind(&self, body: BodyId) -> BodyKind {
        self.bodies.kinds[body.index()]
    }

    /// A body's shape.
    pub fn shape(&self, body: BodyId) -> &Shape {
        &self.bodies.shapes[body.index()]
    }

    /// A body's material.
    pub fn material(&self, body: BodyId) -> MaterialId {
        self.bodies.materials[body.index()]
    }

    /// What a body may touch.
    pub fn touch(&self, body: BodyId) -> Touch {
        self.bodies.touch(body.index())
    }

    /// A body's mass, kg; zero for one that no force moves.
    pub fn mass(&self, body: BodyId) -> f64 {
        self.bodies.inertias[body.index()].mass
    }

    /// A body's centre of mass in the frame of its shape, m; the origin for one that no force moves.
    pub fn center_of_mass(&self, body: BodyId) -> DVec3 {
        self.bodies.inertias[body.index()].center
    }

    /// A body's inertia about its centre of mass in the axes of its shape, kg m²; zero for one that
    /// no force moves.
    pub fn inertia(&self, body: BodyId) -> DMat3 {
        self.bodies.inertias[body.index()].tensor()
    }

    /// Where the frame of a body's shape lies, taken into the periodic domain where there is one.
    pub fn pose_in_domain(&self, body: BodyId) -> Pose {
        periodic::home(&self.settings.periodic, self.shape(body), self.pose(body))
    }

    /// Where the frame of a body's shape lies. Bodies that leave a periodic domain go on counting.
    pub fn pose(&self, body: BodyId) -> Pose {
        self.bodies.pose(body.index())
    }

    /// A body's motion; its position is that of the centre of mass.
    pub fn body_state(&self, body: BodyId) -> &BodyState {
        &self.bodies.states[body.index()]
    }

    /// Sets the velocity of the centre of mass, m/s, and the angular velocity, rad/s. Without
    /// effect on bodies that are not dynamic.
    pub fn set_velocity(
        &mut self,
        body: BodyId,
        velocity: impl Into<DVec3>,
        angular_velocity: impl Into<DVec3>,
    ) {
        if self.kind(body) == BodyKind::Dynamic {
            let state = &mut self.bodies.states[body.index()];
            state.velocity = velocity.into();
            state.angular_velocity = angular_velocity.into();
            self.rest.wake_all();
        }
    }

    /// Moves a body's shape frame, m. Its contacts are found anew.
    pub fn set_pose(&mut self, body: BodyId, pose: Pose) {
        self.bodies.set_pose(body.index(), &pose);
        self.rest.wake_all();
    }

    /// Gives a fixed or prescribed body a path from now on, or with `None` stops it where it is.
    /// Without effect on dynamic bodies.
    pub fn set_path(&mut self, body: BodyId, path: Option<Path>) {
        let kind = &mut self.bodies.kinds[body.index()];
        if *kind == BodyKind::Dynamic {
            return;
        }
        let state = &mut self.bodies.states[body.index()];
        (state.velocity, state.angular_velocity) = (DVec3::ZERO, DVec3::ZERO);
        match path {
            Some(path) => {
                *kind = BodyKind::Prescribed;
                self.paths.insert(body.0, path);
            }
            None => {
                self.paths.remove(&body.0);
            }
        }
        self.rest.wake_all();
    }

    /// Sets a constant force at the centre of mass, N, and a torque, N m, which act until they are
    /// set anew.
    pub fn set_load(&mut self, body: BodyId, force: impl Into<DVec3>, torque: impl Into<DVec3>) {
        self.set_loads([(body, force.into(), torque.into())]);
    }

    /// The same for many bodies at once: all sleepers are woken once, not once for each.
    pub fn set_loads(&mut self, loads: impl IntoIterator<Item = (BodyId, DVec3, DVec3)>) {
        for (body, force, torque) in loads {
            self.loads.set(body, Load { force, torque });
        }
        self.rest.wake_all();
    }

    /// Whether a body takes part.
    pub fn is_enabled(&self, body: BodyId) -> bool {
        self.bodies.enabled[body.index()]
    }

    /// Takes a body out of the world, or back in. Its index stays.
    pub fn set_enabled(&mut self, body: BodyId, enabled: bool) {
        self.bodies.enabled[body.index()] = enabled;
        self.rest.wake_all();
    }

    /// Kinetic and potential energy, J; the latter in gravity and in springs.
    pub fn energy(&self) -> [f64; 2] {
        let [kinetic, potential] = self.bodies.energy(self.settings.gravity);
        [kinetic, potential + self.mechanism.energy(&self.bodies)]
    }
}
