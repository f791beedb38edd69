//! Bodies as the packs see them, and how several threads come to share them.

use std::marker::PhantomData;

use super::lanes::{LANES, Lanes, Vec3};

/// Motion of a body, and what resists it if that is the same about all axes. One cache line, so
/// that a contact fetches two of them.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Body {
    /// Linear, then angular velocity, m/s and rad/s.
    pub velocity: [f64; 6],
    /// 1 / mass, 1/kg.
    pub inverse_mass: f64,
    /// 1 / inertia, 1/(kg m²), of a body whose inertia is the same about all axes.
    pub inverse_inertia: f64,
}

/// A body before the last sweep, and its mass and inertia: what the energy needs.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct OldBody {
    /// Linear, then angular velocity, m/s and rad/s.
    pub velocity: [f64; 6],
    /// kg; zero for what does not move.
    pub mass: f64,
    /// kg m², of a body whose inertia is the same about all axes, else zero.
    pub inertia: f64,
}

/// A symmetric matrix: xx, yy, zz, xy, xz, yz.
pub(super) type Symmetric = [f64; 6];

/// Inertias of bodies that are not the same about all axes.
#[derive(Clone, Debug, Default)]
pub(super) struct FullInertias {
    /// One for each body, or none at all where every body is the same about all axes.
    pub inverse: Vec<Symmetric>,
    /// The same, not inverted; zero where [`OldBody`] has the inertia.
    pub direct: Vec<Symmetric>,
}

/// `aᵀ S a`.
pub(super) fn form(s: &Symmetric, a: &[f64]) -> f64 {
    let [x, y, z] = product(s, a);
    a[0] * x + a[1] * y + a[2] * z
}

/// `S a`.
pub(super) fn product(s: &Symmetric, a: &[f64]) -> [f64; 3] {
    [
        s[0] * a[0] + s[3] * a[1] + s[4] * a[2],
        s[3] * a[0] + s[1] * a[1] + s[5] * a[2],
        s[4] * a[0] + s[5] * a[1] + s[2] * a[2],
    ]
}

/// Linear and angular velocities of the four bodies on one side of a pack.
#[derive(Clone, Copy)]
pub(super) struct Motion {
    pub linear: Vec3,
    pub angular: Vec3,
    pub inverse_mass: Lanes,
    pub inverse_inertia: Lanes,
}

/// A list that several threads write to at places of their own.
///
/// # Safety
///
/// Whoever calls the methods sees to it that every index lies in the list and that no two threads
/// use one index at the same time. The plan of the sweeps does: groups of one phase share no body,
/// and each group has a place of its own for the world.
#[derive(Clone, Copy)]
pub(super) struct Shared<'a, T> {
    first: *mut T,
    len: usize,
    of: PhantomData<&'a mut [T]>,
}

// SAFETY: only a pointer is sent; what is done with it is up to the callers of its methods.
#[expect(unsafe_code, reason = "see the type")]
unsafe impl<T: Send> Send for Shared<'_, T> {}
// SAFETY: as above.
#[expect(unsafe_code, reason = "see the type")]
unsafe impl<T: Send> Sync for Shared<'_, T> {}

#[expect(unsafe_code, reason = "see the type")]
impl<'a, T: Copy> Shared<'a, T> {
    pub fn new(list: &'a mut [T]) -> Self {
        Self {
            first: list.as_mut_ptr(),
            len: list.len(),
            of: PhantomData,
        }
    }

    /// # Safety
    ///
    /// See the type.
    #[inline(always)]
    pub unsafe fn get(&self, index: u32) -> T {
        debug_assert!((index as usize) < self.len);
        // SAFETY: the index lies in the list, and no thread writes there now.
        unsafe { *self.first.add(index as usize) }
    }

    /// # Safety
    ///
    /// See the type.
    #[inline(always)]
    pub unsafe fn at(&self, index: u32) -> &'a mut T {
        debug_assert!((index as usize) < self.len);
        // SAFETY: the index lies in the list, and no other thread uses it now. The callers let the
        // reference go before they ask for another.
        unsafe { &mut *self.first.add(index as usize) }
    }
}

#[expect(unsafe_code, reason = "see `Shared`")]
impl Shared<'_, Body> {
    /// The four bodies at these places.
    ///
    /// # Safety
    ///
    /// See the type.
    #[inline(always)]
    pub unsafe fn gather(&self, places: &[u32; LANES]) -> Motion {
        // Not `map`: it would be compiled for other instructions.
        // SAFETY: as the caller sees to.
        let [a, b, c, d] = unsafe {
            [
                &*self.at(places[0]),
                &*self.at(places[1]),
                &*self.at(places[2]),
                &*self.at(places[3]),
            ]
        };
        let line = |k: usize| Lanes([a.velocity[k], b.velocity[k], c.velocity[k], d.velocity[k]]);
        Motion {
            linear: Vec3([line(0), line(1), line(2)]),
            angular: Vec3([line(3), line(4), line(5)]),
            inverse_mass: Lanes([
                a.inverse_mass,
                b.inverse_mass,
                c.inverse_mass,
                d.inverse_mass,
            ]),
            inverse_inertia: Lanes([
                a.inverse_inertia,
                b.inverse_inertia,
                c.inverse_inertia,
                d.inverse_inertia,
            ]),
        }
    }

    /// Gives the four bodies their velocities.
    ///
    /// # Safety
    ///
    /// See the type.
    #[inline(always)]
    pub unsafe fn scatter(&self, places: &[u32; LANES], motion: &Motion) {
        for (lane, &place) in places.iter().enumerate() {
            // SAFETY: as the caller sees to.
            let velocity = unsafe { &mut self.at(place).velocity };
            for k in 0..3 {
                velocity[k] = motion.linear.0[k].0[lane];
                velocity[3 + k] = motion.angular.0[k].0[lane];
            }
        }
    }
}

/// The same numbers of four matrices side by side.
#[inline(always)]
pub(super) fn gather_symmetric(inertias: &[Symmetric], places: &[u32; LANES]) -> [Lanes; 6] {
    let [i, j, k, l] = *places;
    let (a, b) = (&inertias[i as usize], &inertias[j as usize]);
    let (c, d) = (&inertias[k as usize], &inertias[l as usize]);
    let line = |k: usize| Lanes([a[k], b[k], c[k], d[k]]);
    [line(0), line(1), line(2), line(3), line(4), line(5)]
}
