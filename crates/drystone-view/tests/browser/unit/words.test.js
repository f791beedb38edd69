// Numbers as words, colours, tables, zip files, the store.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { rangeOf, shareOf } from "../../../page/colors.js";
import { headingOf, roundBelow, roundingText, threeDigits, tickLabels, ticksOf, timeText, withUnit } from "../../../page/format.js";
import { heat, holdsAt, nearestImage } from "../../../page/marks.js";
import { QUANTITIES, quantityOf, recordedQuantities } from "../../../page/quantities.js";
import { createStore } from "../../../page/store.js";
import { columnOf, forcesAt, rowAt } from "../../../page/tables.js";
import { toCsv } from "../../../page/widgets/chart.js";
import { widePlots } from "../../../page/widgets/plots_panel.js";
import { crc32, zipOf } from "../../../page/zip.js";

test("numbers are written with prefixes and three digits", () => {
  assert.equal(withUnit(0.0123, "m"), "12.3 mm");
  assert.equal(withUnit(-4200, "N"), "-4.20 kN");
  assert.equal(withUnit(0, "N"), "0 N");
  assert.equal(withUnit(NaN, "N"), "–");
  assert.equal(withUnit(2.5, "kg"), "2.50 kg");
  assert.equal(threeDigits(1.5e-7), "1.50·10⁻⁷");
  assert.equal(timeText(1.5, 0.004), "1.500 s");
  assert.equal(timeText(1.5, 0.00004), "1.50000 s");
});

test("ticks are round, as in the stills", () => {
  assert.equal(roundBelow(0.7), 0.5);
  assert.equal(roundBelow(3), 2);
  assert.deepEqual(ticksOf(0.032, 0.048, false).map((v) => Number(v.toFixed(6))), [0.032, 0.034, 0.036, 0.038, 0.04, 0.042, 0.044, 0.046, 0.048]);
  assert.deepEqual(tickLabels([0.034, 0.036], 1e-3, false), ["34", "36"]);
  assert.deepEqual(ticksOf(1e-4, 10, true).map((v) => v.toPrecision(1)), ["0.0001", "0.001", "0.01", "0.1", "1e+0", "1e+1"].map((v) => Number(v).toPrecision(1)));
  assert.deepEqual(headingOf("size", "m", 0.04), ["size (mm)", 1e-3]);
  assert.deepEqual(headingOf("speed", "m/s", 0.95), ["speed (m/s)", 1]);
  assert.deepEqual(headingOf("force", "N", 2900), ["force (N)", 1]);
  assert.deepEqual(headingOf("force", "N", 5000), ["force (kN)", 1000]);
});

test("ranges start at zero and leave out what is astray", () => {
  const values = Float32Array.from({ length: 1001 }, (_, k) => (k === 1000 ? 1e6 : k / 1000));
  const [low, high] = rangeOf(QUANTITIES.speed, values, new Uint8Array(1001), false);
  assert.ok(low === 0 && high > 0.99 && high < 1, `${low} ${high}`);
  assert.deepEqual(rangeOf(QUANTITIES.speed, new Float32Array(3), new Uint8Array(3), false), [0, 1]);
  // Fixed bodies do not count.
  assert.equal(rangeOf(QUANTITIES.size, Float32Array.of(1, 50), Uint8Array.of(0, 1), false)[1], 1);
  const [least] = rangeOf(QUANTITIES.speed, Float32Array.of(0, 1e-9, 2), new Uint8Array(3), true);
  assert.ok(Math.abs(least - 2e-4) < 1e-9);
  assert.equal(shareOf(5, 0, 10, false), 0.5);
  assert.equal(shareOf(-1, 1, 10, true), 0);
  assert.equal(shareOf(3, 3, 3, false), 0.5);
});

test("touching bodies and forces are summed from contacts", () => {
  const contacts = { count: 3, first: Uint32Array.of(0, 0, 1), second: Uint32Array.of(1, 1, 2), force: Float32Array.of(3, 4, 0, 0, 0, 1, 0, 2, 0) };
  const out = new Float32Array(3);
  QUANTITIES.force.fill(out, null, { contacts });
  assert.deepEqual([...out], [6, 8, 2]);
  // Two contacts of one pair are one neighbour.
  QUANTITIES.coordination.fill(out, null, { contacts });
  assert.deepEqual([...out], [1, 2, 1]);
});

test("parts of contact forces, overlaps and gaps come from contacts", () => {
  const contacts = {
    count: 2, first: Uint32Array.of(0, 0), second: Uint32Array.of(1, 2), gap: Float32Array.of(-0.5, 0.25),
    normal: Float32Array.of(0, 0, 1, 0, 1, 0), force: Float32Array.of(3, 0, 4, 0, 2, 0), torque: Float32Array.of(0, 6, 8, 0, 0, 0),
  };
  const of = (/** @type {string} */ name) => {
    const out = new Float32Array(4);
    QUANTITIES[name].fill(out, null, { contacts });
    return [...out];
  };
  assert.deepEqual(of("normal"), [6, 4, 2, 0]);
  assert.deepEqual(of("friction"), [3, 3, 0, 0]);
  assert.deepEqual(of("torque"), [10, 10, 0, 0]);
  assert.deepEqual(of("overlap"), [0.5, 0.5, 0, 0]);
  assert.deepEqual(of("gap"), [-0.5, -0.5, 0.25, NaN]);
});

test("recorded forces and joints colour the bodies that they are of", () => {
  const table = { columns: ["step", "time", "lid fx", "lid fy", "lid fz", "pin fx", "pin fy", "pin fz", "pin speed"], units: [], values: [[1, 2], [0.1, 0.2], [0, 3], [0, 0], [1, 4], [1, 0], [2, 0], [2, 7], [-5, 6]] };
  const recording = {
    info: { groups: [{ name: "lid" }, { name: "balls" }], joints: [{ name: "pin", bodies: [2, null] }], springs: [], has_contacts: false, tables: ["joints"] },
    bodies: { group: Uint32Array.of(0, 1, 1) },
  };
  const of = (/** @type {string} */ name, /** @type {number} */ time) => {
    const out = new Float32Array(3);
    QUANTITIES[name].fill(out, recording, { table, time });
    return [...out];
  };
  assert.deepEqual(of("named", 0.2), [5, NaN, NaN]);
  assert.deepEqual(of("jointForce", 0.05), [NaN, NaN, 3]);
  assert.deepEqual(of("jointSpeed", 0.05), [NaN, NaN, 5]);
  assert.deepEqual(of("jointTorque", 0.05), [NaN, NaN, NaN]);
  assert.deepEqual([rowAt(table, 0), rowAt(table, 0.15), rowAt(table, 9), rowAt(null, 1)], [0, 1, 1, -1]);
  assert.deepEqual(forcesAt(table, 0.2)[0], { name: "lid", force: [3, 0, 4] });
  const names = recordedQuantities(recording);
  assert.ok(names.includes("jointForce") && names.includes("qw") && !names.includes("named") && !names.includes("force"));
  // A name of the object's own making is no quantity.
  assert.equal(quantityOf("constructor"), undefined);
});

test("ways across a periodic box are the short ones", () => {
  assert.deepEqual(nearestImage([0.9, 0.9, -0.2], [1, 0, 1]).map((v) => Number(v.toFixed(6))), [-0.1, 0.9, -0.2]);
});

test("springs are off in their spans, the last without an end", () => {
  const off = [[0.2, 0.5], [1, null]];
  assert.deepEqual([0.1, 0.2, 0.49, 0.5, 1, 9].map((t) => holdsAt({ off }, t)), [true, false, false, true, false, false]);
  assert.equal(holdsAt({}, 1), true);
});

test("heat grows brighter", () => {
  const light = (/** @type {number[]} */ c) => 0.2 * c[0] + 0.7 * c[1] + 0.1 * c[2];
  for (let k = 1; k <= 10; k += 1) assert.ok(light(heat(k / 10)) > light(heat((k - 1) / 10)));
});

test("listeners hear of their keys, once a change", () => {
  const store = createStore({ a: 1, b: 2 });
  let heard = 0;
  store.on(["a", "b"], () => { heard += 1; });
  store.set({ a: 1 });
  assert.equal(heard, 0);
  store.set({ a: 3, b: 4 });
  assert.equal(heard, 1);
  assert.equal(store.state.b, 4);
});

test("tables become plots and text", () => {
  const table = { columns: ["step", "time", "box fx", "box fy", "hinge coordinate"], units: ["", "s", "N", "N", ""], values: [[1, 2], [0.1, 0.2], [1, null], [3, 4], [null, null]] };
  const plots = widePlots(table);
  assert.equal(plots.length, 1);
  assert.equal(plots[0].title, "box force");
  assert.equal(columnOf(table, "none"), null);
  assert.equal(toCsv([0.1, 0.2], [{ name: 'a "b", c', values: [1, NaN] }]), 'time,"a ""b"", c"\n0.1,1\n0.2,\n');
});

test("a zip file can be unpacked by others", async () => {
  assert.equal(crc32(new TextEncoder().encode("123456789")), 0xcbf43926);
  const folder = mkdtempSync(join(tmpdir(), "zip-"));
  try {
    const blob = zipOf([{ name: "a.txt", bytes: new TextEncoder().encode("dry") }, { name: "b.txt", bytes: new TextEncoder().encode("stone") }]);
    writeFileSync(join(folder, "x.zip"), Buffer.from(await blob.arrayBuffer()));
    execFileSync("python3", ["-m", "zipfile", "-e", join(folder, "x.zip"), folder]);
    assert.equal(readFileSync(join(folder, "b.txt"), "utf8"), "stone");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("counts have no decimals", () => {
  assert.deepEqual([4, 993, 99999, 0.5, 2.25].map((v) => withUnit(v, "")), ["4", "993", "99999", "0.500", "2.25"]);
});

test("how far a replay is off is told with fitting units", () => {
  // Half a step of 1/8191 in each of four components is an angle of 0.014 degrees.
  assert.equal(roundingText({ position: 6.54e-6, rotation: 1 / 8191, velocity: 0.00021 }), "Rounded by at most 6.5 µm, 0.014°, 210 µm/s.");
  assert.equal(roundingText({ position: 0.0004, rotation: 0, velocity: 0 }), "Rounded by at most 400 µm, 0°, 0 m/s.");
  assert.equal(roundingText({ position: 0, rotation: 1e-5, velocity: 0 }), "");
  assert.equal(roundingText(null), "");
});
