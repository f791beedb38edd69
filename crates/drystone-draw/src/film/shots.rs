//! Which frames of a recording a film shows, and for how long.

use drystone_run::recording::Recording;

/// A frame and how long it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shot {
    /// Which frame of the recording.
    pub frame: usize,
    /// For how many pictures of the film; at least one.
    pub ticks: u32,
}

/// How the time of a film goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// First and last simulated time, s; those of the recording where not given.
    pub span: [Option<f64>; 2],
    /// Pictures a second.
    pub frames_per_second: f64,
    /// Simulated seconds in a second of the film.
    pub speed: f64,
}

/// Most pictures of a film: more than eleven hours of 25 a second.
const MOST: f64 = 1e6;

/// Why a film has no shots.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ShotsError {
    /// The recording has no frame in the span.
    #[error(
        "there is no frame between {from} s and {to} s: expected times from {first} s to {last} s"
    )]
    Empty {
        /// From when on, s.
        from: f64,
        /// Until when, s.
        to: f64,
        /// Time of the first frame, s.
        first: f64,
        /// Time of the last one, s.
        last: f64,
    },
    /// There is no frame at all.
    #[error("holds no frame yet")]
    NoFrame,
    /// More pictures than anybody watches.
    #[error(
        "a film of {0:.1e} pictures: expected at most a million, by another speed or another span"
    )]
    Long(f64),
}

impl Timing {
    /// The first and the last frame within the span.
    pub fn frames(&self, recording: &Recording) -> Result<[usize; 2], ShotsError> {
        within(&times(recording), self.span)
    }
}

/// Shows at every tick of the film the frame nearest in time. Frames that no tick is nearest to are
/// left out, and a frame that is nearest to several is shown for as long.
pub fn shots(recording: &Recording, timing: &Timing) -> Result<Vec<Shot>, ShotsError> {
    shots_at(&times(recording), timing)
}

fn times(recording: &Recording) -> Vec<f64> {
    (0..recording.len()).map(|k| recording.time(k)).collect()
}

fn within(times: &[f64], span: [Option<f64>; 2]) -> Result<[usize; 2], ShotsError> {
    let (&first, &last) = match (times.first(), times.last()) {
        (Some(first), Some(last)) => (first, last),
        _ => return Err(ShotsError::NoFrame),
    };
    let [from, to] = [span[0].unwrap_or(first), span[1].unwrap_or(last)];
    // Times of frames are sums of steps: a little off the round ones that people write.
    let slack = 1e-9 * (last - first).abs();
    let begin = times.partition_point(|t| *t < from - slack);
    let end = times.partition_point(|t| *t <= to + slack);
    match begin < end {
        true => Ok([begin, end - 1]),
        false => {
            // Without what sums of steps leave behind.
            let [from, to, first, last] =
                [from, to, first, last].map(|time| (time * 1e9).round() / 1e9);
            Err(ShotsError::Empty {
                from,
                to,
                first,
                last,
            })
        }
    }
}

fn shots_at(times: &[f64], timing: &Timing) -> Result<Vec<Shot>, ShotsError> {
    let [begin, end] = within(times, timing.span)?;
    let step = timing.speed / timing.frames_per_second;
    let ticks = ((times[end] - times[begin]) / step).round() + 1.0;
    if ticks.is_nan() || ticks > MOST {
        return Err(ShotsError::Long(ticks));
    }
    let mut shots: Vec<Shot> = Vec::new();
    let mut frame = begin;
    for tick in 0..ticks as u32 {
        let time = times[begin] + f64::from(tick) * step;
        // The next frame from the middle between two on, whatever rounding makes of it.
        let time = time + 1e-6 * step;
        while frame < end && time >= 0.5 * (times[frame] + times[frame + 1]) {
            frame += 1;
        }
        match shots.last_mut() {
            Some(shot) if shot.frame == frame => shot.ticks += 1,
            _ => shots.push(Shot { frame, ticks: 1 }),
        }
    }
    Ok(shots)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timing(frames_per_second: f64, speed: f64) -> Timing {
        Timing {
            span: [None; 2],
            frames_per_second,
            speed,
        }
    }

    fn pairs(times: &[f64], timing: &Timing) -> Vec<(usize, u32)> {
        let shots = shots_at(times, timing).unwrap();
        shots.iter().map(|s| (s.frame, s.ticks)).collect()
    }

    #[test]
    fn frames_are_left_out_or_held_so_that_time_goes_evenly() {
        let times: Vec<f64> = (0..=10).map(|k| f64::from(k) * 0.01).collect();
        // As recorded: a hundred a second.
        let all: Vec<(usize, u32)> = (0..=10).map(|k| (k, 1)).collect();
        assert_eq!(pairs(&times, &timing(100.0, 1.0)), all);
        assert_eq!(pairs(&times, &timing(50.0, 0.5)), all);
        // Every second one.
        let half = [0, 2, 4, 6, 8, 10].map(|k| (k, 1));
        assert_eq!(pairs(&times, &timing(50.0, 1.0)), half);
        // Slow motion: each is held for two ticks, the ends for one or two.
        let held = pairs(&times, &timing(100.0, 0.5));
        assert_eq!(held.iter().map(|(_, ticks)| ticks).sum::<u32>(), 21);
        assert!(held[1..10].iter().all(|(_, ticks)| *ticks == 2), "{held:?}");
    }

    #[test]
    fn a_span_is_cut_out_and_must_hold_a_frame() {
        let times = [0.0, 0.1, 0.2, 0.3];
        let span = |span| within(&times, span);
        assert_eq!(span([Some(0.1), Some(0.3)]), Ok([1, 3]));
        assert_eq!(span([None, Some(0.15)]), Ok([0, 1]));
        let message = span([Some(0.4), None]).unwrap_err().to_string();
        assert!(message.contains("from 0 s to 0.3 s"), "{message}");
        assert_eq!(within(&[], [None; 2]), Err(ShotsError::NoFrame));
        assert!(matches!(
            shots_at(&times, &timing(25.0, 1e-9)),
            Err(ShotsError::Long(_))
        ));
        assert_eq!(pairs(&[0.5], &timing(25.0, 1.0)), [(0, 1)]);
    }
}
