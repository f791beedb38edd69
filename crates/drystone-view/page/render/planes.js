// Ground and walls without end: seen from their front, with faint lines, fading away from the scene.

import { BODIES_GLSL, SURFACE_GLSL, VIEW_GLSL } from "./common.js";
import { makeProgram } from "./gl.js";
import { roundBelow } from "../format.js";

/** @typedef {import("./gl.js").GL} GL */

/** Where the ground begins to fade, and how slowly, in radii of the scene; as in `render/shade.rs`. */
const FADE = [0.9, 1.9];
/** Beyond so many radii nothing is left of it. */
const REACH = FADE[0] + FADE[1] * 2.5;

const PLANE_VERTEX = `${VIEW_GLSL}${BODIES_GLSL}
layout(location = 0) in uint owner;
uniform vec3 focus;
uniform float reach;
out vec3 point;
flat out vec3 middle, alongX, alongY, facing;
flat out vec4 paint;
flat out uint id;
void main() {
  gl_Position = OUTSIDE;
  Body body = bodyAt(owner);
  if (!body.shown) return;
  facing = turn(body.rotation, vec3(0.0, 0.0, 1.0));
  alongX = turn(body.rotation, vec3(1.0, 0.0, 0.0));
  alongY = turn(body.rotation, vec3(0.0, 1.0, 0.0));
  middle = body.position;
  vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;
  vec3 nearest = focus - dot(focus - middle, facing) * facing;
  point = nearest + reach * (corner.x * alongX + corner.y * alongY);
  paint = vec4(body.color, body.opacity);
  id = owner + 1u;
  gl_Position = clipFromWorld * vec4(point, 1.0);
}`;

const PLANE_FRAGMENT = `${VIEW_GLSL}${SURFACE_GLSL}
uniform vec3 focus;
uniform float radius, spacing, lineStrength;
in vec3 point;
flat in vec3 middle, alongX, alongY, facing;
flat in vec4 paint;
flat in uint id;
void main() {
  Ray ray = rayTo(point);
  float slant = -dot(ray.direction, facing);
  if (slant <= 0.0) discard;
  float beyond = max((distance(point, focus) / radius - ${FADE[0]}) / ${FADE[1]}, 0.0);
  float cover = exp(-beyond * beyond);
  if (cover < 0.002) discard;
  seeThrough(paint.a, id);
  // Lines as wide as a pixel at least, and fainter instead.
  float pixel = pixelSize(point) / max(slant, 0.02);
  float width = max(0.012 * spacing, 1.5 * pixel);
  float strength = lineStrength * sqrt(0.012 * spacing / width);
  vec2 place = vec2(dot(point - middle, alongX), dot(point - middle, alongY)) / spacing;
  vec2 apart = abs(place - round(place)) * spacing;
  float line = clamp(1.0 - min(apart.x, apart.y) / width, 0.0, 1.0);
  surface(paint.rgb * (1.0 - strength * line), facing, PLANE_KIND, cover, id);
}`;

export class Planes {
  /** @param {GL} gl */
  constructor(gl) {
    this.gl = gl;
    this.program = makeProgram(gl, "planes", PLANE_VERTEX, PLANE_FRAGMENT);
    this.array = gl.createVertexArray();
    /** @type {number[]} */
    this.owners = [];
  }

  /** @param {number} owner */
  add(owner) {
    this.owners.push(owner);
  }

  finish() {
    const { gl } = this;
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Uint32Array(this.owners), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribIPointer(0, 1, gl.UNSIGNED_INT, 0, 0);
    gl.vertexAttribDivisor(0, 1);
    gl.bindVertexArray(null);
  }

  /** @param {import("./renderer.js").Pass} pass */
  draw(pass) {
    if (this.owners.length === 0 || pass.glass) return;
    const { gl } = this;
    gl.useProgram(this.program.handle);
    pass.bodies.bind(this.program, pass.drawn);
    const { focus, radius } = pass.drawn;
    gl.uniform3fv(this.program.at("focus"), focus);
    gl.uniform1f(this.program.at("radius"), radius);
    gl.uniform1f(this.program.at("reach"), REACH * radius);
    gl.uniform1f(this.program.at("spacing"), roundBelow(0.5 * radius));
    gl.uniform1f(this.program.at("lineStrength"), pass.drawn.lineStrength);
    gl.bindVertexArray(this.array);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.owners.length);
    pass.count(1);
  }
}
