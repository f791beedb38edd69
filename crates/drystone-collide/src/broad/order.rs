//! Brings pairs into ascending order in linear time.
//!
//! A share of the search leaves its pairs parted into buckets by their first index. Each bucket is then put in order by counting,
//! its own indices and its own piece of the output only, and the few pairs of one first index are sorted by the second.

use rayon::prelude::*;

/// Most buckets.
const BUCKETS: usize = 64;
/// A bucket holds at least 2 to the power of this many first indices.
const SMALLEST_SHIFT: u32 = 10;
/// Runs of one first index from this length on are sorted on all threads: a plane's, say.
const LONG_RUN: usize = 1 << 14;

/// Pairs found by one share, parted.
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
    /// Parts `found`.
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
    /// Bits of a first index within its bucket.
    pub(super) shift: u32,
    pairs: Vec<u64>,
    shares: Vec<ShareOfPairs>,
    /// Of each first index: how many pairs, then where the next one goes.
    next: Vec<u32>,
}

/// Where a share's pairs lie.
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
        // Now each counter says where its run ends.
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

/// Makes room for `more` elements; grows by an eighth, not to the double: these are the largest lists of a step.
pub(crate) fn reserve<T>(list: &mut Vec<T>, more: usize) {
    if list.capacity() - list.len() < more {
        list.reserve_exact(more.max(list.capacity() / 8));
    }
}
