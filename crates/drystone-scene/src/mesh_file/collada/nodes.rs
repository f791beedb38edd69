//! The nodes of a Collada scene: what is placed where.

use std::cell::RefCell;
use std::collections::BTreeSet;

use glam::{DMat4, DVec3, DVec4};
use roxmltree::Node;

use super::super::error::MeshFault;
use super::super::soup::Placed;
use super::{Ids, child, children, fault, numbers};
use crate::quote::quoted;

/// Deepest nodes within nodes. Nodes may place other nodes, and so themselves.
const DEEPEST: usize = 64;
/// Most nodes that are looked at, placed ones each time.
const MOST_NODES: usize = 1_000_000;
/// A geometry and where it is.
pub(super) struct Item<'a, 'i> {
    pub geometry: Node<'a, 'i>,
    pub placed: Placed,
}

/// The scene of a file.
pub(super) struct Scene<'a, 'i, 's> {
    root: Node<'a, 'i>,
    ids: &'s Ids<'a, 'i>,
    object: Option<&'s str>,
    names: RefCell<BTreeSet<String>>,
}

/// A node that is still to be looked at.
struct Open<'a, 'i> {
    node: Node<'a, 'i>,
    above: DMat4,
    depth: usize,
    /// Whether it is in the object that is wanted.
    inside: bool,
}

impl<'a, 'i, 's> Scene<'a, 'i, 's> {
    pub fn new(root: Node<'a, 'i>, ids: &'s Ids<'a, 'i>, object: Option<&'s str>) -> Self {
        Self {
            root,
            ids,
            object,
            names: RefCell::default(),
        }
    }

    /// Names of nodes and geometries, where an object is wanted.
    pub fn names(self) -> BTreeSet<String> {
        self.names.into_inner()
    }

    /// Goes through all that the scene places. Without a scene, all geometries are as they are.
    pub fn walk(
        &self,
        unit: DMat4,
        place: &mut impl FnMut(Item<'a, 'i>) -> Result<(), MeshFault>,
    ) -> Result<(), MeshFault> {
        let scene = child(self.root, "scene");
        let scene = scene.and_then(|scene| child(scene, "instance_visual_scene"));
        let visual = match scene {
            Some(scene) => Some(self.ids.find(scene, "url", "visual_scene")?),
            None => child(self.root, "library_visual_scenes")
                .and_then(|library| child(library, "visual_scene")),
        };
        let Some(visual) = visual else {
            let libraries = children(self.root, "library_geometries");
            for geometry in libraries.flat_map(|library| children(library, "geometry")) {
                self.geometry(geometry, false, unit, place)?;
            }
            return Ok(());
        };
        let mut open: Vec<Open<'a, 'i>> = children(visual, "node")
            .map(|node| Open {
                node,
                above: unit,
                depth: 0,
                inside: false,
            })
            .collect();
        open.reverse();
        let mut looked = 0;
        while let Some(next) = open.pop() {
            looked += 1;
            if next.depth > DEEPEST || looked > MOST_NODES {
                let what = format!(
                    "nodes within nodes more than {DEEPEST} deep, or more than {MOST_NODES} of them"
                );
                return Err(fault(next.node, what));
            }
            self.node(next, &mut open, place)?;
        }
        Ok(())
    }

    fn node(
        &self,
        next: Open<'a, 'i>,
        open: &mut Vec<Open<'a, 'i>>,
        place: &mut impl FnMut(Item<'a, 'i>) -> Result<(), MeshFault>,
    ) -> Result<(), MeshFault> {
        let Open {
            node,
            mut above,
            depth,
            inside,
        } = next;
        let inside = self.is_wanted(node) || inside;
        let first = open.len();
        for element in node.children().filter(Node::is_element) {
            let tag = element.tag_name().name();
            let mut below = |node| {
                open.push(Open {
                    node,
                    above,
                    depth: depth + 1,
                    inside,
                });
            };
            match tag {
                // Transformations come before what they act on.
                "matrix" | "translate" | "rotate" | "scale" => above *= transformation(element)?,
                "lookat" | "skew" => {
                    return Err(fault(element, format!("<{tag}> is not read")));
                }
                "node" => below(element),
                "instance_node" => below(self.ids.find(element, "url", "node")?),
                "instance_geometry" => {
                    let geometry = self.ids.find(element, "url", "geometry")?;
                    self.geometry(geometry, inside, above, place)?;
                }
                "instance_controller" => {
                    return Err(fault(
                        element,
                        "<instance_controller>: meshes that bones bend are not read",
                    ));
                }
                _ => {} // cameras, lights, extras
            }
        }
        open[first..].reverse();
        Ok(())
    }

    fn geometry(
        &self,
        geometry: Node<'a, 'i>,
        inside: bool,
        above: DMat4,
        place: &mut impl FnMut(Item<'a, 'i>) -> Result<(), MeshFault>,
    ) -> Result<(), MeshFault> {
        let wanted = self.is_wanted(geometry);
        if self.object.is_none() || inside || wanted {
            place(Item {
                geometry,
                placed: Placed::new(above),
            })?;
        }
        Ok(())
    }

    /// Whether a node or geometry has the name that is wanted, or its id.
    fn is_wanted(&self, node: Node<'a, 'i>) -> bool {
        let Some(object) = self.object else {
            return false;
        };
        let mut wanted = false;
        let mut names = self.names.borrow_mut();
        for name in ["name", "id"].iter().filter_map(|key| node.attribute(*key)) {
            wanted |= name == object;
            names.insert(name.to_owned());
        }
        wanted
    }
}

/// The matrix of a transformation element.
fn transformation(element: Node<'_, '_>) -> Result<DMat4, MeshFault> {
    let values: Vec<f64> = numbers(element, "a number")?;
    let tag = element.tag_name().name();
    match (tag, &values[..]) {
        ("translate", &[x, y, z]) => Ok(DMat4::from_translation(DVec3::new(x, y, z))),
        ("scale", &[x, y, z]) => Ok(DMat4::from_scale(DVec3::new(x, y, z))),
        ("rotate", &[x, y, z, angle]) => match DVec3::new(x, y, z).try_normalize() {
            Some(axis) => Ok(DMat4::from_axis_angle(axis, angle.to_radians())),
            None => Err(fault(element, "<rotate> about an axis without direction")),
        },
        ("matrix", rows) if rows.len() == 16 => {
            let row = |k: usize| DVec4::from_slice(&rows[4 * k..4 * k + 4]);
            Ok(DMat4::from_cols(row(0), row(1), row(2), row(3)).transpose())
        }
        (_, found) => {
            let expected = match tag {
                "matrix" => 16,
                "rotate" => 4,
                _ => 3,
            };
            let text = quoted(element.text().unwrap_or_default());
            let what = format!(
                "<{tag}> {text} has {} numbers, expected {expected}",
                found.len()
            );
            Err(fault(element, what))
        }
    }
}
