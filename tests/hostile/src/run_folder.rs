//! Folders of runs: that two are the same, and that none holds half a file.

use std::path::Path;

/// What must be the same to the byte, where the first run has it.
const SAME: [&str; 4] = ["frames.dry", "forces.csv", "joints.csv", "scene.toml"];

/// What a finished run has.
const FINISHED: [&str; 5] = [
    "summary.json",
    "plots.svg",
    "plots.png",
    "checkpoint.dry",
    "source.json",
];

/// Two finished runs left the same behind: frames and tables to the byte, the log but for its wall
/// times. None of `found` may be in part, nor a temporary file left.
pub fn same(expected: &Path, found: &Path) -> Result<(), String> {
    for name in SAME {
        let there = expected.join(name).exists();
        if there && bytes(&expected.join(name))? != bytes(&found.join(name))? {
            return Err(format!("{name} differs from that of an undisturbed run"));
        }
    }
    if steps(&expected.join("log.csv"))? != steps(&found.join("log.csv"))? {
        return Err("log.csv differs from that of an undisturbed run".to_owned());
    }
    for name in FINISHED {
        if !found.join(name).exists() {
            return Err(format!("{name} is missing at the end"));
        }
    }
    for entry in std::fs::read_dir(found).map_err(|e| e.to_string())? {
        let name = entry.map_err(|e| e.to_string())?.file_name();
        let name = name.to_string_lossy();
        if name.ends_with(".tmp") || name == "checkpoint.next.dry" {
            return Err(format!("{name} is left behind"));
        }
    }
    whole(found)
}

/// No file that is written whole or not at all is there in part.
pub fn whole(folder: &Path) -> Result<(), String> {
    let part = |name: &str| Err(format!("{name} is there in part"));
    for name in ["summary.json", "source.json"] {
        if let Ok(bytes) = bytes(&folder.join(name))
            && serde_json::from_slice::<serde_json::Value>(&bytes).is_err()
        {
            return part(name);
        }
    }
    let ends: [(&str, &[u8]); 3] = [
        ("plots.svg", b"</svg>"),
        ("plots.png", b"IEND\xaeB`\x82"),
        ("picture.png", b"IEND\xaeB`\x82"),
    ];
    for (name, end) in ends {
        if let Ok(bytes) = bytes(&folder.join(name))
            && !bytes.trim_ascii_end().ends_with(end)
        {
            return part(name);
        }
    }
    for name in [
        "checkpoint.dry",
        "checkpoint.prev.dry",
        "start.dry",
        "phase-1.dry",
    ] {
        if let Ok(bytes) = bytes(&folder.join(name))
            && !crate::mutate::seal::is_checkpoint(&bytes)
        {
            return part(name);
        }
    }
    Ok(())
}

fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// Rows of a log without its wall times.
fn steps(log: &Path) -> Result<Vec<String>, String> {
    let text = String::from_utf8(bytes(log)?).map_err(|e| format!("log.csv: {e}"))?;
    let columns = text.lines().next().unwrap_or_default().split(',');
    let kept = columns.filter(|c| !c.starts_with("seconds_")).count();
    let short = |line: &str| line.split(',').take(kept).collect::<Vec<_>>().join(",");
    Ok(text.lines().map(short).collect())
}
