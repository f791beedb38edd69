//! Bodies and regular arrays of them.

use drystone::body::DEFAULT_DENSITY;
use drystone::{Body, BodyKind, MassProperties, Shape, Wrench};
use drystone_collide::number::Numbers;
use glam::{DMat3, DVec3};
use toml::de::DeValue;

use super::error::{FaultAt, FaultKind};
use super::expression::{Measure, Measured};
use super::model::{BodySpec, MaterialSpec, Opacity};
use super::motion::Motion;
use super::reader::{Context, Item, Reader};
use super::{placement, shape, surface};

/// Most bodies of a scene besides grains: each is kept as its text describes it, in about a
/// kilobyte.
pub(crate) const MOST_BODIES: usize = 2_000_000;

/// Names that stand for the place in an array.
pub(crate) const INDICES: [&str; 4] = ["i", "j", "k", "index"];

/// What bodies refer to, and what they add to.
pub(crate) struct BodyScene<'m> {
    pub materials: &'m [MaterialSpec],
    pub motions: &'m mut Vec<Motion>,
    /// How many bodies there are already.
    pub count: usize,
}

impl BodyScene<'_> {
    /// Whether so many more can be added.
    pub fn has_room(&self, more: u64) -> bool {
        more <= MOST_BODIES.saturating_sub(self.count) as u64
    }
}

pub(crate) fn read(
    reader: &Reader<'_>,
    around: &mut BodyScene<'_>,
) -> Result<Vec<BodySpec>, FaultAt> {
    let Some(repeat) = reader.table("repeat")? else {
        return Ok(vec![read_one(reader, around, DVec3::ZERO, &mut None)?]);
    };
    let array = Array::read(&repeat, around)?;
    // A shape is read once, unless it differs from place to place.
    let varies = reader.item("shape").is_some_and(mentions_index);
    let mut shared = None;
    let mut bodies = Vec::new();
    for index in 0..array.total() {
        let [i, j, k] = array.place(index);
        set_indices(reader, Some([i, j, k, index]));
        if varies {
            shared = None;
        }
        let body = read_one(reader, around, array.offset([i, j, k]), &mut shared);
        set_indices(reader, None);
        bodies.push(body?);
    }
    Ok(bodies)
}

/// Gives the running number its value, or takes it away.
pub(crate) fn set_index(reader: &Reader<'_>, index: Option<u64>) {
    let [.., name] = INDICES;
    set_name(reader, name, index);
}

/// Does something while the indices of arrays have a value.
pub(crate) fn with_indices(cx: &Context<'_>, work: impl FnOnce()) {
    let missing = |name: &&str| !cx.scope.borrow().parameters.contains_key(*name);
    let names: Vec<&str> = INDICES.into_iter().filter(missing).collect();
    let number = Measured {
        number: 0.0,
        measure: Measure::Plain,
    };
    for name in &names {
        let parameters = &mut cx.scope.borrow_mut().parameters;
        parameters.insert((*name).to_owned(), number);
    }
    work();
    for name in names {
        cx.scope.borrow_mut().parameters.remove(name);
    }
}

/// Gives the indices their values, or takes them away.
fn set_indices(reader: &Reader<'_>, indices: Option<[u64; 4]>) {
    for (axis, name) in INDICES.into_iter().enumerate() {
        set_name(reader, name, indices.map(|indices| indices[axis]));
    }
}

fn set_name(reader: &Reader<'_>, name: &str, value: Option<u64>) {
    let parameters = &mut reader.cx.scope.borrow_mut().parameters;
    match value {
        Some(value) => {
            let value = Measured {
                number: value as f64,
                measure: Measure::Plain,
            };
            parameters.insert(name.to_owned(), value);
        }
        None => {
            parameters.remove(name);
        }
    }
}

/// Whether an expression inside may hold an index: by words, so that it says yes too often rather
/// than too seldom.
fn mentions_index(item: &Item<'_>) -> bool {
    match item.get_ref() {
        DeValue::String(text) => text
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .any(|word| INDICES.contains(&word)),
        DeValue::Array(list) => list.iter().any(mentions_index),
        DeValue::Table(table) => table.iter().any(|(_, value)| mentions_index(value)),
        DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) | DeValue::Datetime(_) => {
            false
        }
    }
}

/// A regular array.
struct Array {
    count: [u64; 3],
    spacing: DVec3,
    shift: DVec3,
    center: bool,
}

impl Array {
    fn read(reader: &Reader<'_>, around: &BodyScene<'_>) -> Result<Self, FaultAt> {
        let count = reader.list_of("count", |value| value.integer())?;
        let array = Self {
            count: reader.need("count", count)?,
            spacing: reader.vector("spacing")?.unwrap_or_default(),
            shift: reader.vector("shift")?.unwrap_or_default(),
            center: reader.flag("center")?.unwrap_or(false),
        };
        let total = array
            .count
            .iter()
            .try_fold(1, |a: u64, b| a.checked_mul(*b));
        if !total.is_some_and(|total| around.has_room(total)) {
            let expected = format!("at most {MOST_BODIES} bodies in all");
            return Err(reader.out_of_range("count", format!("{:?}", array.count), &expected));
        }
        Ok(array)
    }

    fn total(&self) -> u64 {
        self.count.iter().product()
    }

    /// x runs fastest, z slowest: an array is built from the bottom up.
    fn place(&self, index: u64) -> [u64; 3] {
        let [nx, ny, _] = self.count;
        [index % nx, index / nx % ny, index / (nx * ny)]
    }

    fn offset(&self, place: [u64; 3]) -> DVec3 {
        let mut offset = self.spacing * DVec3::from_array(place.map(|p| p as f64));
        if place[2] % 2 == 1 {
            offset += self.shift;
        }
        if self.center {
            let last = self.count.map(|n| n.saturating_sub(1) as f64);
            offset -= 0.5 * self.spacing * DVec3::new(last[0], last[1], 0.0);
        }
        offset
    }
}

/// One body, `offset` away from its `position`.
fn read_one(
    reader: &Reader<'_>,
    around: &mut BodyScene<'_>,
    offset: DVec3,
    shared: &mut Option<(Shape, Option<MassProperties>)>,
) -> Result<BodySpec, FaultAt> {
    let name = reader.text("name")?.unwrap_or_else(|| "body".to_owned());
    let (shape, solid) = match shared {
        Some(shape) => shape.clone(),
        None => (shape::read_key(reader)?, shape::decomposed_solid(reader)?),
    };
    let is_new = shared.is_none();
    *shared = Some((shape.clone(), solid));
    let material = surface::material(reader, around.materials)?;
    let material_spec = material.map(|m| &around.materials[m]);
    let motion = match reader.typed("motion")? {
        Some((kind, table)) => {
            around.motions.push(Motion::read(kind, &table)?);
            Some(around.motions.len() - 1)
        }
        None => None,
    };
    // Ground is drawn as ground unless it is given a colour of its own.
    let tint = material_spec.filter(|_| !matches!(shape, Shape::Plane | Shape::HeightField(_)));
    let look = surface::look(reader, tint, Opacity::Solid)?;
    let body = match kind(reader, &shape, motion.is_some())? {
        BodyKind::Dynamic => {
            if is_new && !reader.has("inertia") {
                shape::check_solid(reader, &shape)?;
            }
            Body::dynamic(shape)
        }
        BodyKind::Fixed => Body::fixed(shape),
        // It gets its path once it is in a world.
        BodyKind::Prescribed => Body::waiting(shape),
    };
    let mut pose = placement::pose(reader)?;
    pose.position += offset;
    let body = weighed(reader, body, material_spec, solid)?
        .named(name)
        .posed(pose)
        .velocity(reader.vector("velocity")?.unwrap_or_default())
        .angular_velocity(reader.vector("angular_velocity")?.unwrap_or_default());
    let load = reader
        .table("load")?
        .map(|table| load(&table))
        .transpose()?;
    Ok(BodySpec {
        body,
        material,
        motion,
        load,
        look,
        place: reader.place(),
    })
}

fn kind(reader: &Reader<'_>, shape: &Shape, moves: bool) -> Result<BodyKind, FaultAt> {
    let immovable = matches!(shape, Shape::Plane | Shape::HeightField(_));
    let kind = match reader.choice("kind")? {
        Some(kind) => kind,
        None if moves => BodyKind::Prescribed,
        None if immovable => BodyKind::Fixed,
        None => BodyKind::Dynamic,
    };
    if moves && kind != BodyKind::Prescribed {
        let words = "only prescribed bodies have a motion: leave `kind` out or `motion`";
        return Err(reader.conflict("kind", words));
    }
    if kind == BodyKind::Dynamic && immovable {
        let words = format!("a {} cannot be dynamic", shape.kind());
        return Err(reader.fault("kind", FaultKind::Refused(words)));
    }
    if kind != BodyKind::Dynamic {
        let useless = ["velocity", "angular_velocity", "load"];
        if let Some(key) = useless.into_iter().find(|key| reader.has(key)) {
            let words = format!("`{key}` is for dynamic bodies; others move by `motion`");
            return Err(reader.conflict(key, words));
        }
    }
    Ok(kind)
}

/// With its mass, density or inertia. `solid` is that of the mesh, of density 1, whose pieces its
/// shape is: pieces may overlap.
fn weighed(
    reader: &Reader<'_>,
    body: Body,
    material: Option<&MaterialSpec>,
    solid: Option<MassProperties>,
) -> Result<Body, FaultAt> {
    let mass = reader.positive("mass")?;
    let density = reader.positive("density")?;
    if mass.is_some() && density.is_some() {
        return Err(reader.conflict("density", "both `mass` and `density`: leave one out"));
    }
    let Some(inertia) = reader.list("inertia", |value| value.number())? else {
        if reader.has("center") {
            return Err(reader.conflict("center", "`center` needs `mass` and `inertia`"));
        }
        let usual = material.and_then(|m| m.density).unwrap_or(DEFAULT_DENSITY);
        let density = density.unwrap_or(usual);
        return Ok(match (mass, solid) {
            (mass, Some(solid)) => {
                let factor = mass.map_or(density, |mass| mass / solid.mass);
                body.mass_properties(MassProperties {
                    mass: factor * solid.mass,
                    center: solid.center,
                    inertia: factor * solid.inertia,
                })
            }
            (Some(mass), None) => body.mass(mass),
            (None, None) => body.density(density),
        });
    };
    let Some(mass) = mass else {
        return Err(reader.conflict("inertia", "`inertia` needs `mass`"));
    };
    let [xx, yy, zz, xy, xz, yz] = match inertia[..] {
        [xx, yy, zz] => [xx, yy, zz, 0.0, 0.0, 0.0],
        [xx, yy, zz, xy, xz, yz] => [xx, yy, zz, xy, xz, yz],
        _ => {
            let found = format!("a list of {}", inertia.len());
            return Err(reader.out_of_range("inertia", found, "a list of 3 or 6"));
        }
    };
    let properties = MassProperties {
        mass,
        center: reader.vector("center")?.unwrap_or_default(),
        inertia: DMat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz]),
    };
    let moments = properties.principal_moments();
    // The least moment of a rod is known to 1e-8 of the greatest; a zero is left to the engine.
    if moments[0] < -1e-6 * moments[2].abs() || !properties.is_of_a_solid() {
        let expected = "that of a solid: principal moments > 0, none greater than the sum of the \
                        other two";
        let found = format!(
            "{}, with the moments {},",
            Numbers(&inertia),
            Numbers(&moments)
        );
        return Err(reader.out_of_range("inertia", found, expected));
    }
    Ok(body.mass_properties(properties))
}

/// A force and a torque.
pub(crate) fn load(reader: &Reader<'_>) -> Result<Wrench, FaultAt> {
    Ok(Wrench {
        force: reader.vector("force")?.unwrap_or_default(),
        torque: reader.vector("torque")?.unwrap_or_default(),
    })
}
