// The rules that let a replay be made of the modules without a bundler: see docs/view-protocol.md.

import assert from "node:assert/strict";
import { test } from "node:test";
import { declared, importsOf, modules, order } from "../bundle.js";

const all = modules();

test("every import is of the one form, and of a name that is exported", () => {
  for (const [path, text] of all) {
    const lines = text.match(/^import\b/gm) ?? [];
    const found = importsOf(path, text);
    assert.equal(found.length, lines.length, `${path}: an import of another form`);
    for (const { names, path: from } of found) {
      const source = all.get(from);
      assert.ok(source !== undefined, `${path} imports ${from}, which is not there`);
      for (const name of names) {
        assert.match(name, /^[\w$]+$/, `${path}: ${name} is renamed`);
        assert.match(source, new RegExp(`^export (async )?(function|class|const|let) +${name.replace("$", "\\$")}\\b`, "m"), `${from} does not export ${name}`);
      }
    }
  }
});

test("nothing is exported by default or in a list, imported dynamically or awaited at the top", () => {
  for (const [path, text] of all) {
    assert.doesNotMatch(text, /^export (default|\{|\*)/m, path);
    assert.doesNotMatch(text.replace(/import\("\.[^"]*"\)\./g, ""), /\bimport\(/, path);
    assert.doesNotMatch(text, /^await /m, path);
    assert.doesNotMatch(text, /<\/script/i, path);
  }
});

test("top-level names are unique across all modules", () => {
  /** @type {Map<string, string>} */
  const owner = new Map();
  for (const [path, text] of all) {
    if (path === "worker.js") continue;
    for (const name of declared(text)) {
      assert.ok(!owner.has(name), `${name} is declared in ${owner.get(name)} and in ${path}`);
      owner.set(name, path);
    }
  }
});

test("all modules are reached from main.js, and none in a circle", () => {
  const list = order(all);
  const missing = [...all.keys()].filter((f) => f !== "worker.js" && !list.includes(f));
  assert.deepEqual(missing, []);
  for (const path of list) {
    for (const { path: from } of importsOf(path, all.get(path) ?? "")) {
      assert.ok(list.indexOf(from) < list.indexOf(path), `${path} comes before ${from}: they import each other`);
    }
  }
});

test("the worker imports nothing", () => {
  assert.doesNotMatch(all.get("worker.js") ?? "", /^import\b/m);
});

test("no markup is made from text, no style or handler is written into markup", () => {
  for (const [path, text] of all) {
    assert.doesNotMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/, path);
  }
});
