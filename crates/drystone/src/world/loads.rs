//! Constant loads on bodies.

use glam::DVec3;

use crate::body::BodyId;
use crate::state::Load;

impl Load {
    fn is_nothing(&self) -> bool {
        self.force == DVec3::ZERO && self.torque == DVec3::ZERO
    }
}

/// Loads by body, in a list up to the last body that ever had one: a controller sets those of all
/// bodies between any two steps.
#[derive(Default)]
pub(crate) struct Loads(Vec<Load>);

impl Loads {
    /// The load on a body, if there is one.
    pub fn get(&self, body: usize) -> Option<&Load> {
        self.0.get(body).filter(|load| !load.is_nothing())
    }

    /// Sets the load on a body; zeros take it away.
    pub fn set(&mut self, body: BodyId, load: Load) {
        let index = body.index();
        if index >= self.0.len() {
            if load.is_nothing() {
                return;
            }
            let nothing = Load {
                force: DVec3::ZERO,
                torque: DVec3::ZERO,
            };
            self.0.resize(index + 1, nothing);
        }
        self.0[index] = load;
    }

    /// All that are there, ascending by body.
    pub fn iter(&self) -> impl Iterator<Item = (u32, Load)> {
        let all = self.0.iter().enumerate();
        all.filter(|(_, load)| !load.is_nothing())
            .map(|(body, load)| (body as u32, *load))
    }
}

impl FromIterator<(u32, Load)> for Loads {
    fn from_iter<I: IntoIterator<Item = (u32, Load)>>(given: I) -> Self {
        let mut loads = Self::default();
        for (body, load) in given {
            loads.set(BodyId(body), load);
        }
        loads
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(x: f64) -> Load {
        Load {
            force: DVec3::new(x, 0.0, 0.0),
            torque: DVec3::ZERO,
        }
    }

    #[test]
    fn zeros_take_a_load_away() {
        let mut loads = Loads::default();
        loads.set(BodyId(7), push(0.0));
        assert!(loads.0.is_empty());
        loads.set(BodyId(3), push(2.0));
        loads.set(BodyId(1), push(1.0));
        assert_eq!(loads.get(3), Some(&push(2.0)));
        assert_eq!([loads.get(0), loads.get(2), loads.get(9)], [None; 3]);
        let all: Vec<_> = loads.iter().collect();
        assert_eq!(all, [(1, push(1.0)), (3, push(2.0))]);
        loads.set(BodyId(3), push(0.0));
        assert_eq!(loads.get(3), None);
        assert_eq!(loads.iter().collect::<Loads>().get(1), Some(&push(1.0)));
    }
}
