//! Files cut short, overwritten and forged: always a problem or an error, never a panic.
//!
//! `DRYSTONE_MUTATIONS` sets how many mutations are made of each file (default 2000), and
//! `DRYSTONE_MUTATION_FILES` names further files to start from, separated by colons.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "test code")]

mod common;

use std::io::{Cursor, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use common::*;
use drystone_ccp::Cone;
use drystone_problems::Problem;
use drystone_problems::write_problem;
use drystone_problems::{parse_problem, parse_vector, write_vector};
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

/// Runs all mutations of a file through a reader that must not panic.
fn attack<T>(name: &str, bytes: &[u8], seed: u64, read: impl Fn(Vec<u8>) -> Option<T>) {
    let mut numbers = Numbers(seed);
    let mut accepted = 0;
    for round in 0..mutations() {
        let forged = mutate(bytes, &mut numbers);
        match catch_unwind(AssertUnwindSafe(|| read(forged.clone()))) {
            Ok(answer) => accepted += usize::from(answer.is_some()),
            Err(_) => {
                let kept = scratch("mutations-failed").join(name.replace('/', "_"));
                std::fs::write(&kept, &forged).unwrap();
                panic!(
                    "{name}: mutation {round} made the reader panic, kept as {}",
                    kept.display()
                );
            }
        }
    }
    println!("{name}: {accepted} of {} mutations still read", mutations());
}

fn attack_problem(name: &str, bytes: &[u8], seed: u64) {
    attack(name, bytes, seed, |bytes| parse_problem(bytes).ok());
}

#[test]
fn forged_files_of_your_choice() {
    let files = std::env::var("DRYSTONE_MUTATION_FILES").unwrap_or_default();
    for file in files.split(':').filter(|f| !f.is_empty()) {
        attack_problem(file, &std::fs::read(file).unwrap(), 10);
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
        attack_problem(&format!("{k}.ccp"), &bytes, 3);
        // Again with the checksum put right, packed and unpacked, so that the content is reached.
        let sealed = |mut bytes: Vec<u8>| {
            if bytes.len() >= 28 {
                let sum = crc32fast::hash(&bytes[28..]);
                bytes[24..28].copy_from_slice(&sum.to_le_bytes());
            }
            parse_problem(bytes).ok()
        };
        attack(&format!("{k}-sealed.ccp"), &bytes, 4, sealed);
        let plain = zstd::decode_all(&bytes[28..]).unwrap();
        let mut unpacked = bytes[..28].to_vec();
        unpacked[12..16].fill(0);
        unpacked.extend_from_slice(&plain);
        assert!(sealed(unpacked.clone()).is_some());
        attack(&format!("{k}-unpacked.ccp"), &unpacked, 5, sealed);
    }
}

/// A small archive: two contacts, one between two bodies, one with the world.
fn small_npz(method: zip::CompressionMethod) -> Vec<u8> {
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
        ("mu", reals(&[0.3, 0.4])),
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
fn forged_npz_and_npy_files() {
    for method in [
        zip::CompressionMethod::Stored,
        zip::CompressionMethod::Deflated,
    ] {
        let bytes = small_npz(method);
        let read = parse_problem(bytes.clone()).unwrap();
        // By hand: contact 0 joins masses 2 and 4, contact 1 holds mass 2 alone.
        let n = matrix_of(&read.problem);
        assert_eq!((n.get(0, 0), n.get(3, 3), n.get(0, 3)), (0.75, 0.5, -0.5));
        attack_problem(&format!("{method:?}.npz"), &bytes, 6);
    }
    let path = scratch("forged_npy").join("v.npy");
    write_vector(&path, &[1.0, 2.0, 3.0]).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    attack("v.npy", &bytes, 7, |bytes| parse_vector(bytes).ok());
}

#[test]
fn forged_text_files() {
    let local = "3\n1\n2\n3\n3\n1\nCSparse\ntriplet: 3-by-3, nzmax: 3 nnz: 3\n\
                 0 0 : 1\n1 1 : 2\n2 2 : 3\n-1 0 0.5\n0.3\n";
    let global = "3 1 0 2 2 2 2 1 0 0 1 1 2 3 1 1 1 2 3 2 1 0 1 0 0 1 2 3 4 5 6 1 2 -1 0 0.5 0.3";
    for (k, text) in [local, global].into_iter().enumerate() {
        parse_problem(text.into()).unwrap();
        attack_problem(&format!("{k}.dat"), text.as_bytes(), 8);
        attack("v.txt", text.as_bytes(), 9, |bytes| {
            parse_vector(bytes).ok()
        });
    }
}
