//! Four contacts at once: their step, their residual.
//!
//! Impulses are vectors in the axes of the world, what the second body receives. So no tangents are
//! needed: with the normal `n` any vector has the normal part `n·x` and the tangent `x − (n·x) n`.
//! Letters: `s` the velocity at the contact, `y` the extrapolated impulse, `x` the last one, `next`
//! the new one, `d = next − y`, `mu` the friction, `c` the cohesion, `w` inverse weights of the
//! metric `P`.

use super::body::{Body, Motion, Shared, Symmetric, gather_symmetric};
use super::lanes::{LANES, Lanes, Register, Vec3};
use crate::problem::Law;
use crate::sweep::SweepSums;

/// What a sweep adds up, contact by contact, four sums side by side.
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

/// Arms of the contacts' points, as they are kept.
pub(super) trait Arms: Copy + Default + Send + Sync {
    /// The same to calculate with.
    type In<F: Register>: Lever<F>;

    fn load<F: Register>(&self, token: F::Token) -> Self::In<F>;

    /// Takes one contact's arms from among others.
    fn copy_lane(&mut self, lane: usize, from: &Self, at: usize);
}

/// How bodies move the contacts' points and are pushed there.
pub(super) trait Lever<F: Register>: Copy {
    /// What it needs of the inertias of one side's bodies.
    type Inertia: Copy;

    fn inertia(token: F::Token, full: &[Symmetric], places: &[u32; LANES]) -> Self::Inertia;

    /// Velocity of the second body's point relative to the first's.
    fn velocity(&self, normal: Vec3<F>, motions: &[Motion<F>; 2]) -> Vec3<F>;

    /// Pushes both bodies by an impulse; returns `dᵀ Dᵀ M⁻¹ D d`.
    fn push(
        &self,
        normal: Vec3<F>,
        d: Impulse<F>,
        inertias: &[Self::Inertia; 2],
        motions: &mut [Motion<F>; 2],
    ) -> F;
}

/// An impulse.
#[derive(Clone, Copy)]
pub(super) struct Impulse<F> {
    pub vector: Vec3<F>,
    /// Its part along the normal.
    pub normal: F,
    /// The square of its length.
    pub square: F,
}

impl<F: Register> Impulse<F> {
    #[inline(always)]
    pub fn new(vector: Vec3<F>, normal: F) -> Self {
        let square = vector.dot(vector);
        Self {
            vector,
            normal,
            square,
        }
    }
}

/// Arms along the normal, of bodies whose inertia is the same about all axes: spheres on spheres
/// and on planes. How far the point is from each centre along the normal, m.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct AlongNormal<F = Lanes>(pub [F; 2]);

impl Arms for AlongNormal {
    type In<F: Register> = AlongNormal<F>;

    #[inline(always)]
    fn load<F: Register>(&self, token: F::Token) -> AlongNormal<F> {
        AlongNormal([F::load(token, &self.0[0]), F::load(token, &self.0[1])])
    }

    fn copy_lane(&mut self, lane: usize, from: &Self, at: usize) {
        for (to, from) in self.0.iter_mut().zip(&from.0) {
            to.0[lane] = from.0[at];
        }
    }
}

impl<F: Register> Lever<F> for AlongNormal<F> {
    /// In the bodies themselves.
    type Inertia = ();

    #[inline(always)]
    fn inertia(_: F::Token, _: &[Symmetric], _: &[u32; LANES]) {}

    #[inline(always)]
    fn velocity(&self, normal: Vec3<F>, [first, second]: &[Motion<F>; 2]) -> Vec3<F> {
        let [a, b] = self.0;
        let turn = second.angular.times(b) - first.angular.times(a);
        second.linear - first.linear + turn.cross(normal)
    }

    #[inline(always)]
    fn push(
        &self,
        normal: Vec3<F>,
        d: Impulse<F>,
        _: &[(); 2],
        [first, second]: &mut [Motion<F>; 2],
    ) -> F {
        // As long as the tangent part of `d`.
        let turn = normal.cross(d.vector);
        let (a, b) = (
            first.inverse_inertia * self.0[0],
            second.inverse_inertia * self.0[1],
        );
        first.linear = first.linear - d.vector.times(first.inverse_mass);
        first.angular = first.angular - turn.times(a);
        second.linear = second.linear + d.vector.times(second.inverse_mass);
        second.angular = second.angular + turn.times(b);
        (first.inverse_mass + second.inverse_mass) * d.square
            + (a * self.0[0] + b * self.0[1]) * (d.square - d.normal * d.normal)
    }
}

/// Arms of bodies of any shape.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct AnyArms<F = Lanes>(pub [Vec3<F>; 2]);

impl Arms for AnyArms {
    type In<F: Register> = AnyArms<F>;

    #[inline(always)]
    fn load<F: Register>(&self, token: F::Token) -> AnyArms<F> {
        AnyArms([self.0[0].load(token), self.0[1].load(token)])
    }

    fn copy_lane(&mut self, lane: usize, from: &Self, at: usize) {
        for (to, from) in self.0.iter_mut().zip(&from.0) {
            to.copy_lane(lane, from, at);
        }
    }
}

/// `S a`, four at once.
#[inline(always)]
fn product<F: Register>(s: &[F; 6], a: Vec3<F>) -> Vec3<F> {
    let [x, y, z] = a.0;
    Vec3([
        s[0] * x + s[3] * y + s[4] * z,
        s[3] * x + s[1] * y + s[5] * z,
        s[4] * x + s[5] * y + s[2] * z,
    ])
}

impl<F: Register> Lever<F> for AnyArms<F> {
    type Inertia = [F; 6];

    #[inline(always)]
    fn inertia(token: F::Token, full: &[Symmetric], places: &[u32; LANES]) -> [F; 6] {
        gather_symmetric(token, full, places)
    }

    #[inline(always)]
    fn velocity(&self, _: Vec3<F>, [first, second]: &[Motion<F>; 2]) -> Vec3<F> {
        let [a, b] = self.0;
        (second.linear - first.linear) + (second.angular.cross(b) - first.angular.cross(a))
    }

    #[inline(always)]
    fn push(
        &self,
        _: Vec3<F>,
        d: Impulse<F>,
        inertias: &[[F; 6]; 2],
        [first, second]: &mut [Motion<F>; 2],
    ) -> F {
        let [a, b] = [self.0[0].cross(d.vector), self.0[1].cross(d.vector)];
        let [turn_a, turn_b] = [product(&inertias[0], a), product(&inertias[1], b)];
        first.linear = first.linear - d.vector.times(first.inverse_mass);
        first.angular = first.angular - turn_a;
        second.linear = second.linear + d.vector.times(second.inverse_mass);
        second.angular = second.angular + turn_b;
        (first.inverse_mass + second.inverse_mass) * d.square + a.dot(turn_a) + b.dot(turn_b)
    }
}

/// Four contacts that share no moving body.
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
    /// law, or by the relaxed one.
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

    /// `E x`; where the compliance is the same in all rows if it is `EVEN`.
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
    fn cone<F: Register>(&self, token: F::Token) -> LaneCones<F> {
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

    /// Squared shares in the residual: `w (x − Π(x − u/w))`, with `w` the mean diagonal of N.
    ///
    /// # Safety
    ///
    /// No thread writes to the bodies now, and their places are in the list.
    #[expect(unsafe_code, reason = "see `Shared`")]
    #[inline(always)]
    pub unsafe fn residual<F: Register>(
        &self,
        bodies: &Shared<'_, Body>,
        law: Law,
        w: F,
        inverse_w: F,
    ) -> F {
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

/// Friction cones of the four contacts.
#[derive(Clone, Copy)]
struct LaneCones<F> {
    friction: F,
    cohesion: F,
}

impl<F: Register> LaneCones<F> {
    /// Normal and tangent part of the projection of `z` in the metric with the inverse weights `w`,
    /// where `inverse_slope` is `1 / (w_t + mu² w_n)`.
    #[inline(always)]
    fn project(&self, z_n: F, z_t: Vec3<F>, [w_n, w_t]: [F; 2], inverse_slope: F) -> (F, Vec3<F>) {
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
