//! What the system says of this process.

/// Forgets the largest memory so far, so that [`peak_memory`] is that of what follows. Linux can do
/// it; elsewhere the peak is that of the whole process.
pub fn reset_peak_memory() {
    // "5" stands for the peak, in proc(5). A system that refuses leaves the old peak, which is true
    // of the process all the same.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The largest memory in use since [`reset_peak_memory`], bytes, where the system says.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    peak_in(&status)
}

fn peak_in(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * kilobytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_read_in_bytes() {
        let status = "VmPeak:\t  900 kB\nVmHWM:\t    12 kB\nVmRSS:\t 10 kB\n";
        assert_eq!(peak_in(status), Some(12 * 1024));
        assert_eq!(peak_in("Name:\tx\n"), None);
    }
}
