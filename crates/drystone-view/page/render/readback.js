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

/** @param {import("./gl.js").GL} gl @param {number} words of a number */
function formatOf(gl, words) {
  return words === 1 ? gl.RED_INTEGER : gl.RGBA_INTEGER;
}

/** @param {Uint32Array} ids @param {number} words of each */
function firstWords(ids, words) {
  return words === 1 ? ids : ids.filter((_, k) => k % words === 0);
}

/** Numbers of what is drawn in a part of the picture. @param {Renderer} renderer @param {number} x @param {number} y from the lower left @param {number} width @param {number} height */
function readIds(renderer, x, y, width, height) {
  const { gl } = renderer;
  gl.bindFramebuffer(gl.FRAMEBUFFER, renderer.buffers.surfaceTarget);
  gl.readBuffer(gl.COLOR_ATTACHMENT2);
  const words = wordsEach(renderer);
  const ids = new Uint32Array(words * width * height);
  gl.readPixels(x, y, width, height, formatOf(gl, words), gl.UNSIGNED_INT, ids);
  gl.readBuffer(gl.COLOR_ATTACHMENT0);
  return firstWords(ids, words);
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

/** Asks for the numbers of one pixel in four of the picture, for `fewIds`. @param {Renderer} renderer */
export function askFewIds(renderer) {
  const { gl, buffers } = renderer;
  const { openWidth, openHeight } = buffers;
  gl.bindFramebuffer(gl.READ_FRAMEBUFFER, buffers.surfaceTarget);
  gl.readBuffer(gl.COLOR_ATTACHMENT2);
  gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, buffers.fewIdsTarget);
  gl.blitFramebuffer(0, 0, buffers.width, buffers.height, 0, 0, openWidth, openHeight, gl.COLOR_BUFFER_BIT, gl.NEAREST);
  gl.readBuffer(gl.COLOR_ATTACHMENT0);
  gl.bindFramebuffer(gl.FRAMEBUFFER, buffers.fewIdsTarget);
  const words = wordsEach(renderer);
  gl.bindBuffer(gl.PIXEL_PACK_BUFFER, buffers.fewIdsBytes);
  gl.bufferData(gl.PIXEL_PACK_BUFFER, 4 * words * openWidth * openHeight, gl.STREAM_READ);
  gl.readPixels(0, 0, openWidth, openHeight, formatOf(gl, words), gl.UNSIGNED_INT, 0);
  gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
  buffers.fewIdsDone = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
  gl.flush();
}

/** What was asked for, once the card has drawn it; null before. Where the processor draws, reading it waits for what has come since. @param {Renderer} renderer */
export function fewIds(renderer) {
  const { gl, buffers } = renderer;
  const { fewIdsDone } = buffers;
  if (fewIdsDone === null || gl.getSyncParameter(fewIdsDone, gl.SYNC_STATUS) !== gl.SIGNALED) return null;
  buffers.forgetFewIds();
  const words = wordsEach(renderer);
  const ids = new Uint32Array(words * buffers.openWidth * buffers.openHeight);
  gl.bindBuffer(gl.PIXEL_PACK_BUFFER, buffers.fewIdsBytes);
  gl.getBufferSubData(gl.PIXEL_PACK_BUFFER, 0, ids);
  gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
  return firstWords(ids, words);
}
