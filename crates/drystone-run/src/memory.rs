//! How much memory a run takes, and how much there is.
//!
//! Measured on piles of 5000 and 20 000 balls (66 and 134 MB at their peak, 11 600 and 43 600
//! contacts) with a method that only sweeps. Where `auto` has to factor a step's matrix it takes
//! more for that step: 127 and 565 MB there.

use drystone::{BodyKind, Shape, World};
use drystone_scene::Scene;

/// Bytes a body takes in all: state, shape, boxes, and a frame and a checkpoint on their way to the
/// disk.
const BODY: u64 = 1600;
/// Bytes a contact takes in all, with the solver's vectors.
const CONTACT: u64 = 1500;
/// Bytes that the program takes before the first body.
const BASE: u64 = 40_000_000;

/// Contacts that a moving body of this shape has in a settled pile, about half of them its own.
fn contacts_of(shape: &Shape) -> f64 {
    match shape {
        Shape::Sphere { .. } => 3.0,
        Shape::Ellipsoid { .. } => 4.5,
        Shape::Capsule { .. } => 5.0,
        // Faces and edges that lie on each other touch at several points.
        Shape::Box { .. } | Shape::Cylinder { .. } | Shape::Cone { .. } | Shape::Hull(_) => 9.0,
        Shape::Mesh(_) | Shape::Compound(_) => 12.0,
        Shape::Plane | Shape::HeightField(_) => 0.0,
    }
}

/// Contacts to expect once everything has settled.
pub fn contacts(world: &World) -> u64 {
    let dynamic = world
        .ids()
        .filter(|body| world.kind(*body) == BodyKind::Dynamic);
    let all: f64 = dynamic.map(|body| contacts_of(world.shape(body))).sum();
    all.round() as u64
}

/// The same for a scene that is not built, from the counts in it alone: at least so many.
pub fn least_contacts(scene: &Scene) -> u64 {
    let of = |(shape, count): &(&Shape, u64)| contacts_of(shape) * *count as f64;
    scene.least_moving().iter().map(of).sum::<f64>() as u64
}

/// Memory of a run of so many bodies and contacts, bytes, as long as no step has to be factored.
pub fn estimate(bodies: u64, contacts: u64) -> u64 {
    BASE + bodies * BODY + contacts * CONTACT
}

/// Memory that can be had without swapping, bytes, where the system says.
pub fn available() -> Option<u64> {
    let of_machine = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = of_machine
        .lines()
        .find_map(|l| l.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    let free = 1024 * kibibytes;
    Some(of_container().map_or(free, |limit| limit.min(free)))
}

/// What a container still leaves us, bytes.
fn of_container() -> Option<u64> {
    let read = |name: &str| {
        let text = std::fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?;
        text.trim().parse::<u64>().ok()
    };
    Some(read("memory.max")?.saturating_sub(read("memory.current")?))
}

/// Why so much cannot fit, where it cannot.
pub fn shortage(bodies: u64, contacts: u64) -> Option<String> {
    let needed = estimate(bodies, contacts);
    let free = available().filter(|&free| needed > free)?;
    Some(format!(
        "{bodies} bodies with about {contacts} contacts take about {}, and only {} of memory are available",
        bytes(needed),
        bytes(free)
    ))
}

/// A number of bytes for people.
pub fn bytes(count: u64) -> String {
    let value = count as f64;
    match count {
        0..1_000_000 => format!("{:.0} kB", value / 1e3),
        1_000_000..1_000_000_000 => format!("{:.0} MB", value / 1e6),
        _ => format!("{:.1} GB", value / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_fit_is_named() {
        assert_eq!(shortage(10, 30), None);
        if available().is_some() {
            let words = shortage(1 << 50, 1 << 50).unwrap();
            assert!(words.contains("of memory are available"), "{words}");
        }
    }

    #[test]
    fn bytes_are_told_in_round_units() {
        assert_eq!(bytes(3_000), "3 kB");
        assert_eq!(bytes(3_400_000), "3 MB");
        assert_eq!(bytes(12_340_000_000), "12.3 GB");
    }
}
