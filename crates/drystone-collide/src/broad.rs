//! Which objects may touch.

use crate::aabb::Aabb;

/// Finds all pairs of overlapping boxes; keeps its memory from call to call.
#[derive(Debug, Default)]
pub struct BroadPhase {}

impl BroadPhase {
    /// All pairs `[i, j]`, `i < j`, whose boxes overlap and which `wanted` lets through, in ascending order. A box may be infinite
    /// (a plane's) or empty (an object that is switched off: no pairs). The same on any number of threads.
    pub fn pairs(
        &mut self,
        boxes: &[Aabb],
        wanted: impl Fn(u32, u32) -> bool + Sync,
        out: &mut Vec<[u32; 2]>,
    ) {
        // Placeholder by brute force, to be replaced by the grid.
        out.clear();
        for i in 0..boxes.len() {
            for j in i + 1..boxes.len() {
                if boxes[i].overlaps(&boxes[j]) && wanted(i as u32, j as u32) {
                    out.push([i as u32, j as u32]);
                }
            }
        }
    }
}
