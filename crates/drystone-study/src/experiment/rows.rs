//! Parts of a step's problem. The problems of Heyn 2013 and of the first benchmarks of Tasora 2013
//! have fewer kinds of rows than our step.

use drystone_ccp::{Ccp, Cone, Cones, TwoBody, TwoBodyBlock};
use drystone_scene::Simulation;

use crate::error::StudyError;

/// The problem of the next step.
pub fn next_problem(simulation: &mut Simulation) -> Result<Ccp<TwoBody>, StudyError> {
    let problem = simulation.next_problem()?;
    Ok(problem.into_problem())
}

/// The normal rows of its contacts, `gamma >= 0` each: the bound-constrained problem of Heyn 2013.
///
/// A step has three rows per contact also where friction is 0. The tangents' impulses are then
/// zero, yet their rows count in the dimension and in the scales that Jacobi, SPG and Kučera's
/// method take from N. That would put these methods at a disadvantage.
pub fn normal_rows(problem: &Ccp<TwoBody>) -> Result<Ccp<TwoBody>, StudyError> {
    let normal = |cone: &Cone| cone.is_contact().then_some((Cone::NonNegative, 1));
    part(problem, normal)
}

/// The rows of its joints alone: a linear problem.
pub fn joint_rows(problem: &Ccp<TwoBody>) -> Result<Ccp<TwoBody>, StudyError> {
    part(problem, |cone| match cone {
        Cone::Free { rows } => Some((*cone, *rows)),
        _ => None,
    })
}

/// The blocks for which `keep` gives a cone and a number of rows: the first so many rows of each.
fn part(
    problem: &Ccp<TwoBody>,
    keep: impl Fn(&Cone) -> Option<(Cone, usize)>,
) -> Result<Ccp<TwoBody>, StudyError> {
    let operator = problem.operator();
    let (jacobian, compliance) = (operator.jacobian(), operator.compliance());
    let (mut blocks, mut cones, mut r) = (Vec::new(), Vec::new(), Vec::new());
    for (block, cone) in problem.cones().iter() {
        let Some((cone, count)) = keep(cone) else {
            continue;
        };
        let rows = block.start..block.start + count;
        blocks.push(TwoBodyBlock {
            bodies: operator.pair(block.index),
            rows: jacobian[rows.clone()].to_vec(),
            compliance: compliance[rows.clone()].to_vec(),
        });
        cones.push(cone);
        r.extend_from_slice(&problem.r()[rows]);
    }
    let build = || {
        let operator = TwoBody::new(operator.bodies().to_vec(), &blocks)?;
        Ccp::new(operator, r, Cones::new(cones)?)
    };
    build().map_err(|e: drystone_ccp::ProblemError| StudyError::Refused(e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_ccp::{BodyInertia, NO_BODY, Operator};

    #[test]
    fn the_normal_row_of_a_contact_is_kept_and_a_joint_is_not() {
        // A body of 2 kg: N = 1/2 along each axis.
        let row = |k: usize| std::array::from_fn(|i| f64::from(u8::from(i == k)));
        let block = |rows: Vec<[f64; 12]>| TwoBodyBlock {
            bodies: [0, NO_BODY],
            rows,
            compliance: vec![],
        };
        let blocks = [block(vec![row(2), row(0), row(1)]), block(vec![row(1)])];
        let operator = TwoBody::new(vec![BodyInertia::isotropic(2.0, 1.0)], &blocks).unwrap();
        let cones = Cones::new(vec![Cone::friction(0.0), Cone::Free { rows: 1 }]).unwrap();
        let problem = Ccp::new(operator, vec![-1.0, 2.0, 3.0, 4.0], cones).unwrap();
        for (found, r) in [(normal_rows(&problem), -1.0), (joint_rows(&problem), 4.0)] {
            let Ok(found) = found else {
                panic!("a part of a problem is one")
            };
            assert_eq!(found.r(), [r]);
            let mut velocity = [0.0];
            found.operator().apply(&[1.0], &mut velocity);
            assert_eq!(velocity, [0.5]);
        }
    }
}
