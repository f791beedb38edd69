// Panels that change how the scene looks: colours, groups, forces, cuts, views.

import { checkbox, choice, el, field, fill, icon, iconButton, press, slider } from "./dom.js";
import { lookFrom } from "../controls.js";
import { withUnit } from "../format.js";
import { MAPS } from "../maps.js";
import { QUANTITIES, quantityOf, recordedQuantities } from "../quantities.js";

/** @typedef {import("../viewer.js").Viewer} Viewer */
/** @typedef {import("../recording.js").ClipPlane} ClipPlane */

/** @param {Viewer} viewer */
export function colorsPanel(viewer) {
  const { store, recording } = viewer;
  const { state } = store;
  const hasContacts = recording.info?.has_contacts ?? false;
  /** @type {[string, string][]} */
  const options = [["own", "the scene's own colours"], ["material", "material"], ["group", "group"],
    ...recordedQuantities(recording).map((name) => /** @type {[string, string]} */ ([name, QUANTITIES[name].label]))];
  const what = choice(options, state.colorBy, (v) => store.set({ colorBy: v }), "Colour by");
  const log = checkbox("by powers of ten", state.colorLog, (on) => store.set({ colorLog: on }));
  const mode = choice([["fixed", "same for all frames"], ["frame", "that of each frame"]], state.rangeMode,
    (v) => store.set({ rangeMode: /** @type {"fixed" | "frame"} */ (v) }), "Range");
  const end = (/** @type {0 | 1} */ k) => el("input", {
    type: "number", step: "any", "aria-label": k === 0 ? "Value of the first colour" : "Value of the last colour",
    onchange: (/** @type {Event} */ event) => {
      const value = Number(/** @type {HTMLInputElement} */ (event.target).value);
      const range = /** @type {[number, number]} */ ([...state.range]);
      range[k] = value;
      if (Number.isFinite(value)) store.set({ range });
    },
  });
  const ends = [end(0), end(1)];
  const unit = el("span", { className: "unit" });
  const map = choice(MAPS, state.colorMap, (v) => store.set({ colorMap: v }), "Colour map");
  const range = el("div", {}, field("Map", map), field("Range", mode), el("div", { className: "pair" }, ends[0], el("span", {}, "to"), ends[1], unit), log.row);
  const refresh = () => {
    what.value = state.colorBy;
    log.input.checked = state.colorLog;
    map.value = state.colorMap;
    mode.value = state.rangeMode;
    range.hidden = quantityOf(state.colorBy) === undefined;
    unit.textContent = quantityOf(state.colorBy)?.unit ?? "";
    ends.forEach((input, k) => { if (document.activeElement !== input) input.value = String(Number(state.range[k].toPrecision(4))); });
  };
  store.on(["colorBy", "colorLog", "colorMap", "range", "rangeMode"], refresh);
  refresh();
  const shadows = checkbox("shadows", state.shadows, (on) => store.set({ shadows: on }));
  const parts = [field("Colour by", what), range, shadows.row];
  if (recording.info?.periodic) parts.push(checkbox("images across the periodic box", state.images, (on) => store.set({ images: on })).row);
  if ((recording.info?.joints.length ?? 0) > 0) parts.push(checkbox("joints", state.joints, (on) => store.set({ joints: on })).row);
  if ((recording.info?.springs.length ?? 0) > 0) parts.push(checkbox("springs and links", state.springs, (on) => store.set({ springs: on })).row);
  if (!hasContacts) parts.push(el("p", { className: "hint" }, "This run recorded no contacts. With recording.contacts = true in the scene, colours can stand for contact forces and touching bodies."));
  return el("div", {}, ...parts);
}

/** @param {Viewer} viewer */
export function groupsPanel(viewer) {
  const { store, recording } = viewer;
  const { state } = store;
  const groups = recording.info?.groups ?? [];
  /** @param {number} k @param {Partial<{ hidden: boolean, opacity: number }>} patch */
  const change = (k, patch) => store.set({ groups: state.groups.map((g, j) => (j === k ? { ...g, ...patch } : g)) });
  const isolate = (/** @type {number} */ k) => {
    const alone = state.groups.every((g, j) => g.hidden === (j !== k));
    store.set({ groups: state.groups.map((g, j) => ({ ...g, hidden: alone ? false : j !== k })) });
  };
  const rows = groups.map((group, k) => {
    const eye = iconButton("eye", `Show ${group.name}`, () => change(k, { hidden: !(state.groups[k]?.hidden ?? false) }), { toggle: true });
    const alone = iconButton("alone", `Show ${group.name} alone`, () => isolate(k));
    const opacity = slider({ min: 0, max: 1, step: 0.02, value: 1, label: `Opacity of ${group.name}` }, (v) => change(k, { opacity: v }));
    const row = el("li", {}, eye, el("span", { className: "name", title: group.name }, group.name), el("span", { className: "count" }, group.members > 1 ? `${group.members}` : ""), opacity, alone);
    return { row, eye, opacity };
  });
  const refresh = () => rows.forEach(({ eye, opacity, row }, k) => {
    const g = state.groups[k] ?? { hidden: false, opacity: 1 };
    press(eye, !g.hidden);
    row.classList.toggle("off", g.hidden);
    opacity.value = String(g.opacity);
  });
  store.on(["groups"], refresh);
  refresh();
  const all = el("button", { type: "button", onclick: () => store.set({ groups: state.groups.map(() => ({ hidden: false, opacity: 1 })) }) }, "Show all");
  const find = el("input", { type: "text", placeholder: "find a group", "aria-label": "Find a group", oninput: () => {
    rows.forEach(({ row }, k) => { row.hidden = !groups[k].name.toLowerCase().includes(find.value.toLowerCase()); });
  } });
  return el("div", {}, rows.length > 8 && find, el("ul", { className: "groups" }, ...rows.map((r) => r.row)), all);
}

/** @param {Viewer} viewer */
export function forcesPanel(viewer) {
  const { store, recording } = viewer;
  const { state } = store;
  const info = recording.info;
  const parts = [];
  if (info?.has_contacts) {
    const mode = choice([["off", "none"], ["chains", "force chains"], ["forces", "forces as arrows"], ["normals", "normals"]], state.forces, (v) => store.set({ forces: v }), "Contacts");
    const strongest = el("span", { className: "unit" });
    const threshold = slider({ min: 0, max: 1, step: 0.01, value: state.threshold, label: "Weakest force that is shown" }, (v) => store.set({ threshold: v }));
    const width = slider({ min: 0.2, max: 3, step: 0.05, value: state.forceWidth, label: "Width" }, (v) => store.set({ forceWidth: v }));
    const ghost = slider({ min: 0, max: 1, step: 0.02, value: state.ghost, label: "Opacity of bodies" }, (v) => store.set({ ghost: v }));
    const most = el("span");
    const more = el("div", {}, el("div", { className: "heat" }, el("span", {}, "0"), el("span", {}, "force of a contact"), most), field("Weakest", threshold, strongest), field("Width", width), field("Bodies", ghost));
    const refresh = () => {
      mode.value = state.forces;
      more.hidden = state.forces === "off";
      most.textContent = withUnit(state.strongest, "N");
      strongest.textContent = state.strongest > 0 ? withUnit(state.threshold * state.strongest, "N") : "";
    };
    store.on(["forces", "threshold", "strongest"], refresh);
    refresh();
    parts.push(field("Contacts", mode), more);
  } else {
    parts.push(el("p", { className: "hint" }, "This run recorded no contacts: set recording.contacts = true in the scene to see forces between bodies."));
  }
  if (info?.tables.includes("forces")) {
    const list = el("table", { className: "figures" });
    const refresh = () => {
      list.hidden = !state.arrows;
      if (!state.arrows) return;
      fill(list, ...viewer.overlay.namedForces(state.time).map(({ name, force }) => el("tr", {}, el("th", {}, name), el("td", {}, withUnit(Math.hypot(...force), "N")))));
    };
    store.on(["arrows", "time"], refresh);
    parts.push(checkbox("forces on named bodies", state.arrows, async (on) => { store.set({ arrows: on }); await viewer.overlay.loadForces(); refresh(); }).row, list);
  }
  return el("div", {}, ...parts);
}

/** Axis, side and place of a cut along an axis. @param {ClipPlane} cut */
export function cutParts(cut) {
  const size = cut.normal.map(Math.abs);
  const axis = size.indexOf(Math.max(...size));
  return { axis, above: cut.normal[axis] > 0, at: cut.point[axis] };
}

/** @param {number} axis @param {boolean} above @param {number} at @returns {ClipPlane} */
export function makeCut(axis, above, at) {
  /** @type {ClipPlane} */
  const cut = { point: [0, 0, 0], normal: [0, 0, 0] };
  cut.point[axis] = at;
  cut.normal[axis] = above ? 1 : -1;
  return cut;
}

/** @param {Viewer} viewer */
export function cutsPanel(viewer) {
  const { store, recording } = viewer;
  const { state } = store;
  const { low, high } = viewer.camera.bounds;
  const origin = recording.info?.origin ?? [0, 0, 0];
  const list = el("ul", { className: "cuts" });
  /** @param {number} k @param {ClipPlane | null} cut */
  const change = (k, cut) => store.set({ cuts: state.cuts.flatMap((c, j) => (j === k ? (cut ? [cut] : []) : [c])) });
  const row = (/** @type {ClipPlane} */ cut, /** @type {number} */ k) => {
    const { axis, above, at } = cutParts(cut);
    const margin = 0.05 * viewer.camera.radius;
    const axisChoice = choice([["0", "x"], ["1", "y"], ["2", "z"]], String(axis), (v) => change(k, makeCut(Number(v), above, 0.5 * (low[Number(v)] + high[Number(v)]))), "Axis of the cut");
    const side = choice([["1", ">"], ["0", "<"]], above ? "1" : "0", (v) => change(k, makeCut(axis, v === "1", at)), "Side that is cut away");
    const value = el("span", { className: "unit" }, withUnit(at + origin[axis], "m"));
    const place = slider({ min: low[axis] - margin, max: high[axis] + margin, step: "any", value: at, label: "Place of the cut" }, (v) => {
      value.textContent = withUnit(v + origin[axis], "m");
      quiet = true;
      change(k, makeCut(axis, above, v));
      quiet = false;
    });
    return el("li", {}, axisChoice, side, place, value, iconButton("close", "Take this cut away", () => change(k, null)));
  };
  let quiet = false;
  const refresh = () => { if (!quiet) fill(list, ...state.cuts.map(row)); };
  store.on(["cuts"], refresh);
  refresh();
  const add = el("button", { type: "button", onclick: () => {
    // Across the line of sight, so that the cut opens towards the viewer.
    const forward = viewer.camera.axes().forward;
    const axis = Math.abs(forward[0]) > Math.abs(forward[1]) ? 0 : 1;
    const cut = makeCut(axis, forward[axis] < 0, 0.5 * (low[axis] + high[axis]));
    if (state.cuts.length < 3) store.set({ cuts: [...state.cuts, cut] });
  } }, "Cut the scene open");
  return el("div", {}, list, add, el("p", { className: "hint" }, "Drag the blue frame in the picture, or the slider. Up to three cuts; ground and walls without end stay whole."));
}

/** @param {Viewer} viewer */
export function viewPanel(viewer) {
  const { store, camera } = viewer;
  const button = (/** @type {string} */ text, /** @type {() => void} */ run) => el("button", { type: "button", onclick: run }, text);
  const views = ["front", "back", "left", "right", "top", "iso"].map((name) => button(name === "iso" ? "slanted" : name, () => lookFrom(viewer, name)));
  const flat = checkbox("parallel rays", camera.view.height > 0, () => { camera.toggleOrthographic(); viewer.change(); });
  const follow = checkbox("go with the chosen body", store.state.follow, (on) => store.set({ follow: on }));
  store.on(["follow"], () => { follow.input.checked = store.state.follow; });
  return el("div", {}, el("div", { className: "grid" }, ...views),
    el("div", { className: "grid" },
      button("as at first", () => { camera.goTo(camera.home); viewer.wake(); }),
      button("frame all", () => { camera.frame(camera.bounds); viewer.wake(); }),
      button("frame chosen", () => { camera.frame(viewer.boxOf(store.state.chosen)); viewer.wake(); })),
    flat.row, follow.row);
}

/** The icon of a panel beside its name. @param {Parameters<typeof icon>[0]} name @param {string} text */
export function panelHeading(name, text) {
  return el("h2", {}, icon(name), el("span", {}, text));
}
