//! Overrides: `--set name=value` changes the text of a scene, so that the text with the overrides is a scene of its own.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::SceneError;
use super::keys::SCENE;
use super::suggest::nearest;

/// The text with one override applied. The text is valid TOML.
pub(crate) fn set(text: &str, name: &str, value: &str) -> Result<String, SceneError> {
    let fail = |fault: Refusal| SceneError::Override {
        name: name.to_owned(),
        value: value.to_owned(),
        reason: fault.reason,
        suggestion: fault.suggestion,
    };
    let document = DeTable::parse(text).map_err(|e| fail(e.message().into()))?;
    let path = path_of(document.get_ref(), name).map_err(fail)?;
    let edit = find(text, document.get_ref(), &path, &written(value)).map_err(fail)?;
    let mut edited = text.to_owned();
    edited.replace_range(edit.range, &edit.text);
    match DeTable::parse(&edited) {
        Ok(_) => Ok(edited),
        Err(_) => Err(fail(
            "it cannot be put into the text; write it there".into(),
        )),
    }
}

/// Why an override cannot be.
struct Refusal {
    reason: String,
    suggestion: Option<String>,
}

impl<T: Into<String>> From<T> for Refusal {
    fn from(reason: T) -> Self {
        Self {
            reason: reason.into(),
            suggestion: None,
        }
    }
}

/// A value as TOML: as it is where it is TOML, else as text, which expressions are.
fn written(value: &str) -> String {
    let value = value.trim();
    if DeValue::parse(value).is_ok() {
        return value.to_owned();
    }
    let mut quoted = String::from("\"");
    for c in value.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// The keys that lead to what is meant: a parameter, or any key by its path, `body.slab.mass` or `body[2].mass`.
fn path_of(document: &DeTable<'_>, name: &str) -> Result<Vec<String>, Refusal> {
    let parameters = document
        .get("parameters")
        .and_then(|p| p.get_ref().as_table());
    if parameters.is_some_and(|p| p.contains_key(name)) {
        return Ok(vec!["parameters".to_owned(), name.to_owned()]);
    }
    let spread = name.replace('[', ".").replace(']', "");
    let path: Vec<_> = spread.split('.').map(str::to_owned).collect();
    if path.iter().any(|part| !is_bare(part)) {
        return Err("a path is made of names with points between".into());
    }
    if SCENE.key(&path[0]).is_some() {
        return Ok(path);
    }
    let mut known: Vec<&str> = SCENE.names().collect();
    for (name, _) in parameters.into_iter().flat_map(|p| p.iter()) {
        known.push(name.get_ref());
    }
    Err(Refusal {
        reason: "the scene has no such parameter".to_owned(),
        suggestion: nearest(name, known),
    })
}

fn is_bare(part: &str) -> bool {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    !part.is_empty() && part.chars().all(bare)
}

struct Edit {
    range: Range<usize>,
    text: String,
}

/// The edit that gives the value at `path`.
fn find(text: &str, root: &DeTable<'_>, path: &[String], value: &str) -> Result<Edit, Refusal> {
    let Some((first, rest)) = path.split_first() else {
        return Err("nothing to set".into());
    };
    let Some(item) = root.get(first.as_str()) else {
        // New at the top: a key goes first, a table last.
        return Ok(match rest {
            [] => Edit {
                range: 0..0,
                text: format!("{first} = {value}\n"),
            },
            _ => Edit {
                range: text.len()..text.len(),
                text: format!("\n[{first}]\n{}\n", nested(rest, value)),
            },
        });
    };
    find_in(text, item, first, rest, value)
}

fn find_in(
    text: &str,
    item: &Spanned<DeValue<'_>>,
    name: &str,
    rest: &[String],
    value: &str,
) -> Result<Edit, Refusal> {
    let source = text.get(item.span()).unwrap_or_default();
    let Some((next, beyond)) = rest.split_first() else {
        return replace(item, source, name, value);
    };
    match item.get_ref() {
        DeValue::Table(table) => match table.get(next.as_str()) {
            Some(inner) => find_in(text, inner, next, beyond, value),
            None => insert(
                text,
                item.span(),
                table.is_empty(),
                name,
                &nested(rest, value),
            ),
        },
        DeValue::Array(list) => {
            let named = |item: &&Spanned<DeValue<'_>>| label(item) == Some(next);
            let by_number = next.parse::<usize>().ok().and_then(|n| list.get(n));
            match list.iter().find(named).or(by_number) {
                Some(inner) => find_in(text, inner, next, beyond, value),
                None => Err(Refusal {
                    reason: format!("no {name} is called `{next}`"),
                    suggestion: nearest(next, list.iter().filter_map(label)),
                }),
            }
        }
        DeValue::String(_)
        | DeValue::Integer(_)
        | DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_) => Err(format!("`{name}` is not a table").into()),
    }
}

/// The name of an entry of a list.
fn label<'t>(item: &'t Spanned<DeValue<'_>>) -> Option<&'t str> {
    item.get_ref().as_table()?.get("name")?.get_ref().as_str()
}

fn replace(
    item: &Spanned<DeValue<'_>>,
    source: &str,
    name: &str,
    value: &str,
) -> Result<Edit, Refusal> {
    let under_header = match item.get_ref() {
        DeValue::Table(_) => !source.starts_with('{'),
        DeValue::Array(list) => {
            // The first entry of a list of tables with headers spans the same header as the list.
            list.iter()
                .next()
                .is_some_and(|first| first.span() == item.span())
        }
        _ => false,
    };
    if under_header {
        return Err(format!("`{name}` is a table: set its keys one by one").into());
    }
    Ok(Edit {
        range: item.span(),
        text: value.to_owned(),
    })
}

/// A new key in a table that is there.
fn insert(
    text: &str,
    table: Range<usize>,
    is_empty: bool,
    name: &str,
    entry: &str,
) -> Result<Edit, Refusal> {
    let source = text.get(table.clone()).unwrap_or_default();
    let at = if source.starts_with('{') {
        let at = table.start + 1;
        let comma = if is_empty { "" } else { "," };
        return Ok(Edit {
            range: at..at,
            text: format!(" {entry}{comma}"),
        });
    } else if source.starts_with('[') {
        table.end
    } else {
        return Err(format!("`{name}` has no header in the text to put it under").into());
    };
    // Behind the header's line, which may end in a comment.
    let line_end = text[at..].find('\n').map_or(text.len(), |n| at + n);
    Ok(Edit {
        range: line_end..line_end,
        text: format!("\n{entry}"),
    })
}

/// `a = { b = value }`.
fn nested(path: &[String], value: &str) -> String {
    match path {
        [] => value.to_owned(),
        [last] => format!("{last} = {value}"),
        [first, rest @ ..] => format!("{first} = {{ {} }}", nested(rest, value)),
    }
}
