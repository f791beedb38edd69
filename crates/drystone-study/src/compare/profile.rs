//! Performance profiles after Dolan and Moré, *Benchmarking optimization software with performance
//! profiles*, Math. Program. 91 (2002): for each method the share of problems that it solves within
//! a factor tau of the best method of each problem.

/// A method's profile: the share `rho(tau)` as a staircase.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Corners `[tau, share]` of the staircase, from tau = 1 to the end of the axis.
    pub corners: Vec<[f64; 2]>,
}

/// `cost / best cost` per problem and method; infinite where a method did not solve a problem.
///
/// `costs[problem][method]` is `None` where it did not.
pub fn ratios(costs: &[Vec<Option<f64>>]) -> Vec<Vec<f64>> {
    let of_problem = |costs: &Vec<Option<f64>>| {
        let best = costs
            .iter()
            .flatten()
            .copied()
            .fold(f64::INFINITY, f64::min);
        let ratio = |cost: f64| if cost <= best { 1.0 } else { cost / best };
        let ratio = |cost: &Option<f64>| cost.map_or(f64::INFINITY, ratio);
        costs.iter().map(ratio).collect()
    };
    costs.iter().map(of_problem).collect()
}

/// The profile of each method. A problem that no method solved counts against all.
pub fn profiles(ratios: &[Vec<f64>]) -> Vec<Profile> {
    let finite = ratios.iter().flatten().copied().filter(|r| r.is_finite());
    let largest = finite.fold(1.0, f64::max);
    // A little past the last step, so that the step can be seen. At least a decade, so that the
    // axis has two labels.
    let end = (1.2 * largest).max(10.0);
    let methods = ratios.first().map_or(0, Vec::len);
    let of_method = |m: usize| {
        let mut own: Vec<f64> = ratios.iter().map(|r| r[m]).collect();
        own.retain(|r| r.is_finite());
        own.sort_by(f64::total_cmp);
        staircase(&own, ratios.len(), end)
    };
    (0..methods).map(of_method).collect()
}

/// The staircase of sorted ratios among `problems` problems.
fn staircase(sorted: &[f64], problems: usize, end: f64) -> Profile {
    let share = |solved: usize| solved as f64 / problems.max(1) as f64;
    let at_one = sorted.iter().filter(|&&r| r <= 1.0).count();
    let mut corners = vec![[1.0, share(at_one)]];
    for (k, &tau) in sorted.iter().enumerate().skip(at_one) {
        corners.push([tau, share(k)]);
        corners.push([tau, share(k + 1)]);
    }
    corners.push([end, share(sorted.len())]);
    Profile { corners }
}

/// Median of finite numbers; `None` of none.
pub fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = values.filter(|v| v.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    if sorted.len() % 2 == 1 {
        Some(upper)
    } else {
        Some(0.5 * (sorted[middle - 1] + upper))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four problems, two methods. By hand: ratios (1, 2), (4, 1), (1, ∞), (∞, ∞). So method 0
    /// solves half of the problems at tau = 1 and three quarters from 4 on; method 1 a quarter at 1
    /// and half from 2 on.
    #[test]
    fn profiles_match_a_case_by_hand() {
        let costs = [
            vec![Some(1.0), Some(2.0)],
            vec![Some(12.0), Some(3.0)],
            vec![Some(5.0), None],
            vec![None, None],
        ];
        let ratios = ratios(&costs);
        let inf = f64::INFINITY;
        assert_eq!(ratios, [[1.0, 2.0], [4.0, 1.0], [1.0, inf], [inf, inf]]);
        let profiles = profiles(&ratios);
        let first = [[1.0, 0.5], [4.0, 0.5], [4.0, 0.75], [10.0, 0.75]];
        assert_eq!(profiles[0].corners, first);
        let second = [[1.0, 0.25], [2.0, 0.25], [2.0, 0.5], [10.0, 0.5]];
        assert_eq!(profiles[1].corners, second);
    }

    #[test]
    fn a_cost_of_zero_is_best_and_the_rest_never_catch_up() {
        assert_eq!(
            ratios(&[vec![Some(0.0), Some(1.0), Some(0.0)]]),
            [[1.0, f64::INFINITY, 1.0]]
        );
    }

    #[test]
    fn medians() {
        assert_eq!(median([3.0, 1.0, 2.0].into_iter()), Some(2.0));
        assert_eq!(median([4.0, 1.0, f64::INFINITY].into_iter()), Some(2.5));
        assert_eq!(median(std::iter::empty()), None);
    }
}
