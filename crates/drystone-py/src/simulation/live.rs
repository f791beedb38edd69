//! Positions and velocities as arrays that follow the simulation.
//!
//! An array is made when it is first asked for. From then on the same array is handed out, and its
//! numbers are renewed in place after every step, under the interpreter's lock. So a view that is
//! held over steps shows the state as it is, stays valid for as long as anybody holds it, also
//! without the simulation, and is never seen half written.

use drystone::World;
use numpy::{PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays;

/// What an array shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    Positions,
    Quaternions,
    Velocities,
    AngularVelocities,
    Centers,
}

impl Quantity {
    fn columns(self) -> usize {
        match self {
            Self::Quaternions => 4,
            Self::Positions | Self::Velocities | Self::AngularVelocities | Self::Centers => 3,
        }
    }

    /// Writes the rows of all bodies one after the other.
    fn fill(self, world: &World, out: &mut [f64]) {
        let rows = out.chunks_exact_mut(self.columns());
        for (row, id) in rows.zip(world.ids()) {
            let state = world.body_state(id);
            match self {
                Self::Positions => world.pose(id).position.write_to_slice(row),
                Self::Velocities => state.velocity.write_to_slice(row),
                Self::AngularVelocities => state.angular_velocity.write_to_slice(row),
                Self::Centers => state.position.write_to_slice(row),
                Self::Quaternions => {
                    let [x, y, z, w] = state.rotation.to_array();
                    row.copy_from_slice(&[w, x, y, z]);
                }
            }
        }
    }
}

/// An array and the view of it that users get, which they cannot write to.
struct Shown {
    quantity: Quantity,
    array: Py<PyArray2<f64>>,
    view: Py<PyAny>,
}

/// The arrays that were asked for.
#[derive(Default)]
pub struct Live(Vec<Shown>);

impl Live {
    /// The array of a quantity: always the same.
    pub fn view(
        &mut self,
        py: Python<'_>,
        world: &World,
        quantity: Quantity,
    ) -> PyResult<Py<PyAny>> {
        if let Some(shown) = self.0.iter().find(|shown| shown.quantity == quantity) {
            return Ok(shown.view.clone_ref(py));
        }
        let mut flat = vec![0.0; world.len() * quantity.columns()];
        quantity.fill(world, &mut flat);
        let array = arrays::of_rows(py, flat, quantity.columns())?;
        let view = array.call_method0("view")?;
        let flags = PyDict::new(py);
        flags.set_item("write", false)?;
        view.call_method("setflags", (), Some(&flags))?;
        let view = view.unbind();
        self.0.push(Shown {
            quantity,
            array: array.unbind(),
            view: view.clone_ref(py),
        });
        Ok(view)
    }

    /// Renews the numbers of all arrays.
    pub fn refresh(&mut self, py: Python<'_>, world: &World) -> PyResult<()> {
        for shown in &self.0 {
            let mut array = shown.array.bind(py).try_readwrite()?;
            shown.quantity.fill(world, array.as_slice_mut()?);
        }
        Ok(())
    }
}
