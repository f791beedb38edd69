//! Files that are there whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Tells apart the temporary files of one process.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Writes beside the target, then renames: a reader never sees half a file, a failure keeps the old one.
pub fn write_atomically(path: impl AsRef<Path>, bytes: &[u8]) -> io::Result<()> {
    write_atomically_with(path, |file| file.write_all(bytes))
}

/// As [`write_atomically`], for content that is made piece by piece. When `write` fails, nothing is left behind.
pub fn write_atomically_with(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let path = path.as_ref();
    let (temporary, mut file) = create_beside(path)?;
    let written = write(&mut file)
        .and_then(|()| file.sync_all())
        .and_then(|()| std::fs::rename(&temporary, path));
    if written.is_err() {
        // Best effort: the first error is the one to report.
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

/// Whether [`write_atomically`] could begin: makes the temporary file and removes it.
pub fn check_folder(path: impl AsRef<Path>) -> io::Result<()> {
    let (temporary, _) = create_beside(path.as_ref())?;
    std::fs::remove_file(temporary)
}

/// A new file in the folder of `path`. Its name does not hold the target's, which may be as long as names can be.
fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    if path.file_name().is_none() {
        return Err(io::Error::new(
            ErrorKind::InvalidInput,
            "not the name of a file",
        ));
    }
    loop {
        let count = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!(".drystone-{}-{count}.tmp", std::process::id());
        let temporary = path.with_file_name(name);
        match OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&temporary)
        {
            Ok(file) => return Ok((temporary, file)),
            // Left behind by a process of the same number that was killed: the next name is free.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}
