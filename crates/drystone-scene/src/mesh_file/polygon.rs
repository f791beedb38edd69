//! Polygons into triangles.

use glam::DVec3;

/// Polygons that are not fans are cut ear by ear, which takes time with the cube of their corners.
const MOST_CORNERS: usize = 500;

/// Triangles count as flat below this share of the polygon's extent squared.
const FLAT: f64 = 1e-12;

/// Triangles of a plane polygon as indices of its corners, in its direction. A triangle stays what
/// it is, flat or not.
pub(super) fn triangulate(corners: &[DVec3]) -> Result<Vec<[usize; 3]>, String> {
    let count = corners.len();
    if count == 3 {
        return Ok(vec![[0, 1, 2]]);
    }
    let cutter = Cutter::new(corners);
    let fan: Vec<_> = (1..count - 1).map(|k| [0, k, k + 1]).collect();
    let once = cutter.turns_once();
    if once && fan.iter().all(|&t| cutter.is_left(t)) {
        return Ok(fan);
    }
    if count > MOST_CORNERS {
        return Err(format!(
            "a polygon of {count} corners that is not convex, expected at most {MOST_CORNERS}"
        ));
    }
    cutter.cut_ears()
}

struct Cutter<'a> {
    corners: &'a [DVec3],
    /// Unit normal.
    normal: DVec3,
    /// Twice the area below which a triangle is flat.
    flat: f64,
}

impl<'a> Cutter<'a> {
    fn new(corners: &'a [DVec3]) -> Self {
        let origin = corners[0];
        // Sum over the edges: twice the area times the normal, whatever the polygon's form.
        let edges = corners.iter().zip(corners.iter().cycle().skip(1));
        let twice_area: DVec3 = edges.map(|(&a, &b)| (a - origin).cross(b - origin)).sum();
        let extent = corners.iter().map(|p| p.distance_squared(origin));
        Self {
            corners,
            normal: twice_area.normalize_or_zero(),
            flat: FLAT * extent.fold(0.0, f64::max),
        }
    }

    /// Twice the area of a triangle, negative if it runs against the polygon.
    fn area(&self, [a, b, c]: [usize; 3]) -> f64 {
        let [a, b, c] = [a, b, c].map(|k| self.corners[k]);
        (b - a).cross(c - a).dot(self.normal)
    }

    fn is_left(&self, triangle: [usize; 3]) -> bool {
        self.area(triangle) > self.flat
    }

    /// Whether the polygon runs once around its first corner's fan: no star whose triangles all run
    /// its way.
    fn turns_once(&self) -> bool {
        let directions = self.corners[1..].iter().map(|&p| p - self.corners[0]);
        let directions: Vec<DVec3> = directions.collect();
        let angle = |pair: &[DVec3]| pair[0].angle_between(pair[1]);
        directions.windows(2).map(angle).sum::<f64>() < std::f64::consts::TAU
    }

    /// Cuts off one corner after the other whose triangle is inside and holds no other corner.
    fn cut_ears(&self) -> Result<Vec<[usize; 3]>, String> {
        let mut ring: Vec<usize> = (0..self.corners.len()).collect();
        let mut triangles = Vec::with_capacity(ring.len() - 2);
        while ring.len() > 3 {
            let around = |k: usize| {
                let count = ring.len();
                [
                    ring[(k + count - 1) % count],
                    ring[k],
                    ring[(k + 1) % count],
                ]
            };
            let is_ear = |&k: &usize| {
                let ear = around(k);
                self.is_left(ear) && !ring.iter().any(|&other| self.holds(ear, other))
            };
            let Some(k) = (0..ring.len()).find(is_ear) else {
                return Err(self.no_triangles());
            };
            triangles.push(around(k));
            ring.remove(k);
        }
        let last = [ring[0], ring[1], ring[2]];
        if !self.is_left(last) {
            return Err(self.no_triangles());
        }
        triangles.push(last);
        Ok(triangles)
    }

    /// Whether a triangle holds a corner other than its own, border included.
    fn holds(&self, [a, b, c]: [usize; 3], other: usize) -> bool {
        ![a, b, c].contains(&other)
            && [[a, b, other], [b, c, other], [c, a, other]]
                .into_iter()
                .all(|triangle| self.area(triangle) >= -self.flat)
    }

    fn no_triangles(&self) -> String {
        format!(
            "a polygon of {} corners that cannot be cut into triangles: it has no area or \
             crosses itself",
            self.corners.len()
        )
    }
}
