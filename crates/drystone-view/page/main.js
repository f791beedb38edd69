// Opens the recording and puts the page together.

import { Controls, keyActions, listenToKeys } from "./controls.js";
import { CutHandles } from "./cut_handle.js";
import { roundingText } from "./format.js";
import { applyLink } from "./link.js";
import { Recording } from "./recording.js";
import { contextOf } from "./render/gl.js";
import { openTransport } from "./transport.js";
import { Viewer } from "./viewer.js";
import { el } from "./widgets/dom.js";
import { banner, helpDialog, showFailure } from "./widgets/notices.js";
import { Panel } from "./widgets/panel.js";
import { Timeline } from "./widgets/timeline.js";
import { Writing } from "./widgets/writing.js";

/** @typedef {import("./transport.js").Transport} Transport */

/** A live run's tables are read again after so long, ms. */
const TABLES_EVERY = 2000;

/** @param {string} id */
function byId(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no element ${id}`);
  return element;
}

/** Light or dark as the system has it, and told to the style sheet. @param {Viewer} viewer */
function followTheme(viewer) {
  const wants = matchMedia("(prefers-color-scheme: dark)");
  const tell = () => { document.documentElement.dataset["theme"] = viewer.store.state.dark ? "dark" : "light"; };
  viewer.store.on(["dark"], tell);
  wants.addEventListener("change", () => viewer.store.set({ dark: wants.matches }));
  viewer.store.set({ dark: wants.matches });
  tell();
}

/** New frames of a live run, and a server that goes away and comes back. @param {Viewer} viewer @param {Transport} transport */
function followRun(viewer, transport) {
  const { store, recording } = viewer;
  let busy = false;
  let wanted = 0;
  let renewed = 0;
  /** What is known of the run is read again, and its tables by whoever shows them. @param {boolean} now not only now and then */
  const renewTables = (now) => {
    if (!now && performance.now() - renewed < TABLES_EVERY) return;
    renewed = performance.now();
    // A server that is away just now is heard of by its connection.
    recording.refresh().then(() => store.set({ tables: store.state.tables + 1 })).catch(() => {});
  };
  const catchUp = async () => {
    if (busy) return;
    busy = true;
    while (wanted !== recording.times.length) {
      const count = wanted;
      await recording.readIndex().catch(() => {});
      store.set({ frames: recording.times.length });
      viewer.change();
      renewTables(false);
      if (wanted === count) break;
    }
    busy = false;
  };
  transport.listen({
    frames(count) {
      wanted = count;
      void catchUp();
    },
    state(runState) {
      // Another run took the place of this one: nothing of it is worth keeping.
      if (runState === "replaced") location.reload();
      else if (runState !== store.state.runState) {
        store.set({ runState, following: store.state.following && runState === "running" });
        renewTables(true);
      }
    },
    connection(connected) {
      const back = connected && !store.state.connected;
      store.set({ connected, ...(connected ? { problem: "" } : {}) });
      if (back) {
        recording.missing.clear();
        viewer.change();
      }
    },
  });
  store.on(["following"], () => { viewer.player.following = store.state.following; });
}

/** @param {Viewer} viewer @param {Transport} transport */
function build(viewer, transport) {
  const app = byId("app");
  const stage = byId("stage");
  byId("opening").remove();
  const writing = new Writing(viewer, byId("writing"));
  const handles = new CutHandles(viewer);
  const controls = new Controls(viewer, handles);
  controls.onHover = (at, id) => writing.showTip(at, id);
  const timeline = new Timeline(viewer);
  const open = (/** @type {string} */ name) => { panel.toggle(name); };
  /** @type {HTMLDialogElement} */
  let dialog;
  const panel = new Panel(viewer, () => dialog.showModal());
  const actions = keyActions(viewer, { help: () => dialog.showModal(), panel: open, picture: () => void panel.save.picture() });
  dialog = helpDialog(actions);
  listenToKeys(actions);
  new MutationObserver(() => handles.setShown(panel.open === "cut")).observe(panel.root, { childList: true, attributes: true });
  stage.append(banner(viewer));
  app.append(panel.root, panel.rail, timeline.root, dialog);
  viewer.onDrawn = () => {
    writing.showScale();
    writing.showLabels();
  };
  new ResizeObserver(() => viewer.change()).observe(stage);
  viewer.recording.onProblem = (message) => viewer.store.set({ problem: message });
  if (transport.replay) {
    const text = roundingText(viewer.recording.info?.error ?? null);
    if (text !== "") byId("writing").querySelector(".note")?.append(el("span", {}, ` ${text}`));
  }
}

async function open() {
  const canvas = /** @type {HTMLCanvasElement} */ (byId("view"));
  if (contextOf(canvas) === null) {
    showFailure("This browser does not draw in three dimensions", "The viewer needs WebGL 2, and the browser does not offer it. Any browser since 2021 does, unless hardware acceleration is switched off or the graphics driver is on its list of faulty ones.", "Pictures and films without a browser: drystone render RUN -o picture.png");
    return;
  }
  const transport = openTransport();
  const recording = new Recording(transport);
  try {
    await recording.open();
  } catch (error) {
    showFailure("The run could not be opened", error instanceof Error ? error.message : String(error), "Is the server still there? Its terminal says what went wrong.");
    return;
  }
  document.title = recording.info?.title ? `${recording.info.title} – Drystone` : "Drystone";
  const viewer = new Viewer(canvas, recording);
  // Of slow machines: how many samples a picture at rest is made of, such as ?samples=0.
  const samples = Number(new URLSearchParams(location.search).get("samples") ?? NaN);
  if (Number.isInteger(samples) && samples >= 0) viewer.renderer.samples = Math.min(viewer.renderer.samples, samples);
  // For the console, and for tests.
  Object.assign(globalThis, { drystone: viewer });
  build(viewer, transport);
  followTheme(viewer);
  applyLink(viewer, location.hash);
  addEventListener("hashchange", () => applyLink(viewer, location.hash));
  followRun(viewer, transport);
  canvas.addEventListener("webglcontextlost", () => showFailure("The graphics card gave up", "The browser took the picture away, most likely because memory ran out. Load the page again."));
  requestAnimationFrame((now) => viewer.tick(now));
}

open().catch((error) => showFailure("The viewer failed", error instanceof Error ? error.message : String(error)));
