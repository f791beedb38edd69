// Spheres: a square each, on which rays meet the true ball. Exact outline, normal and depth.

import { BODIES_GLSL, GLASS_GLSL, SURFACE_GLSL, VIEW_GLSL } from "./common.js";
import { makeProgram } from "./gl.js";

/** @typedef {import("./gl.js").GL} GL */

/** Numbers an instance has: place in its body and radius. */
const SPHERE_FLOATS = 4;

const SPHERE_VERTEX = `${VIEW_GLSL}${BODIES_GLSL}
layout(location = 0) in uint owner;
layout(location = 1) in vec4 place; // in the body's axes; w: radius
flat out vec4 ball;
flat out vec4 paint;
flat out uint id;
out vec3 onSquare;
void main() {
  gl_Position = OUTSIDE;
  Body body = bodyAt(owner);
  if (!body.shown) return;
  vec3 center = body.position + turn(body.rotation, place.xyz);
  float radius = place.w;
  vec3 u = rightAndWidth.xyz, v = upAndHeight.xyz;
  float half_ = radius;
  if (eyeAndKind.w > 0.5) {
    // Across the line of sight, and as large as the cone of rays that touch the ball.
    vec3 sight = center - eyeAndKind.xyz;
    float away = length(sight);
    if (away <= radius * 1.0001) return;
    u = normalize(cross(sight, v));
    v = cross(u, sight) / away;
    half_ = radius * away / sqrt(away * away - radius * radius);
  }
  vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;
  onSquare = center + half_ * (corner.x * u + corner.y * v);
  ball = vec4(center, radius);
  paint = vec4(body.color, body.opacity);
  id = owner + 1u;
  gl_Position = clipFromWorld * vec4(onSquare, 1.0);
  // The ball reaches before and behind the square: the true depth is written below.
  gl_Position.z = clamp(gl_Position.z, -gl_Position.w, gl_Position.w);
}`;

const BALL_GLSL = `
flat in vec4 ball;
flat in vec4 paint;
flat in uint id;
in vec3 onSquare;
// Enter and exit of a ray; x > y where it misses.
vec2 ballSpan(Ray ray) {
  vec3 off = ball.xyz - ray.origin;
  float nearest = dot(off, ray.direction);
  vec3 apart = off - nearest * ray.direction;
  float rest = ball.w * ball.w - dot(apart, apart);
  if (rest < 0.0) return vec2(1.0, -1.0);
  return vec2(nearest - sqrt(rest), nearest + sqrt(rest));
}`;

const SPHERE_FRAGMENT = `${VIEW_GLSL}${SURFACE_GLSL}${BALL_GLSL}
void main() {
  Ray ray = rayTo(onSquare);
  vec2 span = ballSpan(ray);
  vec3 seen = visiblePart(ray);
  if (span.x > span.y || span.y < seen.x || span.x > seen.y) discard;
  seeThrough(paint.a, id);
  bool cut = seen.z >= 0.0 && seen.x > span.x;
  vec3 at = ray.origin + ray.direction * max(span.x, seen.x);
  vec3 normal = cut ? cuts[int(seen.z)].xyz : (at - ball.xyz) / ball.w;
  gl_FragDepth = depthOf(at);
  surface(paint.rgb, normal, cut ? CUT_KIND : OUTSIDE_KIND, 1.0, id);
}`;

const SPHERE_GLASS_FRAGMENT = `${VIEW_GLSL}${GLASS_GLSL}${BALL_GLSL}
uniform int layer;
void main() {
  Ray ray = rayTo(onSquare);
  vec2 span = ballSpan(ray);
  vec3 seen = visiblePart(ray);
  float at = layer == 0 ? span.x : span.y;
  if (span.x > span.y || at < seen.x || at > seen.y) discard;
  vec3 point = ray.origin + ray.direction * at;
  gl_FragDepth = depthOf(point);
  glass(paint.rgb, (point - ball.xyz) / ball.w, ray.direction);
}`;

export class Spheres {
  /** @param {GL} gl */
  constructor(gl) {
    this.gl = gl;
    this.solid = makeProgram(gl, "spheres", SPHERE_VERTEX, SPHERE_FRAGMENT);
    this.clear = makeProgram(gl, "glass spheres", SPHERE_VERTEX, SPHERE_GLASS_FRAGMENT);
    this.array = gl.createVertexArray();
    this.count = 0;
    /** @type {number[]} */
    this.owners = [];
    /** @type {number[]} */
    this.places = [];
  }

  /** @param {number} owner @param {ArrayLike<number>} place @param {number} radius */
  add(owner, place, radius) {
    this.owners.push(owner);
    this.places.push(place[0], place[1], place[2], radius);
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
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(this.places), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, SPHERE_FLOATS, gl.FLOAT, false, 0, 0);
    gl.vertexAttribDivisor(1, 1);
    gl.bindVertexArray(null);
    this.owners = [];
    this.places = [];
  }

  /** @param {import("./renderer.js").Pass} pass */
  draw(pass) {
    if (this.count === 0) return;
    const { gl } = this;
    const program = pass.glass ? this.clear : this.solid;
    gl.useProgram(program.handle);
    pass.bodies.bind(program, pass.drawn);
    gl.bindVertexArray(this.array);
    for (let layer = 0; layer < (pass.glass ? 2 : 1); layer += 1) {
      gl.uniform1i(program.at("layer"), layer);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.count);
      pass.count(1);
    }
  }
}
