//! Nothing allocates in the broad phase once it has seen a scene of the size.
#![allow(unsafe_code)] // a counting allocator is a global allocator
#![allow(clippy::unwrap_used)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use drystone_collide::Aabb;
use drystone_collide::broad::BroadPhase;
use glam::DVec3;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

struct Counting;

thread_local! {
    /// Of this thread alone: the test runner's own threads allocate when they please.
    static COUNT: Cell<usize> = const { Cell::new(0) };
    /// Bytes that this thread has asked for and not given back.
    static HELD: Cell<isize> = const { Cell::new(0) };
}

// SAFETY: hands every request on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        HELD.set(HELD.get() + layout.size() as isize);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.set(HELD.get() - layout.size() as isize);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Runs on one thread of its own, so that all work is counted and no job is sent between threads.
fn alone<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap()
        .install(run)
}

/// A dense pile, its spheres of diameter 0.6 to 1 if `mixed`, at a moment of its motion.
fn pile(side: usize, mixed: bool, moment: f64) -> Vec<Aabb> {
    let rng = &mut Pcg64Mcg::seed_from_u64(5);
    (0..side * side * side)
        .map(|k| {
            let cell = [k % side, k / side % side, k / side / side];
            let at =
                cell.map(|c| 0.95 * c as f64 + 0.2 * (moment + rng.random_range(0.0..6.0)).sin());
            let radius = if mixed {
                rng.random_range(0.2..0.5)
            } else {
                0.5
            };
            Aabb::around(DVec3::from_array(at), DVec3::splat(radius))
        })
        .collect()
}

#[test]
fn later_calls_do_not_allocate() {
    for mixed in [false, true] {
        let mut moments: Vec<Vec<Aabb>> = (0..6).map(|k| pile(20, mixed, 0.1 * k as f64)).collect();
        for boxes in &mut moments {
            boxes.push(Aabb::EVERYTHING);
            boxes.push(Aabb::EMPTY);
            boxes.push(Aabb::around(DVec3::splat(10.0), DVec3::splat(3.0)));
        }
        alone(|| {
            let (mut broad, mut out) = (BroadPhase::default(), Vec::new());
            let mut call = |boxes: &[Aabb]| {
                let before = COUNT.get();
                broad.pairs(boxes, |_, _| true, &mut out);
                assert!(out.len() > boxes.len());
                COUNT.get() - before
            };
            assert!(call(&moments[0]) > 0, "the counter does not count");
            for boxes in &moments {
                call(boxes); // lists reach their largest length
            }
            for boxes in moments.iter().rev() {
                assert_eq!(call(boxes), 0, "mixed: {mixed}");
            }
        });
    }
}

#[test]
fn memory_per_body_and_pair_is_bounded() {
    let boxes = pile(40, false, 0.0);
    let (held, pairs) = alone(|| {
        let before = HELD.get();
        let (mut broad, mut out) = (BroadPhase::default(), Vec::new());
        broad.pairs(&boxes, |_, _| true, &mut out);
        let held = HELD.get() - before;
        drop(broad);
        (held as usize, out.len())
    });
    // The shares of a round hold pairs as well: of 2¹⁴ bodies, whatever their number in all.
    let limit = 70 * boxes.len() + 18 * pairs + 150 * (1 << 14);
    assert!(
        held < limit,
        "{held} bytes for {} bodies and {pairs} pairs",
        boxes.len()
    );
}
