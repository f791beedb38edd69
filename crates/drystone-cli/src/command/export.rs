//! `drystone export`: the frames of a run for other programs.

use std::io::IsTerminal;

use drystone_run::export::{self, ExportError, ExportOptions, Format};
use indicatif::ProgressBar;

use crate::args::simulation::{ExportArgs, FormatName};
use crate::cancellation::{Interrupt, Stage};
use crate::failure::{Failure, NOT_CONVERGED, SUCCESS};
use crate::output::{to_stderr, to_stdout};
use crate::run_recording::{folder_of, open, unreadable};

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
pub fn export(args: &ExportArgs, interrupt: &Interrupt) -> Result<u8, Failure> {
    let recording = open(&args.run)?;
    let own = || folder_of(&args.run).join(args.format.name());
    let out = args.output.clone().unwrap_or_else(own);
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
    interrupt.enter(Stage::Cancel {
        now: "cancelling: the files that are there will be whole",
        late: "gave up waiting for the file at hand; those that are there are whole".to_owned(),
    });
    let cancel = interrupt.flag();
    let exported = export::export(&recording, &options, &out, cancel, &mut progress);
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
