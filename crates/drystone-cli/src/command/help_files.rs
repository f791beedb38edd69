//! `drystone completions` and `drystone man`: what shells and manuals know of the commands.

use std::path::Path;

use clap::CommandFactory;
use clap_mangen::Man;

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::failure::{Failure, SUCCESS};
use crate::output::{to_stdout, write_bytes};

/// Name of the program in both.
const NAME: &str = "drystone";

/// Prints the completions of a shell.
pub fn completions(args: &CompletionsArgs) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), NAME, &mut script);
    to_stdout(&String::from_utf8_lossy(&script))?;
    Ok(SUCCESS)
}

/// Writes a page for the program and one for each command.
pub fn man(args: &ManArgs) -> Result<u8, Failure> {
    std::fs::create_dir_all(&args.folder)
        .map_err(|e| Failure::in_file(&args.folder, format_args!("is no usable folder: {e}")))?;
    let mut program = Cli::command();
    // Gives commands of commands their whole names.
    program.build();
    let pages = write_pages(program, &args.folder)?;
    to_stdout(&format!("{}: {pages} pages\n", args.folder.display()))?;
    Ok(SUCCESS)
}

/// Writes the page of a command and those below it; says how many there are.
fn write_pages(command: clap::Command, folder: &Path) -> Result<usize, Failure> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    let file = folder.join(format!("{name}.1"));
    let below: Vec<clap::Command> = command.get_subcommands().cloned().collect();
    let mut page = Vec::new();
    Man::new(command)
        .render(&mut page)
        .map_err(|e| Failure::writing(&file, e))?;
    write_bytes(&file, &page)?;
    let mut pages = 1;
    for command in below.into_iter().filter(|c| c.get_name() != "help") {
        pages += write_pages(command, folder)?;
    }
    Ok(pages)
}
