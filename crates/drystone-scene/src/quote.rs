//! Words of files in messages: cut where they are long, and harmless on a terminal.

use std::borrow::Cow;
use std::path::Path;

/// Longest word of a file that a message repeats, in characters: enough to find it by.
pub(crate) const LONGEST: usize = 60;

/// Whether a character does something to a terminal other than to be seen: moves the cursor,
/// changes colours, or turns the direction of writing.
pub(crate) fn is_hidden(c: char) -> bool {
    match c {
        '\u{61c}' | '\u{200e}' | '\u{200f}' => true,
        '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    }
}

/// The text with its hidden characters spelled out, as `\u001b`, which is also how JSON writes
/// them. Line breaks and tabs stay.
pub fn harmless(text: &str) -> Cow<'_, str> {
    let hides = |c: char| is_hidden(c) && c != '\n' && c != '\t';
    if !text.contains(hides) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match hides(c) {
            true => spell(c, &mut out),
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

fn spell(c: char, out: &mut String) {
    out.push_str(&format!("\\u{:04x}", u32::from(c)));
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
            true if c == '\n' => out.push_str("\\n"),
            true => spell(c, &mut out),
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
        assert!(matches!(
            harmless("µm and 木, 1 → 2\n\tdone"),
            Cow::Borrowed(_)
        ));
        assert_eq!(harmless("a\u{1b}[2Jb\rc"), "a\\u001b[2Jb\\u000dc");
        assert_eq!(harmless("\u{9b}31m\u{7f}\u{0}"), "\\u009b31m\\u007f\\u0000");
        assert_eq!(harmless("x\u{202e}gnp.exe"), "x\\u202egnp.exe");
        assert_eq!(word("a\x1b[31m\nb"), "a\\u001b[31m\\nb");
    }

    #[test]
    fn long_words_are_cut_between_characters() {
        let long = "µ".repeat(1000);
        assert_eq!(word(&long), format!("{}…", "µ".repeat(LONGEST)));
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 3), "abc…");
    }
}
