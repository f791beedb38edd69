// What is written over the picture: title, time, legend, length of a bar, the name under the cursor.

import { el, fill } from "./dom.js";
import { categoryColor } from "../colors.js";
import { headingOf, prefixFor, roundBelow, tickLabels, ticksOf, timeText, withUnit } from "../format.js";
import { CONTACT_ID } from "../marks.js";
import { project } from "../math.js";
import { quantityOf } from "../quantities.js";

/** @typedef {import("../viewer.js").Viewer} Viewer */

/** Most names in a legend. */
const MOST_NAMES = 14;

/** @typedef {{ heading: string, ticks: { label: string, share: number }[] } | { heading: string, names: { name: string, color: string }[] } | null} LegendContent */

/** What the legend says at the moment. @param {Viewer} viewer @returns {LegendContent} */
export function legendContent(viewer) {
  const { state } = viewer.store;
  const { info, bodies } = viewer.recording;
  const quantity = quantityOf(state.colorBy);
  if (quantity !== undefined) {
    const [low, high] = state.range;
    const [heading, factor] = headingOf(quantity.label, quantity.unit, Math.max(Math.abs(low), Math.abs(high)));
    const ticks = ticksOf(low, high, state.colorLog);
    const labels = tickLabels(ticks, factor, state.colorLog);
    const share = (/** @type {number} */ v) => (high === low ? 0.5 : state.colorLog ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low));
    return { heading, ticks: ticks.map((v, k) => ({ label: labels[k], share: share(v) })) };
  }
  if (state.colorBy !== "material" && state.colorBy !== "group") return null;
  const used = new Set();
  const column = state.colorBy === "material" ? bodies?.material : bodies?.group;
  bodies?.kind.forEach((kind, k) => kind === 0 && used.add(column?.[k]));
  const all = (state.colorBy === "material" ? info?.materials : info?.groups) ?? [];
  const names = all.map(({ name }, k) => ({ name, k })).filter(({ k }) => used.has(k)).slice(0, MOST_NAMES);
  return { heading: state.colorBy, names: names.map(({ name, k }) => ({ name, color: `rgb(${categoryColor(k).map(Math.round).join(",")})` })) };
}

/** Round length of a scale bar and its width, CSS px. @param {Viewer} viewer @param {number} width @param {number} height */
export function scaleBar(viewer, width, height) {
  const metres = viewer.camera.pixelAtTarget(height);
  const length_ = roundBelow(0.2 * Math.min(width, 1.6 * height) * metres);
  const [prefix, factor] = prefixFor(length_);
  return { pixels: length_ / metres, label: `${Number((length_ / factor).toPrecision(3))} ${prefix}m` };
}

/** The colours of the map from the first to the last. @param {Viewer} viewer @returns {string[]} */
export function mapColors(viewer) {
  const rgb = viewer.looks.map();
  return Array.from({ length: 17 }, (_, k) => {
    const at = 3 * Math.round((255 * k) / 16);
    return `rgb(${rgb[at]},${rgb[at + 1]},${rgb[at + 2]})`;
  });
}

export class Writing {
  /** @param {Viewer} viewer @param {HTMLElement} root */
  constructor(viewer, root) {
    this.viewer = viewer;
    this.root = root;
    const { info } = viewer.recording;
    this.caption = el("p", { className: "caption" });
    this.noted = info?.note ?? "";
    this.note = el("p", { className: "note" }, this.noted);
    this.legend = el("div", { className: "legend", "aria-label": "What the colours mean" });
    this.bar = el("div", { className: "scale-bar" }, el("span"), el("i"));
    this.tip = el("div", { className: "tip", hidden: true });
    this.labels = el("div", { className: "labels" });
    fill(root, el("div", { className: "title" }, el("h1", {}, info?.title ?? ""), this.caption, this.note), this.legend, this.bar, this.labels, this.tip);
    viewer.store.on(["time", "tables", "runState"], () => this.showTime());
    viewer.store.on(["colorBy", "colorLog", "colorMap", "range", "dark"], () => this.showLegend());
    this.showTime();
    this.showLegend();
  }

  showTime() {
    const { store, recording } = this.viewer;
    const { time, runState, frames } = store.state;
    const states = { running: "running", cut: "the recording ends within a frame: what there is is shown", gone: "the run is gone" };
    const state = /** @type {{ [name: string]: string }} */ (states)[runState];
    const moment = frames === 0 ? "no frames yet" : `t = ${timeText(time, recording.info?.time_step)}`;
    fill(this.caption, [moment, state].filter(Boolean).join(" · "));
    const note = recording.info?.note ?? "";
    if (note !== this.noted) this.note.textContent = note;
    this.noted = note;
    const missed = recording.info?.unconverged_count ?? 0;
    if (missed > 0) this.caption.append(el("span", { className: "bad" }, `${missed} ${missed === 1 ? "step" : "steps"} did not converge`));
  }

  showLegend() {
    const content = legendContent(this.viewer);
    this.legend.hidden = content === null;
    if (content === null) return;
    if ("names" in content) {
      const rows = content.names.map(({ name, color }) => {
        const swatch = el("i");
        swatch.style.background = color;
        return el("li", {}, swatch, el("span", {}, name));
      });
      fill(this.legend, el("h2", {}, content.heading), el("ul", {}, ...rows));
      return;
    }
    const strip = el("div", { className: "strip" });
    strip.style.background = `linear-gradient(to top, ${mapColors(this.viewer).join(",")})`;
    const ticks = content.ticks.filter(({ share }) => share >= -1e-6 && share <= 1 + 1e-6).map(({ label, share }) => {
      const tick = el("span", { className: "tick" }, label);
      tick.style.bottom = `${100 * share}%`;
      return tick;
    });
    fill(this.legend, el("h2", {}, content.heading), el("div", { className: "scale" }, strip, el("div", { className: "ticks" }, ...ticks)));
  }

  /** The bar of length, when the camera has moved. */
  showScale() {
    const { canvas } = this.viewer;
    const { pixels, label } = scaleBar(this.viewer, canvas.clientWidth, canvas.clientHeight);
    const [text, line] = /** @type {HTMLElement[]} */ ([...this.bar.children]);
    if (text.textContent !== label) text.textContent = label;
    line.style.width = `${pixels}px`;
  }

  /** Figures at the ends of arrows. */
  showLabels() {
    const { canvas, camera, overlay: { arrowTips } } = this.viewer;
    if (arrowTips.length === 0 && this.labels.childElementCount === 0) return;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    const matrix = camera.matrices(width, height).clipFromWorld;
    const labels = arrowTips.map(({ at, name, size }) => {
      const [x, y, , w] = project(matrix, at);
      const label = el("span", { className: "label", hidden: w <= 0 }, `${name} ${withUnit(size, "N")}`);
      label.style.transform = `translate(${(0.5 * x / w + 0.5) * width + 6}px, ${(0.5 - 0.5 * y / w) * height - 10}px)`;
      return label;
    });
    fill(this.labels, ...labels);
  }

  /** What is under the cursor. @param {{ x: number, y: number }} at @param {number} id */
  showTip(at, id) {
    const { recording } = this.viewer;
    let text = "";
    if (id >= CONTACT_ID) {
      const contacts = recording.contacts(this.viewer.shown?.number ?? 0);
      const k = id - CONTACT_ID;
      if (contacts !== null && k < contacts.count) {
        const f = contacts.force.subarray(3 * k, 3 * k + 3);
        text = `${recording.nameOf(contacts.first[k])} – ${recording.nameOf(contacts.second[k])}: ${withUnit(Math.hypot(f[0], f[1], f[2]), "N")}`;
      }
    } else if (id > 0) {
      text = recording.nameOf(id - 1);
    }
    this.tip.hidden = text === "";
    this.tip.textContent = text;
    this.tip.style.transform = `translate(${at.x + 14}px, ${at.y + 14}px)`;
  }
}
