// Boxes, ellipsoids, cylinders, cones and capsules: a box each, in which rays meet the true shape.
// The same shaders draw marks, whose poses come with them: arrows, tubes, joints.

import { BODIES_GLSL, GLASS_GLSL, SURFACE_GLSL, VIEW_GLSL } from "./common.js";
import { makeProgram } from "./gl.js";

/** @typedef {import("./gl.js").GL} GL */

/** The kinds that the shaders know; sizes are half lengths, or radius, radius and half length. */
export const CONVEX = { box: 0, ellipsoid: 1, cylinder: 2, cone: 3, capsule: 4 };

/** Floats of an instance: place, rotation, size and kind. */
const CONVEX_FLOATS = 11;
/** Bytes of a mark: these, its colour and its number. */
const MARK_BYTES = 4 * CONVEX_FLOATS + 8;

const CONVEX_VARYINGS = ["center", "rotation", "size", "paint"].map((n) => `flat out vec4 ${n}Of;`).join("\n");

const CORNERS_GLSL = `
// A box as one strip of 14 corners.
const int STRIP[14] = int[14](3, 2, 7, 6, 4, 2, 0, 3, 1, 7, 5, 4, 1, 0);
void place(vec3 center, vec4 rotation, vec4 size, vec4 paint, uint number) {
  int k = STRIP[gl_VertexID];
  vec3 corner = vec3(float(k & 1), float((k >> 1) & 1), float(k >> 2)) * 2.0 - 1.0;
  vec3 reach = size.xyz;
  if (int(size.w) == 4) reach.z += size.x;
  onBox = center + turn(rotation, corner * reach);
  centerOf = vec4(center, 0.0);
  rotationOf = rotation;
  sizeOf = size;
  paintOf = paint;
  id = number;
  gl_Position = clipFromWorld * vec4(onBox, 1.0);
}`;

const CONVEX_VERTEX = `${VIEW_GLSL}${BODIES_GLSL}
layout(location = 0) in uint owner;
layout(location = 1) in vec3 localPlace;
layout(location = 2) in vec4 localRotation;
layout(location = 3) in vec4 localSize; // w: kind
${CONVEX_VARYINGS}
flat out uint id;
out vec3 onBox;
${CORNERS_GLSL}
void main() {
  gl_Position = OUTSIDE;
  Body body = bodyAt(owner);
  if (!body.shown) return;
  vec3 center = body.position + turn(body.rotation, localPlace);
  place(center, both(body.rotation, localRotation), localSize, vec4(body.color, body.opacity), owner + 1u);
}`;

const MARK_VERTEX = `${VIEW_GLSL}
layout(location = 1) in vec3 localPlace;
layout(location = 2) in vec4 localRotation;
layout(location = 3) in vec4 localSize;
layout(location = 4) in vec4 markColor; // linear
layout(location = 5) in uint markId;
${CONVEX_VARYINGS}
flat out uint id;
out vec3 onBox;
${CORNERS_GLSL}
void main() { place(localPlace, localRotation, localSize, markColor, markId); }`;

const SHAPES_GLSL = `
flat in vec4 centerOf, rotationOf, sizeOf, paintOf;
flat in uint id;
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
`;

const CONVEX_FRAGMENT = `${VIEW_GLSL}${SURFACE_GLSL}${SHAPES_GLSL}
uniform bool plain; // marks that are not part of the scene: lit, without shadow
void main() {
  Ray ray = rayTo(onBox);
  // From a point near the shape, so that digits are kept far from the eye.
  float start = dot(centerOf.xyz - ray.origin, ray.direction);
  vec3 o = turnBack(rotationOf, ray.origin + start * ray.direction - centerOf.xyz);
  vec3 d = turnBack(rotationOf, ray.direction);
  vec2 span = spanOf(o, d);
  vec3 seen = visiblePart(ray);
  seen.xy -= start;
  if (span.x > span.y || span.y < seen.x || span.x > seen.y) discard;
  seeThrough(paintOf.a, id);
  bool cut = seen.z >= 0.0 && seen.x > span.x;
  float at = max(span.x, seen.x);
  vec3 normal = cut ? cuts[int(seen.z)].xyz : turn(rotationOf, normalOf(o + at * d));
  gl_FragDepth = depthOf(ray.origin + (start + at) * ray.direction);
  surface(paintOf.rgb, normal, plain ? PLAIN_KIND : cut ? CUT_KIND : OUTSIDE_KIND, 1.0, id);
}`;

const CONVEX_GLASS_FRAGMENT = `${VIEW_GLSL}${GLASS_GLSL}${SHAPES_GLSL}
uniform int layer;
void main() {
  Ray ray = rayTo(onBox);
  float start = dot(centerOf.xyz - ray.origin, ray.direction);
  vec3 o = turnBack(rotationOf, ray.origin + start * ray.direction - centerOf.xyz);
  vec3 d = turnBack(rotationOf, ray.direction);
  vec2 span = spanOf(o, d);
  vec3 seen = visiblePart(ray);
  seen.xy -= start;
  float at = layer == 0 ? span.x : span.y;
  if (span.x > span.y || at < seen.x || at > seen.y) discard;
  gl_FragDepth = depthOf(ray.origin + (start + at) * ray.direction);
  glass(paintOf.rgb, turn(rotationOf, normalOf(o + at * d)), ray.direction);
}`;

/** @param {GL} gl @param {number} from the first attribute's place, bytes @param {number} stride */
function pointConvex(gl, from, stride) {
  [[1, 3], [2, 4], [3, 4]].reduce((at, [location, size]) => {
    gl.enableVertexAttribArray(location);
    gl.vertexAttribPointer(location, size, gl.FLOAT, false, stride, at);
    gl.vertexAttribDivisor(location, 1);
    return at + 4 * size;
  }, from);
}

export class ConvexShapes {
  /** @param {GL} gl */
  constructor(gl) {
    this.gl = gl;
    this.solid = makeProgram(gl, "convex shapes", CONVEX_VERTEX, CONVEX_FRAGMENT);
    this.clear = makeProgram(gl, "glass convex shapes", CONVEX_VERTEX, CONVEX_GLASS_FRAGMENT);
    this.array = gl.createVertexArray();
    this.count = 0;
    /** @type {number[]} */
    this.owners = [];
    /** @type {number[]} */
    this.floats = [];
  }

  /** @param {number} owner @param {ArrayLike<number>} place @param {ArrayLike<number>} rotation @param {number[]} size @param {number} kind */
  add(owner, place, rotation, size, kind) {
    this.owners.push(owner);
    this.floats.push(place[0], place[1], place[2], rotation[0], rotation[1], rotation[2], rotation[3], ...size, kind);
  }

  /** Sends what was added to the card. */
  finish() {
    const { gl } = this;
    this.count = this.owners.length;
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Uint32Array(this.owners), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribIPointer(0, 1, gl.UNSIGNED_INT, 0, 0);
    gl.vertexAttribDivisor(0, 1);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(this.floats), gl.STATIC_DRAW);
    pointConvex(gl, 0, 4 * CONVEX_FLOATS);
    gl.bindVertexArray(null);
    this.owners = [];
    this.floats = [];
  }

  /** @param {import("./renderer.js").Pass} pass */
  draw(pass) {
    if (this.count === 0) return;
    const { gl } = this;
    const program = pass.glass ? this.clear : this.solid;
    gl.useProgram(program.handle);
    pass.bodies.bind(program, pass.drawn);
    gl.uniform1i(program.at("plain"), 0);
    gl.bindVertexArray(this.array);
    // Their far sides only: the eye may be inside the box.
    gl.enable(gl.CULL_FACE);
    gl.cullFace(gl.FRONT);
    for (let layer = 0; layer < (pass.glass ? 2 : 1); layer += 1) {
      gl.uniform1i(program.at("layer"), layer);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 14, this.count);
      pass.count(1);
    }
    gl.disable(gl.CULL_FACE);
  }
}

/** A growing list of marks with their poses: tubes, arrows, joints. */
export class MarkList {
  constructor() {
    this.count = 0;
    this.data = new ArrayBuffer(MARK_BYTES * 64);
    this.floats = new Float32Array(this.data);
    this.bytes = new Uint8Array(this.data);
    this.words = new Uint32Array(this.data);
  }

  clear() {
    this.count = 0;
  }

  /**
   * @param {ArrayLike<number>} place @param {ArrayLike<number>} rotation @param {ArrayLike<number>} size
   * @param {number} kind @param {ArrayLike<number>} color linear, from 0 to 1 @param {number} id
   */
  add(place, rotation, size, kind, color, id) {
    if ((this.count + 1) * MARK_BYTES > this.data.byteLength) this.grow();
    const at = (this.count * MARK_BYTES) / 4;
    this.floats.set([place[0], place[1], place[2], rotation[0], rotation[1], rotation[2], rotation[3], size[0], size[1], size[2], kind], at);
    const c = 4 * (at + CONVEX_FLOATS);
    for (let k = 0; k < 3; k += 1) this.bytes[c + k] = 255 * color[k] + 0.5;
    this.bytes[c + 3] = 255;
    this.words[at + CONVEX_FLOATS + 1] = id;
    this.count += 1;
  }

  grow() {
    const larger = new ArrayBuffer(2 * this.data.byteLength);
    new Uint8Array(larger).set(this.bytes);
    this.data = larger;
    this.floats = new Float32Array(larger);
    this.bytes = new Uint8Array(larger);
    this.words = new Uint32Array(larger);
  }
}

export class Marks {
  /** @param {GL} gl */
  constructor(gl) {
    this.gl = gl;
    this.program = makeProgram(gl, "marks", MARK_VERTEX, CONVEX_FRAGMENT);
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    this.count = 0;
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    pointConvex(gl, 0, MARK_BYTES);
    gl.enableVertexAttribArray(4);
    gl.vertexAttribPointer(4, 4, gl.UNSIGNED_BYTE, true, MARK_BYTES, 4 * CONVEX_FLOATS);
    gl.vertexAttribDivisor(4, 1);
    gl.enableVertexAttribArray(5);
    gl.vertexAttribIPointer(5, 1, gl.UNSIGNED_INT, MARK_BYTES, 4 * CONVEX_FLOATS + 4);
    gl.vertexAttribDivisor(5, 1);
    gl.bindVertexArray(null);
  }

  /** @param {MarkList} list */
  set(list) {
    const { gl } = this;
    this.count = list.count;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, list.bytes.subarray(0, list.count * MARK_BYTES), gl.DYNAMIC_DRAW);
  }

  /** @param {import("./renderer.js").Pass} pass */
  draw(pass) {
    if (this.count === 0) return;
    const { gl } = this;
    gl.useProgram(this.program.handle);
    gl.uniform1i(this.program.at("plain"), 1);
    gl.uniform1f(this.program.at("sampleNumber"), pass.drawn.sample);
    gl.bindVertexArray(this.array);
    gl.enable(gl.CULL_FACE);
    gl.cullFace(gl.FRONT);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 14, this.count);
    gl.disable(gl.CULL_FACE);
    pass.count(1);
  }
}
