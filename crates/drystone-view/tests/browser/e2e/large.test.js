// Very many balls: what is drawn and sent while things move and when they rest. Counts, which do not depend on
// how fast the machine is; `measure.js` prints times.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { drawn, launch, newPage, redrawn, until } from "../browser.js";
import { ballsRun, serveSynthetic } from "../synthetic.js";

const SMALL = { viewport: { width: 360, height: 300 } };

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser?.close(); });

/** @param {number} count @param {(page: Awaited<ReturnType<typeof newPage>>) => Promise<void>} work */
async function withBalls(count, work) {
  const server = await serveSynthetic(ballsRun(count, 3));
  const page = await newPage(browser, SMALL);
  try {
    await page.goto(`${server.url}?samples=0`);
    await drawn(page);
    await work(page);
    assert.deepEqual(page.problems, []);
  } finally {
    await page.context().close();
    server.close();
  }
}

/** What one picture took, while the camera turns. @param {import("playwright-core").Page} page */
const turned = (page) => page.evaluate(() => {
  const { drystone: v } = globalThis;
  v.paused = true;
  v.camera.orbit(0.15, 0.02);
  v.renderer.touch();
  v.renderer.draw(true);
  const { calls, shapes, bytes } = v.renderer.statistics;
  v.paused = false;
  v.change();
  return { calls, shapes, bytes, budget: v.renderer.detail.budget };
});

test("a hundred thousand balls: few draw calls, and a new frame sends its positions only", async () => {
  await withBalls(100000, async (page) => {
    await until(page, () => globalThis.drystone.renderer.isComplete);
    const frame = await page.evaluate(async () => {
      const { drystone: v } = globalThis;
      v.paused = true;
      v.player.seek(v.recording.times[0]);
      while (v.player.moment() === null) await new Promise((resolve) => { setTimeout(resolve, 20); });
      v.takeMoment();
      v.renderer.draw(true);
      return v.renderer.statistics;
    });
    // Balls seen and balls of the sample, in the picture and in the shadows, and the ground; with a range that goes round twice more.
    assert.ok(frame.calls <= 9, `${frame.calls} draw calls`);
    // Twelve bytes a ball; balls that were seen take 20 each, and are at most seven tenths of a picture's.
    assert.ok(frame.bytes <= 12 * 100001 + 20 * 42000, `${frame.bytes} bytes`);
  });
});

test("of a million balls a part is drawn while the camera turns, and all of them when it rests", async () => {
  await withBalls(1000000, async (page) => {
    const first = await turned(page);
    assert.ok(first.shapes <= 2 * first.budget + 10, JSON.stringify(first));
    await until(page, () => globalThis.drystone.renderer.isComplete);
    // Nothing is sent for a turn but the balls that were seen.
    const next = await turned(page);
    assert.ok(next.shapes <= next.budget + 10 && next.calls <= 5, JSON.stringify(next));
    assert.ok(next.bytes <= 20 * next.budget, JSON.stringify(next));
    await until(page, () => globalThis.drystone.renderer.isComplete);
    await redrawn(page);
    // In portions and at once come to the same picture.
    const same = await page.evaluate(() => {
      const { drystone: v } = globalThis;
      v.paused = true;
      const inPortions = v.renderer.allIds();
      v.renderer.detail.budget = Infinity;
      v.renderer.touch();
      v.renderer.draw(true);
      const atOnce = v.renderer.allIds();
      return { all: v.renderer.statistics.shapes, pixels: atOnce.filter((id) => id > 0 && id <= 1000000).length, differ: atOnce.filter((id, k) => id !== inPortions[k]).length };
    });
    assert.ok(same.all >= 1000000 && same.pixels > 5000, JSON.stringify(same));
    // Where two discs are equally far, the order decides.
    assert.ok(same.differ <= 0.002 * same.pixels, JSON.stringify(same));
  });
});
