// Lists of instances on the graphics card: whose body each is, and some numbers of its own.

/** @typedef {import("./gl.js").GL} GL */

/** Instances that a list has room for at first; it doubles as it grows. */
const FIRST_ROOM = 64;

/**
 * Says where the numbers of instances lie in the buffer that is bound.
 * @param {GL} gl @param {number[]} sizes of the attributes, in floats, from location 1 on
 * @param {number} stride bytes @param {number} divisor 1 where each instance has one, 0 where each corner has
 */
export function pointFloats(gl, sizes, stride, divisor) {
  sizes.reduce((at, size, k) => {
    gl.enableVertexAttribArray(k + 1);
    gl.vertexAttribPointer(k + 1, size, gl.FLOAT, false, stride, at);
    gl.vertexAttribDivisor(k + 1, divisor);
    return at + 4 * size;
  }, 0);
}

/** Sends numbers of bodies to the card, as an attribute. @param {GL} gl @param {Uint32Array} owners @param {number} location @param {number} divisor */
export function sendOwners(gl, owners, location, divisor) {
  const buffer = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, owners, gl.STATIC_DRAW);
  pointOwners(gl, location, divisor);
  return buffer;
}

/** @param {GL} gl @param {number} location @param {number} divisor */
function pointOwners(gl, location, divisor) {
  gl.enableVertexAttribArray(location);
  gl.vertexAttribIPointer(location, 1, gl.UNSIGNED_INT, 0, 0);
  gl.vertexAttribDivisor(location, divisor);
}

/** Instances with the number of their body at location 0 and floats from location 1 on. */
export class InstanceList {
  /** @param {GL} gl @param {number[]} sizes of the attributes, in floats */
  constructor(gl, sizes) {
    this.gl = gl;
    this.sizes = sizes;
    this.floatsEach = sizes.reduce((sum, size) => sum + size, 0);
    this.count = 0;
    /** Whether one of them is of glass. */
    this.hasGlass = false;
    this.owners = new Uint32Array(FIRST_ROOM);
    this.floats = new Float32Array(FIRST_ROOM * this.floatsEach);
    this.array = gl.createVertexArray();
    this.ownerBuffer = gl.createBuffer();
    this.floatBuffer = gl.createBuffer();
    this.point(this.array, 1);
  }

  /** An array of attributes over the same buffers. @param {WebGLVertexArrayObject | null} array @param {number} divisor */
  point(array, divisor) {
    const { gl } = this;
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.ownerBuffer);
    pointOwners(gl, 0, divisor);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.floatBuffer);
    pointFloats(gl, this.sizes, 4 * this.floatsEach, divisor);
    gl.bindVertexArray(null);
  }

  /** @param {number} owner @param {boolean} glass @param {...number} floats */
  add(owner, glass, ...floats) {
    if (this.count === this.owners.length) this.grow();
    this.owners[this.count] = owner;
    const at = this.count * this.floatsEach;
    for (let k = 0; k < floats.length; k += 1) this.floats[at + k] = floats[k];
    this.count += 1;
    this.hasGlass = this.hasGlass || glass;
  }

  grow() {
    const [owners, floats] = [new Uint32Array(2 * this.owners.length), new Float32Array(2 * this.floats.length)];
    owners.set(this.owners);
    floats.set(this.floats);
    this.owners = owners;
    this.floats = floats;
  }

  clear() {
    this.count = 0;
  }

  /** Takes over an instance of another list of the same kind. @param {InstanceList} list @param {number} k */
  take(list, k) {
    if (this.count === this.owners.length) this.grow();
    const each = this.floatsEach;
    this.owners[this.count] = list.owners[k];
    // One by one: there may be a hundred thousand in a picture, and parts of arrays are objects of their own.
    for (let j = 0; j < each; j += 1) this.floats[this.count * each + j] = list.floats[k * each + j];
    this.count += 1;
  }

  /**
   * Puts them in an order without a pattern, always the same: any part of the list is then a fair
   * sample of it.
   */
  shuffle() {
    const { floatsEach: each, owners, floats } = this;
    const kept = new Float32Array(each);
    let seed = 1;
    for (let k = this.count - 1; k > 0; k -= 1) {
      // Numerical Recipes' generator of 32 bits; its high bits are the better ones.
      seed = (Math.imul(1664525, seed) + 1013904223) >>> 0;
      const j = Math.floor((seed / 4294967296) * (k + 1));
      [owners[k], owners[j]] = [owners[j], owners[k]];
      kept.set(floats.subarray(k * each, (k + 1) * each));
      floats.copyWithin(k * each, j * each, (j + 1) * each);
      floats.set(kept, j * each);
    }
  }

  /** Sends what was added to the card; bytes that it took. */
  send() {
    const { gl } = this;
    const owners = this.owners.subarray(0, this.count);
    const floats = this.floats.subarray(0, this.count * this.floatsEach);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.ownerBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, owners, gl.STATIC_DRAW);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.floatBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, floats, gl.STATIC_DRAW);
    return owners.byteLength + floats.byteLength;
  }
}
