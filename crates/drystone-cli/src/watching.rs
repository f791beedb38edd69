//! A run shown in the browser, while it goes on and after.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::Duration;

use drystone_view::{RunView, Server, ServerSettings, browser};

use crate::args::view::ServingArgs;
use crate::cancellation::{Interrupt, Stage};
use crate::failure::Failure;
use crate::output::to_stderr;

/// Time between two looks at whether a signal came.
const TICK: Duration = Duration::from_millis(50);

/// A run that is shown.
pub struct Watching {
    server: Server,
    opens: bool,
}

impl Watching {
    /// Starts to show the run in a folder.
    pub fn start(run: &Path, serving: &ServingArgs) -> Result<Self, Failure> {
        let view = RunView::open(run)?;
        let usual = ServerSettings::default();
        let settings = ServerSettings {
            address: serving.listen.unwrap_or(usual.address),
            port: serving.port.unwrap_or(usual.port),
            ..usual
        };
        Ok(Self {
            server: Server::start(view, settings)?,
            opens: !serving.no_open,
        })
    }

    /// The link that opens the page.
    pub fn link(&self) -> &str {
        self.server.link()
    }

    /// Opens the browser and says who else may, unless the user does not want that.
    pub fn open(&self) {
        if self.server.address().ip().is_unspecified() {
            to_stderr("hint: others put an address of this machine into the link");
        }
        if self.opens
            && let Err(error) = browser::open(self.link())
        {
            to_stderr(&format!(
                "hint: no browser could be opened ({error}); open {} yourself",
                self.link()
            ));
        }
    }

    /// Serves until a signal comes.
    pub fn wait(self, interrupt: &Interrupt) {
        interrupt.enter(Stage::Cancel {
            now: "the page is closed",
            late: "gave up waiting for the server".to_owned(),
        });
        while !interrupt.flag().load(Ordering::Relaxed) {
            sleep(TICK);
        }
    }
}
