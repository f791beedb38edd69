// Spheres: rays meet the true ball. Exact outline, normal and depth. A ball is a point of the size of its
// outline, which takes one corner; larger than points may be, it is a square.

import { GLASS_GLSL, PAINTED_GLSL, PAINT_IN_GLSL, SEE_THROUGH_GLSL, SURFACE_GLSL, VIEW_GLSL } from "./common.js";
import { makeProgram } from "./gl.js";
import { InstanceList } from "./instances.js";
import { drawSides, useFor } from "./programs.js";

/** @typedef {import("./gl.js").GL} GL */
/** @typedef {import("./detail.js").Range} Range */
/** @typedef {import("../worker.js").Frame} Frame */

/** Attributes of an instance: place in its body and radius. */
const BALL_SIZES = [4];
/** Points are drawn up to this width, px, on cards that can do more. */
const LARGEST_POINT = 256;
/** Where all balls are at most so wide, px, and nothing is cut, discs do. */
const SMALL_POINT = 4;

const BALL_VERTEX = `${VIEW_GLSL}${PAINTED_GLSL}
layout(location = 0) in uint owner;
layout(location = 1) in vec4 place; // in the body's axes; w: radius
uniform float largest; // px
flat out vec4 ball;
// Width in px of a point that covers a ball's outline, and where it is, from -1 to 1. A middle outside
// the picture is brought to its edge, since such points are not drawn. Above \`largest\`: no point will do.
float pointOf(vec3 center, float radius, out vec2 at) {
  vec3 off = center - eyeAndKind.xyz;
  vec3 v = vec3(dot(off, rightAndWidth.xyz), dot(off, upAndHeight.xyz), dot(off, forwardAndHalf.xyz));
  vec2 size = vec2(rightAndWidth.w, upAndHeight.w);
  vec2 half_ = forwardAndHalf.w * vec2(size.x / size.y, 1.0);
  vec2 middle = v.xy / half_, reach = vec2(radius) / half_;
  at = vec2(0.0);
  if (eyeAndKind.w > 0.5) {
    // The planes through the eye that touch the ball.
    float rest = v.z * v.z - radius * radius;
    if (v.z <= 1.01 * radius) return 2.0 * largest;
    middle = v.xy * v.z / rest / half_;
    reach = radius * sqrt(v.xy * v.xy + rest) / rest / half_;
  }
  middle += jitter.xy;
  at = clamp(middle, -0.99999, 0.99999);
  vec2 moved = abs(at - middle);
  if (moved.x > reach.x || moved.y > reach.y) return 0.0;
  vec2 width = (reach + moved) * size;
  // A hair more, against rounding: pixels count by their middles.
  return max(width.x, width.y) + 0.1;
}
bool ballAt(out float width, out vec2 at) {
  Body body;
  if (!painted(owner, body)) return false;
  ball = vec4(body.position + turn(body.rotation, place.xyz), place.w);
  width = pointOf(ball.xyz, ball.w, at);
  return width > 0.0;
}`;

const POINT_VERTEX = `${BALL_VERTEX}
void main() {
  float width;
  vec2 at;
  gl_PointSize = 1.0;
  if (!ballAt(width, at) || width > largest) return;
  vec4 clip = clipFromWorld * vec4(ball.xyz, 1.0);
  // The ball reaches before and behind the point: its true depth is written with each pixel.
  gl_Position = vec4(at * clip.w, clamp(clip.z, -clip.w, clip.w), clip.w);
  gl_PointSize = width;
}`;

const SQUARE_VERTEX = `${BALL_VERTEX}
void main() {
  float width;
  vec2 at;
  if (!ballAt(width, at) || width <= largest) return;
  vec3 u = rightAndWidth.xyz, v = upAndHeight.xyz;
  float half_ = ball.w;
  if (eyeAndKind.w > 0.5) {
    // Across the line of sight, and as large as the cone of rays that touch the ball.
    vec3 sight = ball.xyz - eyeAndKind.xyz;
    float away = length(sight);
    if (away <= ball.w * 1.0001) return;
    u = normalize(cross(sight, v));
    v = cross(u, sight) / away;
    half_ = ball.w * away / sqrt(away * away - ball.w * ball.w);
  }
  vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;
  gl_Position = clipFromWorld * vec4(ball.xyz + half_ * (corner.x * u + corner.y * v), 1.0);
  gl_Position.z = clamp(gl_Position.z, -gl_Position.w, gl_Position.w);
}`;

const BALL_GLSL = `${PAINT_IN_GLSL}
flat in vec4 ball;
// The ray through the middle of a pixel.
Ray rayHere() {
  vec2 size = vec2(rightAndWidth.w, upAndHeight.w);
  vec2 at = (gl_FragCoord.xy / size * 2.0 - 1.0 - jitter.xy) * forwardAndHalf.w * vec2(size.x / size.y, 1.0);
  vec3 off = at.x * rightAndWidth.xyz + at.y * upAndHeight.xyz;
  if (eyeAndKind.w > 0.5) return Ray(eyeAndKind.xyz, normalize(forwardAndHalf.xyz + off));
  return Ray(eyeAndKind.xyz + off, forwardAndHalf.xyz);
}
// Enter and exit of a ray; x > y where it misses.
vec2 ballSpan(Ray ray) {
  vec3 off = ball.xyz - ray.origin;
  float nearest = dot(off, ray.direction);
  vec3 apart = off - nearest * ray.direction;
  float rest = ball.w * ball.w - dot(apart, apart);
  if (rest < 0.0) return vec2(1.0, -1.0);
  return vec2(nearest - sqrt(rest), nearest + sqrt(rest));
}`;

const BALL_FRAGMENT = `${VIEW_GLSL}${SURFACE_GLSL}${BALL_GLSL}
void main() {
  Ray ray = rayHere();
  vec3 seen = visiblePart(ray);
  bool cut;
  vec3 at = ray.origin + ray.direction * firstMet(ballSpan(ray), seen, cut);
  seeThrough(paint.a, id);
  vec3 normal = cut ? cuts[int(seen.z)].xyz : (at - ball.xyz) / ball.w;
  gl_FragDepth = depthOf(at);
  surface(paint.rgb, normal, cut ? CUT_KIND : OUTSIDE_KIND, 1.0, id);
}`;

/** Balls of a few pixels: a disc with a ball's normals, at the depth of its middle. */
const SMALL_FRAGMENT = `${VIEW_GLSL}${SURFACE_GLSL}${PAINT_IN_GLSL}
void main() {
  vec2 at = vec2(2.0, -2.0) * gl_PointCoord - vec2(1.0, -1.0);
  float rest = 1.0 - dot(at, at);
  if (rest < -0.2) discard;
  seeThrough(paint.a, id);
  vec3 normal = at.x * rightAndWidth.xyz + at.y * upAndHeight.xyz - sqrt(max(rest, 0.0)) * forwardAndHalf.xyz;
  surface(paint.rgb, normalize(normal), OUTSIDE_KIND, 1.0, id);
}`;

/** Depths of balls as parallel rays meet them, for shadows where nothing is cut. */
const SHADOW_FRAGMENT = `${VIEW_GLSL}${SEE_THROUGH_GLSL}${PAINT_IN_GLSL}
flat in vec4 ball;
void main() {
  vec2 at = 2.0 * gl_PointCoord - 1.0;
  float rest = 1.0 - dot(at, at);
  if (rest < 0.0) discard;
  seeThrough(paint.a, id);
  vec3 deep = vec3(clipFromWorld[0].z, clipFromWorld[1].z, clipFromWorld[2].z);
  gl_FragDepth = depthOf(ball.xyz) - 0.5 * ball.w * sqrt(rest) * dot(deep, forwardAndHalf.xyz);
}`;

const BALL_GLASS_FRAGMENT = `${VIEW_GLSL}${GLASS_GLSL}${BALL_GLSL}
void main() {
  Ray ray = rayHere();
  vec3 point = ray.origin + ray.direction * sideMet(ballSpan(ray), visiblePart(ray));
  gl_FragDepth = depthOf(point);
  glass(paint.rgb, (point - ball.xyz) / ball.w, ray.direction);
}`;

/** Balls of a list as points; the array has one entry a point. */
class PointList extends InstanceList {
  /** @param {GL} gl */
  constructor(gl) {
    super(gl, BALL_SIZES);
    this.points = gl.createVertexArray();
    this.point(this.points, 0);
  }
}

export class Spheres {
  /** @param {GL} gl */
  constructor(gl) {
    this.gl = gl;
    this.programs = {
      points: makeProgram(gl, "balls", POINT_VERTEX, BALL_FRAGMENT),
      small: makeProgram(gl, "small balls", POINT_VERTEX, SMALL_FRAGMENT),
      shadows: makeProgram(gl, "shadows of balls", POINT_VERTEX, SHADOW_FRAGMENT),
      squares: makeProgram(gl, "large balls", SQUARE_VERTEX, BALL_FRAGMENT),
      glassPoints: makeProgram(gl, "glass balls", POINT_VERTEX, BALL_GLASS_FRAGMENT),
      glassSquares: makeProgram(gl, "large glass balls", SQUARE_VERTEX, BALL_GLASS_FRAGMENT),
    };
    this.list = new PointList(gl);
    /** Those that were seen in the last picture, where they are too many to draw all. */
    this.seen = new PointList(gl);
    /** Those that may be too large for points. */
    this.large = new InstanceList(gl, BALL_SIZES);
    const [, most] = /** @type {Float32Array} */ (gl.getParameter(gl.ALIASED_POINT_SIZE_RANGE));
    this.largest = Math.min(most, LARGEST_POINT);
    this.largestRadius = 0;
    /** Of parts of compounds, from their body's origin, m. */
    this.farthestPlace = 0;
  }

  get count() {
    return this.list.count;
  }

  /** @param {number} owner @param {ArrayLike<number>} place @param {number} radius @param {boolean} glass */
  add(owner, place, radius, glass) {
    this.list.add(owner, glass, place[0], place[1], place[2], radius);
    this.largestRadius = Math.max(this.largestRadius, radius);
    this.farthestPlace = Math.max(this.farthestPlace, Math.hypot(place[0], place[1], place[2]));
  }

  /** Sends what was added to the card. */
  finish() {
    this.list.shuffle();
    this.list.send();
  }

  /** Keeps those that a picture shows, as far as there is room. @param {Uint32Array} ids of the picture's pixels @param {number} bodies @param {number} most */
  keepSeen(ids, bodies, most) {
    const { list, seen } = this;
    const shown = new Uint8Array(bodies + 1);
    for (let k = 0; k < ids.length; k += 1) if (ids[k] <= bodies) shown[ids[k]] = 1;
    seen.clear();
    for (let k = 0; k < list.count && seen.count < most; k += 1) {
      if (shown[list.owners[k] + 1] === 1) seen.take(list, k);
    }
    return seen.send();
  }

  /** No ball is wider in the picture, px. @param {import("./renderer.js").Pass} pass */
  widest({ view, height, frames, drawn }) {
    const each = (this.largestRadius * height) / view.half;
    if (view.flat) return each;
    const nearest = frames.map(({ low, high }) => Math.hypot(...[0, 1, 2].map((k) => {
      const v = view.eye[k] - drawn.shift[k];
      return Math.max(low[k] - v, v - high[k], 0);
    })));
    return each / Math.max(Math.min(...nearest), 1e-30);
  }

  /**
   * Looks for balls that points are too small for, with a margin: the shaders draw each as one or the other.
   * @param {import("./renderer.js").Pass} pass
   */
  findLarge({ view, height, frames, drawn }) {
    const { list, large } = this;
    large.clear();
    // A ball of radius r at distance d is r height / (half d) pixels wide, with parallel rays without d.
    const reachEach = height / view.half / (0.5 * this.largest);
    const most = this.largestRadius * reachEach;
    if (view.flat && most < 1) return;
    const eye = [0, 1, 2].map((k) => view.eye[k] - drawn.shift[k]);
    const near = frames.filter(({ low, high }) => view.flat || eye.every((v, k) => v > low[k] - most && v < high[k] + most));
    if (near.length === 0) return;
    for (let k = 0; k < list.count; k += 1) {
      const reach = list.floats[4 * k + 3] * reachEach;
      const isNear = (/** @type {Frame} */ { position }) => {
        const at = 3 * list.owners[k];
        const [x, y, z] = [position[at] - eye[0], position[at + 1] - eye[1], position[at + 2] - eye[2]];
        const far = reach + this.farthestPlace;
        return x * x + y * y + z * z < far * far;
      };
      if (view.flat ? reach > 1 : near.some(isNear)) large.take(list, k);
    }
    if (large.count > 0) large.send();
  }

  /** @param {import("./renderer.js").Pass} pass */
  draw(pass) {
    const { gl, list, programs } = this;
    if (list.count === 0 || (pass.glass && !list.hasGlass)) return;
    const { part } = pass;
    this.with(this.programFor(pass), pass, () => {
      if (part === null) this.drawPoints(list, [{ from: 0, to: list.count }], pass);
      if (part?.seen) this.drawPoints(this.seen, [{ from: 0, to: this.seen.count }], pass);
      if (part !== null) this.drawPoints(list, part.ranges, pass);
    });
    if (part !== null && !part.seen) return;
    this.findLarge(pass);
    if (this.large.count === 0) return;
    this.with(pass.glass ? programs.glassSquares : programs.squares, pass, () => {
      gl.bindVertexArray(this.large.array);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.large.count);
      pass.count(1, this.large.count);
    });
  }

  /** The simplest program that gives the same points. @param {import("./renderer.js").Pass} pass */
  programFor(pass) {
    const { programs } = this;
    if (pass.glass) return programs.glassPoints;
    if (pass.isCut) return programs.points;
    if (pass.isShadow) return programs.shadows;
    return this.widest(pass) < SMALL_POINT ? programs.small : programs.points;
  }

  /** Draws with a program, both sides of glass. @param {import("./gl.js").Program} program @param {import("./renderer.js").Pass} pass @param {() => void} draw */
  with(program, pass, draw) {
    const { gl } = this;
    useFor(gl, program, pass);
    gl.uniform1f(program.at("largest"), this.largest);
    drawSides(gl, program, pass, draw);
  }

  /** @param {PointList} list @param {Range[]} ranges @param {import("./renderer.js").Pass} pass */
  drawPoints(list, ranges, pass) {
    const { gl } = this;
    gl.bindVertexArray(list.points);
    for (const { from, to } of ranges) {
      if (to === from) continue;
      gl.drawArrays(gl.POINTS, from, to - from);
      pass.count(1, to - from);
    }
  }
}
