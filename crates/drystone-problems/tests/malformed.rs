//! Wrong content gets an error that names file, place, value and expectation.
#![allow(clippy::unwrap_used, reason = "test code")]

use crate::common::*;
use drystone_problems::read_problem;
use drystone_problems::{Fault, parse_problem, parse_vector, read_vector, write_ccp};
use hdf5_pure::FileBuilder;

/// An FCLIB file that may be wrong: one contact, W = diag(1, 2, 3).
#[derive(Clone)]
struct Raw {
    spacedim: i32,
    size: [i32; 3],
    p: Vec<i32>,
    i: Vec<i32>,
    x: Vec<f64>,
    q: Vec<f64>,
    mu: Option<Vec<f64>>,
    mu_r: Option<Vec<f64>>,
}

impl Raw {
    fn good() -> Self {
        Self {
            spacedim: 3,
            size: [3, 3, -2],
            p: vec![0, 1, 2, 3],
            i: vec![0, 1, 2],
            x: vec![1.0, 2.0, 3.0],
            q: vec![-1.0, 0.0, 0.5],
            mu: Some(vec![0.3]),
            mu_r: None,
        }
    }

    fn with(change: impl Fn(&mut Self)) -> Vec<u8> {
        let mut raw = Self::good();
        change(&mut raw);
        raw.bytes()
    }

    fn bytes(&self) -> Vec<u8> {
        let mut file = FileBuilder::new();
        let mut root = file.create_group("fclib_local");
        root.create_dataset("spacedim")
            .with_i32_data(&[self.spacedim]);
        let mut w = root.create_group("W");
        for (name, value) in ["m", "n", "nz"].iter().zip(self.size) {
            w.create_dataset(name).with_i32_data(&[value]);
        }
        w.create_dataset("p").with_i32_data(&self.p);
        w.create_dataset("i").with_i32_data(&self.i);
        w.create_dataset("x").with_f64_data(&self.x);
        root.add_group(w.finish());
        let mut vectors = root.create_group("vectors");
        vectors.create_dataset("q").with_f64_data(&self.q);
        if let Some(mu) = &self.mu {
            vectors.create_dataset("mu").with_f64_data(mu);
        }
        if let Some(mu_r) = &self.mu_r {
            vectors.create_dataset("mu_r").with_f64_data(mu_r);
        }
        root.add_group(vectors.finish());
        file.add_group(root.finish());
        file.finish().unwrap()
    }
}

fn fault(bytes: Vec<u8>) -> String {
    parse_problem(bytes).unwrap_err().to_string()
}

#[test]
fn fclib_faults_name_the_dataset() {
    parse_problem(Raw::good().bytes()).unwrap();
    let cases: [(Vec<u8>, &str); 20] = [
        (
            Raw::with(|f| f.i[1] = 99),
            "/fclib_local/W/i: entry 1 is 99, expected a column below 3",
        ),
        (
            Raw::with(|f| f.i[1] = -1),
            "/fclib_local/W/i: entry 1 is -1, expected a column below 3",
        ),
        (
            Raw::with(|f| {
                f.size[2] = -1;
                f.i[2] = 3
            }),
            "/fclib_local/W/i: entry 2 is 3, expected a row below 3",
        ),
        (
            Raw::with(|f| f.p[2] = 0),
            "/fclib_local/W/p: entry 2 is 0, expected a number from 1 to 3",
        ),
        (
            Raw::with(|f| f.p[3] = 4),
            "/fclib_local/W/p: entry 3 is 4, expected a number from 2 to 3",
        ),
        (
            Raw::with(|f| f.p[0] = 1),
            "/fclib_local/W/p: entry 0 is 1, expected 0",
        ),
        (
            Raw::with(|f| f.p = vec![0, 3]),
            "/fclib_local/W/p: has 2 entries, expected 4",
        ),
        (
            Raw::with(|f| f.size[1] = 2),
            "/fclib_local/W: is 3 × 2, expected a square matrix",
        ),
        (
            Raw::with(|f| f.size = [i32::MAX, i32::MAX, 3]),
            "/fclib_local/W: is 2147483647 × 2147483647, expected 3 × 3",
        ),
        (
            Raw::with(|f| f.size[2] = 4),
            "/fclib_local/W/nz: is 4, but only 3 entries are stored",
        ),
        (
            Raw::with(|f| f.size[2] = -3),
            "/fclib_local/W/nz: is -3, expected -1 (columns), -2 (rows) or a number of triplets",
        ),
        (
            Raw::with(|f| f.x[2] = f64::NAN),
            "/fclib_local/W/x: entry 2 is NaN, expected a finite number",
        ),
        (
            Raw::with(|f| f.q[0] = f64::INFINITY),
            "/fclib_local/vectors/q: entry 0 is inf, expected a finite number",
        ),
        (
            Raw::with(|f| f.q.push(0.0)),
            "/fclib_local/vectors/q: has 4 entries, expected 3 a contact",
        ),
        (
            Raw::with(|f| f.q = vec![0.0; 6]),
            "/fclib_local/vectors/q: has 6 entries, expected 3",
        ),
        (
            // W and q agree on two contacts: the coefficients are short, not q long.
            Raw::with(|f| {
                f.size = [6, 6, -2];
                f.p = vec![0, 1, 2, 3, 4, 5, 6];
                f.i = vec![0, 1, 2, 3, 4, 5];
                f.x = vec![1.0; 6];
                f.q = vec![0.0; 6];
            }),
            "/fclib_local/vectors/mu: has 1 entries, expected 2, one a contact: q and W have 6 \
             rows, 3 a contact",
        ),
        (
            Raw::with(|f| f.mu = Some(vec![-0.3])),
            "/fclib_local/vectors/mu: entry 0 is -0.3, expected a finite number >= 0",
        ),
        (
            Raw::with(|f| f.mu = None),
            "/fclib_local/vectors/mu: missing, expected floating-point numbers",
        ),
        (
            Raw::with(|f| f.spacedim = 2),
            "/fclib_local/spacedim: is 2, a plane problem: only 3 (and 5, with rolling friction) \
             are supported",
        ),
        (
            Raw::with(|f| f.spacedim = 5),
            "/fclib_local/vectors/mu_r: missing, expected floating-point numbers",
        ),
    ];
    for (bytes, expected) in cases {
        assert_eq!(fault(bytes), expected);
    }
}

#[test]
fn triplets_add_up_and_may_be_fewer_than_stored() {
    let bytes = Raw::with(|f| {
        f.size[2] = 4; // the fifth is beyond nz
        f.i = vec![0, 1, 2, 0, 77];
        f.p = vec![0, 1, 2, 1, 77];
        f.x = vec![1.0, 2.0, 3.0, 0.5, 77.0];
    });
    let matrix = matrix_of(&parse_problem(bytes).unwrap().problem);
    assert_eq!(
        (matrix.get(0, 1), matrix.get(1, 0), matrix.nonzeros()),
        (0.5, 0.0, 4)
    );
}

#[test]
fn rolling_problems_have_five_rows() {
    let bytes = Raw::with(|f| {
        f.spacedim = 5;
        f.size = [5, 5, 0];
        (f.p, f.i, f.x) = (vec![0], vec![0], vec![1.0]);
        f.q = vec![0.0; 5];
        f.mu_r = Some(vec![0.1]);
    });
    assert_eq!(parse_problem(bytes).unwrap().problem.dim(), 5);
}

#[test]
fn errors_begin_with_the_file() {
    let folder = scratch("errors_begin_with_the_file");
    let path = folder.join("problem.hdf5");
    let error = read_problem(&path).unwrap_err();
    assert!(matches!(error.fault, Fault::Io(_)), "{error}");
    std::fs::write(&path, Raw::with(|f| f.mu = Some(vec![f64::NAN]))).unwrap();
    let error = read_problem(&path).unwrap_err().to_string();
    let expected =
        "problem.hdf5: /fclib_local/vectors/mu: entry 0 is NaN, expected a finite number";
    assert!(error.ends_with(expected), "{error}");
    std::fs::write(&path, "no numbers").unwrap();
    let error = read_problem(&path).unwrap_err().to_string();
    assert!(error.contains("problem.hdf5: of no known kind"), "{error}");
    std::fs::write(&path, "1 2\nthree\n").unwrap();
    let error = read_vector(&path).unwrap_err().to_string();
    assert!(
        error.ends_with("line 2: \"three\" is not a number"),
        "{error}"
    );
}

#[test]
fn a_damaged_ccp_file_is_noticed() {
    let path = scratch("a_damaged_ccp_file").join("problem.ccp");
    let problem = sparse_problem(every_cone(), 1);
    write_ccp(&path, "title", &problem, None, None).unwrap();
    let good = std::fs::read(&path).unwrap();
    let with = |at: usize, value: u8| {
        let mut bytes = good.clone();
        bytes[at] = value;
        fault(bytes)
    };
    assert_eq!(with(8, 9), "header: version 9, expected 1");
    assert_eq!(with(12, 7), "header: packing 7, expected 0 or 1");
    assert!(with(good.len() - 1, !good[good.len() - 1]).starts_with("checksum: "));
    assert!(with(23, 0x7f).starts_with("header: claims "));
    assert!(fault(good[..20].to_vec()).starts_with("header: 20 bytes"));
    let short = [1.0, 2.0];
    let error = write_ccp(&path, "", &problem, Some(&short), None).unwrap_err();
    assert!(
        error.to_string().contains("guess: has 2 entries"),
        "{error}"
    );
    assert_eq!(std::fs::read(&path).unwrap(), good);
}

#[test]
fn arrays_of_the_wrong_kind() {
    let array = |head: &str, data: &[u8]| {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend_from_slice(&(head.len() as u16).to_le_bytes());
        bytes.extend_from_slice(head.as_bytes());
        bytes.extend_from_slice(data);
        parse_vector(bytes).map_err(|e| e.to_string())
    };
    let head = |descr: &str, order: &str, shape: &str| {
        format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}")
    };
    let data = [0; 48];
    assert_eq!(
        array(&head("<f8", "False", "(2, 3)"), &data).unwrap().len(),
        6
    );
    assert_eq!(
        array(&head("<i4", "False", "(12,)"), &data).unwrap().len(),
        12
    );
    let refused = [
        (
            head("<f8", "True", "(2, 3)"),
            "array: is stored column after column, expected row after row",
        ),
        (
            head(">f8", "False", "(6,)"),
            "array: holds elements of type \">f8\", expected little-endian numbers",
        ),
        (
            head("<f8", "False", "(99999999999,)"),
            "array: claims a shape of [99999999999], but 48 bytes of <f8 follow",
        ),
        (
            head("<f8", "False", "()"),
            "array: claims a shape of [], but 48 bytes of <f8 follow",
        ),
        (
            head("<f8", "False", "(6, 1, 1)"),
            "array: has 3 dimensions, expected one or two",
        ),
        (
            head("<f8", "False", "six"),
            "array: the header's shape is not a tuple of sizes",
        ),
    ];
    for (head, expected) in refused {
        assert_eq!(array(&head, &data).unwrap_err(), expected);
    }
}
