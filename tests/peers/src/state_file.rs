//! A pile as a JSON file, for engines that are driven from Python.

use std::path::Path;

use drystone::{BodyKind, Shape, World};
use drystone_study::StudyError;
use serde_json::{Value, json};

/// Writes the spheres and the fixed boxes of a world, with what a step needs beside them.
pub fn write(world: &World, file: &Path) -> Result<(), StudyError> {
    let (mut spheres, mut boxes) = (Vec::new(), Vec::new());
    let mut friction = 0.0;
    for body in world.ids() {
        let (pose, state) = (world.pose(body), world.body_state(body));
        let rotation = pose.rotation.to_array();
        match (world.kind(body), world.shape(body)) {
            (BodyKind::Dynamic, Shape::Sphere { radius }) => {
                let material = world.material(body);
                friction = world.surface_between(material, material).friction;
                spheres.push(json!({
                    "radius": radius,
                    "mass": world.mass(body),
                    "position": pose.position.to_array(),
                    "rotation_xyzw": rotation,
                    "velocity": state.velocity.to_array(),
                    "angular_velocity": state.angular_velocity.to_array(),
                }));
            }
            (BodyKind::Fixed, Shape::Box { half }) => boxes.push(json!({
                "half": half.to_array(),
                "position": pose.position.to_array(),
                "rotation_xyzw": rotation,
            })),
            (_, shape) => {
                let words = format!("a {} cannot be written for other engines", shape.kind());
                return Err(StudyError::Refused(words));
            }
        }
    }
    let settings = world.settings();
    let text: Value = json!({
        "time_step": settings.time_step,
        "gravity": settings.gravity.to_array(),
        "friction": friction,
        "spheres": spheres,
        "boxes": boxes,
    });
    std::fs::write(file, format!("{text}\n"))
        .map_err(|e| StudyError::Refused(format!("{}: {e}", file.display())))
}
