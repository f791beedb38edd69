// The frame of a cut in the picture, which can be dragged along its normal.

import { cutParts, makeCut } from "./widgets/look_panels.js";
import { along, dot, length, project, sub } from "./math.js";

/** @typedef {import("./viewer.js").Viewer} Viewer */
/** @typedef {import("./math.js").Vec3} Vec3 */

/** How near the cursor must be to the frame to take hold of it, CSS px. */
const GRIP = 9;

/** Ends of the four sides of a cut's frame around the scene. @param {Viewer} viewer @param {import("./recording.js").ClipPlane} cut */
function frameOf(viewer, cut) {
  const { low, high } = viewer.camera.bounds;
  const { axis, at } = cutParts(cut);
  const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
  const margin = 0.06 * viewer.camera.radius;
  const corner = (/** @type {number} */ p, /** @type {number} */ q) => {
    /** @type {Vec3} */
    const point = [0, 0, 0];
    point[axis] = at;
    point[u] = p ? high[u] + margin : low[u] - margin;
    point[v] = q ? high[v] + margin : low[v] - margin;
    return point;
  };
  const ring = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
  return ring.map((from, k) => /** @type {[Vec3, Vec3]} */ ([from, ring[(k + 1) % 4]]));
}

export class CutHandles {
  /** @param {Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
    viewer.store.on(["cuts"], () => this.show());
    this.isShown = false;
  }

  /** Shows frames while the panel of cuts is open. @param {boolean} shown */
  setShown(shown) {
    this.isShown = shown;
    this.show();
  }

  show() {
    const { viewer } = this;
    const { cuts } = viewer.store.state;
    viewer.overlay.cutFrame = this.isShown && cuts.length > 0 ? cuts.flatMap((cut) => frameOf(viewer, cut).flat(2)) : null;
    viewer.overlay.change();
  }

  /** A point in CSS pixels. @param {Vec3} point */
  onScreen(point) {
    const { canvas, camera } = this.viewer;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    const [x, y, , w] = project(camera.matrices(width, height).clipFromWorld, point);
    return w > 0 ? { x: (0.5 * x / w + 0.5) * width, y: (0.5 - 0.5 * y / w) * height } : null;
  }

  /** Takes hold of a frame under the cursor: what follows the cursor, or null. @param {number} x @param {number} y @returns {((x: number, y: number) => void) | null} */
  grab(x, y) {
    if (!this.isShown) return null;
    const { store } = this.viewer;
    for (const [k, cut] of store.state.cuts.entries()) {
      for (const [from, to] of frameOf(this.viewer, cut)) {
        const [a, b] = [this.onScreen(from), this.onScreen(to)];
        if (a === null || b === null) continue;
        const way = { x: b.x - a.x, y: b.y - a.y };
        const share = Math.min(Math.max(((x - a.x) * way.x + (y - a.y) * way.y) / (way.x ** 2 + way.y ** 2 || 1), 0), 1);
        if (Math.hypot(a.x + share * way.x - x, a.y + share * way.y - y) > GRIP) continue;
        return this.follower(k, along(from, sub(to, from), share), { x, y });
      }
    }
    return null;
  }

  /** Moves a cut so that a point of its frame stays under the cursor. @param {number} k @param {Vec3} point @param {{ x: number, y: number }} begun */
  follower(k, point, begun) {
    const { store, camera } = this.viewer;
    const { axis, above, at } = cutParts(store.state.cuts[k]);
    /** @type {Vec3} */
    const step = [0, 0, 0];
    step[axis] = 0.01 * camera.radius;
    const [here, there] = [this.onScreen(point), this.onScreen(along(point, step, 1))];
    return (/** @type {number} */ x, /** @type {number} */ y) => {
      if (here === null || there === null) return;
      // Pixels along the axis in the picture, turned into metres.
      const way = [there.x - here.x, there.y - here.y, 0];
      const moved = dot([x - begun.x, y - begun.y, 0], way) / Math.max(length(way) ** 2, 1e-6);
      const place = at + moved * step[axis];
      store.set({ cuts: store.state.cuts.map((c, j) => (j === k ? makeCut(axis, above, place) : c)) });
    };
  }
}
