//! Contacts of spheres, eight at once, that resist rolling, or rolling and spinning.
//!
//! Beside the impulse `x` of file `contact.rs` there is a moment `m`, what the second body receives
//! about the point. Its tangent part resists rolling, its normal part spinning. Letters as there;
//! `t` is the relative angular velocity.

use super::arms::{AlongNormal, Arms, Impulse, Lever};
use super::body::{Body, Shared};
use super::contact::{Judged, LaneSums, LaneUnits, Pack};
use super::lanes::{Lanes, Register, Vec3};
use crate::problem::Law;

/// Eight contacts that share no moving body.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct RollPack {
    /// The contacts as if they did not resist rolling.
    pub point: Pack<AlongNormal>,
    /// `r` of the turning rows, in the axes of the world.
    pub r: Vec3,
    /// P of the normal, of rolling and of spinning, and the inverses of the last two.
    pub weight: Lanes,
    pub roll: Lanes,
    pub spin: Lanes,
    pub inverse_roll: Lanes,
    pub inverse_spin: Lanes,
    /// Coefficients, m; no spinning is a coefficient of zero.
    pub rolling: Lanes,
    pub spinning: Lanes,
    /// E of rolling, and how much more spinning has.
    pub compliance: Lanes,
    pub spin_excess: Lanes,
    /// The iterate and the one before.
    pub m: Vec3,
    pub old: Vec3,
}

impl RollPack {
    /// As [`Pack::step`].
    ///
    /// # Safety
    ///
    /// As [`Pack::step`].
    #[expect(unsafe_code, reason = "see `Shared`")]
    #[inline(always)]
    pub unsafe fn step<F: Register, const EXACT: bool>(
        &mut self,
        bodies: &Shared<'_, Body>,
        beta: F,
        redo: bool,
        sums: &mut LaneSums<F>,
    ) {
        let token = beta.token();
        let get = |lanes: &Lanes| F::load(token, lanes);
        let point = &self.point;
        let [first, second] = &point.bodies;
        // SAFETY: the caller's promise.
        let mut motions = unsafe { [bodies.gather(token, first), bodies.gather(token, second)] };
        let n = point.normal.load(token);
        let [kept, kept_m] = if redo {
            [point.old, self.old]
        } else {
            [point.x, self.m]
        };
        let (x, m) = (kept.load(token), kept_m.load(token));
        let y = x + (x - point.old.load(token)).times(beta);
        let y_m = m + (m - self.old.load(token)).times(beta);
        let (y_n, y_spin) = (n.dot(y), n.dot(y_m));
        let (r, r_m) = (point.r.load(token), self.r.load(token));
        let pull = r + point.elastic::<F, false>(n, y, y_n);
        let pull_m = r_m + self.elastic(n, y_m, y_spin);
        let at_start = (pull + r).dot(y) + (pull_m + r_m).dot(y_m);
        let arms = point.arms.load::<F>(token);
        let s = arms.velocity(n, &motions) + pull;
        let t = (motions[1].angular - motions[0].angular) + pull_m;
        let (s_n, t_n) = (n.dot(s), n.dot(t));
        let (w_n, w_t) = (get(&point.inverse_normal), get(&point.inverse_tangent));
        let (w_roll, w_spin) = (get(&self.inverse_roll), get(&self.inverse_spin));
        let z = Parts {
            normal: y_n - w_n * s_n,
            slide: (y - s.times(w_t)) - n.times(y_n - w_t * s_n),
            roll: (y_m - t.times(w_roll)) - n.times(y_spin - w_roll * t_n),
            spin: y_spin - w_spin * t_n,
        };
        let cones = self.cones(token);
        let (roll, spin, tangent) = (get(&self.roll), get(&self.spin), get(&point.tangent));
        let next = if EXACT {
            cones.cut(z)
        } else {
            cones.project(z, [get(&self.weight), tangent, roll, spin])
        };
        let next_x = n.times(next.normal) + next.slide;
        let next_m = next.roll + n.times(next.spin);
        let d = Impulse::new(next_x - y, next.normal - y_n);
        let (d_m, d_spin) = (next_m - y_m, next.spin - y_spin);
        let (square, spun) = (d_m.dot(d_m), d_spin * d_spin);
        let rolled = square - spun;
        let (to_m, to_spin) = (next_m - m, next.spin - n.dot(m));
        sums.uphill = sums.uphill
            - (tangent * d.vector.dot(next_x - x)
                + (roll * (d_m.dot(to_m) - d_spin * to_spin) + spin * d_spin * to_spin));
        sums.moved = sums.moved
            + (tangent * tangent * d.square + (roll * roll * rolled + spin * spin * spun));
        let stretch = arms.push_turning(n, d, d_m, &mut motions)
            + (point.spring::<F, false>(d)
                + (get(&self.compliance) * square + get(&self.spin_excess) * spun));
        // SAFETY: the caller's promise.
        unsafe {
            bodies.scatter(first, &motions[0]);
            bodies.scatter(second, &motions[1]);
        }
        let half = beta.all(0.5);
        sums.objective =
            sums.objective + (s.dot(d.vector) + t.dot(d_m) + half * (stretch + at_start));
        (self.point.old, self.old) = (kept, kept_m);
        (self.point.x, self.m) = (next_x.store(), next_m.store());
    }

    /// `E m`.
    #[inline(always)]
    pub fn elastic<F: Register>(&self, n: Vec3<F>, m: Vec3<F>, spin: F) -> Vec3<F> {
        let token = spin.token();
        let even = m.times(F::load(token, &self.compliance));
        even + n.times(F::load(token, &self.spin_excess) * spin)
    }

    #[inline(always)]
    pub fn cones<F: Register>(&self, token: F::Token) -> RollCones<F> {
        RollCones {
            friction: F::load(token, &self.point.friction),
            rolling: F::load(token, &self.rolling),
            spinning: F::load(token, &self.spinning),
            cohesion: F::load(token, &self.point.cohesion),
        }
    }

    /// Adds to the bodies what an impulse and a moment give them.
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
        x: &Vec3,
        m: &Vec3,
    ) {
        let [first, second] = &self.point.bodies;
        // SAFETY: the caller's promise.
        let mut motions = unsafe { [bodies.gather(token, first), bodies.gather(token, second)] };
        let (arms, n) = (
            self.point.arms.load::<F>(token),
            self.point.normal.load(token),
        );
        let x = x.load(token);
        arms.push_turning(n, Impulse::new(x, n.dot(x)), m.load(token), &mut motions);
        // SAFETY: the caller's promise.
        unsafe {
            bodies.scatter(first, &motions[0]);
            bodies.scatter(second, &motions[1]);
        }
    }
}

impl Judged for RollPack {
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
        let point = &self.point;
        let [first, second] = &point.bodies;
        // SAFETY: the caller's promise.
        let motions = unsafe { [bodies.gather(token, first), bodies.gather(token, second)] };
        let (n, x, m) = (
            point.normal.load::<F>(token),
            point.x.load(token),
            self.m.load(token),
        );
        let (x_n, m_n) = (n.dot(x), n.dot(m));
        let pull = point.r.load(token) + point.elastic::<F, false>(n, x, x_n);
        let u = point.arms.load::<F>(token).velocity(n, &motions) + pull;
        let pull = self.r.load(token) + self.elastic(n, m, m_n);
        let t = (motions[1].angular - motions[0].angular) + pull;
        let (u_n, t_n) = (n.dot(u), n.dot(t));
        let (u_t, t_t) = (u - n.times(u_n), t - n.times(t_n));
        let cones = self.cones(token);
        let u_n = match law {
            Law::Relaxed => u_n,
            Law::Exact => {
                u_n + (cones.friction * u_t.dot(u_t).sqrt()
                    + (cones.rolling * t_t.dot(t_t).sqrt() + cones.spinning * size(t_n)))
            }
        };
        // Turning rows as speeds at a distance: what they are multiplied by is the metric's inverse.
        let turn = units.inverse_length * units.inverse_length;
        let inverse_turn = inverse_w * (units.length * units.length);
        let z = Parts {
            normal: x_n - u_n * inverse_w,
            slide: (x - n.times(x_n)) - u_t.times(inverse_w),
            roll: (m - n.times(m_n)) - t_t.times(inverse_turn),
            spin: m_n - t_n * inverse_turn,
        };
        let one = w.all(1.0);
        let next = cones.project(z, [one, one, turn, turn]);
        // u + w (z − Π z) rather than w (x − Π z): large impulses would swallow small velocities.
        let normal = u_n + w * (z.normal - next.normal);
        let slide = u_t + (z.slide - next.slide).times(w);
        let w_turn = w * units.inverse_length;
        let roll = t_t.times(units.length) + (z.roll - next.roll).times(w_turn);
        // Without spinning there is no such row.
        let spin = t_n * units.length + w_turn * (z.spin - next.spin);
        let spin = F::choose(w.all(0.0).below(cones.spinning), spin, w.all(0.0));
        normal * normal + slide.dot(slide) + (roll.dot(roll) + spin * spin)
    }
}

/// An impulse and a moment, taken apart.
#[derive(Clone, Copy)]
pub(super) struct Parts<F> {
    pub normal: F,
    pub slide: Vec3<F>,
    pub roll: Vec3<F>,
    pub spin: F,
}

/// The cones of the contacts.
#[derive(Clone, Copy)]
pub(super) struct RollCones<F> {
    friction: F,
    rolling: F,
    spinning: F,
    cohesion: F,
}

#[inline(always)]
fn size<F: Register>(x: F) -> F {
    let zero = x.all(0.0);
    F::choose(x.below(zero), zero - x, x)
}

impl<F: Register> RollCones<F> {
    /// Projection in the metric with these weights of the normal, of sliding, rolling and spinning.
    ///
    /// The height `h` above the tip solves `p_n (h − a) = Σ p_k mu_k (slip_k − mu_k h)` over the
    /// parts that bind, `slip_k > mu_k h`. What is left of the right side falls as `h` grows and
    /// less steeply with every part that no longer binds: so Newton's method from 0 comes to it
    /// from below, and loses at least one part a step.
    #[inline(always)]
    pub fn project(&self, z: Parts<F>, [p_n, slide, roll, spin]: [F; 4]) -> Parts<F> {
        let zero = p_n.all(0.0);
        let a = z.normal + self.cohesion;
        let slips = self.slips(&z);
        let coefficients = [self.friction, self.rolling, self.spinning];
        let [p, q, s] = [
            slide * self.friction,
            roll * self.rolling,
            spin * self.spinning,
        ];
        let pushes = [p * slips[0], q * slips[1], s * slips[2]];
        let slopes = [p * self.friction, q * self.rolling, s * self.spinning];
        let mut height = zero;
        for _ in 0..4 {
            let (mut push, mut slope) = (p_n * a, p_n);
            for k in 0..3 {
                let binds = (coefficients[k] * height).below(slips[k]);
                push = push + F::choose(binds, pushes[k], zero);
                slope = slope + F::choose(binds, slopes[k], zero);
            }
            height = push.over(slope).not_negative();
        }
        // A point inside stays as it is, to the last bit.
        let mut exact = a.not_negative();
        for k in 0..3 {
            let binds = (coefficients[k] * height).below(slips[k]);
            exact = F::choose(binds, height, exact);
        }
        self.cut_at(exact, z, slips)
    }

    /// The normal part of `z` not below the tip, every other part cut to its disc there.
    #[inline(always)]
    fn cut(&self, z: Parts<F>) -> Parts<F> {
        let height = (z.normal + self.cohesion).not_negative();
        self.cut_at(height, z, self.slips(&z))
    }

    #[inline(always)]
    fn slips(&self, z: &Parts<F>) -> [F; 3] {
        [
            z.slide.dot(z.slide).sqrt(),
            z.roll.dot(z.roll).sqrt(),
            size(z.spin),
        ]
    }

    #[inline(always)]
    fn cut_at(&self, height: F, z: Parts<F>, [slide, roll, spin]: [F; 3]) -> Parts<F> {
        let scale = |coefficient: F, slip: F| {
            let most = coefficient * height;
            F::choose(most.below(slip), most.over(slip), most.all(1.0))
        };
        Parts {
            normal: height - self.cohesion,
            slide: z.slide.times(scale(self.friction, slide)),
            roll: z.roll.times(scale(self.rolling, roll)),
            spin: z.spin * scale(self.spinning, spin),
        }
    }
}
