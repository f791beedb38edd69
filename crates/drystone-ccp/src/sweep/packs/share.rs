//! What each group of a plan works on, and how groups run side by side.

use std::ops::Range;

use super::arms::{AlongNormal, AnyArms};
use super::contact::Pack;
use super::lanes::LANES;
use super::roll::RollPack;
use super::rows::RowBlock;
use crate::sweep::SweepSums;

/// Contacts of a phase below which threads cost more than they bring: a few microseconds' worth.
const PARALLEL_CONTACTS: usize = 400;

/// What belongs to a group.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spans {
    pub spheres: usize,
    pub points: usize,
    pub rolls: usize,
    pub rows: usize,
}

/// What one group, or some in a row, work on.
pub(super) struct Share<'a> {
    pub spheres: &'a mut [Pack<AlongNormal>],
    pub points: &'a mut [Pack<AnyArms>],
    pub rolls: &'a mut [RollPack],
    pub rows: &'a mut [RowBlock],
    /// One for each group.
    pub sums: &'a mut [SweepSums],
}

impl<'a> Share<'a> {
    /// The share of the first `spans`, and the rest.
    fn split(self, spans: &[Spans]) -> (Self, Self) {
        let total = |of: fn(&Spans) -> usize| spans.iter().map(of).sum::<usize>();
        let (spheres, spheres_rest) = self.spheres.split_at_mut(total(|s| s.spheres));
        let (points, points_rest) = self.points.split_at_mut(total(|s| s.points));
        let (rolls, rolls_rest) = self.rolls.split_at_mut(total(|s| s.rolls));
        let (rows, rows_rest) = self.rows.split_at_mut(total(|s| s.rows));
        let (sums, sums_rest) = self.sums.split_at_mut(spans.len());
        let first = Self {
            spheres,
            points,
            rolls,
            rows,
            sums,
        };
        let rest = Self {
            spheres: spheres_rest,
            points: points_rest,
            rolls: rolls_rest,
            rows: rows_rest,
            sums: sums_rest,
        };
        (first, rest)
    }

    fn contacts(&self) -> usize {
        let packs = self.spheres.len() + self.points.len() + self.rolls.len();
        LANES * (packs + self.rows.len())
    }
}

/// Calls `f` for every group with its share: phase after phase, the groups of a phase at once.
pub(super) fn for_each_group(
    phases: &[Range<usize>],
    spans: &[Spans],
    mut share: Share<'_>,
    f: impl Fn(usize, Share<'_>) + Sync,
) {
    for phase in phases {
        let spans = &spans[phase.clone()];
        let (now, rest) = share.split(spans);
        let parallel = now.contacts() > PARALLEL_CONTACTS && rayon::current_num_threads() > 1;
        at_once(phase.start, spans, now, parallel, &f);
        share = rest;
    }
}

fn at_once(
    first: usize,
    spans: &[Spans],
    share: Share<'_>,
    parallel: bool,
    f: &(impl Fn(usize, Share<'_>) + Sync),
) {
    match spans.len() {
        0 => {}
        1 => f(first, share),
        count => {
            let (left, right) = spans.split_at(count / 2);
            let (mine, yours) = share.split(left);
            let do_left = || at_once(first, left, mine, parallel, f);
            let do_right = || at_once(first + left.len(), right, yours, parallel, f);
            if parallel {
                rayon::join(do_left, do_right);
            } else {
                do_left();
                do_right();
            }
        }
    }
}
