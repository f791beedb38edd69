//! How much a file may unpack to, so that a small one cannot claim all memory.

/// Compressed content beyond this many times the file's size is refused.
const LARGEST_EXPANSION: u64 = 100;

/// What even the smallest file may unpack to: constant arrays compress a thousandfold.
const ALWAYS_ALLOWED: u64 = 16 << 20;

/// The most bytes that one array of a compressed file of `bytes` bytes may unpack to.
pub(super) fn unpacked_limit(bytes: usize) -> u64 {
    (bytes as u64)
        .saturating_mul(LARGEST_EXPANSION)
        .saturating_add(ALWAYS_ALLOWED)
}
