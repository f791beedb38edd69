//! WebM and MP4, by the program `ffmpeg`: it is fed the plain pictures through a pipe.
//!
//! An encoder of our own would be rav1e, the one kept in Rust: about 60 crates more and a multiple
//! of the build time, for a few pictures a second and AV1 that not every player knows.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use super::{Film, FilmError, FilmKind, Observe, shot, writing};

/// Most bytes of what the program says that are kept.
const WORDS: u64 = 4000;

/// Draws a film and has it encoded into the file `out`; `file` is its name in messages.
pub fn write(
    film: &Film<'_>,
    kind: FilmKind,
    file: &Path,
    out: &Path,
    observe: Observe<'_>,
) -> Result<(), FilmError> {
    let mut child = start(film, kind, file, out)?;
    let heard = child.stderr.take().map(|mut pipe| {
        thread::spawn(move || {
            let mut words = Vec::new();
            let _ = pipe.by_ref().take(WORDS).read_to_end(&mut words);
            // The rest is let through, so that the program does not wait for us.
            let _ = std::io::copy(&mut pipe, &mut std::io::sink());
            String::from_utf8_lossy(&words).trim().to_owned()
        })
    });
    let fed = feed(film, &mut child, observe);
    let stopped = matches!(&fed, Err(Some(_)));
    if stopped {
        let _ = child.kill();
    }
    let ended = child.wait().map_err(|source| writing(file, source))?;
    let words = heard
        .and_then(|thread| thread.join().ok())
        .unwrap_or_default();
    match fed {
        Err(Some(error)) => Err(error),
        Ok(()) if ended.success() => Ok(()),
        // A signal from the keyboard ends the program, too.
        _ if observe(0, 0.0).is_break() => Err(FilmError::cancelled()),
        _ => Err(FilmError::Encoder {
            file: file.to_owned(),
            words: match words.is_empty() {
                true => ended.to_string(),
                false => words,
            },
        }),
    }
}

fn start(film: &Film<'_>, kind: FilmKind, file: &Path, out: &Path) -> Result<Child, FilmError> {
    let [width, height] = film.settings.size;
    let size = format!("{width}x{height}");
    let rate = film.frames_per_second.to_string();
    let mut command = Command::new("ffmpeg");
    command.args(["-hide_banner", "-nostdin", "-loglevel", "error", "-y"]);
    command.args(["-f", "rawvideo", "-pix_fmt", "rgba", "-video_size", &size]);
    command.args(["-framerate", &rate, "-i", "pipe:0", "-an"]);
    // Colours are stored for blocks of two by two.
    command.args([
        "-vf",
        "pad=ceil(iw/2)*2:ceil(ih/2)*2",
        "-pix_fmt",
        "yuv420p",
    ]);
    command.args(match kind {
        FilmKind::Mp4 => [
            "-c:v",
            "libx264",
            "-crf",
            "20",
            "-movflags",
            "+faststart",
            "-f",
            "mp4",
        ],
        FilmKind::WebM | FilmKind::Gif => [
            "-c:v",
            "libvpx-vp9",
            "-crf",
            "28",
            "-b:v",
            "0",
            "-f",
            "webm",
        ],
    });
    command.arg(as_file(out).as_os_str());
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command.spawn().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => FilmError::NoEncoder {
            file: file.to_owned(),
        },
        _ => FilmError::Encoder {
            file: file.to_owned(),
            words: error.to_string(),
        },
    })
}

/// A name that cannot be taken for an option or a protocol.
fn as_file(path: &Path) -> std::borrow::Cow<'_, Path> {
    match path.is_absolute() || path.starts_with(".") {
        true => path.into(),
        false => Path::new(".").join(path).into(),
    }
}

/// Sends all pictures. Without an error of its own where the program does not take them: it says
/// why itself.
fn feed(film: &Film<'_>, child: &mut Child, observe: Observe<'_>) -> Result<(), Option<FilmError>> {
    // Closed at the end of this function, which tells the program that there are no more.
    let mut pipe = child.stdin.take().ok_or(None)?;
    for (number, each) in film.shots.iter().enumerate() {
        let image = shot(film.recording, each.frame, film.settings, number, observe);
        let image = image.map_err(Some)?;
        for _ in 0..each.ticks {
            pipe.write_all(image.rgba()).map_err(|_| None)?;
        }
    }
    Ok(())
}
