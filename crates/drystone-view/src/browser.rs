//! Opens the browser.

use std::io;
use std::process::{Command, Stdio};

/// Opens a link with whatever the system opens links with. That it could not be opened is no
/// reason to stop: the link can be copied.
pub fn open(link: &str) -> io::Result<()> {
    let mut command = opener(link);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = command.spawn()?;
    // Waited for, so that no dead process stays behind; some openers live as long as the browser.
    std::thread::spawn(move || child.wait());
    Ok(())
}

#[cfg(target_os = "macos")]
fn opener(link: &str) -> Command {
    let mut command = Command::new("open");
    command.arg(link);
    command
}

#[cfg(windows)]
fn opener(link: &str) -> Command {
    // Not through a shell, which would read the ampersands of the link.
    let mut command = Command::new("rundll32");
    command.args(["url.dll,FileProtocolHandler", link]);
    command
}

#[cfg(not(any(target_os = "macos", windows)))]
fn opener(link: &str) -> Command {
    let mut command = Command::new("xdg-open");
    command.arg(link);
    command
}
