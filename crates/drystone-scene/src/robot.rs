//! Robots from URDF files: links and joints as plain data, then as bodies and joints of a world.
//!
//! [`read_urdf`] reads a file and everything that it names; [`Robot::build`] places it. Whatever
//! the file holds, the answer is a robot or an error that names the file, the line and the link or
//! joint: never a panic. What is in the file and not used here is told in [`Robot::notes`]. The
//! page `docs/robots.md` says what is read, what is ignored and what is refused.
//!
//! The frames are those of the format: a link's frame is its joint's frame, moved by the joint's
//! coordinate; the axis and the child's pose are given in the frame of the joint's `origin`; `rpy`
//! are turns about the fixed x, y and z axes in this order.

mod build;
mod error;
mod geometry;
mod joint;
mod link;
mod mimic;
mod notes;
mod tree;
mod xml;

use std::path::{Path, PathBuf};

use drystone::{MassProperties, Pose};
use glam::DVec3;

pub use build::{Base, BuiltJoint, BuiltLink, BuiltRobot, Placement};
pub use error::RobotError;
pub use geometry::Geometry;
pub use mimic::{BuiltCoupling, Mimic};

use crate::{input, xml_tags};
use error::Fault;
use geometry::Files;
use notes::Notes;
use xml::Element;

/// The largest file that is read, bytes.
const MOST_BYTES: usize = 16 << 20;

/// Most links, and most joints, of a robot.
const MOST_PARTS: usize = 10_000;

/// A robot as its file describes it.
#[derive(Clone, Debug)]
pub struct Robot {
    /// Its name in the file.
    pub name: String,
    /// Its links, as they stand in the file.
    pub links: Vec<Link>,
    /// Its joints, so that a joint comes after the one that carries it.
    pub joints: Vec<RobotJoint>,
    /// Index of the link that no joint carries.
    pub root: usize,
    /// What the file holds that is ignored or taken for something else, a line for each kind.
    pub notes: Vec<String>,
    file: PathBuf,
    text: String,
}

/// A link: a rigid part.
#[derive(Clone, Debug)]
pub struct Link {
    /// Its name.
    pub name: String,
    /// Mass, centre and inertia in the link's frame; none for a link without mass.
    pub inertial: Option<MassProperties>,
    /// What others touch, each at its pose in the link's frame.
    pub geometry: Vec<(Pose, Geometry)>,
    /// Where it stands in the text, bytes.
    at: usize,
}

/// A joint between two links.
#[derive(Clone, Debug)]
pub struct RobotJoint {
    /// Its name.
    pub name: String,
    /// What it lets its links do.
    pub kind: RobotJointKind,
    /// Index of the link that carries it.
    pub parent: usize,
    /// Index of the link that it carries.
    pub child: usize,
    /// The joint's frame in the parent's.
    pub origin: Pose,
    /// Its axis in the joint's frame, of unit length.
    pub axis: DVec3,
    /// Smallest and largest coordinate, m or rad.
    pub limits: Option<[f64; 2]>,
    /// Largest force or torque of a motor on it, N or N m.
    pub effort: Option<f64>,
    /// Of its coordinate, N s/m or N m s/rad.
    pub damping: f64,
    /// The joint that it follows.
    pub mimic: Option<Mimic>,
    /// Where it stands in the text, bytes.
    at: usize,
}

/// What a joint of a robot lets its links do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RobotJointKind {
    /// Turn about the axis, within limits.
    Revolute,
    /// Turn about the axis.
    Continuous,
    /// Slide along the axis, within limits.
    Prismatic,
    /// Nothing.
    Fixed,
    /// Slide in the plane across the axis and turn about it.
    Planar,
    /// Everything.
    Floating,
}

impl RobotJointKind {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Revolute,
        Self::Continuous,
        Self::Prismatic,
        Self::Fixed,
        Self::Planar,
        Self::Floating,
    ];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Revolute => "revolute",
            Self::Continuous => "continuous",
            Self::Prismatic => "prismatic",
            Self::Fixed => "fixed",
            Self::Planar => "planar",
            Self::Floating => "floating",
        }
    }

    /// Whether it has one coordinate, and so limits, a motor and a position to start from.
    pub fn has_coordinate(self) -> bool {
        match self {
            Self::Revolute | Self::Continuous | Self::Prismatic => true,
            Self::Fixed | Self::Planar | Self::Floating => false,
        }
    }

    /// Whether its coordinate is an angle.
    pub fn turns(self) -> bool {
        matches!(self, Self::Revolute | Self::Continuous)
    }
}

/// Reads a robot and its meshes. Meshes must lie inside the folder `within`, if one is given.
pub fn read_urdf(path: impl AsRef<Path>, within: Option<&Path>) -> Result<Robot, RobotError> {
    let path = path.as_ref();
    let bytes = input::read(path, MOST_BYTES as u64);
    let bytes = bytes.map_err(|error| RobotError::whole(path, error))?;
    parse_urdf(&bytes, path, within)
}

/// Reads a robot from the bytes of the file `path`, and its meshes from the files that it names.
pub fn parse_urdf(bytes: &[u8], path: &Path, within: Option<&Path>) -> Result<Robot, RobotError> {
    if bytes.len() > MOST_BYTES {
        let words = format!("{} bytes, expected at most {MOST_BYTES}", bytes.len());
        return Err(RobotError::whole(path, words));
    }
    let text = match std::str::from_utf8(bytes) {
        // Editors on some systems put a mark before the text.
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => return Err(RobotError::whole(path, error)),
    };
    xml_tags::check(text).map_err(|tag| Fault::new(tag.at, tag.what).of(path, text))?;
    let document = roxmltree::Document::parse(text).map_err(|error| RobotError {
        file: path.to_owned(),
        line: Some(error.pos().row as usize),
        what: format!("not XML: {error}"),
    })?;
    let root = Element::root(&document);
    let files = Files::new(path, within);
    read(&root, &files, path, text).map_err(|fault| fault.of(path, text))
}

fn read(root: &Element<'_>, files: &Files<'_>, path: &Path, text: &str) -> Result<Robot, Fault> {
    if root.tag() != "robot" {
        return Err(root.fault(format!("found <{}>, expected <robot>", root.tag())));
    }
    let name = root.need_name("name")?.to_owned();
    let mut notes = Notes::default();
    let (mut links, mut joints): (Vec<Link>, Vec<_>) = (Vec::new(), Vec::new());
    for element in root.children() {
        match element.tag() {
            "link" => {
                let link = link::read(&element, files, &mut notes)?;
                if links.iter().any(|other| other.name == link.name) {
                    return Err(element.fault(format!("link {} is there twice", link.name)));
                }
                links.push(link);
            }
            "joint" => joints.push(element),
            // Colours, which belong to the pictures of other programs.
            "material" => {}
            "transmission" | "gazebo" | "sensor" => {
                let name = element.text("name").or(element.text("reference"));
                let what = format!("<{}> is ignored", element.tag());
                notes.add(what, name.unwrap_or("without name"));
            }
            other => {
                root.refuse_xacro(&element)?;
                notes.unknown(other, "the robot");
            }
        }
        if links.len().max(joints.len()) > MOST_PARTS {
            let words = format!("more than {MOST_PARTS} links or joints");
            return Err(root.fault(words));
        }
    }
    let joints = joint::read_all(&joints, &links, &mut notes)?;
    let tree = tree::sort(&links, joints)?;
    Ok(Robot {
        name,
        links,
        joints: tree.joints,
        root: tree.root,
        notes: notes.lines(),
        file: path.to_owned(),
        text: text.to_owned(),
    })
}
