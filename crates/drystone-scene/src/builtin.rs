//! Scenes that are in the binary.

/// Names and texts of the scenes under `scenes/` in the repository, in the order of the documentation.
pub fn builtin_scenes() -> &'static [(&'static str, &'static str)] {
    &[("pile", include_str!("../../../scenes/pile.toml"))]
}

/// A small commented scene to begin from: what `drystone new` writes.
pub fn starter_scene() -> &'static str {
    include_str!("../../../scenes/starter.toml")
}
