// How the bodies look: colours, what these stand for, opacities, and which are hidden.

import { categoryColor, fromHex, rangeOf } from "./colors.js";
import { mapOf } from "./maps.js";
import { quantityOf } from "./quantities.js";
import { FLAG } from "./render/common.js";
import { bytesFromBase64 } from "./transport.js";

/** @typedef {import("./recording.js").Recording} Recording */
/** @typedef {import("./store.js").Store<import("./state.js").State>} StateStore */
/** @typedef {import("./worker.js").Frame} Frame */

/** Kinds of opacity and of bodies, as the bodies' columns have them. */
const GLASS_LOOK = 1;
const HIDDEN_LOOK = 2;
const DYNAMIC_KIND = 0;
/** How much of its own colour a ground without end keeps in the dark. */
const NIGHT_SHARE = 0.45;
/** The map whose two sides tell what is above zero and what below. */
const TWO_SIDED = "sides";
/** Frames whose values are kept. */
const KEPT_VALUES = 3;

export class BodyLooks {
  /** @param {Recording} recording @param {StateStore} store @param {import("./render/renderer.js").Renderer} renderer */
  constructor(recording, store, renderer) {
    this.recording = recording;
    this.store = store;
    this.renderer = renderer;
    const count = recording.bodies?.kind.length ?? 0;
    this.colors = new Uint8Array(4 * count);
    this.flags = new Uint8Array(count);
    /** Changes with the colours. */
    this.version = 0;
    /** Values of frames, and a number that changes with their meaning. @type {Map<number, Float32Array>} */
    this.values = new Map();
    this.valueVersion = 0;
  }

  /** The quantity that colours stand for, if it is one. */
  get quantity() {
    return quantityOf(this.store.state.colorBy);
  }

  /** The colours of the map that is chosen: 256 times red, green and blue. */
  map() {
    return mapOf(this.store.state.colorMap) ?? bytesFromBase64(this.recording.info?.maps["viridis"] ?? "");
  }

  /** Other values than before. */
  forget() {
    this.valueVersion += 1;
    this.values.clear();
  }

  /** Colours, opacities and flags of all bodies. */
  update() {
    const { bodies } = this.recording;
    if (!bodies) return;
    const { colorBy, groups, forces, ghost } = this.store.state;
    const mapped = this.quantity !== undefined ? FLAG.mapped : 0;
    const { colors, flags } = this;
    colors.set(bodies.color);
    this.colorPlanes(bodies);
    const column = colorBy === "material" ? bodies.material : colorBy === "group" ? bodies.group : null;
    const kinds = new Map();
    for (let k = 0; k < flags.length; k += 1) {
      const group = groups[bodies.group[k]];
      const dynamic = bodies.kind[k] === DYNAMIC_KIND;
      let flag = group?.hidden || bodies.opacity[k] === HIDDEN_LOOK ? FLAG.hidden : 0;
      if (bodies.opacity[k] === GLASS_LOOK) flag |= FLAG.glass;
      if (dynamic) flag |= mapped;
      flags[k] = flag;
      if (dynamic && column !== null) {
        const kind = column[k];
        if (!kinds.has(kind)) kinds.set(kind, categoryColor(kind));
        colors.set(kinds.get(kind), 4 * k);
      }
      const opacity = group?.opacity ?? 1;
      colors[4 * k + 3] = 255 * (dynamic && forces !== "off" ? Math.min(opacity, ghost) : opacity) + 0.5;
    }
    this.version += 1;
    this.renderer.bodies.setLooks(colors, flags);
  }

  /** Planes have the ground's colour unless the scene says so, and less of their own at night. @param {import("./worker.js").Bodies} bodies */
  colorPlanes(bodies) {
    const { dark } = this.store.state;
    const ground = fromHex(this.renderer.groundHex);
    for (const k of this.renderer.scene.planes.owners) {
      const own = bodies.color.subarray(4 * k, 4 * k + 3);
      if (bodies.color[4 * k + 3] === 0) this.colors.set(ground, 4 * k);
      else if (dark) this.colors.set(own.map((v) => NIGHT_SHARE * v), 4 * k);
    }
  }

  /** Puts a frame and its values on the card. @param {number} number @param {Frame} frame */
  slotOf(number, frame) {
    return this.renderer.bodies.slot(number, frame, this.valuesOf(number, frame), this.versionOf(number));
  }

  /** The values that colours stand for in a frame. @param {number} number @param {Frame} frame */
  valuesOf(number, frame) {
    const { quantity, recording } = this;
    if (quantity === undefined) return null;
    const key = quantity.constant ? -1 : number;
    const known = this.values.get(key);
    if (known !== undefined) return known;
    const values = new Float32Array(frame.enabled.length);
    const contacts = quantity.contacts ? recording.contacts(number) : null;
    const table = quantity.table === undefined ? null : recording.knownTable(quantity.table);
    quantity.fill(values, recording, { frame, contacts, table, time: recording.times[number] });
    // What stands for values that have not come yet is not kept.
    const whole = (!quantity.contacts || contacts !== null || recording.lacksContacts(number)) && (quantity.table === undefined || table !== null);
    if (whole) {
      if (this.values.size > KEPT_VALUES) this.values.clear();
      this.values.set(key, values);
    }
    return values;
  }

  /** A word that changes when the values of a frame do: contacts may come later. @param {number} number */
  versionOf(number) {
    const { quantity, recording } = this;
    const contacts = (quantity?.contacts ?? false) && recording.contacts(number) !== null;
    const table = quantity?.table !== undefined && recording.knownTable(quantity.table) !== null;
    return `${this.valueVersion}:${quantity?.constant ? "all" : number}:${contacts}:${table}`;
  }

  /** Whether contacts are needed for the colours. */
  get needsContacts() {
    return this.quantity?.contacts ?? false;
  }

  /** Reads the table that the colours need, if they need one; true once it is there. */
  async loadTable() {
    const table = this.quantity?.table;
    if (table === undefined || this.recording.knownTable(table) !== null) return false;
    await this.recording.table(table).catch(() => null);
    return this.recording.knownTable(table) !== null;
  }

  /** The range of colours: the run's own, or that of the frame. @param {import("./player.js").Shown | null} shown @returns {[number, number]} */
  rangeFor(shown) {
    const { quantity, recording } = this;
    const { info, bodies } = recording;
    const { colorBy, colorMap, rangeMode, colorLog, range } = this.store.state;
    if (quantity === undefined || !bodies) return range;
    const own = info?.color_by;
    const twoSided = colorMap === TWO_SIDED;
    if (!twoSided && rangeMode === "fixed" && own?.what === colorBy && own.log === colorLog && Number.isFinite(own.high)) return [own.low, own.high];
    if (shown === null) return range;
    const values = this.valuesOf(shown.number, shown.a);
    if (values === null) return range;
    const [low, high] = rangeOf(quantity, values, bodies.kind, colorLog);
    // The middle of a two-sided map stands for nothing.
    const most = Math.max(-low, high);
    return twoSided && low < 0 && high > 0 ? [-most, most] : [low, high];
  }
}
