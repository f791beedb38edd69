// Draws a scene: surfaces first, then light, glass and lines; and better pictures while nothing moves.

import { BodyTextures } from "./bodies.js";
import { PictureBuffers } from "./buffers.js";
import { FLAG } from "./common.js";
import { Marks } from "./convex.js";
import { ViewBlock } from "./gl.js";
import { ShadowMap, evenPoint, lampSample, skySample } from "./light.js";
import { WorldLines } from "./lines.js";
import { Presenter } from "./present.js";
import { SceneShapes } from "./scene.js";
import { Shading } from "./shade.js";
import { fromHex, toLinear } from "../colors.js";
import { along, dot, length, normalize, sub } from "../math.js";

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
 * @property {Vec3} focus @property {number} radius @property {number} lineStrength
 */

/** @typedef {{ bodies: BodyTextures, drawn: Drawn, glass: boolean, lineWidth: number, count: (calls: number) => void }} Pass */

/**
 * @typedef {object} Light
 * @property {Float32Array} worldFromClip
 * @property {Vec3} eye @property {Vec3} forward @property {boolean} flat
 * @property {number} reach @property {number} pixels
 * @property {ShadowMap} lampMap @property {ShadowMap} skyMap
 * @property {Vec3} lamp @property {Vec3} lampAt @property {Vec3} skyAt
 * @property {Vec3} skyTop @property {Vec3} skyBottom @property {Vec3} groundColor
 * @property {number[]} ground @property {boolean} hasGround @property {boolean} sampled
 */

/** Sky and ground in the dark; by day they are the run's own. */
const NIGHT = { sky: ["#15191e", "#242a31"], ground: "#363c43" };
/** Bodies that are neither hidden nor glass, and those of glass: mask, and value eight bits up. */
const SOLID_BODIES = FLAG.hidden | FLAG.glass;
const GLASS_BODIES = SOLID_BODIES | (FLAG.glass << 8);
/** The key of maps on which nothing throws a shadow. */
const NO_SHADOWS = "none";
/** Samples from which on the gathered picture shows, and takes the place of the moving one. */
const SHOWN_FROM = [8, 24];

/** Whether pictures are drawn by the processor. @param {GL} gl */
function isSoftware(gl) {
  const known = gl.getExtension("WEBGL_debug_renderer_info");
  const name = String(known ? gl.getParameter(known.UNMASKED_RENDERER_WEBGL) : gl.getParameter(gl.RENDERER));
  return /swiftshader|llvmpipe|software|softpipe/i.test(name);
}

/** @param {string} hex @returns {Vec3} */
function linearColor(hex) {
  const [r, g, b] = fromHex(hex).map((v) => toLinear(v / 255));
  return [r, g, b];
}

/** The inverse of a 4 × 4 matrix. @param {ArrayLike<number>} m */
function inverse(m) {
  // Gauss and Jordan, on the matrix by rows beside the identity.
  const a = [0, 1, 2, 3].map((r) => [m[r], m[4 + r], m[8 + r], m[12 + r], ...[0, 1, 2, 3].map((c) => (c === r ? 1 : 0))]);
  for (let c = 0; c < 4; c += 1) {
    let pivot = c;
    for (let r = c; r < 4; r += 1) if (Math.abs(a[r][c]) > Math.abs(a[pivot][c])) pivot = r;
    [a[c], a[pivot]] = [a[pivot], a[c]];
    const by = a[c][c] || 1;
    a[c] = a[c].map((v) => v / by);
    for (let r = 0; r < 4; r += 1) {
      if (r !== c) a[r] = a[r].map((v, k) => v - a[r][c] * a[c][k]);
    }
  }
  const out = new Float32Array(16);
  for (let r = 0; r < 4; r += 1) for (let c = 0; c < 4; c += 1) out[4 * c + r] = a[r][4 + c];
  return out;
}

export class Renderer {
  /** @param {HTMLCanvasElement} canvas @param {Recording} recording @param {import("../camera.js").Camera} camera */
  constructor(canvas, recording, camera) {
    const gl = canvas.getContext("webgl2", { antialias: false, alpha: false, depth: false, powerPreference: "high-performance" });
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
    this.lampMap = new ShadowMap(gl, this.software ? 1024 : 2048);
    this.skyMap = new ShadowMap(gl, this.software ? 512 : 1024);
    this.buffers = new PictureBuffers(gl, 2, 2, this.gatherFormat);
    this.drawn = this.firstDrawn(info);
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
    this.statistics = { calls: 0, bytes: 0, milliseconds: 0, samples: 0 };
  }

  /** Middle and radius of a box. @param {import("../camera.js").Box} box */
  about({ low, high }) {
    const half = /** @type {Vec3} */ ([0, 1, 2].map((k) => 0.5 * (high[k] - low[k])));
    const toFocus = /** @type {Vec3} */ (half.map((v, k) => low[k] + v));
    return { toFocus, toRadius: Math.max(length(half), 1e-6) };
  }

  /** @param {import("../recording.js").RunInfo} info @returns {Drawn} */
  firstDrawn(info) {
    const { periodic } = info;
    const { toFocus, toRadius } = this.about(info.bounds);
    /** @type {Vec3} */
    const period = [0, 0, 0];
    if (periodic) for (let k = 0; k < 3; k += 1) if (periodic.axes[k]) period[k] = periodic.high[k] - periodic.low[k];
    return {
      blend: 0,
      period,
      shift: [0, 0, 0],
      range: [0, 1],
      log: false,
      wanted: SOLID_BODIES,
      sample: 0,
      lamp: normalize(info.look.sun),
      focus: toFocus,
      radius: toRadius,
      lineStrength: 0.1,
    };
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

  /** Whether more samples would make the picture better. */
  get unfinished() {
    return this.gatheredCount < this.samples;
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

  /** @param {boolean} glass @returns {Pass} */
  pass(glass) {
    const drawn = { ...this.drawn, wanted: glass ? GLASS_BODIES : SOLID_BODIES };
    const lineWidth = Math.max(1, this.buffers.height / 620);
    return { bodies: this.bodies, drawn, glass, lineWidth, count: (calls) => { this.statistics.calls += calls; } };
  }

  /** Offsets of the periodic images that are shown, the box itself first. @returns {Vec3[]} */
  shifts() {
    const { period } = this.drawn;
    /** @type {Vec3[]} */
    let shifts = [[0, 0, 0]];
    if (!this.images) return shifts;
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

  /** @param {Pass} pass */
  drawSolids(pass) {
    for (const shift of this.shifts()) {
      pass.drawn.shift = shift;
      this.scene.draw(pass);
    }
    pass.drawn.shift = [0, 0, 0];
  }

  /** @param {ShadowMap} map @param {Vec3} towards */
  drawShadow(map, towards) {
    const { gl } = this;
    gl.enable(gl.DEPTH_TEST);
    map.render(towards, this.ball, (view, size) => {
      this.view.use(view, size, size, this.cuts);
      this.drawSolids(this.pass(false));
    });
  }

  /** One picture: light of many directions while sampled, a quick guess otherwise. @param {boolean} sampled @param {number} number of the sample */
  drawOnce(sampled, number) {
    const { gl, buffers, camera, drawn } = this;
    drawn.sample = sampled ? number : 0;
    const lampAt = sampled ? lampSample(drawn.lamp, number) : drawn.lamp;
    const skyAt = skySample(number % Math.max(this.samples, 1), Math.max(this.samples, 1));
    if (this.shadows) {
      // While only the camera moves, the shadows stay where they are.
      if (sampled || this.shadowKey !== this.drawnShadowKey) this.drawShadow(this.lampMap, lampAt);
      this.drawnShadowKey = sampled ? "" : this.shadowKey;
      if (sampled) this.drawShadow(this.skyMap, skyAt);
    } else if (this.drawnShadowKey !== NO_SHADOWS) {
      for (const map of [this.lampMap, this.skyMap]) map.render(drawn.lamp, this.ball, () => {});
      this.drawnShadowKey = NO_SHADOWS;
    }
    const point = evenPoint(number);
    const matrices = camera.matrices(buffers.width, buffers.height, sampled ? [point[0] - 0.5, point[1] - 0.5] : [0, 0]);
    this.view.use(matrices, buffers.width, buffers.height, this.cuts);
    gl.bindFramebuffer(gl.FRAMEBUFFER, buffers.surfaceTarget);
    gl.viewport(0, 0, buffers.width, buffers.height);
    gl.enable(gl.DEPTH_TEST);
    gl.clearBufferfv(gl.COLOR, 0, [0, 0, 0, 0]);
    gl.clearBufferfv(gl.COLOR, 1, [0.5, 0.5, 1, 0]);
    gl.clearBufferuiv(gl.COLOR, 2, [0, 0, 0, 0]);
    gl.clearBufferfv(gl.DEPTH, 0, [1]);
    const pass = this.pass(false);
    this.drawSolids(pass);
    this.scene.planes.draw(pass);
    this.marks.draw(pass);
    const light = this.light(matrices, lampAt, skyAt, sampled);
    buffers.choose(sampled);
    if (!sampled) this.shading.occlude(buffers, light);
    this.shading.draw(buffers, light);
    this.drawGlass();
  }

  drawGlass() {
    const { gl, buffers } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, buffers.glassTarget);
    gl.viewport(0, 0, buffers.width, buffers.height);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    const pass = this.pass(true);
    this.scene.draw(pass);
    this.scene.edges.draw(pass);
    this.lines.draw(pass);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  /** @param {any} matrices @param {Vec3} lampAt @param {Vec3} skyAt @param {boolean} sampled @returns {Light} */
  light(matrices, lampAt, skyAt, sampled) {
    const { look } = this.recording.info ?? { look: { sky: NIGHT.sky, ground: NIGHT.ground } };
    const { sky, ground } = this.dark ? NIGHT : look;
    const plane = this.scene.groundPlane(this.recording.frame(0));
    const { height } = this.buffers;
    const half = matrices.half;
    return {
      worldFromClip: inverse(matrices.clipFromWorld),
      eye: matrices.eye,
      forward: matrices.forward,
      flat: matrices.flat,
      reach: this.scene.grain,
      pixels: (0.5 * height) / half,
      lampMap: this.lampMap,
      skyMap: this.skyMap,
      lamp: this.drawn.lamp,
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

  /** Ground and lines of it by day and night. @param {boolean} dark */
  setDark(dark) {
    this.dark = dark;
    // At night the lines are lighter than the ground.
    this.drawn.lineStrength = dark ? -0.35 : 0.1;
    this.touch();
  }

  get groundHex() {
    return this.dark ? NIGHT.ground : (this.recording.info?.look.ground ?? NIGHT.ground);
  }

  /**
   * Draws to the screen. While nothing moves each call adds a sample.
   * @param {boolean} moving
   */
  draw(moving) {
    const begun = performance.now();
    this.statistics.calls = 0;
    // What was sent to the card since the last picture.
    this.statistics.bytes = this.bodies.uploaded;
    this.bodies.uploaded = 0;
    if (moving || !this.isFresh) {
      this.drawOnce(false, 0);
      this.gatheredCount = 0;
      this.isFresh = true;
    }
    if (!moving && this.unfinished) this.addSample();
    this.show(null);
    this.statistics.milliseconds = performance.now() - begun;
    this.statistics.samples = this.gatheredCount;
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
    const { gl, buffers } = this;
    if (x < 0 || y < 0 || x >= buffers.width || y >= buffers.height) return 0;
    gl.bindFramebuffer(gl.FRAMEBUFFER, buffers.surfaceTarget);
    gl.readBuffer(gl.COLOR_ATTACHMENT2);
    const id = new Uint32Array(4);
    gl.readPixels(Math.floor(x), buffers.height - 1 - Math.floor(y), 1, 1, gl.RGBA_INTEGER, gl.UNSIGNED_INT, id);
    gl.readBuffer(gl.COLOR_ATTACHMENT0);
    return id[0];
  }

  /** The numbers of all pixels, from the lower left; for tests and for finding what is in a region. */
  allIds() {
    const { gl, buffers } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, buffers.surfaceTarget);
    gl.readBuffer(gl.COLOR_ATTACHMENT2);
    const rgba = new Uint32Array(4 * buffers.width * buffers.height);
    gl.readPixels(0, 0, buffers.width, buffers.height, gl.RGBA_INTEGER, gl.UNSIGNED_INT, rgba);
    gl.readBuffer(gl.COLOR_ATTACHMENT0);
    return rgba.filter((_, k) => k % 4 === 0);
  }

  /** What is shown, as pixels from the upper left. */
  pixels() {
    const { gl, buffers } = this;
    const { width, height } = buffers;
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA8, width, height);
    const target = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, target);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    this.show(target);
    const bottomUp = new Uint8Array(4 * width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, bottomUp);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.deleteFramebuffer(target);
    gl.deleteTexture(texture);
    const image = new ImageData(width, height);
    for (let y = 0; y < height; y += 1) {
      image.data.set(bottomUp.subarray(4 * width * (height - 1 - y), 4 * width * (height - y)), 4 * width * y);
    }
    return image;
  }

  /** Where a pixel's ray meets a plane, or null. @param {number} x @param {number} y px @param {Vec3} point @param {Vec3} normal */
  meetPlane(x, y, point, normal) {
    const { width, height } = this.buffers;
    const ray = this.camera.ray((2 * x) / width - 1, 1 - (2 * y) / height, width / height);
    const speed = dot(ray.direction, normal);
    if (Math.abs(speed) < 1e-9) return null;
    return along(ray.origin, ray.direction, dot(sub(point, ray.origin), normal) / speed);
  }
}
