//! Formats that guard their content: opened, changed inside, and closed again with checksums and
//! lengths put right. So changes get behind the checksum, as those of a clever forger do.

use std::io::{Cursor, Read, Write};

use zip::write::SimpleFileOptions;

use super::forge::forge;
use crate::dice::Dice;

/// Most that is unpacked, bytes. Our own files are far smaller.
const MOST: usize = 64 << 20;

/// Where things lie in the head of a `.ccp` file or a checkpoint.
struct Layout {
    head: usize,
    packing: usize,
    length: usize,
    checksum: usize,
}

const CCP: Layout = Layout {
    head: 28,
    packing: 12,
    length: 16,
    checksum: 24,
};

const CHECKPOINT: Layout = Layout {
    head: 44,
    packing: 12,
    length: 32,
    checksum: 40,
};

/// Changes the content of a `.ccp` file; its checksum is that of what follows the head.
pub fn ccp(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    reforged(bytes, &CCP, dice, |all| crc32fast::hash(&all[CCP.head..]))
}

/// Changes the content of a checkpoint; its checksum is that of all other bytes.
pub fn checkpoint(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    reforged(bytes, &CHECKPOINT, dice, checkpoint_sum)
}

/// Whether the bytes are a checkpoint as it was written.
pub fn is_checkpoint(bytes: &[u8]) -> bool {
    bytes.len() >= CHECKPOINT.head && word(bytes, CHECKPOINT.checksum) == checkpoint_sum(bytes)
}

fn checkpoint_sum(all: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&all[..CHECKPOINT.checksum]);
    hasher.update(&all[CHECKPOINT.checksum + 4..]);
    hasher.finalize()
}

fn reforged(bytes: &[u8], layout: &Layout, dice: &mut Dice, sum: impl Fn(&[u8]) -> u32) -> Vec<u8> {
    let (head, packed) = bytes.split_at(layout.head);
    let plain = match word(head, layout.packing) {
        0 => packed.to_vec(),
        _ => zstd::bulk::decompress(packed, MOST).unwrap_or_default(),
    };
    let plain = forge(&plain, &plain, dice);
    let mut all = head.to_vec();
    all[layout.packing..layout.packing + 4].fill(0);
    all[layout.length..layout.length + 8].copy_from_slice(&(plain.len() as u64).to_le_bytes());
    all.extend_from_slice(&plain);
    // Now and then the head is wrong too.
    if dice.one_in(8) {
        let at = 8 + dice.below(layout.head - 8);
        all[at] = dice.bits() as u8;
    }
    let sum = sum(&all);
    all[layout.checksum..layout.checksum + 4].copy_from_slice(&sum.to_le_bytes());
    all
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([0, 1, 2, 3].map(|k| bytes[at + k]))
}

fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from(word(bytes, at)) | u64::from(word(bytes, at + 4)) << 32
}

/// Bytes before the first chunk of a recording, and of the head of a chunk.
const BEFORE: usize = 12;
const CHUNK_HEAD: usize = 48;

/// Changes one chunk of a recording, or the order of its chunks.
pub fn recording(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let (before, mut rest) = bytes.split_at(BEFORE);
    let mut chunks = Vec::new();
    while rest.len() >= CHUNK_HEAD {
        let length = long(rest, 8) as usize;
        let (chunk, after) = rest.split_at((CHUNK_HEAD + length).min(rest.len()));
        chunks.push(chunk.to_vec());
        rest = after;
    }
    let at = dice.below(chunks.len());
    match dice.below(8) {
        0 => {
            chunks.remove(at);
        }
        1 => chunks.insert(at, chunks[at].clone()),
        2 => {
            let other = dice.below(chunks.len());
            chunks.swap(at, other);
        }
        3 => {
            // The head alone: kind, packing, lengths, step, time.
            let head = forge(&chunks[at][..40], &[], dice);
            let end = head.len().min(40);
            chunks[at][..end].copy_from_slice(&head[..end]);
            seal_chunk(&mut chunks[at]);
        }
        _ => {
            let chunk = &chunks[at];
            let content = &chunk[CHUNK_HEAD..];
            let plain = match word(chunk, 4) {
                0 => content.to_vec(),
                _ => zstd::bulk::decompress(content, MOST).unwrap_or_default(),
            };
            let plain = forge(&plain, content, dice);
            let mut new = chunk[..CHUNK_HEAD].to_vec();
            new[4..8].fill(0);
            let length = (plain.len() as u64).to_le_bytes();
            new[8..16].copy_from_slice(&length);
            new[16..24].copy_from_slice(&length);
            new.extend_from_slice(&plain);
            seal_chunk(&mut new);
            chunks[at] = new;
        }
    }
    [before.to_vec(), chunks.concat()].concat()
}

fn seal_chunk(chunk: &mut [u8]) {
    let sum = crc32fast::hash(&chunk[CHUNK_HEAD..]);
    chunk[40..44].copy_from_slice(&sum.to_le_bytes());
    let own = crc32fast::hash(&chunk[..44]);
    chunk[44..48].copy_from_slice(&own.to_le_bytes());
}

/// Changes one array of a NumPy archive, and packs it anew.
pub fn npz(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let unpacked = || {
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).ok()?;
        let mut files = Vec::new();
        for k in 0..archive.len() {
            let mut file = archive.by_index(k).ok()?;
            let (name, mut content) = (file.name().ok()?.into_owned(), Vec::new());
            file.read_to_end(&mut content).ok()?;
            files.push((name, content));
        }
        Some(files)
    };
    let mut files: Vec<(String, Vec<u8>)> = unpacked().unwrap_or_default();
    let at = dice.below(files.len());
    let other = files[dice.below(files.len())].1.clone();
    match dice.below(8) {
        0 => {
            files.remove(at);
        }
        1 => files[at].1 = other,
        _ => files[at].1 = forge(&files[at].1, &other, dice),
    }
    archive(&files, zip::CompressionMethod::Stored).unwrap_or_default()
}

/// Files as a zip archive.
pub fn archive(
    files: &[(String, Vec<u8>)],
    method: zip::CompressionMethod,
) -> zip::result::ZipResult<Vec<u8>> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(
            name,
            SimpleFileOptions::default().compression_method(method),
        )?;
        zip.write_all(bytes)?;
    }
    Ok(zip.finish()?.into_inner())
}

/// Puts right what an HDF5 file says of itself: its length, and the checksums of its newer heads.
pub fn hdf5(bytes: &mut [u8]) {
    let length = (bytes.len() as u64).to_le_bytes();
    match bytes.get(8) {
        Some(0 | 1) if bytes.len() >= 48 => bytes[40..48].copy_from_slice(&length),
        Some(2 | 3) if bytes.len() >= 48 => {
            bytes[28..36].copy_from_slice(&length);
            let sum = lookup3(&bytes[..44]);
            bytes[44..48].copy_from_slice(&sum.to_le_bytes());
        }
        _ => {}
    }
    for at in 0..bytes.len().saturating_sub(8) {
        if &bytes[at..at + 5] != b"OHDR\x02" {
            continue;
        }
        let flags = bytes[at + 5];
        let times = if flags & 0x20 == 0 { 0 } else { 16 };
        let phases = if flags & 0x10 == 0 { 0 } else { 4 };
        let size = at + 6 + times + phases;
        let width = 1_usize << (flags & 3);
        let Some(stored) = bytes.get(size..size + width) else {
            continue;
        };
        let content = stored.iter().rev().fold(0, |n, b| n << 8 | usize::from(*b));
        let Some(end) = (size + width).checked_add(content) else {
            continue;
        };
        if end.checked_add(4).is_some_and(|e| e <= bytes.len()) {
            let sum = lookup3(&bytes[at..end]);
            bytes[end..end + 4].copy_from_slice(&sum.to_le_bytes());
        }
    }
}

/// The checksum of HDF5: Jenkins' lookup3 (`hashlittle`), started from 0.
fn lookup3(bytes: &[u8]) -> u32 {
    let start = 0xdead_beef_u32.wrapping_add(bytes.len() as u32);
    let (mut a, mut b, mut c) = (start, start, start);
    let mut rest = bytes;
    while rest.len() > 12 {
        a = a.wrapping_add(word(rest, 0));
        b = b.wrapping_add(word(rest, 4));
        c = c.wrapping_add(word(rest, 8));
        for (turn, on) in [(4, 'c'), (6, 'a'), (8, 'b'), (16, 'c'), (19, 'a'), (4, 'b')] {
            // mix: each in turn loses the one before, takes its rotation, and feeds the next.
            let [x, y, z] = match on {
                'c' => [&mut a, &mut c, &mut b],
                'a' => [&mut b, &mut a, &mut c],
                _ => [&mut c, &mut b, &mut a],
            };
            *x = x.wrapping_sub(*y) ^ y.rotate_left(turn);
            *y = y.wrapping_add(*z);
        }
        rest = &rest[12..];
    }
    if rest.is_empty() {
        return c;
    }
    let mut last = [0; 12];
    last[..rest.len()].copy_from_slice(rest);
    a = a.wrapping_add(word(&last, 0));
    b = b.wrapping_add(word(&last, 4));
    c = c.wrapping_add(word(&last, 8));
    for (turn, on) in [
        (14, 'c'),
        (11, 'a'),
        (25, 'b'),
        (16, 'c'),
        (4, 'a'),
        (14, 'b'),
        (24, 'c'),
    ] {
        let (x, y) = match on {
            'c' => (&mut c, b),
            'a' => (&mut a, c),
            _ => (&mut b, a),
        };
        *x = (*x ^ y).wrapping_sub(y.rotate_left(turn));
    }
    c
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    #[test]
    fn a_file_that_was_not_changed_stays_as_it_is() {
        let file = crate::bench::repository().join("problems/block.hdf5");
        let bytes = std::fs::read(file).unwrap();
        let mut sealed = bytes.clone();
        hdf5(&mut sealed);
        assert_eq!(sealed, bytes);
    }
}
