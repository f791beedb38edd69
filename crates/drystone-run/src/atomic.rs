//! Files that are there whole or not at all.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Writes beside the target, then renames: a reader never sees half a file, and a failure keeps
/// the old one.
pub fn write_atomically(path: impl AsRef<Path>, bytes: &[u8]) -> io::Result<()> {
    write_atomically_with(path, |file| file.write_all(bytes))
}

/// As [`write_atomically`], for content that is made piece by piece. When `write` fails, nothing
/// is left behind.
pub fn write_atomically_with(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let path = path.as_ref();
    let mut file = create_beside(path)?;
    write(file.as_file_mut())?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Whether [`write_atomically`] could begin: makes the temporary file and removes it.
pub fn check_folder(path: impl AsRef<Path>) -> io::Result<()> {
    create_beside(path.as_ref())?.close()
}

/// A new file in the folder of `path`. Its name does not hold the target's, which may be as long
/// as names can be.
fn create_beside(path: &Path) -> io::Result<NamedTempFile> {
    if path.file_name().is_none() {
        let kind = ErrorKind::InvalidInput;
        return Err(io::Error::new(kind, "not the name of a file"));
    }
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".drystone-").suffix(".tmp");
    // A temporary file is private by default. This one becomes an ordinary file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}
