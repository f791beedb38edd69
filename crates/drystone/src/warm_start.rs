//! Where the solver starts: the impulses of the contacts that were there before. Lists of contacts are sorted by identity, and a
//! list of impulses goes with each.

use drystone_ccp::PointContact;
use drystone_collide::Contact;
use glam::DVec3;
use rayon::prelude::*;

/// Fills `impulses` with the last impulses of the contacts that persist, and with zeros elsewhere.
pub(crate) fn carry_over(
    (last, last_impulses): (&[Contact], &[DVec3]),
    contacts: &[Contact],
    impulses: &mut Vec<DVec3>,
) {
    impulses.clear();
    let mut old = 0;
    impulses.extend(contacts.iter().map(|contact| {
        while old < last.len() && last[old].id < contact.id {
            old += 1;
        }
        if old < last.len() && last[old].id == contact.id {
            last_impulses[old]
        } else {
            DVec3::ZERO
        }
    }));
}

/// Puts new contacts without impulses into their places.
pub(crate) fn merge(contacts: &mut Vec<Contact>, impulses: &mut Vec<DVec3>, new: &[Contact]) {
    let mut old = contacts.len();
    let mut place = old + new.len();
    contacts.extend_from_slice(new);
    impulses.resize(place, DVec3::ZERO);
    for contact in new.iter().rev() {
        // Moved from the back, so that nothing is overwritten before it has moved.
        while old > 0 && contacts[old - 1].id > contact.id {
            (old, place) = (old - 1, place - 1);
            contacts[place] = contacts[old];
            impulses[place] = impulses[old];
        }
        place -= 1;
        contacts[place] = *contact;
        impulses[place] = DVec3::ZERO;
    }
}

/// Fills `gamma` with impulses along the frames of their contacts.
pub(crate) fn into_frames(impulses: &[DVec3], points: &[PointContact], gamma: &mut Vec<f64>) {
    gamma.resize(PointContact::ROWS * points.len(), 0.0);
    gamma
        .par_chunks_mut(PointContact::ROWS)
        .zip(points.par_iter().zip(impulses))
        .with_min_len(256)
        .for_each(|(gamma, (point, impulse))| {
            gamma.copy_from_slice(&point.local(impulse.to_array()))
        });
}
