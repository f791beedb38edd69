// Marks in the picture that are no bodies: arrows, tubes, joints. Convex shapes whose poses come with them.

import { CONVEX_FRAGMENT, CONVEX_SIZES, CORNERS_GLSL, drawBoxes } from "./convex.js";
import { PAINT_OUT_GLSL, VIEW_GLSL } from "./common.js";
import { makeProgram } from "./gl.js";
import { pointFloats } from "./instances.js";

/** @typedef {import("./gl.js").GL} GL */

/** Floats of a mark, and bytes with its colour and number. */
const MARK_FLOATS = CONVEX_SIZES.reduce((sum, size) => sum + size, 0);
const MARK_BYTES = 4 * MARK_FLOATS + 8;

const MARK_VERTEX = `${VIEW_GLSL}${PAINT_OUT_GLSL}${CORNERS_GLSL}
layout(location = 4) in vec4 markColor; // linear
layout(location = 5) in uint markId;
void main() {
  paint = markColor;
  id = markId;
  place(localPlace, localRotation, localSize);
}`;

/** A growing list of marks with their poses: tubes, arrows, joints. */
export class MarkList {
  constructor() {
    this.count = 0;
    this.data = new ArrayBuffer(MARK_BYTES * 64);
    this.floats = new Float32Array(this.data);
    this.bytes = new Uint8Array(this.data);
    this.words = new Uint32Array(this.data);
  }

  clear() {
    this.count = 0;
  }

  /**
   * @param {ArrayLike<number>} place @param {ArrayLike<number>} rotation @param {ArrayLike<number>} size
   * @param {number} kind @param {ArrayLike<number>} color linear, from 0 to 1 @param {number} id
   */
  add(place, rotation, size, kind, color, id) {
    if ((this.count + 1) * MARK_BYTES > this.data.byteLength) this.grow();
    const at = (this.count * MARK_BYTES) / 4;
    this.floats.set([place[0], place[1], place[2], rotation[0], rotation[1], rotation[2], rotation[3], size[0], size[1], size[2], kind], at);
    const c = 4 * (at + MARK_FLOATS);
    for (let k = 0; k < 3; k += 1) this.bytes[c + k] = 255 * color[k] + 0.5;
    this.bytes[c + 3] = 255;
    this.words[at + MARK_FLOATS + 1] = id;
    this.count += 1;
  }

  grow() {
    const larger = new ArrayBuffer(2 * this.data.byteLength);
    new Uint8Array(larger).set(this.bytes);
    this.data = larger;
    this.floats = new Float32Array(larger);
    this.bytes = new Uint8Array(larger);
    this.words = new Uint32Array(larger);
  }
}

export class Marks {
  /** @param {GL} gl */
  constructor(gl) {
    this.gl = gl;
    this.program = makeProgram(gl, "marks", MARK_VERTEX, CONVEX_FRAGMENT);
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    this.count = 0;
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    pointFloats(gl, CONVEX_SIZES, MARK_BYTES, 1);
    gl.enableVertexAttribArray(4);
    gl.vertexAttribPointer(4, 4, gl.UNSIGNED_BYTE, true, MARK_BYTES, 4 * MARK_FLOATS);
    gl.vertexAttribDivisor(4, 1);
    gl.enableVertexAttribArray(5);
    gl.vertexAttribIPointer(5, 1, gl.UNSIGNED_INT, MARK_BYTES, 4 * MARK_FLOATS + 4);
    gl.vertexAttribDivisor(5, 1);
    gl.bindVertexArray(null);
  }

  /** @param {MarkList} list */
  set(list) {
    const { gl } = this;
    this.count = list.count;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, list.bytes.subarray(0, list.count * MARK_BYTES), gl.DYNAMIC_DRAW);
  }

  /** @param {import("./renderer.js").Pass} pass */
  draw(pass) {
    if (this.count === 0) return;
    const { gl } = this;
    gl.useProgram(this.program.handle);
    gl.uniform1i(this.program.at("plain"), 1);
    gl.uniform1f(this.program.at("sampleNumber"), pass.drawn.sample);
    gl.bindVertexArray(this.array);
    drawBoxes(gl, this.count, pass);
  }
}
