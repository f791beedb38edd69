//! Names of numbered files: `frame-%04d.png`.

use std::path::PathBuf;
use std::str::FromStr;

/// A name with a place for a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    before: String,
    /// Least number of digits.
    digits: usize,
    after: String,
}

/// What is wrong with a pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// No place for a number, or several.
    #[error("expected one place for a number, %d or %04d, as in out/frame-%04d.png")]
    Place,
    /// Another kind of file.
    #[error("numbered pictures are .png files, as in out/frame-%04d.png")]
    Suffix,
}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let (before, rest) = text.split_once('%').ok_or(PatternError::Place)?;
        let (digits, after) = rest.split_once('d').ok_or(PatternError::Place)?;
        let digits = match digits {
            "" => 1,
            digits => match digits.parse() {
                Ok(count @ 1..=18) => count,
                _ => return Err(PatternError::Place),
            },
        };
        // A place in the folder's name would need a folder for each picture.
        if after.contains(['%', '/']) {
            return Err(PatternError::Place);
        }
        if !after.to_ascii_lowercase().ends_with(".png") {
            return Err(PatternError::Suffix);
        }
        Ok(Self {
            before: before.to_owned(),
            digits,
            after: after.to_owned(),
        })
    }
}

impl Pattern {
    /// The file of a number.
    pub fn file(&self, number: usize) -> PathBuf {
        let Self {
            before,
            digits,
            after,
        } = self;
        PathBuf::from(format!("{before}{number:0digits$}{after}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_filled_up_with_zeros() {
        let pattern: Pattern = "out/frame-%04d.png".parse().unwrap();
        assert_eq!(pattern.file(7), PathBuf::from("out/frame-0007.png"));
        assert_eq!(pattern.file(12345), PathBuf::from("out/frame-12345.png"));
        let plain: Pattern = "%d.PNG".parse().unwrap();
        assert_eq!(plain.file(10), PathBuf::from("10.PNG"));
        for bad in [
            "a.png",
            "a%04d%d.png",
            "a%xd.png",
            "a%d/b.png",
            "a%-3d.png",
            "%99999d.png",
        ] {
            assert_eq!(bad.parse::<Pattern>(), Err(PatternError::Place), "{bad}");
        }
        assert_eq!("a%d.jpg".parse::<Pattern>(), Err(PatternError::Suffix));
    }
}
