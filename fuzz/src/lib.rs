//! What fuzz targets share: files on a disk, and content put behind the checksums that guard it.
//!
//! libFuzzer would never find a checksum by chance. So the targets of formats with one take the
//! content alone, and these functions put the head before it.

use std::path::PathBuf;
use std::sync::LazyLock;

use tempfile::TempDir;

static FOLDER: LazyLock<TempDir> =
    LazyLock::new(|| tempfile::tempdir().expect("there is a place for temporary files"));

/// A file with that content, the same one each time.
pub fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = FOLDER.path().join(name);
    std::fs::write(&path, bytes).expect("a temporary file can be written");
    path
}

/// The folder of these files.
pub fn folder() -> PathBuf {
    FOLDER.path().to_owned()
}

/// A `.ccp` file that holds this content, not packed.
pub fn ccp(content: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x89CCP\r\n\x1a\n".to_vec();
    bytes.extend_from_slice(&1_u32.to_le_bytes());
    bytes.extend_from_slice(&0_u32.to_le_bytes());
    bytes.extend_from_slice(&(content.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&crc32fast::hash(content).to_le_bytes());
    bytes.extend_from_slice(content);
    bytes
}

/// A checkpoint that holds this content, not packed, of the scene with this fingerprint.
pub fn checkpoint(content: &[u8], fingerprint: [u8; 16]) -> Vec<u8> {
    let mut bytes = b"\x89DRC\r\n\x1a\n".to_vec();
    bytes.extend_from_slice(&3_u32.to_le_bytes());
    bytes.extend_from_slice(&0_u32.to_le_bytes());
    bytes.extend_from_slice(&fingerprint);
    bytes.extend_from_slice(&(content.len() as u64).to_le_bytes());
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&bytes);
    hasher.update(content);
    bytes.extend_from_slice(&hasher.finalize().to_le_bytes());
    bytes.extend_from_slice(content);
    bytes
}

/// A chunk of a recording, not packed: `HEAD`, `KEYF` or `DIFF`.
pub fn chunk(kind: &[u8; 4], step: u64, content: &[u8]) -> Vec<u8> {
    let length = (content.len() as u64).to_le_bytes();
    let mut bytes = kind.to_vec();
    bytes.extend_from_slice(&0_u32.to_le_bytes());
    bytes.extend_from_slice(&length);
    bytes.extend_from_slice(&length);
    bytes.extend_from_slice(&step.to_le_bytes());
    bytes.extend_from_slice(&(step as f64).to_le_bytes());
    bytes.extend_from_slice(&crc32fast::hash(content).to_le_bytes());
    let own = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&own.to_le_bytes());
    bytes.extend_from_slice(content);
    bytes
}

/// The beginning of a recording.
pub fn recording() -> Vec<u8> {
    let mut bytes = b"\x89DRY\r\n\x1a\n".to_vec();
    bytes.extend_from_slice(&2_u32.to_le_bytes());
    bytes
}
