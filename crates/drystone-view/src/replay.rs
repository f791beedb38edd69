//! A run as one HTML file, to be mailed and opened from the disk: the same page, with all resources
//! inside. Nothing is fetched from anywhere.

mod inline;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use drystone::BodyKind;
use drystone_run::recording::{Frame, Recording, RunHeader};
use flate2::Compression;
use flate2::write::GzEncoder;
use glam::DVec3;
use serde_json::json;

use crate::binary::Columns;
use crate::error::ViewError;
use crate::packed::{PackingError, Ranges, Steps, chunk, rounded};
use crate::page::Page;
use crate::resource::{Resource, TableName};
use crate::run_view::{RunState, RunView};
use crate::{describe, frames, shapes};

/// Bytes of a replay unless told: what most mail takes.
pub const LARGEST: u64 = 20_000_000;

/// Numbers of bodies in a chunk, all its frames together: what the page unpacks at once.
const CHUNK_BODIES: usize = 1 << 16;
/// Frames of a chunk, at least and at most. Differences need some.
const CHUNK_FRAMES: [usize; 2] = [4, 32];

/// Binary digits of contacts in a replay: three decimal ones.
const CONTACT_BITS: u32 = 11;

/// What a replay holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplaySettings {
    /// One frame in so many, and the last one. `None`: as few are left out as the size allows.
    pub every: Option<usize>,
    /// Bytes that the file may have.
    pub largest: u64,
}

impl Default for ReplaySettings {
    fn default() -> Self {
        Self {
            every: None,
            largest: LARGEST,
        }
    }
}

/// A finished replay.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The file.
    pub html: String,
    /// Frames in it.
    pub frames: usize,
    /// Which of the recording's frames: one in so many.
    pub every: usize,
    /// Largest error of a position, m.
    pub position_error: f64,
    /// Largest error of a rotation: the length of the difference of unit quaternions.
    pub rotation_error: f64,
    /// Largest error of a velocity, m/s.
    pub velocity_error: f64,
}

/// Makes a replay. `progress` is told how many frames are done, and of how many; `cancel` is looked
/// at between frames.
pub fn replay(
    view: &RunView,
    settings: &ReplaySettings,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Replay, ViewError> {
    let page = inline::InlinePage::of(&Page::new())?;
    let mut every = settings.every.unwrap_or(1).max(1);
    loop {
        let mut job = Job::new(view, &page, settings.largest, every)?;
        let bytes = match job.run(cancel, progress)? {
            Outcome::Fits(replay) => return Ok(*replay),
            Outcome::TooLarge { bytes } => bytes,
        };
        // A little more than in proportion, since what does not depend on the frames stays.
        let share = bytes as f64 / settings.largest.max(1) as f64;
        let next = ((every as f64 * share).ceil() as usize).max(every + 1);
        if job.frames.len() <= 2 {
            let most = settings.largest;
            return Err(ViewError::NeverFits { bytes, most });
        }
        if settings.every.is_some() {
            return Err(ViewError::TooLarge {
                bytes,
                most: settings.largest,
                every: next,
            });
        }
        every = next;
    }
}

/// What came of an attempt.
enum Outcome {
    Fits(Box<Replay>),
    /// How large it would about be.
    TooLarge {
        bytes: u64,
    },
}

/// An attempt to make a replay of some frames.
struct Job<'a> {
    view: &'a RunView,
    page: &'a inline::InlinePage,
    largest: u64,
    every: usize,
    /// Indices in the recording.
    frames: Vec<usize>,
    chunk: usize,
    /// Fixed bodies that are elsewhere or gone in some frame.
    moved: Vec<usize>,
    error: PackingError,
    resources: String,
}

impl<'a> Job<'a> {
    fn new(
        view: &'a RunView,
        page: &'a inline::InlinePage,
        largest: u64,
        every: usize,
    ) -> Result<Self, ViewError> {
        let current = view.current();
        let count = current.recording.len();
        if count == 0 {
            let path = view.file().to_owned();
            return Err(ViewError::NoFrames { path });
        }
        let mut frames: Vec<usize> = (0..count).step_by(every).collect();
        if frames.last() != Some(&(count - 1)) {
            frames.push(count - 1);
        }
        let bodies = moving(current.recording.header()).len().max(1);
        let [least, most] = CHUNK_FRAMES;
        Ok(Self {
            view,
            page,
            largest,
            every,
            frames,
            chunk: (CHUNK_BODIES / bodies).clamp(least, most),
            moved: Vec::new(),
            error: PackingError::default(),
            resources: String::new(),
        })
    }

    fn run(
        &mut self,
        cancel: &AtomicBool,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Outcome, ViewError> {
        let current = self.view.current();
        let recording = &current.recording;
        let origin = current.origin();
        let total = 2 * self.frames.len();
        let mut watch = |done: usize| {
            progress(done, total);
            match cancel.load(Ordering::Relaxed) {
                true => Err(ViewError::Cancelled { frames: done }),
                false => Ok(()),
            }
        };
        let (moving, steps) = self.survey(recording, &mut watch)?;
        let mut done = self.frames.len();
        for number in 0..self.frames.len().div_ceil(self.chunk) {
            let first = number * self.chunk;
            let indices = self.frames.iter().skip(first).take(self.chunk);
            let read: Result<Vec<Frame>, _> = indices.map(|&k| recording.frame(k)).collect();
            let read = read?;
            let packed = chunk(&read, &moving, &steps, origin, &mut self.error);
            self.add(&format!("frames/{number}.bin"), &packed);
            for (k, frame) in read.iter().enumerate() {
                if let Some(contacts) = contacts(frame, origin) {
                    self.add(&Resource::Contacts(first + k).to_string(), &contacts);
                }
            }
            done += read.len();
            watch(done)?;
            if self.resources.len() as u64 > self.largest {
                let share = (done - self.frames.len()) as f64 / self.frames.len() as f64;
                let bytes = (self.resources.len() as f64 / share) as u64;
                return Ok(Outcome::TooLarge { bytes });
            }
        }
        let first = recording.frame(self.frames[0])?;
        self.add("frame/0.bin", &frames::frame(&first, origin));
        self.add("index.bin", &self.index(recording));
        drop(current);
        self.constants()?;
        let html = self.page.with(&self.resources);
        if html.len() as u64 > self.largest {
            let bytes = html.len() as u64;
            return Ok(Outcome::TooLarge { bytes });
        }
        Ok(Outcome::Fits(Box::new(Replay {
            html,
            frames: self.frames.len(),
            every: self.every,
            position_error: self.error.position,
            rotation_error: self.error.rotation,
            velocity_error: self.error.velocity,
        })))
    }

    /// Which bodies ever change, and how finely their numbers are stored, from all frames. Fixed
    /// bodies may be taken away or put elsewhere between phases.
    fn survey(
        &mut self,
        recording: &Recording,
        watch: &mut impl FnMut(usize) -> Result<(), ViewError>,
    ) -> Result<(Vec<usize>, Steps), ViewError> {
        let header = recording.header();
        let mut moving = moving(header);
        let fixed = (0..header.bodies.len()).filter(|&k| header.bodies[k].kind == BodyKind::Fixed);
        let fixed: Vec<usize> = fixed.collect();
        let first = recording.frame(self.frames[0])?;
        let (mut ranges, mut moved) = (Ranges::default(), BTreeSet::new());
        for (done, &frame) in self.frames.iter().enumerate() {
            let frame = recording.frame(frame)?;
            ranges.include(&frame, &moving);
            for &body in &fixed {
                let (now, before) = (&frame.bodies[body], &first.bodies[body]);
                if now != before {
                    ranges.include_body(now);
                    ranges.include_body(before);
                    moved.insert(body);
                }
            }
            watch(done)?;
        }
        let radii = moving
            .iter()
            .map(|&k| header.shape(k).radius_about_origin());
        let steps = ranges.steps(radii.fold(f64::INFINITY, f64::min));
        self.moved = moved.into_iter().collect();
        moving.extend(&self.moved);
        moving.sort_unstable();
        Ok((moving, steps))
    }

    fn index(&self, recording: &Recording) -> Vec<u8> {
        let mut columns = Columns::new(self.frames.len(), 0);
        columns
            .column(self.frames.iter().map(|&k| recording.step(k) as f64))
            .column(self.frames.iter().map(|&k| recording.time(k)));
        columns.finish()
    }

    /// What does not depend on the frames.
    fn constants(&mut self) -> Result<(), ViewError> {
        let view = self.view;
        let mut run = describe::run(view);
        run["frames"] = self.frames.len().into();
        run["every"] = self.every.into();
        run["chunk"] = self.chunk.into();
        run["error"] = json!({
            "position": self.error.position,
            "rotation": self.error.rotation,
            "velocity": self.error.velocity,
            "contacts": 0.5_f64.powi(CONTACT_BITS as i32 + 1),
        });
        if run["state"] == RunState::Running.name() {
            run["state"] = RunState::Cut.name().into();
            run["note"] = "the run went on after this replay was made".into();
        }
        self.add("run.json", run.to_string().as_bytes());
        let current = view.current();
        let header = current.recording.header();
        let bodies = shapes::bodies(header, &self.moved);
        let meshes = shapes::meshes(header);
        drop(current);
        self.add(&Resource::Bodies.to_string(), &bodies);
        let meshes = meshes.into_iter().map(Resource::Mesh);
        let tables = TableName::ALL.into_iter().map(Resource::Table);
        for resource in std::iter::once(Resource::Shapes)
            .chain(meshes)
            .chain(tables)
        {
            if let Some(content) = view.resource(resource)? {
                self.add(&resource.to_string(), &content);
            }
        }
        Ok(())
    }

    /// Adds a resource, packed. Names of resources need no quoting.
    fn add(&mut self, name: &str, content: &[u8]) {
        let kind = "application/octet-stream;base64";
        // Writing to a text cannot fail.
        let _ = write!(
            self.resources,
            "<script type=\"{kind}\" id=\"resource:{name}\">"
        );
        BASE64_STANDARD.encode_string(packed(content), &mut self.resources);
        self.resources.push_str("</script>\n");
    }
}

/// The bodies that may move.
fn moving(header: &RunHeader) -> Vec<usize> {
    let bodies = header.bodies.iter().enumerate();
    let moving = bodies.filter(|(_, body)| body.kind != BodyKind::Fixed);
    moving.map(|(k, _)| k).collect()
}

/// The contacts of a frame with few digits.
fn contacts(frame: &Frame, origin: DVec3) -> Option<Vec<u8>> {
    let mut bytes = frames::contacts(frame, origin)?;
    let count = frame.contacts.as_ref().map_or(0, Vec::len);
    // Numbers begin behind the head and the two columns of bodies.
    let begin = 16 + 2 * (4 * count).next_multiple_of(8);
    for word in bytes[begin..].as_chunks_mut::<4>().0 {
        *word = rounded(f32::from_le_bytes(*word), CONTACT_BITS).to_le_bytes();
    }
    Some(bytes)
}

fn packed(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(content);
    encoder.finish().unwrap_or_default()
}
