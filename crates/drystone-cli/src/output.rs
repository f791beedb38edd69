//! Where results go: files, standard output and standard error.
//!
//! Titles, names and paths come from files that anybody may have written. A terminal obeys control
//! characters in them, so everything that is shown goes through [`harmless`].

use std::io::{self, Write};
use std::path::Path;

use drystone_run::atomic::write_atomically;
pub use drystone_scene::harmless;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn within_json_a_harmless_text_still_means_the_same() {
        let title = "a\u{9b}b";
        let json = harmless(&serde_json::json!({ "title": title }).to_string()).into_owned();
        let back: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(back["title"], title);
    }
}
