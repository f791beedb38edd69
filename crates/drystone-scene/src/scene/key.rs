//! What a key of a scene is: the one description of the format.
//!
//! The readers read by it. The check for unknown keys, the schema for editors and the reference in
//! the book are made from it. Words that a key can hold, and types that a table can have, come from
//! enums ([`Named`], [`TableType`]), which the readers match without `_`.

use super::units::Quantity;
use crate::named::Named;

/// A table of a scene.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    /// In words, as in "unknown key in a body".
    pub name: &'static str,
    /// What it is for.
    pub doc: &'static str,
    pub keys: &'static [Key],
}

/// A key of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    pub name: &'static str,
    pub form: Form,
    pub need: Need,
    /// What it means.
    pub doc: &'static str,
}

/// Whether a key must be there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Need {
    Required,
    /// Without it: this, in words or as in the text.
    Default(&'static str),
}

/// What a key may hold.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    /// A number, or an expression.
    Number(Quantity),
    /// An expression of variables that are known only later.
    Function(Quantity, &'static [&'static str]),
    /// A whole number >= 0, or an expression.
    Integer,
    /// Three numbers.
    Vector(Quantity),
    /// Text.
    Text,
    /// `true` or `false`.
    Flag,
    /// One of a few words: [`Named::names`] of an enum.
    Choice(fn() -> Vec<&'static str>),
    /// A name of a colour or `#rrggbb`.
    Color,
    /// The path of a file, relative to the scene.
    File,
    /// A table.
    Table(&'static Table),
    /// A table whose `type` says which keys it has.
    Variants(&'static Variants),
    /// A list.
    List(&'static Form),
    /// One of several forms.
    Either(&'static [Form]),
    /// Names of the user's own with numbers or expressions.
    Parameters,
    /// Names of the user's own with texts.
    Texts,
    /// The name of a method with options of it: [`drystone::Method::options`].
    MethodOptions,
}

/// A table whose `type` says which keys it has.
#[derive(Debug)]
pub(crate) struct Variants {
    /// In words.
    pub name: &'static str,
    pub doc: &'static str,
    /// The types and their keys; a table's name is the type.
    pub types: fn() -> Vec<Table>,
}

/// What the `type` of a table names: an enum whose variants have keys of their own.
pub(crate) trait TableType: Named {
    /// What such a table is, in words: "a shape".
    const NAME: &'static str;
    /// What it is for.
    const DOC: &'static str;
    /// The description of all types, for the form of a key.
    const VARIANTS: &'static Variants = &Variants {
        name: Self::NAME,
        doc: Self::DOC,
        types: || Self::ALL.iter().map(|kind| kind.table()).collect(),
    };

    /// What this type is, and its keys besides `type`.
    fn description(self) -> (&'static str, &'static [Key]);

    /// The table of this type.
    fn table(self) -> Table {
        let (doc, keys) = self.description();
        let name = self.name();
        Table { name, doc, keys }
    }
}

impl Table {
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.keys.iter().map(|key| key.name)
    }
}

impl Form {
    /// The form of a number of this quantity, for lists and vectors.
    pub const fn number(quantity: Quantity) -> &'static Self {
        macro_rules! forms {
            ($($name:ident),*) => {
                match quantity {
                    $(Quantity::$name => &Self::Number(Quantity::$name),)*
                }
            };
        }
        forms!(
            Number,
            Length,
            Mass,
            Time,
            Angle,
            Speed,
            Acceleration,
            AngularSpeed,
            Force,
            Torque,
            Density,
            Inertia,
            Frequency,
            Volume,
            Stiffness,
            Damping,
            AngularStiffness,
            AngularDamping,
            Compliance
        )
    }

    /// What is expected, in words.
    pub fn words(&self) -> String {
        match self {
            Self::Number(Quantity::Number) => "a number".to_owned(),
            Self::Number(quantity) => format!("{} in {}", quantity.noun(), quantity.unit()),
            Self::Function(quantity, variables) => {
                let variables = variables.join(", ");
                format!(
                    "{} in {} as an expression of {variables}",
                    quantity.noun(),
                    quantity.unit()
                )
            }
            Self::Integer => "a whole number >= 0".to_owned(),
            Self::Vector(Quantity::Number) => "three numbers".to_owned(),
            Self::Vector(quantity) => format!("[x, y, z] in {}", quantity.unit()),
            Self::Text => "text".to_owned(),
            Self::Flag => "true or false".to_owned(),
            Self::Choice(known) => format!("one of {}", known().join(", ")),
            Self::Color => "a colour: a name or \"#rrggbb\"".to_owned(),
            Self::File => "the path of a file".to_owned(),
            Self::Table(table) => format!("{}, a table", table.name),
            Self::Variants(variants) => format!("{}, a table with a `type`", variants.name),
            Self::List(form) => format!("a list of {}", form.words()),
            Self::Either(forms) => {
                let words: Vec<_> = forms.iter().map(Form::words).collect();
                words.join(", or ")
            }
            Self::Parameters => "names with numbers or expressions".to_owned(),
            Self::Texts => "names with texts".to_owned(),
            Self::MethodOptions => "a table with the `name` of a method and its options".to_owned(),
        }
    }
}

/// A key that must be there.
pub(crate) const fn required(name: &'static str, form: Form, doc: &'static str) -> Key {
    Key {
        name,
        form,
        need: Need::Required,
        doc,
    }
}

/// A key that may be left out.
pub(crate) const fn optional(
    name: &'static str,
    form: Form,
    default: &'static str,
    doc: &'static str,
) -> Key {
    Key {
        name,
        form,
        need: Need::Default(default),
        doc,
    }
}
