//! One iteration of the first-order methods: nanoseconds and bytes a contact, by kind of row and
//! number of threads, beside the bandwidth of the memory in the same run.
//!
//! A solve with more iterations minus one with fewer, over the difference of their numbers: what a
//! solve does before and after its iterations drops out. Both begin at the same point on the way to
//! the solution, where the contacts that slide, stick and part are as mixed as in real steps.

mod specimen;
mod traffic;
mod triad;

use std::path::PathBuf;

use drystone_ccp::{Cone, Method};
use drystone_problems::Problem;
use drystone_run::{Control, Event};

use super::cases::Stage;
use super::{BenchContext, BenchReport, pools};
use crate::compare::profile::median;
use crate::error::StudyError;
use crate::table::{Row, plural, short_number};
use drystone_draw::plot::{AxisScale, Curve, CurveLook, Figure, LegendEntry, Mark, Panel};
use specimen::{SPHERES, Specimen, specimens};

/// The methods whose iterations are counted in bytes.
pub const FIRST_ORDER: [Method; 6] = [
    Method::NesterovGs,
    Method::GaussSeidel,
    Method::ApgdFused,
    Method::Apgd,
    Method::Spg,
    Method::Jacobi,
];

/// Contacts that a kernel takes at once: sweeps and passes over two-body problems take packs of
/// eight, but for rows other than those of friction. Only `apgd` keeps to products. The bench has
/// rolling friction between spheres only, which comes in packs too.
fn lanes(method: Method, problem: &Problem) -> usize {
    match (method, problem) {
        (
            Method::NesterovGs
            | Method::GaussSeidel
            | Method::ApgdFused
            | Method::Spg
            | Method::Jacobi,
            Problem::TwoBody(problem),
        ) => {
            let cones = problem.cones().as_slice();
            let is_packed = |cone: &Cone| !cone.parts().as_slice().is_empty();
            if cones.iter().all(is_packed) { 8 } else { 1 }
        }
        _ => 1,
    }
}

/// What to measure.
#[derive(Clone, Debug)]
pub struct KernelSettings {
    /// Numbers of spheres of the piles.
    pub sizes: Vec<usize>,
    /// Size of the other problems, 1 for 10 000 grains and 1000 rods. > 0.
    pub scale: f64,
    /// Methods, of [`FIRST_ORDER`].
    pub methods: Vec<Method>,
    /// Numbers of threads.
    pub threads: Vec<usize>,
    /// Further problems, from files.
    pub files: Vec<PathBuf>,
    /// Times that each measurement is made; the median counts. >= 1.
    pub repeats: usize,
    /// Time that the iterations of one measurement should take, s: their number follows from it.
    pub seconds: f64,
    /// Numbers in each array of the triad.
    pub triad_length: usize,
}

/// What one measurement gave.
struct Measurement {
    kind: &'static str,
    name: String,
    method: Method,
    threads: usize,
    bodies: usize,
    blocks: usize,
    rows: usize,
    lanes: usize,
    timing: Timing,
    /// Of an iteration.
    bytes: f64,
    /// Bytes a second of the triad on as many threads.
    triad: f64,
}

/// What an iteration takes.
#[derive(Clone, Copy)]
struct Timing {
    /// Median of the measurements, s.
    median: f64,
    /// The shortest of them, s: what a busy machine disturbed least.
    shortest: f64,
    /// Products or sweeps.
    products: f64,
}

/// Measures iterations. Once the caller cancels, the report holds what had ended.
pub fn kernels(
    settings: &KernelSettings,
    context: BenchContext<'_>,
) -> Result<BenchReport, StudyError> {
    if let Some(other) = settings.methods.iter().find(|m| !FIRST_ORDER.contains(m)) {
        return Err(StudyError::Refused(format!(
            "bench kernels measures {}, not {}: its iterations differ too much from each other",
            FIRST_ORDER.map(Method::name).join(", "),
            other.name()
        )));
    }
    let mut found = Found::default();
    let ended = measure_all(settings, context, &mut found);
    found.report(settings).ended_by(ended)
}

/// What was found so far.
#[derive(Default)]
struct Found {
    triads: Vec<Row>,
    done: Vec<Measurement>,
    skipped: Vec<Row>,
}

impl Found {
    fn report(&self, settings: &KernelSettings) -> BenchReport {
        let described = vec![
            ("scale", settings.scale.into()),
            ("repeats", settings.repeats.into()),
            ("seconds_a_measurement", settings.seconds.into()),
        ];
        let title = "Iterations of first-order methods";
        let mut report = BenchReport::new("kernels", title, described);
        let triads = self.triads.clone();
        report.table("triad", "Bandwidth of the memory", ABOUT_TRIAD, triads);
        let rows = self.done.iter().map(Measurement::row).collect();
        report.table("kernels", "One iteration", ABOUT_KERNELS, rows);
        report.table("skipped", "Not measured", "", self.skipped.clone());
        let caption = "Piles of spheres on the first number of threads.";
        report.figure("kernels", figure(&self.done), caption);
        for m in self.done.iter().filter(|m| m.kind == SPHERES) {
            report.finding(m.sentence());
        }
        report
    }
}

const ABOUT_TRIAD: &str = "a = b + s c on arrays that no cache holds, 24 bytes an element, the best \
     of several runs.";

const ABOUT_KERNELS: &str = "Medians, and the shortest of the measurements. A contact is a block of rows: a contact or a joint. Bytes are \
     counted from the arrays that the method walks over, each once a pass; the share of the triad is \
     bytes over time over the bandwidth on as many threads. It may pass 100 % where a cache holds \
     the problem. Products counts sweeps too.";

fn measure_all(
    settings: &KernelSettings,
    context: BenchContext<'_>,
    found: &mut Found,
) -> Result<(), StudyError> {
    let pools = pools(&settings.threads)?;
    let mut rates = Vec::new();
    for (threads, pool) in &pools {
        let rate = pool.install(|| triad::bandwidth(settings.triad_length));
        rates.push(rate);
        found.triads.push(vec![
            ("threads", (*threads).into()),
            ("gb_per_s", (1e-9 * rate).into()),
        ]);
    }
    let mut stage = Stage::new("kernels", context);
    for make in specimens(settings) {
        let specimen = make(&mut stage, context.control)?;
        for &method in &settings.methods {
            for ((threads, pool), &triad) in pools.iter().zip(&rates) {
                let label = format!(
                    "{} {}, {}, {}",
                    specimen.kind,
                    specimen.name,
                    method.name(),
                    plural(*threads, "thread")
                );
                context.control.tell(Event::Begin(&label));
                let timed =
                    pool.install(|| iteration(&specimen, method, settings, context.control))?;
                let words = match timed {
                    Ok(timing) => {
                        let one = specimen.measured(method, *threads, triad, timing);
                        let words = format!("{label}: {} ns", short_number(one.nanoseconds()));
                        found.done.push(one);
                        words
                    }
                    Err(reason) => {
                        found.skipped.push(vec![
                            ("kind", specimen.kind.into()),
                            ("problem", specimen.name.as_str().into()),
                            ("method", method.name().into()),
                            ("threads", (*threads).into()),
                            ("reason", reason.as_str().into()),
                        ]);
                        format!("{label}: not measured, {reason}")
                    }
                };
                context.control.tell(Event::End(Some(&words)));
            }
        }
        (context.keep)(&found.report(settings))?;
    }
    Ok(())
}

impl Specimen {
    fn measured(&self, method: Method, threads: usize, triad: f64, timing: Timing) -> Measurement {
        let bytes = traffic::per_iteration(&self.problem, method, timing.products);
        Measurement {
            kind: self.kind,
            name: self.name.clone(),
            method,
            threads,
            bodies: self.bodies,
            blocks: self.problem.cones().as_slice().len(),
            lanes: lanes(method, &self.problem),
            rows: self.problem.dim(),
            timing,
            bytes: bytes.unwrap_or(f64::NAN),
            triad,
        }
    }
}

/// Iterations of the shorter of two solves: past the first ones, in which methods find their step
/// lengths.
const SHORTER: usize = 10;

/// Fewest and most iterations that the longer solve makes beyond the shorter. A multiple of forty
/// holds whole rounds of checks and refreshes.
const BEYOND: [usize; 2] = [40, 4000];

/// What one iteration takes, or why that is not known. The outer error is a cancellation.
fn iteration(
    specimen: &Specimen,
    method: Method,
    settings: &KernelSettings,
    control: Control<'_>,
) -> Result<Result<Timing, String>, StudyError> {
    let measure = || {
        let shorter = specimen.timed(method, SHORTER, control)?;
        let trial = specimen.timed(method, SHORTER + BEYOND[0], control)?;
        let single = (trial.seconds - shorter.seconds).max(1e-9) / BEYOND[0] as f64;
        let wanted = (settings.seconds / single / BEYOND[0] as f64).ceil() as usize * BEYOND[0];
        let beyond = wanted.clamp(BEYOND[0], BEYOND[1]);
        let (mut seconds, mut products) = (Vec::new(), 0);
        for _ in 0..settings.repeats.max(1) {
            let shorter = specimen.timed(method, SHORTER, control)?;
            let longer = specimen.timed(method, SHORTER + beyond, control)?;
            seconds.push((longer.seconds - shorter.seconds) / beyond as f64);
            products = longer.products - shorter.products;
        }
        // On a busy machine the longer of two short solves may take less time than the other.
        seconds.retain(|s| *s > 0.0);
        let shortest = seconds.iter().copied().fold(f64::INFINITY, f64::min);
        let middle = median(seconds.into_iter());
        Ok(Timing {
            median: middle.ok_or("its time is lost in the noise of the machine")?,
            shortest,
            products: products as f64 / beyond as f64,
        })
    };
    let outcome = measure();
    match control.is_cancelled() {
        true => Err(StudyError::Cancelled),
        false => Ok(outcome),
    }
}

impl Measurement {
    /// Of an iteration, a contact.
    fn nanoseconds(&self) -> f64 {
        1e9 * self.timing.median / self.blocks as f64
    }

    fn share(&self) -> f64 {
        self.bytes / self.timing.median / self.triad
    }

    fn row(&self) -> Row {
        vec![
            ("kind", self.kind.into()),
            ("problem", self.name.as_str().into()),
            ("method", self.method.name().into()),
            ("threads", self.threads.into()),
            ("lanes", self.lanes.into()),
            ("bodies", self.bodies.into()),
            ("contacts", self.blocks.into()),
            ("rows", self.rows.into()),
            ("ns_per_contact", self.nanoseconds().into()),
            (
                "shortest_ns",
                (1e9 * self.timing.shortest / self.blocks as f64).into(),
            ),
            (
                "bytes_per_contact",
                (self.bytes / self.blocks as f64).into(),
            ),
            ("products_per_iteration", self.timing.products.into()),
            ("triad_percent", (100.0 * self.share()).into()),
        ]
    }

    fn sentence(&self) -> String {
        format!(
            "{} on {} ({} contacts, {}): {} ns a contact and iteration, {} % of the triad.",
            self.method.name(),
            self.name,
            self.blocks,
            plural(self.threads, "thread"),
            short_number(self.nanoseconds()),
            short_number(100.0 * self.share())
        )
    }
}

fn figure(done: &[Measurement]) -> Figure {
    let scales = [AxisScale::Log, AxisScale::Log];
    let mut panel = Panel::new("contacts", "time of an iteration (ns a contact)", scales);
    let mut legend = Vec::new();
    let threads = done.first().map_or(1, |m| m.threads);
    for method in FIRST_ORDER {
        let own = |m: &&Measurement| (m.kind, m.method, m.threads) == (SPHERES, method, threads);
        let points: Vec<[f64; 2]> = done
            .iter()
            .filter(own)
            .map(|m| [m.blocks as f64, m.nanoseconds()])
            .collect();
        if !points.is_empty() {
            let look = CurveLook::method(method).with_marks(Mark::Circle);
            legend.push(LegendEntry::new(method.name(), look));
            panel.curves.push(Curve { look, points });
        }
    }
    Figure {
        title: "Time of an iteration".to_owned(),
        columns: 1,
        panels: vec![panel],
        legend,
    }
}
