//! The page as one file: its modules one after the other in one script, its style sheet beside it.
//!
//! The modules keep to rules that make this simple (`docs/view-protocol.md`): imports are named and
//! not renamed, exports are a word before a declaration, names are unique across all of them.

use crate::error::ViewError;
use crate::page::{INDEX, Page};

/// The module that the page begins with.
const MAIN: &str = "main.js";
/// The script of the thread that unpacks. It has no imports.
const WORKER: &str = "worker.js";
const STYLE: &str = "style.css";

/// How the page names its style sheet and its first module.
const STYLE_TAG: &str = "<link rel=\"stylesheet\" href=\"style.css\">";
const MAIN_TAG: &str = "<script type=\"module\" src=\"main.js\"></script>";

/// What a replay may do: run what is in it, and fetch nothing.
const POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
    script-src 'unsafe-inline' blob:; style-src 'unsafe-inline'; img-src data: blob:; \
    media-src blob:; worker-src blob:; connect-src blob: data:; base-uri 'none'; \
    form-action 'none'\">";

/// The page before and after the place of the resources.
pub struct InlinePage {
    before: String,
    after: String,
}

impl InlinePage {
    /// Puts the files of the page together.
    pub fn of(page: &Page) -> Result<Self, ViewError> {
        let read = |name: &str| {
            let file = page.file(name)?;
            Some(String::from_utf8_lossy(&file).into_owned())
        };
        let need = |name: &'static str| read(name).ok_or(ViewError::NoPage(name));
        let index = need(INDEX)?;
        let style = format!("<style>\n{}</style>", need(STYLE)?);
        let worker = without_exports(&need(WORKER)?);
        let mut modules = Modules {
            read: &read,
            seen: Vec::new(),
            text: String::new(),
        };
        modules.add(MAIN);
        let main = modules.text;
        let script = format!("<script type=\"module\">\n{main}</script>");
        let place = index.find(MAIN_TAG).ok_or(ViewError::NoPage(MAIN_TAG))?;
        let head = index[..place].replacen(STYLE_TAG, &style, 1);
        let head = head.replacen("<head>", &format!("<head>\n{POLICY}"), 1);
        let worker =
            format!("<script type=\"text/plain\" id=\"worker-source\">\n{worker}</script>\n");
        let rest = index[place + MAIN_TAG.len()..].replacen(STYLE_TAG, &style, 1);
        Ok(Self {
            before: head + &worker,
            after: script + &rest,
        })
    }

    /// The page with its resources.
    pub fn with(&self, resources: &str) -> String {
        [&self.before, resources, &self.after].concat()
    }
}

/// Modules that are put together, those that others need first.
struct Modules<'a> {
    read: &'a dyn Fn(&str) -> Option<String>,
    seen: Vec<String>,
    text: String,
}

impl Modules<'_> {
    fn add(&mut self, name: &str) {
        if self.seen.iter().any(|seen| seen == name) {
            return;
        }
        self.seen.push(name.to_owned());
        // A module that is not there cannot be imported by a page that works.
        let text = (self.read)(name).unwrap_or_default();
        let (imports, rest) = split_imports(&text);
        for import in imports {
            self.add(&resolved(name, &import));
        }
        self.text += &format!("// {name}\n{}\n", without_exports(&rest));
    }
}

/// The paths that a module imports, and the module without its imports.
fn split_imports(text: &str) -> (Vec<String>, String) {
    let (mut paths, mut rest) = (Vec::new(), String::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if !line.starts_with("import ") {
            rest += line;
            rest.push('\n');
            continue;
        }
        let mut statement = line.to_owned();
        while !statement.contains(';') {
            match lines.next() {
                Some(more) => statement += more,
                None => break,
            }
        }
        let path = statement.split(['"', '\'']).rev().nth(1);
        paths.extend(path.map(str::to_owned));
    }
    (paths, rest)
}

fn without_exports(text: &str) -> String {
    let lines = text.lines();
    let lines = lines.map(|line| line.strip_prefix("export ").unwrap_or(line));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// A path of an import as a name of the page: `./b.js` in `a/c.js` is `a/b.js`.
fn resolved(importer: &str, path: &str) -> String {
    let folder = importer.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|p| !p.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_stand_behind_what_they_import_and_only_once() {
        let files = [
            (
                "main.js",
                "import { a } from \"./render/a.js\";\nimport {\n  b,\n} from \"./b.js\";\nstart(a, b);\n",
            ),
            (
                "render/a.js",
                "import { b } from \"../b.js\";\nexport const a = b + 1;\n",
            ),
            ("b.js", "export const b = 1;\n  export not at the start\n"),
        ];
        let read = |name: &str| {
            let found = files.iter().find(|(known, _)| *known == name);
            found.map(|(_, text)| (*text).to_owned())
        };
        let mut modules = Modules {
            read: &read,
            seen: Vec::new(),
            text: String::new(),
        };
        modules.add("main.js");
        let expected = "// b.js\nconst b = 1;\n  export not at the start\n\n\
             // render/a.js\nconst a = b + 1;\n\n// main.js\nstart(a, b);\n\n";
        assert_eq!(modules.text, expected);
    }
}
