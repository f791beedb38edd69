//! The tags of a file before it is parsed: the parser compares every attribute of an element with
//! all others of it, and copies what prefixes mean from each element to those inside.

/// Most attributes of an element; robots and meshes have none with more than a handful.
const MOST_ATTRIBUTES: usize = 100;
/// Deepest nesting of elements; robots need six levels, meshes some more.
const DEEPEST: usize = 100;

/// What is wrong with a tag.
pub(crate) struct BadTag {
    /// The byte where it begins.
    pub at: usize,
    /// What is wrong.
    pub what: String,
}

/// Looks at the tags alone. What is no XML at all is left to the parser.
pub(crate) fn check(text: &str) -> Result<(), BadTag> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(start) = find(bytes, at, b"<") {
        let rest = &bytes[start..];
        let skipped = [
            (&b"<!--"[..], &b"-->"[..]),
            (&b"<![CDATA["[..], &b"]]>"[..]),
            (&b"<?"[..], &b"?>"[..]),
        ];
        if let Some((begin, end)) = skipped.iter().find(|(begin, _)| rest.starts_with(begin)) {
            match find(bytes, start + begin.len(), end) {
                Some(found) => at = found + end.len(),
                None => return Ok(()),
            }
            continue;
        }
        let tag = Tag::read(bytes, start + 1);
        if tag.attributes > MOST_ATTRIBUTES {
            let what = format!("an element with more than {MOST_ATTRIBUTES} attributes");
            return Err(BadTag { at: start, what });
        }
        match (rest.get(1), tag.is_empty) {
            (Some(b'/'), _) => depth = depth.saturating_sub(1),
            (_, true) => {}
            (_, false) => depth += 1,
        }
        if depth > DEEPEST {
            let what = format!("elements more than {DEEPEST} deep within each other");
            return Err(BadTag { at: start, what });
        }
        at = tag.end;
    }
    Ok(())
}

/// Where `word` next is.
fn find(bytes: &[u8], from: usize, word: &[u8]) -> Option<usize> {
    let windows = bytes.get(from..)?.windows(word.len());
    windows
        .into_iter()
        .position(|found| found == word)
        .map(|at| from + at)
}

struct Tag {
    attributes: usize,
    /// Whether it ends in `/>`.
    is_empty: bool,
    /// The byte behind it.
    end: usize,
}

impl Tag {
    /// From the byte behind `<`; values between quotation marks may hold anything.
    fn read(bytes: &[u8], start: usize) -> Self {
        let mut quote = None;
        let mut tag = Self {
            attributes: 0,
            is_empty: false,
            end: bytes.len(),
        };
        for (at, &byte) in bytes.iter().enumerate().skip(start) {
            match (quote, byte) {
                (Some(open), byte) if open == byte => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'=') => tag.attributes += 1,
                (None, b'>') => {
                    tag.is_empty = bytes[at - 1] == b'/';
                    tag.end = at + 1;
                    return tag;
                }
                (None, _) => {}
            }
        }
        tag
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_counted_outside_quotes_and_comments() {
        let fine = |text: &str| check(text).is_ok();
        let many = |k: usize| (0..k).map(|i| format!(" a{i}=\"1\"")).collect::<String>();
        assert!(fine(&format!("<robot{}/>", many(100))));
        assert!(!fine(&format!("<robot{}/>", many(101))));
        assert!(fine(&format!("<!-- <robot{}/> --><robot/>", many(200))));
        assert!(fine(&format!("<robot a=\"{}\"/>", "=>".repeat(200))));
        assert!(fine(&format!("<a><![CDATA[{}]]></a>", "<b>".repeat(200))));
        assert!(fine(&"<a/>".repeat(1000)));
        assert!(fine(&"<a></a>".repeat(1000)));
        assert!(fine(&format!(
            "{}{}",
            "<a>".repeat(100),
            "</a>".repeat(100)
        )));
        assert!(!fine(&"<a>".repeat(101)));
        for broken in ["", "<", "<a", "<!--", "<a b='", ">", "<>", "</a>"] {
            assert!(fine(broken), "{broken}");
        }
    }
}
