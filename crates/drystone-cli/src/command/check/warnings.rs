//! What may not be as meant in a scene that can be run.

use drystone::{BodyKind, World};
use drystone_run::inspect::{Extent, Overlap, extents, farthest_travel, narrow_gaps, thickness};
use drystone_scene::Scene;
use drystone_study::table::short_number;

/// Overlaps deeper than this share of the thinner body are warned of.
const HARMLESS: f64 = 0.01;

/// A surface from a file that is larger than so many of the thickest moving bodies, or smaller than
/// the thinnest by this factor, has mostly lost its unit: millimetres taken for metres.
const OUT_OF_SCALE: f64 = 1000.0;

/// A body that travels more than its thickness in a step may pass through others.
const FAR: f64 = 1.0;

/// All that can be told before the first step.
pub fn of(scene: &Scene, world: &World, end_time: Option<f64>) -> Vec<String> {
    let mut warnings = scene.warnings().to_vec();
    warnings.extend(nothing_there(world));
    warnings.extend(out_of_scale(world));
    warnings.extend(too_fast(world, end_time));
    warnings.extend(gaps(scene, world));
    warnings
}

fn nothing_there(world: &World) -> Option<String> {
    let moves = |body| world.kind(body) == BodyKind::Dynamic;
    if world.is_empty() {
        return Some("the scene has no bodies: nothing will happen".to_owned());
    }
    let still = !world.ids().any(moves);
    still.then(|| "no body is moved by forces: nothing will fall or touch".to_owned())
}

fn out_of_scale(world: &World) -> Vec<String> {
    let sizes = || world.ids().filter_map(|body| thickness(world, body));
    let thinnest = sizes().fold(f64::INFINITY, f64::min);
    let thickest = sizes().fold(0.0, f64::max);
    let large = |extent: &Extent| extent.bounds.extent().max_element();
    let words = |extent: Extent| {
        let size = large(&extent);
        let (name, shown) = (&extent.name, short_number(size));
        if size > OUT_OF_SCALE * thickest {
            Some(format!(
                "`{name}` is {shown} m large, more than {OUT_OF_SCALE} times the thickest moving \
                 body ({} m): is a `scale` missing?",
                short_number(thickest)
            ))
        } else if OUT_OF_SCALE * size < thinnest {
            Some(format!(
                "`{name}` is only {shown} m large, less than 1/{OUT_OF_SCALE} of the thinnest \
                 moving body ({} m): is its `scale` right?",
                short_number(thinnest)
            ))
        } else {
            None
        }
    };
    if thickest == 0.0 {
        return Vec::new();
    }
    let surfaces = extents(world).into_iter().filter(|e| e.is_surface);
    surfaces.filter_map(words).collect()
}

fn too_fast(world: &World, end_time: Option<f64>) -> Option<String> {
    let travel = farthest_travel(world, end_time).filter(|travel| travel.share() > FAR)?;
    let step = world.settings().time_step;
    let cause = match travel.fall {
        Some(fall) => format!(", after a fall of {} m,", short_number(fall)),
        None => String::new(),
    };
    Some(format!(
        "the time step of {} s is too long: at {} m/s{cause} `{}` travels {} m in one step, and is \
         {} m thick; it may pass through others. Expected at most {} s",
        short_number(step),
        short_number(travel.speed),
        travel.body,
        short_number(travel.way),
        short_number(travel.thickness),
        short_number(step * FAR / travel.share())
    ))
}

fn gaps(scene: &Scene, world: &World) -> Option<String> {
    let is_written = |body| !scene.is_fill(world.group_name(body));
    // Parts of one track or robot have the play that it gave them.
    let is_play = |a, b| {
        let [a, b] = [a, b].map(|body| scene.maker(world.group_name(body)));
        a.is_some() && a == b
    };
    let gaps = narrow_gaps(world, is_written, is_play);
    let first = gaps.first()?;
    let [a, b] = &first.bodies;
    let more = match gaps.len() - 1 {
        0 => String::new(),
        1 => ", and so is another pair".to_owned(),
        more => format!(", and so are {more} other pairs"),
    };
    Some(format!(
        "`{a}` and `{b}` are {} m apart, {:.1} % of the thinner one{more}: are they meant to touch?",
        short_number(first.gap),
        100.0 * first.share
    ))
}

/// Of overlaps at the start.
pub fn of_overlaps(overlaps: &[Overlap]) -> Option<String> {
    let deep = overlaps.iter().filter(|o| o.share > HARMLESS).count();
    let pairs = if deep == 1 {
        "pair overlaps"
    } else {
        "pairs overlap"
    };
    (deep > 0).then(|| {
        format!(
            "{deep} {pairs} by more than {:.0} % of the thinner body; they will be pushed apart",
            100.0 * HARMLESS
        )
    })
}
