// The pictures that a frame is made of on its way to the screen.

import { makeTarget, makeTexture } from "./gl.js";

/** @typedef {import("./gl.js").GL} GL */

export class PictureBuffers {
  /**
   * @param {GL} gl @param {number} width @param {number} height
   * @param {number} gatherFormat of the mean of samples; 0 where the card cannot gather
   */
  constructor(gl, width, height, gatherFormat) {
    this.gl = gl;
    this.width = width;
    this.height = height;
    this.openWidth = Math.ceil(width / 2);
    this.openHeight = Math.ceil(height / 2);
    // What surfaces write.
    this.color = makeTexture(gl, gl.SRGB8_ALPHA8, width, height);
    this.normal = makeTexture(gl, gl.RGB10_A2, width, height);
    this.id = makeTexture(gl, gl.R32UI, width, height);
    this.depth = makeTexture(gl, gl.DEPTH_COMPONENT32F, width, height);
    this.surfaceTarget = makeTarget(gl, [this.color, this.normal, this.id], this.depth);
    // One number in four, to be read back.
    this.fewIds = makeTexture(gl, gl.R32UI, this.openWidth, this.openHeight);
    this.fewIdsTarget = makeTarget(gl, [this.fewIds], null);
    this.fewIdsBytes = gl.createBuffer();
    /** Tells when they can be read; null where nobody has asked for them. @type {WebGLSync | null} */
    this.fewIdsDone = null;
    // How open to the sky they are, at half the size.
    this.open = makeTexture(gl, gl.R8, this.openWidth, this.openHeight, gl.LINEAR);
    this.openTarget = makeTarget(gl, [this.open], null);
    this.blurred = makeTexture(gl, gl.R8, this.openWidth, this.openHeight, gl.LINEAR);
    this.blurTarget = makeTarget(gl, [this.blurred], null);
    // The lit picture: while things move, and a sample while they rest.
    this.moving = makeTexture(gl, gl.SRGB8_ALPHA8, width, height, gl.LINEAR);
    this.shade = makeTexture(gl, gatherFormat === 0 ? gl.SRGB8_ALPHA8 : gl.RGBA16F, width, height);
    this.movingTargets = this.pair(this.moving);
    this.sampleTargets = this.pair(this.shade);
    this.shadeTarget = this.movingTargets[0];
    this.glassTarget = this.movingTargets[1];
    // Their mean.
    this.gathered = gatherFormat === 0 ? this.moving : makeTexture(gl, gatherFormat, width, height);
    this.gatherTarget = gatherFormat === 0 ? null : makeTarget(gl, [this.gathered], null);
  }

  /** Without depth, for light computed from it, and with, for glass before and behind. @param {WebGLTexture} texture */
  pair(texture) {
    return [makeTarget(this.gl, [texture], null), makeTarget(this.gl, [texture], this.depth)];
  }

  /** What was asked for is of no use any more. */
  forgetFewIds() {
    this.gl.deleteSync(this.fewIdsDone);
    this.fewIdsDone = null;
  }

  /** @param {boolean} sampled */
  choose(sampled) {
    const targets = sampled ? this.sampleTargets : this.movingTargets;
    this.shadeTarget = targets[0];
    this.glassTarget = targets[1];
  }

  delete() {
    const { gl } = this;
    this.forgetFewIds();
    gl.deleteBuffer(this.fewIdsBytes);
    for (const texture of [this.color, this.normal, this.id, this.depth, this.fewIds, this.open, this.blurred, this.moving, this.shade]) {
      gl.deleteTexture(texture);
    }
    if (this.gatherTarget !== null) gl.deleteTexture(this.gathered);
    const targets = [this.surfaceTarget, this.fewIdsTarget, this.openTarget, this.blurTarget, this.gatherTarget];
    for (const target of [...targets, ...this.movingTargets, ...this.sampleTargets]) gl.deleteFramebuffer(target);
  }
}
