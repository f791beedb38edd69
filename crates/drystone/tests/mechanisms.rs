//! Closed loops against their own equations of motion in one angle.
//!
//! A planar linkage with one degree of freedom: the crank's angle θ tells where all bodies are.
//! With `I(θ) = Σ m |r′|² + J φ′²` and the potential `V(θ)`, θ follows `I θ″ + ½ I′ θ′² + V′ = 0`,
//! integrated here by Runge–Kutta with derivatives from differences: nothing of it is the engine's.
//! The plane is x and z; an angle φ turns x towards z.

#![allow(clippy::unwrap_used)]

use std::f64::consts::TAU;

use drystone::{Body, BodyId, Joint, JointId, JointKind, Settings, Shape, World};
use glam::{DQuat, DVec2, DVec3};

const G: f64 = 9.81;
/// Half the thickness of bars, m.
const THIN: f64 = 0.02;

/// Where a body's centre is, and its angle.
#[derive(Clone, Copy)]
struct Place {
    at: DVec2,
    angle: f64,
}

/// A body of a linkage: a box of this length and height, m, and its mass, kg.
#[derive(Clone, Copy)]
struct Part {
    size: DVec2,
    mass: f64,
}

impl Part {
    fn bar(length: f64, mass: f64) -> Self {
        let size = DVec2::new(length, 2.0 * THIN);
        Self { size, mass }
    }

    /// About its centre, kg m².
    fn inertia(&self) -> f64 {
        self.mass * self.size.length_squared() / 12.0
    }
}

/// Three bodies whose places follow from the crank's angle.
struct Linkage {
    parts: [Part; 3],
    places: fn(f64) -> [Place; 3],
}

/// Step of differences, rad: rounding and truncation both stay below 1e-8.
const D: f64 = 1e-4;

impl Linkage {
    /// Derivatives of all places by θ.
    fn slopes(&self, theta: f64) -> [Place; 3] {
        let [below, above] = [theta - D, theta + D].map(self.places);
        [0, 1, 2].map(|k| {
            let turn = above[k].angle - below[k].angle;
            Place {
                at: (above[k].at - below[k].at) / (2.0 * D),
                // Angles of bars jump by a whole turn somewhere.
                angle: (turn - TAU * (turn / TAU).round()) / (2.0 * D),
            }
        })
    }

    fn inertia(&self, theta: f64) -> f64 {
        let moving = self.parts.iter().zip(self.slopes(theta));
        moving
            .map(|(part, s)| part.mass * s.at.length_squared() + part.inertia() * s.angle.powi(2))
            .sum()
    }

    fn potential(&self, theta: f64) -> f64 {
        let bodies = self.parts.iter().zip((self.places)(theta));
        bodies.map(|(part, p)| part.mass * G * p.at.y).sum()
    }

    fn acceleration(&self, theta: f64, rate: f64) -> f64 {
        let slope = |f: &dyn Fn(f64) -> f64| (f(theta + D) - f(theta - D)) / (2.0 * D);
        let inertia = slope(&|t| self.inertia(t));
        let potential = slope(&|t| self.potential(t));
        -(0.5 * inertia * rate * rate + potential) / self.inertia(theta)
    }

    /// θ and its rate a step later.
    fn advance(&self, [theta, rate]: [f64; 2], h: f64) -> [f64; 2] {
        let slope = |x: [f64; 2]| [x[1], self.acceleration(x[0], x[1])];
        let ahead = |k: [f64; 2], h: f64| [theta + h * k[0], rate + h * k[1]];
        let k1 = slope([theta, rate]);
        let k2 = slope(ahead(k1, 0.5 * h));
        let k3 = slope(ahead(k2, 0.5 * h));
        let k4 = slope(ahead(k3, h));
        let mean = [0, 1].map(|i| (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]) / 6.0);
        ahead(mean, h)
    }

    /// Puts the bodies into a world, moving with the crank.
    fn add(&self, world: &mut World, [theta, rate]: [f64; 2]) -> [BodyId; 3] {
        let (places, slopes) = ((self.places)(theta), self.slopes(theta));
        [0, 1, 2].map(|k| {
            let (part, place, slope) = (self.parts[k], places[k], slopes[k]);
            let half = 0.5 * part.size;
            let velocity = rate * slope.at;
            let body = Body::dynamic(Shape::box_of([half.x, THIN, half.y]).unwrap())
                .mass(part.mass)
                .at(in_space(place.at))
                .rotated(DQuat::from_rotation_y(-place.angle))
                .velocity(in_space(velocity))
                .angular_velocity([0.0, -rate * slope.angle, 0.0]);
            world.add(body).unwrap()
        })
    }
}

fn in_space(point: DVec2) -> DVec3 {
    DVec3::new(point.x, 0.0, point.y)
}

/// A bar between two points.
fn bar(from: DVec2, to: DVec2) -> Place {
    let along = to - from;
    Place {
        at: 0.5 * (from + to),
        angle: along.to_angle(),
    }
}

// A crank rocker: s + l < p + q, so that the crank turns all round.
const CRANK: f64 = 0.4;
const COUPLER: f64 = 1.0;
const ROCKER: f64 = 0.8;
const BASE: DVec2 = DVec2::new(1.0, 0.0);

/// Ends of crank and rocker.
fn four_bar_pins(theta: f64) -> [DVec2; 2] {
    let crank = CRANK * DVec2::from_angle(theta);
    // The rocker's end is where two circles meet, above the line from the crank's end to the base.
    let line = BASE - crank;
    let length = line.length();
    let along = (length * length + COUPLER * COUPLER - ROCKER * ROCKER) / (2.0 * length);
    let across = (COUPLER * COUPLER - along * along).sqrt();
    let unit = line / length;
    [crank, crank + along * unit + across * unit.perp()]
}

fn four_bar() -> Linkage {
    Linkage {
        parts: [
            Part::bar(CRANK, 1.0),
            Part::bar(COUPLER, 1.5),
            Part::bar(ROCKER, 2.0),
        ],
        places: |theta| {
            let [b, c] = four_bar_pins(theta);
            [bar(DVec2::ZERO, b), bar(b, c), bar(BASE, c)]
        },
    }
}

const THROW: f64 = 0.3;
const ROD: f64 = 0.8;

/// Ends of crank and rod; the slider is on the x axis.
fn slider_pins(theta: f64) -> [DVec2; 2] {
    let crank = THROW * DVec2::from_angle(theta);
    let slider = crank.x + (ROD * ROD - crank.y * crank.y).sqrt();
    [crank, DVec2::new(slider, 0.0)]
}

fn slider_crank() -> Linkage {
    Linkage {
        parts: [
            Part::bar(THROW, 1.0),
            Part::bar(ROD, 1.5),
            Part {
                size: DVec2::new(0.16, 0.1),
                mass: 2.0,
            },
        ],
        places: |theta| {
            let [b, c] = slider_pins(theta);
            let slider = Place { at: c, angle: 0.0 };
            [bar(DVec2::ZERO, b), bar(b, c), slider]
        },
    }
}

/// A joint that turns about y. Universal ones may also turn about z, which the plane of motion
/// leaves unused.
fn pin(
    kind: JointKind,
    a: impl Into<Option<BodyId>>,
    b: impl Into<Option<BodyId>>,
    at: DVec2,
) -> Joint {
    Joint::new(kind, a, b)
        .at(in_space(at))
        .axis([0.0, 1.0, 0.0])
        .second_axis([0.0, 0.0, 1.0])
}

/// How far a linkage strays from its equation of motion.
#[derive(Debug, Default)]
struct Found {
    /// Largest distance of a body from where it should be, m.
    strays: f64,
    /// Largest error of a joint, m or rad.
    joint_error: f64,
    /// Largest change of the energy, J.
    drift: f64,
    /// Largest and smallest θ of the equation, rad.
    angles: [f64; 2],
}

/// Two seconds in the engine and of the equation.
fn follow(
    linkage: &Linkage,
    start: [f64; 2],
    h: f64,
    joints: impl Fn(&mut World, [BodyId; 3]) -> Vec<JointId>,
) -> Found {
    let mut world = World::new(Settings {
        time_step: h,
        tolerance: 1e-8,
        ..Settings::default()
    })
    .unwrap();
    let bodies = linkage.add(&mut world, start);
    let joints = joints(&mut world, bodies);
    let energy = |world: &World| world.energy().iter().sum::<f64>();
    let before = energy(&world);
    let mut state = start;
    let mut found = Found {
        angles: [start[0]; 2],
        ..Found::default()
    };
    for _ in 0..(2.0 / h).round() as usize {
        let report = world.step().unwrap();
        assert!(report.converged() && report.contacts == 0, "{report:?}");
        state = linkage.advance(state, h);
        for (body, place) in bodies.iter().zip((linkage.places)(state[0])) {
            let off = world.pose(*body).position - in_space(place.at);
            found.strays = found.strays.max(off.length());
        }
        for joint in &joints {
            found.joint_error = found.joint_error.max(world.joint_error(*joint));
        }
        found.drift = found.drift.max((energy(&world) - before).abs());
        found.angles = [found.angles[0].min(state[0]), found.angles[1].max(state[0])];
    }
    found
}

/// Follows a linkage at two time steps: errors are of first order in h.
fn check(
    what: &str,
    linkage: &Linkage,
    start: [f64; 2],
    tolerance: f64,
    joints: impl Fn(&mut World, [BodyId; 3]) -> Vec<JointId>,
) {
    let [coarse, fine] = [1e-3, 5e-4].map(|h| follow(linkage, start, h, &joints));
    for found in [&coarse, &fine] {
        assert!(found.joint_error < 1e-6, "{what}: {found:?}");
        let [least, most] = found.angles;
        assert!(most - least > 1.0, "{what} hardly moves: {found:?}");
    }
    assert!(coarse.strays < tolerance, "{what}: {coarse:?}");
    let ratio = fine.strays / coarse.strays;
    assert!((0.4..0.6).contains(&ratio), "{what}: {coarse:?} {fine:?}");
}

/// Kinds of the four joints of a loop. Of revolute joints alone, three rows are one too many each.
const REDUNDANT: [JointKind; 2] = [JointKind::Revolute, JointKind::Revolute];
/// As many rows as the loop needs: 5 + 3 + 4 + 5 = 18 − 1.
const MINIMAL: [JointKind; 2] = [JointKind::Spherical, JointKind::Universal];

/// Where the crank begins, rad, and its rate, rad/s: let go, and thrown over the top several times.
/// Then how far a body may stray in two seconds at a step of 1 ms, m.
const STARTS: [([f64; 2], f64); 2] = [([0.8, 0.0], 2e-3), ([0.8, 12.0], 7e-3)];

#[test]
fn a_four_bar_linkage_moves_as_its_equation_says() {
    for (start, tolerance) in STARTS {
        for kinds in [REDUNDANT, MINIMAL] {
            let what = format!("four-bar {start:?} {}", kinds[0].name());
            check(&what, &four_bar(), start, tolerance, |world, bodies| {
                let [crank, coupler, rocker] = bodies;
                let [b, c] = four_bar_pins(start[0]);
                let joints = [
                    pin(JointKind::Revolute, None, crank, DVec2::ZERO),
                    pin(kinds[0], crank, coupler, b),
                    pin(kinds[1], coupler, rocker, c),
                    pin(JointKind::Revolute, None, rocker, BASE),
                ];
                joints.map(|j| world.add_joint(j).unwrap()).into()
            });
        }
    }
}

#[test]
fn a_slider_crank_moves_as_its_equation_says() {
    for (start, tolerance) in STARTS {
        for kinds in [REDUNDANT, MINIMAL] {
            let what = format!("slider-crank {start:?} {}", kinds[0].name());
            check(&what, &slider_crank(), start, tolerance, |world, bodies| {
                let [crank, rod, slider] = bodies;
                let [b, c] = slider_pins(start[0]);
                let guide = Joint::prismatic(None, slider)
                    .at(in_space(c))
                    .axis([1.0, 0.0, 0.0]);
                let joints = [
                    pin(JointKind::Revolute, None, crank, DVec2::ZERO),
                    pin(kinds[0], crank, rod, b),
                    pin(kinds[1], rod, slider, c),
                    guide,
                ];
                joints.map(|j| world.add_joint(j).unwrap()).into()
            });
        }
    }
}
