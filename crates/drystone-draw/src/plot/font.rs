//! The font of the figures, DejaVu Sans: part of the program, so that figures look the same
//! everywhere.

use std::sync::OnceLock;

use ttf_parser::Face;

use super::drawing::Text;

/// Size of an exponent relative to its base.
pub const EXPONENT_SIZE: f64 = 0.72;
/// How far an exponent is raised, in sizes of its base.
pub const EXPONENT_RISE: f64 = 0.38;

/// The regular or the bold face.
pub fn face(bold: bool) -> &'static Face<'static> {
    static FACES: OnceLock<[Face<'static>; 2]> = OnceLock::new();
    let faces = FACES.get_or_init(|| {
        [dejavu::sans::regular(), dejavu::sans::bold()].map(|bytes| {
            Face::parse(bytes, 0).expect("the embedded font is part of the program and sound")
        })
    });
    &faces[usize::from(bold)]
}

/// Width of a string at a size, px.
pub fn width(text: &str, size: f64, bold: bool) -> f64 {
    let face = face(bold);
    let units: f64 = text.chars().map(|c| advance(face, c)).sum();
    units * size / f64::from(face.units_per_em())
}

/// Width of a text with its exponent, px.
pub fn text_width(text: &Text) -> f64 {
    let exponent = text.exponent.as_deref().unwrap_or_default();
    width(&text.text, text.size, text.bold) + width(exponent, EXPONENT_SIZE * text.size, text.bold)
}

/// Horizontal advance of a character, font units.
pub fn advance(face: &Face<'_>, c: char) -> f64 {
    let glyph = face.glyph_index(c).unwrap_or_default();
    f64::from(face.glyph_hor_advance(glyph).unwrap_or_default())
}
