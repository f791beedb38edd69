//! What Mazhar 2014 says of growing beds (P1-S3), and Mazhar 2015 of the same measurements.

use drystone_ccp::{Law, Method, Termination};

use super::{
    BedSize, BedSolver, EXACT_PATIENCE, GrowthPoint, LARGEST, NEWTON_PATIENCE, PATH_SOLVED,
    PUBLISHED_CONTACTS, SolverGrowth,
};
use crate::compare::profile::median;
use crate::experiment::claim::{Claim, Limit, Measure, Measured, NoFigure, found};
use crate::experiment::mazhar_2014::clarabel;
use crate::table::short_number;

/// All beds, and all solvers on them.
pub struct GrowthRuns {
    pub sizes: Vec<BedSize>,
    pub growths: Vec<SolverGrowth>,
}

type Runs = GrowthRuns;

/// At how much slower "several orders of magnitude" begins: two at the least.
const ORDERS: f64 = 100.0;

impl GrowthRuns {
    /// A solver on all beds.
    fn of(&self, solver: &BedSolver) -> Result<&SolverGrowth, NoFigure> {
        let found = self.growths.iter().find(|g| g.solver == *solver);
        found.ok_or_else(|| match solver {
            BedSolver::Clarabel if !cfg!(feature = "clarabel") => {
                NoFigure::NotJudged(clarabel::NOT_BUILT_IN.to_owned())
            }
            _ => NoFigure::NotJudged(format!("{} was left out", solver.name())),
        })
    }

    fn relaxed(&self, method: Method) -> Result<&SolverGrowth, NoFigure> {
        self.of(&BedSolver::Ours(method, Law::Relaxed))
    }

    /// Median of the ratios of two solvers' times on the beds that both solved and that `count`.
    fn time_ratio(
        &self,
        [a, b]: [&SolverGrowth; 2],
        counts: impl Fn(&GrowthPoint) -> bool,
    ) -> Result<f64, NoFigure> {
        let pairs = a.points.iter().zip(&b.points);
        let both = pairs.filter(|(a, b)| a.solved && b.solved && counts(a));
        median(both.map(|(a, b)| a.seconds / b.seconds)).ok_or_else(|| {
            let [a, b] = [a, b].map(|g| g.solver.name());
            NoFigure::Failed(format!("{a} and {b} solved no bed in common in time"))
        })
    }

    /// Every bed that a solver was tried on must be solved for its growth to mean something.
    fn all_solved(growth: &SolverGrowth) -> Result<&SolverGrowth, NoFigure> {
        let unsolved = growth.points.iter().filter(|p| !p.solved).count();
        match unsolved {
            0 => Ok(growth),
            n => Err(NoFigure::Failed(format!(
                "{} did not solve {n} of {} beds in time",
                growth.solver.name(),
                growth.points.len()
            ))),
        }
    }

    /// By how much the exponent of APGD's time is larger than the interior point's, from so many
    /// contacts on.
    fn difference_of_growth(&self, least: usize) -> Result<f64, NoFigure> {
        let of = |method| {
            let growth = Self::all_solved(self.relaxed(method)?)?;
            Ok(growth.exponent_from(least, |p| p.seconds))
        };
        Ok(of(Method::Apgd)? - of(Method::InteriorPoint)?)
    }

    /// The most iterations of a solver over its fewest.
    fn spread(growth: &SolverGrowth) -> f64 {
        let counts = growth.points.iter().map(|p| p.iterations as f64);
        counts.clone().fold(0.0, f64::max) / counts.fold(f64::INFINITY, f64::min)
    }

    /// The time of newton under the exact law over the interior point's, both to their tolerance: the
    /// median of the beds that PATH solved. Where newton ran out of time its ratio is a lower bound,
    /// and so is the median.
    fn newton_lag(&self) -> Measure {
        let newton = self.of(&BedSolver::Ours(Method::Newton, Law::Exact))?;
        let interior = Self::all_solved(self.relaxed(Method::InteriorPoint)?)?;
        let pairs = newton.points.iter().zip(&interior.points).take(PATH_SOLVED);
        let broke = |p: &&GrowthPoint| !p.solved && p.ended != Termination::TimeLimit.name();
        if let Some(point) = newton.points.iter().take(PATH_SOLVED).find(broke) {
            let why = format!("newton on {} contacts: {}", point.contacts, point.ended);
            return Err(NoFigure::Failed(why));
        }
        let ratios: Vec<f64> = pairs.map(|(a, b)| a.whole / b.whole).collect();
        let late = newton.points.iter().take(PATH_SOLVED).any(|p| !p.solved);
        match median(ratios.iter().copied()).unwrap_or(f64::NAN) {
            lag if !late => found(lag),
            lag if lag >= ORDERS => Ok(Measured::AtLeast(lag)),
            _ => {
                let bounds: Vec<String> = ratios.iter().map(|r| short_number(*r)).collect();
                Err(NoFigure::NotJudged(format!(
                    "newton ran out of time; on the first beds its time is more than {} of the \
                     interior point's",
                    bounds.join(", ")
                )))
            }
        }
    }

    /// A figure that is claimed of beds that did not settle properly: it cannot be judged where most
    /// steps of ours did.
    fn unsettled(&self, figure: f64) -> Measure {
        let [all, short] = [0, 1].map(|k| self.sizes.iter().map(|s| s.steps[k]).sum::<u64>());
        match 2 * short >= all {
            true => found(figure),
            false => Err(NoFigure::NotJudged(format!(
                "it is said of data that was not settled properly, and of the {all} steps in which \
                 the beds here settled {short} fell short of their tolerance; here it is {}",
                short_number(figure)
            ))),
        }
    }

    /// Largest relative difference between the objectives that the solvers of the relaxed problem
    /// end with, also where they do not get to the target.
    fn disagreement(&self) -> f64 {
        let relaxed: Vec<&SolverGrowth> = self
            .growths
            .iter()
            .filter(|g| !matches!(g.solver, BedSolver::Ours(_, Law::Exact)))
            .collect();
        let spread = |k: usize| {
            let points = relaxed.iter().filter_map(|g| g.points.get(k));
            let values = points.map(|p| p.objective).filter(|f| f.is_finite());
            let [low, high] = values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| {
                [low.min(v), high.max(v)]
            });
            (high - low) / low.abs()
        };
        (0..self.sizes.len()).map(spread).fold(0.0, f64::max)
    }

    /// Share of some beds whose solution's primal objective lies above the input's.
    fn stiffer(beds: &[BedSize]) -> f64 {
        let above = beds.iter().filter(|s| s.primal[1] > s.primal[0]).count();
        above as f64 / beds.len() as f64
    }

    /// The bed of so many spheres.
    fn bed(&self, spheres: usize) -> Result<&BedSize, NoFigure> {
        let found = self.sizes.iter().find(|s| s.spheres == spheres);
        found.ok_or_else(|| NoFigure::NotJudged(format!("no bed has {spheres} spheres")))
    }
}

/// What the papers say of growing beds.
pub fn claims() -> Vec<Claim<Runs>> {
    use Method::{Apgd, InteriorPoint};
    const CONTACTS: &str = "The number of spheres ranged from 64 to 2560 at increments of 64 bodies. \
        The number of contacts ranged from 77 to 9228";
    const SIMILAR: &str = "both APGD and Mosek converge to similar objective values at similar \
        speeds; their performance and scaling is similar";
    const CLOSING: &str = "APGD is faster for problems with thousands of contacts but Mosek is slowly \
        closing the performance gap";
    const PATH: &str = "PATH results are shown for the first six problems after which it timed out \
        after 3600 seconds; it was already several orders of magnitude slower than APGD or Mosek";
    const TIMES: &str = "Mazhar 2015 calls the comparison of times inconclusive: implementation \
        details and the sparse linear solver dictate them (§4.1.3). Our interior point is not Mosek.";
    const UNSETTLED: &str = "When the data was not settled properly, the number of iterations \
        required to converge for APGD varied greatly while Mosek consistently converges within the \
        same number of iterations and wall clock time";
    const STIFFER: &str = "a larger primal objective value after solving than the initial input. The \
        reason that this occurs for larger problems is because during the settling process 10000 \
        iterations are not enough";
    let mut claims = vec![
        Claim::<Runs>::published("fewest-contacts", "§5.2", CONTACTS)
            .contacts(PUBLISHED_CONTACTS[0] as f64)
            .cause(
                "With 77 contacts most of the paper's 64 spheres lie on the floor: its box cannot \
                 have grown with their number as ours does, and it does not give one.",
            )
            .measure("contacts of 64 spheres", |runs| {
                found(runs.bed(64)?.contacts as f64)
            }),
        Claim::<Runs>::published("most-contacts", "§5.2", CONTACTS)
            .contacts(PUBLISHED_CONTACTS[1] as f64)
            .measure("contacts of 2560 spheres", |runs| {
                found(runs.bed(LARGEST)?.contacts as f64)
            }),
        Claim::<Runs>::published("similar-objectives", "§6.1", SIMILAR)
            .limit(Limit::AtMost(1e-3), "similar: no difference in a plot or in three digits")
            .measure(
                "largest relative difference of the objectives that the solvers of the relaxed \
                 problem end with",
                |runs| found(runs.disagreement()),
            ),
        Claim::<Runs>::published("similar-speeds", "§6.1", SIMILAR)
            .limit(Limit::Between(0.5, 2.0), "similar: within a factor of two")
            .timed()
            .cause(TIMES)
            .measure("APGD's time to the interior point's objective over the interior point's, \
                      median of the beds that both solve", |runs| {
                let pair = [runs.relaxed(Apgd)?, runs.relaxed(InteriorPoint)?];
                found(runs.time_ratio(pair, |_| true)?)
            }),
        Claim::<Runs>::published("similar-scaling", "§6.1", SIMILAR)
            .limit(
                Limit::Between(-0.2, 0.2),
                "similar: over a hundredfold of contacts, as in the paper, their ratio changes by \
                 less than 2.5",
            )
            .timed()
            .cause(TIMES)
            .measure("exponent of APGD's time to that objective over contacts, less the interior \
                      point's", |runs| {
                found(runs.difference_of_growth(0)?)
            }),
        Claim::<Runs>::published("apgd-faster", "Mazhar 2015, §4.1.3", CLOSING)
            .limit(Limit::AtMost(1.0), "faster")
            .timed()
            .cause(TIMES)
            .measure("APGD's time to the interior point's objective over the interior point's from \
                      1000 contacts on, median of the beds that both solve", |runs| {
                let pair = [runs.relaxed(Apgd)?, runs.relaxed(InteriorPoint)?];
                match runs.sizes.last().is_some_and(|s| s.contacts >= 2000) {
                    true => found(runs.time_ratio(pair, |p| p.contacts >= 1000)?),
                    false => Err(NoFigure::NotJudged("no bed has 2000 contacts".to_owned())),
                }
            }),
        Claim::<Runs>::published("closing", "Mazhar 2015, §4.1.3", CLOSING)
            .limit(Limit::AtLeast(0.0), "closing the gap: APGD's time grows faster")
            .timed()
            .cause(TIMES)
            .measure(
                "from 1000 contacts on: exponent of APGD's time to that objective less the interior \
                 point's",
                |runs| found(runs.difference_of_growth(1000)?),
            ),
        Claim::<Runs>::published("path-slower", "§5.1, §5.2", PATH)
            .limit(Limit::AtLeast(ORDERS), "several orders of magnitude: two at the least")
            .timed()
            .cause("newton is not PATH: it is another method for the same problem.")
            .measure(
                "time of newton under the exact law, in PATH's place, over the interior point's, \
                 median of the first six beds",
                Runs::newton_lag,
            ),
        Claim::<Runs>::published("path-solved", "§5.2", PATH)
            .size(PATH_SOLVED as f64)
            .timed()
            .cause("newton is not PATH: it is another method for the same problem.")
            .measure("beds that newton solves under the exact law, in PATH's place", |runs| {
                let exact = runs.of(&BedSolver::Ours(Method::Newton, Law::Exact))?;
                let solved = exact.solved().count() as f64;
                let late = exact.points.iter().any(|p| p.ended == Termination::TimeLimit.name());
                // PATH had 3600 s: with as long, newton might solve more than it does here.
                match late && solved <= Limit::size(PATH_SOLVED as f64).highest() {
                    true => Err(NoFigure::NotJudged(format!(
                        "newton solves {solved} beds, in {NEWTON_PATIENCE} s on each of the first \
                         {PATH_SOLVED} at scale 1 and {EXACT_PATIENCE} s on the others; PATH had \
                         3600 s, which are not given here"
                    ))),
                    false => found(solved),
                }
            }),
        Claim::<Runs>::published("apgd-varies", "§6.1", UNSETTLED)
            .limit(Limit::AtLeast(2.0), "greatly: by a factor of two at the least")
            .measure("APGD's most iterations over its fewest, over all beds", |runs| {
                runs.unsettled(Runs::spread(runs.relaxed(Apgd)?))
            }),
        Claim::<Runs>::published(
            "objective-jumps",
            "§6.1",
            "When the data was not settled properly, small changes in the number of objects resulted \
             in large changes in the objective value",
        )
        .limit(Limit::AtLeast(2.0), "large: a factor of two at the least")
        .measure(
            "largest ratio of the objectives per sphere of two beds that follow each other in size",
            |runs| {
                let points = Runs::all_solved(runs.relaxed(InteriorPoint)?)?.points.iter();
                let each: Vec<f64> = points
                    .zip(&runs.sizes)
                    .map(|(p, size)| p.objective / size.spheres as f64)
                    .collect();
                let ratio = |w: &[f64]| (w[1] / w[0]).max(w[0] / w[1]);
                runs.unsettled(each.windows(2).map(ratio).fold(1.0, f64::max))
            },
        ),
        Claim::<Runs>::published("mosek-steady", "§6.1", UNSETTLED)
            .limit(Limit::AtMost(1.5), "the same number: within a half")
            .measure("the interior point's most iterations over its fewest", |runs| {
                runs.unsettled(Runs::spread(Runs::all_solved(runs.relaxed(InteriorPoint)?)?))
            }),
        Claim::<Runs>::published("stiffer-large", "Fig. 6, §5.2", STIFFER)
            .limit(Limit::AtLeast(0.9), "it occurs for larger problems: nearly all of them")
            .measure(
                "share of the larger half of the beds whose solution's primal objective lies above \
                 the input's",
                |runs| found(Runs::stiffer(&runs.sizes[runs.sizes.len() / 2..])),
            ),
        Claim::<Runs>::published("stiffer-small", "Fig. 6, §5.2", STIFFER)
            .limit(Limit::AtMost(0.5), "for larger problems, so not for most of the small ones")
            .cause(
                "Our beds settled with at most 100 iterations per step to a loose tolerance, the \
                 paper's with up to 10 000.",
            )
            .measure("share of the smallest quarter of the beds whose solution's primal objective lies above \
                 the input's", |runs| {
                found(Runs::stiffer(&runs.sizes[..runs.sizes.len().div_ceil(4)]))
            }),
        Claim::<Runs>::own("clarabel")
            .limit(Limit::AtMost(0.0), "it is a finished solver")
            .measure("beds that an outside conic solver, Clarabel, does not solve in time", |runs| {
                let points = &runs.of(&BedSolver::Clarabel)?.points;
                found(points.iter().filter(|p| !p.solved).count() as f64)
            }),
    ];
    for method in [Method::NesterovGs, Method::Auto] {
        claims.push(
            Claim::<Runs>::own(method.name())
                .limit(Limit::AtLeast(1.0), "ahead")
                .timed()
                .measure(
                    format!(
                        "APGD's time to the interior point's objective over that of {}, median of \
                         the beds that both solve",
                        method.name()
                    ),
                    move |runs| {
                        let pair = [runs.relaxed(Apgd)?, runs.relaxed(method)?];
                        found(runs.time_ratio(pair, |_| true)?)
                    },
                ),
        );
    }
    claims
}
