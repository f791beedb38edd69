//! Reads frames: in any order, while the file grows, and after it was cut.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::chunk::{ChunkHead, ChunkKind, HEAD_LENGTH};
use super::columns::{Columns, decode_contacts};
use super::error::{RecordingError, RecordingFault};
use super::frame::Frame;
use super::header::RunHeader;
use super::stored;
use super::writer::{MAGIC, VERSION};
use crate::regular;

/// A recording, open for reading. Many threads may read from one.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    file: Mutex<File>,
    header: Arc<RunHeader>,
    entries: Vec<FrameEntry>,
    /// Where the frames begin, and where the next one does.
    begin: u64,
    end: u64,
    tail: Tail,
    /// The key frame that was needed last, by index.
    key: Mutex<Option<(usize, Arc<Columns>)>>,
}

/// How a recording ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tail {
    /// With a whole frame, or with none at all.
    Whole,
    /// Within a frame: the run was killed there, or is just writing it.
    Cut {
        /// Where that frame begins.
        offset: u64,
        /// How many bytes there are of it.
        bytes: u64,
    },
    /// With something that is no frame. Whatever follows cannot be reached.
    Damaged {
        /// Index that the frame would have.
        frame: usize,
        /// Where it begins.
        offset: u64,
        /// What does not fit.
        what: String,
    },
}

/// Where a frame lies.
#[derive(Clone, Copy, Debug, PartialEq)]
struct FrameEntry {
    offset: u64,
    head: ChunkHead,
    /// Index of its key frame.
    key: usize,
}

/// The most bytes that a header packed into `length` bytes may unpack to: a hundredfold, and a
/// mebibyte for very short ones. So a damaged or hostile file cannot claim all memory.
pub(super) fn header_limit(length: u64) -> u64 {
    length.saturating_mul(100).saturating_add(1 << 20)
}

impl Recording {
    /// Opens a recording, finished or not.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RecordingError> {
        let path = path.as_ref();
        let open = || {
            let mut file = regular::open(path)?;
            let (header, begin) = read_header(&mut file)?;
            let mut recording = Self {
                path: path.to_owned(),
                file: Mutex::new(file),
                header: Arc::new(header),
                entries: Vec::new(),
                begin,
                end: begin,
                tail: Tail::Whole,
                key: Mutex::new(None),
            };
            recording.scan()?;
            Ok(recording)
        };
        open().map_err(|fault: RecordingFault| fault.of(path))
    }

    /// Looks for frames that came since; the result is how many there are now. Frames that a
    /// resumed run cut away are gone.
    pub fn refresh(&mut self) -> Result<usize, RecordingError> {
        let unchanged = self.entries.last().is_none_or(|last| {
            self.read_at(last.offset, HEAD_LENGTH as u64)
                .is_ok_and(|bytes| bytes == last.head.encode())
        });
        let length = self.file_length().map_err(|fault| fault.of(&self.path))?;
        if !unchanged || length < self.end {
            self.entries.clear();
            self.end = self.begin;
            *self.key.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
        self.scan().map_err(|fault| fault.of(&self.path))?;
        Ok(self.len())
    }

    /// Finds the frames from `end` on.
    fn scan(&mut self) -> Result<(), RecordingFault> {
        let length = self.file_length()?;
        self.tail = loop {
            let (offset, bytes) = (self.end, length.saturating_sub(self.end));
            if bytes == 0 {
                break Tail::Whole;
            }
            if bytes < HEAD_LENGTH as u64 {
                break Tail::Cut { offset, bytes };
            }
            let head = self.read_head(offset)?;
            let head = head.and_then(|head| self.fits(head));
            match head {
                Ok((head, _)) if head.length > bytes - HEAD_LENGTH as u64 => {
                    break Tail::Cut { offset, bytes };
                }
                Ok((head, key)) => {
                    self.entries.push(FrameEntry { offset, head, key });
                    self.end = offset + HEAD_LENGTH as u64 + head.length;
                }
                Err(what) => {
                    let frame = self.len();
                    break Tail::Damaged {
                        frame,
                        offset,
                        what,
                    };
                }
            }
        };
        Ok(())
    }

    fn read_head(&self, offset: u64) -> Result<Result<ChunkHead, String>, RecordingFault> {
        let bytes = self.read_at(offset, HEAD_LENGTH as u64)?;
        let bytes = bytes.try_into().map_err(|_| end_of_file())?;
        Ok(ChunkHead::decode(&bytes))
    }

    /// Whether a chunk may follow those before, and the index of its key frame.
    fn fits(&self, head: ChunkHead) -> Result<(ChunkHead, usize), String> {
        if let Some(last) = self.entries.last().map(|e| e.head.step)
            && head.step <= last
        {
            let step = head.step;
            return Err(format!("step {step} does not follow step {last}"));
        }
        let key = match (head.kind, self.entries.last()) {
            (ChunkKind::Key, _) => self.len(),
            (ChunkKind::Difference, Some(last)) => last.key,
            (ChunkKind::Difference, None) => return Err("no key frame comes before".to_owned()),
            (ChunkKind::Header, _) => return Err("a second description of the run".to_owned()),
        };
        Ok((head, key))
    }

    /// The description of the run.
    pub fn header(&self) -> &RunHeader {
        &self.header
    }

    pub(super) fn shared_header(&self) -> Arc<RunHeader> {
        self.header.clone()
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Number of whole frames found so far.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no whole frame yet.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How the file ends.
    pub fn tail(&self) -> &Tail {
        &self.tail
    }

    /// The step of a frame that is there.
    pub fn step(&self, frame: usize) -> u64 {
        self.entries[frame].head.step
    }

    /// The time of a frame that is there, s.
    pub fn time(&self, frame: usize) -> f64 {
        self.entries[frame].head.time
    }

    /// The frame nearest in time, if there is any; `time` in s.
    pub fn nearest(&self, time: f64) -> Option<usize> {
        let after = self.entries.partition_point(|e| e.head.time < time);
        let before = after.saturating_sub(1);
        let distance = |k: &usize| (self.time(*k) - time).abs();
        [before, after]
            .into_iter()
            .filter(|&k| k < self.len())
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }

    /// How many frames have at most this step.
    pub(super) fn frames_until(&self, step: u64) -> usize {
        self.entries.partition_point(|e| e.head.step <= step)
    }

    /// Where a frame begins; of the one after the last, where that ends.
    pub(super) fn offset(&self, frame: usize) -> u64 {
        self.entries.get(frame).map_or(self.end, |e| e.offset)
    }

    /// Reads a frame.
    pub fn frame(&self, frame: usize) -> Result<Frame, RecordingError> {
        self.entry(frame)
            .and_then(|entry| {
                let (columns, contacts) = self.decode(frame, &entry)?;
                Ok(Frame {
                    step: entry.head.step,
                    time: entry.head.time,
                    bodies: columns.bodies(self.header.positions),
                    contacts,
                })
            })
            .map_err(|fault| fault.of(&self.path))
    }

    /// What is wrong with the first `frames` frames, by their checksums.
    pub(super) fn damage(&self, frames: usize) -> Result<Vec<RecordingFault>, RecordingError> {
        let mut faults = Vec::new();
        for (frame, entry) in self.entries.iter().enumerate().take(frames) {
            let content = self.read_at(entry.offset + HEAD_LENGTH as u64, entry.head.length);
            let content = content.map_err(|fault| fault.of(&self.path))?;
            if let Err(what) = entry.head.check(&content) {
                faults.push(RecordingFault::Damaged {
                    frame,
                    offset: entry.offset,
                    what,
                });
            }
        }
        Ok(faults)
    }

    /// The columns of the key frame that `frame` is stored against.
    pub(super) fn key_of(&self, frame: usize) -> Result<Arc<Columns>, RecordingError> {
        self.entry(frame)
            .and_then(|entry| self.key_columns(entry.key))
            .map_err(|fault| fault.of(&self.path))
    }

    fn entry(&self, frame: usize) -> Result<FrameEntry, RecordingFault> {
        if let Some(entry) = self.entries.get(frame) {
            return Ok(*entry);
        }
        match &self.tail {
            Tail::Damaged {
                frame,
                offset,
                what,
            } => Err(RecordingFault::Damaged {
                frame: *frame,
                offset: *offset,
                what: what.clone(),
            }),
            Tail::Whole | Tail::Cut { .. } => Err(RecordingFault::NoSuchFrame {
                frame,
                frames: self.len(),
            }),
        }
    }

    fn key_columns(&self, key: usize) -> Result<Arc<Columns>, RecordingFault> {
        let cached = || self.key.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((index, columns)) = &*cached()
            && *index == key
        {
            return Ok(columns.clone());
        }
        let (columns, _) = self.decode(key, &self.entry(key)?)?;
        let columns = Arc::new(columns);
        *cached() = Some((key, columns.clone()));
        Ok(columns)
    }

    fn decode(&self, frame: usize, entry: &FrameEntry) -> Result<Decoded, RecordingFault> {
        let damaged = |what: String| RecordingFault::Damaged {
            frame,
            offset: entry.offset,
            what,
        };
        let key = match entry.head.kind {
            ChunkKind::Key | ChunkKind::Header => None,
            ChunkKind::Difference => Some(self.key_columns(entry.key)?),
        };
        let content = self.read_at(entry.offset + HEAD_LENGTH as u64, entry.head.length)?;
        let (count, precision) = (self.header.bodies.len(), self.header.positions);
        // Bodies compress without bound where none moves, but their unpacked length is known;
        // contacts hardly compress: a hundredfold is beyond doubt.
        let contacts = entry.head.length.saturating_mul(100) + (1 << 20);
        let most = Columns::size(count, precision) as u64 + contacts;
        let plain = entry.head.unpack(&content, most).map_err(damaged)?;
        let input = &mut &plain[..];
        let columns = Columns::decode(input, count, precision, key.as_deref())
            .ok_or_else(|| damaged(format!("too short for {count} bodies")))?;
        let contacts = match input.split_off_first() {
            Some(0) if input.is_empty() => None,
            Some(1) => Some(decode_contacts(input, count).map_err(damaged)?),
            _ => return Err(damaged("no contacts where they are announced".to_owned())),
        };
        Ok((columns, contacts))
    }

    fn file_length(&self) -> Result<u64, RecordingFault> {
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(file.metadata()?.len())
    }

    /// `length` was checked against the file's before.
    fn read_at(&self, offset: u64, length: u64) -> Result<Vec<u8>, RecordingFault> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(offset))?;
        let mut bytes = vec![0; length as usize];
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

/// A frame's columns and contacts.
type Decoded = (Columns, Option<Vec<super::frame::ContactRecord>>);

fn end_of_file() -> RecordingFault {
    RecordingFault::Io(std::io::ErrorKind::UnexpectedEof.into())
}

/// The description of the run, and where the frames begin.
fn read_header(file: &mut File) -> Result<(RunHeader, u64), RecordingFault> {
    const BEFORE: usize = MAGIC.len() + 4;
    let length = file.metadata()?.len();
    let mut beginning = Vec::new();
    file.take((BEFORE + HEAD_LENGTH) as u64)
        .read_to_end(&mut beginning)?;
    let shared = beginning.len().min(MAGIC.len());
    if beginning.is_empty() || beginning[..shared] != MAGIC[..shared] {
        return Err(RecordingFault::NotARecording);
    }
    let cut = || RecordingFault::header(format!("cut: the file ends after {length} bytes"));
    let (magic, rest) = beginning.split_at_checked(MAGIC.len()).ok_or_else(cut)?;
    debug_assert_eq!(magic, MAGIC);
    let (version, rest) = rest.split_first_chunk::<4>().ok_or_else(cut)?;
    let found = u32::from_le_bytes(*version);
    if found != VERSION {
        return Err(RecordingFault::Version {
            found,
            expected: VERSION,
        });
    }
    let head = rest.first_chunk::<HEAD_LENGTH>().ok_or_else(cut)?;
    let head = ChunkHead::decode(head).map_err(RecordingFault::header)?;
    if head.kind != ChunkKind::Header {
        return Err(RecordingFault::header("does not come first"));
    }
    let begin = (BEFORE + HEAD_LENGTH) as u64;
    if head.length > length.saturating_sub(begin) {
        return Err(cut());
    }
    let mut content = vec![0; head.length as usize];
    file.read_exact(&mut content)?;
    let most = match head.packed {
        true => header_limit(head.length),
        false => head.length,
    };
    let plain = head
        .unpack(&content, most)
        .map_err(RecordingFault::header)?;
    let header = stored::decode(&plain)?;
    Ok((header, begin + head.length))
}
