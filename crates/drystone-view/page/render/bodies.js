// Poses, colours and values of all bodies as textures: uploaded as they come, interpolated by the shaders.

import { TEXTURE_WIDTH, bindTexture, makeTexture } from "./gl.js";

/** @typedef {import("./gl.js").GL} GL */
/** @typedef {import("../worker.js").Frame} Frame */

/** Frames kept on the graphics card: those on both sides of the playhead, and one to come. */
const SLOTS = 3;

/** @typedef {{ frame: number, values: string, position: WebGLTexture, rotation: WebGLTexture, value: WebGLTexture, used: number }} Slot */

export class BodyTextures {
  /** @param {GL} gl @param {number} count of bodies @param {boolean} turning whether it shows that moving bodies turn: not of balls */
  constructor(gl, count, turning) {
    this.gl = gl;
    this.count = count;
    this.turning = turning;
    this.rows = Math.max(1, Math.ceil(count / TEXTURE_WIDTH));
    this.clock = 0;
    /** Bytes sent since the last look. */
    this.uploaded = 0;
    /** Rotations of all frames, where none shows. */
    this.still = turning ? null : this.make(gl.RGBA16I);
    this.hasStill = false;
    /** @type {Slot[]} */
    this.slots = Array.from({ length: SLOTS }, () => ({
      frame: -1,
      values: "",
      position: this.make(gl.RGB32F),
      rotation: this.still ?? this.make(gl.RGBA16I),
      value: this.make(gl.R32F),
      used: 0,
    }));
    this.looks = this.make(gl.RGBA8UI);
    this.flags = this.make(gl.R8UI);
    this.map = makeTexture(gl, gl.SRGB8_ALPHA8, 256, 1, gl.LINEAR);
    this.a = this.slots[0];
    this.b = this.slots[0];
  }

  /** @param {number} format */
  make(format) {
    return makeTexture(this.gl, format, TEXTURE_WIDTH, this.rows);
  }

  /**
   * The slot of a frame, filled if need be.
   * @param {number} number @param {Frame} frame
   * @param {Float32Array | null} values @param {string} version of the values
   */
  slot(number, frame, values, version) {
    const { gl } = this;
    this.clock += 1;
    let slot = this.slots.find((s) => s.frame === number);
    if (slot === undefined) {
      slot = this.slots.reduce((oldest, s) => (s.used < oldest.used ? s : oldest));
      slot.frame = number;
      this.fill(slot.position, gl.RGB, gl.FLOAT, frame.position, 3);
      if (this.turning || !this.hasStill) this.fill(slot.rotation, gl.RGBA_INTEGER, gl.SHORT, frame.rotation, 4);
      this.hasStill = true;
    }
    if (values !== null && slot.values !== version) {
      slot.values = version;
      this.fill(slot.value, gl.RED, gl.FLOAT, values, 1);
    }
    slot.used = this.clock;
    return slot;
  }

  /** What is on the card is out of date. */
  forget() {
    for (const slot of this.slots) slot.frame = -1;
  }

  /**
   * @param {WebGLTexture} texture @param {number} format @param {number} type
   * @param {Float32Array | Int16Array | Uint8Array} data @param {number} components
   */
  fill(texture, format, type, data, components) {
    const { gl, count } = this;
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    const whole = Math.floor(count / TEXTURE_WIDTH);
    const rest = count - whole * TEXTURE_WIDTH;
    if (whole > 0) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, TEXTURE_WIDTH, whole, format, type, data, 0);
    if (rest > 0) {
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, whole, rest, 1, format, type, data, whole * TEXTURE_WIDTH * components);
    }
    this.uploaded += data.byteLength;
  }

  /** @param {Uint8Array} looks red, green, blue, opacity @param {Uint8Array} flags */
  setLooks(looks, flags) {
    const { gl } = this;
    this.fill(this.looks, gl.RGBA_INTEGER, gl.UNSIGNED_BYTE, looks, 4);
    this.fill(this.flags, gl.RED_INTEGER, gl.UNSIGNED_BYTE, flags, 1);
  }

  /** @param {Uint8Array} rgb 256 colours */
  setMap(rgb) {
    const { gl } = this;
    const rgba = new Uint8Array(1024);
    for (let k = 0; k < 256; k += 1) rgba.set([rgb[3 * k], rgb[3 * k + 1], rgb[3 * k + 2], 255], 4 * k);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.map);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 256, 1, gl.RGBA, gl.UNSIGNED_BYTE, rgba);
  }

  /** Textures and uniforms of a program that draws bodies. @param {import("./gl.js").Program} program @param {import("./renderer.js").Drawn} drawn */
  bind(program, drawn) {
    const { gl } = this;
    const textures = [
      ["positionA", this.a.position], ["positionB", this.b.position],
      ["rotationA", this.a.rotation], ["rotationB", this.b.rotation],
      ["valueA", this.a.value], ["valueB", this.b.value],
      ["looks", this.looks], ["flagsOf", this.flags], ["colorMap", this.map],
    ];
    textures.forEach(([name, texture], unit) => {
      bindTexture(gl, program, /** @type {string} */ (name), unit, /** @type {WebGLTexture} */ (texture));
    });
    gl.uniform1f(program.at("blend"), drawn.blend);
    gl.uniform3fv(program.at("period"), drawn.period);
    gl.uniform3fv(program.at("shiftBy"), drawn.shift);
    gl.uniform4f(program.at("mapRange"), drawn.range[0], drawn.range[1], drawn.log ? 1 : 0, 0);
    gl.uniform1ui(program.at("wantedFlags"), drawn.wanted);
    gl.uniform1f(program.at("sampleNumber"), drawn.sample);
    gl.uniform3fv(program.at("lamp"), drawn.lamp);
  }
}
