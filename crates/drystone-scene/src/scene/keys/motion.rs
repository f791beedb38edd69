//! Keys of prescribed motions.

use crate::scene::key::{Form, Table, Variants, optional, required};
use crate::scene::units::Quantity::{
    Acceleration, Angle, AngularSpeed, Frequency, Length, Number, Speed, Time,
};

pub(crate) static MOTION: Variants = Variants {
    name: "a motion",
    doc: "How a prescribed body moves away from the pose that it has when the motion begins. Time counts from then.",
    types: &[
        Table {
            name: "velocity",
            doc: "At a constant velocity.",
            keys: &[
                required("velocity", Form::Vector(Speed), "Velocity, world axes."),
                optional(
                    "distance",
                    Form::Number(Length),
                    "no end",
                    "Length of the way after which it stops.",
                ),
            ],
        },
        Table {
            name: "acceleration",
            doc: "From rest at a constant acceleration.",
            keys: &[
                required(
                    "acceleration",
                    Form::Vector(Acceleration),
                    "Acceleration, world axes.",
                ),
                optional(
                    "until",
                    Form::Number(Time),
                    "no end",
                    "Time after which the velocity stays as it is.",
                ),
            ],
        },
        Table {
            name: "rotation",
            doc: "Turning about a fixed axis.",
            keys: &[
                required(
                    "rate",
                    Form::Number(AngularSpeed),
                    "Angular speed, as in \"10 rpm\".",
                ),
                optional(
                    "axis",
                    Form::Vector(Number),
                    "[0, 0, 1]",
                    "The axis, world axes.",
                ),
                optional(
                    "point",
                    Form::Vector(Length),
                    "the body's origin",
                    "A point on the axis, world coordinates.",
                ),
                optional(
                    "ramp",
                    Form::Number(Time),
                    "0",
                    "Time in which it comes to speed, evenly.",
                ),
            ],
        },
        Table {
            name: "oscillation",
            doc: "To and fro as a sine, along a line or about an axis or both.",
            keys: &[
                required(
                    "frequency",
                    Form::Number(Frequency),
                    "Oscillations per second.",
                ),
                optional(
                    "amplitude",
                    Form::Vector(Length),
                    "[0, 0, 0]",
                    "Greatest displacement, world axes.",
                ),
                optional("angle", Form::Number(Angle), "0", "Greatest rotation."),
                optional(
                    "axis",
                    Form::Vector(Number),
                    "[0, 0, 1]",
                    "Axis of the rotation, world axes.",
                ),
                optional(
                    "point",
                    Form::Vector(Length),
                    "the body's origin",
                    "A point on that axis, world coordinates.",
                ),
                optional(
                    "phase",
                    Form::Number(Angle),
                    "0",
                    "Where the sine begins; 90 for a cosine, with a jump of speed instead of one of place.",
                ),
            ],
        },
        Table {
            name: "expression",
            doc: "Displacement and rotation as expressions of the time `t` in s.",
            keys: &[
                optional(
                    "x",
                    Form::Function(Length, &["t"]),
                    "0",
                    "Displacement along the world's x axis.",
                ),
                optional(
                    "y",
                    Form::Function(Length, &["t"]),
                    "0",
                    "Displacement along y.",
                ),
                optional(
                    "z",
                    Form::Function(Length, &["t"]),
                    "0",
                    "Displacement along z.",
                ),
                optional("angle", Form::Function(Angle, &["t"]), "0", "Rotation."),
                optional(
                    "axis",
                    Form::Vector(Number),
                    "[0, 0, 1]",
                    "Axis of the rotation, world axes.",
                ),
                optional(
                    "point",
                    Form::Vector(Length),
                    "the body's origin",
                    "A point on that axis, world coordinates.",
                ),
            ],
        },
        Table {
            name: "table",
            doc: "Displacements at times, straight in between, at rest before and after.",
            keys: &[
                required(
                    "times",
                    Form::List(&Form::Number(Time)),
                    "Times, ascending, the first at least 0.",
                ),
                optional(
                    "positions",
                    Form::List(&Form::Vector(Length)),
                    "none",
                    "Displacement at each time, world axes.",
                ),
                optional(
                    "angles",
                    Form::List(&Form::Number(Angle)),
                    "none",
                    "Rotation at each time.",
                ),
                optional(
                    "axis",
                    Form::Vector(Number),
                    "[0, 0, 1]",
                    "Axis of the rotation, world axes.",
                ),
                optional(
                    "point",
                    Form::Vector(Length),
                    "the body's origin",
                    "A point on that axis, world coordinates.",
                ),
            ],
        },
    ],
};
