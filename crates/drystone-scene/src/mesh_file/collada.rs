//! Collada 1.4 and 1.5 (`.dae`): the triangles and polygons of a file's scene.
//!
//! Read are the nodes of its visual scene with the geometries that they place, in the file's unit
//! of length. Materials, bones and motions are passed over. The axes are taken as they are written,
//! as the tools of ROS do: `up_axis` turns nothing.

mod nodes;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use glam::{DMat4, DVec3};
use roxmltree::{Document, Node, ParsingOptions};

use self::nodes::Scene;
use super::error::{MeshFault, coordinate};
use super::polygon::triangulate;
use super::soup::{Placed, Soup, of_fan, of_strip};
use super::words::text_of;
use super::{MeshData, Parsed};
use crate::quote::quoted;
use crate::xml_tags;

/// Most elements, attributes not counted: they take more memory than their text.
const MOST_ELEMENTS: u32 = 2_000_000;

/// The mesh of a Collada file's bytes, in m; of the node or geometry of a name, or of all.
pub fn parse_collada(bytes: &[u8], object: Option<&str>) -> Result<MeshData, MeshFault> {
    Ok(parse(bytes, object)?.data)
}

pub(super) fn parse(bytes: &[u8], object: Option<&str>) -> Result<Parsed, MeshFault> {
    let text = text_of(bytes);
    xml_tags::check(&text).map_err(|tag| {
        let lines = text.as_bytes()[..tag.at].iter().filter(|b| **b == b'\n');
        MeshFault::malformed(format!("line {}", 1 + lines.count()), tag.what)
    })?;
    let options = ParsingOptions {
        nodes_limit: MOST_ELEMENTS,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(&text, options)
        .map_err(|error| MeshFault::malformed("its XML", error.to_string()))?;
    let root = document.root_element();
    if root.tag_name().name() != "COLLADA" {
        let tag = quoted(root.tag_name().name());
        return Err(fault(root, format!("{tag}, expected <COLLADA>")));
    }
    let meter = unit(root)?;
    let mut soup = Soup::default();
    let ids = Ids::new(root);
    let mut geometries = Geometries {
        ids: &ids,
        known: HashMap::new(),
    };
    let scene = Scene::new(root, &ids, object);
    scene.walk(DMat4::from_scale(DVec3::splat(meter)), &mut |item| {
        let nodes::Item { geometry, placed } = item;
        geometries.add(geometry, &placed, &mut soup)
    })?;
    for name in scene.names() {
        soup.name(Some(&name), object);
    }
    soup.finish(object)
}

/// The file's unit of length, m.
fn unit(root: Node<'_, '_>) -> Result<f64, MeshFault> {
    let unit = child(root, "asset").and_then(|asset| child(asset, "unit"));
    let Some((unit, text)) = unit.and_then(|unit| Some((unit, unit.attribute("meter")?))) else {
        return Ok(1.0);
    };
    match text.trim().parse::<f64>() {
        Ok(meter) if meter.is_finite() && meter > 0.0 => Ok(meter),
        _ => {
            let what = format!(
                "<unit> meter={}, expected a finite number > 0",
                quoted(text)
            );
            Err(fault(unit, what))
        }
    }
}

/// The fault of an element, with its line.
fn fault(node: Node<'_, '_>, what: impl Into<String>) -> MeshFault {
    let line = node.document().text_pos_at(node.range().start).row;
    MeshFault::malformed(format!("line {line}"), what)
}

fn children<'a, 'i>(node: Node<'a, 'i>, tag: &'a str) -> impl Iterator<Item = Node<'a, 'i>> {
    let elements = node.children().filter(Node::is_element);
    elements.filter(move |child| child.tag_name().name() == tag)
}

fn child<'a, 'i>(node: Node<'a, 'i>, tag: &'a str) -> Option<Node<'a, 'i>> {
    children(node, tag).next()
}

/// All text of an element: comments may cut it into pieces.
fn words<'a>(node: Node<'a, '_>) -> impl Iterator<Item = &'a str> {
    let pieces = node.children().filter(Node::is_text);
    let pieces = pieces.filter_map(|piece| piece.text());
    pieces.flat_map(str::split_ascii_whitespace)
}

/// The numbers of an element.
fn numbers<T: std::str::FromStr>(node: Node<'_, '_>, expected: &str) -> Result<Vec<T>, MeshFault> {
    let number = |word: &str| {
        word.parse::<T>()
            .map_err(|_| fault(node, format!("{}, expected {expected}", quoted(word))))
    };
    words(node).map(number).collect()
}

/// The elements that others refer to, by tag and id.
struct Ids<'a, 'i> {
    known: HashMap<(&'a str, &'a str), Node<'a, 'i>>,
}

impl<'a, 'i> Ids<'a, 'i> {
    fn new(root: Node<'a, 'i>) -> Self {
        let mut known = HashMap::new();
        for node in root.descendants() {
            if let Some(id) = node.attribute("id") {
                // The first of a name, as a search would find it.
                known.entry((node.tag_name().name(), id)).or_insert(node);
            }
        }
        Self { known }
    }

    /// The element of a tag that `#id` in an attribute names.
    fn find(
        &self,
        from: Node<'a, 'i>,
        attribute: &str,
        tag: &str,
    ) -> Result<Node<'a, 'i>, MeshFault> {
        let name = from.attribute(attribute).unwrap_or_default();
        let found = name
            .strip_prefix('#')
            .and_then(|id| self.known.get(&(tag, id)));
        found.copied().ok_or_else(|| {
            let name = quoted(name);
            let what = format!("{attribute}={name}, expected # and the id of a <{tag}>");
            fault(from, what)
        })
    }
}

/// The polygons of geometries, each read once.
struct Geometries<'a, 'i, 's> {
    ids: &'s Ids<'a, 'i>,
    known: HashMap<roxmltree::NodeId, Vec<[DVec3; 3]>>,
}

impl<'a, 'i> Geometries<'a, 'i, '_> {
    /// Adds the triangles of a `<geometry>` where it is placed.
    fn add(
        &mut self,
        geometry: Node<'a, 'i>,
        placed: &Placed,
        soup: &mut Soup,
    ) -> Result<(), MeshFault> {
        let id = geometry.id();
        if let Entry::Vacant(place) = self.known.entry(id) {
            place.insert(triangles(geometry, self.ids)?);
        }
        let name = geometry.attribute("id").unwrap_or_default();
        for (face, corners) in self.known[&id].iter().enumerate() {
            let place = || format!("geometry {}, face {face}", quoted(name));
            soup.push(*corners, placed, place)?;
        }
        Ok(())
    }
}

/// The triangles of a geometry, in its own frame and unit.
fn triangles<'a, 'i>(
    geometry: Node<'a, 'i>,
    ids: &Ids<'a, 'i>,
) -> Result<Vec<[DVec3; 3]>, MeshFault> {
    let Some(mesh) = child(geometry, "mesh") else {
        let what = "a <geometry> without <mesh>: splines and the like are not read";
        return Err(fault(geometry, what));
    };
    let mut out = Vec::new();
    let mut positions = HashMap::new();
    for element in mesh.children().filter(Node::is_element) {
        let tag = element.tag_name().name();
        if !matches!(
            tag,
            "triangles" | "polylist" | "polygons" | "tristrips" | "trifans"
        ) {
            continue; // <source> and <vertices>; <lines> have no surface
        }
        let inputs = Inputs::read(element, ids)?;
        let vertices = inputs.vertices;
        if let Entry::Vacant(place) = positions.entry(vertices.id()) {
            place.insert(read_positions(vertices, ids)?);
        }
        Faces {
            element,
            stride: inputs.stride,
            offset: inputs.offset,
            positions: &positions[&vertices.id()],
        }
        .read(tag, &mut out)?;
    }
    Ok(out)
}

/// How the indices of a primitive are laid out.
struct Inputs<'a, 'i> {
    /// The `<vertices>` that it is made of.
    vertices: Node<'a, 'i>,
    offset: usize,
    stride: usize,
}

impl<'a, 'i> Inputs<'a, 'i> {
    fn read(element: Node<'a, 'i>, ids: &Ids<'a, 'i>) -> Result<Self, MeshFault> {
        let (mut stride, mut own) = (1, None);
        for input in children(element, "input") {
            let text = input.attribute("offset").unwrap_or("0");
            // Of a few hundred inputs none is used.
            let offset = text.trim().parse::<usize>().ok().filter(|k| *k < 1000);
            let Some(offset) = offset else {
                let what = format!("offset={}, expected a small number >= 0", quoted(text));
                return Err(fault(input, what));
            };
            stride = stride.max(offset + 1);
            if input.attribute("semantic") == Some("VERTEX") {
                own = Some((input, offset));
            }
        }
        let Some((input, offset)) = own else {
            let tag = element.tag_name().name();
            let what = format!("<{tag}> has no <input semantic=\"VERTEX\">");
            return Err(fault(element, what));
        };
        Ok(Self {
            vertices: ids.find(input, "source", "vertices")?,
            offset,
            stride,
        })
    }
}

/// The positions of a `<vertices>`, in the file's unit.
fn read_positions<'a, 'i>(
    vertices: Node<'a, 'i>,
    ids: &Ids<'a, 'i>,
) -> Result<Vec<DVec3>, MeshFault> {
    let mut inputs = children(vertices, "input");
    let input = inputs.find(|input| input.attribute("semantic") == Some("POSITION"));
    let Some(input) = input else {
        let what = "<vertices> has no <input semantic=\"POSITION\">";
        return Err(fault(vertices, what));
    };
    let source = ids.find(input, "source", "source")?;
    let Some(array) = child(source, "float_array") else {
        return Err(fault(source, "<source> has no <float_array>"));
    };
    let accessor = child(source, "technique_common").and_then(|common| child(common, "accessor"));
    let whole = |name: &str, usual: usize| match accessor.and_then(|a| a.attribute(name)) {
        None => Ok(usual),
        Some(text) => text.trim().parse::<usize>().map_err(|_| {
            let what = format!("<accessor> {name}={}, expected a number >= 0", quoted(text));
            fault(source, what)
        }),
    };
    let (stride, start) = (whole("stride", 3)?, whole("offset", 0)?);
    if stride < 3 {
        let what = format!("<accessor> stride=\"{stride}\", expected 3 or more");
        return Err(fault(source, what));
    }
    let values: Vec<f64> = numbers(array, "a number")?;
    for value in &values {
        coordinate(*value).map_err(|what| fault(array, what))?;
    }
    let rows = values.get(start..).unwrap_or_default().chunks(stride);
    let whole = rows.filter(|row| row.len() >= 3);
    Ok(whole
        .map(|row| DVec3::new(row[0], row[1], row[2]))
        .collect())
}

/// One primitive of a mesh.
struct Faces<'a, 'i, 'p> {
    element: Node<'a, 'i>,
    stride: usize,
    offset: usize,
    positions: &'p [DVec3],
}

impl Faces<'_, '_, '_> {
    fn read(&self, tag: &str, out: &mut Vec<[DVec3; 3]>) -> Result<(), MeshFault> {
        if let Some(holes) = child(self.element, "ph") {
            return Err(fault(holes, "polygons with holes are not read"));
        }
        let lists = children(self.element, "p").map(|p| self.corners(p));
        let lists: Vec<Vec<DVec3>> = lists.collect::<Result<_, _>>()?;
        match tag {
            "triangles" => {
                for list in &lists {
                    let (faces, rest) = list.as_chunks::<3>();
                    if !rest.is_empty() {
                        let what = format!("{} corners, expected a multiple of 3", list.len());
                        return Err(fault(self.element, what));
                    }
                    out.extend(faces);
                }
            }
            "polylist" => {
                let counts = child(self.element, "vcount");
                let counts: Vec<usize> = match counts {
                    Some(counts) => numbers(counts, "a number of corners")?,
                    None => return Err(fault(self.element, "<polylist> has no <vcount>")),
                };
                let all = lists.concat();
                let mut rest = &all[..];
                for count in counts {
                    let Some((polygon, after)) = rest.split_at_checked(count) else {
                        let what = "<vcount> asks for more corners than <p> has";
                        return Err(fault(self.element, what));
                    };
                    self.polygon(polygon, out)?;
                    rest = after;
                }
            }
            "polygons" => {
                for polygon in &lists {
                    self.polygon(polygon, out)?;
                }
            }
            _ => {
                let corners = if tag == "tristrips" { of_strip } else { of_fan };
                for list in &lists {
                    let faces = 0..list.len().saturating_sub(2);
                    out.extend(faces.map(|k| corners(k).map(|corner| list[corner])));
                }
            }
        }
        Ok(())
    }

    fn polygon(&self, corners: &[DVec3], out: &mut Vec<[DVec3; 3]>) -> Result<(), MeshFault> {
        if corners.len() < 3 {
            let what = format!("a polygon of {} corners, expected 3 or more", corners.len());
            return Err(fault(self.element, what));
        }
        let cut = triangulate(corners).map_err(|what| fault(self.element, what))?;
        out.extend(cut.into_iter().map(|face| face.map(|k| corners[k])));
        Ok(())
    }

    /// The positions that a `<p>` lists.
    fn corners(&self, p: Node<'_, '_>) -> Result<Vec<DVec3>, MeshFault> {
        let indices: Vec<usize> = numbers(p, "a number of a vertex, from 0")?;
        if !indices.len().is_multiple_of(self.stride) {
            let (found, stride) = (indices.len(), self.stride);
            let what = format!("{found} numbers, expected a multiple of {stride}");
            return Err(fault(p, what));
        }
        let own = indices.chunks(self.stride).map(|row| row[self.offset]);
        own.map(|index| {
            let count = self.positions.len();
            let what = || format!("vertex {index}, expected one of {count}");
            let position = self.positions.get(index);
            position.copied().ok_or_else(|| fault(p, what()))
        })
        .collect()
    }
}
