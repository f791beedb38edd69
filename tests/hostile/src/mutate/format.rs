//! Every format that the program reads: files to begin from, how they are forged, how they are
//! read.

use std::path::{Path, PathBuf};

use super::{forge, geometry, problems, runs, scenes, seal, words};
use crate::bench::repository;
use crate::dice::Dice;

/// What is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Fclib,
    Siconos,
    Npz,
    Ccp,
    /// Vectors: `.npy`, FCLIB solutions, plain text.
    Vector,
    Scene,
    Urdf,
    StlText,
    StlBinary,
    Obj,
    /// Binary glTF.
    Glb,
    /// glTF as text, its buffer inside.
    Gltf,
    Collada,
    Points,
    HeightRows,
    HeightGrid,
    /// `frames.dry`.
    Recording,
    Checkpoint,
    /// `log.csv`, `forces.csv`, `joints.csv`.
    Tables,
    /// `scene.toml` and `source.json` of a run.
    Source,
}

impl Format {
    pub const ALL: [Self; 20] = [
        Self::Fclib,
        Self::Siconos,
        Self::Npz,
        Self::Ccp,
        Self::Vector,
        Self::Scene,
        Self::Urdf,
        Self::StlText,
        Self::StlBinary,
        Self::Obj,
        Self::Glb,
        Self::Gltf,
        Self::Collada,
        Self::Points,
        Self::HeightRows,
        Self::HeightGrid,
        Self::Recording,
        Self::Checkpoint,
        Self::Tables,
        Self::Source,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fclib => "fclib",
            Self::Siconos => "siconos",
            Self::Npz => "npz",
            Self::Ccp => "ccp",
            Self::Vector => "vector",
            Self::Scene => "scene",
            Self::Urdf => "urdf",
            Self::StlText => "stl-text",
            Self::StlBinary => "stl-binary",
            Self::Obj => "obj",
            Self::Glb => "glb",
            Self::Gltf => "gltf",
            Self::Collada => "collada",
            Self::Points => "points",
            Self::HeightRows => "height-rows",
            Self::HeightGrid => "height-grid",
            Self::Recording => "recording",
            Self::Checkpoint => "checkpoint",
            Self::Tables => "tables",
            Self::Source => "source",
        }
    }

    /// The formats of these names; all of them for none.
    pub fn chosen(names: &[String]) -> Result<Vec<Self>, String> {
        if names.is_empty() {
            return Ok(Self::ALL.to_vec());
        }
        let find = |name: &String| {
            let known = Self::ALL.map(Self::name).join(", ");
            let mut all = Self::ALL.into_iter();
            all.find(|f| f.name() == name)
                .ok_or_else(|| format!("no format is called {name}; there are {known}"))
        };
        names.iter().map(find).collect()
    }

    /// A forged file: its name and content.
    pub fn forge(self, sources: &Sources, dice: &mut Dice) -> Result<(String, Vec<u8>), String> {
        let files = sources.of(self);
        if files.is_empty() {
            return Err(format!("{}: nothing to begin from", self.name()));
        }
        let (name, bytes) = dice.pick(files);
        let (_, other) = dice.pick(files);
        // Sometimes behind the format's back.
        let plainly = dice.one_in(4);
        let forged = match self {
            Self::Fclib | Self::Vector if bytes.starts_with(b"\x89HDF") => {
                let mut forged = forge::forge(bytes, other, dice);
                if !plainly {
                    seal::hdf5(&mut forged);
                }
                forged
            }
            Self::Npz if !plainly => seal::npz(bytes, dice),
            Self::Ccp if !plainly => seal::ccp(bytes, dice),
            Self::Recording if !plainly => seal::recording(bytes, dice),
            Self::Checkpoint if !plainly => seal::checkpoint(bytes, dice),
            Self::Fclib
            | Self::Npz
            | Self::Ccp
            | Self::Recording
            | Self::Checkpoint
            | Self::StlBinary
            | Self::Glb => forge::forge(bytes, other, dice),
            Self::Siconos
            | Self::Vector
            | Self::Scene
            | Self::Urdf
            | Self::StlText
            | Self::Obj
            | Self::Gltf
            | Self::Collada
            | Self::Points
            | Self::HeightRows
            | Self::HeightGrid
            | Self::Tables
            | Self::Source => match (std::str::from_utf8(bytes), std::str::from_utf8(other)) {
                (Ok(text), Ok(other)) if !plainly => words::forge(text, other, dice).into_bytes(),
                _ => forge::forge(bytes, other, dice),
            },
        };
        Ok((name.clone(), forged))
    }

    /// Whether it lies in the folder of a run.
    fn is_of_a_run(self) -> bool {
        matches!(
            self,
            Self::Recording | Self::Checkpoint | Self::Tables | Self::Source
        )
    }

    /// Reads a forged file and does with it what the program would. The result is whether it was
    /// read; an error is something that should not be.
    pub fn put_to_use(
        self,
        sources: &Sources,
        (name, bytes): Source,
        dice: &mut Dice,
        scratch: &Path,
    ) -> Result<bool, String> {
        if self.is_of_a_run() && dice.one_in(10) {
            return runs::resume(sources, &name, &bytes, scratch);
        }
        match self {
            Self::Fclib | Self::Siconos | Self::Npz | Self::Ccp => problems::solve(bytes, dice),
            Self::Vector => problems::vector(bytes),
            Self::Scene => scenes::step(&bytes, &sources.folder, dice),
            Self::Urdf => scenes::robot(&bytes, &sources.folder),
            Self::StlText
            | Self::StlBinary
            | Self::Obj
            | Self::Glb
            | Self::Gltf
            | Self::Collada => geometry::mesh(self, &bytes),
            Self::Points => geometry::points(&bytes),
            Self::HeightRows | Self::HeightGrid => geometry::heights(self, &bytes),
            Self::Recording => runs::recording(&bytes, dice, scratch),
            Self::Checkpoint => runs::checkpoint(sources, &bytes, scratch),
            Self::Tables => runs::tables(&bytes, dice, scratch),
            Self::Source => runs::source(sources, &bytes, scratch),
        }
    }
}

/// A file's name and content.
pub type Source = (String, Vec<u8>);

/// The files to begin from.
pub struct Sources {
    /// Where scenes and robots find what they refer to.
    pub folder: PathBuf,
    files: Vec<Vec<Source>>,
    /// The text of the scene whose run is forged.
    pub scene: String,
}

impl Sources {
    /// Collects those of the repository, and makes the others in `folder`.
    pub fn new(folder: &Path) -> Result<Self, String> {
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let mut sources = Self {
            folder: folder.to_owned(),
            files: vec![Vec::new(); Format::ALL.len()],
            scene: crate::small_scenes::balls(0.05),
        };
        problems::sources(&mut sources)?;
        geometry::sources(&mut sources)?;
        scenes::sources(&mut sources)?;
        runs::sources(&mut sources)?;
        Ok(sources)
    }

    /// Adds a file to begin from.
    pub fn add(&mut self, format: Format, name: &str, bytes: impl Into<Vec<u8>>) {
        self.files[format as usize].push((name.to_owned(), bytes.into()));
    }

    /// Adds a file of the repository.
    pub fn add_file(&mut self, format: Format, path: &str) -> Result<(), String> {
        let file = repository().join(path);
        let bytes = std::fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        self.add(format, &name, bytes);
        Ok(())
    }

    /// The files of a format.
    pub fn of(&self, format: Format) -> &[Source] {
        &self.files[format as usize]
    }
}
