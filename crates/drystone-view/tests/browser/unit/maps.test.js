// Colour maps: even to the eye, and told apart without colour.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MAPS, mapOf } from "../../../page/maps.js";

/** OKLab of a colour from 0 to 255 (Ottosson 2020). */
function labOf(rgb) {
  const [r, g, b] = rgb.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s, 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s];
}

for (const [name] of MAPS.filter(([n]) => n !== "viridis")) {
  test(`${name} goes in even steps, and lightness alone tells where`, () => {
    const map = mapOf(name);
    // Fifteen steps of seventeen entries: single ones are rounded to 8 bits.
    const labs = Array.from({ length: 16 }, (_, k) => labOf([...map.subarray(51 * k, 51 * k + 3)]));
    // The middle one of a two-sided map goes up and down again.
    const steps = labs.slice(1).map((v, k) => Math.hypot(...v.map((x, c) => x - labs[k][c]))).filter((_, k) => name !== "sides" || k !== 7);
    const mean = steps.reduce((a, b) => a + b) / steps.length;
    for (const step of steps) assert.ok(Math.abs(step / mean - 1) < 0.06, `${steps.map((s) => (s / mean).toFixed(2))}`);
    const lightness = labs.map(([l]) => l);
    // Up to the end, or up to the middle and down again.
    const half = name === "sides" ? 8 : 16;
    for (let k = 1; k < 16; k += 1) if (k !== half) assert.equal(lightness[k] > lightness[k - 1], k < half, `${k}: ${lightness.map((l) => l.toFixed(2))}`);
    if (name === "sides") assert.ok(Math.abs(lightness[7] - lightness[8]) < 0.01);
  });
}

test("other names are no maps", () => {
  assert.equal(mapOf("viridis"), null);
  assert.equal(mapOf("toString"), null);
});
