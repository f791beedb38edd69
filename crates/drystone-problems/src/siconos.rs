//! Text problems of Siconos (`.dat`), read only.
//!
//! Local: rows a contact (3, or 5 with rolling friction), contacts, W, q, mu (and mu_r). Global:
//! the same with M, H, f, w in place of W and q, for `M v = f + H r`, `u = Hᵀ v + w`. A matrix is
//! its storage (0 dense, 1 blocks, 2 sparse), rows, columns and data; before dense data rows and
//! columns stand once more. Dense data and the blocks go column after column. Nothing says which
//! kind a file is: after the first matrix of a global problem stands the size of a second one. What
//! follows the problem (old files end in a flag) is ignored.

use drystone_ccp::Csr;

use super::error::{Fault, expect_coefficients};
use super::fclib::FclibProblem;
use super::global::GlobalProblem;
use super::local::{LocalProblem, rows_of};
use super::text::Text;

type Entries = Vec<(usize, usize, f64)>;

/// Parses the bytes of a file.
pub(super) fn parse(bytes: &[u8]) -> Result<FclibProblem, Fault> {
    let mut text = Text::new(bytes)?;
    let rows = text.size("the number of rows a contact")?;
    let rolling = match rows {
        3 => false,
        5 => true,
        2 => {
            let what = "2 rows a contact, a plane problem: only 3 (and 5, with rolling friction) \
                        are supported";
            return Err(Fault::unsupported(text.place(), what));
        }
        other => {
            let what = format!("{other} rows a contact, expected 3 or 5");
            return Err(Fault::malformed(text.place(), what));
        }
    };
    let contacts = text.size("the number of contacts")?;
    let first = matrix(&mut text)?;
    if first.rows() != first.columns() {
        let what = format!(
            "is {} × {}, expected a square matrix",
            first.rows(),
            first.columns()
        );
        return Err(Fault::malformed("the first matrix", what));
    }
    let dim = rows_of(rolling) * contacts;
    let coefficients = if rolling { 2 * contacts } else { contacts };
    // A local problem could begin its q with the same three whole numbers, but not with as many
    // words.
    let second_follows = text.ahead::<3>().is_some_and(|[storage, rows, columns]| {
        storage <= 2 && rows == first.rows() && columns == dim
    });
    if second_follows && text.words_left() != dim + coefficients {
        return global(&mut text, first, contacts, rolling);
    }
    expect_same(&text, "the size of the matrix", first.rows(), dim)?;
    local(&mut text, first, contacts, rolling)
}

fn local(
    text: &mut Text<'_>,
    w: Csr,
    contacts: usize,
    rolling: bool,
) -> Result<FclibProblem, Fault> {
    let q = text.reals(w.rows(), "a number of q")?;
    let (mu, mu_r) = friction(text, contacts, rolling)?;
    Ok(FclibProblem::Local(LocalProblem {
        title: String::new(),
        w,
        q,
        mu,
        mu_r,
        bilateral: None,
    }))
}

fn global(
    text: &mut Text<'_>,
    m: Csr,
    contacts: usize,
    rolling: bool,
) -> Result<FclibProblem, Fault> {
    let h = matrix(text)?;
    let (rows, columns) = (m.rows(), rows_of(rolling) * contacts);
    if h.rows() != rows || h.columns() != columns {
        let found = format!("{} × {}", h.rows(), h.columns());
        let what = format!("is {found}, expected {rows} × {columns}");
        return Err(Fault::malformed("the second matrix", what));
    }
    let f = text.reals(rows, "a number of f")?;
    let w = text.reals(columns, "a number of w")?;
    let (mu, mu_r) = friction(text, contacts, rolling)?;
    Ok(FclibProblem::Global(GlobalProblem {
        title: String::new(),
        m,
        h,
        g: None,
        f,
        w,
        b: Vec::new(),
        mu,
        mu_r,
    }))
}

type Coefficients = (Vec<f64>, Option<Vec<f64>>);

fn friction(text: &mut Text<'_>, contacts: usize, rolling: bool) -> Result<Coefficients, Fault> {
    let mu = text.reals(contacts, "a friction coefficient")?;
    expect_coefficients("mu", &mu)?;
    if !rolling {
        return Ok((mu, None));
    }
    let mu_r = text.reals(contacts, "a rolling friction coefficient")?;
    expect_coefficients("mu_r", &mu_r)?;
    Ok((mu, Some(mu_r)))
}

fn matrix(text: &mut Text<'_>) -> Result<Csr, Fault> {
    let storage = text.size("the storage of a matrix")?;
    let at = text.place();
    let rows = text.size("a number of rows")?;
    let columns = text.size("a number of columns")?;
    let entries = match storage {
        0 => dense(text, rows, columns)?,
        1 => blocks(text, rows, columns)?,
        2 => sparse(text, rows, columns)?,
        other => {
            let what = format!("storage {other}, expected 0 (dense), 1 (blocks) or 2 (sparse)");
            return Err(Fault::malformed(at, what));
        }
    };
    Ok(Csr::from_triplets(rows, columns, entries)?)
}

fn expect_same(text: &Text<'_>, name: &str, found: usize, expected: usize) -> Result<(), Fault> {
    if found == expected {
        return Ok(());
    }
    let what = format!("{name} is {found}, expected {expected}");
    Err(Fault::malformed(text.place(), what))
}

fn dense(text: &mut Text<'_>, rows: usize, columns: usize) -> Result<Entries, Fault> {
    // The size stands there twice.
    let again = text.size("the number of rows again, as Siconos writes it before dense data")?;
    expect_same(text, "the number of rows", again, rows)?;
    let again = text.size("the number of columns again")?;
    expect_same(text, "the number of columns", again, columns)?;
    let mut entries = Vec::new();
    column_major(text, (0, 0), (rows, columns), &mut entries)?;
    Ok(entries)
}

/// Reads a dense piece whose upper left corner is `corner`; zeros are dropped.
fn column_major(
    text: &mut Text<'_>,
    corner: (usize, usize),
    (rows, columns): (usize, usize),
    entries: &mut Entries,
) -> Result<(), Fault> {
    for column in 0..columns {
        for row in 0..rows {
            let value = text.real("an entry of a matrix")?;
            if value != 0.0 {
                entries.push((corner.0 + row, corner.1 + column, value));
            }
        }
    }
    Ok(())
}

/// Compressed rows of dense blocks; block sizes are given as running ends.
fn blocks(text: &mut Text<'_>, rows: usize, columns: usize) -> Result<Entries, Fault> {
    let count = text.size("a number of blocks")?;
    if count == 0 {
        return Ok(Vec::new());
    }
    let block_rows = text.size("a number of block rows")?;
    let block_columns = text.size("a number of block columns")?;
    let row_ends = ends(text, block_rows, rows)?;
    let column_ends = ends(text, block_columns, columns)?;
    let pointers = text.size("a number of block pointers")?;
    let stored = text.size("a number of stored blocks")?;
    expect_same(text, "the number of stored blocks", stored, count)?;
    if pointers == 0 || pointers > block_rows + 1 {
        let what = format!(
            "{pointers} block pointers, expected 1 to {}",
            block_rows + 1
        );
        return Err(Fault::malformed(text.place(), what));
    }
    let starts = text.sizes(pointers, "a block pointer")?;
    let block_column = text.sizes(stored, "a block column")?;
    let mut entries = Vec::new();
    let start_of = |ends: &[usize], k: usize| if k == 0 { 0 } else { ends[k - 1] };
    for (block_row, range) in starts.windows(2).enumerate() {
        if range[1] < range[0] || range[1] > stored {
            let what = format!(
                "block pointers {} and {}, expected 0 to {stored}",
                range[0], range[1]
            );
            return Err(Fault::malformed(text.place(), what));
        }
        for block in range[0]..range[1] {
            let number = text.size("the number of a block")?;
            expect_same(text, "the number of the block", number, block)?;
            let column = block_column[block];
            if column >= block_columns {
                let what = format!("block column {column}, expected one below {block_columns}");
                return Err(Fault::malformed(text.place(), what));
            }
            let corner = (
                start_of(&row_ends, block_row),
                start_of(&column_ends, column),
            );
            let size = (
                row_ends[block_row] - corner.0,
                column_ends[column] - corner.1,
            );
            column_major(text, corner, size, &mut entries)?;
        }
    }
    Ok(entries)
}

fn ends(text: &mut Text<'_>, count: usize, total: usize) -> Result<Vec<usize>, Fault> {
    let ends = text.sizes(count, "the end of a block")?;
    let ascending = ends.windows(2).all(|e| e[0] <= e[1]);
    if !ascending || ends.last() != Some(&total) {
        let what = format!("the ends of the blocks are not ascending up to {total}");
        return Err(Fault::malformed(text.place(), what));
    }
    Ok(ends)
}

/// What CSparse prints: a heading of two lines, then triplets or columns.
fn sparse(text: &mut Text<'_>, rows: usize, columns: usize) -> Result<Entries, Fault> {
    let origin = text.size("the kind of a sparse matrix")?;
    text.rest_of_line();
    text.rest_of_line(); // CSparse and its version
    let heading = text.rest_of_line();
    let heading = heading.replace("-by-", " ").replace(',', " ");
    let words: Vec<&str> = heading.split_whitespace().collect();
    let triplets = words.first() == Some(&"triplet:");
    let number = |word: Option<&&str>| word.and_then(|w| w.parse::<usize>().ok());
    let skip = usize::from(triplets);
    let after = |name: &str| words.iter().position(|w| *w == name).map(|k| k + 1);
    let count = number(after("nnz:").and_then(|k| words.get(k)));
    let size = (number(words.get(skip)), number(words.get(skip + 1)));
    let (Some(count), true) = (count, size == (Some(rows), Some(columns))) else {
        let what =
            format!("the heading {heading:?} does not say \"{rows}-by-{columns}\" and \"nnz:\"");
        return Err(Fault::malformed(text.place(), what));
    };
    match (triplets, origin) {
        (true, _) => printed_triplets(text, count, rows, columns),
        (false, 3) => {
            let entries = printed_columns(text, rows, columns)?;
            Ok(entries.into_iter().map(|(i, j, x)| (j, i, x)).collect())
        }
        (false, _) => printed_columns(text, columns, rows),
    }
}

fn below(text: &mut Text<'_>, what: &'static str, limit: usize) -> Result<usize, Fault> {
    let index = text.size(what)?;
    if index < limit {
        return Ok(index);
    }
    let what = format!("{what} is {index}, expected one below {limit}");
    Err(Fault::malformed(text.place(), what))
}

fn printed_triplets(
    text: &mut Text<'_>,
    count: usize,
    rows: usize,
    columns: usize,
) -> Result<Entries, Fault> {
    let mut entries = Vec::new();
    for _ in 0..count {
        let row = below(text, "a row", rows)?;
        let column = below(text, "a column", columns)?;
        text.expect(":")?;
        entries.push((row, column, text.real("an entry of a matrix")?));
    }
    Ok(entries)
}

/// `(inner, outer, value)`; for compressed rows the print says `col` too.
fn printed_columns(text: &mut Text<'_>, outer: usize, inner: usize) -> Result<Entries, Fault> {
    let mut entries = Vec::new();
    for column in 0..outer {
        text.expect("col")?;
        let number = text.size("the number of a column")?;
        expect_same(text, "the number of the column", number, column)?;
        text.expect(":")?;
        text.expect("locations")?;
        let first = text.integer("the first location of a column")?;
        text.expect("to")?;
        let last = text.integer("the last location of a column")?;
        for _ in first..=last {
            let row = below(text, "a row", inner)?;
            text.expect(":")?;
            entries.push((row, column, text.real("an entry of a matrix")?));
        }
    }
    Ok(entries)
}
