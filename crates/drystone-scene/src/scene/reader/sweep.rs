//! Every fault that the description of a table can tell.
//!
//! The readers stop at the first fault of a table. What stands beside it may be wrong too, and
//! whoever
//! mends the one wants to know of the others. So a table with a fault is gone through once more, key
//! by key.

use toml::de::DeValue;

use super::{Reader, Value};
use crate::scene::body::with_indices;
use crate::scene::error::{FaultAt, FaultKind, MOST_FAULTS};
use crate::scene::key::{Form, Need, Table};
use crate::scene::suggest::nearest;

/// Adds all faults of a value that are not known yet.
pub(crate) fn sweep(value: &Value<'_>, faults: &mut Vec<FaultAt>) {
    let mut found = Vec::new();
    // Numbers of an array's bodies have a value here too, so that expressions of them have.
    with_indices(value.cx, || all_faults(value, &mut found));
    for fault in found {
        // A place has one fault, and what the reader says of it is the better one. Several keys may
        // be missing at one place.
        let same = |f: &FaultAt| f.key == fault.key && f.span == fault.span;
        let missing = matches!(*fault.kind, FaultKind::Missing { .. });
        let known = faults.contains(&fault) || (!missing && faults.iter().any(same));
        if !known && faults.len() < MOST_FAULTS {
            faults.push(fault);
        }
    }
}

fn all_faults(value: &Value<'_>, faults: &mut Vec<FaultAt>) {
    match value.form {
        Form::Number(_) => faults.extend(value.number().err()),
        Form::Function(..) => faults.extend(value.function().err()),
        Form::Integer => faults.extend(value.integer().err()),
        Form::Vector(quantity) => match value.item.get_ref() {
            DeValue::Array(list) if list.len() == 3 => {
                for (axis, item) in list.iter().enumerate() {
                    let entry = Value {
                        cx: value.cx,
                        item,
                        form: Form::number(*quantity),
                        path: format!("{}[{axis}]", value.path),
                    };
                    faults.extend(entry.number().err());
                }
            }
            _ => faults.push(value.wrong_type()),
        },
        Form::Text | Form::Color | Form::File => faults.extend(value.long_text().err()),
        Form::Flag => faults.extend(value.flag().err()),
        Form::Choice(known) => faults.extend(choice_fault(value, &known())),
        Form::Table(table) => faults_of_table(value, **table, &[], faults),
        Form::Variants(variants) => {
            let kind = match value.item.get_ref() {
                DeValue::Table(table) => table.get("type").and_then(|kind| kind.get_ref().as_str()),
                _ => None,
            };
            let types = (variants.types)();
            // Of a type that is none the keys are not known.
            if let Some(table) = types.into_iter().find(|table| Some(table.name) == kind) {
                faults_of_table(value, table, &["type"], faults);
            }
        }
        Form::List(_) => match value.entries() {
            Ok(entries) => entries.iter().for_each(|entry| all_faults(entry, faults)),
            Err(fault) => faults.push(fault),
        },
        // Which of the forms was meant, only the reader knows.
        Form::Either(_) | Form::Parameters | Form::Texts | Form::MethodOptions => {}
    }
}

fn choice_fault(value: &Value<'_>, known: &[&'static str]) -> Option<FaultAt> {
    match value.item.get_ref() {
        DeValue::String(text) if known.iter().any(|k| *k == &**text) => None,
        DeValue::String(text) => Some(
            value
                .wrong_type()
                .suggesting(nearest(text, known.iter().copied())),
        ),
        _ => Some(value.wrong_type()),
    }
}

fn faults_of_table(
    value: &Value<'_>,
    spec: Table,
    also: &'static [&'static str],
    faults: &mut Vec<FaultAt>,
) {
    let DeValue::Table(table) = value.item.get_ref() else {
        faults.push(value.wrong_type());
        return;
    };
    let reader = Reader {
        cx: value.cx,
        table,
        spec,
        path: value.path.clone(),
        span: value.item.span(),
    };
    let unknown: Vec<FaultAt> = reader.unknown_keys(also).collect();
    // A key that is misspelt is not missing as well.
    let misspelt = |key: &str| unknown.iter().any(|f| f.suggestion.as_deref() == Some(key));
    for key in spec.keys {
        match reader.value(key.name) {
            Some(value) => all_faults(&value, faults),
            None if key.need == Need::Required && !misspelt(key.name) => {
                faults.extend(reader.need::<()>(key.name, None).err());
            }
            None => {}
        }
    }
    faults.extend(unknown);
}
