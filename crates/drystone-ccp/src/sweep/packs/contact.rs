//! Eight contacts at once: their step, their residual.
//!
//! Impulses are vectors in the axes of the world, what the second body receives. So no tangents are
//! needed: with the normal `n` any vector has the normal part `n·x` and the tangent `x − (n·x) n`.
//! Letters: `s` the velocity at the contact, `y` the extrapolated impulse, `x` the last one, `next`
//! the new one, `d = next − y`, `mu` the friction, `c` the cohesion, `w` inverse weights of the
//! metric `P`.

use super::arms::{Arms, Impulse, Lever};
use super::body::{Body, Shared, Symmetric};
use super::lanes::{LANES, Lanes, Register, Vec3};
use crate::problem::Law;
use crate::residual::Units;
use crate::sweep::SweepSums;

/// What a sweep adds up, contact by contact, eight sums side by side.
#[derive(Clone, Copy)]
pub(super) struct LaneSums<F> {
    pub objective: F,
    pub uphill: F,
    pub moved: F,
}

impl<F: Register> LaneSums<F> {
    #[inline(always)]
    pub fn new(token: F::Token) -> Self {
        let zero = F::splat(token, 0.0);
        Self {
            objective: zero,
            uphill: zero,
            moved: zero,
        }
    }

    #[inline(always)]
    pub fn sum(&self) -> SweepSums {
        SweepSums {
            objective: self.objective.store().sum(),
            uphill: self.uphill.store().sum(),
            moved: self.moved.store().sum(),
        }
    }
}

/// Packs of contacts that have a residual.
pub(super) trait Judged: Sync {
    /// Squared shares of the contacts in the residual: `w (x − Π(x − u/w))`.
    ///
    /// # Safety
    ///
    /// No thread writes to the bodies now, and their places are in the list.
    #[expect(unsafe_code, reason = "see `Shared`")]
    unsafe fn residual<F: Register>(
        &self,
        bodies: &Shared<'_, Body>,
        law: Law,
        units: &LaneUnits<F>,
    ) -> F;
}

/// What makes speeds of impulses and of turning rows.
#[derive(Clone, Copy)]
pub(super) struct LaneUnits<F> {
    pub w: F,
    pub inverse_w: F,
    pub length: F,
    pub inverse_length: F,
}

impl<F: Register> LaneUnits<F> {
    pub fn new(token: F::Token, Units { w, length }: Units) -> Self {
        Self {
            w: F::splat(token, w),
            inverse_w: F::splat(token, 1.0 / w),
            length: F::splat(token, length),
            inverse_length: F::splat(token, 1.0 / length),
        }
    }
}

/// Eight contacts that share no moving body.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Pack<A> {
    /// Places of the first and second bodies.
    pub bodies: [[u32; LANES]; 2],
    /// From the first body to the second.
    pub normal: Vec3,
    pub arms: A,
    /// The vector `r` of the problem, in the axes of the world.
    pub r: Vec3,
    /// 1 / P of the normal and of the tangents.
    pub inverse_normal: Lanes,
    pub inverse_tangent: Lanes,
    /// P of the tangents.
    pub tangent: Lanes,
    /// `1 / (w_t + mu² w_n)`: spares the projection a division.
    pub inverse_slope: Lanes,
    pub friction: Lanes,
    pub cohesion: Lanes,
    /// E of the tangents, and how much more the normal has.
    pub compliance: Lanes,
    pub normal_excess: Lanes,
    /// The iterate and the one before.
    pub x: Vec3,
    pub old: Vec3,
}

impl<A: Arms> Pack<A> {
    /// Steps from `y = x + beta (x − old)`, or from `old` if that is what `redo` says. By the exact
    /// law, or by the relaxed one. `EVEN`: the compliance is the same in all rows.
    ///
    /// # Safety
    ///
    /// No other thread uses the bodies of this pack, and their places are in the list.
    #[expect(unsafe_code, reason = "see `Shared`")]
    #[inline(always)]
    pub unsafe fn step<F: Register, const EXACT: bool, const EVEN: bool>(
        &mut self,
        bodies: &Shared<'_, Body>,
        full: &[Symmetric],
        beta: F,
        redo: bool,
        sums: &mut LaneSums<F>,
    ) {
        let token = beta.token();
        let get = |lanes: &Lanes| F::load(token, lanes);
        let [first, second] = &self.bodies;
        // SAFETY: the caller's promise.
        let mut motions = unsafe { [bodies.gather(token, first), bodies.gather(token, second)] };
        let n = self.normal.load(token);
        let arms = self.arms.load::<F>(token);
        let kept = if redo { self.old } else { self.x };
        let x = kept.load(token);
        let y = x + (x - self.old.load(token)).times(beta);
        let y_n = n.dot(y);
        let r = self.r.load(token);
        let pull = r + self.elastic::<F, EVEN>(n, y, y_n);
        let s = arms.velocity(n, &motions) + pull;
        let at_start = (pull + r).dot(y);
        let s_n = n.dot(s);
        let (w_n, w_t) = (get(&self.inverse_normal), get(&self.inverse_tangent));
        let z_n = y_n - w_n * s_n;
        let z_t = (y - s.times(w_t)) - n.times(y_n - w_t * s_n);
        let cone = self.cone(token);
        let (next_n, next_t) = if EXACT {
            cone.cut(z_n, z_t)
        } else {
            cone.project(z_n, z_t, [w_n, w_t], get(&self.inverse_slope))
        };
        let next = n.times(next_n) + next_t;
        let d = Impulse::new(next - y, next_n - y_n);
        let tangent = get(&self.tangent);
        sums.uphill = sums.uphill - tangent * d.vector.dot(next - x);
        sums.moved = sums.moved + tangent * tangent * d.square;
        self.old = kept;
        self.x = next.store();
        let inertias = [
            A::In::<F>::inertia(token, full, first),
            A::In::<F>::inertia(token, full, second),
        ];
        let stretch = arms.push(n, d, &inertias, &mut motions) + self.spring::<F, EVEN>(d);
        // SAFETY: the caller's promise.
        unsafe {
            bodies.scatter(first, &motions[0]);
            bodies.scatter(second, &motions[1]);
        }
        let half = beta.all(0.5);
        sums.objective = sums.objective + (s.dot(d.vector) + half * (stretch + at_start));
    }

    /// `E x`.
    #[inline(always)]
    pub fn elastic<F: Register, const EVEN: bool>(
        &self,
        n: Vec3<F>,
        x: Vec3<F>,
        x_n: F,
    ) -> Vec3<F> {
        let token = x_n.token();
        let even = x.times(F::load(token, &self.compliance));
        if EVEN {
            return even;
        }
        even + n.times(F::load(token, &self.normal_excess) * x_n)
    }

    /// `dᵀ E d`.
    #[inline(always)]
    pub fn spring<F: Register, const EVEN: bool>(&self, d: Impulse<F>) -> F {
        let token = d.square.token();
        let even = F::load(token, &self.compliance) * d.square;
        if EVEN {
            return even;
        }
        even + F::load(token, &self.normal_excess) * d.normal * d.normal
    }

    /// Takes one contact from among others, as it is now: all but its bodies.
    pub fn copy_lane(&mut self, lane: usize, from: &Self, at: usize) {
        self.arms.copy_lane(lane, &from.arms, at);
        for (to, from) in [
            (&mut self.normal, &from.normal),
            (&mut self.r, &from.r),
            (&mut self.x, &from.x),
            (&mut self.old, &from.x),
        ] {
            to.copy_lane(lane, from, at);
        }
        for (to, from) in [
            (&mut self.inverse_normal, &from.inverse_normal),
            (&mut self.inverse_tangent, &from.inverse_tangent),
            (&mut self.tangent, &from.tangent),
            (&mut self.inverse_slope, &from.inverse_slope),
            (&mut self.friction, &from.friction),
            (&mut self.cohesion, &from.cohesion),
            (&mut self.compliance, &from.compliance),
            (&mut self.normal_excess, &from.normal_excess),
        ] {
            to.0[lane] = from.0[at];
        }
    }

    #[inline(always)]
    pub fn cone<F: Register>(&self, token: F::Token) -> LaneCones<F> {
        LaneCones {
            friction: F::load(token, &self.friction),
            cohesion: F::load(token, &self.cohesion),
        }
    }

    /// Adds to the bodies what an impulse gives them.
    ///
    /// # Safety
    ///
    /// As [`Pack::step`].
    #[expect(unsafe_code, reason = "see `Shared`")]
    #[inline(always)]
    pub unsafe fn push<F: Register>(
        &self,
        token: F::Token,
        bodies: &Shared<'_, Body>,
        full: &[Symmetric],
        x: &Vec3,
    ) {
        let [first, second] = &self.bodies;
        // SAFETY: the caller's promise.
        let mut motions = unsafe { [bodies.gather(token, first), bodies.gather(token, second)] };
        let inertias = [
            A::In::<F>::inertia(token, full, first),
            A::In::<F>::inertia(token, full, second),
        ];
        let (arms, n) = (self.arms.load::<F>(token), self.normal.load(token));
        let x = x.load(token);
        arms.push(n, Impulse::new(x, n.dot(x)), &inertias, &mut motions);
        // SAFETY: the caller's promise.
        unsafe {
            bodies.scatter(first, &motions[0]);
            bodies.scatter(second, &motions[1]);
        }
    }
}

impl<A: Arms> Judged for Pack<A> {
    #[expect(unsafe_code, reason = "see `Shared`")]
    #[inline(always)]
    unsafe fn residual<F: Register>(
        &self,
        bodies: &Shared<'_, Body>,
        law: Law,
        units: &LaneUnits<F>,
    ) -> F {
        let (w, inverse_w) = (units.w, units.inverse_w);
        let token = w.token();
        let [first, second] = &self.bodies;
        // SAFETY: the caller's promise.
        let motions = unsafe { [bodies.gather(token, first), bodies.gather(token, second)] };
        let cone = self.cone::<F>(token);
        let (n, x) = (self.normal.load(token), self.x.load(token));
        let x_n = n.dot(x);
        let arms = self.arms.load::<F>(token);
        let elastic = self.elastic::<F, false>(n, x, x_n);
        let u = arms.velocity(n, &motions) + self.r.load(token) + elastic;
        let u_n = n.dot(u);
        let u_t = u - n.times(u_n);
        let u_n = match law {
            Law::Relaxed => u_n,
            Law::Exact => u_n + cone.friction * u_t.dot(u_t).sqrt(),
        };
        let a = x_n - u_n * inverse_w + cone.cohesion;
        let z_t = (x - n.times(x_n)) - u_t.times(inverse_w);
        let slip = z_t.dot(z_t).sqrt();
        let steepness = w.all(1.0) + cone.friction * cone.friction;
        let height = (a + cone.friction * slip).over(steepness);
        let (next_n, next_t) = cone.point(a, slip, z_t, height);
        // u + w (z − Π z) rather than w (x − Π z): large impulses would swallow small velocities.
        let past_n = (a - cone.cohesion) - next_n;
        let share = n.times(u_n + w * past_n) + (u_t + (z_t - next_t).times(w));
        share.dot(share)
    }
}

/// Friction cones of the contacts.
#[derive(Clone, Copy)]
pub(super) struct LaneCones<F> {
    friction: F,
    cohesion: F,
}

impl<F: Register> LaneCones<F> {
    /// Normal and tangent part of the projection of `z` in the metric with the inverse weights `w`,
    /// where `inverse_slope` is `1 / (w_t + mu² w_n)`.
    #[inline(always)]
    pub fn project(
        &self,
        z_n: F,
        z_t: Vec3<F>,
        [w_n, w_t]: [F; 2],
        inverse_slope: F,
    ) -> (F, Vec3<F>) {
        let a = z_n + self.cohesion;
        let slip = z_t.dot(z_t).sqrt();
        let reach = a * w_t + self.friction * slip * w_n;
        self.point(a, slip, z_t, reach * inverse_slope)
    }

    /// The normal part of `z` not below the tip, the tangent cut to the disc there.
    #[inline(always)]
    fn cut(&self, z_n: F, z_t: Vec3<F>) -> (F, Vec3<F>) {
        let height = (z_n + self.cohesion).not_negative();
        let slip = z_t.dot(z_t).sqrt();
        let most = self.friction * height;
        let scale = F::choose(most.below(slip), most.over(slip), most.all(1.0));
        (height - self.cohesion, z_t.times(scale))
    }

    /// The point itself if it lies in the cone, else the one on the cone with the height `height`,
    /// or the tip if that is below it.
    #[inline(always)]
    fn point(&self, a: F, slip: F, z_t: Vec3<F>, height: F) -> (F, Vec3<F>) {
        let zero = a.all(0.0);
        let inside = F::both(a.token(), slip.at_most(self.friction * a), zero.at_most(a));
        let height = height.not_negative();
        // Without slip a point is inside or goes to the tip.
        let scale = (self.friction * height).over(slip);
        let scale = F::choose(zero.below(height), scale, zero);
        let new_n = F::choose(inside, a, height) - self.cohesion;
        let scale = F::choose(inside, a.all(1.0), scale);
        (new_n, z_t.times(scale))
    }
}
