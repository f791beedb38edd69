//! What a program adds to a scene that text cannot hold, or not well: shapes made from arrays, and
//! bodies by the hundred thousand.

use std::sync::Arc;

use drystone::{Body, Shape};

use super::model::BodySpec;
use super::{Scene, SceneError};

/// Additions to the bodies of a scene's text. They take part as if the text held them: joints,
/// phases, fills and recordings know them by name.
#[derive(Clone, Default)]
pub struct SceneParts {
    /// Shapes that take the place of those of the bodies of a name.
    pub shapes: Vec<(String, Shape)>,
    /// Bodies that follow the last body of a name, and share its name, material and look.
    pub bodies: Vec<(String, Vec<Body>)>,
}

impl Scene {
    /// The scene with these parts.
    pub fn with_parts(self, parts: SceneParts) -> Result<Self, SceneError> {
        let mut model = self.model.as_ref().clone();
        let of = |name: &str, spec: &BodySpec| spec.body.name() == Some(name);
        let missing = |name: &str| {
            let words = format!("no body is called {name}: a part of the scene belongs to it");
            SceneError::State(words)
        };
        for (name, shape) in parts.shapes {
            let mut found = false;
            for spec in model.bodies.iter_mut().filter(|spec| of(&name, spec)) {
                spec.body = spec.body.clone().shaped(shape.clone());
                found = true;
            }
            if !found {
                return Err(missing(&name));
            }
        }
        for (name, bodies) in parts.bodies {
            let last = model.bodies.iter().rposition(|spec| of(&name, spec));
            let last = last.ok_or_else(|| missing(&name))?;
            let first = model.bodies[last].clone();
            let more = bodies.into_iter().map(|body| BodySpec {
                body: body.named(name.clone()),
                ..first.clone()
            });
            model.bodies.splice(last + 1..last + 1, more);
        }
        Ok(Self {
            model: Arc::new(model),
            ..self
        })
    }

    /// A body of the text by its name, to make others like it.
    pub fn body(&self, name: &str) -> Option<&Body> {
        let mut bodies = self.model.bodies.iter().map(|spec| &spec.body);
        bodies.find(|body| body.name() == Some(name))
    }
}
