//! Where the trials happen: the program, folders for scratch and for what fails.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::args::Args;

/// What all kinds share.
pub struct Bench {
    /// The program under test.
    pub binary: PathBuf,
    /// Where what fails is kept; made when needed.
    pub found: PathBuf,
    /// Trials at the same time.
    pub jobs: usize,
    scratch: TempDir,
}

impl Bench {
    /// Looks for the program, makes the scratch folder.
    pub fn new(args: &Args) -> Result<Self, String> {
        let binary = match &args.binary {
            Some(path) => path.clone(),
            None => beside_this_one()?,
        };
        let binary = binary.canonicalize().map_err(|e| {
            format!(
                "{}: {e}; build it, or name it by --binary",
                binary.display()
            )
        })?;
        let found = std::path::absolute(&args.found).map_err(|e| e.to_string())?;
        let scratch = tempfile::Builder::new()
            .prefix("hostile-")
            .tempdir()
            .map_err(|e| format!("scratch folder: {e}"))?;
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        Ok(Self {
            binary,
            found,
            jobs: args.jobs.unwrap_or(cores).max(1),
            scratch,
        })
    }

    /// A new folder of that name for one trial. Its path is the real one, without links.
    pub fn folder(&self, name: &str) -> Result<PathBuf, String> {
        let path = self.scratch.path().join(name);
        let fresh = || {
            let _ = std::fs::remove_dir_all(&path);
            std::fs::create_dir_all(&path)?;
            path.canonicalize()
        };
        fresh().map_err(|e| format!("{}: {e}", path.display()))
    }
}

/// The root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn beside_this_one() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    Ok(own.with_file_name("drystone"))
}
