//! The fast paths allocate nothing once their memory has grown.
#![allow(unsafe_code)] // a counting allocator is a global allocator
#![allow(clippy::unwrap_used)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use drystone_collide::narrow::{Scratch, contacts};
use drystone_collide::shape::TriangleMesh;
use drystone_collide::{Pose, Shape};
use glam::{DQuat, DVec3};

struct Counting;

thread_local! {
    /// Of this thread alone: the test runner's own threads allocate when they please.
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: hands every request on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn fast_paths_do_not_allocate() {
    let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let corners = square.map(|[x, y]| DVec3::new(4.0 * x - 2.0, 4.0 * y - 2.0, 0.0));
    let sheet = TriangleMesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let ball = Shape::sphere(0.5).unwrap();
    let brick = Shape::box_of([0.5, 0.4, 0.5]).unwrap();
    let egg = Shape::ellipsoid([0.3, 0.4, 0.5]).unwrap();
    let can = Shape::cylinder(0.3, 0.5).unwrap();
    let plane = Shape::plane();
    let mesh = Shape::mesh(sheet);
    let pairs = [
        (&ball, &ball, 1.0),
        (&plane, &ball, 0.5),
        (&plane, &brick, 0.5),
        (&plane, &can, 0.5),
        (&ball, &brick, 1.0),
        (&brick, &brick, 1.0),
        (&egg, &egg, 1.0),
        (&ball, &egg, 1.0),
        (&ball, &can, 1.0),
        (&mesh, &ball, 0.5),
    ];
    for (a, b, height) in pairs {
        let mut scratch = Scratch::default();
        let mut out = Vec::with_capacity(64);
        let mut run = || {
            let before = COUNT.get();
            let mut found = 0;
            for k in 0..50 {
                let tilt = DQuat::from_rotation_x(1e-3 * f64::from(k % 3));
                let pose = Pose {
                    position: DVec3::new(1e-3 * f64::from(k), 0.0, height - 1e-3),
                    rotation: DQuat::from_rotation_z(0.1 * f64::from(k)) * tilt,
                };
                out.clear();
                contacts(
                    (a, &Pose::IDENTITY),
                    (b, &pose),
                    0.01,
                    &mut scratch,
                    &mut out,
                );
                found += out.len();
            }
            (COUNT.get() - before, found)
        };
        let (_, first) = run();
        let (allocations, second) = run();
        assert!(first >= 50 && first == second, "{} {}", a.kind(), b.kind());
        assert_eq!(allocations, 0, "{} {}", a.kind(), b.kind());
    }
}
