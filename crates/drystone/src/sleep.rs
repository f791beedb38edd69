//! Rest: which bodies sleep.

#[derive(Debug, Default)]
pub(crate) struct Rest {
    /// How long each body has been slow, s, and whether it sleeps. Empty while sleeping is off.
    bodies: Vec<(f64, bool)>,
}

impl Rest {
    pub fn to_vec(&self) -> Vec<(f64, bool)> {
        self.bodies.clone()
    }

    pub fn from_slice(saved: &[(f64, bool)]) -> Self {
        Self {
            bodies: saved.to_vec(),
        }
    }

    pub fn wake_all(&mut self) {
        self.bodies.fill((0.0, false));
    }
}
