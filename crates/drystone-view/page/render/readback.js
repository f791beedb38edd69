// What is in the picture, read back from the card: numbers of bodies, and pixels.

/** @typedef {import("./renderer.js").Renderer} Renderer */

/** Words that a number of a pixel takes when it is read: one, or four on cards that can do no better. @param {Renderer} renderer */
function wordsEach(renderer) {
  const { gl } = renderer;
  // Asked once: the answer waits for all that the card has to do.
  if (renderer.idWords === 0) {
    const own = [gl.getParameter(gl.IMPLEMENTATION_COLOR_READ_FORMAT), gl.getParameter(gl.IMPLEMENTATION_COLOR_READ_TYPE)];
    renderer.idWords = own[0] === gl.RED_INTEGER && own[1] === gl.UNSIGNED_INT ? 1 : 4;
  }
  return renderer.idWords;
}

/** Numbers of what is drawn in a part of the picture. @param {Renderer} renderer @param {number} x @param {number} y from the lower left @param {number} width @param {number} height */
function readIds(renderer, x, y, width, height) {
  const { gl, buffers } = renderer;
  gl.bindFramebuffer(gl.FRAMEBUFFER, buffers.surfaceTarget);
  gl.readBuffer(gl.COLOR_ATTACHMENT2);
  const words = wordsEach(renderer);
  const ids = new Uint32Array(words * width * height);
  gl.readPixels(x, y, width, height, words === 1 ? gl.RED_INTEGER : gl.RGBA_INTEGER, gl.UNSIGNED_INT, ids);
  gl.readBuffer(gl.COLOR_ATTACHMENT0);
  return words === 1 ? ids : ids.filter((_, k) => k % words === 0);
}

/** The number of what is drawn at a pixel, 0 for nothing. @param {Renderer} renderer @param {number} x @param {number} y from the upper left */
export function idAt(renderer, x, y) {
  const { width, height } = renderer.buffers;
  if (x < 0 || y < 0 || x >= width || y >= height) return 0;
  return readIds(renderer, Math.floor(x), height - 1 - Math.floor(y), 1, 1)[0];
}

/** The numbers of all pixels, from the lower left. @param {Renderer} renderer */
export function allIds(renderer) {
  return readIds(renderer, 0, 0, renderer.buffers.width, renderer.buffers.height);
}

/** What is shown, as pixels from the upper left. @param {Renderer} renderer */
export function pixelsOf(renderer) {
  const { gl, buffers } = renderer;
  const { width, height } = buffers;
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA8, width, height);
  const target = gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, target);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
  renderer.show(target);
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

/** Numbers of one pixel in four of a picture, read without waiting for the card: they come with one of the next pictures. */
export class FewIds {
  /** @param {Renderer} renderer */
  constructor(renderer) {
    this.renderer = renderer;
    /** What is on its way. @type {{ sync: WebGLSync | null, buffer: WebGLBuffer, count: number } | null} */
    this.asked = null;
  }

  /** Asks for those of the picture, unless others are on their way. */
  ask() {
    if (this.asked !== null) return;
    const { renderer, renderer: { gl, buffers } } = this;
    const { openWidth: width, openHeight: height } = buffers;
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, buffers.surfaceTarget);
    gl.readBuffer(gl.COLOR_ATTACHMENT2);
    gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, buffers.fewIdsTarget);
    gl.blitFramebuffer(0, 0, buffers.width, buffers.height, 0, 0, width, height, gl.COLOR_BUFFER_BIT, gl.NEAREST);
    gl.readBuffer(gl.COLOR_ATTACHMENT0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, buffers.fewIdsTarget);
    const words = wordsEach(renderer);
    const count = words * width * height;
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, buffer);
    gl.bufferData(gl.PIXEL_PACK_BUFFER, 4 * count, gl.STREAM_READ);
    gl.readPixels(0, 0, width, height, words === 1 ? gl.RED_INTEGER : gl.RGBA_INTEGER, gl.UNSIGNED_INT, 0);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
    this.asked = { sync: gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0), buffer, count };
  }

  /** What has come, if anything. @returns {Uint32Array | null} */
  take() {
    const { asked, renderer: { gl, idWords } } = this;
    if (asked === null || asked.sync === null || gl.clientWaitSync(asked.sync, 0, 0) === gl.TIMEOUT_EXPIRED) return null;
    const ids = new Uint32Array(asked.count);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, asked.buffer);
    gl.getBufferSubData(gl.PIXEL_PACK_BUFFER, 0, ids);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
    this.forget();
    return idWords === 1 ? ids : ids.filter((_, k) => k % idWords === 0);
  }

  /** What is on its way is of no use any more. */
  forget() {
    const { asked, renderer: { gl } } = this;
    this.asked = null;
    if (asked === null) return;
    gl.deleteSync(asked.sync);
    gl.deleteBuffer(asked.buffer);
  }
}
