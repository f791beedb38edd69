//! Reading files that others have named: regular ones only.
//!
//! `drystone_scene::regular` does this for scenes and runs. The two crates know nothing of each
//! other, and a crate below both for these few lines would be one without a subject.

use std::fs::{File, Metadata};
use std::io::{Error, ErrorKind, Read};
use std::path::Path;

use crate::error::Fault;

/// The content of a regular file. A pipe may wait for ever, and a device may have no end.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Fault> {
    // Before it is opened: opening a pipe waits for somebody who writes to it.
    check(&std::fs::metadata(path)?)?;
    let mut file = File::open(path)?;
    check(&file.metadata()?)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn check(found: &Metadata) -> Result<(), Fault> {
    let kind = match found.is_file() {
        true => return Ok(()),
        false if found.is_dir() => "a folder",
        false => "a pipe or a device",
    };
    let words = format!("is {kind}, expected a regular file");
    Err(Error::new(ErrorKind::InvalidInput, words).into())
}
