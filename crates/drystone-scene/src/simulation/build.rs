//! The world of a scene.

use std::collections::BTreeMap;

use drystone::{Body, BodyId, BodyKind, Law, Material, MaterialId, Shape, World};
use glam::DVec3;

use super::Simulation;
use super::crowd::{MOST_IN_PLACE, MOST_PAIRS, crowd};
use super::solids::Solids;
use super::start::{Carry, StartReport, StartState};
use crate::packing::{FillError, Grain, Obstacle, fill_where};
use crate::scene::model::{Action, End, GrainWeight, GrainsSpec, PhaseSpec, TextPlace, Until};
use crate::scene::{BodyLook, Scene, SceneError};

/// Most bodies of a scene.
const MOST_BODIES: usize = 20_000_000;

/// The world of a scene, and what it took from the run that it starts from.
pub(super) fn build(
    scene: &Scene,
    start: Option<&StartState>,
) -> Result<(Simulation, StartReport), SceneError> {
    let carry = match (scene.start(), start) {
        (Some(request), Some(state)) => Some(Carry::new(scene, request, state)?),
        (Some(request), None) => {
            let words = "the scene starts from another run, and its state was not given";
            return Err(scene.start_error(request, words));
        }
        (None, _) => None,
    };
    let mut model = scene.model().as_ref().clone();
    if model.phases.is_empty() {
        model.phases.push(only_phase());
    }
    let whole = TextPlace {
        span: 0..0,
        key: "settings".to_owned(),
    };
    let world = World::new(model.settings.clone()).map_err(|e| scene.error_at(&whole, e))?;
    let mut builder = Builder {
        scene,
        world,
        materials: Vec::new(),
        looks: Vec::new(),
        balls: carry.as_ref().map_or_else(Vec::new, Carry::balls),
        carry,
    };
    builder.add_materials()?;
    builder.add_bodies()?;
    // Bodies that come later leave room to grains that are there before.
    let absent = absent_at_start(&model.phases);
    let groups = groups(&builder.world);
    set_present(&mut builder.world, &groups, &absent, false);
    if let Some(carry) = &mut builder.carry {
        carry.match_bodies(&mut builder.world, &model)?;
    }
    builder.add_fills()?;
    if let Some(carry) = &builder.carry {
        carry.put_back(&mut builder.world);
    }
    builder.add_joints()?;
    let Builder {
        mut world,
        looks,
        carry,
        ..
    } = builder;
    let groups = self::groups(&world);
    set_present(&mut world, &groups, &absent, false);
    let report = carry.as_ref().map(|carry| carry.apply(&mut world));
    let report = report.transpose()?.unwrap_or_default();
    check_crowd(scene, &world)?;
    if !model.law_given && is_small(&world) {
        model.settings.law = Law::Exact;
    }
    let mut simulation = Simulation {
        settings: phase_settings(scene, &model.settings, &model.phases)?,
        model: model.into(),
        world,
        looks,
        groups,
        phase: 0,
        phase_start: 0.0,
        phase_start_step: 0,
        rest: 0.0,
        motions: BTreeMap::new(),
        motors: BTreeMap::new(),
    };
    simulation.start();
    if let Some(carry) = &carry {
        carry.check(&mut simulation.world)?;
    }
    Ok((simulation, report))
}

/// A scene with at most so many moving bodies and joints gets the exact law of friction unless it
/// says otherwise: its steps take milliseconds under either law. Long chains of joints do not.
const SMALL_SCENE: usize = 200;
const FEW_JOINTS: usize = 20;

/// Whether the exact law costs next to nothing. Bodies that come later count too.
fn is_small(world: &World) -> bool {
    let moves = |body: &BodyId| world.kind(*body) == BodyKind::Dynamic;
    let moving = world.ids().filter(moves).count();
    moving <= SMALL_SCENE && world.joints().len() <= FEW_JOINTS
}

/// Refuses scenes whose bodies start in each other in great numbers.
fn check_crowd(scene: &Scene, world: &World) -> Result<(), SceneError> {
    let crowd = crowd(world);
    let too_many = crowd.pairs > MOST_PAIRS || crowd.fullest > MOST_IN_PLACE;
    let Some(body) = crowd.body.filter(|_| too_many) else {
        return Ok(());
    };
    let model = scene.model();
    let name = world.group_name(body);
    // Grains come after all bodies and have the places of their fills.
    let of_body = model.bodies.get(body.index()).map(|spec| &spec.place);
    let fills = model.fills.iter();
    let of_fill = || fills.clone().find(|f| f.name == name).map(|f| &f.place);
    let whole = TextPlace {
        span: 0..0,
        key: String::new(),
    };
    let words = format!(
        "at least {} pairs of bodies lie in each other at the start, {} bodies like {} in one \
         place; expected at most {MOST_PAIRS} pairs, and {MOST_IN_PLACE} bodies in one place: is a \
         `spacing` missing?",
        crowd.pairs,
        crowd.fullest,
        world.name(body)
    );
    Err(scene.error_at(of_body.or_else(of_fill).unwrap_or(&whole), words))
}

/// The phase of a scene without any: it lasts for the duration.
fn only_phase() -> PhaseSpec {
    PhaseSpec {
        name: "run".to_owned(),
        until: Until::default(),
        at_start: Vec::new(),
        place: TextPlace {
            span: 0..0,
            key: "phase".to_owned(),
        },
    }
}

/// Names of bodies that some phase adds before any takes them out.
fn absent_at_start(phases: &[PhaseSpec]) -> Vec<&str> {
    let mut removed: Vec<&str> = Vec::new();
    let mut added: Vec<&str> = Vec::new();
    for action in phases.iter().flat_map(|phase| &phase.at_start) {
        match action {
            Action::Remove(body) => removed.push(body),
            Action::Add { body, .. } if !removed.contains(&body.as_str()) => added.push(body),
            Action::Add { .. }
            | Action::Motion { .. }
            | Action::Stop(_)
            | Action::Load { .. }
            | Action::Velocity { .. }
            | Action::Release(_)
            | Action::Hold(_)
            | Action::Motor { .. }
            | Action::Settings(_) => {}
        }
    }
    added
}

fn groups(world: &World) -> BTreeMap<String, Vec<BodyId>> {
    let mut groups: BTreeMap<String, Vec<BodyId>> = BTreeMap::new();
    for body in world.ids() {
        match groups.get_mut(world.group_name(body)) {
            Some(group) => group.push(body),
            None => {
                groups.insert(world.group_name(body).to_owned(), vec![body]);
            }
        }
    }
    groups
}

fn set_present(
    world: &mut World,
    groups: &BTreeMap<String, Vec<BodyId>>,
    names: &[&str],
    present: bool,
) {
    for body in names.iter().filter_map(|name| groups.get(*name)).flatten() {
        world.set_enabled(*body, present);
    }
}

/// Settings from the start of each phase on, checked.
fn phase_settings(
    scene: &Scene,
    first: &drystone::Settings,
    phases: &[PhaseSpec],
) -> Result<Vec<drystone::Settings>, SceneError> {
    let mut current = first.clone();
    let mut all = Vec::with_capacity(phases.len());
    for phase in phases {
        for action in &phase.at_start {
            if let Action::Settings(change) = action {
                current = change.applied_to(&current);
            }
        }
        current
            .check()
            .map_err(|e| scene.error_at(&phase.place, e))?;
        all.push(current.clone());
    }
    Ok(all)
}

/// The body that a joint holds on to; `None` is the world.
fn find_end(end: &End, groups: &BTreeMap<String, Vec<BodyId>>) -> Result<Option<BodyId>, String> {
    let End::Body { name, index } = end else {
        return Ok(None);
    };
    let group = groups.get(name).map_or(&[][..], Vec::as_slice);
    match (index, group) {
        (None, [body]) => Ok(Some(*body)),
        (None, _) => Err(format!(
            "there are {} bodies called {name}: write which, as in \"{name}[0]\"",
            group.len()
        )),
        (Some(index), _) => group.get(*index).copied().map(Some).ok_or_else(|| {
            format!(
                "there is no body {name}[{index}]: there are {}",
                group.len()
            )
        }),
    }
}

/// A grain of a fill, with its name and what it weighs.
fn weighed(fill: &GrainsSpec, shape: Shape) -> Body {
    let body = Body::dynamic(shape).named(fill.name.clone());
    match fill.weight {
        GrainWeight::Mass(mass) => body.mass(mass),
        GrainWeight::Density(density) => body.density(density),
    }
}

struct Builder<'s> {
    scene: &'s Scene,
    world: World,
    materials: Vec<MaterialId>,
    looks: Vec<BodyLook>,
    /// Bounding balls of grains that others must keep clear of.
    balls: Vec<(DVec3, f64)>,
    /// The bodies of the run that the scene starts from.
    carry: Option<Carry<'s>>,
}

impl Builder<'_> {
    fn add_materials(&mut self) -> Result<(), SceneError> {
        let model = self.scene.model();
        for spec in &model.materials {
            let id = self.world.add_material(Material {
                name: spec.name.clone(),
                surface: spec.surface,
            });
            self.materials
                .push(id.map_err(|e| self.scene.error_at(&spec.place, e))?);
        }
        for pair in &model.pairs {
            let [a, b] = pair.materials.map(|m| self.materials[m]);
            self.world
                .set_pair(a, b, pair.surface)
                .map_err(|e| self.scene.error_at(&pair.place, e))?;
        }
        Ok(())
    }

    fn add(
        &mut self,
        body: Body,
        material: Option<usize>,
        look: BodyLook,
        place: &TextPlace,
    ) -> Result<BodyId, SceneError> {
        if self.world.len() >= MOST_BODIES {
            let words = format!("more than {MOST_BODIES} bodies");
            return Err(self.scene.error_at(place, words));
        }
        let body = match material {
            Some(material) => body.material(self.materials[material]),
            None => body,
        };
        let id = self.world.add(body);
        let id = id.map_err(|e| self.scene.error_at(place, e))?;
        self.looks.push(look);
        Ok(id)
    }

    fn add_bodies(&mut self) -> Result<(), SceneError> {
        let model = self.scene.model().clone();
        for spec in &model.bodies {
            let id = self.add(spec.body.clone(), spec.material, spec.look, &spec.place)?;
            if let Some(load) = spec.load {
                self.world.set_load(id, load.force, load.torque);
            }
        }
        Ok(())
    }

    fn add_fills(&mut self) -> Result<(), SceneError> {
        let model = self.scene.model().clone();
        for fill in &model.fills {
            if self.take_grains(fill)? {
                continue;
            }
            let grains = self.pack(fill);
            let grains = grains.map_err(|e| self.scene.error_at(&fill.place, e))?;
            for grain in &grains {
                self.add_grain(fill, grain)?;
            }
        }
        Ok(())
    }

    /// Takes the grains of a fill from the run that the scene starts from, if that knows its name.
    fn take_grains(&mut self, fill: &GrainsSpec) -> Result<bool, SceneError> {
        let Some(carry) = &mut self.carry else {
            return Ok(false);
        };
        let Some(grains) = carry.grains(fill)? else {
            return Ok(false);
        };
        for source in grains {
            let Some(carry) = &mut self.carry else { break };
            let (start, shape) = carry.start(source);
            carry.push(Some(source));
            let body = weighed(fill, shape.clone()).posed(start.pose());
            self.add(body, fill.material, fill.look, &fill.place)?;
        }
        Ok(true)
    }

    fn add_joints(&mut self) -> Result<(), SceneError> {
        let model = self.scene.model().clone();
        let groups = groups(&self.world);
        for spec in &model.joints {
            let wrong = |words: String| self.scene.error_at(&spec.place, words);
            let mut ends = [None; 2];
            for (end, place) in ends.iter_mut().zip(&spec.ends) {
                *end = find_end(place, &groups).map_err(wrong)?;
                let carry = self.carry.as_ref();
                if let Some(grain) = end.filter(|e| carry.is_some_and(|c| c.is_grain(*e))) {
                    return Err(wrong(format!(
                        "it holds on to {}, a grain of the run that the scene starts from; where \
                         that grain was when the joint was made is not known: write it as a body",
                        self.world.name(grain)
                    )));
                }
            }
            let joint = spec.joint.clone().on(ends[0], ends[1]).named(&spec.name);
            let added = self.world.add_joint(joint);
            added.map_err(|e| self.scene.error_at(&spec.place, e))?;
        }
        Ok(())
    }

    fn add_grain(&mut self, fill: &GrainsSpec, grain: &Grain) -> Result<(), SceneError> {
        let shape = grain.shape(&fill.spec.templates);
        let shape = shape.map_err(|e| self.scene.error_at(&fill.place, e))?;
        let body = weighed(fill, shape)
            .posed(fill.frame.compose(&grain.pose))
            .velocity(fill.velocity)
            .angular_velocity(fill.angular_velocity);
        self.add(body, fill.material, fill.look, &fill.place)?;
        if let Some(carry) = &mut self.carry {
            carry.push(None);
        }
        self.balls
            .push((fill.frame.point(grain.center), grain.radius));
        Ok(())
    }

    /// The grains of a fill, clear of all bodies and grains that are there.
    fn pack(&self, fill: &GrainsSpec) -> Result<Vec<Grain>, FillError> {
        let to_fill = fill.frame.inverse();
        let ball = |(center, radius): &(DVec3, f64)| Obstacle::Ball {
            center: to_fill.point(*center),
            radius: *radius,
        };
        let mut spec = fill.spec.clone();
        spec.obstacles = self.balls.iter().map(ball).collect();
        let bodies = Solids::new(&self.world, self.scene.model().bodies.len());
        fill_where(&spec, &|center, radius| {
            bodies.is_free(fill.frame.point(center), radius)
        })
    }
}
