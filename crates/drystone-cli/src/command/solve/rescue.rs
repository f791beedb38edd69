//! The best point of a method that does not notice that it is cancelled: one factorisation may take
//! minutes.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use drystone_problems::{Problem, write_solution};

use crate::cancellation::Rescue;

/// Writes the point that lies on the shelf to `output`. No certificate and no history: both belong
/// to the method, which is still at work.
pub fn of(problem: &Arc<Problem>, shelf: &Arc<Mutex<Vec<f64>>>, output: &Path) -> Rescue {
    let (problem, shelf, output) = (Arc::clone(problem), Arc::clone(shelf), output.to_owned());
    Box::new(move || {
        let mut gamma = shelf.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if gamma.is_empty() {
            let words = "gave up waiting for the method; it had no point yet, nothing was written";
            return Err(words.to_owned());
        }
        // As at the end of any method: what is written lies in the cones.
        problem.cones().project(&mut gamma);
        let velocity = problem.velocity(&gamma);
        let written = write_solution(&output, &gamma, &velocity, problem.contact_rows());
        written.map_err(|e| format!("gave up waiting for the method; nothing was written: {e}"))?;
        Ok(format!(
            "gave up waiting for the method; its best point so far is in {}, not judged",
            output.display()
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_problems::{parse_problem, read_vector};

    /// One contact, N the identity, in the text of Siconos.
    const CONTACT: &str = "3\n1\n2\n3\n3\n1\nCSparse\ntriplet: 3-by-3, nzmax: 3 nnz: 3\n\
                           0 0 : 1\n1 1 : 1\n2 2 : 1\n-1 0 0.5\n0.3\n";

    #[test]
    fn the_point_on_the_shelf_is_written_inside_its_cone() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("best.npy");
        let problem = Arc::new(parse_problem(CONTACT.into()).unwrap().problem);
        let shelf = Arc::new(Mutex::new(Vec::new()));
        let rescue = of(&problem, &shelf, &output);
        // A method that has not come to its first check.
        assert!(rescue().unwrap_err().contains("nothing was written"));
        assert!(!output.exists());
        *shelf.lock().unwrap() = vec![1.0, 0.0, -0.2];
        assert!(rescue().unwrap().contains("best.npy, not judged"));
        assert_eq!(read_vector(&output).unwrap(), [1.0, 0.0, -0.2]);
        // Outside: pulls, and so becomes nothing.
        *shelf.lock().unwrap() = vec![-1.0, 0.0, 0.0];
        rescue().unwrap();
        assert_eq!(read_vector(&output).unwrap(), [0.0; 3]);
        // A place that cannot be written.
        let nowhere = folder.path().join("no/best.npy");
        assert!(
            of(&problem, &shelf, &nowhere)()
                .unwrap_err()
                .contains("no/best.npy")
        );
    }
}
