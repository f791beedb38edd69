//! Tables that grow row by row and can be cut back to a step.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use crc32fast::Hasher;
use serde::{Deserialize, Serialize};

use crate::atomic::write_atomically;
use crate::regular::open_own;

use super::error::{RecordingError, RecordingFault};

/// A table in a text file: a line of names, then one line per row. The first column is the step,
/// which never falls. Each row is handed to the operating system at once.
#[derive(Debug)]
pub struct CsvLog {
    path: PathBuf,
    file: File,
    columns: usize,
    /// Length of the file up to the last whole row.
    end: u64,
    /// Of all that was written.
    checksum: Hasher,
    line: String,
}

/// How far a table had got, to be told apart from one that was changed since.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableMark {
    /// Its length.
    pub bytes: u64,
    /// CRC-32 of those bytes.
    pub checksum: u32,
}

/// One cell of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// A whole number.
    Integer(u64),
    /// A number, written with as many digits as it takes to get it back.
    Real(f64),
    /// A word, quoted where needed; line breaks become blanks.
    Text(&'a str),
}

/// What was cut away when going on with a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableCut {
    /// Rows kept.
    pub rows: u64,
    /// Bytes cut away behind them.
    pub bytes: u64,
}

impl CsvLog {
    /// Begins a table, replacing one that is there. The first column must be the step.
    pub fn create(path: impl AsRef<Path>, columns: &[&str]) -> Result<Self, RecordingError> {
        let path = path.as_ref();
        let names = format!("{}\n", columns.join(","));
        let begin = || {
            write_atomically(path, names.as_bytes())?;
            open_own(path, OpenOptions::new().append(true))
        };
        let file = begin().map_err(|e| RecordingFault::Io(e).of(path))?;
        let mut checksum = Hasher::new();
        checksum.update(names.as_bytes());
        Ok(Self {
            path: path.to_owned(),
            file,
            columns: columns.len(),
            end: names.len() as u64,
            checksum,
            line: String::new(),
        })
    }

    /// Goes on with a table after the last row whose step is at most `after_step`; later rows and
    /// half a row at the end are cut away.
    pub fn resume(
        path: impl AsRef<Path>,
        columns: &[&str],
        after_step: u64,
    ) -> Result<(Self, TableCut), RecordingError> {
        let path = path.as_ref();
        let resume = || {
            let file = open_own(path, OpenOptions::new().append(true).read(true))?;
            let length = file.metadata()?.len();
            let mut checksum = Hasher::new();
            let (rows, end) = keep(BufReader::new(&file), columns, after_step, &mut checksum)?;
            file.set_len(end)?;
            let cut = TableCut {
                rows,
                bytes: length.saturating_sub(end),
            };
            let log = Self {
                path: path.to_owned(),
                file,
                columns: columns.len(),
                end,
                checksum,
                line: String::new(),
            };
            Ok((log, cut))
        };
        resume().map_err(|fault: RecordingFault| fault.of(path))
    }

    /// Goes on with a table where it was when `mark` was made; what follows is cut away. The second
    /// result says what is wrong with the rows before, if anything: they stay as they are.
    pub fn resume_at(
        path: impl AsRef<Path>,
        columns: &[&str],
        mark: TableMark,
    ) -> Result<(Self, Option<String>), RecordingError> {
        let path = path.as_ref();
        let resume = || {
            let file = open_own(path, OpenOptions::new().append(true).read(true))?;
            let found = file.metadata()?.len();
            if found < mark.bytes {
                let expected = mark.bytes;
                return Err(RecordingFault::Cut { found, expected });
            }
            let damage = damage(&file, columns, mark)?;
            file.set_len(mark.bytes)?;
            let log = Self {
                path: path.to_owned(),
                file,
                columns: columns.len(),
                end: mark.bytes,
                // As if nothing were wrong: the next one to resume is to hear of it too.
                checksum: Hasher::new_with_initial_len(mark.checksum, mark.bytes),
                line: String::new(),
            };
            Ok((log, damage))
        };
        resume().map_err(|fault: RecordingFault| fault.of(path))
    }

    /// How far the table has got.
    pub fn mark(&self) -> TableMark {
        TableMark {
            bytes: self.end,
            checksum: self.checksum.clone().finalize(),
        }
    }

    /// Appends a row of `step` and the `values` of the other columns. On an error, such as a full
    /// disk, the file is cut back to the last whole row.
    pub fn append(&mut self, step: u64, values: &[Cell<'_>]) -> Result<(), RecordingError> {
        let write = |log: &mut Self| {
            log.line.clear();
            log.push_row(step, values)?;
            log.write_lines()
        };
        write(self).map_err(|fault| fault.of(&self.path))
    }

    /// Appends several rows of one step, all or none.
    pub fn append_rows<'a>(
        &mut self,
        step: u64,
        rows: impl IntoIterator<Item = &'a [Cell<'a>]>,
    ) -> Result<(), RecordingError> {
        let write = || {
            self.line.clear();
            for row in rows {
                self.push_row(step, row)?;
            }
            self.write_lines()
        };
        write().map_err(|fault: RecordingFault| fault.of(&self.path))
    }

    fn push_row(&mut self, step: u64, values: &[Cell<'_>]) -> Result<(), RecordingFault> {
        if values.len() + 1 != self.columns {
            let (found, expected) = (values.len() + 1, self.columns);
            let what = format!("{found} columns, the table has {expected}");
            return Err(RecordingFault::Misfit { step, what });
        }
        self.line.push_str(&step.to_string());
        for value in values {
            self.line.push(',');
            push_cell(&mut self.line, value);
        }
        self.line.push('\n');
        Ok(())
    }

    fn write_lines(&mut self) -> Result<(), RecordingFault> {
        if let Err(error) = self.file.write_all(self.line.as_bytes()) {
            // Best effort: the first error is the one to report, and resuming copes with half a
            // row.
            let _ = self.file.set_len(self.end);
            return Err(error.into());
        }
        self.end += self.line.len() as u64;
        self.checksum.update(self.line.as_bytes());
        Ok(())
    }

    /// Waits until everything is on the disk.
    pub fn sync(&self) -> Result<(), RecordingError> {
        self.file
            .sync_data()
            .map_err(|e| RecordingFault::Io(e).of(&self.path))
    }
}

/// Appends a cell.
pub(crate) fn push_cell(line: &mut String, value: &Cell<'_>) {
    match value {
        Cell::Integer(x) => line.push_str(&x.to_string()),
        Cell::Real(x) => line.push_str(&format!("{x:?}")),
        Cell::Text(text) => {
            let text = text.replace(['\r', '\n'], " ");
            if text.contains([',', '"']) {
                line.push_str(&format!("\"{}\"", text.replace('"', "\"\"")));
            } else {
                line.push_str(&text);
            }
        }
    }
}

/// How many rows to keep, and where they end.
fn keep(
    mut file: impl BufRead,
    columns: &[&str],
    after_step: u64,
    checksum: &mut Hasher,
) -> Result<(u64, u64), RecordingFault> {
    let row = |line, what| RecordingFault::Row { line, what };
    let mut line = Vec::new();
    read_columns(&mut file, columns, &mut line)?;
    checksum.update(&line);
    let (mut rows, mut end) = (0, line.len() as u64);
    loop {
        line.clear();
        file.read_until(b'\n', &mut line)?;
        if line.last() != Some(&b'\n') {
            return Ok((rows, end));
        }
        let first = line.split(|&b| b == b',').next().unwrap_or_default();
        let first = String::from_utf8_lossy(first);
        let step: u64 = first
            .parse()
            .map_err(|_| row(rows + 2, format!("{first:?} is not the number of a step")))?;
        if step > after_step {
            return Ok((rows, end));
        }
        rows += 1;
        end += line.len() as u64;
        checksum.update(&line);
    }
}

/// Reads the line of names into `line`; other names than expected are an error.
fn read_columns(
    file: &mut impl BufRead,
    columns: &[&str],
    line: &mut Vec<u8>,
) -> Result<(), RecordingFault> {
    let expected = columns.join(",");
    // No longer than it may be: a file without line ends is not read whole.
    let most = expected.len() as u64 + 1;
    file.by_ref().take(most).read_until(b'\n', line)?;
    if line.strip_suffix(b"\n") == Some(expected.as_bytes()) {
        return Ok(());
    }
    let found = String::from_utf8_lossy(line);
    let what = format!("the columns are {found:?}, expected {expected:?}");
    Err(RecordingFault::Row { line: 1, what })
}

/// What is wrong with a table up to its mark, if anything.
fn damage(
    file: &File,
    columns: &[&str],
    mark: TableMark,
) -> Result<Option<String>, RecordingFault> {
    let mut checksum = Hasher::new();
    let mut marked = BufReader::new(file).take(mark.bytes);
    let mut line = Vec::new();
    let names = read_columns(&mut marked, columns, &mut line);
    checksum.update(&line);
    loop {
        let read = marked.fill_buf()?;
        if read.is_empty() {
            break;
        }
        checksum.update(read);
        let length = read.len();
        marked.consume(length);
    }
    let found = checksum.finalize();
    if found != mark.checksum {
        let noted = mark.checksum;
        let words = format!("checksum {noted:08x} is noted, the rows give {found:08x}");
        return Ok(Some(words));
    }
    // Whole, but of another table: rows cannot be added to it.
    names.map(|()| None)
}
