//! Keys of crawler tracks.

use super::joint::TurningMotor;
use crate::named::Named;
use crate::scene::key::{Form, Table, TableType, optional, required};
use crate::scene::model::Opacity;
use crate::scene::units::Quantity::{Compliance, Length, Mass};

pub(crate) static TRACK: Table = Table {
    name: "a track",
    doc: "A crawler track: a toothed sprocket, rollers and a closed band of shoes joined by \
          pins. The band runs in a plane of x and z; the axles are along y. The track makes the \
          bodies `NAME/sprocket`, `NAME/roller`, `NAME/shoe` and the joints `NAME/drive` \
          (sprocket on chassis), `NAME/axle` (rollers on chassis) and `NAME/pin`. The distance \
          of the pins follows from the wheels and the number of shoes.",
    keys: &[
        required(
            "name",
            Form::Text,
            "Name by which the rest of the scene refers to the track.",
        ),
        required(
            "chassis",
            Form::Text,
            "Name of the body that carries the wheels.",
        ),
        required("sprocket", Form::Table(&SPROCKET), "The driven wheel."),
        required("rollers", Form::Table(&ROLLERS), "The other wheels."),
        required("shoes", Form::Table(&SHOES), "The shoes of the band."),
        optional(
            "motor",
            Form::Variants(TurningMotor::VARIANTS),
            "none",
            "The motor of the sprocket. A positive speed drives towards +x.",
        ),
        optional(
            "compliance",
            Form::Number(Compliance),
            "1e-9",
            "How far pins and axles give way for each newton.",
        ),
        optional(
            "material",
            Form::Text,
            "\"default\"",
            "Name of the shoes' material.",
        ),
        optional(
            "wheel_material",
            Form::Text,
            "that of the shoes",
            "Name of the wheels' material.",
        ),
        optional(
            "look",
            Form::Choice(Opacity::names),
            "\"solid\"",
            "How the track is drawn: in full, as glass that shows what is behind it, or not at \
             all.",
        ),
        optional("color", Form::Color, "the materials'", "Colour."),
    ],
};

pub(crate) static SPROCKET: Table = Table {
    name: "a sprocket",
    doc: "A wheel whose teeth reach between the shoes of a track.",
    keys: &[
        required("at", Form::Vector(Length), "Middle of the sprocket's axle."),
        required("teeth", Form::Integer, "Number of teeth, at least 6."),
        required("mass", Form::Number(Mass), "Mass of the sprocket."),
    ],
};

pub(crate) static ROLLERS: Table = Table {
    name: "rollers",
    doc: "The wheels inside a track, besides the sprocket: some bend the band, others only carry \
          it.",
    keys: &[
        required(
            "at",
            Form::List(&Form::Vector(Length)),
            "Middles of the rollers' axles, all with the sprocket's y.",
        ),
        required("radius", Form::Number(Length), "Radius of the rollers."),
        required("mass", Form::Number(Mass), "Mass of each of them."),
    ],
};

pub(crate) static SHOES: Table = Table {
    name: "shoes",
    doc: "The band of a track. Each shoe has a guide on its back, which runs between the two \
          discs of every wheel.",
    keys: &[
        required("count", Form::Integer, "Number of shoes, at least 8."),
        required("width", Form::Number(Length), "Width along y."),
        required("thickness", Form::Number(Length), "Thickness."),
        required("mass", Form::Number(Mass), "Mass of each of them."),
    ],
};
