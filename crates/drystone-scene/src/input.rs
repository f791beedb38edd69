//! Reading files that others have named: ordinary ones only, and of a bounded size.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// The operating system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A folder, a pipe or a device. Pipes may wait for ever and devices may have no end.
    #[error("it is a {kind}, expected an ordinary file")]
    NotAFile {
        /// What it is.
        kind: &'static str,
    },
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

/// The bytes of an ordinary file, no more than `most` even when it grows meanwhile.
pub(crate) fn read(path: &Path, most: u64) -> Result<Vec<u8>, InputError> {
    // Before it is opened: opening a pipe waits for somebody who writes to it.
    ordinary(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    ordinary(&metadata)?;
    let bytes = metadata.len();
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

fn ordinary(metadata: &fs::Metadata) -> Result<(), InputError> {
    match metadata.is_file() {
        true => Ok(()),
        false => Err(InputError::NotAFile {
            kind: kind_of(metadata),
        }),
    }
}

#[cfg(unix)]
fn kind_of(metadata: &fs::Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    let kind = metadata.file_type();
    if kind.is_dir() {
        "folder"
    } else if kind.is_fifo() {
        "pipe"
    } else if kind.is_socket() {
        "socket"
    } else {
        "device"
    }
}

#[cfg(not(unix))]
fn kind_of(metadata: &fs::Metadata) -> &'static str {
    match metadata.is_dir() {
        true => "folder",
        false => "device",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ordinary_files_of_the_size_allowed_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.txt");
        fs::write(&file, "abc").unwrap();
        assert_eq!(read_text(&file, 3).unwrap(), "abc");
        let words = read(&file, 2).unwrap_err().to_string();
        assert_eq!(words, "3 bytes or more, expected at most 2");
        let words = read(folder.path(), 9).unwrap_err().to_string();
        assert_eq!(words, "it is a folder, expected an ordinary file");
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
            assert!(words(&pipe).contains("a pipe"));
        }
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert!(words(&socket).contains("a socket"));
    }
}
