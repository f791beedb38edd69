// What is in the picture, read back from the card: numbers of bodies, and pixels.

/** @typedef {import("./renderer.js").Renderer} Renderer */

/** Numbers of what is drawn in a part of the picture. @param {Renderer} renderer @param {number} x @param {number} y from the lower left @param {number} width @param {number} height */
function readIds({ gl, buffers }, x, y, width, height) {
  gl.bindFramebuffer(gl.FRAMEBUFFER, buffers.surfaceTarget);
  gl.readBuffer(gl.COLOR_ATTACHMENT2);
  const rgba = new Uint32Array(4 * width * height);
  gl.readPixels(x, y, width, height, gl.RGBA_INTEGER, gl.UNSIGNED_INT, rgba);
  gl.readBuffer(gl.COLOR_ATTACHMENT0);
  const ids = new Uint32Array(width * height);
  for (let k = 0; k < ids.length; k += 1) ids[k] = rgba[4 * k];
  return ids;
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
