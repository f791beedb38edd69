//! How many bytes one iteration of a method moves: counted, not measured.
//!
//! The count is of what must cross the memory bus if no cache holds the problem, and every array
//! that a pass walks over is fetched once by it. So a body's velocity counts once a pass, although
//! each of its contacts reads it: neighbours in the list of contacts mostly share bodies. What a
//! store fetches before it writes does not count, as in STREAM. A problem that fits into a cache
//! can therefore get a share above 1.
//!
//! This is the one place that must follow the kernels: [`per_iteration`] lists the passes of each
//! method in the order of its loop.

use std::mem::size_of;

use drystone_ccp::{BodyInertia, Ccp, Cone, Method, PointContact, TwoBody};
use drystone_problems::Problem;

/// Size of a number.
const F64: f64 = size_of::<f64>() as f64;

/// Sweeps between two checks of the residual, by default.
const CHECK_EVERY: f64 = 4.0;

/// Of the iterations at which a check is due, one in so many is checked as long as the goal is far.
const CHECKED: f64 = 8.0;

/// Weights of a block in the sweeps, beside its cone: one for the normal, one for the tangents, and
/// which kind they are.
const WEIGHTS: f64 = 3.0 * F64;

/// A contact in a pack: two bodies of four bytes, normal, r, the iterate and the one before (three
/// numbers each), four weights, friction, cohesion, two compliances. Beside that its arms: two
/// numbers for spheres, six else.
const PACKED: f64 = 8.0 + (4.0 * 3.0 + 8.0) * F64;

/// What a sweep writes of a contact: the iterate and the one before.
const PACKED_WRITTEN: f64 = 6.0 * F64;

/// What a contact of spheres that resist rolling has beside that: r, the iterate and the one before
/// of its moments, five weights, two coefficients, two compliances.
const ROLLING: f64 = (3.0 * 3.0 + 9.0) * F64;

/// What the second walk of `spg` leaves out of a contact: r, the weight of the tangents, what the
/// projection divides by, friction, cohesion.
const NOT_TURNED: f64 = 7.0 * F64;

/// A body of the packs: a cache line. The one before it is another.
const PACKED_BODY: f64 = 8.0 * F64;

/// The sizes of what passes walk over, bytes.
struct Sizes {
    /// A vector with a number a row.
    vector: f64,
    /// The state of sweeps: velocities of the bodies, or N gamma.
    state: f64,
    /// Masses and inertias of the bodies.
    inertia: f64,
    /// What N is made of: contacts, Jacobian rows, or the matrix itself.
    geometry: f64,
    /// Cones and weights.
    cones: f64,
    /// Times that a product walks over the geometry.
    product_passes: f64,
    /// Contacts in packs, and their bodies, where sweeps run in packs.
    packs: Option<Packs>,
}

/// What sweeps in packs walk over, bytes.
struct Packs {
    contacts: f64,
    written: f64,
    bodies: f64,
    /// Blocks beside the packs, with their rows and both iterates.
    beside: f64,
    /// One of the vectors that a contact has beside its iterates.
    vector: f64,
    /// What the second walk of `spg` walks over.
    turned: f64,
}

impl Packs {
    fn of(problem: &Ccp<TwoBody>) -> Self {
        let cones = problem.cones().as_slice();
        let inertias = problem.operator().bodies();
        let bodies = inertias.len() as f64;
        // Cubes turn as easily about all axes too; there are none among the problems here.
        let spheres = inertias.iter().all(turns_alike);
        let [arms, inertia] = if spheres { [2.0, 0.0] } else { [6.0, 8.0] };
        let slides = |cone: &&Cone| matches!(cone, Cone::Friction { .. });
        let rolls = |cone: &&Cone| spheres && is_rolling(cone);
        let sliding = cones.iter().filter(slides).count() as f64;
        let rolling = cones.iter().filter(rolls).count() as f64;
        let of_rolling: usize = cones.iter().filter(rolls).map(Cone::rows).sum();
        let packed = PointContact::ROWS as f64 * sliding + of_rolling as f64;
        let rows = problem.dim() as f64 - packed;
        let contacts = sliding + rolling;
        Self {
            contacts: contacts * (PACKED + arms * F64) + rolling * ROLLING,
            written: (contacts + rolling) * PACKED_WRITTEN,
            bodies: bodies * (PACKED_BODY + inertia * F64),
            // Twelve derivatives, a compliance and the two iterates a row.
            beside: 15.0 * F64 * rows,
            vector: 3.0 * F64 * (contacts + rolling) + F64 * rows,
            turned: contacts * (PACKED - NOT_TURNED + arms * F64) + rolling * ROLLING,
        }
    }

    /// A pass with `held` vectors of every contact read or written beside its iterates, and what it
    /// takes to know the square of the change: bodies, those before and the changes are read and
    /// written by the extrapolation, the last two read again for the square.
    fn pass(&self, held: f64) -> f64 {
        self.contacts + self.written + held * self.vector + 8.0 * self.bodies + self.beside
    }

    /// The same from the same point with another step length: nothing is extrapolated.
    fn pass_again(&self) -> f64 {
        self.contacts + self.written + self.vector + 4.0 * self.bodies + self.beside
    }

    /// A check after a pass: velocities are brought up to date first.
    fn pass_check(&self) -> f64 {
        self.contacts + 5.0 * self.bodies + self.beside
    }

    /// Sweeps with their extrapolation and objective, and the share of a check, which makes the
    /// velocities itself.
    fn iteration(&self, sweeps: f64) -> f64 {
        // Bodies and those before them are read and written by the extrapolation. The contacts then
        // find them in the cache.
        let bodies = 4.0 * self.bodies;
        let sweep = self.contacts + self.written + bodies + self.beside;
        let check = self.contacts + self.bodies + self.beside;
        sweeps * sweep + check / CHECK_EVERY
    }
}

fn is_rolling(cone: &Cone) -> bool {
    matches!(cone, Cone::Rolling { .. } | Cone::RollingSpinning { .. })
}

/// Whether a body turns as easily about all axes.
fn turns_alike(body: &BodyInertia) -> bool {
    let [[a, b, c], [_, e, f], [_, _, i]] = body.inverse_inertia;
    let near = |x: f64, y: f64| (x - y).abs() <= 1e-12 * a;
    near(a, e) && near(a, i) && [b, c, f].iter().all(|&off| near(off, 0.0))
}

impl Sizes {
    fn of(problem: &Problem) -> Self {
        let rows = problem.dim() as f64;
        let blocks = problem.cones().as_slice().len() as f64;
        let cones = blocks * (size_of::<Cone>() as f64 + WEIGHTS);
        let vector = F64 * rows;
        match problem {
            Problem::TwoBody(problem) => {
                let operator = problem.operator();
                let bodies = operator.bodies().len() as f64;
                let contacts = operator.contacts().len() as f64;
                let others = blocks - contacts;
                let other_rows = rows - PointContact::ROWS as f64 * contacts;
                Self {
                    vector,
                    state: 6.0 * F64 * bodies,
                    inertia: size_of::<BodyInertia>() as f64 * bodies,
                    // Twelve derivatives and a compliance a row; two bodies and an end a block.
                    geometry: size_of::<PointContact>() as f64 * contacts
                        + 13.0 * F64 * other_rows
                        + 3.0 * F64 * others,
                    cones,
                    // Body by body, where every contact comes up at both of its bodies, then row by
                    // row.
                    product_passes: 3.0,
                    packs: Some(Packs::of(problem)),
                }
            }
            Problem::Sparse(problem) => Self {
                vector,
                state: vector,
                inertia: 0.0,
                // A value and its column each, and where rows begin.
                geometry: 2.0 * F64 * problem.operator().matrix().nonzeros() as f64 + vector,
                cones,
                product_passes: 1.0,
                packs: None,
            },
        }
    }

    /// `out = N x` through the state: state written and read, `x` read by both halves, `out`
    /// written.
    fn product(&self) -> f64 {
        self.product_passes * self.geometry + 2.0 * self.state + self.inertia + 3.0 * self.vector
    }

    /// A sweep: geometry, cones and weights, state read and written, gamma read and written, r
    /// read.
    fn sweep(&self) -> f64 {
        self.geometry + self.cones + 2.0 * self.state + self.inertia + 3.0 * self.vector
    }

    /// The residual of a point whose velocity is known: gamma and velocity read, gamma kept as the
    /// best.
    fn check(&self) -> f64 {
        self.cones + 3.0 * self.vector
    }

    /// A pass without packs: the change added to the state; the last step; extrapolation of point
    /// and state; the point and its velocity kept; the loop over the blocks; the square of the
    /// change. Its product is not in it.
    fn pass(&self) -> f64 {
        let vectors = 3.0 + 4.0 + 2.0 + 2.0 + 5.0 + 1.0;
        vectors * self.vector + 9.0 * self.state + self.cones + self.velocity()
    }

    /// The velocity from the state: gamma and r read, velocity written. The state of a matrix is
    /// its product already.
    fn velocity(&self) -> f64 {
        let geometry = if self.packs.is_some() {
            self.geometry
        } else {
            0.0
        };
        geometry + self.state + 3.0 * self.vector
    }
}

/// Bytes that an iteration of a first-order method moves, with so many products or sweeps an
/// iteration; `None` for the other methods.
pub fn per_iteration(problem: &Problem, method: Method, products: f64) -> Option<f64> {
    let sizes = Sizes::of(problem);
    let vectors = |count: f64| count * sizes.vector;
    if let (Method::NesterovGs | Method::GaussSeidel, Some(packs)) = (method, &sizes.packs) {
        return Some(packs.iteration(products));
    }
    if let Some(packs) = &sizes.packs {
        let seldom = |every: f64| packs.pass_check() / (every * CHECKED);
        match method {
            Method::ApgdFused => {
                let again = (products - 1.0) * packs.pass_again();
                return Some(packs.pass(1.0) + again + seldom(CHECK_EVERY));
            }
            // Every second step asks for the second walk; every point is checked.
            Method::Spg => {
                let turn = packs.turned + packs.bodies + packs.beside;
                return Some(products * packs.pass(0.0) + 0.5 * turn + packs.pass_check());
            }
            Method::Jacobi => return Some(products * packs.pass(2.0) + seldom(1.0)),
            _ => {}
        }
    }
    Some(match method {
        Method::NesterovGs => {
            // y = x + beta (x − x_old): both read and written, and the state alike.
            let extrapolation = vectors(4.0) + 4.0 * sizes.state;
            // Kinetic energy from the state, elastic energy from the compliances, r·x.
            let objective = sizes.state + sizes.inertia + sizes.geometry + vectors(3.0);
            // The sweep also reads x_old, for the test of the restart.
            let sweep = sizes.sweep() + vectors(1.0) + objective;
            extrapolation + products * sweep + (sizes.velocity() + sizes.check()) / CHECK_EVERY
        }
        Method::GaussSeidel => {
            products * sizes.sweep() + (sizes.velocity() + sizes.check()) / CHECK_EVERY
        }
        Method::Jacobi => {
            // The safeguard reads the last step and the last velocity.
            let pass = sizes.pass() + vectors(2.0);
            pass + products * sizes.product() + (sizes.velocity() + sizes.check()) / CHECKED
        }
        Method::ApgdFused => {
            // Another attempt repeats the loop over the blocks and the product.
            let again = vectors(6.0) + sizes.cones + sizes.product();
            let check = (sizes.velocity() + sizes.check()) / (CHECK_EVERY * CHECKED);
            sizes.pass() + sizes.product() + (products - 1.0) * again + check
        }
        // Lines 8 to 13 are made again with every product: gradient step, projection, difference,
        // the two dot products. Then the restart test and line 16 with its recurrences.
        Method::Apgd => {
            let attempt = vectors(3.0 + 2.0 + 3.0 + 3.0) + sizes.cones + sizes.product();
            products * attempt + vectors(3.0 + 9.0) + sizes.check()
        }
        // Every second step makes a velocity of the change, too.
        Method::Spg => {
            let turn = 0.5 * (sizes.velocity() + vectors(1.0));
            let check = sizes.velocity() + sizes.check();
            sizes.pass() + turn + products * sizes.product() + check
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_ccp::{Cones, Csr, Sparse};

    #[test]
    fn a_sparse_product_by_hand() {
        // Three rows, three nonzeros: 3 · 16 bytes of entries and 24 of row starts; the state
        // written and read, x read twice and out written: five vectors of 24.
        let matrix = Csr::from_dense(3, 3, &[1., 0., 0., 0., 1., 0., 0., 0., 1.]).unwrap();
        let cones = Cones::friction(&[0.5]).unwrap();
        let problem = Ccp::new(Sparse::new(matrix).unwrap(), vec![0.0; 3], cones).unwrap();
        let problem = Problem::Sparse(problem);
        assert_eq!(Sizes::of(&problem).product(), 48.0 + 24.0 + 5.0 * 24.0);
        // Twice the products move more, by the product and what comes with it.
        let bytes = |products| per_iteration(&problem, Method::Spg, products).unwrap();
        assert_eq!(bytes(2.0) - bytes(1.0), 192.0);
        assert_eq!(per_iteration(&problem, Method::Newton, 1.0), None);
    }
}
