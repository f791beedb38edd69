//! Where the solver starts: the impulses of the contacts that were there in the last step.

use drystone_ccp::PointContact;
use drystone_collide::Contact;
use glam::DVec3;

/// Fills `gamma` with the last impulses of the contacts that persist, turned into their new frames, and with zeros elsewhere.
/// Both lists are sorted by identity.
pub(crate) fn carry_over(
    last: &[Contact],
    last_impulses: &[DVec3],
    contacts: &[Contact],
    points: &[PointContact],
    gamma: &mut Vec<f64>,
) {
    gamma.clear();
    gamma.resize(PointContact::ROWS * contacts.len(), 0.0);
    let (rows, _) = gamma.as_chunks_mut::<{ PointContact::ROWS }>();
    let mut old = 0;
    for ((contact, point), gamma) in contacts.iter().zip(points).zip(rows) {
        while old < last.len() && last[old].id < contact.id {
            old += 1;
        }
        if old < last.len() && last[old].id == contact.id {
            *gamma = point.local(last_impulses[old].to_array());
        }
    }
}
