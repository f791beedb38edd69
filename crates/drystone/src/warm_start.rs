//! Where the solver starts: the impulses of the contacts that were there before.
//!
//! A pile at rest has nearly the impulses of the last step. Starting there saves most of the
//! iterations. Impulses are kept as vectors in world axes, so that they stay right when a contact's
//! frame turns; what has left its cone is put back by the solver.
//!
//! Lists of contacts are sorted by identity, and a list of impulses goes with each.

use drystone_collide::Contact;
use glam::DVec3;

/// Impulses of contacts on their second bodies.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactImpulses {
    /// N s.
    pub linear: Vec<DVec3>,
    /// N m s, beside those of the linear ones; empty where no contact resists rolling.
    pub turns: Vec<DVec3>,
}

impl ContactImpulses {
    pub fn clear(&mut self) {
        self.linear.clear();
        self.turns.clear();
    }

    /// Makes all of them zero.
    pub fn forget(&mut self) {
        self.linear.fill(DVec3::ZERO);
        self.turns.fill(DVec3::ZERO);
    }

    /// The turn of a contact.
    pub fn turn(&self, index: usize) -> DVec3 {
        self.turns.get(index).copied().unwrap_or(DVec3::ZERO)
    }
}

/// Fills `impulses` with the last impulses of the contacts that persist, and with zeros elsewhere:
/// a new contact mostly presses little at first. Walks both sorted lists once.
pub(crate) fn carry_over(
    (last, last_impulses): (&[Contact], &ContactImpulses),
    contacts: &[Contact],
    impulses: &mut ContactImpulses,
) {
    impulses.clear();
    let mut old = 0;
    for contact in contacts {
        while old < last.len() && last[old].id < contact.id {
            old += 1;
        }
        let known = old < last.len() && last[old].id == contact.id;
        let of = |list: &[DVec3]| if known { list[old] } else { DVec3::ZERO };
        impulses.linear.push(of(&last_impulses.linear));
        if !last_impulses.turns.is_empty() {
            impulses.turns.push(of(&last_impulses.turns));
        }
    }
}

/// Puts new contacts into their places in the sorted list, with zero impulses.
pub(crate) fn merge(contacts: &mut Vec<Contact>, impulses: &mut ContactImpulses, new: &[Contact]) {
    let mut old = contacts.len();
    let mut place = old + new.len();
    contacts.extend_from_slice(new);
    // The list of turns is empty where nothing resists rolling: then it stays empty.
    let mut lists = [&mut impulses.linear, &mut impulses.turns];
    for list in lists.iter_mut().filter(|list| list.len() == old) {
        list.resize(place, DVec3::ZERO);
    }
    for contact in new.iter().rev() {
        // Moved from the back, so that nothing is overwritten before it has moved.
        while old > 0 && contacts[old - 1].id > contact.id {
            (old, place) = (old - 1, place - 1);
            contacts[place] = contacts[old];
            for list in lists.iter_mut().filter(|list| !list.is_empty()) {
                list[place] = list[old];
            }
        }
        place -= 1;
        contacts[place] = *contact;
        for list in lists.iter_mut().filter(|list| !list.is_empty()) {
            list[place] = DVec3::ZERO;
        }
    }
}
