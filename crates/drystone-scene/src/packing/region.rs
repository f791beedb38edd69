//! Where grains go.

use std::f64::consts::PI;

use glam::DVec3;

use super::error::{FillError, positive};
use super::space::Space;

/// A part of space to fill.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Region {
    /// A box along the axes.
    Box {
        /// Lower corner, m.
        min: DVec3,
        /// Upper corner, m.
        max: DVec3,
    },
    /// A cylinder.
    Cylinder {
        /// Centre of its bottom, m.
        base: DVec3,
        /// Direction from the bottom to the top, of any length.
        axis: DVec3,
        /// Radius, m.
        radius: f64,
        /// Height along the axis, m.
        height: f64,
    },
    /// A ball.
    Sphere {
        /// Centre, m.
        center: DVec3,
        /// Radius, m.
        radius: f64,
    },
    /// A cone without its tip, such as the inside of a hopper. One of the radii may be 0.
    Frustum {
        /// Centre of its bottom, m.
        base: DVec3,
        /// Direction from the bottom to the top, of any length.
        axis: DVec3,
        /// Radius at the bottom, m.
        bottom_radius: f64,
        /// Radius at the top, m.
        top_radius: f64,
        /// Height along the axis, m.
        height: f64,
    },
}

impl Region {
    /// A box between two corners, m.
    pub fn box_between(min: impl Into<DVec3>, max: impl Into<DVec3>) -> Self {
        let (min, max) = (min.into(), max.into());
        Self::Box { min, max }
    }

    /// An upright cylinder on `base`, m.
    pub fn cylinder(base: impl Into<DVec3>, radius: f64, height: f64) -> Self {
        Self::Cylinder {
            base: base.into(),
            axis: DVec3::Z,
            radius,
            height,
        }
    }

    /// A ball, m.
    pub fn sphere(center: impl Into<DVec3>, radius: f64) -> Self {
        let center = center.into();
        Self::Sphere { center, radius }
    }

    /// An upright frustum on `base`, m.
    pub fn frustum(
        base: impl Into<DVec3>,
        bottom_radius: f64,
        top_radius: f64,
        height: f64,
    ) -> Self {
        Self::Frustum {
            base: base.into(),
            axis: DVec3::Z,
            bottom_radius,
            top_radius,
            height,
        }
    }

    /// Kind, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Box { .. } => "box",
            Self::Cylinder { .. } => "cylinder",
            Self::Sphere { .. } => "sphere",
            Self::Frustum { .. } => "frustum",
        }
    }

    /// Volume, m³.
    pub fn volume(&self) -> f64 {
        match *self {
            Self::Box { min, max } => (max - min).element_product(),
            Self::Cylinder { radius, height, .. } => PI * radius * radius * height,
            Self::Sphere { radius, .. } => 4.0 / 3.0 * PI * radius.powi(3),
            Self::Frustum {
                bottom_radius,
                top_radius,
                height,
                ..
            } => frustum_volume(bottom_radius, top_radius, height),
        }
    }

    /// Greatest coordinate or extent, m.
    pub(super) fn reach(&self) -> f64 {
        let of = |point: DVec3, size: f64| point.abs().max_element().max(size);
        match *self {
            Self::Box { min, max } => of(min, of(max, 0.0)).max((max - min).max_element()),
            Self::Cylinder {
                base,
                radius,
                height,
                ..
            } => of(base, radius.max(height)),
            Self::Sphere { center, radius } => of(center, radius),
            Self::Frustum {
                base,
                bottom_radius,
                top_radius,
                height,
                ..
            } => of(base, bottom_radius.max(top_radius).max(height)),
        }
    }

    /// Whether a ball around `center` of `radius`, m, lies inside, borders included; to within
    /// 1e-13 of the region's extent.
    pub fn contains_ball(&self, center: DVec3, radius: f64) -> bool {
        let space = Space::of(self);
        space.holds(space.frame.local_point(center), radius)
    }

    /// Checks the figures.
    pub fn check(&self) -> Result<(), FillError> {
        match *self {
            Self::Box { min, max } => {
                for (axis, low, high) in [
                    ('x', min.x, max.x),
                    ('y', min.y, max.y),
                    ('z', min.z, max.z),
                ] {
                    if !(low < high && low.is_finite() && high.is_finite()) {
                        return Err(FillError::EmptyBox { axis, low, high });
                    }
                }
            }
            Self::Cylinder {
                base,
                axis,
                radius,
                height,
            } => {
                finite("region: base of the cylinder", base)?;
                direction("region: axis of the cylinder", axis)?;
                positive("region: radius of the cylinder", radius)?;
                positive("region: height of the cylinder", height)?;
            }
            Self::Sphere { center, radius } => {
                finite("region: centre of the sphere", center)?;
                positive("region: radius of the sphere", radius)?;
            }
            Self::Frustum {
                base,
                axis,
                bottom_radius,
                top_radius,
                height,
            } => {
                finite("region: base of the frustum", base)?;
                direction("region: axis of the frustum", axis)?;
                positive("region: height of the frustum", height)?;
                positive(
                    "region: greater radius of the frustum",
                    bottom_radius.max(top_radius),
                )?;
                let value = bottom_radius.min(top_radius);
                if value.is_nan() || value < 0.0 || bottom_radius.is_nan() || top_radius.is_nan() {
                    let (what, expected) =
                        ("region: smaller radius of the frustum", "a number >= 0");
                    return Err(FillError::Value {
                        what,
                        value,
                        expected,
                    });
                }
            }
        }
        Ok(())
    }
}

/// Volume between two discs, m³.
pub(super) fn frustum_volume(bottom: f64, top: f64, height: f64) -> f64 {
    PI / 3.0 * height * (bottom * bottom + bottom * top + top * top)
}

fn finite(what: &'static str, value: DVec3) -> Result<(), FillError> {
    if value.is_finite() {
        return Ok(());
    }
    Err(FillError::Vector {
        what,
        value: value.to_array(),
        expected: "finite numbers",
    })
}

fn direction(what: &'static str, value: DVec3) -> Result<(), FillError> {
    if value.try_normalize().is_some() {
        return Ok(());
    }
    Err(FillError::Vector {
        what,
        value: value.to_array(),
        expected: "a finite direction other than zero",
    })
}
