//! The report of the shear test.
use super::*;
pub fn write(beds: &[Bed], findings: &mut Findings) {
    let mut t = String::new();
    for b in beds {
        for s in &b.series {
            for a in &s.answers {
                t += &format!("{} {} {} {:e} it {} res {:.2e} r25 {:.2e} force {:.3} s {:.2} {}\n", b.spheres, b.contacts, s.method.name(), a.tolerance, a.trial.iterations, a.trial.last().residual, a.trial.last().measures.apgd_residual, a.force, a.trial.seconds, a.trial.termination);
            }
        }
        t += &format!("best {}\n", b.force());
    }
    findings.file("raw.txt", t);
}
