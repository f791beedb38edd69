// The bar of time: play, step, scrub, phases, and red marks where a step did not converge.

import { el, iconButton, icon, fill, press } from "./dom.js";
import { timeText } from "../format.js";
import { placeOf } from "../recording.js";

/** @typedef {import("../viewer.js").Viewer} Viewer */

const SPEEDS = [1 / 64, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16, 64];

/** @param {number} speed */
function speedText(speed) {
  return speed >= 1 ? `${speed}×` : `1/${Math.round(1 / speed)}×`;
}

export class Timeline {
  /** @param {Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
    const { store } = viewer;
    this.play = iconButton("play", "Play", () => viewer.togglePlay(), { key: "space" });
    this.play.classList.add("main");
    const to = (/** @type {number} */ time) => () => viewer.seek(time);
    const step = (/** @type {number} */ by) => () => { viewer.player.step(by); viewer.change(); };
    this.loop = iconButton("loop", "Loop", () => viewer.setClock({ loop: !store.state.loop }), { key: "l", toggle: true });
    this.smooth = iconButton("smooth", "Smooth between frames", () => viewer.setClock({ interpolate: !store.state.interpolate }), { key: "i", toggle: true });
    this.live = iconButton("live", "Follow the newest frame", () => viewer.setClock({ following: !store.state.following }), { key: "End", toggle: true, text: "Live" });
    this.live.classList.add("live");
    this.clock = el("output", { className: "clock", "aria-label": "Time" });
    this.speed = el("select", { className: "speed", "aria-label": "Speed", title: "Speed (+, -)", onchange: () => viewer.setClock({ speed: Number(this.speed.value) }) },
      ...SPEEDS.map((s) => el("option", { value: String(s) }, speedText(s))));
    this.marks = el("canvas", { className: "marks" });
    this.bar = el("input", { type: "range", className: "scrub", min: "0", max: "1", step: "any", "aria-label": "Moment of the run", oninput: () => this.scrub() });
    this.bar.dataset["keys"] = "global";
    this.preview = el("div", { className: "preview", hidden: true });
    this.track = el("div", { className: "track" }, this.marks, this.bar, this.preview);
    this.track.addEventListener("pointermove", (event) => this.showPreview(event));
    this.track.addEventListener("pointerleave", () => { this.preview.hidden = true; });
    this.root = el("footer", { className: "timeline", "aria-label": "Time" },
      el("div", { className: "buttons", role: "group", "aria-label": "Play" },
        iconButton("first", "To the beginning", () => to(viewer.player.begin)(), { key: "Home" }),
        iconButton("back", "A frame back", step(-1), { key: "←" }),
        this.play,
        iconButton("next", "A frame on", step(1), { key: "→" }),
        iconButton("last", "To the end", () => to(viewer.player.end)(), { key: "End" })),
      this.clock, this.track,
      el("div", { className: "buttons", role: "group", "aria-label": "How it plays" }, this.speed, this.loop, this.smooth, this.live));
    store.on(["time", "frames"], () => this.showTime());
    store.on(["playing", "speed", "loop", "interpolate", "following", "runState"], () => this.showButtons());
    store.on(["frames", "tables", "dark"], () => this.drawMarks());
    new ResizeObserver(() => this.drawMarks()).observe(this.track);
    this.showTime();
    this.showButtons();
  }

  scrub() {
    this.viewer.player.pause();
    this.viewer.seek(Number(this.bar.value));
  }

  showTime() {
    const { player, store, recording } = this.viewer;
    const { time, frame, frames } = store.state;
    this.bar.min = String(player.begin);
    this.bar.max = String(player.end);
    this.bar.value = String(time);
    const step = recording.info?.time_step ?? 0.001;
    this.bar.setAttribute("aria-valuetext", `${timeText(time, step)}, frame ${frame + 1} of ${frames}`);
    fill(this.clock, el("b", {}, timeText(time, step)), el("span", {}, frames === 0 ? "no frames yet" : `frame ${frame + 1} of ${frames}`));
  }

  showButtons() {
    const { state } = this.viewer.store;
    fill(this.play, icon(state.playing ? "pause" : "play"));
    const label = state.playing ? "Stop" : "Play";
    this.play.setAttribute("aria-label", label);
    this.play.title = `${label} (space)`;
    press(this.loop, state.loop);
    press(this.smooth, state.interpolate);
    press(this.live, state.following);
    this.live.hidden = state.runState !== "running";
    this.speed.value = String(state.speed);
  }

  /** @param {PointerEvent} event */
  showPreview(event) {
    const { player, recording } = this.viewer;
    const box = this.track.getBoundingClientRect();
    const share = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
    const time = player.begin + share * (player.end - player.begin);
    const phase = (recording.info?.phases ?? []).filter((p) => p.time <= time).pop();
    const { frame } = placeOf(recording.times, time);
    this.preview.hidden = false;
    this.preview.textContent = [timeText(time, recording.info?.time_step), `frame ${frame + 1}`, phase?.name].filter(Boolean).join(" · ");
    this.preview.style.left = `${Math.min(Math.max(event.clientX - box.left, 60), box.width - 60)}px`;
  }

  /** Phases, and red marks where steps did not converge. */
  drawMarks() {
    const { viewer, marks } = this;
    const ratio = globalThis.devicePixelRatio || 1;
    const [width, height] = [this.track.clientWidth, this.track.clientHeight];
    marks.width = Math.round(width * ratio);
    marks.height = Math.round(height * ratio);
    const context = marks.getContext("2d");
    if (context === null || width === 0) return;
    context.scale(ratio, ratio);
    const { begin, end } = viewer.player;
    const info = viewer.recording.info;
    // As wide as the way of the thumb.
    const x = (/** @type {number} */ time) => 8 + ((width - 16) * (time - begin)) / (end - begin || 1);
    const style = getComputedStyle(this.root);
    context.font = `11px ${style.fontFamily}`;
    const phases = info?.phases ?? [];
    phases.forEach((phase, k) => {
      const [from, to] = [x(Math.max(phase.time, begin)), x(Math.min(phases[k + 1]?.time ?? end, end))];
      if (phase.time > end || to <= from) return;
      context.fillStyle = style.getPropertyValue(k % 2 === 0 ? "--phase-a" : "--phase-b");
      context.fillRect(from, height / 2 - 3, to - from, 6);
      context.fillStyle = style.getPropertyValue("--faint-ink");
      if (to - from > context.measureText(phase.name).width + 6) context.fillText(phase.name, from + 2, height / 2 - 8);
      if (k > 0) context.fillRect(from - 0.5, height / 2 - 8, 1, 16);
    });
    if (phases.length === 0) {
      context.fillStyle = style.getPropertyValue("--phase-a");
      context.fillRect(x(begin), height / 2 - 3, width - 16, 6);
    }
    context.fillStyle = style.getPropertyValue("--bad");
    for (const step of info?.unconverged ?? []) {
      context.fillRect(x(step * (info?.time_step ?? 0)) - 1, height / 2 + 4, 2, 7);
    }
  }
}
