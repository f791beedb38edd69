//! The chunks that a recording is made of: a head of 48 bytes with its own checksum, then the
//! packed content.
//!
//! | bytes | content, little-endian |
//! |---|---|
//! | 0..4 | kind: `HEAD`, `KEYF`, `DIFF` |
//! | 4..8 | packing: 0 none, 1 zstd |
//! | 8..16 | length of the packed content |
//! | 16..24 | length of the unpacked content |
//! | 24..32 | step |
//! | 32..40 | time, s, as f64 |
//! | 40..44 | CRC-32 of the packed content |
//! | 44..48 | CRC-32 of the 44 bytes before |

/// Length of a chunk's head, bytes.
pub(super) const HEAD_LENGTH: usize = 48;

/// What a chunk holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChunkKind {
    /// The description of the run.
    Header,
    /// A frame on its own.
    Key,
    /// A frame as differences from the key frame before.
    Difference,
}

impl ChunkKind {
    fn tag(self) -> &'static [u8; 4] {
        match self {
            Self::Header => b"HEAD",
            Self::Key => b"KEYF",
            Self::Difference => b"DIFF",
        }
    }
}

/// A chunk's head, decoded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ChunkHead {
    pub kind: ChunkKind,
    pub packed: bool,
    pub length: u64,
    pub unpacked: u64,
    pub step: u64,
    pub time: f64,
    pub checksum: u32,
}

impl ChunkHead {
    pub fn encode(&self) -> [u8; HEAD_LENGTH] {
        let mut bytes = [0; HEAD_LENGTH];
        bytes[0..4].copy_from_slice(self.kind.tag());
        bytes[4..8].copy_from_slice(&u32::from(self.packed).to_le_bytes());
        bytes[8..16].copy_from_slice(&self.length.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.unpacked.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.step.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.time.to_bits().to_le_bytes());
        bytes[40..44].copy_from_slice(&self.checksum.to_le_bytes());
        let own = crc32fast::hash(&bytes[..44]);
        bytes[44..48].copy_from_slice(&own.to_le_bytes());
        bytes
    }

    /// An error says what does not fit.
    pub fn decode(bytes: &[u8; HEAD_LENGTH]) -> Result<Self, String> {
        let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|k| bytes[at + k]));
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        let own = crc32fast::hash(&bytes[..44]);
        if own != word(44) {
            let noted = word(44);
            return Err(format!(
                "checksum of the head: {noted:08x} is noted, it gives {own:08x}"
            ));
        }
        let kinds = [ChunkKind::Header, ChunkKind::Key, ChunkKind::Difference];
        let kind = kinds.into_iter().find(|k| k.tag() == &bytes[..4]);
        let kind = kind.ok_or_else(|| format!("unknown kind {:?}", &bytes[..4]))?;
        let packed = match word(4) {
            0 => false,
            1 => true,
            other => return Err(format!("packing {other}, expected 0 or 1")),
        };
        Ok(Self {
            kind,
            packed,
            length: long(8),
            unpacked: long(16),
            step: long(24),
            time: f64::from_bits(long(32)),
            checksum: word(40),
        })
    }

    /// Whether the content is what was written.
    pub fn check(&self, content: &[u8]) -> Result<(), String> {
        let (noted, found) = (self.checksum, crc32fast::hash(content));
        match noted == found {
            true => Ok(()),
            false => Err(format!(
                "checksum: {noted:08x} is noted, the content gives {found:08x}"
            )),
        }
    }

    /// The content, checked and unpacked; `most` bounds its length.
    pub fn unpack(&self, content: &[u8], most: u64) -> Result<Vec<u8>, String> {
        self.check(content)?;
        if self.unpacked > most {
            let claimed = self.unpacked;
            return Err(format!(
                "claims to unpack to {claimed} bytes, expected at most {most}"
            ));
        }
        let plain = if self.packed {
            zstd::bulk::decompress(content, self.unpacked as usize)
                .map_err(|e| format!("cannot be unpacked: {e}"))?
        } else {
            content.to_vec()
        };
        if plain.len() as u64 != self.unpacked {
            let (found, claimed) = (plain.len(), self.unpacked);
            return Err(format!("unpacks to {found} bytes, expected {claimed}"));
        }
        Ok(plain)
    }
}
