//! `drystone render`: a picture, a film or a sequence of pictures of a run.

mod range;

use std::path::Path;

use drystone_draw::film::{
    self, Film, FilmError, FilmKind, Pattern, Timing, film, sequence, shots, steady,
};
use drystone_draw::picture::image;
use drystone_draw::render::{Quality, RenderError};
use drystone_draw::{PictureError, PictureSettings};
use drystone_run::recording::Recording;
use drystone_run::run_folder::SCENE;
use drystone_run::source::scene_of;
use drystone_study::output::check_writable;
use drystone_study::table::{plural, short_number};

use crate::args::render::{QualityName, RenderArgs};
use crate::cancellation::{Interrupt, Stage};
use crate::drawing::Drawing;
use crate::failure::{Failure, NOT_CONVERGED, SUCCESS};
use crate::output::{to_stderr, to_stdout, write_bytes};
use crate::run_recording::{folder_of, open, unreadable};
use crate::threads::thread_pool;

/// Size of a picture unless told, px.
const PICTURE_SIZE: [u32; 2] = [1280, 800];
/// Size of a film unless told, px: half as many pixels, drawn many times over.
const FILM_SIZE: [u32; 2] = [960, 600];
/// Pictures in a second of a film unless told.
const FRAMES_PER_SECOND: f64 = 25.0;

/// Makes a picture, a film or a sequence.
pub fn render(args: &RenderArgs, interrupt: &Interrupt) -> Result<u8, Failure> {
    let target = target(args)?;
    let pool = thread_pool(args.threads)?;
    let recording = open(&args.run)?;
    let settings = settings(args)?;
    interrupt.enter(Stage::Cancel {
        now: "cancelling",
        late: format!("gave up: {}", target.left()),
    });
    pool.install(|| match &target {
        Target::Picture(file) => render_picture(args, &recording, settings, file, interrupt),
        Target::Film(file, kind) => render_film(args, &recording, settings, file, *kind, interrupt),
        Target::Sequence(pattern) => {
            render_sequence(args, &recording, settings, pattern, interrupt)
        }
    })
}

/// What is made.
enum Target<'a> {
    Picture(&'a Path),
    Film(&'a Path, FilmKind),
    Sequence(&'a Pattern),
}

impl Target<'_> {
    /// What there is where the work was stopped.
    fn left(&self) -> &'static str {
        match self {
            Self::Picture(_) => "no picture was written",
            Self::Film(..) => "no film was written",
            Self::Sequence(_) => "the pictures that are there are whole",
        }
    }
}

/// What is asked for, by the names of the files; and whether it can be written.
fn target(args: &RenderArgs) -> Result<Target<'_>, Failure> {
    let ends_in = |file: &Path, suffix: &str| {
        file.extension()
            .is_some_and(|found| found.eq_ignore_ascii_case(suffix))
    };
    if let Some(file) = &args.output {
        let png = ends_in(file, "png");
        if !png && FilmKind::of(file).is_some() {
            let words = format!("is the name of a film: --video {}", file.display());
            return Err(Failure::in_file(file, words));
        }
        if !png {
            return Err(Failure::in_file(file, "a picture is a .png file"));
        }
        check_writable(file)?;
        return Ok(Target::Picture(file));
    }
    if let Some(file) = &args.video {
        let Some(kind) = FilmKind::of(file) else {
            let known = FilmKind::ALL
                .map(|kind| format!(".{}", kind.suffix()))
                .join(", ");
            let words = format!("a film is one of {known}; --sequence writes numbered .png files");
            return Err(Failure::in_file(file, words));
        };
        if args.fps.is_some_and(|fps| fps > kind.fastest()) {
            let (suffix, most) = (kind.suffix(), kind.fastest());
            let words = format!("--fps: .{suffix} has at most {most} pictures a second");
            return Err(Failure::in_file(file, words));
        }
        check_writable(file)?;
        return Ok(Target::Film(file, kind));
    }
    match &args.sequence {
        Some(pattern) => {
            let first = pattern.file(0);
            if let Some(folder) = first.parent().filter(|f| *f != Path::new("")) {
                std::fs::create_dir_all(folder).map_err(|e| {
                    Failure::in_file(folder, format_args!("is no usable folder: {e}"))
                })?;
            }
            check_writable(&first)?;
            Ok(Target::Sequence(pattern))
        }
        // The group of these three flags is required.
        None => Err(Failure::Input("nothing to write was named".to_owned())),
    }
}

fn render_picture(
    args: &RenderArgs,
    recording: &Recording,
    settings: PictureSettings,
    file: &Path,
    interrupt: &Interrupt,
) -> Result<u8, Failure> {
    let index = which(recording, args)?;
    let frame = recording.frame(index).map_err(unreadable)?;
    let label = format!("drawing {}", file.display());
    let drawing = Drawing::start(args.quiet, &label, 1, interrupt.flag());
    let observe = |share: f64| drawing.observe(0, share);
    let drawn = image(recording.header(), &frame, &settings, &observe);
    drawing.finish();
    let image = match drawn {
        Ok(image) => image,
        Err(error) => return explain(args, error.into(), "no picture was written"),
    };
    let png = image.to_png().map_err(|e| Failure::in_file(&args.run, e))?;
    interrupt.enter(Stage::Save);
    write_bytes(file, &png)?;
    to_stdout(&format!(
        "{}: frame {index} of {}, t = {} s\n",
        file.display(),
        recording.len(),
        short_number(frame.time)
    ))?;
    Ok(SUCCESS)
}

fn render_film(
    args: &RenderArgs,
    recording: &Recording,
    settings: PictureSettings,
    file: &Path,
    kind: FilmKind,
    interrupt: &Interrupt,
) -> Result<u8, Failure> {
    let timing = timing(args);
    let shots = shots(recording, &timing).map_err(|e| Failure::in_file(recording.path(), e))?;
    let label = format!("drawing {}", file.display());
    let drawing = Drawing::start(args.quiet, &label, shots.len(), interrupt.flag());
    let observe = |picture: usize, share: f64| drawing.observe(picture, share);
    let made = still(
        args,
        recording,
        settings,
        shots.iter().map(|s| s.frame),
        &observe,
    )
    .and_then(|settings| {
        let plan = Film {
            recording,
            shots: &shots,
            frames_per_second: timing.frames_per_second,
            settings: &settings,
        };
        film(&plan, kind, file, &observe)
    });
    drawing.finish();
    if let Err(error) = made {
        return explain(args, error, "no film was written");
    }
    let ticks: u32 = shots.iter().map(|shot| shot.ticks).sum();
    let seconds = f64::from(ticks) / timing.frames_per_second;
    to_stdout(&format!(
        "{}: {} in {} s, t = {} to {} s\n",
        file.display(),
        plural(shots.len(), "picture"),
        short_number(seconds),
        short_number(recording.time(shots[0].frame)),
        short_number(recording.time(shots[shots.len() - 1].frame)),
    ))?;
    Ok(SUCCESS)
}

fn render_sequence(
    args: &RenderArgs,
    recording: &Recording,
    settings: PictureSettings,
    pattern: &Pattern,
    interrupt: &Interrupt,
) -> Result<u8, Failure> {
    let frames = timing(args).frames(recording);
    let [first, last] = frames.map_err(|e| Failure::in_file(recording.path(), e))?;
    let every = usize::try_from(args.every.unwrap_or(1)).unwrap_or(usize::MAX);
    let frames: Vec<usize> = (first..=last).step_by(every).collect();
    let names = format!("{} and on", pattern.file(0).display());
    let label = format!("drawing {names}");
    let drawing = Drawing::start(args.quiet, &label, frames.len(), interrupt.flag());
    let observe = |picture: usize, share: f64| drawing.observe(picture, share);
    let made = still(args, recording, settings, frames.iter().copied(), &observe)
        .and_then(|settings| sequence(recording, &frames, &settings, pattern, &observe));
    drawing.finish();
    match made {
        Ok(count) if count == frames.len() => {
            to_stdout(&format!("{names}: {}\n", plural(count, "picture")))?;
            Ok(SUCCESS)
        }
        Ok(count) => {
            let count = plural(count, "picture");
            to_stderr(&format!("cancelled after {count}; they are whole"));
            Ok(NOT_CONVERGED)
        }
        Err(error) => explain(args, error, "no picture was written"),
    }
}

/// One camera for all frames, unless it goes with the bodies. Colours keep their range in any case.
fn still(
    args: &RenderArgs,
    recording: &Recording,
    settings: PictureSettings,
    frames: impl Iterator<Item = usize>,
    observe: film::Observe<'_>,
) -> Result<PictureSettings, FilmError> {
    let mut settings = steady(recording, frames, &settings, observe)?;
    if args.follow {
        settings.about = None;
    }
    Ok(settings)
}

fn timing(args: &RenderArgs) -> Timing {
    Timing {
        span: [args.from, args.to],
        frames_per_second: args.fps.unwrap_or(FRAMES_PER_SECOND),
        speed: args.speed.unwrap_or(1.0),
    }
}

/// Why nothing was made; `left` says what there is where the user stopped it.
fn explain(args: &RenderArgs, error: FilmError, left: &str) -> Result<u8, Failure> {
    Err(match error {
        FilmError::Picture(PictureError::Render(RenderError::Cancelled)) => {
            to_stderr(&format!("cancelled: {left}"));
            return Ok(NOT_CONVERGED);
        }
        FilmError::Picture(PictureError::NoContacts) => Failure::in_file(
            &args.run,
            format_args!(
                "{}; as with --set recording.contacts=true",
                PictureError::NoContacts
            ),
        ),
        FilmError::Picture(error) => Failure::in_file(&args.run, error),
        FilmError::Recording(error) => unreadable(error),
        FilmError::Write { file, source } => Failure::writing(&file, source),
        error @ (FilmError::NoEncoder { .. } | FilmError::Encoder { .. }) => {
            Failure::Input(error.to_string())
        }
    })
}

/// The frame that was asked for.
fn which(recording: &Recording, args: &RenderArgs) -> Result<usize, Failure> {
    let count = recording.len();
    let missing = |words: String| Failure::in_file(recording.path(), words);
    if count == 0 {
        return Err(missing("holds no frame yet".to_owned()));
    }
    if let Some(time) = args.time {
        return Ok(recording.nearest(time).unwrap_or(count - 1));
    }
    let wanted = args.frame.unwrap_or(-1);
    let index = if wanted < 0 {
        wanted + count as i64
    } else {
        wanted
    };
    usize::try_from(index)
        .ok()
        .filter(|k| *k < count)
        .ok_or_else(|| {
            missing(format!(
                "there is no frame {wanted}, only 0 to {}",
                count - 1
            ))
        })
}

/// What the scene of the run asks for, and over that what the command line does.
fn settings(args: &RenderArgs) -> Result<PictureSettings, Failure> {
    let folder = folder_of(&args.run);
    let of_scene = match folder.join(SCENE).is_file() {
        // A recording can be drawn without its scene.
        true => scene_of(&folder).ok(),
        false => None,
    };
    let of_scene = of_scene.map_or_else(PictureSettings::default, |scene| scene.view().into());
    let (size, quality) = match (&args.output, &args.video) {
        (Some(_), _) => (PICTURE_SIZE, Quality::Normal),
        (None, Some(_)) => (FILM_SIZE, Quality::Draft),
        (None, None) => (PICTURE_SIZE, Quality::Draft),
    };
    let color_by = args.color_by.or(of_scene.color_by);
    Ok(PictureSettings {
        size: args.size.unwrap_or(size),
        camera: args.camera.unwrap_or(of_scene.camera),
        color_by,
        color_range: range::color_range(args.range.as_deref(), args.log, color_by)?,
        color_log: args.log,
        cuts: match args.clip.is_empty() {
            true => of_scene.cuts,
            false => args.clip.iter().filter_map(|clip| clip.0).collect(),
        },
        quality: args.quality.map_or(quality, QualityName::quality),
        about: None,
    })
}
