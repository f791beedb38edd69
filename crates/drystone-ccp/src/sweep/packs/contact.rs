//! Four contacts at once: their step, their residual.
//!
//! Impulses are vectors in the axes of the world, what the second body receives. So no tangents are
//! needed: with the normal `n` any vector has the normal part `n·x` and the tangent `x − (n·x) n`.
//! Letters: `s` the velocity at the contact, `y` the extrapolated impulse, `x` the last one, `next`
//! the new one, `d = next − y`, `mu` the friction, `c` the cohesion, `w` inverse weights of the
//! metric `P`.

use super::body::{Body, Motion, Shared, Symmetric, gather_symmetric};
use super::lanes::{LANES, Lanes, Vec3};
use crate::problem::Law;
use crate::sweep::SweepSums;

/// What a sweep adds up, contact by contact, four sums side by side.
#[derive(Clone, Copy, Default)]
pub(super) struct LaneSums {
    objective: Lanes,
    uphill: Lanes,
    moved: Lanes,
}

impl LaneSums {
    pub fn sum(&self) -> SweepSums {
        SweepSums {
            objective: self.objective.sum(),
            uphill: self.uphill.sum(),
            moved: self.moved.sum(),
        }
    }
}

/// Arms of the contacts' points, and with them how bodies move the points and are pushed there.
pub(super) trait Arms: Copy + Default + Send + Sync {
    /// What it needs of the inertias of one side's bodies.
    type Inertia: Copy;

    fn inertia(full: &[Symmetric], places: &[u32; LANES], motion: &Motion) -> Self::Inertia;

    /// Velocity of the second body's point relative to the first's.
    fn velocity(&self, normal: Vec3, motions: &[Motion; 2]) -> Vec3;

    /// Pushes both bodies by an impulse `d`; returns `dᵀ Dᵀ M⁻¹ D d`.
    fn push(
        &self,
        normal: Vec3,
        d: Vec3,
        inertias: &[Self::Inertia; 2],
        motions: &mut [Motion; 2],
    ) -> Lanes;
}

/// Arms along the normal, of bodies whose inertia is the same about all axes: spheres on spheres
/// and on planes. How far the point is from each centre along the normal, m.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct AlongNormal(pub [Lanes; 2]);

impl Arms for AlongNormal {
    /// In the bodies themselves.
    type Inertia = ();

    #[inline(always)]
    fn inertia(_: &[Symmetric], _: &[u32; LANES], _: &Motion) {}

    #[inline(always)]
    fn velocity(&self, normal: Vec3, [first, second]: &[Motion; 2]) -> Vec3 {
        let [a, b] = self.0;
        let turn = second.angular.times(b) - first.angular.times(a);
        second.linear - first.linear + turn.cross(normal)
    }

    #[inline(always)]
    fn push(&self, normal: Vec3, d: Vec3, _: &[(); 2], [first, second]: &mut [Motion; 2]) -> Lanes {
        let turn = normal.cross(d);
        let (a, b) = (
            first.inverse_inertia * self.0[0],
            second.inverse_inertia * self.0[1],
        );
        first.linear = first.linear - d.times(first.inverse_mass);
        first.angular = first.angular - turn.times(a);
        second.linear = second.linear + d.times(second.inverse_mass);
        second.angular = second.angular + turn.times(b);
        (first.inverse_mass + second.inverse_mass) * d.dot(d)
            + (a * self.0[0] + b * self.0[1]) * turn.dot(turn)
    }
}

/// Arms of bodies of any shape.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct AnyArms(pub [Vec3; 2]);

/// `S a`, four at once.
#[inline(always)]
fn product(s: &[Lanes; 6], a: Vec3) -> Vec3 {
    let [x, y, z] = a.0;
    Vec3([
        s[0] * x + s[3] * y + s[4] * z,
        s[3] * x + s[1] * y + s[5] * z,
        s[4] * x + s[5] * y + s[2] * z,
    ])
}

impl Arms for AnyArms {
    type Inertia = [Lanes; 6];

    #[inline(always)]
    fn inertia(full: &[Symmetric], places: &[u32; LANES], _: &Motion) -> [Lanes; 6] {
        gather_symmetric(full, places)
    }

    #[inline(always)]
    fn velocity(&self, _: Vec3, [first, second]: &[Motion; 2]) -> Vec3 {
        let [a, b] = self.0;
        (second.linear - first.linear) + (second.angular.cross(b) - first.angular.cross(a))
    }

    #[inline(always)]
    fn push(
        &self,
        _: Vec3,
        d: Vec3,
        inertias: &[[Lanes; 6]; 2],
        [first, second]: &mut [Motion; 2],
    ) -> Lanes {
        let [a, b] = [self.0[0].cross(d), self.0[1].cross(d)];
        let [turn_a, turn_b] = [product(&inertias[0], a), product(&inertias[1], b)];
        first.linear = first.linear - d.times(first.inverse_mass);
        first.angular = first.angular - turn_a;
        second.linear = second.linear + d.times(second.inverse_mass);
        second.angular = second.angular + turn_b;
        (first.inverse_mass + second.inverse_mass) * d.dot(d) + a.dot(turn_a) + b.dot(turn_b)
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
    /// `E x`.
    #[inline(always)]
    fn elastic(&self, x: Vec3, x_n: Lanes) -> Vec3 {
        x.times(self.compliance) + self.normal.times(self.normal_excess * x_n)
    }

    /// Steps from `y = x + beta (x − old)`, or from `old` if that is what `redo` says. By the exact
    /// law, or by the relaxed one.
    ///
    /// # Safety
    ///
    /// No other thread uses the bodies of this pack, and their places are in the list.
    #[expect(unsafe_code, reason = "see `Shared`")]
    #[inline(always)]
    pub unsafe fn step<const EXACT: bool>(
        &mut self,
        bodies: &Shared<'_, Body>,
        full: &[Symmetric],
        beta: Lanes,
        redo: bool,
        sums: &mut LaneSums,
    ) {
        let [first, second] = &self.bodies;
        // SAFETY: the caller's promise.
        let mut motions = unsafe { [bodies.gather(first), bodies.gather(second)] };
        let n = self.normal;
        let x = if redo { self.old } else { self.x };
        let y = x + (x - self.old).times(beta);
        let y_n = n.dot(y);
        let elastic = self.elastic(y, y_n);
        let s = self.arms.velocity(n, &motions) + self.r + elastic;
        let s_n = n.dot(s);
        let (down_n, down_t) = (
            self.inverse_normal * s_n,
            (s - n.times(s_n)).times(self.inverse_tangent),
        );
        let y_t = y - n.times(y_n);
        let next = if EXACT {
            let (next_n, next_t) = self.cut(y_n - down_n, y_t - down_t);
            n.times(next_n) + next_t
        } else {
            self.project(y_n - down_n, y_t - down_t)
        };
        let d = next - y;
        let inertias = [
            A::inertia(full, first, &motions[0]),
            A::inertia(full, second, &motions[1]),
        ];
        let d_n = n.dot(d);
        let stretch = self.arms.push(n, d, &inertias, &mut motions)
            + self.compliance * d.dot(d)
            + self.normal_excess * d_n * d_n;
        // SAFETY: the caller's promise.
        unsafe {
            bodies.scatter(first, &motions[0]);
            bodies.scatter(second, &motions[1]);
        }
        let half = Lanes::splat(0.5);
        sums.objective =
            sums.objective + (s.dot(d) + half * stretch) + (self.r.dot(y) + half * elastic.dot(y));
        sums.uphill = sums.uphill - self.tangent * d.dot(next - x);
        sums.moved = sums.moved + self.tangent * self.tangent * d.dot(d);
        self.old = x;
        self.x = next;
    }

    /// Projection onto the cone in the metric P.
    #[inline(always)]
    fn project(&self, z_n: Lanes, z_t: Vec3) -> Vec3 {
        let a = z_n + self.cohesion;
        let slip = z_t.dot(z_t).sqrt();
        let reach = a * self.inverse_tangent + self.friction * slip * self.inverse_normal;
        self.cone_point(a, slip, z_t, reach * self.inverse_slope)
    }

    /// The normal part not below the tip, the tangent cut to the disc there.
    #[inline(always)]
    fn cut(&self, z_n: Lanes, z_t: Vec3) -> (Lanes, Vec3) {
        let height = (z_n + self.cohesion).not_negative();
        let slip = z_t.dot(z_t).sqrt();
        let most = self.friction * height;
        let scale = most.below(slip).choose(most.over(slip), Lanes::splat(1.0));
        (height - self.cohesion, z_t.times(scale))
    }

    /// The point itself if it lies in the cone, else the one on the cone with the height `height`,
    /// or the tip if that is below it.
    #[inline(always)]
    fn cone_point(&self, a: Lanes, slip: Lanes, z_t: Vec3, height: Lanes) -> Vec3 {
        let zero = Lanes::default();
        let inside = slip.at_most(self.friction * a).and(zero.at_most(a));
        let height = height.not_negative();
        // Without slip a point is inside or goes to the tip.
        let scale = zero
            .below(height)
            .choose((self.friction * height).over(slip), zero);
        let new_n = inside.choose(a, height) - self.cohesion;
        let scale = inside.choose(Lanes::splat(1.0), scale);
        self.normal.times(new_n) + z_t.times(scale)
    }

    /// Adds to the bodies what an impulse gives them.
    ///
    /// # Safety
    ///
    /// As [`Pack::step`].
    #[expect(unsafe_code, reason = "see `Shared`")]
    #[inline(always)]
    pub unsafe fn push(&self, bodies: &Shared<'_, Body>, full: &[Symmetric], x: Vec3) {
        let [first, second] = &self.bodies;
        // SAFETY: the caller's promise.
        let mut motions = unsafe { [bodies.gather(first), bodies.gather(second)] };
        let inertias = [
            A::inertia(full, first, &motions[0]),
            A::inertia(full, second, &motions[1]),
        ];
        self.arms.push(self.normal, x, &inertias, &mut motions);
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
    pub unsafe fn residual(
        &self,
        bodies: &Shared<'_, Body>,
        law: Law,
        w: Lanes,
        inverse_w: Lanes,
    ) -> Lanes {
        let [first, second] = &self.bodies;
        // SAFETY: the caller's promise.
        let motions = unsafe { [bodies.gather(first), bodies.gather(second)] };
        let (n, x) = (self.normal, self.x);
        let x_n = n.dot(x);
        let u = self.arms.velocity(n, &motions) + self.r + self.elastic(x, x_n);
        let u_n = n.dot(u);
        let u_t = u - n.times(u_n);
        let u_n = match law {
            Law::Relaxed => u_n,
            Law::Exact => u_n + self.friction * u_t.dot(u_t).sqrt(),
        };
        let a = x_n - u_n * inverse_w + self.cohesion;
        let z_t = (x - n.times(x_n)) - u_t.times(inverse_w);
        let slip = z_t.dot(z_t).sqrt();
        let steepness = Lanes::splat(1.0) + self.friction * self.friction;
        let next = self.cone_point(a, slip, z_t, (a + self.friction * slip).over(steepness));
        // u + w (z − Π z) rather than w (x − Π z): large impulses would swallow small velocities.
        let z = n.times(a - self.cohesion) + z_t;
        let share = n.times(u_n) + u_t + (z - next).times(w);
        share.dot(share)
    }
}
