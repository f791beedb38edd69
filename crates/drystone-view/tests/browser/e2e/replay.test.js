// Replays: one file each, opened from disk in Chromium and in Firefox, and played to the end.

import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { drawn, launch, newPage, until } from "../browser.js";
import { lacksFirefox, openFirefox } from "./firefox.js";
import { FOLDER, pile, replayOf, runOf } from "./program.js";

/** Replays with the size that they may have, MB, and pixels of moving bodies that their first picture has at least. */
const REPLAYS = [
  { name: "pile-150", run: pile, megabytes: 5, pixels: 3000 },
  { name: "masonry", run: () => runOf("masonry-whole", "masonry"), megabytes: 10, pixels: 3000 },
  { name: "pile", run: () => runOf("pile-whole", "pile"), megabytes: 5, pixels: 3000 },
];

/** @type {import("playwright-core").Browser} */
let browser;
/** @type {Awaited<ReturnType<typeof openFirefox>> | null} */
let firefox = null;
before(async () => {
  browser = await launch();
  if (!lacksFirefox()) firefox = await openFirefox(FOLDER);
});
after(async () => {
  await browser?.close();
  await firefox?.close();
});

const address = (/** @type {typeof REPLAYS[0]} */ { name, run }) => `${pathToFileURL(replayOf(name, run()))}?samples=0`;

/** Pixels of moving bodies. */
const BODY_PIXELS = "drystone.renderer.allIds().filter((id) => id > 0 && drystone.recording.bodies.kind[id - 1] === 0).length";

/** Plays, and keeps which frames were shown. */
const PLAY = `(() => {
  globalThis.played = new Set();
  const take = drystone.takeMoment.bind(drystone);
  drystone.takeMoment = () => { take(); played.add(drystone.shown.number); };
  drystone.togglePlay();
})()`;
const AT_THE_END = "played.size > 2 && !drystone.player.playing && drystone.shown.number === drystone.recording.times.length - 1";

for (const replay of REPLAYS) {
  test(`${replay.name}: a small file, which plays from disk in Chromium and asks nobody for anything`, async (context) => {
    const url = address(replay);
    const bytes = statSync(replayOf(replay.name, replay.run())).size;
    context.diagnostic(`${(bytes / 1e6).toFixed(2)} MB`);
    assert.ok(bytes < replay.megabytes * 1e6, `${bytes} bytes`);
    const page = await newPage(browser, { viewport: { width: 1000, height: 640 } });
    const asked = [];
    page.on("request", (r) => { if (!/^(file|data|blob):/.test(r.url())) asked.push(r.url()); });
    await page.goto(url);
    await drawn(page);
    const pixels = await page.evaluate(BODY_PIXELS);
    assert.ok(pixels > replay.pixels, `${pixels} pixels show moving bodies`);
    assert.match(await page.locator(".note").textContent() ?? "", /at most/);
    await page.evaluate(PLAY);
    // A replay's policy lets no text become script: as a function.
    await until(page, () => globalThis.played.size > 2 && !globalThis.drystone.player.playing && globalThis.drystone.shown.number === globalThis.drystone.recording.times.length - 1);
    assert.deepEqual(asked, []);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  test(`${replay.name}: plays from disk in Firefox`, { skip: lacksFirefox() }, async () => {
    assert.ok(firefox);
    await firefox.open(address(replay));
    await firefox.reach("globalThis.drystone?.shown && drystone.renderer.isFresh");
    const pixels = await firefox.evaluate(BODY_PIXELS);
    assert.ok(Number(pixels) > replay.pixels, String(pixels));
    await firefox.evaluate(PLAY);
    await firefox.reach(AT_THE_END);
  });
}
