//! Brings pairs into ascending order in linear time.
//!
//! Each share of the search divides its pairs into buckets by their first index. Then every bucket
//! is put in order by counting, for itself: it has its own range of first indices and its own piece
//! of the output. The few pairs of one first index are sorted by the second.

use rayon::prelude::*;

/// Most buckets: enough work to share out among the threads of a large machine, and few enough that
/// the counters of a share (256 bytes) cost nothing.
const BUCKETS: usize = 64;
/// A bucket holds at least 2 to the power of this many first indices: fewer would not pay for a
/// task.
const SMALLEST_SHIFT: u32 = 10;
/// From this length on the pairs of one first index are sorted on all threads. Only a plane or a
/// wall has so many.
const LONG_RUN: usize = 1 << 14;

/// Pairs found by one share, divided into buckets.
#[derive(Debug)]
pub(super) struct BucketedPairs {
    /// Bucket `b` is `pairs[starts[b]..starts[b + 1]]`.
    starts: [u32; BUCKETS + 1],
    pub(super) pairs: Vec<u64>,
}

impl Default for BucketedPairs {
    fn default() -> Self {
        Self {
            starts: [0; BUCKETS + 1],
            pairs: Vec::new(),
        }
    }
}

impl BucketedPairs {
    /// Divides `found` into buckets.
    pub(super) fn part(&mut self, found: &[u64], shift: u32) {
        let bucket = |pair: u64| (pair >> (32 + shift)) as usize;
        self.starts.fill(0);
        for &pair in found {
            self.starts[bucket(pair) + 1] += 1;
        }
        for b in 0..BUCKETS {
            self.starts[b + 1] += self.starts[b];
        }
        self.pairs.resize(found.len(), 0);
        let mut next = self.starts;
        for &pair in found {
            let place = &mut next[bucket(pair)];
            self.pairs[*place as usize] = pair;
            *place += 1;
        }
    }
}

/// Pairs of all shares, and the memory to order them.
#[derive(Debug, Default)]
pub(super) struct PairOrder {
    /// How many low bits of a first index say where in its bucket it is.
    pub(super) shift: u32,
    pairs: Vec<u64>,
    shares: Vec<ShareOfPairs>,
    /// Of each first index: how many pairs, then where the next one goes.
    next: Vec<u32>,
}

/// Where the pairs of a share stand in the list of all.
#[derive(Debug)]
struct ShareOfPairs {
    base: usize,
    starts: [u32; BUCKETS + 1],
}

impl PairOrder {
    /// Begins anew, for first indices below `count`.
    pub(super) fn begin(&mut self, count: usize) {
        self.pairs.clear();
        self.shares.clear();
        self.next.resize(count, 0);
        self.shift = SMALLEST_SHIFT;
        while count > BUCKETS << self.shift {
            self.shift += 1;
        }
    }

    /// Adds a share's pairs.
    pub(super) fn append(&mut self, parted: &BucketedPairs) {
        self.shares.push(ShareOfPairs {
            base: self.pairs.len(),
            starts: parted.starts,
        });
        reserve(&mut self.pairs, parted.pairs.len());
        self.pairs.extend_from_slice(&parted.pairs);
    }

    /// All pairs in ascending order.
    pub(super) fn finish(&mut self, out: &mut Vec<[u32; 2]>) {
        let total = self.pairs.len();
        if out.len() < total {
            reserve(out, total - out.len());
        }
        out.resize(total, [0; 2]);
        let task = OrderTask {
            shift: self.shift,
            pairs: &self.pairs,
            shares: &self.shares,
        };
        let buckets = self.next.len().div_ceil(1 << self.shift);
        task.split(0, buckets, &mut self.next, out);
    }
}

/// What it takes to order a bucket.
struct OrderTask<'a> {
    shift: u32,
    pairs: &'a [u64],
    shares: &'a [ShareOfPairs],
}

impl OrderTask<'_> {
    /// Buckets `from..to`, whose counters are `next` and whose pairs fill `out`.
    fn split(&self, from: usize, to: usize, next: &mut [u32], out: &mut [[u32; 2]]) {
        if to - from <= 1 {
            self.bucket(from, next, out);
            return;
        }
        let middle = from.midpoint(to);
        let (next_low, next_high) = next.split_at_mut((middle - from) << self.shift);
        let size: usize = self
            .shares
            .iter()
            .map(|s| (s.starts[middle] - s.starts[from]) as usize)
            .sum();
        let (out_low, out_high) = out.split_at_mut(size);
        rayon::join(
            || self.split(from, middle, next_low, out_low),
            || self.split(middle, to, next_high, out_high),
        );
    }

    /// One bucket: counts, places, then sorts by the second index.
    fn bucket(&self, bucket: usize, next: &mut [u32], out: &mut [[u32; 2]]) {
        let first = bucket << self.shift;
        let local = |pair: u64| (pair >> 32) as usize - first;
        next.fill(0);
        for pairs in self.pairs_of(bucket) {
            for &pair in pairs {
                next[local(pair)] += 1;
            }
        }
        let mut sum = 0;
        for n in &mut *next {
            sum += std::mem::replace(n, sum);
        }
        for pairs in self.pairs_of(bucket) {
            for &pair in pairs {
                let place = &mut next[local(pair)];
                out[*place as usize] = [(pair >> 32) as u32, pair as u32];
                *place += 1;
            }
        }
        // Now each counter says where the pairs of its first index end.
        let mut start = 0;
        for &end in &*next {
            let run = &mut out[start..end as usize];
            if run.len() < LONG_RUN {
                run.sort_unstable_by_key(|pair| pair[1]);
            } else {
                run.par_sort_unstable_by_key(|pair| pair[1]);
            }
            start = end as usize;
        }
    }

    /// Of each share, the pairs of a bucket.
    fn pairs_of(&self, bucket: usize) -> impl Iterator<Item = &[u64]> {
        self.shares.iter().map(move |s| {
            let start = s.base + s.starts[bucket] as usize;
            let end = s.base + s.starts[bucket + 1] as usize;
            &self.pairs[start..end]
        })
    }
}

/// Makes room for `more` elements. Grows by an eighth, not to the double: these are the largest
/// lists of a step, and half of a doubled list would lie idle.
pub(crate) fn reserve<T>(list: &mut Vec<T>, more: usize) {
    if list.capacity() - list.len() < more {
        list.reserve_exact(more.max(list.capacity() / 8));
    }
}
