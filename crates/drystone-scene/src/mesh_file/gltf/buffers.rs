//! The numbers of a glTF file: buffers, views of them, and lists in those.

use std::path::{Component, Path, PathBuf};

use glam::DVec3;
use serde::Deserialize;

use super::super::MOST_BYTES;
use super::super::error::MeshFault;
use super::entry;
use crate::input;
use crate::quote::quoted;

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Buffer {
    uri: Option<String>,
    byte_length: usize,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct BufferView {
    buffer: usize,
    byte_offset: usize,
    byte_length: usize,
    byte_stride: Option<usize>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Accessor {
    buffer_view: Option<usize>,
    byte_offset: usize,
    component_type: u32,
    count: usize,
    #[serde(rename = "type")]
    kind: String,
    sparse: Option<serde::de::IgnoredAny>,
}

/// What a list holds.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Element {
    /// Three coordinates in single precision.
    Position,
    /// A number of a vertex.
    Index,
}

/// A list of positions or indices within a buffer.
pub(super) struct List<'b> {
    bytes: &'b [u8],
    stride: usize,
    /// Bytes of one component.
    width: usize,
    /// How many there are: all of them lie within the bytes.
    pub count: usize,
}

impl List<'_> {
    pub fn position(&self, index: usize) -> DVec3 {
        let at = |axis: usize| {
            let start = index * self.stride + 4 * axis;
            let bytes = &self.bytes[start..start + 4];
            f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
        };
        DVec3::new(at(0), at(1), at(2))
    }

    pub fn index(&self, index: usize) -> usize {
        let start = index * self.stride;
        let bytes = &self.bytes[start..start + self.width];
        let digits = bytes.iter().rev();
        digits.fold(0, |value, byte| value << 8 | usize::from(*byte))
    }
}

/// The content of each buffer.
pub(super) struct Buffers<'f> {
    content: Vec<Content<'f>>,
}

enum Content<'f> {
    Borrowed(&'f [u8]),
    Owned(Vec<u8>),
}

impl Content<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Borrowed(bytes) => bytes,
            Self::Owned(bytes) => bytes,
        }
    }
}

impl<'f> Buffers<'f> {
    /// Reads all buffers; `binary` is that of a binary file.
    pub fn load(
        buffers: &[Buffer],
        binary: Option<&'f [u8]>,
        folder: Option<&Path>,
    ) -> Result<Self, MeshFault> {
        let mut left = MOST_BYTES;
        let mut content = Vec::with_capacity(buffers.len());
        for (index, buffer) in buffers.iter().enumerate() {
            let fault = |what: String| MeshFault::malformed(format!("buffer {index}"), what);
            let found = match (&buffer.uri, binary) {
                (None, Some(binary)) if index == 0 => Content::Borrowed(binary),
                (None, _) => return Err(fault("it has no content: no `uri`".to_owned())),
                (Some(uri), _) => Content::Owned(fetch(uri, folder, left).map_err(&fault)?),
            };
            let (bytes, needed) = (found.bytes().len(), buffer.byte_length);
            if bytes < needed {
                return Err(fault(format!("{bytes} bytes, expected {needed}")));
            }
            if let Content::Owned(bytes) = &found {
                left = left.saturating_sub(bytes.len() as u64);
            }
            content.push(found);
        }
        Ok(Self { content })
    }

    /// The list that an accessor describes.
    pub fn list(
        &self,
        accessor: &Accessor,
        views: &[BufferView],
        element: Element,
        place: impl Fn() -> String,
    ) -> Result<List<'_>, MeshFault> {
        let fault = |what: String| MeshFault::malformed(place(), what);
        if accessor.sparse.is_some() {
            return Err(fault("sparse data are not read".to_owned()));
        }
        let (kind, component) = (accessor.kind.as_str(), accessor.component_type);
        let width = match (element, kind, component) {
            (Element::Position, "VEC3", 5126) | (Element::Index, "SCALAR", 5125) => 4,
            (Element::Index, "SCALAR", 5123) => 2,
            (Element::Index, "SCALAR", 5121) => 1,
            (Element::Position, ..) => {
                let kind = quoted(kind);
                return Err(fault(format!(
                    "type {kind} of component type {component}, expected VEC3 of 5126 (float)"
                )));
            }
            (Element::Index, ..) => {
                let kind = quoted(kind);
                return Err(fault(format!(
                    "type {kind} of component type {component}, expected SCALAR of 5121, 5123 or \
                     5125 (unsigned)"
                )));
            }
        };
        let size = match element {
            Element::Position => 3 * width,
            Element::Index => width,
        };
        let Some(view) = accessor.buffer_view else {
            return Err(fault("it has no `bufferView`".to_owned()));
        };
        let view = entry(views, view, "bufferView", &place)?;
        let buffer = entry(&self.content, view.buffer, "buffer", &place)?.bytes();
        let end = view.byte_offset.checked_add(view.byte_length);
        let seen = end.and_then(|end| buffer.get(view.byte_offset..end));
        let Some(seen) = seen else {
            return Err(fault(format!(
                "its view of {} bytes from {} lies outside its buffer of {}",
                view.byte_length,
                view.byte_offset,
                buffer.len()
            )));
        };
        let stride = view.byte_stride.unwrap_or(size);
        if stride < size {
            return Err(fault(format!(
                "byteStride {stride}, expected {size} or more"
            )));
        }
        let bytes = seen.get(accessor.byte_offset..).unwrap_or_default();
        // (count − 1) · stride + size, without overflow.
        let needed = match accessor.count {
            0 => Some(0),
            count => (count - 1)
                .checked_mul(stride)
                .and_then(|all| all.checked_add(size)),
        };
        if needed.is_none_or(|needed| needed > bytes.len()) {
            return Err(fault(format!(
                "{} entries, {stride} bytes each from byte {}, expected them within {} bytes",
                accessor.count,
                accessor.byte_offset,
                seen.len()
            )));
        }
        Ok(List {
            bytes,
            stride,
            width,
            count: accessor.count,
        })
    }
}

/// The bytes behind an address: `data:` with its content, or a file in `folder` or below.
fn fetch(uri: &str, folder: Option<&Path>, most: u64) -> Result<Vec<u8>, String> {
    if let Some(data) = uri.strip_prefix("data:") {
        let Some((kind, text)) = data.split_once(',') else {
            return Err("an address data: without a comma".to_owned());
        };
        if !kind.ends_with(";base64") {
            return Err(format!("an address data:{}, expected base64", quoted(kind)));
        }
        return base64(text);
    }
    let name = plain_name(uri)?;
    let Some(folder) = folder else {
        return Err(format!("the file {} is not at hand", quoted(uri)));
    };
    let outside = || format!("uri {} leads out of the folder of its file", quoted(uri));
    let cannot = |error: std::io::Error| format!("file {}: {error}", quoted(uri));
    let folder = folder.canonicalize().map_err(cannot)?;
    let path = folder.join(name).canonicalize().map_err(cannot)?;
    if !path.starts_with(&folder) {
        return Err(outside());
    }
    input::read(&path, most).map_err(|error| format!("file {}: {error}", quoted(uri)))
}

/// A relative path without `..`, from an address with `%20` for a blank and the like.
fn plain_name(uri: &str) -> Result<PathBuf, String> {
    let expected = "a file beside the mesh, or data:";
    let wrong = || format!("uri {}, expected {expected}", quoted(uri));
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if first == b'%' {
            let code = after
                .get(..2)
                .and_then(|code| std::str::from_utf8(code).ok());
            let code = code.and_then(|code| u8::from_str_radix(code, 16).ok());
            bytes.push(code.ok_or_else(wrong)?);
            rest = &after[2..];
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    let name = String::from_utf8(bytes).map_err(|_| wrong())?;
    let path = PathBuf::from(&name);
    let inside = path
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    match inside && !name.is_empty() && !name.contains([':', '\0']) {
        true => Ok(path),
        false => Err(wrong()),
    }
}

/// Bytes from base64 (RFC 4648), with or without its padding.
fn base64(text: &str) -> Result<Vec<u8>, String> {
    let text = text.trim_end_matches('=');
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    let (mut bits, mut held) = (0_u32, 0);
    for (at, letter) in text.bytes().enumerate() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return Err(format!("byte {at} of its data is no letter of base64")),
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held & 0xff) as u8);
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read_as_the_rfc_has_it() {
        let words = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let codes = [
            "", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE", "Zm9vYmFy",
        ];
        for (word, code) in words.iter().zip(codes) {
            assert_eq!(base64(code).unwrap(), word.as_bytes());
        }
        assert!(base64("Zm9v!").is_err());
    }

    #[test]
    fn names_stay_in_their_folder() {
        assert_eq!(plain_name("a%20b/c.bin").unwrap(), Path::new("a b/c.bin"));
        for uri in [
            "../a",
            "/a",
            "a/../../b",
            "%2e%2e/a",
            "http://a/b",
            "",
            "a%2",
            "a%zz",
        ] {
            assert!(plain_name(uri).is_err(), "{uri}");
        }
    }
}
