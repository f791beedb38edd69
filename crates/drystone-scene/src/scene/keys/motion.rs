//! Keys of prescribed motions.

use crate::named::named;
use crate::scene::key::{Form, Key, TableType, optional, required};
use crate::scene::units::Quantity::{
    Acceleration, Angle, AngularSpeed, Frequency, Length, Number, Speed, Time,
};

named! {
    /// The type of a prescribed motion.
    pub(crate) enum MotionType {
        Velocity = "velocity",
        Acceleration = "acceleration",
        Rotation = "rotation",
        Oscillation = "oscillation",
        Expression = "expression",
        Table = "table",
    }
}

impl TableType for MotionType {
    const NAME: &'static str = "a motion";
    const DOC: &'static str = "How a prescribed body moves away from the pose that it has when \
                               the motion begins. Time counts from there.";

    fn description(self) -> (&'static str, &'static [Key]) {
        match self {
            Self::Velocity => (
                "The body moves at a constant velocity.",
                const {
                    &[
                        required("velocity", Form::Vector(Speed), "Velocity, in world axes."),
                        optional(
                            "distance",
                            Form::Number(Length),
                            "no end",
                            "Distance after which the body stops.",
                        ),
                    ]
                },
            ),
            Self::Acceleration => (
                "The body starts at rest and has a constant acceleration.",
                const {
                    &[
                        required(
                            "acceleration",
                            Form::Vector(Acceleration),
                            "Acceleration, in world axes.",
                        ),
                        optional(
                            "until",
                            Form::Number(Time),
                            "no end",
                            "Time after which the velocity stays as it is then.",
                        ),
                    ]
                },
            ),
            Self::Rotation => (
                "The body turns about a fixed axis.",
                const {
                    &[
                        required(
                            "rate",
                            Form::Number(AngularSpeed),
                            "Angular speed, as in \"10 rpm\".",
                        ),
                        optional(
                            "axis",
                            Form::Vector(Number),
                            "[0, 0, 1]",
                            "Direction of the axis, in world axes.",
                        ),
                        optional(
                            "point",
                            Form::Vector(Length),
                            "the body's origin",
                            "A point on the axis, in world coordinates.",
                        ),
                        optional(
                            "ramp",
                            Form::Number(Time),
                            "0",
                            "Time in which the angular speed grows evenly from 0 to `rate`.",
                        ),
                    ]
                },
            ),
            Self::Oscillation => (
                "The body moves to and fro as a sine, along a line, about an axis, or both.",
                const {
                    &[
                        required(
                            "frequency",
                            Form::Number(Frequency),
                            "Oscillations per second.",
                        ),
                        optional(
                            "amplitude",
                            Form::Vector(Length),
                            "[0, 0, 0]",
                            "Largest displacement, in world axes.",
                        ),
                        optional(
                            "angle",
                            Form::Number(Angle),
                            "0",
                            "Largest angle of the rotation.",
                        ),
                        optional(
                            "axis",
                            Form::Vector(Number),
                            "[0, 0, 1]",
                            "Axis of the rotation, in world axes.",
                        ),
                        optional(
                            "point",
                            Form::Vector(Length),
                            "the body's origin",
                            "A point on that axis, in world coordinates.",
                        ),
                        optional(
                            "phase",
                            Form::Number(Angle),
                            "0",
                            "Where the sine begins. At 0 the motion starts with its largest \
                             speed, at 90 it starts at rest but displaced.",
                        ),
                    ]
                },
            ),
            Self::Expression => (
                "Displacement and rotation are expressions of the time `t` in s.",
                const {
                    &[
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
                        optional(
                            "angle",
                            Form::Function(Angle, &["t"]),
                            "0",
                            "Angle of the rotation.",
                        ),
                        optional(
                            "axis",
                            Form::Vector(Number),
                            "[0, 0, 1]",
                            "Axis of the rotation, in world axes.",
                        ),
                        optional(
                            "point",
                            Form::Vector(Length),
                            "the body's origin",
                            "A point on that axis, in world coordinates.",
                        ),
                    ]
                },
            ),
            Self::Table => (
                "Displacements and rotations at given times. Between two times they change \
                 evenly; before and after the table the body is at rest.",
                const {
                    &[
                        required(
                            "times",
                            Form::List(&Form::Number(Time)),
                            "Times, ascending, the first at least 0.",
                        ),
                        optional(
                            "positions",
                            Form::List(&Form::Vector(Length)),
                            "none",
                            "Displacement at each time, in world axes.",
                        ),
                        optional(
                            "angles",
                            Form::List(&Form::Number(Angle)),
                            "none",
                            "Angle of the rotation at each time.",
                        ),
                        optional(
                            "axis",
                            Form::Vector(Number),
                            "[0, 0, 1]",
                            "Axis of the rotation, in world axes.",
                        ),
                        optional(
                            "point",
                            Form::Vector(Length),
                            "the body's origin",
                            "A point on that axis, in world coordinates.",
                        ),
                    ]
                },
            ),
        }
    }
}
