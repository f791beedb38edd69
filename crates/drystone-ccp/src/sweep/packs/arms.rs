//! How bodies move the points of eight contacts, and are pushed there.

use super::body::{Motion, Symmetric, gather_symmetric};
use super::lanes::{LANES, Lanes, Register, Vec3};

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

impl<F: Register> AlongNormal<F> {
    /// Pushes both bodies by an impulse and turns them by a moment; returns `dᵀ Dᵀ M⁻¹ D d`.
    #[inline(always)]
    pub fn push_turning(
        &self,
        normal: Vec3<F>,
        d: Impulse<F>,
        m: Vec3<F>,
        [first, second]: &mut [Motion<F>; 2],
    ) -> F {
        let turn = normal.cross(d.vector);
        let (a, b) = (turn.times(self.0[0]) + m, turn.times(self.0[1]) + m);
        first.linear = first.linear - d.vector.times(first.inverse_mass);
        first.angular = first.angular - a.times(first.inverse_inertia);
        second.linear = second.linear + d.vector.times(second.inverse_mass);
        second.angular = second.angular + b.times(second.inverse_inertia);
        (first.inverse_mass + second.inverse_mass) * d.square
            + (first.inverse_inertia * a.dot(a) + second.inverse_inertia * b.dot(b))
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

/// `S a`, eight at once.
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
