//! The binary resources: a head of 16 bytes, then columns that each begin at a multiple of 8 bytes.

/// The first bytes of every binary resource.
pub const MAGIC: [u8; 4] = *b"DRYV";
/// What the page expects.
pub const VERSION: u32 = 1;

/// Columns start at multiples of so many bytes: typed arrays of the page lie over them.
const ALIGNMENT: usize = 8;

/// A resource that is being written.
pub struct Columns {
    bytes: Vec<u8>,
}

impl Columns {
    /// Begins with the head.
    pub fn new(count: usize, flags: u32) -> Self {
        let mut bytes = Vec::new();
        bytes.extend(MAGIC);
        for word in [VERSION, count as u32, flags] {
            bytes.extend(word.to_le_bytes());
        }
        Self { bytes }
    }

    /// Sets memory aside.
    pub fn reserve(&mut self, bytes: usize) {
        self.bytes.reserve(bytes);
    }

    fn align(&mut self) {
        let length = self.bytes.len().next_multiple_of(ALIGNMENT);
        self.bytes.resize(length, 0);
    }

    /// Appends a column.
    pub fn column<T: Element>(&mut self, values: impl IntoIterator<Item = T>) -> &mut Self {
        self.align();
        for value in values {
            value.put(&mut self.bytes);
        }
        self
    }

    /// The finished resource.
    pub fn finish(mut self) -> Vec<u8> {
        self.align();
        self.bytes
    }
}

/// What columns are made of: little-endian numbers, and small arrays of them.
pub trait Element {
    /// Appends the bytes.
    fn put(&self, bytes: &mut Vec<u8>);
}

macro_rules! numbers {
    ($($number:ty),*) => {
        $(impl Element for $number {
            fn put(&self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
        })*
    };
}

numbers!(u8, u16, u32, i16, f32, f64);

impl<T: Element, const N: usize> Element for [T; N] {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.iter().for_each(|value| value.put(bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_begin_at_multiples_of_eight() {
        let mut columns = Columns::new(3, 5);
        columns.column([1_u8, 2, 3]).column([[1.0_f32, -2.0]]);
        let bytes = columns.finish();
        assert_eq!(&bytes[..8], b"DRYV\x01\0\0\0");
        assert_eq!(&bytes[8..16], [3, 0, 0, 0, 5, 0, 0, 0]);
        assert_eq!(&bytes[16..24], [1, 2, 3, 0, 0, 0, 0, 0]);
        assert_eq!(&bytes[24..28], 1.0_f32.to_le_bytes());
        assert_eq!(bytes.len(), 32);
    }
}
