//! What a scene took from the run that it starts from, for people.

use drystone_scene::StartReport;

/// Names that are listed of each kind; the rest is counted.
const NAMED: usize = 6;

/// One line, for the start of a run. `from` says which state it was.
pub fn words(from: &str, report: &StartReport) -> String {
    format!("starts from {from}: {}", counts(report))
}

/// What was matched, added and dropped.
pub fn counts(report: &StartReport) -> String {
    let mut pieces = vec![
        listed("matched", &report.matched),
        listed("added", &report.added),
        listed("dropped", &report.dropped),
    ];
    let [carried, all] = report.contacts;
    if all > 0 {
        pieces.push(format!("{carried} of {all} contacts keep their impulses"));
    }
    let [carried, all] = report.joints;
    if all > 0 {
        pieces.push(format!("{carried} of {all} joints keep their state"));
    }
    pieces.join("; ")
}

fn listed(what: &str, groups: &[(String, usize)]) -> String {
    let all: usize = groups.iter().map(|(_, count)| count).sum();
    let bodies = if all == 1 { "body" } else { "bodies" };
    if all == 0 {
        return format!("no {bodies} {what}");
    }
    let name = |(name, count): &(String, usize)| match count {
        1 => name.clone(),
        count => format!("{count} {name}"),
    };
    let mut names: Vec<String> = groups.iter().take(NAMED).map(name).collect();
    if groups.len() > NAMED {
        names.push(format!("{} more names", groups.len() - NAMED));
    }
    format!("{all} {bodies} {what} ({})", names.join(", "))
}
