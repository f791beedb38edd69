//! VTK's XML PolyData: arrays as zlib-compressed blocks in base64, so that the file is XML
//! throughout.

use std::fmt::Write;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// Bytes of a block before compression. A reader unpacks block by block; this size packs well and
/// still takes little memory.
const BLOCK: usize = 1 << 20;

/// The numbers of an array.
#[derive(Clone, Debug)]
pub(super) enum Numbers {
    F32(Vec<f32>),
    F64(Vec<f64>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    U8(Vec<u8>),
}

/// A named array, `components` numbers per item.
#[derive(Clone, Debug)]
pub(super) struct Array {
    pub name: &'static str,
    pub components: usize,
    pub numbers: Numbers,
}

impl Array {
    pub fn new(name: &'static str, components: usize, numbers: Numbers) -> Self {
        Self {
            name,
            components,
            numbers,
        }
    }

    /// Three numbers per item, single precision.
    pub fn vectors(name: &'static str, vectors: impl Iterator<Item = glam::DVec3>) -> Self {
        let numbers = vectors.flat_map(|v| v.as_vec3().to_array()).collect();
        Self::new(name, 3, Numbers::F32(numbers))
    }

    /// One index per item.
    pub fn indices(name: &'static str, indices: impl Iterator<Item = u32>) -> Self {
        let numbers = indices.map(|k| k as i32).collect();
        Self::new(name, 1, Numbers::I32(numbers))
    }
}

/// Points with their data, and what joins them.
pub(super) struct PolyData {
    /// s.
    pub time: f64,
    pub points: Vec<glam::DVec3>,
    /// Empty: each point is a cell of its own.
    pub triangles: Vec<[u32; 3]>,
    pub point_data: Vec<Array>,
    pub cell_data: Vec<Array>,
    /// Lists of names that arrays of indices point into.
    pub names: Vec<(&'static str, Vec<String>)>,
}

impl PolyData {
    pub fn to_xml(&self) -> String {
        let mut out = String::from(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" \
             byte_order=\"LittleEndian\" header_type=\"UInt64\" \
             compressor=\"vtkZLibDataCompressor\">\n<PolyData>\n<FieldData>\n",
        );
        let time = Numbers::F64(vec![self.time]);
        push_array(&mut out, &Array::new("TimeValue", 1, time), Some(1));
        for (name, words) in &self.names {
            push_words(&mut out, name, words);
        }
        let (points, triangles) = (self.points.len(), self.triangles.len());
        let vertices = if triangles == 0 { points } else { 0 };
        let _ = write!(
            out,
            "</FieldData>\n<Piece NumberOfPoints=\"{points}\" NumberOfVerts=\"{vertices}\" \
             NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"{triangles}\">\n"
        );
        push_group(&mut out, "PointData", &self.point_data);
        push_group(&mut out, "CellData", &self.cell_data);
        let coordinates = self.points.iter().flat_map(|p| p.to_array()).collect();
        let coordinates = Array::new("Points", 3, Numbers::F64(coordinates));
        push_group(&mut out, "Points", &[coordinates]);
        push_group(&mut out, "Verts", &cells(0..vertices as i64, 1));
        let corners = self.triangles.as_flattened().iter().map(|&k| i64::from(k));
        push_group(&mut out, "Polys", &cells(corners, 3));
        out.push_str("</Piece>\n</PolyData>\n</VTKFile>\n");
        out
    }
}

/// A file that lists others by time in s.
pub(super) fn collection(files: &[(f64, String)]) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" \
         byte_order=\"LittleEndian\">\n<Collection>\n",
    );
    for (time, file) in files {
        let _ = writeln!(
            out,
            "<DataSet timestep=\"{time:?}\" part=\"0\" file=\"{file}\"/>"
        );
    }
    out.push_str("</Collection>\n</VTKFile>\n");
    out
}

/// Cells of `corners` points each.
fn cells(connectivity: impl Iterator<Item = i64>, corners: usize) -> [Array; 2] {
    let connectivity: Vec<i64> = connectivity.collect();
    let ends = (1..=connectivity.len() / corners).map(|k| (k * corners) as i64);
    let ends = Numbers::I64(ends.collect());
    [
        Array::new("connectivity", 1, Numbers::I64(connectivity)),
        Array::new("offsets", 1, ends),
    ]
}

fn push_group(out: &mut String, name: &str, arrays: &[Array]) {
    let _ = writeln!(out, "<{name}>");
    arrays.iter().for_each(|a| push_array(out, a, None));
    let _ = writeln!(out, "</{name}>");
}

fn push_array(out: &mut String, array: &Array, tuples: Option<usize>) {
    let bytes = |parts: &mut dyn Iterator<Item = Vec<u8>>| parts.flatten().collect::<Vec<u8>>();
    let (kind, content) = match &array.numbers {
        Numbers::F32(x) => (
            "Float32",
            bytes(&mut x.iter().map(|v| v.to_le_bytes().to_vec())),
        ),
        Numbers::F64(x) => (
            "Float64",
            bytes(&mut x.iter().map(|v| v.to_le_bytes().to_vec())),
        ),
        Numbers::I32(x) => (
            "Int32",
            bytes(&mut x.iter().map(|v| v.to_le_bytes().to_vec())),
        ),
        Numbers::I64(x) => (
            "Int64",
            bytes(&mut x.iter().map(|v| v.to_le_bytes().to_vec())),
        ),
        Numbers::U8(x) => ("UInt8", x.clone()),
    };
    let (name, components) = (array.name, array.components);
    let _ = write!(
        out,
        "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\""
    );
    if let Some(tuples) = tuples {
        let _ = write!(out, " NumberOfTuples=\"{tuples}\"");
    }
    out.push_str(" format=\"binary\">");
    push_compressed(out, &content);
    out.push_str("</DataArray>\n");
}

/// Words as VTK's strings: the codes of their characters, a zero after each word.
fn push_words(out: &mut String, name: &str, words: &[String]) {
    let tuples = words.len();
    let _ = write!(
        out,
        "<Array type=\"String\" Name=\"{name}\" NumberOfTuples=\"{tuples}\" format=\"ascii\">"
    );
    for word in words {
        for byte in word.bytes() {
            let _ = write!(out, "{byte} ");
        }
        out.push_str("0 ");
    }
    out.push_str("</Array>\n");
}

/// The number of blocks, their size, that of the last if it is smaller, their compressed sizes;
/// then the blocks.
fn push_compressed(out: &mut String, content: &[u8]) {
    let mut sizes = vec![
        content.len().div_ceil(BLOCK) as u64,
        BLOCK as u64,
        (content.len() % BLOCK) as u64,
    ];
    let mut blocks = Vec::new();
    for block in content.chunks(BLOCK) {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        // Writing to memory does not fail.
        let packed = encoder.write_all(block).and_then(|()| encoder.finish());
        let packed = packed.expect("memory takes all bytes");
        sizes.push(packed.len() as u64);
        blocks.extend_from_slice(&packed);
    }
    let sizes: Vec<u8> = sizes.iter().flat_map(|s| s.to_le_bytes()).collect();
    push_base64(out, &sizes);
    push_base64(out, &blocks);
}

fn push_base64(out: &mut String, bytes: &[u8]) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    out.reserve(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |k: usize| u32::from(three.get(k).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for k in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * k) & 63) as usize];
            out.push(if k <= three.len() {
                char::from(digit)
            } else {
                '='
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_as_in_the_standard() {
        // RFC 4648, section 10.
        let cases = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ];
        for (plain, expected) in cases {
            let mut out = String::new();
            push_base64(&mut out, plain.as_bytes());
            assert_eq!(out, expected);
        }
    }
}
