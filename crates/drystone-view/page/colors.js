// What the colours of bodies stand for.

/** @typedef {import("./recording.js").Recording} Recording */
/** @typedef {import("./worker.js").Frame} Frame */
/** @typedef {import("./worker.js").Contacts} Contacts */

/**
 * A quantity that colours can stand for.
 * @typedef {object} Quantity
 * @property {string} label
 * @property {string} unit
 * @property {boolean} fromZero whether its scale begins at 0
 * @property {boolean} contacts whether it needs a frame's contacts
 * @property {boolean} [constant] whether it is the same in all frames
 * @property {(out: Float32Array, recording: Recording, frame: Frame, contacts: Contacts | null) => void} fill
 */

/** @typedef {{ bodies: import("./worker.js").Bodies }} Known */

/** The colours of Okabe and Ito (2008), as the stills have them: `render/color.rs`. */
const CATEGORIES = [
  [0x56, 0xb4, 0xe9], [0xe6, 0x9f, 0x00], [0x00, 0x9e, 0x73], [0xcc, 0x79, 0xa7],
  [0x00, 0x72, 0xb2], [0xd5, 0x5e, 0x00], [0xf0, 0xe4, 0x42], [0x99, 0x99, 0x99],
];
/** Ratio of the ends of a scale by powers of ten, unless told. */
const MOST_RATIO = 1e4;
/** Values looked at for a range: enough for its one body in two hundred. */
const MOST_SAMPLES = 20000;

/** The run's own, which go further. @type {[number, number, number][]} */
let runCategories = [];

/** @param {string[]} names such as #56b4e9 */
export function setCategories(names) {
  runCategories = names.map(fromHex);
}

/** The colour of the n-th kind of something. @param {number} index @returns {[number, number, number]} */
export function categoryColor(index) {
  const own = runCategories[index];
  if (own !== undefined) return own;
  const [r, g, b] = CATEGORIES[index % CATEGORIES.length];
  const share = 1 - 0.22 * Math.min(Math.floor(index / CATEGORIES.length), 3);
  return [r * share, g * share, b * share];
}

/** @param {string} name @returns {[number, number, number]} red, green, blue from 0 to 255 */
export function fromHex(name) {
  const v = Number.parseInt(name.slice(1), 16);
  return [(v >> 16) & 255, (v >> 8) & 255, v & 255];
}

/** From a figure of a file to light, all from 0 to 1. @param {number} v */
export function toLinear(v) {
  return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
}

/** @param {(frame: Frame) => Float32Array} column */
function sizeOf(column) {
  return (/** @type {Float32Array} */ out, /** @type {Recording} */ _, /** @type {Frame} */ frame) => {
    const v = column(frame);
    for (let k = 0, at = 0; k < out.length; k += 1, at += 3) {
      out[k] = Math.sqrt(v[at] * v[at] + v[at + 1] * v[at + 1] + v[at + 2] * v[at + 2]);
    }
  };
}

/** @param {(frame: Frame) => Float32Array} column @param {number} axis */
function componentOf(column, axis) {
  return (/** @type {Float32Array} */ out, /** @type {Recording} */ recording, /** @type {Frame} */ frame) => {
    const v = column(frame);
    const origin = column === positionColumn ? (recording.info?.origin[axis] ?? 0) : 0;
    for (let k = 0; k < out.length; k += 1) out[k] = v[3 * k + axis] + origin;
  };
}

const velocityColumn = (/** @type {Frame} */ frame) => frame.velocity;
const angularColumn = (/** @type {Frame} */ frame) => frame.angular;
const positionColumn = (/** @type {Frame} */ frame) => frame.position;

/** @type {Quantity["fill"]} */
function fillForce(out, _recording, _frame, contacts) {
  out.fill(0);
  if (contacts === null) return;
  for (let k = 0; k < contacts.count; k += 1) {
    const size = Math.hypot(contacts.force[3 * k], contacts.force[3 * k + 1], contacts.force[3 * k + 2]);
    out[contacts.first[k]] += size;
    out[contacts.second[k]] += size;
  }
}

/** @type {Quantity["fill"]} */
function fillCoordination(out, _recording, _frame, contacts) {
  out.fill(0);
  if (contacts === null) return;
  // Several contacts of one pair count once: they come one after the other.
  for (let k = 0; k < contacts.count; k += 1) {
    const [a, b] = [contacts.first[k], contacts.second[k]];
    if (k > 0 && contacts.first[k - 1] === a && contacts.second[k - 1] === b) continue;
    out[a] += 1;
    out[b] += 1;
  }
}

/** Energy of the motion of the centre of mass. @type {Quantity["fill"]} */
function fillKinetic(out, recording, frame) {
  const mass = recording.bodies?.mass ?? out;
  const v = frame.velocity;
  for (let k = 0; k < out.length; k += 1) {
    out[k] = 0.5 * mass[k] * (v[3 * k] ** 2 + v[3 * k + 1] ** 2 + v[3 * k + 2] ** 2);
  }
}

/** @type {(column: "size" | "mass") => Quantity["fill"]} */
const constant = (column) => (out, recording) => {
  if (recording.bodies) out.set(recording.bodies[column]);
};

/** @type {{ [name: string]: Quantity }} */
export const QUANTITIES = {
  speed: { label: "speed", unit: "m/s", fromZero: true, contacts: false, fill: sizeOf(velocityColumn) },
  size: { label: "size", unit: "m", fromZero: false, contacts: false, constant: true, fill: constant("size") },
  force: { label: "force", unit: "N", fromZero: true, contacts: true, fill: fillForce },
  coordination: { label: "touching bodies", unit: "", fromZero: true, contacts: true, fill: fillCoordination },
  angular: { label: "angular speed", unit: "rad/s", fromZero: true, contacts: false, fill: sizeOf(angularColumn) },
  kinetic: { label: "kinetic energy", unit: "J", fromZero: true, contacts: false, fill: fillKinetic },
  mass: { label: "mass", unit: "kg", fromZero: false, contacts: false, constant: true, fill: constant("mass") },
  height: { label: "height z", unit: "m", fromZero: false, contacts: false, fill: componentOf(positionColumn, 2) },
  x: { label: "position x", unit: "m", fromZero: false, contacts: false, fill: componentOf(positionColumn, 0) },
  y: { label: "position y", unit: "m", fromZero: false, contacts: false, fill: componentOf(positionColumn, 1) },
  vx: { label: "velocity x", unit: "m/s", fromZero: false, contacts: false, fill: componentOf(velocityColumn, 0) },
  vy: { label: "velocity y", unit: "m/s", fromZero: false, contacts: false, fill: componentOf(velocityColumn, 1) },
  vz: { label: "velocity z", unit: "m/s", fromZero: false, contacts: false, fill: componentOf(velocityColumn, 2) },
  wx: { label: "angular velocity x", unit: "rad/s", fromZero: false, contacts: false, fill: componentOf(angularColumn, 0) },
  wy: { label: "angular velocity y", unit: "rad/s", fromZero: false, contacts: false, fill: componentOf(angularColumn, 1) },
  wz: { label: "angular velocity z", unit: "rad/s", fromZero: false, contacts: false, fill: componentOf(angularColumn, 2) },
};

/**
 * Ends of a scale for the values of the dynamic bodies, as the stills choose them: from 0 where that
 * makes sense, up to where one body in two hundred has more.
 * @param {Quantity} quantity @param {Float32Array} values @param {Uint8Array} kinds @param {boolean} log
 * @returns {[number, number]}
 */
export function rangeOf(quantity, values, kinds, log) {
  const every = Math.max(1, Math.floor(values.length / MOST_SAMPLES));
  const sample = new Float32Array(Math.ceil(values.length / every));
  let count = 0;
  for (let k = 0; k < values.length; k += every) {
    if (kinds[k] === 0 && Number.isFinite(values[k])) {
      sample[count] = values[k];
      count += 1;
    }
  }
  const sorted = sample.subarray(0, count).sort();
  const usual = sorted[count - 1 - Math.floor(count / 200)] ?? 0;
  /** @param {number} v */
  const upper = (v) => (v > 0 ? v : 1);
  const high = quantity.fromZero ? upper(usual) : (sorted[count - 1] ?? 0);
  if (!log) return [quantity.fromZero ? 0 : (sorted[0] ?? 0), high];
  const least = sorted.find((v) => v > 0) ?? 0;
  return [Math.min(Math.max(least, upper(high) / MOST_RATIO), upper(high)), upper(high)];
}

/** Share of the way along a scale, as the shaders have it. @param {number} value @param {number} low @param {number} high @param {boolean} log */
export function shareOf(value, low, high, log) {
  if (log && value <= 0) return 0;
  const share = log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  if (Number.isFinite(value) && !Number.isFinite(share)) return 0.5;
  return share;
}
