//! Reading files that others have named: regular ones only, and of a bounded size.

use std::io::{self, Read};
use std::path::Path;

use crate::regular;

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// The operating system refused, or it is no regular file.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// More than is read.
    #[error("{bytes} bytes or more, expected at most {most}")]
    TooLarge {
        /// Size of the file, or of what was read of it.
        bytes: u64,
        /// The limit.
        most: u64,
    },
    /// Not a text.
    #[error("byte {at} is not part of a text in UTF-8")]
    NotText {
        /// The first byte that is not, from 0.
        at: usize,
    },
}

/// The bytes of a regular file, no more than `most` even when it grows meanwhile.
pub(crate) fn read(path: &Path, most: u64) -> Result<Vec<u8>, InputError> {
    let file = regular::open(path)?;
    let bytes = file.metadata()?.len();
    if bytes > most {
        return Err(InputError::TooLarge { bytes, most });
    }
    let mut content = Vec::with_capacity(bytes as usize);
    file.take(most + 1).read_to_end(&mut content)?;
    let bytes = content.len() as u64;
    if bytes > most {
        return Err(InputError::TooLarge { bytes, most });
    }
    Ok(content)
}

/// The same as text.
pub(crate) fn read_text(path: &Path, most: u64) -> Result<String, InputError> {
    let text = String::from_utf8(read(path, most)?);
    text.map_err(|error| InputError::NotText {
        at: error.utf8_error().valid_up_to(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn only_regular_files_of_the_size_allowed_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.txt");
        fs::write(&file, "abc").unwrap();
        assert_eq!(read_text(&file, 3).unwrap(), "abc");
        let words = read(&file, 2).unwrap_err().to_string();
        assert_eq!(words, "3 bytes or more, expected at most 2");
        let words = read(folder.path(), 9).unwrap_err().to_string();
        assert_eq!(words, "is a folder, expected a regular file");
        assert!(matches!(
            read(&folder.path().join("none"), 9),
            Err(InputError::Io(_))
        ));
        fs::write(&file, b"ab\xff").unwrap();
        let words = read_text(&file, 9).unwrap_err().to_string();
        assert_eq!(words, "byte 2 is not part of a text in UTF-8");
    }

    #[cfg(unix)]
    #[test]
    fn devices_and_pipes_are_refused_without_waiting() {
        let words = |path: &Path| read(path, 9).unwrap_err().to_string();
        assert!(words(Path::new("/dev/zero")).contains("a device"));
        assert!(words(Path::new("/dev/null")).contains("a device"));
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe.stl");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        if made.is_ok_and(|status| status.success()) {
            assert!(words(&pipe).contains("a named pipe"));
        }
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert!(words(&socket).contains("a socket"));
    }
}
