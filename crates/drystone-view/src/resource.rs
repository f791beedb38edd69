//! The resources that the page asks for, by name.

use std::fmt;

/// Something that the page asks for. A name that is none of these is no resource, whatever file
/// there may be: no name ever reaches the file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Resource {
    /// `run.json`: what there is to know before the first frame.
    Run,
    /// `bodies.bin`: a column a property of the bodies.
    Bodies,
    /// `shapes.json`: every distinct shape.
    Shapes,
    /// `mesh/K.bin`: the triangles of shape K.
    Mesh(usize),
    /// `index.bin`: step and time of each frame.
    Index,
    /// `frame/K.bin`: poses and velocities of frame K.
    Frame(usize),
    /// `contacts/K.bin`: contacts of frame K.
    Contacts(usize),
    /// `table/NAME.json`: a table as columns.
    Table(TableName),
}

/// A table of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TableName {
    /// A row a step.
    Steps,
    /// Forces between named pairs.
    Forces,
    /// Coordinates and forces of joints.
    Joints,
}

impl TableName {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Steps, Self::Forces, Self::Joints];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Steps => "steps",
            Self::Forces => "forces",
            Self::Joints => "joints",
        }
    }
}

impl Resource {
    /// The resource of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        let numbered = |before: &str| {
            let digits = name.strip_prefix(before)?.strip_suffix(".bin")?;
            let plain = digits.bytes().all(|b| b.is_ascii_digit());
            // One name a resource: no leading zeros.
            let short = digits == "0" || !digits.starts_with('0');
            (plain && short).then(|| digits.parse().ok())?
        };
        let table = || {
            let name = name.strip_prefix("table/")?.strip_suffix(".json")?;
            TableName::ALL.into_iter().find(|t| t.name() == name)
        };
        match name {
            "run.json" => Some(Self::Run),
            "bodies.bin" => Some(Self::Bodies),
            "shapes.json" => Some(Self::Shapes),
            "index.bin" => Some(Self::Index),
            _ => numbered("frame/")
                .map(Self::Frame)
                .or_else(|| numbered("contacts/").map(Self::Contacts))
                .or_else(|| numbered("mesh/").map(Self::Mesh))
                .or_else(|| table().map(Self::Table)),
        }
    }

    /// Whether it is text.
    pub fn is_json(self) -> bool {
        match self {
            Self::Run | Self::Shapes | Self::Table(_) => true,
            Self::Bodies | Self::Mesh(_) | Self::Index | Self::Frame(_) | Self::Contacts(_) => {
                false
            }
        }
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run => f.write_str("run.json"),
            Self::Bodies => f.write_str("bodies.bin"),
            Self::Shapes => f.write_str("shapes.json"),
            Self::Mesh(shape) => write!(f, "mesh/{shape}.bin"),
            Self::Index => f.write_str("index.bin"),
            Self::Frame(frame) => write!(f, "frame/{frame}.bin"),
            Self::Contacts(frame) => write!(f, "contacts/{frame}.bin"),
            Self::Table(table) => write!(f, "table/{}.json", table.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_and_nothing_else_is_one() {
        let all = [
            Resource::Run,
            Resource::Bodies,
            Resource::Shapes,
            Resource::Mesh(7),
            Resource::Index,
            Resource::Frame(0),
            Resource::Frame(123),
            Resource::Contacts(10),
            Resource::Table(TableName::Forces),
        ];
        for resource in all {
            assert_eq!(Resource::from_name(&resource.to_string()), Some(resource));
        }
        for wrong in [
            "",
            "frame/.bin",
            "frame/-1.bin",
            "frame/+1.bin",
            "frame/01.bin",
            "frame/1e3.bin",
            "frame/../run.json",
            "frame/99999999999999999999999.bin",
            "table/log.json",
            "table/../scene.toml",
            "/run.json",
            "run.json/",
            "scene.toml",
            "frames.dry",
        ] {
            assert_eq!(Resource::from_name(wrong), None, "{wrong}");
        }
    }
}
