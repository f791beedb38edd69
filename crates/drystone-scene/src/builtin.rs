//! Scenes that are in the binary.

/// Names and texts of the scenes under `scenes/` in the repository, in the order of the
/// documentation.
pub fn builtin_scenes() -> &'static [(&'static str, &'static str)] {
    macro_rules! scenes {
        ($($name:literal),* $(,)?) => {
            &[$(($name, include_str!(concat!("../../../scenes/", $name, ".toml")))),*]
        };
    }
    scenes![
        "pile",
        "pressure",
        "hourglass",
        "stack",
        "masonry",
        "incline",
        "rolling-ball",
        "drum",
        "column",
        "domino",
        "tracked-vehicle",
        "oedometer",
        "chute",
        "slide-to-roll",
        "slide-to-rest",
        "slope-from-rest",
        "slope-to-rest",
        "spheres",
        "bed",
        "mixer",
        "shear-box",
        "network",
    ]
}

/// A small commented scene to begin from: what `drystone new` writes.
pub fn starter_scene() -> &'static str {
    include_str!("../../../scenes/starter.toml")
}
