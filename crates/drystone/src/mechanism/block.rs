//! The blocks of rows that one joint gives: what it forbids, its limits, its motor, its spring.

use drystone_ccp::Cone;

use crate::joint::{self, Drive, StoredJoint};

/// Which rows of a joint a block holds; its place in [`crate::state::JointState::impulses`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JointPart {
    Hard,
    /// A body of a coupling at its shaft, by its number among them.
    Side(usize),
    Lower,
    Upper,
    Motor,
    Spring,
}

impl JointPart {
    /// Where the impulses of its rows are kept.
    pub fn place(self) -> usize {
        match self {
            Self::Hard => 0,
            // A coupling has one hard row, and no limits, motor or spring.
            Self::Side(number) => 1 + number,
            Self::Lower => 6,
            Self::Upper => 7,
            Self::Motor => 8,
            Self::Spring => 9,
        }
    }
}

/// Rows of one joint that live in one cone.
pub(super) struct JointBlock {
    pub joint: usize,
    /// What its rows act on; `None` is the world, or a shaft.
    pub bodies: [Option<u32>; 2],
    /// Which of the two is a shaft, and its number.
    pub shaft: Option<(usize, usize)>,
    /// Of a coupling: its row among those of the step.
    pub coupled: Option<usize>,
    pub part: JointPart,
    pub rows: [[f64; 12]; 6],
    pub len: usize,
    pub cone: Cone,
    /// Compliance of its rows in the problem; none for what only keeps redundant rows solvable.
    pub compliance: Option<f64>,
    /// What is added to the rows' velocities, m/s or rad/s.
    pub bias: [f64; 6],
    /// Velocity without contacts and joints of what the rows of a coupling leave out, m/s or rad/s.
    pub outside: f64,
    /// At the start of the step, m or rad.
    pub errors: [f64; 6],
    /// Where the solve starts, then what it found, N s or N m s.
    pub impulses: [f64; 6],
    /// What makes speeds of the rows: 1 for those in m/s, for those in rad/s the distance in m from
    /// the axis at which they are looked at.
    pub lengths: [f64; 6],
}

/// What rows need besides joints and bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointSettings {
    pub time_step: f64,
    /// Time at the end of the step, s.
    pub time: f64,
}

impl JointBlock {
    pub fn new(
        joint: usize,
        bodies: [Option<u32>; 2],
        part: JointPart,
        rows: &[[f64; 12]],
        cone: Cone,
    ) -> Self {
        let mut all = [[0.0; 12]; 6];
        all[..rows.len()].copy_from_slice(rows);
        Self {
            joint,
            bodies,
            shaft: None,
            coupled: None,
            part,
            rows: all,
            len: rows.len(),
            cone,
            compliance: None,
            bias: [0.0; 6],
            outside: 0.0,
            errors: [0.0; 6],
            impulses: [0.0; 6],
            lengths: [1.0; 6],
        }
    }

    /// Lets its rows that turn be looked at `length` away from their axes.
    pub fn look_from(&mut self, length: f64) {
        for (row, out) in self.rows.iter().zip(&mut self.lengths).take(self.len) {
            if joint::turns(row) {
                *out = length;
            }
        }
    }

    /// Its cone for rows that are all speeds.
    pub fn scaled_cone(&self) -> Cone {
        match self.cone {
            Cone::Interval { lower, upper } => Cone::Interval {
                lower: lower / self.lengths[0],
                upper: upper / self.lengths[0],
            },
            cone => cone,
        }
    }

    pub fn rows(&self) -> &[[f64; 12]] {
        &self.rows[..self.len]
    }
}

/// What acts on the coordinate of one joint.
pub(super) struct Drives<'m> {
    pub index: usize,
    pub stored: &'m StoredJoint,
    pub coordinate: joint::Coordinate,
    /// Speed of the coordinate without contacts and joints.
    pub speed: f64,
    pub settings: &'m JointSettings,
}

impl Drives<'_> {
    fn block(&self, part: JointPart, sign: f64, cone: Cone, bias: f64) -> JointBlock {
        let row = self.coordinate.row.map(|x| sign * x);
        let mut block = JointBlock::new(self.index, self.stored.bodies, part, &[row], cone);
        block.bias[0] = bias;
        block
    }

    /// A row for each limit that is within reach: the coordinate may come up to it within the step
    /// and no further.
    pub fn limits(&self, blocks: &mut Vec<JointBlock>) {
        let Some([lower, upper]) = self.stored.limits else {
            return;
        };
        let h = self.settings.time_step;
        let sides = [
            (JointPart::Lower, 1.0, self.coordinate.value - lower),
            (JointPart::Upper, -1.0, upper - self.coordinate.value),
        ];
        // Collisions may make it several times as fast as it is, and one at rest may start: so ten
        // times its way in the step and a twentieth of its range. A row too many does no harm.
        let reach = 10.0 * h * self.speed.abs() + 0.05 * (upper - lower).min(1.0);
        for (part, sign, room) in sides {
            if room < reach {
                blocks.push(self.block(part, sign, Cone::NonNegative, room / h));
            }
        }
    }

    /// A row that keeps the motor's speed or position, with an impulse as large as its force
    /// allows.
    pub fn motor(&self) -> Option<JointBlock> {
        let motor = self.stored.motor.as_ref()?;
        let h = self.settings.time_step;
        let bias = match &motor.drive {
            Drive::Speed(speed) => -speed(self.settings.time),
            Drive::Position(position) => (self.coordinate.value - position(self.settings.time)) / h,
            Drive::Force(_) => return None, // is in the free velocities
        };
        let cone = match motor.max_force {
            None => Cone::Free { rows: 1 },
            Some(force) => Cone::Interval {
                lower: -h * force,
                upper: h * force,
            },
        };
        Some(self.block(JointPart::Motor, 1.0, cone, bias))
    }

    /// `gamma = −h (k (x + h u − rest) + c u)`, solved for `u`: a row with the compliance
    /// `1 / (h (h k + c))`. The force is that at the end of the step: no stiffness is too large.
    pub fn spring(&self) -> Option<JointBlock> {
        let spring = self.stored.spring?;
        let h = self.settings.time_step;
        let (k, c) = (spring.stiffness, spring.damping);
        let strength = h * k + c;
        if strength == 0.0 {
            return None;
        }
        let stretch = self.coordinate.value - spring.rest.unwrap_or(0.0);
        let cone = Cone::Free { rows: 1 };
        let mut block = self.block(JointPart::Spring, 1.0, cone, k * stretch / strength);
        block.compliance = Some(1.0 / (h * strength));
        Some(block)
    }
}
