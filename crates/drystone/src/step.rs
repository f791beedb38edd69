//! One time step.

use crate::error::StepError;
use crate::report::StepReport;
use crate::world::World;

#[derive(Default)]
pub(crate) struct Stepper {}

impl Stepper {
    pub fn step(&mut self, world: &mut World) -> Result<StepReport, StepError> {
        let _ = world;
        unimplemented!()
    }
}
