//! Files cut short, overwritten and forged: a sound problem or an error, never a panic.
//!
//! Each file must have mutations that are refused, and what is still read must be sound: finite, of
//! one length throughout. Where a checksum guards the content, it must be the same problem.
//!
//! `DRYSTONE_MUTATIONS` sets how many mutations are made of each file (default 2000), and
//! `DRYSTONE_MUTATION_FILES` names further files to start from, separated by colons.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "test code")]

use std::io::{Cursor, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::common::*;
use drystone_ccp::Cone;
use drystone_problems::{
    Problem, ProblemFile, parse_problem, parse_vector, write_problem, write_vector,
};
use zip::write::SimpleFileOptions;

fn mutations() -> usize {
    let set = std::env::var("DRYSTONE_MUTATIONS").ok();
    set.and_then(|v| v.parse().ok()).unwrap_or(2000)
}

/// Cuts or overwrites, mostly where headers are.
fn mutate(bytes: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut out = bytes.to_vec();
    if numbers.below(8) == 0 {
        out.truncate(numbers.below(bytes.len()));
        return out;
    }
    for _ in 0..=numbers.below(4) {
        let region = if numbers.below(2) == 0 {
            out.len()
        } else {
            out.len().min(2500)
        };
        let at = numbers.below(region);
        let forged: &[u8] = match numbers.below(7) {
            0 => &[0xff],
            1 => &[0],
            2 => &[0xff; 8],
            3 => &[0, 0, 0, 0, 0, 0, 0, 0x7f],
            4 => &[0xff, 0xff, 0xff, 0x7f],
            5 => &[numbers.bits() as u8],
            _ => &[out[at] ^ (1 << numbers.below(8))],
        };
        let end = (at + forged.len()).min(out.len());
        out[at..end].copy_from_slice(&forged[..end - at]);
    }
    out
}

/// Runs all mutations of a file through a reader. It must not panic, must refuse some of them, and
/// `check` judges what it reads of the others. Returns how many were read.
fn attack<T>(
    name: &str,
    bytes: &[u8],
    seed: u64,
    read: impl Fn(Vec<u8>) -> Option<T>,
    check: impl Fn(&T),
) -> usize {
    let mut numbers = Numbers(seed);
    let mut accepted = 0;
    for round in 0..mutations() {
        let forged = mutate(bytes, &mut numbers);
        let checked = || read(forged.clone()).inspect(&check).is_some();
        match catch_unwind(AssertUnwindSafe(checked)) {
            Ok(is_read) => accepted += usize::from(is_read),
            Err(_) => {
                let kept = scratch("mutations-failed").join(name.replace('/', "_"));
                std::fs::write(&kept, &forged).unwrap();
                panic!(
                    "{name}: mutation {round} made the reader panic or was read as nonsense, \
                     kept as {}",
                    kept.display()
                );
            }
        }
    }
    println!("{name}: {accepted} of {} mutations still read", mutations());
    assert!(accepted < mutations(), "{name}: no mutation was refused");
    accepted
}

/// What a reader accepts can be worked with: the vectors fit, and all numbers are finite.
fn assert_sound(file: &ProblemFile) {
    let problem = &file.problem;
    let dim = problem.dim();
    assert_eq!(problem.cones().dim(), dim);
    assert!(problem.contacts() <= dim);
    let finite = |values: &[f64]| values.len() == dim && values.iter().all(|v| v.is_finite());
    // Without impulses the velocities are r.
    assert!(finite(&problem.velocity(&vec![0.0; dim])));
    let stored = [&file.guess, &file.solution];
    assert!(stored.into_iter().flatten().all(|values| finite(values)));
}

fn attack_problem(name: &str, bytes: &[u8], seed: u64) {
    assert_sound(&parse_problem(bytes.to_vec()).unwrap());
    attack(
        name,
        bytes,
        seed,
        |bytes| parse_problem(bytes).ok(),
        assert_sound,
    );
}

/// The files that are in the repository, and those of your choice.
#[test]
fn forged_files_of_the_repository_and_of_your_choice() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../problems");
    let mut files = vec![folder.join("block.hdf5"), folder.join("pile.ccp")];
    let chosen = std::env::var("DRYSTONE_MUTATION_FILES").unwrap_or_default();
    files.extend(chosen.split(':').filter(|f| !f.is_empty()).map(Into::into));
    for file in files {
        let name = file.display().to_string();
        attack_problem(&name, &std::fs::read(file).unwrap(), 10);
    }
}

#[test]
fn forged_fclib_files() {
    let folder = scratch("forged_fclib_files");
    let cones = vec![
        Cone::friction(0.3),
        Cone::friction(0.2),
        Cone::Free { rows: 2 },
    ];
    let file = with_extras("title", Problem::Sparse(sparse_problem(cones, 1)));
    let path = folder.join("problem.hdf5");
    write_problem(&path, &file).unwrap();
    attack_problem("own.hdf5", &std::fs::read(&path).unwrap(), 1);
    let Some(root) = shared() else { return };
    for name in [
        "FrictionContact3D_1c.hdf5",
        "FCLIB_local_problem_test.hdf5",
        "formats/NESpheres_10_1.triplet.hdf5",
        "formats/NESpheres_10_1.csc.hdf5",
        "rolling/RFC3D_sphere_1.hdf5",
    ] {
        attack_problem(name, &std::fs::read(root.join(name)).unwrap(), 2);
    }
}

#[test]
fn forged_ccp_files() {
    let folder = scratch("forged_ccp_files");
    let problems = [
        Problem::Sparse(sparse_problem(every_cone(), 1)),
        Problem::TwoBody(two_body_problem(every_cone(), 2)),
    ];
    for (k, problem) in problems.into_iter().enumerate() {
        let path = folder.join(format!("{k}.ccp"));
        write_problem(&path, &with_extras("title", problem)).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        // The checksum lets nothing through: what is read is the problem that was written.
        let written = parse_problem(bytes.clone()).unwrap();
        attack(
            &format!("{k}.ccp"),
            &bytes,
            3,
            |bytes| parse_problem(bytes).ok(),
            |read| assert_same_problem(&read.problem, &written.problem),
        );
        // Again with the checksum put right, packed and unpacked, so that the content is reached.
        let sealed = |mut bytes: Vec<u8>| {
            if bytes.len() >= 28 {
                let sum = crc32fast::hash(&bytes[28..]);
                bytes[24..28].copy_from_slice(&sum.to_le_bytes());
            }
            parse_problem(bytes).ok()
        };
        attack(&format!("{k}-sealed.ccp"), &bytes, 4, sealed, assert_sound);
        let plain = zstd::decode_all(&bytes[28..]).unwrap();
        let mut unpacked = bytes[..28].to_vec();
        unpacked[12..16].fill(0);
        unpacked.extend_from_slice(&plain);
        assert!(sealed(unpacked.clone()).is_some());
        let name = format!("{k}-unpacked.ccp");
        let read = attack(&name, &unpacked, 5, sealed, assert_sound);
        assert!(read > 0, "{name}: no mutation reached the content");
    }
}

/// A small archive: two contacts, one between two bodies, one with the world.
fn small_npz(method: zip::CompressionMethod, mu: &[f64]) -> Vec<u8> {
    let array = |descr: &str, count: usize, data: Vec<u8>| {
        let head =
            format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({count},), }}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend_from_slice(&(head.len() as u16).to_le_bytes());
        bytes.extend_from_slice(head.as_bytes());
        bytes.extend_from_slice(&data);
        bytes
    };
    let reals = |v: &[f64]| {
        array(
            "<f8",
            v.len(),
            v.iter().flat_map(|x| x.to_le_bytes()).collect(),
        )
    };
    let ints = |v: &[i32]| {
        array(
            "<i4",
            v.len(),
            v.iter().flat_map(|x| x.to_le_bytes()).collect(),
        )
    };
    let arrays = [
        ("DT_indptr", ints(&[0, 2, 4, 6, 7, 8, 9])),
        ("DT_indices", ints(&[0, 6, 1, 7, 2, 8, 0, 1, 2])),
        (
            "DT_data",
            reals(&[-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, 1.0, 1.0, 1.0]),
        ),
        (
            "mass_diag",
            reals(&[2.0, 2.0, 2.0, 1.0, 1.0, 1.0, 4.0, 4.0, 4.0, 1.0, 1.0, 1.0]),
        ),
        ("r", reals(&[-1.0, 0.0, 0.5, -1.0, 0.0, 0.5])),
        ("mu", reals(mu)),
    ];
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in arrays {
        let options = SimpleFileOptions::default().compression_method(method);
        zip.start_file(format!("{name}.npy"), options).unwrap();
        zip.write_all(&bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn a_short_mu_of_an_archive_is_not_blamed_on_r() {
    let bytes = small_npz(zip::CompressionMethod::Stored, &[0.3]);
    let error = parse_problem(bytes).unwrap_err().to_string();
    assert!(error.contains("mu: has 1 entries, expected 2"), "{error}");
}

#[test]
fn forged_npz_and_npy_files() {
    for method in [
        zip::CompressionMethod::Stored,
        zip::CompressionMethod::Deflated,
    ] {
        let bytes = small_npz(method, &[0.3, 0.4]);
        let read = parse_problem(bytes.clone()).unwrap();
        // By hand: contact 0 joins masses 2 and 4, contact 1 holds mass 2 alone.
        let n = matrix_of(&read.problem);
        assert_eq!((n.get(0, 0), n.get(3, 3), n.get(0, 3)), (0.75, 0.5, -0.5));
        attack_problem(&format!("{method:?}.npz"), &bytes, 6);
    }
    let path = scratch("forged_npy").join("v.npy");
    write_vector(&path, &[1.0, 2.0, 3.0]).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let read = |bytes| parse_vector(bytes).ok();
    attack("v.npy", &bytes, 7, read, |vector: &Vec<f64>| {
        assert!(vector.iter().all(|v| v.is_finite()));
    });
}

#[test]
fn forged_text_files() {
    let local = "3\n1\n2\n3\n3\n1\nCSparse\ntriplet: 3-by-3, nzmax: 3 nnz: 3\n0 0 : 1\n1 1 : \
                 2\n2 2 : 3\n-1 0 0.5\n0.3\n";
    let global = "3 1 0 2 2 2 2 1 0 0 1 1 2 3 1 1 1 2 3 2 1 0 1 0 0 1 2 3 4 5 6 1 2 -1 0 0.5 0.3";
    for (k, text) in [local, global].into_iter().enumerate() {
        parse_problem(text.into()).unwrap();
        attack_problem(&format!("{k}.dat"), text.as_bytes(), 8);
        let read = |bytes| parse_vector(bytes).ok();
        attack("v.txt", text.as_bytes(), 9, read, |vector: &Vec<f64>| {
            assert!(vector.iter().all(|v| v.is_finite()));
        });
    }
}
