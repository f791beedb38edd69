//! Both phases one after the other, on all threads.

use std::time::Instant;

use glam::DVec3;
use rayon::prelude::*;

use crate::aabb::Aabb;
use crate::broad::{BroadPhase, reserve};
use crate::contact::{Contact, ContactId};
use crate::narrow::{self, ContactPoint, Scratch};
use crate::pose::Pose;
use crate::shape::Shape;

/// Something that can touch others: a shape at a pose.
#[derive(Clone, Copy, Debug)]
pub struct Object<'a> {
    /// Its shape.
    pub shape: &'a Shape,
    /// Where the shape's frame lies.
    pub pose: Pose,
    /// How far from its surface it looks for others, m. A pair has contacts where its gap is at
    /// most the sum of the two reaches, and of how far the two move against each other.
    pub reach: f64,
    /// How far it is about to move, m; zero if that is not to be looked at.
    pub shift: DVec3,
    /// Whether it takes part at all.
    pub active: bool,
}

impl Object<'_> {
    /// The gap up to which this and another have contacts, m.
    fn margin(&self, other: &Self) -> f64 {
        self.reach + other.reach + (other.shift - self.shift).length()
    }

    /// Whether the spheres around both lie further apart than that: far cheaper than a gap.
    fn is_far(&self, other: &Self, margin: f64) -> bool {
        let apart = (other.pose.position - self.pose.position).length();
        apart - self.solid_radius() - other.solid_radius() > margin
    }

    /// Radius of a ball around the origin of the shape that contains all that is solid, m. A height
    /// field is solid far below its surface: its box says how far, no ball does.
    fn solid_radius(&self) -> f64 {
        match self.shape {
            Shape::HeightField(_) => f64::INFINITY,
            shape => shape.radius_about_origin(),
        }
    }
}

/// Seconds spent in each phase.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DetectTimes {
    /// Candidate pairs.
    pub broad: f64,
    /// Contact points.
    pub narrow: f64,
}

/// Finds the contacts among many objects. It keeps its memory, and nothing else, from call to call.
#[derive(Debug, Default)]
pub struct Detector {
    broad: BroadPhase,
    boxes: Vec<Aabb>,
    pairs: Vec<[u32; 2]>,
    chunks: Vec<PairChunk>,
}

/// A fixed share of the candidate pairs and the contacts that were found there.
#[derive(Debug, Default)]
struct PairChunk {
    scratch: Scratch,
    points: Vec<ContactPoint>,
    contacts: Vec<Contact>,
}

/// Pairs in a chunk. A fixed number, so that the partition does not depend on the number of
/// threads. A pair takes between 30 ns (two spheres) and milliseconds (a box on a fine mesh): a
/// chunk of the first kind still pays for handing it to a thread, and one of the second does not
/// keep the others waiting for long.
const CHUNK: usize = 128;
/// Chunks that are filled before their contacts are collected. Contacts stand in the chunks and in
/// the result; this bounds the memory of the chunks, whatever the number of pairs.
const CHUNKS_PER_ROUND: usize = 256;
/// Fewest boxes that a thread makes at a time. A box takes some 10 ns.
const BOXES_AT_A_TIME: usize = 256;

impl Detector {
    /// Replaces the content of `out` with all contacts among `count` objects, sorted by their
    /// identities.
    ///
    /// `object` says what each object is, from `0` on; it is asked several times about each and
    /// must always give the same answer. Only pairs that `wanted` lets through are looked at: its
    /// arguments are the two objects, the smaller index first. Contacts that `keep` refuses are
    /// left out. The result has the same bits on any number of threads.
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
            .with_min_len(BOXES_AT_A_TIME)
            .enumerate()
            .for_each(|(i, b)| {
                let o = object(i);
                *b = if o.active {
                    o.shape.aabb(&o.pose).grown(o.reach + o.shift.length())
                } else {
                    Aabb::EMPTY
                };
            });
        self.broad.pairs(&self.boxes, wanted, &mut self.pairs);
        let broad = start.elapsed().as_secs_f64();

        let start = Instant::now();
        out.clear();
        for round in self.pairs.chunks(CHUNK * CHUNKS_PER_ROUND) {
            let used = round.len().div_ceil(CHUNK);
            if self.chunks.len() < used {
                self.chunks.resize_with(used, PairChunk::default);
            }
            let chunks = &mut self.chunks[..used];
            chunks
                .par_iter_mut()
                .zip(round.par_chunks(CHUNK))
                .for_each(|(chunk, pairs)| chunk.fill(pairs, &object, &keep));
            // The pairs are sorted, and so are the points of each pair: in the order of the chunks
            // the contacts are sorted too.
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

    /// The candidate pairs of the last call, in ascending order: objects whose boxes overlap.
    pub fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }
}

impl PairChunk {
    /// Finds the contacts of `pairs`.
    fn fill<'a>(
        &mut self,
        pairs: &[[u32; 2]],
        object: &(impl Fn(usize) -> Object<'a> + Sync),
        keep: &(impl Fn(&Contact) -> bool + Sync),
    ) {
        self.contacts.clear();
        for &[i, j] in pairs {
            let (a, b) = (object(i as usize), object(j as usize));
            let margin = a.margin(&b);
            if a.is_far(&b, margin) {
                continue;
            }
            self.points.clear();
            narrow::contacts(
                (a.shape, &a.pose),
                (b.shape, &b.pose),
                margin,
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
