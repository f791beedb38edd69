//! Positions and velocities as arrays that follow the simulation.
//!
//! An array lies at a fixed address. Where somebody holds it when the state changes, or a part of
//! it, its numbers are renewed in place, under the interpreter's lock. Where nobody does, they are
//! renewed when it is next asked for: steps that nobody looks at pay nothing. So a view that is
//! held over steps shows the state as it is, and stays valid for as long as anybody holds it, also
//! without the simulation.
//!
//! It is not the engine's own memory, for three reasons. Other threads of Python run while a step
//! is made, and would see it half written. The engine keeps centres of mass and not the frames of
//! shapes, and quaternions in another order. And a body's figures lie together there, so that the
//! positions of all bodies would be far apart, which numpy is ten times slower to add up.

use drystone::World;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

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

/// An array and the table of it that users get. Nobody can write to either, not even by asking
/// numpy to let them: only we do.
struct Shown {
    quantity: Quantity,
    numbers: Py<PyArray1<f64>>,
    /// None while nobody holds it.
    table: Option<Py<PyAny>>,
    /// Whether the state has changed since the numbers were written.
    stale: bool,
}

impl Shown {
    fn new(py: Python<'_>, world: &World, quantity: Quantity) -> PyResult<Self> {
        let numbers = PyArray1::from_vec(py, vec![0.0; world.len() * quantity.columns()]);
        let flags = PyDict::new(py);
        flags.set_item("write", false)?;
        numbers.call_method("setflags", (), Some(&flags))?;
        Ok(Self {
            quantity,
            numbers: numbers.unbind(),
            table: None,
            stale: true,
        })
    }

    fn fill(&mut self, py: Python<'_>, world: &World) -> PyResult<()> {
        // SAFETY: nothing in Rust refers to these numbers: borrows of arrays that are arguments end
        // before anything is written. In Python nobody else runs, since the interpreter's lock is
        // held; numpy may be adding up in a thread that has let go of it, as it may with any array
        // that another thread writes to, and then sees some rows of before and some of after.
        #[expect(
            unsafe_code,
            reason = "numpy lets nobody write, and that is meant for others"
        )]
        let numbers = unsafe { self.numbers.bind(py).as_slice_mut() }?;
        self.quantity.fill(world, numbers);
        self.stale = false;
        Ok(())
    }

    /// Whether anybody but us holds the table, or a part of it.
    fn is_held(&mut self, py: Python<'_>) -> bool {
        if self.table.as_ref().is_some_and(|t| holders(py, t) > 1) {
            return true;
        }
        // Let go, so that a weak reference to it does not show what is over.
        self.table = None;
        // Parts of a table refer to the numbers below it.
        holders(py, self.numbers.as_any()) > 1
    }

    fn table(&mut self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        if let Some(table) = &self.table {
            return Ok(table.clone_ref(py));
        }
        let (numbers, columns) = (self.numbers.bind(py), self.quantity.columns());
        let table = numbers.reshape([numbers.len()? / columns, columns])?;
        Ok(self.table.insert(table.into_any().unbind()).clone_ref(py))
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
    /// The array of a quantity: always at the same address, and the same object while it is held.
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
        shown.table(py)
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
