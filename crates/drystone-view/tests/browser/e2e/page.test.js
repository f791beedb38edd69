// The page in a real browser, before the real program and real runs.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { drawn, launch, newPage, redrawn, until } from "../browser.js";
import { FOLDER, pile, runOf, view } from "./program.js";

/** @type {import("playwright-core").Browser} */
let browser;
/** @type {Awaited<ReturnType<typeof view>>} */
let server;
/** One page for most tests: to open one takes seconds where the processor draws. @type {Awaited<ReturnType<typeof newPage>>} */
let shared;
before(async () => {
  browser = await launch();
  server = await view(pile());
  shared = await anew();
  await shared.evaluate(() => { globalThis.asAtFirst = { ...globalThis.drystone.store.state }; });
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

/** The shared page as it was at first. */
async function open() {
  // Pages behind others do not draw.
  await shared.bringToFront();
  await shared.keyboard.press("Escape");
  await shared.evaluate(() => {
    const { drystone: v } = globalThis;
    if (!document.querySelector(".panel").hidden) document.querySelector(".panel header button").click();
    v.player.pause();
    v.camera.goTo(v.camera.home, true);
    v.store.set({ ...globalThis.asAtFirst });
    v.setClock({ loop: false, speed: 1, interpolate: true });
    v.seek(v.player.end);
    v.overlay.track = null;
    v.idle = true;
    v.change();
  });
  await redrawn(shared);
  return shared;
}

/** Another page of the pile. @param {object} [options] @param {string} [hash] */
async function anew(options = {}, hash = "") {
  const page = await newPage(browser, { viewport: { width: 840, height: 560 }, ...options });
  await page.goto(`${server.url}?samples=0${hash}`);
  await drawn(page);
  return page;
}

/** Sums of the picture's pixels: another picture has others. @param {import("playwright-core").Page} page */
function picture(page) {
  return page.evaluate(() => {
    const { data } = globalThis.drystone.renderer.pixels();
    const sums = new Array(64).fill(0);
    for (let k = 0; k < data.length; k += 4) sums[(k >> 2) % 64] += data[k] * 3 + data[k + 1] * 5 + data[k + 2] * 7;
    return sums.join();
  });
}

/** Counts of pixels by what is drawn there. @param {import("playwright-core").Page} page */
function counts(page) {
  return page.evaluate(() => {
    const ids = globalThis.drystone.renderer.allIds();
    let [nothing, bodies, contacts] = [0, 0, 0];
    const kind = globalThis.drystone.recording.bodies.kind;
    for (const id of ids) {
      if (id === 0) nothing += 1;
      else if (id >= 0x40000000) contacts += 1;
      else if (kind[id - 1] === 0) bodies += 1;
    }
    return { nothing, bodies, contacts };
  });
}

test("it opens, and the first picture is not empty", async () => {
  const page = await open();
  assert.equal(await page.locator("h1").textContent(), "A pile of balls");
  assert.match(await page.title(), /A pile of balls/);
  const { bodies } = await counts(page);
  assert.ok(bodies > 15000, `${bodies} pixels show balls`);
  assert.match(await page.locator(".legend h2").textContent() ?? "", /size \(mm\)/);
  assert.match(await page.locator(".scale-bar span").textContent() ?? "", /^\d+ mm$/);
  assert.deepEqual(page.problems, []);
});

test("the picture at rest grows better and then rests", async () => {
  const page = await newPage(browser, { viewport: { width: 300, height: 220 } });
  await page.goto(`${server.url}?samples=16`);
  await drawn(page);
  await until(page, () => globalThis.drystone.renderer.gatheredCount === 16);
  await until(page, () => globalThis.drystone.idle);
  assert.deepEqual(page.problems, []);
});

test("it scrubs: by the bar, by keys, by frames", async () => {
  const page = await open();
  const before = await picture(page);
  await page.locator(".scrub").fill("0.1");
  await until(page, () => globalThis.drystone.shown.number === 5);
  assert.notEqual(await picture(page), before);
  assert.match(await page.locator(".caption").textContent() ?? "", /t = 0\.100 s/);
  await page.locator("#view").focus();
  await page.keyboard.press("ArrowRight");
  await until(page, () => globalThis.drystone.shown.number === 6);
  await page.keyboard.press("Home");
  await until(page, () => globalThis.drystone.shown.number === 0);
  await page.keyboard.press("End");
  await until(page, () => globalThis.drystone.shown.number === 15);
  await page.locator(".track").hover({ position: { x: 60, y: 15 } });
  assert.match(await page.locator(".preview").textContent() ?? "", /s · frame \d+/);
  assert.deepEqual(page.problems, []);
});

test("it plays from the beginning to the end, and between frames", async () => {
  const page = await open();
  await page.evaluate(() => { globalThis.blends = []; const { drystone: v } = globalThis; const take = v.takeMoment.bind(v); v.takeMoment = () => { take(); globalThis.blends.push(v.renderer.drawn.blend); }; });
  await page.getByRole("button", { name: "Play" }).click();
  await until(page, () => globalThis.drystone.player.playing);
  await until(page, () => !globalThis.drystone.player.playing && globalThis.drystone.store.state.time >= 0.3 - 1e-9);
  assert.ok(await page.evaluate(() => globalThis.blends.some((b) => b > 0 && b < 1)));
  await page.getByRole("button", { name: "Loop" }).click();
  await page.keyboard.press("k");
  await until(page, () => globalThis.drystone.player.playing && globalThis.drystone.player.loop);
  await page.keyboard.press("k");
  assert.deepEqual(page.problems, []);
});

test("colours stand for what is chosen, and the legend says what", async () => {
  const page = await open();
  const before = await picture(page);
  await page.getByRole("button", { name: "Colours" }).click();
  for (const [what, legend] of [["speed", /speed \(m?m\/s\)/], ["force", /force \(m?N\)/], ["coordination", /touching/], ["kinetic", /kinetic energy \([µm]?J\)/], ["angular", /angular speed/], ["vz", /velocity z/]]) {
    await page.getByLabel("Colour by").last().selectOption(what);
    await until(page, (text) => new RegExp(text).test(document.querySelector(".legend h2").textContent), legend.source);
  }
  await page.getByLabel("Colour by").last().selectOption("speed");
  await page.getByLabel("by powers of ten").check();
  await until(page, () => globalThis.drystone.renderer.drawn.log && globalThis.drystone.renderer.drawn.range[0] > 0);
  const shadowed = await picture(page);
  await page.getByLabel("shadows").uncheck();
  await redrawn(page);
  assert.notEqual(await picture(page), shadowed);
  await page.getByLabel("Colour by").last().selectOption("group");
  await until(page, () => document.querySelector(".legend li span").textContent === "grains");
  assert.notEqual(await picture(page), before);
  assert.deepEqual(page.problems, []);
});

test("every recorded column can be coloured by, in every map", async () => {
  const page = await open();
  await page.getByRole("button", { name: "Colours" }).click();
  const what = page.getByLabel("Colour by").last();
  const names = await what.locator("option").evaluateAll((all) => all.map((o) => [o.value, o.textContent]));
  for (const name of ["size", "mass", "kinetic", "friction", "overlap", "gap", "torque", "qw", "named"]) assert.ok(names.some(([n]) => n === name), name);
  for (const [name, label] of names.filter(([n]) => !["own", "material", "group"].includes(n))) {
    await what.selectOption(name);
    await until(page, (text) => document.querySelector(".legend h2").textContent.startsWith(text), label);
  }
  await what.selectOption("vz");
  const pictures = new Set();
  for (const map of ["viridis", "embers", "sea", "grey", "sides"]) {
    await page.getByLabel("Colour map").selectOption(map);
    await redrawn(page);
    pictures.add(await picture(page));
  }
  assert.equal(pictures.size, 5);
  // White stands for nothing: both sides reach equally far.
  const [low, high] = await page.evaluate(() => globalThis.drystone.store.state.range);
  assert.ok(high > 0 && Math.abs(low + high) < 1e-6 * high, `${low} to ${high}`);
  assert.deepEqual(page.problems, []);
});

test("a wall of glass without end is seen through", async () => {
  const scene = join(FOLDER, "glass.toml");
  writeFileSync(scene, `
[settings]
duration = 0.02
time_step = 0.01
[[body]]
name = "ground"
kind = "fixed"
shape = { type = "plane" }
[[body]]
name = "wall"
kind = "fixed"
look = "glass"
shape = { type = "plane" }
position = [0, -1, 0]
rotation = { axis = [1, 0, 0], angle = "90 deg" }
[[body]]
name = "ball"
shape = { type = "sphere", radius = 0.5 }
position = [0, 0, 0.5]
[view]
camera = "front"
`);
  const other = await view(runOf("glass", scene));
  const page = await newPage(browser, { viewport: { width: 500, height: 360 } });
  await page.goto(`${other.url}?samples=0`);
  await drawn(page);
  assert.ok((await counts(page)).bodies > 1000);
  const before = await picture(page);
  const wall = await page.evaluate(() => globalThis.drystone.recording.info.groups.findIndex((g) => g.name === "wall"));
  await page.evaluate((k) => globalThis.drystone.store.set({ groups: globalThis.drystone.store.state.groups.map((g, j) => ({ ...g, hidden: j === k })) }), wall);
  await redrawn(page);
  assert.notEqual(await picture(page), before);
  assert.deepEqual(page.problems, []);
  await page.context().close();
  await other.stop();
});

test("steps that did not converge are told in words and marked in red on the time bar", async () => {
  const clean = await open();
  assert.equal(await clean.locator(".caption .bad").count(), 0);
  const short = runOf("short", "pile", "--set", "count=400", "--until", "0.2", "--set", "settings.max_iterations=3", "--set", "settings.method=gauss-seidel", "--set", "settings.tolerance=1e-6");
  const steps = readFileSync(join(short, "log.csv"), "utf8").trim().split("\n").slice(1);
  const missed = steps.filter((row) => !row.includes(",converged,")).length;
  assert.ok(missed > 5, `${missed} of ${steps.length}`);
  const other = await view(short);
  const page = await newPage(browser, { viewport: { width: 700, height: 400 } });
  await page.goto(`${other.url}?samples=0`);
  await drawn(page);
  assert.equal(await page.locator(".caption .bad").textContent(), `${missed} steps did not converge`);
  const red = await page.evaluate(() => {
    const canvas = document.querySelector("canvas.marks");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let k = 0; k < data.length; k += 4) if (data[k] > 180 && data[k + 1] < 90 && data[k + 3] > 200) count += 1;
    return count;
  });
  assert.ok(red > 10, `${red} red pixels`);
  assert.deepEqual(page.problems, []);
  await page.context().close();
  await other.stop();
});

test("the camera goes with the chosen body", async () => {
  const page = await open();
  const off = () => page.evaluate(() => {
    const { camera, shown, store: { state: { chosen } } } = globalThis.drystone;
    return [0, 1, 2].map((k) => camera.view.target[k] - shown.a.position[3 * chosen + k]);
  });
  await page.evaluate(() => {
    const { drystone: v } = globalThis;
    v.store.set({ chosen: v.recording.bodies.kind.indexOf(0) });
    v.seek(v.recording.times[0]);
  });
  await until(page, () => globalThis.drystone.shown.number === 0);
  await page.keyboard.press("g");
  await redrawn(page);
  const first = await off();
  await page.evaluate(() => globalThis.drystone.seek(globalThis.drystone.recording.times[8]));
  await until(page, () => globalThis.drystone.shown.number === 8);
  await redrawn(page);
  const then = await off();
  const fallen = await page.evaluate(() => {
    const { recording, store: { state: { chosen } } } = globalThis.drystone;
    return recording.frame(0).position[3 * chosen + 2] - recording.frame(8).position[3 * chosen + 2];
  });
  assert.ok(Math.abs(fallen) > 0.01, `it moved by ${fallen} m`);
  first.forEach((v, k) => assert.ok(Math.abs(v - then[k]) < 1e-5, `${first} and ${then}`));
  assert.deepEqual(page.problems, []);
});

test("a cut opens the pile, and its frame can be dragged", async () => {
  const page = await open();
  await page.getByRole("button", { name: "Cut", exact: true }).click();
  await redrawn(page);
  const whole = await counts(page);
  await page.getByRole("button", { name: "Cut the scene open" }).click();
  await until(page, () => globalThis.drystone.renderer.cuts.length === 1);
  await redrawn(page);
  const half = await counts(page);
  assert.ok(half.bodies < 0.95 * whole.bodies, `${half.bodies} of ${whole.bodies}`);
  // A point of the frame on the screen, and what a drag from there does.
  const at = await page.evaluate(async () => {
    const { drystone: v } = globalThis;
    const [a, b] = [v.overlay.cutFrame.slice(0, 3), v.overlay.cutFrame.slice(3, 6)];
    const p = a.map((x, k) => 0.5 * (x + b[k]));
    const m = v.camera.matrices(v.canvas.clientWidth, v.canvas.clientHeight).clipFromWorld;
    const [x, y, , w] = [0, 1, 2, 3].map((r) => m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r]);
    return { x: (0.5 * x / w + 0.5) * v.canvas.clientWidth, y: (0.5 - 0.5 * y / w) * v.canvas.clientHeight };
  });
  const place = () => page.evaluate(() => Math.hypot(...globalThis.drystone.store.state.cuts[0].point));
  const first = await place();
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x + 40, at.y + 25, { steps: 3 });
  await page.mouse.up();
  assert.notEqual(await place(), first);
  await page.getByRole("button", { name: "Take this cut away" }).click();
  await until(page, () => globalThis.drystone.renderer.cuts.length === 0);
  assert.deepEqual(page.problems, []);
});

test("what is under the cursor is named, and a click shows its figures and contacts", async () => {
  const page = await open();
  const target = await page.evaluate(() => {
    const { renderer, recording, canvas } = globalThis.drystone;
    const ids = renderer.allIds();
    const { width, height } = renderer.buffers;
    // A body in the middle of the picture, well inside its outline.
    for (let y = Math.floor(height / 2); y < height; y += 1) {
      for (let x = Math.floor(width / 3); x < width; x += 1) {
        const id = ids[y * width + x];
        const same = [[-3, 0], [3, 0], [0, -3], [0, 3]].every(([i, j]) => ids[(y + j) * width + x + i] === id);
        if (id > 0 && same && recording.bodies.kind[id - 1] === 0) {
          const ratio = canvas.clientWidth / width;
          return { x: (x + 0.5) * ratio, y: (height - 1 - y + 0.5) * ratio, name: recording.nameOf(id - 1), body: id - 1 };
        }
      }
    }
    return null;
  });
  assert.ok(target);
  await page.mouse.move(target.x - 1, target.y);
  await page.mouse.move(target.x, target.y);
  await until(page, (name) => document.querySelector(".tip").textContent === name, target.name);
  assert.match(target.name, /^grains\[\d+\]$/);
  await page.mouse.click(target.x, target.y);
  await until(page, () => document.querySelector(".panel h3")?.textContent !== "");
  assert.equal(await page.locator(".panel h3").textContent(), target.name);
  const text = await page.locator(".panel .figures").first().textContent();
  for (const word of ["position", "velocity", "mass", "stone, friction 0.5"]) assert.ok(text?.includes(word), word);
  await until(page, () => /touches nothing|\d+ contact/.test(document.querySelector(".contacts").textContent));
  // Its path and plots come.
  await until(page, () => globalThis.drystone.overlay.track?.rows.length === 16);
  await until(page, () => globalThis.drystone.renderer.lines.count > 5);
  await page.keyboard.press("f");
  await until(page, () => globalThis.drystone.camera.glide === null);
  assert.deepEqual(page.problems, []);
});

test("force chains are drawn as tubes, thinner ones left out by the slider", async () => {
  const page = await open();
  await page.getByRole("button", { name: "Forces" }).click();
  await page.getByLabel("Contacts").selectOption("chains");
  await until(page, () => globalThis.drystone.renderer.marks.count > 50);
  await redrawn(page);
  const all = await page.evaluate(() => globalThis.drystone.renderer.marks.count);
  assert.ok((await counts(page)).contacts > 500);
  await page.getByLabel("Weakest force that is shown").fill("0.5");
  await until(page, (n) => globalThis.drystone.renderer.marks.count < n, all);
  await page.getByLabel("Contacts").selectOption("forces");
  await page.getByLabel("forces on named bodies").check();
  await until(page, () => /box/.test(document.querySelector(".panel table").textContent));
  await until(page, () => /^box .*N$/.test(document.querySelector(".label")?.textContent ?? ""));
  assert.deepEqual(page.problems, []);
});

test("groups are hidden, shown alone and made transparent", async () => {
  const page = await open();
  await page.getByRole("button", { name: "Groups" }).click();
  await redrawn(page);
  const whole = (await counts(page)).bodies;
  await page.getByRole("button", { name: "Show grains", exact: true }).click();
  await until(page, () => globalThis.drystone.store.state.groups.some((g) => g.hidden));
  await redrawn(page);
  assert.equal((await counts(page)).bodies, 0);
  await page.getByRole("button", { name: "Show grains alone" }).click();
  await page.getByLabel("Opacity of grains").fill("0.4");
  await redrawn(page);
  const rest = (await counts(page)).bodies;
  assert.ok(rest > 0.2 * whole && rest < 0.9 * whole, `${rest} of ${whole}`);
});

test("plots are linked to the clock and can be saved as tables", async () => {
  const page = await open();
  await page.getByRole("button", { name: "Plots" }).click();
  const energy = page.locator("figure", { hasText: "energy" }).first();
  await energy.waitFor();
  for (const title of ["contacts", "residual", "penetration", "box force"]) assert.ok(await page.locator("figcaption b", { hasText: title }).count() > 0, title);
  const box = await energy.locator("canvas").boundingBox();
  assert.ok(box);
  await page.mouse.click(box.x + 46 + (box.width - 54) / 2, box.y + 50);
  await until(page, () => Math.abs(globalThis.drystone.store.state.time - 0.15) < 0.01);
  const [file] = await Promise.all([page.waitForEvent("download"), energy.getByRole("button", { name: "CSV" }).click()]);
  const text = readFileSync(await file.path(), "utf8");
  assert.match(text, /^time,kinetic energy,potential energy\n0\.004,/);
  assert.equal(text.trim().split("\n").length, 76);
  assert.deepEqual(page.problems, []);
});

test("a picture of any size, frames in a zip file, a film, and a link that shows the same", async () => {
  const page = await open();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByLabel("Width in pixels").fill("333");
  await page.getByLabel("Height in pixels").fill("222");
  const [png] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: /PNG\)$/ }).first().click()]);
  const bytes = readFileSync(await png.path());
  assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [333, 222]);
  await page.getByLabel("One frame in so many").fill("5");
  const [zip] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: /zip/ }).click()]);
  assert.equal(readFileSync(await zip.path()).subarray(0, 2).toString(), "PK");
  const [film] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: /WebM/ }).click()]);
  assert.equal(readFileSync(await film.path()).readUInt32BE(0), 0x1a45dfa3);
  await page.evaluate(() => { globalThis.drystone.camera.orbit(0.5, 0.1); globalThis.drystone.seek(0.2); });
  await redrawn(page);
  await page.getByRole("button", { name: "Copy a link" }).click();
  await until(page, () => location.hash.includes("view="));
  const state = () => globalThis.drystone.camera.view.eye.map((v) => v.toPrecision(5)).join() + globalThis.drystone.store.state.time;
  const here = await page.evaluate(state);
  const other = await anew({}, await page.evaluate(() => location.hash));
  await redrawn(other);
  assert.equal(await other.evaluate(state), here);
  assert.deepEqual(page.problems, []);
  await other.context().close();
});

test("the camera turns, moves and zooms; views and parallel rays", async () => {
  const page = await open();
  const eye = () => page.evaluate(() => globalThis.drystone.camera.view.eye.join());
  const first = await eye();
  await page.mouse.move(400, 250);
  await page.mouse.down();
  await page.mouse.move(470, 280, { steps: 4 });
  await page.mouse.up();
  const turned = await eye();
  assert.notEqual(turned, first);
  const distance = () => page.evaluate(() => globalThis.drystone.camera.distance);
  const far = await distance();
  await page.mouse.wheel(0, -300);
  await until(page, (d) => globalThis.drystone.camera.distance < d, far);
  for (const key of ["1", "2", "3", "4", "o", "0"]) {
    await page.locator("#view").press(key);
    await until(page, () => globalThis.drystone.camera.glide === null);
  }
  await page.keyboard.press("?");
  assert.ok(await page.getByRole("dialog").isVisible());
  assert.match(await page.getByRole("dialog").textContent() ?? "", /frame the chosen body/);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  assert.deepEqual(page.problems, []);
});

test("light and dark differ, and follow the system", async () => {
  const dark = await anew({ colorScheme: "dark", viewport: { width: 400, height: 300 } });
  assert.equal(await dark.evaluate(() => document.documentElement.dataset.theme), "dark");
  const corner = () => globalThis.drystone.renderer.pixels().data[4];
  assert.ok(await dark.evaluate(corner) < 60);
  await dark.keyboard.press("d");
  await until(dark, () => document.documentElement.dataset.theme === "light");
  await redrawn(dark);
  assert.ok(await dark.evaluate(corner) > 180);
  await dark.context().close();
});

test("it fits a phone, and two fingers zoom", async () => {
  const page = await anew({ viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true, deviceScaleFactor: 1 });
  const wide = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(wide[0] <= wide[1], String(wide));
  const stage = await page.locator("#stage").boundingBox();
  assert.ok(stage && stage.height > 480, JSON.stringify(stage));
  const client = await page.context().newCDPSession(page);
  const touch = (type, ...points) => client.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
  const before = await page.evaluate(() => globalThis.drystone.camera.distance);
  await touch("touchStart", [150, 300], [240, 300]);
  for (let k = 1; k <= 5; k += 1) await touch("touchMove", [150 - 10 * k, 300], [240 + 10 * k, 300]);
  await touch("touchEnd");
  await until(page, (d) => globalThis.drystone.camera.distance < 0.8 * d, before);
  assert.deepEqual(page.problems, []);
});

test("every control has a name, and focus is visible", async () => {
  const page = await open();
  for (const name of ["Colours", "Groups", "Forces", "Cut", "Plots", "Body", "View", "Save"]) {
    await page.getByRole("button", { name, exact: true }).click();
    const nameless = await page.evaluate(() => [...document.querySelectorAll("button, input, select, canvas.chart")].filter((e) => {
      const label = e.getAttribute("aria-label") || e.textContent.trim() || e.closest("label")?.textContent.trim();
      return !label && e.offsetParent !== null;
    }).map((e) => e.outerHTML.slice(0, 80)));
    assert.deepEqual(nameless, [], name);
  }
  await page.keyboard.press("Tab");
  assert.notEqual(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), "none");
});

test("without WebGL 2 a message says so in words", async () => {
  const page = await newPage(browser);
  await page.addInitScript(() => {
    const get = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, ...more) { return kind === "webgl2" ? null : get.call(this, kind, ...more); };
  });
  await page.goto(server.url);
  await page.getByRole("alert").waitFor();
  assert.match(await page.getByRole("alert").textContent() ?? "", /needs WebGL 2/);
  await page.context().close();
});
