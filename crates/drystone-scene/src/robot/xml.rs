//! Elements and their attributes, with the place of everything that is wrong.

use drystone::Pose;
use drystone_collide::number::Number;
use glam::{DQuat, DVec3};
use roxmltree::{Document, Node};

use super::error::Fault;
use crate::mesh_file::LARGEST_COORDINATE;
use crate::quote::{is_hidden, quoted};

/// An element, and whose it is.
pub(super) struct Element<'a> {
    node: Node<'a, 'a>,
    /// "link upper" or "joint elbow"; empty at the top.
    owner: String,
}

impl<'a> Element<'a> {
    pub fn root(document: &'a Document<'a>) -> Self {
        Self {
            node: document.root_element(),
            owner: String::new(),
        }
    }

    /// The same, known as that of a link or joint.
    pub fn owned(&self, owner: String) -> Self {
        let node = self.node;
        Self { node, owner }
    }

    /// Its name; with its prefix's address where it has one.
    pub fn tag(&self) -> &'a str {
        self.node.tag_name().name()
    }

    /// Byte at which it begins.
    pub fn at(&self) -> usize {
        self.node.range().start
    }

    /// A fault at this element.
    pub fn fault(&self, what: impl Into<String>) -> Fault {
        let what = what.into();
        let what = match self.owner.is_empty() {
            true => what,
            false => format!("{}: {what}", self.owner),
        };
        Fault::new(self.at(), what)
    }

    /// Elements of macros mean that the file is not yet a URDF.
    pub fn refuse_xacro(&self, child: &Element<'_>) -> Result<(), Fault> {
        let namespace = child.node.tag_name().namespace().unwrap_or_default();
        if !namespace.contains("xacro") {
            return Ok(());
        }
        let words = format!(
            "<{}> is a macro of xacro: expand the file with xacro first",
            child.tag()
        );
        Err(child.fault(words))
    }

    pub fn children(&self) -> impl Iterator<Item = Element<'a>> {
        let elements = self.node.children().filter(Node::is_element);
        let owner = self.owner.clone();
        elements.map(move |node| Element {
            node,
            owner: owner.clone(),
        })
    }

    /// The only child of a name.
    pub fn child(&self, tag: &str) -> Result<Option<Element<'a>>, Fault> {
        let mut found = self.children().filter(|child| child.tag() == tag);
        let first = found.next();
        match found.next() {
            None => Ok(first),
            Some(second) => Err(second.fault(format!("<{tag}> is there twice"))),
        }
    }

    /// A child that must be there.
    pub fn need_child(&self, tag: &str, expected: &str) -> Result<Element<'a>, Fault> {
        let child = self.child(tag)?;
        child.ok_or_else(|| {
            let own = self.tag();
            self.fault(format!(
                "<{tag}> is missing in <{own}>, expected {expected}"
            ))
        })
    }

    pub fn text(&self, attribute: &str) -> Option<&'a str> {
        self.node.attribute(attribute)
    }

    /// A name that must be there: without characters that would act on a terminal.
    pub fn need_name(&self, attribute: &str) -> Result<&'a str, Fault> {
        let name = self.need_text(attribute)?;
        match name.contains(is_hidden) {
            false => Ok(name),
            true => Err(self.wrong(attribute, name, "a name without hidden characters")),
        }
    }

    /// A text that must be there and not be empty.
    pub fn need_text(&self, attribute: &str) -> Result<&'a str, Fault> {
        let text = self.text(attribute).map(str::trim);
        text.filter(|text| !text.is_empty()).ok_or_else(|| {
            let tag = self.tag();
            self.fault(format!("<{tag}> has no `{attribute}`"))
        })
    }

    fn wrong(&self, attribute: &str, value: &str, expected: &str) -> Fault {
        let tag = self.tag();
        let value = quoted(value);
        self.fault(format!("<{tag}> {attribute}={value}, expected {expected}"))
    }

    /// A finite number.
    pub fn number(&self, attribute: &str) -> Result<Option<f64>, Fault> {
        let Some(text) = self.text(attribute) else {
            return Ok(None);
        };
        match finite(text.trim()) {
            Some(number) => Ok(Some(number)),
            None => Err(self.wrong(attribute, text, "a finite number")),
        }
    }

    /// A number that must be there.
    pub fn need_number(&self, attribute: &str) -> Result<f64, Fault> {
        self.need_text(attribute)?;
        let number = self.number(attribute)?;
        number.ok_or_else(|| self.wrong(attribute, "", "a finite number"))
    }

    /// A number >= 0.
    pub fn not_negative(&self, attribute: &str) -> Result<Option<f64>, Fault> {
        match self.number(attribute)? {
            Some(value) if value < 0.0 => {
                Err(self.wrong(attribute, &Number(value).to_string(), "a number >= 0"))
            }
            value => Ok(value),
        }
    }

    /// Three numbers within the bounds of coordinates.
    pub fn vector(&self, attribute: &str) -> Result<Option<DVec3>, Fault> {
        let Some(text) = self.text(attribute) else {
            return Ok(None);
        };
        let numbers: Option<Vec<f64>> = text.split_whitespace().map(finite).collect();
        match numbers.as_deref() {
            Some(&[x, y, z]) if [x, y, z].iter().all(|v| v.abs() <= LARGEST_COORDINATE) => {
                Ok(Some(DVec3::new(x, y, z)))
            }
            _ => {
                let expected = format!("three numbers within ±{LARGEST_COORDINATE:e}");
                Err(self.wrong(attribute, text, &expected))
            }
        }
    }

    /// The pose that the child `origin` gives.
    pub fn origin(&self) -> Result<Pose, Fault> {
        let Some(origin) = self.child("origin")? else {
            return Ok(Pose::IDENTITY);
        };
        let [roll, pitch, yaw] = origin.vector("rpy")?.unwrap_or_default().to_array();
        // About the fixed x axis first.
        let turn = DQuat::from_rotation_z(yaw) * DQuat::from_rotation_y(pitch);
        Ok(Pose {
            position: origin.vector("xyz")?.unwrap_or_default(),
            rotation: (turn * DQuat::from_rotation_x(roll)).normalize(),
        })
    }
}

fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}
