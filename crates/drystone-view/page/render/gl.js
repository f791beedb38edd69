// Programs, textures and framebuffers of WebGL 2.

/** Width of the textures that hold a value a body. */
export const TEXTURE_WIDTH = 2048;

/** @typedef {WebGL2RenderingContext} GL */

/** What a canvas is drawn with; null where the browser does not draw in three dimensions. @param {HTMLCanvasElement} canvas @returns {GL | null} */
export function contextOf(canvas) {
  return canvas.getContext("webgl2", { antialias: false, alpha: false, depth: false, powerPreference: "high-performance" });
}

/**
 * @typedef {object} Program
 * @property {WebGLProgram} handle
 * @property {(name: string) => WebGLUniformLocation | null} at
 */

/** Where the block of camera and cuts is bound. */
const VIEW_BINDING = 0;

/** A program, made when it is first used: many scenes need few of them, and making one takes a while. @param {GL} gl @param {string} name for messages @param {string} vertex @param {string} fragment @returns {Program} */
export function makeProgram(gl, name, vertex, fragment) {
  /** @type {WebGLProgram | null} */
  let made = null;
  /** @type {Map<string, WebGLUniformLocation | null>} */
  const places = new Map();
  return {
    get handle() {
      made ??= linkProgram(gl, name, vertex, fragment);
      return made;
    },
    at(uniform) {
      let place = places.get(uniform);
      if (place === undefined) {
        place = gl.getUniformLocation(this.handle, uniform);
        places.set(uniform, place);
      }
      return place;
    },
  };
}

/** @param {GL} gl @param {string} name @param {string} vertex @param {string} fragment */
function linkProgram(gl, name, vertex, fragment) {
  const handle = gl.createProgram();
  const stages = [
    compile(gl, name, gl.VERTEX_SHADER, vertex),
    compile(gl, name, gl.FRAGMENT_SHADER, fragment),
  ];
  for (const stage of stages) gl.attachShader(handle, stage);
  gl.linkProgram(handle);
  if (!gl.getProgramParameter(handle, gl.LINK_STATUS) && !gl.isContextLost()) {
    throw new Error(`shader ${name}: ${gl.getProgramInfoLog(handle)}`);
  }
  for (const stage of stages) gl.deleteShader(stage);
  const block = gl.getUniformBlockIndex(handle, "View");
  if (block !== gl.INVALID_INDEX) gl.uniformBlockBinding(handle, block, VIEW_BINDING);
  return handle;
}

/** @param {GL} gl @param {string} name @param {number} type @param {string} text */
function compile(gl, name, type, text) {
  const shader = gl.createShader(type);
  if (shader === null) throw new Error("the graphics context is lost");
  gl.shaderSource(shader, `#version 300 es\nprecision highp float;\nprecision highp int;\n${text}`);
  gl.compileShader(shader);
  if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) {
    throw new Error(`shader ${name}: ${gl.getShaderInfoLog(shader)}`);
  }
  return shader;
}

/**
 * @param {GL} gl @param {number} format such as gl.RGBA8 @param {number} width @param {number} height
 * @param {number} [filter]
 */
export function makeTexture(gl, format, width, height, filter = gl.NEAREST) {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texStorage2D(gl.TEXTURE_2D, 1, format, Math.max(width, 1), Math.max(height, 1));
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, filter);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
  return texture;
}

/** A depth texture that compares, for shadows. @param {GL} gl @param {number} size */
export function makeShadowTexture(gl, size) {
  const texture = makeTexture(gl, gl.DEPTH_COMPONENT24, size, size, gl.LINEAR);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL);
  return texture;
}

/** @param {GL} gl @param {(WebGLTexture | null)[]} colors @param {WebGLTexture | null} depth */
export function makeTarget(gl, colors, depth) {
  const target = gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, target);
  colors.forEach((texture, k) => {
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0 + k, gl.TEXTURE_2D, texture, 0);
  });
  if (depth !== null) {
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, depth, 0);
  }
  gl.drawBuffers(colors.length > 0 ? colors.map((_, k) => gl.COLOR_ATTACHMENT0 + k) : [gl.NONE]);
  const status = gl.checkFramebufferStatus(gl.FRAMEBUFFER);
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  if (status !== gl.FRAMEBUFFER_COMPLETE && !gl.isContextLost()) {
    throw new Error(`a framebuffer is not complete (status ${status})`);
  }
  return target;
}

/** @param {GL} gl @param {Program} program @param {string} name @param {number} unit @param {WebGLTexture | null} texture */
export function bindTexture(gl, program, name, unit, texture) {
  gl.activeTexture(gl.TEXTURE0 + unit);
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.uniform1i(program.at(name), unit);
}

/**
 * The block that all shaders share: matrix, eye, axes, cuts.
 */
export class ViewBlock {
  /** @param {GL} gl */
  constructor(gl) {
    this.gl = gl;
    this.data = new Float32Array(48);
    this.buffer = gl.createBuffer();
    gl.bindBuffer(gl.UNIFORM_BUFFER, this.buffer);
    gl.bufferData(gl.UNIFORM_BUFFER, this.data.byteLength, gl.DYNAMIC_DRAW);
  }

  /**
   * @param {{ clipFromWorld: ArrayLike<number>, eye: ArrayLike<number>, right: ArrayLike<number>,
   *   up: ArrayLike<number>, forward: ArrayLike<number>, flat: boolean, half: number, jitter?: [number, number] }} view
   * @param {number} width @param {number} height px
   * @param {import("../recording.js").ClipPlane[]} cuts
   */
  use(view, width, height, cuts) {
    const { data, gl } = this;
    data.set(view.clipFromWorld, 0);
    data.set([...Array.from(view.eye), view.flat ? 0 : 1], 16);
    data.set([...Array.from(view.forward), view.half], 20);
    data.set([...Array.from(view.right), width], 24);
    data.set([...Array.from(view.up), height], 28);
    for (let k = 0; k < 3; k += 1) {
      const cut = cuts[k];
      const offset = cut ? cut.normal[0] * cut.point[0] + cut.normal[1] * cut.point[1] + cut.normal[2] * cut.point[2] : 1;
      data.set([...(cut ? cut.normal : [0, 0, 0]), offset], 32 + 4 * k);
    }
    data.set([...(view.jitter ?? [0, 0]), Math.min(cuts.length, 3)], 44);
    gl.bindBuffer(gl.UNIFORM_BUFFER, this.buffer);
    gl.bufferSubData(gl.UNIFORM_BUFFER, 0, data);
    gl.bindBufferBase(gl.UNIFORM_BUFFER, VIEW_BINDING, this.buffer);
  }
}
