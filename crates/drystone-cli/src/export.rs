//! `drystone export`: the frames of a run for other programs.

use std::io::IsTerminal;
use std::path::Path;

use drystone_scene::export::{ExportError, ExportOptions, Format, export};
use indicatif::ProgressBar;

use crate::args::simulation::{ExportArgs, FormatName};
use crate::failure::{Failure, NOT_CONVERGED, SUCCESS};
use crate::output::{to_stderr, to_stdout};
use crate::picture::{open, unreadable};
use crate::run::CANCELLED;

impl FormatName {
    fn format(self) -> Format {
        match self {
            Self::Vtk => Format::Vtk,
            Self::Csv => Format::Csv,
            Self::Npz => Format::Npz,
            Self::Obj => Format::Obj,
        }
    }

    /// The folder's name unless told.
    fn name(self) -> &'static str {
        match self {
            Self::Vtk => "vtk",
            Self::Csv => "csv",
            Self::Npz => "npz",
            Self::Obj => "obj",
        }
    }
}

/// Writes the frames of a run.
pub fn export_run(args: &ExportArgs) -> Result<u8, Failure> {
    let recording = open(&args.run)?;
    let out = args.output.clone().unwrap_or_else(|| {
        let folder = match args.run.is_dir() {
            true => Some(args.run.as_path()),
            false => args.run.parent(),
        };
        folder.unwrap_or(Path::new("")).join(args.format.name())
    });
    let options = ExportOptions {
        every: args.every as usize,
        ..ExportOptions::new(args.format.format())
    };
    let bar = match args.quiet || !std::io::stderr().is_terminal() {
        true => ProgressBar::hidden(),
        false => ProgressBar::new(0),
    };
    let mut progress = |done: usize, all: usize| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    };
    let exported = export(&recording, &options, &out, &CANCELLED, &mut progress);
    bar.finish_and_clear();
    match exported {
        Ok(written) => {
            to_stdout(&format!(
                "{}: {} frames in {} files\n",
                out.display(),
                written.frames,
                written.files
            ))?;
            Ok(SUCCESS)
        }
        Err(ExportError::Cancelled { frames }) => {
            to_stderr(&format!(
                "cancelled after {frames} frames; their files are whole"
            ));
            Ok(NOT_CONVERGED)
        }
        Err(ExportError::Recording(error)) => Err(unreadable(error)),
        Err(ExportError::Io { path, source }) => Err(Failure::writing(&path, source)),
        Err(error) => Err(Failure::Input(error.to_string())),
    }
}
