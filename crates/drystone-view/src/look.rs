//! What the page shows first: camera, colours and bounds, the very ones of a picture.

use drystone::Aabb;
use drystone_draw::picture::{self, PictureSettings};
use drystone_draw::render::Camera;
use drystone_run::recording::Recording;
use drystone_scene::view::{ColorBy, ViewSettings};
use glam::DVec3;

/// Bodies that are looked at to find the bounds, over all frames that are read for it: more would
/// keep a large run from opening at once.
const LOOKED_AT: usize = 400_000;
/// Frames that are read for it, at least and at most.
const FRAMES: [usize; 2] = [2, 9];
/// Where the framed bodies are further from the origin than so many of their radii, positions are
/// sent from their middle: single precision would show.
const FAR: f64 = 100.0;

/// How a run looks by the frames that there are.
#[derive(Clone, Debug)]
pub struct Look {
    /// As the scene asks for, with one range of colours for all frames.
    pub settings: PictureSettings,
    /// For a picture of the last frame.
    pub still: Framing,
    /// For a film of all frames.
    pub film: Framing,
}

/// What is framed, and from where.
#[derive(Clone, Copy, Debug)]
pub struct Framing {
    /// m.
    pub bounds: Aabb,
    /// From where.
    pub camera: Camera,
}

impl Look {
    /// That of a recording, as far as there are frames.
    pub fn of(recording: &Recording, view: Option<&ViewSettings>) -> Self {
        let header = recording.header();
        let mut settings = view.map_or_else(PictureSettings::default, PictureSettings::from);
        let (mut last, mut all, mut range) = (Aabb::EMPTY, Aabb::EMPTY, None);
        for index in sample(recording.len(), header.bodies.len()) {
            // A damaged frame is told of when it is asked for.
            let Ok(frame) = recording.frame(index) else {
                continue;
            };
            last = picture::bounds(header, &frame);
            all = all.union(&last);
            match picture::color_range(header, &frame, &settings) {
                Ok(found) => range = widest(range, found),
                // A run that cannot be coloured as the scene says is shown without.
                Err(_) => settings.color_by = None,
            }
        }
        if let Some(range) = range {
            settings.color_range = range.map(Some);
        }
        let legend = settings.color_by.is_some();
        let framing = |bounds: Aabb| Framing {
            camera: picture::camera(&settings, bounds, legend),
            bounds,
        };
        Self {
            still: framing(last),
            film: framing(all),
            settings,
        }
    }

    /// What positions are best sent from, m.
    pub fn origin(&self) -> DVec3 {
        origin(&self.film.bounds)
    }

    /// The quantity that colours stand for, with its range.
    pub fn range(&self) -> Option<(ColorBy, [Option<f64>; 2])> {
        Some((self.settings.color_by?, self.settings.color_range))
    }
}

fn widest(a: Option<[f64; 2]>, b: Option<[f64; 2]>) -> Option<[f64; 2]> {
    match (a, b) {
        (Some(a), Some(b)) => Some([a[0].min(b[0]), a[1].max(b[1])]),
        (a, b) => a.or(b),
    }
}

/// Which frames are looked at: evenly over the run, with the first and the last.
fn sample(frames: usize, bodies: usize) -> Vec<usize> {
    let [least, most] = FRAMES;
    let count = (LOOKED_AT / bodies.max(1)).clamp(least, most).min(frames);
    let last = frames.saturating_sub(1);
    let steps = count.saturating_sub(1).max(1);
    (0..count).map(|k| k * last / steps).collect()
}

fn origin(bounds: &Aabb) -> DVec3 {
    let sound = !bounds.is_empty() && bounds.min.is_finite() && bounds.max.is_finite();
    match sound && bounds.center().length() > FAR * bounds.radius() {
        true => bounds.center(),
        false => DVec3::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_and_the_last_frame_are_looked_at() {
        assert_eq!(sample(0, 10), Vec::<usize>::new());
        assert_eq!(sample(1, 10), [0]);
        assert_eq!(sample(301, 10), [0, 37, 75, 112, 150, 187, 225, 262, 300]);
        assert_eq!(sample(301, 1_000_000), [0, 300]);
    }

    #[test]
    fn positions_far_away_are_sent_from_their_middle() {
        let at = |x: f64| Aabb::around(DVec3::new(x, 0.0, 0.0), DVec3::ONE);
        assert_eq!(origin(&at(1e3)), DVec3::new(1e3, 0.0, 0.0));
        assert_eq!(origin(&at(10.0)), DVec3::ZERO);
        assert_eq!(origin(&Aabb::EMPTY), DVec3::ZERO);
    }
}
