// Pictures and films to take away, with title, legend and scale bar as the stills have them.

import { timeText } from "./format.js";
import { legendContent, mapColors, scaleBar } from "./widgets/writing.js";
import { zipOf } from "./zip.js";

/** @typedef {import("./viewer.js").Viewer} Viewer */

/** Height of letters and margin, in units of which 720 make the picture's height; as `overlay.rs`. */
const LETTERS = 15;
const MARGIN = 26;

/** Writes title, legend and scale bar. @param {CanvasRenderingContext2D} context @param {Viewer} viewer @param {number} width @param {number} height */
function writeOver(context, viewer, width, height) {
  const unit = Math.min(height / 720, width / 800);
  const [w, h] = [width / unit, height / unit];
  const ink = viewer.store.state.dark ? "#e8eaed" : "#14171a";
  context.save();
  context.scale(unit, unit);
  context.fillStyle = ink;
  context.font = `bold ${1.35 * LETTERS}px "DejaVu Sans", system-ui, sans-serif`;
  const { info } = viewer.recording;
  context.fillText(info?.title ?? "", MARGIN, MARGIN + LETTERS);
  context.font = `${LETTERS}px "DejaVu Sans", system-ui, sans-serif`;
  context.fillText(`t = ${timeText(viewer.player.time, info?.time_step)}`, MARGIN, MARGIN + 2.7 * LETTERS);
  const { pixels, label } = scaleBar(viewer, w, h);
  context.fillRect(MARGIN, h - MARGIN - 1, pixels, 2);
  context.fillRect(MARGIN, h - MARGIN - 5, 2, 10);
  context.fillRect(MARGIN + pixels - 2, h - MARGIN - 5, 2, 10);
  context.textAlign = "center";
  context.fillText(label, MARGIN + 0.5 * pixels, h - MARGIN - 9);
  writeLegend(context, viewer, w, h, ink);
  context.restore();
}

/** @param {CanvasRenderingContext2D} context @param {Viewer} viewer @param {number} w @param {number} h @param {string} ink */
function writeLegend(context, viewer, w, h, ink) {
  const content = legendContent(viewer);
  if (content === null) return;
  context.textAlign = "left";
  const tall = "names" in content ? 40 + 24 * content.names.length : 350;
  const wide = Math.max(context.measureText(content.heading).width + 26, 100);
  const [left, top] = [w - wide - 13, 0.5 * (h - tall)];
  context.fillStyle = viewer.store.state.dark ? "rgba(20,24,28,0.72)" : "rgba(255,255,255,0.72)";
  context.beginPath();
  context.roundRect(left, top, wide, tall, 7);
  context.fill();
  context.fillStyle = ink;
  context.fillText(content.heading, left + 13, top + 22);
  if ("names" in content) {
    content.names.forEach(({ name, color }, k) => {
      context.fillStyle = color;
      context.fillRect(left + 13, top + 34 + 24 * k, 14, 14);
      context.fillStyle = ink;
      context.fillText(name.slice(0, 28), left + 34, top + 46 + 24 * k);
    });
    return;
  }
  const [from, size] = [top + 36, tall - 50];
  const gradient = context.createLinearGradient(0, from + size, 0, from);
  mapColors(viewer).forEach((color, k, all) => gradient.addColorStop(k / (all.length - 1), color));
  context.fillStyle = gradient;
  context.fillRect(left + 13, from, 16, size);
  context.fillStyle = ink;
  for (const { label, share } of content.ticks) {
    const y = from + size * (1 - share);
    context.fillRect(left + 29, y - 0.5, 5, 1);
    context.fillText(label, left + 38, y + 5);
  }
}

/** Lets the browser breathe. */
const breathe = () => new Promise((resolve) => { setTimeout(resolve, 0); });

/**
 * The picture at any size, as good as it gets.
 * @param {Viewer} viewer @param {number} width @param {number} height @param {{ samples: number, writing: boolean }} how
 * @returns {Promise<HTMLCanvasElement>}
 */
export async function pictureOf(viewer, width, height, how) {
  const { renderer } = viewer;
  const most = Number(renderer.gl.getParameter(renderer.gl.MAX_TEXTURE_SIZE));
  if (!(width >= 1 && height >= 1 && width <= most && height <= most)) {
    throw new Error(`a picture of ${width} × ${height} pixels: expected at least 1 × 1 and at most ${most} × ${most}`);
  }
  const paused = viewer.paused;
  viewer.paused = true;
  const before = { chosen: renderer.chosen, hovered: renderer.hovered };
  try {
    renderer.resize(width, height);
    Object.assign(renderer, { hovered: 0 });
    renderer.drawWhole();
    const samples = Math.min(how.samples, renderer.samples);
    while (renderer.gatheredCount < samples) {
      renderer.addSample();
      if (renderer.gatheredCount % 4 === 0) await breathe();
    }
    const canvas = document.createElement("canvas");
    canvas.width = width;
    canvas.height = height;
    const context = canvas.getContext("2d");
    if (context === null) throw new Error("the browser has no memory for the picture");
    context.putImageData(renderer.pixels(), 0, 0);
    if (how.writing) writeOver(context, viewer, width, height);
    return canvas;
  } finally {
    Object.assign(renderer, before);
    viewer.paused = paused;
    viewer.change();
  }
}

/** @param {HTMLCanvasElement} canvas @returns {Promise<Blob>} */
export function pngOf(canvas) {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the browser could not write the picture"))), "image/png");
  });
}

/** Waits until a frame is there. @param {Viewer} viewer @param {number} k */
async function frameThere(viewer, k) {
  viewer.player.pause();
  viewer.player.seek(viewer.recording.times[k]);
  for (let tries = 0; tries < 600; tries += 1) {
    viewer.takeMoment();
    if (viewer.shown?.number === k) return;
    await new Promise((resolve) => { setTimeout(resolve, 50); });
  }
  throw new Error(`frame ${k} did not come within 30 s`);
}

/**
 * Every frame as a PNG file, in a zip file.
 * @param {Viewer} viewer @param {{ width: number, height: number, every: number, samples: number }} how
 * @param {(share: number) => boolean} go told the share that is done; stops where it says false
 */
export async function zipOfFrames(viewer, how, go) {
  const files = [];
  const { times } = viewer.recording;
  for (let k = 0; k < times.length; k += how.every) {
    await frameThere(viewer, k);
    const canvas = await pictureOf(viewer, how.width, how.height, { samples: how.samples, writing: true });
    const bytes = new Uint8Array(await (await pngOf(canvas)).arrayBuffer());
    files.push({ name: `frame-${String(files.length).padStart(5, "0")}.png`, bytes });
    if (!go((k + 1) / times.length)) return null;
  }
  return zipOf(files);
}

/** Whether the browser can make films. */
export function canFilm() {
  return typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported("video/webm");
}

/**
 * A film of the run as it plays, from the beginning.
 * @param {Viewer} viewer @param {(share: number) => boolean} go
 * @returns {Promise<Blob | null>}
 */
export async function filmOf(viewer, go) {
  const { canvas, player } = viewer;
  const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: "video/webm", videoBitsPerSecond: 12e6 });
  /** @type {Blob[]} */
  const parts = [];
  recorder.ondataavailable = (event) => parts.push(event.data);
  const stopped = new Promise((resolve) => { recorder.onstop = resolve; });
  const loop = player.loop;
  viewer.setClock({ loop: false });
  viewer.seek(player.speed > 0 ? player.begin : player.end);
  recorder.start();
  player.play();
  viewer.change();
  let wanted = true;
  while (player.playing && wanted) {
    await new Promise((resolve) => { setTimeout(resolve, 100); });
    wanted = go((player.time - player.begin) / (player.end - player.begin || 1));
  }
  player.pause();
  recorder.stop();
  await stopped;
  viewer.setClock({ loop });
  return wanted ? new Blob(parts, { type: "video/webm" }) : null;
}
