// What the page and the server do together: replays, live runs, damage, strangers, names.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import { drawn, launch, newPage, until } from "../browser.js";
import { FOLDER, PROGRAM, drystone, pile, replayOf, runOf, view } from "./program.js";

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser?.close(); });

const SMALL = { viewport: { width: 480, height: 340 } };

/** Pixels of dynamic bodies. @param {import("playwright-core").Page} page */
const bodyPixels = (page) => page.evaluate(() => {
  const { renderer, recording } = globalThis.drystone;
  return renderer.allIds().filter((id) => id > 0 && recording.bodies.kind[id - 1] === 0).length;
});

/** An answer to a request that no browser would send. @param {number} port @param {string} path @param {object} [headers] */
function ask(port, path, headers = {}) {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, headers }, (answer) => {
      let text = "";
      answer.on("data", (part) => { text += part; });
      answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
    });
    sent.on("error", reject);
    sent.end();
  });
}

test("a replay holds what the server sends, within the error that it states", async () => {
  const server = await view(pile());
  const [served, replay] = [await newPage(browser, SMALL), await newPage(browser, SMALL)];
  await served.goto(`${server.url}?samples=0`);
  await replay.goto(`${pathToFileURL(replayOf("pile-150", pile()))}?samples=0`);
  const places = async (page) => {
    await drawn(page);
    await page.evaluate(() => globalThis.drystone.seek(globalThis.drystone.recording.times[7]));
    await until(page, () => globalThis.drystone.shown.number === 7);
    return page.evaluate(() => ({ all: [...globalThis.drystone.shown.a.position], error: globalThis.drystone.recording.info.error.position }));
  };
  const [a, b] = [await places(served), await places(replay)];
  assert.equal(a.all.length, b.all.length);
  const most = Math.max(...a.all.map((v, k) => Math.abs(v - b.all[k])));
  // Rounding to single precision comes on top: a ten-millionth of a metre at places below one.
  assert.ok(most <= b.error + 1.2e-7, `${most} m, stated ${b.error} m`);
  await served.context().close();
  await replay.context().close();
  await server.stop();
});

test("a live run is followed, until one scrubs back", async () => {
  // It goes on for longer than any test waits, so that a slow browser never comes too late.
  const server = await view("pile", "--set", "count=100", "--set", "settings.duration=10000", "-o", join(FOLDER, "live"));
  const page = await newPage(browser, SMALL);
  await page.goto(`${server.url}?samples=0`);
  await drawn(page);
  const first = await page.evaluate(() => globalThis.drystone.recording.times.length);
  await until(page, (n) => globalThis.drystone.shown.number > n + 1, first);
  await page.keyboard.press("Home");
  await until(page, () => globalThis.drystone.shown.number === 0);
  const count = await page.evaluate(() => globalThis.drystone.recording.times.length);
  await until(page, (n) => globalThis.drystone.recording.times.length > n + 1, count);
  assert.equal(await page.evaluate(() => globalThis.drystone.shown.number), 0);
  assert.equal(await page.evaluate(() => globalThis.drystone.store.state.runState), "running");
  assert.deepEqual(page.problems, []);
  await page.context().close();
  await server.stop();
});

test("the end of a live run is told", async () => {
  const server = await view("pile", "--set", "count=100", "--set", "settings.duration=0.4", "-o", join(FOLDER, "ending"));
  const page = await newPage(browser, SMALL);
  await page.goto(`${server.url}?samples=0`);
  await drawn(page);
  await until(page, () => globalThis.drystone.store.state.runState === "finished");
  assert.equal(await page.evaluate(() => globalThis.drystone.recording.times.length), 21);
  assert.deepEqual(page.problems, []);
  await page.context().close();
  await server.stop();
});

test("a cut recording shows what there is, and says so", async () => {
  const folder = join(FOLDER, "cut");
  rmSync(folder, { recursive: true, force: true });
  cpSync(pile(), folder, { recursive: true });
  const frames = join(folder, "frames.dry");
  truncateSync(frames, Math.floor(0.7 * statSync(frames).size));
  const server = await view(folder);
  const page = await newPage(browser, SMALL);
  await page.goto(`${server.url}?samples=0`);
  await drawn(page);
  const count = await page.evaluate(() => globalThis.drystone.recording.times.length);
  assert.ok(count >= 5 && count < 16, String(count));
  assert.ok(await bodyPixels(page) > 2000);
  assert.match(await page.locator(".title").textContent() ?? "", /ends within a frame|cut|stopped|whole/);
  await page.context().close();
  await server.stop();
});

test("a killed server is told of, and the page connects again", async () => {
  const server = await view(pile());
  const page = await newPage(browser, SMALL);
  await page.goto(`${server.url}?samples=0`);
  await drawn(page);
  await server.stop();
  await page.locator(".banner").waitFor({ state: "visible" });
  assert.match(await page.locator(".banner").textContent() ?? "", /does not answer/);
  const again = await view(pile(), "--port", String(server.port));
  await page.locator(".banner").waitFor({ state: "hidden" });
  await page.keyboard.press("Home");
  await until(page, () => globalThis.drystone.shown.number === 0);
  await page.context().close();
  await again.stop();
});

test("foreign origins, foreign hosts and escaping paths are refused", async () => {
  const server = await view(pile());
  const { port } = server;
  assert.equal((await ask(port, "/api/run.json")).status, 200);
  const foreign = [{ origin: "http://evil.example" }, { host: "evil.example" }, { host: `evil.example:${port}` }, { origin: "null" }];
  for (const headers of foreign) {
    const { status } = await ask(port, "/api/run.json", headers);
    assert.ok(status === 403 || status === 421, `${JSON.stringify(headers)}: ${status}`);
  }
  const paths = ["/../Cargo.toml", "/..%2f..%2fetc%2fpasswd", "/%2e%2e/%2e%2e/etc/passwd", "/api/../../etc/passwd", "/api/frame/..%2f..%2fscene.toml", "/api/table/..%2fscene.json", "/api/frame/%00.bin", "//etc/passwd", "/api/mesh/99999999999999999999.bin", "/scene.toml", "/api/frames.dry"];
  for (const path of paths) {
    const { status, text } = await ask(port, path);
    assert.ok(Number(status) >= 400, `${path}: ${status}`);
    assert.doesNotMatch(text, /root:|\[settings\]/, path);
  }
  // A page of another origin cannot read it either.
  const page = await newPage(browser, SMALL);
  await page.goto("data:text/html,<title>stranger</title>");
  const read = await page.evaluate((url) => fetch(url).then((r) => r.text()).catch(() => "refused"), `http://127.0.0.1:${port}/api/run.json`);
  assert.equal(read, "refused");
  const policy = String((await ask(port, "/")).headers["content-security-policy"]);
  assert.match(policy, /script-src 'self'/);
  assert.doesNotMatch(policy, /unsafe/);
  await page.context().close();
  await server.stop();
});

test("names from scenes never become markup", async () => {
  const name = (/** @type {string} */ what) => `<script>globalThis.${what} = 1</script><img src=x onerror=globalThis.${what}=1>`;
  const scene = join(FOLDER, "names.toml");
  writeFileSync(scene, `
title = "${name("title")}"
[settings]
duration = 0.1
time_step = 0.01
[[material]]
name = "${name("material")}"
friction = 0.5
density = 1000
[[body]]
name = "${name("ground")}"
kind = "fixed"
shape = { type = "plane" }
material = "${name("material")}"
[[body]]
name = "${name("ball")}"
shape = { type = "sphere", radius = 0.5 }
position = [0, 0, 0.5]
material = "${name("material")}"
[view]
color_by = "material"
`);
  const folder = runOf("names", scene);
  const file = join(FOLDER, "names.html");
  drystone("view", folder, "--export", file);
  const server = await view(folder);
  for (const url of [`${server.url}?samples=0`, `${pathToFileURL(file)}?samples=0`]) {
    const page = await newPage(browser, { viewport: { width: 800, height: 500 } });
    await page.goto(url);
    await drawn(page);
    assert.equal(await page.locator("h1").textContent(), name("title"));
    for (const panel of ["Colours", "Groups", "Forces", "Plots", "Body", "Save"]) await page.getByRole("button", { name: panel, exact: true }).click();
    await page.getByRole("button", { name: "Body", exact: true }).click();
    await page.evaluate(() => globalThis.drystone.store.set({ chosen: 1 }));
    await until(page, () => document.querySelector(".panel h3")?.textContent.includes("<script>"));
    await page.mouse.move(360, 230);
    await page.waitForTimeout(200);
    const made = await page.evaluate(() => ["title", "material", "ground", "ball"].filter((k) => k in globalThis && globalThis[k] === 1));
    assert.deepEqual(made, []);
    assert.equal(await page.locator("#app img, #app script").count(), 0);
    await page.context().close();
  }
  await server.stop();
});

test("with --listen the link carries a token, and nothing works without it", async () => {
  const server = await view(pile(), "--listen", "0.0.0.0");
  try {
    assert.match(server.url, /token=\w{20,}/);
    assert.ok(Number((await ask(server.port, "/api/run.json")).status) >= 401);
    const page = await newPage(browser, SMALL);
    await page.goto(`${server.url}&samples=0`);
    await drawn(page);
    assert.ok(await bodyPixels(page) > 2000);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  } finally {
    await server.stop();
  }
});

test("the export says its error and keeps to its size", () => {
  const file = join(FOLDER, "sized.html");
  const said = execFileSync(PROGRAM, ["view", pile(), "--export", file, "--max-size", "400kB"], { encoding: "utf8" });
  assert.ok(statSync(file).size <= 400000, String(statSync(file).size));
  assert.match(said, /m\b/);
  assert.match(readFileSync(file, "utf8").slice(0, 200), /<!doctype html>/i);
});
