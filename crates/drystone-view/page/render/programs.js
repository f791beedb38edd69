// Programs that draw bodies: for solid ones, and for those of glass, which show both of their sides.

import { makeProgram } from "./gl.js";

/** @typedef {import("./gl.js").GL} GL */
/** @typedef {import("./gl.js").Program} Program */
/** @typedef {import("./renderer.js").Pass} Pass */

/** Draws with a program from now on, and tells it of the bodies. @param {GL} gl @param {Program} program @param {Pass} pass */
export function useFor(gl, program, pass) {
  gl.useProgram(program.handle);
  pass.bodies.bind(program, pass.drawn);
}

/** Draws solid bodies once, glass where rays enter it and again where they leave it. @param {GL} gl @param {Program} program @param {Pass} pass @param {() => void} draw */
export function drawSides(gl, program, pass, draw) {
  for (let layer = 0; layer < (pass.glass ? 2 : 1); layer += 1) {
    gl.uniform1i(program.at("layer"), layer);
    draw();
  }
}

/** The two programs of a kind of shape. */
export class SolidAndGlass {
  /** @param {GL} gl @param {string} name for messages @param {string} vertex @param {string} solid @param {string} glass */
  constructor(gl, name, vertex, solid, glass) {
    this.gl = gl;
    this.solid = makeProgram(gl, name, vertex, solid);
    this.glass = makeProgram(gl, `glass ${name}`, vertex, glass);
  }

  /** The one that a pass needs, ready to draw. @param {Pass} pass */
  use(pass) {
    const program = pass.glass ? this.glass : this.solid;
    useFor(this.gl, program, pass);
    return program;
  }
}
