//! Results as rows of named cells, and cells as text: for CSV files, for JSON and for people.

use drystone_ccp::HistoryRow;
use drystone_ccp::SolveInfo;
use serde_json::{Map, Value};

use crate::job::ProblemFacts;

/// One entry of a result.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A word.
    Text(String),
    /// A count.
    Count(usize),
    /// A number. One that is not finite is written as nothing.
    Number(f64),
    /// Nothing.
    Empty,
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<usize> for Cell {
    fn from(count: usize) -> Self {
        Self::Count(count)
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<Option<f64>> for Cell {
    fn from(number: Option<f64>) -> Self {
        number.map_or(Self::Empty, Self::Number)
    }
}

impl Cell {
    /// For CSV: shortest digits that read back as the same number, nothing where there is none.
    pub fn csv(&self) -> String {
        match self {
            Self::Text(text) => quoted(text),
            Self::Count(count) => count.to_string(),
            Self::Number(number) if number.is_finite() => format!("{:e}", unsigned_zero(*number)),
            Self::Number(_) | Self::Empty => String::new(),
        }
    }

    /// For JSON, which knows no numbers that are not finite: null.
    pub fn json(&self) -> Value {
        match self {
            Self::Text(text) => Value::from(text.as_str()),
            Self::Count(count) => Value::from(*count),
            Self::Number(number) => Value::from(unsigned_zero(*number)),
            Self::Empty => Value::Null,
        }
    }

    /// For people: about four digits, enough to compare.
    pub fn short(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Count(count) => count.to_string(),
            Self::Number(number) => short_number(*number),
            Self::Empty => "–".to_owned(),
        }
    }

    /// For people who compare with another code: nine digits.
    pub fn precise(&self) -> String {
        match self {
            Self::Number(number) => precise_number(*number),
            Self::Text(_) | Self::Count(_) | Self::Empty => self.short(),
        }
    }
}

/// The number itself, but no −0.0, the sum over nothing.
fn unsigned_zero(number: f64) -> f64 {
    if number == 0.0 { 0.0 } else { number }
}

/// Whole numbers below this are counts, and are written in full.
const WHOLE: f64 = 1e7;

/// A published number as a paper prints it: whole ones in full, others in about four digits.
pub fn published_number(value: f64) -> String {
    match value.fract() == 0.0 && value.abs() < WHOLE {
        true => format!("{value}"),
        false => short_number(value),
    }
}

/// A number in about four digits, for people, large whole ones in full; a dash if it is not finite.
pub fn short_number(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        "–".to_owned()
    } else if size == 0.0 {
        "0".to_owned()
    } else if (0.01..10_000.0).contains(&size) {
        let digits = (3 - size.log10().floor() as i32).clamp(0, 5) as usize;
        format!("{value:.digits$}")
    } else if (1.0..WHOLE).contains(&size) && value.fract() == 0.0 {
        format!("{value}")
    } else {
        format!("{value:.2e}")
    }
}

/// A number in nine digits.
fn precise_number(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || !value.is_finite() {
        short_number(value)
    } else if (0.01..1e9).contains(&size) {
        let digits = (8 - size.log10().floor() as i32).clamp(0, 10) as usize;
        format!("{value:.digits$}")
    } else {
        format!("{value:.8e}")
    }
}

/// A count with its noun: "1 problem", "2 problems".
pub fn plural(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// A field of a CSV file, in quotes where it must be.
pub(crate) fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// Named cells, in order.
pub type Row = Vec<(&'static str, Cell)>;

/// What every table says of a problem; empty cells where its facts are not known.
pub fn problem_cells(name: &str, facts: Option<&ProblemFacts>) -> Row {
    let count = |of: fn(&ProblemFacts) -> usize| facts.map_or(Cell::Empty, |f| Cell::Count(of(f)));
    vec![
        ("problem", name.into()),
        ("contacts", count(|f| f.contacts)),
        ("rows", count(|f| f.rows)),
        ("mean_diagonal", facts.map(|f| f.mean_diagonal).into()),
    ]
}

/// What every table says of a run; empty cells where there was none.
pub fn run_cells(info: Option<&SolveInfo>) -> Row {
    let count = |of: fn(&SolveInfo) -> usize| info.map_or(Cell::Empty, |i| Cell::Count(of(i)));
    let number = |of: fn(&SolveInfo) -> f64| info.map_or(Cell::Empty, |i| Cell::Number(of(i)));
    vec![
        ("iterations", count(|i| i.iterations)),
        ("products", count(|i| i.products)),
        ("work", number(|i| i.work)),
        ("seconds", number(|i| i.seconds)),
        ("residual", number(|i| i.certificate.residual)),
        (
            "residual_velocity",
            number(|i| i.certificate.residual_velocity),
        ),
        ("objective", number(|i| i.certificate.objective)),
        ("cone_violation", number(|i| i.certificate.cone_violation)),
        ("dual_violation", number(|i| i.certificate.dual_violation)),
        (
            "duality_gap",
            info.and_then(|i| i.certificate.duality_gap).into(),
        ),
    ]
}

/// The cell of a name; empty if the row has none of that name.
pub fn cell<'a>(row: &'a Row, name: &str) -> &'a Cell {
    row.iter()
        .find(|(n, _)| *n == name)
        .map_or(&Cell::Empty, |(_, cell)| cell)
}

/// The heading of a CSV file.
pub(crate) fn csv_heading(row: &Row) -> String {
    let names: Vec<&str> = row.iter().map(|(name, _)| *name).collect();
    names.join(",") + "\n"
}

/// A line of a CSV file.
pub(crate) fn csv_line(row: &Row) -> String {
    let cells: Vec<String> = row.iter().map(|(_, cell)| cell.csv()).collect();
    cells.join(",") + "\n"
}

/// The row as a JSON object.
pub fn json_object(row: &Row) -> Value {
    let entries = row.iter().map(|(name, cell)| ((*name).into(), cell.json()));
    Value::Object(entries.collect::<Map<String, Value>>())
}

/// The history of a solve as a CSV file: one row per check of the residual.
pub fn history_csv(history: &[HistoryRow]) -> String {
    let mut text = csv_heading(&history_cells(None));
    for row in history {
        text.push_str(&csv_line(&history_cells(Some(row))));
    }
    text
}

fn history_cells(row: Option<&HistoryRow>) -> Row {
    let count = |of: fn(&HistoryRow) -> usize| row.map_or(Cell::Empty, |r| Cell::Count(of(r)));
    let number = |of: fn(&HistoryRow) -> f64| row.map_or(Cell::Empty, |r| Cell::Number(of(r)));
    vec![
        ("iteration", count(|r| r.iteration)),
        ("products", count(|r| r.products)),
        ("seconds", number(|r| r.seconds)),
        ("residual", number(|r| r.residual)),
        ("residual_velocity", number(|r| r.residual_velocity)),
        ("objective", number(|r| r.objective)),
        ("apgd_residual", number(|r| r.measures.apgd_residual)),
        (
            "spectral_residual",
            number(|r| r.measures.spectral_residual),
        ),
        (
            "projected_gradient",
            number(|r| r.measures.projected_gradient),
        ),
        ("complementarity", number(|r| r.measures.complementarity)),
        ("active_set", count(|r| r.measures.active_set)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_finite_stays_valid() {
        let row: Row = vec![
            ("a", f64::NAN.into()),
            ("b", f64::INFINITY.into()),
            ("c", "x\",\n".into()),
        ];
        let json = json_object(&row).to_string();
        assert_eq!(json, r#"{"a":null,"b":null,"c":"x\",\n"}"#);
        assert_eq!(csv_line(&row), ",,\"x\"\",\n\"\n");
    }

    #[test]
    fn numbers_survive_a_csv_file() {
        for value in [1.0 / 3.0, -2.5e-300, 6.02e23, 0.0] {
            assert_eq!(Cell::from(value).csv().parse::<f64>().unwrap(), value);
        }
    }

    #[test]
    fn short_numbers() {
        let expected = [
            (0.0, "0"),
            (0.012345, "0.01235"),
            (12.3456, "12.35"),
            (1234.56, "1235"),
            (1.0e-9, "1.00e-9"),
            (-169_141.0, "-169141"),
            (16_108.1, "1.61e4"),
            (3e7, "3.00e7"),
        ];
        for (value, text) in expected {
            assert_eq!(short_number(value), text);
        }
        for (value, text) in [(23.0, "23"), (11_485.0, "11485"), (0.5992, "0.5992")] {
            assert_eq!(published_number(value), text);
        }
    }

    #[test]
    fn precise_numbers() {
        let expected = [
            (-0.0, "0"),
            (f64::NAN, "–"),
            (0.0123456789012, "0.0123456789"),
            (-12.3456789012, "-12.3456789"),
            (123456789.6, "123456790"),
            (1.23456789012e-9, "1.23456789e-9"),
            (1.23456789012e12, "1.23456789e12"),
        ];
        for (value, text) in expected {
            assert_eq!(Cell::from(value).precise(), text);
        }
    }

    #[test]
    fn zero_has_no_sign() {
        let row: Row = vec![("a", (-0.0).into()), ("b", Some(-0.0).into())];
        assert_eq!(json_object(&row).to_string(), r#"{"a":0.0,"b":0.0}"#);
        assert_eq!(csv_line(&row), "0e0,0e0\n");
    }
}
