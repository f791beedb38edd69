//! A picture made ready for rays: what a ray meets first, and whether it meets anything.
//!
//! Everything is in a frame whose origin is the camera's target. So grains far from the world's
//! origin keep their digits in the single precision of the tree.

use glam::DVec3;

use super::builder::Builder;
use super::eye::{CameraAxes, Eye};
use super::primitives::{Primitive, PrimitiveTree, VisiblePart};
use super::ray::{Ray, Span};
use super::{Background, ClipPlane, Color, Picture, RenderError, framed_bounds};

/// How far off a surface rays to the lamp and the sky start, in units of the distances involved. It
/// is far above the rounding of double precision, so that no surface shadows itself, and far below
/// a grain.
pub const LIFT: f64 = 1e-9;

/// Radius of what a picture without bounded shapes is about, in distances of the camera: the ground
/// still needs a size at which it fades.
const EMPTY_RADIUS: f64 = 0.3;

/// A picture ready to be traced.
pub struct PreparedPicture {
    /// The camera.
    pub eye: Eye,
    /// Upwards.
    pub up: DVec3,
    /// Towards the lamp.
    pub lamp: DVec3,
    /// Behind everything.
    pub background: Background,
    /// Middle of what the picture is about.
    pub focus: DVec3,
    /// Its radius, m.
    pub radius: f64,
    /// Ground and walls.
    pub planes: Vec<EndlessPlane>,
    /// Shapes that could not be drawn.
    pub skipped: Vec<usize>,
    clip: Vec<ClipPlane>,
    opaque: PrimitiveTree,
    glass: PrimitiveTree,
}

/// A plane without end: ground or wall.
pub struct EndlessPlane {
    /// A point on it.
    pub point: DVec3,
    /// Unit normal.
    pub normal: DVec3,
    /// Two directions in it, for its pattern.
    pub along: [DVec3; 2],
    /// Its colour.
    pub color: Color,
    /// Whether to look through it.
    pub glass: bool,
    /// Its place among the planes.
    pub number: usize,
}

/// What a ray met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Distance along the ray.
    pub distance: f64,
    /// Unit normal towards the ray's origin: the true one, for light and shadow.
    pub facing: DVec3,
    /// Unit normal for shading.
    pub normal: DVec3,
    /// Colour of the surface.
    pub color: Color,
    /// What kind of surface it is.
    pub kind: HitKind,
    /// A number of its own for each surface, above 0.
    pub surface_id: u32,
}

/// What kind of surface a ray met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HitKind {
    /// The outside of a shape.
    Outside,
    /// The inside of a shape that a clip plane cuts.
    Cut,
    /// A plane, by its number.
    Plane(usize),
}

/// A crossing of something to look through.
#[derive(Clone, Copy, Debug)]
pub struct Crossing {
    /// Distance along the ray.
    pub distance: f64,
    /// Unit normal towards the ray's origin; zero for an edge.
    pub normal: DVec3,
    /// Its colour.
    pub color: Color,
    /// Whether it is a drawn edge.
    pub edge: bool,
}

impl PreparedPicture {
    /// Checks a picture and builds its trees.
    pub fn new(picture: &Picture) -> Result<Self, RenderError> {
        picture.camera.check()?;
        let origin = picture.camera.target;
        let up = picture.up.try_normalize().ok_or(RenderError::Up)?;
        let clip = clip_planes(&picture.clip, origin)?;
        let eye = Eye::new(&picture.camera, picture.width, picture.height);
        let about = picture.about;
        let about = about.unwrap_or_else(|| framed_bounds(&picture.shapes));
        let about = about.moved(-origin);
        let mut builder = Builder::new(origin, eye);
        for (index, shape) in picture.shapes.iter().enumerate() {
            builder.add(index, shape)?;
        }
        let reach = eye.position.length() + about.radius();
        let distance = eye.position.length();
        Ok(Self {
            eye,
            up,
            lamp: lamp(&eye.axes, up),
            background: picture.background,
            focus: if about.is_empty() {
                DVec3::ZERO
            } else {
                about.center()
            },
            radius: if about.is_empty() {
                EMPTY_RADIUS * distance
            } else {
                about.radius()
            },
            planes: builder.planes,
            skipped: builder.skipped,
            clip,
            opaque: builder.opaque.finish(reach),
            glass: builder.glass.finish(reach),
        })
    }

    /// The first surface that the ray meets, planes included.
    pub fn first(&self, ray: &Ray) -> Option<Hit> {
        let shape = self.first_shape(ray);
        let limit = shape.map_or(f64::INFINITY, |hit| hit.distance);
        self.first_plane(ray, limit).or(shape)
    }

    /// The first opaque shape that the ray meets, planes aside.
    fn first_shape(&self, ray: &Ray) -> Option<Hit> {
        let visible = self.visible_part(ray)?;
        let tree = &self.opaque;
        let mut best: Option<(Primitive, f64)> = None;
        let near = visible.span.enter;
        let inside = |hit: &Span| if hit.enter > near { hit.enter } else { near };
        tree.bvh.walk(ray, near, visible.span.exit, |index, far| {
            let primitive = tree.primitives[index];
            let met = tree.meet(&primitive, ray, &visible).map(|hit| inside(&hit));
            match met {
                Some(distance) if distance < far => {
                    best = Some((primitive, distance));
                    distance
                }
                _ => far,
            }
        });
        let (primitive, distance) = best?;
        Some(tree.describe(&primitive, ray, distance, &visible))
    }

    /// The first front of an opaque plane before `limit`.
    fn first_plane(&self, ray: &Ray, limit: f64) -> Option<Hit> {
        let (plane, distance) = self.nearest_plane(ray).filter(|(_, d)| *d < limit)?;
        Some(Hit {
            distance,
            facing: plane.normal,
            normal: plane.normal,
            color: plane.color,
            kind: HitKind::Plane(plane.number),
            surface_id: u32::MAX - plane.number as u32,
        })
    }

    /// The nearest opaque plane whose front the ray meets, and where.
    pub fn nearest_plane(&self, ray: &Ray) -> Option<(&EndlessPlane, f64)> {
        self.planes
            .iter()
            .filter(|p| !p.glass)
            .filter_map(|p| Some((p, p.meet(ray)?)))
            .min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Whether an opaque shape, planes aside, is anywhere on the ray.
    pub fn is_blocked(&self, ray: &Ray) -> bool {
        let Some(visible) = self.visible_part(ray) else {
            return false;
        };
        let tree = &self.opaque;
        let (near, mut blocked) = (visible.span.enter, false);
        tree.bvh.walk(ray, near, visible.span.exit, |index, far| {
            let primitive = &tree.primitives[index];
            if tree.meet(primitive, ray, &visible).is_some() {
                blocked = true;
                return f64::NEG_INFINITY;
            }
            far
        });
        blocked
    }

    /// What the ray looks through before `limit`, the nearest first.
    pub fn crossings(&self, ray: &Ray, limit: f64, found: &mut Vec<Crossing>) {
        found.clear();
        for plane in self.planes.iter().filter(|p| p.glass) {
            if let Some(distance) = plane.meet(ray).filter(|d| *d < limit) {
                found.push(Crossing {
                    distance,
                    normal: plane.normal,
                    color: plane.color,
                    edge: false,
                });
            }
        }
        let Some(visible) = self.visible_part(ray) else {
            return;
        };
        let tree = &self.glass;
        let span = Span {
            enter: visible.span.enter,
            exit: visible.span.exit.min(limit),
        };
        tree.bvh.walk(ray, span.enter, span.exit, |index, far| {
            tree.cross(&tree.primitives[index], ray, span, &self.eye, found);
            far
        });
        found.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    }

    /// Which part of a ray is not cut away, if any.
    fn visible_part(&self, ray: &Ray) -> Option<VisiblePart> {
        let mut visible = VisiblePart {
            span: Span {
                enter: 0.0,
                exit: f64::INFINITY,
            },
            cut: None,
        };
        for plane in &self.clip {
            let (height, speed) = (
                (ray.origin - plane.point).dot(plane.normal),
                ray.direction.dot(plane.normal),
            );
            let at = -height / speed;
            if speed < 0.0 && at > visible.span.enter {
                visible.span.enter = at;
                visible.cut = Some(plane.normal);
            } else if speed > 0.0 {
                visible.span.exit = visible.span.exit.min(at);
            } else if speed == 0.0 && height > 0.0 {
                return None;
            }
        }
        (visible.span.enter < visible.span.exit).then_some(visible)
    }
}

impl EndlessPlane {
    /// Where a ray meets its front.
    fn meet(&self, ray: &Ray) -> Option<f64> {
        let speed = ray.direction.dot(self.normal);
        let distance = (self.point - ray.origin).dot(self.normal) / speed;
        (speed < 0.0 && distance > 0.0).then_some(distance)
    }
}

/// Where the light comes from: high on the left behind the camera, wherever the camera stands. The
/// shares make it stand about 50° above the ground, so that shadows are short and faces towards the
/// camera are lit.
pub fn lamp(axes: &CameraAxes, up: DVec3) -> DVec3 {
    let level = |v: DVec3| (v - v.dot(up) * up).try_normalize();
    // Within 8° of straight down what is ahead has no clear level direction; the picture's upper
    // edge does.
    let steep = axes.forward.dot(up).abs() > 0.99;
    let ahead = if steep { axes.up } else { axes.forward };
    let ahead = level(ahead).unwrap_or(axes.forward);
    let right = ahead.cross(up);
    (-0.55 * ahead - 0.6 * right + up).normalize()
}

fn clip_planes(planes: &[ClipPlane], origin: DVec3) -> Result<Vec<ClipPlane>, RenderError> {
    let place = |(index, plane): (usize, &ClipPlane)| {
        let normal = plane.normal.try_normalize();
        match normal.filter(|_| plane.point.is_finite()) {
            Some(normal) => Ok(ClipPlane {
                point: plane.point - origin,
                normal,
            }),
            None => Err(RenderError::Clip { index }),
        }
    };
    planes.iter().enumerate().map(place).collect()
}
