//! Bodies as the packs see them, and how several threads come to share them.

use std::marker::PhantomData;

use super::lanes::{LANES, Lanes, Register, Vec3};

/// How a body moves, and what resists it if that is the same about all axes: linear velocity, m/s,
/// angular velocity, rad/s, and [`Body::weights`]. One cache line, so that a contact fetches two.
#[derive(Clone, Copy, Debug, Default)]
#[repr(transparent)]
pub(super) struct Body {
    pub numbers: Lanes,
}

impl Body {
    pub fn at_rest([mass, inertia]: [f64; 2]) -> Self {
        Self {
            numbers: Lanes([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, mass, inertia]),
        }
    }

    /// Linear, then angular velocity, m/s and rad/s.
    pub fn velocity(&self) -> [f64; 6] {
        let [a, b, c, d, e, f, ..] = self.numbers.0;
        [a, b, c, d, e, f]
    }

    pub fn set_velocity(&mut self, velocity: [f64; 6]) {
        self.numbers.0[..6].copy_from_slice(&velocity);
    }

    /// Of a body as it is: 1 / mass, 1/kg, and 1 / inertia, 1/(kg m²). Of one as it was before the
    /// last sweep, where the energy is wanted: mass, kg, and inertia, kg m². Zero for what does not
    /// move, and the inertia of a body for which it is not the same about all axes.
    #[inline(always)]
    pub fn weights(&self) -> [f64; 2] {
        let [.., mass, inertia] = self.numbers.0;
        [mass, inertia]
    }
}

/// Which numbers of a body are velocities: the first six.
#[inline(always)]
pub(super) fn velocities<F: Register>(token: F::Token) -> F::Mask {
    let weights = Lanes([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0]);
    F::load(token, &weights).below(F::splat(token, 0.5))
}

/// What the velocities of a body are squared with: mass and inertia, the same about all axes.
#[inline(always)]
pub(super) fn masses<F: Register>(token: F::Token, [mass, inertia]: [f64; 2]) -> F {
    let weights = [mass, mass, mass, inertia, inertia, inertia, 0.0, 0.0];
    F::load(token, &Lanes(weights))
}

/// A symmetric matrix: xx, yy, zz, xy, xz, yz, then nothing.
pub(super) type Symmetric = Lanes;

/// Inertias of bodies that are not the same about all axes.
#[derive(Clone, Debug, Default)]
pub(super) struct FullInertias {
    /// One for each body, or none at all where every body is the same about all axes.
    pub inverse: Vec<Symmetric>,
    /// The same, not inverted; zero where [`Body::weights`] has the inertia.
    pub direct: Vec<Symmetric>,
}

/// `aᵀ S a`.
pub(super) fn form(s: &Symmetric, a: &[f64]) -> f64 {
    let [x, y, z] = product(s, a);
    a[0] * x + a[1] * y + a[2] * z
}

/// `S a`.
pub(super) fn product(Lanes(s): &Symmetric, a: &[f64]) -> [f64; 3] {
    [
        s[0] * a[0] + s[3] * a[1] + s[4] * a[2],
        s[3] * a[0] + s[1] * a[1] + s[5] * a[2],
        s[4] * a[0] + s[5] * a[1] + s[2] * a[2],
    ]
}

/// Linear and angular velocities of the bodies on one side of a pack.
#[derive(Clone, Copy)]
pub(super) struct Motion<F> {
    pub linear: Vec3<F>,
    pub angular: Vec3<F>,
    pub inverse_mass: F,
    pub inverse_inertia: F,
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

    /// To be looked at only.
    pub fn to_read(list: &'a [T]) -> Self {
        Self {
            first: list.as_ptr().cast_mut(),
            len: list.len(),
            of: PhantomData,
        }
    }

    /// # Safety
    ///
    /// See the type. Several threads may look at one index, as long as none writes there.
    #[inline(always)]
    pub unsafe fn look(&self, index: u32) -> &'a T {
        debug_assert!((index as usize) < self.len);
        // SAFETY: the index lies in the list, and no thread writes there now. The callers let the
        // reference go before anything is written.
        unsafe { &*self.first.add(index as usize) }
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
    /// The bodies at these places.
    ///
    /// # Safety
    ///
    /// See the type.
    #[inline(always)]
    pub unsafe fn gather<F: Register>(&self, token: F::Token, places: &[u32; LANES]) -> Motion<F> {
        // Not `map`: it would be compiled for other instructions.
        let mut rows = [F::splat(token, 0.0); LANES];
        for (row, place) in rows.iter_mut().zip(places) {
            // SAFETY: as the caller sees to.
            *row = F::load(token, unsafe { &self.look(*place).numbers });
        }
        let [v_x, v_y, v_z, w_x, w_y, w_z, inverse_mass, inverse_inertia] = F::transpose(rows);
        Motion {
            linear: Vec3([v_x, v_y, v_z]),
            angular: Vec3([w_x, w_y, w_z]),
            inverse_mass,
            inverse_inertia,
        }
    }

    /// Gives the bodies their velocities.
    ///
    /// # Safety
    ///
    /// See the type.
    #[inline(always)]
    pub unsafe fn scatter<F: Register>(&self, places: &[u32; LANES], motion: &Motion<F>) {
        let ([v_x, v_y, v_z], [w_x, w_y, w_z]) = (motion.linear.0, motion.angular.0);
        // All of a body, as it is read: a read that is wider than the last write has to wait.
        let (mass, inertia) = (motion.inverse_mass, motion.inverse_inertia);
        let rows = F::transpose([v_x, v_y, v_z, w_x, w_y, w_z, mass, inertia]);
        for (row, place) in rows.iter().zip(places) {
            // SAFETY: as the caller sees to.
            unsafe { self.at(*place) }.numbers = row.store();
        }
    }
}

/// The same numbers of all matrices side by side.
#[inline(always)]
pub(super) fn gather_symmetric<F: Register>(
    token: F::Token,
    inertias: &[Symmetric],
    places: &[u32; LANES],
) -> [F; 6] {
    let mut rows = [F::splat(token, 0.0); LANES];
    for (row, place) in rows.iter_mut().zip(places) {
        *row = F::load(token, &inertias[*place as usize]);
    }
    let [a, b, c, d, e, f, ..] = F::transpose(rows);
    [a, b, c, d, e, f]
}
