//! Appends frames.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use zstd::bulk::Compressor;

use crate::atomic::write_atomically;
use crate::regular::open_own;

use super::chunk::{ChunkHead, ChunkKind, HEAD_LENGTH};
use super::columns::{Columns, encode_contacts};
use super::error::{RecordingError, RecordingFault};
use super::frame::Frame;
use super::header::RunHeader;
use super::reader::{Recording, Tail, header_limit};
use super::stored;

/// How every recording begins: not text, and line ends that a careless transfer would change.
pub(super) const MAGIC: &[u8; 8] = b"\x89DRY\r\n\x1a\n";

/// Changes whenever an older reader would misread a newer file.
pub(super) const VERSION: u32 = 2;

/// One frame in so many stands on its own. Any frame is read from at most two chunks, whatever the
/// number. Bodies at rest take bytes in key frames only: with 50, less than one byte per body and
/// frame (`frames_are_compact` in `tests/recording.rs`).
const KEY_EVERY: usize = 50;

/// Compression level: higher ones gain nothing on the noise in the lower bytes.
const LEVEL: i32 = 3;

/// Appends frames to a recording. Each is handed to the operating system at once, so a killed run
/// loses none.
pub struct Recorder {
    path: PathBuf,
    file: File,
    header: Arc<RunHeader>,
    frames: usize,
    last_step: Option<u64>,
    /// Length of the file up to the last whole frame.
    end: u64,
    key: Columns,
    /// Whether there is no such key frame: the next frame must then be one.
    key_lost: bool,
    now: Columns,
    compressor: Compressor<'static>,
    plain: Vec<u8>,
    chunk: Vec<u8>,
}

/// What was found when going on with a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Resumed {
    /// Frames kept.
    pub frames: usize,
    /// Whole frames dropped because they were later.
    pub dropped: usize,
    /// How the file ended.
    pub tail: Tail,
    /// How many of the frames kept cannot be read any more. They stay as they are.
    pub damaged: usize,
    /// What is wrong with the first of them.
    pub first_damage: Option<String>,
}

impl Recorder {
    /// Begins a recording, replacing one that is there.
    pub fn create(path: impl AsRef<Path>, header: RunHeader) -> Result<Self, RecordingError> {
        let path = path.as_ref();
        let begin = || {
            header.check()?;
            let beginning = encode_header(&header)?;
            write_atomically(path, &beginning)?;
            let file = open_own(path, OpenOptions::new().append(true))?;
            Ok((file, beginning.len() as u64, Compressor::new(LEVEL)?))
        };
        let (file, end, compressor) = begin().map_err(|fault: RecordingFault| fault.of(path))?;
        Ok(Self {
            path: path.to_owned(),
            file,
            header: Arc::new(header),
            frames: 0,
            last_step: None,
            end,
            key: Columns::default(),
            key_lost: false,
            now: Columns::default(),
            compressor,
            plain: Vec::new(),
            chunk: Vec::new(),
        })
    }

    /// Goes on with a recording after the last frame whose step is at most `after_step`. Whatever
    /// follows is cut away: the run from there on writes the same bytes again.
    pub fn resume(
        path: impl AsRef<Path>,
        after_step: u64,
    ) -> Result<(Self, Resumed), RecordingError> {
        let path = path.as_ref();
        let recording = Recording::open(path)?;
        let frames = recording.frames_until(after_step);
        let faults = recording.damage(frames)?;
        // Without its key frame a frame cannot be stored as differences.
        let key = match frames.checked_sub(1) {
            Some(last) => recording.key_of(last).ok(),
            None => Some(Arc::default()),
        };
        let end = recording.offset(frames);
        let open = || {
            let file = open_own(path, OpenOptions::new().append(true))?;
            file.set_len(end)?;
            Ok((file, Compressor::new(LEVEL)?))
        };
        let (file, compressor) = open().map_err(|e| RecordingFault::Io(e).of(path))?;
        let resumed = Resumed {
            frames,
            dropped: recording.len() - frames,
            tail: recording.tail().clone(),
            damaged: faults.len(),
            first_damage: faults.first().map(ToString::to_string),
        };
        let recorder = Self {
            path: path.to_owned(),
            file,
            header: recording.shared_header(),
            frames,
            last_step: frames.checked_sub(1).map(|last| recording.step(last)),
            end,
            key_lost: key.is_none(),
            key: key.map(|key| Columns::clone(&key)).unwrap_or_default(),
            now: Columns::default(),
            compressor,
            plain: Vec::new(),
            chunk: Vec::new(),
        };
        Ok((recorder, resumed))
    }

    /// Appends a frame. On an error, such as a full disk, the file is cut back to the last whole
    /// frame and the recorder can still be used.
    pub fn append(&mut self, frame: &Frame) -> Result<(), RecordingError> {
        self.check(frame)
            .and_then(|()| self.try_append(frame))
            .map_err(|fault| fault.of(&self.path))
    }

    fn try_append(&mut self, frame: &Frame) -> Result<(), RecordingFault> {
        let precision = self.header.positions;
        self.now.set(&frame.bodies, precision);
        let is_key = self.frames.is_multiple_of(KEY_EVERY) || self.key_lost;
        self.plain.clear();
        let key = (!is_key).then_some(&self.key);
        self.now.encode(precision, key, &mut self.plain);
        self.plain.push(u8::from(frame.contacts.is_some()));
        if let Some(contacts) = &frame.contacts {
            encode_contacts(contacts, &mut self.plain);
        }
        let packed = self.compressor.compress(&self.plain)?;
        let head = ChunkHead {
            kind: if is_key {
                ChunkKind::Key
            } else {
                ChunkKind::Difference
            },
            packed: true,
            length: packed.len() as u64,
            unpacked: self.plain.len() as u64,
            step: frame.step,
            time: frame.time,
            checksum: crc32fast::hash(&packed),
        };
        self.chunk.clear();
        self.chunk.extend_from_slice(&head.encode());
        self.chunk.extend_from_slice(&packed);
        if let Err(error) = self.file.write_all(&self.chunk) {
            // Best effort: the first error is the one to report, and a reader copes with the rest.
            let _ = self.file.set_len(self.end);
            return Err(error.into());
        }
        self.end += self.chunk.len() as u64;
        self.frames += 1;
        self.last_step = Some(frame.step);
        if is_key {
            std::mem::swap(&mut self.key, &mut self.now);
            self.key_lost = false;
        }
        Ok(())
    }

    fn check(&self, frame: &Frame) -> Result<(), RecordingFault> {
        let misfit = |what| RecordingFault::Misfit {
            step: frame.step,
            what,
        };
        let (found, expected) = (frame.bodies.len(), self.header.bodies.len());
        if found != expected {
            return Err(misfit(format!("{found} bodies, the run has {expected}")));
        }
        if let Some(last) = self.last_step.filter(|last| frame.step <= *last) {
            let what = format!("not after the last frame, which is of step {last}");
            return Err(misfit(what));
        }
        if !frame.time.is_finite() {
            return Err(misfit(format!("time {} is not finite", frame.time)));
        }
        frame.check().map_err(misfit)
    }

    /// Waits until everything is on the disk: before a checkpoint, so that a power failure leaves
    /// no frame out.
    pub fn sync(&self) -> Result<(), RecordingError> {
        self.file
            .sync_data()
            .map_err(|e| RecordingFault::Io(e).of(&self.path))
    }

    /// The description of the run.
    pub fn header(&self) -> &RunHeader {
        &self.header
    }

    /// The same, to be kept.
    pub(crate) fn shared_header(&self) -> Arc<RunHeader> {
        Arc::clone(&self.header)
    }

    /// Frames written, with those before it was resumed.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Length of the file, bytes.
    pub fn bytes(&self) -> u64 {
        self.end
    }
}

/// Everything before the first frame.
fn encode_header(header: &RunHeader) -> Result<Vec<u8>, RecordingFault> {
    let plain = stored::encode(header)?;
    let zstd = zstd::bulk::compress(&plain, LEVEL)?;
    // A reader refuses what unpacks to very much more than the file holds; such content is stored
    // as it is.
    let packed = plain.len() as u64 <= header_limit(zstd.len() as u64);
    let content = if packed { &zstd } else { &plain };
    let head = ChunkHead {
        kind: ChunkKind::Header,
        packed,
        length: content.len() as u64,
        unpacked: plain.len() as u64,
        step: 0,
        time: 0.0,
        checksum: crc32fast::hash(content),
    };
    let mut bytes = Vec::with_capacity(MAGIC.len() + 4 + HEAD_LENGTH + content.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&head.encode());
    bytes.extend_from_slice(content);
    Ok(bytes)
}
