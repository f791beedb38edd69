//! Couplings in the problem of a step.
//!
//! The operator knows rows over two bodies. A coupling whose row reaches over more gets a *shaft*: a
//! body of its own in the problem, of next to no inertia, with one velocity `x_k` for each body k
//! of the coupling. With `c_k` the body's share of the row, the rows are
//!
//! `c_k v_k − x_k = 0` for each body, and `Σ x_k + e / h = 0`.
//!
//! What a shaft without inertia is pushed by, it passes on: all impulses are the same, as if the row
//! were one. The inertia that it has is [`LIGHT`] of that of the bodies, and it forgets its
//! velocity: it starts each step with that of the bodies, so that nothing is braked by it.

use drystone_ccp::Cone;
use drystone_collide::Pose;
use glam::DVec3;

use super::Mechanism;
use super::block::{JointBlock, JointPart, JointSettings};
use crate::bodies::Bodies;
use crate::error::WorldError;
use crate::joint::{
    self, CoupledRow, Joint, JointEnds, JointKind, MOST_SIDES, StoredJoint, law_of,
};
use crate::motion::Velocity;
use crate::state::JointState;

/// Inertia of a shaft over that of the bodies at it: far below what a tolerance sees, far above
/// rounding.
pub(super) const LIGHT: f64 = 1e-5;

/// How far two coordinates may be off their coupling when it is added, m or rad.
const OFF: f64 = 1e-6;

impl Mechanism {
    /// Checks a coupling.
    pub(super) fn place_coupling(
        &self,
        joint: &Joint,
        name: String,
        bodies: &Bodies,
    ) -> Result<StoredJoint, WorldError> {
        let wrong = |what: String| WorldError::Joint {
            joint: name.clone(),
            what,
        };
        let JointKind::Coupling {
            joints,
            ratio,
            offset,
        } = joint.kind()
        else {
            return Err(wrong("is no coupling".to_owned()));
        };
        let mut coordinates = [0.0; 2];
        for (value, joint) in coordinates.iter_mut().zip(joints) {
            if joint.index() >= self.joints.len() {
                let count = self.joints.len();
                return Err(wrong(format!(
                    "there is no joint {}, only {count}",
                    joint.index()
                )));
            }
            let other = &self.joints[joint.index()];
            let found = self.coordinate(joint, bodies).ok_or_else(|| {
                let kind = other.kind.name();
                let name = &other.name;
                wrong(format!(
                    "joint {name} is {kind}, which has no coordinate to couple"
                ))
            })?;
            *value = found[0];
        }
        if joints[0] == joints[1] {
            return Err(wrong("its two joints are the same".to_owned()));
        }
        if !(ratio.is_finite() && ratio != 0.0) {
            let what = format!("its ratio {ratio} is not finite and different from 0");
            return Err(wrong(what));
        }
        let [a, b] = coordinates;
        let now = b - ratio * a;
        let offset = offset.unwrap_or(now);
        if !offset.is_finite() {
            return Err(wrong(format!("its offset {offset} is not finite")));
        }
        if (offset - now).abs() > OFF {
            return Err(wrong(format!(
                "its joints start at {a} and {b}, where {ratio} and {offset} ask for {}",
                ratio * a + offset
            )));
        }
        if !(joint.compliance.is_finite() && joint.compliance >= 0.0) {
            let value = joint.compliance;
            return Err(wrong(format!(
                "its compliance {value} is not a finite number >= 0"
            )));
        }
        let pushed = joints.map(|j| self.joints[j.index()].bodies[1]);
        Ok(StoredJoint {
            kind: JointKind::Coupling {
                joints,
                ratio,
                offset: Some(offset),
            },
            bodies: pushed,
            frames: [Pose::IDENTITY; 2],
            length: 0.0,
            start: [Pose::IDENTITY; 2],
            limits: None,
            motor: None,
            spring: None,
            collide: true,
            compliance: joint.compliance,
            name,
        })
    }

    /// Makes the rows of a coupling, unless it or one of its joints has let go.
    pub(super) fn prepare_coupling(
        &mut self,
        index: usize,
        bodies: &Bodies,
        free: &[Velocity],
        settings: &JointSettings,
    ) {
        let Some((joints, _)) = law_of(self.joints[index].kind) else {
            return;
        };
        let holds = |joint: usize| {
            let mut ends = self.joints[joint].bodies.iter().flatten();
            self.states[joint].enabled && ends.all(|b| bodies.enabled[*b as usize])
        };
        if !(self.states[index].enabled && joints.iter().all(|j| holds(*j))) {
            return;
        }
        let now = |body: usize| (bodies.pose(body), bodies.states[body].position);
        let Some(row) = row(&self.joints, &self.states, index, now) else {
            return;
        };
        let moving = |(body, _): &&(u32, _)| bodies.is_free(*body as usize);
        let sides: Vec<&(u32, [f64; 6])> = row.sides().iter().filter(moving).collect();
        let cone = Cone::Free { rows: 1 };
        let block = |bodies, part, row: [f64; 12]| JointBlock {
            coupled: Some(self.coupled.len()),
            ..JointBlock::new(index, bodies, part, &[row], cone)
        };
        let whole = speed(&row, free);
        let own = |(body, share): &(u32, [f64; 6])| along(share, &free[*body as usize]);
        let mut main = match sides[..] {
            [] => return,
            [_] | [_, _] => {
                let mut both = [0.0; 12];
                let mut ends = [None; 2];
                for (k, (body, share)) in sides.iter().enumerate() {
                    both[6 * k..6 * k + 6].copy_from_slice(share);
                    ends[k] = Some(*body);
                }
                let mut main = block(ends, JointPart::Hard, both);
                main.outside = whole - sides.iter().map(|side| own(side)).sum::<f64>();
                main
            }
            _ => {
                let shaft = self.shafts.len();
                let mut sum = [0.0; 12];
                let mut blocks = Vec::with_capacity(MOST_SIDES);
                for (k, side) in sides.iter().enumerate() {
                    let mut row = [0.0; 12];
                    row[..6].copy_from_slice(&side.1);
                    (row[6 + k], sum[k]) = (-1.0, 1.0);
                    let mut block = block([Some(side.0), None], JointPart::Side(k), row);
                    block.shaft = Some((1, shaft));
                    block.outside = -own(side);
                    blocks.push(block);
                }
                let mut main = block([None; 2], JointPart::Hard, sum);
                main.shaft = Some((0, shaft));
                main.outside = whole;
                self.blocks.extend(blocks);
                self.shafts.push(self.coupled.len());
                main
            }
        };
        main.compliance = Some(self.joints[index].compliance / settings.time_step.powi(2));
        main.errors[0] = row.error;
        self.blocks.push(main);
        self.coupled.push(row);
    }

    /// The inverse inertia of each shaft. `inverse_mass` tells that of a body along its share of a
    /// row.
    pub fn shafts(
        &self,
        inverse_mass: impl Fn(u32, &[f64; 6]) -> f64,
    ) -> impl Iterator<Item = f64> {
        self.shafts.iter().map(move |&row| {
            let sides = self.coupled[row].sides().iter();
            let all: f64 = sides.map(|(body, share)| inverse_mass(*body, share)).sum();
            all / LIGHT
        })
    }
}

/// The row of a coupling; `at` tells the pose of a body's shape and its centre of mass.
pub(super) fn row(
    joints: &[StoredJoint],
    states: &[JointState],
    index: usize,
    at: impl Fn(usize) -> (Pose, DVec3),
) -> Option<CoupledRow> {
    let (pair, law) = law_of(joints[index].kind)?;
    let coordinate = |joint: usize| {
        let stored = &joints[joint];
        joint::coordinate(stored, &JointEnds::of(stored, &at), states[joint].turns[0])
    };
    let coordinates = [coordinate(pair[0])?, coordinate(pair[1])?];
    Some(CoupledRow::new(law, pair.map(|j| &joints[j]), coordinates))
}

/// How fast the error of a coupling changes.
pub(super) fn speed(row: &CoupledRow, velocities: &[Velocity]) -> f64 {
    let sides = row.sides().iter();
    sides
        .map(|(body, share)| along(share, &velocities[*body as usize]))
        .sum()
}

fn along(share: &[f64; 6], velocity: &Velocity) -> f64 {
    DVec3::from_slice(&share[..3]).dot(velocity.linear)
        + DVec3::from_slice(&share[3..]).dot(velocity.angular)
}
