//! Kinds that a text names by a word: one list of words, for reading, messages and documentation.
//!
//! An enum lists its words once, through [`named!`]. Readers turn a word into the enum with
//! [`Named::from_name`] and match it without `_`, so that a kind that nobody reads does not
//! compile.

/// An enum whose variants have names in texts.
pub(crate) trait Named: Copy + 'static {
    /// All variants, in the order of the documentation.
    const ALL: &'static [Self];

    /// The word for it.
    fn name(self) -> &'static str;

    /// The words for all of them.
    fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|kind| kind.name()).collect()
    }

    /// The variant that a word names.
    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}

/// Makes an enum with its words, or gives words to an enum that is there (`impl`). Either way the
/// list is whole: a variant that is missing in it does not compile.
macro_rules! named {
    ($(#[$doc:meta])* $vis:vis enum $enum:ident {
        $($(#[$variant_doc:meta])* $variant:ident = $name:literal,)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $enum {
            $($(#[$variant_doc])* $variant,)*
        }

        $crate::named::named! { impl $enum { $($variant = $name,)* } }
    };
    (impl $enum:ident { $($variant:ident = $name:literal,)* }) => {
        impl $crate::named::Named for $enum {
            const ALL: &'static [Self] = &[$(Self::$variant),*];

            fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

pub(crate) use named;

#[cfg(test)]
mod tests {
    use super::*;

    named! {
        /// For the test.
        enum Fruit {
            Apple = "apple",
            Pear = "pear",
        }
    }

    #[test]
    fn every_word_leads_to_its_variant() {
        assert_eq!(Fruit::names(), ["apple", "pear"]);
        for fruit in Fruit::ALL {
            assert_eq!(Fruit::from_name(fruit.name()), Some(*fruit));
        }
        assert_eq!(Fruit::from_name("Pear"), None);
    }
}
