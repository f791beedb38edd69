// Moving about: mouse, touch and keys.

import { CONTACT_ID } from "./marks.js";
import { scale } from "./math.js";

/** @typedef {import("./viewer.js").Viewer} Viewer */
/** @typedef {import("./math.js").Vec3} Vec3 */

/** Radians that a drag over the whole height turns. */
const TURN = 3.2;
/** A press that moves less is a click, px. */
const STILL = 5;

/** Standard views: direction of sight and what is up. @type {{ [name: string]: [Vec3, Vec3] }} */
export const STANDARD_VIEWS = {
  front: [[0, 1, 0], [0, 0, 1]],
  back: [[0, -1, 0], [0, 0, 1]],
  right: [[-1, 0, 0], [0, 0, 1]],
  left: [[1, 0, 0], [0, 0, 1]],
  top: [[0, 0, -1], [0, 1, 0]],
  iso: [[-1, 1, -0.8165], [0, 0, 1]],
};

/** Pointers on the canvas: one turns, two pinch and move; the wheel zooms to the cursor. */
export class Controls {
  /** @param {Viewer} viewer @param {{ grab: (x: number, y: number) => ((x: number, y: number) => void) | null }} handles things in the picture that can be dragged */
  constructor(viewer, handles) {
    this.viewer = viewer;
    this.handles = handles;
    /** @type {Map<number, { x: number, y: number }>} */
    this.pointers = new Map();
    this.moved = 0;
    /** @type {((x: number, y: number) => void) | null} */
    this.dragged = null;
    /** @type {{ x: number, y: number } | null} */
    this.hover = null;
    this.hovering = false;
    const { canvas } = viewer;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", (event) => { this.pointers.delete(event.pointerId); this.dragged = null; });
    canvas.addEventListener("pointerleave", () => viewer.store.set({ hovered: -1 }));
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("dblclick", () => viewer.camera.frame(viewer.boxOf(viewer.store.state.chosen)));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  /** Place in the canvas, CSS px. @param {MouseEvent} event */
  place(event) {
    const box = this.viewer.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  /** From -1 to 1. @param {{ x: number, y: number }} at @returns {[number, number]} */
  share(at) {
    const { clientWidth, clientHeight } = this.viewer.canvas;
    return [(2 * at.x) / clientWidth - 1, 1 - (2 * at.y) / clientHeight];
  }

  /** @param {PointerEvent} event */
  down(event) {
    const at = this.place(event);
    this.viewer.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, at);
    // A second finger is no click, however still it is.
    this.moved = this.pointers.size === 1 ? 0 : Infinity;
    this.dragged = this.pointers.size === 1 ? this.handles.grab(at.x, at.y) : null;
    this.viewer.canvas.focus({ preventScroll: true });
  }

  /** @param {PointerEvent} event */
  move(event) {
    const { viewer } = this;
    const at = this.place(event);
    const before = this.pointers.get(event.pointerId);
    if (before === undefined) {
      this.hoverAt(at);
      return;
    }
    const [dx, dy] = [at.x - before.x, at.y - before.y];
    this.moved += Math.hypot(dx, dy);
    if (this.dragged !== null) {
      this.dragged(at.x, at.y);
    } else if (this.pointers.size === 2) {
      this.pinch(event.pointerId, before, at);
    } else if (this.moved > STILL) {
      const height = viewer.canvas.clientHeight;
      const pans = event.buttons === 2 || event.buttons === 4 || event.shiftKey || event.ctrlKey;
      if (pans) viewer.camera.pan(dx, dy, height);
      else viewer.camera.orbit((TURN * dx) / height, (TURN * dy) / height);
      viewer.change();
    }
    this.pointers.set(event.pointerId, at);
  }

  /** @param {number} id @param {{ x: number, y: number }} before @param {{ x: number, y: number }} at */
  pinch(id, before, at) {
    const other = [...this.pointers].find(([key]) => key !== id)?.[1];
    if (other === undefined) return;
    const apart = (/** @type {{ x: number, y: number }} */ p) => Math.max(Math.hypot(p.x - other.x, p.y - other.y), 1);
    const middle = { x: 0.5 * (at.x + other.x), y: 0.5 * (at.y + other.y) };
    this.viewer.camera.zoom(apart(before) / apart(at), ...this.share(middle));
    this.viewer.camera.pan(0.5 * (at.x - before.x), 0.5 * (at.y - before.y), this.viewer.canvas.clientHeight);
    this.viewer.change();
  }

  /** @param {PointerEvent} event */
  up(event) {
    const at = this.place(event);
    this.pointers.delete(event.pointerId);
    const dragged = this.dragged !== null;
    this.dragged = null;
    if (this.moved > STILL || event.button !== 0 || dragged) return;
    const id = this.viewer.pick(at.x, at.y);
    this.viewer.store.set({ chosen: id === 0 || id >= CONTACT_ID ? -1 : id - 1 });
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 20 : 1;
    const by = Math.min(Math.max(event.deltaY * lines, -200), 200);
    this.viewer.camera.zoom(Math.exp(0.0016 * by), ...this.share(this.place(event)));
    this.viewer.change();
  }

  /** Looks what is under the cursor, once a frame. @param {{ x: number, y: number }} at */
  hoverAt(at) {
    this.hover = at;
    if (this.hovering || this.viewer.player.playing) return;
    this.hovering = true;
    requestAnimationFrame(() => {
      this.hovering = false;
      if (this.hover === null) return;
      const id = this.viewer.pick(this.hover.x, this.hover.y);
      this.onHover(this.hover, id);
      this.viewer.store.set({ hovered: id === 0 || id >= CONTACT_ID ? -1 : id - 1 });
    });
  }

  /** Told what is under the cursor. @type {(at: { x: number, y: number }, id: number) => void} */
  onHover = () => {};
}

/** Looks along a standard view. @param {Viewer} viewer @param {string} name */
export function lookFrom(viewer, name) {
  const view = STANDARD_VIEWS[name];
  if (view === undefined) return;
  viewer.camera.lookAlong(scale(view[0], 1), view[1]);
  viewer.wake();
}

/**
 * What the keys do, by the key's name: for the keyboard and for the help.
 * @param {Viewer} viewer
 * @param {{ help: () => void, panel: (name: string) => void, picture: () => void }} actions
 * @returns {{ keys: string[], text: string, run: (event: KeyboardEvent) => void }[]}
 */
export function keyActions(viewer, actions) {
  const { camera, player } = viewer;
  const seekEnd = (/** @type {boolean} */ end) => viewer.seek(end ? player.end : player.begin);
  const step = (/** @type {number} */ by) => { player.step(by); viewer.change(); };
  return [
    { keys: [" ", "k"], text: "play or stop", run: () => viewer.togglePlay() },
    { keys: ["ArrowLeft"], text: "a frame back; with Shift ten", run: (e) => step(e.shiftKey ? -10 : -1) },
    { keys: ["ArrowRight"], text: "a frame on; with Shift ten", run: (e) => step(e.shiftKey ? 10 : 1) },
    { keys: ["Home"], text: "to the beginning", run: () => seekEnd(false) },
    { keys: ["End"], text: "to the end; a live run is followed", run: () => { seekEnd(true); if (viewer.store.state.runState === "running") viewer.setClock({ following: true }); } },
    { keys: ["+", "="], text: "faster", run: () => viewer.setClock({ speed: Math.min(player.speed * 2, 64) }) },
    { keys: ["-"], text: "slower", run: () => viewer.setClock({ speed: Math.max(player.speed / 2, 1 / 64) }) },
    { keys: ["l"], text: "loop", run: () => viewer.setClock({ loop: !player.loop }) },
    { keys: ["i"], text: "smooth between frames", run: () => viewer.setClock({ interpolate: !player.interpolate }) },
    { keys: ["f"], text: "frame the chosen body, or all", run: () => { camera.frame(viewer.boxOf(viewer.store.state.chosen)); viewer.wake(); } },
    { keys: ["0", "h"], text: "the view as at first", run: () => { camera.goTo(camera.home); viewer.wake(); } },
    { keys: ["1"], text: "front", run: () => lookFrom(viewer, "front") },
    { keys: ["2"], text: "right", run: () => lookFrom(viewer, "right") },
    { keys: ["3"], text: "top", run: () => lookFrom(viewer, "top") },
    { keys: ["4"], text: "slanted", run: () => lookFrom(viewer, "iso") },
    { keys: ["o"], text: "parallel rays or perspective", run: () => { camera.toggleOrthographic(); viewer.change(); } },
    { keys: ["g"], text: "go with the chosen body", run: () => viewer.store.set({ follow: !viewer.store.state.follow }) },
    { keys: ["c"], text: "colours", run: () => actions.panel("colors") },
    { keys: ["p"], text: "plots", run: () => actions.panel("plots") },
    { keys: ["d"], text: "light or dark", run: () => viewer.store.set({ dark: !viewer.store.state.dark }) },
    { keys: ["s"], text: "save a picture", run: () => actions.picture() },
    { keys: ["Escape"], text: "let go of the chosen body, close", run: () => { viewer.store.set({ chosen: -1 }); actions.panel(""); } },
    { keys: ["?"], text: "this help", run: () => actions.help() },
  ];
}

/** @param {ReturnType<typeof keyActions>} actions */
export function listenToKeys(actions) {
  document.addEventListener("keydown", (event) => {
    // An open dialog has the keys for itself: Escape closes it.
    if (document.querySelector("dialog[open]") !== null) return;
    const target = /** @type {HTMLElement} */ (event.target);
    const types = target instanceof HTMLInputElement && ["text", "number"].includes(target.type);
    if (types || target instanceof HTMLSelectElement || event.ctrlKey || event.metaKey || event.altKey) return;
    // A focused button takes the space bar, a slider its arrows.
    if (event.key === " " && target instanceof HTMLButtonElement) return;
    if (target instanceof HTMLInputElement && target.type === "range" && target.dataset["keys"] !== "global" && (event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End")) return;
    const action = actions.find(({ keys }) => keys.includes(event.key));
    if (action === undefined) return;
    event.preventDefault();
    action.run(event);
  });
}
