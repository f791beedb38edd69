//! Files that are there whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::Fault;

/// Tells apart the temporary files of one process.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Writes beside the target, then renames: a reader never sees half a file, a failure keeps the old one.
pub(super) fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), Fault> {
    let temporary = temporary_beside(path)?;
    let written = write_whole(&temporary, bytes).and_then(|()| std::fs::rename(&temporary, path));
    if let Err(error) = written {
        // Best effort: the first error is the one to report.
        let _ = std::fs::remove_file(&temporary);
        return Err(error.into());
    }
    Ok(())
}

fn temporary_beside(path: &Path) -> Result<PathBuf, Fault> {
    let name = path.file_name().ok_or_else(|| {
        std::io::Error::new(std::io::ErrorKind::InvalidInput, "not the name of a file")
    })?;
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    let count = NEXT.fetch_add(1, Ordering::Relaxed);
    hidden.push(format!(".{}-{count}.tmp", std::process::id()));
    Ok(path.with_file_name(hidden))
}

fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file: File = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
