// Ties recording, clock, camera and renderer together; widgets talk to this and to the store only.

import { Camera } from "./camera.js";
import { setCategories } from "./colors.js";
import { BodyLooks } from "./looks.js";
import { positionAt } from "./marks.js";
import { lerp, sub } from "./math.js";
import { Overlay } from "./overlay.js";
import { Player } from "./player.js";
import { Renderer } from "./render/renderer.js";
import { aboutBox } from "./render/surroundings.js";
import { firstState, viewOf } from "./state.js";
import { createStore } from "./store.js";

/** @typedef {import("./math.js").Vec3} Vec3 */
/** @typedef {import("./recording.js").Recording} Recording */
/** @typedef {import("./state.js").State} State */

/** After so many samples it is known how long one takes; one that takes more is slow, ms; how many then are enough. */
const SLOW_AFTER = 6;
const SLOW_SAMPLE = 150;
const FEW_SAMPLES = 24;
/** A picture of very many balls is made whole once nothing has moved for so long, ms. */
const REST = 250;

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
    this.looks = new BodyLooks(recording, this.store, this.renderer);
    this.overlay = new Overlay(this);
    /** @type {import("./player.js").Shown | null} */
    this.shown = null;
    this.dirty = true;
    /** @type {Vec3 | null} */
    this.followed = null;
    this.idle = false;
    /** Scale of drawing while things move; below 1 on slow machines. */
    this.pixelRatio = Math.min(globalThis.devicePixelRatio || 1, 2);
    this.scriptTimes = new Float64Array(240);
    this.scriptCount = 0;
    this.renderer.bodies.setMap(this.looks.map());
    this.listen();
    this.looks.update();
    this.player.following = this.store.state.following;
    this.player.contacts = this.needsContacts();
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
    store.on(["colorBy", "groups", "dark", "ghost", "forces"], () => {
      this.looks.update();
      this.change();
    });
    const rescale = () => store.set({ range: this.looks.rangeFor(this.shown) });
    const revalue = () => {
      this.looks.forget();
      rescale();
      this.change();
    };
    store.on(["colorBy", "colorLog"], revalue);
    store.on(["colorBy", "tables"], () => void this.looks.loadTable().then((came) => came && revalue()));
    store.on(["colorMap"], () => {
      this.renderer.bodies.setMap(this.looks.map());
      rescale();
      this.change();
    });
    store.on(["range"], () => this.change());
    store.on(["rangeMode"], rescale);
    store.on(["shadows"], () => { this.renderer.shadows = state.shadows; });
    store.on(["images"], () => { this.renderer.images = state.images; });
    store.on(["cuts"], () => { this.renderer.cuts = state.cuts; });
    store.on(["forces", "colorBy", "chosen"], () => { this.player.contacts = this.needsContacts(); });
    const marks = /** @type {(keyof State)[]} */ (["forces", "threshold", "forceWidth", "joints", "springs", "arrows", "chosen", "follow", "cuts", "images"]);
    store.on(marks, () => { this.overlay.key = ""; });
    store.on([...marks, "shadows", "dark"], () => this.change());
    store.on(["hovered"], () => {
      // An outline lies over the picture, which stays.
      this.renderer.hovered = state.hovered + 1;
      this.outlined = false;
      this.wake();
    });
    store.on(["follow", "chosen"], () => { this.followed = null; });
    store.on(["chosen"], () => void this.overlay.loadTrack());
    store.on(["arrows", "tables"], () => void this.overlay.loadForces());
  }

  needsContacts() {
    const { forces, chosen } = this.store.state;
    if (!this.recording.info?.has_contacts) return false;
    return forces !== "off" || chosen >= 0 || this.looks.needsContacts;
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
    // Only pictures one after the other say how long one takes.
    if (moving && this.movedAt === this.lastTick) renderer.detail.timed(now - this.lastTick);
    if (moving) this.movedAt = now;
    // Between two moves of the hand a picture of very many balls is not made whole.
    const rests = renderer.isComplete || now - this.movedAt > REST;
    if (this.shown !== null && (moving || (renderer.unfinished && rests))) {
      this.fitCanvas();
      if (moving) renderer.touch();
      renderer.draw(moving);
      if (moving) this.onDrawn();
    } else if (this.shown !== null && !this.outlined) {
      renderer.show(null);
    }
    this.outlined = true;
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

  /** Whether the outline of what is under the cursor is on the screen. */
  outlined = true;
  lastTick = 0;
  movedAt = 0;
  samplesBegun = 0;

  /** Brings the moment of the clock to the card. */
  takeMoment() {
    const { player, renderer, store, looks } = this;
    const shown = player.moment();
    if (shown === null) return;
    const { bodies } = renderer;
    const changed = this.shown === null || this.shown.number !== shown.number;
    this.shown = shown;
    bodies.a = looks.slotOf(shown.number, shown.a);
    bodies.b = shown.share > 0 ? looks.slotOf(shown.next, shown.b) : bodies.a;
    renderer.drawn.blend = shown.share;
    renderer.frames = shown.share > 0 ? [shown.a, shown.b] : [shown.a];
    if (store.state.rangeMode === "frame" && changed) store.set({ range: looks.rangeFor(shown) });
    renderer.drawn.range = store.state.range;
    renderer.drawn.log = store.state.colorLog;
    if (changed) renderer.shadowsFor(shown.a);
    const { state } = store;
    renderer.shadowKey = `${shown.number},${shown.share},${looks.version},${state.images},${JSON.stringify(state.cuts)}`;
    this.overlay.update(shown, this.momentOf(shown));
    this.followChosen(shown);
    renderer.chosen = store.state.chosen + 1;
    renderer.hovered = store.state.hovered + 1;
  }

  /** @param {import("./player.js").Shown} shown @returns {import("./marks.js").Moment} */
  momentOf(shown) {
    return { a: shown.a, b: shown.b, share: shown.share, period: this.renderer.drawn.period, time: this.player.time };
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
