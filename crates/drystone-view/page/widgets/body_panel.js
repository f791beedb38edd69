// The chosen body: its figures, its contacts with their forces, and plots of it in time.

import { el, fill } from "./dom.js";
import { Chart } from "./chart.js";
import { prefixFor, withUnit } from "../format.js";
import { positionAt } from "../marks.js";

/** @typedef {import("../viewer.js").Viewer} Viewer */

const KINDS = ["moves freely", "fixed", "moves as prescribed"];
/** Most contacts that are listed. */
const MOST_ROWS = 30;

/** @param {ArrayLike<number>} v @param {number} body @param {string} unit @param {ArrayLike<number>} [origin] */
function vectorText(v, body, unit, origin = [0, 0, 0]) {
  const all = [0, 1, 2].map((k) => v[3 * body + k] + origin[k]);
  // All with the prefix of the largest: what is far below it is nothing beside it.
  const [prefix, factor] = prefixFor(Math.max(...all.map(Math.abs)));
  return `${all.map((c) => (c / factor).toFixed(Math.abs(c / factor) < 99.95 ? 2 : 1).replace(/^-(0\.0+)$/, "$1")).join(", ")} ${prefix}${unit}`;
}

/** @param {Viewer} viewer */
export function bodyPanel(viewer) {
  const { store, recording } = viewer;
  const figures = el("table", { className: "figures" });
  const contacts = el("table", { className: "figures contacts" });
  const plots = el("div", { className: "plots" });
  const heading = el("h3");
  const charts = [["speed", "m/s"], ["position x", "m"], ["position y", "m"], ["position z", "m"], ["angular speed", "rad/s"]]
    .map(([title, unit]) => new Chart(viewer, { title, unit, log: false }));
  fill(plots, ...charts.map((c) => c.root));
  const root = el("div", {}, heading, figures, contacts, plots);

  const showPlots = () => {
    const { track } = viewer.overlay;
    if (track === null) return;
    const times = track.rows.map((r) => r.time);
    const origin = recording.info?.origin ?? [0, 0, 0];
    const column = (/** @type {(v: Float32Array) => number} */ f) => track.rows.map((r) => (r.values[0] > 1e29 ? NaN : f(r.values)));
    const columns = [
      column((v) => Math.hypot(v[3], v[4], v[5])), column((v) => v[0] + origin[0]), column((v) => v[1] + origin[1]),
      column((v) => v[2] + origin[2]), column((v) => Math.hypot(v[6], v[7], v[8])),
    ];
    charts.forEach((chart, k) => chart.set(times, [{ name: chart.title, values: columns[k] }]));
  };

  const show = () => {
    const body = store.state.chosen;
    const { bodies, info } = recording;
    const empty = body < 0 || !bodies || viewer.shown === null;
    contacts.hidden = empty;
    plots.hidden = empty;
    if (empty || !bodies || viewer.shown === null) {
      heading.textContent = "";
      fill(figures, el("caption", {}, "Click a body in the picture to see its figures."));
      return;
    }
    heading.textContent = recording.nameOf(body);
    const { a, number } = viewer.shown;
    const { mass } = bodies;
    const speed = Math.hypot(...a.velocity.subarray(3 * body, 3 * body + 3));
    const material = info?.materials[bodies.material[body]];
    const at = positionAt(viewer.momentOf(viewer.shown), body);
    const rows = [
      ["kind", `${recording.shapes[bodies.shape[body]]?.kind.replace("_", " ") ?? ""}, ${KINDS[bodies.kind[body]] ?? ""}`],
      ["position", a.enabled[body] === 0 ? "takes no part" : vectorText(at, 0, "m", info?.origin)],
      ["velocity", `${vectorText(a.velocity, body, "m/s")}`],
      ["speed", withUnit(speed, "m/s")],
      ["angular velocity", vectorText(a.angular, body, "rad/s")],
      ["mass", mass[body] > 0 ? withUnit(mass[body], "kg") : "–"],
      ["kinetic energy", `${withUnit(0.5 * mass[body] * speed * speed, "J")}, without spin`],
      ["material", material ? `${material.name}, friction ${material.friction}` : "–"],
    ];
    fill(figures, ...rows.map(([name, value]) => el("tr", {}, el("th", {}, name), el("td", {}, value))));
    showContacts(body, number);
  };

  const showContacts = (/** @type {number} */ body, /** @type {number} */ number) => {
    const all = recording.contacts(number);
    if (!recording.info?.has_contacts || recording.lacksContacts(number)) {
      fill(contacts, el("caption", {}, "This run recorded no contacts."));
      return;
    }
    if (all === null) return;
    const found = [];
    for (let k = 0; k < all.count; k += 1) {
      if (all.first[k] !== body && all.second[k] !== body) continue;
      const other = all.first[k] === body ? all.second[k] : all.first[k];
      const f = all.force.subarray(3 * k, 3 * k + 3);
      found.push({ other, size: Math.hypot(f[0], f[1], f[2]), gap: all.gap[k] });
    }
    found.sort((p, q) => q.size - p.size);
    const rows = found.slice(0, MOST_ROWS).map(({ other, size, gap }) => el("tr", {},
      el("th", {}, el("button", { type: "button", className: "link", onclick: () => store.set({ chosen: other }) }, recording.nameOf(other))),
      el("td", {}, withUnit(size, "N")), el("td", {}, withUnit(gap, "m"))));
    fill(contacts, el("caption", {}, found.length === 0 ? "touches nothing" : `${found.length} ${found.length === 1 ? "contact" : "contacts"}: force, gap`), ...rows);
  };

  store.on(["chosen"], () => { show(); showPlots(); });
  viewer.overlay.onTrack = showPlots;
  let last = 0;
  store.on(["time"], () => {
    // While playing figures need not change more often than one can read.
    const now = performance.now();
    if (root.isConnected && store.state.chosen >= 0 && (!store.state.playing || now - last > 200)) {
      last = now;
      show();
    }
  });
  const before = recording.onArrival;
  recording.onArrival = (name) => { before(name); if (name.startsWith("contacts/") && root.isConnected && store.state.chosen >= 0 && !store.state.playing) show(); };
  show();
  return root;
}
