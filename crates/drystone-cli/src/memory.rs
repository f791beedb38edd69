//! Refuses what cannot fit into memory.

use drystone_run::memory::shortage;

use crate::failure::Failure;

/// Refuses so many bodies and contacts where they cannot fit, unless it is forced.
pub fn check(bodies: u64, contacts: u64, force: bool) -> Result<(), Failure> {
    match shortage(bodies, contacts) {
        Some(words) if !force => Err(Failure::Input(format!(
            "{words}; use fewer bodies, or --force"
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_fit_is_refused_unless_forced() {
        assert!(check(10, 30, false).is_ok());
        if drystone_run::memory::available().is_some() {
            let refused = check(1 << 50, 1 << 50, false).unwrap_err().to_string();
            assert!(refused.contains("--force"), "{refused}");
        }
        assert!(check(1 << 50, 1 << 50, true).is_ok());
    }
}
