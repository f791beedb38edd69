//! Files that a scene refers to.

use std::path::{Component, Path, PathBuf};

use super::error::{FaultAt, FaultKind};
use super::reader::Reader;

/// The path that `key` holds, relative to the scene's folder and inside it unless allowed; the file
/// is there.
pub(crate) fn resolve(reader: &Reader<'_>, key: &str) -> Result<Option<PathBuf>, FaultAt> {
    let Some(written) = reader.text(key)? else {
        return Ok(None);
    };
    let fault = |kind| Err(reader.fault(key, kind));
    let Some(folder) = &reader.cx.folder else {
        return fault(FaultKind::File {
            path: written,
            reason: "the scene has no folder to look in".to_owned(),
        });
    };
    if !reader.cx.allow_outside && leads_out(Path::new(&written)) {
        return fault(FaultKind::Outside { path: written });
    }
    let unreadable = |error: std::io::Error| FaultKind::File {
        path: written.clone(),
        reason: error.to_string(),
    };
    let path = match folder.join(&written).canonicalize() {
        Ok(path) => path,
        Err(error) => return fault(unreadable(error)),
    };
    // Links may lead out where the words do not.
    let inside = folder.canonicalize().is_ok_and(|f| path.starts_with(f));
    if !inside && !reader.cx.allow_outside {
        return fault(FaultKind::Outside { path: written });
    }
    Ok(Some(path))
}

/// Whether the words of a path lead out of the folder it starts from.
pub(crate) fn leads_out(path: &Path) -> bool {
    let mut depth = 0_usize;
    for component in path.components() {
        match component {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return true,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_lead_out() {
        for inside in ["a.stl", "meshes/a.stl", "./a.stl", "meshes/../a.stl"] {
            assert!(!leads_out(Path::new(inside)), "{inside}");
        }
        for outside in ["../a.stl", "/a.stl", "meshes/../../a.stl", ".."] {
            assert!(leads_out(Path::new(outside)), "{outside}");
        }
    }
}
