// The part of the address after #: camera, time and looks, so that a link shows what one sees.

import { viewFromText, viewToText } from "./camera.js";
import { MAPS } from "./maps.js";
import { recordedQuantities } from "./quantities.js";

/** @typedef {import("./viewer.js").Viewer} Viewer */

/** @param {Viewer} viewer */
export function linkText(viewer) {
  const { state } = viewer.store;
  const parts = new URLSearchParams();
  parts.set("t", String(Number(state.time.toFixed(6))));
  parts.set("view", viewToText(viewer.camera.view));
  parts.set("color", state.colorBy);
  if (state.colorMap !== "viridis") parts.set("map", state.colorMap);
  if (state.colorLog) parts.set("log", "1");
  if (state.chosen >= 0) parts.set("body", String(state.chosen));
  if (state.forces !== "off") parts.set("forces", state.forces);
  if (state.dark) parts.set("dark", "1");
  return `#${parts.toString()}`;
}

/** Takes over what a link says; what it says wrongly is left alone. @param {Viewer} viewer @param {string} hash */
export function applyLink(viewer, hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  const view = viewFromText(parts.get("view") ?? "");
  if (view !== null) viewer.camera.goTo(view, true);
  const color = parts.get("color");
  if (color !== null && ["own", "material", "group", ...recordedQuantities(viewer.recording)].includes(color)) viewer.store.set({ colorBy: color });
  const map = parts.get("map");
  if (map !== null && MAPS.some(([name]) => name === map)) viewer.store.set({ colorMap: map });
  if (parts.get("log") === "1") viewer.store.set({ colorLog: true });
  const forces = parts.get("forces");
  if (forces !== null && ["chains", "forces", "normals"].includes(forces)) viewer.store.set({ forces });
  const body = Number(parts.get("body") ?? "-1");
  if (Number.isInteger(body) && body >= 0 && body < (viewer.recording.bodies?.kind.length ?? 0)) viewer.store.set({ chosen: body });
  if (parts.get("dark") === "1") viewer.store.set({ dark: true });
  const time = Number(parts.get("t") ?? "");
  if (parts.has("t") && Number.isFinite(time)) viewer.seek(time);
}
