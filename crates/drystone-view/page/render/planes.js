// Ground and walls without end: seen from their front, with faint lines, fading away from the scene.

import { GLASS_GLSL, PAINTED_GLSL, PAINT_IN_GLSL, SURFACE_GLSL, VIEW_GLSL } from "./common.js";
import { InstanceList } from "./instances.js";
import { SolidAndGlass } from "./programs.js";
import { roundBelow } from "../format.js";

/** @typedef {import("./gl.js").GL} GL */

/** Where the ground begins to fade, and how slowly, in radii of the scene; as in `render/shade.rs`. */
const FADE = [0.9, 1.9];
/** Beyond so many radii nothing is left of it. */
const REACH = FADE[0] + FADE[1] * 2.5;

const PLANE_VERTEX = `${VIEW_GLSL}${PAINTED_GLSL}
layout(location = 0) in uint owner;
uniform vec3 focus;
uniform float reach;
out vec3 point;
flat out vec3 middle, alongX, alongY, facing;
void main() {
  Body body;
  if (!painted(owner, body)) return;
  facing = turn(body.rotation, vec3(0.0, 0.0, 1.0));
  alongX = turn(body.rotation, vec3(1.0, 0.0, 0.0));
  alongY = turn(body.rotation, vec3(0.0, 1.0, 0.0));
  middle = body.position;
  vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;
  vec3 nearest = focus - dot(focus - middle, facing) * facing;
  point = nearest + reach * (corner.x * alongX + corner.y * alongY);
  gl_Position = clipFromWorld * vec4(point, 1.0);
}`;

const PLANE_PIXEL_GLSL = `${PAINT_IN_GLSL}
uniform vec3 focus;
uniform float radius;
in vec3 point;
flat in vec3 middle, alongX, alongY, facing;
// How much of the plane is there: less and less away from the scene; nothing is drawn of its back.
float coverAlong(Ray ray) {
  float beyond = max((distance(point, focus) / radius - ${FADE[0]}) / ${FADE[1]}, 0.0);
  float cover = exp(-beyond * beyond);
  if (dot(ray.direction, facing) >= 0.0 || cover < 0.002) discard;
  return cover;
}`;

const PLANE_FRAGMENT = `${VIEW_GLSL}${SURFACE_GLSL}${PLANE_PIXEL_GLSL}
uniform float spacing, lineStrength;
void main() {
  Ray ray = rayTo(point);
  float cover = coverAlong(ray);
  seeThrough(paint.a, id);
  // Lines as wide as a pixel at least, and fainter instead.
  float pixel = pixelSize(point) / max(-dot(ray.direction, facing), 0.02);
  float width = max(0.012 * spacing, 1.5 * pixel);
  float strength = lineStrength * sqrt(0.012 * spacing / width);
  vec2 place = vec2(dot(point - middle, alongX), dot(point - middle, alongY)) / spacing;
  vec2 apart = abs(place - round(place)) * spacing;
  float line = clamp(1.0 - min(apart.x, apart.y) / width, 0.0, 1.0);
  surface(paint.rgb * (1.0 - strength * line), facing, PLANE_KIND, cover, id);
}`;

const PLANE_GLASS_FRAGMENT = `${VIEW_GLSL}${GLASS_GLSL}${PLANE_PIXEL_GLSL}
void main() {
  Ray ray = rayTo(point);
  float cover = coverAlong(ray);
  glass(paint.rgb, facing, ray.direction);
  outGlass *= cover;
}`;

export class Planes {
  /** @param {GL} gl */
  constructor(gl) {
    this.gl = gl;
    this.programs = new SolidAndGlass(gl, "planes", PLANE_VERTEX, PLANE_FRAGMENT, PLANE_GLASS_FRAGMENT);
    this.list = new InstanceList(gl, []);
  }

  /** Numbers of their bodies. */
  get owners() {
    return this.list.owners.subarray(0, this.list.count);
  }

  /** @param {number} owner @param {boolean} glass */
  add(owner, glass) {
    this.list.add(owner, glass);
  }

  finish() {
    this.list.send();
  }

  /** @param {import("./renderer.js").Pass} pass */
  draw(pass) {
    const { gl, list } = this;
    if (list.count === 0 || (pass.glass && !list.hasGlass)) return;
    const program = this.programs.use(pass);
    const { focus, radius } = pass.drawn;
    gl.uniform3fv(program.at("focus"), focus);
    gl.uniform1f(program.at("radius"), radius);
    gl.uniform1f(program.at("reach"), REACH * radius);
    gl.uniform1f(program.at("spacing"), roundBelow(0.5 * radius));
    gl.uniform1f(program.at("lineStrength"), pass.drawn.lineStrength);
    gl.bindVertexArray(list.array);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, list.count);
    pass.count(1, list.count);
  }
}
