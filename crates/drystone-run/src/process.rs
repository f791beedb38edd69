//! Other processes, as far as files speak of them.

use std::path::Path;

/// Whether the process of that number is alive; where that cannot be told, whether it is a number.
pub(crate) fn is_running(process: &str) -> bool {
    let is_number = process.parse::<u32>().is_ok();
    let processes = Path::new("/proc/self");
    is_number && (!processes.exists() || Path::new("/proc").join(process).exists())
}
