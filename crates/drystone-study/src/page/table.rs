//! Tables of a page, sorted by pressing a heading.

use std::fmt::Write;

use super::escape;
use crate::table::Cell;
use drystone_draw::plot::{CurveLook, legend_swatch};

/// A table.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows, each with one entry per column. An entry that spans the rest of the row is the
    /// last.
    pub rows: Vec<Vec<Entry>>,
    /// In small print below; may be empty.
    pub note: String,
    /// Whether it may have so many rows that it scrolls within the page.
    pub tall: bool,
}

impl Table {
    /// A table without rows.
    pub fn new(columns: Vec<Column>) -> Self {
        Self {
            columns,
            ..Self::default()
        }
    }
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    /// What stands above it.
    pub heading: String,
    /// Whether it holds words, which are aligned to the left and sorted by their letters.
    pub is_word: bool,
}

impl Column {
    /// A column of words.
    pub fn word(heading: &str) -> Self {
        Self {
            heading: heading.to_owned(),
            is_word: true,
        }
    }

    /// A column of numbers.
    pub fn number(heading: &str) -> Self {
        Self {
            heading: heading.to_owned(),
            is_word: false,
        }
    }
}

/// A cell and how it is shown.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What it is, and what the table is sorted by.
    pub cell: Cell,
    /// What is written instead of its few digits.
    pub text: Option<String>,
    /// How it stands out.
    pub tone: Tone,
    /// Before the text: a piece of the curve that it is about.
    pub swatch: Option<CurveLook>,
}

/// How an entry stands out from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Not at all.
    Plain,
    /// As it should be.
    Good,
    /// Not as it should be.
    Bad,
    /// A name that may be long: shortened, and shown whole under the pointer.
    Name,
    /// A sentence across the rest of the row, where there are no numbers.
    Reason,
}

impl<T: Into<Cell>> From<T> for Entry {
    fn from(cell: T) -> Self {
        Self {
            cell: cell.into(),
            text: None,
            tone: Tone::Plain,
            swatch: None,
        }
    }
}

impl Entry {
    /// The same in the colour of what is as it should be.
    pub fn good(self) -> Self {
        self.tone(Tone::Good)
    }

    /// The same in the colour of what is not as it should be.
    pub fn bad(self) -> Self {
        self.tone(Tone::Bad)
    }

    /// The same standing out in this way.
    pub fn tone(self, tone: Tone) -> Self {
        Self { tone, ..self }
    }

    /// The same with another text; the table is sorted by the cell nevertheless.
    pub fn shown_as(self, text: impl Into<String>) -> Self {
        Self {
            text: Some(text.into()),
            ..self
        }
    }

    /// The same behind a piece of a curve.
    pub fn swatch(self, look: CurveLook) -> Self {
        Self {
            swatch: Some(look),
            ..self
        }
    }
}

impl Table {
    /// The table as HTML, without its note.
    pub fn html(&self) -> String {
        let mut out = String::new();
        // Writing into a string cannot fail.
        let _ = self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        let tall = if self.tall { " tall" } else { "" };
        writeln!(out, "<div class=\"scroll{tall}\"><table><thead><tr>")?;
        for column in &self.columns {
            let class = if column.is_word { " class=\"w\"" } else { "" };
            let heading = escape(&column.heading);
            write!(
                out,
                "<th{class}><button type=\"button\">{heading}</button></th>"
            )?;
        }
        writeln!(out, "</tr></thead><tbody>")?;
        for row in &self.rows {
            write!(out, "<tr>")?;
            for (k, (entry, column)) in row.iter().zip(&self.columns).enumerate() {
                entry.write(out, column.is_word, self.columns.len() - k)?;
            }
            writeln!(out, "</tr>")?;
        }
        write!(out, "</tbody></table></div>")
    }
}

impl Entry {
    /// Writes it into a column of words or numbers; `left` columns are left in its row.
    fn write(&self, out: &mut String, is_word: bool, left: usize) -> std::fmt::Result {
        let text = escape(&self.text.clone().unwrap_or_else(|| self.cell.short()));
        if self.tone == Tone::Reason {
            return write!(
                out,
                "<td class=\"w reason\" colspan=\"{left}\"><span>{text}</span></td>"
            );
        }
        let mut classes = Vec::new();
        if is_word {
            classes.push("w");
        }
        classes.extend(match self.tone {
            Tone::Plain | Tone::Reason => None,
            Tone::Good => Some("good"),
            Tone::Bad => Some("bad"),
            Tone::Name => Some("name"),
        });
        write!(out, "<td")?;
        if !classes.is_empty() {
            write!(out, " class=\"{}\"", classes.join(" "))?;
        }
        if self.tone == Tone::Name {
            write!(out, " title=\"{text}\"")?;
        }
        match &self.cell {
            Cell::Count(count) => write!(out, " data-v=\"{count}\"")?,
            Cell::Number(number) if number.is_finite() => write!(out, " data-v=\"{number:e}\"")?,
            Cell::Number(_) | Cell::Text(_) | Cell::Empty => {}
        }
        let swatch = self.swatch.as_ref().map(legend_swatch).unwrap_or_default();
        write!(out, ">{swatch}{text}</td>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_keep_what_the_table_is_sorted_by() {
        let table = Table {
            rows: vec![
                vec![
                    Entry::from("a").tone(Tone::Name),
                    Entry::from(3).shown_as("3 of 4").good(),
                    Entry::from(0.5),
                ],
                vec!["b".into(), Entry::from("not run").tone(Tone::Reason)],
                vec!["c".into(), f64::NAN.into(), Cell::Empty.into()],
            ],
            ..Table::new(vec![
                Column::word("case"),
                Column::number("solved"),
                Column::number("time (s)"),
            ])
        };
        let html = table.html();
        for row in [
            "<td class=\"w name\" title=\"a\">a</td><td class=\"good\" data-v=\"3\">3 of 4</td>\
             <td data-v=\"5e-1\">0.5000</td>",
            "<td class=\"w\">b</td><td class=\"w reason\" colspan=\"2\"><span>not run</span></td>",
            "<td class=\"w\">c</td><td>–</td><td>–</td>",
        ] {
            assert!(html.contains(row), "{html}");
        }
    }
}
