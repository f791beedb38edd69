// Vectors, quaternions (x, y, z, w) and 4 × 4 matrices (by columns) as plain arrays.

/** @typedef {[number, number, number]} Vec3 */
/** @typedef {[number, number, number, number]} Quat */

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b @returns {Vec3} */
export function add(a, b) {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b @returns {Vec3} */
export function sub(a, b) {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

/** @param {ArrayLike<number>} a @param {number} s @returns {Vec3} */
export function scale(a, s) {
  return [a[0] * s, a[1] * s, a[2] * s];
}

/** `a + s·b`. @param {ArrayLike<number>} a @param {ArrayLike<number>} b @param {number} s @returns {Vec3} */
export function along(a, b, s) {
  return [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
}

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
export function dot(a, b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b @returns {Vec3} */
export function cross(a, b) {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/** @param {ArrayLike<number>} a */
export function length(a) {
  return Math.hypot(a[0], a[1], a[2]);
}

/** A unit vector; zero stays zero. @param {ArrayLike<number>} a @returns {Vec3} */
export function normalize(a) {
  const l = length(a);
  return l > 0 ? [a[0] / l, a[1] / l, a[2] / l] : [0, 0, 0];
}

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b @param {number} t @returns {Vec3} */
export function lerp(a, b, t) {
  return [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])];
}

/** @param {number} v @param {number} low @param {number} high */
export function clamp(v, low, high) {
  return Math.min(Math.max(v, low), high);
}

/** The vector turned by a unit quaternion. @param {ArrayLike<number>} q @param {ArrayLike<number>} v @returns {Vec3} */
export function rotate(q, v) {
  const t = scale(cross(q, v), 2);
  return add(along(v, t, q[3]), cross(q, t));
}

/** First `b`, then `a`. @param {ArrayLike<number>} a @param {ArrayLike<number>} b @returns {Quat} */
export function quatProduct(a, b) {
  return [
    a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
    a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
    a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
    a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
  ];
}

/** Between two unit quaternions, at constant speed. @param {ArrayLike<number>} a @param {ArrayLike<number>} b @param {number} t @returns {Quat} */
export function slerp(a, b, t) {
  let cos = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const sign = cos < 0 ? -1 : 1;
  cos = Math.min(Math.abs(cos), 1);
  const angle = Math.acos(cos);
  const sin = Math.sin(angle);
  // Below a thousandth of a radian the straight line is as good, and has no 0 / 0.
  const [u, v] =
    angle < 1e-3 ? [1 - t, t] : [Math.sin((1 - t) * angle) / sin, Math.sin(t * angle) / sin];
  const out = [0, 1, 2, 3].map((k) => u * a[k] + sign * v * b[k]);
  const l = Math.hypot(...out) || 1;
  return [out[0] / l, out[1] / l, out[2] / l, out[3] / l];
}

/** The shortest turn that takes z to a direction. @param {ArrayLike<number>} to @returns {Quat} */
export function quatFromZ(to) {
  const [x, y, z] = normalize(to);
  if (z < -0.999999) return [1, 0, 0, 0];
  const l = Math.hypot(-y, x, 0, 1 + z);
  return [-y / l, x / l, 0, (1 + z) / l];
}

/** Two unit vectors across a unit vector and each other. @param {Vec3} n @returns {[Vec3, Vec3]} */
export function across(n) {
  const u = normalize(cross(n, Math.abs(n[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]));
  return [u, cross(n, u)];
}

/** `a·b`. @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
export function matProduct(a, b) {
  const out = new Float64Array(16);
  for (let c = 0; c < 4; c += 1) {
    for (let r = 0; r < 4; r += 1) {
      let sum = 0;
      for (let k = 0; k < 4; k += 1) sum += a[4 * k + r] * b[4 * c + k];
      out[4 * c + r] = sum;
    }
  }
  return out;
}

/** A point through a projective matrix: clip coordinates. @param {ArrayLike<number>} m @param {ArrayLike<number>} p */
export function project(m, p) {
  return [0, 1, 2, 3].map((r) => m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r]);
}

/**
 * Axes of a view to a matrix: x right, y up, z towards the eye.
 * @param {Vec3} eye @param {Vec3} right @param {Vec3} up @param {Vec3} forward
 */
export function viewMatrix(eye, right, up, forward) {
  return new Float64Array([
    right[0], up[0], -forward[0], 0,
    right[1], up[1], -forward[1], 0,
    right[2], up[2], -forward[2], 0,
    -dot(right, eye), -dot(up, eye), dot(forward, eye), 1,
  ]);
}

/** @param {number} tangent of half the height @param {number} aspect @param {number} near @param {number} far */
export function perspective(tangent, aspect, near, far) {
  const out = new Float64Array(16);
  out[0] = 1 / (tangent * aspect);
  out[5] = 1 / tangent;
  out[10] = (far + near) / (near - far);
  out[11] = -1;
  out[14] = (2 * far * near) / (near - far);
  return out;
}

/** @param {number} half of the height, m @param {number} aspect @param {number} near @param {number} far */
export function orthographic(half, aspect, near, far) {
  const out = new Float64Array(16);
  out[0] = 1 / (half * aspect);
  out[5] = 1 / half;
  out[10] = 2 / (near - far);
  out[14] = (far + near) / (near - far);
  out[15] = 1;
  return out;
}

/** The corners of a box. @param {Vec3} low @param {Vec3} high @returns {Vec3[]} */
export function corners(low, high) {
  return [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [
    k & 1 ? high[0] : low[0],
    k & 2 ? high[1] : low[1],
    k & 4 ? high[2] : low[2],
  ]);
}

/** The inverse of a matrix. @param {ArrayLike<number>} m */
export function matInverse(m) {
  // Gauss and Jordan, on the matrix by rows beside the identity.
  const a = [0, 1, 2, 3].map((r) => [m[r], m[4 + r], m[8 + r], m[12 + r], ...[0, 1, 2, 3].map((c) => (c === r ? 1 : 0))]);
  for (let c = 0; c < 4; c += 1) {
    let pivot = c;
    for (let r = c; r < 4; r += 1) if (Math.abs(a[r][c]) > Math.abs(a[pivot][c])) pivot = r;
    [a[c], a[pivot]] = [a[pivot], a[c]];
    const by = a[c][c] || 1;
    a[c] = a[c].map((v) => v / by);
    for (let r = 0; r < 4; r += 1) {
      if (r !== c) a[r] = a[r].map((v, k) => v - a[r][c] * a[c][k]);
    }
  }
  const out = new Float32Array(16);
  for (let r = 0; r < 4; r += 1) for (let c = 0; c < 4; c += 1) out[4 * c + r] = a[r][4 + c];
  return out;
}
