// Ties recording, clock, camera and renderer together; widgets talk to this and to the store only.

import { Camera } from "./camera.js";
import { QUANTITIES, categoryColor, fromHex, rangeOf, setCategories } from "./colors.js";
import { addContacts, addForceArrow, addJoints, addSprings, forceSizes, positionAt, usualForce } from "./marks.js";
import { Player } from "./player.js";
import { FLAG } from "./render/common.js";
import { boxEdges } from "./render/lines.js";
import { MarkList } from "./render/mark_shapes.js";
import { Renderer } from "./render/renderer.js";
import { aboutBox } from "./render/surroundings.js";
import { createStore } from "./store.js";
import { bytesFromBase64 } from "./transport.js";
import { along, length, lerp, sub } from "./math.js";

/** @typedef {import("./math.js").Vec3} Vec3 */
/** @typedef {import("./recording.js").Recording} Recording */
/** @typedef {import("./recording.js").ClipPlane} ClipPlane */

/**
 * @typedef {object} State
 * @property {number} time of what is shown, s
 * @property {number} frame nearest to it
 * @property {number} frames there are
 * @property {boolean} playing @property {number} speed @property {boolean} loop
 * @property {boolean} interpolate @property {boolean} following
 * @property {string} colorBy @property {boolean} colorLog
 * @property {"fixed" | "frame"} rangeMode @property {[number, number]} range
 * @property {{ hidden: boolean, opacity: number }[]} groups
 * @property {string} forces "off", "chains", "forces" or "normals"
 * @property {number} threshold share of the strongest force @property {number} forceWidth
 * @property {number} strongest contact force of the frame, N
 * @property {number} ghost opacity of bodies while chains are shown
 * @property {boolean} joints @property {boolean} springs @property {boolean} arrows @property {boolean} images @property {boolean} shadows
 * @property {ClipPlane[]} cuts
 * @property {number} chosen body, or -1 @property {number} hovered @property {boolean} follow
 * @property {boolean} dark
 * @property {string} runState @property {boolean} connected @property {string} problem
 */

/** Bodies that are drawn not at all. */
const HIDDEN_BODY = 2;
/** How long the path of a chosen body is, in pieces at most. */
const PATH_PIECES = 240;
/** After so many samples it is known how long one takes; one that takes more is slow, ms; how many then are enough. */
const SLOW_AFTER = 6;
const SLOW_SAMPLE = 150;
const FEW_SAMPLES = 24;
/** How much of its own colour a ground without end keeps in the dark. */
const NIGHT_SHARE = 0.45;
/** A picture of very many balls is made whole once nothing has moved for so long, ms. */
const REST = 250;
const PATH_COLOR = [1, 0.2, 0.02, 0.9];

/** @param {import("./recording.js").RunCamera} camera @returns {import("./camera.js").View} */
function viewOf(camera) {
  const height = camera.orthographic ? (camera.height ?? 0) : 0;
  return { eye: camera.eye, target: camera.target, up: camera.up, field: camera.field_of_view || 0.6, height };
}

/** @param {Recording} recording @returns {State} */
function firstState(recording) {
  const { info } = recording;
  const by = info?.color_by ?? null;
  return {
    time: recording.times[0] ?? 0,
    frame: 0,
    frames: recording.times.length,
    playing: false,
    speed: 1,
    loop: false,
    interpolate: true,
    following: info?.state === "running",
    colorBy: by === null ? "own" : by.what,
    colorLog: by?.log ?? false,
    rangeMode: "fixed",
    range: by === null ? [0, 1] : [by.low ?? 0, by.high ?? 1],
    groups: (info?.groups ?? []).map(() => ({ hidden: false, opacity: 1 })),
    forces: "off",
    threshold: 0.05,
    forceWidth: 1,
    strongest: 0,
    ghost: 0.12,
    joints: false,
    springs: true,
    arrows: false,
    images: false,
    shadows: true,
    cuts: info?.look.clip ?? [],
    chosen: -1,
    hovered: -1,
    follow: false,
    dark: false,
    runState: info?.state ?? "finished",
    connected: true,
    problem: "",
  };
}

export class Viewer {
  /** @param {HTMLCanvasElement} canvas @param {Recording} recording */
  constructor(canvas, recording) {
    const { info } = recording;
    if (!info) throw new Error("the recording is not open");
    this.canvas = canvas;
    this.recording = recording;
    this.store = createStore(firstState(recording));
    setCategories(info.categories ?? []);
    this.camera = new Camera(viewOf(info.camera), info.bounds);
    this.renderer = new Renderer(canvas, recording, this.camera);
    this.player = new Player(recording);
    this.marks = new MarkList();
    const count = recording.bodies?.kind.length ?? 0;
    this.looks = new Uint8Array(4 * count);
    this.flags = new Uint8Array(count);
    /** Values of the frames on the card, and a number that changes with their meaning. */
    this.valueVersion = 0;
    /** @type {Map<number, Float32Array>} */
    this.values = new Map();
    /** @type {import("./player.js").Shown | null} */
    this.shown = null;
    this.dirty = true;
    this.markedKey = "";
    /** @type {Vec3 | null} */
    this.followed = null;
    this.idle = false;
    /** Scale of drawing while things move; below 1 on slow machines. */
    this.pixelRatio = Math.min(globalThis.devicePixelRatio || 1, 2);
    /** The forces on named bodies, if there is a table of them. @type {import("./recording.js").Table | null} */
    this.forceTable = null;
    this.scriptTimes = new Float64Array(240);
    this.scriptCount = 0;
    const map = info.maps["viridis"];
    if (map !== undefined) this.renderer.bodies.setMap(bytesFromBase64(map));
    this.listen();
    this.updateLooks();
    this.player.following = this.store.state.following;
    // A finished run opens at its end, as its still is: playing begins at the beginning.
    this.player.time = this.player.end;
    recording.onArrival = (name) => {
      const contacts = this.shown !== null && (name === `contacts/${this.shown.number}.bin` || name === `contacts/${this.shown.next}.bin`);
      if (contacts) this.change();
      else this.wake();
    };
    this.renderer.cuts = this.store.state.cuts;
  }

  /** Another owner of the renderer is at work: nothing is drawn to the screen. */
  paused = false;

  /** Told when another picture is on the screen. @type {() => void} */
  onDrawn = () => {};

  /** What follows from changes of the state. */
  listen() {
    const { store } = this;
    const { state } = store;
    // The ground's colour is another at night: before the looks are made.
    store.on(["dark"], () => this.renderer.setDark(state.dark));
    store.on(["colorBy", "groups", "dark", "ghost", "forces"], () => this.updateLooks());
    store.on(["colorBy", "colorLog"], () => {
      this.valueVersion += 1;
      this.values.clear();
      store.set({ range: this.currentRange(state.colorBy) });
    });
    store.on(["range"], () => this.change());
    store.on(["rangeMode"], () => store.set({ range: this.currentRange(state.colorBy) }));
    store.on(["shadows"], () => { this.renderer.shadows = state.shadows; });
    store.on(["images"], () => { this.renderer.images = state.images; });
    store.on(["cuts"], () => { this.renderer.cuts = state.cuts; });
    store.on(["forces", "colorBy", "chosen"], () => { this.player.contacts = this.needsContacts(); });
    const marks = /** @type {(keyof State)[]} */ (["forces", "threshold", "forceWidth", "joints", "springs", "arrows", "chosen", "follow", "cuts", "images"]);
    store.on(marks, () => { this.markedKey = ""; });
    store.on([...marks, "shadows", "dark", "hovered"], () => this.change());
    store.on(["follow", "chosen"], () => { this.followed = null; });
    store.on(["arrows"], () => void this.loadForces());
  }

  needsContacts() {
    const { colorBy, forces, chosen } = this.store.state;
    if (!this.recording.info?.has_contacts) return false;
    return forces !== "off" || chosen >= 0 || (QUANTITIES[colorBy]?.contacts ?? false);
  }

  async loadForces() {
    if (!this.recording.info?.tables.includes("forces") || this.forceTable !== null) return;
    this.forceTable = await this.recording.table("forces").catch(() => null);
    this.markedKey = "";
    this.change();
  }

  /** The picture is no longer right. */
  change() {
    this.dirty = true;
    this.wake();
  }

  wake() {
    if (!this.idle) return;
    this.idle = false;
    requestAnimationFrame((now) => this.tick(now));
  }

  /** Colours, opacities and flags of all bodies. */
  updateLooks() {
    const { bodies } = this.recording;
    if (!bodies) return;
    const { colorBy, groups, forces, ghost, dark } = this.store.state;
    const mapped = QUANTITIES[colorBy] !== undefined;
    const ground = fromHex(this.renderer.groundHex);
    for (let k = 0; k < this.flags.length; k += 1) {
      const group = groups[bodies.group[k]] ?? { hidden: false, opacity: 1 };
      const dynamic = bodies.kind[k] === 0;
      let flags = group.hidden || bodies.opacity[k] === HIDDEN_BODY ? FLAG.hidden : 0;
      if (bodies.opacity[k] === 1) flags |= FLAG.glass;
      if (mapped && dynamic) flags |= FLAG.mapped;
      this.flags[k] = flags;
      let color = /** @type {ArrayLike<number>} */ (bodies.color.subarray(4 * k, 4 * k + 3));
      if (dynamic && colorBy === "material") color = categoryColor(bodies.material[k]);
      if (dynamic && colorBy === "group") color = categoryColor(bodies.group[k]);
      const shape = this.recording.shapes[bodies.shape[k]]?.kind;
      const plain = shape === "plane" && bodies.color[4 * k + 3] === 0;
      if (plain) color = ground;
      else if (dark && shape === "plane") color = [0, 1, 2].map((c) => NIGHT_SHARE * color[c]);
      this.looks.set([color[0], color[1], color[2]], 4 * k);
      const seen = dynamic && forces !== "off" ? ghost : 1;
      this.looks[4 * k + 3] = Math.round(255 * Math.min(group.opacity, seen));
    }
    this.looksVersion += 1;
    this.renderer.bodies.setLooks(this.looks, this.flags);
    this.change();
  }

  /** The values that colours stand for in a frame. @param {number} number @param {import("./worker.js").Frame} frame */
  valuesOf(number, frame) {
    const quantity = QUANTITIES[this.store.state.colorBy];
    if (quantity === undefined) return null;
    const key = quantity.constant ? -1 : number;
    const known = this.values.get(key);
    if (known !== undefined) return known;
    const contacts = quantity.contacts ? this.recording.contacts(number) : null;
    // Shown grey-less until they come: zeros are not kept.
    const values = new Float32Array(frame.enabled.length);
    quantity.fill(values, this.recording, frame, contacts);
    if (!quantity.contacts || contacts !== null || this.recording.lacksContacts(number)) {
      if (this.values.size > 3) this.values.clear();
      this.values.set(key, values);
    }
    return values;
  }

  /** The range of a quantity's colours: the run's own, or that of the frame. @param {string} what @returns {[number, number]} */
  currentRange(what) {
    const quantity = QUANTITIES[what];
    const { info, bodies } = this.recording;
    const { rangeMode, colorLog, range } = this.store.state;
    if (quantity === undefined || !bodies) return range;
    const own = info?.color_by;
    if (rangeMode === "fixed" && own?.what === what && own.log === colorLog && Number.isFinite(own.high)) return [own.low, own.high];
    if (this.shown === null) return range;
    const values = this.valuesOf(this.shown.number, this.shown.a);
    return values === null ? range : rangeOf(quantity, values, bodies.kind, colorLog);
  }

  /** Looks at the clock and draws if there is something to draw. @param {number} now ms */
  tick(now) {
    if (this.paused) {
      requestAnimationFrame((later) => this.tick(later));
      return;
    }
    const begun = performance.now();
    const { store, player, camera, renderer } = this;
    const moved = player.advance(now);
    const glided = camera.advance(now);
    if (glided) this.growGround();
    const before = this.shown;
    if (moved || this.shown === null || this.dirty || player.waits) this.takeMoment();
    const arrived = player.time !== store.state.time || this.shown?.number !== before?.number || this.shown?.share !== before?.share;
    if (store.state.time !== player.time || store.state.playing !== player.playing || store.state.following !== player.following) {
      store.set({ time: player.time, frame: player.frame, playing: player.playing, following: player.following });
    }
    const moving = moved || glided || arrived || this.dirty;
    if (moving) this.movedAt = now;
    // Between two moves of the hand a picture of very many balls is not made whole.
    const rests = renderer.isComplete || now - this.movedAt > REST;
    if (this.shown !== null && (moving || (renderer.unfinished && rests))) {
      this.fitCanvas();
      if (moving) renderer.touch();
      renderer.draw(moving);
      if (moving) this.onDrawn();
    }
    if (this.shown !== null) this.dirty = false;
    this.boundSamples(now, moving);
    this.scriptTimes[this.scriptCount % this.scriptTimes.length] = performance.now() - begun;
    this.scriptCount += 1;
    this.idle = !player.playing && !player.waits && camera.glide === null && !renderer.unfinished && !player.following;
    if (this.shown === null && player.recording.times.length === 0) this.idle = true;
    if (!this.idle) requestAnimationFrame((later) => this.tick(later));
  }

  /** On a slow machine a picture at rest is made of fewer samples. @param {number} now ms @param {boolean} moving */
  boundSamples(now, moving) {
    const passed = now - this.lastTick;
    this.lastTick = now;
    if (moving || this.renderer.gatheredCount !== SLOW_AFTER || this.samplesBegun === 0) {
      if (this.renderer.gatheredCount === 1) this.samplesBegun = now;
      return;
    }
    const each = (now - this.samplesBegun) / (SLOW_AFTER - 1);
    if (passed === 0 || each < SLOW_SAMPLE || this.renderer.samples <= FEW_SAMPLES) return;
    // The directions of the light are others then: they begin anew.
    this.renderer.samples = FEW_SAMPLES;
    this.renderer.gatheredCount = 0;
  }

  looksVersion = 0;
  lastTick = 0;
  movedAt = 0;
  samplesBegun = 0;

  /** Brings the moment of the clock to the card. */
  takeMoment() {
    const { player, renderer, store } = this;
    const shown = player.moment();
    if (shown === null) return;
    const { bodies } = renderer;
    const changed = this.shown === null || this.shown.number !== shown.number;
    this.shown = shown;
    bodies.a = bodies.slot(shown.number, shown.a, this.valuesOf(shown.number, shown.a), this.versionOf(shown.number));
    bodies.b = shown.share > 0 ? bodies.slot(shown.next, shown.b, this.valuesOf(shown.next, shown.b), this.versionOf(shown.next)) : bodies.a;
    renderer.drawn.blend = shown.share;
    renderer.frames = shown.share > 0 ? [shown.a, shown.b] : [shown.a];
    if (store.state.rangeMode === "frame" && changed) store.set({ range: this.currentRange(store.state.colorBy) });
    renderer.drawn.range = store.state.range;
    renderer.drawn.log = store.state.colorLog;
    if (changed) renderer.shadowsFor(shown.a);
    const { state } = store;
    renderer.shadowKey = `${shown.number},${shown.share},${this.looksVersion},${state.images},${JSON.stringify(state.cuts)}`;
    this.updateMarks(shown);
    this.followChosen(shown);
    renderer.chosen = store.state.chosen + 1;
    renderer.hovered = store.state.hovered + 1;
  }

  /** A word that changes when the values of a frame do: contacts may come later. @param {number} number */
  versionOf(number) {
    const quantity = QUANTITIES[this.store.state.colorBy];
    const contacts = (quantity?.contacts ?? false) && this.recording.contacts(number) !== null;
    return `${this.valueVersion}:${quantity?.constant ? "all" : number}:${contacts}`;
  }

  /** @param {import("./player.js").Shown} shown @returns {import("./marks.js").Moment} */
  momentOf(shown) {
    return { a: shown.a, b: shown.b, share: shown.share, period: this.renderer.drawn.period, time: this.player.time };
  }

  /** @param {import("./player.js").Shown} shown */
  updateMarks(shown) {
    const { store, renderer, recording } = this;
    const { state } = store;
    const contacts = state.forces === "off" ? null : recording.contacts(shown.number);
    const key = `${shown.number},${shown.share},${contacts === null}`;
    if (key === this.markedKey) return;
    this.markedKey = key;
    const moment = this.momentOf(shown);
    const { grain } = renderer.scene;
    this.marks.clear();
    if (contacts !== null) {
      const strongest = usualForce(forceSizes(contacts));
      addContacts(this.marks, recording, moment, contacts, { mode: state.forces, threshold: state.threshold, width: state.forceWidth, strongest, grain });
      store.set({ strongest });
    }
    if (state.joints) addJoints(this.marks, recording, moment, grain);
    if (state.springs) addSprings(this.marks, recording, moment, grain);
    this.arrowTips = [];
    if (state.arrows) this.addArrows(moment, grain);
    renderer.marks.set(this.marks);
    renderer.lines.set(this.lineGroups());
  }

  /** The forces on named bodies at the moment. @param {number} time */
  namedForces(time) {
    const table = this.forceTable;
    const at = table?.columns.indexOf("time") ?? -1;
    if (!table || at < 0) return [];
    const times = table.values[at].map(Number);
    let row = times.findIndex((t) => t >= time - 1e-9);
    if (row < 0) row = times.length - 1;
    /** @type {Map<string, Vec3>} */
    const forces = new Map();
    table.columns.forEach((column, k) => {
      const match = /^(.*) f([xyz])$/.exec(column);
      if (match === null) return;
      const force = forces.get(match[1]) ?? [0, 0, 0];
      force["xyz".indexOf(match[2])] = Number(table.values[k][row] ?? 0);
      forces.set(match[1], force);
    });
    return [...forces].map(([name, force]) => ({ name, force }));
  }

  /** @param {import("./marks.js").Moment} moment @param {number} grain */
  addArrows(moment, grain) {
    const forces = this.namedForces(this.player.time);
    const strongest = Math.max(...forces.map((f) => length(f.force)), 1e-12);
    const metres = (0.6 * this.camera.radius) / strongest;
    this.arrowTips = forces.map(({ name, force }) => {
      const at = this.placeOfName(name, moment);
      addForceArrow(this.marks, at, force, metres, grain);
      return { at: along(at, force, metres), name, size: length(force) };
    });
  }

  /** Where arrows of forces end, for their figures. @type {{ at: Vec3, name: string, size: number }[]} */
  arrowTips = [];

  /** The middle of a group, or of the scene where there is none of the name. @param {string} name @param {import("./marks.js").Moment} moment @returns {Vec3} */
  placeOfName(name, moment) {
    const { info, bodies } = this.recording;
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
    return count === 0 ? this.renderer.drawn.focus : [sum[0] / count, sum[1] / count, sum[2] / count];
  }

  /** Lines in the world. */
  lineGroups() {
    const { info } = this.recording;
    const groups = [];
    const ink = this.store.state.dark ? [0.7, 0.75, 0.8, 0.8] : [0.05, 0.1, 0.2, 0.6];
    if (info?.periodic) groups.push({ ends: boxEdges(info.periodic.low, info.periodic.high), width: 1.5, color: ink });
    const path = this.pathOf(this.store.state.chosen);
    if (path.length > 0) groups.push({ ends: path, width: 2, color: PATH_COLOR });
    if (this.cutFrame !== null) groups.push({ ends: this.cutFrame, width: 2, color: [0.05, 0.35, 0.9, 0.9] });
    return groups;
  }

  /** Outline of a cut that is being dragged. @type {number[] | null} */
  cutFrame = null;

  /** The way of the chosen body, as far as it is known. @param {number} body */
  pathOf(body) {
    /** @type {number[]} */
    const ends = [];
    if (this.track === null || this.track.body !== body) return ends;
    const { rows } = this.track;
    for (let k = 1; k < rows.length; k += 1) {
      const [a, b] = [rows[k - 1].values, rows[k].values];
      // Not across a periodic box, nor to where a body that takes no part is kept.
      if (length(sub(a, b)) < 3 * this.camera.radius) ends.push(a[0], a[1], a[2], b[0], b[1], b[2]);
    }
    return ends;
  }

  /** Figures of the chosen body in time. @type {import("./recording.js").Track | null} */
  track = null;

  /** Fetches the figures of the chosen body, frame by frame, telling as they come. @param {() => void} tell */
  async loadTrack(tell) {
    const body = this.store.state.chosen;
    if (body < 0) {
      this.track = null;
      return;
    }
    if (this.track?.body === body) return;
    const track = /** @type {import("./recording.js").Track} */ ({ body, rows: [] });
    this.track = track;
    await this.recording.follow(track, PATH_PIECES, () => {
      if (this.track !== track) return false;
      this.markedKey = "";
      this.change();
      tell();
      return true;
    });
  }

  /** The camera goes with the chosen body. @param {import("./player.js").Shown} shown */
  followChosen(shown) {
    const { chosen, follow } = this.store.state;
    if (!follow || chosen < 0) return;
    const at = positionAt(this.momentOf(shown), chosen);
    if (this.followed !== null) this.camera.shift(sub(at, this.followed));
    this.followed = at;
  }

  /** The canvas has as many pixels as it takes on the screen. */
  fitCanvas() {
    const { canvas, renderer } = this;
    const width = Math.max(1, Math.round(canvas.clientWidth * this.pixelRatio));
    const height = Math.max(1, Math.round(canvas.clientHeight * this.pixelRatio));
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    renderer.resize(width, height);
  }

  /** The box of a body or of the scene at the moment. @param {number} body @returns {import("./camera.js").Box} */
  boxOf(body) {
    const reach = this.recording.bodies?.reach[body] ?? Infinity;
    if (body < 0 || this.shown === null || !Number.isFinite(reach)) return this.camera.bounds;
    const at = positionAt(this.momentOf(this.shown), body);
    const r = 2.5 * reach;
    return { low: [at[0] - r, at[1] - r, at[2] - r], high: [at[0] + r, at[1] + r, at[2] + r] };
  }

  /** What is under a point of the canvas, in CSS pixels. @param {number} x @param {number} y */
  pick(x, y) {
    const ratio = this.canvas.width / Math.max(this.canvas.clientWidth, 1);
    return this.renderer.idAt(x * ratio, y * ratio);
  }

  /** @param {number} time */
  seek(time) {
    this.player.seek(time);
    this.change();
  }

  /** The camera of the whole film, in which all frames are in the picture: taken up when it first plays, unless somebody moved the camera. */
  takeFilmCamera() {
    const film = this.recording.info?.film;
    if (!film || this.camera.isTouched) return;
    this.camera.isTouched = true;
    const view = viewOf(film.camera);
    this.camera.home = view;
    this.camera.goTo(view);
    const { drawn } = this.renderer;
    this.wider = { focus: drawn.focus, radius: drawn.radius, ...aboutBox(film.bounds) };
    this.camera.bounds = film.bounds;
  }

  /** From where to where the ground grows while the camera glides. @type {{ focus: Vec3, radius: number, toFocus: Vec3, toRadius: number } | null} */
  wider = null;

  /** The ground fades farther out as the camera goes back. */
  growGround() {
    if (this.wider === null) return;
    const { focus, radius, toFocus, toRadius } = this.wider;
    const share = this.camera.progress;
    this.renderer.drawn.focus = lerp(focus, toFocus, share);
    this.renderer.drawn.radius = radius + share * (toRadius - radius);
    if (share === 1) this.wider = null;
  }

  togglePlay() {
    if (this.player.playing) this.player.pause();
    else {
      this.player.play();
      this.takeFilmCamera();
    }
    this.store.set({ playing: this.player.playing, following: this.player.following });
    this.change();
  }

  /** @param {Partial<{ speed: number, loop: boolean, interpolate: boolean, following: boolean }>} settings */
  setClock(settings) {
    Object.assign(this.player, settings);
    this.store.set(settings);
    this.change();
  }
}
