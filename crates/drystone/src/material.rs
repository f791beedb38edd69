//! Friction of surfaces and of pairs of them.

use std::collections::BTreeMap;

use crate::error::WorldError;

/// What a body's surface is like.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Name, for messages and pictures.
    pub name: String,
    /// Coefficient of sliding friction, >= 0.
    pub friction: f64,
}

/// A material of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct MaterialId(pub(crate) u16);

impl MaterialId {
    /// Index into [`crate::World::materials`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Material {
    /// A material with friction 0.5.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            friction: 0.5,
        }
    }

    /// Sets the coefficient of sliding friction.
    pub fn friction(mut self, friction: f64) -> Self {
        self.friction = friction;
        self
    }
}

/// All materials of a world; the first is the default one.
#[derive(Clone, Debug)]
pub(crate) struct Materials {
    list: Vec<Material>,
    /// Friction of pairs that were given one, the smaller id first.
    pairs: BTreeMap<[MaterialId; 2], f64>,
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
        check_friction(&material.name, material.friction)?;
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
        friction: f64,
    ) -> Result<(), WorldError> {
        self.check(a)?;
        self.check(b)?;
        let name = |m: MaterialId| &self.list[m.index()].name;
        check_friction(&format!("{} on {}", name(a), name(b)), friction)?;
        self.pairs.insert([a.min(b), a.max(b)], friction);
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

    /// Friction between two materials: the pair's own where one was set, else the smaller of the two.
    pub fn friction(&self, a: MaterialId, b: MaterialId) -> f64 {
        if let Some(&friction) = self.pairs.get(&[a.min(b), a.max(b)]) {
            return friction;
        }
        self.list[a.index()]
            .friction
            .min(self.list[b.index()].friction)
    }

    pub fn list(&self) -> &[Material] {
        &self.list
    }
}

fn check_friction(name: &str, value: f64) -> Result<(), WorldError> {
    if value.is_finite() && value >= 0.0 {
        return Ok(());
    }
    Err(WorldError::Friction {
        material: name.to_owned(),
        value,
    })
}
