//! Contact problems and vectors: what is still read is solved.

use std::time::Duration;

use drystone_ccp::{
    BodyInertia, Ccp, Cone, Cones, Csr, Law, Limits, Method, Monitor, NO_BODY, Sparse, TwoBody,
    TwoBodyBlock,
};
use drystone_problems::{Problem, parse_problem, parse_vector, write_ccp};

use super::format::{Format, Sources};
use super::seal::archive;
use crate::bench::repository;
use crate::dice::Dice;

/// Most rows of a problem that is solved; larger ones are only read.
const MOST_ROWS: usize = 200;

/// Few, so that many problems are solved.
const LIMITS: Limits = Limits {
    tolerance: 1e-6,
    max_iterations: 100,
    time_limit: Some(Duration::from_millis(300)),
    velocity_tolerance: None,
    max_work: f64::INFINITY,
};

/// Normal velocity, as a share of the largest entry of r, at which a contact that is said to be
/// solved goes through its partner.
const GOES_THROUGH: f64 = 0.01;

/// A problem or an error; the problem solved, by a method and law of chance.
pub fn solve(bytes: Vec<u8>, dice: &mut Dice) -> Result<bool, String> {
    let Ok(file) = parse_problem(bytes) else {
        return Ok(false);
    };
    let problem = &file.problem;
    let dim = problem.dim();
    let finite = |values: &[f64]| values.len() == dim && values.iter().all(|v| v.is_finite());
    let r = problem.velocity(&vec![0.0; dim]);
    if !finite(&r) {
        return Err("was read with an r that is not finite".to_owned());
    }
    for stored in [&file.guess, &file.solution].into_iter().flatten() {
        if !finite(stored) {
            return Err("was read with a guess or solution that does not fit".to_owned());
        }
    }
    if dim > MOST_ROWS {
        return Ok(true);
    }
    let method = *dice.pick(&Method::ALL);
    let law = *dice.pick(&[Law::Relaxed, Law::Exact]);
    let warm = file.guess.filter(|_| dice.one_in(2));
    let mut gamma = warm.unwrap_or_else(|| vec![0.0; dim]);
    let mut monitor = Monitor::new(LIMITS, law);
    let words = |what: &str| format!("{} under the {} law: {what}", method.name(), law.name());
    let Ok(info) = problem.solve(method, &mut gamma, &mut monitor) else {
        return Ok(true);
    };
    if !finite(&gamma) {
        return Err(words("impulses that are not finite"));
    }
    if info.converged() {
        if info.certificate.residual > LIMITS.tolerance || info.certificate.residual.is_nan() {
            let what = format!("converged with residual {}", info.certificate.residual);
            return Err(words(&what));
        }
        honest(problem, &r, &gamma).map_err(|what| words(&what))?;
    }
    Ok(true)
}

/// Where a solve says that it converged, no contact goes through its partner.
fn honest(problem: &Problem, r: &[f64], gamma: &[f64]) -> Result<(), String> {
    let velocity = problem.velocity(gamma);
    let largest = r.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    // What rounding may leave where large terms cancel.
    let terms = velocity.iter().zip(r).map(|(u, r)| (u - r).abs());
    let rounding = 1e-9 * terms.fold(0.0, f64::max);
    // Where nothing presses, the tolerance is in m/s: see `ResidualScale::at_zero`.
    let allowed = match largest == 0.0 {
        true => LIMITS.tolerance,
        false => GOES_THROUGH * largest + rounding,
    };
    let mut row = 0;
    for (contact, cone) in problem.cones().as_slice().iter().enumerate() {
        let normal = velocity[row];
        row += cone.rows();
        let is_contact = match cone {
            Cone::Friction { .. } | Cone::Rolling { .. } | Cone::RollingSpinning { .. } => true,
            Cone::Free { .. } | Cone::NonNegative | Cone::Interval { .. } => false,
        };
        let approaches = normal.is_nan() || normal < -allowed;
        if is_contact && approaches {
            return Err(format!(
                "converged, but contact {contact} approaches at {normal:e} m/s; largest r {largest:e}"
            ));
        }
    }
    Ok(())
}

/// A vector or an error.
pub fn vector(bytes: Vec<u8>) -> Result<bool, String> {
    match parse_vector(bytes) {
        Ok(values) if values.iter().all(|v| v.is_finite()) => Ok(true),
        Ok(_) => Err("was read with numbers that are not finite".to_owned()),
        Err(_) => Ok(false),
    }
}

/// Siconos' text: a local problem, and a global one.
const LOCAL: &str = "3\n1\n2\n3\n3\n1\nCSparse\ntriplet: 3-by-3, nzmax: 3 nnz: 3\n0 0 : 1\n1 1 : 2\n\
                     2 2 : 3\n-1 0 0.5\n0.3\n";
const GLOBAL: &str =
    "3 1 0 2 2 2 2 1 0 0 1 1 2 3 1 1 1 2 3 2 1 0 1 0 0 1 2 3 4 5 6 1 2 -1 0 0.5 0.3";

/// Small problems of other codes, where they are there: written by the HDF5 library itself.
const OUTSIDE: [&str; 8] = [
    "FrictionContact3D_1c.hdf5",
    "GFC3D_OneContact.hdf5",
    "Rover1039.hdf5",
    "Box_Stacks-i0035-31-0.hdf5",
    "formats/NESpheres_10_1.triplet.hdf5",
    "formats/NESpheres_10_1.csc.hdf5",
    "rolling/RFC3D_sphere_1.hdf5",
    "rolling/RFC3D_cube_1.hdf5",
];

/// Files to begin from.
pub fn sources(sources: &mut Sources) -> Result<(), String> {
    sources.add_file(Format::Fclib, "problems/block.hdf5")?;
    let shared = repository().join("../shared/problems");
    for name in OUTSIDE.iter().filter(|name| shared.join(name).exists()) {
        sources.add_file(Format::Fclib, &format!("../shared/problems/{name}"))?;
    }
    sources.add_file(Format::Ccp, "problems/pile.ccp")?;
    let words = |e: &dyn std::fmt::Display| format!("the problem to be forged: {e}");
    let file = sources.folder.join("small.ccp");
    let guess = vec![0.5; 27];
    let problems = [
        Problem::TwoBody(two_body().map_err(|e| words(&e))?),
        Problem::Sparse(sparse().map_err(|e| words(&e))?),
    ];
    for problem in &problems {
        let guess = guess.get(..problem.dim());
        write_ccp(&file, "small", problem, guess, guess).map_err(|e| words(&e))?;
        let bytes = std::fs::read(&file).map_err(|e| words(&e))?;
        // Four times as often as the large one, which is too large to be solved.
        for _ in 0..2 {
            sources.add(Format::Ccp, "small.ccp", bytes.clone());
        }
    }
    sources.add(Format::Siconos, "local.dat", LOCAL);
    sources.add(Format::Siconos, "global.dat", GLOBAL);
    for method in [
        zip::CompressionMethod::Stored,
        zip::CompressionMethod::Deflated,
    ] {
        let bytes = archive(&arrays(), method).map_err(|e| e.to_string())?;
        sources.add(Format::Npz, "two.npz", bytes);
    }
    sources.add(Format::Vector, "v.npy", real_array(&[1.0, -2.5, 3e-7, 0.0]));
    sources.add(Format::Vector, "v.txt", "1\n-2.5\n3e-7\n0\n");
    let solution = sources.folder.join("solution.hdf5");
    drystone_problems::write_solution(&solution, &[1.0, 0.1, -0.2], &[0.0, 0.5, 0.5], 3)
        .map_err(|e| e.to_string())?;
    let bytes = std::fs::read(&solution).map_err(|e| e.to_string())?;
    sources.add(Format::Vector, "v.hdf5", bytes);
    Ok(())
}

/// Every kind of cone.
fn cones() -> Vec<Cone> {
    vec![
        Cone::friction(0.3),
        Cone::Free { rows: 5 },
        Cone::NonNegative,
        Cone::Interval {
            lower: f64::NEG_INFINITY,
            upper: 0.25,
        },
        Cone::Friction {
            friction: 0.6,
            cohesion: 1e-3,
        },
        Cone::Rolling {
            friction: 0.5,
            rolling: 0.01,
            cohesion: 0.0,
        },
        Cone::RollingSpinning {
            friction: 0.5,
            rolling: 0.01,
            spinning: 0.02,
            cohesion: 0.125,
        },
    ]
}

/// Three bodies and the world.
fn two_body() -> Result<Ccp<TwoBody>, Box<dyn std::error::Error>> {
    let mut dice = Dice::new(1, "two-body", 0);
    let body = |k: usize| BodyInertia {
        inverse_mass: 1.0 / (1.0 + k as f64),
        inverse_inertia: [[3.0, 0.1, 0.2], [0.1, 4.0, -0.3], [0.2, -0.3, 5.0]],
    };
    let cones = cones();
    let block = |(k, cone): (usize, &Cone)| TwoBodyBlock {
        bodies: [k % 3, if k % 2 == 0 { (k + 1) % 3 } else { NO_BODY }],
        rows: (0..cone.rows())
            .map(|_| std::array::from_fn(|_| dice.share() - 0.5))
            .collect(),
        compliance: vec![1e-6; if k % 2 == 0 { 0 } else { cone.rows() }],
    };
    let blocks: Vec<TwoBodyBlock> = cones.iter().enumerate().map(block).collect();
    let cones = Cones::new(cones)?;
    let r = (0..cones.dim()).map(|_| dice.share() - 0.5).collect();
    Ok(Ccp::new(
        TwoBody::new((0..3).map(body).collect(), &blocks)?,
        r,
        cones,
    )?)
}

/// Two contacts that feel each other.
fn sparse() -> Result<Ccp<Sparse>, Box<dyn std::error::Error>> {
    let entry = |k: usize| match (k / 6, k % 6) {
        (i, j) if i == j => 2.0,
        (i, j) if (i + j) % 2 == 0 => 0.25,
        _ => 0.0,
    };
    let dense: Vec<f64> = (0..36).map(entry).collect();
    let matrix = Sparse::new(Csr::from_dense(6, 6, &dense)?)?;
    let r = vec![-1.0, 0.5, 0.0, -0.5, 0.0, 1.0];
    Ok(Ccp::new(matrix, r, Cones::friction(&[0.3, 0.6])?)?)
}

/// Two contacts: one between two bodies, one with the world.
fn arrays() -> Vec<(String, Vec<u8>)> {
    let ints = |values: &[i32]| {
        let data = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        array("<i4", values.len(), data)
    };
    let masses = [2.0, 2.0, 2.0, 1.0, 1.0, 1.0, 4.0, 4.0, 4.0, 1.0, 1.0, 1.0];
    let jacobian = [-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, 1.0, 1.0, 1.0];
    [
        ("DT_indptr", ints(&[0, 2, 4, 6, 7, 8, 9])),
        ("DT_indices", ints(&[0, 6, 1, 7, 2, 8, 0, 1, 2])),
        ("DT_data", real_array(&jacobian)),
        ("mass_diag", real_array(&masses)),
        ("r", real_array(&[-1.0, 0.0, 0.5, -1.0, 0.0, 0.5])),
        ("mu", real_array(&[0.3, 0.4])),
    ]
    .map(|(name, bytes)| (format!("{name}.npy"), bytes))
    .to_vec()
}

fn real_array(values: &[f64]) -> Vec<u8> {
    let data = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    array("<f8", values.len(), data)
}

/// An array in NumPy's format.
fn array(kind: &str, count: usize, data: Vec<u8>) -> Vec<u8> {
    let head = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({count},), }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&(head.len() as u16).to_le_bytes());
    bytes.extend_from_slice(head.as_bytes());
    bytes.extend_from_slice(&data);
    bytes
}
