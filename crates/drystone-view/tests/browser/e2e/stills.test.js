// The page and the program's own renderer draw the same: outlines of moving bodies in ten scenes, from the same
// camera. Colours are forced in both so that moving bodies, and nothing else, are bright yellow.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { drawn, launch, newPage } from "../browser.js";
import { FOLDER, drystone, runOf, view } from "./program.js";

const SIZE = [1280, 800];
/** From here on to the right stands the still's legend, px. */
const LEGEND = 1160;
/** Scene, and how far it is run: short, but so that things have moved. */
const SCENES = {
  pile: ["--set", "count=200", "--until", "0.25"],
  masonry: ["--until", "0.1"],
  "tracked-vehicle": ["--until", "0.1"],
  hourglass: ["--until", "0.1"],
  domino: ["--until", "0.4"],
  stack: ["--until", "0.1"],
  mixer: ["--until", "0.1"],
  "slide-to-roll": ["--until", "0.1"],
  incline: ["--until", "0.2"],
  column: ["--until", "0.05"],
};

/** @type {import("playwright-core").Browser} */
let browser;
/** Decodes pictures. @type {Awaited<ReturnType<typeof newPage>>} */
let desk;
before(async () => {
  browser = await launch();
  desk = await newPage(browser);
});
after(async () => { await browser?.close(); });

/** Of a pixel half covered by yellow before the ground, blue is so much of the other channels. */
const HALF = 0.73;

/** Which pixels of a PNG file are yellow, as letters 0 and 1. @param {string} file */
function yellowOf(file) {
  return desk.evaluate(async ([data, half]) => {
    const blob = await (await fetch(`data:image/png;base64,${data}`)).blob();
    const image = await createImageBitmap(blob);
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const pixels = context.getImageData(0, 0, image.width, image.height).data;
    let out = "";
    for (let k = 0; k < pixels.length; k += 4) {
      const [r, g, b] = pixels.subarray(k, k + 3);
      out += b < half * Math.min(r, g) ? "1" : "0";
    }
    return out;
  }, /** @type {[string, number]} */ ([readFileSync(file).toString("base64"), HALF]));
}

for (const [scene, args] of Object.entries(SCENES)) {
  test(`${scene}: outlines agree to 1 %`, async (context) => {
    const folder = runOf(`still-${scene}`, scene, ...args, "--set", "view.color_by=size");
    const still = join(FOLDER, `still-${scene}.png`);
    // Sizes far above the range: all are the last colour.
    drystone("render", folder, "-o", still, "--color-by", "size", "--range=-2:-1", "--size", SIZE.join("x"), "--quality", "draft", "--quiet");
    const expected = await yellowOf(still);
    const server = await view(folder);
    const page = await newPage(browser, { viewport: { width: 500, height: 400 } });
    try {
      await page.goto(`${server.url}?samples=0`);
      await drawn(page);
      const found = await page.evaluate(async ([width, height, half]) => {
        const { drystone: v } = globalThis;
        v.paused = true;
        v.store.set({ colorBy: "size", rangeMode: "fixed" });
        v.store.set({ range: [-2, -1] });
        // Four samples a pixel, as the still has.
        v.renderer.resize(2 * width, 2 * height);
        v.takeMoment();
        v.renderer.draw(true);
        const { data } = v.renderer.pixels();
        // Their mean is one of light, not of the figures of a file.
        const light = Float32Array.from({ length: 256 }, (_, v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
        const mean = (x, y, c) => {
          const k = 4 * (2 * width * y + x) + c;
          const sum = light[data[k]] + light[data[k + 4]] + light[data[k + 8 * width]] + light[data[k + 8 * width + 4]];
          return 1.055 * (sum / 4) ** (1 / 2.4) - 0.055;
        };
        let out = "";
        for (let y = 0; y < 2 * height; y += 2) {
          for (let x = 0; x < 2 * width; x += 2) out += mean(x, y, 2) < half * Math.min(mean(x, y, 0), mean(x, y, 1)) ? "1" : "0";
        }
        return out;
      }, [...SIZE, HALF]);
      assert.equal(found.length, expected.length);
      let [differ, area, more] = [0, 0, 0];
      for (let k = 0; k < found.length; k += 1) {
        if (k % SIZE[0] >= LEGEND) continue;
        if (found[k] !== expected[k]) differ += 1;
        if (found[k] > expected[k]) more += 1;
        if (expected[k] === "1") area += 1;
      }
      const share = differ / area;
      context.diagnostic(`${differ} of ${area} pixels differ: ${(100 * share).toFixed(2)} %, ${more} of them only in the page`);
      assert.ok(area > 300, `${area} pixels are yellow in the still`);
      assert.ok(share <= 0.01, `${differ} of ${area} pixels differ: ${(100 * share).toFixed(2)} %`);
    } finally {
      await page.context().close();
      await server.stop();
    }
  });
}
