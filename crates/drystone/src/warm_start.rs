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

/// Fills `impulses` with the last impulses of the contacts that persist, under their own identity
/// or another (`hand_over`), and with zeros elsewhere: a new contact mostly presses little at
/// first. Walks both sorted lists once.
pub(crate) fn carry_over(
    (last, last_impulses): (&[Contact], &ContactImpulses),
    contacts: &[Contact],
    impulses: &mut ContactImpulses,
) {
    impulses.clear();
    let mut old = 0;
    let mut has_others = false;
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
        let of_pair = |c: Option<&Contact>| c.is_some_and(|c| c.id.objects == contact.id.objects);
        let beside = || of_pair(last.get(old)) || of_pair(old.checked_sub(1).map(|k| &last[k]));
        has_others |= !known && beside();
    }
    if has_others {
        hand_over((last, last_impulses), contacts, impulses);
    }
}

/// Contacts of a pair that are looked at to find where one went.
const MOST_OF_A_PAIR: usize = 64;

/// Cosine of the angle by which the normal of a contact that goes on may have turned, 25°.
const SAME_NORMAL: f64 = 0.9;

/// A point may go on under another identity: another triangle of a mesh sees it now, or the face
/// became an edge. Its impulse then goes to the nearest new contact of the same two bodies, or
/// the load would seem to have come from nowhere, and what statics leave open would jump.
fn hand_over(
    (last, last_impulses): (&[Contact], &ContactImpulses),
    contacts: &[Contact],
    impulses: &mut ContactImpulses,
) {
    let same_pair = |a: &Contact, b: &Contact| a.id.objects == b.id.objects;
    let is_in = |list: &[Contact], contact: &Contact| {
        list.binary_search_by_key(&contact.id, |c| c.id).is_ok()
    };
    let (mut at, mut start) = (0, 0);
    for group in contacts.chunk_by(same_pair) {
        let pair = group[0].id.objects;
        let first = start;
        start += group.len();
        // The last contacts of the two.
        at += last[at..]
            .iter()
            .take_while(|c| c.id.objects < pair)
            .count();
        let of_pair = last[at..].iter().take_while(|c| c.id.objects == pair);
        let all_old = &last[at..at + of_pair.count()];
        let old = &all_old[..all_old.len().min(MOST_OF_A_PAIR)];
        let mut taken = 0_u64;
        for (k, contact) in group.iter().enumerate() {
            if old.is_empty() || is_in(all_old, contact) {
                continue;
            }
            let goes_on = |j: &usize| {
                (taken >> j) & 1 == 0
                    && old[*j].normal.dot(contact.normal) > SAME_NORMAL
                    && !is_in(group, &old[*j])
            };
            let distance = |j: &usize| old[*j].point.distance_squared(contact.point);
            let nearest = (0..old.len())
                .filter(goes_on)
                .min_by(|i, j| distance(i).total_cmp(&distance(j)));
            if let Some(j) = nearest {
                taken |= 1 << j;
                impulses.linear[first + k] = last_impulses.linear[at + j];
                if let Some(turn) = impulses.turns.get_mut(first + k) {
                    *turn = last_impulses.turn(at + j);
                }
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_collide::ContactId;

    fn contact(objects: [u32; 2], feature: u64, x: f64) -> Contact {
        Contact {
            id: ContactId { objects, feature },
            normal: DVec3::Z,
            point: DVec3::new(x, 0.0, 0.0),
            gap: 0.0,
        }
    }

    #[test]
    fn a_point_under_another_identity_keeps_its_impulse() {
        let pair = [0, 1];
        let last = [
            contact(pair, 1, 0.0),
            contact(pair, 2, 1.0),
            contact(pair, 3, 2.0),
            contact([0, 2], 1, 5.0),
        ];
        let last_impulses = ContactImpulses {
            linear: vec![DVec3::X, DVec3::Y, DVec3::Z, DVec3::ONE],
            turns: Vec::new(),
        };
        // The first stays. The second is seen by another triangle, and so is the third, in the
        // other order. A fourth is new, and so is one of a pair that did not touch.
        let mut turned = contact(pair, 9, 0.5);
        turned.normal = DVec3::X;
        let now = [
            contact(pair, 1, 0.01),
            contact(pair, 7, 2.01),
            contact(pair, 8, 1.01),
            turned,
            contact([1, 2], 4, 0.0),
        ];
        let mut impulses = ContactImpulses::default();
        carry_over((&last, &last_impulses), &now, &mut impulses);
        let expected = [DVec3::X, DVec3::Z, DVec3::Y, DVec3::ZERO, DVec3::ZERO];
        assert_eq!(impulses.linear, expected);
        assert!(impulses.turns.is_empty());
    }

    #[test]
    fn of_many_contacts_those_that_stay_keep_their_impulses() {
        let pair = [0, 1];
        let at = |feature: u64| contact(pair, feature, feature as f64);
        let impulse = |k: u64| DVec3::splat(k as f64);
        let last: Vec<Contact> = (1..=70).map(at).collect();
        let last_impulses = ContactImpulses {
            linear: (1..=70).map(impulse).collect(),
            turns: Vec::new(),
        };
        // The first goes on as another, the others stay.
        let mut now: Vec<Contact> = (2..=70).map(at).collect();
        now.push(contact(pair, 99, 1.0));
        let mut impulses = ContactImpulses::default();
        carry_over((&last, &last_impulses), &now, &mut impulses);
        let expected: Vec<DVec3> = (2..=70).chain([1]).map(impulse).collect();
        assert_eq!(impulses.linear, expected);
    }
}
