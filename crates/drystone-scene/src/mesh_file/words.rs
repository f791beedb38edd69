//! Words and numbers of a text, with the line they stand on.

use std::borrow::Cow;

use glam::DVec3;

use super::error::{MeshFault, coordinate};

/// The text of a file. Names in old encodings do no harm: what matters is ASCII.
pub(super) fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    String::from_utf8_lossy(bytes)
}

/// Lines that are not empty, with their number from 1.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (u32, &str)> {
    let numbered = (1..).zip(text.lines());
    numbered
        .map(|(number, line)| (number, line.trim()))
        .filter(|(_, line)| !line.is_empty())
}

/// A finite number.
pub(super) fn number(line: u32, word: &str) -> Result<f64, MeshFault> {
    match word.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(MeshFault::unexpected(line, word, "a finite number")),
    }
}

/// Three coordinates.
pub(super) fn point(line: u32, words: [&str; 3]) -> Result<DVec3, MeshFault> {
    let one = |word| {
        let value = number(line, word)?;
        coordinate(value).map_err(|what| MeshFault::malformed(format!("line {line}"), what))
    };
    let [x, y, z] = words;
    Ok(DVec3::new(one(x)?, one(y)?, one(z)?))
}

/// The cells of a row, between commas, semicolons or blanks; what follows `#` is a comment.
pub(super) fn cells(line: &str) -> Vec<&str> {
    let content = line.split('#').next().unwrap_or_default().trim();
    if content.is_empty() {
        return Vec::new();
    }
    // A separator between commas stands for itself, blanks may come in any number.
    match content.find([',', ';']) {
        Some(at) => {
            let separator = content.as_bytes()[at] as char;
            content.split(separator).map(str::trim).collect()
        }
        None => content.split_whitespace().collect(),
    }
}
