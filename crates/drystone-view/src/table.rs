//! The tables of a run as columns of numbers.
//!
//! Tables with several rows a step, such as one for each pair of bodies, come wide: a column for
//! each pair and figure, named `PAIR fx`.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use drystone::Termination;
use drystone_run::regular;
use serde_json::{Value, json};

use crate::error::ViewError;
use crate::resource::TableName;

/// Steps of a table that are sent, at most: more than a plot has pixels. Of longer tables, one step
/// in so many is sent.
const MOST_STEPS: usize = 20_000;
/// Names that a wide table has columns for, at most.
const MOST_NAMES: usize = 200;

/// Tables that were read, by the length of their files.
#[derive(Default)]
pub struct TableCache {
    tables: Mutex<HashMap<TableName, (u64, Arc<Value>)>>,
    unconverged: Mutex<(u64, Unconverged)>,
}

/// Steps that did not converge.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unconverged {
    /// Their numbers; some are left out where there are more than a page can mark.
    pub steps: Vec<u64>,
    /// How many there are.
    pub count: usize,
}

impl TableCache {
    /// A table; none where it has no line of names yet.
    pub fn table(&self, name: TableName, file: &Path) -> Result<Option<Arc<Value>>, ViewError> {
        let length = length(file)?;
        if let Some((known, table)) = lock(&self.tables).get(&name)
            && *known == length
        {
            return Ok(Some(table.clone()));
        }
        let Some(table) = read(file)? else {
            return Ok(None);
        };
        let table = Arc::new(table);
        lock(&self.tables).insert(name, (length, table.clone()));
        Ok(Some(table))
    }

    /// Which steps did not converge, by the table of steps. What cannot be read does not count.
    pub fn unconverged(&self, file: &Path) -> Unconverged {
        let Ok(length) = length(file) else {
            return Unconverged::default();
        };
        let mut cached = lock(&self.unconverged);
        if cached.0 != length {
            *cached = (length, unconverged(file).unwrap_or_default());
        }
        cached.1.clone()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn length(file: &Path) -> Result<u64, ViewError> {
    let found = std::fs::metadata(file).map_err(|e| ViewError::io(file, e))?;
    Ok(found.len())
}

/// Calls `row` with every whole row; the last line may be half written. The result is the names.
fn rows(
    file: &Path,
    mut row: impl FnMut(&[String], &[String]),
) -> Result<Option<Vec<String>>, ViewError> {
    let failed = |e| ViewError::io(file, e);
    let mut reader = BufReader::new(regular::open(file).map_err(failed)?);
    let (mut line, mut names) = (Vec::new(), None);
    loop {
        line.clear();
        reader.read_until(b'\n', &mut line).map_err(failed)?;
        if line.pop() != Some(b'\n') {
            return Ok(names);
        }
        let cells = cells(&String::from_utf8_lossy(&line));
        match &names {
            None => names = Some(cells),
            Some(names) if cells.len() == names.len() => row(names, &cells),
            // Damaged.
            Some(_) => {}
        }
    }
}

/// The cells of a line; those with commas stand between quotes, and quotes in them are doubled.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' if quoted && rest.peek() == Some(&'"') => {
                rest.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(std::mem::take(&mut cell)),
            c => cell.push(c),
        }
    }
    cells.push(cell);
    cells
}

/// Columns that name what a row is of: a table with one has several rows a step.
const KEYS: [&str; 2] = ["pair", "joint"];

/// A table that is being read.
#[derive(Default)]
struct Wide {
    columns: Vec<String>,
    values: Vec<Vec<Option<f64>>>,
    /// Where the columns of a name begin.
    names: HashMap<String, usize>,
    /// The first cell of the last row.
    step: String,
    /// Steps so far.
    steps: usize,
    /// Rows so far.
    rows: usize,
}

impl Wide {
    fn add(&mut self, names: &[String], cells: &[String], stride: usize) {
        let is_new = self.steps == 0 || cells.first() != Some(&self.step);
        if is_new {
            self.steps += 1;
            self.step = cells.first().cloned().unwrap_or_default();
        }
        if !(self.steps - 1).is_multiple_of(stride) {
            return;
        }
        self.rows += usize::from(is_new);
        let key = names.iter().position(|name| KEYS.contains(&name.as_str()));
        let figures = names.iter().enumerate().filter(|(k, _)| Some(*k) != key);
        let (shared, own): (Vec<_>, Vec<_>) = figures
            .partition(|(_, name)| key.is_none() || ["step", "time"].contains(&name.as_str()));
        if self.columns.is_empty() {
            self.columns = shared.iter().map(|(_, name)| (*name).clone()).collect();
            self.values = vec![Vec::new(); self.columns.len()];
        }
        for (column, (k, _)) in shared.iter().enumerate() {
            self.set(column, &cells[*k]);
        }
        let Some(key) = key.map(|k| cells[k].as_str()) else {
            return;
        };
        let begin = match self.names.get(key) {
            Some(begin) => *begin,
            None if self.names.len() == MOST_NAMES => return,
            None => {
                let begin = self.columns.len();
                let titles = own.iter().map(|(_, name)| format!("{key} {name}"));
                self.columns.extend(titles);
                self.values.resize(self.columns.len(), Vec::new());
                self.names.insert(key.to_owned(), begin);
                begin
            }
        };
        for (column, (k, _)) in own.iter().enumerate() {
            self.set(begin + column, &cells[*k]);
        }
    }

    /// Sets a figure of the last row.
    fn set(&mut self, column: usize, cell: &str) {
        let values = &mut self.values[column];
        // Names that come later, or not in every step, leave gaps.
        values.resize(self.rows, None);
        if let Some(last) = values.last_mut() {
            *last = cell.parse().ok();
        }
    }

    /// As the page reads it, without columns of words.
    fn json(mut self, stride: usize) -> Value {
        self.values
            .iter_mut()
            .for_each(|v| v.resize(self.rows, None));
        let columns = self.columns.into_iter().zip(self.values);
        let is_number = |(_, values): &(String, Vec<Option<f64>>)| {
            values.is_empty() || values.iter().any(Option::is_some)
        };
        let (columns, values): (Vec<_>, Vec<_>) = columns.filter(is_number).unzip();
        let units: Vec<_> = columns.iter().map(|name| unit(name)).collect();
        json!({ "columns": columns, "units": units, "values": values, "every": stride })
    }
}

/// The unit of a column, by its name.
fn unit(column: &str) -> &'static str {
    let figure = column.rsplit(' ').next().unwrap_or(column);
    match figure {
        "time" => "s",
        "penetration" => "m",
        "residual_velocity" | "lift_off" | "relaxed_difference" | "fastest" => "m/s",
        "kinetic_energy" | "potential_energy" => "J",
        "fx" | "fy" | "fz" => "N",
        "tx" | "ty" | "tz" => "N m",
        name if name.starts_with("seconds") => "s",
        _ => "",
    }
}

fn read(file: &Path) -> Result<Option<Value>, ViewError> {
    let (mut steps, mut last) = (0_usize, None::<String>);
    rows(file, |_, cells| {
        if last.as_deref() != cells.first().map(String::as_str) {
            steps += 1;
            last = cells.first().cloned();
        }
    })?;
    let stride = steps.div_ceil(MOST_STEPS).max(1);
    let mut wide = Wide::default();
    let names = rows(file, |names, cells| wide.add(names, cells, stride))?;
    Ok(names.map(|_| wide.json(stride)))
}

fn unconverged(file: &Path) -> Result<Unconverged, ViewError> {
    let mut steps = Vec::new();
    rows(file, |names, cells| {
        let cell = |name: &str| {
            let column = names.iter().position(|n| n == name)?;
            cells.get(column)
        };
        let converged = cell("termination").is_none_or(|t| t == Termination::Converged.name());
        if !converged && let Some(Ok(step)) = cell("step").map(|step| step.parse()) {
            steps.push(step);
        }
    })?;
    let count = steps.len();
    let stride = count.div_ceil(MOST_STEPS).max(1);
    let steps = steps.into_iter().step_by(stride).collect();
    Ok(Unconverged { steps, count })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Option<Value> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("table.csv");
        std::fs::write(&file, text).unwrap();
        read(&file).unwrap()
    }

    #[test]
    fn columns_of_words_and_a_half_row_are_left_out() {
        let found =
            table("step,time,method,residual\n1,0.5,apgd,1e-3\n2,1,pdip,NaN\n3,1.").unwrap();
        assert_eq!(found["columns"], json!(["step", "time", "residual"]));
        assert_eq!(found["units"], json!(["", "s", ""]));
        assert_eq!(
            found["values"],
            json!([[1.0, 2.0], [0.5, 1.0], [1e-3, null]])
        );
        assert_eq!(table("step,ti"), None);
        assert_eq!(table("step\n").unwrap()["values"], json!([]));
    }

    #[test]
    fn tables_with_several_rows_a_step_come_wide() {
        let text = "step,time,pair,fx\n1,0.1,\"a, \"\"b\"\"\",0.5\n1,0.1,c,2\n2,0.2,c,3\n";
        let found = table(text).unwrap();
        assert_eq!(
            found["columns"],
            json!(["step", "time", "a, \"b\" fx", "c fx"])
        );
        assert_eq!(found["units"], json!(["", "s", "N", "N"]));
        let expected = json!([[1.0, 2.0], [0.1, 0.2], [0.5, null], [2.0, 3.0]]);
        assert_eq!(found["values"], expected);
    }

    #[test]
    fn of_a_long_table_whole_steps_are_left_out() {
        let mut text = "step,pair,fx\n".to_owned();
        for step in 0..3 * MOST_STEPS {
            text += &format!("{step},a,1\n{step},b,2\n");
        }
        let found = table(&text).unwrap();
        assert_eq!(found["every"], 3);
        assert_eq!(found["values"][0][1], 3.0);
        assert_eq!(found["values"][2].as_array().unwrap().len(), MOST_STEPS);
    }

    #[test]
    fn steps_that_did_not_converge_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("log.csv");
        std::fs::write(
            &file,
            "step,termination\n1,converged\n2,iterations\n7,time\n",
        )
        .unwrap();
        let found = TableCache::default().unconverged(&file);
        assert_eq!((found.steps, found.count), (vec![2, 7], 2));
    }
}
