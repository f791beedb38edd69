//! Files that must be regular ones.
//!
//! A named pipe never comes to its end, a device may have none, and what is written through a
//! symbolic link lands elsewhere. So files that others have named, and those of a run, are looked
//! at before they are opened, and again when they are open: in between they may have been replaced.
//! Opening never waits.

use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Opens a file for reading. Symbolic links are followed.
pub fn open(path: impl AsRef<Path>) -> io::Result<File> {
    let path = path.as_ref();
    check(&std::fs::metadata(path)?)?;
    let mut options = OpenOptions::new();
    options.read(true);
    with_flags(&mut options, Links::Follow);
    opened(options.open(path)?)
}

/// The content of a file.
pub fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The content of a text file.
pub fn read_to_string(path: impl AsRef<Path>) -> io::Result<String> {
    let mut text = String::new();
    open(path)?.read_to_string(&mut text)?;
    Ok(text)
}

/// Opens a file of our own for writing, as `options` say. A symbolic link is refused: what it names
/// may be anybody's.
pub fn open_own(path: impl AsRef<Path>, options: &mut OpenOptions) -> io::Result<File> {
    let path = path.as_ref();
    match std::fs::symlink_metadata(path) {
        Ok(found) => check(&found)?,
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    with_flags(options, Links::Refuse);
    opened(options.open(path)?)
}

fn opened(file: File) -> io::Result<File> {
    check(&file.metadata()?)?;
    Ok(file)
}

fn check(found: &Metadata) -> io::Result<()> {
    match found.is_file() {
        true => Ok(()),
        false => {
            let kind = kind_words(found.file_type());
            let words = format!("is {kind}, expected a regular file");
            Err(io::Error::new(ErrorKind::InvalidInput, words))
        }
    }
}

/// What is done with symbolic links.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Links {
    Follow,
    Refuse,
}

/// Lets opening neither wait for the other end of a pipe nor follow a link that may not be.
#[cfg(unix)]
fn with_flags(options: &mut OpenOptions, links: Links) {
    use std::os::unix::fs::OpenOptionsExt;
    options.custom_flags(match links {
        Links::Follow => libc::O_NONBLOCK,
        Links::Refuse => libc::O_NONBLOCK | libc::O_NOFOLLOW,
    });
}

#[cfg(not(unix))]
fn with_flags(_: &mut OpenOptions, _: Links) {}

#[cfg(unix)]
fn kind_words(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if kind.is_symlink() {
        "a symbolic link"
    } else if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn kind_words(kind: FileType) -> &'static str {
    if kind.is_symlink() {
        "a symbolic link"
    } else {
        "a folder"
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::process::Command;

    #[test]
    fn only_regular_files_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("plain"), "content").unwrap();
        symlink(at("plain"), at("link")).unwrap();
        symlink("/dev/zero", at("zero")).unwrap();
        let made = Command::new("mkfifo").arg(at("pipe")).status().unwrap();
        assert!(made.success());
        let refused = |file: io::Result<File>| file.unwrap_err().to_string();

        assert_eq!(read_to_string(at("link")).unwrap(), "content");
        assert!(refused(open(at("pipe"))).contains("is a named pipe"));
        assert!(refused(open(at("zero"))).contains("is a device"));
        assert!(refused(open(folder.path())).contains("is a folder"));
        assert_eq!(open(at("none")).unwrap_err().kind(), ErrorKind::NotFound);

        let write = |name: &str| open_own(at(name), OpenOptions::new().append(true).create(true));
        assert!(refused(write("link")).contains("is a symbolic link"));
        assert!(refused(write("zero")).contains("is a symbolic link"));
        assert!(refused(write("pipe")).contains("is a named pipe"));
        write("plain").unwrap();
        write("new").unwrap();
        assert_eq!(read(at("plain")).unwrap(), b"content");
    }
}
