// Runs made of formulas, as the server would send them: for unit tests, and for measuring pages with
// a hundred thousand bodies and more, which would take hours to simulate. End-to-end tests use real runs.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

export const PAGE = fileURLToPath(new URL("../../page/", import.meta.url));
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css" };

/** Columns one after the other, each at a multiple of 8 bytes, behind the head. */
export function binary(count, flags, columns) {
  const pad = (n) => Math.ceil(n / 8) * 8;
  const size = columns.reduce((sum, c) => sum + pad(c.byteLength), 16);
  const out = Buffer.alloc(size);
  out.write("DRYV", 0, "latin1");
  out.writeUInt32LE(1, 4);
  out.writeUInt32LE(count, 8);
  out.writeUInt32LE(flags, 12);
  let at = 16;
  for (const c of columns) {
    Buffer.from(c.buffer, c.byteOffset, c.byteLength).copy(out, at);
    at += pad(c.byteLength);
  }
  return out;
}

/** `n` balls on a grid that sway, on a ground. */
export function ballsRun(n, frames = 30) {
  const side = Math.ceil(Math.cbrt(n));
  const r = 0.02;
  const width = side * 0.045;
  const bodies = () => {
    const all = n + 1;
    const color = new Uint8Array(4 * all).map((_, k) => [200, 180, 150, 0][k % 4]);
    const kind = new Uint8Array(all);
    kind[n] = 1;
    const shape = new Uint32Array(all);
    shape[n] = 1;
    const group = new Uint32Array(all);
    group[n] = 1;
    const reach = new Float32Array(all).fill(r);
    reach[n] = Infinity;
    const size = new Float32Array(all).map((_, k) => 0.03 + 0.02 * ((k * 0.618) % 1));
    return binary(all, 0, [shape, group, new Uint32Array(all).map((_, k) => k), new Uint16Array(all), kind, new Uint8Array(all), color, new Float32Array(all).fill(0.1), size, reach]);
  };
  const frame = (f) => {
    const all = n + 1;
    const position = new Float32Array(3 * all);
    const rotation = new Int16Array(4 * all);
    const velocity = new Float32Array(3 * all);
    for (let k = 0; k < n; k += 1) {
      const [x, y, z] = [k % side, Math.floor(k / side) % side, Math.floor(k / side / side)];
      const sway = 0.01 * Math.sin(0.2 * f + 0.3 * z);
      position.set([0.045 * x - 0.5 * width + sway, 0.045 * y - 0.5 * width, 0.045 * z + r], 3 * k);
      velocity.set([0.002 * Math.cos(0.2 * f + 0.3 * z) / 0.02, 0, 0], 3 * k);
      rotation[4 * k + 3] = 32767;
    }
    rotation[4 * n + 3] = 32767;
    return binary(all, 0, [position, rotation, velocity, new Float32Array(3 * all), new Uint8Array(all).fill(1)]);
  };
  const index = () => binary(frames, 0, [new Float64Array(frames).map((_, k) => k), new Float64Array(frames).map((_, k) => 0.02 * k)]);
  const h = width / 2;
  const info = {
    version: 1, title: `${n} balls`, state: "finished", note: "", frames, time_step: 0.02, bodies: n + 1, origin: [0, 0, 0],
    error: { position: 0, rotation: 0, velocity: 0 }, bounds: { low: [-h, -h, 0], high: [h, h, width] },
    camera: { eye: [2 * width, -2.4 * width, 1.7 * width], target: [0, 0, 0.45 * width], up: [0, 0, 1], field_of_view: 0.6, orthographic: false },
    look: { sky: ["#e3e8ed", "#f8f8f6"], ground: "#e0dfdb", sun: [-0.2, -0.6, 0.75], clip: null },
    color_by: { what: "size", low: 0.03, high: 0.05, log: false }, maps: { viridis: Buffer.from(Uint8Array.from({ length: 768 }, (_, k) => [k / 3, 255 - k / 6, 128][k % 3])).toString("base64") },
    groups: [{ name: "balls", members: n }, { name: "ground", members: 1 }], materials: [{ name: "stone", friction: 0.5 }], phases: [], periodic: null,
    joints: [], springs: [], tables: [], has_contacts: false, unconverged: [],
  };
  const cache = new Map();
  return (name) => {
    if (!cache.has(name)) {
      const match = /^frame\/(\d+)\.bin$/.exec(name);
      const made = name === "run.json" ? Buffer.from(JSON.stringify(info))
        : name === "shapes.json" ? Buffer.from(JSON.stringify([{ kind: "sphere", radius: r }, { kind: "plane" }]))
        : name === "bodies.bin" ? bodies() : name === "index.bin" ? index()
        : match ? frame(Number(match[1])) : null;
      cache.set(name, made);
    }
    return cache.get(name);
  };
}

/** Serves the page and a run; ends with `close()`. */
export async function serveSynthetic(run) {
  const server = createServer(async (request, answer) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? "/", "http://x").pathname));
    if (path === "/api/events") {
      answer.writeHead(200, { "content-type": "text/event-stream" });
      answer.write("event: state\ndata: finished\n\n");
      return;
    }
    if (path.startsWith("/api/")) {
      const body = run(path.slice(5));
      answer.writeHead(body === null ? 404 : 200, { "content-type": "application/octet-stream" });
      answer.end(body);
      return;
    }
    try {
      const file = path === "/" ? "index.html" : path.slice(1);
      const text = await readFile(join(PAGE, file));
      answer.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
      answer.end(text);
    } catch {
      answer.writeHead(404);
      answer.end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  return { url: `http://127.0.0.1:${port}/`, close: () => { server.closeAllConnections(); server.close(); } };
}
