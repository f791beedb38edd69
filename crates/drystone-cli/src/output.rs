//! Where results go: files, standard output and standard error.
//!
//! Titles, names and paths come from files that anybody may have written. A terminal obeys control
//! characters in them, so everything that is shown goes through [`harmless`].

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use drystone_run::atomic::write_atomically;

use crate::failure::Failure;

/// Writes `bytes` as a whole or not at all.
pub fn write_bytes(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    write_atomically(file, bytes).map_err(|e| Failure::writing(file, e))
}

/// Writes to standard output; a reader that left early is no error.
pub fn to_stdout(text: &str) -> Result<(), Failure> {
    let text = harmless(text);
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::writing(Path::new("standard output"), e))
        }
        _ => Ok(()),
    }
}

/// Writes a line to standard error, if anybody listens.
pub fn to_stderr(line: &str) {
    let line = format!("{}\n", harmless(line));
    // In one piece: a signal's message may come at the same time.
    let _ = io::stderr().lock().write_all(line.as_bytes());
}

/// The same text without characters that a terminal obeys: they become visible, as `\u001b`, which
/// is also how JSON writes them. Line ends and tabs stay.
pub fn harmless(text: &str) -> Cow<'_, str> {
    let is_harmful = |c: char| match c {
        '\n' | '\t' => false,
        // Marks that change the direction of what follows, and so what a name seems to be.
        '\u{61c}' | '\u{200e}' | '\u{200f}' => true,
        '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    };
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match is_harmful(c) {
            true => shown.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_gets_through() {
        assert!(matches!(harmless("µm, 1 → 2\n\tdone"), Cow::Borrowed(_)));
        assert_eq!(harmless("a\u{1b}[2Jb\rc"), "a\\u001b[2Jb\\u000dc");
        assert_eq!(harmless("\u{9b}31m\u{7f}\u{0}"), "\\u009b31m\\u007f\\u0000");
        assert_eq!(harmless("x\u{202e}gnp.exe"), "x\\u202egnp.exe");
        // Within JSON the result still means the same character.
        let title = "a\u{9b}b";
        let json = harmless(&serde_json::json!({ "title": title }).to_string()).into_owned();
        let back: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(back["title"], title);
    }
}
