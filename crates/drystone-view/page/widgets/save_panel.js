// Taking away: pictures, films, frames, links.

import { checkbox, download, el, field, fileName } from "./dom.js";
import { linkText } from "../link.js";
import { canFilm, filmOf, pictureOf, pngOf, zipOfFrames } from "../takeaway.js";

/** @typedef {import("../viewer.js").Viewer} Viewer */

/** Samples of a pixel in pictures, and in the many of a film. */
const FINE = 64;
const QUICK = 12;

/** @param {Viewer} viewer @param {string} label @param {number} value */
function numberInput(viewer, label, value) {
  return el("input", { type: "number", min: "1", max: "16384", step: "1", value: String(value), "aria-label": label });
}

/** @param {Viewer} viewer */
export function savePanel(viewer) {
  const name = fileName(viewer.recording.info?.title ?? "");
  const width = numberInput(viewer, "Width in pixels", 1920);
  const height = numberInput(viewer, "Height in pixels", 1200);
  const writing = checkbox("title, legend and scale", true, () => {});
  const status = el("p", { className: "hint", role: "status" });
  let busy = false;
  /** Does one thing at a time and says how it goes. @param {string} what @param {(go: (share: number) => boolean) => Promise<void>} work */
  const doing = async (what, work) => {
    if (busy) {
      busy = false;
      return;
    }
    busy = true;
    status.textContent = `${what}…`;
    try {
      await work((share) => {
        status.textContent = `${what}: ${Math.round(100 * share)} %. Press again to stop.`;
        return busy;
      });
      status.textContent = busy ? `${what}: done.` : `${what}: stopped.`;
    } catch (error) {
      status.textContent = `${what}: ${error instanceof Error ? error.message : error}`;
    }
    busy = false;
  };
  const picture = () => doing("Picture", async () => {
    const canvas = await pictureOf(viewer, Number(width.value), Number(height.value), { samples: FINE, writing: writing.input.checked });
    download(await pngOf(canvas), `${name}.png`);
  });
  const every = numberInput(viewer, "One frame in so many", 1);
  const zip = () => doing("Frames", async (go) => {
    const how = { width: Number(width.value), height: Number(height.value), every: Math.max(1, Number(every.value)), samples: QUICK };
    const file = await zipOfFrames(viewer, how, go);
    if (file !== null) download(file, `${name}-frames.zip`);
  });
  const film = () => doing("Film", async (go) => {
    const file = await filmOf(viewer, go);
    if (file !== null) download(file, `${name}.webm`);
  });
  const link = async () => {
    const text = linkText(viewer);
    history.replaceState(null, "", text);
    try {
      await navigator.clipboard.writeText(location.href);
      status.textContent = "The link is on the clipboard and in the address bar.";
    } catch {
      status.textContent = "The link is in the address bar.";
    }
  };
  const button = (/** @type {string} */ text, /** @type {() => void} */ run, disabled = false) => el("button", { type: "button", disabled, onclick: run }, text);
  const root = el("div", {},
    el("div", { className: "pair" }, width, el("span", {}, "×"), height, el("span", { className: "unit" }, "px")), writing.row,
    button("Save a picture (PNG)", picture),
    button("Save a film as it plays (WebM)", film, !canFilm()),
    field("One frame in", every), button("Save frames (zip of PNG)", zip),
    button("Copy a link to this view", () => void link()), status);
  return { root, picture };
}
