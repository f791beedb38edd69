// Boxes, ellipsoids, cylinders, cones and capsules: a box each, in which rays meet the true shape.
// The same shaders draw marks: `mark_shapes.js`.

import { GLASS_GLSL, PAINTED_GLSL, PAINT_IN_GLSL, SURFACE_GLSL, VIEW_GLSL } from "./common.js";
import { InstanceList } from "./instances.js";
import { SolidAndGlass, drawSides } from "./programs.js";

/** @typedef {import("./gl.js").GL} GL */

/** The kinds that the shaders know; sizes are half lengths, or radius, radius and half length. */
export const CONVEX = { box: 0, ellipsoid: 1, cylinder: 2, cone: 3, capsule: 4 };

/** Attributes of an instance, in floats: place, rotation, size and kind. */
export const CONVEX_SIZES = [3, 4, 4];

/** Corners of a box around a shape, and what its pixels need to know. */
export const CORNERS_GLSL = `
layout(location = 1) in vec3 localPlace;
layout(location = 2) in vec4 localRotation;
layout(location = 3) in vec4 localSize; // w: kind
flat out vec4 centerOf, rotationOf, sizeOf;
out vec3 onBox;
// A box as one strip of 14 corners.
const int STRIP[14] = int[14](3, 2, 7, 6, 4, 2, 0, 3, 1, 7, 5, 4, 1, 0);
void place(vec3 center, vec4 rotation, vec4 size) {
  int k = STRIP[gl_VertexID];
  vec3 corner = vec3(float(k & 1), float((k >> 1) & 1), float(k >> 2)) * 2.0 - 1.0;
  vec3 reach = size.xyz;
  if (int(size.w) == 4) reach.z += size.x;
  onBox = center + turn(rotation, corner * reach);
  centerOf = vec4(center, 0.0);
  rotationOf = rotation;
  sizeOf = size;
  gl_Position = clipFromWorld * vec4(onBox, 1.0);
}`;

const CONVEX_VERTEX = `${VIEW_GLSL}${PAINTED_GLSL}${CORNERS_GLSL}
layout(location = 0) in uint owner;
void main() {
  Body body;
  if (!painted(owner, body)) return;
  place(body.position + turn(body.rotation, localPlace), both(body.rotation, localRotation), localSize);
}`;

const SHAPES_GLSL = `${PAINT_IN_GLSL}
flat in vec4 centerOf, rotationOf, sizeOf;
in vec3 onBox;
const vec2 MISS = vec2(1.0, -1.0);
// Where a t² + 2 b t + c <= 0.
vec2 roots(float a, float b, float c) {
  float d = b * b - a * c;
  if (d < 0.0 || a <= 0.0) return MISS;
  float s = sqrt(d);
  // The larger root first, the other by their product: no digits are lost.
  float q = -(b + (b < 0.0 ? -s : s));
  vec2 t = q == 0.0 ? vec2(0.0) : vec2(q / a, c / q);
  return vec2(min(t.x, t.y), max(t.x, t.y));
}
vec2 within(vec2 a, vec2 b) { return vec2(max(a.x, b.x), min(a.y, b.y)); }
vec2 slab(float o, float d, float low, float high) {
  if (d == 0.0) return o >= low && o <= high ? vec2(-1e20, 1e20) : MISS;
  vec2 t = vec2(low - o, high - o) / d;
  return vec2(min(t.x, t.y), max(t.x, t.y));
}
vec2 round2(vec3 o, vec3 d, float r) {
  float a = dot(d.xy, d.xy);
  if (a < 1e-14) return dot(o.xy, o.xy) <= r * r ? vec2(-1e20, 1e20) : MISS;
  return roots(a, dot(o.xy, d.xy), dot(o.xy, o.xy) - r * r);
}
vec2 ballAt(vec3 o, vec3 d, float r) { return roots(dot(d, d), dot(o, d), dot(o, o) - r * r); }
// A cone of slope k below its apex: r(z) = k (h - z).
vec2 coneSpan(vec3 o, vec3 d, float r, float h) {
  float k = 0.5 * r / h;
  float up = h - o.z;
  vec2 bounds = slab(o.z, d.z, -h, h);
  float a = dot(d.xy, d.xy) - k * k * d.z * d.z;
  float b = dot(o.xy, d.xy) + k * k * up * d.z;
  float c = dot(o.xy, o.xy) - k * k * up * up;
  float disc = b * b - a * c;
  if (abs(a) < 1e-9 * (dot(d.xy, d.xy) + k * k * d.z * d.z)) {
    if (b == 0.0) return c <= 0.0 ? bounds : MISS;
    float t = -0.5 * c / b;
    return within(bounds, b > 0.0 ? vec2(-1e20, t) : vec2(t, 1e20));
  }
  if (disc < 0.0) return a > 0.0 ? MISS : bounds;
  float s = sqrt(disc);
  vec2 t = vec2(min((-b - s) / a, (-b + s) / a), max((-b - s) / a, (-b + s) / a));
  if (a > 0.0) return within(bounds, t);
  // Steeper than the side: inside before the first and after the second root, of which the slab keeps one.
  vec2 first = within(bounds, vec2(-1e20, t.x)), second = within(bounds, vec2(t.y, 1e20));
  return first.x <= first.y ? first : second;
}
vec2 spanOf(vec3 o, vec3 d) {
  vec3 s = sizeOf.xyz;
  int kind = int(sizeOf.w);
  if (kind == 0) return within(within(slab(o.x, d.x, -s.x, s.x), slab(o.y, d.y, -s.y, s.y)), slab(o.z, d.z, -s.z, s.z));
  if (kind == 1) return ballAt(o / s, d / s, 1.0);
  if (kind == 2) return within(round2(o, d, s.x), slab(o.z, d.z, -s.z, s.z));
  if (kind == 3) return coneSpan(o, d, s.x, s.z);
  // A capsule is convex: what the tube and both balls span.
  vec2 tube = within(round2(o, d, s.x), slab(o.z, d.z, -s.z, s.z));
  vec2 top = ballAt(o - vec3(0.0, 0.0, s.z), d, s.x), low = ballAt(o + vec3(0.0, 0.0, s.z), d, s.x);
  vec2 all = vec2(1e20, -1e20);
  if (tube.x <= tube.y) all = vec2(min(all.x, tube.x), max(all.y, tube.y));
  if (top.x <= top.y) all = vec2(min(all.x, top.x), max(all.y, top.y));
  if (low.x <= low.y) all = vec2(min(all.x, low.x), max(all.y, low.y));
  return all.x > all.y ? MISS : all;
}
vec3 normalOf(vec3 p) {
  vec3 s = sizeOf.xyz;
  int kind = int(sizeOf.w);
  if (kind == 0) {
    vec3 f = abs(abs(p) / s - 1.0) * s; // distance from each pair of faces
    if (f.x <= f.y && f.x <= f.z) return vec3(sign(p.x), 0.0, 0.0);
    return f.y <= f.z ? vec3(0.0, sign(p.y), 0.0) : vec3(0.0, 0.0, sign(p.z));
  }
  if (kind == 1) return normalize(p / (s * s));
  if (kind == 2) {
    float side = abs(length(p.xy) - s.x), end = s.z - abs(p.z);
    return side < end ? vec3(normalize(p.xy), 0.0) : vec3(0.0, 0.0, sign(p.z));
  }
  if (kind == 3) {
    float k = 0.5 * s.x / s.z;
    if (abs(p.z + s.z) < abs(length(p.xy) - k * (s.z - p.z))) return vec3(0.0, 0.0, -1.0);
    return normalize(vec3(p.xy / max(length(p.xy), 1e-12), k));
  }
  return normalize(p - vec3(0.0, 0.0, clamp(p.z, -s.z, s.z)));
}
// What a pixel's ray meets, in the shape's axes, from a point near it: digits are kept far from the eye.
struct Meeting { Ray ray; float start; vec3 o; vec3 d; vec2 span; vec3 seen; };
Meeting meet() {
  Meeting m;
  m.ray = rayTo(onBox);
  m.start = dot(centerOf.xyz - m.ray.origin, m.ray.direction);
  m.o = turnBack(rotationOf, m.ray.origin + m.start * m.ray.direction - centerOf.xyz);
  m.d = turnBack(rotationOf, m.ray.direction);
  m.span = spanOf(m.o, m.d);
  m.seen = visiblePart(m.ray);
  m.seen.xy -= m.start;
  return m;
}
`;

export const CONVEX_FRAGMENT = `${VIEW_GLSL}${SURFACE_GLSL}${SHAPES_GLSL}
uniform bool plain; // marks that are not part of the scene: lit, without shadow
void main() {
  Meeting m = meet();
  bool cut;
  float at = firstMet(m.span, m.seen, cut);
  seeThrough(paint.a, id);
  vec3 normal = cut ? cuts[int(m.seen.z)].xyz : turn(rotationOf, normalOf(m.o + at * m.d));
  gl_FragDepth = depthOf(m.ray.origin + (m.start + at) * m.ray.direction);
  surface(paint.rgb, normal, plain ? PLAIN_KIND : cut ? CUT_KIND : OUTSIDE_KIND, 1.0, id);
}`;

const CONVEX_GLASS_FRAGMENT = `${VIEW_GLSL}${GLASS_GLSL}${SHAPES_GLSL}
void main() {
  Meeting m = meet();
  float at = sideMet(m.span, m.seen);
  gl_FragDepth = depthOf(m.ray.origin + (m.start + at) * m.ray.direction);
  glass(paint.rgb, turn(rotationOf, normalOf(m.o + at * m.d)), m.ray.direction);
}`;

/** Draws the boxes of instances. @param {GL} gl @param {number} count @param {import("./renderer.js").Pass} pass */
export function drawBoxes(gl, count, pass) {
  // Their far sides only: the eye may be inside the box.
  gl.enable(gl.CULL_FACE);
  gl.cullFace(gl.FRONT);
  gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 14, count);
  gl.disable(gl.CULL_FACE);
  pass.count(1, count);
}

export class ConvexShapes {
  /** @param {GL} gl */
  constructor(gl) {
    this.gl = gl;
    this.programs = new SolidAndGlass(gl, "convex shapes", CONVEX_VERTEX, CONVEX_FRAGMENT, CONVEX_GLASS_FRAGMENT);
    this.list = new InstanceList(gl, CONVEX_SIZES);
  }

  /** @param {import("./meshes.js").Instance} at @param {number[]} size @param {number} kind */
  add({ owner, glass, place, rotation }, size, kind) {
    this.list.add(owner, glass, place[0], place[1], place[2], rotation[0], rotation[1], rotation[2], rotation[3], size[0], size[1], size[2], kind);
  }

  /** Sends what was added to the card. */
  finish() {
    this.list.send();
  }

  /** @param {import("./renderer.js").Pass} pass */
  draw(pass) {
    const { gl, list } = this;
    if (list.count === 0 || (pass.glass && !list.hasGlass)) return;
    const program = this.programs.use(pass);
    gl.uniform1i(program.at("plain"), 0);
    gl.bindVertexArray(list.array);
    drawSides(gl, program, pass, () => drawBoxes(gl, list.count, pass));
  }
}
