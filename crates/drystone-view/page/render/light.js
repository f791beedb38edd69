// Maps of what a far light sees: for the lamp's shadows, and for how much of the sky a point sees.

import { makeShadowTexture, makeTarget } from "./gl.js";
import { across, along, matProduct, orthographic, scale, viewMatrix } from "../math.js";

/** @typedef {import("./gl.js").GL} GL */
/** @typedef {import("../math.js").Vec3} Vec3 */

/** Tangent of the lamp's angular radius, 7°, as in `render/shade.rs`: shadows grow softer with it. */
const LAMP_RADIUS = 0.13;
const GOLDEN = 0.6180339887498949;

/** @typedef {{ clipFromWorld: Float64Array, eye: Vec3, right: Vec3, up: Vec3, forward: Vec3, flat: boolean, half: number }} LightView */

export class ShadowMap {
  /** @param {GL} gl @param {number} size px */
  constructor(gl, size) {
    this.gl = gl;
    this.size = size;
    this.texture = makeShadowTexture(gl, size);
    this.target = makeTarget(gl, [], this.texture);
    this.matrix = new Float32Array(16);
    /** Metres of a pixel. */
    this.texel = 1;
  }

  /**
   * Draws what the light sees.
   * @param {Vec3} towards the light
   * @param {{ center: Vec3, radius: number }} ball what throws shadows
   * @param {boolean} more whether it is drawn onto what is there
   * @param {(view: LightView, size: number) => void} draw
   */
  render(towards, ball, more, draw) {
    const { gl } = this;
    const forward = scale(towards, -1);
    const [right, up] = across(forward);
    const eye = along(ball.center, towards, 2 * ball.radius);
    const projection = orthographic(ball.radius, 1, 0, 4 * ball.radius);
    const clipFromWorld = matProduct(projection, viewMatrix(eye, right, up, forward));
    this.matrix.set(clipFromWorld);
    this.texel = (2 * ball.radius) / this.size;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.viewport(0, 0, this.size, this.size);
    if (!more) gl.clear(gl.DEPTH_BUFFER_BIT);
    draw({ clipFromWorld, eye, right, up, forward, flat: true, half: ball.radius }, this.size);
  }
}

/** The k-th point of an even sequence in the unit square. @param {number} k @returns {[number, number]} */
export function evenPoint(k) {
  // The sequence R2 of Martin Roberts (2018).
  return [(0.5 + k * 0.7548776662466927) % 1, (0.5 + k * 0.5698402909980532) % 1];
}

/** A direction to a point of the lamp. @param {Vec3} lamp @param {number} k @returns {Vec3} */
export function lampSample(lamp, k) {
  const [u, v] = across(lamp);
  const radius = LAMP_RADIUS * Math.sqrt((k * GOLDEN + 0.5) % 1);
  const angle = 2 * Math.PI * ((k * 0.7548776662466927) % 1);
  const off = along(along(lamp, u, radius * Math.cos(angle)), v, radius * Math.sin(angle));
  return scale(off, 1 / Math.hypot(...off));
}

/**
 * The k-th of `count` directions that are spread evenly over the sphere (Fibonacci's lattice), far
 * ones one after the other.
 * @param {number} k @param {number} count
 * @returns {Vec3}
 */
export function skySample(k, count) {
  // A stride without a common factor with the count: all are taken, each once.
  let stride = Math.max(1, Math.round(count * GOLDEN));
  while (commonFactor(stride, count) !== 1) stride += 1;
  const place = (k * stride) % count;
  const z = 1 - (2 * place + 1) / count;
  const angle = 2 * Math.PI * ((place * GOLDEN) % 1);
  const flat = Math.sqrt(1 - z * z);
  return [flat * Math.cos(angle), flat * Math.sin(angle), z];
}

/** @param {number} a @param {number} b @returns {number} */
function commonFactor(a, b) {
  return b === 0 ? a : commonFactor(b, a % b);
}
