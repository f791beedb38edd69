// Decoding, the cache and the place of a time.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ballsRun, binary } from "../synthetic.js";
import { NOWHERE, decodeBodies, decodeChunk, decodeFrame, decodeIndex, decodeMesh, frameOfChunk } from "../../../page/worker.js";
import { Cache, localised, placeOf } from "../../../page/recording.js";

/** The bytes alone, as a response has them. @param {Buffer} b */
const buffer = (b) => b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength);

test("bodies, index and frames come back as they were sent", () => {
  const run = ballsRun(5, 3);
  const bodies = decodeBodies(buffer(run("bodies.bin")));
  assert.equal(bodies.kind.length, 6);
  assert.deepEqual([...bodies.shape], [0, 0, 0, 0, 0, 1]);
  assert.equal(bodies.reach[5], Infinity);
  assert.deepEqual([...decodeIndex(buffer(run("index.bin"))).step], [0, 1, 2]);
  const frame = decodeFrame(buffer(run("frame/1.bin")), bodies, null);
  assert.equal(frame.position.length, 18);
  // The box is around the dynamic balls alone.
  assert.ok(frame.low[2] > -1e-6 && frame.low[2] < 1e-6, String(frame.low));
});

test("a cut resource says where it ends", () => {
  const whole = buffer(ballsRun(5, 3)("bodies.bin"));
  assert.throws(() => decodeBodies(whole.slice(0, 60)), /bodies\.bin: ends after 60 bytes/);
  assert.throws(() => decodeBodies(new ArrayBuffer(3)), /expected a head/);
});

const KINDS = { kind: Uint8Array.of(0, 1, 2), reach: new Float32Array(3) };

test("quantised frames of moving bodies take the fixed ones from frame 0", () => {
  const base = { position: Float32Array.of(1, 1, 1, 7, 8, 9, 2, 2, 2), rotation: new Int16Array(12).fill(5), velocity: new Float32Array(9), angular: new Float32Array(9), enabled: Uint8Array.of(1, 1, 1), low: [], high: [], bytes: 0 };
  const sent = binary(2, 3, [
    Float64Array.of(-1, -2, -3), Float64Array.of(0.5, 0.25, 1), Uint16Array.of(2, 4, 6, 0, 0, 0), new Int16Array(8).fill(9),
    Float64Array.of(0.1), Int16Array.of(10, -10, 0, 0, 0, 0), Float64Array.of(1), new Int16Array(6), Uint8Array.of(1, 0),
  ]);
  const frame = decodeFrame(buffer(sent), KINDS, base);
  assert.deepEqual([...frame.position.subarray(0, 6)], [0, -1, 3, 7, 8, 9]);
  assert.ok(Math.abs(frame.velocity[0] - 1) < 1e-6 && Math.abs(frame.velocity[1] + 1) < 1e-6);
  assert.deepEqual([...frame.rotation.subarray(4, 8)], [5, 5, 5, 5]);
  // A body that takes no part is put nowhere.
  assert.equal(frame.position[6], Math.fround(NOWHERE));
  assert.throws(() => decodeFrame(buffer(sent), KINDS, null), /frame 0 is not there/);
});

/** Packs columns of whole numbers as a chunk, by the words of the protocol. */
function packed(frames, moving, columns, enabled) {
  const planes = [];
  for (const { ranks, straight, numbers } of columns) {
    const z = numbers.map((n, k) => {
      const f = k % frames;
      const last = f > 0 ? numbers[k - 1] : 0;
      const r = n - (straight && f > 1 ? 2 * last - numbers[k - 2] : last);
      return r >= 0 ? 2 * r : -2 * r - 1;
    });
    for (let rank = 0; rank < ranks; rank += 1) planes.push(...z.map((v) => (v >>> (8 * rank)) & 255));
  }
  planes.push(...enabled);
  return binary(frames, 0, [Uint32Array.of(moving), Float64Array.of(10, 20, 30, 0.001, 1 / 32767, 0.5, 2), Uint8Array.from(planes)]);
}

test("frames packed together come back, number for number", () => {
  const [frames, moving] = [4, 2];
  const numbers = (/** @type {number} */ seed, /** @type {number} */ most) => Array.from({ length: frames * moving }, (_, k) => Math.round(most * Math.sin(seed + 2.3 * k)));
  const columns = [
    ...[1, 2, 3].map((s) => ({ ranks: 3, straight: true, numbers: numbers(s, 100000) })),
    ...[4, 5, 6, 7].map((s) => ({ ranks: 2, straight: true, numbers: numbers(s, 4000) })),
    ...[8, 9, 10, 11, 12, 13].map((s) => ({ ranks: 2, straight: false, numbers: numbers(s, 9000) })),
  ];
  const chunk = decodeChunk(buffer(packed(frames, moving, columns, new Array(8).fill(1))));
  const base = { position: new Float32Array(9), rotation: new Int16Array(12), velocity: new Float32Array(9), angular: new Float32Array(9), enabled: Uint8Array.of(1, 1, 1), low: [], high: [], bytes: 0 };
  const frame = frameOfChunk(chunk, 2, KINDS, base);
  // Body 2 of the run is the second that moves.
  const at = 1 * frames + 2;
  assert.ok(Math.abs(frame.position[6] - (10 + 0.001 * columns[0].numbers[at])) < 1e-3);
  assert.ok(Math.abs(frame.velocity[7] - 0.5 * columns[8].numbers[at]) < 1e-3);
  assert.ok(Math.abs(frame.angular[8] - 2 * columns[12].numbers[at]) < 1e-3);
  const q = columns.slice(3, 7).map((c) => c.numbers[at]);
  const length = Math.hypot(...q);
  assert.deepEqual([...frame.rotation.subarray(8, 12)], q.map((v) => Math.round((32767 * v) / length)));
  assert.throws(() => frameOfChunk(chunk, 4, KINDS, base), /holds 4/);
});

test("a mesh comes back", () => {
  const sent = binary(3, 0, [Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0), Uint32Array.of(1), Uint32Array.of(0, 1, 2)]);
  const mesh = decodeMesh(buffer(sent));
  assert.deepEqual([...mesh.index], [0, 1, 2]);
  assert.equal(mesh.vertex[3], 1);
});

test("the cache keeps what was used last, within its bytes", () => {
  const cache = new Cache(100);
  for (const key of ["a", "b", "c"]) cache.put(key, { bytes: 30 });
  cache.get("a");
  cache.put("d", { bytes: 30 });
  assert.deepEqual([...cache.entries.keys()], ["c", "a", "d"]);
  assert.equal(cache.bytes, 90);
  cache.put("large", { bytes: 1000 });
  assert.deepEqual([...cache.entries.keys()], ["large"]);
});

test("a time has its place between frames", () => {
  const times = [0, 0.5, 1, 3];
  assert.deepEqual(placeOf(times, 0.75), { frame: 1, share: 0.5 });
  assert.deepEqual(placeOf(times, -1), { frame: 0, share: 0 });
  assert.deepEqual(placeOf(times, 9), { frame: 3, share: 0 });
  assert.deepEqual(placeOf([], 1), { frame: 0, share: 0 });
});

test("all places of a run are less its origin, but those in a body's axes", () => {
  const info = JSON.parse(ballsRun(2)("run.json").toString());
  const moved = localised({ ...info, origin: [1, 2, 3], joints: [{ name: "j", kind: "fixed", bodies: [0, null], points: [[0, 0, 0], [1, 2, 3]] }] });
  assert.deepEqual(moved.joints[0].points, [[0, 0, 0], [0, 0, 0]]);
  assert.equal(moved.camera.target[0], info.camera.target[0] - 1);
});
