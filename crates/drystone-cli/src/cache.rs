//! Where settled scenes are kept.

use std::path::{Path, PathBuf};

/// The folder of settled scenes: below the one asked for, else below the user's cache. Where there
/// is no such place, beside the results.
pub fn settled_folder(asked: Option<&Path>, results: Option<&Path>) -> PathBuf {
    let from = |variable: &str| std::env::var_os(variable).filter(|v| !v.is_empty());
    let cache = || {
        from("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .or_else(|| Some(PathBuf::from(from("HOME")?).join(".cache")))
    };
    let default = || cache().map(|folder| folder.join("drystone"));
    let folder = asked.map(Path::to_owned).or_else(default);
    folder
        .unwrap_or_else(|| results.unwrap_or(Path::new("out")).join("cache"))
        .join("settled")
}
