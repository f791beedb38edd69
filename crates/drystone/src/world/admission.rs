//! What a body must be like to enter a world.

use drystone_collide::{MassProperties, Pose, Shape};

use crate::bodies::MassAndInertia;
use crate::body::{Body, BodyKind, Weight};
use crate::error::WorldError;
use crate::motion::out_of_range;
use crate::settings::Settings;

/// Whether a body's own numbers are sound.
pub(super) fn check_body(label: &str, body: &Body) -> Result<(), WorldError> {
    let wrong = |what, value, expected| WorldError::Body {
        body: label.to_owned(),
        what,
        value,
        expected,
    };
    let vectors = [
        ("position", body.pose.position),
        ("velocity", body.velocity),
        ("angular velocity", body.angular_velocity),
    ];
    for (what, vector) in vectors {
        if let Some(value) = out_of_range(&vector.to_array()) {
            return Err(wrong(what, value, "a number up to 1e38 in size"));
        }
    }
    // Quaternions of files have few digits: they are normalised, but must be meant as rotations.
    let length = body.pose.rotation.length();
    if !(length.is_finite() && (length - 1.0).abs() < 1e-6) {
        let what = "length of the rotation's quaternion";
        return Err(wrong(what, length, "1"));
    }
    Ok(())
}

/// A body that moves through a periodic domain must be small enough to have images there, or so
/// large that it needs none.
pub(super) fn check_images(
    label: &str,
    (shape, pose): (&Shape, &Pose),
    settings: &Settings,
) -> Result<(), WorldError> {
    let periodic = &settings.periodic;
    if !periodic.is_on() || periodic.has_images(shape) || periodic.is_spanned_by(&shape.aabb(pose))
    {
        return Ok(());
    }
    Err(WorldError::Body {
        body: label.to_owned(),
        what: "width",
        value: 2.0 * shape.radius_about_origin(),
        expected: "less than half the periodic domain, or beyond all of it",
    })
}

/// What a body is moved by: its mass and inertia, checked.
pub(super) fn inertia(label: &str, body: &Body) -> Result<MassAndInertia, WorldError> {
    match body.kind {
        BodyKind::Fixed | BodyKind::Prescribed => return Ok(MassAndInertia::immovable()),
        BodyKind::Dynamic => {}
    }
    if matches!(body.shape, Shape::Plane | Shape::HeightField(_)) {
        return Err(WorldError::CannotMove {
            body: label.to_owned(),
            shape: body.shape.kind(),
        });
    }
    let positive = |what, value: f64| {
        if value.is_finite() && value > 0.0 {
            return Ok(());
        }
        Err(WorldError::Body {
            body: label.to_owned(),
            what,
            value,
            expected: "a finite number > 0",
        })
    };
    let of_shape = |density| {
        body.shape
            .mass_properties(density)
            .map_err(|source| WorldError::Shape {
                body: label.to_owned(),
                source,
            })
    };
    let properties: MassProperties = match body.weight {
        Weight::Density(density) => {
            positive("density", density)?;
            of_shape(density)?
        }
        Weight::Mass(mass) => {
            positive("mass", mass)?;
            let unit = of_shape(1.0)?;
            of_shape(mass / unit.mass)?
        }
        Weight::Properties(properties) => properties,
    };
    positive("mass", properties.mass)?;
    let given = matches!(body.weight, Weight::Properties(_));
    let inertia = MassAndInertia::new(&properties);
    // Those of shapes are sound but for rounding.
    let inertia = inertia.filter(|_| !given || properties.is_of_a_solid());
    inertia.ok_or_else(|| WorldError::Inertia {
        body: label.to_owned(),
        moments: properties.principal_moments(),
    })
}
