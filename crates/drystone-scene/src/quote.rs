//! Words of files in messages: cut where they are long, and harmless on a terminal.

use std::borrow::Cow;
use std::path::Path;

/// Longest word of a file that a message repeats, in characters: enough to find it by.
pub(crate) const LONGEST: usize = 60;

/// Whether a character does something to a terminal other than to be seen: moves the cursor,
/// changes colours, or turns the direction of writing.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text with its hidden characters spelled out, as in `\u{1b}`; line breaks and tabs stay.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    let hides = |c: char| is_hidden(c) && c != '\n' && c != '\t';
    if !text.contains(hides) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match hides(c) {
            true => out.extend(c.escape_unicode()),
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// The beginning of a text, with `…` where the rest is left out.
pub(crate) fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
    }
}

/// A word of a file for a message: cut, on one line and harmless.
pub(crate) fn word(text: &str) -> String {
    let cut = cut(text, LONGEST);
    let mut out = String::with_capacity(cut.len());
    for c in cut.chars() {
        match is_hidden(c) {
            true => out.extend(c.escape_default()),
            false => out.push(c),
        }
    }
    out
}

/// The same between quotation marks.
pub(crate) fn quoted(text: &str) -> String {
    format!("{:?}", cut(text, LONGEST))
}

/// A path for a message. Not cut: a path that cannot be read whole helps nobody.
pub(crate) fn path(path: &Path) -> String {
    harmless(&path.to_string_lossy()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_spelled_out() {
        assert_eq!(harmless("a\x1b[31mb\nc\td"), "a\\u{1b}[31mb\nc\td");
        assert_eq!(harmless("plain, µ and 木"), "plain, µ and 木");
        assert_eq!(word("a\x1b[31m\nb"), "a\\u{1b}[31m\\nb");
        assert_eq!(word("\u{202e}txt"), "\\u{202e}txt");
    }

    #[test]
    fn long_words_are_cut_between_characters() {
        let long = "µ".repeat(1000);
        assert_eq!(word(&long), format!("{}…", "µ".repeat(LONGEST)));
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 3), "abc…");
    }
}
