//! Files that are there whole or not at all.
//!
//! They are written under a temporary name in the same folder, `.drystone-PROCESS-RANDOM.tmp`, and
//! renamed when they are complete. A process that is killed leaves such a file behind;
//! [`remove_stale`] finds it by its name and its lock.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

use crate::process::is_running;
use crate::regular;

/// How the names of temporary files begin and end.
const NAME: [&str; 2] = [".drystone-", ".tmp"];

/// Temporary files of this process that have not got their names yet. Files begin and end with the
/// lock held, so that [`abandon`] knows all of them.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

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
    write_as(path.as_ref(), Target::Replace, write)
}

/// As [`write_atomically_with`], for content that another program writes to the file whose name it
/// is handed.
pub fn write_atomically_by(
    path: impl AsRef<Path>,
    write: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<()> {
    let path = path.as_ref();
    let file = Unfinished::beside(path)?;
    match write(file.temporary.path()).and_then(|()| file.temporary.as_file().sync_all()) {
        Ok(()) => file.finish(path, Target::Replace),
        Err(error) => {
            // The first error is the one to report.
            let _ = file.discard();
            Err(error)
        }
    }
}

/// As [`write_atomically`], but fails with [`ErrorKind::AlreadyExists`] where the target is there.
pub fn write_new(path: impl AsRef<Path>, bytes: &[u8]) -> io::Result<()> {
    write_as(path.as_ref(), Target::Keep, |file| file.write_all(bytes))
}

/// What happens to a file that has the name already.
enum Target {
    Replace,
    Keep,
}

fn write_as(
    path: &Path,
    target: Target,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let mut file = Unfinished::beside(path)?;
    let written = write(file.temporary.as_file_mut());
    match written.and_then(|()| file.temporary.as_file().sync_all()) {
        Ok(()) => file.finish(path, target),
        Err(error) => {
            // The first error is the one to report.
            let _ = file.discard();
            Err(error)
        }
    }
}

/// Whether [`write_atomically`] could begin: makes the temporary file and removes it.
pub fn check_folder(path: impl AsRef<Path>) -> io::Result<()> {
    Unfinished::beside(path.as_ref())?.discard()
}

/// Removes the temporary files of this process for good: from now on none is begun and none gets
/// its name. For a process that is about to exit in the midst of its work; whoever wants to write
/// a file waits until then.
pub fn abandon() {
    let names = unfinished_files();
    for name in names.iter() {
        // The process ends: nobody is left to hear of an error.
        let _ = std::fs::remove_file(name);
    }
    std::mem::forget(names);
}

/// Removes from a folder the temporary files of processes that are gone. Best effort: what cannot
/// be removed does no harm.
pub fn remove_stale(folder: impl AsRef<Path>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let writer = name.to_str().and_then(writer_in);
        if writer.is_some_and(|process| !is_running(process)) && is_free(&entry.path()) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// The process that a name of ours speaks of.
fn writer_in(name: &str) -> Option<&str> {
    let inside = name.strip_prefix(NAME[0])?.strip_suffix(NAME[1])?;
    let (process, random) = inside.split_once('-')?;
    let is_ours = process.parse::<u32>().is_ok() && random.chars().all(char::is_alphanumeric);
    is_ours.then_some(process)
}

/// Whether nobody holds the file. A process of the same number may live on another machine that
/// shares the folder.
fn is_free(path: &Path) -> bool {
    match regular::open_own(path, OpenOptions::new().read(true)) {
        Ok(file) => !matches!(file.try_lock(), Err(TryLockError::WouldBlock)),
        Err(_) => false,
    }
}

fn unfinished_files() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    // A thread that panicked has left the set of names as it is.
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file on its way. [`Unfinished::finish`] or [`Unfinished::discard`] ends it; where `write`
/// panics it is removed all the same, and only its name stays in the list.
struct Unfinished {
    temporary: NamedTempFile,
}

impl Unfinished {
    /// A new file in the folder of `path`. Its name does not hold the target's, which may be as
    /// long as names can be.
    fn beside(path: &Path) -> io::Result<Self> {
        if path.file_name().is_none() {
            let kind = ErrorKind::InvalidInput;
            return Err(io::Error::new(kind, "not the name of a file"));
        }
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let prefix = format!("{}{}-", NAME[0], std::process::id());
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(NAME[1]);
        // A temporary file is private by default. This one becomes an ordinary file.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut names = unfinished_files();
        let temporary = builder.tempfile_in(folder)?;
        names.insert(temporary.path().to_owned());
        // Where there are no locks, the process's number must do.
        let _ = temporary.as_file().try_lock();
        Ok(Self { temporary })
    }

    /// Gives it its name.
    fn finish(self, path: &Path, target: Target) -> io::Result<()> {
        let mut names = unfinished_files();
        names.remove(self.temporary.path());
        let named = match target {
            Target::Replace => self.temporary.persist(path),
            Target::Keep => self.temporary.persist_noclobber(path),
        };
        named.map(drop).map_err(|error| error.error)
    }

    /// Removes it.
    fn discard(self) -> io::Result<()> {
        let mut names = unfinished_files();
        names.remove(self.temporary.path());
        self.temporary.close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_there_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.txt");
        write_atomically(&file, b"one").unwrap();
        let half = write_atomically_with(&file, |file| {
            file.write_all(b"tw")?;
            Err(io::Error::other("full"))
        });
        assert_eq!(half.unwrap_err().to_string(), "full");
        assert_eq!(std::fs::read(&file).unwrap(), b"one");
        let taken = write_new(&file, b"two").unwrap_err();
        assert_eq!(taken.kind(), ErrorKind::AlreadyExists);
        check_folder(&file).unwrap();
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn only_temporary_files_of_dead_processes_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        let (dead, own) = (child.id(), std::process::id());
        let kept = [
            format!(".drystone-{own}-abcdef.tmp"),
            format!(".drystone-{dead}-abc def.tmp"),
            format!(".drystone-{dead}-abcdef.txt"),
            ".drystone-abcdef.tmp".to_owned(),
            ".drystone-x-abcdef.tmp".to_owned(),
            format!("drystone-{dead}-abcdef.tmp"),
        ];
        let held = folder.path().join(format!(".drystone-{dead}-held00.tmp"));
        for name in &kept {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let file = File::create(&held).unwrap();
        file.try_lock().unwrap();
        std::fs::write(
            folder.path().join(format!(".drystone-{dead}-abcdef.tmp")),
            "",
        )
        .unwrap();
        remove_stale(folder.path());
        assert_eq!(names(folder.path()).len(), kept.len() + 1);
        drop(file);
        remove_stale(folder.path());
        let mut expected = kept.to_vec();
        expected.sort();
        assert_eq!(names(folder.path()), expected);
    }
}
