//! What is written reads back the same.
#![allow(clippy::unwrap_used, reason = "test code")]

use crate::common::*;
use drystone_ccp::{Cone, Csr, Operator};
use drystone_problems::{
    Fault, FclibFile, FclibProblem, FclibSolution, GlobalProblem, LocalProblem, Storage,
    VectorFormat, read_vector, write_solution, write_vector,
};
use drystone_problems::{Problem, read_problem, write_problem};

const STORAGES: [Storage; 3] = [Storage::Columns, Storage::Rows, Storage::Triplets];

fn rolling(friction: f64, rolling: f64) -> Cone {
    Cone::Rolling {
        friction,
        rolling,
        cohesion: 0.0,
    }
}

#[test]
fn ccp_holds_every_cone_to_the_bit() {
    let folder = scratch("ccp_holds_every_cone_to_the_bit");
    let problems = [
        Problem::Sparse(sparse_problem(every_cone(), 1)),
        Problem::TwoBody(two_body_problem(every_cone(), 2)),
        Problem::Sparse(sparse_problem(vec![], 3)),
    ];
    for (k, problem) in problems.into_iter().enumerate() {
        let file = with_extras("naïve title ☃", problem);
        let path = folder.join(format!("{k}.ccp"));
        write_problem(&path, &file).unwrap();
        let again = read_problem(&path).unwrap();
        assert_eq!(again.title, file.title);
        assert_same_problem(&again.problem, &file.problem);
        for (a, b) in [
            (&again.guess, &file.guess),
            (&again.solution, &file.solution),
        ] {
            assert_same_bits(a.as_ref().unwrap(), b.as_ref().unwrap());
        }
        // The temporary file is gone.
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), k + 1);
    }
}

#[test]
fn fclib_local_in_every_storage() {
    let folder = scratch("fclib_local_in_every_storage");
    let free = Cone::Free { rows: 2 };
    let variants = [
        vec![Cone::friction(0.3), Cone::friction(0.0)],
        vec![rolling(0.3, 0.1), rolling(0.2, 0.0)],
        vec![Cone::friction(0.3), free, Cone::Free { rows: 1 }],
    ];
    for (k, cones) in variants.into_iter().enumerate() {
        let problem = sparse_problem(cones, 7 + k as u64);
        let local = LocalProblem::from_ccp("a title", &problem).unwrap();
        for storage in STORAGES {
            let rows = local.contact_rows();
            let gamma: Vec<f64> = (0..problem.dim()).map(|i| 0.1 * i as f64).collect();
            let file = FclibFile {
                problem: FclibProblem::Local(local.clone()),
                solution: Some(FclibSolution::from_impulses(&gamma, rows)),
                guesses: vec![FclibSolution::from_impulses(&gamma, rows); 2],
            };
            let path = folder.join(format!("{k}-{storage:?}.hdf5"));
            file.write(&path, storage).unwrap();
            assert_eq!(FclibFile::read(&path).unwrap(), file);
            let read = read_problem(&path).unwrap();
            assert_eq!(read.title, "a title");
            assert_same_bits(&read.solution.unwrap(), &gamma);
            assert_same_bits(&read.guess.unwrap(), &gamma);
            assert_eq!(&matrix_of(&read.problem), problem.operator().matrix());
        }
    }
}

fn global_problem(bilateral: usize, mu_r: Option<Vec<f64>>) -> GlobalProblem {
    let mut numbers = Numbers(5);
    let (n, contacts) = (7, 2);
    let columns = contacts * if mu_r.is_some() { 5 } else { 3 };
    let mut matrix = |rows: usize, columns: usize| {
        let dense: Vec<f64> = (0..rows * columns).map(|_| numbers.real()).collect();
        Csr::from_dense(rows, columns, &dense).unwrap()
    };
    let (h, g) = (matrix(n, columns), matrix(n, bilateral));
    let mut vector = |n: usize| (0..n).map(|_| numbers.real()).collect::<Vec<f64>>();
    GlobalProblem {
        title: "global".to_owned(),
        m: random_matrix(n, 11),
        h,
        g: (bilateral > 0).then_some(g),
        f: vector(n),
        w: vector(columns),
        b: vector(bilateral),
        mu: vec![0.3, 0.4],
        mu_r,
    }
}

#[test]
fn fclib_global_in_every_storage() {
    let folder = scratch("fclib_global_in_every_storage");
    let variants = [
        global_problem(0, None),
        global_problem(2, None),
        global_problem(0, Some(vec![0.01, 0.0])),
    ];
    for (k, problem) in variants.into_iter().enumerate() {
        for storage in STORAGES {
            let file = FclibFile {
                problem: FclibProblem::Global(problem.clone()),
                solution: Some(FclibSolution {
                    v: vec![1.0; 7],
                    ..FclibSolution::default()
                }),
                guesses: vec![],
            };
            let path = folder.join(format!("{k}-{storage:?}.hdf5"));
            file.write(&path, storage).unwrap();
            assert_eq!(FclibFile::read(&path).unwrap(), file);
            let read = read_problem(&path).unwrap();
            assert_eq!(read.problem.dim(), problem.w.len() + problem.b.len());
        }
    }
}

/// With any impulses, `N gamma + r` must be the velocities that the global equations give.
#[test]
fn condensing_keeps_the_velocities() {
    for (bilateral, mu_r, symmetric) in [
        (2, None, true),
        (2, None, false),
        (0, Some(vec![0.1, 0.2]), true),
    ] {
        let mut global = global_problem(bilateral, mu_r);
        if !symmetric {
            let more = (0..6).map(|i| (i, i + 1, 0.5));
            global.m = Csr::from_triplets(7, 7, global.m.entries().chain(more)).unwrap();
        }
        let ccp = global.condense().unwrap();
        let mut numbers = Numbers(17);
        // Choose v and gamma, and f so that M v = f + [H G] gamma.
        let gamma: Vec<f64> = (0..ccp.dim()).map(|_| numbers.real()).collect();
        let v: Vec<f64> = global.f.iter().map(|_| numbers.real()).collect();
        let mut shifted = global.clone();
        shifted.f = (0..v.len()).map(|i| global.m.row_times(i, &v)).collect();
        let offset = global.w.len();
        let g = global.g.iter().flat_map(|g| g.entries());
        let columns = global
            .h
            .entries()
            .chain(g.map(|(i, j, x)| (i, offset + j, x)));
        let mut expected: Vec<f64> = global.w.iter().chain(&global.b).copied().collect();
        for (i, j, x) in columns {
            shifted.f[i] -= x * gamma[j];
            expected[j] += x * v[i];
        }
        let ccp = shifted.condense().unwrap();
        let mut velocity = vec![0.0; ccp.dim()];
        ccp.velocity(&gamma, &mut velocity);
        for (a, b) in velocity.iter().zip(&expected) {
            assert!((a - b).abs() < 1e-12, "{a} and {b}");
        }
        assert_eq!(ccp.cones().len(), 2 + bilateral);
        assert_eq!(ccp.operator().asymmetry() == 0.0, symmetric);
    }
}

#[test]
fn a_singular_mass_matrix_is_refused() {
    let mut global = global_problem(0, None);
    global.m = Csr::from_triplets(7, 7, (0..6).map(|i| (i, i, 1.0))).unwrap();
    let fault = global.condense().unwrap_err();
    assert!(fault.to_string().starts_with("M: is"), "{fault}");
}

/// The fields are public: data that do not fit together must not panic.
#[test]
fn parts_that_do_not_fit_are_refused() {
    let changes: [fn(&mut GlobalProblem); 5] = [
        |p| p.f.push(0.0),
        |p| p.w.truncate(3),
        |p| p.b.push(0.0),
        |p| p.mu.truncate(1),
        |p| p.mu_r = Some(vec![0.1]),
    ];
    for change in changes {
        let mut global = global_problem(0, None);
        change(&mut global);
        assert!(matches!(global.condense(), Err(Fault::Malformed { .. })));
    }
    let problem = sparse_problem(vec![rolling(0.3, 0.1), rolling(0.2, 0.0)], 1);
    let mut local = LocalProblem::from_ccp("", &problem).unwrap();
    local.mu_r = Some(vec![0.1]);
    assert!(matches!(local.to_ccp(), Err(Fault::Malformed { .. })));
}

#[test]
fn what_fclib_cannot_hold_is_refused() {
    for cone in every_cone().into_iter().skip(2) {
        let problem = sparse_problem(vec![Cone::friction(0.5), cone], 3);
        let fault = LocalProblem::from_ccp("", &problem).unwrap_err();
        assert!(matches!(fault, Fault::Unsupported { .. }), "{fault}");
    }
}

#[test]
fn vectors_in_every_format() {
    let folder = scratch("vectors_in_every_format");
    let values = [0.1 + 0.2, -0.0, 1e-308, -1.5e300, 5e-324, 12.0];
    for name in ["v.npy", "v.hdf5", "v.h5", "v.txt"] {
        let path = folder.join(name);
        write_vector(&path, &values).unwrap();
        assert_same_bits(&read_vector(&path).unwrap(), &values);
    }
    let path = folder.join("by_hand.txt");
    std::fs::write(&path, "# impulses\n1, 2 3\r\n\n4e0 # last\n").unwrap();
    assert_same_bits(&read_vector(&path).unwrap(), &[1.0, 2.0, 3.0, 4.0]);
}

/// The solution of a problem with bilateral rows, as an FCLIB reader finds it beside the problem.
#[test]
fn solutions_tell_contacts_from_bilateral_rows() {
    let folder = scratch("solutions_tell_contacts_from_bilateral_rows");
    let free = Cone::Free { rows: 2 };
    let contact = Cone::friction(0.3);
    for (k, (cones, contact_rows)) in [
        (vec![contact, contact, free, free], 6),
        (vec![contact], 3),
        (vec![free], 0),
        // Free rows between contacts have no place of their own in the file.
        (vec![contact, free, contact, free], 8),
    ]
    .into_iter()
    .enumerate()
    {
        let problem = Problem::Sparse(sparse_problem(cones, 5));
        assert_eq!(problem.contact_rows(), contact_rows);
        let gamma: Vec<f64> = (0..problem.dim()).map(|i| 0.1 + i as f64).collect();
        let velocity = problem.velocity(&gamma);
        for extension in ["hdf5", "H5", "npy"] {
            let path = folder.join(format!("{k}.{extension}"));
            write_solution(&path, &gamma, &velocity, contact_rows).unwrap();
            assert_same_bits(&read_vector(&path).unwrap(), &gamma);
        }
        let file = hdf5_pure::File::open(folder.join(format!("{k}.hdf5"))).unwrap();
        let (r, l) = gamma.split_at(contact_rows);
        for (name, values) in [("r", r), ("l", l), ("u", &velocity[..contact_rows])] {
            let set = file.dataset(&format!("/solution/{name}"));
            let stored = set.map_or(vec![], |set| set.read_f64().unwrap());
            assert_same_bits(&stored, values);
        }
    }
}

#[test]
fn the_case_of_an_extension_does_not_matter() {
    let folder = scratch("the_case_of_an_extension_does_not_matter");
    let file = with_extras(
        "",
        Problem::Sparse(sparse_problem(vec![Cone::friction(0.3)], 1)),
    );
    for name in ["A.CCP", "A.Hdf5"] {
        write_problem(folder.join(name), &file).unwrap();
        assert_eq!(read_problem(folder.join(name)).unwrap().problem.dim(), 3);
    }
    for (name, format) in [
        ("a.NPY", VectorFormat::Npy),
        ("a.h5", VectorFormat::Hdf5),
        ("a.HDF5", VectorFormat::Hdf5),
        ("npy", VectorFormat::Text),
    ] {
        assert_eq!(VectorFormat::of(name), format, "{name}");
    }
}

#[test]
fn a_failed_write_keeps_the_old_file() {
    let folder = scratch("a_failed_write_keeps_the_old_file");
    let path = folder.join("problem.hdf5");
    std::fs::write(&path, "old").unwrap();
    let file = with_extras("", Problem::Sparse(sparse_problem(every_cone(), 1)));
    write_problem(&path, &file).unwrap_err();
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
    let missing = folder.join("no/such/folder.ccp");
    let error = write_problem(&missing, &file).unwrap_err();
    assert!(error.to_string().contains("folder.ccp"), "{error}");
}

/// 250 bytes are a valid name; the temporary file beside it must not need a longer one.
#[test]
fn long_names_can_be_written() {
    let folder = scratch("long_names_can_be_written");
    let path = folder.join(format!("{}.npy", "x".repeat(246)));
    write_vector(&path, &[1.0]).unwrap();
    assert_same_bits(&read_vector(&path).unwrap(), &[1.0]);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
}
