//! What a file holds that is ignored or taken for something else.

/// Names that are told of one kind of note; the rest is counted.
const NAMED: usize = 6;

/// Notes of the same kind in one line.
#[derive(Debug, Default)]
pub(super) struct Notes {
    kinds: Vec<(String, Vec<String>)>,
}

impl Notes {
    /// Adds what happened to the link or joint of a name.
    pub fn add(&mut self, what: impl Into<String>, name: &str) {
        let what = what.into();
        match self.kinds.iter_mut().find(|(known, _)| *known == what) {
            Some((_, names)) => names.push(name.to_owned()),
            None => self.kinds.push((what, vec![name.to_owned()])),
        }
    }

    /// Adds an element that is not of the format.
    pub fn unknown(&mut self, tag: &str, owner: &str) {
        self.add(
            "unknown elements are ignored",
            &format!("<{tag}> of {owner}"),
        );
    }

    /// A line for each kind, in the order in which they came up.
    pub fn lines(&self) -> Vec<String> {
        let line = |(what, names): &(String, Vec<String>)| {
            let listed = names.iter().take(NAMED).map(String::as_str);
            let listed = listed.collect::<Vec<_>>().join(", ");
            match names.len().checked_sub(NAMED) {
                None | Some(0) => format!("{what}: {listed}"),
                Some(more) => format!("{what}: {listed} and {more} more"),
            }
        };
        self.kinds.iter().map(line).collect()
    }
}
