//! The files of the page: ES modules, a style sheet and one HTML file, carried in the program.
//!
//! Whoever works on the page sets [`FOLDER_VARIABLE`]: the files are then read anew from that
//! folder at every request, and nothing needs to be built.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Names and contents, sorted by name.
type Files = &'static [(&'static str, &'static [u8])];

/// The files as they were when the program was built.
static FILES: Files = &include!(concat!(env!("OUT_DIR"), "/page_files.rs"));

/// The first file of the page.
pub const INDEX: &str = "index.html";

/// The environment variable with the folder of a page that is being worked on.
pub const FOLDER_VARIABLE: &str = "DRYSTONE_VIEW_PAGE";

/// Most folders within folders of a page that is read from the disk.
const DEEPEST: usize = 4;

/// The page.
#[derive(Clone, Debug)]
pub struct Page {
    /// Where it is read from; what the program carries if nowhere.
    folder: Option<PathBuf>,
}

impl Page {
    /// What the program carries, or the folder that the environment names.
    pub fn new() -> Self {
        let folder = std::env::var_os(FOLDER_VARIABLE).map(PathBuf::from);
        Self {
            folder: folder.filter(|folder| folder.is_dir()),
        }
    }

    /// What the program carries.
    pub fn embedded() -> Self {
        Self { folder: None }
    }

    /// The names of its files, such as `index.html` or `render/spheres.js`, sorted.
    pub fn names(&self) -> Vec<String> {
        let Some(folder) = &self.folder else {
            return FILES.iter().map(|(name, _)| (*name).to_owned()).collect();
        };
        let mut names = Vec::new();
        list(folder, "", DEEPEST, &mut names);
        names.sort();
        names
    }

    /// A file by its name. Only names of [`Page::names`] are known, so that no name leads out of
    /// the page.
    pub fn file(&self, name: &str) -> Option<Cow<'static, [u8]>> {
        let Some(folder) = &self.folder else {
            let found = FILES.binary_search_by(|(known, _)| (*known).cmp(name));
            return found.ok().map(|k| Cow::Borrowed(FILES[k].1));
        };
        let known = self.names().into_iter().find(|known| known == name)?;
        std::fs::read(folder.join(known)).ok().map(Cow::Owned)
    }
}

impl Default for Page {
    fn default() -> Self {
        Self::new()
    }
}

/// The kind of a file that a page may have, by its name.
pub fn media_type(name: &str) -> Option<&'static str> {
    Some(match name.rsplit_once('.')?.1 {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        _ => return None,
    })
}

fn list(folder: &Path, before: &str, deeper: usize, names: &mut Vec<String>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    for entry in entries.flatten() {
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let (path, name) = (entry.path(), format!("{before}{name}"));
        if path.is_dir() && deeper > 0 {
            list(&path, &format!("{name}/"), deeper - 1, names);
        } else if media_type(&name).is_some() && !name.contains(".test.") {
            names.push(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_the_list_are_files() {
        let page = Page::embedded();
        for name in page.names() {
            assert!(page.file(&name).is_some(), "{name}");
            assert!(media_type(&name).is_some(), "{name}");
        }
        for name in [
            "",
            "..",
            "../Cargo.toml",
            "/etc/passwd",
            "index.html/",
            "./index.html",
        ] {
            assert!(page.file(name).is_none(), "{name}");
        }
    }
}
