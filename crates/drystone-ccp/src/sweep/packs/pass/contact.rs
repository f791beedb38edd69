//! Contacts of a pack in a pass. Letters as in the files `contact.rs` and `roll.rs` of the
//! packs; `e` is the change of `s` since the last pass.

use super::super::arms::{Arms, Impulse, Lever};
use super::super::body::{Body, Motion, Shared, Symmetric};
use super::super::contact::Pack;
use super::super::lanes::{LANES, Lanes, Register, Vec3};
use super::super::roll::{Parts, RollPack};
use crate::sweep::pass::{PassStep, PassSums};

/// What a pass adds up, contact by contact, sums side by side.
#[derive(Clone, Copy)]
pub(super) struct LaneSums<F> {
    slope: F,
    uphill: F,
    length: F,
    elastic: F,
    moved: F,
    bend: F,
    turn: F,
}

impl<F: Register> LaneSums<F> {
    #[inline(always)]
    pub fn new(token: F::Token) -> Self {
        let zero = F::splat(token, 0.0);
        Self {
            slope: zero,
            uphill: zero,
            length: zero,
            elastic: zero,
            moved: zero,
            bend: zero,
            turn: zero,
        }
    }

    /// `moved` still without its step length.
    #[inline(always)]
    pub fn sum(&self) -> PassSums {
        PassSums {
            slope: self.slope.store().sum(),
            uphill: self.uphill.store().sum(),
            length: self.length.store().sum(),
            curvature: self.elastic.store().sum(),
            moved: self.moved.store().sum(),
            bend: self.bend.store().sum(),
            turn: self.turn.store().sum(),
        }
    }
}

/// How the contacts of a pack step.
#[derive(Clone, Copy)]
pub(super) struct LaneStep<F> {
    beta: F,
    alpha: F,
    /// Where it is not 1.
    lambda: Option<F>,
    again: bool,
}

impl<F: Register> LaneStep<F> {
    #[inline(always)]
    pub fn new(token: F::Token, step: &PassStep) -> Self {
        Self {
            beta: F::splat(token, step.beta),
            alpha: F::splat(token, step.alpha),
            lambda: if step.lambda == 1.0 {
                None
            } else {
                Some(F::splat(token, step.lambda))
            },
            again: step.again,
        }
    }

    /// The point before the pass, in memory and to calculate with, and the extrapolated one.
    #[inline(always)]
    fn start(&self, x: &Vec3, old: &Vec3, memory: &mut Memory<'_>) -> (Vec3, Vec3<F>, Vec3<F>) {
        let token = self.beta.token();
        let kept = if self.again { *old } else { *x };
        let x = kept.load(token);
        let y = match memory {
            Memory::Point(point) if self.again => point.load(token),
            _ => x + (x - old.load(token)).times(self.beta),
        };
        if let (Memory::Point(point), false) = (memory, self.again) {
            **point = y.store();
        }
        (kept, x, y)
    }

    /// The share of `next` that is taken.
    #[inline(always)]
    fn mixed(&self, y: Vec3<F>, next: Vec3<F>) -> Vec3<F> {
        match self.lambda {
            None => next,
            Some(lambda) => y + (next - y).times(lambda),
        }
    }
}

/// What is remembered of a pack's contacts: see [`crate::sweep::pass::Holds`].
pub(super) enum Memory<'a> {
    Nothing,
    Point(&'a mut Vec3),
    Velocity(&'a mut Vec3),
}

impl Memory<'_> {
    /// Remembers `s`, and returns how it has changed.
    #[inline(always)]
    fn change<F: Register>(&mut self, s: Vec3<F>) -> Option<Vec3<F>> {
        match self {
            Memory::Nothing | Memory::Point(_) => None,
            Memory::Velocity(before) => {
                let e = s - before.load(s.0[0].token());
                **before = s.store();
                Some(e)
            }
        }
    }
}

/// Bodies without a motion.
#[inline(always)]
fn still<F: Register>(motion: &Motion<F>) -> Motion<F> {
    let zero = motion.inverse_mass.all(0.0);
    Motion {
        linear: Vec3([zero; 3]),
        angular: Vec3([zero; 3]),
        ..*motion
    }
}

/// `a / w`, and zero where nothing can move: in lanes without a contact.
#[inline(always)]
fn weighed<F: Register>(a: F, w: F) -> F {
    let zero = a.all(0.0);
    F::choose(zero.below(w), a.over(w), zero)
}

/// `aᵀ W a` with one weight along the normal and one across it.
#[inline(always)]
fn form<F: Register>(n: Vec3<F>, a: Vec3<F>, [w_n, w_t]: [F; 2]) -> F {
    let a_n = n.dot(a);
    w_t * (a.dot(a) - a_n * a_n) + w_n * a_n * a_n
}

#[expect(unsafe_code, reason = "see `Shared`")]
impl Shared<'_, Body> {
    /// Adds to the velocities of the bodies.
    ///
    /// # Safety
    ///
    /// See the type.
    #[inline(always)]
    unsafe fn add<F: Register>(&self, places: &[u32; LANES], change: &Motion<F>) {
        let zero = change.inverse_mass.all(0.0);
        let token = zero.token();
        let ([v_x, v_y, v_z], [w_x, w_y, w_z]) = (change.linear.0, change.angular.0);
        let rows = F::transpose([v_x, v_y, v_z, w_x, w_y, w_z, zero, zero]);
        for (row, place) in rows.iter().zip(places) {
            // SAFETY: as the caller sees to.
            let body = unsafe { self.at(*place) };
            body.numbers = (F::load(token, &body.numbers) + *row).store();
        }
    }
}

#[expect(unsafe_code, reason = "see `Shared`")]
impl<A: Arms> Pack<A> {
    /// Steps from `y`, against the velocities of `from`; what changes is added to `onto`. `EVEN`:
    /// the compliance is the same in all rows.
    ///
    /// # Safety
    ///
    /// No other thread uses the bodies of this pack, and their places are in the lists.
    #[inline(always)]
    pub(super) unsafe fn pass<F: Register, const EVEN: bool>(
        &mut self,
        [from, onto]: [&Shared<'_, Body>; 2],
        full: &[Symmetric],
        step: &LaneStep<F>,
        mut memory: Memory<'_>,
        sums: &mut LaneSums<F>,
    ) {
        let token = step.beta.token();
        let get = |lanes: &Lanes| F::load(token, lanes);
        let [first, second] = &self.bodies;
        // SAFETY: the caller's promise.
        let motions = unsafe { [from.gather(token, first), from.gather(token, second)] };
        let n = self.normal.load(token);
        let arms = self.arms.load::<F>(token);
        let (kept, x, y) = step.start(&self.x, &self.old, &mut memory);
        let y_n = n.dot(y);
        let pull = self.r.load(token) + self.elastic::<F, EVEN>(n, y, y_n);
        let s = arms.velocity(n, &motions) + pull;
        let s_n = n.dot(s);
        let (w_n, w_t) = (get(&self.inverse_normal), get(&self.inverse_tangent));
        if let Some(e) = memory.change(s) {
            sums.bend = sums.bend + e.dot(x - self.old.load(token));
            sums.turn = sums.turn + form(n, e, [w_n, w_t]);
        }
        let (a_n, a_t) = (step.alpha * w_n, step.alpha * w_t);
        let z_n = y_n - a_n * s_n;
        let z_t = (y - s.times(a_t)) - n.times(y_n - a_t * s_n);
        // The length of the step is the same in all rows, so the projection does not feel it.
        let cone = self.cone(token);
        let (next_n, next_t) = cone.project(z_n, z_t, [w_n, w_t], get(&self.inverse_slope));
        let next = step.mixed(y, n.times(next_n) + next_t);
        let vector = next - y;
        let d = Impulse::new(vector, n.dot(vector));
        let tangent = get(&self.tangent);
        let (pushed, slid) = (weighed(d.normal, w_n), d.square - d.normal * d.normal);
        sums.slope = sums.slope + s.dot(d.vector);
        sums.uphill = sums.uphill + s.dot(next - x);
        sums.length = sums.length + (tangent * slid + pushed * d.normal);
        sums.moved = sums.moved + (tangent * tangent * slid + pushed * pushed);
        sums.elastic = sums.elastic + self.spring::<F, EVEN>(d);
        self.old = kept;
        self.x = next.store();
        let inertias = [
            A::In::<F>::inertia(token, full, first),
            A::In::<F>::inertia(token, full, second),
        ];
        let mut changes = [still(&motions[0]), still(&motions[1])];
        arms.push(n, d, &inertias, &mut changes);
        // SAFETY: the caller's promise.
        unsafe {
            onto.add(first, &changes[0]);
            onto.add(second, &changes[1]);
        }
    }

    /// `eᵀ P⁻¹ e` with `e = N d` of the last pass, from the `changes` that it made.
    ///
    /// # Safety
    ///
    /// No thread writes to the bodies now, and their places are in the list.
    #[inline(always)]
    pub(super) unsafe fn turn<F: Register>(
        &self,
        token: F::Token,
        changes: &Shared<'_, Body>,
    ) -> F {
        let [first, second] = &self.bodies;
        // SAFETY: the caller's promise.
        let motions = unsafe { [changes.gather(token, first), changes.gather(token, second)] };
        let n = self.normal.load::<F>(token);
        let d = self.x.load(token) - self.old.load(token);
        let arms = self.arms.load::<F>(token);
        let e = arms.velocity(n, &motions) + self.elastic::<F, false>(n, d, n.dot(d));
        let weights = [&self.inverse_normal, &self.inverse_tangent];
        form(n, e, weights.map(|w| F::load(token, w)))
    }
}

#[expect(unsafe_code, reason = "see `Shared`")]
impl RollPack {
    /// As [`Pack::pass`].
    ///
    /// # Safety
    ///
    /// As [`Pack::pass`].
    #[inline(always)]
    pub(super) unsafe fn pass<F: Register>(
        &mut self,
        [from, onto]: [&Shared<'_, Body>; 2],
        step: &LaneStep<F>,
        [mut memory, mut memory_m]: [Memory<'_>; 2],
        sums: &mut LaneSums<F>,
    ) {
        let token = step.beta.token();
        let get = |lanes: &Lanes| F::load(token, lanes);
        let point = &self.point;
        let [first, second] = &point.bodies;
        // SAFETY: the caller's promise.
        let motions = unsafe { [from.gather(token, first), from.gather(token, second)] };
        let n = point.normal.load(token);
        let (kept, x, y) = step.start(&point.x, &point.old, &mut memory);
        let (kept_m, m, y_m) = step.start(&self.m, &self.old, &mut memory_m);
        let (y_n, y_spin) = (n.dot(y), n.dot(y_m));
        let pull = point.r.load(token) + point.elastic::<F, false>(n, y, y_n);
        let pull_m = self.r.load(token) + self.elastic(n, y_m, y_spin);
        let arms = point.arms.load::<F>(token);
        let s = arms.velocity(n, &motions) + pull;
        let t = (motions[1].angular - motions[0].angular) + pull_m;
        let (s_n, t_n) = (n.dot(s), n.dot(t));
        let (w_n, w_t) = (get(&point.inverse_normal), get(&point.inverse_tangent));
        let (w_roll, w_spin) = (get(&self.inverse_roll), get(&self.inverse_spin));
        if let (Some(e), Some(e_m)) = (memory.change(s), memory_m.change(t)) {
            let [d, d_m] = [x - point.old.load(token), m - self.old.load(token)];
            sums.bend = sums.bend + (e.dot(d) + e_m.dot(d_m));
            sums.turn = sums.turn + (form(n, e, [w_n, w_t]) + form(n, e_m, [w_spin, w_roll]));
        }
        let alpha = step.alpha;
        let (a_n, a_t) = (alpha * w_n, alpha * w_t);
        let (a_roll, a_spin) = (alpha * w_roll, alpha * w_spin);
        let z = Parts {
            normal: y_n - a_n * s_n,
            slide: (y - s.times(a_t)) - n.times(y_n - a_t * s_n),
            roll: (y_m - t.times(a_roll)) - n.times(y_spin - a_roll * t_n),
            spin: y_spin - a_spin * t_n,
        };
        let (weight, tangent) = (get(&self.weight), get(&point.tangent));
        let (roll, spin) = (get(&self.roll), get(&self.spin));
        let next = self.cones(token).project(z, [weight, tangent, roll, spin]);
        let next_x = step.mixed(y, n.times(next.normal) + next.slide);
        let next_m = step.mixed(y_m, next.roll + n.times(next.spin));
        let (vector, d_m) = (next_x - y, next_m - y_m);
        let d = Impulse::new(vector, n.dot(vector));
        let spun = n.dot(d_m);
        let (square, spun) = (d_m.dot(d_m), spun * spun);
        let (pushed, slid) = (d.normal * d.normal, d.square - d.normal * d.normal);
        let rolled = square - spun;
        sums.slope = sums.slope + (s.dot(d.vector) + t.dot(d_m));
        sums.uphill = sums.uphill + (s.dot(next_x - x) + t.dot(next_m - m));
        sums.length =
            sums.length + ((tangent * slid + weight * pushed) + (roll * rolled + spin * spun));
        sums.moved = sums.moved
            + ((tangent * tangent * slid + weight * weight * pushed)
                + (roll * roll * rolled + spin * spin * spun));
        sums.elastic = sums.elastic
            + (point.spring::<F, false>(d)
                + (get(&self.compliance) * square + get(&self.spin_excess) * spun));
        let mut changes = [still(&motions[0]), still(&motions[1])];
        arms.push_turning(n, d, d_m, &mut changes);
        // SAFETY: the caller's promise.
        unsafe {
            onto.add(first, &changes[0]);
            onto.add(second, &changes[1]);
        }
        (self.point.old, self.old) = (kept, kept_m);
        (self.point.x, self.m) = (next_x.store(), next_m.store());
    }

    /// As [`Pack::turn`].
    ///
    /// # Safety
    ///
    /// As [`Pack::turn`].
    #[inline(always)]
    pub(super) unsafe fn turn<F: Register>(
        &self,
        token: F::Token,
        changes: &Shared<'_, Body>,
    ) -> F {
        let [first, second] = &self.point.bodies;
        // SAFETY: the caller's promise.
        let of_point = unsafe { self.point.turn::<F>(token, changes) };
        // SAFETY: the caller's promise.
        let motions = unsafe {
            [
                changes.gather::<F>(token, first),
                changes.gather(token, second),
            ]
        };
        let n = self.point.normal.load::<F>(token);
        let d_m = self.m.load(token) - self.old.load(token);
        let pull = self.elastic(n, d_m, n.dot(d_m));
        let e = (motions[1].angular - motions[0].angular) + pull;
        let weights = [&self.inverse_spin, &self.inverse_roll];
        of_point + form(n, e, weights.map(|w| F::load(token, w)))
    }
}
