// Lines of a width in pixels: edges of glass, periodic boxes, paths, frames of cuts.

import { BODIES_GLSL, VIEW_GLSL } from "./common.js";
import { makeProgram } from "./gl.js";
import { InstanceList } from "./instances.js";
import { useFor } from "./programs.js";

/** @typedef {import("./gl.js").GL} GL */

/** Floats of a line: both ends, width in px, and its colour with cover. */
const LINE_FLOATS = 11;
/** Straight pieces of a drawn circle, as in the stills. */
const PIECES = 72;

const STRETCH_GLSL = `
out vec3 point;
flat out vec4 paint;
// A line as a strip of four corners, so many pixels wide, a hair before what it lies on.
void stretch(vec3 a, vec3 b, float width, vec4 color) {
  vec4 from = clipFromWorld * vec4(a, 1.0), to = clipFromWorld * vec4(b, 1.0);
  float least = 1e-4;
  // Ends behind the eye are brought before it.
  if (from.w < least && to.w < least) return;
  float share = 0.0, end = 1.0;
  if (from.w < least) share = (least - from.w) / (to.w - from.w);
  if (to.w < least) end = (least - from.w) / (to.w - from.w);
  vec4 p = mix(from, to, share), q = mix(from, to, end);
  vec2 size = vec2(rightAndWidth.w, upAndHeight.w);
  vec2 way = (q.xy / q.w - p.xy / p.w) * size;
  way = dot(way, way) > 0.0 ? normalize(way) : vec2(1.0, 0.0);
  bool last = gl_VertexID > 1;
  float side = float(gl_VertexID & 1) * 2.0 - 1.0;
  vec4 at = last ? q : p;
  at.xy += side * width * vec2(-way.y, way.x) / size * at.w;
  at.z -= 2e-4 * at.w;
  point = mix(a, b, last ? end : share);
  paint = color;
  gl_Position = at;
}`;

const BODY_LINE_VERTEX = `${VIEW_GLSL}${BODIES_GLSL}${STRETCH_GLSL}
layout(location = 0) in uint owner;
layout(location = 1) in vec3 endA;
layout(location = 2) in vec3 endB;
uniform float lineWidth, edgeShade;
void main() {
  gl_Position = OUTSIDE;
  Body body = bodyAt(owner);
  if (!body.shown) return;
  vec3 a = body.position + turn(body.rotation, endA), b = body.position + turn(body.rotation, endB);
  stretch(a, b, lineWidth, vec4(body.color * edgeShade, 0.5));
}`;

const WORLD_LINE_VERTEX = `${VIEW_GLSL}${STRETCH_GLSL}
layout(location = 0) in vec3 endA;
layout(location = 1) in vec3 endB;
layout(location = 2) in float lineWidth;
layout(location = 3) in vec4 lineColor;
void main() {
  gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
  stretch(endA, endB, lineWidth, lineColor);
}`;

const LINE_FRAGMENT = `${VIEW_GLSL}
layout(location = 0) out vec4 outLine;
uniform bool whole; // not cut
in vec3 point;
flat in vec4 paint;
void main() {
  for (int k = 0; k < 3; k++) {
    if (!whole && dot(cuts[k].xyz, point) > cuts[k].w) discard;
  }
  outLine = vec4(paint.rgb * paint.a, paint.a);
}`;

/** @param {number} radius @param {number} height @returns {number[]} ends of the pieces of a circle */
function circle(radius, height) {
  const at = (/** @type {number} */ k) => {
    const angle = (2 * Math.PI * k) / PIECES;
    return [radius * Math.cos(angle), radius * Math.sin(angle), height];
  };
  return Array.from({ length: PIECES }, (_, k) => [...at(k), ...at(k + 1)]).flat();
}

/** Ends of the edges of a box. @param {ArrayLike<number>} low @param {ArrayLike<number>} high @returns {number[]} */
export function boxEdges(low, high) {
  const out = [];
  for (let axis = 0; axis < 3; axis += 1) {
    const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
    for (let k = 0; k < 4; k += 1) {
      const a = [0, 0, 0];
      a[u] = k & 1 ? high[u] : low[u];
      a[v] = k & 2 ? high[v] : low[v];
      const b = [...a];
      a[axis] = low[axis];
      b[axis] = high[axis];
      out.push(...a, ...b);
    }
  }
  return out;
}

/** The lines that outline a convex shape of glass, as ends. @param {import("../recording.js").Shape} shape @returns {number[]} */
export function outlineOf(shape) {
  const { half = [0, 0, 0], radius = 0, half_length: height = 0 } = shape;
  switch (shape.kind) {
    case "box":
      return boxEdges([-half[0], -half[1], -half[2]], half);
    case "cylinder":
      return [...circle(radius, -height), ...circle(radius, height)];
    case "cone":
      return circle(radius, -height);
    default:
      return [];
  }
}

/** Edges of glass bodies: they move with them. */
export class BodyLines {
  /** @param {GL} gl */
  constructor(gl) {
    this.gl = gl;
    this.program = makeProgram(gl, "edges", BODY_LINE_VERTEX, LINE_FRAGMENT);
    this.list = new InstanceList(gl, [3, 3]);
  }

  /** @param {number} owner @param {ArrayLike<number>} ends six numbers a line, in the body's axes */
  add(owner, ends) {
    for (let k = 0; k < ends.length; k += 6) this.list.add(owner, true, ends[k], ends[k + 1], ends[k + 2], ends[k + 3], ends[k + 4], ends[k + 5]);
  }

  finish() {
    this.list.send();
  }

  /** @param {import("./renderer.js").Pass} pass */
  draw(pass) {
    const { gl, list } = this;
    if (list.count === 0) return;
    useFor(gl, this.program, pass);
    gl.uniform1f(this.program.at("lineWidth"), pass.lineWidth);
    gl.uniform1f(this.program.at("edgeShade"), pass.drawn.edgeShade);
    gl.uniform1i(this.program.at("whole"), 0);
    gl.bindVertexArray(list.array);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, list.count);
    pass.count(1, list.count);
  }
}

/** Lines in the world, made anew when they change. */
export class WorldLines {
  /** @param {GL} gl */
  constructor(gl) {
    this.gl = gl;
    this.program = makeProgram(gl, "lines", WORLD_LINE_VERTEX, LINE_FRAGMENT);
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    this.count = 0;
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    [[0, 3, 0], [1, 3, 12], [2, 1, 24], [3, 4, 28]].forEach(([location, size, from]) => {
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, size, gl.FLOAT, false, 4 * LINE_FLOATS, from);
      gl.vertexAttribDivisor(location, 1);
    });
    gl.bindVertexArray(null);
  }

  /** @param {{ ends: ArrayLike<number>, width: number, color: number[] }[]} groups colours linear, with cover */
  set(groups) {
    const { gl } = this;
    this.count = groups.reduce((sum, g) => sum + g.ends.length / 6, 0);
    const data = new Float32Array(this.count * LINE_FLOATS);
    let at = 0;
    for (const { ends, width, color } of groups) {
      for (let k = 0; k < ends.length; k += 6, at += LINE_FLOATS) {
        for (let j = 0; j < 6; j += 1) data[at + j] = ends[k + j];
        data.set([width, ...color], at + 6);
      }
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
  }

  /** @param {import("./renderer.js").Pass} pass */
  draw(pass) {
    if (this.count === 0) return;
    const { gl } = this;
    gl.useProgram(this.program.handle);
    gl.uniform1i(this.program.at("whole"), 1);
    gl.bindVertexArray(this.array);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.count);
    pass.count(1, this.count);
  }
}
