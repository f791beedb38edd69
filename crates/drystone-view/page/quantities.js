// What colours can stand for: every recorded column of bodies, contacts, joints and named forces.

import { length } from "./math.js";
import { forcesAt, rowAt } from "./tables.js";

/** @typedef {import("./recording.js").Recording} Recording */
/** @typedef {import("./worker.js").Frame} Frame */
/** @typedef {import("./worker.js").Contacts} Contacts */

/** What is known of a moment: tables and contacts may be on their way. @typedef {{ frame: Frame, contacts: Contacts | null, table: import("./recording.js").Table | null, time: number }} Known */

/**
 * A quantity that colours can stand for.
 * @typedef {object} Quantity
 * @property {string} label
 * @property {string} unit
 * @property {boolean} [fromZero] whether its scale begins at 0
 * @property {boolean} [contacts] whether it needs a frame's contacts
 * @property {string} [table] that it needs
 * @property {boolean} [constant] whether it is the same in all frames
 * @property {(out: Float32Array, recording: Recording, known: Known) => void} fill
 */

/** The turn of a full-scale rotation's component, as frames have them. */
const FULL_TURN = 32767;

/** Sizes of vectors. @param {(frame: Frame) => Float32Array} column @returns {Quantity["fill"]} */
const sizesOf = (column) => (out, _recording, { frame }) => {
  const v = column(frame);
  for (let k = 0, at = 0; k < out.length; k += 1, at += 3) {
    out[k] = Math.sqrt(v[at] * v[at] + v[at + 1] * v[at + 1] + v[at + 2] * v[at + 2]);
  }
};

const velocityColumn = (/** @type {Frame} */ frame) => frame.velocity;
const angularColumn = (/** @type {Frame} */ frame) => frame.angular;

/** @param {(frame: Frame) => Float32Array} column @param {number} axis @returns {Quantity["fill"]} */
const componentOf = (column, axis) => (out, _recording, { frame }) => {
  const v = column(frame);
  for (let k = 0; k < out.length; k += 1) out[k] = v[3 * k + axis];
};

/** @param {number} axis @returns {Quantity["fill"]} */
const placeAlong = (axis) => (out, recording, { frame }) => {
  const origin = recording.info?.origin[axis] ?? 0;
  for (let k = 0; k < out.length; k += 1) out[k] = frame.position[3 * k + axis] + origin;
};

/** @param {number} part of the quaternion @returns {Quantity["fill"]} */
const rotationPart = (part) => (out, _recording, { frame }) => {
  for (let k = 0; k < out.length; k += 1) out[k] = frame.rotation[4 * k + part] / FULL_TURN;
};

/** @param {"size" | "mass"} column @returns {Quantity["fill"]} */
const constantOf = (column) => (out, recording) => {
  if (recording.bodies) out.set(recording.bodies[column]);
};

/** Energy of the motion of the centre of mass. @type {Quantity["fill"]} */
function fillKinetic(out, recording, { frame }) {
  const mass = recording.bodies?.mass ?? out;
  const v = frame.velocity;
  for (let k = 0; k < out.length; k += 1) {
    out[k] = 0.5 * mass[k] * (v[3 * k] ** 2 + v[3 * k + 1] ** 2 + v[3 * k + 2] ** 2);
  }
}

/**
 * Something of each contact, put together at both of its bodies.
 * @param {(contacts: Contacts, k: number) => number} each @param {(sum: number, value: number) => number} join @param {number} from of bodies without contacts
 * @returns {Quantity["fill"]}
 */
const overContacts = (each, join, from) => (out, _recording, { contacts }) => {
  out.fill(from);
  if (contacts === null) return;
  for (let k = 0; k < contacts.count; k += 1) {
    const value = each(contacts, k);
    for (const body of [contacts.first[k], contacts.second[k]]) out[body] = Number.isNaN(out[body]) ? value : join(out[body], value);
  }
};

const plus = (/** @type {number} */ a, /** @type {number} */ b) => a + b;
const forceSize = (/** @type {Contacts} */ { force: f }, /** @type {number} */ k) => Math.hypot(f[3 * k], f[3 * k + 1], f[3 * k + 2]);
const normalForce = (/** @type {Contacts} */ { force: f, normal: n }, /** @type {number} */ k) =>
  Math.abs(f[3 * k] * n[3 * k] + f[3 * k + 1] * n[3 * k + 1] + f[3 * k + 2] * n[3 * k + 2]);
const frictionForce = (/** @type {Contacts} */ contacts, /** @type {number} */ k) =>
  Math.sqrt(Math.max(forceSize(contacts, k) ** 2 - normalForce(contacts, k) ** 2, 0));
const torqueSize = (/** @type {Contacts} */ { torque: t }, /** @type {number} */ k) => (t ? Math.hypot(t[3 * k], t[3 * k + 1], t[3 * k + 2]) : 0);

/** @type {Quantity["fill"]} */
function fillCoordination(out, _recording, { contacts }) {
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

/** Recorded forces on bodies and groups of the same name; others have none. @type {Quantity["fill"]} */
function fillNamedForce(out, recording, { table, time }) {
  out.fill(NaN);
  const { bodies, info } = recording;
  for (const { name, force } of forcesAt(table, time)) {
    const group = info?.groups.findIndex((g) => g.name === name) ?? -1;
    bodies?.group.forEach((g, k) => { if (g === group) out[k] = length(force); });
  }
}

/**
 * A figure of recorded joints at the bodies that they hold; the largest where there are several.
 * @param {string[]} parts of the joints' columns, such as fx, fy, fz
 * @returns {Quantity["fill"]}
 */
const overJoints = (parts) => (out, recording, { table, time }) => {
  out.fill(NaN);
  const row = rowAt(table, time);
  if (table === null || row < 0) return;
  for (const joint of [...(recording.info?.joints ?? []), ...(recording.info?.springs ?? [])]) {
    const columns = parts.map((part) => table.columns.indexOf(`${joint.name} ${part}`));
    if (columns.some((c) => c < 0)) continue;
    const value = Math.hypot(...columns.map((c) => table.values[c][row] ?? NaN));
    for (const body of joint.bodies) if (body !== null && !(out[body] > value)) out[body] = value;
  }
};

/** @type {{ [name: string]: Quantity }} */
export const QUANTITIES = {
  speed: { label: "speed", unit: "m/s", fromZero: true, fill: sizesOf(velocityColumn) },
  size: { label: "size", unit: "m", constant: true, fill: constantOf("size") },
  mass: { label: "mass", unit: "kg", constant: true, fill: constantOf("mass") },
  kinetic: { label: "kinetic energy", unit: "J", fromZero: true, fill: fillKinetic },
  angular: { label: "angular speed", unit: "rad/s", fromZero: true, fill: sizesOf(angularColumn) },
  force: { label: "force", unit: "N", fromZero: true, contacts: true, fill: overContacts(forceSize, plus, 0) },
  normal: { label: "normal force", unit: "N", fromZero: true, contacts: true, fill: overContacts(normalForce, plus, 0) },
  friction: { label: "friction force", unit: "N", fromZero: true, contacts: true, fill: overContacts(frictionForce, plus, 0) },
  torque: { label: "torque against rolling", unit: "N m", fromZero: true, contacts: true, fill: overContacts(torqueSize, plus, 0) },
  coordination: { label: "touching bodies", unit: "", fromZero: true, contacts: true, fill: fillCoordination },
  overlap: { label: "deepest overlap", unit: "m", fromZero: true, contacts: true, fill: overContacts(({ gap }, k) => Math.max(-gap[k], 0), Math.max, 0) },
  gap: { label: "smallest gap", unit: "m", contacts: true, fill: overContacts(({ gap }, k) => gap[k], Math.min, NaN) },
  height: { label: "height z", unit: "m", fill: placeAlong(2) },
  x: { label: "position x", unit: "m", fill: placeAlong(0) },
  y: { label: "position y", unit: "m", fill: placeAlong(1) },
  vx: { label: "velocity x", unit: "m/s", fill: componentOf(velocityColumn, 0) },
  vy: { label: "velocity y", unit: "m/s", fill: componentOf(velocityColumn, 1) },
  vz: { label: "velocity z", unit: "m/s", fill: componentOf(velocityColumn, 2) },
  wx: { label: "angular velocity x", unit: "rad/s", fill: componentOf(angularColumn, 0) },
  wy: { label: "angular velocity y", unit: "rad/s", fill: componentOf(angularColumn, 1) },
  wz: { label: "angular velocity z", unit: "rad/s", fill: componentOf(angularColumn, 2) },
  qx: { label: "rotation x", unit: "", fill: rotationPart(0) },
  qy: { label: "rotation y", unit: "", fill: rotationPart(1) },
  qz: { label: "rotation z", unit: "", fill: rotationPart(2) },
  qw: { label: "rotation w", unit: "", fill: rotationPart(3) },
  named: { label: "recorded force", unit: "N", fromZero: true, table: "forces", fill: fillNamedForce },
  jointForce: { label: "joint force", unit: "N", fromZero: true, table: "joints", fill: overJoints(["fx", "fy", "fz"]) },
  jointTorque: { label: "joint torque", unit: "N m", fromZero: true, table: "joints", fill: overJoints(["tx", "ty", "tz"]) },
  jointCoordinate: { label: "joint coordinate", unit: "", fromZero: true, table: "joints", fill: overJoints(["coordinate"]) },
  jointSpeed: { label: "joint speed", unit: "", fromZero: true, table: "joints", fill: overJoints(["speed"]) },
  jointError: { label: "joint error", unit: "", fromZero: true, table: "joints", fill: overJoints(["error"]) },
  jointMotor: { label: "motor", unit: "", fromZero: true, table: "joints", fill: overJoints(["motor"]) },
};

/** The quantity of a name; none for other ways of colouring. @param {string} name @returns {Quantity | undefined} */
export function quantityOf(name) {
  return Object.hasOwn(QUANTITIES, name) ? QUANTITIES[name] : undefined;
}

/** Names of what a run has recorded, in order. @param {Recording} recording */
export function recordedQuantities({ info }) {
  return Object.keys(QUANTITIES).filter((name) => {
    const { contacts, table } = QUANTITIES[name];
    return (!contacts || info?.has_contacts) && (table === undefined || info?.tables.includes(table));
  });
}
