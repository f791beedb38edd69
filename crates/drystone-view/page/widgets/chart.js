// A chart against time, linked to the clock: a cursor at the moment, a click goes there.

import { download, el, fileName } from "./dom.js";
import { prefixFor, tickLabels, ticksOf, withUnit } from "../format.js";
import { categoryColor } from "../colors.js";

/** @typedef {import("../viewer.js").Viewer} Viewer */
/** @typedef {{ name: string, values: number[] }} Series */

/** Colours of curves that tell apart on light and on dark, safe for the colour-blind. */
const CURVES = [4, 5, 2, 3, 1, 0];
/** How far curves go towards white in the dark. */
const DARK_LIFT = 0.35;
const CHART_HEIGHT = 127;
const EDGE = { left: 46, right: 8, top: 17, bottom: 18 };

/** A table of times and curves as text. @param {number[]} times @param {Series[]} series */
export function toCsv(times, series) {
  const quote = (/** @type {string} */ s) => (/[",\n]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s);
  const rows = times.map((t, k) => [t, ...series.map((s) => (Number.isFinite(s.values[k]) ? s.values[k] : ""))].join(","));
  return `${["time", ...series.map((s) => quote(s.name))].join(",")}\n${rows.join("\n")}\n`;
}

export class Chart {
  /** @param {Viewer} viewer @param {{ title: string, unit: string, log: boolean }} what */
  constructor(viewer, what) {
    this.viewer = viewer;
    this.title = what.title;
    this.unit = what.unit;
    this.log = what.log;
    /** @type {number[]} */
    this.times = [];
    /** @type {Series[]} */
    this.series = [];
    this.canvas = el("canvas", { className: "chart", tabIndex: 0, role: "img", "aria-label": `${what.title} against time; a click goes to that time` });
    this.value = el("span", { className: "now" });
    this.names = el("span", { className: "names" });
    const save = el("button", { type: "button", className: "link", title: "Save as a table", onclick: () => this.save() }, "CSV");
    this.root = el("figure", {}, el("figcaption", {}, el("b", {}, what.title), this.value, this.names, save), this.canvas);
    this.canvas.addEventListener("pointerdown", (event) => { this.canvas.setPointerCapture(event.pointerId); this.go(event); });
    this.canvas.addEventListener("pointermove", (event) => { if (event.buttons === 1) this.go(event); });
    viewer.store.on(["time", "dark"], () => this.schedule());
    new ResizeObserver(() => this.schedule()).observe(this.canvas);
    this.scheduled = false;
  }

  /** @param {number[]} times @param {Series[]} series */
  set(times, series) {
    this.times = times;
    this.series = series;
    this.schedule();
  }

  schedule() {
    if (this.scheduled || !this.root.isConnected) return;
    this.scheduled = true;
    // While the film plays the cursors move ten times a second: the picture comes first.
    setTimeout(() => { this.scheduled = false; this.draw(); }, this.viewer.store.state.playing ? 100 : 0);
  }

  save() {
    download(new Blob([toCsv(this.times, this.series)], { type: "text/csv" }), `${fileName(this.title)}.csv`);
  }

  /** Ends of the axes. */
  ranges() {
    const finite = this.series.flatMap((s) => s.values.filter((v) => Number.isFinite(v) && (!this.log || v > 0)));
    let low = finite.reduce((a, b) => Math.min(a, b), Infinity);
    let high = finite.reduce((a, b) => Math.max(a, b), -Infinity);
    if (!Number.isFinite(low)) [low, high] = [0, 1];
    if (this.log) return { low: low / 1.5, high: high * 1.5 };
    if (low > 0 && low < 0.4 * high) low = 0;
    const room = 0.06 * (high - low) || 0.5 * Math.abs(high) || 1;
    return { low: low === 0 ? 0 : low - room, high: high + room };
  }

  /** @param {PointerEvent} event */
  go(event) {
    const { player } = this.viewer;
    const box = this.canvas.getBoundingClientRect();
    const share = (event.clientX - box.left - EDGE.left) / (box.width - EDGE.left - EDGE.right);
    player.pause();
    this.viewer.seek(player.begin + share * (player.end - player.begin));
  }

  draw() {
    const { canvas, viewer } = this;
    const width = canvas.clientWidth;
    const ratio = globalThis.devicePixelRatio || 1;
    if (width === 0) return;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(CHART_HEIGHT * ratio);
    const context = canvas.getContext("2d");
    if (context === null) return;
    context.scale(ratio, ratio);
    const style = getComputedStyle(canvas);
    const { low, high } = this.ranges();
    const { begin, end } = viewer.player;
    const x = (/** @type {number} */ t) => EDGE.left + ((width - EDGE.left - EDGE.right) * (t - begin)) / (end - begin || 1);
    const bend = (/** @type {number} */ v) => (this.log ? Math.log(v) : v);
    const y = (/** @type {number} */ v) => CHART_HEIGHT - EDGE.bottom - ((CHART_HEIGHT - EDGE.top - EDGE.bottom) * (bend(v) - bend(low))) / (bend(high) - bend(low) || 1);
    this.drawAxes(context, style, { low, high, begin, end, x, y, width });
    context.lineWidth = 1.5;
    context.lineJoin = "round";
    this.series.forEach((series, k) => {
      context.strokeStyle = this.colorOf(k);
      context.beginPath();
      this.curve(context, series.values, x, y);
      context.stroke();
    });
    context.fillStyle = style.getPropertyValue("--accent");
    context.fillRect(x(viewer.store.state.time) - 0.75, EDGE.top, 1.5, CHART_HEIGHT - EDGE.top - EDGE.bottom);
    this.showNow();
  }

  /** @param {number} k */
  colorOf(k) {
    // On a dark ground the same hues, lighter.
    const lift = this.viewer.store.state.dark ? DARK_LIFT : 0;
    return `rgb(${categoryColor(CURVES[k % CURVES.length]).map((c) => Math.round(c + lift * (255 - c))).join(",")})`;
  }

  /**
   * A curve of many points: of those on one pixel the lowest and the highest.
   * @param {CanvasRenderingContext2D} context @param {number[]} values
   * @param {(t: number) => number} x @param {(v: number) => number} y
   */
  curve(context, values, x, y) {
    let pen = false;
    let column = -1;
    let [least, most] = [Infinity, -Infinity];
    const flush = () => {
      if (most < least) return;
      if (pen) context.lineTo(column, most);
      else context.moveTo(column, most);
      if (least !== most) context.lineTo(column, least);
      pen = true;
    };
    for (let k = 0; k < values.length; k += 1) {
      const v = values[k];
      const at = Math.round(2 * x(this.times[k])) / 2;
      if (at !== column) {
        flush();
        [column, least, most] = [at, Infinity, -Infinity];
      }
      if (!Number.isFinite(v) || (this.log && v <= 0)) {
        // A gap in the values is a gap in the curve.
        flush();
        [pen, least, most] = [false, Infinity, -Infinity];
        continue;
      }
      least = Math.min(least, y(v));
      most = Math.max(most, y(v));
    }
    flush();
  }

  /** @param {CanvasRenderingContext2D} context @param {CSSStyleDeclaration} style @param {any} axes */
  drawAxes(context, style, { low, high, begin, end, x, y, width }) {
    context.font = `11px ${style.fontFamily}`;
    context.fillStyle = style.getPropertyValue("--faint-ink");
    const [prefix, factor] = this.unit === "" || this.log ? ["", 1] : prefixFor(Math.max(Math.abs(low), Math.abs(high)));
    const ticks = ticksOf(low, high, this.log, 3);
    context.textAlign = "right";
    tickLabels(ticks, factor, this.log).forEach((label, k) => {
      context.globalAlpha = 1;
      context.fillText(label, EDGE.left - 5, y(ticks[k]) + 4);
      context.globalAlpha = 0.22;
      context.fillRect(EDGE.left, Math.round(y(ticks[k])), width - EDGE.left - EDGE.right, 1);
    });
    context.globalAlpha = 1;
    // What the figures at the axis are in, above the topmost of them; those at the bottom are seconds.
    context.fillText(`${prefix}${this.unit}`, EDGE.left - 5, 9);
    context.textAlign = "center";
    const times = ticksOf(begin, end, false, 4);
    tickLabels(times, 1, false).forEach((label, k) => context.fillText(k + 1 === times.length ? `${label} s` : label, Math.min(x(times[k]), width - 16), CHART_HEIGHT - 4));
  }

  /** The values at the moment beside the title. */
  showNow() {
    const { time } = this.viewer.store.state;
    let row = this.times.findIndex((t) => t >= time - 1e-9);
    if (row < 0) row = this.times.length - 1;
    this.value.textContent = this.series.length === 1 ? withUnit(this.series[0].values[row] ?? NaN, this.unit) : "";
    this.names.replaceChildren(...(this.series.length < 2 ? [] : this.series.map((s, k) => {
      const swatch = el("i");
      swatch.style.background = this.colorOf(k);
      return el("span", {}, swatch, `${s.name} ${withUnit(s.values[row] ?? NaN, this.unit)}`);
    })));
  }
}
