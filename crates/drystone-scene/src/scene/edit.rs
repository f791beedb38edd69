//! Overrides: `name=value` changes the text of a scene, so that the text with the overrides is a
//! scene of its own. Comments and layout of everything else stay as they are.

use toml_edit::{DocumentMut, InlineTable, Item, Table, TableLike, Value};

use super::error::SceneError;
use super::keys::SCENE;
use super::suggest::nearest;

/// The text with one override applied. The text is valid TOML.
pub(crate) fn set(text: &str, name: &str, value: &str) -> Result<String, SceneError> {
    set_value(text, name, value, read_value(value))
}

/// The same with a value that is text, whatever it looks like.
pub(crate) fn set_text(text: &str, name: &str, value: &str) -> Result<String, SceneError> {
    set_value(text, name, value, Value::from(value))
}

fn set_value(text: &str, name: &str, value: &str, new: Value) -> Result<String, SceneError> {
    let fail = |refusal: Refusal| SceneError::Override {
        name: name.to_owned(),
        value: value.to_owned(),
        reason: refusal.reason,
        suggestion: refusal.suggestion,
    };
    let mut document: DocumentMut = text
        .parse()
        .map_err(|error: toml_edit::TomlError| fail(error.message().into()))?;
    let path = path_of(&document, name).map_err(fail)?;
    set_at(&mut document, &path, new).map_err(fail)?;
    Ok(document.to_string())
}

/// Why an override cannot be applied.
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

/// The value as it is where it is TOML, else as text, which expressions are.
fn read_value(value: &str) -> Value {
    let value = value.trim();
    match value.parse::<Value>() {
        Ok(value) => value,
        Err(_) => Value::from(value),
    }
}

/// The keys that lead to what is meant: a parameter, or any key by its path, `body.slab.mass` or
/// `body[2].mass`.
fn path_of(document: &DocumentMut, name: &str) -> Result<Vec<String>, Refusal> {
    let parameters = document.get("parameters").and_then(Item::as_table_like);
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
    known.extend(parameters.iter().flat_map(|p| p.iter()).map(|(key, _)| key));
    Err(Refusal {
        reason: "the scene has no such parameter".to_owned(),
        suggestion: nearest(name, known),
    })
}

fn is_bare(part: &str) -> bool {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    !part.is_empty() && part.chars().all(bare)
}

/// Gives the value to the key at `path` of the whole text.
fn set_at(document: &mut DocumentMut, path: &[String], new: Value) -> Result<(), Refusal> {
    match path {
        // A table that is not there yet gets a header of its own at the end of the text.
        [first, next, rest @ ..] if !document.contains_key(first) => {
            let mut table = Table::new();
            table.insert(next, Item::Value(nested(rest, new)));
            document.insert(first, Item::Table(table));
            Ok(())
        }
        path => set_in_table(document.as_table_mut(), path, new),
    }
}

/// Gives the value to the key at `path` of a table.
fn set_in_table(table: &mut dyn TableLike, path: &[String], new: Value) -> Result<(), Refusal> {
    let Some((key, rest)) = path.split_first() else {
        return Err("nothing to set".into());
    };
    match table.get_mut(key) {
        Some(item) => set_in_item(item, key, rest, new),
        None => {
            table.insert(key, Item::Value(nested(rest, new)));
            Ok(())
        }
    }
}

/// Gives the value to what `rest` leads to from an item; `name` is the key that led here.
fn set_in_item(item: &mut Item, name: &str, rest: &[String], new: Value) -> Result<(), Refusal> {
    match (item, rest) {
        (Item::Value(value), rest) => set_in_value(value, name, rest, new),
        (Item::Table(table), [_, ..]) => set_in_table(table, rest, new),
        (Item::ArrayOfTables(tables), [next, rest @ ..]) => {
            let labels = tables.iter().map(|table| label(table)).collect();
            let index = find_entry(labels, name, next)?;
            match (tables.get_mut(index), rest) {
                (Some(table), [_, ..]) => set_in_table(table, rest, new),
                _ => Err(is_a_table(next)),
            }
        }
        (Item::Table(_) | Item::ArrayOfTables(_) | Item::None, _) => Err(is_a_table(name)),
    }
}

/// The same from a value.
fn set_in_value(value: &mut Value, name: &str, rest: &[String], new: Value) -> Result<(), Refusal> {
    let Some((next, beyond)) = rest.split_first() else {
        // Spaces and comments around the old value stay.
        let decor = value.decor().clone();
        *value = new;
        *value.decor_mut() = decor;
        return Ok(());
    };
    match value {
        Value::InlineTable(table) if table.contains_key(next) => set_in_table(table, rest, new),
        Value::InlineTable(table) => {
            append(table, next, nested(beyond, new));
            Ok(())
        }
        Value::Array(list) => {
            let labels = list.iter().map(|entry| label(entry.as_inline_table()?));
            let index = find_entry(labels.collect(), name, next)?;
            match list.get_mut(index) {
                Some(entry) => set_in_value(entry, next, beyond, new),
                None => Err(format!("no {name} is called `{next}`").into()),
            }
        }
        Value::String(_)
        | Value::Integer(_)
        | Value::Float(_)
        | Value::Boolean(_)
        | Value::Datetime(_) => Err(format!("`{name}` is not a table").into()),
    }
}

fn is_a_table(name: &str) -> Refusal {
    format!("`{name}` is a table: set its keys one by one").into()
}

/// The name of an entry of a list.
fn label(table: &dyn TableLike) -> Option<String> {
    table.get("name")?.as_str().map(str::to_owned)
}

/// The entry of the list `list` that is called `entry`, or whose number that is.
fn find_entry(labels: Vec<Option<String>>, list: &str, entry: &str) -> Result<usize, Refusal> {
    let named = labels.iter().position(|l| l.as_deref() == Some(entry));
    let by_number = || entry.parse().ok().filter(|n| *n < labels.len());
    named.or_else(by_number).ok_or_else(|| Refusal {
        reason: format!("no {list} is called `{entry}`"),
        suggestion: nearest(entry, labels.iter().flatten().map(String::as_str)),
    })
}

/// A new key at the end of `{ ... }`. The space before the bracket stays before the bracket.
fn append(table: &mut InlineTable, key: &str, mut new: Value) {
    let last = table.iter_mut().last();
    let end = last.and_then(|(_, value)| {
        let decor = value.decor_mut();
        let end = decor.suffix().and_then(|s| s.as_str()).map(str::to_owned);
        decor.set_suffix("");
        end
    });
    new.decor_mut().set_prefix(" ");
    new.decor_mut().set_suffix(end.as_deref().unwrap_or(" "));
    table.insert(key, new);
}

/// The value, or `{ b = value }` where a path leads on to it.
fn nested(path: &[String], value: Value) -> Value {
    path.iter().rev().fold(value, |inner, key| {
        let mut table = InlineTable::new();
        table.insert(key, inner);
        Value::InlineTable(table)
    })
}
