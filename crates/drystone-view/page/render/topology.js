// How the triangles of a surface hang together: what is round, what is an edge, what is closed.
// As `render/topology.rs` does for the stills.

/** Cosine of the angle from which on two triangles meet in an edge: 35°. */
const CREASE = 0.819;

/**
 * @typedef {object} Surface
 * @property {Float32Array} corners of all triangles, one after the other
 * @property {Float32Array} normals at these corners
 * @property {Float32Array} creases both ends of each sharp edge
 * @property {boolean} closed
 */

/** One number for all corners at the same place. @param {Float32Array} vertex @param {Uint32Array} index */
function mergedIndex(vertex, index) {
  /** @type {Map<string, number>} */
  const known = new Map();
  const same = new Uint32Array(vertex.length / 3);
  for (let k = 0; k < same.length; k += 1) {
    const key = `${vertex[3 * k]},${vertex[3 * k + 1]},${vertex[3 * k + 2]}`;
    const first = known.get(key);
    same[k] = first ?? k;
    if (first === undefined) known.set(key, k);
  }
  return index.map((v) => same[v]);
}

/** Unit normals of the triangles. @param {Float32Array} vertex @param {Uint32Array} index */
function flatNormals(vertex, index) {
  const out = new Float32Array(index.length);
  for (let t = 0; t < index.length; t += 3) {
    const [a, b, c] = [3 * index[t], 3 * index[t + 1], 3 * index[t + 2]];
    const [ux, uy, uz] = [vertex[b] - vertex[a], vertex[b + 1] - vertex[a + 1], vertex[b + 2] - vertex[a + 2]];
    const [vx, vy, vz] = [vertex[c] - vertex[a], vertex[c + 1] - vertex[a + 1], vertex[c + 2] - vertex[a + 2]];
    const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    const l = Math.hypot(x, y, z) || 1;
    out[t] = x / l;
    out[t + 1] = y / l;
    out[t + 2] = z / l;
  }
  return out;
}

/** @param {Float32Array} n @param {number} a @param {number} b triangles' first corners */
function alike(n, a, b) {
  return n[a] * n[b] + n[a + 1] * n[b + 1] + n[a + 2] * n[b + 2] > CREASE;
}

/** Edges at the border or at an angle, and whether there is no border. @param {Uint32Array} index @param {Float32Array} flat */
function sharpEdges(index, flat) {
  /** @type {Map<string, { triangles: number[], ahead: number }>} */
  const sides = new Map();
  for (let t = 0; t < index.length; t += 3) {
    for (let k = 0; k < 3; k += 1) {
      const [a, b] = [index[t + k], index[t + ((k + 1) % 3)]];
      const key = a < b ? `${a},${b}` : `${b},${a}`;
      const side = sides.get(key) ?? { triangles: [], ahead: 0 };
      side.triangles.push(t);
      side.ahead += a < b ? 1 : -1;
      sides.set(key, side);
    }
  }
  /** @type {number[]} */
  const edges = [];
  let closed = index.length > 0;
  for (const [key, { triangles, ahead }] of sides) {
    const pair = triangles.length === 2;
    closed = closed && pair && ahead === 0;
    if (!pair || !alike(flat, triangles[0], triangles[1])) edges.push(...key.split(",").map(Number));
  }
  return { edges, closed };
}

/** At each corner the mean normal of the triangles that lie almost in its plane. @param {Uint32Array} index @param {Float32Array} flat */
function smoothNormals(index, flat) {
  /** @type {Map<number, number[]>} */
  const around = new Map();
  index.forEach((v, at) => {
    const list = around.get(v);
    if (list) list.push(3 * Math.floor(at / 3));
    else around.set(v, [3 * Math.floor(at / 3)]);
  });
  const out = new Float32Array(3 * index.length);
  index.forEach((v, at) => {
    const own = 3 * Math.floor(at / 3);
    let [x, y, z] = [0, 0, 0];
    for (const other of around.get(v) ?? []) {
      if (!alike(flat, own, other)) continue;
      x += flat[other];
      y += flat[other + 1];
      z += flat[other + 2];
    }
    const l = Math.hypot(x, y, z) || 1;
    out.set([x / l, y / l, z / l], 3 * at);
  });
  return out;
}

/** @param {Float32Array} vertex @param {Uint32Array} index @param {boolean} smooth as for meshes and terrain, not for stones @returns {Surface} */
export function surfaceOf(vertex, index, smooth) {
  const merged = mergedIndex(vertex, index);
  const flat = flatNormals(vertex, merged);
  const { edges, closed } = sharpEdges(merged, flat);
  const corners = new Float32Array(3 * merged.length);
  merged.forEach((v, at) => corners.set(vertex.subarray(3 * v, 3 * v + 3), 3 * at));
  const creases = new Float32Array(3 * edges.length);
  edges.forEach((v, at) => creases.set(vertex.subarray(3 * v, 3 * v + 3), 3 * at));
  const normals = smooth ? smoothNormals(merged, flat) : new Float32Array(3 * merged.length);
  if (!smooth) merged.forEach((_, at) => normals.set(flat.subarray(at - (at % 3), at - (at % 3) + 3), 3 * at));
  return { corners, normals, creases, closed };
}
