//! "Did you mean": the nearest known name.

/// Longest name that is compared, bytes: the time goes with the product of two lengths, and nobody
/// types a longer one.
const LONGEST: usize = 100;
/// Known names that are compared with.
const MOST_KNOWN: usize = 2000;

/// Words of other programs, or of a first guess, and ours.
const MEANT: [(&str, &str); 16] = [
    ("force", "load"),
    ("torque", "load"),
    ("floor", "open"),
    ("walls", "open"),
    ("static", "kind"),
    ("fixed", "kind"),
    ("dt", "time_step"),
    ("timestep", "time_step"),
    ("end_time", "duration"),
    ("mu", "friction"),
    ("bounce", "restitution"),
    ("orientation", "rotation"),
    ("omega", "angular_velocity"),
    ("max_torque", "max_force"),
    ("diameter", "radius"),
    ("effort", "max_force"),
];

/// The known name nearest to `name`, if it is near enough to be a typing error, or what another
/// word for it means here.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    if name.len() > LONGEST {
        return None;
    }
    let name = name.to_lowercase();
    // One wrong letter in a short word, a third of the letters in a long one.
    let most = ((name.chars().count() + 1) / 3).max(1);
    let known: Vec<&str> = known
        .into_iter()
        .take(MOST_KNOWN)
        .filter(|candidate| candidate.len() <= LONGEST)
        .collect();
    let meant = MEANT.iter().filter(|(word, _)| *word == name);
    if let Some((_, ours)) = meant.into_iter().find(|(_, ours)| known.contains(ours)) {
        return Some((*ours).to_owned());
    }
    known
        .into_iter()
        .map(|candidate| (distance(&name, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= most || is_start(&name, candidate))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate.to_owned())
}

/// Whether one is the beginning of the other: `friction_coefficient` for `friction`.
fn is_start(name: &str, candidate: &str) -> bool {
    let candidate = candidate.to_lowercase();
    let shorter = name.len().min(candidate.len());
    shorter >= 3 && (name.starts_with(&candidate) || candidate.starts_with(name))
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one into the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: [Vec<usize>; 3] = [Vec::new(), Vec::new(), (0..=b.len()).collect()];
    for i in 1..=a.len() {
        rows.rotate_left(1);
        let [before, last, row] = &mut rows;
        *row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row[j] = best;
        }
    }
    rows[2][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_counted_by_hand() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("friction", "friction"), 0);
        assert_eq!(distance("frition", "friction"), 1); // inserted
        assert_eq!(distance("firction", "friction"), 1); // swapped
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn near_names_are_offered_and_far_ones_are_not() {
        let known = ["friction", "density", "color", "name"];
        assert_eq!(nearest("fricton", known).as_deref(), Some("friction"));
        assert_eq!(nearest("colour", known).as_deref(), Some("color"));
        assert_eq!(nearest("Density", known).as_deref(), Some("density"));
        assert_eq!(nearest("restitution", known), None);
        // Another word for it, where there is such a key.
        assert_eq!(nearest("mu", known).as_deref(), Some("friction"));
        assert_eq!(nearest("force", ["mass", "load"]).as_deref(), Some("load"));
        assert_eq!(nearest("force", ["mass"]), None);
    }

    #[test]
    fn long_names_and_long_lists_are_not_searched_whole() {
        let long = "friction".repeat(100_000);
        assert_eq!(nearest(&long, ["friction"]), None);
        assert_eq!(nearest("friction", [long.as_str()]), None);
        let mut looked_at = 0;
        let endless = std::iter::repeat_with(|| {
            looked_at += 1;
            "density"
        });
        assert_eq!(nearest("friction", endless), None);
        assert!(looked_at <= 2001, "{looked_at}");
    }
}
