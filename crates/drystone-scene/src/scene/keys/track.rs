//! Keys of crawler tracks.

use super::body::looks;
use super::joint::TURNING;
use crate::scene::key::{Form, Table, optional, required};
use crate::scene::units::Quantity::{Compliance, Length, Mass};

pub(crate) static TRACK: Table = Table {
    name: "a track",
    doc: "A crawler track: a toothed sprocket, rollers and a closed band of shoes joined by pins, in a plane of x and z; axles are along y. \
          Makes the bodies `NAME/sprocket`, `NAME/roller`, `NAME/shoe` and the joints `NAME/drive` (sprocket on chassis), `NAME/axle` \
          (rollers on chassis) and `NAME/pin`. The distance of the pins follows from the wheels and the number of shoes.",
    keys: &[
        required(
            "name",
            Form::Text,
            "By which the rest of the scene refers to it.",
        ),
        required(
            "chassis",
            Form::Text,
            "Name of the body that carries the wheels.",
        ),
        required("sprocket", Form::Table(&SPROCKET), "The driven wheel."),
        required("rollers", Form::Table(&ROLLERS), "The other wheels."),
        required("shoes", Form::Table(&SHOES), "The band."),
        optional(
            "motor",
            Form::Variants(&TURNING),
            "none",
            "What turns the sprocket; a positive speed drives towards +x.",
        ),
        optional(
            "compliance",
            Form::Number(Compliance),
            "1e-9",
            "How far pins and axles give way under their forces.",
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
        optional("look", Form::Choice(looks), "\"solid\"", "How it is drawn."),
        optional("color", Form::Color, "the materials'", "Colour."),
    ],
};

pub(crate) static SPROCKET: Table = Table {
    name: "a sprocket",
    doc: "A wheel whose teeth reach between the shoes of a track.",
    keys: &[
        required("at", Form::Vector(Length), "Middle of its axle."),
        required("teeth", Form::Integer, "Its teeth, at least 6."),
        required("mass", Form::Number(Mass), "Its mass."),
    ],
};

pub(crate) static ROLLERS: Table = Table {
    name: "rollers",
    doc: "Wheels inside a track: those that bend the band and those that only carry it.",
    keys: &[
        required(
            "at",
            Form::List(&Form::Vector(Length)),
            "Middles of their axles, with the sprocket's y.",
        ),
        required("radius", Form::Number(Length), "Their radius."),
        required("mass", Form::Number(Mass), "Mass of each."),
    ],
};

pub(crate) static SHOES: Table = Table {
    name: "shoes",
    doc: "The band of a track. Shoes have a guide on their backs that runs between the two discs of every wheel.",
    keys: &[
        required("count", Form::Integer, "How many, at least 8."),
        required("width", Form::Number(Length), "Width along y."),
        required("thickness", Form::Number(Length), "Thickness."),
        required("mass", Form::Number(Mass), "Mass of each."),
    ],
};
