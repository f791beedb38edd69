// The program under test: runs made by it, and its server.

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { PATIENCE } from "../browser.js";

export const PROGRAM = process.env["DRYSTONE"] ?? new URL("../../../../../target/release/drystone", import.meta.url).pathname;
export const FOLDER = process.env["DRYSTONE_TEST_RUNS"] ?? mkdtempSync(join(tmpdir(), "drystone-view-"));

/** Runs the program to its end; what it wrote. @param {string[]} args */
export function drystone(...args) {
  return execFileSync(PROGRAM, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], timeout: 4 * PATIENCE });
}

/** The folder of a run, made when first asked for. @param {string} name @param {string[]} args of `drystone run` */
export function runOf(name, ...args) {
  const folder = join(FOLDER, name);
  if (!existsSync(folder)) drystone("run", ...args, "-o", folder, "--quiet");
  return folder;
}

/** The replay of a run, made when first asked for. @param {string} name @param {string} folder */
export function replayOf(name, folder) {
  const file = join(FOLDER, `${name}.html`);
  if (!existsSync(file)) drystone("view", folder, "--export", file);
  return file;
}

/** 150 balls with their contacts. */
export function pile() {
  return runOf("pile", "pile", "--set", "count=150", "--until", "0.3", "--set", "recording.contacts=true");
}

/** Servers that run. One that a failed test leaves behind would keep the tests from ending. @type {Set<import("node:child_process").ChildProcess>} */
const servers = new Set();
after(() => { for (const child of servers) child.kill("SIGKILL"); });

/**
 * Starts `drystone view`; `url` is what it printed.
 * @param {string[]} args
 * @returns {Promise<{ url: string, port: number, child: import("node:child_process").ChildProcess, stop: () => Promise<void> }>}
 */
export async function view(...args) {
  const child = spawn(PROGRAM, ["view", ...args, "--no-open"], { stdio: ["ignore", "pipe", "pipe"] });
  servers.add(child);
  child.on("exit", () => servers.delete(child));
  const exited = new Promise((resolve) => { child.on("exit", resolve); });
  let said = "";
  const url = await new Promise((resolve, reject) => {
    const listen = (/** @type {Buffer} */ data) => {
      said += data;
      const found = /https?:\/\/(?:127\.0\.0\.1|0\.0\.0\.0):\d+\/\S*/.exec(said);
      if (found) resolve(found[0].replace("0.0.0.0", "127.0.0.1"));
    };
    child.stdout.on("data", listen);
    child.stderr.on("data", listen);
    void exited.then(() => reject(new Error(`drystone view ended: ${said}`)));
  });
  const stop = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  return { url, port: Number(new URL(url).port), child, stop };
}
