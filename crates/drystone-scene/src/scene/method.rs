//! The method of `[settings]`: its name, or a table with its name and its options.

use drystone::{Method, MethodSettings};
use drystone_ccp::{OptionError, OptionValue};
use toml::de::{DeTable, DeValue};

use super::error::{FaultAt, FaultKind};
use super::key::Form;
use super::keys::METHOD_NAME;
use super::reader::{Item, Reader, Value};
use super::units::Quantity;

/// The key of the method's name in its table.
const NAME: &str = "name";

/// The method that `method` gives, with its options.
pub(crate) fn read(reader: &Reader<'_>) -> Result<Option<MethodSettings>, FaultAt> {
    let Some(value) = reader.value("method") else {
        return Ok(None);
    };
    match value.item.get_ref() {
        DeValue::Table(table) => read_table(&value, table).map(Some),
        DeValue::String(_) => {
            let method = value.of_form(&METHOD_NAME).choice()?;
            Ok(Some(MethodSettings::new(method)))
        }
        DeValue::Integer(_)
        | DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_)
        | DeValue::Array(_) => Err(value.wrong_type()),
    }
}

fn read_table(value: &Value<'_>, table: &DeTable<'_>) -> Result<MethodSettings, FaultAt> {
    let Some(name) = table.get(NAME) else {
        return Err(value.fault(FaultKind::Missing {
            key: NAME.to_owned(),
            expected: METHOD_NAME.words(),
        }));
    };
    let method: Method = entry(value, NAME, name, &METHOD_NAME).choice()?;
    let mut settings = MethodSettings::new(method);
    for (key, item) in table.iter().filter(|(key, _)| key.get_ref() != NAME) {
        let name: &str = key.get_ref();
        if let Err(OptionError::Unknown { nearest, .. }) = method.option(name) {
            let path = format!("{}.{name}", value.path);
            let kind = FaultKind::UnknownKey {
                key: name.to_owned(),
                table: format!("the options of the method {}", method.name()),
            };
            let fault = FaultAt::new(key.span(), path, kind);
            return Err(fault.suggesting(nearest.map(str::to_owned)));
        }
        let number = Form::number(Quantity::Number);
        set(&mut settings, name, &entry(value, name, item, number))?;
    }
    let together = settings.check();
    together.map_err(|error| value.fault(FaultKind::Refused(error.to_string())))?;
    Ok(settings)
}

/// A value of the method's table.
fn entry<'a>(table: &Value<'a>, name: &str, item: &'a Item<'a>, form: &'static Form) -> Value<'a> {
    Value {
        cx: table.cx,
        item,
        form,
        path: format!("{}.{name}", table.path),
    }
}

/// Sets an option. A text is one of the option's words or, like everywhere in a scene, an
/// expression.
fn set(settings: &mut MethodSettings, name: &str, value: &Value<'_>) -> Result<(), FaultAt> {
    let given: OptionValue = match value.item.get_ref() {
        DeValue::Boolean(flag) => (*flag).into(),
        DeValue::String(text) => text.as_ref().into(),
        DeValue::Integer(_) | DeValue::Float(_) => value.number()?.into(),
        DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => {
            return Err(value.wrong_type());
        }
    };
    let Err(refused) = settings.set(name, given) else {
        return Ok(());
    };
    if value.item.get_ref().is_str()
        && let Ok(number) = value.number()
        && settings.set(name, number).is_ok()
    {
        return Ok(());
    }
    let (kind, suggestion) = match refused {
        OptionError::Value {
            value,
            expected,
            nearest,
            ..
        } => (FaultKind::Range { value, expected }, nearest),
        other => (FaultKind::Refused(other.to_string()), None),
    };
    let fault = value.fault(kind);
    Err(fault.suggesting(suggestion.map(str::to_owned)))
}
