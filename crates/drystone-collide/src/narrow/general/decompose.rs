//! Solids as convex pieces, by the library's VHACD (Mamou, "Volumetric hierarchical approximate
//! convex decomposition", 2016): the solid is cut into cubes, and these are parted by planes until
//! each lump is nearly convex.

use glam::DVec3;
use parry3d_f64::transformation::vhacd::{VHACD, VHACDParameters};
use parry3d_f64::transformation::voxelization::FillMode;

use crate::shape::{Decomposition, TriangleMesh};

/// The points of each convex piece, in the mesh's frame. The same mesh gives the same pieces.
pub(crate) fn convex_pieces(mesh: &TriangleMesh, settings: &Decomposition) -> Vec<Vec<DVec3>> {
    let bounds = mesh.bounds();
    let (center, size) = (bounds.center(), bounds.extent().max_element());
    // About the origin and 1 large: the library's tolerances are absolute.
    let points: Vec<DVec3> = mesh
        .vertices()
        .iter()
        .map(|v| (v - center) / size)
        .collect();
    let parameters = VHACDParameters {
        concavity: settings.concavity,
        resolution: settings.resolution,
        // More than are wanted: pieces that belong together are joined again.
        max_convex_hulls: 2 * settings.most_pieces,
        // Of all cubes: a sample of them would make convex lumps look hollow.
        convex_hull_downsampling: 1,
        fill_mode: FillMode::FloodFill {
            detect_cavities: false,
        },
        ..VHACDParameters::default()
    };
    let parts = VHACD::decompose(&parameters, &points, mesh.faces(), true);
    let pieces = parts.compute_primitive_intersections(&points, mesh.faces());
    let back = |piece: Vec<DVec3>| piece.into_iter().map(|p| center + size * p).collect();
    // A lump inside the solid has no surface, and nothing touches it.
    pieces
        .into_iter()
        .filter(|piece| !piece.is_empty())
        .map(back)
        .collect()
}
