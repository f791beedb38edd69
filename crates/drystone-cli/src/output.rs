//! Where results go: files, standard output and standard error.

use std::io::{self, Write};
use std::path::Path;

use drystone_run::atomic::write_atomically;

use crate::failure::Failure;

/// Writes `bytes` as a whole or not at all.
pub fn write_bytes(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    write_atomically(file, bytes).map_err(|e| Failure::writing(file, e))
}

/// Writes to standard output; a reader that left early is no error.
pub fn to_stdout(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::writing(Path::new("standard output"), e))
        }
        _ => Ok(()),
    }
}

/// Writes a line to standard error, if anybody listens.
pub fn to_stderr(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}
