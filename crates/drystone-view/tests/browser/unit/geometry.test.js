// Camera, shapes' boxes, surfaces, light.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readFileSync } from "node:fs";
import { PAGE } from "../synthetic.js";
import { Camera, fitView, viewFromText, viewToText } from "../../../page/camera.js";
import { corners, cross, dot, length, normalize, project, quatFromZ, quatProduct, rotate, slerp, sub } from "../../../page/math.js";
import { lampSample, skySample } from "../../../page/render/light.js";
import { surfaceOf } from "../../../page/render/topology.js";
import { boxEdges, outlineOf } from "../../../page/render/lines.js";

const BOX = { low: [-3, 1, 0], high: [4, 2.5, 6] };
const VIEW = { eye: [10, -12, 8], target: [0.5, 1.75, 3], up: [0, 0, 1], field: 0.6, height: 0 };
const near = (a, b, by = 1e-9) => assert.ok(Math.abs(a - b) < by, `${a} is not ${b}`);

/** Where a point appears, from -1 to 1. */
function seen(camera, p, aspect = 1.6) {
  const [x, y, , w] = project(camera.matrices(1000 * aspect, 1000).clipFromWorld, p);
  return [x / w, y / w];
}

test("a fitted view has all corners within its margins and is tight", () => {
  for (const direction of [[-1, 2, -0.5], [0, 0, -1], [1, 0, 0]]) {
    const camera = new Camera(fitView(corners(BOX.low, BOX.high), direction, [0, 0, 1], 0.6, 1.6), BOX);
    const places = corners(BOX.low, BOX.high).map((p) => seen(camera, p));
    const most = (k) => Math.max(...places.map((p) => Math.abs(p[k])));
    assert.ok(most(0) <= 0.8401 && most(1) <= 0.8001, JSON.stringify(places));
    assert.ok(most(0) > 0.8399 || most(1) > 0.7999, JSON.stringify(places));
  }
});

test("zooming keeps what is under the cursor there", () => {
  const camera = new Camera(VIEW, BOX);
  const ray = camera.ray(0.4, -0.3, 1.6);
  const { forward } = camera.axes();
  const depth = dot(sub(camera.view.target, ray.origin), forward) / dot(ray.direction, forward);
  const point = ray.origin.map((v, k) => v + depth * ray.direction[k]);
  camera.zoom(0.5, 0.4, -0.3);
  const [x, y] = seen(camera, point);
  near(x, 0.4, 1e-6);
  near(y, -0.3, 1e-6);
});

test("orbiting keeps the distance and the target, and does not turn over", () => {
  const camera = new Camera(VIEW, BOX);
  const before = camera.distance;
  for (let k = 0; k < 50; k += 1) camera.orbit(0.3, 0.2);
  near(camera.distance, before, 1e-6);
  assert.deepEqual(camera.view.target, VIEW.target);
  assert.ok(camera.axes().up[2] > 0);
});

test("panning moves the target with the cursor", () => {
  const camera = new Camera(VIEW, BOX);
  const [x0, y0] = seen(camera, VIEW.target);
  camera.pan(100, 0, 1000);
  const [x1, y1] = seen(camera, VIEW.target);
  near(x1 - x0, 100 / 800, 1e-6);
  near(y1, y0, 1e-6);
});

test("parallel rays show the target's plane as before", () => {
  const camera = new Camera(VIEW, BOX);
  const { right } = camera.axes();
  const point = camera.view.target.map((v, k) => v + 1.3 * right[k]);
  const [before] = seen(camera, point);
  camera.toggleOrthographic();
  near(seen(camera, point)[0], before, 1e-9);
  camera.toggleOrthographic();
  assert.equal(camera.view.height, 0);
});

test("a narrow picture steps back", () => {
  const camera = new Camera(VIEW, BOX);
  camera.aspect = 0.5;
  near(length(sub(camera.eye, VIEW.target)) / camera.distance, 3.2, 1e-9);
});

test("a glide ends where it was to go", () => {
  const camera = new Camera(VIEW, BOX);
  const to = { ...VIEW, eye: [0, -20, 3] };
  camera.goTo(to);
  camera.advance(performance.now() + 100);
  assert.notDeepEqual(camera.view.eye, to.eye);
  camera.advance(performance.now() + 5000);
  assert.deepEqual(camera.view, to);
  assert.equal(camera.advance(performance.now()), false);
});

test("views survive as text, and nonsense does not become one", () => {
  const back = viewFromText(viewToText(VIEW));
  assert.deepEqual(back, VIEW);
  for (const text of ["", "1,2,3", "a,b,c,d,e,f,g,h,i,j,k", "0,0,0,0,0,0,0,0,1,0.6,0"]) assert.equal(viewFromText(text), null);
});

test("quaternions turn as they should", () => {
  const q = quatFromZ([1, 2, -0.5]);
  const z = rotate(q, [0, 0, 1]);
  normalize([1, 2, -0.5]).forEach((v, k) => near(z[k], v));
  const half = slerp([0, 0, 0, 1], [0, 0, 1, 0], 0.5);
  near(half[2], Math.SQRT1_2);
  // Twice a quarter turn about z.
  const quarter = [0, 0, Math.SQRT1_2, Math.SQRT1_2];
  near(quatProduct(quarter, quarter)[2], 1);
  near(rotate(quarter, [1, 0, 0])[1], 1);
  // The shorter way, though the signs differ.
  near(Math.abs(slerp([0, 0, 0, 1], [0, 0, -0.1, -0.995], 1)[3]), 0.995, 1e-3);
});

test("the strip of a box's corners has all faces outwards", () => {
  const text = readFileSync(`${PAGE}render/convex.js`, "utf8");
  const strip = /STRIP\[14\] = int\[14\]\(([^)]*)\)/.exec(text)[1].split(",").map(Number);
  const corner = (k) => [k & 1, (k >> 1) & 1, k >> 2].map((v) => 2 * v - 1);
  const faces = new Map();
  for (let k = 0; k < 12; k += 1) {
    const [a, b, c] = (k % 2 === 0 ? [0, 1, 2] : [1, 0, 2]).map((j) => corner(strip[k + j]));
    const normal = cross(sub(b, a), sub(c, a));
    assert.ok(dot(normal, a) > 0, `triangle ${k} faces inwards`);
    const key = normalize(normal).map(Math.round).join();
    faces.set(key, (faces.get(key) ?? 0) + 1);
  }
  assert.deepEqual([...faces.values()], [2, 2, 2, 2, 2, 2]);
});

const CUBE = { vertex: Float32Array.from(corners([-1, -1, -1], [1, 1, 1]).flat()), index: Uint32Array.of(0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5) };

test("a cube is closed, has twelve edges, and flat faces even when smoothed", () => {
  for (const smooth of [false, true]) {
    const surface = surfaceOf(CUBE.vertex, CUBE.index, smooth);
    assert.equal(surface.closed, true);
    assert.equal(surface.creases.length, 12 * 6);
    for (let k = 0; k < surface.normals.length; k += 3) near(Math.max(...surface.normals.subarray(k, k + 3).map(Math.abs)), 1);
  }
  assert.equal(surfaceOf(CUBE.vertex, CUBE.index.subarray(3), false).closed, false);
});

test("outlines have their lines", () => {
  assert.equal(boxEdges([0, 0, 0], [1, 2, 3]).length, 12 * 6);
  assert.equal(outlineOf({ kind: "cylinder", radius: 1, half_length: 2 }).length, 2 * 72 * 6);
  assert.equal(outlineOf({ kind: "sphere", radius: 1 }).length, 0);
});

test("directions of the sky fill the sphere evenly, each taken once", () => {
  for (const count of [24, 64]) {
    const all = Array.from({ length: count }, (_, k) => skySample(k, count));
    assert.equal(new Set(all.map((d) => d[2].toFixed(6))).size, count);
    // The light on level ground under an even sky: mean of 4 max(z, 0) is 1.
    near(all.reduce((sum, d) => sum + 4 * Math.max(d[2], 0), 0) / count, 1, 1e-3);
    const sum = all.reduce((s, d) => s.map((v, k) => v + d[k]), [0, 0, 0]);
    assert.ok(length(sum) < 0.1 * count, String(sum));
  }
});

test("the lamp's samples are within its radius and around it", () => {
  const lamp = normalize([-0.3, -0.5, 0.8]);
  const all = Array.from({ length: 64 }, (_, k) => lampSample(lamp, k));
  for (const d of all) assert.ok(Math.acos(Math.min(dot(d, lamp), 1)) < 0.1301);
  const mean = normalize(all.reduce((s, d) => s.map((v, k) => v + d[k]), [0, 0, 0]));
  assert.ok(dot(mean, lamp) > 0.9995);
});
