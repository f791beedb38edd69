//! Recordings for other programs: ParaView, spreadsheets, NumPy, anything that draws triangles.
//!
//! | format | files |
//! |---|---|
//! | [`Format::Vtk`] | `bodies.csv`; `spheres.pvd`, `surfaces.pvd`, `contacts.pvd`, with their `.vtp` |
//! | [`Format::Csv`] | `bodies.csv`, `frames.csv`, `bodies_000123.csv`, `contacts_000123.csv` |
//! | [`Format::Npz`] | `recording.npz` |
//! | [`Format::Obj`] | `frame_000123.obj` |
//!
//! Numbers in file names are indices of frames in the recording. `docs/recordings.md` says what the
//! arrays and columns mean.

mod csv;
mod npz;
mod obj;
mod surfaces;
mod vtk;
mod vtp;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use drystone::Shape;
use drystone::shape::SurfaceDetail;

use crate::atomic::{remove_stale, write_atomically};
use crate::recording::{Frame, Opacity, Recording, RecordingError, RunHeader};

/// What to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For ParaView: XML PolyData, with a collection file for each series.
    Vtk,
    /// Tables as text.
    Csv,
    /// One NumPy archive.
    Npz,
    /// Triangles, one file per frame.
    Obj,
}

/// What to write of a recording.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExportOptions {
    /// The format.
    pub format: Format,
    /// One frame in so many, from the first on; at least 1.
    pub every: usize,
    /// How finely curved shapes are cut into triangles.
    pub detail: SurfaceDetail,
    /// Half the edge of the square that stands for a plane, m; in place of that in `detail`.
    /// `None`: so large that it reaches beyond all bodies.
    pub plane: Option<f64>,
}

impl ExportOptions {
    /// Every frame.
    pub fn new(format: Format) -> Self {
        Self {
            format,
            every: 1,
            detail: SurfaceDetail::default(),
            plane: None,
        }
    }
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exported {
    /// Frames.
    pub frames: usize,
    /// Files.
    pub files: usize,
}

/// Why an export ended early. Files that were finished before stay; none is there in part.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The recording cannot be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// A file cannot be written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// An option is out of range.
    #[error("every {every} frames: expected at least 1")]
    Every {
        /// The option.
        every: usize,
    },
    /// There is nothing to write.
    #[error("{}: holds no whole frame", path.display())]
    NoFrames {
        /// The recording.
        path: PathBuf,
    },
    /// The caller cancelled.
    #[error("cancelled after {frames} frames")]
    Cancelled {
        /// Frames done.
        frames: usize,
    },
}

/// Writes a recording into the folder `out`, which is made if need be. `progress` is told how many
/// frames are done, and of how many; `cancel` is looked at between frames.
pub fn export(
    recording: &Recording,
    options: &ExportOptions,
    out: impl AsRef<Path>,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Exported, ExportError> {
    let out = out.as_ref();
    if options.every == 0 {
        return Err(ExportError::Every { every: 0 });
    }
    if recording.is_empty() {
        let path = recording.path().to_owned();
        return Err(ExportError::NoFrames { path });
    }
    std::fs::create_dir_all(out).map_err(|e| io_error(out, e))?;
    remove_stale(out);
    let mut job = Job {
        recording,
        out,
        every: options.every,
        cancel,
        progress,
        files: 0,
    };
    match options.format {
        Format::Vtk => vtk::write(&mut job, options)?,
        Format::Csv => csv::write(&mut job)?,
        Format::Npz => npz::write(&mut job)?,
        Format::Obj => obj::write(&mut job, options)?,
    }
    Ok(Exported {
        frames: job.frames().len(),
        files: job.files,
    })
}

/// What all formats need.
struct Job<'a> {
    recording: &'a Recording,
    out: &'a Path,
    every: usize,
    cancel: &'a AtomicBool,
    progress: &'a mut dyn FnMut(usize, usize),
    files: usize,
}

impl<'a> Job<'a> {
    fn header(&self) -> &'a RunHeader {
        self.recording.header()
    }

    /// Indices of the frames to write.
    fn frames(&self) -> impl ExactSizeIterator<Item = usize> + use<> {
        (0..self.recording.len()).step_by(self.every)
    }

    /// Reads the frames one after the other.
    fn each_frame(
        &mut self,
        mut write: impl FnMut(&mut Self, usize, &Frame) -> Result<(), ExportError>,
    ) -> Result<(), ExportError> {
        let frames = self.frames();
        let total = frames.len();
        for (done, index) in frames.enumerate() {
            self.check_cancelled(done)?;
            let frame = self.recording.frame(index)?;
            write(self, index, &frame)?;
            (self.progress)(done + 1, total);
        }
        Ok(())
    }

    fn check_cancelled(&self, frames: usize) -> Result<(), ExportError> {
        match self.cancel.load(Ordering::Relaxed) {
            true => Err(ExportError::Cancelled { frames }),
            false => Ok(()),
        }
    }

    fn write_file(&mut self, name: &str, content: &[u8]) -> Result<(), ExportError> {
        let path = self.out.join(name);
        write_atomically(&path, content).map_err(|e| io_error(&path, e))?;
        self.files += 1;
        Ok(())
    }
}

/// Whether a body is to be seen in a picture.
fn is_drawn(header: &RunHeader, frame: &Frame, body: usize) -> bool {
    frame.bodies[body].enabled && header.bodies[body].appearance.opacity != Opacity::Hidden
}

/// The radius of a ball, m; nothing for other shapes.
fn ball_radius(shape: &Shape) -> Option<f64> {
    match shape {
        Shape::Sphere { radius } => Some(*radius),
        Shape::Box { .. }
        | Shape::Ellipsoid { .. }
        | Shape::Cylinder { .. }
        | Shape::Capsule { .. }
        | Shape::Cone { .. }
        | Shape::Plane
        | Shape::Hull(_)
        | Shape::Mesh(_)
        | Shape::HeightField(_)
        | Shape::Compound(_) => None,
    }
}

fn io_error(path: &Path, source: io::Error) -> ExportError {
    ExportError::Io {
        path: path.to_owned(),
        source,
    }
}
