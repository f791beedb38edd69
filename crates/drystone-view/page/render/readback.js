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

/**
 * Numbers of bodies in a part of a picture, from the lower left.
 * @param {Renderer} renderer @param {WebGLFramebuffer} target @param {number} attachment in which it has them
 * @param {number} x @param {number} y @param {number} width @param {number} height
 */
function read(renderer, target, attachment, x, y, width, height) {
  const { gl } = renderer;
  gl.bindFramebuffer(gl.FRAMEBUFFER, target);
  gl.readBuffer(gl.COLOR_ATTACHMENT0 + attachment);
  const words = wordsEach(renderer);
  const ids = new Uint32Array(words * width * height);
  gl.readPixels(x, y, width, height, words === 1 ? gl.RED_INTEGER : gl.RGBA_INTEGER, gl.UNSIGNED_INT, ids);
  gl.readBuffer(gl.COLOR_ATTACHMENT0);
  return words === 1 ? ids : ids.filter((_, k) => k % words === 0);
}

/** Numbers of what is drawn in a part of the picture. @param {Renderer} renderer @param {number} x @param {number} y from the lower left @param {number} width @param {number} height */
function readIds(renderer, x, y, width, height) {
  return read(renderer, renderer.buffers.surfaceTarget, 2, x, y, width, height);
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

/** Keeps the numbers of one pixel in four of the picture, for `fewIds`. @param {Renderer} renderer */
export function keepFewIds({ gl, buffers }) {
  gl.bindFramebuffer(gl.READ_FRAMEBUFFER, buffers.surfaceTarget);
  gl.readBuffer(gl.COLOR_ATTACHMENT2);
  gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, buffers.fewIdsTarget);
  gl.blitFramebuffer(0, 0, buffers.width, buffers.height, 0, 0, buffers.openWidth, buffers.openHeight, gl.COLOR_BUFFER_BIT, gl.NEAREST);
  gl.readBuffer(gl.COLOR_ATTACHMENT0);
  buffers.hasFewIds = true;
}

/** What was kept of the last picture, if anything. By the time of the next picture the card has drawn it: nobody waits. @param {Renderer} renderer */
export function fewIds(renderer) {
  const { buffers } = renderer;
  if (!buffers.hasFewIds) return null;
  return read(renderer, buffers.fewIdsTarget, 0, 0, 0, buffers.openWidth, buffers.openHeight);
}
