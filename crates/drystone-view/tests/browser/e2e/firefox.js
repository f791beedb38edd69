// Debian's Firefox before a screen in memory (Xvfb): without any screen it has no WebGL. Driven through WebDriver BiDi: a few calls over a web socket.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PATIENCE } from "../browser.js";
import { openSocket } from "./socket.js";

const FIREFOX = "/usr/bin/firefox-esr";
const SCREEN = "/usr/bin/Xvfb";
/** WebGL is drawn by the processor, if it is forced to. */
const SETTINGS = ["webgl.force-enabled", "webgl.enable-webgl2"].map((key) => `user_pref("${key}", true);`).join("\n");

/** What is missing, in words; nothing if all is there. */
export function lacksFirefox() {
  const missing = [FIREFOX, SCREEN].filter((file) => !existsSync(file));
  return missing.length > 0 && `${missing.join(" and ")} not installed`;
}

/** A screen in memory; its number. */
async function openScreen() {
  const child = spawn(SCREEN, ["-displayfd", "3", "-screen", "0", "1000x700x24", "-nolisten", "tcp"], { stdio: ["ignore", "ignore", "ignore", "pipe"] });
  const number = await new Promise((resolve, reject) => {
    child.stdio[3]?.on("data", (data) => resolve(String(data).trim()));
    child.on("exit", () => reject(new Error("Xvfb ended")));
  });
  return { child, display: `:${number}` };
}

/** @param {string} folder for its profile */
export async function openFirefox(folder) {
  const profile = join(folder, "firefox-profile");
  mkdirSync(profile, { recursive: true });
  writeFileSync(join(profile, "user.js"), `${SETTINGS}\nuser_pref("remote.active-protocols", 1);\n`);
  const screen = await openScreen();
  const child = spawn(FIREFOX, ["--no-remote", "--profile", profile, "--remote-debugging-port=0", "about:blank"],
    { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, HOME: folder, DISPLAY: screen.display, LIBGL_ALWAYS_SOFTWARE: "1" } });
  const exited = new Promise((resolve) => { child.on("exit", resolve); });
  const address = await new Promise((resolve, reject) => {
    let said = "";
    child.stderr.on("data", (data) => {
      said += data;
      const found = /WebDriver BiDi listening on (ws:\/\/\S+)/.exec(said);
      if (found) resolve(found[1]);
    });
    void exited.then(() => reject(new Error(`Firefox ended: ${said}`)));
    setTimeout(() => reject(new Error(`Firefox said nothing of BiDi: ${said}`)), PATIENCE).unref();
  });
  let last = 0;
  const waiting = new Map();
  const socket = await openSocket(`${address}/session`, (text) => {
    const message = JSON.parse(text);
    const answer = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.type === "error") answer?.reject(new Error(`${message.error}: ${message.message}`));
    else answer?.resolve(message.result);
  });
  const send = (method, params) => new Promise((resolve, reject) => {
    last += 1;
    waiting.set(last, { resolve, reject });
    socket.send(JSON.stringify({ id: last, method, params }));
  });
  await send("session.new", { capabilities: {} });
  const { contexts } = await send("browsingContext.getTree", {});
  const context = contexts[0].context;
  /** The value of an expression, a string or a number. @param {string} expression */
  const evaluate = async (expression) => {
    const { result, exceptionDetails } = await send("script.evaluate", { expression, target: { context }, awaitPromise: true });
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return result.value;
  };
  return {
    evaluate,
    /** Waits until an expression holds. @param {string} expression */
    async reach(expression) {
      for (let waited = 0; waited < PATIENCE; waited += 250) {
        if (await evaluate(`Boolean(${expression})`)) return;
        await new Promise((resolve) => { setTimeout(resolve, 250); });
      }
      throw new Error(`${expression}: not reached; the page says: ${await evaluate("document.body.innerText.slice(0, 300)")}`);
    },
    open: (url) => send("browsingContext.navigate", { context, url, wait: "complete" }),
    async screenshot() {
      const { data } = await send("browsingContext.captureScreenshot", { context });
      return Buffer.from(data, "base64");
    },
    async close() {
      socket.close();
      child.kill("SIGKILL");
      await exited;
      screen.child.kill();
    },
  };
}
