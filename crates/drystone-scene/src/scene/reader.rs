//! Reading the tables of a scene by their description, with the place of everything that is wrong.

mod sweep;
mod value;

use std::cell::RefCell;
use std::ops::Range;
use std::path::PathBuf;

use drystone::ShapeError;
use drystone_collide::number::{Number, Numbers};
use glam::DVec3;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub(crate) use sweep::sweep;

use super::error::{FaultAt, FaultKind};
use super::expression::{Expression, Scope};
use super::key::{Form, Key, Need, Table, TableType};
use super::model::TextPlace;
use super::suggest::nearest;
use crate::named::Named;
use crate::quote::{quoted, word};

/// What all readers of one scene share.
pub(crate) struct Context<'a> {
    /// The scene's text.
    pub text: &'a str,
    /// Folder to which paths are relative; none for scenes without a file.
    pub folder: Option<PathBuf>,
    /// Whether paths may lead out of it.
    pub allow_outside: bool,
    /// Whether the run to start from was given with the options, not in the text alone.
    pub start_is_given: bool,
    /// What names in expressions mean.
    pub scope: RefCell<Scope>,
}

/// A value and its key.
pub(crate) type Item<'a> = Spanned<DeValue<'a>>;

/// One table of the scene.
pub(crate) struct Reader<'a> {
    pub cx: &'a Context<'a>,
    table: &'a DeTable<'a>,
    spec: Table,
    /// `body.slab.shape`.
    pub path: String,
    /// The header, or the whole inline table.
    pub span: Range<usize>,
}

impl<'a> Reader<'a> {
    /// The root of the scene.
    pub fn root(cx: &'a Context<'a>, table: &'a DeTable<'a>, spec: Table) -> Self {
        Self {
            cx,
            table,
            spec,
            path: String::new(),
            span: 0..0,
        }
    }

    /// A table that holds only keys of its description.
    pub fn open(
        cx: &'a Context<'a>,
        item: &'a Item<'a>,
        spec: Table,
        path: String,
    ) -> Result<Self, FaultAt> {
        let DeValue::Table(table) = item.get_ref() else {
            let expected = format!("{}, a table", spec.name);
            return Err(wrong_type(item, path, cx, expected));
        };
        let reader = Self {
            cx,
            table,
            spec,
            path,
            span: item.span(),
        };
        let unknown = reader.unknown_keys(&[]).next();
        match unknown {
            Some(fault) => Err(fault),
            None => Ok(reader),
        }
    }

    /// A table whose `type` says which keys it has: the type and its reader.
    pub fn open_typed<T: TableType>(
        cx: &'a Context<'a>,
        item: &'a Item<'a>,
        path: String,
    ) -> Result<(T, Self), FaultAt> {
        let DeValue::Table(table) = item.get_ref() else {
            let expected = format!("{}, a table with a `type`", T::NAME);
            return Err(wrong_type(item, path, cx, expected));
        };
        let list = T::names().join(", ");
        let Some(tag) = table.get("type") else {
            return Err(FaultAt::new(
                item.span(),
                path,
                FaultKind::Missing {
                    key: "type".to_owned(),
                    expected: format!("one of {list}"),
                },
            ));
        };
        let tag_path = format!("{path}.type");
        let DeValue::String(name) = tag.get_ref() else {
            return Err(wrong_type(tag, tag_path, cx, format!("one of {list}")));
        };
        let Some(kind) = T::from_name(name) else {
            return Err(FaultAt::new(
                tag.span(),
                tag_path,
                FaultKind::Type {
                    found: quoted(name),
                    expected: format!("one of {list}"),
                },
            )
            .suggesting(nearest(name, T::names())));
        };
        let reader = Self {
            cx,
            table,
            spec: kind.table(),
            path,
            span: item.span(),
        };
        let unknown = reader.unknown_keys(&["type"]).next();
        match unknown {
            Some(fault) => Err(fault),
            None => Ok((kind, reader)),
        }
    }

    /// Whether the table's description has a key: some types have it and others do not.
    pub fn knows(&self, key: &str) -> bool {
        self.spec.key(key).is_some()
    }

    /// A fault for each key that the description does not know.
    pub fn unknown_keys(&self, also: &'static [&'static str]) -> impl Iterator<Item = FaultAt> {
        let keys = self.table.iter().map(|(key, _)| key);
        let unknown = keys.filter(move |key| {
            let name: &str = key.get_ref();
            self.spec.key(name).is_none() && !also.contains(&name)
        });
        unknown.map(|key| {
            let name: &str = key.get_ref();
            let kind = FaultKind::UnknownKey {
                key: word(name),
                table: self.spec.name.to_owned(),
            };
            FaultAt::new(key.span(), self.join(name), kind)
                .suggesting(nearest(name, self.spec.names()))
        })
    }

    /// Whether a key is there.
    pub fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    pub fn item(&self, key: &str) -> Option<&'a Item<'a>> {
        self.table.get(key)
    }

    pub fn join(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }

    /// Where this table stands.
    pub fn place(&self) -> TextPlace {
        TextPlace {
            span: self.span.clone(),
            key: self.path.clone(),
        }
    }

    /// A fault at a key's value, or at the table where the key is not there.
    pub fn fault(&self, key: &str, kind: FaultKind) -> FaultAt {
        let span = self.item(key).map_or(self.span.clone(), Spanned::span);
        FaultAt::new(span, self.join(key), kind)
    }

    /// A fault at a key whose value is out of range.
    pub fn out_of_range(&self, key: &str, value: impl ToString, expected: &str) -> FaultAt {
        let (value, expected) = (value.to_string(), expected.to_owned());
        self.fault(key, FaultKind::Range { value, expected })
    }

    /// A fault at a key whose value is the name of nothing.
    pub fn unknown_name<'n>(
        &self,
        key: &str,
        what: &'static str,
        name: &str,
        known: impl IntoIterator<Item = &'n str>,
    ) -> FaultAt {
        let mut fault = self.fault(
            key,
            FaultKind::UnknownName {
                what,
                name: word(name),
            },
        );
        fault.suggestion = nearest(name, known);
        fault
    }

    /// A fault of keys that exclude each other, at the first of them.
    pub fn conflict(&self, key: &str, words: impl Into<String>) -> FaultAt {
        self.fault(key, FaultKind::Conflict(words.into()))
    }

    /// What the engine says against a shape.
    pub fn refused(&self, error: &ShapeError) -> FaultAt {
        FaultAt::new(
            self.span.clone(),
            self.path.clone(),
            FaultKind::Refused(error.to_string()),
        )
    }

    /// The description of a key: the readers ask only for keys that are in it.
    fn spec(&self, key: &str) -> &'static Key {
        self.spec
            .key(key)
            .expect("readers ask for keys of their table's description")
    }

    /// Makes a key that is not there a fault.
    pub fn need<T>(&self, key: &str, value: Option<T>) -> Result<T, FaultAt> {
        value.ok_or_else(|| {
            FaultAt::new(
                self.span.clone(),
                self.path.clone(),
                FaultKind::Missing {
                    key: key.to_owned(),
                    expected: self.spec(key).form.words(),
                },
            )
        })
    }

    /// Reads a key by a function of its value, its description and its path.
    fn read<T>(
        &self,
        key: &str,
        read: impl FnOnce(&Value<'a>) -> Result<T, FaultAt>,
    ) -> Result<Option<T>, FaultAt> {
        let spec = self.spec(key);
        let Some(item) = self.item(key) else {
            if spec.need == Need::Required {
                return self.need(key, None);
            }
            return Ok(None);
        };
        read(&Value {
            cx: self.cx,
            item,
            form: &spec.form,
            path: self.join(key),
        })
        .map(Some)
    }

    pub fn number(&self, key: &str) -> Result<Option<f64>, FaultAt> {
        self.read(key, Value::number)
    }

    /// A number that must be there.
    pub fn need_number(&self, key: &str) -> Result<f64, FaultAt> {
        let value = self.number(key)?;
        self.need(key, value)
    }

    /// A number > 0.
    pub fn positive(&self, key: &str) -> Result<Option<f64>, FaultAt> {
        match self.number(key)? {
            Some(value) if value <= 0.0 => {
                Err(self.out_of_range(key, Number(value), "a number > 0"))
            }
            value => Ok(value),
        }
    }

    /// A number >= 0.
    pub fn not_negative(&self, key: &str) -> Result<Option<f64>, FaultAt> {
        match self.number(key)? {
            Some(value) if value < 0.0 => {
                Err(self.out_of_range(key, Number(value), "a number >= 0"))
            }
            value => Ok(value),
        }
    }

    pub fn integer(&self, key: &str) -> Result<Option<u64>, FaultAt> {
        self.read(key, Value::integer)
    }

    pub fn vector(&self, key: &str) -> Result<Option<DVec3>, FaultAt> {
        self.read(key, Value::vector)
    }

    /// A vector that must be there.
    pub fn need_vector(&self, key: &str) -> Result<DVec3, FaultAt> {
        let value = self.vector(key)?;
        self.need(key, value)
    }

    /// A vector whose length matters not, but that has one.
    pub fn direction(&self, key: &str) -> Result<Option<DVec3>, FaultAt> {
        let Some(vector) = self.vector(key)? else {
            return Ok(None);
        };
        match vector.try_normalize() {
            Some(unit) => Ok(Some(unit)),
            None => {
                let found = vector.to_array();
                Err(self.out_of_range(key, Numbers(&found), "a vector with a length"))
            }
        }
    }

    pub fn text(&self, key: &str) -> Result<Option<String>, FaultAt> {
        self.read(key, Value::text)
    }

    /// Text of any number of lines.
    pub fn long_text(&self, key: &str) -> Result<Option<String>, FaultAt> {
        self.read(key, Value::long_text)
    }

    /// Text that must be there.
    pub fn need_text(&self, key: &str) -> Result<String, FaultAt> {
        let value = self.text(key)?;
        self.need(key, value)
    }

    pub fn flag(&self, key: &str) -> Result<Option<bool>, FaultAt> {
        self.read(key, Value::flag)
    }

    /// One of the words of an enum.
    pub fn choice<T: Named>(&self, key: &str) -> Result<Option<T>, FaultAt> {
        self.read(key, Value::choice)
    }

    pub fn function(&self, key: &str) -> Result<Option<Expression>, FaultAt> {
        self.read(key, Value::function)
    }

    /// A table, by the description in the key's form.
    pub fn table(&self, key: &str) -> Result<Option<Reader<'a>>, FaultAt> {
        self.read(key, Value::table)
    }

    /// A table whose `type` says which keys it has.
    pub fn typed<T: TableType>(&self, key: &str) -> Result<Option<(T, Reader<'a>)>, FaultAt> {
        self.read(key, Value::typed)
    }

    /// A table with a `type` that must be there.
    pub fn need_typed<T: TableType>(&self, key: &str) -> Result<(T, Reader<'a>), FaultAt> {
        let value = self.typed(key)?;
        self.need(key, value)
    }

    /// A list, each entry read by `read`.
    pub fn list<T>(
        &self,
        key: &str,
        read: impl Fn(&Value<'a>) -> Result<T, FaultAt>,
    ) -> Result<Option<Vec<T>>, FaultAt> {
        self.read(key, |value| value.list(&read))
    }

    /// A list of as many entries as there should be.
    pub fn list_of<T, const N: usize>(
        &self,
        key: &str,
        read: impl Fn(&Value<'a>) -> Result<T, FaultAt>,
    ) -> Result<Option<[T; N]>, FaultAt> {
        let Some(list) = self.list(key, read)? else {
            return Ok(None);
        };
        let found = list.len();
        match <[T; N]>::try_from(list) {
            Ok(array) => Ok(Some(array)),
            Err(_) => {
                let found = format!("{found} entries");
                let expected = format!("{N}");
                Err(self.fault(key, FaultKind::Type { found, expected }))
            }
        }
    }

    /// A value to be read by hand, for keys of several forms.
    pub fn value(&self, key: &str) -> Option<Value<'a>> {
        let item = self.item(key)?;
        Some(Value {
            cx: self.cx,
            item,
            form: &self.spec(key).form,
            path: self.join(key),
        })
    }
}

/// A value with its description.
pub(crate) struct Value<'a> {
    pub cx: &'a Context<'a>,
    pub item: &'a Item<'a>,
    pub form: &'static Form,
    pub path: String,
}

/// A fault of a value of another type.
fn wrong_type(item: &Item<'_>, key: String, cx: &Context<'_>, expected: String) -> FaultAt {
    let found = match item.get_ref() {
        DeValue::Table(_) => "a table".to_owned(),
        DeValue::Array(list) => format!("a list of {}", list.len()),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::String(_) | DeValue::Integer(_) | DeValue::Float(_) | DeValue::Datetime(_) => {
            let written = cx.text.get(item.span()).unwrap_or_default();
            word(written)
        }
    };
    FaultAt::new(item.span(), key, FaultKind::Type { found, expected })
}
