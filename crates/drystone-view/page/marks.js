// Things that are no bodies: contact forces, joints, springs, arrows. Made anew when a frame changes.

import { CONVEX } from "./render/convex.js";
import { add, across, along, length, lerp, normalize, quatFromZ, rotate, scale, slerp, sub } from "./math.js";
import { shareOf } from "./colors.js";

/** @typedef {import("./math.js").Vec3} Vec3 */
/** @typedef {import("./render/mark_shapes.js").MarkList} MarkList */
/** @typedef {import("./recording.js").Recording} Recording */
/** @typedef {import("./worker.js").Frame} Frame */
/** @typedef {import("./worker.js").Contacts} Contacts */

/** Between two frames; `time` in s. @typedef {{ a: Frame, b: Frame, share: number, period: Vec3, time: number }} Moment */

/** Numbers of contacts in the picture of numbers begin here; bodies have lower ones. */
export const CONTACT_ID = 0x40000000;
/** Most contacts that are drawn: the strongest ones. */
const MOST_CONTACTS = 20000;
const JOINT_COLOR = [0.02, 0.2, 0.62];
const SPRING_COLOR = [0.62, 0.26, 0.02];
const ARROW_COLOR = [0.72, 0.03, 0.06];
/** Joints whose axis is drawn. */
const WITH_AXIS = new Set(["revolute", "prismatic", "cylindrical", "gear", "rack"]);
const NORMAL_COLOR = [0.05, 0.25, 0.5];
/** Colours of forces from weak to strong, linear: dark red over orange to pale yellow. */
const HEAT = [[0.16, 0.01, 0.03], [0.5, 0.03, 0.02], [0.85, 0.2, 0.02], [1, 0.62, 0.1], [1, 0.93, 0.5]];

/** Where a body is at a moment. @param {Moment} moment @param {number} body @returns {Vec3} */
export function positionAt(moment, body) {
  const { a, b, share, period } = moment;
  const p = a.position.subarray(3 * body, 3 * body + 3);
  if (share === 0 || b === a) return [p[0], p[1], p[2]];
  const step = sub(b.position.subarray(3 * body, 3 * body + 3), p);
  return along(p, nearestImage(step, period), share);
}

/** How it is turned. @param {Moment} moment @param {number} body */
export function rotationAt(moment, body) {
  const q = (/** @type {Frame} */ f) => Array.from(f.rotation.subarray(4 * body, 4 * body + 4), (v) => v / 32767);
  return slerp(q(moment.a), q(moment.b), moment.share);
}

/** The shortest of a way and its periodic images. @param {Vec3} way @param {Vec3} period @returns {Vec3} */
export function nearestImage(way, period) {
  return /** @type {Vec3} */ (way.map((v, k) => (period[k] > 0 ? v - period[k] * Math.round(v / period[k]) : v)));
}

/** @param {MarkList} list @param {Vec3} from @param {Vec3} to @param {number} radius @param {number[]} color @param {number} id */
function addTube(list, from, to, radius, color, id) {
  const way = sub(to, from);
  const half = 0.5 * length(way);
  if (!(half > 0)) return;
  list.add(lerp(from, to, 0.5), quatFromZ(way), [radius, radius, half], CONVEX.capsule, color, id);
}

/** @param {MarkList} list @param {Vec3} from @param {Vec3} to @param {number} radius @param {number[]} color @param {number} id */
function addArrow(list, from, to, radius, color, id) {
  const way = sub(to, from);
  const size = length(way);
  if (!(size > 0)) return;
  const head = Math.min(6 * radius, 0.6 * size);
  const neck = along(to, normalize(way), -head);
  addTube(list, from, neck, radius, color, id);
  list.add(lerp(neck, to, 0.5), quatFromZ(way), [2.6 * radius, 2.6 * radius, 0.5 * head], CONVEX.cone, color, id);
}

/** @param {number} share from 0 to 1 */
export function heat(share) {
  const at = Math.min(Math.max(share, 0), 1) * (HEAT.length - 1);
  const k = Math.min(Math.floor(at), HEAT.length - 2);
  return [0, 1, 2].map((c) => HEAT[k][c] + (at - k) * (HEAT[k + 1][c] - HEAT[k][c]));
}

/** Sizes of the contact forces, N. @param {Contacts} contacts */
export function forceSizes(contacts) {
  const out = new Float32Array(contacts.count);
  const f = contacts.force;
  for (let k = 0; k < out.length; k += 1) out[k] = Math.hypot(f[3 * k], f[3 * k + 1], f[3 * k + 2]);
  return out;
}

/** The force that one contact in two hundred exceeds. @param {Float32Array} sizes */
export function usualForce(sizes) {
  const sorted = sizes.slice().sort();
  return sorted[sorted.length - 1 - Math.floor(sorted.length / 200)] || 1;
}

/**
 * Contacts as tubes of force chains, as arrows of forces, or as normals.
 * @param {MarkList} list
 * @param {Recording} recording
 * @param {Moment} moment
 * @param {Contacts} contacts
 * @param {{ mode: string, threshold: number, width: number, strongest: number, grain: number }} look
 *   threshold as a share of the strongest force
 */
export function addContacts(list, recording, moment, contacts, look) {
  const sizes = forceSizes(contacts);
  const strongest = look.strongest > 0 ? look.strongest : usualForce(sizes);
  let least = look.threshold * strongest;
  if (contacts.count > MOST_CONTACTS) {
    least = Math.max(least, sizes.slice().sort()[contacts.count - MOST_CONTACTS]);
  }
  const kinds = recording.bodies?.kind ?? new Uint8Array(0);
  for (let k = 0; k < contacts.count; k += 1) {
    if (sizes[k] < least || (sizes[k] === 0 && look.mode !== "normals")) continue;
    const p = contacts.point.subarray(3 * k, 3 * k + 3);
    const point = /** @type {Vec3} */ ([p[0], p[1], p[2]]);
    const share = shareOf(sizes[k], 0, strongest, false);
    const radius = look.width * look.grain * Math.max(0.03, 0.2 * Math.sqrt(Math.min(share, 1.5)));
    const id = CONTACT_ID + k;
    if (look.mode === "normals") {
      const n = contacts.normal.subarray(3 * k, 3 * k + 3);
      addArrow(list, point, along(point, n, 0.6 * look.grain), 0.02 * look.grain * look.width, NORMAL_COLOR, id);
    } else if (look.mode === "forces") {
      const f = contacts.force.subarray(3 * k, 3 * k + 3);
      const reach = (2 * look.grain * Math.min(share, 2)) / sizes[k];
      addArrow(list, point, along(point, f, reach), 0.035 * look.grain * look.width, heat(share), id);
    } else {
      for (const body of [contacts.first[k], contacts.second[k]]) {
        if (kinds[body] !== 0) continue;
        const way = nearestImage(sub(positionAt(moment, body), point), moment.period);
        addTube(list, point, add(point, way), radius, heat(share), id);
      }
    }
  }
  return strongest;
}

/** The point of a joint or spring that is fixed to a body, or to the world. @param {Moment} moment @param {number | null} body @param {Vec3} point */
function anchor(moment, body, point) {
  if (body === null) return point;
  return add(positionAt(moment, body), rotate(rotationAt(moment, body), point));
}

/** Whether a joint or spring holds at a time. @param {{ off?: import("./recording.js").OffSpans }} link @param {number} time */
export function holdsAt(link, time) {
  return !(link.off ?? []).some(([from, to]) => time >= from && (to === null || time < to));
}

/** @param {MarkList} list @param {Recording} recording @param {Moment} moment @param {number} grain */
export function addJoints(list, recording, moment, grain) {
  for (const joint of recording.info?.joints ?? []) {
    if (!holdsAt(joint, moment.time)) continue;
    const ends = joint.points.map((p, k) => anchor(moment, joint.bodies[k] ?? null, p));
    if (ends.length === 0) continue;
    const r = 0.09 * grain;
    const axis = joint.axes?.[0];
    const body = joint.bodies[0] ?? null;
    if (axis !== undefined && WITH_AXIS.has(joint.kind)) {
      // A pin along the axis that it turns about or slides along.
      const way = body === null ? axis : rotate(rotationAt(moment, body), axis);
      list.add(ends[0], quatFromZ(way), [0.8 * r, 0.8 * r, 3 * r], CONVEX.cylinder, JOINT_COLOR, 0);
    } else {
      list.add(ends[0], [0, 0, 0, 1], [r, r, r], CONVEX.ellipsoid, JOINT_COLOR, 0);
    }
    if (ends.length > 1 && length(sub(ends[1], ends[0])) > 0.05 * grain) {
      list.add(ends[1], [0, 0, 0, 1], [r, r, r], CONVEX.ellipsoid, JOINT_COLOR, 0);
      addTube(list, ends[0], ends[1], 0.4 * r, JOINT_COLOR, 0);
    }
  }
}

/** Springs as coils between their ends, ropes and rods as lines. @param {MarkList} list @param {Recording} recording @param {Moment} moment @param {number} grain */
export function addSprings(list, recording, moment, grain) {
  for (const spring of recording.info?.springs ?? []) {
    if (!holdsAt(spring, moment.time)) continue;
    const [from, to] = spring.points.map((p, k) => anchor(moment, spring.bodies[k] ?? null, p));
    if (!from || !to) continue;
    if (spring.coil) addCoil(list, from, to, 0.22 * grain);
    else addTube(list, from, to, 0.06 * grain, SPRING_COLOR, 0);
  }
}

/** @param {MarkList} list @param {Vec3} from @param {Vec3} to @param {number} radius */
function addCoil(list, from, to, radius) {
  const way = sub(to, from);
  const size = length(way);
  if (!(size > 0)) return;
  const [u, v] = across(normalize(way));
  const turns = Math.min(Math.max(Math.round(size / (1.5 * radius)), 4), 60);
  const steps = 10 * turns;
  let last = from;
  for (let k = 1; k <= steps; k += 1) {
    const share = k / steps;
    const angle = 2 * Math.PI * turns * share;
    // Thin at both ends, so that it hangs on its points.
    const r = radius * Math.min(1, 8 * share, 8 * (1 - share));
    const off = add(scale(u, r * Math.cos(angle)), scale(v, r * Math.sin(angle)));
    const next = add(along(from, way, share), off);
    addTube(list, last, next, 0.14 * radius, SPRING_COLOR, 0);
    last = next;
  }
}

/** A force on a body as an arrow from a place on. @param {MarkList} list @param {Vec3} at @param {Vec3} force @param {number} metresPerNewton @param {number} grain */
export function addForceArrow(list, at, force, metresPerNewton, grain) {
  addArrow(list, at, along(at, force, metresPerNewton), 0.12 * grain, ARROW_COLOR, 0);
}
