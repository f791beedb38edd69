// What a scene stands in: sky, ground and lamp by day and night, and the images of a periodic box.

import { fromHex, toLinear } from "../colors.js";
import { dot, length, matInverse, normalize } from "../math.js";

/** @typedef {import("../math.js").Vec3} Vec3 */
/** @typedef {import("./renderer.js").Renderer} Renderer */

/**
 * @typedef {object} Light
 * @property {Float32Array} worldFromClip
 * @property {Vec3} eye @property {Vec3} forward @property {boolean} flat
 * @property {number} reach @property {number} pixels
 * @property {import("./light.js").ShadowMap} lampMap @property {import("./light.js").ShadowMap} skyMap
 * @property {Vec3} lamp @property {Vec3} lampAt @property {Vec3} skyAt
 * @property {Vec3} skyTop @property {Vec3} skyBottom @property {Vec3} groundColor
 * @property {number[]} ground @property {boolean} hasGround @property {boolean} sampled
 */

/** Sky and ground in the dark; by day they are the run's own. @type {{ sky: [string, string], ground: string }} */
const NIGHT = { sky: ["#15191e", "#242a31"], ground: "#363c43" };

/** How much of its colour the edges of glass have; by day as in `render/shade.rs`. */
export const EDGE_SHADES = { day: 0.3, night: 0.55 };

/** @param {string} hex @returns {Vec3} */
function linearColor(hex) {
  const [r, g, b] = fromHex(hex).map((v) => toLinear(v / 255));
  return [r, g, b];
}

/** Sky and ground at the moment. @param {Renderer} renderer */
export function lookOf({ dark, recording }) {
  return dark || !recording.info ? NIGHT : recording.info.look;
}

/** Middle and radius of a box. @param {import("../camera.js").Box} box */
export function aboutBox({ low, high }) {
  const half = /** @type {Vec3} */ ([0, 1, 2].map((k) => 0.5 * (high[k] - low[k])));
  const toFocus = /** @type {Vec3} */ (half.map((v, k) => low[k] + v));
  return { toFocus, toRadius: Math.max(length(half), 1e-6) };
}

/** @param {import("../recording.js").RunInfo} info @param {number} wanted which bodies @returns {import("./renderer.js").Drawn} */
export function firstDrawn({ periodic, bounds, look }, wanted) {
  const { toFocus, toRadius } = aboutBox(bounds);
  /** @type {Vec3} */
  const period = [0, 0, 0];
  if (periodic) for (let k = 0; k < 3; k += 1) if (periodic.axes[k]) period[k] = periodic.high[k] - periodic.low[k];
  return {
    blend: 0,
    period,
    shift: [0, 0, 0],
    range: [0, 1],
    log: false,
    wanted,
    sample: 0,
    lamp: normalize(look.sun),
    focus: toFocus,
    radius: toRadius,
    lineStrength: 0.1,
    edgeShade: EDGE_SHADES.day,
  };
}

/** Offsets of the periodic images that are shown, the box itself first. @param {Renderer} renderer @returns {Vec3[]} */
export function shiftsOf({ drawn: { period }, images }) {
  /** @type {Vec3[]} */
  let shifts = [[0, 0, 0]];
  if (!images) return shifts;
  for (let axis = 0; axis < 3; axis += 1) {
    if (period[axis] === 0) continue;
    shifts = shifts.flatMap((s) => [0, -1, 1].map((k) => {
      const shifted = /** @type {Vec3} */ ([...s]);
      shifted[axis] += k * period[axis];
      return shifted;
    }));
  }
  return shifts;
}

/**
 * The light of a picture.
 * @param {Renderer} renderer @param {ReturnType<import("../camera.js").Camera["matrices"]>} matrices @param {Vec3} lampAt @param {Vec3} skyAt @param {boolean} sampled @returns {Light}
 */
export function lightOf(renderer, matrices, lampAt, skyAt, sampled) {
  const { sky, ground } = lookOf(renderer);
  const { scene, drawn } = renderer;
  const plane = scene.groundPlane(renderer.recording.frame(0));
  return {
    worldFromClip: matInverse(matrices.clipFromWorld),
    eye: matrices.eye,
    forward: matrices.forward,
    flat: matrices.flat,
    reach: scene.grain,
    pixels: (0.5 * renderer.buffers.height) / matrices.half,
    lampMap: sampled ? renderer.pointMap : renderer.lampMap,
    skyMap: renderer.skyMap,
    lamp: drawn.lamp,
    lampAt,
    skyAt,
    skyTop: linearColor(sky[0]),
    skyBottom: linearColor(sky[1]),
    groundColor: linearColor(ground),
    ground: plane === null ? [0, 0, 1, 0] : [...plane.normal, dot(plane.normal, plane.point)],
    hasGround: plane !== null,
    sampled,
  };
}
