// Plots of the whole run: energy, contacts, iterations, residual, penetration, forces, joints.

import { el } from "./dom.js";
import { Chart } from "./chart.js";
import { columnOf } from "../tables.js";

/** @typedef {import("../viewer.js").Viewer} Viewer */
/** @typedef {import("../recording.js").Table} Table */

/** What is plotted of the steps: title, unit, by powers of ten, columns. @type {[string, string, boolean, string[]][]} */
const STEP_PLOTS = [
  ["energy", "J", false, ["kinetic_energy", "potential_energy"]],
  ["fastest body", "m/s", false, ["fastest"]],
  ["contacts", "", false, ["contacts"]],
  ["iterations", "", false, ["iterations"]],
  ["residual", "", true, ["residual"]],
  ["penetration", "m", false, ["penetration"]],
  ["joint error", "", false, ["joint_error"]],
  ["time for a step", "s", false, ["seconds_total"]],
];
const COMPONENT = /^(.*) ([ft])([xyz])$/;

/** The plots of a table of forces or joints: one a name and kind. @param {Table} table @returns {{ title: string, unit: string, series: import("./chart.js").Series[] }[]} */
export function widePlots(table) {
  /** @type {Map<string, { title: string, unit: string, series: import("./chart.js").Series[] }>} */
  const plots = new Map();
  table.columns.forEach((column, k) => {
    if (column === "step" || column === "time") return;
    const match = COMPONENT.exec(column);
    const title = match ? `${match[1]} ${match[2] === "f" ? "force" : "torque"}` : column;
    const values = columnOf(table, column) ?? [];
    if (!match && !values.some(Number.isFinite)) return;
    const plot = plots.get(title) ?? { title, unit: table.units[k] ?? "", series: [] };
    plot.series.push({ name: match ? match[3] : column, values });
    plots.set(title, plot);
  });
  return [...plots.values()];
}

/** @param {Viewer} viewer */
export function plotsPanel(viewer) {
  const { recording, store } = viewer;
  const root = el("div", { className: "plots" }, el("p", { className: "hint" }, "Reading…"));
  /** @type {Map<string, Chart>} */
  const charts = new Map();
  /** @param {string} title @param {string} unit @param {boolean} log @param {number[]} times @param {import("./chart.js").Series[]} series */
  const show = (title, unit, log, times, series) => {
    let chart = charts.get(title);
    if (chart === undefined) {
      chart = new Chart(viewer, { title, unit, log });
      charts.set(title, chart);
      root.append(chart.root);
    }
    chart.set(times, series);
  };
  const load = async () => {
    for (const name of recording.info?.tables ?? []) {
      const table = await recording.table(name).catch(() => null);
      const times = table && columnOf(table, "time");
      if (!table || !times) continue;
      if (name === "steps") {
        for (const [title, unit, log, columns] of STEP_PLOTS) {
          const series = columns.map((c) => ({ name: c.replaceAll("_", " "), values: columnOf(table, c) ?? [] })).filter((s) => s.values.some((v) => Number.isFinite(v) && v !== 0));
          if (series.length > 0) show(title, unit, log, times, series);
        }
      } else {
        for (const plot of widePlots(table)) show(plot.title, plot.unit, false, times, plot.series);
      }
    }
    const hint = root.querySelector("p.hint");
    if (charts.size > 0) hint?.remove();
    else if (hint) hint.textContent = "This run has no tables to plot.";
  };
  void load();
  // A live run's tables are read again now and then.
  store.on(["tables"], () => void load());
  return root;
}
