//! Links are where the kinematics of the file say, at the start and when driven.

use drystone::World;
use glam::DVec3;

use super::{INERTIAL, body, coordinate, simulate};

/// A joint of the chain: name, kind, xyz, rpy, axis as written, position at the start.
type Row = (
    &'static str,
    &'static str,
    [f64; 3],
    [f64; 3],
    [f64; 3],
    f64,
);

/// Revolute, prismatic and fixed joints at odd places; each carries the next.
const CHAIN: [Row; 6] = [
    (
        "j1",
        "revolute",
        [0.1, -0.2, 0.3],
        [0.4, -0.7, 1.1],
        [1.0, 2.0, -0.5],
        0.7,
    ),
    (
        "j2",
        "prismatic",
        [0.0, 0.15, 0.5],
        [-1.2, 0.3, 0.2],
        [0.0, 0.3, -1.0],
        0.11,
    ),
    (
        "j3",
        "continuous",
        [0.2, 0.1, 0.0],
        [2.9, -0.4, -2.2],
        [-1.0, 0.0, 0.0],
        5.5,
    ),
    (
        "j4",
        "fixed",
        [0.0, 0.0, 0.1],
        [0.5, 1.5, 0.0],
        [1.0, 0.0, 0.0],
        0.0,
    ),
    (
        "j5",
        "prismatic",
        [0.1, 0.0, 0.1],
        [0.0, 0.0, -3.0],
        [0.2, -0.9, 0.4],
        -0.2,
    ),
    (
        "j6",
        "revolute",
        [0.0, 0.3, 0.0],
        [1.0, 1.0, 1.0],
        [0.0, 0.0, -2.0],
        -4.0,
    ),
];

const BASE: ([f64; 3], [f64; 3]) = ([1.0, 2.0, 3.0], [10.0, -20.0, 130.0]); // m, deg

fn chain() -> String {
    let part = format!(
        r#"{INERTIAL}<collision><origin xyz="0.01 0 0" rpy="0 0.3 0"/><geometry><box size="0.1 0.06 0.08"/></geometry></collision>"#
    );
    let mut text = format!("<robot name=\"chain\">\n<link name=\"base\">{part}</link>\n");
    for (k, (name, kind, xyz, rpy, axis, _)) in CHAIN.iter().enumerate() {
        let parent = if k == 0 {
            "base".to_owned()
        } else {
            format!("l{k}")
        };
        let words = |v: &[f64; 3]| v.map(|x| x.to_string()).join(" ");
        text += &format!(
            r#"<link name="l{child}">{part}</link>
<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="l{child}"/>
<origin xyz="{}" rpy="{}"/><axis xyz="{}"/><limit lower="-7" upper="7" effort="500" velocity="1"/></joint>
"#,
            words(xyz),
            words(rpy),
            words(axis),
            child = k + 1,
        );
    }
    text + "</robot>\n"
}

/// Forward kinematics as the format defines them, in plain matrices.
mod by_hand {
    pub type Matrix = [[f64; 3]; 3];

    pub fn multiply(a: &Matrix, b: &Matrix) -> Matrix {
        let entry = |i: usize, j: usize| (0..3).map(|k| a[i][k] * b[k][j]).sum();
        [0, 1, 2].map(|i| [0, 1, 2].map(|j| entry(i, j)))
    }

    pub fn apply(a: &Matrix, v: &[f64; 3]) -> [f64; 3] {
        a.map(|row| (0..3).map(|k| row[k] * v[k]).sum())
    }

    /// Roll about x, then pitch about the fixed y, then yaw about the fixed z.
    pub fn rpy([r, p, y]: [f64; 3]) -> Matrix {
        let ((sr, cr), (sp, cp), (sy, cy)) = (r.sin_cos(), p.sin_cos(), y.sin_cos());
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    }

    /// Rodrigues' formula.
    pub fn turn(axis: [f64; 3], angle: f64) -> Matrix {
        let [x, y, z] = unit(axis);
        let (s, c) = angle.sin_cos();
        let d = 1.0 - c;
        [
            [c + x * x * d, x * y * d - z * s, x * z * d + y * s],
            [y * x * d + z * s, c + y * y * d, y * z * d - x * s],
            [z * x * d - y * s, z * y * d + x * s, c + z * z * d],
        ]
    }

    pub fn unit(v: [f64; 3]) -> [f64; 3] {
        let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        v.map(|x| x / length)
    }

    /// Places and orientations of the links of the chain.
    pub fn chain(positions: &[f64; 6]) -> Vec<([f64; 3], Matrix)> {
        let (mut p, turned) = super::BASE;
        let mut r = rpy(turned.map(f64::to_radians));
        let mut links = vec![(p, r)];
        for ((_, kind, xyz, angles, axis, _), q) in super::CHAIN.iter().zip(positions) {
            let step = |p: [f64; 3], r: &Matrix, v: &[f64; 3]| {
                let d = apply(r, v);
                [p[0] + d[0], p[1] + d[1], p[2] + d[2]]
            };
            p = step(p, &r, xyz);
            r = multiply(&r, &rpy(*angles));
            match *kind {
                "prismatic" => p = step(p, &r, &unit(*axis).map(|x| q * x)),
                "fixed" => {}
                _ => r = multiply(&r, &turn(*axis, *q)),
            }
            links.push((p, r));
        }
        links
    }
}

/// Largest difference of any link's place or orientation, m or of directions.
fn difference(world: &World, positions: &[f64; 6]) -> f64 {
    let mut largest = 0.0_f64;
    for (k, (p, r)) in by_hand::chain(positions).iter().enumerate() {
        let name = if k == 0 {
            "arm/base".to_owned()
        } else {
            format!("arm/l{k}")
        };
        let pose = world.pose(body(world, &name));
        largest = largest.max(pose.position.distance(DVec3::from_array(*p)));
        for (axis, unit) in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().enumerate() {
            let column = DVec3::from_array([0, 1, 2].map(|i| r[i][axis]));
            largest = largest.max(pose.direction(unit).distance(column));
        }
    }
    largest
}

/// The entry of the chain with these positions at the start.
fn entry(positions: &[f64; 6]) -> String {
    let listed = |((name, kind, ..), q): (&Row, &f64)| match *kind {
        "fixed" => None,
        "prismatic" => Some(format!("{name} = {q}")),
        _ => Some(format!("{name} = \"{q} rad\"")),
    };
    let listed: Vec<_> = CHAIN.iter().zip(positions).filter_map(listed).collect();
    let (position, rotation) = BASE;
    format!(
        "name = \"arm\"\nposition = {position:?}\nrotation = {rotation:?}\njoints = {{ {} }}",
        listed.join(", ")
    )
}

#[test]
fn links_start_where_the_files_kinematics_say() {
    let all = [
        CHAIN.map(|row| row.5),
        [0.0; 6],
        [-3.0, 0.4, -1.0, 0.0, 0.3, 6.5],
        [3.1, -0.05, 40.0, 0.0, -0.01, -6.9],
    ];
    for positions in all {
        let simulation = simulate(&chain(), &entry(&positions), "");
        let world = simulation.world();
        let off = difference(world, &positions);
        assert!(off < 1e-12, "{positions:?}: {off:e}");
        for (k, (name, kind, ..)) in CHAIN.iter().enumerate().filter(|(_, r)| r.1 != "fixed") {
            let found = coordinate(world, &format!("arm/{name}"));
            assert!(
                (found - positions[k]).abs() < 1e-12,
                "{name} ({kind}): {found}"
            );
        }
    }
}

#[test]
fn driven_links_stay_on_the_files_kinematics() {
    let start = CHAIN.map(|row| row.5);
    // Without units angles are in degrees.
    let drive = |(name, kind, .., q): &Row, speed: f64| {
        let (from, speed) = match *kind {
            "prismatic" => (*q, speed),
            _ => (q.to_degrees(), speed.to_degrees()),
        };
        format!(
            "{{ motor = {{ joint = \"arm/{name}\", motor = {{ type = \"position\", value = \"{from} + {speed}*t\", max_force = 1e6 }} }} }}"
        )
    };
    let speeds = [1.5, 0.2, -2.0, 0.0, 0.3, 1.0];
    let rows = CHAIN.iter().zip(speeds).filter(|(row, _)| row.1 != "fixed");
    let drives: Vec<_> = rows.map(|(row, speed)| drive(row, speed)).collect();
    let phase = format!("[[phase]]\nat_start = [{}]\n", drives.join(", "));
    let mut simulation = simulate(&chain(), &entry(&start), &phase);
    for step in 1..=400 {
        let report = simulation.step().unwrap();
        assert!(report.converged(), "{report:?}");
        if step % 40 != 0 {
            continue;
        }
        let world = simulation.world();
        let mut measured = [0.0; 6];
        for (k, (name, ..)) in CHAIN.iter().enumerate().filter(|(k, _)| *k != 3) {
            measured[k] = coordinate(world, &format!("arm/{name}"));
            let wanted = start[k] + speeds[k] * world.time();
            assert!(
                (measured[k] - wanted).abs() < 1e-5,
                "{name}: {}",
                measured[k]
            );
        }
        let off = difference(world, &measured);
        assert!(off < 1e-6, "step {step}: {off:e}");
    }
}
