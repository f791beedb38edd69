// From where the scene is seen. The same formulas as the stills: `render/camera.rs`, `render/eye.rs`.

import {
  add, along, clamp, corners, cross, dot, length, lerp, matProduct, normalize, orthographic,
  perspective, scale, sub, viewMatrix,
} from "./math.js";

/** @typedef {import("./math.js").Vec3} Vec3 */
/** @typedef {{ low: Vec3, high: Vec3 }} Box */

/**
 * A place to look from. `height` is what an orthographic picture shows, m; 0 in perspective.
 * @typedef {{ eye: Vec3, target: Vec3, up: Vec3, field: number, height: number }} View
 */

/** Width over height of the stills, for which the run's own camera is made, unless it says so. */
const STILL_ASPECT = 1.6;
/** Free share at the sides when something is framed, as in the stills. */
const FREE = { left: 0.08, right: 0.08, top: 0.1, bottom: 0.1 };
/** Time that the camera takes to another place, s. */
const GLIDE_SECONDS = 0.35;
/** How near to straight up or down the camera may look: the cosine keeps a clear level direction. */
const STEEPEST = 1.553;

/** Right, up and forward of a view. @param {ArrayLike<number>} direction @param {ArrayLike<number>} up @returns {{ right: Vec3, up: Vec3, forward: Vec3 }} */
export function axesOf(direction, up) {
  const forward = normalize(direction);
  for (const candidate of [up, [0, 1, 0], [0, 0, 1], [1, 0, 0]]) {
    const right = cross(forward, normalize(candidate));
    if (length(right) > 1e-6) {
      const unit = normalize(right);
      return { right: unit, up: cross(unit, forward), forward };
    }
  }
  return { right: [1, 0, 0], up: [0, 0, 1], forward };
}

/**
 * The nearest view along a direction that has all points in its picture.
 * @param {Vec3[]} points
 * @param {ArrayLike<number>} direction @param {ArrayLike<number>} up
 * @param {number} field rad @param {number} aspect
 * @returns {View}
 */
export function fitView(points, direction, up, field, aspect) {
  const axes = axesOf(direction, up);
  const tangent = Math.tan(0.5 * field);
  const place = (/** @type {Vec3} */ axis, /** @type {number} */ high, /** @type {number} */ low) => {
    const most = (/** @type {number} */ sign, /** @type {number} */ t) =>
      Math.max(...points.map((p) => sign * dot(p, axis) - t * dot(p, axes.forward)));
    const [above, below] = [most(1, high), most(-1, low)];
    return {
      depth: -(above + below) / (high + low),
      middle: (/** @type {number} */ depth) => 0.5 * (above + high * depth - (below + low * depth)),
    };
  };
  const wide = tangent * aspect;
  const x = place(axes.right, wide * (1 - 2 * FREE.right), wide * (1 - 2 * FREE.left));
  const y = place(axes.up, tangent * (1 - 2 * FREE.top), tangent * (1 - 2 * FREE.bottom));
  const depth = Math.min(x.depth, y.depth);
  const eye = add(
    add(scale(axes.right, x.middle(depth)), scale(axes.up, y.middle(depth))),
    scale(axes.forward, depth),
  );
  const middle = scale(points.reduce((a, b) => add(a, b)), 1 / points.length);
  const target = along(eye, axes.forward, dot(sub(middle, eye), axes.forward));
  return { eye, target, up: axes.up, field, height: 0 };
}

export class Camera {
  /** @param {View} view @param {Box} bounds what the scene is about */
  constructor(view, bounds) {
    /** @type {View} */
    this.view = { ...view };
    /** @type {View} */
    this.home = { ...view };
    this.bounds = bounds;
    /** @type {{ from: View, to: View, begun: number } | null} */
    this.glide = null;
    this.aspect = STILL_ASPECT;
    /** Whether somebody moved it. */
    this.isTouched = false;
  }

  get distance() {
    return length(sub(this.view.eye, this.view.target));
  }

  get radius() {
    return Math.max(0.5 * length(sub(this.bounds.high, this.bounds.low)), 1e-6);
  }

  /** A narrower picture than the stills' steps back, so that nothing is lost at its sides. */
  get widen() {
    return Math.max(1, STILL_ASPECT / this.aspect);
  }

  /** Half of what the picture's height shows at the target, m. */
  get halfHeight() {
    const { height, field } = this.view;
    const half = height > 0 ? 0.5 * height : this.distance * Math.tan(0.5 * field);
    return half * this.widen;
  }

  /** Where the eye really is. @returns {Vec3} */
  get eye() {
    const { eye, target } = this.view;
    return lerp(target, eye, this.widen);
  }

  axes() {
    const { eye, target, up } = this.view;
    return axesOf(sub(target, eye), up);
  }

  /** Metres that a pixel of a picture of that height shows at the target. @param {number} height px */
  pixelAtTarget(height) {
    return (2 * this.halfHeight) / height;
  }

  /**
   * What shaders need, for a picture shifted by a part of a pixel.
   * @param {number} width px @param {number} height px @param {[number, number]} [shift] px
   */
  matrices(width, height, shift = [0, 0]) {
    const axes = this.axes();
    const eye = this.eye;
    const flat = this.view.height > 0;
    const distance = length(sub(eye, this.view.target));
    const middle = scale(add(this.bounds.low, this.bounds.high), 0.5);
    const depth = dot(sub(middle, eye), axes.forward);
    // The ground fades within six radii.
    const far = Math.max(depth, 0) + 7 * this.radius + 2 * distance;
    const near = flat ? -far : Math.max(1e-3 * distance, Math.min(depth - 2 * this.radius, 0.2 * distance), 1e-4 * far);
    const aspect = width / height;
    const half = flat ? this.halfHeight : Math.tan(0.5 * this.view.field);
    const projection = flat ? orthographic(half, aspect, near, far) : perspective(half, aspect, near, far);
    const [x, y] = [(2 * shift[0]) / width, (2 * shift[1]) / height];
    if (flat) {
      projection[12] += x;
      projection[13] += y;
    } else {
      projection[8] -= x;
      projection[9] -= y;
    }
    const clipFromWorld = matProduct(projection, viewMatrix(eye, axes.right, axes.up, axes.forward));
    return { clipFromWorld, eye, ...axes, flat, half, near, far, jitter: /** @type {[number, number]} */ ([x, y]) };
  }

  /** The ray through a point of the picture, both from -1 to 1. @param {number} x @param {number} y @param {number} aspect */
  ray(x, y, aspect) {
    const axes = this.axes();
    const eye = this.eye;
    if (this.view.height > 0) {
      const half = this.halfHeight;
      const origin = along(along(eye, axes.right, x * half * aspect), axes.up, y * half);
      return { origin, direction: axes.forward };
    }
    const half = Math.tan(0.5 * this.view.field);
    const off = add(scale(axes.right, x * half * aspect), scale(axes.up, y * half));
    return { origin: eye, direction: normalize(add(axes.forward, off)) };
  }

  /** Turns about the target, rad. @param {number} turn @param {number} tilt */
  orbit(turn, tilt) {
    this.isTouched = true;
    this.glide = null;
    const { eye, target } = this.view;
    const off = sub(eye, target);
    const distance = length(off);
    // From straight above what is up in the picture says where one stands.
    const level = Math.hypot(off[0], off[1]);
    const from = level > 1e-3 * distance ? off : scale(this.view.up, -Math.sign(off[2] || 1));
    const azimuth = Math.atan2(from[1], from[0]) - turn;
    const rise = clamp(Math.asin(clamp(off[2] / distance, -1, 1)) + tilt, -STEEPEST, STEEPEST);
    const flat = distance * Math.cos(rise);
    this.view.eye = add(target, [flat * Math.cos(azimuth), flat * Math.sin(azimuth), distance * Math.sin(rise)]);
    this.view.up = [0, 0, 1];
  }

  /** Moves along the picture, in pixels of a picture of that height. @param {number} x @param {number} y @param {number} height */
  pan(x, y, height) {
    this.isTouched = true;
    this.glide = null;
    const axes = this.axes();
    const metres = this.pixelAtTarget(height);
    this.shift(add(scale(axes.right, -x * metres), scale(axes.up, y * metres)));
  }

  /** @param {Vec3} by */
  shift(by) {
    this.view.eye = add(this.view.eye, by);
    this.view.target = add(this.view.target, by);
  }

  /**
   * Nearer by a factor below 1, so that the point under the cursor stays there.
   * @param {number} factor @param {number} x @param {number} y from -1 to 1
   */
  zoom(factor, x, y) {
    this.isTouched = true;
    this.glide = null;
    const axes = this.axes();
    const least = 1e-4 * this.radius;
    const size = this.view.height > 0 ? this.view.height : this.distance;
    const most = 200 * this.radius;
    const bounded = clamp(size * factor, least, most) / size;
    const half = this.halfHeight * (1 - bounded);
    this.shift(add(scale(axes.right, x * half * this.aspect), scale(axes.up, y * half)));
    this.view.eye = lerp(this.view.target, this.view.eye, bounded);
    if (this.view.height > 0) this.view.height *= bounded;
  }

  /** Frames a box from where the camera looks. @param {Box} box */
  frame(box) {
    const { eye, target, up, field, height } = this.view;
    const aspect = Math.max(this.aspect, STILL_ASPECT);
    const fitted = fitView(corners(box.low, box.high), sub(target, eye), up, field, aspect);
    this.goTo({ ...fitted, up, height: height > 0 ? 2 * length(sub(fitted.eye, fitted.target)) * Math.tan(0.5 * field) : 0 });
  }

  /** Looks along a direction at the target. @param {Vec3} direction @param {Vec3} up */
  lookAlong(direction, up) {
    this.goTo({ ...this.view, eye: along(this.view.target, normalize(direction), -this.distance), up });
  }

  /** Parallel rays or perspective, with the same picture at the target. */
  toggleOrthographic() {
    const { field, height } = this.view;
    this.glide = null;
    this.view.height = height > 0 ? 0 : 2 * this.distance * Math.tan(0.5 * field);
  }

  /** @param {View} view @param {boolean} [now] without gliding */
  goTo(view, now = false) {
    if (now) this.view = { ...view };
    this.glide = now ? null : { from: { ...this.view }, to: view, begun: performance.now() };
  }

  /** How far a glide is, in time eased; 1 without one. */
  get progress() {
    if (this.glide === null) return 1;
    const share = clamp((performance.now() - this.glide.begun) / (1000 * GLIDE_SECONDS), 0, 1);
    return share * share * (3 - 2 * share);
  }

  /** Goes on with a glide; whether the view changed. @param {number} now ms */
  advance(now) {
    if (this.glide === null) return false;
    const { from, to, begun } = this.glide;
    const share = clamp((now - begun) / (1000 * GLIDE_SECONDS), 0, 1);
    const eased = share * share * (3 - 2 * share);
    const target = lerp(from.target, to.target, eased);
    const [a, b] = [sub(from.eye, from.target), sub(to.eye, to.target)];
    // By way of the arc, not through the scene.
    const distance = length(a) * (length(b) / length(a)) ** eased;
    const mixed = lerp(normalize(a), normalize(b), eased);
    const direction = length(mixed) > 1e-3 ? normalize(mixed) : normalize(b);
    const up = lerp(from.up, to.up, eased);
    const height = from.height + eased * (to.height - from.height);
    this.view = { ...to, target, eye: along(target, direction, distance), up: length(up) > 1e-3 ? up : to.up, height };
    if (share === 1) {
      this.view = { ...to };
      this.glide = null;
    }
    return true;
  }
}

/** A view in a few letters, for links. @param {View} view */
export function viewToText(view) {
  const numbers = [...view.eye, ...view.target, ...view.up, view.field, view.height];
  return numbers.map((v) => Number(v.toPrecision(7))).join(",");
}

/** The view of such letters, or null. @param {string} text @returns {View | null} */
export function viewFromText(text) {
  const v = text.split(",").map(Number);
  if (v.length !== 11 || !v.every(Number.isFinite)) return null;
  const view = {
    eye: /** @type {Vec3} */ (v.slice(0, 3)),
    target: /** @type {Vec3} */ (v.slice(3, 6)),
    up: /** @type {Vec3} */ (v.slice(6, 9)),
    field: v[9],
    height: v[10],
  };
  const sees = length(sub(view.eye, view.target)) > 0 && length(view.up) > 0;
  return sees && view.field > 0 && view.field < 3.1 && view.height >= 0 ? view : null;
}
