//! Solids that are not convex, as compounds of convex pieces.

use glam::DVec3;

use super::{Shape, ShapeError, TriangleMesh};
use crate::narrow::convex_pieces;
use crate::pose::Pose;

/// How finely a solid is cut into convex pieces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decomposition {
    /// Cubes along the longest side, 8 to 256: what is smaller is not seen.
    pub resolution: u32,
    /// Volume by which pieces may be larger than the solid, over that of its convex hull, 0 to 1.
    pub concavity: f64,
    /// Most pieces, 1 to 1024.
    pub most_pieces: u32,
}

impl Default for Decomposition {
    fn default() -> Self {
        Self {
            resolution: 64,
            concavity: 0.005,
            most_pieces: 32,
        }
    }
}

/// Points of a piece nearer to each other than this share of the solid's size are one: cuts leave
/// many of them.
const SAME: f64 = 1e-6;

impl Shape {
    /// A closed mesh as a compound of convex pieces, which collide faster and deeper than its
    /// triangles. Its surface is that of the mesh but where pieces bridge hollows.
    pub fn decomposed(mesh: &TriangleMesh, settings: &Decomposition) -> Result<Self, ShapeError> {
        let in_range = (8..=256).contains(&settings.resolution)
            && (0.0..=1.0).contains(&settings.concavity)
            && (1..=1024).contains(&settings.most_pieces);
        if !in_range {
            return Err(ShapeError::Decomposition(*settings));
        }
        // Says what is wrong with a mesh that is no solid.
        Self::mesh(mesh.clone()).mass_properties(1.0)?;
        let size = mesh.bounds().extent().max_element();
        let mut pieces = Vec::new();
        for points in convex_pieces(mesh, settings) {
            match Piece::new(corners(&points, SAME * size)) {
                Ok(piece) => pieces.push(piece),
                // A sliver that a cut left over.
                Err(ShapeError::FlatHull { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let whole = Piece::new(mesh.vertices().to_vec())?;
        join(&mut pieces, settings, whole.volume)?;
        let place = |piece: Piece| (Pose::IDENTITY, piece.hull);
        let mut pieces: Vec<(Pose, Self)> = pieces.into_iter().map(place).collect();
        match pieces.len() {
            // Too thin to have cubes inside.
            0 => Ok(whole.hull),
            1 => Ok(pieces.remove(0).1),
            _ => Self::compound(pieces),
        }
    }
}

/// A convex piece.
struct Piece {
    hull: Shape,
    volume: f64,
}

impl Piece {
    fn new(points: Vec<DVec3>) -> Result<Self, ShapeError> {
        let hull = Shape::hull(&points)?;
        let volume = hull.volume()?;
        Ok(Self { hull, volume })
    }

    /// The hull of both.
    fn with(&self, other: &Self) -> Result<Self, ShapeError> {
        Self::new([self, other].into_iter().flat_map(Self::corners).collect())
    }

    fn corners(&self) -> Vec<DVec3> {
        match &self.hull {
            Shape::Hull(hull) => hull.vertices().to_vec(),
            _ => Vec::new(),
        }
    }
}

/// Joins pieces that the cuts parted in vain: always the two whose hull is least larger than both
/// together, as long as it is hardly larger, or there are too many pieces. `volume` is that of the
/// solid's convex hull.
fn join(pieces: &mut Vec<Piece>, settings: &Decomposition, volume: f64) -> Result<(), ShapeError> {
    // Of each pair, the first index the smaller: what its hull adds.
    let mut added: Vec<Vec<f64>> = Vec::new();
    for b in 0..pieces.len() {
        added.push((0..b).map(|a| cost(&pieces[a], &pieces[b])).collect());
    }
    while pieces.len() > 1 {
        let pairs = (0..pieces.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        let best = pairs.min_by(|&(a, b), &(c, d)| added[b][a].total_cmp(&added[d][c]));
        let Some((a, b)) = best else { break };
        let enough = pieces.len() <= settings.most_pieces as usize;
        if !added[b][a].is_finite() || (enough && added[b][a] > settings.concavity * volume) {
            break;
        }
        pieces[a] = pieces[a].with(&pieces[b])?;
        pieces.remove(b);
        added.remove(b);
        added.iter_mut().skip(b).for_each(|row| {
            row.remove(b);
        });
        for other in (0..pieces.len()).filter(|k| *k != a) {
            let (low, high) = (a.min(other), a.max(other));
            added[high][low] = cost(&pieces[low], &pieces[high]);
        }
    }
    Ok(())
}

/// By how much the hull of two pieces is larger than both, m³; infinite where there is none.
fn cost(a: &Piece, b: &Piece) -> f64 {
    match a.with(b) {
        Ok(both) => (both.volume - a.volume - b.volume).max(0.0),
        Err(_) => f64::INFINITY,
    }
}

/// The points without those that are as good as equal, by their places on a grid.
fn corners(points: &[DVec3], spacing: f64) -> Vec<DVec3> {
    let cell = |p: &DVec3| (*p / spacing).round().to_array().map(|v| v as i64);
    let mut sorted: Vec<([i64; 3], DVec3)> = points.iter().map(|p| (cell(p), *p)).collect();
    sorted.sort_by_key(|(cell, _)| *cell);
    sorted.dedup_by_key(|(cell, _)| *cell);
    sorted.into_iter().map(|(_, p)| p).collect()
}
