//! Single values: numbers with units, texts, lists.

use drystone_collide::number::Number;
use glam::DVec3;
use toml::de::DeValue;

use super::{Reader, Value, wrong_type};
use crate::named::Named;
use crate::quote::{is_hidden, quoted, word};
use crate::scene::error::{FaultAt, FaultKind};
use crate::scene::expression::{Expression, ExpressionError, Measure};
use crate::scene::key::{Form, Table, TableType};
use crate::scene::suggest::nearest;
use crate::scene::units::{Dimension, Quantity};

impl<'a> Value<'a> {
    /// A fault of a value of another type than its form.
    pub fn wrong_type(&self) -> FaultAt {
        wrong_type(self.item, self.path.clone(), self.cx, self.form.words())
    }

    /// A fault at this value.
    pub fn fault(&self, kind: FaultKind) -> FaultAt {
        FaultAt::new(self.item.span(), self.path.clone(), kind)
    }

    /// The same value with another description.
    pub fn of_form(&self, form: &'static Form) -> Self {
        Self {
            cx: self.cx,
            item: self.item,
            form,
            path: self.path.clone(),
        }
    }

    /// A number in SI units.
    pub fn number(&self) -> Result<f64, FaultAt> {
        let Form::Number(quantity) = self.form else {
            return Err(self.wrong_type());
        };
        let value = self.expression(*quantity, &[])?.evaluate(&[]);
        self.finite(value)
    }

    fn finite(&self, value: f64) -> Result<f64, FaultAt> {
        if value.is_finite() {
            return Ok(value);
        }
        Err(self.fault(FaultKind::Range {
            value: Number(value).to_string(),
            expected: "a finite number".to_owned(),
        }))
    }

    /// An expression of the form's variables, in SI units.
    pub fn function(&self) -> Result<Expression, FaultAt> {
        let Form::Function(quantity, variables) = self.form else {
            return Err(self.wrong_type());
        };
        self.expression(*quantity, variables)
    }

    /// A number or expression that measures `quantity`, in SI units.
    fn expression(
        &self,
        quantity: Quantity,
        variables: &'static [&'static str],
    ) -> Result<Expression, FaultAt> {
        let expression = self.untyped(variables)?;
        match expression.measure {
            Measure::Plain | Measure::Free => Ok(expression.scaled(quantity.factor())),
            Measure::Known(dimension) if dimension == quantity.dimension() => Ok(expression),
            Measure::Known(dimension) => {
                // A speed over a radius counts as 1/s, which may be rad/s or turns a second.
                let in_radians = dimension.times(Dimension::ANGLE, 1) == Some(quantity.dimension());
                let words = self.form.words();
                Err(self.fault(FaultKind::Unit {
                    found: self.written(),
                    kind: dimension.to_string(),
                    expected: match in_radians {
                        true => format!("{words}: write `* 1 rad` where that is meant"),
                        false => words,
                    },
                }))
            }
        }
    }

    fn written(&self) -> String {
        word(self.cx.text.get(self.item.span()).unwrap_or_default())
    }

    /// A number or expression, whatever it measures.
    pub fn untyped(&self, variables: &'static [&'static str]) -> Result<Expression, FaultAt> {
        let plain = |number| Ok(Expression::constant(number, Measure::Plain));
        match self.item.get_ref() {
            DeValue::Integer(integer) => {
                match i128::from_str_radix(integer.as_str(), integer.radix()) {
                    Ok(number) => plain(number as f64),
                    Err(_) => Err(self.wrong_type()),
                }
            }
            DeValue::Float(float) => match float.as_str().parse() {
                Ok(number) => plain(number),
                Err(_) => Err(self.wrong_type()),
            },
            DeValue::String(text) => {
                let mut scope = self.cx.scope.borrow_mut();
                scope.variables = variables.to_vec();
                Expression::parse(text, &scope).map_err(|e| self.misread(text, e))
            }
            DeValue::Boolean(_) | DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => {
                Err(self.wrong_type())
            }
        }
    }

    /// Points into the expression where its text stands in the file as it is.
    fn misread(&self, text: &str, error: ExpressionError) -> FaultAt {
        let span = self.item.span();
        let quoted = self.cx.text.get(span.clone()).unwrap_or_default();
        let plain = quoted.len() == text.len() + 2 && quoted.get(1..=text.len()) == Some(text);
        let start = if plain {
            span.start + 1 + error.at
        } else {
            span.start
        };
        FaultAt::new(
            start..span.end.max(start),
            self.path.clone(),
            FaultKind::Expression {
                expression: word(text),
                column: 1 + text.get(..error.at).unwrap_or_default().chars().count(),
                reason: error.reason,
            },
        )
        .suggesting(error.suggestion)
    }

    /// A whole number >= 0.
    pub fn integer(&self) -> Result<u64, FaultAt> {
        let value = self.of_form(&Form::Number(Quantity::Number)).number()?;
        // Beyond 2^53 floats skip integers.
        if value >= 0.0 && value.fract() == 0.0 && value <= 9.0e15 {
            return Ok(value as u64);
        }
        Err(self.fault(FaultKind::Range {
            value: Number(value).to_string(),
            expected: "a whole number >= 0".to_owned(),
        }))
    }

    /// Three numbers.
    pub fn vector(&self) -> Result<DVec3, FaultAt> {
        let quantity = match self.form {
            Form::Vector(quantity) => quantity,
            _ => return Err(self.wrong_type()),
        };
        let DeValue::Array(list) = self.item.get_ref() else {
            return Err(self.wrong_type());
        };
        if list.len() != 3 {
            return Err(self.wrong_type());
        }
        let mut vector = DVec3::ZERO;
        for (axis, item) in list.iter().enumerate() {
            let entry = Value {
                cx: self.cx,
                item,
                form: Form::number(*quantity),
                path: format!("{}[{axis}]", self.path),
            };
            vector[axis] = entry.number()?;
        }
        Ok(vector)
    }

    /// A text of one line without hidden characters: names and titles are shown on terminals, in
    /// tables and in pictures.
    pub fn text(&self) -> Result<String, FaultAt> {
        let text = self.long_text()?;
        match text.chars().find(|c| is_hidden(*c)) {
            None => Ok(text),
            Some(hidden) => Err(self.hidden(&text, hidden)),
        }
    }

    /// A text of any number of lines without other hidden characters.
    pub fn long_text(&self) -> Result<String, FaultAt> {
        let DeValue::String(text) = self.item.get_ref() else {
            return Err(self.wrong_type());
        };
        let layout = ['\n', '\r', '\t'];
        match text.chars().find(|c| is_hidden(*c) && !layout.contains(c)) {
            None => Ok(text.clone().into_owned()),
            Some(hidden) => Err(self.hidden(text, hidden)),
        }
    }

    fn hidden(&self, text: &str, hidden: char) -> FaultAt {
        self.fault(FaultKind::Range {
            value: quoted(text),
            expected: format!("a text without the hidden character {hidden:?}"),
        })
    }

    pub fn flag(&self) -> Result<bool, FaultAt> {
        match self.item.get_ref() {
            DeValue::Boolean(flag) => Ok(*flag),
            _ => Err(self.wrong_type()),
        }
    }

    /// One of the form's words, which are those of the enum.
    pub fn choice<T: Named>(&self) -> Result<T, FaultAt> {
        let Form::Choice(known) = self.form else {
            return Err(self.wrong_type());
        };
        debug_assert_eq!(known(), T::names(), "{}: read as another enum", self.path);
        let DeValue::String(text) = self.item.get_ref() else {
            return Err(self.wrong_type());
        };
        T::from_name(text).ok_or_else(|| self.wrong_type().suggesting(nearest(text, T::names())))
    }

    /// A table.
    pub fn table(&self) -> Result<Reader<'a>, FaultAt> {
        match self.form {
            Form::Table(spec) => self.table_of(spec),
            _ => Err(self.wrong_type()),
        }
    }

    /// A table whose `type` says which keys it has: the type and its reader.
    pub fn typed<T: TableType>(&self) -> Result<(T, Reader<'a>), FaultAt> {
        Reader::open_typed(self.cx, self.item, self.path.clone())
    }

    /// A table of this description.
    pub fn table_of(&self, spec: &'static Table) -> Result<Reader<'a>, FaultAt> {
        Reader::open(self.cx, self.item, *spec, self.path.clone())
    }

    /// The entries of a list.
    pub fn entries(&self) -> Result<Vec<Value<'a>>, FaultAt> {
        let (Form::List(form), DeValue::Array(list)) = (self.form, self.item.get_ref()) else {
            return Err(self.wrong_type());
        };
        let entry = |(index, item)| Value {
            cx: self.cx,
            item,
            form,
            path: entry_path(&self.path, index, item),
        };
        Ok(list.iter().enumerate().map(entry).collect())
    }

    /// A list, each entry read by `read`.
    pub fn list<T>(
        &self,
        read: impl Fn(&Value<'a>) -> Result<T, FaultAt>,
    ) -> Result<Vec<T>, FaultAt> {
        self.entries()?.iter().map(read).collect()
    }
}

/// `body.slab` for an entry with a name, else `body[2]`.
fn entry_path(path: &str, index: usize, item: &super::Item<'_>) -> String {
    let name = match item.get_ref() {
        DeValue::Table(table) => table.get("name").and_then(|n| n.get_ref().as_str()),
        _ => None,
    };
    match name {
        Some(name) => format!("{path}.{name}"),
        None => format!("{path}[{index}]"),
    }
}
