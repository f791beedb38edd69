// The page as one script, as a replay has it: modules in order of dependency, less imports and exports.
// The program does the same in Rust; the tests hold the modules to the rules that make it possible.

import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { PAGE } from "./synthetic.js";

export const IMPORT = /^import \{([^}]*)\} from "(\.{1,2}\/[^"]+)";$/gm;

/** All modules by path. */
export function modules() {
  const files = readdirSync(PAGE, { recursive: true }).map(String).filter((f) => f.endsWith(".js"));
  return new Map(files.map((f) => [f, readFileSync(join(PAGE, f), "utf8")]));
}

/** Paths that a module imports. */
export function importsOf(path, text) {
  return [...text.matchAll(IMPORT)].map((m) => ({ names: m[1].split(",").map((n) => n.trim()).filter(Boolean), path: normalize(join(dirname(path), m[2])) }));
}

/** Modules in order of dependency, depth first. */
export function order(all, from = "main.js", seen = new Set(), list = []) {
  if (seen.has(from)) return list;
  seen.add(from);
  const text = all.get(from);
  if (text === undefined) throw new Error(`${from} is imported and not there`);
  for (const { path } of importsOf(from, text)) order(all, path, seen, list);
  list.push(from);
  return list;
}

/** Names that a module declares at its top level. */
export function declared(text) {
  // Shaders stand in long strings and have declarations of their own.
  const script = text.replace(/`[^`]*`/g, "``");
  return [...script.matchAll(/^(?:export )?(?:async )?(?:function|class|const|let|var) +([A-Za-z_$][\w$]*)/gm)].map((m) => m[1]);
}
