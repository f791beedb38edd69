//! Positions and velocities as arrays that follow the simulation.
//!
//! An array lies at a fixed address. Where somebody holds it when the state changes, or a part of
//! it, its numbers are renewed in place, under the interpreter's lock. Where nobody does, they are
//! renewed when it is next asked for: steps that nobody looks at pay nothing. So a view that is
//! held over steps shows the state as it is, stays valid for as long as anybody holds it, also
//! without the simulation, and is never seen half written.
//!
//! It is not the engine's own memory, for three reasons. Other threads of Python run while a step
//! is made, and would see it half written. The engine keeps centres of mass and not the frames of
//! shapes, and quaternions in another order. And a body's figures lie together there, so that the
//! positions of all bodies would be far apart: to sum them up once takes longer than to renew them.

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
    /// None while nobody holds it.
    view: Option<Py<PyAny>>,
    /// Whether the state has changed since the numbers were written.
    stale: bool,
}

impl Shown {
    fn new(py: Python<'_>, world: &World, quantity: Quantity) -> PyResult<Self> {
        let columns = quantity.columns();
        let array = arrays::of_rows(py, vec![0.0; world.len() * columns], columns)?;
        Ok(Self {
            quantity,
            array: array.unbind(),
            view: None,
            stale: true,
        })
    }

    fn fill(&mut self, py: Python<'_>, world: &World) -> PyResult<()> {
        let mut array = self.array.bind(py).try_readwrite()?;
        self.quantity.fill(world, array.as_slice_mut()?);
        self.stale = false;
        Ok(())
    }

    /// Whether anybody but us holds the view, or a part of the array.
    fn is_held(&mut self, py: Python<'_>) -> bool {
        if self.view.as_ref().is_some_and(|v| holders(py, v) > 1) {
            return true;
        }
        // Let go, so that a weak reference to it does not show what is over.
        self.view = None;
        holders(py, self.array.as_any()) > 1
    }

    fn view(&mut self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        if let Some(view) = &self.view {
            return Ok(view.clone_ref(py));
        }
        let view = self.array.bind(py).call_method0("view")?;
        let flags = PyDict::new(py);
        flags.set_item("write", false)?;
        view.call_method("setflags", (), Some(&flags))?;
        Ok(self.view.insert(view.unbind()).clone_ref(py))
    }
}

/// How many references there are to an object.
fn holders(_py: Python<'_>, object: &Py<PyAny>) -> isize {
    // SAFETY: `object` is alive, and the interpreter's lock is held, as its token shows.
    #[expect(unsafe_code, reason = "there is no safe name for it any more")]
    unsafe {
        pyo3::ffi::Py_REFCNT(object.as_ptr())
    }
}

/// The arrays that were asked for.
#[derive(Default)]
pub struct Live(Vec<Shown>);

impl Live {
    /// The array of a quantity: always at the same address, and the same view while it is held.
    pub fn view(
        &mut self,
        py: Python<'_>,
        world: &World,
        quantity: Quantity,
    ) -> PyResult<Py<PyAny>> {
        let known = self.0.iter().position(|shown| shown.quantity == quantity);
        let index = match known {
            Some(index) => index,
            None => {
                self.0.push(Shown::new(py, world, quantity)?);
                self.0.len() - 1
            }
        };
        let shown = &mut self.0[index];
        if shown.stale {
            shown.fill(py, world)?;
        }
        shown.view(py)
    }

    /// Says that the state has changed: renews what somebody holds.
    pub fn refresh(&mut self, py: Python<'_>, world: &World) -> PyResult<()> {
        for shown in &mut self.0 {
            match shown.is_held(py) {
                true => shown.fill(py, world)?,
                false => shown.stale = true,
            }
        }
        Ok(())
    }
}
