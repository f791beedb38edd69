//! Nothing in the loop of a method allocates: more iterations, as many allocations.
#![allow(unsafe_code)] // a counting allocator is a global allocator

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use common::{Kinds, random_problem, run};
use drystone_ccp::{Law, Method};

struct Counting;

thread_local! {
    /// Of this thread alone: the test runner's own threads allocate when they please. The problems
    /// below are too small to be split over threads.
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
fn iterations_do_not_allocate() {
    let cases = [
        (Method::Apgd, Kinds::All, Law::Relaxed),
        (Method::ApgdFused, Kinds::All, Law::Relaxed),
        (Method::Spg, Kinds::All, Law::Relaxed),
        (Method::Jacobi, Kinds::All, Law::Relaxed),
        (Method::Jacobi, Kinds::All, Law::Exact),
        (Method::GaussSeidel, Kinds::All, Law::Relaxed),
        (Method::GaussSeidel, Kinds::All, Law::Exact),
        (Method::NesterovGs, Kinds::All, Law::Relaxed),
        (Method::Kucera, Kinds::All, Law::Relaxed),
        (Method::Gpminres, Kinds::All, Law::Relaxed),
    ];
    for (method, kinds, law) in cases {
        let problem = random_problem(5, 40, kinds);
        let allocations = |iterations| {
            let before = COUNT.get();
            // A tolerance out of reach, so that the limit ends the run.
            let _ = run(&problem, method, law, 1e-300, iterations);
            COUNT.get() - before
        };
        let _ = allocations(20); // what happens once in a process
        let (few, many) = (allocations(20), allocations(200));
        assert_eq!(few, many, "{} under {law:?}", method.name());
    }
}

/// What is counted: requests of this thread from the fourth iteration to the eighth, each with its
/// factorisations and solves. Not counted: the analysis before the loop, the copies with which
/// Newton changes stages (later, here), and what the factorisation's own threads ask for.
#[test]
fn iterations_that_factorise_do_not_allocate() {
    for (method, law) in [
        (Method::InteriorPoint, Law::Relaxed),
        (Method::Newton, Law::Relaxed),
        (Method::Newton, Law::Exact),
    ] {
        let problem = random_problem(5, 320, Kinds::All);
        let allocations = |iterations| {
            let before = COUNT.get();
            let (_, info) = run(&problem, method, law, 1e-300, iterations);
            assert_eq!(info.iterations, iterations, "{}", method.name());
            COUNT.get() - before
        };
        let _ = allocations(3); // what happens once in a process
        let (few, many) = (allocations(3), allocations(8));
        assert_eq!(few, many, "{} under {law:?}", method.name());
    }
}
