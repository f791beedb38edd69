//! How much memory a run takes, and how much there is.
//!
//! Measured on piles of 5000 and 20 000 balls (66 and 134 MB at their peak, 11 600 and 43 600
//! contacts) with a method that only sweeps. Where `auto` has to factor a step's matrix it takes
//! more for that step: 127 and 565 MB there.

use std::path::Path;

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
    let content = bodies
        .saturating_mul(BODY)
        .saturating_add(contacts.saturating_mul(CONTACT));
    content.saturating_add(BASE)
}

/// Memory that can be had without swapping, bytes, where the system says: what the machine has, the
/// limits of the process and those of its control groups leave.
pub fn available() -> Option<u64> {
    let read = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
    let (limits, status) = (read("/proc/self/limits"), read("/proc/self/status"));
    let groups = read("/proc/self/cgroup");
    [
        kibibytes(&read("/proc/meminfo"), "MemAvailable:"),
        left_of_limit(&limits, "Max address space", &status, "VmSize:"),
        left_of_limit(&limits, "Max data size", &status, "VmData:"),
        left_in_groups(Path::new("/sys/fs/cgroup"), &groups),
    ]
    .into_iter()
    .flatten()
    .min()
}

/// The value of a line such as `MemAvailable:  123 kB`, bytes.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let value = text.lines().find_map(|line| line.strip_prefix(name))?;
    let value: u64 = value.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(1024 * value)
}

/// What a limit of the process, as `ulimit` sets it, leaves after its use, bytes. None where there
/// is no limit.
fn left_of_limit(limits: &str, limit: &str, status: &str, used: &str) -> Option<u64> {
    let values = limits.lines().find_map(|line| line.strip_prefix(limit))?;
    // The one in force; the highest that may be asked for stands behind it.
    let in_force: u64 = values.split_whitespace().next()?.parse().ok()?;
    Some(in_force.saturating_sub(kibibytes(status, used)?))
}

/// What the control groups of the process still leave it, bytes: a container, a job of a cluster.
/// `groups` has a line for each hierarchy; in it a group and all above it may have limits. Where
/// the process cannot see its own group, that at the root is its own.
fn left_in_groups(root: &Path, groups: &str) -> Option<u64> {
    let left = |line: &str| {
        let mut parts = line.splitn(3, ':');
        let (_, kinds, group) = (parts.next()?, parts.next()?, parts.next()?);
        let (root, files) = match kinds {
            // The one hierarchy of newer systems.
            "" => (
                root.to_owned(),
                ["memory.max", "memory.current", "inactive_file "],
            ),
            kinds if kinds.split(',').any(|kind| kind == "memory") => (
                root.join("memory"),
                [
                    "memory.limit_in_bytes",
                    "memory.usage_in_bytes",
                    "total_inactive_file ",
                ],
            ),
            _ => return None,
        };
        let group = Path::new(group.trim_start_matches('/'));
        let above = group.ancestors();
        above
            .filter_map(|group| left_in_group(&root.join(group), files))
            .min()
    };
    groups.lines().filter_map(left).min()
}

fn left_in_group(folder: &Path, [limit, used, cache]: [&str; 3]) -> Option<u64> {
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
    let number = |name: &str| read(name)?.trim().parse::<u64>().ok();
    let (limit, used) = (number(limit)?, number(used)?);
    // Files that nobody looks at count as used, and are dropped when memory is asked for.
    let statistics = read("memory.stat").unwrap_or_default();
    let cache = statistics.lines().find_map(|line| line.strip_prefix(cache));
    let cache: u64 = cache
        .and_then(|bytes| bytes.trim().parse().ok())
        .unwrap_or(0);
    Some(limit.saturating_sub(used.saturating_sub(cache)))
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
    fn limits_of_the_process_count() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units\n\
                      Max data size             unlimited            unlimited            bytes\n\
                      Max address space         4096000              unlimited            bytes\n";
        let status = "VmSize:\t    1000 kB\nVmData:\t     500 kB\n";
        let left = |limit, used| left_of_limit(limits, limit, status, used);
        assert_eq!(
            left("Max address space", "VmSize:"),
            Some(4_096_000 - 1_024_000)
        );
        assert_eq!(left("Max data size", "VmData:"), None);
        let grown = "VmSize:\t  900000 kB\n";
        let left = left_of_limit(limits, "Max address space", grown, "VmSize:");
        assert_eq!(left, Some(0));
    }

    #[test]
    fn every_control_group_above_counts() {
        let root = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let file = root.path().join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        };
        let left = |groups: &str| left_in_groups(root.path(), groups);
        write("a/b/memory.max", "max\n");
        write("a/b/memory.current", "70\n");
        assert_eq!(left("0::/a/b\n"), None);
        write("a/memory.max", "100\n");
        write("a/memory.current", "80\n");
        assert_eq!(left("0::/a/b\n"), Some(20));
        write("a/memory.stat", "anon 50\ninactive_file 30\n");
        assert_eq!(left("0::/a/b\n"), Some(50));
        // A container that sees its own group at the root only.
        write("memory.max", "60\n");
        write("memory.current", "20\n");
        assert_eq!(left("0::/somewhere/else\n"), Some(40));
        write("memory/c/memory.limit_in_bytes", "10\n");
        write("memory/c/memory.usage_in_bytes", "3\n");
        assert_eq!(left("5:cpu:/x\n4:blkio,memory:/c\n0::/\n"), Some(7));
        assert_eq!(left(""), None);
    }

    #[test]
    fn bytes_are_told_in_round_units() {
        assert_eq!(bytes(3_000), "3 kB");
        assert_eq!(bytes(3_400_000), "3 MB");
        assert_eq!(bytes(12_340_000_000), "12.3 GB");
    }
}
