//! Both phases in order, on all threads.

use std::time::Instant;

use rayon::prelude::*;

use crate::aabb::Aabb;
use crate::broad::{BroadPhase, reserve};
use crate::contact::{Contact, ContactId};
use crate::narrow::{self, Point, Scratch};
use crate::pose::Pose;
use crate::shape::Shape;

/// One thing that can touch others.
#[derive(Clone, Copy, Debug)]
pub struct Object<'a> {
    /// Its shape.
    pub shape: &'a Shape,
    /// Where the shape's frame lies.
    pub pose: Pose,
    /// How far from its surface it looks for others, m: a pair is in contact when its gap is at most the sum of the two.
    pub reach: f64,
    /// Whether it takes part at all.
    pub active: bool,
}

/// Seconds spent in each phase.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DetectTimes {
    /// Candidate pairs.
    pub broad: f64,
    /// Contact points.
    pub narrow: f64,
}

/// Finds contacts; keeps its memory from call to call.
#[derive(Debug, Default)]
pub struct Detector {
    broad: BroadPhase,
    boxes: Vec<Aabb>,
    pairs: Vec<[u32; 2]>,
    chunks: Vec<Chunk>,
}

/// A fixed share of the pairs and what was found there.
#[derive(Debug, Default)]
struct Chunk {
    scratch: Scratch,
    points: Vec<Point>,
    contacts: Vec<Contact>,
}

/// Pairs a chunk: fixed, so that the partition does not depend on the number of threads.
const CHUNK: usize = 128;
/// Chunks filled before their contacts are collected: bounds the memory for contacts in two places.
const CHUNKS_A_ROUND: usize = 256;

impl Detector {
    /// All contacts among `objects`, sorted by identity, into `out`. Only pairs that `wanted` lets through are looked at; its
    /// arguments are indices into `objects`, the smaller first. Contacts that `keep` refuses are left out.
    pub fn detect<'a>(
        &mut self,
        count: usize,
        object: impl Fn(usize) -> Object<'a> + Sync,
        wanted: impl Fn(u32, u32) -> bool + Sync,
        keep: impl Fn(&Contact) -> bool + Sync,
        out: &mut Vec<Contact>,
    ) -> DetectTimes {
        let start = Instant::now();
        self.boxes.resize(count, Aabb::EMPTY);
        self.boxes
            .par_iter_mut()
            .with_min_len(256)
            .enumerate()
            .for_each(|(i, b)| {
                let o = object(i);
                *b = if o.active {
                    o.shape.aabb(&o.pose).grown(o.reach)
                } else {
                    Aabb::EMPTY
                };
            });
        self.broad.pairs(&self.boxes, wanted, &mut self.pairs);
        let broad = start.elapsed().as_secs_f64();

        let start = Instant::now();
        out.clear();
        for round in self.pairs.chunks(CHUNK * CHUNKS_A_ROUND) {
            let used = round.len().div_ceil(CHUNK);
            if self.chunks.len() < used {
                self.chunks.resize_with(used, Chunk::default);
            }
            let chunks = &mut self.chunks[..used];
            chunks
                .par_iter_mut()
                .zip(round.par_chunks(CHUNK))
                .for_each(|(chunk, pairs)| chunk.fill(pairs, &object, &keep));
            for chunk in chunks {
                reserve(out, chunk.contacts.len());
                out.extend_from_slice(&chunk.contacts);
            }
        }
        DetectTimes {
            broad,
            narrow: start.elapsed().as_secs_f64(),
        }
    }

    /// Candidate pairs of the last call.
    pub fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }
}

impl Chunk {
    fn fill<'a>(
        &mut self,
        pairs: &[[u32; 2]],
        object: &(impl Fn(usize) -> Object<'a> + Sync),
        keep: &(impl Fn(&Contact) -> bool + Sync),
    ) {
        self.contacts.clear();
        for &[i, j] in pairs {
            let (a, b) = (object(i as usize), object(j as usize));
            self.points.clear();
            narrow::contacts(
                (a.shape, &a.pose),
                (b.shape, &b.pose),
                a.reach + b.reach,
                &mut self.scratch,
                &mut self.points,
            );
            let contacts = self.points.iter().map(|p| Contact {
                id: ContactId {
                    objects: [i, j],
                    feature: p.feature,
                },
                normal: p.normal,
                point: p.point,
                gap: p.gap,
            });
            self.contacts.extend(contacts.filter(keep));
        }
    }
}
