//! The description of the format, for editors and for the book.

mod method;

use serde_json::{Map, Value, json};

use super::key::{Form, Key, Need, Table, Variants};
use super::keys::SCENE;

/// The format as a JSON schema (draft 2020-12): editors check and complete scenes by it.
pub fn schema() -> Value {
    let mut definitions = Map::new();
    let root = table(SCENE, None, &mut definitions);
    let Value::Object(root) = root else {
        return root;
    };
    let mut schema = Map::new();
    schema.insert(
        "$schema".to_owned(),
        json!("https://json-schema.org/draft/2020-12/schema"),
    );
    schema.insert("title".to_owned(), json!("A scene of Drystone"));
    schema.extend(root);
    schema.insert("$defs".to_owned(), Value::Object(definitions));
    Value::Object(schema)
}

/// A table; with the type that its `type` names, if it has one.
fn table(table: Table, tag: Option<&str>, definitions: &mut Map<String, Value>) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    if let Some(tag) = tag {
        properties.insert("type".to_owned(), json!({ "const": tag }));
        required.push("type");
    }
    for key in table.keys {
        let mut value = form(&key.form, definitions);
        if let Value::Object(object) = &mut value {
            object.insert("description".to_owned(), json!(description(key)));
        }
        properties.insert(key.name.to_owned(), value);
        if key.need == Need::Required {
            required.push(key.name);
        }
    }
    json!({
        "type": "object",
        "description": table.doc,
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn description(key: &Key) -> String {
    let unit = match &key.form {
        Form::Number(quantity) | Form::Vector(quantity) | Form::Function(quantity, _) => {
            quantity.unit()
        }
        _ => "",
    };
    let unit = if unit.is_empty() {
        String::new()
    } else {
        format!(" Unit: {unit}.")
    };
    let default = match key.need {
        Need::Default(default) if !default.is_empty() => format!(" Default: {default}."),
        Need::Default(_) | Need::Required => String::new(),
    };
    format!("{}{unit}{default}", key.doc)
}

fn form(form: &'static Form, definitions: &mut Map<String, Value>) -> Value {
    let number = || json!({ "type": ["number", "string"] });
    match form {
        Form::Number(_) | Form::Function(..) => number(),
        Form::Integer => json!({ "type": ["integer", "string"] }),
        Form::Vector(_) => json!({
            "type": "array", "items": number(), "minItems": 3, "maxItems": 3,
        }),
        Form::Text | Form::Color | Form::File => json!({ "type": "string" }),
        Form::Flag => json!({ "type": "boolean" }),
        Form::Choice(known) => json!({ "type": "string", "enum": known() }),
        Form::Table(inner) => defined(inner.name, definitions, |d| table(**inner, None, d)),
        Form::Variants(inner) => defined(inner.name, definitions, |d| variants(inner, d)),
        Form::List(inner) => json!({ "type": "array", "items": self::form(inner, definitions) }),
        Form::Either(forms) => {
            let forms: Vec<_> = forms.iter().map(|f| self::form(f, definitions)).collect();
            json!({ "anyOf": forms })
        }
        Form::Parameters => json!({ "type": "object", "additionalProperties": number() }),
        Form::Texts => json!({ "type": "object", "additionalProperties": { "type": "string" } }),
        Form::MethodOptions => defined("method", definitions, |_| method::schema()),
    }
}

fn variants(variants: &'static Variants, definitions: &mut Map<String, Value>) -> Value {
    let types = (variants.types)().into_iter();
    let types: Vec<_> = types.map(|t| table(t, Some(t.name), definitions)).collect();
    json!({ "description": variants.doc, "oneOf": types })
}

/// A reference to a definition, made once: shapes hold shapes.
fn defined(
    name: &str,
    definitions: &mut Map<String, Value>,
    make: impl FnOnce(&mut Map<String, Value>) -> Value,
) -> Value {
    let name = name.replace(' ', "_");
    if !definitions.contains_key(&name) {
        definitions.insert(name.clone(), Value::Null);
        let value = make(definitions);
        definitions.insert(name.clone(), value);
    }
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// The reference of the format in Markdown: every table and key, with meaning, unit and default.
pub fn reference() -> String {
    let mut sections = Sections::default();
    sections.table("The scene", SCENE);
    sections.text
}

#[derive(Default)]
struct Sections {
    text: String,
    /// Names of tables that are there or will be.
    seen: Vec<&'static str>,
}

/// A table to be described later.
enum Section {
    Table(Table),
    Variants(&'static Variants),
    /// The methods and their options.
    Methods,
}

impl Sections {
    fn table(&mut self, title: &str, table: Table) {
        self.text += &format!("### {title}\n\n{}\n\n", table.doc);
        let later = self.keys(table);
        self.rest(later);
    }

    fn variants(&mut self, variants: &'static Variants) {
        let title = capital(variants.name);
        self.text += &format!("### {title}\n\n{}\n\n", variants.doc);
        let mut later = Vec::new();
        for table in (variants.types)() {
            self.text += &format!("**`type = \"{}\"`** {}\n\n", table.name, table.doc);
            later.extend(self.keys(table));
        }
        self.rest(later);
    }

    fn rest(&mut self, later: Vec<Section>) {
        for later in later {
            match later {
                Section::Table(table) => self.table(&capital(table.name), table),
                Section::Variants(variants) => self.variants(variants),
                Section::Methods => self.text += &method::reference(),
            }
        }
    }

    /// The rows of a table's keys; returns the tables in them that are new.
    fn keys(&mut self, table: Table) -> Vec<Section> {
        let mut later = Vec::new();
        if table.keys.is_empty() {
            return later;
        }
        self.text += "| key | value | default | meaning |\n|---|---|---|---|\n";
        for key in table.keys {
            let default = match key.need {
                Need::Required => "**needed**".to_owned(),
                Need::Default(default) => cell(default),
            };
            let (name, value, doc) = (key.name, cell(&key.form.words()), cell(key.doc));
            self.text += &format!("| `{name}` | {value} | {default} | {doc} |\n");
            self.tables(&key.form, &mut later);
        }
        self.text += "\n";
        later
    }

    fn tables(&mut self, form: &'static Form, later: &mut Vec<Section>) {
        let (name, entry) = match form {
            Form::Table(table) => (table.name, Section::Table(**table)),
            Form::Variants(variants) => (variants.name, Section::Variants(variants)),
            Form::List(inner) => return self.tables(inner, later),
            Form::Either(forms) => {
                for form in *forms {
                    self.tables(form, later);
                }
                return;
            }
            Form::Number(_)
            | Form::Function(..)
            | Form::Integer
            | Form::Vector(_)
            | Form::Text
            | Form::Flag
            | Form::Choice(_)
            | Form::Color
            | Form::File
            | Form::Parameters
            | Form::Texts => return,
            Form::MethodOptions => (method::TITLE, Section::Methods),
        };
        if !self.seen.contains(&name) {
            self.seen.push(name);
            later.push(entry);
        }
    }
}

fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + letters.as_str()
    })
}

/// Text that does not end a cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
