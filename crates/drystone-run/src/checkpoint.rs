//! Checkpoints: all that a run needs to go on, in a file that is there whole or not at all.
//!
//! The newest lies in `checkpoint.dry`, the one before in `checkpoint.prev.dry`. Writing never
//! leaves a moment without a good one. Each knows the fingerprint of the scene that it belongs to;
//! another scene's is refused.
//!
//! Layout, little-endian: magic (8 bytes), version (u32), packing (u32: 0 none, 1 zstd),
//! fingerprint (16 bytes), length of the unpacked content (u64), CRC-32 of all other bytes (u32),
//! packed content: the payload in postcard's encoding.
//!
//! ```
//! use drystone_run::checkpoint::{Checkpoints, Fingerprint};
//!
//! let folder = tempfile::tempdir()?;
//! let checkpoints = Checkpoints::new(folder.path(), Fingerprint::of(b"the scene's text"));
//! checkpoints.write(&(7_u64, "state"))?;
//! let loaded = checkpoints.read::<(u64, String)>()?.expect("it was just written");
//! assert_eq!(loaded.payload, (7, "state".to_owned()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::atomic::write_atomically;
use crate::regular;
use crate::run_folder::{CHECKPOINT, PREVIOUS_CHECKPOINT};

/// How every checkpoint begins: not text, and line ends that a careless transfer would change.
const MAGIC: &[u8; 8] = b"\x89DRC\r\n\x1a\n";

/// Changes whenever an older reader would misread a newer file.
const VERSION: u32 = 4;

const HEADER: usize = 44;

/// Where the checksum lies.
const CHECKSUM: std::ops::Range<usize> = 40..44;

/// Where a checkpoint is made before it takes its place.
const NEXT: &str = "checkpoint.next.dry";

/// Tells scenes apart: 128 bits of their text (FNV-1a). Guards against mistakes, not against
/// forgery.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 16]);

impl Fingerprint {
    /// Of a scene's text as it is run.
    pub fn of(text: &[u8]) -> Self {
        const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        let hash = text.iter().fold(BASIS, |hash, &byte| {
            (hash ^ u128::from(byte)).wrapping_mul(PRIME)
        });
        Self(hash.to_be_bytes())
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A checkpoint that cannot be read or written, and why.
#[derive(Debug, thiserror::Error)]
#[error("{}: {fault}", file.display())]
pub struct CheckpointError {
    /// The file.
    pub file: PathBuf,
    /// What is wrong with it.
    #[source]
    pub fault: CheckpointFault,
}

/// What is wrong with a checkpoint.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointFault {
    /// The operating system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file is cut, changed, or no checkpoint at all.
    #[error("damaged: {what}")]
    Damaged {
        /// The value and what was expected.
        what: String,
    },
    /// Written by another version of the program.
    #[error("format version {found}, expected {expected}")]
    Version {
        /// In the file.
        found: u32,
        /// What this program reads.
        expected: u32,
    },
    /// Of another scene.
    #[error(
        "belongs to another scene: its fingerprint is {found}, this scene's {expected}; resume with the scene file of that run \
         unchanged, or begin a new run"
    )]
    OtherScene {
        /// In the file.
        found: Fingerprint,
        /// Of the scene to be resumed.
        expected: Fingerprint,
    },
    /// The payload cannot be stored.
    #[error("cannot be encoded: {0}")]
    Encode(postcard::Error),
}

impl CheckpointFault {
    fn damaged(what: impl Into<String>) -> Self {
        Self::Damaged { what: what.into() }
    }

    fn of(self, file: &Path) -> CheckpointError {
        CheckpointError {
            file: file.to_owned(),
            fault: self,
        }
    }
}

/// The checkpoints of one run.
#[derive(Clone, Debug)]
pub struct Checkpoints {
    folder: PathBuf,
    /// `None` reads those of any scene.
    fingerprint: Option<Fingerprint>,
}

/// A checkpoint that was read.
#[derive(Debug)]
pub struct Loaded<T> {
    /// What was saved.
    pub payload: T,
    /// Where it came from.
    pub file: PathBuf,
    /// Why not the newest: set where that was damaged and the one before is given.
    pub newest: Option<CheckpointError>,
}

impl Checkpoints {
    /// Those in `folder`, of the scene with that fingerprint.
    pub fn new(folder: impl AsRef<Path>, fingerprint: Fingerprint) -> Self {
        Self {
            folder: folder.as_ref().to_owned(),
            fingerprint: Some(fingerprint),
        }
    }

    /// Those in `folder`, of whatever scene, to be read only.
    pub(crate) fn of_any_scene(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            fingerprint: None,
        }
    }

    /// Writes a checkpoint; the newest so far becomes the previous one. Whenever this fails or is
    /// killed, a good one is there.
    pub fn write<T: Serialize>(&self, payload: &T) -> Result<(), CheckpointError> {
        let newest = self.folder.join(CHECKPOINT);
        let write = || {
            let next = self.folder.join(NEXT);
            let fingerprint = self.fingerprint.unwrap_or(NO_SCENE);
            write_atomically(&next, &encode(payload, fingerprint)?)?;
            self.keep_previous(&newest)?;
            std::fs::rename(&next, &newest)?;
            sync_folder(&self.folder)
        };
        write().map_err(|fault| fault.of(&newest))
    }

    /// Gives the newest checkpoint its second name, unless it is damaged: a good previous one is
    /// worth more.
    fn keep_previous(&self, newest: &Path) -> Result<(), CheckpointFault> {
        match regular::read(newest) {
            Ok(bytes) if open(&bytes).is_ok() => {}
            Ok(_) => return Ok(()),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error.into()),
        }
        // Until the next one has taken its place, reading falls back to this.
        std::fs::rename(newest, self.folder.join(PREVIOUS_CHECKPOINT))?;
        Ok(())
    }

    /// The newest checkpoint that is whole; `None` where there is none at all. One of another scene
    /// is an error.
    pub fn read<T: DeserializeOwned>(&self) -> Result<Option<Loaded<T>>, CheckpointError> {
        let newest = match self.read_file(CHECKPOINT) {
            Ok(Some(loaded)) => return Ok(Some(loaded)),
            Ok(None) => None,
            Err(error) => Some(error),
        };
        if let Some(error) = newest {
            match error.fault {
                CheckpointFault::Damaged { .. } | CheckpointFault::Io(_) => {}
                CheckpointFault::Version { .. }
                | CheckpointFault::OtherScene { .. }
                | CheckpointFault::Encode(_) => return Err(error),
            }
            // Where the previous one is no better, the newest's fault is the one to report.
            return match self.read_file(PREVIOUS_CHECKPOINT) {
                Ok(Some(loaded)) => Ok(Some(Loaded {
                    newest: Some(error),
                    ..loaded
                })),
                Ok(None) | Err(_) => Err(error),
            };
        }
        self.read_file(PREVIOUS_CHECKPOINT)
    }

    fn read_file<T: DeserializeOwned>(
        &self,
        name: &str,
    ) -> Result<Option<Loaded<T>>, CheckpointError> {
        let file = self.folder.join(name);
        let bytes = match regular::read(&file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(CheckpointFault::Io(error).of(&file)),
        };
        match decode(&bytes, self.fingerprint) {
            Ok(payload) => Ok(Some(Loaded {
                payload,
                file,
                newest: None,
            })),
            Err(fault) => Err(fault.of(&file)),
        }
    }
}

/// Fingerprint of files that belong to no scene.
const NO_SCENE: Fingerprint = Fingerprint([0; 16]);

/// Writes a file of a run's folder in the form of a checkpoint, whole or not at all.
pub(crate) fn write_file<T: Serialize>(file: &Path, payload: &T) -> Result<(), CheckpointError> {
    let write = || Ok(write_atomically(file, &encode(payload, NO_SCENE)?)?);
    write().map_err(|fault: CheckpointFault| fault.of(file))
}

/// Reads such a file; `None` where there is none.
pub(crate) fn read_file<T: DeserializeOwned>(file: &Path) -> Result<Option<T>, CheckpointError> {
    let read = || match regular::read(file) {
        Ok(bytes) => decode(&bytes, None).map(Some),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    };
    read().map_err(|fault: CheckpointFault| fault.of(file))
}

/// A checkpoint as bytes, for callers that keep it themselves.
pub fn to_bytes<T: Serialize>(
    payload: &T,
    fingerprint: Fingerprint,
) -> Result<Vec<u8>, CheckpointFault> {
    encode(payload, fingerprint)
}

/// What such bytes hold. Those of another scene, and those that are damaged, are refused.
pub fn from_bytes<T: DeserializeOwned>(
    bytes: &[u8],
    fingerprint: Fingerprint,
) -> Result<T, CheckpointFault> {
    decode(bytes, Some(fingerprint))
}

/// Makes a rename outlast a power failure.
fn sync_folder(folder: &Path) -> Result<(), CheckpointFault> {
    // Elsewhere folders cannot be opened.
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// The most bytes that packed content of `length` bytes may unpack to.
fn unpacked_limit(length: usize) -> u64 {
    (length as u64).saturating_mul(100).saturating_add(16 << 20)
}

fn encode<T: Serialize>(payload: &T, fingerprint: Fingerprint) -> Result<Vec<u8>, CheckpointFault> {
    let plain = postcard::to_allocvec(payload).map_err(CheckpointFault::Encode)?;
    let zstd = zstd::bulk::compress(&plain, 3)?;
    // A reader refuses what unpacks to very much more than the file holds; such content is stored
    // as it is.
    let (packing, packed): (u32, &[u8]) = match plain.len() as u64 > unpacked_limit(zstd.len()) {
        true => (0, &plain),
        false => (1, &zstd),
    };
    let mut bytes = Vec::with_capacity(HEADER + packed.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&packing.to_le_bytes());
    bytes.extend_from_slice(&fingerprint.0);
    bytes.extend_from_slice(&(plain.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(packed);
    let checksum = checksum(&bytes);
    bytes[CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
    Ok(bytes)
}

/// Of all bytes but its own.
fn checksum(bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&bytes[..CHECKSUM.start]);
    hasher.update(&bytes[CHECKSUM.end..]);
    hasher.finalize()
}

fn decode<T: DeserializeOwned>(
    bytes: &[u8],
    expected: Option<Fingerprint>,
) -> Result<T, CheckpointFault> {
    let (found, plain) = unpack(bytes)?;
    if let Some(expected) = expected.filter(|expected| *expected != found) {
        return Err(CheckpointFault::OtherScene { found, expected });
    }
    let (payload, rest) = postcard::take_from_bytes(&plain)
        .map_err(|e| CheckpointFault::damaged(format!("cannot be decoded: {e}")))?;
    match rest.len() {
        0 => Ok(payload),
        left => Err(CheckpointFault::damaged(format!(
            "{left} bytes are left over"
        ))),
    }
}

fn word(head: &[u8; HEADER], at: usize) -> u32 {
    u32::from_le_bytes([0, 1, 2, 3].map(|k| head[at + k]))
}

/// The head and the packed content of a file that is as it was written.
fn open(bytes: &[u8]) -> Result<(&[u8; HEADER], &[u8]), CheckpointFault> {
    let Some((head, packed)) = bytes.split_first_chunk::<HEADER>() else {
        let what = format!("{} bytes, expected at least {HEADER}", bytes.len());
        return Err(CheckpointFault::damaged(what));
    };
    if &head[..8] != MAGIC {
        return Err(CheckpointFault::damaged("does not begin as a checkpoint"));
    }
    let (noted, found) = (word(head, CHECKSUM.start), checksum(bytes));
    if noted != found {
        let what = format!("checksum {noted:08x} is noted, the file gives {found:08x}");
        return Err(CheckpointFault::damaged(what));
    }
    Ok((head, packed))
}

/// Checks everything but the payload's meaning.
fn unpack(bytes: &[u8]) -> Result<(Fingerprint, Vec<u8>), CheckpointFault> {
    let damaged = CheckpointFault::damaged;
    let (head, packed) = open(bytes)?;
    let word = |at: usize| word(head, at);
    if word(8) != VERSION {
        return Err(CheckpointFault::Version {
            found: word(8),
            expected: VERSION,
        });
    }
    let length = u64::from(word(32)) | u64::from(word(36)) << 32;
    let plain = match word(12) {
        0 => packed.to_vec(),
        1 if length > unpacked_limit(packed.len()) => {
            return Err(damaged(format!("claims to unpack to {length} bytes")));
        }
        1 => zstd::bulk::decompress(packed, length as usize)
            .map_err(|e| damaged(format!("cannot be unpacked: {e}")))?,
        other => return Err(damaged(format!("packing {other}, expected 0 or 1"))),
    };
    if plain.len() as u64 != length {
        let found = plain.len();
        return Err(damaged(format!(
            "unpacks to {found} bytes, expected {length}"
        )));
    }
    let mut fingerprint = [0; 16];
    fingerprint.copy_from_slice(&head[16..32]);
    Ok((Fingerprint(fingerprint), plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_one() {
        // Test vectors of FNV-1a, 128 bits.
        let empty = Fingerprint::of(b"").to_string();
        assert_eq!(empty, "6c62272e07bb014262b821756295c58d");
        let a = Fingerprint::of(b"a").to_string();
        assert_eq!(a, "d228cb696f1a8caf78912b704e4a8964");
    }
}
