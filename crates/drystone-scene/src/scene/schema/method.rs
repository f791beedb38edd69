//! The options of the methods, from the solvers' own table.

use drystone::{Method, MethodSettings};
use drystone_ccp::{OptionInfo, OptionKind};
use serde_json::{Map, Value, json};

use super::cell;

/// Title of the section.
pub(super) const TITLE: &str = "The method and its options";

/// One table for each method: its name and its options.
pub(super) fn schema() -> Value {
    let tables = Method::ALL.map(|method| {
        let mut properties = Map::new();
        properties.insert("name".to_owned(), json!({ "const": method.name() }));
        for option in method.options() {
            let mut value = kind(&option.kind);
            let description = format!(
                "{} Expected: {}. Default: {}.",
                meaning(option),
                option.kind,
                default(method, option)
            );
            value["description"] = json!(description);
            properties.insert(option.name.to_owned(), value);
        }
        json!({
            "type": "object",
            "properties": properties,
            "required": ["name"],
            "additionalProperties": false,
        })
    });
    json!({ "description": "A method with its options.", "oneOf": tables })
}

fn kind(kind: &OptionKind) -> Value {
    match kind {
        OptionKind::Whole { .. } => json!({ "type": ["integer", "string"] }),
        OptionKind::YesNo => json!({ "type": ["boolean", "string"] }),
        OptionKind::Words(words) => {
            let words: Vec<_> = words.iter().map(|(word, _)| *word).collect();
            json!({ "type": "string", "enum": words })
        }
        // Numbers; kinds that are to come are checked by the reader alone.
        _ => json!({ "type": ["number", "string"] }),
    }
}

/// The documentation of an option, with that of its words.
fn meaning(option: &OptionInfo) -> String {
    let mut text = option.documentation.to_owned();
    if let OptionKind::Words(words) = option.kind {
        for (word, meaning) in words {
            text += &format!(" \"{word}\": {meaning}");
        }
    }
    text
}

fn default(method: Method, option: &OptionInfo) -> String {
    let value = MethodSettings::new(method).get(option.name);
    value.map_or_else(|_| option.default_value().to_string(), |v| v.to_string())
}

/// The options of every method in Markdown.
pub(super) fn reference() -> String {
    let mut text = format!(
        "### {TITLE}\n\n\
         `method` in the settings is a name, `method = \"apgd\"`, or a table with options:\n\n\
         ```toml\n\
         [settings.method]\n\
         name = \"gauss-seidel\"\n\
         omega = 0.9\n\
         ```\n\n\
         Options that are not given have their defaults. Yes and no are written `true` and `false`.\n\n"
    );
    for method in Method::ALL {
        text += &format!("**`name = \"{}\"`**\n\n", method.name());
        if method.options().is_empty() {
            text += "It has no options.\n\n";
            continue;
        }
        text += "| option | value | default | meaning |\n|---|---|---|---|\n";
        for option in method.options() {
            text += &format!(
                "| `{}` | {} | {} | {} |\n",
                option.name,
                cell(&option.kind.to_string()),
                cell(&default(method, option)),
                cell(&meaning(option))
            );
        }
        text += "\n";
    }
    text
}
