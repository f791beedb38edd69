//! How a convex hull is made from points.
//!
//! Points are added one by one to a hull of triangles. They are moved a little beforehand (3e-7 of
//! the size), so that no four lie in one plane: then no order of additions leads to overlapping or
//! empty triangles. The faces are then made anew from the points where they are: all that lie in
//! the plane of a large triangle, to 1e-6 of the size, form one polygon. So a hull is exact when
//! its faces are, and features smaller than a millionth of its size may be lost.
//!
//! All functions take the points in units of the hull's size, about its middle.

use std::collections::BTreeSet;

use glam::DVec3;

/// How far the points are moved before the hull is made, in shares of the size. Less than
/// [`FLAT`], so that a moved point still counts as in its plane; far more than rounding.
const JOGGLE: f64 = 3e-7;
/// What counts as in a plane, on a line or at one place, in shares of the size.
pub(super) const FLAT: f64 = 1e-6;
/// By how much the axes in which the outline of a face is found are turned, rad: one after the
/// other until the faces close. Points on a side along the second axis are equally far along the
/// first, but for rounding; the outline may then begin at a point between two corners, or miss a
/// corner. With turned axes another side would have to be so unlucky.
const TURNS: [f64; 4] = [0.0, 1.0, 2.0, 3.0];

/// A face; corners are indices into the given points, counter-clockwise from outside.
#[derive(Clone, Debug)]
pub(super) struct Polygon {
    pub normal: DVec3,
    pub corners: Vec<usize>,
}

impl Polygon {
    /// Its edges, each from one corner to the next.
    pub(super) fn edges(&self) -> impl Iterator<Item = (usize, usize)> {
        let n = self.corners.len();
        (0..n).map(move |k| (self.corners[k], self.corners[(k + 1) % n]))
    }
}

/// The points without those in the same cell of a grid of width [`FLAT`] as an earlier one.
pub(super) fn without_copies(points: &[DVec3], unit: impl Fn(DVec3) -> DVec3) -> Vec<DVec3> {
    let mut seen = BTreeSet::new();
    let cell = |p: DVec3| (unit(p) / FLAT).to_array().map(|x| x.round() as i64);
    points
        .iter()
        .copied()
        .filter(|&p| seen.insert(cell(p)))
        .collect()
}

/// The faces of the hull; nothing when the points span no volume.
pub(super) fn faces(unit: &[DVec3]) -> Option<Vec<Polygon>> {
    let triangles = triangulated(unit)?;
    let whole = |&turn: &f64| whole_faces(unit, &triangles, turn).filter(|f| closed(f));
    let faces = TURNS.iter().find_map(whole);
    // Points at the limit of flatness: the triangles are a hull in any case.
    Some(faces.unwrap_or_else(|| triangle_faces(unit, &triangles)))
}

/// The hull of the moved points as triangles; nothing when they span no volume.
fn triangulated(unit: &[DVec3]) -> Option<Vec<[usize; 3]>> {
    let start = first_tetrahedron(unit)?;
    let p: Vec<DVec3> = unit
        .iter()
        .enumerate()
        .map(|(k, &p)| p + JOGGLE * pseudo_random(k as u64))
        .collect();
    let [a, b, c, d] = start;
    let mut faces = vec![[a, b, c], [a, c, d], [a, d, b], [b, d, c]];
    let height = |f: &[usize; 3], q: DVec3| {
        (p[f[1]] - p[f[0]])
            .cross(p[f[2]] - p[f[0]])
            .dot(q - p[f[0]])
    };
    let mut rim = Vec::new();
    for k in (0..p.len()).filter(|k| !start.contains(k)) {
        rim.clear();
        faces.retain(|f| {
            let seen = height(f, p[k]) > 0.0;
            if seen {
                rim.extend([[f[0], f[1]], [f[1], f[2]], [f[2], f[0]]]);
            }
            !seen
        });
        // The horizon: edges of seen faces whose other side is not seen.
        rim.sort_unstable();
        for &[i, j] in &rim {
            if rim.binary_search(&[j, i]).is_err() {
                faces.push([i, j, k]);
            }
        }
    }
    Some(faces)
}

/// Four points that span a volume, in such an order that the first three are counter-clockwise
/// seen from outside.
fn first_tetrahedron(unit: &[DVec3]) -> Option<[usize; 4]> {
    let best = |measure: &dyn Fn(DVec3) -> f64| {
        (0..unit.len()).max_by(|&i, &j| measure(unit[i]).total_cmp(&measure(unit[j])))
    };
    // Not along x alone: of a box's four corners there, this direction has one that is farthest.
    let a = best(&|p| p.x + 0.1 * p.y + 0.01 * p.z)?;
    let pa = unit[a];
    let b = best(&|p| (p - pa).length_squared())?;
    let ab = (unit[b] - pa).normalize_or_zero();
    let c = best(&|p| (p - pa).cross(ab).length_squared())?;
    let normal = ab.cross(unit[c] - pa).normalize_or_zero();
    let d = best(&|p| (p - pa).dot(normal).abs())?;
    let height = (unit[d] - pa).dot(normal);
    if height.abs() < FLAT {
        return None;
    }
    // The last lies behind the first three.
    Some(if height < 0.0 {
        [a, b, c, d]
    } else {
        [a, c, b, d]
    })
}

/// A fixed vector for each index, in the cube from -1/2 to 1/2: the bit mixer of SplitMix64.
fn pseudo_random(index: u64) -> DVec3 {
    let coordinate = |salt: u64| {
        let mut x = (3 * index + salt + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x ^= x >> 27;
        (x >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    DVec3::new(coordinate(0), coordinate(1), coordinate(2))
}

/// Twice the area vector of a triangle.
fn area(unit: &[DVec3], [a, b, c]: [usize; 3]) -> DVec3 {
    (unit[b] - unit[a]).cross(unit[c] - unit[a])
}

/// Every triangle its own face. One without area has the normal zero, which no query picks.
fn triangle_faces(unit: &[DVec3], triangles: &[[usize; 3]]) -> Vec<Polygon> {
    triangles
        .iter()
        .map(|&t| Polygon {
            normal: area(unit, t).normalize_or_zero(),
            corners: t.to_vec(),
        })
        .collect()
}

/// One polygon for each plane, from the largest triangle down; nothing when a polygon degenerates.
/// `turn` is one of [`TURNS`].
fn whole_faces(unit: &[DVec3], triangles: &[[usize; 3]], turn: f64) -> Option<Vec<Polygon>> {
    let mut order: Vec<(f64, [usize; 3])> = triangles
        .iter()
        .map(|&t| (area(unit, t).length_squared(), t))
        .collect();
    order.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
    let mut planes: Vec<(DVec3, f64)> = Vec::new();
    let mut polygons = Vec::new();
    for (_, t) in order {
        let in_plane =
            |&(n, d): &(DVec3, f64)| t.iter().all(|&k| (n.dot(unit[k]) - d).abs() < FLAT);
        if planes.iter().any(in_plane) {
            continue;
        }
        let normal = area(unit, t).normalize_or_zero();
        let plane = (normal, normal.dot(unit[t[0]]));
        planes.push(plane);
        let corners: Vec<usize> = (0..unit.len())
            .filter(|&k| (normal.dot(unit[k]) - plane.1).abs() < FLAT)
            .collect();
        let corners = outline(unit, normal, turn, corners);
        if corners.len() < 3 {
            return None;
        }
        polygons.push(Polygon { normal, corners });
    }
    Some(polygons)
}

/// The corners of the convex polygon around points of one plane, counter-clockwise about `normal`
/// (Andrew's monotone chains, 1979). Points on its sides, to within [`FLAT`], are left out.
fn outline(unit: &[DVec3], normal: DVec3, turn: f64, mut points: Vec<usize>) -> Vec<usize> {
    let (mut u, mut v) = normal.any_orthonormal_pair();
    if turn != 0.0 {
        let (sin, cos) = turn.sin_cos();
        (u, v) = (u * cos + v * sin, v * cos - u * sin);
    }
    let flat = |k: usize| (unit[k].dot(u), unit[k].dot(v));
    points.sort_by(|&i, &j| {
        let (a, b) = (flat(i), flat(j));
        a.0.total_cmp(&b.0)
            .then(a.1.total_cmp(&b.1))
            .then(i.cmp(&j))
    });
    // How far `k` lies to the left of the line from `i` to `j`.
    let left = |i: usize, j: usize, k: usize| {
        let (a, b, c) = (flat(i), flat(j), flat(k));
        let (x, y) = (b.0 - a.0, b.1 - a.1);
        (x * (c.1 - a.1) - y * (c.0 - a.0)) / x.hypot(y).max(f64::MIN_POSITIVE)
    };
    let chain = |points: &mut dyn Iterator<Item = usize>| {
        let mut chain: Vec<usize> = Vec::new();
        for k in points {
            // Measured from the line through the outer two points: how far the middle one sticks
            // out.
            while let [.., i, j] = chain[..]
                && left(i, k, j) > -FLAT
            {
                chain.pop();
            }
            if chain
                .last()
                .is_none_or(|&j| (unit[j] - unit[k]).length() > FLAT)
            {
                chain.push(k);
            }
        }
        // The last point begins the other chain.
        chain.pop();
        chain
    };
    let mut lower = chain(&mut points.iter().copied());
    lower.extend(chain(&mut points.iter().rev().copied()));
    lower
}

/// Whether each edge runs once in each direction.
pub(super) fn closed(polygons: &[Polygon]) -> bool {
    let mut edges: Vec<(usize, usize)> = polygons.iter().flat_map(Polygon::edges).collect();
    edges.sort_unstable();
    edges.windows(2).all(|w| w[0] != w[1])
        && edges
            .iter()
            .all(|&(a, b)| edges.binary_search(&(b, a)).is_ok())
}

/// A polygon put together again, and how well its normal is known.
pub(super) struct JoinedFace {
    pub polygon: Polygon,
    /// The triangle from which the normal comes: its height over its longest edge.
    pub width: f64,
}

/// The faces of a hull from its triangles: those that follow each other, share the first corner
/// and lie in one plane become one polygon. The normal is that of the widest triangle.
pub(super) fn joined_faces(unit: &[DVec3], triangles: &[[u32; 3]]) -> Vec<JoinedFace> {
    let mut faces: Vec<JoinedFace> = Vec::new();
    for t in triangles.iter().map(|t| t.map(|k| k as usize)) {
        let [first, second, third] = t;
        let cross = area(unit, t);
        let longest = [(first, second), (second, third), (third, first)]
            .map(|(a, b)| unit[a].distance(unit[b]))
            .into_iter()
            .fold(f64::MIN_POSITIVE, f64::max);
        let (normal, width) = (cross.normalize_or_zero(), cross.length() / longest);
        match faces.last_mut() {
            Some(JoinedFace {
                polygon,
                width: widest,
            }) if polygon.corners[0] == first
                && polygon.corners.last() == Some(&second)
                // Both corners may lie off the plane, each by what counts as flat.
                && polygon.normal.dot(unit[third] - unit[first]).abs() < 2.0 * FLAT =>
            {
                polygon.corners.push(third);
                if width > *widest {
                    (polygon.normal, *widest) = (normal, width);
                }
            }
            _ => faces.push(JoinedFace {
                polygon: Polygon {
                    normal,
                    corners: t.to_vec(),
                },
                width,
            }),
        }
    }
    faces
}
