// Fetches and decodes resources, away from the thread that draws.
// One file without imports: a replay carries its text. The exports are for tests.

/** @typedef {{ shape: Uint32Array, group: Uint32Array, number: Uint32Array, material: Uint16Array,
 *   kind: Uint8Array, opacity: Uint8Array, color: Uint8Array, mass: Float32Array, size: Float32Array,
 *   reach: Float32Array }} Bodies */

/** @typedef {{ position: Float32Array, rotation: Int16Array, velocity: Float32Array,
 *   angular: Float32Array, enabled: Uint8Array, low: number[], high: number[], bytes: number }} Frame */

/** @typedef {{ count: number, first: Uint32Array, second: Uint32Array, point: Float32Array,
 *   normal: Float32Array, force: Float32Array, gap: Float32Array, torque: Float32Array | null, bytes: number }} Contacts */

/** @typedef {{ vertex: Float32Array, index: Uint32Array }} Mesh */

/** Where a body that takes no part is put: the shaders leave out what is beyond half of it. */
export const NOWHERE = 1e30;

const FLAG_QUANTISED = 1;
const FLAG_MOVING_ONLY = 2;
/** Of contacts. */
const FLAG_TORQUES = 1;
const HEAD_BYTES = 16;
const KIND_DYNAMIC = 0;
const KIND_FIXED = 1;

/** Reads the columns of a resource one after the other. */
export class ColumnReader {
  /** @param {ArrayBuffer} buffer @param {string} name for messages */
  constructor(buffer, name) {
    const head = new DataView(buffer);
    const letters = buffer.byteLength < HEAD_BYTES ? "" : String.fromCharCode(...new Uint8Array(buffer, 0, 4));
    if (letters !== "DRYV") {
      throw new Error(`${name}: expected a head that begins with DRYV, got ${buffer.byteLength} bytes without it`);
    }
    const version = head.getUint32(4, true);
    if (version !== 1) throw new Error(`${name}: version ${version}, this page reads version 1`);
    this.buffer = buffer;
    this.name = name;
    this.count = head.getUint32(8, true);
    this.flags = head.getUint32(12, true);
    this.at = HEAD_BYTES;
  }

  /**
   * The next column.
   * @template T
   * @param {{ new (buffer: ArrayBuffer, at: number, length: number): T, BYTES_PER_ELEMENT: number }} type
   * @param {number} length in numbers
   * @returns {T}
   */
  column(type, length) {
    const bytes = type.BYTES_PER_ELEMENT * length;
    if (this.at + bytes > this.buffer.byteLength) {
      throw new Error(`${this.name}: ends after ${this.buffer.byteLength} bytes, within a column that needs ${this.at + bytes}`);
    }
    const column = new type(this.buffer, this.at, length);
    this.at = Math.ceil((this.at + bytes) / 8) * 8;
    return column;
  }
}

/** @param {ArrayBuffer} buffer @returns {Bodies} */
export function decodeBodies(buffer) {
  const reader = new ColumnReader(buffer, "bodies.bin");
  const n = reader.count;
  return {
    shape: reader.column(Uint32Array, n),
    group: reader.column(Uint32Array, n),
    number: reader.column(Uint32Array, n),
    material: reader.column(Uint16Array, n),
    kind: reader.column(Uint8Array, n),
    opacity: reader.column(Uint8Array, n),
    color: reader.column(Uint8Array, 4 * n),
    mass: reader.column(Float32Array, n),
    size: reader.column(Float32Array, n),
    reach: reader.column(Float32Array, n),
  };
}

/** @param {ArrayBuffer} buffer @returns {Mesh} */
export function decodeMesh(buffer) {
  const reader = new ColumnReader(buffer, "mesh");
  const vertex = reader.column(Float32Array, 3 * reader.count);
  const triangles = reader.column(Uint32Array, 1)[0];
  return { vertex, index: reader.column(Uint32Array, 3 * triangles) };
}

/** @param {ArrayBuffer} buffer @returns {{ step: Float64Array, time: Float64Array }} */
export function decodeIndex(buffer) {
  const reader = new ColumnReader(buffer, "index.bin");
  const step = reader.column(Float64Array, reader.count);
  return { step, time: reader.column(Float64Array, reader.count) };
}

/** @param {ArrayBuffer} buffer @returns {Contacts} */
export function decodeContacts(buffer) {
  const reader = new ColumnReader(buffer, "contacts");
  const n = reader.count;
  return {
    count: n,
    first: reader.column(Uint32Array, n),
    second: reader.column(Uint32Array, n),
    point: reader.column(Float32Array, 3 * n),
    normal: reader.column(Float32Array, 3 * n),
    force: reader.column(Float32Array, 3 * n),
    gap: reader.column(Float32Array, n),
    torque: reader.flags & FLAG_TORQUES ? reader.column(Float32Array, 3 * n) : null,
    bytes: buffer.byteLength,
  };
}

/** Steps of whole numbers to metres, per axis or alike. @param {ArrayLike<number>} whole @param {ArrayLike<number>} low @param {ArrayLike<number>} step */
function fromSteps(whole, low, step) {
  const out = new Float32Array(whole.length);
  for (let k = 0; k < whole.length; k += 1) out[k] = low[k % 3] + step[k % 3] * whole[k];
  return out;
}

/** The columns of a frame as they are stored. @param {ColumnReader} reader */
function frameColumns(reader) {
  const n = reader.count;
  if ((reader.flags & FLAG_QUANTISED) === 0) {
    return {
      position: reader.column(Float32Array, 3 * n),
      rotation: reader.column(Int16Array, 4 * n),
      velocity: reader.column(Float32Array, 3 * n),
      angular: reader.column(Float32Array, 3 * n),
      enabled: reader.column(Uint8Array, n),
    };
  }
  const low = reader.column(Float64Array, 3);
  const step = reader.column(Float64Array, 3);
  const position = fromSteps(reader.column(Uint16Array, 3 * n), low, step);
  const rotation = reader.column(Int16Array, 4 * n);
  const [s] = reader.column(Float64Array, 1);
  const velocity = fromSteps(reader.column(Int16Array, 3 * n), [0, 0, 0], [s, s, s]);
  const [a] = reader.column(Float64Array, 1);
  const angular = fromSteps(reader.column(Int16Array, 3 * n), [0, 0, 0], [a, a, a]);
  return { position, rotation, velocity, angular, enabled: reader.column(Uint8Array, n) };
}

/**
 * A frame of all bodies, and the box around its dynamic ones. Bodies that take no part are put nowhere.
 * @param {ArrayBuffer} buffer
 * @param {Bodies} bodies
 * @param {Frame | null} base frame 0, where fixed bodies are left out
 * @returns {Frame}
 */
export function decodeFrame(buffer, bodies, base) {
  const reader = new ColumnReader(buffer, "frame");
  const columns = frameColumns(reader);
  return finishFrame(reader.flags & FLAG_MOVING_ONLY ? withFixed(columns, bodies, base) : columns, bodies);
}

/**
 * Puts bodies that take no part nowhere, and finds the box around the dynamic ones.
 * @param {{ position: Float32Array, rotation: Int16Array, velocity: Float32Array, angular: Float32Array, enabled: Uint8Array }} columns
 * @param {Bodies} bodies
 * @returns {Frame}
 */
function finishFrame(columns, bodies) {
  const n = bodies.kind.length;
  if (columns.enabled.length !== n) {
    throw new Error(`frame: holds ${columns.enabled.length} bodies, the run has ${n}`);
  }
  const { position, enabled } = columns;
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let k = 0; k < n; k += 1) {
    if (enabled[k] === 0) {
      position[3 * k] = NOWHERE;
    } else if (bodies.kind[k] === KIND_DYNAMIC) {
      const reach = bodies.reach[k];
      for (let axis = 0; axis < 3; axis += 1) {
        const v = position[3 * k + axis];
        if (v - reach < low[axis]) low[axis] = v - reach;
        if (v + reach > high[axis]) high[axis] = v + reach;
      }
    }
  }
  // 45 bytes a body: what a frame takes in memory, whatever it was sent as.
  return { ...columns, low, high, bytes: 45 * n };
}

/**
 * @param {{ position: Float32Array, rotation: Int16Array, velocity: Float32Array, angular: Float32Array, enabled: Uint8Array }} moving
 * @param {Bodies} bodies
 * @param {Frame | null} base
 */
function withFixed(moving, bodies, base) {
  if (base === null) throw new Error("frame: holds moving bodies only, and frame 0 is not there");
  const all = {
    position: base.position.slice(),
    rotation: base.rotation.slice(),
    velocity: new Float32Array(base.velocity.length),
    angular: new Float32Array(base.angular.length),
    enabled: base.enabled.slice(),
  };
  let from = 0;
  for (let k = 0; k < bodies.kind.length; k += 1) {
    if (bodies.kind[k] === KIND_FIXED) continue;
    for (let axis = 0; axis < 3; axis += 1) {
      all.position[3 * k + axis] = moving.position[3 * from + axis];
      all.velocity[3 * k + axis] = moving.velocity[3 * from + axis];
      all.angular[3 * k + axis] = moving.angular[3 * from + axis];
    }
    for (let axis = 0; axis < 4; axis += 1) all.rotation[4 * k + axis] = moving.rotation[4 * from + axis];
    all.enabled[k] = moving.enabled[from];
    from += 1;
  }
  return all;
}

/** Planes of bytes that a column of a packed frame has. */
const PLANES = { position: 3, rotation: 2, velocity: 2, angular: 2 };

/**
 * Frames packed together, as replays have them: whole numbers, frame after frame of each body.
 * @typedef {object} Chunk
 * @property {number} frames @property {number} moving
 * @property {number[]} low @property {number[]} steps of positions, rotations, velocities, angular velocities
 * @property {{ position: Int32Array[], rotation: Int32Array[], velocity: Int32Array[], angular: Int32Array[] }} columns
 * @property {Uint8Array} enabled
 */

/**
 * One column: bytes of all ranks put together, and what they add to what is expected.
 * @param {Uint8Array[]} ranks low byte first
 * @param {number} frames
 * @param {boolean} straight whether a straight way is expected, or none
 */
function unpackColumn(ranks, frames, straight) {
  const out = new Int32Array(ranks[0].length);
  for (let k = 0; k < out.length; k += 1) {
    let z = 0;
    for (let rank = 0; rank < ranks.length; rank += 1) z |= ranks[rank][k] << (8 * rank);
    const f = k % frames;
    const last = f > 0 ? out[k - 1] : 0;
    const expected = straight && f > 1 ? 2 * last - out[k - 2] : last;
    out[k] = expected + ((z >>> 1) ^ -(z & 1));
  }
  return out;
}

/** @param {ArrayBuffer} buffer @returns {Chunk} */
export function decodeChunk(buffer) {
  const reader = new ColumnReader(buffer, "frames");
  const frames = reader.count;
  const moving = reader.column(Uint32Array, 1)[0];
  const numbers = reader.column(Float64Array, 7);
  const size = frames * moving;
  const planes = reader.column(Uint8Array, 30 * size);
  let at = 0;
  const next = () => {
    at += size;
    return planes.subarray(at - size, at);
  };
  const column = (/** @type {keyof typeof PLANES} */ name, /** @type {number} */ parts, /** @type {boolean} */ straight) =>
    Array.from({ length: parts }, () => unpackColumn(Array.from({ length: PLANES[name] }, next), frames, straight));
  const columns = {
    position: column("position", 3, true),
    rotation: column("rotation", 4, true),
    velocity: column("velocity", 3, false),
    angular: column("angular", 3, false),
  };
  return { frames, moving, low: Array.from(numbers.subarray(0, 3)), steps: Array.from(numbers.subarray(3)), columns, enabled: next() };
}

/**
 * A frame of a chunk, of all bodies.
 * @param {Chunk} chunk @param {number} f which of its frames @param {Bodies} bodies @param {Frame | null} base
 */
export function frameOfChunk(chunk, f, bodies, base) {
  const { frames, moving, low, steps, columns } = chunk;
  if (!(f < frames)) throw new Error(`frames: holds ${frames} of them, number ${f} was asked for`);
  const position = new Float32Array(3 * moving);
  const rotation = new Int16Array(4 * moving);
  const velocity = new Float32Array(3 * moving);
  const angular = new Float32Array(3 * moving);
  const enabled = new Uint8Array(moving);
  for (let b = 0; b < moving; b += 1) {
    const at = b * frames + f;
    for (let axis = 0; axis < 3; axis += 1) {
      position[3 * b + axis] = low[axis] + steps[0] * columns.position[axis][at];
      velocity[3 * b + axis] = steps[2] * columns.velocity[axis][at];
      angular[3 * b + axis] = steps[3] * columns.angular[axis][at];
    }
    const q = columns.rotation.map((c) => c[at]);
    const size = Math.hypot(q[0], q[1], q[2], q[3]) || 1;
    for (let axis = 0; axis < 4; axis += 1) rotation[4 * b + axis] = Math.round((32767 * q[axis]) / size);
    enabled[b] = chunk.enabled[at];
  }
  return finishFrame(withFixed({ position, rotation, velocity, angular, enabled }, bodies, base), bodies);
}

/** A copy that outlives the transfer of the frame. @param {Frame} frame @returns {Frame} */
export function copyFrame(frame) {
  return {
    ...frame,
    position: frame.position.slice(),
    rotation: frame.rotation.slice(),
    velocity: frame.velocity.slice(),
    angular: frame.angular.slice(),
    enabled: frame.enabled.slice(),
  };
}

/** What the worker keeps; of chunks the last two, so that playing over an end unpacks each once. @type {{ bodies: Bodies | null, base: Frame | null, chunks: Map<string, Promise<Chunk | null>> }} */
const workerKeeps = { bodies: null, base: null, chunks: new Map() };

/** @param {{ url?: string, base64?: string }} source @returns {Promise<ArrayBuffer | null>} null where there is none */
async function loadBytes(source) {
  if (source.base64 !== undefined) {
    const binary = atob(source.base64.trim());
    const bytes = new Uint8Array(binary.length);
    for (let k = 0; k < binary.length; k += 1) bytes[k] = binary.charCodeAt(k);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).arrayBuffer();
  }
  const answer = await fetch(String(source.url));
  if (answer.status === 404) return null;
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  return answer.arrayBuffer();
}

/** @param {string} name @param {{ url?: string, base64?: string }} source */
function chunkOf(name, source) {
  const known = workerKeeps.chunks.get(name);
  if (known !== undefined) return known;
  const chunk = loadBytes(source).then((buffer) => (buffer === null ? null : decodeChunk(buffer)));
  workerKeeps.chunks.set(name, chunk);
  for (const oldest of workerKeeps.chunks.keys()) {
    if (workerKeeps.chunks.size <= 2) break;
    workerKeeps.chunks.delete(oldest);
  }
  return chunk;
}

/** A frame out of a chunk, or one body's figures of it. @param {Request} request */
async function serveChunk(request) {
  const { bodies, base } = workerKeeps;
  if (bodies === null || request.chunk === undefined) throw new Error("frames: asked for before the bodies");
  const chunk = await chunkOf(request.chunk.name, request.source);
  if (chunk === null) return null;
  const frame = frameOfChunk(chunk, request.chunk.frame, bodies, base);
  return request.kind === "track" ? figuresIn(frame, request.frame) : frame;
}

/** One body's position, velocity and angular velocity. @param {Frame} frame @param {number} body */
function figuresIn(frame, body) {
  const figures = new Float32Array(9);
  [frame.position, frame.velocity, frame.angular].forEach((c, k) => figures.set(c.subarray(3 * body, 3 * body + 3), 3 * k));
  return { figures };
}

/**
 * @param {string} kind
 * @param {ArrayBuffer} buffer
 * @param {number} frame
 */
function decodeResource(kind, buffer, frame) {
  switch (kind) {
    case "bodies": {
      workerKeeps.bodies = decodeBodies(buffer.slice(0));
      return decodeBodies(buffer);
    }
    case "frame": {
      if (workerKeeps.bodies === null) throw new Error("frame: asked for before the bodies");
      const decoded = decodeFrame(buffer, workerKeeps.bodies, workerKeeps.base);
      if (frame === 0) workerKeeps.base = copyFrame(decoded);
      return decoded;
    }
    case "track": {
      // One body's figures only: `frame` is the body's number here.
      if (workerKeeps.bodies === null) throw new Error("track: asked for before the bodies");
      return figuresIn(decodeFrame(buffer, workerKeeps.bodies, workerKeeps.base), frame);
    }
    case "mesh":
      return decodeMesh(buffer);
    case "index":
      return decodeIndex(buffer);
    case "contacts":
      return decodeContacts(buffer);
    default:
      throw new Error(`${kind}: no such kind of resource`);
  }
}

/** All buffers of an answer, each once. @param {object} answer */
function buffersOf(answer) {
  const views = Object.values(answer).filter((v) => ArrayBuffer.isView(v));
  return [...new Set(views.map((v) => v.buffer))];
}

/** @typedef {{ id: number, kind: string, source: { url?: string, base64?: string }, frame: number, chunk?: { name: string, frame: number } }} Request */

/** @param {Request} request */
async function answerTo(request) {
  if (request.chunk !== undefined) return serveChunk(request);
  const buffer = await loadBytes(request.source);
  return buffer === null ? null : decodeResource(request.kind, buffer, request.frame);
}

/** @param {Request} request */
async function serve(request) {
  try {
    const answer = await answerTo(request);
    /** @type {any} */ (self).postMessage({ id: request.id, answer }, answer === null ? [] : buffersOf(answer));
  } catch (error) {
    self.postMessage({ id: request.id, error: error instanceof Error ? error.message : String(error) });
  }
}

if (typeof self !== "undefined" && "importScripts" in self) {
  self.onmessage = (event) => serve(event.data);
}
