//! `drystone render`: a picture of a run.

use drystone_draw::render::{Quality, RenderError};
use drystone_draw::{PictureError, PictureSettings, draw};
use drystone_run::recording::Recording;
use drystone_run::run_folder::SCENE;
use drystone_run::source::scene_of;
use drystone_study::output::check_writable;
use drystone_study::table::short_number;

use crate::args::simulation::{QualityName, RenderArgs};
use crate::cancellation::{Interrupt, Stage};
use crate::failure::{Failure, NOT_CONVERGED, SUCCESS};
use crate::output::{to_stderr, to_stdout, write_bytes};
use crate::run_recording::{folder_of, open, unreadable};
use crate::threads::thread_pool;

/// Makes a picture of a run.
pub fn render(args: &RenderArgs, interrupt: &Interrupt) -> Result<u8, Failure> {
    check_writable(&args.output)?;
    let pool = thread_pool(args.threads)?;
    let recording = open(&args.run)?;
    let index = which(&recording, args)?;
    let frame = recording.frame(index).map_err(unreadable)?;
    let settings = settings(args);
    interrupt.enter(Stage::Cancel {
        now: "cancelling",
        late: "gave up: no picture was written".to_owned(),
    });
    let cancel = interrupt.flag();
    match pool.install(|| draw(recording.header(), &frame, &settings, cancel)) {
        Ok(png) => {
            interrupt.enter(Stage::Save);
            write_bytes(&args.output, &png)?;
            to_stdout(&format!(
                "{}: frame {index} of {}, t = {} s\n",
                args.output.display(),
                recording.len(),
                short_number(frame.time)
            ))?;
            Ok(SUCCESS)
        }
        Err(PictureError::Render(RenderError::Cancelled)) => {
            to_stderr("cancelled: no picture was written");
            Ok(NOT_CONVERGED)
        }
        Err(PictureError::NoContacts) => Err(Failure::in_file(
            &args.run,
            format_args!(
                "{}; as with --set recording.contacts=true",
                PictureError::NoContacts
            ),
        )),
        Err(error) => Err(Failure::in_file(&args.run, error)),
    }
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
fn settings(args: &RenderArgs) -> PictureSettings {
    let folder = folder_of(&args.run);
    let of_scene = match folder.join(SCENE).is_file() {
        // A recording can be drawn without its scene.
        true => scene_of(&folder).ok(),
        false => None,
    };
    let of_scene = of_scene.map_or_else(PictureSettings::default, |scene| scene.view().into());
    PictureSettings {
        size: args.size,
        camera: args.camera.unwrap_or(of_scene.camera),
        color_by: args.color_by.or(of_scene.color_by),
        cuts: match args.clip.is_empty() {
            true => of_scene.cuts,
            false => args.clip.clone(),
        },
        quality: match args.quality {
            QualityName::Draft => Quality::Draft,
            QualityName::Normal => Quality::Normal,
            QualityName::Fine => Quality::Fine,
        },
    }
}
