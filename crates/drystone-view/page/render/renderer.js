// Draws a scene: surfaces first, then light, glass and lines; and better pictures while nothing moves.

import { BodyTextures } from "./bodies.js";
import { PictureBuffers } from "./buffers.js";
import { FLAG } from "./common.js";
import { Detail } from "./detail.js";
import { ViewBlock, contextOf } from "./gl.js";
import { ShadowMap, evenPoint, lampSample, skySample } from "./light.js";
import { WorldLines } from "./lines.js";
import { Marks } from "./mark_shapes.js";
import { Presenter } from "./present.js";
import { allIds, askFewIds, fewIds, idAt, pixelsOf } from "./readback.js";
import { SceneShapes } from "./scene.js";
import { Shading } from "./shade.js";
import { EDGE_SHADES, firstDrawn, lightOf, lookOf, shiftsOf } from "./surroundings.js";

/** @typedef {import("./gl.js").GL} GL */
/** @typedef {import("../math.js").Vec3} Vec3 */
/** @typedef {import("../recording.js").Recording} Recording */
/** @typedef {PictureBuffers} Buffers */

/**
 * What all bodies are drawn with.
 * @typedef {object} Drawn
 * @property {number} blend @property {Vec3} period @property {Vec3} shift
 * @property {[number, number]} range @property {boolean} log
 * @property {number} wanted @property {number} sample @property {Vec3} lamp
 * @property {Vec3} focus @property {number} radius @property {number} lineStrength of the ground
 * @property {number} edgeShade of glass, in shares of its colour
 */

/**
 * One way through the bodies.
 * @typedef {object} Pass
 * @property {BodyTextures} bodies @property {Drawn} drawn @property {boolean} glass @property {number} lineWidth
 * @property {import("./detail.js").Part | null} part of the balls, where they are very many; null for all
 * @property {Seen} view @property {number} height px @property {boolean} isCut whether something is cut away
 * @property {boolean} isShadow whether only depths count, along parallel rays
 * @property {import("../worker.js").Frame[]} frames between which the bodies are
 * @property {(calls: number, shapes: number) => void} count what is drawn
 */

/** From where a picture or a shadow is seen. @typedef {ReturnType<import("../camera.js").Camera["matrices"]> | import("./light.js").LightView} Seen */

/** Bodies that are neither hidden nor glass, and those of glass: mask, and value eight bits up. */
const SOLID_BODIES = FLAG.hidden | FLAG.glass;
const GLASS_BODIES = SOLID_BODIES | (FLAG.glass << 8);
/** The key of maps on which nothing throws a shadow. */
const NO_SHADOWS = "none";
/** While things move, one picture in so many is asked which balls it shows. */
const LOOK_EVERY = 8;
/** Samples from which on the gathered picture shows, and takes the place of the moving one. */
const SHOWN_FROM = [8, 24];

/** Whether pictures are drawn by the processor. @param {GL} gl */
function isSoftware(gl) {
  const known = gl.getExtension("WEBGL_debug_renderer_info");
  const name = String(known ? gl.getParameter(known.UNMASKED_RENDERER_WEBGL) : gl.getParameter(gl.RENDERER));
  return /swiftshader|llvmpipe|software|softpipe/i.test(name);
}

export class Renderer {
  /** @param {HTMLCanvasElement} canvas @param {Recording} recording @param {import("../camera.js").Camera} camera */
  constructor(canvas, recording, camera) {
    const gl = contextOf(canvas);
    if (gl === null) throw new Error("WebGL 2 is not there");
    this.gl = gl;
    this.canvas = canvas;
    this.camera = camera;
    this.recording = recording;
    const { info } = recording;
    if (!info) throw new Error("the recording is not open");
    const float = gl.getExtension("EXT_color_buffer_float") !== null;
    const blends = float && gl.getExtension("EXT_float_blend") !== null;
    this.gatherFormat = !float ? 0 : blends ? gl.RGBA32F : gl.RGBA16F;
    this.software = isSoftware(gl);
    /** Samples of a picture at rest; 0 where they cannot be gathered. */
    this.samples = this.gatherFormat === 0 ? 0 : 64;
    this.view = new ViewBlock(gl);
    this.scene = new SceneShapes(gl, recording);
    this.bodies = new BodyTextures(gl, recording.bodies?.kind.length ?? 0, this.scene.turning);
    this.marks = new Marks(gl);
    this.lines = new WorldLines(gl);
    this.shading = new Shading(gl);
    this.presenter = new Presenter(gl, this.shading);
    // Of the lamp's middle while things move; of its points and of the sky for samples.
    this.lampMap = new ShadowMap(gl, this.software ? 1024 : 2048);
    this.pointMap = new ShadowMap(gl, this.lampMap.size);
    this.skyMap = new ShadowMap(gl, this.software ? 512 : 1024);
    this.buffers = new PictureBuffers(gl, 2, 2, this.gatherFormat);
    this.drawn = firstDrawn(info, SOLID_BODIES);
    /** @type {import("../recording.js").ClipPlane[]} */
    this.cuts = [];
    this.dark = false;
    this.shadows = true;
    this.images = false;
    /** Says what throws shadows, and of what the map at hand is. */
    this.shadowKey = "-";
    this.drawnShadowKey = "";
    this.gatheredCount = 0;
    /** Whether the picture that shows while things move is that of this moment. */
    this.isFresh = false;
    this.chosen = 0;
    this.hovered = 0;
    /** What throws shadows. @type {{ center: Vec3, radius: number }} */
    this.ball = { center: this.drawn.focus, radius: this.drawn.radius };
    this.detail = new Detail(this.scene.spheres.count, this.software);
    /** Words that a number of a body takes when it is read back; 0 until the card was asked. */
    this.idWords = 0;
    /** Pictures since it was last looked which balls are seen. */
    this.unlooked = 0;
    /** @type {import("../worker.js").Frame[]} */
    this.frames = [];
    this.statistics = { calls: 0, shapes: 0, bytes: 0, milliseconds: 0, samples: 0 };
  }

  /** @param {number} width @param {number} height px */
  resize(width, height) {
    if (width === this.buffers.width && height === this.buffers.height) return;
    this.buffers.delete();
    this.buffers = new PictureBuffers(this.gl, width, height, this.gatherFormat);
    this.camera.aspect = width / height;
    this.touch();
  }

  /** Something changed: the gathered picture is of no use any more. */
  touch() {
    this.gatheredCount = 0;
    this.isFresh = false;
  }

  /** Whether all bodies are in the picture: not while very many move. */
  get isComplete() {
    return this.isFresh && this.detail.surface.left === 0 && (!this.shadows || this.detail.shadow.left === 0);
  }

  /** Whether more balls or more samples would make the picture better. */
  get unfinished() {
    return !this.isComplete || this.gatheredCount < this.samples;
  }

  /** The box around what moves in a frame, within reason: strays must not take the shadows' sharpness. @param {import("../worker.js").Frame} frame */
  shadowsFor(frame) {
    const { focus, radius } = this.drawn;
    const reach = 3 * radius;
    const low = frame.low.map((v, k) => Math.max(v, focus[k] - reach));
    const high = frame.high.map((v, k) => Math.min(v, focus[k] + reach));
    const sound = low.every((v, k) => v < high[k]);
    const box = this.scene.fixedBox(focus, reach);
    for (let k = 0; k < 3; k += 1) {
      low[k] = Math.min(sound ? low[k] : Infinity, box.low[k], focus[k] - 0.2 * radius);
      high[k] = Math.max(sound ? high[k] : -Infinity, box.high[k], focus[k] + 0.2 * radius);
    }
    const center = /** @type {Vec3} */ (low.map((v, k) => 0.5 * (v + high[k])));
    this.ball = { center, radius: 0.5 * Math.hypot(...low.map((v, k) => high[k] - v)) };
  }

  /** @param {Seen} view @param {number} height px @param {import("./detail.js").Part | null} part @param {boolean} [glass] @returns {Pass} */
  pass(view, height, part, glass = false) {
    const drawn = { ...this.drawn, wanted: glass ? GLASS_BODIES : SOLID_BODIES };
    const lineWidth = Math.max(1, this.buffers.height / 620);
    const count = (/** @type {number} */ calls, /** @type {number} */ shapes) => {
      this.statistics.calls += calls;
      this.statistics.shapes += shapes;
    };
    return { bodies: this.bodies, drawn, glass, lineWidth, part, view, height, isCut: this.cuts.length > 0, isShadow: false, frames: this.frames, count };
  }

  /** @param {Pass} pass */
  drawSolids(pass) {
    for (const shift of shiftsOf(this)) {
      pass.drawn.shift = shift;
      this.scene.draw(pass);
    }
    pass.drawn.shift = [0, 0, 0];
  }

  /** @param {ShadowMap} map @param {Vec3} towards @param {import("./detail.js").Part | null} part @param {boolean} [more] onto what is there */
  drawShadow(map, towards, part, more = false) {
    const { gl } = this;
    gl.enable(gl.DEPTH_TEST);
    map.render(towards, this.ball, more, (view, size) => {
      this.view.use(view, size, size, this.cuts);
      this.drawSolids({ ...this.pass(view, size, part), isShadow: true });
    });
  }

  /** Shadows of the lamp, and for a sample those of a point of the sky. @param {boolean} sampled @param {Vec3} lampAt @param {Vec3} skyAt */
  drawShadows(sampled, lampAt, skyAt) {
    const { detail, drawn } = this;
    const images = shiftsOf(this).length;
    if (!this.shadows) {
      if (this.drawnShadowKey === NO_SHADOWS) return;
      for (const map of [this.lampMap, this.pointMap, this.skyMap]) map.render(drawn.lamp, this.ball, false, () => {});
      this.drawnShadowKey = NO_SHADOWS;
    } else if (sampled) {
      // Of very many balls those that are seen, and a sample of the others: light finds no way past both.
      const part = detail.isLarge(images) ? detail.begin(detail.sampled, images) : null;
      this.drawShadow(this.pointMap, lampAt, part);
      this.drawShadow(this.skyMap, skyAt, part);
    } else if (this.shadowKey !== this.drawnShadowKey) {
      // While only the camera moves, the shadows stay where they are.
      this.drawShadow(this.lampMap, lampAt, detail.begin(detail.shadow, images));
      this.drawnShadowKey = this.shadowKey;
    }
  }

  /** One picture: light of many directions while sampled, a quick guess otherwise. @param {boolean} sampled @param {number} number of the sample */
  drawOnce(sampled, number) {
    const { gl, buffers, camera, drawn, detail } = this;
    drawn.sample = sampled ? number : 0;
    const lampAt = sampled ? lampSample(drawn.lamp, number) : drawn.lamp;
    const skyAt = skySample(number % Math.max(this.samples, 1), Math.max(this.samples, 1));
    this.drawShadows(sampled, lampAt, skyAt);
    const point = evenPoint(number);
    const matrices = camera.matrices(buffers.width, buffers.height, sampled ? [point[0] - 0.5, point[1] - 0.5] : [0, 0]);
    this.useSurface(matrices);
    gl.clearBufferfv(gl.COLOR, 0, [0, 0, 0, 0]);
    gl.clearBufferfv(gl.COLOR, 1, [0.5, 0.5, 1, 0]);
    gl.clearBufferuiv(gl.COLOR, 2, [0, 0, 0, 0]);
    gl.clearBufferfv(gl.DEPTH, 0, [1]);
    const images = shiftsOf(this).length;
    // Of a sample what was seen is enough.
    const part = !sampled ? detail.begin(detail.surface, images) : detail.isLarge(images) ? { seen: true, ranges: [] } : null;
    const pass = this.pass(matrices, buffers.height, part);
    this.drawSolids(pass);
    this.scene.planes.draw(pass);
    this.marks.draw(pass);
    this.drawLight(matrices, lampAt, skyAt, sampled);
  }

  /** @param {ReturnType<import("../camera.js").Camera["matrices"]>} matrices */
  useSurface(matrices) {
    const { gl, buffers } = this;
    this.view.use(matrices, buffers.width, buffers.height, this.cuts);
    gl.bindFramebuffer(gl.FRAMEBUFFER, buffers.surfaceTarget);
    gl.viewport(0, 0, buffers.width, buffers.height);
    gl.enable(gl.DEPTH_TEST);
  }

  /** Adds balls to a picture and to its shadows that have not all of them yet. */
  addPortion() {
    const { detail, drawn, buffers } = this;
    const images = shiftsOf(this).length;
    if (this.shadows && detail.shadow.left > 0) this.drawShadow(this.lampMap, drawn.lamp, detail.more(detail.shadow, images), true);
    const matrices = this.camera.matrices(buffers.width, buffers.height);
    this.useSurface(matrices);
    if (detail.surface.left > 0) this.drawSolids(this.pass(matrices, buffers.height, detail.more(detail.surface, images)));
    this.drawLight(matrices, drawn.lamp, drawn.lamp, false);
  }

  /** Light on the surfaces, then what lets light through. @param {ReturnType<import("../camera.js").Camera["matrices"]>} matrices @param {Vec3} lampAt @param {Vec3} skyAt @param {boolean} sampled */
  drawLight(matrices, lampAt, skyAt, sampled) {
    const { gl, buffers } = this;
    const light = lightOf(this, matrices, lampAt, skyAt, sampled);
    buffers.choose(sampled);
    if (!sampled) this.shading.occlude(buffers, light);
    this.shading.draw(buffers, light);
    gl.bindFramebuffer(gl.FRAMEBUFFER, buffers.glassTarget);
    gl.viewport(0, 0, buffers.width, buffers.height);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    const pass = this.pass(matrices, buffers.height, null, true);
    this.scene.draw(pass);
    this.scene.planes.draw(pass);
    this.scene.edges.draw(pass);
    this.lines.draw(pass);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  /** Ground and lines of it by day and night. @param {boolean} dark */
  setDark(dark) {
    this.dark = dark;
    // At night the lines are lighter than the ground.
    this.drawn.lineStrength = dark ? -0.35 : 0.1;
    // And the edges of glass lighter than the night behind.
    this.drawn.edgeShade = dark ? EDGE_SHADES.night : EDGE_SHADES.day;
    this.touch();
  }

  get groundHex() {
    return lookOf(this).ground;
  }

  /**
   * Draws to the screen. While nothing moves each call adds a sample.
   * @param {boolean} moving
   */
  draw(moving) {
    const begun = performance.now();
    const { detail, statistics } = this;
    Object.assign(statistics, { calls: 0, shapes: 0 });
    // What was sent to the card since the last picture.
    statistics.bytes = this.bodies.uploaded;
    this.bodies.uploaded = 0;
    if (moving || !this.isFresh) {
      const last = fewIds(this);
      if (last !== null) this.keepSeen(last);
      this.drawOnce(false, 0);
      this.gatheredCount = 0;
      this.isFresh = true;
      // To read takes time, and in a few pictures little else comes into sight.
      this.unlooked += 1;
      const look = this.unlooked >= LOOK_EVERY || this.scene.spheres.seen.count === 0;
      if (look && !this.isComplete && this.buffers.fewIdsDone === null) askFewIds(this);
    } else if (!this.isComplete) {
      this.addPortion();
      if (this.isComplete) this.keepSeen(allIds(this));
    } else if (this.unfinished) {
      this.addSample();
    }
    this.show(null);
    statistics.milliseconds = performance.now() - begun;
    statistics.samples = this.gatheredCount;
    return detail.surface.left;
  }

  /** The balls that are in a picture come first in the next one, where they are too many for one; samples have no others. @param {Uint32Array} ids of pixels */
  keepSeen(ids) {
    this.buffers.forgetFewIds();
    this.unlooked = 0;
    const bodies = this.recording.bodies?.kind.length ?? 0;
    this.statistics.bytes += this.scene.spheres.keepSeen(ids, bodies, this.detail.mostSeen);
  }

  /** All bodies, at once. */
  drawWhole() {
    this.touch();
    this.drawOnce(false, 0);
    this.isFresh = true;
    while (!this.isComplete) this.addPortion();
    if (this.detail.isLarge()) this.keepSeen(allIds(this));
  }

  addSample() {
    this.drawOnce(true, this.gatheredCount);
    this.gatheredCount += 1;
    this.presenter.gather(this.buffers, this.gatheredCount);
  }

  /** @param {WebGLFramebuffer | null} target */
  show(target) {
    const from = Math.min(SHOWN_FROM[0], this.samples - 1);
    const to = Math.min(SHOWN_FROM[1], this.samples);
    const settled = this.samples === 0 ? 0 : Math.min(Math.max((this.gatheredCount - from) / (to - from), 0), 1);
    const outline = Math.max(1, Math.round(this.buffers.height / 500));
    this.presenter.show(this.buffers, target, { settled, chosen: this.chosen, hovered: this.hovered, outline });
  }

  /** The number of what is drawn at a pixel, 0 for nothing. @param {number} x @param {number} y from the upper left */
  idAt(x, y) {
    return idAt(this, x, y);
  }

  /** The numbers of all pixels, from the lower left; for tests. */
  allIds() {
    return allIds(this);
  }

  /** What is shown, as pixels from the upper left. */
  pixels() {
    return pixelsOf(this);
  }
}
