//! Surfaces: friction, cohesion, rolling and spinning resistance, compliance, restitution.

use std::collections::BTreeMap;

use drystone_ccp::cone::expected_friction;

use crate::error::WorldError;

/// What a body's surface is like. Between two materials the smaller figure counts, but compliances
/// add up; a pair may be given figures of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Name, for messages and pictures.
    pub name: String,
    /// Its figures.
    pub surface: Surface,
}

/// How two surfaces act on each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Coefficient of sliding friction, 0 to
    /// [`LARGEST_FRICTION`](drystone_ccp::cone::LARGEST_FRICTION).
    pub friction: f64,
    /// Coefficient of rolling friction, m, with the same bounds: the largest rolling torque for
    /// each newton of normal force.
    pub rolling_friction: f64,
    /// Coefficient of spinning friction, m, with the same bounds: the same about the normal.
    pub spinning_friction: f64,
    /// Largest force that pulls surfaces together, N for each contact point, >= 0.
    pub cohesion: f64,
    /// Gap up to which cohesion acts, m, >= 0; the envelope where none is given.
    pub cohesion_range: Option<f64>,
    /// How far a contact gives way along its normal, m/N, >= 0.
    pub compliance: f64,
    /// Share of the speed of approach with which surfaces part after a collision, from 0 to 1.
    pub restitution: f64,
}

impl Default for Surface {
    /// Friction 0.5 and nothing else.
    fn default() -> Self {
        Self {
            friction: 0.5,
            rolling_friction: 0.0,
            spinning_friction: 0.0,
            cohesion: 0.0,
            cohesion_range: None,
            compliance: 0.0,
            restitution: 0.0,
        }
    }
}

/// A material of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct MaterialId(pub(crate) u16);

impl MaterialId {
    /// The material with this index: materials count from 0, which is the default one.
    pub fn new(index: usize) -> Self {
        // No world holds more, so the largest number is nobody's.
        Self(u16::try_from(index).unwrap_or(u16::MAX))
    }

    /// Index into [`crate::World::materials`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Material {
    /// A material with friction 0.5 and nothing else.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            surface: Surface::default(),
        }
    }

    /// Sets the coefficient of sliding friction.
    pub fn friction(mut self, friction: f64) -> Self {
        self.surface.friction = friction;
        self
    }

    /// Sets the coefficient of rolling friction, m.
    pub fn rolling_friction(mut self, rolling: f64) -> Self {
        self.surface.rolling_friction = rolling;
        self
    }

    /// Sets the coefficient of spinning friction, m.
    pub fn spinning_friction(mut self, spinning: f64) -> Self {
        self.surface.spinning_friction = spinning;
        self
    }

    /// Sets the cohesion, N for each contact point.
    pub fn cohesion(mut self, cohesion: f64) -> Self {
        self.surface.cohesion = cohesion;
        self
    }

    /// Sets the gap up to which cohesion acts, m.
    pub fn cohesion_range(mut self, range: f64) -> Self {
        self.surface.cohesion_range = Some(range);
        self
    }

    /// Sets the compliance, m/N.
    pub fn compliance(mut self, compliance: f64) -> Self {
        self.surface.compliance = compliance;
        self
    }

    /// Sets the restitution, from 0 to 1.
    pub fn restitution(mut self, restitution: f64) -> Self {
        self.surface.restitution = restitution;
        self
    }
}

impl Surface {
    /// What counts between two surfaces of which nothing else is known.
    pub fn between(a: &Self, b: &Self) -> Self {
        Self {
            friction: a.friction.min(b.friction),
            rolling_friction: a.rolling_friction.min(b.rolling_friction),
            spinning_friction: a.spinning_friction.min(b.spinning_friction),
            cohesion: a.cohesion.min(b.cohesion),
            cohesion_range: match (a.cohesion_range, b.cohesion_range) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            },
            compliance: a.compliance + b.compliance,
            restitution: a.restitution.min(b.restitution),
        }
    }

    /// Whether it resists rolling or spinning, so that its contacts have more than three rows.
    pub(crate) fn resists_rolling(&self) -> bool {
        self.rolling_friction > 0.0 || self.spinning_friction > 0.0
    }

    fn check(&self, name: &str) -> Result<(), WorldError> {
        let frictions = [
            ("friction", self.friction),
            ("rolling friction", self.rolling_friction),
            ("spinning friction", self.spinning_friction),
        ];
        let at_least_zero = [
            ("cohesion", self.cohesion),
            ("cohesion range", self.cohesion_range.unwrap_or(0.0)),
            ("compliance", self.compliance),
            ("restitution", self.restitution),
        ];
        let wrong = |what, value, expected| WorldError::Material {
            material: name.to_owned(),
            what,
            value,
            expected,
        };
        for (what, value) in frictions {
            if let Some(expected) = expected_friction(value) {
                return Err(wrong(what, value, expected));
            }
        }
        for (what, value) in at_least_zero {
            if !(value.is_finite() && value >= 0.0) {
                return Err(wrong(what, value, "a finite number >= 0"));
            }
        }
        if self.restitution > 1.0 {
            return Err(wrong("restitution", self.restitution, "between 0 and 1"));
        }
        Ok(())
    }
}

/// All materials of a world; the first is the default one.
#[derive(Clone, Debug)]
pub(crate) struct Materials {
    list: Vec<Material>,
    /// Surfaces of pairs that were given one, the smaller id first.
    pairs: BTreeMap<[MaterialId; 2], Surface>,
}

impl Default for Materials {
    fn default() -> Self {
        Self {
            list: vec![Material::new("default")],
            pairs: BTreeMap::new(),
        }
    }
}

impl Materials {
    pub fn add(&mut self, material: Material) -> Result<MaterialId, WorldError> {
        material.surface.check(&material.name)?;
        let id = u16::try_from(self.list.len()).map_err(|_| WorldError::TooMany {
            what: "materials",
            most: u16::MAX as usize,
        })?;
        self.list.push(material);
        Ok(MaterialId(id))
    }

    pub fn set_pair(
        &mut self,
        a: MaterialId,
        b: MaterialId,
        surface: Surface,
    ) -> Result<(), WorldError> {
        self.check(a)?;
        self.check(b)?;
        let name = |m: MaterialId| &self.list[m.index()].name;
        surface.check(&format!("{} on {}", name(a), name(b)))?;
        self.pairs.insert([a.min(b), a.max(b)], surface);
        Ok(())
    }

    pub fn set_surface(
        &mut self,
        material: MaterialId,
        surface: Surface,
    ) -> Result<(), WorldError> {
        self.check(material)?;
        surface.check(&self.list[material.index()].name)?;
        self.list[material.index()].surface = surface;
        Ok(())
    }

    /// Whether this world has the material.
    pub fn check(&self, material: MaterialId) -> Result<(), WorldError> {
        let (index, count) = (material.index(), self.list.len());
        if index < count {
            return Ok(());
        }
        Err(WorldError::NoSuchMaterial { index, count })
    }

    /// The surface between two materials: the pair's own where one was set.
    pub fn between(&self, a: MaterialId, b: MaterialId) -> Surface {
        if let Some(surface) = self.pairs.get(&[a.min(b), a.max(b)]) {
            return *surface;
        }
        let [a, b] = [a, b].map(|m| &self.list[m.index()].surface);
        Surface::between(a, b)
    }

    /// Largest gap at which cohesion acts where an own range is given, m.
    pub fn longest_range(&self) -> f64 {
        self.surfaces()
            .filter(|s| s.cohesion > 0.0)
            .filter_map(|s| s.cohesion_range)
            .fold(0.0, f64::max)
    }

    /// Whether any contact may resist rolling.
    pub fn resist_rolling(&self) -> bool {
        self.surfaces().any(Surface::resists_rolling)
    }

    fn surfaces(&self) -> impl Iterator<Item = &Surface> {
        let own = self.list.iter().map(|m| &m.surface);
        own.chain(self.pairs.values())
    }

    pub fn list(&self) -> &[Material] {
        &self.list
    }
}
