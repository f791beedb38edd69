//! `drystone methods`: the methods and their options.

use drystone_ccp::Method;

use crate::args::MethodsArgs;
use crate::failure::{Failure, SUCCESS};
use crate::output::{to_stderr, to_stdout};

/// Lists the methods, or the options of one.
pub fn methods(args: &MethodsArgs) -> Result<u8, Failure> {
    match args.name {
        Some(method) => to_stdout(&options(method))?,
        None => {
            let names = Method::ALL.map(|method| format!("{}\n", method.name()));
            to_stdout(&names.concat())?;
            to_stderr("see the options of one with 'drystone methods NAME'");
        }
    }
    Ok(SUCCESS)
}

fn options(method: Method) -> String {
    let mut text = String::new();
    for option in method.options() {
        let default = option.default_value();
        text += &format!("{} = {default}\n", option.name);
        text += &format!("    {}\n", option.documentation);
        text += &format!("    Takes {}.\n", option.kind);
    }
    match text.is_empty() {
        true => format!("{} has no options\n", method.name()),
        false => text,
    }
}
