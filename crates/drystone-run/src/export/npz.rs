//! One NumPy archive: one array per quantity, over all frames.
//!
//! The arrays may be larger than memory. Each grows in a file of its own while the frames are read
//! once; then all are put into the archive one after the other.

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use glam::DVec3;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::csv::kind_name;
use super::{ExportError, Job, io_error};
use crate::atomic::write_atomically_with;
use crate::recording::{BodyFrame, ContactRecord, Frame, Precision, RunHeader};
use drystone_scene::shape_sizes::ShapeSizes;

/// The name of the archive.
const ARCHIVE: &str = "recording.npz";

pub(super) fn write(job: &mut Job<'_>) -> Result<(), ExportError> {
    let header = job.header();
    let folder = Scratch::new(job.out)?;
    let mut arrays = Arrays::new(&folder.0, header).map_err(|e| io_error(&folder.0, e))?;
    job.each_frame(|_, _, frame| arrays.add(frame).map_err(|e| io_error(&folder.0, e)))?;
    let path = job.out.join(ARCHIVE);
    let frames = job.frames().len();
    let mut cancelled = false;
    let written = write_atomically_with(&path, |file| {
        let mut archive = Archive {
            zip: ZipWriter::new(BufWriter::new(file)),
        };
        archive.add_table(header)?;
        for mut array in arrays.finish(frames, header.bodies.len()) {
            cancelled = job.check_cancelled(frames).is_err();
            if cancelled {
                return Err(io::ErrorKind::Interrupted.into());
            }
            archive.add_column(&mut array)?;
        }
        archive.zip.finish()?.flush()
    });
    if cancelled {
        return Err(ExportError::Cancelled { frames });
    }
    written.map_err(|e| io_error(&path, e))?;
    job.files += 1;
    Ok(())
}

/// A folder that goes away with its content.
struct Scratch(PathBuf);

impl Scratch {
    fn new(out: &Path) -> Result<Self, ExportError> {
        let path = out.join(format!(".drystone-{}-npz.tmp", std::process::id()));
        // Left behind by a process of the same number that was killed.
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir(&path).map_err(|e| io_error(&path, e))?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Best effort: what stays is hidden and harmless.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// An array on its way to the archive.
struct Column {
    name: &'static str,
    kind: &'static str,
    shape: Vec<usize>,
    file: BufWriter<File>,
}

impl Column {
    /// Single precision, or double where asked for.
    fn reals(&mut self, numbers: &[f64]) -> io::Result<()> {
        for &x in numbers {
            match self.kind {
                "<f8" => self.file.write_all(&x.to_le_bytes())?,
                _ => self.file.write_all(&(x as f32).to_le_bytes())?,
            }
        }
        Ok(())
    }

    fn vectors(&mut self, vectors: impl Iterator<Item = DVec3>) -> io::Result<()> {
        vectors
            .into_iter()
            .try_for_each(|v| self.reals(&v.to_array()))
    }
}

/// All arrays that grow with the frames.
struct Arrays {
    time: Column,
    step: Column,
    position: Column,
    quaternion: Column,
    velocity: Column,
    angular_velocity: Column,
    enabled: Column,
    contact_offset: Column,
    contact_bodies: Column,
    contact_point: Column,
    contact_normal: Column,
    contact_gap: Column,
    contact_force: Column,
    contact_torque: Column,
    contacts: usize,
}

impl Arrays {
    fn new(folder: &Path, header: &RunHeader) -> io::Result<Self> {
        let column = |name: &'static str, kind: &'static str, inner: &[usize]| {
            let mut options = File::options();
            options.read(true).write(true).create_new(true);
            Ok::<Column, io::Error>(Column {
                name,
                kind,
                shape: inner.to_vec(),
                file: BufWriter::new(options.open(folder.join(name))?),
            })
        };
        let position = match header.positions {
            Precision::Single => "<f4",
            Precision::Double => "<f8",
        };
        let mut arrays = Self {
            time: column("time", "<f8", &[])?,
            step: column("step", "<i8", &[])?,
            position: column("position", position, &[3])?,
            quaternion: column("quaternion", "<f4", &[4])?,
            velocity: column("velocity", "<f4", &[3])?,
            angular_velocity: column("angular_velocity", "<f4", &[3])?,
            enabled: column("enabled", "|b1", &[])?,
            contact_offset: column("contact_offset", "<i8", &[])?,
            contact_bodies: column("contact_bodies", "<i4", &[2])?,
            contact_point: column("contact_point", "<f4", &[3])?,
            contact_normal: column("contact_normal", "<f4", &[3])?,
            contact_gap: column("contact_gap", "<f4", &[])?,
            contact_force: column("contact_force", "<f4", &[3])?,
            contact_torque: column("contact_torque", "<f4", &[3])?,
            contacts: 0,
        };
        arrays.contact_offset.file.write_all(&0_u64.to_le_bytes())?;
        Ok(arrays)
    }

    fn add(&mut self, frame: &Frame) -> io::Result<()> {
        self.time.reals(&[frame.time])?;
        self.step.file.write_all(&frame.step.to_le_bytes())?;
        self.add_bodies(&frame.bodies)?;
        self.add_contacts(frame.contacts.as_deref().unwrap_or_default())
    }

    fn add_bodies(&mut self, bodies: &[BodyFrame]) -> io::Result<()> {
        self.position.vectors(bodies.iter().map(|b| b.position))?;
        self.velocity.vectors(bodies.iter().map(|b| b.velocity))?;
        self.angular_velocity
            .vectors(bodies.iter().map(|b| b.angular_velocity))?;
        for body in bodies {
            let q = body.rotation;
            self.quaternion.reals(&[q.w, q.x, q.y, q.z])?;
            self.enabled.file.write_all(&[u8::from(body.enabled)])?;
        }
        Ok(())
    }

    fn add_contacts(&mut self, contacts: &[ContactRecord]) -> io::Result<()> {
        for contact in contacts {
            for body in contact.bodies {
                self.contact_bodies.file.write_all(&body.to_le_bytes())?;
            }
            self.contact_gap.reals(&[contact.gap])?;
        }
        self.contact_point
            .vectors(contacts.iter().map(|c| c.point))?;
        self.contact_normal
            .vectors(contacts.iter().map(|c| c.normal))?;
        self.contact_force
            .vectors(contacts.iter().map(|c| c.force))?;
        self.contact_torque
            .vectors(contacts.iter().map(|c| c.torque))?;
        self.contacts += contacts.len();
        let end = self.contacts as u64;
        self.contact_offset.file.write_all(&end.to_le_bytes())
    }

    /// The arrays with their whole shapes.
    fn finish(self, frames: usize, bodies: usize) -> [Column; 14] {
        let shaped = |outer: &[usize], column: Column| Column {
            shape: [outer, &column.shape[..]].concat(),
            ..column
        };
        let contacts = self.contacts;
        [
            shaped(&[frames], self.time),
            shaped(&[frames], self.step),
            shaped(&[frames, bodies], self.position),
            shaped(&[frames, bodies], self.quaternion),
            shaped(&[frames, bodies], self.velocity),
            shaped(&[frames, bodies], self.angular_velocity),
            shaped(&[frames, bodies], self.enabled),
            shaped(&[frames + 1], self.contact_offset),
            shaped(&[contacts], self.contact_bodies),
            shaped(&[contacts], self.contact_point),
            shaped(&[contacts], self.contact_normal),
            shaped(&[contacts], self.contact_gap),
            shaped(&[contacts], self.contact_force),
            shaped(&[contacts], self.contact_torque),
        ]
    }
}

struct Archive<'a> {
    zip: ZipWriter<BufWriter<&'a mut File>>,
}

impl Archive<'_> {
    fn begin(&mut self, name: &str, kind: &str, shape: &[usize]) -> io::Result<()> {
        // Stored, as NumPy does: the lower bytes are noise.
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .large_file(true);
        self.zip.start_file(format!("{name}.npy"), options)?;
        self.zip.write_all(&array_header(kind, shape))
    }

    fn add_column(&mut self, column: &mut Column) -> io::Result<()> {
        self.begin(column.name, column.kind, &column.shape)?;
        column.file.flush()?;
        let file = column.file.get_mut();
        file.rewind()?;
        io::copy(file, &mut self.zip).map(|_| ())
    }

    /// What does not change about the bodies.
    fn add_table(&mut self, header: &RunHeader) -> io::Result<()> {
        let bodies = || 0..header.bodies.len();
        let record = |b: usize| &header.bodies[b];
        let sizes = ShapeSizes::of_all(&header.shapes);
        let sizes = |b: usize| &sizes[record(b).shape as usize];
        let words = |words: &mut dyn Iterator<Item = String>| words.collect::<Vec<String>>();
        self.add_words("title", std::slice::from_ref(&header.title))?;
        self.add_words("name", &words(&mut bodies().map(|b| header.body_name(b))))?;
        let group = |b: usize| header.groups[record(b).group as usize].name.clone();
        self.add_words("group", &words(&mut bodies().map(group)))?;
        let kind = |b: usize| kind_name(record(b).kind).to_owned();
        self.add_words("kind", &words(&mut bodies().map(kind)))?;
        let shape = |b: usize| header.shape(b).kind().to_owned();
        self.add_words("shape", &words(&mut bodies().map(shape)))?;
        let materials = header.materials.iter().map(|m| m.name.clone());
        self.add_words("material_name", &words(&mut materials.into_iter()))?;
        let groups = header.groups.iter().map(|g| g.name.clone());
        self.add_words("group_name", &words(&mut groups.into_iter()))?;
        // Signed: differences of indices are what they should be.
        let material = |b: usize| i32::from(record(b).material);
        self.add_indices("material", bodies().map(material))?;
        self.add_indices("group_index", bodies().map(|b| record(b).group as i32))?;
        self.add_indices("number", bodies().map(|b| record(b).number as i32))?;
        self.add_reals("radius", bodies().map(|b| sizes(b).radius))?;
        self.add_reals("height", bodies().map(|b| sizes(b).height))?;
        self.add_reals("volume", bodies().map(|b| sizes(b).volume))?;
        self.begin("size", "<f8", &[header.bodies.len(), 3])?;
        for x in bodies().flat_map(|b| sizes(b).size.to_array()) {
            self.zip.write_all(&x.to_le_bytes())?;
        }
        self.add_reals("mass", bodies().map(|b| record(b).mass))?;
        self.add_reals("time_step", std::iter::once(header.time_step))
    }

    fn add_reals(
        &mut self,
        name: &str,
        numbers: impl ExactSizeIterator<Item = f64>,
    ) -> io::Result<()> {
        self.begin(name, "<f8", &[numbers.len()])?;
        for x in numbers {
            self.zip.write_all(&x.to_le_bytes())?;
        }
        Ok(())
    }

    fn add_indices(
        &mut self,
        name: &str,
        indices: impl ExactSizeIterator<Item = i32>,
    ) -> io::Result<()> {
        self.begin(name, "<i4", &[indices.len()])?;
        for index in indices {
            self.zip.write_all(&index.to_le_bytes())?;
        }
        Ok(())
    }

    /// Four bytes per character, all words as long as the longest.
    fn add_words(&mut self, name: &str, words: &[String]) -> io::Result<()> {
        let length = |w: &String| w.chars().count();
        let longest = words.iter().map(length).max().unwrap_or(0).max(1);
        self.begin(name, &format!("<U{longest}"), &[words.len()])?;
        for word in words {
            let padded = word.chars().map(u32::from).chain(std::iter::repeat(0));
            for character in padded.take(longest) {
                self.zip.write_all(&character.to_le_bytes())?;
            }
        }
        Ok(())
    }
}

/// How a NumPy array begins: magic, version, length, then a dictionary, padded so that the data
/// begins at a multiple of 64.
fn array_header(kind: &str, shape: &[usize]) -> Vec<u8> {
    let sizes: String = shape.iter().map(|n| format!("{n},")).collect();
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({sizes}), }}");
    let total = (10 + text.len() + 1).next_multiple_of(64);
    while 10 + text.len() + 1 < total {
        text.push(' ');
    }
    text.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&(text.len() as u16).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
    bytes
}
