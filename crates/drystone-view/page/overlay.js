// What is drawn into the scene besides its bodies: contacts, joints, springs, arrows of forces, the
// path of the chosen body, periodic boxes, frames of cuts.

import { addContacts, addForceArrow, addJoints, addSprings, forceSizes, positionAt, usualForce } from "./marks.js";
import { across, along, length, normalize, sub } from "./math.js";
import { boxEdges } from "./render/lines.js";
import { MarkList } from "./render/mark_shapes.js";
import { forcesAt } from "./tables.js";

/** @typedef {import("./math.js").Vec3} Vec3 */
/** @typedef {import("./marks.js").Moment} Moment */

/** How long the path of a chosen body is, in pieces at most. */
const PATH_PIECES = 240;
const PATH_COLOR = [1, 0.2, 0.02, 0.9];
const FRAME_COLOR = [0.05, 0.35, 0.9, 0.9];
/** Edges of a periodic box by day and by night. */
const EDGE_COLORS = [[0.05, 0.1, 0.2, 0.6], [0.7, 0.75, 0.8, 0.8]];
/** Length of the longest arrow of a force on a named body, in radii of the scene. */
const ARROW_REACH = 0.6;

export class Overlay {
  /** @param {import("./viewer.js").Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
    this.marks = new MarkList();
    /** Says of which moment and looks the marks on the card are. */
    this.key = "";
    /** Where arrows of forces end, for their figures. @type {{ at: Vec3, name: string, size: number }[]} */
    this.arrowTips = [];
    /** Outline of cuts that can be dragged. @type {number[] | null} */
    this.cutFrame = null;
    /** Figures of the chosen body in time. @type {import("./recording.js").Track | null} */
    this.track = null;
  }

  /** The marks are no longer right. */
  change() {
    this.key = "";
    this.viewer.change();
  }

  /** Reads the forces on named bodies, if they are shown. */
  async loadForces() {
    const { recording, store } = this.viewer;
    if (!store.state.arrows || !recording.info?.tables.includes("forces")) return;
    await recording.table("forces").catch(() => null);
    this.change();
  }

  /** Makes marks and lines of a moment, unless they are there. @param {import("./player.js").Shown} shown @param {Moment} moment */
  update(shown, moment) {
    const { store, renderer, recording } = this.viewer;
    const { state } = store;
    const contacts = state.forces === "off" ? null : recording.contacts(shown.number);
    const key = `${shown.number},${shown.share},${contacts === null}`;
    if (key === this.key) return;
    this.key = key;
    const { grain } = renderer.scene;
    const { marks } = this;
    marks.clear();
    if (contacts !== null) {
      const strongest = usualForce(forceSizes(contacts));
      addContacts(marks, recording, moment, contacts, { mode: state.forces, threshold: state.threshold, width: state.forceWidth, strongest, grain });
      store.set({ strongest });
    }
    if (state.joints) addJoints(marks, recording, moment, grain);
    if (state.springs) addSprings(marks, recording, moment, grain);
    this.arrowTips = [];
    if (state.arrows) this.addArrows(moment, grain);
    renderer.marks.set(marks);
    renderer.lines.set(this.lineGroups());
  }

  /** The forces on named bodies at a time. @param {number} time s */
  namedForces(time) {
    return forcesAt(this.viewer.recording.knownTable("forces"), time);
  }

  /** @param {Moment} moment @param {number} grain */
  addArrows(moment, grain) {
    const forces = this.namedForces(moment.time);
    const strongest = Math.max(...forces.map((f) => length(f.force)), 1e-12);
    const metres = (ARROW_REACH * this.viewer.camera.radius) / strongest;
    /** @type {Vec3[]} */
    const places = [];
    this.arrowTips = forces.map(({ name, force }) => {
      const middle = this.placeOfName(name, moment);
      // Force and counterforce are at one place: side by side both are seen.
      const others = places.filter((p) => length(sub(p, middle)) < 0.1 * grain).length;
      places.push(middle);
      const [side] = across(length(force) > 0 ? normalize(force) : [0, 0, 1]);
      const at = along(middle, side, 0.8 * grain * others);
      // What pushes up begins at the body, what pushes down ends there: either way the ground does not hide it.
      const [from, figure] = force[2] >= 0 ? [at, along(at, force, metres)] : [along(at, force, -metres), along(at, force, -metres)];
      addForceArrow(this.marks, from, force, metres, grain);
      return { at: figure, name, size: length(force) };
    });
  }

  /**
   * Where a recorded force is shown: at the group of its name, or at one of "a on b", which it is called unless the scene says
   * otherwise; in the middle of the scene where there is none.
   * @param {string} name @param {Moment} moment @returns {Vec3}
   */
  placeOfName(name, moment) {
    const [by, on] = name.split(" on ");
    return this.middleOf(name, moment) ?? this.middleOf(on ?? name, moment) ?? this.middleOf(by, moment) ?? this.viewer.renderer.drawn.focus;
  }

  /** The middle of a group, unless it is without end. @param {string} name @param {Moment} moment @returns {Vec3 | null} */
  middleOf(name, moment) {
    const { info, bodies } = this.viewer.recording;
    const group = info?.groups.findIndex((g) => g.name === name) ?? -1;
    /** @type {Vec3} */
    let sum = [0, 0, 0];
    let count = 0;
    bodies?.group.forEach((g, k) => {
      if (g !== group || !Number.isFinite(bodies.reach[k])) return;
      const p = positionAt(moment, k);
      sum = [sum[0] + p[0], sum[1] + p[1], sum[2] + p[2]];
      count += 1;
    });
    return count === 0 ? null : [sum[0] / count, sum[1] / count, sum[2] / count];
  }

  /** Lines in the world. */
  lineGroups() {
    const { recording: { info }, store: { state } } = this.viewer;
    const groups = [];
    if (info?.periodic) groups.push({ ends: boxEdges(info.periodic.low, info.periodic.high), width: 1.5, color: EDGE_COLORS[state.dark ? 1 : 0] });
    const path = this.pathOf(state.chosen);
    if (path.length > 0) groups.push({ ends: path, width: 2, color: PATH_COLOR });
    if (this.cutFrame !== null) groups.push({ ends: this.cutFrame, width: 2, color: FRAME_COLOR });
    return groups;
  }

  /** The way of the chosen body, as far as it is known. @param {number} body */
  pathOf(body) {
    /** @type {number[]} */
    const ends = [];
    if (this.track === null || this.track.body !== body) return ends;
    const { rows } = this.track;
    for (let k = 1; k < rows.length; k += 1) {
      const [a, b] = [rows[k - 1].values, rows[k].values];
      // Not across a periodic box, nor to where a body that takes no part is kept.
      if (length(sub(a, b)) < 3 * this.viewer.camera.radius) ends.push(a[0], a[1], a[2], b[0], b[1], b[2]);
    }
    return ends;
  }

  /** Told when more of the track is known. @type {() => void} */
  onTrack = () => {};

  /** Fetches the figures of the chosen body, frame by frame. */
  async loadTrack() {
    const body = this.viewer.store.state.chosen;
    if (body < 0) {
      this.track = null;
      return;
    }
    if (this.track?.body === body) return;
    const track = /** @type {import("./recording.js").Track} */ ({ body, rows: [] });
    this.track = track;
    await this.viewer.recording.follow(track, PATH_PIECES, () => {
      if (this.track !== track) return false;
      this.change();
      this.onTrack();
      return true;
    });
  }
}
