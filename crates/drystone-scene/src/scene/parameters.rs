//! Named numbers.

use drystone_collide::number::Number;
use toml::de::{DeTable, DeValue};

use super::body::INDICES;
use super::error::{FaultAt, FaultKind, MOST_FAULTS};
use super::expression::{Measure, Measured};
use super::key::Form;
use super::reader::{Reader, Value};
use super::units::unit;
use crate::quote::word;

/// Names that expressions use for something else.
const RESERVED: [&str; 4] = ["pi", "t", "x", "y"];

/// Evaluates `[parameters]` in the order of the text and puts them into the scope of all
/// expressions.
pub(crate) fn read(root: &Reader<'_>, faults: &mut Vec<FaultAt>) {
    let Some(value) = root.value("parameters") else {
        return;
    };
    let DeValue::Table(table) = value.item.get_ref() else {
        faults.push(value.fault(FaultKind::Type {
            found: value.item.get_ref().type_str().to_owned(),
            expected: value.form.words(),
        }));
        return;
    };
    for (name, item) in in_order(table) {
        if faults.len() >= MOST_FAULTS {
            return;
        }
        let parameter = Value {
            cx: root.cx,
            item,
            form: &Form::Parameters,
            path: format!("parameters.{}", name.get_ref()),
        };
        match evaluate(&parameter, name.get_ref()) {
            Ok(number) => {
                let mut scope = root.cx.scope.borrow_mut();
                scope.parameters.insert(name.get_ref().to_string(), number);
            }
            Err(fault) => faults.push(fault),
        }
    }
}

/// Parameters that no expression uses, in words with their lines. For scenes without faults: then
/// every expression was read.
pub(crate) fn unused(root: &Reader<'_>) -> Vec<String> {
    let Some(DeValue::Table(table)) = root.item("parameters").map(|item| item.get_ref()) else {
        return Vec::new();
    };
    let scope = root.cx.scope.borrow();
    let used = scope.used.borrow();
    let entries = in_order(table).into_iter();
    let unused = entries.filter(|(name, _)| !used.contains(name.get_ref().as_ref()));
    let words = unused.map(|(name, _)| {
        let before = root.cx.text.get(..name.span().start).unwrap_or_default();
        let line = 1 + before.matches('\n').count();
        let name = word(name.get_ref());
        format!("line {line}: the parameter `{name}` is used nowhere")
    });
    words.collect()
}

type Entry<'t, 'a> = (
    &'t toml::Spanned<toml::de::DeString<'a>>,
    &'t toml::Spanned<DeValue<'a>>,
);

/// Entries as they stand in the text; the table itself is sorted by name.
fn in_order<'t, 'a>(table: &'t DeTable<'a>) -> Vec<Entry<'t, 'a>> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(name, _)| name.span().start);
    entries
}

fn evaluate(parameter: &Value<'_>, name: &str) -> Result<Measured, FaultAt> {
    let is_word = name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit());
    if !is_word {
        return Err(parameter.fault(FaultKind::Range {
            value: format!("`{}`", word(name)),
            expected: "a name of letters, digits and _, not beginning with a digit".to_owned(),
        }));
    }
    let taken = match unit(name) {
        Some((.., words)) => Some(format!("the unit {words}")),
        None if RESERVED.contains(&name) || INDICES.contains(&name) => {
            Some("something else in expressions".to_owned())
        }
        None => None,
    };
    if let Some(taken) = taken {
        let words = format!("`{name}` means {taken}: choose another name");
        return Err(parameter.fault(FaultKind::Conflict(words)));
    }
    let expression = parameter.untyped(&[])?;
    let number = expression.evaluate(&[]);
    if !number.is_finite() {
        return Err(parameter.fault(FaultKind::Range {
            value: Number(number).to_string(),
            expected: "a finite number".to_owned(),
        }));
    }
    let measure = match expression.measure {
        // What a plain number measures, only its user knows.
        Measure::Plain | Measure::Free => Measure::Free,
        Measure::Known(dimension) => Measure::Known(dimension),
    };
    Ok(Measured { number, measure })
}
